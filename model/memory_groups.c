/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory_groups.h"

#include "model/closed_network.h"
#include "model/demand_solvers.h"
#include "model/limit.h"
#include "model/sum.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
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

/*
 * Find the `rates` of each group.
 *
 * @param memory        a station with the nu of the node in `computing`, and the gang_size of the groups;
 *                      nothing else of it is read
 * @param distribution  receives the probabilities that 0, 1, ... customers communicate, or NULL
 * @param computed      receives the mean rate at which all compute, in customers
 * Errors: CLUMP_BAD_ARGUMENT also beyond the limits of the header; CLUMP_STOPPED.
 * Cost: O(J^2) time; O(J) memory for each group that differs.
 */
static clump_status solve_groups(model_memory_group *groups, size_t count,
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

/* ---- a node */

size_t model_sharing_groups(const clump_node *node)
{
    model_groups g = {.first = 0};
    size_t all = 0;
    for (size_t next = 0; model_node_next_groups(node, &next, &g);)
        all += g.processors > 0 ? g.count : 0;
    return all;
}

void model_sharing_free(model_sharing *s)
{
    free(s->groups);
    free(s->shares);
    free(s->rates);
}

clump_status model_sharing_make(model_sharing *s, const clump_node *node, const double *computing,
                                size_t distinct, clump_error *error)
{
    model_groups g = {.first = 0};
    const size_t all = model_sharing_groups(node);
    *s = (model_sharing){.node = node,
                         .computing = computing,
                         .distinct = distinct,
                         .all = all,
                         .groups = malloc(all * sizeof *s->groups),
                         .shares = malloc(all * sizeof *s->shares),
                         .rates = malloc((node->processors + all) * sizeof *s->rates)};
    if (s->groups == NULL || s->shares == NULL || s->rates == NULL) {
        model_sharing_free(s);
        return clump_fail_memory(error, "the prediction");
    }
    for (size_t next = 0; model_node_next_groups(node, &next, &g);)
        for (size_t i = 0; i < (distinct > 1 ? g.count : 1) && g.processors > 0; i++) {
            model_groups *before = s->count > 0 ? &s->groups[s->count - 1] : NULL;
            if (distinct == 1 && before != NULL && before->processors == g.processors &&
                before->nics == g.nics) { /* NICs between them have no processors */
                before->count += g.count;
                continue;
            }
            model_groups *one = &s->groups[s->count++];
            *one = g;
            one->first += i * g.processors;
            one->count = distinct > 1 ? 1 : g.count;
        }
    return CLUMP_OK;
}

static void set_memory(const model_sharing *s, clump_station *station)
{
    station->computing = s->computing;
    station->computing_count = s->node->processors + 1;
}

clump_status model_sharing_solve(model_sharing *s, const double *utilizations, size_t gangs,
                                 double *distribution, double *computed, clump_error *error)
{
    double *rates = s->rates;
    for (size_t i = 0; i < s->count; i++) {
        const model_groups *g = &s->groups[i];
        model_memory_group *share = &s->shares[i];
        *share =
            (model_memory_group){.count = g->count,
                                 .customers = gangs > 0 ? gangs : g->processors,
                                 .utilizations = utilizations + (s->distinct > 1 ? g->first : 0),
                                 .utilization_count = s->distinct > 1 ? g->processors : 1,
                                 .station = model_node_station(s->node, g),
                                 .rates = rates};
        share->station.gang_size = (double)g->processors / (double)share->customers;
        rates += g->processors + 1;
    }
    clump_station memory = s->shares[0].station;
    set_memory(s, &memory);
    const clump_status status =
        solve_groups(s->shares, s->count, &memory, s->node->watch, distribution, computed, error);
    for (size_t i = 0; i < s->count && status == CLUMP_OK; i++) {
        clump_station *station = &s->shares[i].station;
        station->computing = s->shares[i].rates;
        station->computing_count = s->shares[i].customers + 1;
        station->computing_step = station->gang_size;
    }
    return status;
}

clump_status model_sharing_check(const model_sharing *s, double by_slowdown, double by_state,
                                 clump_error *error)
{
    const double slack = 4 * clump_slowdown_accuracy(s->node->processors, 0);
    if (fabs(by_slowdown - by_state) <= slack * by_state + DBL_MIN)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_INCONSISTENT,
                      "shared memory: processors compute at %.17g by state, at %.17g by slowdown",
                      by_state, by_slowdown);
}

