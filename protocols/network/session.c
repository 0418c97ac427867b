/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions, and their datagrams as bytes. All numbers in network order.
 *
 *   every datagram   0 magic 0xA2   1 version   2 kind   3 0   4 key of the receiver
 *   HELLO            12 key of the caller   20 cookie   28 tag   36 transport   37 credits
 *                    38 MTU   40 window   42 machine   58 zeros to 64
 *   COOKIE           12 cookie
 *   WELCOME          12 key of the called   20 status   21 credits   22 MTU   24 window   26 0
 *                    28 machine
 *   DATA             12 bytes of the transport
 *   VERSION          12: only the header, with the version of who sends it
 *
 * In any version a HELLO has at least 20 bytes with magic, version and kind where they are and the
 * key of the caller at 12, and is answered by VERSION, which each version understands, if it is of
 * another. The rest may change.
 */
#include "protocols/network/session.h"

#include "protocols/network/siphash.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS(id, name) &clump_transport_##id,

/* By number, from 0; NULL past the last. */
static const struct clump_transport_protocol *transport_at(unsigned number)
{
    static const struct clump_transport_protocol *const all[] = {CLUMP_TRANSPORTS(ADDRESS)};
    return number < sizeof all / sizeof *all ? all[number] : NULL;
}

/* ---- datagrams */

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
    d->bytes[0] = CLUMP_WIRE_MAGIC;
    d->bytes[1] = CLUMP_WIRE_VERSION;
    d->bytes[2] = (unsigned char)kind;
    d->bytes[3] = 0;
    clump_wire_put(d->bytes + 4, key, 8);
    return d;
}

clump_datagram *clump_session_datagram(clump_network *n, const struct clump_session *s,
                                       enum clump_datagram_kind kind)
{
    return clump_datagram_begin(n, &s->address, kind, s->their_key);
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
    if (d->size < CLUMP_DATAGRAM_HEADER || d->bytes[0] != CLUMP_WIRE_MAGIC ||
        d->bytes[1] != CLUMP_WIRE_VERSION || d->bytes[2] < CLUMP_HELLO ||
        d->bytes[2] > CLUMP_RESET || d->bytes[3] != 0)
        return false;
    return d->size >= sizes[d->bytes[2]].least && d->size <= sizes[d->bytes[2]].most;
}

/* ---- sessions */

/** An end that others opened may be silent for that many times the silence while it owes nothing.
 */
enum { IDLE_PINGS = 12 };

/** A key that nobody can guess; its low byte tells the place. */
static uint64_t make_key(clump_network *n, unsigned place)
{
    unsigned char text[9] = {'k'};
    clump_wire_put(text + 1, ++n->keys_made, 8);
    const uint64_t key = clump_siphash(n->options.secret, text, sizeof text);
    return (key & ~UINT64_C(255)) | place | UINT64_C(1) << 63; /* never 0 */
}

struct clump_session *clump_session_make(clump_network *n, const clump_address *address,
                                         uint64_t now_ns)
{
    unsigned place = 0;
    while (place < CLUMP_SESSIONS && n->sessions[place] != NULL)
        place++;
    if (place == CLUMP_SESSIONS)
        return NULL;
    struct clump_session *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->address = *address;
    s->my_key = make_key(n, place);
    s->serial = n->keys_made;
    s->heard_ns = s->began_ns = now_ns;
    n->sessions[place] = s;
    if (place >= n->places)
        n->places = place + 1;
    return s;
}

clump_protocol_status clump_session_start(clump_network *n, struct clump_session *s,
                                          const struct clump_terms *terms, unsigned side)
{
    const struct clump_transport_protocol *protocol = transport_at(terms->transport);
    const struct clump_transport_options options = {.side = side,
                                                    .mtu = terms->mtu,
                                                    .window = terms->window,
                                                    .timeout_ns = n->options.timeout_ns,
                                                    .timeout_most_ns = 16 * n->options.timeout_ns,
                                                    .acknowledge_ns = n->options.timeout_ns / 8 + 1,
                                                    .any_order = n->options.any_order};
    if (protocol == NULL || terms->credits == 0 || terms->mtu < 64 || terms->window < 2)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_protocol_status status = clump_exchange_open(terms->credits, &s->exchange);
    if (status == CLUMP_PROTOCOL_OK)
        status = protocol->open(&options, &s->transport);
    if (status == CLUMP_PROTOCOL_OK) {
        s->terms = *terms;
        s->state = CLUMP_SESSION_OPEN;
    }
    return status;
}

void clump_session_end(clump_network *n, struct clump_session *s, clump_protocol_status reason)
{
    if (s->state == CLUMP_SESSION_ENDED)
        return;
    s->state = CLUMP_SESSION_ENDED;
    s->reason = reason;
    s->waiting = 0;
    if (s->exchange != NULL)
        clump_exchange_fail(s->exchange, reason);
    if (s->transport.protocol != NULL) {
        s->resent = s->transport.protocol->resent(&s->transport);
        n->resent_before += s->resent;
        s->transport.protocol->close(&s->transport);
        s->transport.protocol = NULL;
    }
}

void clump_session_free(clump_network *n, struct clump_session *s)
{
    clump_session_end(n, s, CLUMP_PROTOCOL_PEER_DEAD);
    clump_exchange_close(s->exchange);
    n->sessions[s->my_key & 255] = NULL;
    while (n->places > 0 && n->sessions[n->places - 1] == NULL)
        n->places--;
    free(s);
}

