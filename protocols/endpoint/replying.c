/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers to requests, and requests that go back. */
#include "protocols/endpoint/endpoint_private.h"

#include <string.h>

/** The way back to the sender that a state word names; mapped when it is first needed. */
static clump_protocol_status return_way(struct clump_endpoint *e, uint64_t word,
                                        struct clump_peer **peer)
{
    uint32_t index = clump_word_place(word), generation = clump_word_generation(word);
    if (index >= CLUMP_SENDERS)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "the request names no sender: no reply is possible");
    struct clump_return_way *way = &e->ways[index];
    if (way->peer != NULL && way->generation == generation && !way->peer->dead) {
        *peer = way->peer;
        return CLUMP_PROTOCOL_OK;
    }
    if (way->peer != NULL)
        clump_peer_put(e, way->peer);
    way->peer = NULL;
    const struct clump_sender_place *place = &e->block.places[index];
    /* Acquire: pairs with clump_sender_join; the name is that of this generation. */
    uint32_t now = atomic_load_explicit(&place->generation, memory_order_acquire);
    char name[CLUMP_NAME_BYTES];
    memcpy(name, place->endpoint, sizeof name);
    if ((now & 0xffffu) != generation)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_PEER_DEAD,
                                   "the sender of the request has ended");
    if (!clump_segment_name_is_good(name))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "the request names no endpoint: no reply is possible");
    clump_protocol_status status = clump_peer_get(e, name, &way->peer);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    way->generation = generation;
    *peer = way->peer;
    return CLUMP_PROTOCOL_OK;
}

static clump_protocol_status reply(clump_token *token, unsigned handler, const uint32_t *arguments,
                                   unsigned count, bool bulk, const void *data, size_t size)
{
    static const uint32_t nothing[1];
    if (token == NULL) /* a reply cannot be answered; without a token there is nowhere to say so */
        return CLUMP_PROTOCOL_BAD_INPUT;
    struct clump_endpoint *e = token->endpoint;
    if (token->replied)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "this request has been answered already");
    clump_protocol_status status =
        clump_endpoint_check_message(e, handler, arguments, count, bulk, data, size);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    if (token->remote) {
        status = clump_remote_reply(token, handler, arguments, count, bulk ? data : NULL, size);
        token->replied = status == CLUMP_PROTOCOL_OK;
        return status;
    }
    struct clump_peer *peer;
    status = return_way(e, token->word, &peer);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    struct clump_outgoing out = {.arguments = count > 0 ? arguments : nothing,
                                 .data = bulk ? data : NULL,
                                 .size = size,
                                 .count = count,
                                 .handler = (uint8_t)handler};
    status = clump_endpoint_insert(e, peer, CLUMP_REPLIES, &out);
    token->replied = status == CLUMP_PROTOCOL_OK;
    return status;
}

clump_protocol_status clump_endpoint_reply(clump_token *token, unsigned handler,
                                           const uint32_t *arguments, unsigned count)
{
    return reply(token, handler, arguments, count, false, NULL, 0);
}

clump_protocol_status clump_endpoint_reply_bulk(clump_token *token, unsigned handler,
                                                const uint32_t *arguments, unsigned count,
                                                const void *data, size_t size)
{
    return reply(token, handler, arguments, count, true, data, size);
}

void clump_endpoint_send_back(struct clump_endpoint *e, uint64_t word, unsigned handler,
                              const uint32_t *arguments, unsigned count,
                              clump_protocol_status reason)
{
    struct clump_peer *peer = NULL;
    if (return_way(e, word, &peer) != CLUMP_PROTOCOL_OK)
        return;
    struct clump_outgoing out = {.arguments = arguments,
                                 .count = count,
                                 .reason = (uint8_t)reason,
                                 .returned_handler = (uint8_t)handler};
    clump_endpoint_insert(e, peer, CLUMP_REPLIES, &out);
}
