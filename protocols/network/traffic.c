/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network (network.h) for those who use it: its sessions, their messages, and the traffic of all:
 * datagrams that come in, and what is due. */
#include "protocols/network/session.h"

#include <stdlib.h>

static bool set_terms(clump_network *n)
{
    clump_network_options *o = &n->options;
    if (o->transport == NULL)
        o->transport = clump_network_transport(0);
    if (o->credits == 0)
        o->credits = CLUMP_EXCHANGE_CREDITS;
    if (o->mtu == 0)
        o->mtu = 1408;
    if (o->window == 0)
        o->window = 32;
    if (o->timeout_ns == 0)
        o->timeout_ns = 5000000;
    if (o->silence_ns == 0)
        o->silence_ns = UINT64_C(5000000000);
    unsigned number = 0;
    const char *name;
    while ((name = clump_network_transport(number)) != NULL && strcmp(name, o->transport) != 0)
        number++;
    n->terms = (struct clump_terms){(uint8_t)number, (uint8_t)o->credits, o->mtu, o->window};
    return name != NULL && o->credits <= CLUMP_EXCHANGE_CREDITS_MOST && o->mtu >= 64 &&
           o->mtu <= 4096 && o->window >= 2 && o->window <= 128;
}

clump_protocol_status clump_network_open(const clump_network_options *options,
                                         clump_network **network)
{
    clump_network *n = calloc(1, sizeof *n);
    if (n == NULL)
        return CLUMP_PROTOCOL_FAILED;
    n->options = *options;
    if (!set_terms(n)) {
        free(n);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    *network = n;
    return CLUMP_PROTOCOL_OK;
}

#define NAME(id, name) name,

const char *clump_network_transport(unsigned number)
{
    static const char *const names[] = {CLUMP_TRANSPORTS(NAME)};
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

void clump_network_transports(char text[CLUMP_TRANSPORTS_BYTES])
{
    text[0] = '\0';
    for (unsigned i = 0; clump_network_transport(i) != NULL; i++) {
        strcat(text, i == 0 ? "" : clump_network_transport(i + 1) != NULL ? ", " : " or ");
        strcat(text, clump_network_transport(i));
    }
}

static void say_goodbye(clump_network *n, const struct clump_session *s)
{
    if (s->state != CLUMP_SESSION_OPEN)
        return;
    clump_session_datagram(n, s, CLUMP_BYE);
    clump_datagram_end(n, CLUMP_DATAGRAM_HEADER);
}

void clump_network_close(clump_network *n)
{
    if (n == NULL)
        return;
    for (unsigned i = 0; i < n->places; i++)
        if (n->sessions[i] != NULL) {
            say_goodbye(n, n->sessions[i]);
            clump_session_free(n, n->sessions[i]);
        }
    clump_datagrams_send(n);
    free(n);
}

void clump_network_set_tag(clump_network *n, uint64_t tag)
{
    n->tag = tag;
}

clump_protocol_status clump_network_connect(clump_network *n, const clump_address *address,
                                            uint64_t tag, uint64_t now_ns, unsigned *session)
{
    struct clump_session *s = clump_session_make(n, address, now_ns);
    if (s == NULL)
        return CLUMP_PROTOCOL_IN_USE;
    s->state = CLUMP_SESSION_HANDSHAKE;
    s->ours = true;
    s->tag = tag;
    s->terms = n->terms;
    n->stirred = true;
    clump_handshake_send(n, s, now_ns);
    clump_datagrams_send(n);
    *session = s->my_key & 255;
    return CLUMP_PROTOCOL_OK;
}

clump_session_state clump_network_state(const clump_network *n, unsigned session,
                                        clump_protocol_status *reason)
{
    const struct clump_session *s = session < CLUMP_SESSIONS ? n->sessions[session] : NULL;
    if (s == NULL)
        return CLUMP_SESSION_NONE;
    if (reason != NULL)
        *reason = s->reason;
    return s->state;
}

bool clump_network_same_machine(const clump_network *n, unsigned session)
{
    return n->sessions[session] != NULL && n->sessions[session]->same_machine;
}

bool clump_network_view(const clump_network *n, unsigned session, clump_session_view *view)
{
    const struct clump_session *s = session < CLUMP_SESSIONS ? n->sessions[session] : NULL;
    if (s == NULL)
        return false;
    *view = (clump_session_view){.serial = s->serial,
                                 .address = s->address,
                                 .open = s->state == CLUMP_SESSION_OPEN,
                                 .sent = s->sent,
                                 .arrived = s->arrived,
                                 .resent = s->transport.protocol != NULL
                                               ? s->transport.protocol->resent(&s->transport)
                                               : s->resent};
    return true;
}

void clump_network_disconnect(clump_network *n, unsigned session)
{
    struct clump_session *s = n->sessions[session];
    say_goodbye(n, s);
    clump_datagrams_send(n);
    s->dropped = true;
    clump_session_end(n, s, CLUMP_PROTOCOL_PEER_DEAD);
    clump_session_retire(n, s);
}

/* ---- messages */

bool clump_network_next(clump_network *n, bool requests, unsigned *session,
                        clump_exchange_delivery *delivery)
{
    for (unsigned i = 0; i < n->places; i++) {
        const unsigned place = (n->turn + i) % n->places;
        struct clump_session *s = n->sessions[place];
        if (s != NULL && s->exchange != NULL &&
            clump_exchange_next(s->exchange, requests, delivery)) {
            s->handling++;
            n->turn = place + 1; /* the others first, next time */
            *session = place;
            return true;
        }
    }
    return false;
}

bool clump_network_has_messages(const clump_network *n)
{
    for (unsigned i = 0; i < n->places; i++)
        if (n->sessions[i] != NULL && n->sessions[i]->exchange != NULL &&
            clump_exchange_has_messages(n->sessions[i]->exchange))
            return true;
    return false;
}

void clump_network_finish(clump_network *n, unsigned session,
                          const clump_exchange_delivery *delivery)
{
    struct clump_session *s = n->sessions[session];
    s->handling--;
    n->stirred = true;
    clump_exchange_finish(s->exchange, delivery);
    clump_session_retire(n, s);
}

clump_protocol_status clump_network_request(clump_network *n, unsigned session,
                                            const clump_exchange_message *message)
{
    struct clump_session *s = n->sessions[session];
    if (s->state != CLUMP_SESSION_OPEN)
        return CLUMP_PROTOCOL_PEER_DEAD;
    if (!clump_exchange_request(s->exchange, message))
        return CLUMP_PROTOCOL_BLOCKED;
    n->stirred = true;
    return CLUMP_PROTOCOL_OK;
}

void clump_network_reply(clump_network *n, unsigned session, unsigned place,
                         const clump_exchange_message *message)
{
    clump_exchange_reply(n->sessions[session]->exchange, place, message);
}

void clump_network_give_back(clump_network *n, unsigned session, unsigned place,
                             clump_protocol_status reason)
{
    clump_exchange_give_back(n->sessions[session]->exchange, place, reason);
}

bool clump_network_sent(const clump_network *n)
{
    for (unsigned i = 0; i < n->places; i++) {
        const struct clump_session *s = n->sessions[i];
        if (s != NULL && s->state == CLUMP_SESSION_OPEN &&
            (!clump_exchange_sent(s->exchange) || s->waiting > 0 ||
             !s->transport.protocol->idle(&s->transport)))
            return false;
    }
    return true;
}

bool clump_network_idle(const clump_network *n)
{
    for (unsigned i = 0; i < n->places; i++) {
        const struct clump_session *s = n->sessions[i];
        if (s != NULL &&
            (clump_session_waits(s) || (s->exchange != NULL && !clump_exchange_idle(s->exchange))))
            return false;
    }
    return true;
}

clump_network_counters clump_network_count(const clump_network *n)
{
    clump_network_counters counters = n->counters;
    counters.resent = n->resent_before;
    for (unsigned i = 0; i < n->places; i++)
        if (n->sessions[i] != NULL && n->sessions[i]->transport.protocol != NULL)
            counters.resent +=
                n->sessions[i]->transport.protocol->resent(&n->sessions[i]->transport);
    return counters;
}

/* ---- traffic */

static void reset_arrives(clump_network *n, const clump_datagram *d, uint64_t key)
{
    for (unsigned i = 0; i < n->places; i++) {
        struct clump_session *s = n->sessions[i];
        if (s != NULL && s->state == CLUMP_SESSION_OPEN && s->their_key == key &&
            clump_address_is(&s->address, &d->address)) {
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
        if (!clump_handshake_is_foreign(n, d))
            clump_handshake_refused(n, d);
        return;
    }
    const enum clump_datagram_kind kind = (enum clump_datagram_kind)d->bytes[2];
    const uint64_t key = clump_wire_get(d->bytes + 4, 8);
    if (kind == CLUMP_HELLO) {
        clump_handshake_arrives(n, d, now_ns);
        return;
    }
    if (kind == CLUMP_RESET) {
        reset_arrives(n, d, key);
        return;
    }
    struct clump_session *s = n->sessions[key & 255];
    if (s == NULL || s->my_key != key || s->state == CLUMP_SESSION_ENDED ||
        !clump_address_is(&s->address, &d->address)) {
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
        clump_handshake_cookie(n, s, d, now_ns);
        break;
    case CLUMP_WELCOME:
        clump_handshake_welcome(n, s, d, now_ns);
        break;
    case CLUMP_DATA:
        clump_session_data(n, s, d, now_ns);
        break;
    case CLUMP_PING:
        if (s->state == CLUMP_SESSION_OPEN) {
            clump_session_datagram(n, s, CLUMP_PONG);
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
            if (n->sessions[i]->state == CLUMP_SESSION_HANDSHAKE)
                clump_handshake_flush(n, n->sessions[i], now_ns);
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
        const uint64_t due = s->state == CLUMP_SESSION_HANDSHAKE ? clump_handshake_deadline(s)
                                                                 : clump_session_deadline(n, s);
        n->due_ns = due < n->due_ns ? due : n->due_ns;
    }
}

uint64_t clump_network_deadline(const clump_network *n)
{
    return n->stirred ? 0 : n->due_ns;
}
