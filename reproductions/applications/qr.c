/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * QR (cluster-protocols.txt, section 7): factorization of a square matrix by Householder vectors, with
 * pivoting. Columns are dealt out to workers one by one. In each iteration all agree on the column
 * with the greatest norm, by a reduction to all of two integers and two doubles; its owner makes the
 * Householder vector of it and broadcasts that, and all update their columns. The upper row and
 * that column are done then: the vector becomes shorter by one each time.
 */
#include "reproductions/applications/application.h"
#include "reproductions/systems/mpi.h"
#include "reproductions/virtual/splitmix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER, BROADCASTS }; /* sizes */

/* What is agreed on: the column, its owner, its squared norm, and its upper element. */
typedef struct pivot {
    int32_t column, owner;
    double norm, upper;
} pivot;

/* Columns first, first + step, ... of the matrix. */
typedef struct columns {
    uint32_t n, first, step, count;
    double *values, *norms; /* squared, of what is left */
    bool *done;
} columns;

static double *column_of(const columns *c, uint32_t place)
{
    return c->values + (size_t)place * c->n;
}

static void make(const clump_application_input *input, columns *c)
{
    for (uint32_t p = 0; p < c->count; p++) {
        uint64_t state = clump_application_seed(input->seed, 1, c->first + (uint64_t)p * c->step);
        double *v = column_of(c, p);
        c->norms[p] = 0;
        c->done[p] = false;
        for (uint32_t i = 0; i < c->n; i++) {
            v[i] = clump_splitmix_real(&state) - 0.5;
            c->norms[p] += v[i] * v[i];
        }
    }
}

/* The better of two: equal norms by their columns. */
static void choose(void *into, const void *with, size_t bytes)
{
    pivot a, b;
    (void)bytes;
    memcpy(&a, into, sizeof a);
    memcpy(&b, with, sizeof b);
    if (b.column >= 0 &&
        (a.column < 0 || b.norm > a.norm || (!(b.norm < a.norm) && b.column < a.column)))
        memcpy(into, &b, sizeof b);
}

static pivot best_of(const columns *c, uint32_t owner, uint32_t k)
{
    pivot best = {.column = -1, .owner = -1};
    for (uint32_t p = 0; p < c->count; p++) {
        const pivot here = {.column = (int32_t)(c->first + p * c->step),
                            .owner = (int32_t)owner,
                            .norm = c->norms[p],
                            .upper = column_of(c, p)[k]};
        if (!c->done[p])
            choose(&best, &here, sizeof here);
    }
    return best;
}

/* The vector that turns the rest of a column into a multiple of the first unit vector; the factor
 * 2 / (v.v) is behind it. The column becomes its diagonal element. */
static void householder(columns *c, uint32_t place, uint32_t k, double *vector)
{
    const uint32_t left = c->n - k;
    double *v = column_of(c, place) + k, square = 0;
    for (uint32_t i = 0; i < left; i++)
        square += v[i] * v[i];
    const double norm = sqrt(square), to = v[0] > 0 ? -norm : norm;
    memcpy(vector, v, left * sizeof *v);
    vector[0] -= to;
    const double length = square - v[0] * v[0] + vector[0] * vector[0];
    vector[left] = length > 0 ? 2 / length : 0;
    memset(v, 0, left * sizeof *v);
    v[0] = to;
    c->done[place] = true;
}

/* @return elements of columns that were updated */
static double update(columns *c, uint32_t k, const double *vector)
{
    const uint32_t left = c->n - k;
    double elements = 0;
    for (uint32_t p = 0; p < c->count; p++) {
        double *v = column_of(c, p) + k, along = 0, square = 0;
        if (c->done[p])
            continue;
        for (uint32_t i = 0; i < left; i++)
            along += v[i] * vector[i];
        along *= vector[left];
        for (uint32_t i = 0; i < left; i++) {
            v[i] -= along * vector[i];
            square += v[i] * v[i];
        }
        c->norms[p] = square - v[0] * v[0];
        elements += left;
    }
    return elements;
}

