/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Datagrams, and the greeting that begins a session. All numbers in network order.
 *
 *   every datagram   0 magic 0xA2   1 version   2 kind   3 0   4 key of the receiver
 *   HELLO            12 key of the caller   20 cookie   28 tag   36 carrier   37 credits
 *                    38 MTU   40 window   42 machine   58 zeros to 64
 *   COOKIE           12 cookie
 *   WELCOME          12 key of the called   20 status   21 credits   22 MTU   24 window   26 0
 *                    28 machine
 *   DATA             12 bytes of the carrier
 *   VERSION          12: only the header, with the version of who sends it
 *
 * In any version a HELLO has at least 20 bytes with magic, version and kind where they are and the
 * key of the caller at 12, and is answered by VERSION, which each version understands, if it is of
 * another. The rest may change.
 */
#include "protocols/network/network_private.h"
#include "protocols/network/siphash.h"

#include <string.h>

enum { MAGIC = 0xA2, VERSION = 1 };
/** How long a cookie is good: this and the next period. */
static const uint64_t cookie_period_ns = UINT64_C(10000000000);
static const uint64_t first_pause_ns = 20000000, longest_pause_ns = 160000000;

uint64_t clump_wire_get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

void clump_wire_put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0; value >>= 8)
        at[i] = (unsigned char)value;
}

void clump_datagrams_send(clump_network *n)
{
    if (n->out_count > 0)
        n->options.link.send(n->options.link.context, n->out, n->out_count);
    n->counters.sent += n->out_count;
    n->out_count = 0;
}

clump_datagram *clump_datagram_begin(clump_network *n, const clump_address *address,
                                     enum clump_datagram_kind kind, uint64_t key)
{
    if (n->out_count == CLUMP_BATCH)
        clump_datagrams_send(n);
    clump_datagram *d = &n->out[n->out_count];
    d->address = *address;
    d->bytes[0] = MAGIC;
    d->bytes[1] = VERSION;
    d->bytes[2] = (unsigned char)kind;
    d->bytes[3] = 0;
    clump_wire_put(d->bytes + 4, key, 8);
    return d;
}

void clump_datagram_end(clump_network *n, size_t size)
{
    n->out[n->out_count++].size = size;
}

bool clump_datagram_is_good(const clump_datagram *d)
{
    static const struct {
        size_t least, most;
    } sizes[] = {[CLUMP_HELLO] = {CLUMP_HELLO_BYTES, CLUMP_HELLO_BYTES},
                 [CLUMP_COOKIE] = {CLUMP_COOKIE_BYTES, CLUMP_COOKIE_BYTES},
                 [CLUMP_WELCOME] = {CLUMP_WELCOME_BYTES, CLUMP_WELCOME_BYTES},
                 [CLUMP_DATA] = {CLUMP_DATAGRAM_HEADER + 1, CLUMP_DATAGRAM_MOST},
                 [CLUMP_PING] = {CLUMP_DATAGRAM_HEADER, CLUMP_DATAGRAM_HEADER},
                 [CLUMP_PONG] = {CLUMP_DATAGRAM_HEADER, CLUMP_DATAGRAM_HEADER},
                 [CLUMP_BYE] = {CLUMP_DATAGRAM_HEADER, CLUMP_DATAGRAM_HEADER},
                 [CLUMP_RESET] = {CLUMP_DATAGRAM_HEADER, CLUMP_DATAGRAM_HEADER}};
    if (d->size < CLUMP_DATAGRAM_HEADER || d->bytes[0] != MAGIC || d->bytes[1] != VERSION ||
        d->bytes[2] < CLUMP_HELLO || d->bytes[2] > CLUMP_RESET || d->bytes[3] != 0)
        return false;
    return d->size >= sizes[d->bytes[2]].least && d->size <= sizes[d->bytes[2]].most;
}

