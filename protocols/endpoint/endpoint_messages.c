/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moving messages (section 3.2.4): putting them into the queues of other endpoints, accepting them
 * from one's own, requests, replies, and waiting.
 *
 * Who waits for whom (theorem 3.6): a request that waits in a full queue accepts requests and
 * replies; a reply that waits accepts replies only. Handlers of replies send nothing. So the stack
 * is at most request, request handler, reply, reply handler deep: inserting accepts, and what it
 * accepts may be answered by inserting.
 */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

#include <string.h>
#include <sys/socket.h>

/* ---- what a sender does while it waits in a full queue */

struct waiting {
    struct clump_endpoint *endpoint;
    struct clump_peer *peer;
    bool requests;
};

static bool poll_while_waiting(void *context)
{
    struct waiting *w = context;
    clump_endpoint_accept(w->endpoint, w->requests, 1);
    return false; /* the delay keeps senders off the full queue whatever arrives here */
}

static bool receiver_alive(void *context)
{
    struct waiting *w = context;
    return clump_peer_alive(w->peer);
}

/* ---- sending */

/** Arguments of a message without any. */
static const uint32_t nothing[1];

static clump_protocol_status check_message(struct clump_endpoint *e, unsigned handler,
                                           const uint32_t *arguments, unsigned count, bool bulk,
                                           const void *data, size_t size)
{
    if (handler == 0 || handler >= CLUMP_HANDLERS)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "handler %u: expected 1 to %d (0 is for returned messages)",
                                   handler, CLUMP_HANDLERS - 1);
    if (count > CLUMP_ARGUMENTS || (count > 0 && arguments == NULL))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "%u arguments%s: expected 0 to %d",
                                   count, arguments == NULL ? " at NULL" : "", CLUMP_ARGUMENTS);
    if (bulk && (size == 0 || size > CLUMP_BULK_BYTES || data == NULL))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "%zu bytes of bulk data%s: expected 1 to %d", size,
                                   data == NULL ? " at NULL" : "", CLUMP_BULK_BYTES);
    return CLUMP_PROTOCOL_OK;
}

/**
 * Fill a packet, in few stores: between any two of them the receiver may ask for the line again,
 * and those that wait for the line fill the processor's queue of stores.
 */
static inline void write_packet(struct clump_packet *p, uint64_t tag, const uint32_t *arguments,
                                unsigned count, const uint8_t bytes[4])
{
    p->tag = tag;
    if (count == CLUMP_ARGUMENTS) /* of known size: two moves, not a call */
        memcpy(p->arguments, arguments, sizeof p->arguments);
    else
        for (unsigned i = 0; i < count; i++) {
            p->arguments[i] = arguments[i];
            atomic_signal_fence(memory_order_seq_cst); /* not worth the registers of a vector */
        }
    memcpy(&p->handler, bytes, 4); /* and count, reason, returned_handler behind it */
}

_Static_assert(offsetof(struct clump_packet, returned_handler) ==
                   offsetof(struct clump_packet, handler) + 3,
               "written at once");

/** Wake a receiver that sleeps on its socket: an empty datagram. In another network namespace it
 *  does not arrive, and the receiver looks after a hundredth of a second. */
static void ring(struct clump_endpoint *e, const struct clump_doorbell *doorbell)
{
    /* The receiver's memory: read once, and let the system judge it. Acquire: the address. */
    struct sockaddr_storage to = {0};
    const uint32_t size = atomic_load_explicit(&doorbell->size, memory_order_acquire);
    if (size == 0 || size > sizeof doorbell->address)
        return;
    memcpy(&to, doorbell->address, sizeof doorbell->address);
    if (e->doorbell == 0) {
        const int made = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        e->doorbell = made > 0 ? made : 0;
    }
    if (e->doorbell > 0)
        sendto(e->doorbell, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to, size);
}

