/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/traffic.h"

#include "model/lossy_network.h"

#include "model/workload/answering.h"

#include <math.h>
#include <stddef.h>

clump_communication_time clump_traffic_time(const clump_traffic *traffic,
                                            const clump_loggp *protocol, double waited_share)
{
    const double g = protocol->gap_us, G = protocol->gap_us_per_byte;
    const double half_trip = clump_loggp_round_trip_us(protocol) / 2;
    const double bulk_bytes = fmax(traffic->bulk_bytes - traffic->bulk_messages, 0);
    return (clump_communication_time){
        .occupancy_us = (traffic->short_messages + traffic->bulk_messages) * g + bulk_bytes * G,
        .waiting_us = traffic->short_messages * waited_share * fmax(half_trip - g, 0),
    };
}

clump_communication_time clump_traffic_time_half_duplex(const clump_traffic *traffic,
                                                        const clump_loggp *protocol,
                                                        double waited_share)
{
    clump_loggp both_ways = *protocol;
    both_ways.gap_us_per_byte *= 2;
    return clump_traffic_time(traffic, &both_ways, waited_share);
}

/* What loss adds to that. A message that is waited for is late by the mean delay of a packet that nothing follows; the
 * others belong to streams. Bulk messages count with their mean size. */
static clump_status loss_of(const clump_traffic *t, const clump_loggp *protocol,
                            double waited_share, const clump_lossy_network *lossy,
                            clump_communication_time *more, clump_error *error)
{
    clump_communication_time sum = {0, 0};
    clump_lossy_message m;
    const double waited = t->short_messages * waited_share, streamed = t->short_messages - waited;
    clump_status status = CLUMP_OK;
    if (t->short_messages > 0)
        status = clump_lossy_message_cost(lossy, protocol, 1, &m, error);
    if (status == CLUMP_OK && t->short_messages > 0) {
        sum.occupancy_us = streamed * m.occupancy_us + waited * m.delay_occupancy_us;
        sum.waiting_us = streamed * (m.stream_us - m.occupancy_us) +
                         waited * (m.delay_us - m.delay_occupancy_us);
    }
    if (status == CLUMP_OK && t->bulk_messages > 0)
        status = clump_lossy_message_cost(lossy, protocol,
                                          fmax(t->bulk_bytes / t->bulk_messages, 1), &m, error);
    if (status != CLUMP_OK)
        return status;
    if (t->bulk_messages > 0) {
        sum.occupancy_us += t->bulk_messages * m.occupancy_us;
        sum.waiting_us += t->bulk_messages * (m.stream_us - m.occupancy_us);
    }
    *more = sum;
    return CLUMP_OK;
}

/* Through the NIC, without loss. */
static clump_communication_time network_time(const clump_workload *w, const clump_traffic *traffic,
                                             const clump_loggp *network)
{
    return w->half_duplex ? clump_traffic_time_half_duplex(traffic, network, w->waited_share)
                          : clump_traffic_time(traffic, network, w->waited_share);
}

/* What loss adds to it. */
static clump_status network_loss(const clump_workload *w, const clump_traffic *traffic,
                                 const clump_loggp *network, clump_communication_time *more,
                                 clump_error *error)
{
    clump_loggp both_ways = *network;
    *more = (clump_communication_time){0, 0};
    if (w->lossy == NULL || !(w->lossy->loss > 0 || w->lossy->loss < 0))
        return CLUMP_OK;
    if (w->half_duplex)
        both_ways.gap_us_per_byte *= 2;
    return loss_of(traffic, &both_ways, w->waited_share, w->lossy, more, error);
}

/* Share of the time without communication in which a processor only waits for others. */
static double stalled_share(const clump_workload *w, double time, double communication)
{
    const double rest = time - communication;
    if (!(w->time_us > 0 && w->computation_us > 0 && rest > 0))
        return 0;
    return fmax(1 - w->computation_us / rest, 0);
}

static double total(clump_communication_time time)
{
    return time.occupancy_us + time.waiting_us;
}

static clump_status check_traffic(const clump_traffic *t, const char *where, clump_error *error)
{
    const struct {
        const char *name;
        double value;
    } counts[] = {{"short messages", t->short_messages},
                  {"bulk messages", t->bulk_messages},
                  {"bulk bytes", t->bulk_bytes}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (!(counts[i].value >= 0 && counts[i].value <= 1e30))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s traffic: %s is %g, expected 0 to 1e30",
                              where, counts[i].name, counts[i].value);
    if (t->bulk_bytes > 0 && t->bulk_messages == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s traffic: %g bulk bytes in 0 bulk messages",
                          where, t->bulk_bytes);
    return CLUMP_OK;
}

