/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/systems/packets.h"

#include "protocols/reliability/tree.h"

#include <string.h>

/* As requests: a packet has its number among those of its sender to this receiver (or to all), and
 * waits for those before it, as requests may overtake each other. */

enum { CARRIED_BYTES = 2048, WORDS = 2 };
enum { CARRY = 40, CARRIED, FETCH, FETCHED };  /* handlers, behind those of other systems */
static const uint32_t ALL = UINT32_C(1) << 31; /* with the sender of a request */

typedef struct parcel {
    struct parcel *next;
    uint32_t to, words[WORDS]; /* number; sender and whether it is for all */
    size_t size;
    unsigned char data[];
} parcel;

/* From one sender, of one kind. */
typedef struct channel {
    uint32_t expected;
    parcel *early; /* in order of their numbers */
} channel;

struct clump_packets {
    clump_worker *worker;
    clump_packets_function *take;
    void *context;
    uint32_t variable; /* as requests */
    uint32_t value;    /* the last one fetched */
    uint64_t fetched;  /* so many were */
    uint32_t *sent, sent_to_all;
    channel *from[2]; /* by sender, to me and to all */
    parcel *first, *last;
    bool flushing;
};

/* ---- carried as requests */

static void append(clump_packets *p, uint32_t to, uint32_t number, uint32_t sender,
                   const void *data, size_t size)
{
    parcel *n = clump_worker_borrow(p->worker, sizeof *n + size);
    *n = (parcel){.to = to, .words = {number, sender}, .size = size};
    if (size > 0)
        memcpy(n->data, data, size);
    if (p->first == NULL)
        p->first = n;
    else
        p->last->next = n;
    p->last = n;
}

/* To those who have it from me, of what `origin` sends to all. */
static void append_children(clump_packets *p, uint32_t origin, uint32_t number, const void *data,
                            size_t size)
{
    uint16_t children[CLUMP_TREE_CHILDREN_MOST];
    const unsigned count =
        clump_tree_children(CLUMP_TREE_BINARY, (uint16_t)p->worker->count, (uint16_t)origin,
                            (uint16_t)p->worker->rank, children);
    for (unsigned i = 0; i < count; i++)
        append(p, children[i], number, origin | ALL, data, size);
}

/* Requests handle what has come, which may append: those go, too, and stay in order. */
static void flush(clump_packets *p)
{
    if (p->flushing)
        return;
    p->flushing = true;
    while (p->first != NULL) {
        parcel *n = p->first;
        p->first = n->next;
        /* It stays valid: others only append. */
        clump_worker_request(p->worker, n->to, CARRY, n->words, WORDS, n->size > 0 ? n->data : NULL,
                             n->size);
        clump_worker_give_back(p->worker, n);
    }
    p->flushing = false;
}

static void hand_up(clump_packets *p, uint32_t sender, const void *data, size_t size)
{
    const clump_worker_packet packet = {
        .from = sender & ~ALL, .all = (sender & ALL) != 0, .data = data, .size = size};
    p->take(p, &packet, p->context);
}

/* Keep what came too early. */
static void keep(clump_packets *p, channel *c, const clump_message *m)
{
    parcel *n = clump_worker_borrow(p->worker, sizeof *n + m->size), **at = &c->early;
    *n = (parcel){.words = {m->arguments[0], m->arguments[1]}, .size = m->size};
    if (m->size > 0)
        memcpy(n->data, m->data, m->size);
    while (*at != NULL && (int32_t)((*at)->words[0] - n->words[0]) < 0)
        at = &(*at)->next;
    n->next = *at;
    *at = n;
}

static void on_carry(clump_worker *w, const clump_worker_arrival *arrival, void *context)
{
    clump_packets *p = context;
    const clump_message *m = arrival->message;
    clump_worker_reply(w, arrival, CARRIED, NULL, 0, NULL, 0);
    if (m->count != WORDS)
        clump_worker_fail(w, "a packet without its number");
    const uint32_t number = m->arguments[0], sender = m->arguments[1], from = sender & ~ALL;
    if (from >= w->count || from == w->rank)
        clump_worker_fail(w, "a packet from nobody");
    channel *c = &p->from[(sender & ALL) != 0][from];
    if (sender & ALL) /* before it is its turn: others wait for it */
        append_children(p, from, number, m->data, m->size);
    if (number != c->expected) {
        keep(p, c, m);
        return;
    }
    c->expected++;
    hand_up(p, sender, m->data, m->size);
    while (c->early != NULL && c->early->words[0] == c->expected) {
        parcel *n = c->early;
        c->early = n->next;
        c->expected++;
        hand_up(p, n->words[1], n->data, n->size);
        clump_worker_give_back(p->worker, n);
    }
}

