/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ASP (cluster-protocols.txt, section 7): the shortest paths between all pairs of nodes of a graph, by
 * Floyd's algorithm. Each worker owns neighbouring rows of the matrix of distances. In iteration k
 * the owner of row k broadcasts it, and all see whether their paths become shorter by way of node k.
 * All rows of a worker have their turn before those of the next, so that it can send them one after
 * the other, and does not wait.
 */
#include "reproductions/applications/application.h"
#include "reproductions/systems/mpi.h"
#include "reproductions/virtual/splitmix.h"

#include <stdlib.h>
#include <string.h>

enum { NODES, BROADCASTS, PROBE }; /* sizes */
enum { FARTHEST = 1000 };          /* length of an edge */

static int32_t *make_row(const clump_application_input *input, uint32_t row, int32_t *to)
{
    const uint32_t n = (uint32_t)input->sizes[NODES];
    uint64_t state = clump_application_seed(input->seed, 1, row);
    for (uint32_t i = 0; i < n; i++)
        to[i] = i == row ? 0 : 1 + (int32_t)(clump_splitmix_next(&state) % FARTHEST);
    return to;
}

static void shorten(int32_t *restrict row, const int32_t *restrict by, uint32_t n, uint32_t k)
{
    const int32_t first = row[k];
    for (uint32_t i = 0; i < n; i++) {
        const int32_t length = first + by[i];
        row[i] = length < row[i] ? length : row[i];
    }
}

static void add_result(const int32_t *row, uint32_t n, uint32_t number,
                       clump_application_result *result)
{
    for (uint32_t i = 0; i < n; i++)
        result->digest += clump_application_mix((uint64_t)number * n + i, (uint32_t)row[i]);
    result->items += n;
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[NODES], probe = (uint32_t)input->sizes[PROBE],
                   begin = clump_application_share(n, w->count, w->rank),
                   end = clump_application_share(n, w->count, w->rank + 1);
    clump_mpi *mpi = clump_mpi_open(w, (clump_mpi_broadcasts)input->sizes[BROADCASTS]);
    int32_t *rows = clump_worker_allocate(w, (size_t)(end - begin) * n, sizeof *rows);
    int32_t *by = clump_worker_allocate(w, n, sizeof *by);
    for (uint32_t r = begin; r < end; r++)
        make_row(input, r, rows + (size_t)(r - begin) * n);
    clump_mpi_barrier(mpi);
    clump_worker_begin(w);
    for (uint32_t k = 0, owner = 0; k < n; k++) {
        while (k >= clump_application_share(n, w->count, owner + 1))
            owner++;
        if (owner == w->rank)
            memcpy(by, rows + (size_t)(k - begin) * n, n * sizeof *by);
        clump_mpi_broadcast(mpi, owner, by, n * sizeof *by);
        for (uint32_t r = begin; r < end; r++) {
            shorten(rows + (size_t)(r - begin) * n, by, n, k);
            clump_worker_compute(w, n);
            if (probe > 0 && (r - begin + 1) % probe == 0)
                clump_mpi_probe(mpi, CLUMP_MPI_ANY, 0);
        }
        clump_worker_progress(w, (k + 1.0) / n);
    }
    clump_mpi_barrier(mpi);
    clump_worker_end(w);
    for (uint32_t r = begin; r < end; r++)
        add_result(rows + (size_t)(r - begin) * n, n, r, result);
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[NODES];
    int32_t *rows = malloc((size_t)n * n * sizeof *rows), *by = malloc(n * sizeof *by);
    if (rows == NULL || by == NULL) {
        free(rows);
        free(by);
        return false;
    }
    *result = (clump_application_result){.items = 0};
    for (uint32_t r = 0; r < n; r++)
        make_row(input, r, rows + (size_t)r * n);
    for (uint32_t k = 0; k < n; k++) {
        memcpy(by, rows + (size_t)k * n, n * sizeof *by);
        for (uint32_t r = 0; r < n; r++)
            shorten(rows + (size_t)r * n, by, n, k);
    }
    for (uint32_t r = 0; r < n; r++)
        add_result(rows + (size_t)r * n, n, r, result);
    free(rows);
    free(by);
    return true;
}

static const clump_application_size sizes[] = {
    {"nodes", "nodes of the graph", 1024, 1, 8192, true},
    {"broadcasts", "0: Panda's; 1: binomial tree of messages, as MPICH; 2: binary", 0, 0, 2, true},
    {"probe", "rows after which it looks for messages; 0: never", 0, 0, 8192, true},
    {NULL, NULL, 0, 0, 0, false}};

/* Table VII: 63.3 and 17.8 s on one processor, for 1024^3 operations. */
static const clump_application_cost costs[] = {{"ppro-myrinet", 63.3e6 / (1024.0 * 1024 * 1024)},
                                               {"p3-myrinet", 17.8e6 / (1024.0 * 1024 * 1024)},
                                               {NULL, 0}};

const clump_application clump_application_asp = {
    .name = "asp",
    .run = "ASP",
    .title = "Shortest paths between all pairs of nodes",
    .text = "Distances between the nodes of a graph, in a matrix whose rows are shared out among\n"
            "processors. In each iteration one of them broadcasts a row, which all others add to\n"
            "the ways that they know. Senders need not wait: broadcasts follow each other.",
    .operation = "a look at one distance by way of one node",
    .operation_us = 63.3e6 / (1024.0 * 1024 * 1024),
    .sizes = sizes,
    .system = "MPI",
    .costs = costs,
    .work = work,
    .expect = expect,
};