void clump_session_retire(clump_network *n, struct clump_session *s)
{
    if (s->state == CLUMP_SESSION_ENDED && s->handling == 0 && (!s->ours || s->dropped) &&
        (s->exchange == NULL || clump_exchange_idle(s->exchange)))
        clump_session_free(n, s);
}

bool clump_session_waits(const struct clump_session *s)
{
    return s->state == CLUMP_SESSION_OPEN && (clump_exchange_waits(s->exchange) || s->waiting > 0 ||
                                              !s->transport.protocol->idle(&s->transport));
}

static bool take_packet(void *context, const unsigned char *bytes, size_t size)
{
    return clump_exchange_arrive(context, bytes, size);
}

void clump_session_data(clump_network *n, struct clump_session *s, const clump_datagram *d,
                        uint64_t now_ns)
{
    const struct clump_transport_protocol *protocol = s->transport.protocol;
    if (s->state != CLUMP_SESSION_OPEN)
        return;
    protocol->receive(&s->transport, now_ns, d->bytes + CLUMP_DATAGRAM_HEADER,
                      d->size - CLUMP_DATAGRAM_HEADER);
    if (!protocol->deliver(&s->transport, now_ns, take_packet, s->exchange)) {
        n->counters.hostile++;
        clump_session_datagram(n, s, CLUMP_BYE);
        clump_datagram_end(n, CLUMP_DATAGRAM_HEADER);
        clump_session_end(n, s, CLUMP_PROTOCOL_FAILED);
    }
}

/** Move fragments into the transport and its bytes into datagrams. */
static void send_packets(clump_network *n, struct clump_session *s, uint64_t now_ns)
{
    const struct clump_transport_protocol *protocol = s->transport.protocol;
    for (bool moved = true; moved;) {
        moved = false;
        if (s->waiting == 0)
            s->waiting = clump_exchange_fragment(s->exchange, s->packet, s->transport.payload);
        if (s->waiting > 0 && protocol->send(&s->transport, s->packet, s->waiting)) {
            s->waiting = 0;
            moved = true;
        }
        if (protocol->deadline(&s->transport) > now_ns)
            continue;
        clump_datagram *d = clump_session_datagram(n, s, CLUMP_DATA);
        const size_t size =
            protocol->transmit(&s->transport, now_ns, d->bytes + CLUMP_DATAGRAM_HEADER);
        if (size > 0) {
            clump_datagram_end(n, CLUMP_DATAGRAM_HEADER + size);
            s->sent++;
            moved = true;
        }
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/** Of an end that owes us something: when it is asked next whether it lives, ... */
static uint64_t next_ping(const clump_network *n, const struct clump_session *s)
{
    const uint64_t silence = n->options.silence_ns;
    const uint64_t first = later(s->heard_ns, s->owed_ns) + silence / 4;
    return s->doubt_ns == 0 ? first : later(first, s->asked_ns + silence / 8);
}

/** ... and when it is dead unless it is heard. */
static uint64_t death(const clump_network *n, const struct clump_session *s)
{
    const uint64_t silence = n->options.silence_ns;
    return s->doubt_ns == 0
               ? UINT64_MAX
               : later(later(s->heard_ns, s->owed_ns) + silence, s->doubt_ns + silence / 8);
}

static uint64_t idle_deadline(const clump_network *n, const struct clump_session *s)
{
    const uint64_t last = later(s->heard_ns, s->asked_ns);
    return s->ours ? UINT64_MAX : last + n->options.silence_ns;
}

static void ping(clump_network *n, struct clump_session *s, uint64_t now_ns)
{
    s->asked_ns = now_ns;
    s->unanswered++;
    clump_session_datagram(n, s, CLUMP_PING);
    clump_datagram_end(n, CLUMP_DATAGRAM_HEADER);
    s->sent++;
}

/** Nobody owes anything, so nobody misses an end that vanished; but its session takes room. */
static void forget_idle(clump_network *n, struct clump_session *s, uint64_t now_ns)
{
    if (now_ns < idle_deadline(n, s))
        return;
    if (s->unanswered >= IDLE_PINGS)
        clump_session_end(n, s, CLUMP_PROTOCOL_PEER_DEAD);
    else
        ping(n, s, now_ns);
}

void clump_session_flush(clump_network *n, struct clump_session *s, uint64_t now_ns)
{
    const uint64_t silence = n->options.silence_ns;
    if (s->state != CLUMP_SESSION_OPEN)
        return;
    send_packets(n, s, now_ns);
    const bool owed = s->owed;
    s->owed = clump_session_waits(s);
    if (!owed || !s->owed) {
        s->owed_ns = now_ns;
        s->doubt_ns = 0;
    }
    if (!s->owed) {
        forget_idle(n, s, now_ns);
        return;
    }
    /* It is dead when it was asked and we looked for its answer a while later. Whoever only comes
     * back from computing has not: there the answer may be waiting to be read. */
    if (now_ns >= death(n, s) && n->looked_ns >= s->doubt_ns + silence / 8) {
        clump_session_end(n, s, CLUMP_PROTOCOL_PEER_DEAD);
    } else if (now_ns >= next_ping(n, s)) {
        s->doubt_ns = s->doubt_ns != 0 ? s->doubt_ns : now_ns;
        ping(n, s, now_ns);
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t clump_session_deadline(const clump_network *n, const struct clump_session *s)
{
    if (s->state != CLUMP_SESSION_OPEN)
        return UINT64_MAX;
    const uint64_t due = s->transport.protocol->deadline(&s->transport);
    return s->owed ? earlier(due, earlier(next_ping(n, s), death(n, s)))
                   : earlier(due, idle_deadline(n, s));
}