/** Claim a packet, and a block for bulk data; accepts messages while it waits. */
static clump_protocol_status claim(struct clump_endpoint *e, struct clump_peer *peer,
                                   unsigned which, uint32_t *packet, uint32_t *block)
{
    struct clump_queue *q = &peer->block.queues[which];
    struct waiting waiting = {e, peer, which == CLUMP_REQUESTS};
    struct clump_waiter waiter = {.first_us = e->options.backoff_first_us,
                                  .limit_us = e->options.backoff_limit_us,
                                  .timeout_ms = e->options.send_timeout_ms,
                                  .recovery_ms = e->options.recovery_ms,
                                  .poll = poll_while_waiting,
                                  .alive = receiver_alive,
                                  .context = &waiting};
    clump_protocol_status status = CLUMP_PROTOCOL_PEER_DEAD;
    /* The first send after each look at the peers asks for itself, the others rely on it. */
    if (peer->fresh || clump_peer_alive(peer))
        status = q->algorithm->claim(q, &peer->sender, &waiter, packet, block);
    if (status != CLUMP_PROTOCOL_OK)
        clump_endpoint_fail(
            e, status,
            status == CLUMP_PROTOCOL_PEER_DEAD ? "the process of endpoint %s has ended"
            : status == CLUMP_PROTOCOL_TIMED_OUT
                ? "the queue of endpoint %s stayed full for %u ms: does its process poll?"
                : "the lock of the queue of endpoint %s cannot be used any more",
            peer->name, e->options.send_timeout_ms);
    return status;
}

/** A message is in the queue of that peer. (Inlined, gcc would warn of its fence when it builds for
 *  the thread sanitizer.) */
__attribute__((noinline)) static void sent(struct clump_endpoint *e, struct clump_peer *peer)
{
    if (!peer->fresh)
        peer->fresh = true;
    if (peer->events) {
        /* Sequentially consistent: our READY before our look at `waiting`, as the receiver stores
         * `waiting` before its last look at the queue (clump_endpoint_wait). */
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&peer->block.header->waiting, memory_order_relaxed) != 0) {
            atomic_store_explicit(&peer->block.header->waiting, 0, memory_order_relaxed);
            clump_event_wake(&peer->block.header->waiting);
            ring(e, &peer->block.header->doorbell);
        }
    }
}

/** Claim a packet of a queue of that peer, fill it, publish it; accepts messages while it waits. */
static clump_protocol_status insert(struct clump_endpoint *e, struct clump_peer *peer,
                                    unsigned which, const struct clump_outgoing *out)
{
    struct clump_queue *q = &peer->block.queues[which];
    const uint8_t bytes[4] = {out->handler, (uint8_t)out->count, out->reason,
                              out->returned_handler};
    uint32_t packet = 0, block = 0;
    const bool bulk = out->data != NULL;
    const clump_protocol_status status = claim(e, peer, which, &packet, bulk ? &block : NULL);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    if (bulk) {
        memcpy(clump_bulk_data(q, block), out->data, out->size);
        q->packets[packet].block = (uint16_t)block;
        q->packets[packet].size = (uint16_t)out->size;
    }
    write_packet(&q->packets[packet], out->tag, out->arguments, out->count, bytes);
    q->algorithm->publish(q, &peer->sender, packet, bulk ? CLUMP_READY_BULK : CLUMP_READY);
    sent(e, peer);
    return CLUMP_PROTOCOL_OK;
}

/* ---- replies, and requests that go back */

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
    if (token == NULL) /* a reply cannot be answered; without a token there is nowhere to say so */
        return CLUMP_PROTOCOL_BAD_INPUT;
    struct clump_endpoint *e = token->endpoint;
    if (token->replied)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "this request has been answered already");
    clump_protocol_status status = check_message(e, handler, arguments, count, bulk, data, size);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const struct clump_outgoing out = {.arguments = count > 0 ? arguments : nothing,
                                       .data = bulk ? data : NULL,
                                       .size = size,
                                       .count = count,
                                       .handler = (uint8_t)handler};
    struct clump_peer *peer;
    if (token->remote) {
        status = clump_remote_reply(token, &out);
    } else {
        status = return_way(e, token->word, &peer);
        if (status == CLUMP_PROTOCOL_OK)
            status = insert(e, peer, CLUMP_REPLIES, &out);
    }
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

