/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages over the network. */
#include "protocols/endpoint/remote_private.h"
#include "protocols/queue/process.h"

#include <stdlib.h>
#include <string.h>

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

uint32_t clump_remote_look(struct clump_endpoint *e, bool requests, uint32_t most)
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
    return accepted;
}

static clump_exchange_message outgoing(uint64_t tag, unsigned handler, const uint32_t *arguments,
                                       unsigned count, const void *data, size_t size)
{
    return (clump_exchange_message){.handler = (uint8_t)handler,
                                    .tag = tag,
                                    .count = count,
                                    .arguments = arguments,
                                    .data = data,
                                    .size = data != NULL ? size : 0};
}

clump_protocol_status clump_remote_request(struct clump_endpoint *e,
                                           const struct clump_destination *destination,
                                           unsigned handler, const uint32_t *arguments,
                                           unsigned count, const void *data, size_t size)
{
    struct clump_remote *r = e->remote;
    const clump_exchange_message message =
        outgoing(destination->tag, handler, arguments, count, data, size);
    const clump_protocol_status status =
        clump_network_request(r->network, destination->session, &message);
    if (status == CLUMP_PROTOCOL_OK)
        clump_network_flush(r->network, clump_time_ns());
    else if (status != CLUMP_PROTOCOL_BLOCKED)
        return clump_endpoint_fail(e, status, "the session with this destination has ended");
    return status;
}

clump_protocol_status clump_remote_reply(struct clump_token *token, unsigned handler,
                                         const uint32_t *arguments, unsigned count,
                                         const void *data, size_t size)
{
    struct clump_endpoint *e = token->endpoint;
    const clump_exchange_message message = outgoing(0, handler, arguments, count, data, size);
    if (clump_network_state(e->remote->network, token->session, NULL) != CLUMP_SESSION_OPEN)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_PEER_DEAD,
                                   "the sender of the request has ended");
    clump_network_reply(e->remote->network, token->session, token->place, &message);
    return CLUMP_PROTOCOL_OK;
}