static clump_status check_alike(const model_sharing *s, const char *what, clump_error *error)
{
    for (size_t i = 1; i < s->count; i++)
        if (s->groups[i].processors != s->groups[0].processors)
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "%s: groups of %zu and of %zu processors that share memory, expected "
                "groups of one size (or pooled NICs, or independent or correlated demand)",
                what, s->groups[0].processors, s->groups[i].processors);
    return CLUMP_OK;
}

/* A whole number of gangs in each group. */
static clump_status solve_within(model_sharing *s, double U, size_t gangs, model_members *members,
                                 clump_error *error)
{
    double by_state, computed = 0;
    clump_status status = model_sharing_solve(s, &U, gangs, NULL, &by_state, error);
    for (size_t i = 0; i < s->count && status == CLUMP_OK; i++) {
        const clump_class all = {U, gangs};
        const model_groups *g = &s->groups[i];
        clump_network_totals totals;
        double X = 1;
        status =
            clump_network_solve(&all, 1, &s->shares[i].station, NULL, &X, NULL, &totals, error);
        if (status != CLUMP_OK)
            return status;
        computed += (double)(g->count * gangs) * (1 - U) / X;
        members[i] = (model_members){
            g->first, g->count * g->processors, {X, totals.mean_active / (double)gangs, U / X}};
    }
    return status == CLUMP_OK ? model_sharing_check(s, computed, by_state, error) : status;
}

/* A gang of several groups: each sends through its own NICs, whatever other gangs do, until the last has sent. */
static clump_status solve_spanning(model_sharing *s, double U, size_t gangs, model_members *members,
                                   clump_error *error)
{
    const size_t P = s->node->processors;
    clump_station station;
    double rate = HUGE_VAL;
    for (size_t i = 0; i < s->count; i++) {
        const model_groups *g = &s->groups[i];
        station = model_node_station(s->node, g);
        rate = fmin(rate, clump_station_rate(&station, g->processors) / (double)g->processors);
    }
    const double factor = 1 - U + U / rate;
    const clump_class all = {fmin(U / rate / factor, 1), gangs};
    clump_network_totals totals;
    double X = 1;
    station = (clump_station){
        .nics = (double)P, .max_nics_per_processor = 1, .gang_size = (double)P / (double)gangs};
    set_memory(s, &station);
    const clump_status status =
        clump_network_solve(&all, 1, &station, NULL, &X, NULL, &totals, error);
    X *= factor;
    if (status == CLUMP_OK)
        for (size_t i = 0; i < s->count; i++)
            members[i] =
                (model_members){0, i == 0 ? P : 0, {X, totals.mean_active / (double)gangs, U / X}};
    return status;
}

clump_status model_sharing_gangs(model_sharing *s, double utilization, double gang_size,
                                 model_members *members, clump_error *error)
{
    const size_t n = s->groups[0].processors;
    const bool spanning = gang_size > (double)n;
    const model_gang_counts gangs = model_gangs_of(spanning ? s->node->processors : n, gang_size);
    clump_status (*const solve_gangs)(model_sharing *, double, size_t, model_members *,
                                      clump_error *) = spanning ? solve_spanning : solve_within;
    clump_status status = check_alike(s, "gangs", error);
    if (status == CLUMP_OK)
        status = solve_gangs(s, utilization, gangs.fewer, members, error);
    if (status != CLUMP_OK || !(gangs.part < 1))
        return status;
    model_members *finer = malloc(s->count * sizeof *finer);
    if (finer == NULL)
        return clump_fail_memory(error, "the prediction");
    status = solve_gangs(s, utilization, gangs.more, finer, error);
    for (size_t i = 0; i < s->count && status == CLUMP_OK; i++) {
        const model_outcome a = members[i].outcome, b = finer[i].outcome;
        const double X = b.slowdown + (a.slowdown - b.slowdown) * gangs.part;
        members[i].outcome =
            (model_outcome){X, b.active + (a.active - b.active) * gangs.part, utilization / X};
    }
    free(finer);
    return status;
}

/* ---- correlated demand */

/* Processors that have sent at the same time. */
typedef struct sender {
    model_arrival arrival;
    size_t first;         /* processor */
    double communication; /* D */
} sender;

static int compare_senders(const void *a, const void *b)
{
    const double x = ((const sender *)a)->arrival.time, y = ((const sender *)b)->arrival.time;
    return (x > y) - (x < y);
}