static void add_result(const columns *c, clump_application_result *result)
{
    for (uint32_t p = 0; p < c->count; p++)
        for (uint32_t i = 0; i < c->n; i++) {
            uint64_t bits;
            memcpy(&bits, column_of(c, p) + i, sizeof bits);
            result->digest += clump_application_mix(
                ((uint64_t)c->first + (uint64_t)p * c->step) * c->n + i, bits);
            result->items++;
        }
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[ORDER];
    clump_mpi *mpi = clump_mpi_open(w, (clump_mpi_broadcasts)input->sizes[BROADCASTS]);
    columns c = {.n = n, .first = w->rank, .step = w->count};
    c.count = n > w->rank ? (n - w->rank + w->count - 1) / w->count : 0;
    c.values = clump_worker_allocate(w, (size_t)c.count * n, sizeof *c.values);
    c.norms = clump_worker_allocate(w, c.count, sizeof *c.norms);
    c.done = clump_worker_allocate(w, c.count, sizeof *c.done);
    double *vector = clump_worker_allocate(w, n + 1, sizeof *vector);
    make(input, &c);
    clump_mpi_barrier(mpi);
    clump_worker_begin(w);
    for (uint32_t k = 0; k < n; k++) {
        pivot best = best_of(&c, w->rank, k);
        clump_mpi_allreduce(mpi, &best, sizeof best, choose);
        if (best.owner < 0 || (uint32_t)best.owner >= w->count)
            clump_worker_fail(w, "no column is left");
        if ((uint32_t)best.owner == w->rank) {
            householder(&c, ((uint32_t)best.column - w->rank) / w->count, k, vector);
            clump_worker_compute(w, n - k);
        }
        clump_mpi_broadcast(mpi, (uint32_t)best.owner, vector, (n - k + 1) * sizeof *vector);
        clump_worker_compute(w, update(&c, k, vector));
        clump_worker_progress(w, (k + 1.0) / n);
    }
    clump_mpi_barrier(mpi);
    clump_worker_end(w);
    add_result(&c, result);
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[ORDER];
    columns c = {.n = n, .step = 1, .count = n};
    double *vector = malloc((n + 1) * sizeof *vector);
    c.values = malloc((size_t)n * n * sizeof *c.values);
    c.norms = malloc(n * sizeof *c.norms);
    c.done = malloc(n * sizeof *c.done);
    const bool room = vector != NULL && c.values != NULL && c.norms != NULL && c.done != NULL;
    *result = (clump_application_result){.items = 0};
    if (room) {
        make(input, &c);
        for (uint32_t k = 0; k < n; k++) {
            householder(&c, (uint32_t)best_of(&c, 0, k).column, k, vector);
            update(&c, k, vector);
        }
        add_result(&c, result);
    }
    free(vector);
    free(c.values);
    free(c.norms);
    free(c.done);
    return room;
}

static const clump_application_size sizes[] = {
    {"order", "rows and columns of the matrix", 1024, 1, 8192, true},
    {"broadcasts", "0: Panda's; 1: binomial tree of messages, as MPICH; 2: binary", 0, 0, 2, true},
    {NULL, NULL, 0, 0, 0, false}};

/* Elements that are updated: m (m - 1) when m rows are left. */
#define ELEMENTS (1024.0 * (1024.0 * 1024 - 1) / 3)

/* Table VII: 58.7 and 14.8 s on one processor. */
static const clump_application_cost costs[] = {
    {"ppro-myrinet", 58.7e6 / ELEMENTS}, {"p3-myrinet", 14.8e6 / ELEMENTS}, {NULL, 0}};

const clump_application clump_application_qr = {
    .name = "qr",
    .run = "QR",
    .title = "QR factorization with pivoting",
    .text = "A square matrix whose columns are dealt out to processors. In each iteration they\n"
            "agree on the column with the greatest norm, its owner broadcasts the vector that is\n"
            "made of it, and all update their columns: nobody can go ahead.",
    .operation = "an element that is updated",
    .operation_us = 58.7e6 / ELEMENTS,
    .sizes = sizes,
    .system = "MPI",
    .costs = costs,
    .work = work,
    .expect = expect,
};
