/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* syscall */
#include "protocols/queue/alone.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Let the barriers of others reach this process. @return whether the system has them */
static bool can_be_alone(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/** A full barrier here, and on every processor that runs a process which may be alone somewhere. */
static bool barrier_everywhere(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/** From now on a tail counts, from `drawn` on unless somebody settled it before.
 *  @return from where on */
static uint64_t settle_tail(_Atomic uint64_t *settled, _Atomic uint64_t *counter, uint64_t drawn)
{
    uint64_t base = 0, tail = 0;
    if (atomic_compare_exchange_strong_explicit(settled, &base, drawn + 1, memory_order_acq_rel,
                                                memory_order_acquire))
        base = drawn + 1;
    /* The first of those who settle moves the tail; until SHARED nobody else does. */
    atomic_compare_exchange_strong_explicit(counter, &tail, base - 1, memory_order_acq_rel,
                                            memory_order_relaxed);
    return base - 1;
}

/** From where on tickets are drawn by increment, when all is settled. */
struct settled {
    uint64_t packets, blocks;
};

/** What the only sender has noted is drawn, unless somebody settled it before. */
static struct settled settle(struct clump_queue *q, uint64_t word)
{
    struct clump_tails *t = q->tails;
    uint64_t seen = word;
    /* Acquire, both: the messages before. */
    const struct settled from = {
        settle_tail(&t->base, &t->tail, atomic_load_explicit(&t->note, memory_order_acquire)),
        settle_tail(&t->bulk_base, &t->bulk_tail,
                    atomic_load_explicit(&t->bulk_note, memory_order_acquire))};
    /* Release: the tails before SHARED. */
    atomic_compare_exchange_strong_explicit(&t->alone, &seen,
                                            clump_word(CLUMP_SHARED, clump_word_owner(word), 0),
                                            memory_order_acq_rel, memory_order_relaxed);
    return from;
}

/** Whether the only block of a queue may be the one that the sender before us had in hand. Alone, we
 *  would wait for it, and its ticket, noted last, would count as ours. */
static bool may_miss_block(const struct clump_queue *q)
{
    /* Relaxed, both: that sender is dead or has left. Too often true does no harm. */
    const uint64_t note = atomic_load_explicit(&q->tails->bulk_note, memory_order_relaxed);
    return q->bulk_mask == 0 && note > 0 &&
           atomic_load_explicit(&q->bulks[0].word, memory_order_relaxed) ==
               clump_block_free_for(q, note - 1);
}

/** One step towards being alone or sharing. @return false: no step was possible */
static bool step(struct clump_queue *q, struct clump_sender *sender)
{
    struct clump_tails *t = q->tails;
    const uint64_t mine = clump_word(CLUMP_ALONE, sender->owner, 0);
    uint64_t word = atomic_load_explicit(&t->alone, memory_order_acquire);
    const unsigned state = clump_word_state(word);
    if (state == CLUMP_SHARED) {
        q->shared = true;
        return true;
    }
    const bool lives = word != 0 && clump_owner_alive(q->places, word);
    if (state == CLUMP_REVOKED) {
        /* After the barrier a sender that lives has seen REVOKED, or its note is here. */
        if (lives && !barrier_everywhere())
            return false;
        settle(q, word);
        return true;
    }
    uint64_t next = clump_word(CLUMP_REVOKED, clump_word_owner(word), 0);
    if (!lives && (word == 0 || state == CLUMP_ALONE) && !may_miss_block(q) && can_be_alone())
        next = mine;
    /* Sequentially consistent: REVOKED before the barrier and the look at `note`. */
    if (atomic_compare_exchange_strong_explicit(&t->alone, &word, next, memory_order_seq_cst,
                                                memory_order_relaxed) &&
        next == mine) {
        /* Whose place we take has left or is dead: we go on from its note. */
        q->alone = true;
    }
    return true;
}

/** No block is drawn alone any more. One in hand is claimed as others claim theirs. */
static void leave_blocks(struct clump_queue *q, struct clump_sender *sender)
{
    const uint64_t ticket = q->held - 1;
    if (q->held != 0) /* relaxed: the store below orders it; nobody else writes it, see the lap */
        atomic_store_explicit(&q->bulks[(uint32_t)ticket & q->bulk_mask].word,
                              clump_word(CLUMP_CLAIMED, sender->owner,
                                         clump_word_epoch(clump_block_free_for(q, ticket))),
                              memory_order_relaxed);
    q->held = 0;
    q->bulk_shared = true;
    /* Release: who sees the note gone sees the claim. */
    atomic_store_explicit(&q->tails->bulk_note, 0, memory_order_release);
}

enum clump_alone_draw clump_alone_draw_block(struct clump_queue *q, struct clump_sender *sender,
                                             uint32_t *block)
{
    for (unsigned steps = 0; !q->alone && !q->shared; steps++)
        if (steps == 8 || !step(q, sender))
            return CLUMP_NOT_YET;
    if (q->shared)
        return CLUMP_NOT_DRAWN;
    if (q->held == 0) /* else it is in hand, and its packet was not free */
        clump_alone_claim_block(q, sender);
    *block = (uint32_t)(q->held - 1) & q->bulk_mask;
    if (q->held != 0)
        return CLUMP_DRAWN_ALONE;
    if (q->bulk_doubt == 0 && clump_alone_still(q, sender))
        return CLUMP_NOT_YET;
    const struct settled from = settle(q, clump_word(CLUMP_REVOKED, sender->owner, 0));
    if (q->bulk_doubt != 0 && q->bulk_doubt <= from.blocks)
        q->held = q->bulk_doubt; /* noted before the increments began */
    q->bulk_doubt = 0;
    *block = (uint32_t)(q->held - 1) & q->bulk_mask;
    const bool ours = q->held != 0;
    leave_blocks(q, sender);
    return ours ? CLUMP_DRAWN_IN_PLACE : CLUMP_NOT_DRAWN;
}

/** Alone no more: the ticket that we noted last is ours if it was drawn before the increments
 *  began. Until it is used it is noted in our place, as others note theirs. */
static bool leave(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    const uint64_t word = clump_word(CLUMP_REVOKED, sender->owner, 0);
    const struct settled from = settle(q, word);
    const bool ours = from.packets == ticket + 1;
    q->bulk_doubt = 0; /* of a send that failed: nobody uses it, and it counts as lost */
    leave_blocks(q, sender);
    q->alone = false;
    q->shared = true;
    q->doubt = 0;
    if (ours)
        atomic_store_explicit(&sender->place->draws[q->which].packet, CLUMP_DRAW_OF(ticket),
                              memory_order_relaxed);
    /* Release: who sees the note gone sees the ticket in our place. */
    atomic_store_explicit(&q->tails->note, 0, memory_order_release);
    return ours;
}

enum clump_alone_draw clump_alone_draw(struct clump_queue *q, struct clump_sender *sender,
                                       uint64_t *ticket)
{
    /* Each step brings it closer unless somebody scribbles over the words. */
    for (unsigned steps = 0; !q->alone && !q->shared; steps++)
        if (steps == 8 || !step(q, sender))
            return CLUMP_NOT_YET;
    if (q->shared)
        return CLUMP_NOT_DRAWN;
    *ticket =
        q->doubt != 0 ? q->doubt - 1 : atomic_load_explicit(&q->tails->note, memory_order_relaxed);
    /* Release: the message of the ticket before; pairs with taken_alone(). */
    atomic_store_explicit(&q->tails->note, *ticket + 1, memory_order_release);
    if (!clump_alone_still(q, sender))
        return leave(q, sender, *ticket) ? CLUMP_DRAWN_IN_PLACE : CLUMP_NOT_DRAWN;
    q->doubt = 0; /* somebody scribbled, and took it back */
    return CLUMP_DRAWN_ALONE;
}

void clump_alone_give_up(struct clump_queue *q, struct clump_sender *sender)
{
    uint64_t word = clump_word(CLUMP_ALONE, sender->owner, 0);
    atomic_compare_exchange_strong_explicit(&q->tails->alone, &word,
                                            clump_word(CLUMP_REVOKED, sender->owner, 0),
                                            memory_order_seq_cst, memory_order_relaxed);
    settle(q, clump_word(CLUMP_REVOKED, sender->owner, 0));
    leave_blocks(q, sender);
    q->alone = false;
    q->shared = true;
    atomic_store_explicit(&q->tails->note, 0, memory_order_release);
}
