/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/closed_network.h"
#include "model/constants.h"

#include "model/distribution.h"
#include "model/limit.h"
#include "model/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks */

/* Sums over the states, by which the solution is checked. */
typedef struct state_sums {
    double probability, active, idle, served;
    double greatest_rate;
} state_sums;

static state_sums sum_states(const model_network_solution *s)
{
    const size_t P = s->processors;
    model_sum probability = {0, 0}, active = {0, 0}, idle = {0, 0}, served = {0, 0};
    const int alone = s->station->computing == NULL;
    state_sums sums = {.greatest_rate = 0};
    for (size_t q = 0; q <= P; q++) {
        const double rate = clump_station_rate(s->station, q);
        const double computing =
            alone ? (double)(P - q) : clump_station_computing(s->station, P - q);
        model_sum_add(&probability, s->distribution[q]);
        model_sum_add(&active, s->distribution[q] * (double)q);
        model_sum_add(&idle, s->distribution[q] * computing);
        model_sum_add(&served, s->distribution[q] * rate);
        sums.greatest_rate = fmax(sums.greatest_rate, rate);
    }
    sums.probability = model_sum_total(probability);
    sums.active = model_sum_total(active);
    sums.idle = model_sum_total(idle);
    sums.served = model_sum_total(served);
    return sums;
}

clump_status model_network_check(const model_network_solution *s, clump_network_totals *totals,
                                 clump_error *error)
{
    const double P = (double)s->processors;
    /* Each of P rows contributes a few roundings to every probability. */
    const double slack = clump_slowdown_accuracy(s->processors, 0);
    const state_sums sums = sum_states(s);
    /* What trimming, and leaving out the least utilizations, may have taken. */
    const double nothing = (MODEL_NEGLIGIBLE_PROBABILITY * P + MODEL_LEAST_UTILIZATION) * P *
                           fmax(1, sums.greatest_rate);
    model_sum idle = {0, 0}, served = {0, 0};
    for (size_t c = 0; c < s->class_count; c++) {
        const double U = s->classes[c].utilization, n = (double)s->classes[c].processors;
        model_sum_add(&idle, n * (1 - U) / s->slowdowns[c]);
        model_sum_add(&served, n * U / s->slowdowns[c]);
    }
    if (!(fabs(sums.probability - 1) <= slack))
        return clump_fail(error, CLUMP_INCONSISTENT, "probabilities sum to %.17g",
                          sums.probability);
    if (!(fabs(sums.idle - model_sum_total(idle)) <= slack * sums.idle + nothing))
        return clump_fail(error, CLUMP_INCONSISTENT,
                          "idle processors: %.17g by state, %.17g by slowdown", sums.idle,
                          model_sum_total(idle));
    if (!(fabs(sums.served - model_sum_total(served)) <= slack * sums.served + nothing))
        return clump_fail(error, CLUMP_INCONSISTENT,
                          "flow balance: %.17g NICs by state, %.17g by slowdown", sums.served,
                          model_sum_total(served));
    *totals = (clump_network_totals){.mean_active = sums.active, .throughput = sums.served};
    return CLUMP_OK;
}

/* ---- the network */

/*
 * Letters of this file, beyond those of the header:
 *
 *   n_0    size of the largest class, which is solved as a whole; the others follow singly
 *   k      steps: the k-th single processor joins; n_k = n_0 + k processors are then scanned
 *   a_q    q!/M(q)
 *   b^k_q  tail sum: the mean of a over what the processors after the k-th may add to q
 *   r^k_q  b^k_{q+1}/b^k_q;  r^K_q = (q+1)/mu(q+1)
 *   p^k_q  equilibrium probability that q of the first n_k processors communicate
 *   D^k_q  1 - U_k + U_k r^k_q = b^{k-1}_q/b^k_q
 *   h^k_q  with memory: the mean of nu(c)/c, c those that compute in the end, if q of the first n_k
 *          communicate. Then a_q = q!/M(q) (P-q)!/V(P-q), and r^K_q has the factor h^K_q
 *
 * Backward  r^{k-1}_q = r^k_q D^k_{q+1}/D^k_q
 * Forward   p^k_q = p^{k-1}_q (1-U_k)/D^k_q + p^{k-1}_{q-1} U_k r^k_{q-1}/D^k_{q-1}
 * Result    1/X_k = sum_q p^{k-1}_q/D^k_q
 * Memory    h^{k-1}_q = h^k_q (1-U_k)/D^k_q + h^k_{q+1} U_k r^k_q/D^k_q,
 *           1/X_k = sum_q p^{k-1}_q h^k_q/D^k_q                                   (MODEL.md 27)
 *
 * The forward pass needs the rows r^k in ascending order, the backward pass makes them in
 * descending order: every `block`-th row is kept and the rows between are made again.
 */

