/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The handshake that begins a session; session.c has its bytes. */
#include "protocols/network/session.h"
#include "protocols/network/siphash.h"

#include <string.h>

/** How long a cookie is good: this and the next period. */
static const uint64_t cookie_period_ns = UINT64_C(10000000000);
/** When nobody has answered. Not the silence: who lets a session end soon need not be near. */
static const uint64_t patience_ns = 2000000000;
static const uint64_t first_pause_ns = 20000000, longest_pause_ns = 160000000;

bool clump_handshake_is_foreign(clump_network *n, const clump_datagram *d)
{
    const unsigned char *at = d->bytes;
    if (d->size < CLUMP_COOKIE_BYTES || at[0] != CLUMP_WIRE_MAGIC || at[1] == CLUMP_WIRE_VERSION ||
        at[2] != CLUMP_HELLO)
        return false;
    clump_datagram_begin(n, &d->address, CLUMP_VERSION, clump_wire_get(at + 12, 8));
    clump_datagram_end(n, CLUMP_DATAGRAM_HEADER);
    return true;
}

bool clump_handshake_refused(clump_network *n, const clump_datagram *d)
{
    const unsigned char *at = d->bytes;
    if (d->size != CLUMP_DATAGRAM_HEADER || at[0] != CLUMP_WIRE_MAGIC ||
        at[1] == CLUMP_WIRE_VERSION || at[2] != (unsigned char)CLUMP_VERSION)
        return false;
    const uint64_t key = clump_wire_get(at + 4, 8);
    struct clump_session *s = n->sessions[key & 255];
    if (s == NULL || s->my_key != key || s->state != CLUMP_SESSION_HANDSHAKE ||
        !clump_address_is(&s->address, &d->address))
        return false;
    clump_session_end(n, s, CLUMP_PROTOCOL_BAD_VERSION);
    return true;
}

/** What only we can make, and only for that address, key and time. */
static uint64_t cookie_for(const clump_network *n, const clump_address *address, uint64_t key,
                           uint64_t period)
{
    unsigned char text[1 + sizeof address->bytes + 16];
    text[0] = 'c';
    memcpy(text + 1, address->bytes, sizeof address->bytes);
    clump_wire_put(text + 1 + sizeof address->bytes, key, 8);
    clump_wire_put(text + 9 + sizeof address->bytes, period, 8);
    return clump_siphash(n->options.secret, text, sizeof text);
}

/** When it is sent again. */
static uint64_t next_handshake(const struct clump_session *s)
{
    if (s->asked == 0)
        return 0;
    const uint64_t pause = first_pause_ns << (s->asked < 5 ? s->asked - 1 : 4);
    return s->asked_ns + (pause < longest_pause_ns ? pause : longest_pause_ns);
}

uint64_t clump_handshake_deadline(const struct clump_session *s)
{
    const uint64_t again = next_handshake(s), end = s->began_ns + patience_ns;
    return again < end ? again : end;
}

void clump_handshake_send(clump_network *n, struct clump_session *s, uint64_t now_ns)
{
    if (now_ns < next_handshake(s))
        return;
    s->asked++;
    s->asked_ns = now_ns;
    unsigned char *at = clump_datagram_begin(n, &s->address, CLUMP_HELLO, 0)->bytes;
    memset(at + CLUMP_DATAGRAM_HEADER, 0, CLUMP_HELLO_BYTES - CLUMP_DATAGRAM_HEADER);
    clump_wire_put(at + 12, s->my_key, 8);
    clump_wire_put(at + 20, s->cookie, 8);
    clump_wire_put(at + 28, s->tag, 8);
    at[36] = s->terms.transport;
    at[37] = s->terms.credits;
    clump_wire_put(at + 38, s->terms.mtu, 2);
    clump_wire_put(at + 40, s->terms.window, 2);
    memcpy(at + 42, n->options.machine, 16);
    clump_datagram_end(n, CLUMP_HELLO_BYTES);
}

void clump_handshake_flush(clump_network *n, struct clump_session *s, uint64_t now_ns)
{
    if (now_ns >= s->began_ns + patience_ns)
        clump_session_end(n, s, CLUMP_PROTOCOL_NOT_FOUND);
    else
        clump_handshake_send(n, s, now_ns);
}

static void welcome(clump_network *n, const clump_address *address, uint64_t their_key,
                    clump_protocol_status status, const struct clump_session *s)
{
    unsigned char *at = clump_datagram_begin(n, address, CLUMP_WELCOME, their_key)->bytes;
    memset(at + CLUMP_DATAGRAM_HEADER, 0, CLUMP_WELCOME_BYTES - CLUMP_DATAGRAM_HEADER);
    at[20] = (unsigned char)status;
    if (s != NULL) {
        clump_wire_put(at + 12, s->my_key, 8);
        at[21] = s->terms.credits;
        clump_wire_put(at + 22, s->terms.mtu, 2);
        clump_wire_put(at + 24, s->terms.window, 2);
    }
    memcpy(at + 28, n->options.machine, 16);
    clump_datagram_end(n, CLUMP_WELCOME_BYTES);
}

