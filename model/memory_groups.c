/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory_groups.h"

#include "model/sum.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of any size */

/* value * 2^exponent with the value in [0.5, 1), or 0. What is added is positive, and nothing is ever
 * subtracted. */
typedef struct wide {
    double value;
    int exponent;
} wide;

static wide wide_of(double x, int exponent)
{
    int own = 0;
    const double value = frexp(x, &own);
    return value == 0 ? (wide){0, 0} : (wide){value, own + exponent};
}

/* 2^e, 0 where that is nothing beside 1. */
static double power_of_two(int e)
{
    double power;
    if (e < -1000)
        return 0;
    const uint64_t bits = (uint64_t)(1023 + e) << 52;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* sum_j a_j b_j, where b goes on by `step`. */
static wide products(const wide *a, const wide *b, ptrdiff_t step, size_t count)
{
    int top = INT32_MIN / 2;
    double sum = 0;
    const wide *second = b;
    for (size_t j = 0; j < count; j++, second += step) {
        const int exponent = a[j].exponent + second->exponent;
        if (a[j].value > 0 && second->value > 0 && exponent > top)
            top = exponent;
    }
    for (size_t j = 0; j < count; j++, b += step)
        if (a[j].value > 0 && b->value > 0)
            sum += a[j].value * b->value * power_of_two(a[j].exponent + b->exponent - top);
    return wide_of(sum, top);
}

/* out_i = sum_j a_j b_{i-j}: a has m+1 values, b n+1, out m+n+1. */
static void convolve(const wide *a, size_t m, const wide *b, size_t n, wide *out)
{
    for (size_t i = 0; i <= m + n; i++) {
        const size_t from = i > n ? i - n : 0, to = i < m ? i : m;
        out[i] = products(a + from, b + (i - from), -1, to - from + 1);
    }
}

/* out_i = sum_j a_j b_{i+j}: a has m+1 values, b at least m+count, out count; out may be b. */
static void correlate(const wide *a, size_t m, const wide *b, size_t count, wide *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = products(a, b + i, 1, m + 1);
}

/* ---- the groups */

/*
 *   A_r   of one group of run r: A(q) = q!/M(q) times the coefficient of z^q in prod_p (1-U_p + U_p z)
 *   v_Q   K!/V(K), K = J - Q, up to a factor that all share: v_{Q+1}/v_Q = nu(J-Q)/(J-Q)
 *   S_r   v, summed over what the groups after run r may add to Q
 *   F     convolution of the A of the groups so far
 *   T     what remains for one group if all others are summed up: T_{q+1}/T_q is its mean of nu(K)/K
 */
typedef struct solver {
    model_memory_group *groups;
    size_t count;
    const clump_watch *watch;
    size_t customers; /* J */
    wide *memory;
    wide *S;       /* a row of J+1 for each run */
    wide *A;       /* of the run in hand */
    wide *F;       /* of the runs before it */
    wide *others;  /* F, and all but one of the groups of the run in hand */
    wide *scratch; /* J+1 */
} solver;

static clump_status check(const model_memory_group *groups, size_t count,
                          const clump_station *memory, size_t *customers, clump_error *error)
{
    *customers = 0;
    for (size_t r = 0; r < count; r++) {
        const clump_status status =
            clump_station_check(&groups[r].station, groups[r].customers, error);
        if (status != CLUMP_OK)
            return status;
        *customers += groups[r].count * groups[r].customers;
    }
    if (*customers > MODEL_MEMORY_MOST_CUSTOMERS)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "memory: %zu processors that are tied to NICs share it, expected %zu at most "
            "(or pooled NICs)",
            *customers, MODEL_MEMORY_MOST_CUSTOMERS);
    if (count * (*customers + 1) > MODEL_MEMORY_MOST_STATES)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "memory: %zu groups of processors that differ share it, expected %zu at most "
            "where there are %zu processors (or pooled NICs)",
            count, MODEL_MEMORY_MOST_STATES / (*customers + 1), *customers);
    return clump_station_check(memory, *customers, error);
}

static clump_status prepare(solver *s, const clump_station *memory, clump_error *error)
{
    const size_t row = s->customers + 1, J = s->customers;
    s->memory = malloc((s->count + 4) * row * sizeof *s->memory);
    if (s->memory == NULL)
        return clump_fail_memory(error, "processors that share memory");
    s->S = s->memory;
    s->A = s->S + s->count * row;
    s->F = s->A + row;
    s->others = s->F + row;
    s->scratch = s->others + row;
    wide *v = s->S + (s->count - 1) * row;
    v[0] = wide_of(1, 0);
    for (size_t Q = 0; Q < J; Q++) {
        const double speed = clump_station_computing(memory, J - Q) / (double)(J - Q);
        v[Q + 1] = wide_of(v[Q].value * speed, v[Q].exponent);
    }
    return CLUMP_OK;
}

