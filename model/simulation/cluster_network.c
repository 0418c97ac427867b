/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/cluster_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Groups as even as possible, larger ones first, neighbours together. */
static void tie(network *n)
{
    const size_t P = n->machine->node.processors, N = n->machine->node.nics;
    const size_t *sizes = n->machine->node.group_sizes;
    size_t p = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < (sizes != NULL ? sizes[i] : P / N + (i < P % N)); k++)
            n->nic_of[p++] = (uint32_t)i;
}

static bool is_efficient(const clump_cluster *m)
{
    return m->node.efficiency.table_length == 0 && m->node.efficiency.function == NULL;
}

static bool is_near(const clump_cluster *m)
{
    return model_node_is_near(&m->node) && m->node.placement.slots.bandwidth == 0;
}

static bool make_special(network *n)
{
    const clump_cluster *m = n->machine;
    if (m->node.mapping == CLUMP_MAPPING_POOLED && m->node.max_nics_per_processor > 0 &&
        floor(m->node.max_nics_per_processor) < (double)m->node.nics)
        n->cap = (size_t)m->node.max_nics_per_processor;
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
                   .processors = (uint32_t)machine->node.processors,
                   .node_nics = (uint32_t)machine->node.nics,
                   .ranks = machine->nodes * machine->node.processors,
                   .nic_count = machine->nodes * machine->node.nics};
    n->nics = malloc(n->nic_count * sizeof *n->nics);
    n->ports = malloc(n->ranks * sizeof *n->ports);
    n->nic_of = malloc(machine->node.processors * sizeof *n->nic_of);
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

void network_utilizations(const network *n, double time, double *sending, double *receiving)
{
    *sending = *receiving = 0;
    for (size_t i = 0; i < n->nic_count && time > 0; i++) {
        *sending += n->nics[i].send_busy;
        *receiving += n->nics[i].receive_busy;
    }
    if (time > 0) {
        *sending /= time * (double)n->nic_count;
        *receiving /= time * (double)n->nic_count;
    }
}

/* ---- passages. NICs may not all be alike to a processor, lose when several processors share them, or
 * work for one processor only so many at a time: then a message is given its place when it is handed over, so that what slows it down is what is known
 * then: other processors whose messages are at the NICs, other NICs of the slot that are busy.
 * Where all of them always have something to do, that is all there is.
 */

/** When a message is on a NIC. */
typedef struct network_passage {
    network_nic *nic;
    double start, end, busy;
    double speed; /* of the NIC, for this message */
} network_passage;

/* E(q), q being the processors of the rank's station that have messages at the NICs at `when`. */
static double efficiency(const network *n, uint32_t rank, double when, bool sends)
{
    const double *until = sends ? n->sending : n->receiving;
    if (until == NULL)
        return 1;
    const clump_station station = {.nics = 1, .efficiency = n->machine->node.efficiency};
    const bool tied = n->machine->node.mapping == CLUMP_MAPPING_STATIC;
    const uint32_t own = rank % n->processors, first = rank - own;
    size_t q = 1;
    for (uint32_t p = 0; p < n->processors; p++)
        q += p != own && until[first + p] > when && (!tied || n->nic_of[p] == n->nic_of[own]);
    return clump_station_rate(&station, q);
}

static double free_at(const network_nic *nic, bool sends)
{
    return sends ? nic->send_free : nic->receive_free;
}

/* Speed of a NIC in its slot, beside those that have something to do at `when`. */
static double slot_speed(const network *n, const network_nic *nics, size_t i, double when,
                         bool sends)
{
    const clump_slots *slots = &n->machine->node.placement.slots;
    const size_t ports = slots->ports > 0 ? slots->ports : 1, first = i - i % ports;
    const double bandwidth = slots->bandwidth > 0 ? slots->bandwidth : (double)ports;
    double busy = 1;
    for (size_t k = first; k < first + ports && k < n->node_nics; k++)
        busy += k != i && free_at(&nics[k], sends) > when;
    return fmin(1, bandwidth / busy);
}

static network_passage pass_nic(const network *n, uint32_t rank, network_nic *nics, size_t i,
                                double bytes, double ready, double shared, bool sends)
{
    const clump_cluster *m = n->machine;
    const clump_placement *place = &m->node.placement;
    network_passage passage = {.nic = &nics[i],
                               .start = network_later(ready, free_at(&nics[i], sends))};
    if (m->half_duplex_bus && bytes > 1)
        passage.start = network_later(passage.start, nics[i].bus_free);
    passage.speed =
        shared * slot_speed(n, nics, i, ready, sends) *
        clump_placement_link(
            place, clump_placement_domain(place, rank % n->processors, m->node.processors),
            clump_placement_domain(place, i, m->node.nics));
    passage.end = passage.start +
                  (m->network.gap_us + (bytes - 1) * m->network.gap_us_per_byte) / passage.speed;
    passage.busy = passage.end - passage.start;
    return passage;
}

/* Slots are filled one after the other, or the message ends as soon as it can; at the same time, on
 * the NIC that has been busy for longest, so that none waits for a processor in between. */
static bool is_better(const network *n, const network_passage *a, const network_passage *b,
                      bool sends)
{
    if (n->machine->node.placement.slots.packed)
        return a->start < b->start;
    return a->end < b->end || (a->end == b->end && free_at(a->nic, sends) > free_at(b->nic, sends));
}

