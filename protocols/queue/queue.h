/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * One queue of a block: many senders, one receiver, and the algorithm that arbitrates.
 *
 * A struct clump_queue is one process's view, in private memory: addresses, lengths, and for the
 * receiver its head and counts. Legal order, sender:
 *   claim -> write the packet (and block) -> publish
 * receiver:
 *   peek -> read the packet (and block) -> release
 * now and then, when peek finds nothing, recover.
 *
 * A message passes through the states of figure 3.5: FREE -> CLAIMED (claim), -> READY or
 * READY_BULK (publish), -> FREE (release). layout.h says in which words.
 */
#ifndef CLUMP_PROTOCOLS_QUEUE_QUEUE_H
#define CLUMP_PROTOCOLS_QUEUE_QUEUE_H

#include "protocols/protocol_status.h"
#include "protocols/queue/backoff.h"
#include "protocols/queue/layout.h"

#include <stdbool.h>

struct clump_queue;
struct clump_sender;

/** An algorithm. Senders call claim and publish, the receiver the rest. */
struct clump_queue_algorithm {
    const char *name;
    const char *source;   /**< section or figure of the thesis */
    const char *progress; /**< what is guaranteed while a sender sleeps */
    bool fifo; /**< whether messages leave in the order in which packets were assigned or linked */
    bool epochs; /**< whether a packet or block waits for the ticket of its lap, and no other */
    bool array;  /**< packets in order of the tail, with claims; else a list */
    bool lazy;   /**< packets may be freed several at a time */
    void (*initialise)(struct clump_queue *queue);
    /** Claim a packet, and a bulk block if `block` is not NULL. On failure nothing is claimed. */
    clump_protocol_status (*claim)(struct clump_queue *queue, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block);
    void (*publish)(struct clump_queue *queue, struct clump_sender *sender, uint32_t packet,
                    unsigned state);
    /** The next packet that is ready, or CLUMP_NONE. */
    uint32_t (*peek)(struct clump_queue *queue);
    void (*release)(struct clump_queue *queue, uint32_t packet);
    /** Undo one thing that dead senders left at the head; true if something changed. */
    bool (*recover)(struct clump_queue *queue);
    /** Of those that claim under a lock (queue_locks.c): wait for it, without polling, and give it
     *  back with the ticket that `lock` may have drawn. */
    clump_protocol_status (*lock)(struct clump_queue *queue, struct clump_sender *sender,
                                  struct clump_waiter *waiter, uint64_t *ticket);
    void (*unlock)(struct clump_queue *queue, struct clump_sender *sender, uint64_t ticket);
};

/** All algorithms, in the order in which they are offered. A new one: its definition, in one of the
 *  queue_*.c or a file of its own, and a line here. */
#define CLUMP_QUEUE_ALGORITHMS(EACH)                                                               \
    EACH(lock_free)                                                                                \
    EACH(lock_free_fifo)                                                                           \
    EACH(lock_free_test_set)                                                                       \
    EACH(test_set)                                                                                 \
    EACH(test_test_set)                                                                            \
    EACH(ticket)                                                                                   \
    EACH(anderson)                                                                                 \
    EACH(mutex)                                                                                    \
    EACH(ultracomputer)                                                                            \
    EACH(swap_list)                                                                                \
    EACH(michael_scott)

#define CLUMP_DECLARE_ALGORITHM(name) extern const struct clump_queue_algorithm clump_queue_##name;
CLUMP_QUEUE_ALGORITHMS(CLUMP_DECLARE_ALGORITHM)
#undef CLUMP_DECLARE_ALGORITHM

/** An algorithm by index (NULL past the last) and by name (NULL if unknown); queue_algorithms.c. */
const struct clump_queue_algorithm *clump_queue_algorithm_at(unsigned index);
const struct clump_queue_algorithm *clump_queue_algorithm_named(const char *name);