static uint16_t lesser(uint64_t a, uint64_t b)
{
    return (uint16_t)(a < b ? a : b);
}

/** A HELLO. */
void clump_handshake_arrives(clump_network *n, const clump_datagram *d, uint64_t now_ns)
{
    const unsigned char *at = d->bytes;
    const uint64_t their_key = clump_wire_get(at + 12, 8), cookie = clump_wire_get(at + 20, 8);
    const uint64_t tag = clump_wire_get(at + 28, 8), period = now_ns / cookie_period_ns;
    if (their_key == 0) {
        n->counters.malformed++;
        return;
    }
    if (cookie != cookie_for(n, &d->address, their_key, period) &&
        (period == 0 || cookie != cookie_for(n, &d->address, their_key, period - 1))) {
        n->counters.cookies++;
        unsigned char *answer =
            clump_datagram_begin(n, &d->address, CLUMP_COOKIE, their_key)->bytes;
        clump_wire_put(answer + 12, cookie_for(n, &d->address, their_key, period), 8);
        clump_datagram_end(n, CLUMP_COOKIE_BYTES);
        return;
    }
    n->counters.handshakes++;
    for (unsigned i = 0; i < n->places; i++) {
        const struct clump_session *s = n->sessions[i];
        if (s != NULL && !s->ours && s->their_key == their_key &&
            clump_address_is(&s->address, &d->address)) {
            /* Our WELCOME was lost. An ended session stays ended. */
            if (s->state == CLUMP_SESSION_OPEN)
                welcome(n, &d->address, their_key, CLUMP_PROTOCOL_OK, s);
            return;
        }
    }
    const struct clump_terms terms = {.transport = at[36],
                                      .credits = (uint8_t)lesser(at[37], n->terms.credits),
                                      .mtu = lesser(clump_wire_get(at + 38, 2), n->terms.mtu),
                                      .window =
                                          lesser(clump_wire_get(at + 40, 2), n->terms.window)};
    if (n->tag == CLUMP_TAG_REJECT_ALL || (n->tag != CLUMP_TAG_ACCEPT_ALL && n->tag != tag)) {
        welcome(n, &d->address, their_key, CLUMP_PROTOCOL_BAD_TAG, NULL);
        return;
    }
    struct clump_session *s = clump_session_make(n, &d->address, now_ns);
    if (s == NULL) {
        welcome(n, &d->address, their_key, CLUMP_PROTOCOL_IN_USE, NULL);
        return;
    }
    s->their_key = their_key;
    s->same_machine = memcmp(at + 42, n->options.machine, 16) == 0;
    const clump_protocol_status status = clump_session_start(n, s, &terms, 1);
    welcome(n, &d->address, their_key, status, status == CLUMP_PROTOCOL_OK ? s : NULL);
    if (status != CLUMP_PROTOCOL_OK)
        clump_session_free(n, s);
}

void clump_handshake_cookie(clump_network *n, struct clump_session *s, const clump_datagram *d,
                            uint64_t now_ns)
{
    if (s->state != CLUMP_SESSION_HANDSHAKE)
        return;
    s->cookie = clump_wire_get(d->bytes + 12, 8);
    s->asked = 0;
    clump_handshake_send(n, s, now_ns);
}

void clump_handshake_welcome(clump_network *n, struct clump_session *s, const clump_datagram *d,
                             uint64_t now_ns)
{
    const unsigned char *at = d->bytes;
    if (s->state != CLUMP_SESSION_HANDSHAKE)
        return;
    s->heard_ns = now_ns;
    if (at[20] != CLUMP_PROTOCOL_OK) {
        clump_session_end(n, s,
                          at[20] == CLUMP_PROTOCOL_BAD_TAG || at[20] == CLUMP_PROTOCOL_IN_USE
                              ? (clump_protocol_status)at[20]
                              : CLUMP_PROTOCOL_FAILED);
        return;
    }
    s->their_key = clump_wire_get(at + 12, 8);
    s->same_machine = memcmp(at + 28, n->options.machine, 16) == 0;
    const struct clump_terms terms = {.transport = s->terms.transport,
                                      .credits = at[21],
                                      .mtu = (uint16_t)clump_wire_get(at + 22, 2),
                                      .window = (uint16_t)clump_wire_get(at + 24, 2)};
    /* Never more than we offered. */
    const bool fair = terms.credits <= s->terms.credits && terms.mtu <= s->terms.mtu &&
                      terms.window <= s->terms.window;
    if (!fair || clump_session_start(n, s, &terms, 0) != CLUMP_PROTOCOL_OK)
        clump_session_end(n, s, CLUMP_PROTOCOL_FAILED);
}