/* A of one group of run r. */
static void make_weights(const solver *s, size_t r)
{
    const model_memory_group *g = &s->groups[r];
    wide *A = s->A;
    A[0] = wide_of(1, 0);
    for (size_t p = 0; p < g->customers; p++) {
        const double U = g->utilizations[g->utilization_count > 1 ? p : 0];
        const wide idle = wide_of(1 - U, 0), active = wide_of(U, 0), pair[2] = {active, idle};
        A[p + 1] = products(&active, &A[p], 1, 1);
        for (size_t q = p; q > 0; q--)
            A[q] = products(pair, &A[q - 1], 1, 2);
        A[0] = products(&idle, &A[0], 1, 1);
    }
    wide weight = wide_of(1, 0);
    for (size_t q = 1; q <= g->customers; q++) {
        const double factor = (double)q / clump_station_rate(&g->station, q);
        weight = wide_of(weight.value * factor, weight.exponent);
        A[q] = products(&weight, &A[q], 1, 1);
    }
}

/* All S but the last, which is v. */
static clump_status sum_backward(solver *s, clump_error *error)
{
    const size_t row = s->customers + 1;
    size_t left = s->customers;
    for (size_t r = s->count - 1; r > 0; r--) {
        const size_t n = s->groups[r].customers;
        wide *S = s->S + (r - 1) * row;
        memcpy(S, S + row, (left + 1) * sizeof *S);
        make_weights(s, r);
        for (size_t i = 0; i < s->groups[r].count; i++) {
            const clump_status status = clump_watch_ask(s->watch, NAN, error);
            if (status != CLUMP_OK)
                return status;
            left -= n;
            correlate(s->A, n, S, left + 1, S);
        }
    }
    return CLUMP_OK;
}

/* What one group of run r sees, and F over its run. `before`: customers in F, moved on. */
static clump_status sum_forward(solver *s, size_t r, size_t *before, clump_error *error)
{
    const model_memory_group *g = &s->groups[r];
    const size_t n = g->customers;
    const double size = g->station.gang_size > 0 ? g->station.gang_size : 1;
    const wide *S = s->S + r * (s->customers + 1);
    memcpy(s->others, s->F, (*before + 1) * sizeof *s->F);
    make_weights(s, r);
    for (size_t i = 1; i < g->count; i++) {
        const clump_status status = clump_watch_ask(s->watch, NAN, error);
        if (status != CLUMP_OK)
            return status;
        convolve(s->others, *before, s->A, n, s->scratch);
        *before += n;
        memcpy(s->others, s->scratch, (*before + 1) * sizeof *s->others);
    }
    /* others_Q S_{Q+q} for each q */
    correlate(s->others, *before, S, n + 1, s->scratch);
    g->rates[0] = 0;
    for (size_t q = 0; q < n; q++) {
        const wide *T = &s->scratch[q];
        const double speed = ldexp(T[1].value / T[0].value, T[1].exponent - T[0].exponent);
        g->rates[n - q] = (double)(n - q) * speed * size;
    }
    convolve(s->others, *before, s->A, n, s->F);
    *before += n;
    return CLUMP_OK;
}

/* Over the states of all groups together, F_Q v_Q. */
static void finish(solver *s, const clump_station *memory, double *distribution, double *computed)
{
    const size_t J = s->customers;
    const wide *v = s->S + (s->count - 1) * (J + 1);
    int top = INT32_MIN / 2;
    model_sum all = {0, 0}, rates = {0, 0};
    for (size_t Q = 0; Q <= J; Q++) {
        s->scratch[Q] = products(&s->F[Q], &v[Q], 1, 1);
        if (s->scratch[Q].value > 0 && s->scratch[Q].exponent > top)
            top = s->scratch[Q].exponent;
    }
    for (size_t Q = 0; Q <= J; Q++) {
        const wide *x = &s->scratch[Q];
        const double p = x->value > 0 ? x->value * power_of_two(x->exponent - top) : 0;
        model_sum_add(&all, p);
        model_sum_add(&rates, p * clump_station_computing(memory, J - Q));
        if (distribution != NULL)
            distribution[Q] = p;
    }
    for (size_t Q = 0; distribution != NULL && Q <= J; Q++)
        distribution[Q] /= model_sum_total(all);
    *computed = model_sum_total(rates) / model_sum_total(all);
}

clump_status model_memory_groups_solve(model_memory_group *groups, size_t count,
                                       const clump_station *memory, const clump_watch *watch,
                                       double *distribution, double *computed, clump_error *error)
{
    solver s = {.groups = groups, .count = count, .watch = watch};
    clump_status status = check(groups, count, memory, &s.customers, error);
    if (status == CLUMP_OK)
        status = prepare(&s, memory, error);
    if (status == CLUMP_OK)
        status = sum_backward(&s, error);
    if (status == CLUMP_OK) {
        size_t before = 0;
        s.F[0] = wide_of(1, 0);
        for (size_t r = 0; r < count && status == CLUMP_OK; r++)
            status = sum_forward(&s, r, &before, error);
    }
    if (status == CLUMP_OK)
        finish(&s, memory, distribution, computed);
    free(s.memory);
    return status;
}
