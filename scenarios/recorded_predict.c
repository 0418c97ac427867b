/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded.h"

#include <math.h>
#include <stdlib.h>

/* A node that is predicted. */
typedef struct work {
    const clump_recorded_placed *placed;
    const clump_node *node;
    clump_need *needs; /* of its processors */
    clump_need mean;
    double waiting;         /* share of the time without NICs in which nobody is at memory */
    double *first, *second; /* slowdowns of the processors */
    double *both_ways;      /* E(q) of NICs that send for one and receive for another; NULL: 1 */
    bool bare;              /* leave that out */
    clump_error *error;
} work;

static void set_needs(work *w, size_t k, double memory_penalty)
{
    const clump_recorded_placed *p = w->placed;
    const size_t P = p->processors;
    double idle = 0;
    w->mean = (clump_need){0, 0, P};
    for (size_t i = 0; i < P; i++) {
        const size_t at = k * P + i;
        w->needs[i] = (clump_need){
            .computation = memory_penalty * p->computation[at] + p->local[at] + p->idle[at],
            .communication = p->nic[at],
            .processors = 1,
        };
        w->mean.computation += w->needs[i].computation / (double)P;
        w->mean.communication += w->needs[i].communication / (double)P;
        idle += p->idle[at] / (double)P;
    }
    w->waiting = w->mean.computation > 0 ? fmin(idle / w->mean.computation, 1) : 0;
}

/*
 * What NICs do for q processors of which each goes one way: sending and receiving are two stations, of which a processor
 * visits the first for the share `out` of its transfers. Seen from outside they are one, which serves as fast as both do
 * with q that go back and forth between them (the theorem of Chandy, Herzog and Woo, MODEL.md 27):
 * p(k) ~ out^k/(r(1)...r(k)) (1-out)^(q-k)/(r(1)...r(q-k)) with r(k) = min(k m, N).
 */
static double one_way_rate(size_t q, double out, double m, double N)
{
    double rate = 0, sum = 0, weight = 1;
    if (out <= 0 || out >= 1)
        return fmin((double)q * m, N);
    /* Up from k = 0; where it would overflow all is scaled. */
    for (size_t k = 0; k <= q; k++) {
        const double sending = fmin((double)k * m, N), receiving = fmin((double)(q - k) * m, N);
        rate += weight * (sending + receiving);
        sum += weight;
        if (k < q)
            weight *= out / (1 - out) * receiving / fmin((double)(k + 1) * m, N);
        if (weight > 0x1p500) {
            rate /= weight;
            sum /= weight;
            weight = 1;
        }
    }
    return rate / sum;
}

static clump_status make_efficiency(work *w)
{
    const clump_recorded_placed *p = w->placed;
    const clump_node *node = w->node;
    const bool own = node->efficiency.function != NULL || node->efficiency.table_length > 0;
    const bool pooled = node->mapping == CLUMP_MAPPING_POOLED;
    const double N = pooled ? (double)node->nics : 1;
    const double m =
        pooled && node->max_nics_per_processor > 0 ? fmin(node->max_nics_per_processor, N) : N;
    enum { MOST = 10000 }; /* a second of sums */
    if (own || !(p->serial_share > 0) || p->processors > MOST)
        return CLUMP_OK;
    w->both_ways = malloc(p->processors * sizeof *w->both_ways);
    if (w->both_ways == NULL)
        return clump_fail_memory(w->error, "the prediction of a recording");
    for (size_t q = 1; q <= p->processors; q++) {
        const double one = fmin((double)q * m, N);
        w->both_ways[q - 1] =
            1 + p->serial_share * (one_way_rate(q, p->sent_share, m, N) / one - 1);
    }
    return CLUMP_OK;
}

static clump_status solve(work *w, clump_demand demand, double gang_size, bool equal,
                          clump_prediction *prediction, double *slowdowns)
{
    /* C = 1-U + hU, of which hU waits: with h = 1 the share U. */
    const clump_load load = {.utilizations = &w->waiting,
                             .utilization_count = 1,
                             .demand = demand,
                             .gang_size = gang_size,
                             .coupling = {1, 1, 1, 1}};
    const clump_prediction_details details = {slowdowns, NULL};
    clump_node node = *w->node;
    if (demand == CLUMP_DEMAND_INDEPENDENT && w->both_ways != NULL && !w->bare) {
        node.efficiency.table = w->both_ways;
        node.efficiency.table_length = w->placed->processors;
    }
    return clump_predict_needs(&node, &load, equal ? &w->mean : w->needs,
                               equal ? 1 : w->placed->processors, prediction,
                               slowdowns != NULL ? &details : NULL, w->error);
}

