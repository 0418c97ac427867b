/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network side of an endpoint: its socket and sessions made, mapped, looked at and closed, and
 * messages through them. */
#define _DEFAULT_SOURCE /* getentropy */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/network/network.h"
#include "protocols/network/udp.h"
#include "protocols/queue/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct clump_remote {
    clump_udp *udp;
    clump_network *network;
    char address[CLUMP_UDP_TEXT];
};

_Static_assert((int)CLUMP_ADDRESS_TEXT == (int)CLUMP_UDP_TEXT, "an address fits");
_Static_assert((int)CLUMP_ENDPOINT_CREDITS == (int)CLUMP_EXCHANGE_CREDITS, "what endpoint.h says");

/** How long map() waits for an answer, and close() for the acknowledgement of the last messages. */
static const uint64_t answer_ns = 2000000000, farewell_ns = 500000000;

static clump_protocol_status start_network(struct clump_endpoint *e)
{
    struct clump_remote *r = e->remote;
    clump_network_options options = {.link = clump_udp_link(r->udp),
                                     .transport = e->options.transport,
                                     .any_order = e->options.interface_count > 1,
                                     .timeout_ns = (uint64_t)e->options.resend_ms * 1000000u,
                                     .silence_ns = (uint64_t)e->options.silence_ms * 1000000u};
    if (getentropy(options.secret, sizeof options.secret) != 0)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_FAILED, "the system has no random numbers");
    clump_machine_identity(options.machine);
    const clump_protocol_status status = clump_network_open(&options, &r->network);
    if (status == CLUMP_PROTOCOL_BAD_INPUT) {
        char names[CLUMP_TRANSPORTS_BYTES];
        clump_network_transports(names);
        return clump_endpoint_fail(e, status, "transport \"%.40s\": expected %s",
                                   e->options.transport, names);
    }
    if (status != CLUMP_PROTOCOL_OK)
        return clump_endpoint_fail(e, status, "no memory for the network");
    clump_network_set_tag(r->network, CLUMP_TAG_REJECT_ALL);
    return status;
}

/** Tell senders of shared memory where we sleep. */
static void hang_doorbell(struct clump_endpoint *e)
{
    struct clump_doorbell *doorbell = &e->block.header->doorbell;
    clump_address address;
    char message[CLUMP_UDP_MESSAGE];
    if (clump_udp_resolve(e->remote->udp, e->remote->address, &address, message) !=
        CLUMP_PROTOCOL_OK)
        return;
    memcpy(doorbell->address, address.bytes, sizeof doorbell->address);
    /* Release: the address before its size; pairs with ring() of endpoint_messages.c. */
    atomic_store_explicit(&doorbell->size, address.size, memory_order_release);
}

clump_protocol_status clump_remote_open(struct clump_endpoint *e)
{
    char message[CLUMP_UDP_MESSAGE];
    e->remote = calloc(1, sizeof *e->remote);
    if (e->remote == NULL)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_FAILED, "no memory for the network");
    clump_protocol_status status = clump_udp_open(e->options.listen, &e->remote->udp, message);
    if (status != CLUMP_PROTOCOL_OK)
        clump_endpoint_fail(e, status, "%s", message);
    if (status == CLUMP_PROTOCOL_OK &&
        !clump_udp_spread(e->remote->udp, e->options.interfaces, e->options.interface_count))
        status =
            clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                "datagrams by turn through %u interfaces: expected at most %d, "
                                "and IPv4 on Linux",
                                e->options.interface_count, CLUMP_UDP_INTERFACES);
    if (status == CLUMP_PROTOCOL_OK)
        status = start_network(e);
    if (status == CLUMP_PROTOCOL_OK) {
        clump_udp_name(e->remote->udp, e->remote->address);
        hang_doorbell(e);
    } else {
        clump_remote_close(e);
    }
    return status;
}

void clump_remote_close(struct clump_endpoint *e)
{
    struct clump_remote *r = e->remote;
    if (r == NULL)
        return;
    if (r->network != NULL) {
        /* Answers may still be on their way; requests that nobody will see answered are not. */
        const uint64_t until = clump_time_ns() + farewell_ns;
        for (uint64_t now; !clump_network_sent(r->network) && (now = clump_time_ns()) < until;) {
            clump_network_poll(r->network, now);
            clump_network_flush(r->network, now);
            clump_udp_wait(r->udp, 1000000);
        }
        clump_network_close(r->network);
    }
    clump_udp_close(r->udp);
    free(r);
    e->remote = NULL;
}

void clump_remote_set_tag(struct clump_endpoint *e, uint64_t tag)
{
    clump_network_set_tag(e->remote->network, tag);
}

