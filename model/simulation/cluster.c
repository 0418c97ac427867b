/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/cluster.h"

#include "model/station.h"

#include <math.h>

static bool is_power_of_two(uint32_t x, uint32_t most)
{
    return x != 0 && (x & (x - 1)) == 0 && x <= most;
}

static const char *wrong_parameter(const clump_message_polling *p)
{
    if (p->acceptance > 1024)
        return "acceptance count, expected 1 to 1024";
    if (!is_power_of_two(p->accuracy, UINT32_C(1) << 20))
        return "accuracy a, expected a power of two to 1048576";
    if (!is_power_of_two(p->damping, UINT32_C(1) << 16) || p->damping >= p->accuracy)
        return "damping d, expected a power of two to 65536 that is below the accuracy";
    if (!is_power_of_two(p->equality, UINT32_C(1) << 12))
        return "equality k, expected a power of two to 4096";
    if (p->minimum_skip < 1 || p->minimum_skip > p->maximum_skip)
        return "minimum skip, expected 1 to the maximum skip";
    if (p->maximum_skip > p->damping)
        return "maximum skip, expected the minimum skip to the damping";
    return NULL;
}

clump_status clump_message_polling_check(const clump_message_polling *p, const char *name,
                                         clump_error *error)
{
    const clump_poll_costs *c = &p->costs;
    const double costs[] = {c->local_us, c->network_us, c->strategy_us};
    if (p->acceptance == 0)
        return CLUMP_OK;
    const char *wrong = wrong_parameter(p);
    if (wrong != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: %s", name, wrong);
    for (size_t i = 0; i < 3; i++)
        if (!(costs[i] >= 0 && costs[i] <= 1e9))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s: a poll costs %g us, expected 0 to 1e9", name, costs[i]);
    if (!(c->local_us + c->strategy_us >= 1e-6)) /* who waits polls without end */
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: a poll of shared memory takes %g us, expected "
                          "1e-6 or more",
                          name, c->local_us + c->strategy_us);
    return CLUMP_OK;
}

static const size_t most_ranks = (size_t)1 << 24;
static const size_t most_slots = 4096;

/* What chapter 8 knows of a node. */
static clump_status check_node(const clump_cluster *m, const char *name, clump_error *error)
{
    const clump_node *node = &m->node;
    const clump_station station = {.nics = 1, .efficiency = node->efficiency};
    clump_error found;
    double rate;
    clump_status status = model_node_check(node, &found);
    if (status == CLUMP_OK)
        status = clump_station_check(&station, node->processors, &found);
    if (status == CLUMP_OK && clump_memory_is_station(&node->memory))
        status = clump_memory_rate(&node->memory, node->processors, &rate, &found);
    return status == CLUMP_OK ? status : clump_fail(error, status, "%s: %s", name, found.message);
}

clump_status clump_cluster_check(const clump_cluster *m, const char *name, clump_error *error)
{
    const size_t P = m->node.processors, N = m->node.nics;
    if (m->nodes < 1 || P < 1 || m->nodes > most_ranks / P)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: %zu nodes of %zu processors, expected 1 to %zu ranks", name,
                          m->nodes, P, most_ranks);
    if (N < 1 || N > most_ranks / m->nodes)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: %zu NICs in each of %zu nodes, expected 1 to %zu in all", name, N,
                          m->nodes, most_ranks);
    if (m->send_queue > most_slots || m->receive_queue > most_slots)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: queues of %zu and %zu messages, expected 0 (no limit) to %zu", name,
                          m->send_queue, m->receive_queue, most_slots);
    if (!(m->memory_penalty >= 1e-9 && m->memory_penalty <= 1e9))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: memory penalty %g, expected 1e-9 to 1e9",
                          name, m->memory_penalty);
    clump_status status = check_node(m, name, error);
    if (status == CLUMP_OK)
        status = clump_message_polling_check(&m->polling, name, error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(&m->network, "network", error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(&m->shared_memory, "shared memory", error);
    /* L is below 0 where both overheads overlap. */
    const clump_loggp *protocols[] = {&m->network, &m->shared_memory};
    for (int i = 0; i < 2 && status == CLUMP_OK; i++)
        if (protocols[i]->latency_us + protocols[i]->send_overhead_us < 0)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s: a message arrives %g us before its sender begins (L + o_s of "
                              "%s), expected 0 or later",
                              name, -protocols[i]->latency_us - protocols[i]->send_overhead_us,
                              i == 0 ? "the network" : "shared memory");
    return status;
}

clump_cluster clump_cluster_now(const clump_cluster *machine)
{
    clump_cluster now = *machine;
    now.nodes = machine->nodes * machine->node.processors;
    now.node = (clump_node){.processors = 1, .nics = 1, .watch = machine->node.watch};
    now.memory_penalty = 1;
    now.polling = (clump_message_polling){.acceptance = 0};
    return now;
}
