/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long chains of messages take, and all of it from LogGP and the NICs of a node (MODEL.md 33). */
#include "model/workload/collective_time.h"
#include "model/constants.h"

#include "model/station.h"

#include <math.h>

/* ---- of a chain */

/* Messages of one size, as far as is known. */
static double within_us(const clump_collective_chain *chain, const clump_collective_local *local,
                        double hops, double bytes)
{
    const double from = chain->fetched_from > 0 ? chain->fetched_from : local->long_from;
    const bool fetched = local->long_from > 0 && hops > 0 && bytes >= hops * from;
    return fetched ? hops * local->long_latency_us + bytes * local->long_gap_us_per_byte
                   : hops * local->latency_us + bytes * local->gap_us_per_byte;
}

double clump_collective_us(const clump_collective_chain *chain, const clump_collective_local *local)
{
    const double inner = within_us(chain, local, chain->inner_hops, chain->inner_bytes);
    const double first = chain->us +
                         within_us(chain, local, chain->local_hops, chain->local_bytes) +
                         chain->combined_bytes * local->combine_us_per_byte;
    const double followed = within_us(chain, local, chain->follow_hops, chain->follow_bytes);
    const double exchanged =
        chain->exchange_bytes > 0 ? within_us(chain, local, 1, chain->exchange_bytes) : 0;
    return fmax(chain->busy_us, fmax(inner, first) + fmax(chain->follow_us, followed)) +
           fmax(chain->exchange_us, exchanged);
}

/* The first byte of a message is in its overheads and its latency. */
static double hops_us(double hops, double bytes, const clump_loggp *p)
{
    return hops * (p->send_overhead_us + p->latency_us + p->receive_overhead_us) +
           fmax(bytes - hops, 0) * p->gap_us_per_byte;
}

static double one_after_the_other_us(double messages, double bytes, const clump_loggp *p)
{
    const double busy = messages * p->gap_us + fmax(bytes - messages, 0) * p->gap_us_per_byte;
    const double overheads = messages * (p->send_overhead_us + p->receive_overhead_us);
    return messages > 0
               ? fmax(busy - p->gap_us + p->send_overhead_us + p->receive_overhead_us, overheads) +
                     p->latency_us
               : 0;
}

/* The same with all parameters of messages within a node. */
static double loggp_us(const clump_collective_chain *c, const clump_loggp *p)
{
    if (c->at_once)
        return fmax(c->busy_us, one_after_the_other_us(c->local_hops, c->local_bytes, p));
    const double rest =
        fmax(p->gap_us - p->send_overhead_us - p->latency_us - p->receive_overhead_us, 0);
    const double first = c->us + hops_us(c->local_hops, c->local_bytes - c->local_more, p) +
                         c->local_more * fmax(p->gap_us, p->send_overhead_us) +
                         c->local_again * rest;
    const double followed = hops_us(c->follow_hops, c->follow_bytes, p);
    const double exchanged = c->exchange_bytes > 0 ? hops_us(1, c->exchange_bytes, p) : 0;
    return fmax(c->busy_us, fmax(hops_us(c->inner_hops, c->inner_bytes, p), first) +
                                fmax(c->follow_us, followed)) +
           fmax(c->exchange_us, exchanged);
}

/* ---- LogGP between nodes, and NICs that are shared */

/* What the NICs serve while messages of so many processors are there, in NICs that work for all of them. */
static double shared_rate(const clump_node *node, double flows, double runs)
{
    const double most = (double)node->processors, all = fmax(ceil(flows - MODEL_ROUNDED), 1);
    const double senders = fmin(all, most);
    if (node->mapping == CLUMP_MAPPING_POOLED) {
        const clump_station station = {.nics = (double)node->nics,
                                       .max_nics_per_processor = node->max_nics_per_processor,
                                       .efficiency = node->efficiency,
                                       .gang_size = 1,
                                       .slots = node->placement.slots};
        const double rate = clump_station_rate(&station, (size_t)senders);
        if (!(all > senders))
            return rate;
        clump_station lossless = station;
        lossless.efficiency = (clump_efficiency){.table = NULL};
        /* What is lost, is lost by processors, however many messages they have. */
        return clump_station_rate(&lossless, (size_t)fmin(all, 2 * most)) * rate /
               clump_station_rate(&lossless, (size_t)senders);
    }
    /* neighbours share a NIC: of few that send, those of one NIC are last */
    const double group = ceil(most / (double)node->nics);
    const double busy = node->nics > 1 ? fmin(ceil(senders / runs), group) : senders;
    const clump_station own = {.nics = 1, .efficiency = node->efficiency, .gang_size = 1};
    return senders / busy * clump_station_rate(&own, (size_t)busy);
}

/* For a gap and the bytes of what leaves. */
static double leaving_us(const clump_collective_clump *c, double flows, double runs, double gaps,
                         double bytes)
{
    return flows * (gaps * c->network.gap_us + fmax(bytes - 1, 0) * c->network.gap_us_per_byte) /
           shared_rate(c->node, flows, runs);
}