static double *next_driven(const network *n, uint32_t rank)
{
    double *ends = &n->driven_until[rank * n->cap], *first = ends;
    for (size_t i = 1; i < n->cap; i++)
        first = ends[i] < *first ? &ends[i] : first;
    return first;
}

/* The NIC of the rank, or the one of its node that is free first. */
static network_nic *nic_for(const network *n, uint32_t rank, bool sends)
{
    const uint32_t node = n->processors == 1 ? rank : rank / n->processors;
    network_nic *first = &n->nics[(size_t)node * n->node_nics];
    if (n->node_nics == 1)
        return first;
    if (n->machine->node.mapping == CLUMP_MAPPING_STATIC)
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

/** Where and when a message of the rank could pass that is ready at `ready`. */
static network_passage pass(const network *n, uint32_t rank, double bytes, double ready, bool sends)
{
    network_nic *nics = &n->nics[(size_t)(rank / n->processors) * n->node_nics];
    if (!n->special) {
        const clump_loggp *p = &n->machine->network;
        network_nic *nic = nic_for(n, rank, sends);
        const double start = network_later(ready, free_at(nic, sends));
        const double busy = p->gap_us + (bytes - 1) * p->gap_us_per_byte;
        return (network_passage){nic, start, start + busy, busy, 1};
    }
    if (n->cap > 0 && sends)
        ready = network_later(ready, *next_driven(n, rank));
    const double shared = efficiency(n, rank, ready, sends);
    if (n->machine->node.mapping == CLUMP_MAPPING_STATIC)
        return pass_nic(n, rank, nics, n->nic_of[rank % n->processors], bytes, ready, shared,
                        sends);
    network_passage best = pass_nic(n, rank, nics, 0, bytes, ready, shared, sends);
    for (size_t i = 1; i < n->node_nics; i++) {
        const network_passage other = pass_nic(n, rank, nics, i, bytes, ready, shared, sends);
        if (is_better(n, &other, &best, sends))
            best = other;
    }
    return best;
}

/** It does: note it. */
static void note_passage(network *n, uint32_t rank, double bytes, const network_passage *passage,
                         bool sends)
{
    const clump_cluster *m = n->machine;
    network_nic *nic = passage->nic;
    double *until = sends ? n->sending : n->receiving;
    if (n->cap > 0 && sends)
        *next_driven(n, rank) = passage->end;
    if (until != NULL)
        until[rank] = network_later(until[rank], passage->end);
    if (m->half_duplex_bus)
        nic->bus_free =
            network_later(nic->bus_free, passage->start + (bytes - 1) * m->network.gap_us_per_byte /
                                                              passage->speed);
    if (sends) {
        if (m->send_queue > 0)
            nic->starts[nic->sent % m->send_queue] = passage->start;
        nic->sent++;
        nic->send_free = passage->end;
        nic->send_busy += passage->busy;
    } else {
        nic->receive_free = passage->end;
        nic->receive_busy += passage->busy;
    }
    if (m->half_duplex)
        nic->send_free = nic->receive_free = network_later(nic->send_free, nic->receive_free);
}

/* ---- messages */

double network_may_send(const network *n, uint32_t from, uint32_t to, double now)
{
    const size_t slots = n->machine->send_queue;
    if (slots == 0 || network_is_local(n, from, to))
        return now;
    const network_nic *nic = pass(n, from, 1, now, true).nic;
    /* There is room once the message `slots` before has left the queue. */
    return nic->sent < slots ? now : network_later(now, nic->starts[nic->sent % slots]);
}

double network_begin(const network *n, uint32_t from, uint32_t to, double bytes, double now,
                     bool sends)
{
    const uint32_t rank = sends ? from : to;
    if (network_is_local(n, from, to)) {
        const network_port *port = &n->ports[rank];
        return network_later(now, sends ? port->send_free : port->receive_free);
    }
    return pass(n, rank, bytes, now, sends).start;
}

double network_send(network *n, uint32_t from, uint32_t to, double bytes, double ready)
{
    const clump_loggp *p = network_protocol(n, from, to);
    if (network_is_local(n, from, to)) {
        network_port *port = &n->ports[from];
        const double start = network_later(ready, port->send_free);
        port->send_free = start + (p->gap_us + (bytes - 1) * p->gap_us_per_byte);
        return start + p->latency_us;
    }
    const network_passage passage = pass(n, from, bytes, ready, true);
    note_passage(n, from, bytes, &passage, true);
    /* From a slow NIC the last byte is late, and the receiver's NIC takes it at its own pace. */
    return passage.start + p->latency_us +
           (bytes - 1) * p->gap_us_per_byte * (1 / passage.speed - 1);
}

double network_receive(network *n, uint32_t from, uint32_t to, double bytes, double now)
{
    const clump_loggp *p = network_protocol(n, from, to);
    const double rest = (bytes - 1) * p->gap_us_per_byte;
    if (network_is_local(n, from, to)) {
        network_port *port = &n->ports[to];
        const double start = network_later(now, port->receive_free);
        port->receive_free = start + (p->gap_us + rest);
        return start + rest;
    }
    const network_passage passage = pass(n, to, bytes, now, false);
    note_passage(n, to, bytes, &passage, false);
    return passage.start + rest / passage.speed;
}
