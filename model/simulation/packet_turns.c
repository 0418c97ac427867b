/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/packet_turns.h"

#include <stdlib.h>

#define NONE UINT32_MAX

enum { MOST_PLACES = 1 << 22, FIRST_FLOWS = 256, MOST_PARTS = UINT8_MAX };

/* Events have 30 bits. */
static const double most_events = 1 << 30;

bool packet_turns_make(packet_turns *t, double bytes, network *net, event_queue *events,
                       uint32_t first_event, uint32_t delivery, size_t messages)
{
    *t = (packet_turns){.net = net,
                        .events = events,
                        .first_event = first_event,
                        .delivery = delivery,
                        .spare = NONE,
                        .gap = net->machine->network.gap_us,
                        .per_byte = net->machine->network.gap_us_per_byte,
                        .latency = net->machine->network.latency_us};
    if (!(bytes > 0) || net->special || net->node_nics > MOST_PARTS)
        return true;
    const double pairs = (double)net->ranks * (double)net->ranks * net->node_nics;
    t->bytes = bytes;
    t->places = pairs < MOST_PLACES ? (uint32_t)pairs : MOST_PLACES;
    t->rings = malloc(net->nic_count * sizeof *t->rings);
    t->last_of = malloc(t->places * sizeof *t->last_of);
    t->parts = calloc(messages > 0 ? messages : 1, 1);
    if (t->rings == NULL || t->last_of == NULL || t->parts == NULL)
        return false;
    for (size_t i = 0; i < net->nic_count; i++)
        t->rings[i] = (packet_ring){NONE, 0, 0};
    for (uint32_t i = 0; i < t->places; i++)
        t->last_of[i] = NONE;
    return true;
}

void packet_turns_release(packet_turns *t)
{
    free(t->flows);
    free(t->rings);
    free(t->last_of);
    free(t->parts);
}

/* ---- flows */

static uint32_t new_flow(packet_turns *t)
{
    uint32_t f = t->spare;
    if (f != NONE) {
        t->spare = t->flows[f].next;
        return f;
    }
    if (t->used == t->room) {
        const uint32_t room = t->room > 0 ? 2 * t->room : FIRST_FLOWS;
        packet_flow *flows =
            (double)t->first_event + (double)t->net->nic_count + room < most_events
                ? realloc(t->flows, room * sizeof *flows)
                : NULL;
        if (flows == NULL) {
            t->events->failed = true;
            return NONE;
        }
        t->flows = flows;
        t->room = room;
    }
    return t->used++;
}

/* The NIC of the rank, or that of its node that has least to do, and of these the one that is free first. */
static uint32_t choose(const packet_turns *t, uint32_t rank, bool sends)
{
    const network *n = t->net;
    const uint32_t first = rank / n->processors * n->node_nics;
    uint32_t best = first;
    if (n->machine->mapping == CLUMP_MAPPING_STATIC)
        return first + n->nic_of[rank % n->processors];
    for (uint32_t i = first + 1; i < first + n->node_nics; i++) {
        const double a = sends ? t->rings[i].sending : t->rings[i].receiving,
                     b = sends ? t->rings[best].sending : t->rings[best].receiving;
        const double free_a = sends ? n->nics[i].send_free : n->nics[i].receive_free,
                     free_b = sends ? n->nics[best].send_free : n->nics[best].receive_free;
        if (a < b || (a == b && free_a < free_b))
            best = i;
    }
    return best;
}

/* Its connection has nothing before it: it gets its turn after all others of its NIC. */
static void queue(packet_turns *t, uint32_t f, double now)
{
    packet_flow *flow = &t->flows[f];
    packet_ring *ring = &t->rings[flow->nic];
    if (ring->last == NONE) {
        flow->next = f;
        event_queue_add(t->events, network_later(now, t->net->nics[flow->nic].send_free),
                        t->first_event + flow->nic);
    } else {
        flow->next = t->flows[ring->last].next;
        t->flows[ring->last].next = f;
    }
    ring->last = f;
}

static void add_flow(packet_turns *t, packet_flow flow, double now)
{
    const uint32_t f = new_flow(t);
    if (f == NONE)
        return;
    const uint32_t before = t->last_of[flow.connection];
    t->flows[f] = flow;
    t->rings[flow.nic].sending += flow.leaving;
    if (flow.receiver != NONE)
        t->rings[flow.receiver].receiving += flow.coming;
    t->last_of[flow.connection] = f;
    if (before != NONE)
        t->flows[before].behind = f;
    else
        queue(t, f, now);
}

