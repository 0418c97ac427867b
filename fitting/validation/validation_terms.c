/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_terms.h"

#include <math.h>

static clump_loggp stretched(clump_loggp p, double factor)
{
    p.latency_us *= factor;
    p.send_overhead_us *= factor;
    p.receive_overhead_us *= factor;
    p.gap_us *= factor;
    p.gap_us_per_byte *= factor;
    return p;
}

static clump_status predict_at(const validation_facts *facts, const clump_validation_variant *v,
                               const double *constants, double now_time,
                               clump_demand_profile *profile, clump_prediction *prediction,
                               clump_error *error)
{
    const bool known = v->computation && facts->computation > 0;
    const double penalty = 1 + constants[CLUMP_RULE_MEMORY] * (facts->memory_penalty - 1);
    const clump_workload workload = {
        .remote = facts->remote,
        .local = facts->local,
        .waited_share = v->waiting ? constants[CLUMP_RULE_WAITING] * facts->waited_share : 0,
        .memory_penalty = v->memory ? penalty : 1,
        .time_us = 1e6 * now_time,
        /* It was measured on the node; on the NOW it is faster by the penalty. */
        .computation_us = known ? 1e6 * facts->computation / penalty : 0,
        .half_duplex = v->bus && facts->half_duplex,
        .lockstep = v->lockstep && facts->lockstep,
    };
    const clump_loggp local = stretched(facts->shared_memory, constants[CLUMP_RULE_LOCAL]);
    clump_status status = clump_traffic_profile(&workload, &facts->network, &local, profile, error);
    if (status != CLUMP_OK)
        return status;
    const clump_load load = {.utilizations = &profile->utilization,
                             .utilization_count = 1,
                             .demand = v->demand,
                             .coupling = profile->coupling};
    return clump_predict(&facts->node, &load, prediction, NULL, error);
}

clump_status validation_predict(const validation_facts *facts, size_t variant,
                                const double *constants, clump_validation_outcome *outcome,
                                double *remote_fraction, clump_error *error)
{
    const clump_validation_variant *v = &clump_validation_variants[variant];
    clump_demand_profile profile, other;
    clump_prediction prediction, low, high;
    const clump_status status =
        predict_at(facts, v, constants, facts->now_time, &profile, &prediction, error);
    if (status != CLUMP_OK)
        return status;
    const double before = facts->now_time - facts->now_half_width;
    const double after = facts->now_time + facts->now_half_width;
    double half_width = NAN;
    if (before > 0 && predict_at(facts, v, constants, before, &other, &low, NULL) == CLUMP_OK &&
        predict_at(facts, v, constants, after, &other, &high, NULL) == CLUMP_OK)
        half_width = fabs(high.slowdown * after - low.slowdown * before) / 2;
    const double predicted = prediction.slowdown * facts->now_time;
    *outcome = (clump_validation_outcome){
        .predicted = predicted,
        .predicted_half_width = half_width,
        .utilization = profile.utilization,
        .slowdown = prediction.slowdown,
        .error = predicted / facts->measured - 1,
        .in_sample_error = NAN,
        .low = NAN,
        .high = NAN,
    };
    if (remote_fraction != NULL)
        *remote_fraction = profile.coupling.remote_fraction;
    return CLUMP_OK;
}