struct clump_queue {
    const struct clump_queue_algorithm *algorithm;
    struct clump_packet *packets;
    _Atomic uint64_t *claims;   /**< array algorithms: FREE or CLAIMED, one for each packet */
    uint32_t mask, bulk_mask;   /**< lengths minus 1 */
    unsigned shift, bulk_shift; /**< lengths are 2 to the power of these */
    unsigned which;             /**< 0 requests, 1 replies */
    struct clump_tails *tails;
    struct clump_slot *slots;
    struct clump_bulk *bulks;
    unsigned char *data;
    struct clump_sender_place *places;
    /* Receiver only. */
    uint64_t head;      /**< packets received so far; list algorithms: the sentinel */
    uint64_t released;  /**< packets freed so far, array algorithms: at most head */
    uint64_t batch;     /**< how many are freed at once, a power of two */
    uint64_t rejected;  /**< messages that no honest sender writes */
    uint64_t recovered; /**< packets, blocks and tickets taken back from dead senders */
    uint64_t suspect_ns, suspect_head; /**< since when the head has not moved */
    uint64_t bulk_ns;                  /**< when the blocks were looked at last */
};

/** A sender's place at a block; one thread uses it at a time. */
struct clump_sender {
    struct clump_sender_place *place;
    uint64_t owner; /**< place and generation as in a state word */
};

/** Bytes of one queue. Lengths are powers of two, 2 to 2^20 packets and 1 to 2^16 blocks. */
size_t clump_queue_bytes(uint32_t length, uint32_t bulk_length);

/** A view of the queue that lies at `memory` (aligned to a line). Cost: no memory access. */
void clump_queue_attach(struct clump_queue *queue, const struct clump_queue_algorithm *algorithm,
                        void *memory, uint32_t length, uint32_t bulk_length,
                        struct clump_sender_place *places, unsigned which);

/** Make the queue empty; the memory must be zero and not be shared yet. */
void clump_queue_initialise(struct clump_queue *queue);

/** Take a place: a free one or that of a dead process. IN_USE when there is none. */
clump_protocol_status clump_sender_join(struct clump_sender_place *places, const char *endpoint,
                                        struct clump_sender *sender);
void clump_sender_leave(struct clump_sender *sender);

/** Whether the owner in a state word is a living process that still has its place. */
bool clump_owner_alive(const struct clump_sender_place *places, uint64_t word);

/**
 * Take back what dead senders left in this queue. Call every few milliseconds: looks at the packets
 * only when the head has not moved for `patience_ns`, at the blocks every `patience_ns`. Nothing is
 * taken from a living sender whatever the patience; it only keeps the cost low.
 */
void clump_queue_recover(struct clump_queue *queue, uint64_t now_ns, uint64_t patience_ns);

/** Free the block of a message that was received, or one that was claimed and will not be used. */
void clump_bulk_release(struct clump_queue *queue, uint32_t block);

static inline unsigned char *clump_bulk_data(const struct clump_queue *queue, uint32_t block)
{
    return queue->data + (size_t)block * CLUMP_BULK_BYTES;
}

/* ---- shared by the algorithms (queue.c) */

/** Who may still use a ticket. */
enum clump_draw_kind { CLUMP_DRAW_PACKET, CLUMP_DRAW_BULK, CLUMP_DRAW_LOCK };

/**
 * Whether a ticket below `below` that equals `ticket` modulo mask + 1 may still be in the hands of
 * a living sender. With mask UINT64_MAX: that very ticket. `below` must have been read (acquire)
 * from the counter before the call.
 */
bool clump_ticket_may_be_held(const struct clump_queue *queue, enum clump_draw_kind kind,
                              uint64_t ticket, uint64_t mask, uint64_t below);

/** The lap to which a ticket belongs. */
static inline uint32_t clump_lap(const struct clump_queue *queue, uint64_t ticket)
{
    return (uint32_t)(ticket >> queue->shift);
}

static inline bool clump_word_is_ready(uint64_t word)
{
    return (clump_word_state(word) | 1) == CLUMP_READY_BULK;
}

/** Array algorithms: the packet at the head if it is ready. */
static inline uint32_t clump_array_peek(struct clump_queue *queue)
{
    uint32_t index = (uint32_t)queue->head & queue->mask;
    /* Acquire: pairs with the release in clump_array_publish. */
    uint64_t word = atomic_load_explicit(&queue->packets[index].word, memory_order_acquire);
    return clump_word_is_ready(word) && clump_word_epoch(word) == clump_lap(queue, queue->head)
               ? index
               : CLUMP_NONE;
}