clump_protocol_status clump_remote_map(struct clump_endpoint *e, const char *where, uint64_t tag,
                                       unsigned *session, bool *same_machine)
{
    struct clump_remote *r = e->remote;
    char message[CLUMP_UDP_MESSAGE];
    clump_address address;
    if (r == NULL)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "endpoint at %.80s: this endpoint was opened without `listen`, "
                                   "and reaches its own machine only",
                                   where);
    clump_protocol_status status = clump_udp_resolve(r->udp, where, &address, message);
    if (status != CLUMP_PROTOCOL_OK)
        return clump_endpoint_fail(e, status, "%s", message);
    const uint64_t malformed = clump_network_count(r->network).malformed;
    uint64_t now = clump_time_ns();
    const uint64_t until = now + answer_ns;
    status = clump_network_connect(r->network, &address, tag, now, session);
    if (status != CLUMP_PROTOCOL_OK)
        return clump_endpoint_fail(e, status, "there is no room for a session with %.80s", where);
    clump_protocol_status reason = CLUMP_PROTOCOL_NOT_FOUND;
    clump_session_state state = CLUMP_SESSION_HANDSHAKE;
    while (state == CLUMP_SESSION_HANDSHAKE && now < until) {
        clump_udp_wait(r->udp, 5000000);
        now = clump_time_ns();
        clump_network_poll(r->network, now);
        clump_network_flush(r->network, now);
        state = clump_network_state(r->network, *session, &reason);
    }
    if (state == CLUMP_SESSION_OPEN) {
        *same_machine = clump_network_same_machine(r->network, *session);
        return CLUMP_PROTOCOL_OK;
    }
    if (state == CLUMP_SESSION_HANDSHAKE)
        reason = CLUMP_PROTOCOL_NOT_FOUND;
    const bool something = clump_network_count(r->network).malformed > malformed;
    clump_network_disconnect(r->network, *session);
    return clump_endpoint_fail(
        e, reason,
        reason == CLUMP_PROTOCOL_NOT_FOUND && something
            ? "what answers at %.80s is no endpoint: it speaks another protocol"
        : reason == CLUMP_PROTOCOL_NOT_FOUND ? "no endpoint answers at %.80s"
        : reason == CLUMP_PROTOCOL_BAD_TAG   ? "the endpoint at %.80s does not accept this tag"
        : reason == CLUMP_PROTOCOL_BAD_VERSION
            ? "the endpoint at %.80s speaks another version of the protocol"
        : reason == CLUMP_PROTOCOL_IN_USE ? "the endpoint at %.80s has no room for another session"
                                          : "no session with the endpoint at %.80s could be made",
        where);
}

void clump_remote_unmap(struct clump_endpoint *e, unsigned session)
{
    clump_network_disconnect(e->remote->network, session);
}

/* ---- messages */

static bool deliver_next(struct clump_endpoint *e, bool requests)
{
    clump_network *network = e->remote->network;
    unsigned session;
    clump_exchange_delivery d;
    if (!clump_network_next(network, requests, &session, &d))
        return false;
    const unsigned handler = d.message.returned != CLUMP_PROTOCOL_OK ? 0 : d.message.handler;
    struct clump_token token = {
        .endpoint = e, .remote = true, .session = session, .place = d.place};
    const clump_protocol_status status =
        clump_endpoint_dispatch(e, &token, d.request, d.tag, handler, &d.message);
    if (status != CLUMP_PROTOCOL_OK && d.request)
        clump_network_give_back(network, session, d.place, status);
    clump_network_finish(network, session, &d);
    return true;
}

/** Look at the network, and accept at most so many messages. @return how many */
static uint32_t look(struct clump_endpoint *e, bool requests, uint32_t most)
{
    struct clump_remote *r = e->remote;
    const uint64_t now = clump_time_ns();
    uint32_t accepted = 0;
    e->looks.count++;
    e->looks.last_ns = now;
    clump_network_poll(r->network, now);
    while (accepted < most && deliver_next(e, requests))
        accepted++;
    clump_network_flush(r->network, now);
    e->looks.fresh = requests && (accepted < most || !clump_network_has_messages(r->network));
    return accepted;
}

static clump_exchange_message exchange_message(const struct clump_outgoing *out)
{
    return (clump_exchange_message){.handler = out->handler,
                                    .tag = out->tag,
                                    .count = out->count,
                                    .arguments = out->arguments,
                                    .data = out->data,
                                    .size = out->data != NULL ? out->size : 0};
}

clump_protocol_status clump_remote_request(struct clump_endpoint *e, unsigned session,
                                           const struct clump_outgoing *out)
{
    struct clump_remote *r = e->remote;
    const clump_exchange_message message = exchange_message(out);
    const clump_protocol_status status = clump_network_request(r->network, session, &message);
    if (status == CLUMP_PROTOCOL_OK)
        clump_network_flush(r->network, clump_time_ns());
    else if (status != CLUMP_PROTOCOL_BLOCKED)
        return clump_endpoint_fail(e, status, "the session with this destination has ended");
    return status;
}

