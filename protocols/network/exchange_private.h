/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The inside of an exchange: where each request is, and messages as bytes. */
#ifndef CLUMP_PROTOCOLS_NETWORK_EXCHANGE_PRIVATE_H
#define CLUMP_PROTOCOLS_NETWORK_EXCHANGE_PRIVATE_H

#include "protocols/network/exchange.h"
#include "protocols/reliability/fragments.h"

enum clump_fragment_kind {
    CLUMP_FRAGMENT_REQUEST = 1,
    CLUMP_FRAGMENT_REPLY,
    CLUMP_FRAGMENT_NOTICE,
    CLUMP_FRAGMENT_RETURNED
};

/** Where a request of ours is. */
enum clump_our_state {
    CLUMP_OURS_FREE,
    CLUMP_OURS_SENDING,
    CLUMP_OURS_WAITING,
    CLUMP_OURS_RECEIVING,
    CLUMP_OURS_ANSWERED
};

/** Where a request of theirs is. */
enum clump_their_state {
    CLUMP_THEIRS_NONE,
    CLUMP_THEIRS_ARRIVING,
    CLUMP_THEIRS_READY,
    CLUMP_THEIRS_HANDLED,
    CLUMP_THEIRS_ANSWERING
};

struct clump_our_request {
    enum clump_our_state state;
    uint8_t kind; /**< of the answer */
    uint16_t generation;
    uint32_t size, done;    /**< of the request, then of the answer */
    clump_assembly arrived; /**< of the answer */
    unsigned char head[CLUMP_BODY_HEADER + 4 * CLUMP_MESSAGE_ARGUMENTS]; /**< to be returned */
    unsigned char body[CLUMP_BODY_MOST]; /**< of the request, then of the answer */
};

struct clump_their_request {
    enum clump_their_state state;
    bool forgotten; /**< nobody waits for the answer any more */
    uint8_t kind;   /**< of the answer; 0: none yet */
    uint16_t generation;
    uint32_t size, done;                 /**< of the request, then of the answer */
    clump_assembly arrived;              /**< of the request */
    unsigned char body[CLUMP_BODY_MOST]; /**< of the request */
    unsigned char answer[CLUMP_BODY_MOST];
};

/** Places in the order in which something happened to them; each place is in it at most once. */
struct clump_order {
    unsigned first, count;
    uint8_t place[CLUMP_EXCHANGE_CREDITS_MOST];
};

struct clump_exchange {
    unsigned credits, in_use;
    struct clump_order requests_out, answers_out; /**< to be sent */
    struct clump_order requests_in, answers_in;   /**< whole, to be delivered */
    struct clump_our_request *ours;
    struct clump_their_request *theirs;
};

static inline void clump_order_add(struct clump_order *order, unsigned place)
{
    order->place[(order->first + order->count++) % CLUMP_EXCHANGE_CREDITS_MOST] = (uint8_t)place;
}

static inline unsigned clump_order_first(const struct clump_order *order)
{
    return order->place[order->first];
}

static inline void clump_order_take(struct clump_order *order)
{
    order->first = (order->first + 1) % CLUMP_EXCHANGE_CREDITS_MOST;
    order->count--;
}

/* ---- messages as bytes: body.c */

static inline uint16_t clump_get16(const unsigned char *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline void clump_put16(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

/** @return its size */
uint32_t clump_body_write(unsigned char *body, const clump_exchange_message *message);

/** Bytes of a body without its data. */
uint32_t clump_body_head(const unsigned char *body);

/** Whether a body that the other end wrote holds what it says. */
bool clump_body_is_good(const unsigned char *body, uint32_t size, uint8_t kind);

/** Of a good body; the message refers to it. */
void clump_body_read(const unsigned char *body, uint32_t size, clump_exchange_delivery *delivery);

#endif
