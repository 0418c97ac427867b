/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SOR (cluster-protocols.txt, section 7): Laplace's equation on a square grid, by successive
 * over-relaxation in red and black: points of one colour have neighbours of the other only, so that
 * all of a colour can be computed at once. Each worker owns neighbouring rows, and trades those at
 * its borders after each colour. After each iteration the greatest change is reduced to all.
 *
 * How many iterations the article needed it does not say. 100 follow from what it says of the
 * sequential run, that it thrashes its cache completely (docs/reproductions.md).
 */
#include "reproductions/applications/application.h"
#include "reproductions/systems/mpi.h"
#include "reproductions/virtual/splitmix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS, ITERATIONS, EARLY }; /* sizes */

/* Rows begin to end of the grid, with one more at either side. */
typedef struct grid {
    uint32_t n, begin, end;
    double *points, omega, change;
} grid;

static double *row_of(const grid *g, uint32_t row)
{
    return g->points + (size_t)(row - g->begin + 1) * (g->n + 2);
}

/* The border of the square is fixed, the rest 0 at first. Rows 0 and n + 1 are border. */
static void make_row(const clump_application_input *input, const grid *g, uint32_t row)
{
    double *p = row_of(g, row);
    uint64_t state = clump_application_seed(input->seed, 1, row);
    const bool border = row == 0 || row == g->n + 1;
    for (uint32_t i = 0; i < g->n + 2; i++) {
        const double value = clump_splitmix_real(&state);
        p[i] = border || i == 0 || i == g->n + 1 ? value : 0;
    }
}

/* Inner rows begin to end - 1 of 1 to n. */
static void make(const clump_application_input *input, grid *g)
{
    const double pi = 3.14159265358979323846;
    g->omega = 2 / (1 + sin(pi / (g->n + 1)));
    for (uint32_t r = g->begin - 1; r < g->end + 1; r++)
        make_row(input, g, r);
}

static void relax(grid *g, uint32_t row, unsigned colour)
{
    double *p = row_of(g, row);
    const double *above = row_of(g, row - 1), *below = row_of(g, row + 1);
    for (uint32_t i = 1 + (row + colour + 1) % 2; i <= g->n; i += 2) {
        const double by = g->omega * ((above[i] + below[i] + p[i - 1] + p[i + 1]) / 4 - p[i]);
        p[i] += by;
        if (fabs(by) > g->change)
            g->change = fabs(by);
    }
}

static void add_result(const grid *g, clump_application_result *result)
{
    for (uint32_t r = g->begin; r < g->end; r++)
        for (uint32_t i = 1; i <= g->n; i++) {
            uint64_t bits;
            memcpy(&bits, row_of(g, r) + i, sizeof bits);
            result->digest += clump_application_mix((uint64_t)r * g->n + i, bits);
            result->items++;
        }
}

static void greatest(void *into, const void *with, size_t bytes)
{
    double a, b;
    (void)bytes;
    memcpy(&a, into, sizeof a);
    memcpy(&b, with, sizeof b);
    if (b > a)
        memcpy(into, with, sizeof b);
}

/* ---- a worker */

typedef struct part {
    clump_worker *worker;
    clump_mpi *mpi;
    grid grid;
    uint32_t above, below; /* ranks with the next rows; NOBODY: the border */
    size_t bytes;          /* of the rows here, all of which are gone through for each colour */
} part;

static const uint32_t NOBODY = UINT32_MAX;

/* Ranks without rows take no part: the next above or below that has some. */
static uint32_t neighbour(const clump_worker *w, uint32_t n, int step)
{
    for (int64_t r = (int64_t)w->rank + step; r >= 0 && r < w->count; r += step)
        if (clump_application_share(n, w->count, (uint32_t)r) <
            clump_application_share(n, w->count, (uint32_t)r + 1))
            return (uint32_t)r;
    return NOBODY;
}

enum { UP = 1, DOWN };

/* The row above was computed first, and all others since, unless only the borders have been (`early`). */
static void send_borders(part *p, bool early)
{
    const grid *g = &p->grid;
    clump_worker_set_reuse_distance(p->worker, early ? 0 : p->bytes);
    if (p->above != NOBODY)
        clump_mpi_send(p->mpi, p->above, UP, row_of(g, g->begin) + 1, g->n * sizeof(double));
    clump_worker_set_reuse_distance(p->worker, 0);
    if (p->below != NOBODY)
        clump_mpi_send(p->mpi, p->below, DOWN, row_of(g, g->end - 1) + 1, g->n * sizeof(double));
}

