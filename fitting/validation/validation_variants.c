/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_model.h"

#include <math.h>
#include <string.h>

#define ALL true, true, true, true, true
const clump_validation_variant clump_validation_variants[CLUMP_VALIDATION_VARIANTS] = {
    {"full", "all terms, correlated demand", CLUMP_DEMAND_CORRELATED, ALL},
    {"no-waiting", "full, but no message is waited for", CLUMP_DEMAND_CORRELATED, false, true, true,
     true, true},
    {"no-memory", "full, but computation is as fast as on the NOW", CLUMP_DEMAND_CORRELATED, true,
     false, true, true, true},
    {"no-computation", "full, but all that is not communication counts as computation",
     CLUMP_DEMAND_CORRELATED, true, true, false, true, true},
    {"no-bus", "full, but the I/O bus moves both directions at once", CLUMP_DEMAND_CORRELATED, true,
     true, true, false, true},
    {"no-lockstep", "full, but local traffic saves time between barriers too",
     CLUMP_DEMAND_CORRELATED, true, true, true, true, false},
    {"independent", "full, but independent demand", CLUMP_DEMAND_INDEPENDENT, ALL},
    {"chapter-8", "the plain formulas: (8.9), (8.11), gap and gap per byte",
     CLUMP_DEMAND_CORRELATED, false, false, false, false, false},
    {"chapter-8-independent", "the same with independent demand, (8.8)", CLUMP_DEMAND_INDEPENDENT,
     false, false, false, false, false},
};
#undef ALL

size_t clump_validation_variant_find(const char *name)
{
    size_t i = 0;
    while (i < CLUMP_VALIDATION_VARIANTS && strcmp(clump_validation_variants[i].name, name) != 0)
        i++;
    return i;
}

static clump_status predict_at(const validation_facts *facts, const clump_validation_variant *v,
                               double now_time, clump_demand_profile *profile,
                               clump_prediction *prediction, clump_error *error)
{
    const bool known = v->computation && facts->computation > 0;
    const clump_workload workload = {
        .remote = facts->remote,
        .local = facts->local,
        .waited_share = v->waiting ? facts->waited_share : 0,
        .memory_penalty = v->memory ? facts->memory_penalty : 1,
        .time_us = 1e6 * now_time,
        /* It was measured on the node; on the NOW it is faster by the penalty. */
        .computation_us = known ? 1e6 * facts->computation / facts->memory_penalty : 0,
        .half_duplex = v->bus && facts->half_duplex,
        .lockstep = v->lockstep && facts->lockstep,
    };
    clump_status status =
        clump_traffic_profile(&workload, &facts->network, &facts->shared_memory, profile, error);
    if (status != CLUMP_OK)
        return status;
    const clump_load load = {.utilizations = &profile->utilization,
                             .utilization_count = 1,
                             .demand = v->demand,
                             .coupling = profile->coupling};
    return clump_predict(&facts->node, &load, prediction, NULL, error);
}

clump_status validation_predict(const validation_facts *facts, size_t variant,
                                clump_validation_outcome *outcome, double *remote_fraction,
                                clump_error *error)
{
    const clump_validation_variant *v = &clump_validation_variants[variant];
    clump_demand_profile profile, other;
    clump_prediction prediction, low, high;
    const clump_status status = predict_at(facts, v, facts->now_time, &profile, &prediction, error);
    if (status != CLUMP_OK)
        return status;
    const double before = facts->now_time - facts->now_half_width;
    const double after = facts->now_time + facts->now_half_width;
    double half_width = NAN;
    if (before > 0 && predict_at(facts, v, before, &other, &low, NULL) == CLUMP_OK &&
        predict_at(facts, v, after, &other, &high, NULL) == CLUMP_OK)
        half_width = fabs(high.slowdown * after - low.slowdown * before) / 2;
    *outcome = (clump_validation_outcome){
        .predicted = prediction.slowdown * facts->now_time,
        .predicted_half_width = half_width,
        .utilization = profile.utilization,
        .slowdown = prediction.slowdown,
        .error = prediction.slowdown * facts->now_time / facts->measured - 1,
    };
    *remote_fraction = profile.coupling.remote_fraction;
    return CLUMP_OK;
}