static bool are_equal(const work *w)
{
    for (size_t i = 1; i < w->placed->processors; i++)
        if (fabs(w->needs[i].communication - w->needs[0].communication) > 1e-9 ||
            fabs(w->needs[i].computation - w->needs[0].computation) > 1e-9)
            return false;
    return true;
}

/* Where gangs of s stand between independent (0) and correlated (1) demand, if all processors were alike. */
static clump_status find_standing(work *w, double gang_size, double *standing)
{
    clump_prediction independent, gangs, correlated;
    w->bare = true;
    clump_status status = solve(w, CLUMP_DEMAND_INDEPENDENT, 1, true, &independent, NULL);
    if (status == CLUMP_OK)
        status = solve(w, CLUMP_DEMAND_GANG, gang_size, true, &gangs, NULL);
    if (status == CLUMP_OK)
        status = solve(w, CLUMP_DEMAND_CORRELATED, 1, true, &correlated, NULL);
    w->bare = false;
    const double range = status == CLUMP_OK ? correlated.slowdown - independent.slowdown : 0;
    *standing =
        fabs(range) > 1e-12 ? fmin(fmax((gangs.slowdown - independent.slowdown) / range, 0), 1) : 0;
    return status;
}

static double between(double a, double b, double share)
{
    return a + share * (b - a);
}

static clump_status solve_gangs(work *w, double gang_size, clump_prediction *prediction)
{
    const size_t P = w->placed->processors;
    clump_prediction correlated;
    double share;
    clump_status status = find_standing(w, gang_size, &share);
    if (status == CLUMP_OK)
        status = solve(w, CLUMP_DEMAND_INDEPENDENT, 1, false, prediction, w->first);
    if (status == CLUMP_OK)
        status = solve(w, CLUMP_DEMAND_CORRELATED, 1, false, &correlated, w->second);
    if (status != CLUMP_OK)
        return status;
    prediction->slowdown = between(prediction->slowdown, correlated.slowdown, share);
    prediction->mean_active = between(prediction->mean_active, correlated.mean_active, share);
    prediction->nic_utilization =
        between(prediction->nic_utilization, correlated.nic_utilization, share);
    prediction->slowest = 0;
    for (size_t i = 0; i < P; i++) {
        const double X = between(w->first[i], w->second[i], share);
        if (X > prediction->slowest) {
            prediction->slowest = X;
            prediction->slowest_processor = i;
        }
    }
    return CLUMP_OK;
}

static clump_status predict_node(work *w, clump_demand demand, double gang_size,
                                 clump_prediction *prediction)
{
    const bool equal = are_equal(w);
    if (demand == CLUMP_DEMAND_GANG && (!equal || w->both_ways != NULL))
        return solve_gangs(w, gang_size, prediction);
    return solve(w, demand, gang_size, equal, prediction, NULL);
}

clump_status clump_recorded_predict(const clump_recorded_placed *placed, const clump_node *node,
                                    clump_demand demand, double gang_size, double memory_penalty,
                                    clump_prediction *prediction, clump_error *error)
{
    const size_t P = placed->processors;
    work w = {.placed = placed,
              .node = node,
              .needs = malloc(P * sizeof(clump_need)),
              .first = malloc(2 * P * sizeof(double)),
              .error = error};
    clump_status status = CLUMP_OK;
    if (node->processors != P)
        status =
            clump_fail(error, CLUMP_BAD_ARGUMENT,
                       "a node of %zu processors, expected the %zu for which ranks were placed",
                       node->processors, P);
    else if (w.needs == NULL || w.first == NULL)
        status = clump_fail_memory(error, "the prediction of a recording");
    w.second = w.first != NULL ? w.first + P : NULL;
    if (status == CLUMP_OK)
        status = make_efficiency(&w);
    for (size_t k = 0; k < placed->kept && status == CLUMP_OK; k++) {
        clump_prediction one;
        set_needs(&w, k, memory_penalty);
        status = predict_node(&w, demand, gang_size, &one);
        if (status == CLUMP_OK && (k == 0 || one.slowest > prediction->slowest)) {
            *prediction = one;
            prediction->nic_utilization =
                fmin(one.nic_utilization, 1); /* both ways may be in use */
        }
    }
    free(w.needs);
    free(w.first);
    free(w.both_ways);
    return status;
}