/** Send a message of shared memory back to where it came from, handler 0. Best effort. */
static void send_back(struct clump_endpoint *e, uint64_t word, unsigned handler,
                      const uint32_t *arguments, unsigned count, clump_protocol_status reason)
{
    struct clump_peer *peer = NULL;
    if (return_way(e, word, &peer) != CLUMP_PROTOCOL_OK)
        return;
    struct clump_outgoing out = {.arguments = arguments,
                                 .count = count,
                                 .reason = (uint8_t)reason,
                                 .returned_handler = (uint8_t)handler};
    insert(e, peer, CLUMP_REPLIES, &out);
}

/* ---- accepting */

/**
 * Hand one packet to its handler. Everything is read once, into private memory, and checked there:
 * the sender may still write.
 */
static void deliver(struct clump_endpoint *e, struct clump_queue *q, uint32_t packet)
{
    const struct clump_packet *p = &q->packets[packet];
    /* Relaxed: peek has acquired it. */
    uint64_t word = atomic_load_explicit(&p->word, memory_order_relaxed);
    uint32_t arguments[CLUMP_ARGUMENTS];
    memcpy(arguments, p->arguments, sizeof arguments);
    uint64_t tag = *(const volatile uint64_t *)&p->tag;
    unsigned handler = *(const volatile uint8_t *)&p->handler;
    unsigned count = *(const volatile uint8_t *)&p->count;
    unsigned reason = *(const volatile uint8_t *)&p->reason;
    uint32_t block = CLUMP_NONE, size = 0;
    bool bulk = clump_word_state(word) == CLUMP_READY_BULK;
    bool is_request = q->which == CLUMP_REQUESTS;
    bool sound = count <= CLUMP_ARGUMENTS && (handler != 0 || !is_request);
    if (bulk) {
        block = *(const volatile uint16_t *)&p->block;
        size = *(const volatile uint16_t *)&p->size;
        if (block > q->bulk_mask) {
            block = CLUMP_NONE;
            sound = false;
        } else {
            /* Acquire, only to be orderly: the packet's READY covers it. */
            uint64_t bulk_word = atomic_load_explicit(&q->bulks[block].word, memory_order_acquire);
            if (clump_word_state(bulk_word) != CLUMP_CLAIMED ||
                clump_word_owner(bulk_word) != clump_word_owner(word)) {
                block = CLUMP_NONE; /* somebody else's block, or nobody's */
                sound = false;
            } else if (size == 0 || size > CLUMP_BULK_BYTES) {
                sound = false;
            }
        }
    }
    if (!sound) {
        q->rejected++;
    } else {
        clump_message message = {.arguments = arguments,
                                 .count = count,
                                 .data = bulk ? clump_bulk_data(q, block) : NULL,
                                 .size = size,
                                 .handler = handler};
        if (handler == 0) {
            message.handler = *(const volatile uint8_t *)&p->returned_handler;
            message.returned = (clump_protocol_status)reason;
        }
        struct clump_token token = {.endpoint = e, .word = word};
        const clump_protocol_status status =
            clump_endpoint_dispatch(e, &token, is_request, tag, handler, &message);
        if (status != CLUMP_PROTOCOL_OK && is_request) {
            e->handling++; /* it waits as a reply does */
            send_back(e, word, handler, arguments, count, status);
            e->handling--;
        }
    }
    if (block != CLUMP_NONE)
        clump_bulk_release(q, block);
    clump_queue_release(q, packet);
}

/** Polls that find nothing, or quick requests to one peer. */
enum { LOOK_AROUND = 64 };

/** Free what was received and kept back, whether or not a sender waits for it. */
static void give_back(struct clump_endpoint *e)
{
    clump_queue_feed(&e->block.queues[CLUMP_REPLIES], true);
    clump_queue_feed(&e->block.queues[CLUMP_REQUESTS], true);
}

/** What need not be done at every poll: at most every tenth of recovery_ms. */
static void look_around(struct clump_endpoint *e, bool requests)
{
    uint64_t now = clump_time_ns(), recovery_ns = (uint64_t)e->options.recovery_ms * 1000000u;
    if (now - e->checked_ns < recovery_ns / 10)
        return;
    e->checked_ns = now;
    give_back(e);
    clump_queue_recover(&e->block.queues[CLUMP_REPLIES], now, recovery_ns);
    if (requests)
        clump_queue_recover(&e->block.queues[CLUMP_REQUESTS], now, recovery_ns);
    if (now - e->lively_ns >= recovery_ns) {
        e->lively_ns = now;
        clump_peers_check(e);
    }
}