static bool same_address(const clump_address *a, const clump_address *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool clump_greeting_is_foreign(clump_network *n, const clump_datagram *d)
{
    const unsigned char *at = d->bytes;
    if (d->size < CLUMP_COOKIE_BYTES || at[0] != MAGIC || at[1] == VERSION || at[2] != CLUMP_HELLO)
        return false;
    clump_datagram_begin(n, &d->address, CLUMP_VERSION, clump_wire_get(at + 12, 8));
    clump_datagram_end(n, CLUMP_DATAGRAM_HEADER);
    return true;
}

bool clump_greeting_refused(clump_network *n, const clump_datagram *d)
{
    const unsigned char *at = d->bytes;
    if (d->size != CLUMP_DATAGRAM_HEADER || at[0] != MAGIC || at[1] == VERSION ||
        at[2] != (unsigned char)CLUMP_VERSION)
        return false;
    const uint64_t key = clump_wire_get(at + 4, 8);
    struct clump_session *s = n->sessions[key & 255];
    if (s == NULL || s->my_key != key || s->state != CLUMP_SESSION_GREETING ||
        !same_address(&s->address, &d->address))
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

uint64_t clump_greeting_deadline(const struct clump_session *s)
{
    if (s->asked == 0)
        return 0;
    const uint64_t pause = first_pause_ns << (s->asked < 5 ? s->asked - 1 : 4);
    return s->asked_ns + (pause < longest_pause_ns ? pause : longest_pause_ns);
}

void clump_greeting_send(clump_network *n, struct clump_session *s, uint64_t now_ns)
{
    if (now_ns < clump_greeting_deadline(s))
        return;
    s->asked++;
    s->asked_ns = now_ns;
    unsigned char *at = clump_datagram_begin(n, &s->address, CLUMP_HELLO, 0)->bytes;
    memset(at + CLUMP_DATAGRAM_HEADER, 0, CLUMP_HELLO_BYTES - CLUMP_DATAGRAM_HEADER);
    clump_wire_put(at + 12, s->my_key, 8);
    clump_wire_put(at + 20, s->cookie, 8);
    clump_wire_put(at + 28, s->tag, 8);
    at[36] = s->terms.carrier;
    at[37] = s->terms.credits;
    clump_wire_put(at + 38, s->terms.mtu, 2);
    clump_wire_put(at + 40, s->terms.window, 2);
    memcpy(at + 42, n->options.machine, 16);
    clump_datagram_end(n, CLUMP_HELLO_BYTES);
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
void clump_greeting_arrives(clump_network *n, const clump_datagram *d, uint64_t now_ns)
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
    n->counters.greetings++;
    for (unsigned i = 0; i < n->places; i++) {
        const struct clump_session *s = n->sessions[i];
        if (s != NULL && !s->ours && s->their_key == their_key &&
            same_address(&s->address, &d->address)) {
            /* Our WELCOME was lost. An ended session stays ended. */
            if (s->state == CLUMP_SESSION_OPEN)
                welcome(n, &d->address, their_key, CLUMP_PROTOCOL_OK, s);
            return;
        }
    }
    const struct clump_terms terms = {.carrier = at[36],
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

void clump_greeting_cookie(clump_network *n, struct clump_session *s, const clump_datagram *d,
                           uint64_t now_ns)
{
    if (s->state != CLUMP_SESSION_GREETING)
        return;
    s->cookie = clump_wire_get(d->bytes + 12, 8);
    s->asked = 0;
    clump_greeting_send(n, s, now_ns);
}

void clump_greeting_welcome(clump_network *n, struct clump_session *s, const clump_datagram *d,
                            uint64_t now_ns)
{
    const unsigned char *at = d->bytes;
    if (s->state != CLUMP_SESSION_GREETING)
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
    const struct clump_terms terms = {.carrier = s->terms.carrier,
                                      .credits = at[21],
                                      .mtu = (uint16_t)clump_wire_get(at + 22, 2),
                                      .window = (uint16_t)clump_wire_get(at + 24, 2)};
    /* Never more than we offered. */
    const bool fair = terms.credits <= s->terms.credits && terms.mtu <= s->terms.mtu &&
                      terms.window <= s->terms.window;
    if (!fair || clump_session_start(n, s, &terms, 0) != CLUMP_PROTOCOL_OK)
        clump_session_end(n, s, CLUMP_PROTOCOL_FAILED);
}