/* Through a bus that moves one direction at a time as many bytes arrive: messages like others to pooled NICs, which may have one that
 * is free; statically mapped processors have the same NIC for them. */
static double arriving_us(const clump_collective_clump *c, double flows, double runs, double bytes)
{
    const double one_way = leaving_us(c, flows, runs, 0, bytes);
    if (!c->half_duplex)
        return 0;
    return c->node->mapping == CLUMP_MAPPING_POOLED
               ? fmax(leaving_us(c, 2 * flows, runs, 0, bytes) - one_way, 0)
               : one_way;
}

static double loggp_busy_us(const void *context, double flows, double runs, double bytes)
{
    const clump_collective_clump *c = context;
    return leaving_us(c, flows, runs, 1, bytes) + arriving_us(c, flows, runs, bytes);
}

/* Messages of which each takes one NIC are whole: of four on three NICs the last one is alone behind another. */
static double last_us(const clump_collective_clump *c, double flows, double runs, double bytes)
{
    const clump_node *node = c->node;
    const double nics = (double)node->nics, most = node->max_nics_per_processor;
    const double busy = leaving_us(c, flows, runs, 1, bytes);
    return node->mapping == CLUMP_MAPPING_POOLED && most > 0 && most <= 1 && flows > nics
               ? busy * ceil(flows / nics - MODEL_ROUNDED) * nics / flows
               : busy;
}

/* The last of them leaves when the others have; its own gap is beside its latency. What arrives through the same bus waits until
 * all has left. */
static double loggp_message_us(const void *context, double flows, double runs, double bytes)
{
    const clump_collective_clump *c = context;
    const clump_loggp *p = &c->network;
    const double behind = arriving_us(c, flows, runs, bytes);
    return p->send_overhead_us + p->latency_us + p->receive_overhead_us +
           fmax(last_us(c, flows, runs, bytes) - p->gap_us, 0) +
           fmax(behind - fmax(p->latency_us, 0), 0);
}

/* A gap that is longer than the way of a message ends after it has arrived. A processor that keeps several NICs busy takes turns. */
static double loggp_rest_us(const void *context, double flows, double bytes)
{
    const clump_collective_clump *c = context;
    const clump_node *node = c->node;
    const double most = fmin(node->max_nics_per_processor, (double)node->nics / flows);
    const double turns = node->mapping == CLUMP_MAPPING_POOLED ? fmax(floor(most), 1) : 1;
    return fmax(loggp_busy_us(c, flows, 1, bytes) / turns - loggp_message_us(c, flows, 1, bytes),
                0);
}

static double loggp_local_us(const void *context, double waits, double waits_bytes, double bytes)
{
    const clump_collective_clump *c = context;
    const clump_loggp *p = &c->shared_memory;
    return p->send_overhead_us + p->latency_us + p->receive_overhead_us +
           fmax(bytes + waits_bytes - waits - 1, 0) * p->gap_us_per_byte +
           waits * fmax(p->gap_us, p->send_overhead_us);
}

static double loggp_exchange_us(const void *context, double flows, double messages, double bytes)
{
    const clump_collective_clump *c = context;
    const clump_loggp *p = &c->network;
    const double overheads = p->send_overhead_us + p->receive_overhead_us;
    return p->latency_us +
           fmax(messages * loggp_busy_us(c, flows, 1, bytes) - p->gap_us + overheads,
                messages * overheads);
}

static clump_status misfit(const clump_collective_request *call, size_t processors,
                           clump_error *error)
{
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "%s: %lu of %lu ranks, %lu apart, on nodes of %zu processors: expected "
                      "numbers that divide each other, so that all nodes have as many of them",
                      clump_collective_kind_name(call->kind), (unsigned long)call->size,
                      (unsigned long)call->ranks, (unsigned long)call->stride, processors);
}

clump_status clump_collective_lay_out(const clump_collective_request *call, size_t processors,
                                      clump_collective_layout *layout, clump_error *error)
{
    const uint64_t P = processors, size = call->size, stride = call->stride, span = size * stride;
    if (P < 1 || size < 1 || stride < 1 || span > call->ranks || call->ranks % span != 0 ||
        call->ranks % P != 0)
        return misfit(call, processors, error);
    uint64_t each = 1;
    if (span <= P)
        each = P % span == 0 ? size : 0;
    else if (stride >= P)
        each = stride % P == 0 || size == 1 ? 1 : 0;
    else
        each = P % stride == 0 && span % P == 0 ? P / stride : 0;
    if (each == 0)
        return misfit(call, processors, error);
    *layout = (clump_collective_layout){
        .ranks = (double)size, .each = (double)each, .groups = (double)(P / each)};
    return CLUMP_OK;
}

