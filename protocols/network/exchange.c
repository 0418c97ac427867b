/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/network/exchange_private.h"

#include <stdlib.h>
#include <string.h>

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
    while (x->ours[place].state != CLUMP_OURS_FREE)
        place++;
    struct clump_our_request *o = &x->ours[place];
    o->state = CLUMP_OURS_SENDING;
    o->size = clump_body_write(o->body, message);
    o->done = 0;
    memcpy(o->head, o->body, clump_body_head(o->body));
    x->in_use++;
    clump_order_add(&x->requests_out, place);
    return true;
}

void clump_exchange_reply(clump_exchange *x, unsigned place, const clump_exchange_message *message)
{
    struct clump_their_request *t = &x->theirs[place];
    t->kind = CLUMP_FRAGMENT_REPLY;
    t->size = clump_body_write(t->answer, message);
}

void clump_exchange_give_back(clump_exchange *x, unsigned place, clump_protocol_status reason)
{
    struct clump_their_request *t = &x->theirs[place];
    t->kind = CLUMP_FRAGMENT_RETURNED;
    t->size = clump_body_head(t->body);
    memcpy(t->answer, t->body, t->size);
    t->answer[2] = (unsigned char)reason;
}

/** Write a fragment of `body` from `*done` on. @return its size */
static size_t write_fragment(unsigned char *bytes, size_t most, enum clump_fragment_kind kind,
                             unsigned place, uint16_t generation, const unsigned char *body,
                             uint32_t size, uint32_t *done)
{
    const uint32_t part = clump_fragment_size(size, *done, (uint32_t)most - CLUMP_FRAGMENT_HEADER);
    bytes[0] = (unsigned char)kind;
    bytes[1] = (unsigned char)place;
    clump_put16(bytes + 2, generation);
    clump_put16(bytes + 4, *done);
    clump_put16(bytes + 6, size);
    memcpy(bytes + CLUMP_FRAGMENT_HEADER, body + *done, part);
    *done += part;
    return CLUMP_FRAGMENT_HEADER + part;
}

size_t clump_exchange_fragment(clump_exchange *x, unsigned char *bytes, size_t most)
{
    if (x->answers_out.count > 0) {
        const unsigned place = clump_order_first(&x->answers_out);
        struct clump_their_request *t = &x->theirs[place];
        const size_t size = write_fragment(bytes, most, (enum clump_fragment_kind)t->kind, place,
                                           t->generation, t->answer, t->size, &t->done);
        if (t->done == t->size) {
            clump_order_take(&x->answers_out);
            t->state = CLUMP_THEIRS_NONE;
        }
        return size;
    }
    if (x->requests_out.count == 0)
        return 0;
    const unsigned place = clump_order_first(&x->requests_out);
    struct clump_our_request *o = &x->ours[place];
    const size_t size = write_fragment(bytes, most, CLUMP_FRAGMENT_REQUEST, place, o->generation,
                                       o->body, o->size, &o->done);
    if (o->done == o->size) {
        clump_order_take(&x->requests_out);
        o->state = CLUMP_OURS_WAITING;
    }
    return size;
}

void clump_exchange_fail(clump_exchange *x, clump_protocol_status reason)
{
    x->requests_out.count = x->answers_out.count = x->requests_in.count = 0;
    for (unsigned i = 0; i < x->credits; i++) {
        struct clump_their_request *t = &x->theirs[i];
        if (t->state == CLUMP_THEIRS_HANDLED)
            t->forgotten = true;
        else
            t->state = CLUMP_THEIRS_NONE;
        struct clump_our_request *o = &x->ours[i];
        if (o->state == CLUMP_OURS_FREE || o->state == CLUMP_OURS_ANSWERED)
            continue;
        o->size = clump_body_head(o->head);
        memcpy(o->body, o->head, o->size);
        o->body[2] = (unsigned char)reason;
        o->state = CLUMP_OURS_ANSWERED;
        clump_order_add(&x->answers_in, i);
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
        if (x->theirs[i].state != CLUMP_THEIRS_NONE)
            return false;
    return true;
}