/* When the processors of one group have sent. */
static clump_status send_together(const model_sharing *s, const model_groups *g, const double *C,
                                  const double *D, sender *senders, clump_error *error)
{
    const int equal = s->distinct == 1;
    const size_t n = equal ? 1 : g->processors, first = equal ? 0 : g->first;
    const clump_station station = model_node_station(s->node, g);
    clump_needs needs = {NULL, 0, NULL};
    clump_status status = model_needs_make(C + first, D + first, n, &needs, error);
    double *X = malloc(n * sizeof *X);
    if (status == CLUMP_OK && X == NULL)
        status = clump_fail_memory(error, "the prediction");
    if (status == CLUMP_OK && equal)
        needs.needs[0].processors = g->processors;
    if (status == CLUMP_OK)
        status = clump_correlated_slowdown(needs.needs, needs.count, &station, X, error);
    for (size_t i = 0; i < n && status == CLUMP_OK; i++) {
        const clump_need *need = &needs.needs[needs.need_of[i]];
        senders[i] = (sender){{.time = fmax(X[needs.need_of[i]] - need->computation, 0),
                               .work = need->computation,
                               .processors = equal ? g->count * g->processors : 1},
                              g->first + i,
                              need->communication};
    }
    free(X);
    model_needs_free(&needs);
    return status;
}

/* All start together; who has sent computes. */
static void compute_after(const model_sharing *s, const sender *senders, size_t count,
                          model_arrival *arrivals, double *ends, model_members *members)
{
    clump_station memory = model_node_station(s->node, &s->groups[0]);
    double period = 0;
    set_memory(s, &memory);
    for (size_t i = 0; i < count; i++)
        arrivals[i] = senders[i].arrival;
    model_compute_together(arrivals, count, &memory, ends);
    for (size_t i = 0; i < count; i++)
        period = fmax(period, ends[i]);
    for (size_t i = 0; i < count; i++)
        members[i] = (model_members){
            senders[i].first,
            arrivals[i].processors,
            {ends[i], arrivals[i].time / period, senders[i].communication / period}};
}

clump_status model_sharing_correlated(model_sharing *s, const double *computation,
                                      const double *communication, model_members *members,
                                      clump_error *error)
{
    const size_t count = s->distinct > 1 ? s->node->processors : s->count;
    sender *senders = malloc(count * sizeof *senders);
    model_arrival *arrivals = malloc(count * sizeof *arrivals);
    double *ends = malloc(count * sizeof *ends);
    clump_status status = CLUMP_OK;
    if (senders == NULL || arrivals == NULL || ends == NULL)
        status = clump_fail_memory(error, "the prediction");
    for (size_t i = 0; i < s->count && status == CLUMP_OK; i++)
        status = send_together(s, &s->groups[i], computation, communication,
                               senders + (s->distinct > 1 ? s->groups[i].first : i), error);
    if (status == CLUMP_OK) {
        qsort(senders, count, sizeof *senders, compare_senders);
        compute_after(s, senders, count, arrivals, ends, members);
    }
    free(senders);
    free(arrivals);
    free(ends);
    return status;
}

/* ---- scheduled demand */

/* Who is served no better in company has it alone: the best schedule has one processor at each NIC at most, and
 * the NICs are a pool of which nobody drives more than one. */
clump_status model_sharing_scheduled(model_sharing *s, double computation, double communication,
                                     model_outcome *outcome, clump_error *error)
{
    const clump_station station = model_node_station(s->node, &s->groups[0]);
    const double rate = clump_station_rate(&station, 1);
    clump_status status = check_alike(s, "scheduled demand", error);
    if (status != CLUMP_OK)
        return status;
    if (s->count > 1)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "scheduled demand: processors that differ and share memory, expected equal "
            "ones (or independent or correlated demand)");
    for (size_t q = 2; q <= s->groups[0].processors; q++)
        if (clump_station_rate(&station, q) > rate)
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "scheduled demand: efficiency above 1 with %zu processors at a NIC of a "
                "static mapping, where they share memory; expected at most 1",
                q);
    const clump_need all = {computation, communication / rate, s->node->processors};
    clump_station pool = {.nics = (double)s->all, .max_nics_per_processor = 1};
    double X = 1;
    set_memory(s, &pool);
    status = clump_scheduled_slowdown(&all, 1, &pool, &X, error);
    if (status == CLUMP_OK)
        *outcome = (model_outcome){X, NAN, communication / X};
    return status;
}
