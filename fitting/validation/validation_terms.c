/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_terms.h"

#include "model/slowest.h"
#include "model/workload/answering.h"

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

/* ---- computation */

/* c(k): computation in a node of which all processors compute, over that on the NOW. */
static clump_status penalty_of(const clump_misses *known, size_t processors,
                               const clump_validation_variant *v, const double *constants,
                               double *penalty, clump_error *error)
{
    clump_misses misses = *known;
    misses.share = constants[CLUMP_RULE_MEMORY];
    if (!v->bandwidth)
        misses.bytes_per_us = 0;
    *penalty = 1;
    if (!v->memory || isnan(misses.now_us) || isnan(misses.node_us))
        return CLUMP_OK;
    return clump_misses_penalty(&misses, processors, penalty, error);
}

clump_status validation_penalty(const validation_facts *facts, size_t variant,
                                const double *constants, double *penalty, clump_error *error)
{
    return penalty_of(&facts->misses, facts->node.processors, &clump_validation_variants[variant],
                      constants, penalty, error);
}

static double seconds(clump_communication_time time)
{
    return (time.occupancy_us + time.waiting_us) / 1e6;
}

/* What messages cost, s. */
static double cost_of(const clump_traffic *traffic, const clump_loggp *protocol,
                      const clump_workload *w, bool both_ways)
{
    const clump_loggp met =
        w->exchange && w->waited_share > 0 ? clump_answering_protocol(protocol) : *protocol;
    return seconds(both_ways ? clump_traffic_time_half_duplex(traffic, &met, w->waited_share)
                             : clump_traffic_time(traffic, &met, w->waited_share));
}

clump_status validation_computation_now(const validation_facts *facts, size_t variant,
                                        const double *constants, double *computation,
                                        clump_error *error)
{
    const clump_validation_variant *v = &clump_validation_variants[variant];
    const validation_computation *from = &facts->computation;
    const clump_workload messages = {
        .waited_share = v->waiting ? constants[CLUMP_RULE_WAITING] * facts->waited_share : 0,
        .exchange = v->answering && facts->exchange,
    };
    double penalty;
    *computation = NAN;
    if (!v->computation || isnan(from->time))
        return CLUMP_OK;
    const clump_status status =
        penalty_of(&from->misses, from->processors, v, constants, &penalty, error);
    if (status != CLUMP_OK)
        return status;
    double cost = 0;
    if (from->traffic.short_messages > 0 || from->traffic.bulk_messages > 0) {
        const clump_loggp local = stretched(from->shared_memory, constants[CLUMP_RULE_LOCAL]);
        cost = cost_of(&from->traffic, &local, &messages, false);
    }
    *computation = fmax(from->time - cost, 0) * from->share / penalty;
    return CLUMP_OK;
}

/* ---- a run */

/* What all messages cost on the NOW with such a network, s. */
static double cost_on_now(const clump_workload *w, const clump_loggp *network)
{
    const clump_traffic all = {w->remote.short_messages + w->local.short_messages,
                               w->remote.bulk_messages + w->local.bulk_messages,
                               w->remote.bulk_bytes + w->local.bulk_bytes};
    return cost_of(&all, network, w, w->half_duplex);
}

/* Processors that differ in how many short messages they send to other nodes. Costs are proportional to messages. */
typedef struct differing {
    const validation_facts *facts;
    clump_need mean, more; /* of the mean, and of each message more, us */
    double waited, waited_more, alone, alone_more;
} differing;

static clump_status needs_of(void *context, size_t node, const double *z, clump_need *needs,
                             double *waiting, double *alone, clump_error *error)
{
    const differing *d = context;
    const size_t P = d->facts->node.processors;
    double waited = 0, without = 0, most = -d->facts->uneven.mean;
    (void)node;
    (void)error;
    for (size_t i = 0; i < P; i++) {
        const double more = clump_spread_value(&d->facts->uneven, z[i]) - d->facts->uneven.mean;
        needs[i].computation = fmax(d->mean.computation + more * d->more.computation, 0);
        needs[i].communication = fmax(d->mean.communication + more * d->more.communication, 0);
        waited += d->waited + more * d->waited_more;
        without += needs[i].computation;
        most = fmax(most, more);
    }
    *alone = d->alone + most * d->alone_more;
    *waiting = without > 0 ? fmin(fmax(waited / without, 0), 1) : 0;
    return CLUMP_OK;
}

static clump_status find_needs(clump_workload w, const clump_loggp *network,
                               const clump_loggp *local, differing *d, clump_error *error)
{
    const double unit = fmax(w.remote.short_messages, 1);
    clump_status status =
        clump_workload_need(&w, network, local, &d->mean, &d->waited, &d->alone, error);
    w.remote.short_messages += unit;
    if (status == CLUMP_OK)
        status = clump_workload_need(&w, network, local, &d->more, &d->waited_more, &d->alone_more,
                                     error);
    d->more.computation = (d->more.computation - d->mean.computation) / unit;
    d->more.communication = (d->more.communication - d->mean.communication) / unit;
    d->waited_more = (d->waited_more - d->waited) / unit;
    d->alone_more = (d->alone_more - d->alone) / unit;
    return status;
}

