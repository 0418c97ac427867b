/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fragments that arrive, and the messages that they become. */
#include "protocols/network/exchange_private.h"

/** A part of a message into `body`. @return what of it is there, or that it does not belong there
 */
static clump_assembly_step add_part(unsigned char *body, bool begins, clump_assembly *assembly,
                                    const unsigned char *fragment, size_t fragment_size)
{
    if (begins)
        clump_assembly_restart(assembly);
    return clump_assembly_add(assembly, body, CLUMP_BODY_MOST, false, clump_get16(fragment + 4),
                              clump_get16(fragment + 6), fragment + CLUMP_FRAGMENT_HEADER,
                              (uint32_t)(fragment_size - CLUMP_FRAGMENT_HEADER));
}

static bool request_arrives(clump_exchange *x, unsigned place, const unsigned char *bytes,
                            size_t size)
{
    struct clump_their_request *t = &x->theirs[place];
    const bool begins = t->state == CLUMP_THEIRS_NONE;
    if ((!begins && t->state != CLUMP_THEIRS_ARRIVING) ||
        (!begins && t->generation != clump_get16(bytes + 2)))
        return false;
    const clump_assembly_step step = add_part(t->body, begins, &t->arrived, bytes, size);
    if (step == CLUMP_ASSEMBLY_REFUSED)
        return false;
    t->size = t->arrived.whole;
    t->state = CLUMP_THEIRS_ARRIVING;
    t->forgotten = false;
    t->generation = clump_get16(bytes + 2);
    if (step == CLUMP_ASSEMBLY_MORE)
        return true;
    if (!clump_body_is_good(t->body, t->size, CLUMP_FRAGMENT_REQUEST)) {
        t->state = CLUMP_THEIRS_NONE;
        return false;
    }
    t->state = CLUMP_THEIRS_READY;
    clump_order_add(&x->requests_in, place);
    return true;
}

static void free_ours(clump_exchange *x, struct clump_our_request *o)
{
    o->state = CLUMP_OURS_FREE;
    o->generation++;
    x->in_use--;
}

static bool answer_arrives(clump_exchange *x, unsigned place, uint8_t kind,
                           const unsigned char *bytes, size_t size)
{
    struct clump_our_request *o = &x->ours[place];
    const bool begins = o->state == CLUMP_OURS_WAITING;
    if ((!begins && o->state != CLUMP_OURS_RECEIVING) || o->generation != clump_get16(bytes + 2))
        return false;
    if (kind == CLUMP_FRAGMENT_NOTICE) {
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
    o->state = CLUMP_OURS_RECEIVING;
    o->kind = kind;
    if (step == CLUMP_ASSEMBLY_MORE)
        return true;
    if (!clump_body_is_good(o->body, o->size, kind)) {
        o->state =
            CLUMP_OURS_WAITING; /* the body is spoilt, but the head is still there to be returned */
        return false;
    }
    o->state = CLUMP_OURS_ANSWERED;
    clump_order_add(&x->answers_in, place);
    return true;
}

bool clump_exchange_arrive(clump_exchange *x, const unsigned char *bytes, size_t size)
{
    if (size < CLUMP_FRAGMENT_HEADER || bytes[1] >= x->credits)
        return false;
    switch (bytes[0]) {
    case CLUMP_FRAGMENT_REQUEST:
        return request_arrives(x, bytes[1], bytes, size);
    case CLUMP_FRAGMENT_REPLY:
    case CLUMP_FRAGMENT_NOTICE:
    case CLUMP_FRAGMENT_RETURNED:
        return answer_arrives(x, bytes[1], bytes[0], bytes, size);
    default:
        return false;
    }
}

/* ---- delivering */

bool clump_exchange_next(clump_exchange *x, bool requests, clump_exchange_delivery *d)
{
    if (x->answers_in.count > 0) {
        d->place = clump_order_first(&x->answers_in);
        d->request = false;
        clump_order_take(&x->answers_in);
        clump_body_read(x->ours[d->place].body, x->ours[d->place].size, d);
        return true;
    }
    if (!requests || x->requests_in.count == 0)
        return false;
    d->place = clump_order_first(&x->requests_in);
    d->request = true;
    clump_order_take(&x->requests_in);
    struct clump_their_request *t = &x->theirs[d->place];
    t->state = CLUMP_THEIRS_HANDLED;
    t->kind = 0;
    clump_body_read(t->body, t->size, d);
    return true;
}

void clump_exchange_finish(clump_exchange *x, const clump_exchange_delivery *d)
{
    if (!d->request) {
        free_ours(x, &x->ours[d->place]);
        return;
    }
    struct clump_their_request *t = &x->theirs[d->place];
    if (t->forgotten) {
        t->state = CLUMP_THEIRS_NONE;
        return;
    }
    if (t->kind == 0) {
        t->kind = CLUMP_FRAGMENT_NOTICE;
        t->size = 0;
    }
    t->done = 0;
    t->state = CLUMP_THEIRS_ANSWERING;
    clump_order_add(&x->answers_out, d->place);
}