/** Accept messages of shared memory. */
static inline unsigned accept_local(struct clump_endpoint *e, bool requests, unsigned most)
{
    unsigned accepted = 0;
    while (accepted < most) {
        struct clump_queue *q = &e->block.queues[CLUMP_REPLIES];
        uint32_t packet = clump_queue_peek(q);
        if (packet == CLUMP_NONE && requests) {
            q = &e->block.queues[CLUMP_REQUESTS];
            packet = clump_queue_peek(q);
        }
        if (packet == CLUMP_NONE)
            break;
        deliver(e, q, packet);
        accepted++;
    }
    /* Seldom when there is much to do, but then, too: one queue may be stuck, the other busy. */
    const bool seldom = (++e->polls & (accepted == 0 ? LOOK_AROUND - 1 : 1023)) == 0;
    /* Only for those who wait: the sender of the next message would have to fetch its line of claims
     * again before it can send. Who looks in vain for long may turn to something else and not see who waits. */
    e->idle_polls = accepted == 0 ? e->idle_polls + 1 : 0;
    if (e->idle_polls == CLUMP_ENDPOINT_IDLE_POLLS) {
        give_back(e);
    } else {
        clump_queue_feed(&e->block.queues[CLUMP_REPLIES], false);
        clump_queue_feed(&e->block.queues[CLUMP_REQUESTS], false);
    }
    if (seldom)
        look_around(e, requests);
    return accepted;
}

unsigned clump_endpoint_accept(struct clump_endpoint *e, bool requests, unsigned most)
{
    if (e->network_only)
        return clump_remote_poll_alone(e, requests, most);
    const unsigned accepted = accept_local(e, requests, most);
    return e->remote != NULL ? accepted + clump_remote_poll(e, requests, accepted) : accepted;
}

static clump_protocol_status check_poll(struct clump_endpoint *e)
{
    const clump_protocol_status status = clump_endpoint_check_open(e);
    if (status == CLUMP_PROTOCOL_OK && e->handling > 0)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "a handler cannot poll");
    return status;
}

clump_protocol_status clump_endpoint_poll(clump_endpoint *e, unsigned most, unsigned *accepted)
{
    if (e->block.header == NULL || e->handling > 0)
        return check_poll(e);
    if (most == 0)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "poll for 0 messages: expected at least 1");
    unsigned count = clump_endpoint_accept(e, true, most);
    if (accepted != NULL)
        *accepted = count;
    return CLUMP_PROTOCOL_OK;
}

struct arrival {
    struct clump_endpoint *endpoint;
    bool came;
};

static bool poll_for_arrival(void *context)
{
    struct arrival *a = context;
    if (!a->came)
        a->came = clump_endpoint_accept(a->endpoint, true, 1) > 0;
    return a->came;
}