/* The time of the last processor of all nodes, s; that on the NOW, now_us, is that of its slowest, too, with the NOW's network. */
static clump_status predict_last(const validation_facts *facts, const clump_workload *mean,
                                 const clump_loggp *local, clump_demand demand, double now_us,
                                 double *time, clump_error *error)
{
    differing d = {.facts = facts};
    const clump_job job = {.node = &facts->node,
                           .nodes = facts->nodes,
                           .demand = demand,
                           .gang_size = 1,
                           .drawn = true,
                           .needs = needs_of,
                           .context = &d};
    clump_workload own = *mean;
    clump_job_time found;
    own.time_us = own.computation_us = 0;
    clump_status status = find_needs(own, &facts->now_network, local, &d, error);
    if (status == CLUMP_OK)
        status = clump_job_solve(&job, true, &found, error);
    if (status == CLUMP_OK)
        status = find_needs(own, &facts->network, local, &d, error);
    if (status != CLUMP_OK)
        return status;
    /* What the slowest does not communicate; of it computation takes longer in the node, and waiting for others does not. */
    const double rest = fmax(now_us - found.now_time, 0);
    const double computation = mean->computation_us > 0 ? fmin(mean->computation_us, rest) : rest;
    d.mean.computation += rest - computation + computation * mean->memory_penalty;
    d.alone += rest;
    status = clump_job_solve(&job, false, &found, error);
    if (status == CLUMP_OK)
        *time = found.time / (facts->other_network ? 1e6 : found.now_time / now_us * 1e6);
    return status;
}

/* Of a run at some time on the NOW. */
typedef struct reckoning {
    double predicted; /* s */
    double utilization, remote_fraction;
} reckoning;