typedef struct step {
    double utilization;
    size_t class_index;
} step;

typedef struct solver {
    const clump_class *classes;
    size_t class_count;
    const clump_station *station;
    size_t processors; /* P */
    size_t largest;    /* index of the class solved as a whole */
    size_t first;      /* n_0 */
    step *steps;       /* K steps */
    size_t step_count; /* K */
    size_t block;      /* rows a block */
    size_t blocks;
    size_t width;        /* of a row: P, r^k; with memory 2 P, r^k and h^k */
    double *checkpoints; /* blocks rows: the row from which each block is made */
    double *rows;        /* block rows: those of the block in hand */
    double *work;        /* P+1: D^k, or p^{k-1}_q/D^k_q */
    double *p;           /* P+1 */
    size_t low, high;    /* p is 0 outside; keeps the forward pass among the likely states */
    const clump_watch *watch;
    double done, asked; /* states of all passes so far, and at the last question */
} solver;

static void solver_free(solver *s)
{
    free(s->steps);
    free(s->checkpoints);
    free(s->rows);
    free(s->work);
    free(s->p);
}

static void *allocate(size_t count, size_t size)
{
    if (count > (size_t)-1 / size)
        return NULL;
    return malloc(count > 0 ? count * size : 1);
}

static size_t largest_class(const clump_class *classes, size_t count)
{
    size_t largest = 0;
    for (size_t k = 1; k < count; k++)
        if (classes[k].processors > classes[largest].processors)
            largest = k;
    return largest;
}

static double noticeable(double utilization)
{
    return utilization < MODEL_LEAST_UTILIZATION ? 0 : utilization;
}

static void lay_out_steps(solver *s)
{
    size_t k = 0;
    for (size_t c = 0; c < s->class_count; c++)
        for (size_t i = 0; c != s->largest && i < s->classes[c].processors; i++)
            s->steps[k++] = (step){noticeable(s->classes[c].utilization), c};
}

static clump_status check_classes(const clump_class *classes, size_t count, size_t *processors,
                                  clump_error *error)
{
    size_t total = 0;
    for (size_t k = 0; k < count; k++) {
        if (!(classes[k].utilization >= 0 && classes[k].utilization <= 1))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: %g, expected 0 to 1",
                              classes[k].utilization);
        if (classes[k].processors > CLUMP_MAX_PROCESSORS - total)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "processors: more than %zu, expected 1 to "
                              "%zu",
                              CLUMP_MAX_PROCESSORS, CLUMP_MAX_PROCESSORS);
        total += classes[k].processors;
    }
    if (total == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: 0, expected at least 1");
    *processors = total;
    return CLUMP_OK;
}

static clump_status solver_prepare(solver *s, const clump_class *classes, size_t class_count,
                                   const clump_station *station, clump_error *error)
{
    *s = (solver){.classes = classes, .class_count = class_count, .station = station};
    clump_status status = check_classes(classes, class_count, &s->processors, error);
    if (status == CLUMP_OK)
        status = clump_station_check(station, s->processors, error);
    if (status != CLUMP_OK)
        return status;
    s->largest = largest_class(classes, class_count);
    const size_t P = s->processors, K = P - classes[s->largest].processors;
    s->first = P - K;
    s->step_count = K;
    s->width = station->computing != NULL ? 2 * P : P;
    s->block = K * s->width <= MODEL_KEPT_ROWS / sizeof(double) ? K : (size_t)ceil(sqrt((double)K));
    if (s->block == 0)
        s->block = 1;
    s->blocks = K > 0 ? (K + s->block - 1) / s->block : 1;
    s->steps = allocate(K, sizeof *s->steps);
    s->checkpoints = allocate(s->blocks * s->width, sizeof(double));
    s->rows = allocate(K > 0 ? s->block * s->width : 0, sizeof(double));
    s->work = allocate(P + 1, sizeof(double));
    s->p = allocate(P + 1, sizeof(double));
    if (!s->steps || !s->checkpoints || !s->rows || !s->work || !s->p) {
        solver_free(s);
        return clump_fail_memory(error, "the closed network");
    }
    lay_out_steps(s);
    return CLUMP_OK;
}

