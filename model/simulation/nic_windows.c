/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/nic_windows.h"

#include <math.h>
#include <stdlib.h>

#define NONE UINT32_MAX

enum {
    MOST_PLACES = 1 << 20,
    FIRST_ROOM = 256,
    MOST_PARTS = UINT8_MAX,
    PACKETS_OF_A_WINDOW = 4,
    MOST_PACKETS = 16 /* of a message */
};

/* Events have 30 bits. */
static const double most_events = 1 << 30;

bool nic_windows_make(nic_windows *t, double window, double longest, network *net,
                      event_queue *events, uint32_t first_event, uint32_t delivery, size_t striped)
{
    *t = (nic_windows){.net = net,
                       .events = events,
                       .first_event = first_event,
                       .delivery = delivery,
                       .spare = NONE,
                       .spare_run = NONE,
                       .gap = net->machine->network.gap_us,
                       .per_byte = net->machine->network.gap_us_per_byte,
                       .latency = net->machine->network.latency_us};
    if (!(window > 0) || net->special || net->node_nics > MOST_PARTS)
        return true;
    const double pairs = (double)net->ranks * (double)net->ranks * net->node_nics;
    t->bytes = fmax(ceil(window / PACKETS_OF_A_WINDOW), ceil(longest / MOST_PACKETS));
    t->window = fmax(window, t->bytes);
    t->places = pairs < MOST_PLACES ? (uint32_t)pairs : MOST_PLACES;
    t->queues = malloc(net->nic_count * sizeof *t->queues);
    t->connections = malloc(t->places * sizeof *t->connections);
    t->parts = striped > 0 ? calloc(striped, 1) : NULL;
    if (t->queues == NULL || t->connections == NULL || (t->parts == NULL && striped > 0))
        return false;
    for (size_t i = 0; i < net->nic_count; i++)
        t->queues[i] = (packet_queue){.first = NONE, .last = NONE};
    for (uint32_t i = 0; i < t->places; i++)
        t->connections[i] = (packet_connection){0, NONE, NONE};
    return true;
}

void nic_windows_release(nic_windows *t)
{
    free(t->flows);
    free(t->runs);
    free(t->queues);
    free(t->connections);
    free(t->parts);
}

/* Room for twice as many. */
static bool grow(nic_windows *t, void **all, size_t size, uint32_t *room)
{
    const uint32_t more = *room > 0 ? 2 * *room : FIRST_ROOM;
    void *grown = (double)t->first_event + (double)t->net->nic_count + more < most_events
                      ? realloc(*all, more * size)
                      : NULL;
    if (grown == NULL) {
        t->events->failed = true;
        return false;
    }
    *all = grown;
    *room = more;
    return true;
}

static uint32_t new_flow(nic_windows *t)
{
    const uint32_t f = t->spare;
    void *all = t->flows;
    if (f != NONE) {
        t->spare = t->flows[f].behind;
        return f;
    }
    if (t->used == t->room && !grow(t, &all, sizeof *t->flows, &t->room))
        return NONE;
    t->flows = all;
    return t->used++;
}

static uint32_t new_run(nic_windows *t)
{
    const uint32_t r = t->spare_run;
    void *all = t->runs;
    if (r != NONE) {
        t->spare_run = t->runs[r].next;
        return r;
    }
    if (t->runs_used == t->runs_room && !grow(t, &all, sizeof *t->runs, &t->runs_room))
        return NONE;
    t->runs = all;
    return t->runs_used++;
}

/* ---- messages */

/* The NIC of the rank, or that of its node that has least to do, and of these the one that is free first. */
static uint32_t choose(const nic_windows *t, uint32_t rank, bool sends)
{
    const network *n = t->net;
    const uint32_t first = rank / n->processors * n->node_nics;
    uint32_t best = first;
    if (n->machine->mapping == CLUMP_MAPPING_STATIC)
        return first + n->nic_of[rank % n->processors];
    for (uint32_t i = first + 1; i < first + n->node_nics; i++) {
        const double a = sends ? t->queues[i].sending : t->queues[i].receiving,
                     b = sends ? t->queues[best].sending : t->queues[best].receiving;
        const double free_a = sends ? n->nics[i].send_free : n->nics[i].receive_free,
                     free_b = sends ? n->nics[best].send_free : n->nics[best].receive_free;
        if (a < b || (a == b && free_a < free_b))
            best = i;
    }
    return best;
}

/* A packet of the flow stands at the end of its NIC's queue. */
static void queue(nic_windows *t, uint32_t f, double now)
{
    const uint32_t nic = t->flows[f].nic;
    packet_queue *q = &t->queues[nic];
    if (q->last != NONE && t->runs[q->last].flow == f) {
        t->runs[q->last].count++;
        return;
    }
    const uint32_t r = new_run(t);
    if (r == NONE)
        return;
    t->runs[r] = (packet_run){f, 1, NONE};
    if (q->first == NONE)
        q->first = r;
    else
        t->runs[q->last].next = r;
    q->last = r;
    if (!q->awaits)
        event_queue_add(t->events, network_later(now, t->net->nics[nic].send_free),
                        t->first_event + nic);
    q->awaits = true;
}

