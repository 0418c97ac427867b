/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a network takes in and sends out: datagrams to their sessions, and what is due to all. */
#include "protocols/network/network_private.h"

#include <string.h>

static void reset_arrives(clump_network *n, const clump_datagram *d, uint64_t key)
{
    for (unsigned i = 0; i < n->places; i++) {
        struct clump_session *s = n->sessions[i];
        if (s != NULL && s->state == CLUMP_SESSION_OPEN && s->their_key == key &&
            s->address.size == d->address.size &&
            memcmp(s->address.bytes, d->address.bytes, sizeof s->address.bytes) == 0) {
            clump_session_end(n, s, CLUMP_PROTOCOL_PEER_DEAD);
            return;
        }
    }
    n->counters.strangers++;
}

static void arrives(clump_network *n, const clump_datagram *d, uint64_t now_ns)
{
    if (!clump_datagram_is_good(d)) {
        n->counters.malformed++;
        if (!clump_greeting_is_foreign(n, d))
            clump_greeting_refused(n, d);
        return;
    }
    const enum clump_datagram_kind kind = (enum clump_datagram_kind)d->bytes[2];
    const uint64_t key = clump_wire_get(d->bytes + 4, 8);
    if (kind == CLUMP_HELLO) {
        clump_greeting_arrives(n, d, now_ns);
        return;
    }
    if (kind == CLUMP_RESET) {
        reset_arrives(n, d, key);
        return;
    }
    struct clump_session *s = n->sessions[key & 255];
    if (s == NULL || s->my_key != key || s->state == CLUMP_SESSION_ENDED ||
        s->address.size != d->address.size ||
        memcmp(s->address.bytes, d->address.bytes, sizeof s->address.bytes) != 0) {
        n->counters.strangers++;
        if (kind == CLUMP_DATA || kind == CLUMP_PING) {
            clump_datagram_begin(n, &d->address, CLUMP_RESET, key);
            clump_datagram_end(n, CLUMP_DATAGRAM_HEADER);
        }
        return;
    }
    s->heard_ns = now_ns;
    s->unanswered = 0;
    s->doubt_ns = 0;
    s->arrived += kind == CLUMP_DATA || kind == CLUMP_PING || kind == CLUMP_PONG;
    switch (kind) {
    case CLUMP_COOKIE:
        clump_greeting_cookie(n, s, d, now_ns);
        break;
    case CLUMP_WELCOME:
        clump_greeting_welcome(n, s, d, now_ns);
        break;
    case CLUMP_DATA:
        clump_session_data(n, s, d, now_ns);
        break;
    case CLUMP_PING:
        if (s->state == CLUMP_SESSION_OPEN) {
            clump_datagram_begin(n, &s->address, CLUMP_PONG, s->their_key);
            clump_datagram_end(n, CLUMP_DATAGRAM_HEADER);
            s->sent++;
        }
        break;
    case CLUMP_BYE:
        clump_session_end(n, s, CLUMP_PROTOCOL_PEER_DEAD);
        break;
    default: /* PONG: it was heard */
        break;
    }
}

unsigned clump_network_poll(clump_network *n, uint64_t now_ns)
{
    const unsigned count = n->options.link.receive(n->options.link.context, n->in, CLUMP_BATCH);
    n->counters.arrived += count;
    n->stirred |= count > 0;
    n->looked_ns = now_ns;
    for (unsigned i = 0; i < count; i++)
        arrives(n, &n->in[i], now_ns);
    return count;
}

void clump_network_flush(clump_network *n, uint64_t now_ns)
{
    if (now_ns < clump_network_deadline(n))
        return;
    for (unsigned i = 0; i < n->places; i++)
        if (n->sessions[i] != NULL) {
            if (n->sessions[i]->state == CLUMP_SESSION_GREETING)
                clump_greeting_flush(n, n->sessions[i], now_ns);
            else
                clump_session_flush(n, n->sessions[i], now_ns);
            clump_session_retire(n, n->sessions[i]);
        }
    clump_datagrams_send(n);
    n->stirred = false;
    n->due_ns = UINT64_MAX;
    for (unsigned i = 0; i < n->places; i++) {
        const struct clump_session *s = n->sessions[i];
        if (s == NULL)
            continue;
        const uint64_t due = s->state == CLUMP_SESSION_GREETING ? clump_greeting_deadline(s)
                                                                : clump_session_deadline(n, s);
        n->due_ns = due < n->due_ns ? due : n->due_ns;
    }
}

uint64_t clump_network_deadline(const clump_network *n)
{
    return n->stirred ? 0 : n->due_ns;
}
