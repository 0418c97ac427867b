/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/systems/panda.h"

#include <string.h>

/*
 * A packet begins with 4 bytes: what it is, its port, and 2 of 0. The first of a message goes on with
 * 12: the size of the message, the number of a call, and the place of an ordered broadcast, each the
 * lowest byte first. The others have data behind the 4.
 */
enum { SEND = 1, ASK, ANSWER, BROADCAST, ORDERED, MORE };
enum { FIRST_BYTES = 16, MORE_BYTES = 4, PACKET_BYTES = 8192 };

/* LCI keeps received packets in the second-level cache (5.3: "usually"), which has 256 KB on both
 * machines (table I): a copy stays within it if where it goes fits as well. */
enum { NEAR_BYTES = 128 * 1024 };

/* Words of state that are touched (virtual_node.h counts those of LCI in the same way). */
enum {
    WORK_SEND = 8,     /* arguments 3; header 4; to whom */
    WORK_PIECE = 2,    /* address and size */
    WORK_FRAGMENT = 4, /* what is left, place in the piece, header, packet */
    WORK_TAKE = 4,     /* what it is, sender, its channel, what is missing */
    WORK_MESSAGE = 7,  /* header 4; function of the port and its context; the call */
    WORK_CALL = 5,     /* number, where the answer goes 2, state, and found again */
    WORK_ORDER = 3,    /* place, the one expected, the first that came early */
    WORK_LOCK = 4      /* locked and unlocked */
};

/* Being put together, or complete and too early. */
typedef struct message {
    struct message *next;
    clump_panda_message head;
    unsigned kind, port;
    size_t have;
    unsigned char data[];
} message;

struct clump_panda {
    clump_worker *worker;
    clump_packets *packets;
    bool threads;
    struct {
        clump_panda_function *function;
        void *context;
    } ports[CLUMP_PANDA_PORTS];
    message **parts[2]; /* by sender: to me, and to all */
    message *early;     /* ordered broadcasts whose turn it is not, by their places */
    uint32_t expected;  /* place of the next */
    /* The call that waits; programs make one after the other. */
    uint32_t calls;
    bool answered;
    void *answer;
    size_t answer_most, answer_size;
    unsigned handling; /* ports that run */
    unsigned char packet[PACKET_BYTES];
};

/* ---- numbers */