static clump_status check_workload(const clump_workload *w, clump_error *error)
{
    clump_status status = check_traffic(&w->remote, "remote", error);
    if (status == CLUMP_OK)
        status = check_traffic(&w->local, "local", error);
    if (status != CLUMP_OK)
        return status;
    if (!(w->waited_share >= 0 && w->waited_share <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "waited share: %g, expected 0 to 1",
                          w->waited_share);
    if (!(w->time_us >= 0 && w->time_us <= 1e30))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "time on the NOW: %g us, expected 0 to 1e30",
                          w->time_us);
    if (!(w->computation_us >= 0 && w->computation_us <= 1e30))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "computation: %g us, expected 0 to 1e30",
                          w->computation_us);
    if (!(w->memory_penalty >= 1e-9 && w->memory_penalty <= 1e9))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory penalty: %g, expected 1e-9 to 1e9 (1 for none)",
                          w->memory_penalty);
    return CLUMP_OK;
}

static int is_empty(const clump_traffic *traffic)
{
    return traffic->short_messages == 0 && traffic->bulk_messages == 0;
}

/* In lockstep all traffic takes the time of remote traffic. */
static clump_workload in_lockstep(const clump_workload *w)
{
    clump_workload all = *w;
    if (!w->lockstep || is_empty(&w->remote))
        return all;
    all.remote.short_messages += w->local.short_messages;
    all.remote.bulk_messages += w->local.bulk_messages;
    all.remote.bulk_bytes += w->local.bulk_bytes;
    all.local = (clump_traffic){0, 0, 0};
    return all;
}

/* The protocol as messages meet it. */
static clump_loggp met_by(const clump_workload *w, const clump_loggp *protocol)
{
    return w->exchange && w->waited_share > 0 ? clump_answering_protocol(protocol) : *protocol;
}

clump_status clump_traffic_profile(const clump_workload *workload, const clump_loggp *network,
                                   const clump_loggp *shared_memory, clump_demand_profile *profile,
                                   clump_error *error)
{
    clump_status status = check_workload(workload, error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(network, "network", error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(shared_memory, "shared memory", error);
    if (status != CLUMP_OK)
        return status;
    const clump_workload steps = in_lockstep(workload), *const w = &steps;
    const clump_loggp far = met_by(w, network), near = met_by(w, shared_memory);
    const clump_communication_time remote = network_time(w, &w->remote, &far);
    const double local_as_remote = total(network_time(w, &w->local, &far));
    const double local = total(clump_traffic_time(&w->local, &near, w->waited_share));
    const double communication = total(remote) + local_as_remote;
    const double time = w->time_us > 0 ? w->time_us : w->computation_us + communication;
    if (!(time > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the workload takes no time: expected traffic, computation or a time");
    if (communication > time)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the traffic takes %.4g s on the NOW by its LogGP parameters, more than "
                          "the %.4g s given for the whole run",
                          communication / 1e6, time / 1e6);
    clump_communication_time remote_loss, local_loss;
    status = network_loss(w, &w->remote, network, &remote_loss, error);
    if (status == CLUMP_OK)
        status = network_loss(w, &w->local, network, &local_loss, error);
    if (status != CLUMP_OK)
        return status;
    const double lost = total(remote_loss) + total(local_loss);
    const double remote_time = total(remote) + total(remote_loss);
    const double all = communication + lost, local_then = local_as_remote + total(local_loss);
    const double busy = remote.occupancy_us + network_time(w, &w->local, &far).occupancy_us;
    const double stalled = stalled_share(w, time, communication);
    *profile = (clump_demand_profile){
        .utilization = all / (time + lost),
        .time_us = time + lost,
        .loss_factor = communication > 0 ? all / communication : 1,
        .occupancy_factor =
            busy > 0 ? 1 + (remote_loss.occupancy_us + local_loss.occupancy_us) / busy : 1,
        .stalled_fraction = stalled,
        .coupling =
            {
                .remote_fraction = all > 0 ? remote_time / all : 1,
                .cost_ratio = local_then > 0 ? local / local_then : 1,
                .memory_penalty = stalled + (1 - stalled) * w->memory_penalty,
                .waiting_fraction = remote_time > 0
                                        ? (remote.waiting_us + remote_loss.waiting_us) / remote_time
                                        : 0,
            },
    };
    return CLUMP_OK;
}

clump_status clump_workload_need(const clump_workload *workload, const clump_loggp *network,
                                 const clump_loggp *shared_memory, clump_need *need,
                                 double *waited_us, double *time_us, clump_error *error)
{
    clump_demand_profile p;
    double C, D;
    clump_status status = clump_traffic_profile(workload, network, shared_memory, &p, error);
    if (status == CLUMP_OK)
        status = clump_coupling_needs(&p.coupling, p.utilization, &C, &D, error);
    if (status != CLUMP_OK)
        return status;
    *need = (clump_need){C * p.time_us, D * p.time_us, 1};
    *waited_us =
        p.coupling.waiting_fraction * p.coupling.remote_fraction * p.utilization * p.time_us;
    *time_us = p.time_us;
    return status;
}