/** Free all packets that were received and kept back. */
void clump_array_flush(struct clump_queue *queue);

/** Count the packet at the head as received; packets are freed a batch at a time. */
static inline void clump_array_release(struct clump_queue *queue, uint32_t packet)
{
    (void)packet;
    queue->head++;
    if ((queue->head & (queue->batch - 1)) == 0)
        clump_array_flush(queue);
}

/** The receiver at each poll: free what it keeps back if senders wait for it, or `now`. */
static inline void clump_queue_feed(struct clump_queue *queue, bool now)
{
    if (queue->released == queue->head || !queue->algorithm->lazy)
        return;
    /* Relaxed, both: a hint. The line changes hands only when somebody is hungry. */
    if (atomic_load_explicit(&queue->tails->hungry, memory_order_relaxed) != 0)
        atomic_store_explicit(&queue->tails->hungry, 0, memory_order_relaxed);
    else if (!now)
        return;
    clump_array_flush(queue);
}

/** Before each pause: tell the receiver, by `hungry`, that this sender waits for a packet. */
static inline void clump_queue_hunger(struct clump_queue *queue)
{
    if (atomic_load_explicit(&queue->tails->hungry, memory_order_relaxed) == 0)
        atomic_store_explicit(&queue->tails->hungry, 1, memory_order_relaxed);
}

/** The receiver's peek and release, without a call for the array algorithms that are only that. */
static inline uint32_t clump_queue_peek(struct clump_queue *queue)
{
    return queue->algorithm->lazy ? clump_array_peek(queue) : queue->algorithm->peek(queue);
}

static inline void clump_queue_release(struct clump_queue *queue, uint32_t packet)
{
    if (queue->algorithm->lazy)
        clump_array_release(queue, packet);
    else
        queue->algorithm->release(queue, packet);
}

/** Array algorithms: a dead sender's packet or a lost ticket at the head. */
bool clump_array_recover(struct clump_queue *queue);

/**
 * A sender on its way to packet `index`: the lines that it will want soon. Two packets ahead: at
 * the next one a receiver that keeps up is looking all the time.
 */
static inline void clump_array_prefetch(const struct clump_queue *queue, uint32_t index)
{
    clump_prefetch_for_write(&queue->packets[(index + 2) & queue->mask]);
    if ((index & (CLUMP_LINE / sizeof(uint64_t) - 1)) == 0)
        clump_prefetch_for_write(
            (const void *)&queue->claims[(index + CLUMP_LINE / sizeof(uint64_t)) & queue->mask]);
}

/** Store READY or READY_BULK in the lap for which the packet was claimed. */
void clump_array_publish(struct clump_queue *queue, struct clump_sender *sender, uint32_t packet,
                         unsigned state);
/** CLAIMBULK's first half, figure 3.6: a block by fetch-and-increment and compare-and-swap. */
clump_protocol_status clump_bulk_claim(struct clump_queue *queue, struct clump_sender *sender,
                                       struct clump_waiter *waiter, uint32_t *block);

/**
 * The claim of an algorithm that claims packets alone: the block first, if one is wanted. The other
 * order can deadlock (end of section 3.4.2; tests/spin/bulk_order.pml).
 * @param claim_packet  a constant, so that nothing is called through it
 */
static inline clump_protocol_status clump_claim_with_block(
    struct clump_queue *queue, struct clump_sender *sender, struct clump_waiter *waiter,
    uint32_t *packet, uint32_t *block,
    clump_protocol_status (*claim_packet)(struct clump_queue *queue, struct clump_sender *sender,
                                          struct clump_waiter *waiter, uint32_t *packet))
{
    clump_protocol_status status =
        block != NULL ? clump_bulk_claim(queue, sender, waiter, block) : CLUMP_PROTOCOL_OK;
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    status = claim_packet(queue, sender, waiter, packet);
    if (status != CLUMP_PROTOCOL_OK && block != NULL)
        clump_bulk_release(queue, *block);
    return status;
}

#endif
