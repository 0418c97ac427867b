/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/network/exchange.h"

#include "protocols/reliability/fragments.h"

#include <stdlib.h>
#include <string.h>

/* ---- the inside of an exchange: where each request is */

enum fragment_kind { FRAGMENT_REQUEST = 1, FRAGMENT_REPLY, FRAGMENT_NOTICE, FRAGMENT_RETURNED };

/** Where a request of ours is. */
enum our_state { OURS_FREE, OURS_SENDING, OURS_WAITING, OURS_RECEIVING, OURS_ANSWERED };

/** Where a request of theirs is. */
enum their_state { THEIRS_NONE, THEIRS_ARRIVING, THEIRS_READY, THEIRS_HANDLED, THEIRS_ANSWERING };

struct our_request {
    enum our_state state;
    uint8_t kind; /**< of the answer */
    uint16_t generation;
    uint32_t size, done;    /**< of the request, then of the answer */
    clump_assembly arrived; /**< of the answer */
    unsigned char head[CLUMP_BODY_HEADER + 4 * CLUMP_MESSAGE_ARGUMENTS]; /**< to be returned */
    unsigned char body[CLUMP_BODY_MOST]; /**< of the request, then of the answer */
};

struct their_request {
    enum their_state state;
    bool forgotten; /**< nobody waits for the answer any more */
    uint8_t kind;   /**< of the answer; 0: none yet */
    uint16_t generation;
    uint32_t size, done;                 /**< of the request, then of the answer */
    clump_assembly arrived;              /**< of the request */
    unsigned char body[CLUMP_BODY_MOST]; /**< of the request */
    unsigned char answer[CLUMP_BODY_MOST];
};

/** Places in the order in which something happened to them; each place is in it at most once. */
struct order {
    unsigned first, count;
    uint8_t place[CLUMP_EXCHANGE_CREDITS_MOST];
};

struct clump_exchange {
    unsigned credits, in_use;
    struct order requests_out, answers_out; /**< to be sent */
    struct order requests_in, answers_in;   /**< whole, to be delivered */
    struct our_request *ours;
    struct their_request *theirs;
};

static void order_add(struct order *order, unsigned place)
{
    order->place[(order->first + order->count++) % CLUMP_EXCHANGE_CREDITS_MOST] = (uint8_t)place;
}

static unsigned order_first(const struct order *order)
{
    return order->place[order->first];
}

static void order_take(struct order *order)
{
    order->first = (order->first + 1) % CLUMP_EXCHANGE_CREDITS_MOST;
    order->count--;
}

/* ---- messages as bytes */

/** @return its size */
static uint32_t body_write(unsigned char *body, const clump_exchange_message *m)
{
    body[0] = m->handler;
    body[1] = (unsigned char)m->count;
    body[2] = body[3] = 0;
    clump_wire_put(body + 4, m->tag, 8);
    unsigned char *at = body + CLUMP_BODY_HEADER;
    for (unsigned i = 0; i < m->count; i++, at += 4)
        clump_wire_put(at, m->arguments[i], 4);
    if (m->data != NULL) {
        memcpy(at, m->data, m->size);
        at += m->size;
    }
    return (uint32_t)(at - body);
}

/** Bytes of a body without its data. */
static uint32_t body_head(const unsigned char *body)
{
    return CLUMP_BODY_HEADER + 4u * body[1];
}

/** Whether a body that the other end wrote holds what it says. */
static bool body_is_good(const unsigned char *body, uint32_t size, uint8_t kind)
{
    return size >= CLUMP_BODY_HEADER && body[1] <= CLUMP_MESSAGE_ARGUMENTS &&
           size >= body_head(body) && size - body_head(body) <= CLUMP_MESSAGE_BULK_BYTES &&
           (kind != FRAGMENT_RETURNED || size == body_head(body)) && body[0] != 0 &&
           (body[2] != 0) == (kind == FRAGMENT_RETURNED) && body[2] <= CLUMP_PROTOCOL_FAILED;
}

/** Of a good body; the message refers to it. */
static void body_read(const unsigned char *body, uint32_t size, clump_exchange_delivery *d)
{
    const uint32_t head = body_head(body);
    d->tag = clump_wire_get(body + 4, 8);
    for (unsigned i = 0; i < body[1]; i++)
        d->arguments[i] = (uint32_t)clump_wire_get(body + CLUMP_BODY_HEADER + 4 * i, 4);
    d->message = (clump_message){.arguments = d->arguments,
                                 .count = body[1],
                                 .data = size > head ? body + head : NULL,
                                 .size = size - head,
                                 .handler = body[0],
                                 .returned = (clump_protocol_status)body[2]};
}

/* ---- opening and sending */

