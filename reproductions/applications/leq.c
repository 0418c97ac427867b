/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LEQ (cluster-protocols.txt, section 7): linear equations, solved iteratively (by Jacobi's method). Each
 * worker refines its part of the solution, for which it needs all of the one before: at the end of
 * an iteration all broadcast their parts at the same time, as operations on a replicated object.
 * "Next, they synchronize to decide on convergence": each tells another replicated object how much its
 * part has changed, and waits until all have. Operations come in one order everywhere, so that all parts
 * are there by then.
 *
 * The article does not say how many iterations there were (docs/reproductions.md); the time of one is
 * the same as that of the next.
 */
#include "reproductions/applications/application.h"
#include "reproductions/systems/orca.h"
#include "reproductions/virtual/splitmix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EQUATIONS, ITERATIONS }; /* sizes */

/* A replicated object: solutions of two iterations, as one is read while the next is made. */
typedef struct solution {
    uint32_t n;
    double *values[2];
} solution;

/* Arguments of its operation, in front of the values. */
typedef struct part {
    uint32_t iteration, first;
} part;

/* Another one: the greatest change of an iteration, and how many workers have told theirs. Two iterations
 * here as well: some tell of the next one while others have not heard yet that this one is over. */
typedef struct convergence {
    uint32_t workers, iteration[2], told[2];
    double change[2];
} convergence;

/* Arguments of its operation. */
typedef struct report {
    uint32_t iteration;
    double change;
} report;

static size_t set_part(void *state, uint32_t by, const void *arguments, size_t size, void *answer)
{
    solution *s = state;
    part p;
    (void)by, (void)answer;
    memcpy(&p, arguments, sizeof p);
    const size_t count = (size - sizeof p) / sizeof(double);
    if (p.first <= s->n && count <= s->n - p.first && count > 0)
        memcpy(s->values[p.iteration % 2] + p.first, (const char *)arguments + sizeof p,
               count * sizeof(double));
    return 0;
}

static size_t tell_change(void *state, uint32_t by, const void *arguments, size_t size,
                          void *answer)
{
    convergence *c = state;
    report r;
    (void)by, (void)size, (void)answer;
    memcpy(&r, arguments, sizeof r);
    const unsigned which = r.iteration % 2;
    if (c->iteration[which] != r.iteration) {
        c->iteration[which] = r.iteration;
        c->told[which] = 0;
        c->change[which] = 0;
    }
    c->change[which] = r.change > c->change[which] ? r.change : c->change[which];
    c->told[which]++;
    return 0;
}

/* Whether all have told of an iteration. */
static bool have_told(const void *state, void *context)
{
    const convergence *c = state;
    const uint32_t iteration = *(const uint32_t *)context;
    return c->iteration[iteration % 2] == iteration && c->told[iteration % 2] == c->workers;
}

/* Row `row` of the matrix, whose diagonal is greater than the rest together, and the right side. */
static double make_row(const clump_application_input *input, uint32_t row, double *to)
{
    const uint32_t n = (uint32_t)input->sizes[EQUATIONS];
    uint64_t state = clump_application_seed(input->seed, 1, row);
    double sum = 1;
    for (uint32_t i = 0; i < n; i++) {
        to[i] = clump_splitmix_real(&state) - 0.5;
        sum += fabs(to[i]);
    }
    to[row] = sum;
    return clump_splitmix_real(&state) * n;
}

static double refine(const double *row, uint32_t n, uint32_t number, double right,
                     const double *before)
{
    double sum = right;
    for (uint32_t i = 0; i < n; i++)
        sum -= row[i] * before[i];
    return before[number] + sum / row[number];
}

static void add_result(const double *values, uint32_t begin, uint32_t end,
                       clump_application_result *result)
{
    for (uint32_t i = begin; i < end; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        result->digest += clump_application_mix(i, bits);
        result->items++;
    }
}

static uint64_t bits_of(double change)
{
    uint64_t bits;
    memcpy(&bits, &change, sizeof bits);
    return bits;
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    static clump_orca_operation *const on_solution[] = {set_part, NULL};
    static clump_orca_operation *const on_convergence[] = {tell_change, NULL};
    const uint32_t n = (uint32_t)input->sizes[EQUATIONS],
                   iterations = (uint32_t)input->sizes[ITERATIONS],
                   begin = clump_application_share(n, w->count, w->rank),
                   end = clump_application_share(n, w->count, w->rank + 1);
    clump_orca *orca = clump_orca_open(w);
    solution s = {.n = n};
    convergence c = {.workers = w->count, .iteration = {UINT32_MAX, UINT32_MAX}};
    double *rows = clump_worker_allocate(w, (size_t)(end - begin) * n, sizeof *rows);
    double *right = clump_worker_allocate(w, end - begin, sizeof *right);
    const size_t bytes = sizeof(part) + (end - begin) * sizeof(double);
    unsigned char *message = clump_worker_allocate(w, 1, bytes);
    for (int i = 0; i < 2; i++)
        s.values[i] = clump_worker_allocate(w, n, sizeof(double));
    const unsigned solved = clump_orca_object(orca, CLUMP_ORCA_REPLICATED, &s, on_solution),
                   agreed = clump_orca_object(orca, CLUMP_ORCA_REPLICATED, &c, on_convergence);
    for (uint32_t r = begin; r < end; r++)
        right[r - begin] = make_row(input, r, rows + (size_t)(r - begin) * n);
    for (uint32_t i = 0; i <= iterations; i++) {
        const part p = {.iteration = i, .first = begin};
        report mine_changed = {.iteration = i};
        double *mine = (double *)(void *)(message + sizeof p);
        const double *before = s.values[(i + 1) % 2];
        if (i == 1)
            clump_worker_begin(w); /* all are here: iteration 0 is 0 */
        for (uint32_t r = begin; i > 0 && r < end; r++) {
            mine[r - begin] =
                refine(rows + (size_t)(r - begin) * n, n, r, right[r - begin], before);
            const double change = fabs(mine[r - begin] - before[r]);
            mine_changed.change = change > mine_changed.change ? change : mine_changed.change;
        }
        memcpy(message, &p, sizeof p);
        if (i > 0)
            clump_worker_compute(w, (double)(end - begin) * n);
        clump_orca_invoke(orca, solved, 0, message, bytes, NULL, 0);
        clump_orca_invoke(orca, agreed, 0, &mine_changed, sizeof mine_changed, NULL, 0);
        clump_orca_await(orca, agreed, have_told, &i);
        clump_worker_progress(w, (i + 1.0) / (iterations + 1.0));
    }
    clump_worker_end(w);
    add_result(s.values[iterations % 2], begin, end, result);
    if (w->rank == 0)
        result->digest += clump_application_mix(n, bits_of(c.change[iterations % 2]));
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const uint32_t n = (uint32_t)input->sizes[EQUATIONS];
    double *rows = malloc((size_t)n * n * sizeof *rows), *right = malloc(n * sizeof *right),
           *values = calloc(2 * (size_t)n, sizeof *values);
    const bool room = rows != NULL && right != NULL && values != NULL;
    double change = 0;
    *result = (clump_application_result){.items = 0};
    for (uint32_t r = 0; room && r < n; r++)
        right[r] = make_row(input, r, rows + (size_t)r * n);
    const uint32_t iterations = (uint32_t)input->sizes[ITERATIONS];
    for (uint32_t i = 1; room && i <= iterations; i++) {
        const double *before = values + (i + 1) % 2 * n;
        double *after = values + i % 2 * n;
        change = 0;
        for (uint32_t r = 0; r < n; r++) {
            after[r] = refine(rows + (size_t)r * n, n, r, right[r], before);
            change = fmax(change, fabs(after[r] - before[r]));
        }
    }
    if (room) {
        add_result(values + iterations % 2 * (size_t)n, 0, n, result);
        result->digest += clump_application_mix(n, bits_of(change));
    }
    free(rows);
    free(right);
    free(values);
    return room;
}

static const clump_application_size sizes[] = {
    {"equations", "and unknowns", 1000, 1, 8192, true},
    {"iterations", "how many the article needed it does not say: about 5100", 50, 1, 1e6, true},
    {NULL, NULL, 0, 0, 0, false}};

/* Table VII: 643.1 and 212.5 s on one processor, for about 5100 iterations. */
static const clump_application_cost costs[] = {
    {"ppro-myrinet", 643.1 / 5100}, {"p3-myrinet", 212.5 / 5100}, {NULL, 0}};

const clump_application clump_application_leq = {
    .name = "leq",
    .run = "LEQ",
    .title = "Linear equations, solved iteratively",
    .text = "Each processor refines its part of the solution, from all of the one before. After\n"
            "each iteration all broadcast their parts at the same time, in total order, as\n"
            "operations on a replicated object, and agree in the same way on whether to go on.",
    .operation = "an element of the matrix, multiplied",
    .operation_us = 643.1 / 5100,
    .sizes = sizes,
    .system = "Orca",
    .threads = true,
    .costs = costs,
    .work = work,
    .expect = expect,
};
