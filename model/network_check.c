/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/network_check.h"

#include "model/sum.h"

#include <float.h>
#include <math.h>

/* No processor can be faster than with the best share of the station, nor slower than the worst. */
static int within_bounds(double U, double X, double best_share, double worst_share, double slack)
{
    const double lower = 1 - U + U / best_share;
    const double upper = 1 - U + U / worst_share;
    return X >= lower * (1 - slack) && X <= upper * (1 + slack);
}

/* Sums over the states, by which the solution is checked. */
typedef struct state_sums {
    double probability, active, idle, served;
    double best_share, worst_share, greatest_rate;
} state_sums;

static state_sums sum_states(const model_network_solution *s)
{
    const size_t P = s->processors;
    model_sum probability = {0, 0}, active = {0, 0}, idle = {0, 0}, served = {0, 0};
    state_sums sums = {.worst_share = INFINITY};
    for (size_t q = 0; q <= P; q++) {
        const double rate = clump_station_rate(s->station, q);
        model_sum_add(&probability, s->distribution[q]);
        model_sum_add(&active, s->distribution[q] * (double)q);
        model_sum_add(&idle, s->distribution[q] * (double)(P - q));
        model_sum_add(&served, s->distribution[q] * rate);
        if (q > 0) {
            sums.best_share = fmax(sums.best_share, rate / (double)q);
            sums.worst_share = fmin(sums.worst_share, rate / (double)q);
            sums.greatest_rate = fmax(sums.greatest_rate, rate);
        }
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
    const double slack = fmin(16 * DBL_EPSILON * (P + 16), 1e-9);
    const state_sums sums = sum_states(s);
    /* What trimming, and leaving out the least utilizations, may have taken. */
    const double nothing = (MODEL_NEGLIGIBLE_PROBABILITY * P + MODEL_LEAST_UTILIZATION) * P *
                           fmax(1, sums.greatest_rate);
    model_sum idle = {0, 0}, served = {0, 0};
    for (size_t c = 0; c < s->class_count; c++) {
        const double U = s->classes[c].utilization, n = (double)s->classes[c].processors;
        if (n > 0 && !within_bounds(U, s->slowdowns[c], sums.best_share, sums.worst_share, slack))
            return clump_fail(error, CLUMP_INCONSISTENT,
                              "slowdown %.17g of utilization %g lies outside its bounds",
                              s->slowdowns[c], U);
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
