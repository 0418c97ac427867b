/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/cluster_network.h"

#include "model/simulation/message_poll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t most_ranks = (size_t)1 << 24;
static const size_t most_slots = 4096;

static clump_status check_groups(const clump_cluster *m, const char *name, clump_error *error)
{
    size_t sum = 0;
    if (m->group_sizes == NULL)
        return CLUMP_OK;
    if (m->mapping != CLUMP_MAPPING_STATIC)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: group sizes with pooled NICs, expected them with static mapping",
                          name);
    for (size_t i = 0; i < m->nics && sum <= m->processors; i++)
        sum += m->group_sizes[i] < m->processors ? m->group_sizes[i] : m->processors;
    if (sum != m->processors)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: group sizes add up to %s than the %zu processors of a node", name,
                          sum < m->processors ? "less" : "more", m->processors);
    return CLUMP_OK;
}

/* What chapter 8 knows of a node, beside P and N. */
static clump_status check_shape(const clump_cluster *m, const char *name, clump_error *error)
{
    const clump_station station = {.nics = 1, .efficiency = m->efficiency};
    const double most = m->max_nics_per_processor;
    clump_status status = check_groups(m, name, error);
    if (status == CLUMP_OK && most != 0 && !(most >= 1 && isfinite(most)))
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "%s: %g NICs a processor, expected 1 or more, or 0 for no limit", name,
                            most);
    if (status == CLUMP_OK)
        status = clump_station_check(&station, m->processors, error);
    return status == CLUMP_OK ? clump_placement_check(&m->placement, error) : status;
}

clump_status clump_cluster_check(const clump_cluster *m, const char *name, clump_error *error)
{
    if (m->nodes < 1 || m->processors < 1 || m->nodes > most_ranks / m->processors)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: %zu nodes of %zu processors, expected 1 to %zu ranks", name,
                          m->nodes, m->processors, most_ranks);
    if (m->nics < 1 || m->nics > most_ranks / m->nodes)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: %zu NICs in each of %zu nodes, expected 1 to %zu in all", name,
                          m->nics, m->nodes, most_ranks);
    if (m->mapping != CLUMP_MAPPING_POOLED && m->mapping != CLUMP_MAPPING_STATIC)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: mapping %d is neither pooled nor static",
                          name, (int)m->mapping);
    if (m->send_queue > most_slots || m->receive_queue > most_slots)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: queues of %zu and %zu messages, expected 0 (no limit) to %zu", name,
                          m->send_queue, m->receive_queue, most_slots);
    if (!(m->memory_penalty >= 1e-9 && m->memory_penalty <= 1e9))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: memory penalty %g, expected 1e-9 to 1e9",
                          name, m->memory_penalty);
    clump_status status = check_shape(m, name, error);
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

/* Groups as even as possible, larger ones first, neighbours together. */
static void tie(network *n)
{
    const size_t P = n->machine->processors, N = n->machine->nics;
    const size_t *sizes = n->machine->group_sizes;
    size_t p = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < (sizes != NULL ? sizes[i] : P / N + (i < P % N)); k++)
            n->nic_of[p++] = (uint32_t)i;
}

static bool is_efficient(const clump_cluster *m)
{
    return m->efficiency.table_length == 0 && m->efficiency.function == NULL;
}

static bool is_near(const clump_cluster *m)
{
    const clump_placement *p = &m->placement;
    const bool near = p->near == 0 || p->near == 1, far = p->far == 0 || p->far == 1;
    return near && (far || p->domains <= 1) && p->slots.bandwidth == 0;
}

static bool make_special(network *n)
{
    const clump_cluster *m = n->machine;
    if (m->mapping == CLUMP_MAPPING_POOLED && m->max_nics_per_processor > 0 &&
        floor(m->max_nics_per_processor) < (double)m->nics)
        n->cap = (size_t)m->max_nics_per_processor;
    n->special = n->cap > 0 || !is_efficient(m) || !is_near(m) || m->half_duplex_bus;
    if (n->cap > 0)
        n->driven_until = malloc(n->ranks * n->cap * sizeof *n->driven_until);
    if (!is_efficient(m)) {
        n->sending = malloc(n->ranks * sizeof *n->sending);
        n->receiving = malloc(n->ranks * sizeof *n->receiving);
    }
    return (n->cap == 0 || n->driven_until != NULL) &&
           (is_efficient(m) || (n->sending != NULL && n->receiving != NULL));
}

bool network_make(network *n, const clump_cluster *machine)
{
    const size_t slots = machine->send_queue;
    *n = (network){.machine = machine,
                   .processors = (uint32_t)machine->processors,
                   .node_nics = (uint32_t)machine->nics,
                   .ranks = machine->nodes * machine->processors,
                   .nic_count = machine->nodes * machine->nics};
    n->nics = malloc(n->nic_count * sizeof *n->nics);
    n->ports = malloc(n->ranks * sizeof *n->ports);
    n->nic_of = malloc(machine->processors * sizeof *n->nic_of);
    if (slots > 0)
        n->starts = malloc(n->nic_count * slots * sizeof *n->starts);
    if (n->nics == NULL || n->ports == NULL || n->nic_of == NULL ||
        (slots > 0 && n->starts == NULL))
        return false;
    tie(n);
    return make_special(n);
}