/* Whether to stop after a step over so many more states. */
static int stops(solver *s, size_t states)
{
    const double K = (double)s->step_count, passes = s->blocks > 1 ? 3 : 2;
    s->done += (double)states;
    if (s->done - s->asked < MODEL_STATES_UNASKED)
        return 0;
    s->asked = s->done;
    return clump_watch_stops(s->watch,
                             fmin(s->done / (passes * K * ((double)s->first + K / 2)), 1));
}

/* h^k of a row, or NULL. */
static double *speeds_of(const solver *s, double *row)
{
    return s->width > s->processors ? row + s->processors : NULL;
}

/* r^{k-1}, and h^{k-1}, in place of those of k. n = n_{k-1}. */
static void step_backward(const solver *s, size_t k, double *row)
{
    const double U = s->steps[k - 1].utilization;
    const size_t n = s->first + k - 1;
    double *D = s->work, *h = speeds_of(s, row);
    for (size_t q = 0; q <= n; q++)
        D[q] = (1 - U) + U * row[q];
    for (size_t q = 0; h != NULL && q < n; q++)
        h[q] = (h[q] * (1 - U) + h[q + 1] * (U * row[q])) / D[q];
    for (size_t q = 0; q < n; q++)
        row[q] *= D[q + 1] / D[q];
}

/* The row that begins the backward pass: r^K, and h^K. */
static void make_top(const solver *s, double *row)
{
    const size_t P = s->processors;
    double *h = speeds_of(s, row);
    for (size_t q = 0; q < P; q++)
        row[q] = (double)(q + 1) / clump_station_rate(s->station, q + 1);
    for (size_t q = 0; h != NULL && q < P; q++) {
        h[q] = clump_station_computing(s->station, P - q) / (double)(P - q);
        row[q] *= h[q];
    }
}

/* Last step of block `j` (1-based steps): the step whose row is that block's checkpoint. */
static size_t block_last_step(const solver *s, size_t j)
{
    const size_t last = (j + 1) * s->block;
    return last < s->step_count ? last : s->step_count;
}

/* The checkpoints of all blocks, from the last, r^K, down to the first. Here and below: 0 if stopped. */
static int make_checkpoints(solver *s)
{
    make_top(s, s->checkpoints + (s->blocks - 1) * s->width);
    for (size_t j = s->blocks - 1; j > 0; j--) {
        double *row = s->checkpoints + (j - 1) * s->width;
        memcpy(row, s->checkpoints + j * s->width, s->width * sizeof *row);
        for (size_t k = block_last_step(s, j); k > j * s->block; k--) {
            step_backward(s, k, row);
            if (stops(s, s->first + k))
                return 0;
        }
    }
    return 1;
}

/* The rows r^k of block j, and r^{k-1} of its first step left in the checkpoint. */
static int make_rows(solver *s, size_t j)
{
    double *row = s->checkpoints + j * s->width, *h = speeds_of(s, row);
    for (size_t k = block_last_step(s, j); k > j * s->block; k--) {
        double *kept = s->rows + (k - 1 - j * s->block) * s->width;
        memcpy(kept, row, (s->first + k) * sizeof *row);
        if (h != NULL)
            memcpy(speeds_of(s, kept), h, (s->first + k) * sizeof *h);
        step_backward(s, k, row);
        if (stops(s, s->first + k))
            return 0;
    }
    return 1;
}

/*
 * p^0 of the largest class from r^0, and that class's slowdown from whichever of
 *   1/X = sum_q p_q (n-q)/(n (1-U))          (idle processors)
 *   1/X = sum_q p_{q+1} (q+1)/(n U r_q)      (communicating processors)
 * has the better conditioned divisor; with memory all terms have the factor h_q.
 */