void packet_turns_send(packet_turns *t, uint32_t m, uint32_t from, uint32_t to, double bytes,
                       int nic, double now)
{
    const network *n = t->net;
    const uint32_t count = nic == PACKET_ALL_NICS ? n->node_nics : 1,
                   first = from / n->processors * n->node_nics,
                   first_to = to / n->processors * n->node_nics;
    const uint64_t pair = (uint64_t)from * n->ranks + to;
    t->parts[m] = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const double part = network_later(bytes / count, 1);
        const uint32_t own = nic == PACKET_ALL_NICS  ? i
                             : nic != PACKET_ANY_NIC ? (uint32_t)nic
                                                     : choose(t, from, true) - first;
        add_flow(t,
                 (packet_flow){.leaving = part,
                               .coming = part,
                               .message = m,
                               .to = to,
                               .nic = first + own,
                               .receiver = nic == PACKET_ANY_NIC ? NONE : first_to + own,
                               .connection = (uint32_t)((pair * n->node_nics + own) % t->places),
                               .behind = NONE},
                 now);
    }
}

/* ---- packets */

/* How long a NIC is busy with it: g once a message, G each byte but the message's first. */
static double busy_time(const packet_turns *t, double bytes, bool last)
{
    return last ? t->gap + (bytes - 1) * t->per_byte : bytes * t->per_byte;
}

/* The next packet of the flow comes. */
static void receive(packet_turns *t, uint32_t f, double now)
{
    packet_flow *flow = &t->flows[f];
    if (flow->receiver == NONE) {
        flow->receiver = choose(t, flow->to, false);
        t->rings[flow->receiver].receiving += flow->coming;
    }
    network_nic *nic = &t->net->nics[flow->receiver];
    const bool last = flow->coming <= t->bytes;
    const double bytes = last ? flow->coming : t->bytes, busy = busy_time(t, bytes, last);
    const double start = network_later(now, nic->receive_free);
    nic->receive_free = start + busy;
    nic->receive_busy += busy;
    if (t->net->machine->half_duplex)
        nic->send_free = network_later(nic->send_free, nic->receive_free);
    flow->coming -= bytes;
    t->rings[flow->receiver].receiving -= bytes;
    if (!last)
        return;
    event_queue_add(t->events, start + network_later(bytes - 1, 0) * t->per_byte,
                    t->delivery | flow->message);
    flow->next = t->spare;
    t->spare = f;
}

static void take_turn(packet_turns *t, uint32_t number, double now)
{
    network_nic *nic = &t->net->nics[number];
    packet_ring *ring = &t->rings[number];
    const bool half_duplex = t->net->machine->half_duplex;
    if (nic->send_free > now) { /* it has received meanwhile */
        event_queue_add(t->events, nic->send_free, t->first_event + number);
        return;
    }
    const uint32_t f = t->flows[ring->last].next;
    packet_flow *flow = &t->flows[f];
    const bool last = flow->leaving <= t->bytes;
    const double bytes = last ? flow->leaving : t->bytes, busy = busy_time(t, bytes, last);
    nic->send_free = now + busy;
    nic->send_busy += busy;
    if (half_duplex)
        nic->receive_free = network_later(nic->receive_free, nic->send_free);
    flow->leaving -= bytes;
    ring->sending -= bytes;
    if (!last)
        ring->last = f;
    else if (ring->last == f)
        ring->last = NONE;
    else
        t->flows[ring->last].next = flow->next;
    if (ring->last != NONE)
        event_queue_add(t->events, nic->send_free, t->first_event + number);
    if (last) {
        const uint32_t behind = flow->behind, connection = flow->connection;
        if (behind != NONE)
            queue(t, behind, now);
        else
            t->last_of[connection] = NONE;
    }
    /* Of NICs that do one thing at a time it depends on what they do when it comes. */
    if (half_duplex)
        event_queue_add(t->events, now + t->latency,
                        t->first_event + (uint32_t)t->net->nic_count + f);
    else
        receive(t, f, now + t->latency);
}

void packet_turns_go_on(packet_turns *t, uint32_t event, double now)
{
    const uint32_t number = event - t->first_event;
    if (number < t->net->nic_count)
        take_turn(t, number, now);
    else
        receive(t, number - (uint32_t)t->net->nic_count, now);
}