static void on_carried(clump_worker *w, const clump_worker_arrival *arrival, void *context)
{
    (void)w, (void)arrival, (void)context;
}

static void on_fetch(clump_worker *w, const clump_worker_arrival *arrival, void *context)
{
    clump_packets *p = context;
    const uint32_t value = p->variable++;
    clump_worker_reply(w, arrival, FETCHED, &value, 1, NULL, 0);
}

static void on_fetched(clump_worker *w, const clump_worker_arrival *arrival, void *context)
{
    clump_packets *p = context;
    if (arrival->message->count != 1)
        clump_worker_fail(w, "a fetch-and-add without a value");
    p->value = arrival->message->arguments[0];
    p->fetched++;
}

/* ---- carried by those who run the worker */

static void take_packet(const clump_worker_packet *packet, void *context)
{
    clump_packets *p = context;
    if (packet->fetched) {
        p->value = packet->value;
        p->fetched++;
    } else {
        p->take(p, packet, p->context);
    }
}

/* ---- both */

clump_packets *clump_packets_open(clump_worker *w, clump_packets_function *take, void *context)
{
    clump_packets *p = clump_worker_allocate(w, 1, sizeof *p);
    p->worker = w;
    p->take = take;
    p->context = context;
    if (w->packet_ways != NULL) {
        w->take_packet = take_packet;
        w->packet_context = p;
        return p;
    }
    if (w->count > UINT16_MAX)
        clump_worker_fail(w, "more than 65535 workers");
    p->sent = clump_worker_allocate(w, w->count, sizeof *p->sent);
    for (int i = 0; i < 2; i++)
        p->from[i] = clump_worker_allocate(w, w->count, sizeof *p->from[i]);
    clump_worker_set_handler(w, CARRY, on_carry, p);
    clump_worker_set_handler(w, CARRIED, on_carried, p);
    clump_worker_set_handler(w, FETCH, on_fetch, p);
    clump_worker_set_handler(w, FETCHED, on_fetched, p);
    return p;
}

size_t clump_packets_most(const clump_packets *p)
{
    return p->worker->packet_ways != NULL ? p->worker->packet_bytes : CARRIED_BYTES;
}

void clump_packets_send(clump_packets *p, bool all, uint32_t to, const void *data, size_t size)
{
    clump_worker *w = p->worker;
    if (size > clump_packets_most(p) || (!all && (to >= w->count || to == w->rank)))
        clump_worker_fail(w, "a packet to nobody, to itself, or one that is too long");
    if (w->count == 1)
        return;
    if (w->packet_ways != NULL) {
        w->traffic.bulk_remote.messages++;
        w->traffic.bulk_remote.bytes += size;
        w->packet_ways->send(w, all, to, data, size);
    } else if (all) {
        append_children(p, w->rank, p->sent_to_all++, data, size);
    } else {
        append(p, to, p->sent[to]++, w->rank, data, size);
    }
}

void clump_packets_flush(clump_packets *p)
{
    if (p->worker->packet_ways != NULL)
        p->worker->packet_ways->flush(p->worker);
    else
        flush(p);
}

uint32_t clump_packets_fetch_add(clump_packets *p, uint32_t at)
{
    clump_worker *w = p->worker;
    const uint64_t before = p->fetched;
    if (w->packet_ways != NULL) {
        w->packet_ways->fetch_add(w, at);
    } else if (at == w->rank) {
        return p->variable++;
    } else {
        flush(p);
        clump_worker_request(w, at, FETCH, NULL, 0, NULL, 0);
    }
    while (p->fetched == before)
        clump_packets_wait(p);
    return p->value;
}

void clump_packets_wait(clump_packets *p)
{
    clump_packets_flush(p);
    clump_worker_wait(p->worker);
    clump_packets_flush(p);
}

void clump_packets_poll(clump_packets *p)
{
    clump_worker_poll(p->worker);
    clump_packets_flush(p);
}

void clump_packets_charge(clump_packets *p, double words, size_t copied)
{
    if (p->worker->packet_ways != NULL)
        p->worker->packet_ways->charge(p->worker, words, copied, 0);
}

void clump_packets_charge_near(clump_packets *p, double words, size_t copied)
{
    if (p->worker->packet_ways != NULL)
        p->worker->packet_ways->charge(p->worker, words, 0, copied);
}