clump_protocol_status clump_exchange_open(unsigned credits, clump_exchange **exchange)
{
    if (credits == 0 || credits > CLUMP_EXCHANGE_CREDITS_MOST)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_exchange *x = calloc(1, sizeof *x);
    if (x != NULL) {
        x->credits = credits;
        x->ours = calloc(credits, sizeof *x->ours);
        x->theirs = calloc(credits, sizeof *x->theirs);
    }
    if (x == NULL || x->ours == NULL || x->theirs == NULL) {
        clump_exchange_close(x);
        return CLUMP_PROTOCOL_FAILED;
    }
    *exchange = x;
    return CLUMP_PROTOCOL_OK;
}

void clump_exchange_close(clump_exchange *x)
{
    if (x == NULL)
        return;
    free(x->ours);
    free(x->theirs);
    free(x);
}

bool clump_exchange_has_credit(const clump_exchange *x)
{
    return x->in_use < x->credits;
}

bool clump_exchange_request(clump_exchange *x, const clump_exchange_message *message)
{
    if (!clump_exchange_has_credit(x))
        return false;
    unsigned place = 0;
    while (x->ours[place].state != OURS_FREE)
        place++;
    struct our_request *o = &x->ours[place];
    o->state = OURS_SENDING;
    o->size = body_write(o->body, message);
    o->done = 0;
    memcpy(o->head, o->body, body_head(o->body));
    x->in_use++;
    order_add(&x->requests_out, place);
    return true;
}

void clump_exchange_reply(clump_exchange *x, unsigned place, const clump_exchange_message *message)
{
    struct their_request *t = &x->theirs[place];
    t->kind = FRAGMENT_REPLY;
    t->size = body_write(t->answer, message);
}

void clump_exchange_give_back(clump_exchange *x, unsigned place, clump_protocol_status reason)
{
    struct their_request *t = &x->theirs[place];
    t->kind = FRAGMENT_RETURNED;
    t->size = body_head(t->body);
    memcpy(t->answer, t->body, t->size);
    t->answer[2] = (unsigned char)reason;
}

/** Write a fragment of `body` from `*done` on. @return its size */
static size_t write_fragment(unsigned char *bytes, size_t most, enum fragment_kind kind,
                             unsigned place, uint16_t generation, const unsigned char *body,
                             uint32_t size, uint32_t *done)
{
    const uint32_t part = clump_fragment_size(size, *done, (uint32_t)most - CLUMP_FRAGMENT_HEADER);
    bytes[0] = (unsigned char)kind;
    bytes[1] = (unsigned char)place;
    clump_wire_put(bytes + 2, generation, 2);
    clump_wire_put(bytes + 4, *done, 2);
    clump_wire_put(bytes + 6, size, 2);
    memcpy(bytes + CLUMP_FRAGMENT_HEADER, body + *done, part);
    *done += part;
    return CLUMP_FRAGMENT_HEADER + part;
}

size_t clump_exchange_fragment(clump_exchange *x, unsigned char *bytes, size_t most)
{
    if (x->answers_out.count > 0) {
        const unsigned place = order_first(&x->answers_out);
        struct their_request *t = &x->theirs[place];
        const size_t size = write_fragment(bytes, most, (enum fragment_kind)t->kind, place,
                                           t->generation, t->answer, t->size, &t->done);
        if (t->done == t->size) {
            order_take(&x->answers_out);
            t->state = THEIRS_NONE;
        }
        return size;
    }
    if (x->requests_out.count == 0)
        return 0;
    const unsigned place = order_first(&x->requests_out);
    struct our_request *o = &x->ours[place];
    const size_t size = write_fragment(bytes, most, FRAGMENT_REQUEST, place, o->generation, o->body,
                                       o->size, &o->done);
    if (o->done == o->size) {
        order_take(&x->requests_out);
        o->state = OURS_WAITING;
    }
    return size;
}

void clump_exchange_fail(clump_exchange *x, clump_protocol_status reason)
{
    x->requests_out.count = x->answers_out.count = x->requests_in.count = 0;
    for (unsigned i = 0; i < x->credits; i++) {
        struct their_request *t = &x->theirs[i];
        if (t->state == THEIRS_HANDLED)
            t->forgotten = true;
        else
            t->state = THEIRS_NONE;
        struct our_request *o = &x->ours[i];
        if (o->state == OURS_FREE || o->state == OURS_ANSWERED)
            continue;
        o->size = body_head(o->head);
        memcpy(o->body, o->head, o->size);
        o->body[2] = (unsigned char)reason;
        o->state = OURS_ANSWERED;
        order_add(&x->answers_in, i);
    }
}

bool clump_exchange_waits(const clump_exchange *x)
{
    return x->in_use > x->answers_in.count || x->answers_out.count > 0;
}

bool clump_exchange_sent(const clump_exchange *x)
{
    return x->answers_out.count == 0;
}

bool clump_exchange_idle(const clump_exchange *x)
{
    if (x->in_use > 0)
        return false;
    for (unsigned i = 0; i < x->credits; i++)
        if (x->theirs[i].state != THEIRS_NONE)
            return false;
    return true;
}

/* ---- fragments that arrive, and the messages that they become */

/** A part of a message into `body`. @return what of it is there, or that it does not belong there
 */
