/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Requests and replies of two endpoints over a channel of packets: credits, fragments, and what is
 * returned. No I/O, no clock, no allocation after opening.
 *
 * Each end has `credits` places for requests. A request occupies its place until its answer has
 * been handled: a reply, the notice that the handler gave none, or the request itself, returned. So
 * each end can hold everything that the other may send, an answer never waits for room, and there
 * is no deadlock: only requests wait, and only for answers.
 *
 *   open -> { request | fragment | arrive | next -> (reply | give_back)? -> finish }* -> close
 *
 * The channel below must deliver each fragment exactly once; the order does not matter. A fragment
 * begins with 8 bytes, numbers in network order:
 *
 *   0 kind   1 place   2 generation of the place   4 offset   6 size of the whole message
 *
 * and the message, of at most 8,236 bytes, is
 *
 *   0 handler   1 number of arguments   2 why it is returned   3 0   4 tag   12 arguments, data
 */
#ifndef CLUMP_PROTOCOLS_NETWORK_EXCHANGE_H
#define CLUMP_PROTOCOLS_NETWORK_EXCHANGE_H

#include "protocols/message.h"
#include "protocols/protocol_status.h"

#include <stdbool.h>

enum {
    CLUMP_EXCHANGE_CREDITS = 16, /**< default: the thesis's network queues hold 16 (5.3.1) */
    CLUMP_EXCHANGE_CREDITS_MOST = 128,
    CLUMP_FRAGMENT_HEADER = 8,
    CLUMP_FRAGMENT_LEAST = CLUMP_FRAGMENT_HEADER + 32, /**< size of the smallest useful fragment */
    CLUMP_BODY_HEADER = 12,
    CLUMP_BODY_MOST = CLUMP_BODY_HEADER + 4 * CLUMP_MESSAGE_ARGUMENTS + CLUMP_MESSAGE_BULK_BYTES
};

typedef struct clump_exchange clump_exchange;

/** What to send; the caller has checked it against the limits of endpoint.h. */
typedef struct clump_exchange_message {
    uint8_t handler;
    uint64_t tag; /**< of requests */
    unsigned count;
    const uint32_t *arguments;
    const void *data; /**< NULL: a short message */
    size_t size;
} clump_exchange_message;

/** A message that has arrived whole; the pointers are valid until it is finished. */
typedef struct clump_exchange_delivery {
    bool request;   /**< a request, to be answered; else the end of one of ours */
    unsigned place; /**< names the request */
    uint64_t tag;
    uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
    clump_message message; /**< as the handler sees it; `returned` is not OK for our request that
                                came back */
} clump_exchange_delivery;

/** @param credits 1 to 128, the same at both ends
 *  @return OK, BAD_INPUT or FAILED (no memory); *exchange is written only if OK. Memory: about
 *  25 kB for each credit. */
clump_protocol_status clump_exchange_open(unsigned credits, clump_exchange **exchange);
void clump_exchange_close(clump_exchange *exchange);

/** Whether a request could be taken now. */
bool clump_exchange_has_credit(const clump_exchange *exchange);

/** Take a request over, by copy. @return false if every credit is in use */
bool clump_exchange_request(clump_exchange *exchange, const clump_exchange_message *message);

/** Answer a delivered request, once; always possible. */
void clump_exchange_reply(clump_exchange *exchange, unsigned place,
                          const clump_exchange_message *message);

/** Return a delivered request to its sender: its handler and arguments, without its data. */
void clump_exchange_give_back(clump_exchange *exchange, unsigned place,
                              clump_protocol_status reason);

/** The next fragment for the channel, at most `most` bytes (CLUMP_FRAGMENT_LEAST or more), answers
 *  before requests. @return its size; 0: nothing to send */
size_t clump_exchange_fragment(clump_exchange *exchange, unsigned char *bytes, size_t most);

/** A fragment that the channel delivered. @return false for what no honest end sends; nothing has
 *  changed then */
bool clump_exchange_arrive(clump_exchange *exchange, const unsigned char *bytes, size_t size);

/** The next whole message in the order of arrival, answers before requests.
 *  @param requests false: answers only */
bool clump_exchange_next(clump_exchange *exchange, bool requests,
                         clump_exchange_delivery *delivery);

/** Whether there is one, a request or an answer. */
bool clump_exchange_has_messages(const clump_exchange *exchange);

/** The delivered message has been handled. A request without an answer is answered by a notice. */
void clump_exchange_finish(clump_exchange *exchange, const clump_exchange_delivery *delivery);

/** The other end is gone: every request without answer will be delivered as returned for `reason`;
 *  what it had asked is forgotten (a request in its handler may still be finished). */
void clump_exchange_fail(clump_exchange *exchange, clump_protocol_status reason);

/** Whether the other end owes an answer, or has not been given what it asked for. */
bool clump_exchange_waits(const clump_exchange *exchange);

/** Whether all answers have been handed to the channel. */
bool clump_exchange_sent(const clump_exchange *exchange);

/** Whether nothing waits: to be sent, to be delivered, or for an answer. */
bool clump_exchange_idle(const clump_exchange *exchange);

/* ---- numbers as bytes, in network order */

/* Inline: `bytes` is a constant, and compilers know these for one move. */
static inline uint64_t clump_wire_get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * (bytes - 1 - i);
    return value;
}

static inline void clump_wire_put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0; value >>= 8)
        at[i] = (unsigned char)value;
}

#endif