/* The connection queues what its window allows. */
static void fill(nic_windows *t, uint32_t connection, double now)
{
    packet_connection *c = &t->connections[connection];
    while (c->next != NONE && !t->events->failed) {
        packet_flow *flow = &t->flows[c->next];
        const double bytes = fmin(flow->unqueued, t->bytes);
        if (c->queued > 0 && c->queued + bytes > t->window)
            return;
        queue(t, c->next, now);
        c->queued += bytes;
        flow->unqueued -= bytes;
        if (flow->unqueued <= 0)
            c->next = flow->behind;
    }
}

static void add_flow(nic_windows *t, packet_flow flow, double now)
{
    packet_connection *c = &t->connections[flow.connection];
    const uint32_t f = new_flow(t);
    if (f == NONE)
        return;
    t->flows[f] = flow;
    t->queues[flow.nic].sending += flow.leaving;
    if (flow.receiver != NONE)
        t->queues[flow.receiver].receiving += flow.coming;
    if (c->next == NONE)
        c->next = f;
    else
        t->flows[c->last].behind = f;
    c->last = f;
    fill(t, flow.connection, now);
}

void nic_windows_send(nic_windows *t, uint32_t m, uint32_t from, uint32_t to, double bytes, int nic,
                      double now)
{
    const network *n = t->net;
    const uint32_t count = nic == NIC_WINDOWS_ALL ? n->node_nics : 1,
                   first = from / n->processors * n->node_nics,
                   first_to = to / n->processors * n->node_nics;
    const uint64_t pair = (uint64_t)from * n->ranks + to;
    if (t->parts != NULL)
        t->parts[m] = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const double part = network_later(bytes / count, 1);
        const uint32_t own = nic == NIC_WINDOWS_ALL   ? i
                             : nic != NIC_WINDOWS_ANY ? (uint32_t)nic
                                                      : choose(t, from, true) - first;
        add_flow(t,
                 (packet_flow){.unqueued = part,
                               .leaving = part,
                               .coming = part,
                               .message = m,
                               .to = to,
                               .nic = first + own,
                               .receiver = nic == NIC_WINDOWS_ANY ? NONE : first_to + own,
                               .connection = (uint32_t)((pair * n->node_nics + own) % t->places),
                               .behind = NONE},
                 now);
    }
}

/* ---- packets */

/* How long a NIC is busy with it: g once a message, G each byte but the message's first. */
static double busy_time(const nic_windows *t, double bytes, bool last)
{
    return last ? t->gap + (bytes - 1) * t->per_byte : bytes * t->per_byte;
}

/* The next packet of the flow comes. */
static void receive(nic_windows *t, uint32_t f, double now)
{
    packet_flow *flow = &t->flows[f];
    if (flow->receiver == NONE) {
        flow->receiver = choose(t, flow->to, false);
        t->queues[flow->receiver].receiving += flow->coming;
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
    t->queues[flow->receiver].receiving -= bytes;
    if (!last)
        return;
    event_queue_add(t->events, start + network_later(bytes - 1, 0) * t->per_byte,
                    t->delivery | flow->message);
    flow->behind = t->spare;
    t->spare = f;
}

/* A packet is taken off the queue: that of the flow which is returned. */
static uint32_t take(nic_windows *t, packet_queue *q)
{
    const uint32_t r = q->first, f = t->runs[r].flow;
    if (--t->runs[r].count > 0)
        return f;
    q->first = t->runs[r].next;
    if (q->first == NONE)
        q->last = NONE;
    t->runs[r].next = t->spare_run;
    t->spare_run = r;
    return f;
}

static void send(nic_windows *t, uint32_t number, double now)
{
    network_nic *nic = &t->net->nics[number];
    packet_queue *q = &t->queues[number];
    const bool half_duplex = t->net->machine->half_duplex;
    if (nic->send_free > now) { /* it has received meanwhile */
        event_queue_add(t->events, nic->send_free, t->first_event + number);
        return;
    }
    const uint32_t f = take(t, q);
    packet_flow *flow = &t->flows[f];
    const bool last = flow->leaving <= t->bytes;
    const double bytes = last ? flow->leaving : t->bytes;
    const double busy = busy_time(t, bytes, last);
    nic->send_free = now + busy;
    nic->send_busy += busy;
    if (half_duplex)
        nic->receive_free = network_later(nic->receive_free, nic->send_free);
    flow->leaving -= bytes;
    q->sending -= bytes;
    t->connections[flow->connection].queued -= bytes;
    fill(t, flow->connection, now);
    q->awaits = q->first != NONE;
    if (q->awaits)
        event_queue_add(t->events, nic->send_free, t->first_event + number);
    /* Of NICs that do one thing at a time it depends on what they do when it comes. */
    if (half_duplex)
        event_queue_add(t->events, now + t->latency,
                        t->first_event + (uint32_t)t->net->nic_count + f);
    else
        receive(t, f, now + t->latency);
}

void nic_windows_go_on(nic_windows *t, uint32_t event, double now)
{
    const uint32_t number = event - t->first_event;
    if (number < t->net->nic_count)
        send(t, number, now);
    else
        receive(t, number - (uint32_t)t->net->nic_count, now);
}