static clump_status predict_at(const validation_facts *facts, size_t variant,
                               const double *constants, double now_time, reckoning *found,
                               clump_error *error)
{
    const clump_validation_variant *v = &clump_validation_variants[variant];
    double penalty, computation;
    clump_status status = validation_penalty(facts, variant, constants, &penalty, error);
    if (status == CLUMP_OK)
        status = validation_computation_now(facts, variant, constants, &computation, error);
    if (status != CLUMP_OK)
        return status;
    clump_workload workload = {
        .remote = facts->remote,
        .local = facts->local,
        .waited_share = v->waiting ? constants[CLUMP_RULE_WAITING] * facts->waited_share : 0,
        .memory_penalty = penalty,
        .time_us = 1e6 * now_time,
        .computation_us = computation > 0 ? 1e6 * computation : 0,
        .half_duplex = v->bus && facts->half_duplex,
        .lockstep = v->lockstep && facts->lockstep,
        .exchange = v->answering && facts->exchange,
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
    status = clump_traffic_profile(&workload, &facts->network, &local, &profile, error);
    if (status != CLUMP_OK)
        return status;
    double pace = NAN;
    if (v->slowest && facts->differ) {
        status = predict_last(facts, &workload, &local, v->demand, 1e6 * now_time, &pace, error);
        pace /= here;
    } else {
        const clump_load load = {.utilizations = &profile.utilization,
                                 .utilization_count = 1,
                                 .demand = v->demand,
                                 .coupling = profile.coupling};
        status = clump_predict(&facts->node, &load, &prediction, NULL, error);
        pace = prediction.slowdown;
    }
    if (status != CLUMP_OK)
        return status;
    *found = (reckoning){
        .predicted = pace * here,
        .utilization = facts->other_network ? cost_on_now(&workload, &facts->now_network) / now_time
                                            : profile.utilization,
        .remote_fraction = profile.coupling.remote_fraction,
    };
    return CLUMP_OK;
}

clump_status validation_predict_time(const validation_facts *facts, size_t variant,
                                     const double *constants, double *predicted, clump_error *error)
{
    reckoning found;
    const clump_status status =
        predict_at(facts, variant, constants, facts->now_time, &found, error);
    if (status == CLUMP_OK)
        *predicted = found.predicted;
    return status;
}

/* ---- what inputs that are uncertain make of it */

/* Times, LogGP parameters of four kinds, traffic of two. */
enum { INPUTS = 2 + 4 * CLUMP_LOGGP_QUANTITIES + 2 * 3 };

static bool move(double *value, double half_width, int direction)
{
    if (!(half_width > 0) || !(*value + direction * half_width >= 0))
        return false;
    *value += direction * half_width;
    return true;
}

/* Of L beyond what its overheads explain. */
static double own_half_width(const clump_loggp *half)
{
    const double overheads[] = {half->send_overhead_us, half->receive_overhead_us};
    double square = half->latency_us * half->latency_us;
    for (size_t i = 0; i < 2; i++)
        square -= overheads[i] > 0 ? overheads[i] * overheads[i] : 0;
    return sqrt(fmax(square, 0)); /* not known: 0 */
}

static bool move_loggp(clump_loggp *p, const clump_loggp *half, size_t which, int direction)
{
    const clump_loggp before = *p;
    switch (which) {
    case 0: /* it may be below 0 */
        p->latency_us += direction * own_half_width(half);
        return p->latency_us > before.latency_us || p->latency_us < before.latency_us;
    case 1:
        if (!move(&p->send_overhead_us, half->send_overhead_us, direction))
            return false;
        p->latency_us -= p->send_overhead_us - before.send_overhead_us;
        return true;
    case 2:
        if (!move(&p->receive_overhead_us, half->receive_overhead_us, direction))
            return false;
        p->latency_us -= p->receive_overhead_us - before.receive_overhead_us;
        return true;
    case 3:
        return move(&p->gap_us, half->gap_us, direction);
    default:
        return move(&p->gap_us_per_byte, half->gap_us_per_byte, direction);
    }
}

/* Bytes go with the number of messages, and with their mean size. */
static bool move_traffic(clump_traffic *t, const clump_traffic *half, size_t which, int direction)
{
    const double messages = t->bulk_messages;
    switch (which) {
    case 0:
        return move(&t->short_messages, half->short_messages, direction);
    case 1:
        if (!(messages > 0) || !move(&t->bulk_messages, half->bulk_messages, direction))
            return false;
        t->bulk_bytes *= t->bulk_messages / messages;
        return true;
    default:
        return move(&t->bulk_bytes, half->bulk_bytes, direction);
    }
}

/*
 * Move an input of the facts by half of its 95% interval. What an overhead gains L loses, since all three come from
 * the same round trips; L by itself moves by what its interval has beyond those of the overheads.
 * @return false where the input has no interval, does not matter, or would be below 0
 */
static bool shift_input(validation_facts *f, size_t input, int direction)
{
    enum { L = CLUMP_LOGGP_QUANTITIES };
    const validation_half_widths *half = &f->inexact;
    if (input == 0)
        return move(&f->now_time, f->now_half_width, direction);
    if (input == 1)
        return move(&f->computation.time, half->computation, direction);
    const size_t k = input - 2;
    if (k < L)
        return move_loggp(&f->network, &half->network, k, direction);
    if (k < 2 * L)
        return f->other_network &&
               move_loggp(&f->now_network, &half->now_network, k - L, direction);
    if (k < 3 * L)
        return move_loggp(&f->shared_memory, &half->shared_memory, k - 2 * L, direction);
    if (k < 4 * L)
        return move_loggp(&f->computation.shared_memory, &half->computed_with, k - 3 * L,
                          direction);
    return k < 4 * L + 3 ? move_traffic(&f->remote, &half->remote, k - 4 * L, direction)
                         : move_traffic(&f->local, &half->local, k - 4 * L - 3, direction);
}

/* Half of the 95% interval that follows from those of the inputs, each by itself; NAN where none is
 * known. Beyond an end at which nothing can be predicted it is as at the other one. What inputs move is found with processors
 * that are equal, as a share. */
static double half_width_of(const validation_facts *facts, size_t variant, const double *constants,
                            double predicted)
{
    double sum = 0;
    validation_facts mean = *facts;
    reckoning base;
    mean.differ = false;
    if (predict_at(&mean, variant, constants, mean.now_time, &base, NULL) != CLUMP_OK)
        return NAN;
    bool some = false;
    for (size_t i = 0; i < INPUTS; i++) {
        double ends[2] = {NAN, NAN};
        for (int side = 0; side < 2; side++) {
            validation_facts shifted = mean;
            reckoning found;
            if (shift_input(&shifted, i, side == 0 ? -1 : 1) &&
                predict_at(&shifted, variant, constants, shifted.now_time, &found, NULL) ==
                    CLUMP_OK)
                ends[side] = found.predicted;
        }
        if (isnan(ends[0]) && isnan(ends[1]))
            continue;
        const double half = isnan(ends[0])   ? ends[1] - base.predicted
                            : isnan(ends[1]) ? ends[0] - base.predicted
                                             : (ends[1] - ends[0]) / 2;
        sum += half * half;
        some = true;
    }
    return some ? sqrt(sum) * predicted / base.predicted : NAN;
}

clump_status validation_predict(const validation_facts *facts, size_t variant,
                                const double *constants, clump_validation_outcome *outcome,
                                double *remote_fraction, clump_error *error)
{
    reckoning found = {0};
    const clump_status status =
        predict_at(facts, variant, constants, facts->now_time, &found, error);
    if (status != CLUMP_OK)
        return status;
    *outcome = (clump_validation_outcome){
        .predicted = found.predicted,
        .predicted_half_width = half_width_of(facts, variant, constants, found.predicted),
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