clump_protocol_status clump_remote_reply(struct clump_token *token,
                                         const struct clump_outgoing *out)
{
    struct clump_endpoint *e = token->endpoint;
    const clump_exchange_message message = exchange_message(out);
    if (clump_network_state(e->remote->network, token->session, NULL) != CLUMP_SESSION_OPEN)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_PEER_DEAD,
                                   "the sender of the request has ended");
    clump_network_reply(e->remote->network, token->session, token->place, &message);
    return CLUMP_PROTOCOL_OK;
}

/* ---- when to look (chapter 4), and sleeping meanwhile */

/* Skips beyond table 4.1 suit a process that polls all the time. One that computes between its
 * polls would leave others without an answer: whenever so many polls were skipped, the clock is
 * asked. */
enum { POLLS_BY_THE_CLOCK = 64 };

static bool is_late(const struct clump_endpoint *e)
{
    return clump_time_ns() - e->looks.last_ns >= (uint64_t)e->options.patience_us * 1000u;
}

unsigned clump_remote_poll(struct clump_endpoint *e, bool requests, unsigned local)
{
    clump_polling *p = &e->looks.polling;
    uint32_t most = clump_polling_begin(p);
    if (most == 0 && p->left % POLLS_BY_THE_CLOCK == 0 && is_late(e))
        most = clump_polling_hasten(p);
    const uint32_t accepted = most > 0 ? look(e, requests, most) : 0;
    clump_polling_end(p, local, accepted);
    return accepted;
}

bool clump_remote_has_looked(struct clump_endpoint *e)
{
    const bool fresh = e->looks.fresh;
    e->looks.fresh = false;
    return fresh;
}

void clump_remote_hurry(struct clump_endpoint *e)
{
    clump_polling_hurry(&e->looks.polling);
}

unsigned clump_remote_poll_alone(struct clump_endpoint *e, bool requests, unsigned most)
{
    e->polls++;
    return look(e, requests, most);
}

void clump_remote_sleep(struct clump_endpoint *e, uint64_t timeout_ns)
{
    const uint64_t due = clump_network_deadline(e->remote->network), now = clump_time_ns();
    if (due > now)
        clump_udp_wait(e->remote->udp, due - now < timeout_ns ? due - now : timeout_ns);
    clump_remote_hurry(e);
}

/* ---- for those who want to know */

const char *clump_endpoint_address(const clump_endpoint *e)
{
    return e->remote != NULL ? e->remote->address : "";
}

void clump_endpoint_count_traffic(const clump_endpoint *e, clump_endpoint_traffic *traffic)
{
    *traffic = (clump_endpoint_traffic){0};
    if (e->remote == NULL)
        return;
    const clump_network_counters c = clump_network_count(e->remote->network);
    const clump_udp_counters u = clump_udp_count(e->remote->udp);
    *traffic = (clump_endpoint_traffic){.sent = c.sent,
                                        .arrived = c.arrived,
                                        .resent = c.resent,
                                        .dropped = c.malformed + c.strangers + u.oversized,
                                        .looks = e->looks.count,
                                        .rung = u.empty,
                                        .skip = e->looks.polling.skip,
                                        .maximum_skip = e->looks.polling.maximum_skip};
}

static void view(const struct clump_remote *r, unsigned session, clump_endpoint_session *to)
{
    clump_session_view v;
    *to = (clump_endpoint_session){0};
    if (clump_network_view(r->network, session, &v))
        *to = (clump_endpoint_session){.number = v.serial << 8 | session,
                                       .open = v.open,
                                       .sent = v.sent,
                                       .arrived = v.arrived,
                                       .resent = v.resent};
}

void clump_endpoint_view(const clump_endpoint *e, unsigned destination, clump_endpoint_session *to)
{
    *to = (clump_endpoint_session){0};
    if (destination < CLUMP_DESTINATIONS && e->destinations[destination].remote)
        view(e->remote, e->destinations[destination].session, to);
}

void clump_token_view(const clump_token *token, clump_endpoint_session *to)
{
    *to = (clump_endpoint_session){0};
    if (token->remote)
        view(token->endpoint->remote, token->session, to);
}

uint64_t clump_token_session(const clump_token *token)
{
    clump_endpoint_session session;
    clump_token_view(token, &session);
    return session.number;
}

void clump_token_address(const clump_token *token, char text[CLUMP_ADDRESS_TEXT])
{
    clump_session_view v;
    text[0] = '\0';
    if (token->remote && clump_network_view(token->endpoint->remote->network, token->session, &v))
        clump_udp_text(&v.address, text);
}

bool clump_endpoint_has_session(const clump_endpoint *e, uint64_t number)
{
    clump_endpoint_session session = {0};
    if (e->remote != NULL && number != 0)
        view(e->remote, (unsigned)(number & 255), &session);
    return session.open && session.number == number;
}
