/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests. */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/backoff.h"

/** A request over the network. */
struct remote_request {
    struct clump_endpoint *endpoint;
    const struct clump_destination *destination;
    const struct clump_outgoing *out;
    clump_protocol_status status;
};

static bool try_remote(void *context)
{
    struct remote_request *r = context;
    const struct clump_outgoing *out = r->out;
    if (r->status == CLUMP_PROTOCOL_BLOCKED)
        r->status = clump_remote_request(r->endpoint, r->destination, out->handler, out->arguments,
                                         out->count, out->data, out->size);
    return r->status != CLUMP_PROTOCOL_BLOCKED;
}

/** Only an answer brings a credit, and it may wait behind what we have not accepted yet. */
static bool accept_and_try(void *context)
{
    struct remote_request *r = context;
    if (r->status == CLUMP_PROTOCOL_BLOCKED)
        clump_endpoint_accept(r->endpoint, true, 1);
    return try_remote(context);
}

static clump_protocol_status request_remote(struct clump_endpoint *e,
                                            const struct clump_destination *destination,
                                            const struct clump_outgoing *out)
{
    struct remote_request r = {e, destination, out, CLUMP_PROTOCOL_BLOCKED};
    struct clump_waiter waiter = {.first_us = e->options.backoff_first_us,
                                  .limit_us = e->options.backoff_limit_us,
                                  .timeout_ms = e->options.send_timeout_ms,
                                  .recovery_ms = e->options.recovery_ms,
                                  .poll = accept_and_try,
                                  .context = &r};
    e->sending_request = true;
    if (!try_remote(&r))
        while (r.status == CLUMP_PROTOCOL_BLOCKED &&
               clump_waiter_pause(&waiter) == CLUMP_PROTOCOL_OK)
            ;
    e->sending_request = false;
    if (r.status != CLUMP_PROTOCOL_BLOCKED)
        return r.status;
    return clump_endpoint_fail(e, CLUMP_PROTOCOL_TIMED_OUT,
                               "no request to this destination was answered for %u ms: does its "
                               "process poll?",
                               e->options.send_timeout_ms);
}

static clump_protocol_status request(struct clump_endpoint *e, unsigned index, unsigned handler,
                                     const uint32_t *arguments, unsigned count, bool bulk,
                                     const void *data, size_t size)
{
    static const uint32_t nothing[1];
    if (index >= CLUMP_DESTINATIONS ||
        (e->destinations[index].peer == NULL && !e->destinations[index].remote))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "destination %u is not mapped: call clump_endpoint_map first",
                                   index);
    if (e->handling > 0 || e->sending_request)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "a handler cannot send a request: it can reply, or leave a note "
                                   "for the program to send one");
    clump_protocol_status status =
        clump_endpoint_check_message(e, handler, arguments, count, bulk, data, size);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const struct clump_destination *destination = &e->destinations[index];
    struct clump_peer *peer = destination->peer;
    clump_endpoint_accept(e, true, 1);
    if (peer == NULL) {
        const struct clump_outgoing out = {.arguments = arguments,
                                           .data = bulk ? data : NULL,
                                           .size = size,
                                           .count = count,
                                           .handler = (uint8_t)handler};
        return request_remote(e, destination, &out);
    }
    if (peer->dead)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_PEER_DEAD,
                                   "the process of endpoint %s has ended", peer->name);
    if (count == 0)
        arguments = nothing;
    /* Acquire: pairs with clump_endpoint_set_tag. */
    uint64_t theirs = atomic_load_explicit(&peer->block.header->tag, memory_order_acquire);
    if (theirs != CLUMP_TAG_ACCEPT_ALL &&
        (theirs != destination->tag || theirs == CLUMP_TAG_REJECT_ALL)) {
        if (e->handlers[0].call != NULL) {
            clump_message message = {.arguments = arguments,
                                     .count = count,
                                     .data = data,
                                     .size = size,
                                     .handler = handler,
                                     .returned = CLUMP_PROTOCOL_BAD_TAG};
            e->handling++;
            e->handlers[0].call(NULL, &message, e->handlers[0].context);
            e->handling--;
        }
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_TAG,
                                   "endpoint %s does not accept the tag of destination %u",
                                   peer->name, index);
    }
    struct clump_outgoing out = {.tag = destination->tag,
                                 .arguments = arguments,
                                 .data = bulk ? data : NULL,
                                 .size = size,
                                 .count = count,
                                 .handler = (uint8_t)handler};
    e->sending_request = true;
    status = clump_endpoint_insert(e, peer, CLUMP_REQUESTS, &out);
    e->sending_request = false;
    return status;
}

clump_protocol_status clump_endpoint_request(clump_endpoint *e, unsigned destination,
                                             unsigned handler, const uint32_t *arguments,
                                             unsigned count)
{
    return request(e, destination, handler, arguments, count, false, NULL, 0);
}

clump_protocol_status clump_endpoint_request_bulk(clump_endpoint *e, unsigned destination,
                                                  unsigned handler, const uint32_t *arguments,
                                                  unsigned count, const void *data, size_t size)
{
    return request(e, destination, handler, arguments, count, true, data, size);
}