/** Sleep until something comes and `poll` is content, or for a while. */
static void sleep_until(struct clump_endpoint *e, bool (*poll)(void *context), void *context,
                        uint64_t most_ns)
{
    _Atomic uint32_t *asleep = &e->block.header->waiting;
    /* Sequentially consistent with the fence in insert(): either the sender sees that we wait,
     * or we see its message. */
    atomic_store_explicit(asleep, 1, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    if (e->remote != NULL)
        clump_remote_hurry(e); /* what has been taken in may not have been delivered */
    if (!poll(context)) {
        give_back(e); /* asleep we do not see who waits */
        const uint64_t longest = (uint64_t)e->options.recovery_ms * 100000u;
        const uint64_t nap = most_ns < longest ? most_ns : longest;
        if (e->remote != NULL)
            clump_remote_sleep(e, nap);
        else
            clump_event_sleep(asleep, 1, nap);
        look_around(e, true);
        poll(context);
    }
    atomic_store_explicit(asleep, 0, memory_order_relaxed);
}

clump_protocol_status clump_endpoint_wait(clump_endpoint *e, uint64_t timeout_us)
{
    clump_protocol_status status = check_poll(e);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    struct arrival arrival = {e, false};
    struct clump_waiter waiter = {.first_us = e->options.backoff_first_us,
                                  .limit_us = e->options.backoff_limit_us,
                                  .recovery_ms = e->options.recovery_ms,
                                  .poll = poll_for_arrival,
                                  .context = &arrival};
    poll_for_arrival(&arrival);
    uint64_t until = arrival.came ? 0 : clump_time_ns() + timeout_us * 1000u;
    while (!arrival.came) {
        uint64_t now = clump_time_ns();
        if (now >= until)
            return clump_endpoint_fail(e, CLUMP_PROTOCOL_TIMED_OUT, "no message came");
        if (!e->options.events || waiter.delay_us < waiter.limit_us) {
            if ((until - now) / 1000u < waiter.limit_us)
                waiter.limit_us = (uint32_t)((until - now) / 1000u) + 1;
            clump_waiter_pause(&waiter);
            continue;
        }
        sleep_until(e, poll_for_arrival, &arrival, until - now);
    }
    return CLUMP_PROTOCOL_OK;
}

/* ---- requests */

/** A request over the network. */
struct remote_request {
    struct clump_endpoint *endpoint;
    unsigned session;
    const struct clump_outgoing *out;
    clump_protocol_status status;
};

static bool try_remote(void *context)
{
    struct remote_request *r = context;
    if (r->status == CLUMP_PROTOCOL_BLOCKED)
        r->status = clump_remote_request(r->endpoint, r->session, r->out);
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

static clump_protocol_status request_remote(struct clump_endpoint *e, unsigned session,
                                            const struct clump_outgoing *out)
{
    struct remote_request r = {e, session, out, CLUMP_PROTOCOL_BLOCKED};
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
            if (r.status == CLUMP_PROTOCOL_BLOCKED && e->options.events &&
                waiter.delay_us >= waiter.limit_us)
                sleep_until(e, accept_and_try, &r, UINT64_MAX);
    e->sending_request = false;
    if (r.status != CLUMP_PROTOCOL_BLOCKED)
        return r.status;
    return clump_endpoint_fail(e, CLUMP_PROTOCOL_TIMED_OUT,
                               "no request to this destination was answered for %u ms: does its "
                               "process poll?",
                               e->options.send_timeout_ms);
}

/** Whether the peer's tag accepts that of a destination. */
static inline bool is_accepted(const struct clump_peer *peer, uint64_t tag)
{
    /* Acquire: pairs with clump_endpoint_set_tag. */
    const uint64_t theirs = atomic_load_explicit(&peer->block.header->tag, memory_order_acquire);
    return theirs == CLUMP_TAG_ACCEPT_ALL || (theirs == tag && theirs != CLUMP_TAG_REJECT_ALL);
}

static clump_protocol_status request(struct clump_endpoint *e, unsigned index, unsigned handler,
                                     const uint32_t *arguments, unsigned count, bool bulk,
                                     const void *data, size_t size)
{
    if (index >= CLUMP_DESTINATIONS ||
        (e->destinations[index].peer == NULL && !e->destinations[index].remote))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "destination %u is not mapped: call clump_endpoint_map first",
                                   index);
    if (e->handling > 0 || e->sending_request)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "a handler cannot send a request: it can reply, or leave a note "
                                   "for the program to send one");
    clump_protocol_status status = check_message(e, handler, arguments, count, bulk, data, size);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const struct clump_destination *destination = &e->destinations[index];
    const struct clump_outgoing out = {.tag = destination->tag,
                                       .arguments = count > 0 ? arguments : nothing,
                                       .data = bulk ? data : NULL,
                                       .size = size,
                                       .count = count,
                                       .handler = (uint8_t)handler};
    struct clump_peer *peer = destination->peer;
    if (peer != NULL || !clump_remote_has_looked(e))
        clump_endpoint_accept(e, true, 1);
    else if (!e->network_only)
        accept_local(e, true, 1);
    if (peer == NULL)
        return request_remote(e, destination->session, &out);
    if (peer->dead)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_PEER_DEAD,
                                   "the process of endpoint %s has ended", peer->name);
    if (!is_accepted(peer, destination->tag)) {
        if (e->handlers[0].call != NULL) {
            clump_message message = {.arguments = out.arguments,
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
    e->sending_request = true;
    status = insert(e, peer, CLUMP_REQUESTS, &out);
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
