/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Windows: NICs whose queue holds so many bytes of each connection at a time, and not more. A connection is that of a pair of
 * ranks through one NIC, and its messages go one after the other; what it has not put into the queue follows as its packets leave, behind
 * what others have put there meanwhile. So connections share a NIC that is asked for more than it can carry, and each is slower for it;
 * what fits into a window goes as a whole.
 *
 * It is what TCP does, whose congestion window is 10 segments at first (J. Chu, N. Dukkipati, Y. Cheng, M. Mathis, RFC 6928), and with a window
 * of one packet what NICs do that serve a queue for each connection in turn (J. Nagle, "On packet switches with infinite storage", IEEE Trans.
 * Comm. 35(4), 1987; A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair queueing algorithm", SIGCOMM 1989).
 *
 * Packets reach the receiver's NIC in the order in which they leave, which takes them as they come. Alone on its way, a message takes as
 * long as a whole one.
 *
 * Events have numbers: each NIC's next packet, and, where duplex is half, each packet that comes.
 */

#include "model/simulation/schedule_nics.h"

#include <math.h>
#include <stdlib.h>

#define NONE UINT32_MAX

enum {
    MOST_SLOTS = 1 << 22,
    MOST_PLACES = 1 << 20,
    FIRST_ROOM = 256,
    MOST_PARTS = UINT8_MAX,
    PACKETS_OF_A_WINDOW = 4,
    MOST_PACKETS = 16 /* of a message */
};

/* Whose NICs a message takes: any that has least to do; all of them; or its number. */
enum { ANY = -1, ALL = -2 };

/* Bytes of a window that holds any message. */
static const double whole = 1e18;

/* Events have 30 bits. */
static const double most_events = 1 << 30;

/* A message, or the part of it that goes over one NIC. */
typedef struct packet_flow {
    double unqueued, leaving, coming; /* bytes that have not come to the queue, left it, arrived */
    double buffer;                    /* of `leaving`: then it is told; negative: never */
    uint32_t message, to;
    uint32_t nic,
        receiver; /* of all NICs; where it comes in is chosen when its first packet does */
    uint32_t connection;
    bool joined;     /* it is in the last packet before it */
    uint32_t behind; /* the next one of its connection, or of those that are not in use */
} packet_flow;

typedef struct packet_connection {
    double queued;       /* bytes in the queue of its NIC */
    uint32_t next, last; /* flows with bytes that are not; `last` only if there are any */
} packet_connection;

/* Packets of a flow that stand one after the other. */
typedef struct packet_run {
    uint32_t flow, count;
    uint32_t next; /* in its queue, or of those that are not in use */
} packet_run;

typedef struct packet_queue {
    uint32_t first, last;      /* runs */
    bool awaits;               /* the event of its next packet is to come */
    double sending, receiving; /* bytes of what was given to the NIC, and has not passed it */
} packet_queue;

struct schedule_nics {
    network *net;
    event_queue *events;
    /* Turns. */
    uint32_t step; /* places for each message; 0: NICs are not taken in turn */
    uint64_t stripe_above;
    uint32_t slots; /* of `next` */
    uint8_t
        *next; /* by sender and receiver; pairs may share a place where there are very many ranks */
    /* Windows. */
    double bytes; /* of a packet; 0: messages go as a whole, by the rules of the network */
    double window;
    uint32_t first_event; /* number of the first NIC's packets */
    packet_flow *flows;
    uint32_t used, room, spare; /* flows; `spare`: a list of those that are not in use */
    packet_run *runs;
    uint32_t runs_used, runs_room, spare_run;
    packet_queue *queues;           /* by NIC */
    packet_connection *connections; /* two may share a place where there are very many */
    uint32_t places;
    uint8_t *parts; /* by message, of which not all is there; NULL: each is one part */
};

/* One NIC leaves no choice; tied or special ones have rules of their own. */
static bool make_turns(schedule_nics *n, const clump_schedule_rules *rules)
{
    const network *net = n->net;
    if (rules->nic_turns == 0 || net->node_nics < 2 || net->node_nics >= MOST_PARTS ||
        net->special || net->machine->node.mapping == CLUMP_MAPPING_STATIC)
        return true;
    const double pairs = (double)net->ranks * (double)net->ranks;
    n->step = rules->nic_turns == CLUMP_SCHEDULE_ONE_NIC ? net->node_nics : rules->nic_turns;
    n->stripe_above = rules->stripe_above;
    n->slots = pairs < MOST_SLOTS ? (uint32_t)pairs : MOST_SLOTS;
    n->next = calloc(n->slots, 1);
    return n->next != NULL;
}

static bool make_windows(schedule_nics *n, double window, double longest, size_t messages)
{
    const network *net = n->net;
    const bool striped = n->step > 0 && longest > (double)n->stripe_above && messages > 0;
    if (!(window > 0) || net->special || net->node_nics > MOST_PARTS)
        return true;
    const double pairs = (double)net->ranks * (double)net->ranks * net->node_nics;
    n->bytes = fmax(ceil(window / PACKETS_OF_A_WINDOW), ceil(longest / MOST_PACKETS));
    n->window = fmax(window, n->bytes);
    n->places = pairs < MOST_PLACES ? (uint32_t)pairs : MOST_PLACES;
    n->queues = malloc(net->nic_count * sizeof *n->queues);
    n->connections = malloc(n->places * sizeof *n->connections);
    n->parts = striped ? calloc(messages, 1) : NULL;
    if (n->queues == NULL || n->connections == NULL || (n->parts == NULL && striped))
        return false;
    for (size_t i = 0; i < net->nic_count; i++)
        n->queues[i] = (packet_queue){.first = NONE, .last = NONE};
    for (uint32_t i = 0; i < n->places; i++)
        n->connections[i] = (packet_connection){0, NONE, NONE};
    return true;
}

schedule_nics *schedule_nics_new(const clump_schedule_rules *rules, double longest, network *net,
                                 event_queue *events, uint32_t first_event, size_t messages)
{
    schedule_nics *n = malloc(sizeof *n);
    if (n == NULL)
        return NULL;
    *n = (schedule_nics){
        .net = net, .events = events, .first_event = first_event, .spare = NONE, .spare_run = NONE};
    /* Whose turn it is takes messages as a whole: each is a packet. */
    if (make_turns(n, rules) &&
        make_windows(n,
                     rules->window_bytes == 0 && n->step > 0 ? whole : (double)rules->window_bytes,
                     longest, messages))
        return n;
    schedule_nics_free(n);
    return NULL;
}

void schedule_nics_free(schedule_nics *n)
{
    if (n == NULL)
        return;
    free(n->next);
    free(n->flows);
    free(n->runs);
    free(n->queues);
    free(n->connections);
    free(n->parts);
    free(n);
}

/* ---- turns */

/* The NIC of its node whose turn it is for a message of the pair, or all of them: to be asked once. The last of the places that a message
 * goes on by is its own. */
static int take_turn(schedule_nics *n, uint32_t from, uint32_t to, double bytes)
{
    const uint32_t nics = n->net->node_nics;
    uint8_t *next = &n->next[((uint64_t)from * n->net->ranks + to) % n->slots];
    const uint32_t own = (*next + n->step - 1) % nics;
    *next = (uint8_t)((*next + n->step) % nics);
    return bytes > (double)n->stripe_above ? ALL : (int)own;
}

/* ---- windows */

/* Room for twice as many. */
static bool grow(schedule_nics *n, void **all, size_t size, uint32_t *room)
{
    const uint32_t more = *room > 0 ? 2 * *room : FIRST_ROOM;
    void *grown = (double)n->first_event + (double)n->net->nic_count + more < most_events
                      ? realloc(*all, more * size)
                      : NULL;
    if (grown == NULL) {
        n->events->failed = true;
        return false;
    }
    *all = grown;
    *room = more;
    return true;
}

static uint32_t new_flow(schedule_nics *n)
{
    const uint32_t f = n->spare;
    void *all = n->flows;
    if (f != NONE) {
        n->spare = n->flows[f].behind;
        return f;
    }
    if (n->used == n->room && !grow(n, &all, sizeof *n->flows, &n->room))
        return NONE;
    n->flows = all;
    return n->used++;
}

static uint32_t new_run(schedule_nics *n)
{
    const uint32_t r = n->spare_run;
    void *all = n->runs;
    if (r != NONE) {
        n->spare_run = n->runs[r].next;
        return r;
    }
    if (n->runs_used == n->runs_room && !grow(n, &all, sizeof *n->runs, &n->runs_room))
        return NONE;
    n->runs = all;
    return n->runs_used++;
}

/* The NIC of the rank, or that of its node that has least to do, and of these the one that is free first. */
static uint32_t choose(const schedule_nics *n, uint32_t rank, bool sends)
{
    const network *net = n->net;
    const uint32_t first = rank / net->processors * net->node_nics;
    uint32_t best = first;
    if (net->machine->node.mapping == CLUMP_MAPPING_STATIC)
        return first + net->nic_of[rank % net->processors];
    for (uint32_t i = first + 1; i < first + net->node_nics; i++) {
        const double a = sends ? n->queues[i].sending : n->queues[i].receiving,
                     b = sends ? n->queues[best].sending : n->queues[best].receiving;
        const double free_a = sends ? net->nics[i].send_free : net->nics[i].receive_free,
                     free_b = sends ? net->nics[best].send_free : net->nics[best].receive_free;
        if (a < b || (a == b && free_a < free_b))
            best = i;
    }
    return best;
}

/* A packet of the flow stands at the end of its NIC's queue. */
static void queue(schedule_nics *n, uint32_t f, double now)
{
    const uint32_t nic = n->flows[f].nic;
    packet_queue *q = &n->queues[nic];
    if (q->last != NONE && n->runs[q->last].flow == f) {
        n->runs[q->last].count++;
        return;
    }
    const uint32_t r = new_run(n);
    if (r == NONE)
        return;
    n->runs[r] = (packet_run){f, 1, NONE};
    if (q->first == NONE)
        q->first = r;
    else
        n->runs[q->last].next = r;
    q->last = r;
    if (!q->awaits)
        event_queue_add(n->events, network_later(now, n->net->nics[nic].send_free),
                        n->first_event + nic);
    q->awaits = true;
}

/* The connection queues what its window allows. */
static void fill(schedule_nics *n, uint32_t connection, double now)
{
    packet_connection *c = &n->connections[connection];
    while (c->next != NONE && !n->events->failed) {
        packet_flow *flow = &n->flows[c->next];
        const double bytes = fmin(flow->unqueued, n->bytes);
        if (c->queued > 0 && c->queued + bytes > n->window)
            return;
        queue(n, c->next, now);
        c->queued += bytes;
        flow->unqueued -= bytes;
        if (flow->unqueued <= 0)
            c->next = flow->behind;
    }
}

static void add_flow(schedule_nics *n, packet_flow flow, double now)
{
    packet_connection *c = &n->connections[flow.connection];
    const uint32_t f = new_flow(n);
    if (f == NONE)
        return;
    n->flows[f] = flow;
    n->queues[flow.nic].sending += flow.leaving;
    if (flow.receiver != NONE)
        n->queues[flow.receiver].receiving += flow.coming;
    n->flows[f].joined = flow.joined && (c->next != NONE || c->queued > 0);
    if (c->next == NONE)
        c->next = f;
    else
        n->flows[c->last].behind = f;
    c->last = f;
    fill(n, flow.connection, now);
}

static void send_packets(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to, double bytes,
                         double buffer, int nic, double now)
{
    const network *net = n->net;
    const uint32_t count = nic == ALL ? net->node_nics : 1,
                   first = from / net->processors * net->node_nics,
                   first_to = to / net->processors * net->node_nics;
    const uint64_t pair = (uint64_t)from * net->ranks + to;
    double left = network_later(bytes, 1);
    uint32_t parts = 0;
    for (uint32_t i = 0; i < count && left > 0; i++) {
        /* What is left after the share of a NIC, and no more than goes as a whole, the next one takes. */
        const double part = i + 1 < count && left > (double)n->stripe_above ? bytes / count : left;
        left -= part;
        parts++;
        const uint32_t own = nic == ALL   ? i
                             : nic != ANY ? (uint32_t)nic
                                          : choose(n, from, true) - first;
        add_flow(
            n,
            (packet_flow){.unqueued = part,
                          .leaving = part,
                          .coming = part,
                          .buffer = i == 0 ? buffer / count : -1, /* parts are as good as alike */
                          .message = m,
                          .to = to,
                          .nic = first + own,
                          .receiver = nic == ANY ? NONE : first_to + own,
                          .connection = (uint32_t)((pair * net->node_nics + own) % n->places),
                          .joined = bytes <= 0,
                          .behind = NONE},
            now);
    }
    if (n->parts != NULL)
        n->parts[m] = (uint8_t)parts;
}

/* How long a NIC is busy with it: g once a message, G each byte but the message's first. */
static double busy_time(const schedule_nics *n, double bytes, bool last, bool joined)
{
    const clump_loggp *p = &n->net->machine->network;
    return last && !joined ? p->gap_us + (bytes - 1) * p->gap_us_per_byte
                           : bytes * p->gap_us_per_byte;
}

/* The next packet of the flow comes; `joined`: in the last one of the message before it, whose g is behind both. */
static void receive(schedule_nics *n, uint32_t f, bool joined, double now)
{
    packet_flow *flow = &n->flows[f];
    if (flow->receiver == NONE) {
        flow->receiver = choose(n, flow->to, false);
        n->queues[flow->receiver].receiving += flow->coming;
    }
    network_nic *nic = &n->net->nics[flow->receiver];
    const bool last = flow->coming <= n->bytes;
    const double bytes = last ? flow->coming : n->bytes, busy = busy_time(n, bytes, last, joined);
    const double gap = joined ? n->net->machine->network.gap_us : 0;
    const double start = network_later(now, nic->receive_free - gap);
    nic->receive_free = network_later(nic->receive_free, start + busy);
    nic->receive_busy += busy;
    if (n->net->machine->half_duplex)
        nic->send_free = network_later(nic->send_free, nic->receive_free);
    flow->coming -= bytes;
    n->queues[flow->receiver].receiving -= bytes;
    if (!last)
        return;
    event_queue_add(n->events,
                    start + network_later(bytes - 1, 0) * n->net->machine->network.gap_us_per_byte,
                    SCHEDULE_NICS_DELIVERY | flow->message);
    flow->behind = n->spare;
    n->spare = f;
}

/* A packet is taken off the queue: that of the flow which is returned. */
static uint32_t take(schedule_nics *n, packet_queue *q)
{
    const uint32_t r = q->first, f = n->runs[r].flow;
    if (--n->runs[r].count > 0)
        return f;
    q->first = n->runs[r].next;
    if (q->first == NONE)
        q->last = NONE;
    n->runs[r].next = n->spare_run;
    n->spare_run = r;
    return f;
}

/* The next packet of the flow leaves; `joined`: with the last one of the message before it. */
static void send_packet(schedule_nics *n, uint32_t f, bool joined, double now)
{
    const bool half_duplex = n->net->machine->half_duplex;
    packet_flow *flow = &n->flows[f];
    network_nic *nic = &n->net->nics[flow->nic];
    const bool last = flow->leaving <= n->bytes;
    const double bytes = last ? flow->leaving : n->bytes;
    const double busy = busy_time(n, bytes, last, joined);
    nic->send_free = network_later(now, nic->send_free) + busy;
    nic->send_busy += busy;
    if (half_duplex)
        nic->receive_free = network_later(nic->receive_free, nic->send_free);
    flow->leaving -= bytes;
    if (flow->leaving <= flow->buffer && flow->leaving + bytes > flow->buffer)
        event_queue_add(n->events, nic->send_free, SCHEDULE_NICS_LEFT | flow->message);
    n->queues[flow->nic].sending -= bytes;
    n->connections[flow->connection].queued -= bytes;
    fill(n, flow->connection, now);
    /* Of NICs that do one thing at a time it depends on what they do when it comes. */
    if (half_duplex)
        event_queue_add(n->events, now + n->net->machine->network.latency_us,
                        n->first_event + (uint32_t)n->net->nic_count + f);
    else
        receive(n, f, joined, now + n->net->machine->network.latency_us);
}

static void send(schedule_nics *n, uint32_t number, double now)
{
    const network_nic *nic = &n->net->nics[number];
    packet_queue *q = &n->queues[number];
    if (nic->send_free > now) { /* it has received meanwhile */
        event_queue_add(n->events, nic->send_free, n->first_event + number);
        return;
    }
    uint32_t f = take(n, q);
    const uint32_t connection = n->flows[f].connection;
    send_packet(n, f, false, now);
    while (q->first != NONE && n->flows[n->runs[q->first].flow].joined &&
           n->flows[n->runs[q->first].flow].connection == connection) {
        f = take(n, q);
        send_packet(n, f, true, now);
    }
    q->awaits = q->first != NONE;
    if (q->awaits)
        event_queue_add(n->events, nic->send_free, n->first_event + number);
}

void schedule_nics_go_on(schedule_nics *n, uint32_t event, double now)
{
    const uint32_t number = event - n->first_event;
    if (number < n->net->nic_count)
        send(n, number, now);
    else
        receive(n, number - (uint32_t)n->net->nic_count, false, now);
}

/* ---- */

static bool goes_by_packets(const schedule_nics *n, uint32_t from, uint32_t to)
{
    return n->bytes > 0 && !network_is_local(n->net, from, to);
}

void schedule_nics_send(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to, double bytes,
                        double ready)
{
    const double least = network_later(bytes, 1);
    const double arrival =
        goes_by_packets(n, from, to) ? ready : network_send(n->net, from, to, least, ready);
    event_queue_add(n->events, arrival, SCHEDULE_NICS_ARRIVAL | m);
}

bool schedule_nics_arrive(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to, double bytes,
                          double buffer, double now)
{
    if (buffer >= bytes || (buffer >= 0 && !goes_by_packets(n, from, to))) {
        const clump_loggp *p = network_protocol(n->net, from, to);
        const double left = now - p->latency_us + (bytes - 1 - buffer) * p->gap_us_per_byte;
        event_queue_add(n->events, network_later(now, left), SCHEDULE_NICS_LEFT | m);
        buffer = -1;
    }
    if (goes_by_packets(n, from, to)) {
        const int nic = n->step > 0 ? take_turn(n, from, to, bytes) : ANY;
        send_packets(n, m, from, to, bytes, buffer, nic, now);
        return false;
    }
    const double least = network_later(bytes, 1);
    const double there = network_receive(n->net, from, to, least, now);
    if (there > now)
        event_queue_add(n->events, there, SCHEDULE_NICS_DELIVERY | m);
    return there <= now;
}

bool schedule_nics_complete(schedule_nics *n, uint32_t m)
{
    return n->parts == NULL || n->parts[m] <= 1 || --n->parts[m] == 0;
}
