/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A queue with one sender needs no atomic operation on its tail: the sender counts its tickets
 * itself. As soon as a second one sends, for good, all draw tickets by fetch-and-increment.
 *
 *   NOBODY --first sender--> ALONE(sender) --another one--> REVOKED(sender) --settled--> SHARED
 *                            ALONE(dead or left) --another one--> ALONE(another one)
 *
 * Draw: the sender that is alone stores `note`, the number of its tickets with the new one, and
 * then looks whether it is still ALONE. Without a fence between the two: a processor may make the
 * look first. Whoever revokes pays for that. It stores REVOKED, lets every processor that runs a
 * sender execute a barrier (membarrier, a system call), and reads `note`. A look after the barrier
 * sees REVOKED; a look before it belongs to a ticket that is noted by now. So `note` is how many
 * tickets were drawn or are in doubt, and the increments begin there (`base`, settled once, by
 * compare-and-swap; anybody may do these steps, so nobody waits for one who sleeps or died in the
 * middle). A sender that notes a ticket and then sees that it is no longer alone reads `base`: the
 * ticket in doubt is its own if it lies below, else somebody draws it by increment.
 *
 * `note` also is what the place's draws are for others (queue.c): whose ticket the last one is,
 * until it is published; while the queue is REVOKED the last one is not counted as drawn, since it
 * may be in doubt and somebody else's. What a sender that died alone had drawn and not published is
 * lost, as any ticket of a dead sender, and the next one goes on behind it.
 *
 * Blocks of bulk data are drawn in the same way, with a count of their own (`bulk_note`,
 * `bulk_base`). A ticket is noted when its block is free in its lap, so that nothing waits with it;
 * only its own lap may use a block, so that none needs a claim. Its packet carries the ticket, by
 * which the receiver knows it. Who finds itself alone no more with a block in hand claims it as
 * others do. If a queue has a single block and the one before may have had it in hand, the next
 * sender is not alone: the ticket noted last would count as its own, and nobody would take the
 * block back that it waits for.
 *
 * tests/spin/alone.pml is a model of it, with the delayed stores.
 */
#ifndef CLUMP_PROTOCOLS_QUEUE_ALONE_H
#define CLUMP_PROTOCOLS_QUEUE_ALONE_H

#include "protocols/queue/queue.h"

/** Whether the sender of this view still is alone; its note stands before the look. */
static inline bool clump_alone_still(const struct clump_queue *queue,
                                     const struct clump_sender *sender)
{
    /* Only the compiler is kept from turning the two around: see above. Acquire: pairs with the
     * release of those who take the place of one that has left. */
    atomic_signal_fence(memory_order_seq_cst);
    return atomic_load_explicit(&queue->tails->alone, memory_order_acquire) ==
           clump_word(CLUMP_ALONE, sender->owner, 0);
}

/**
 * The next ticket of a sender that is alone, if its packet is free: no atomic operation, one store.
 * A ticket in doubt has to be settled before there is another one, by clump_alone_draw().
 * @return its packet, or CLUMP_NONE, and then nothing is drawn: claim as usual
 */
static inline uint32_t clump_alone_claim(struct clump_queue *queue, struct clump_sender *sender,
                                         uint32_t *lap)
{
    /* Relaxed: nobody else writes it. */
    const uint64_t ticket = atomic_load_explicit(&queue->tails->note, memory_order_relaxed);
    const uint32_t index = (uint32_t)ticket & queue->mask;
    /* Acquire: pairs with the release in clump_array_flush. */
    *lap = clump_lap(queue, ticket);
    if (!queue->alone || queue->doubt != 0 ||
        atomic_load_explicit(&queue->claims[index], memory_order_acquire) !=
            clump_word(CLUMP_FREE, 0, *lap))
        return CLUMP_NONE;
    /* Release: the message of the ticket before; pairs with taken_alone(). */
    atomic_store_explicit(&queue->tails->note, ticket + 1, memory_order_release);
    if (clump_alone_still(queue, sender))
        return index;
    queue->doubt = ticket + 1;
    return CLUMP_NONE;
}

/** The same of a block: it is `held` until its message is published, and no claim is written, since
 *  its lap keeps others off. @return the block, or CLUMP_NONE: draw as usual */
static inline uint32_t clump_alone_claim_block(struct clump_queue *queue,
                                               struct clump_sender *sender)
{
    /* Relaxed: nobody else writes it. */
    const uint64_t ticket = atomic_load_explicit(&queue->tails->bulk_note, memory_order_relaxed);
    const uint32_t index = (uint32_t)ticket & queue->bulk_mask;
    /* Acquire: pairs with the release in clump_bulk_release; the receiver has read the block. */
    if (!queue->alone || queue->bulk_shared || queue->bulk_doubt != 0 ||
        atomic_load_explicit(&queue->bulks[index].word, memory_order_acquire) !=
            clump_block_free_for(queue, ticket))
        return CLUMP_NONE;
    /* Release: the message of the ticket before; pairs with recover_blocks(). */
    atomic_store_explicit(&queue->tails->bulk_note, ticket + 1, memory_order_release);
    if (clump_alone_still(queue, sender)) {
        queue->held = ticket + 1;
        return index;
    }
    queue->bulk_doubt = ticket + 1;
    return CLUMP_NONE;
}

/** The receiver: whether the packet carries the ticket, drawn alone, for which this block is free. */
static inline bool clump_alone_drew_block(const struct clump_queue *queue,
                                          const struct clump_packet *packet, uint32_t block,
                                          uint64_t word)
{
    /* Relaxed: peek has acquired it. */
    const uint64_t ticket = atomic_load_explicit(&packet->next, memory_order_relaxed);
    return queue->algorithm->solo && ((uint32_t)ticket & queue->bulk_mask) == block &&
           word == clump_block_free_for(queue, ticket);
}

/** Once in 64 tickets of a sender that is alone. */
static inline bool clump_alone_turn(const struct clump_queue *queue)
{
    return (atomic_load_explicit(&queue->tails->note, memory_order_relaxed) & 63) == 63;
}

/** Draw a ticket of a queue whose algorithm is `solo`. */
enum clump_alone_draw clump_alone_draw(struct clump_queue *queue, struct clump_sender *sender,
                                       uint64_t *ticket);

/** Draw a block, as soon as it is free: likewise. In place: claimed, as others claim it. Not yet: it
 *  is not free, or we are neither alone nor shared. */
enum clump_alone_draw clump_alone_draw_block(struct clump_queue *queue, struct clump_sender *sender,
                                             uint32_t *block);

/** The ticket that was drawn alone last will not be used: it is lost, and the queue shared. */
void clump_alone_give_up(struct clump_queue *queue, struct clump_sender *sender);

#endif