void network_release(network *n)
{
    free(n->nics);
    free(n->ports);
    free(n->nic_of);
    free(n->starts);
    free(n->driven_until);
    free(n->sending);
    free(n->receiving);
}

void network_reset(network *n)
{
    const size_t slots = n->machine->send_queue;
    memset(n->nics, 0, n->nic_count * sizeof *n->nics);
    memset(n->ports, 0, n->ranks * sizeof *n->ports);
    for (size_t i = 0; slots > 0 && i < n->nic_count; i++)
        n->nics[i].starts = n->starts + i * slots;
    if (n->cap > 0)
        memset(n->driven_until, 0, n->ranks * n->cap * sizeof *n->driven_until);
    if (n->sending != NULL) {
        memset(n->sending, 0, n->ranks * sizeof *n->sending);
        memset(n->receiving, 0, n->ranks * sizeof *n->receiving);
    }
}

/* The NIC of the rank, or the one of its node that is free first. */
static network_nic *nic_for(const network *n, uint32_t rank, bool sends)
{
    const uint32_t node = n->processors == 1 ? rank : rank / n->processors;
    network_nic *first = &n->nics[(size_t)node * n->node_nics];
    if (n->node_nics == 1)
        return first;
    if (n->machine->mapping == CLUMP_MAPPING_STATIC)
        return first + n->nic_of[rank % n->processors];
    network_nic *best = first;
    for (uint32_t i = 1; i < n->node_nics; i++) {
        const double a = sends ? first[i].send_free : first[i].receive_free;
        const double b = sends ? best->send_free : best->receive_free;
        if (a < b)
            best = first + i;
    }
    return best;
}

double network_may_send(const network *n, uint32_t from, uint32_t to, double now)
{
    const size_t slots = n->machine->send_queue;
    if (slots == 0 || network_is_local(n, from, to))
        return now;
    const network_nic *nic =
        n->special ? network_pass(n, from, 1, now, true).nic : nic_for(n, from, true);
    /* There is room once the message `slots` before has left the queue. */
    return nic->sent < slots ? now : network_later(now, nic->starts[nic->sent % slots]);
}

double network_send(network *n, uint32_t from, uint32_t to, double bytes, double ready)
{
    const clump_loggp *p = network_protocol(n, from, to);
    const double busy = p->gap_us + (bytes - 1) * p->gap_us_per_byte;
    if (network_is_local(n, from, to)) {
        network_port *port = &n->ports[from];
        const double start = network_later(ready, port->send_free);
        port->send_free = start + busy;
        return start + p->latency_us;
    }
    if (n->special) {
        const network_passage passage = network_pass(n, from, bytes, ready, true);
        network_passed(n, from, bytes, &passage, true);
        /* From a slow NIC the last byte is late, and the receiver's NIC takes it at its own pace.
         */
        return passage.start + p->latency_us +
               (bytes - 1) * p->gap_us_per_byte * (1 / passage.speed - 1);
    }
    network_nic *nic = nic_for(n, from, true);
    const double start = network_later(ready, nic->send_free);
    nic->send_free = start + busy;
    if (n->machine->half_duplex)
        nic->receive_free = network_later(nic->receive_free, nic->send_free);
    nic->send_busy += busy;
    if (n->machine->send_queue > 0)
        nic->starts[nic->sent % n->machine->send_queue] = start;
    nic->sent++;
    return start + p->latency_us;
}

double network_receive(network *n, uint32_t from, uint32_t to, double bytes, double now)
{
    const clump_loggp *p = network_protocol(n, from, to);
    const double rest = (bytes - 1) * p->gap_us_per_byte, busy = p->gap_us + rest;
    if (network_is_local(n, from, to)) {
        network_port *port = &n->ports[to];
        const double start = network_later(now, port->receive_free);
        port->receive_free = start + busy;
        return start + rest;
    }
    if (n->special) {
        const network_passage passage = network_pass(n, to, bytes, now, false);
        network_passed(n, to, bytes, &passage, false);
        return passage.start + rest / passage.speed;
    }
    network_nic *nic = nic_for(n, to, false);
    const double start = network_later(now, nic->receive_free);
    nic->receive_free = start + busy;
    if (n->machine->half_duplex)
        nic->send_free = network_later(nic->send_free, nic->receive_free);
    nic->receive_busy += busy;
    return start + rest;
}

clump_cluster clump_cluster_now(const clump_cluster *machine)
{
    clump_cluster now = *machine;
    now.nodes = machine->nodes * machine->processors;
    now.processors = now.nics = 1;
    now.mapping = CLUMP_MAPPING_POOLED;
    now.memory_penalty = 1;
    now.group_sizes = NULL;
    now.efficiency = (clump_efficiency){.table = NULL};
    now.placement = (clump_placement){.domains = 0};
    now.max_nics_per_processor = 0;
    now.polling = (clump_message_polling){.acceptance = 0};
    return now;
}