static void put(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t get(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void charge(clump_panda *p, double words, size_t copied)
{
    clump_packets_charge(p->packets, words, copied);
}

/* Some of a message is taken from its packet, and copied to where it belongs. */
static void charge_copy(clump_panda *p, size_t bytes, size_t of)
{
    if (of <= NEAR_BYTES && !p->worker->far)
        clump_packets_charge_near(p->packets, WORK_TAKE, bytes);
    else
        clump_packets_charge(p->packets, WORK_TAKE, bytes);
}

static void lock(clump_panda *p)
{
    if (p->threads)
        charge(p, WORK_LOCK, 0);
}

/* ---- receiving */

static void call_port(clump_panda *p, unsigned port, const clump_panda_message *m)
{
    if (port >= CLUMP_PANDA_PORTS || p->ports[port].function == NULL)
        clump_worker_fail(p->worker, "a message to a port that is not defined");
    p->handling++;
    p->ports[port].function(p, m, p->ports[port].context);
    p->handling--;
}

/* Ordered broadcasts whose turn it is. */
static void drain(clump_panda *p)
{
    while (p->early != NULL && p->early->head.place == p->expected) {
        message *m = p->early;
        p->early = m->next;
        p->expected++;
        call_port(p, m->port, &m->head);
        clump_worker_give_back(p->worker, m);
    }
}

static message *copy_of(clump_panda *p, const clump_panda_message *head, unsigned kind,
                        unsigned port)
{
    message *m = clump_worker_borrow(p->worker, sizeof *m + head->size);
    *m = (message){.head = *head, .kind = kind, .port = port};
    m->head.data = m->data;
    return m;
}

static void keep(clump_panda *p, message *m)
{
    message **at = &p->early;
    while (*at != NULL && (int32_t)((*at)->head.place - m->head.place) < 0)
        at = &(*at)->next;
    m->next = *at;
    *at = m;
}

static void take_answer(clump_panda *p, const clump_panda_message *m)
{
    if (m->call != p->calls || p->answered)
        clump_worker_fail(p->worker, "an answer to no call, or a second one");
    const size_t copied = m->size < p->answer_most ? m->size : p->answer_most;
    if (copied > 0)
        memcpy(p->answer, m->data, copied);
    p->answer_size = m->size;
    p->answered = true;
}

/* All of it is here; `owned`: as m, or NULL. @return whether it was kept */
static bool complete(clump_panda *p, unsigned kind, unsigned port, const clump_panda_message *head,
                     message *owned)
{
    lock(p);
    charge(p, WORK_MESSAGE + (kind == ORDERED ? WORK_ORDER : 0), 0);
    if (kind == ANSWER) {
        take_answer(p, head);
    } else if (kind != ORDERED) {
        call_port(p, port, head);
    } else if (head->place == p->expected && p->early == NULL && p->handling == 0) {
        p->expected++;
        call_port(p, port, head);
        drain(p);
    } else {
        message *m = owned != NULL ? owned : copy_of(p, head, kind, port);
        if (owned == NULL && head->size > 0)
            memcpy(m->data, head->data, head->size);
        keep(p, m);
        if (p->handling == 0)
            drain(p);
        return true;
    }
    return false;
}

static void take_first(clump_panda *p, const clump_worker_packet *packet, message **parts)
{
    const unsigned char *d = packet->data;
    const unsigned kind = d[0], port = d[1];
    if (packet->size < FIRST_BYTES || *parts != NULL || kind == 0 || kind >= MORE ||
        (packet->all != (kind == BROADCAST || kind == ORDERED)))
        clump_worker_fail(p->worker, "a packet that begins no message");
    clump_panda_message head = {.from = packet->from,
                                .size = get(d + 4),
                                .call = get(d + 8),
                                .place = get(d + 12),
                                .broadcast = packet->all,
                                .data = d + FIRST_BYTES};
    const size_t here = packet->size - FIRST_BYTES;
    if (head.size > CLUMP_PANDA_MOST || here > head.size)
        clump_worker_fail(p->worker, "a message that is too long");
    charge_copy(p, here, head.size);
    if (here == head.size) {
        complete(p, kind, port, &head, NULL);
        return;
    }
    message *m = copy_of(p, &head, kind, port);
    memcpy(m->data, d + FIRST_BYTES, here);
    m->have = here;
    *parts = m;
}

static void take_more(clump_panda *p, const clump_worker_packet *packet, message **parts)
{
    message *m = *parts;
    const size_t here = packet->size - MORE_BYTES;
    if (m == NULL || here > m->head.size - m->have)
        clump_worker_fail(p->worker, "a packet that belongs to no message");
    charge_copy(p, here, m->head.size);
    memcpy(m->data + m->have, packet->data + MORE_BYTES, here);
    m->have += here;
    if (m->have < m->head.size)
        return;
    *parts = NULL;
    if (!complete(p, m->kind, m->port, &m->head, m))
        clump_worker_give_back(p->worker, m);
}

static void take(clump_packets *packets, const clump_worker_packet *packet, void *context)
{
    clump_panda *p = context;
    message **parts = &p->parts[packet->all][packet->from];
    (void)packets;
    if (packet->size < MORE_BYTES)
        clump_worker_fail(p->worker, "a packet that is too short");
    if (packet->data[0] == MORE)
        take_more(p, packet, parts);
    else
        take_first(p, packet, parts);
}

/* ---- sending */

/* What a message is made of, and how far it has been sent. */
typedef struct source {
    const clump_panda_piece *pieces;
    unsigned count;
    size_t at; /* in the first */
} source;

static void copy_next(source *s, unsigned char *to, size_t bytes)
{
    while (bytes > 0) {
        const size_t rest = s->pieces->size - s->at, now = rest < bytes ? rest : bytes;
        if (now > 0)
            memcpy(to, (const unsigned char *)s->pieces->data + s->at, now);
        to += now;
        bytes -= now;
        s->at += now;
        if (s->at == s->pieces->size && bytes > 0) {
            s->pieces++;
            s->at = 0;
        }
    }
}

static size_t size_of(clump_panda *p, const clump_panda_piece *pieces, unsigned count)
{
    size_t size = 0;
    for (unsigned i = 0; i < count; i++) {
        if (pieces[i].size > CLUMP_PANDA_MOST - size)
            clump_worker_fail(p->worker, "a message that is too long");
        size += pieces[i].size;
    }
    return size;
}

/* To itself: it comes at once. */
static void send_here(clump_panda *p, unsigned kind, unsigned port, uint32_t call, uint32_t place,
                      source *s, size_t size)
{
    const clump_panda_message head = {.from = p->worker->rank,
                                      .call = call,
                                      .place = place,
                                      .broadcast = kind == ORDERED,
                                      .size = size};
    message *m = copy_of(p, &head, kind, port);
    copy_next(s, m->data, size);
    if (!complete(p, kind, port, &m->head, m))
        clump_worker_give_back(p->worker, m);
}

static void send(clump_panda *p, unsigned kind, uint32_t to, unsigned port, uint32_t call,
                 uint32_t place, const clump_panda_piece *pieces, unsigned count)
{
    const bool all = kind == BROADCAST || kind == ORDERED;
    const size_t size = size_of(p, pieces, count);
    size_t most = clump_packets_most(p->packets);
    source s = {.pieces = pieces, .count = count};
    if (most > PACKET_BYTES)
        most = PACKET_BYTES;
    lock(p);
    charge(p, WORK_SEND + WORK_PIECE * count, 0);
    if (!all && to == p->worker->rank) {
        send_here(p, kind, port, call, place, &s, size);
        return;
    }
    for (size_t sent = 0, begin = FIRST_BYTES; sent < size || begin == FIRST_BYTES;
         begin = MORE_BYTES) {
        const size_t room = most - begin, now = size - sent < room ? size - sent : room;
        unsigned char *packet = p->packet;
        packet[0] = (unsigned char)(begin == FIRST_BYTES ? kind : MORE);
        packet[1] = (unsigned char)port;
        packet[2] = packet[3] = 0;
        if (begin == FIRST_BYTES) {
            put(packet + 4, (uint32_t)size);
            put(packet + 8, call);
            put(packet + 12, place);
        }
        copy_next(&s, packet + begin, now);
        charge(p, WORK_FRAGMENT, 0);
        clump_packets_send(p->packets, all, to, packet, begin + now);
        sent += now;
    }
    if (p->handling == 0)
        clump_packets_flush(p->packets);
}

void clump_panda_send(clump_panda *p, uint32_t to, unsigned port, const clump_panda_piece *pieces,
                      unsigned count)
{
    send(p, SEND, to, port, 0, 0, pieces, count);
}

size_t clump_panda_call(clump_panda *p, uint32_t to, unsigned port, const clump_panda_piece *pieces,
                        unsigned count, void *answer, size_t most)
{
    if (p->handling > 0)
        clump_worker_fail(p->worker, "a call from a port, which must not wait");
    if (++p->calls == 0)
        p->calls = 1; /* 0 is no call */
    p->answered = false;
    p->answer = answer;
    p->answer_most = most;
    charge(p, WORK_CALL, 0);
    send(p, ASK, to, port, p->calls, 0, pieces, count);
    while (!p->answered)
        clump_panda_wait(p);
    lock(p);
    return p->answer_size;
}

void clump_panda_answer(clump_panda *p, uint32_t to, uint32_t call, const clump_panda_piece *pieces,
                        unsigned count)
{
    send(p, ANSWER, to, 0, call, 0, pieces, count);
}

void clump_panda_broadcast(clump_panda *p, unsigned port, const clump_panda_piece *pieces,
                           unsigned count)
{
    if (p->worker->count > 1)
        send(p, BROADCAST, 0, port, 0, 0, pieces, count);
}

uint32_t clump_panda_ordered(clump_panda *p, unsigned port, const clump_panda_piece *pieces,
                             unsigned count)
{
    if (p->handling > 0)
        clump_worker_fail(p->worker, "an ordered broadcast from a port, which must not wait");
    const uint32_t place = clump_packets_fetch_add(p->packets, 0);
    source s = {.pieces = pieces, .count = count};
    if (p->worker->count > 1)
        send(p, ORDERED, 0, port, 0, place, pieces, count);
    send_here(p, ORDERED, port, 0, place, &s, size_of(p, pieces, count));
    return place;
}

uint32_t clump_panda_seen(const clump_panda *p)
{
    return p->expected;
}

/* ---- the rest */

clump_panda *clump_panda_open(clump_worker *w, bool threads)
{
    clump_panda *p = clump_worker_allocate(w, 1, sizeof *p);
    p->worker = w;
    p->threads = threads;
    for (int i = 0; i < 2; i++)
        p->parts[i] = clump_worker_allocate(w, w->count, sizeof *p->parts[i]);
    p->packets = clump_packets_open(w, take, p);
    return p;
}

void clump_panda_define(clump_panda *p, unsigned port, clump_panda_function *function,
                        void *context)
{
    if (port >= CLUMP_PANDA_PORTS)
        clump_worker_fail(p->worker, "a port beyond 15");
    p->ports[port].function = function;
    p->ports[port].context = context;
}

void clump_panda_wait(clump_panda *p)
{
    lock(p);
    clump_packets_wait(p->packets);
}

void clump_panda_poll(clump_panda *p)
{
    lock(p);
    clump_packets_poll(p->packets);
}

void clump_panda_charge(clump_panda *p, double words, size_t copied)
{
    charge(p, words, copied);
}