clump_status clump_collective_time(const clump_collective_request *call,
                                   const clump_collective_clump *clump, clump_collective_cost *cost,
                                   clump_error *error)
{
    clump_collective_clump one_way = *clump;
    one_way.half_duplex = false;
    const bool tied = clump->node->mapping == CLUMP_MAPPING_STATIC && clump->node->nics > 1;
    const clump_collective_between between = {.message_us = loggp_message_us,
                                              .busy_us = loggp_busy_us,
                                              .rest_us = loggp_rest_us,
                                              .exchange_us = loggp_exchange_us,
                                              .context = clump,
                                              .local_us = loggp_local_us,
                                              .one_way = &one_way,
                                              .apart = tied ? &one_way : clump};
    clump_collective_layout layout;
    clump_collective_chain chain;
    clump_status status = clump_collective_lay_out(call, clump->node->processors, &layout, error);
    if (status == CLUMP_OK)
        status = clump_collective_chain_make(call->kind, call->algorithm, call->bytes, &layout,
                                             &between, &chain, error);
    if (status != CLUMP_OK)
        return status;
    *cost = (clump_collective_cost){
        .us = loggp_us(&chain, &clump->shared_memory),
        .nic_us = chain.remote_messages * clump->network.gap_us +
                  (fmax(chain.remote_bytes - chain.remote_messages, 0) +
                   (clump->half_duplex ? chain.both_bytes : 0)) *
                      clump->network.gap_us_per_byte,
        .remote_messages = chain.remote_messages,
        .remote_bytes = chain.remote_bytes,
    };
    return CLUMP_OK;
}

clump_status clump_collective_fastest(const clump_collective_request *call,
                                      const clump_collective_clump *clump,
                                      clump_collective_algorithm *algorithm,
                                      clump_collective_cost *cost, clump_error *error)
{
    bool any = false;
    for (int a = 0; a < CLUMP_COLLECTIVE_ALGORITHMS; a++) {
        clump_collective_request tried = *call;
        clump_collective_cost found;
        tried.algorithm = (clump_collective_algorithm)a;
        if (!clump_collective_is_timed(call->kind, tried.algorithm))
            continue;
        const clump_status status = clump_collective_time(&tried, clump, &found, error);
        if (status != CLUMP_OK)
            return status;
        if (!any || found.us < (1 - MODEL_ROUNDED) * cost->us) { /* of equal ones the first */
            *algorithm = tried.algorithm;
            *cost = found;
        }
        any = true;
    }
    return any ? CLUMP_OK
               : clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "found collective kind %d, whose time is "
                            "not known",
                            (int)call->kind);
}

/* ---- NCCL */

/* The part of a node that a communicator has. */
static clump_nccl_node part_of_node(const clump_collective_clump *c,
                                    const clump_collective_layout *layout)
{
    clump_nccl_node n = *c->nccl;
    const double all = n.gpus, nics = (double)c->node->nics / layout->groups;
    n.nodes = layout->ranks / layout->each;
    n.gpus = layout->each;
    n.nics = fmax(1, floor(nics + MODEL_ROUNDED));
    n.nic_gb *= nics / n.nics;
    if (n.nvlink && !n.nvswitch && all > 1)
        n.inside_gb *= fmin((n.gpus - 1) / (all - 1), 1);
    return n;
}

static clump_collective_algorithm nearest_way(clump_collective_kind kind, bool tree)
{
    if (tree)
        return CLUMP_COLLECTIVE_REDUCE_FIRST;
    return kind == CLUMP_COLLECTIVE_BROADCAST ? CLUMP_COLLECTIVE_CHAIN : CLUMP_COLLECTIVE_RING;
}

clump_status clump_collective_nccl(const clump_collective_request *call,
                                   const clump_collective_clump *clump,
                                   clump_collective_algorithm *algorithm,
                                   clump_collective_cost *cost, clump_error *error)
{
    const clump_nccl_call c = {call->kind, call->bytes, false};
    clump_collective_layout layout;
    clump_nccl_time time;
    if (clump->nccl == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "NCCL: found no links between GPUs, expected a platform with topology, "
                          "the file of a node of NVIDIA's GPUs");
    clump_status status = clump_collective_lay_out(call, clump->node->processors, &layout, error);
    if (status != CLUMP_OK)
        return status;
    const clump_nccl_node part = part_of_node(clump, &layout);
    status = clump_nccl_time_of(&part, &c, &time, error);
    if (status != CLUMP_OK)
        return status;
    /* each part of a ring leaves each node, on laps ways; of a tree what goes up and comes down */
    const double laps = call->kind == CLUMP_COLLECTIVE_ALLREDUCE ? 2 : 1;
    const double all =
        call->kind == CLUMP_COLLECTIVE_ALLGATHER ? layout.ranks * call->bytes : call->bytes;
    const double share = time.tree || call->kind == CLUMP_COLLECTIVE_BROADCAST
                             ? 1
                             : (layout.ranks - 1) / layout.ranks;
    *algorithm = nearest_way(call->kind, time.tree);
    *cost = (clump_collective_cost){.us = time.us,
                                    .way = clump_nccl_way_name(time.tree, time.protocol)};
    if (part.nodes > 1.5) {
        cost->remote_bytes = layout.groups * laps * share * all;
        cost->nic_us = cost->remote_bytes / (1000 * clump->nccl->nic_gb);
    }
    return CLUMP_OK;
}