/* To where a row was used when those at the borders were computed. */
static void receive_borders(part *p, bool early)
{
    const grid *g = &p->grid;
    clump_worker_set_reuse_distance(p->worker, p->bytes);
    if (p->above != NOBODY)
        clump_mpi_receive(p->mpi, p->above, DOWN, row_of(g, g->begin - 1) + 1,
                          g->n * sizeof(double));
    clump_worker_set_reuse_distance(p->worker, early ? p->bytes : 0);
    if (p->below != NOBODY)
        clump_mpi_receive(p->mpi, p->below, UP, row_of(g, g->end) + 1, g->n * sizeof(double));
}

/* One colour. Early: what the neighbours need comes first, and is on its way while the rest is
 * computed. */
static void half_iteration(part *p, unsigned colour, bool early)
{
    grid *g = &p->grid;
    const double row_operations = g->n / 2.0;
    if (g->begin == g->end)
        return;
    uint32_t begin = g->begin, end = g->end;
    if (early) {
        const uint32_t borders = end - begin > 1 ? 2 : 1;
        relax(g, begin, colour);
        if (borders == 2)
            relax(g, end - 1, colour);
        clump_worker_compute(p->worker, borders * row_operations);
        send_borders(p, true);
        begin++;
        end -= borders - 1;
    }
    for (uint32_t r = begin; r < end; r++)
        relax(g, r, colour);
    clump_worker_compute(p->worker, (end - begin) * row_operations);
    if (!early)
        send_borders(p, false);
    receive_borders(p, early);
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[POINTS],
                   iterations = (uint32_t)input->sizes[ITERATIONS];
    part p = {.worker = w,
              .mpi = clump_mpi_open(w, CLUMP_MPI_OF_PANDA),
              .grid = {.n = n,
                       .begin = 1 + clump_application_share(n, w->count, w->rank),
                       .end = 1 + clump_application_share(n, w->count, w->rank + 1)},
              .above = neighbour(w, n, -1),
              .below = neighbour(w, n, 1)};
    grid *g = &p.grid;
    p.bytes = (size_t)(g->end - g->begin) * n * sizeof *g->points;
    g->points =
        clump_worker_allocate(w, (size_t)(g->end - g->begin + 2) * (n + 2), sizeof *g->points);
    make(input, g);
    clump_mpi_barrier(p.mpi);
    clump_worker_begin(w);
    for (uint32_t i = 0; i < iterations; i++) {
        g->change = 0;
        for (unsigned colour = 0; colour < 2; colour++)
            half_iteration(&p, colour, input->sizes[EARLY] > 0);
        clump_worker_set_reuse_distance(w, 0);
        clump_mpi_allreduce(p.mpi, &g->change, sizeof g->change, greatest);
        clump_worker_progress(w, (i + 1.0) / iterations);
    }
    clump_worker_end(w);
    add_result(g, result);
    if (w->rank == 0) /* what all agree on is part of the result */
        result->digest += clump_application_mix(0, (uint64_t)(g->change * 1e15));
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[POINTS];
    grid g = {.n = n, .begin = 1, .end = n + 1};
    g.points = malloc((size_t)(n + 2) * (n + 2) * sizeof *g.points);
    if (g.points == NULL)
        return false;
    *result = (clump_application_result){.items = 0};
    make(input, &g);
    for (uint32_t i = 0; i < (uint32_t)input->sizes[ITERATIONS]; i++) {
        g.change = 0;
        for (unsigned colour = 0; colour < 2; colour++)
            for (uint32_t r = 1; r <= n; r++)
                relax(&g, r, colour);
    }
    add_result(&g, result);
    result->digest += clump_application_mix(0, (uint64_t)(g.change * 1e15));
    free(g.points);
    return true;
}

static const clump_application_size sizes[] = {
    {"points", "points of a row of the grid, and rows", 1536, 2, 16384, true},
    {"iterations", "of both colours; how many the article needed it does not say", 100, 1, 1e6,
     true},
    {"early", "1: send the rows at the borders before the others are computed", 0, 0, 1, true},
    {NULL, NULL, 0, 0, 0, false}};

/* Table VII: 27.9 and 13.7 s on one processor, for 100 iterations. */
static const clump_application_cost costs[] = {{"ppro-myrinet", 27.9e6 / (100 * 1536.0 * 1536)},
                                               {"p3-myrinet", 13.7e6 / (100 * 1536.0 * 1536)},
                                               {NULL, 0}};

const clump_application clump_application_sor = {
    .name = "sor",
    .run = "SOR",
    .title = "Successive over-relaxation, red and black",
    .text =
        "Laplace's equation on a square grid, whose rows are shared out among processors. They\n"
        "trade rows at their borders with two neighbours, twice an iteration, and agree on the\n"
        "greatest change.",
    .operation = "a point that is computed anew",
    .operation_us = 27.9e6 / (100 * 1536.0 * 1536),
    .sizes = sizes,
    .system = "MPI",
    .costs = costs,
    .work = work,
    .expect = expect,
};