static clump_assembly_step add_part(unsigned char *body, bool begins, clump_assembly *assembly,
                                    const unsigned char *fragment, size_t fragment_size)
{
    if (begins)
        clump_assembly_restart(assembly);
    return clump_assembly_add(
        assembly, body, CLUMP_BODY_MOST, (uint32_t)clump_wire_get(fragment + 4, 2),
        (uint32_t)clump_wire_get(fragment + 6, 2), fragment + CLUMP_FRAGMENT_HEADER,
        (uint32_t)(fragment_size - CLUMP_FRAGMENT_HEADER));
}

static bool request_arrives(clump_exchange *x, unsigned place, const unsigned char *bytes,
                            size_t size)
{
    struct their_request *t = &x->theirs[place];
    const bool begins = t->state == THEIRS_NONE;
    if ((!begins && t->state != THEIRS_ARRIVING) ||
        (!begins && t->generation != clump_wire_get(bytes + 2, 2)))
        return false;
    const clump_assembly_step step = add_part(t->body, begins, &t->arrived, bytes, size);
    if (step == CLUMP_ASSEMBLY_REFUSED)
        return false;
    t->size = t->arrived.whole;
    t->state = THEIRS_ARRIVING;
    t->forgotten = false;
    t->generation = (uint16_t)clump_wire_get(bytes + 2, 2);
    if (step == CLUMP_ASSEMBLY_MORE)
        return true;
    if (!body_is_good(t->body, t->size, FRAGMENT_REQUEST)) {
        t->state = THEIRS_NONE;
        return false;
    }
    t->state = THEIRS_READY;
    order_add(&x->requests_in, place);
    return true;
}

static void free_ours(clump_exchange *x, struct our_request *o)
{
    o->state = OURS_FREE;
    o->generation++;
    x->in_use--;
}

static bool answer_arrives(clump_exchange *x, unsigned place, uint8_t kind,
                           const unsigned char *bytes, size_t size)
{
    struct our_request *o = &x->ours[place];
    const bool begins = o->state == OURS_WAITING;
    if ((!begins && o->state != OURS_RECEIVING) || o->generation != clump_wire_get(bytes + 2, 2))
        return false;
    if (kind == FRAGMENT_NOTICE) {
        if (!begins || size != CLUMP_FRAGMENT_HEADER)
            return false;
        free_ours(x, o);
        return true;
    }
    if (!begins && o->kind != kind)
        return false;
    const clump_assembly_step step = add_part(o->body, begins, &o->arrived, bytes, size);
    if (step == CLUMP_ASSEMBLY_REFUSED)
        return false;
    o->size = o->arrived.whole;
    o->state = OURS_RECEIVING;
    o->kind = kind;
    if (step == CLUMP_ASSEMBLY_MORE)
        return true;
    if (!body_is_good(o->body, o->size, kind)) {
        o->state =
            OURS_WAITING; /* the body is spoilt, but the head is still there to be returned */
        return false;
    }
    o->state = OURS_ANSWERED;
    order_add(&x->answers_in, place);
    return true;
}

bool clump_exchange_arrive(clump_exchange *x, const unsigned char *bytes, size_t size)
{
    if (size < CLUMP_FRAGMENT_HEADER || bytes[1] >= x->credits)
        return false;
    switch (bytes[0]) {
    case FRAGMENT_REQUEST:
        return request_arrives(x, bytes[1], bytes, size);
    case FRAGMENT_REPLY:
    case FRAGMENT_NOTICE:
    case FRAGMENT_RETURNED:
        return answer_arrives(x, bytes[1], bytes[0], bytes, size);
    default:
        return false;
    }
}

/* ---- delivering */

bool clump_exchange_has_messages(const clump_exchange *x)
{
    return x->answers_in.count > 0 || x->requests_in.count > 0;
}

bool clump_exchange_next(clump_exchange *x, bool requests, clump_exchange_delivery *d)
{
    if (x->answers_in.count > 0) {
        d->place = order_first(&x->answers_in);
        d->request = false;
        order_take(&x->answers_in);
        body_read(x->ours[d->place].body, x->ours[d->place].size, d);
        return true;
    }
    if (!requests || x->requests_in.count == 0)
        return false;
    d->place = order_first(&x->requests_in);
    d->request = true;
    order_take(&x->requests_in);
    struct their_request *t = &x->theirs[d->place];
    t->state = THEIRS_HANDLED;
    t->kind = 0;
    body_read(t->body, t->size, d);
    return true;
}

void clump_exchange_finish(clump_exchange *x, const clump_exchange_delivery *d)
{
    if (!d->request) {
        free_ours(x, &x->ours[d->place]);
        return;
    }
    struct their_request *t = &x->theirs[d->place];
    if (t->forgotten) {
        t->state = THEIRS_NONE;
        return;
    }
    if (t->kind == 0) {
        t->kind = FRAGMENT_NOTICE;
        t->size = 0;
    }
    t->done = 0;
    t->state = THEIRS_ANSWERING;
    order_add(&x->answers_out, d->place);
}
