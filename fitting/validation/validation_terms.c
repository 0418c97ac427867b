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

/* What all messages cost on the NOW with such a network, s. */
static double cost_on_now(const clump_workload *w, const clump_loggp *network)
{
    const clump_traffic all = {w->remote.short_messages + w->local.short_messages,
                               w->remote.bulk_messages + w->local.bulk_messages,
                               w->remote.bulk_bytes + w->local.bulk_bytes};
    const clump_communication_time cost =
        w->half_duplex ? clump_traffic_time_half_duplex(&all, network, w->waited_share)
                       : clump_traffic_time(&all, network, w->waited_share);
    return (cost.occupancy_us + cost.waiting_us) / 1e6;
}

/* Of a run at some time on the NOW. */
typedef struct reckoning {
    double predicted; /* s */
    double utilization, remote_fraction;
} reckoning;

static clump_status predict_at(const validation_facts *facts, const clump_validation_variant *v,
                               const double *constants, double now_time, reckoning *found,
                               clump_error *error)
{
    const bool known = v->computation && facts->computation > 0;
    const double penalty = 1 + constants[CLUMP_RULE_MEMORY] * (facts->memory_penalty - 1);
    clump_workload workload = {
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
    double here = now_time; /* on a NOW with the network of the node */
    if (facts->other_network) {
        const double cost = cost_on_now(&workload, &facts->now_network);
        if (cost > now_time)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "the traffic takes %.4g s on the NOW by its LogGP parameters, more "
                              "than the %.4g s given for the whole run",
                              cost, now_time);
        here = now_time - cost + cost_on_now(&workload, &facts->network);
        workload.time_us = 1e6 * here;
    }
    clump_demand_profile profile;
    clump_prediction prediction;
    clump_status status =
        clump_traffic_profile(&workload, &facts->network, &local, &profile, error);
    if (status != CLUMP_OK)
        return status;
    const clump_load load = {.utilizations = &profile.utilization,
                             .utilization_count = 1,
                             .demand = v->demand,
                             .coupling = profile.coupling};
    status = clump_predict(&facts->node, &load, &prediction, NULL, error);
    if (status == CLUMP_OK)
        *found = (reckoning){
            .predicted = prediction.slowdown * here,
            .utilization = facts->other_network
                               ? cost_on_now(&workload, &facts->now_network) / now_time
                               : profile.utilization,
            .remote_fraction = profile.coupling.remote_fraction,
        };
    return status;
}

clump_status validation_predict(const validation_facts *facts, size_t variant,
                                const double *constants, clump_validation_outcome *outcome,
                                double *remote_fraction, clump_error *error)
{
    const clump_validation_variant *v = &clump_validation_variants[variant];
    reckoning found, low, high;
    const clump_status status = predict_at(facts, v, constants, facts->now_time, &found, error);
    if (status != CLUMP_OK)
        return status;
    const double before = facts->now_time - facts->now_half_width;
    const double after = facts->now_time + facts->now_half_width;
    double half_width = NAN;
    if (before > 0 && predict_at(facts, v, constants, before, &low, NULL) == CLUMP_OK &&
        predict_at(facts, v, constants, after, &high, NULL) == CLUMP_OK)
        half_width = fabs(high.predicted - low.predicted) / 2;
    *outcome = (clump_validation_outcome){
        .predicted = found.predicted,
        .predicted_half_width = half_width,
        .utilization = found.utilization,
        .slowdown = found.predicted / facts->now_time,
        .error = found.predicted / facts->measured - 1,
        .in_sample_error = NAN,
        .low = NAN,
        .high = NAN,
    };
    if (remote_fraction != NULL)
        *remote_fraction = found.remote_fraction;
    return CLUMP_OK;
}