static double start_forward(solver *s, double *r)
{
    const double *h = speeds_of(s, r);
    const double U = noticeable(s->classes[s->largest].utilization);
    const size_t n = s->first;
    if (U == 1) {
        memset(s->p, 0, n * sizeof *s->p);
        s->p[n] = 1;
    } else {
        const double idle = 1 - U, w = U / idle;
        /* What w lacks of U/(1-U): the roundings of 1-U and of the quotient, which every ratio
           shares and which would add up over the states. */
        const double drift = (fma(w, idle, -U) + w * ((1 - idle) - U)) / fmax(U, 1e-300);
        for (size_t q = 0; q < n; q++)
            s->work[q] = w * ((double)(n - q) / (double)(q + 1)) * r[q];
        model_distribution_from_ratios(s->work, n, drift, s->p);
    }
    model_sum sum = {0, 0};
    if (U <= 0.5) {
        for (size_t q = 0; q < n; q++)
            model_sum_add(&sum, s->p[q] * (double)(n - q) * (h != NULL ? h[q] : 1));
        return (double)n * (1 - U) / model_sum_total(sum);
    }
    for (size_t q = 0; q < n; q++)
        model_sum_add(&sum, s->p[q + 1] * (double)(q + 1) * (h != NULL ? h[q] : 1) / r[q]);
    return (double)n * U / model_sum_total(sum);
}

/* Leave out of [low, high] what is negligible at either end. */
static void trim_support(solver *s)
{
    while (s->low < s->high && s->p[s->low] < MODEL_NEGLIGIBLE_PROBABILITY)
        s->p[s->low++] = 0;
    while (s->high > s->low && s->p[s->high] < MODEL_NEGLIGIBLE_PROBABILITY)
        s->p[s->high--] = 0;
}

/* p^k from p^{k-1}; returns X of the processor that joins. */
static double step_forward(solver *s, size_t k, double *r)
{
    const double *h = speeds_of(s, r);
    const double U = s->steps[k - 1].utilization;
    const size_t low = s->low, high = s->high;
    double *p = s->p, *share = s->work;
    double sums[4] = {0, 0, 0, 0}; /* four, so that additions need not wait for each other */
    for (size_t q = low; q <= high; q++)
        share[q] = p[q] / ((1 - U) + U * r[q]);
    if (h == NULL)
        for (size_t q = low; q <= high; q++)
            sums[q % 4] += share[q];
    else
        for (size_t q = low; q <= high; q++)
            sums[q % 4] += share[q] * h[q];
    p[low] = share[low] * (1 - U);
    for (size_t q = low + 1; q <= high; q++)
        p[q] = share[q] * (1 - U) + share[q - 1] * U * r[q - 1];
    p[high + 1] = share[high] * U * r[high];
    s->high = high + 1;
    trim_support(s);
    return 1 / ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

/* The largest class as a whole, and nothing yet beyond it. */
static void start(solver *s, double *slowdowns)
{
    slowdowns[s->largest] = start_forward(s, s->checkpoints);
    memset(s->p + s->first + 1, 0, (s->processors - s->first) * sizeof *s->p);
    s->low = 0;
    s->high = s->first;
    trim_support(s);
}

static int run(solver *s, double *slowdowns)
{
    for (size_t c = 0; c < s->class_count; c++)
        slowdowns[c] = 1;
    if (!make_checkpoints(s))
        return 0;
    for (size_t j = 0; j < s->blocks; j++) {
        if (!make_rows(s, j))
            return 0;
        if (j == 0)
            start(s, slowdowns);
        for (size_t k = j * s->block + 1; k <= block_last_step(s, j); k++) {
            slowdowns[s->steps[k - 1].class_index] =
                step_forward(s, k, s->rows + (k - 1 - j * s->block) * s->width);
            if (stops(s, s->first + k))
                return 0;
        }
    }
    return 1;
}

clump_status clump_network_solve(const clump_class *classes, size_t class_count,
                                 const clump_station *station, const clump_watch *watch,
                                 double *slowdowns, double *distribution,
                                 clump_network_totals *totals, clump_error *error)
{
    solver s;
    clump_status status = solver_prepare(&s, classes, class_count, station, error);
    if (status != CLUMP_OK)
        return status;
    double *found = allocate(class_count, sizeof *found);
    if (found == NULL) {
        solver_free(&s);
        return clump_fail_memory(error, "the closed network");
    }
    s.watch = watch;
    if (!run(&s, found)) {
        free(found);
        solver_free(&s);
        return clump_fail(error, CLUMP_STOPPED, "interrupted");
    }
    clump_network_totals sums;
    const model_network_solution solution = {classes,      class_count, station,
                                             s.processors, s.p,         found};
    status = model_network_check(&solution, &sums, error);
    if (status == CLUMP_OK) {
        memcpy(slowdowns, found, class_count * sizeof *found);
        if (distribution != NULL)
            memcpy(distribution, s.p, (s.processors + 1) * sizeof *distribution);
        if (totals != NULL)
            *totals = sums;
    }
    free(found);
    solver_free(&s);
    return status;
}
