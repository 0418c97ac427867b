/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the algorithms share: the layout of a queue, sender places, bulk data blocks, packets in an
 * array, and taking back what dead senders left.
 *
 * How a death is noticed. A sender that owns something is named in it: packets and blocks carry
 * place and generation in their state word, locks likewise. What a sender draws from a counter
 * (fetch-and-increment) carries no name, so it notes in its own place that it draws (UNKNOWN), then
 * what it has drawn, then that it is done. A ticket that no living sender has noted and that no
 * living sender is drawing is lost, and the receiver steps over it.
 */
#include "protocols/queue/queue.h"
#include "protocols/queue/process.h"

#include <string.h>

/** Whole lines, so that the packets begin on one. */
static size_t claims_bytes(uint32_t length)
{
    const size_t bytes = length * sizeof(uint64_t);
    return (bytes + CLUMP_LINE - 1) / CLUMP_LINE * CLUMP_LINE;
}

size_t clump_queue_bytes(uint32_t length, uint32_t bulk_length)
{
    return sizeof(struct clump_tails) + CLUMP_SENDERS * sizeof(struct clump_slot) +
           claims_bytes(length) + length * sizeof(struct clump_packet) +
           bulk_length * (sizeof(struct clump_bulk) + (size_t)CLUMP_BULK_BYTES);
}

void clump_queue_attach(struct clump_queue *q, const struct clump_queue_algorithm *algorithm,
                        void *memory, uint32_t length, uint32_t bulk_length,
                        struct clump_sender_place *places, unsigned which)
{
    unsigned char *at = memory;
    memset(q, 0, sizeof *q);
    q->algorithm = algorithm;
    q->mask = length - 1;
    q->bulk_mask = bulk_length - 1;
    while (length >> q->shift > 1)
        q->shift++;
    while (bulk_length >> q->bulk_shift > 1)
        q->bulk_shift++;
    /* A quarter of the queue at most is kept back, and eight lines of claims. */
    q->batch = !algorithm->lazy || length < 8 ? 1 : length / 4 < 64 ? length / 4 : 64;
    q->which = which;
    q->places = places;
    q->tails = (struct clump_tails *)at;
    at += sizeof(struct clump_tails);
    q->slots = (struct clump_slot *)at;
    at += CLUMP_SENDERS * sizeof(struct clump_slot);
    q->claims = (_Atomic uint64_t *)(void *)at;
    at += claims_bytes(length);
    q->packets = (struct clump_packet *)at;
    at += length * sizeof(struct clump_packet);
    q->bulks = (struct clump_bulk *)at;
    at += bulk_length * sizeof(struct clump_bulk);
    q->data = at;
}

void clump_queue_initialise(struct clump_queue *q)
{
    q->head = q->released = 0;
    if (q->algorithm->initialise != NULL)
        q->algorithm->initialise(q);
}

/* ---- sender places */

clump_protocol_status clump_sender_join(struct clump_sender_place *places, const char *endpoint,
                                        struct clump_sender *sender)
{
    uint64_t self = clump_process_self();
    for (int pass = 0; pass < 2; pass++) { /* free places first: looking for the dead is slow */
        for (uint32_t i = 0; i < CLUMP_SENDERS; i++) {
            struct clump_sender_place *place = &places[i];
            uint64_t identity = atomic_load_explicit(&place->identity, memory_order_relaxed);
            if (identity != 0 && (pass == 0 || clump_process_alive(identity)))
                continue;
            /* Acquire: pairs with the release in clump_sender_leave, so that our writes to the
             * place come after those of the owner before us. */
            if (!atomic_compare_exchange_strong_explicit(
                    &place->identity, &identity, self, memory_order_acq_rel, memory_order_relaxed))
                continue;
            for (int which = 0; which < 2; which++) {
                /* Relaxed: a stale draw only makes a receiver wait a little longer. */
                atomic_store_explicit(&place->draws[which].packet, 0, memory_order_relaxed);
                atomic_store_explicit(&place->draws[which].bulk, 0, memory_order_relaxed);
                atomic_store_explicit(&place->draws[which].lock, 0, memory_order_relaxed);
            }
            memset(place->endpoint, 0, sizeof place->endpoint);
            strncpy(place->endpoint, endpoint, sizeof place->endpoint - 1);
            /* Release: the name before the generation; pairs with the acquire of the receiver that
             * looks for a reply's way. */
            uint32_t generation =
                atomic_fetch_add_explicit(&place->generation, 1, memory_order_release) + 1;
            sender->place = place;
            sender->owner = (uint64_t)(generation & 0xffffu) << 16 | (uint64_t)i << 4;
            return CLUMP_PROTOCOL_OK;
        }
    }
    return CLUMP_PROTOCOL_IN_USE;
}

void clump_sender_leave(struct clump_sender *sender)
{
    /* Release: pairs with the compare-and-swap of the next owner. */
    atomic_store_explicit(&sender->place->identity, 0, memory_order_release);
    sender->place = NULL;
}

bool clump_owner_alive(const struct clump_sender_place *places, uint64_t word)
{
    if (clump_word_place(word) >= CLUMP_SENDERS)
        return false;
    const struct clump_sender_place *place = &places[clump_word_place(word)];
    /* Acquire, in this order: if the generation is still ours, the identity read after it is that
     * of the owner or of a successor that has not counted itself yet; the latter delays us. */
    uint32_t generation = atomic_load_explicit(&place->generation, memory_order_acquire);
    if ((generation & 0xffffu) != clump_word_generation(word))
        return false;
    uint64_t identity = atomic_load_explicit(&place->identity, memory_order_acquire);
    return identity != 0 && clump_process_alive(identity);
}

bool clump_ticket_may_be_held(const struct clump_queue *q, enum clump_draw_kind kind,
                              uint64_t ticket, uint64_t mask, uint64_t below)
{
    for (uint32_t i = 0; i < CLUMP_SENDERS; i++) {
        const struct clump_draws *draws = &q->places[i].draws[q->which];
        const _Atomic uint64_t *drawn = kind == CLUMP_DRAW_PACKET ? &draws->packet
                                        : kind == CLUMP_DRAW_BULK ? &draws->bulk
                                                                  : &draws->lock;
        /*
         * Acquire, after the caller's acquire of the counter. A sender stores UNKNOWN before its
         * fetch-and-increment (release): if its ticket is below `below`, the caller's read of the
         * counter is of that increment or of a later one in its release sequence, so we see UNKNOWN
         * or something later. Later is the ticket, or NONE stored (release) after the ticket was
         * used, and then we see the use as well.
         */
        uint64_t draw = atomic_load_explicit(drawn, memory_order_acquire);
        if (draw == CLUMP_DRAW_NONE)
            continue;
        if (draw != CLUMP_DRAW_UNKNOWN) {
            uint64_t held = draw - 2;
            if ((held & mask) != (ticket & mask) || held >= below)
                continue;
        }
        uint64_t identity = atomic_load_explicit(&q->places[i].identity, memory_order_acquire);
        if (identity != 0 && clump_process_alive(identity))
            return true;
    }
    return false;
}

/* ---- bulk data blocks */

/** What the word of a block says that this ticket may take. */
static uint64_t block_free_for(const struct clump_queue *q, uint64_t ticket)
{
    return clump_word(CLUMP_FREE, 0,
                      q->algorithm->epochs ? (uint32_t)(ticket >> q->bulk_shift) : 0);
}

/** Whether the ticket that comes next would find its block taken; as looks_full() of packets. */
static bool blocks_look_full(const struct clump_queue *q)
{
    clump_prefetch_for_write(&q->tails->bulk_tail);
    /* Relaxed, all: a hint. */
    const uint64_t tail = atomic_load_explicit(&q->tails->bulk_tail, memory_order_relaxed);
    const uint64_t word =
        atomic_load_explicit(&q->bulks[(uint32_t)tail & q->bulk_mask].word, memory_order_relaxed);
    return word != block_free_for(q, tail) &&
           atomic_load_explicit(&q->tails->bulk_tail, memory_order_relaxed) == tail;
}

clump_protocol_status clump_bulk_claim(struct clump_queue *q, struct clump_sender *sender,
                                       struct clump_waiter *waiter, uint32_t *block)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].bulk;
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    while (blocks_look_full(q) && !waiter->long_since) {
        status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
    }
    /* Relaxed: the increment below is a release, which orders it. */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    uint64_t ticket = atomic_fetch_add_explicit(&q->tails->bulk_tail, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(ticket), memory_order_relaxed);
    uint32_t index = (uint32_t)ticket & q->bulk_mask;
    const uint64_t expected = block_free_for(q, ticket);
    /* The header of the block that will be claimed after the next: filling this one takes as long as
     * a line from the receiver, who is done with that one if it keeps up. */
    clump_prefetch_for_write(&q->bulks[(index + 2) & q->bulk_mask]);
    for (;;) {
        uint64_t seen = expected;
        /* Acquire: pairs with the release in clump_bulk_release; the receiver has read the block
         * before we write it. */
        if (atomic_compare_exchange_strong_explicit(
                &q->bulks[index].word, &seen,
                clump_word(CLUMP_CLAIMED, sender->owner, clump_word_epoch(expected)),
                memory_order_acquire, memory_order_relaxed))
            break;
        status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK)
            break;
    }
    /* Release: who sees NONE sees the block claimed. After a failure the ticket counts as lost. */
    atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
    if (status == CLUMP_PROTOCOL_OK)
        *block = index;
    return status;
}

void clump_bulk_release(struct clump_queue *q, uint32_t block)
{
    /* Relaxed read: since the block was claimed only the receiver writes its word. */
    uint64_t word = atomic_load_explicit(&q->bulks[block].word, memory_order_relaxed);
    uint32_t epoch = q->algorithm->epochs ? clump_word_epoch(word) + 1 : 0;
    /* Release: pairs with the acquire of the next claim. */
    atomic_store_explicit(&q->bulks[block].word, clump_word(CLUMP_FREE, 0, epoch),
                          memory_order_release);
}

/** Whether a message that waits to be received refers to the block. */
static bool block_is_used(const struct clump_queue *q, uint32_t block)
{
    for (uint32_t i = 0; i <= q->mask; i++) {
        /* Acquire: pairs with publish, so that `block` is what the sender wrote. */
        uint64_t word = atomic_load_explicit(&q->packets[i].word, memory_order_acquire);
        if (clump_word_state(word) != CLUMP_READY_BULK)
            continue;
        /* The next ticket from the head on that is this packet's. An older lap was received, and a
         * sender may be writing there now: its block is not to be read. */
        uint64_t ticket = q->head + ((i - q->head) & q->mask);
        if (q->algorithm->array && clump_word_epoch(word) != clump_lap(q, ticket))
            continue;
        if (q->packets[i].block == block)
            return true;
    }
    return false;
}

/** The ticket, below `below`, that a free block waits for; UINT64_MAX if its word says nothing. */
static uint64_t block_waits_for(const struct clump_queue *q, uint32_t block, uint64_t word,
                                uint64_t below)
{
    /* The word knows its lap modulo 2^32: it is near that of `below`. */
    const uint64_t now = below >> q->bulk_shift;
    const uint32_t behind = (uint32_t)now - clump_word_epoch(word);
    if (behind > INT32_MAX || behind > now) /* ahead, that is */
        return UINT64_MAX;
    const uint64_t ticket = ((now - behind) << q->bulk_shift) + block;
    return ticket < below ? ticket : UINT64_MAX;
}

/** Blocks that dead senders claimed and no message refers to. */
static bool recover_blocks(struct clump_queue *q)
{
    bool changed = false;
    /* Acquire: pairs with the increment, see clump_ticket_may_be_held. */
    const uint64_t below = atomic_load_explicit(&q->tails->bulk_tail, memory_order_acquire);
    for (uint32_t b = 0; b <= q->bulk_mask; b++) {
        /* Acquire: pairs with the compare-and-swap of the claim. */
        uint64_t word = atomic_load_explicit(&q->bulks[b].word, memory_order_acquire);
        if (clump_word_state(word) == CLUMP_FREE) {
            if (!q->algorithm->epochs)
                continue; /* the next lap's ticket will do */
            const uint64_t ticket = block_waits_for(q, b, word, below);
            const uint32_t lap = clump_word_epoch(word);
            if (ticket == UINT64_MAX ||
                clump_ticket_may_be_held(q, CLUMP_DRAW_BULK, ticket, UINT64_MAX, below))
                continue;
            /* The ticket is lost, unless it was used before its owner noted that it is done. */
            if (!atomic_compare_exchange_strong_explicit(
                    &q->bulks[b].word, &word, clump_word(CLUMP_FREE, 0, lap + 1),
                    memory_order_release, memory_order_relaxed))
                continue;
        } else if (clump_word_state(word) == CLUMP_CLAIMED) {
            if (clump_owner_alive(q->places, word) || block_is_used(q, b))
                continue;
            clump_bulk_release(q, b);
        } else { /* no sender of ours writes that */
            clump_bulk_release(q, b);
            q->rejected++;
        }
        q->recovered++;
        changed = true;
    }
    return changed;
}

/* ---- packets in an array */

void clump_array_publish(struct clump_queue *q, struct clump_sender *sender, uint32_t packet,
                         unsigned state)
{
    /* Relaxed read: we have seen it when we claimed the packet, and until we publish nobody changes
     * it. Only the lap is wanted. */
    uint64_t claim = atomic_load_explicit(&q->claims[packet], memory_order_relaxed);
    /* Release: the message before its state; pairs with the acquire in clump_array_peek. */
    atomic_store_explicit(&q->packets[packet].word,
                          clump_word(state, sender->owner, clump_word_epoch(claim)),
                          memory_order_release);
}

void clump_array_flush(struct clump_queue *q)
{
    for (uint64_t t = q->released; t != q->head; t++)
        /* Release: what we read of the message before its packet is free; pairs with the acquire of
         * the next claim. */
        atomic_store_explicit(&q->claims[(uint32_t)t & q->mask],
                              clump_word(CLUMP_FREE, 0, clump_lap(q, t) + 1), memory_order_release);
    q->released = q->head;
}

/** Whether the message at the head has come after all; one that looks later than the claim. */
static bool came_after_all(const struct clump_queue *q, uint32_t index)
{
    uint64_t word = atomic_load_explicit(&q->packets[index].word, memory_order_acquire);
    return clump_word_is_ready(word) && clump_word_epoch(word) == clump_lap(q, q->head);
}

bool clump_array_recover(struct clump_queue *q)
{
    uint32_t index = (uint32_t)q->head & q->mask, lap = clump_lap(q, q->head);
    clump_array_flush(q);
    /* Acquire: pairs with the increment of the tail; see clump_ticket_may_be_held. */
    uint64_t below = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    uint64_t claim = atomic_load_explicit(&q->claims[index], memory_order_acquire);
    if (came_after_all(q, index))
        return false;
    if (claim == clump_word(CLUMP_FREE, 0, lap)) {
        if (below == q->head || (int64_t)(below - q->head) < 0)
            return false;
        /* With epochs only the ticket of this lap may fill the packet, without them any of this
         * residue (lemma 3.3). */
        if (clump_ticket_may_be_held(q, CLUMP_DRAW_PACKET, q->head,
                                     q->algorithm->epochs ? UINT64_MAX : q->mask, below))
            return false;
        /* Published between our two looks? The scan's acquires make that visible here. */
        if (came_after_all(q, index))
            return true;
        /* Claimed meanwhile? Compare-and-swap: the packet goes into its next lap only unclaimed.
         * Release: pairs with the acquire of the next claim. */
        if (!atomic_compare_exchange_strong_explicit(&q->claims[index], &claim,
                                                     clump_word(CLUMP_FREE, 0, lap + 1),
                                                     memory_order_release, memory_order_relaxed))
            return true;
        q->head++;
        q->released = q->head;
        q->recovered++;
        return true;
    }
    if (clump_word_state(claim) == CLUMP_CLAIMED && clump_word_epoch(claim) == lap) {
        if (clump_owner_alive(q->places, claim))
            return false;
        /* It may have published before it died or left. */
        if (came_after_all(q, index))
            return true;
        q->recovered++;
    } else { /* no sender of ours writes that */
        q->rejected++;
    }
    q->head++;
    clump_array_flush(q);
    return true;
}

void clump_queue_recover(struct clump_queue *q, uint64_t now_ns, uint64_t patience_ns)
{
    if (now_ns - q->bulk_ns >= patience_ns) {
        recover_blocks(q);
        q->bulk_ns = now_ns;
    }
    if (q->suspect_ns == 0 || q->suspect_head != q->head) {
        q->suspect_ns = now_ns;
        q->suspect_head = q->head;
        return;
    }
    if (now_ns - q->suspect_ns < patience_ns)
        return;
    uint32_t budget = 2 * (q->mask + 1); /* a hostile sender cannot keep us here */
    while (budget-- > 0 && q->algorithm->recover(q))
        ;
    q->suspect_ns = 0;
}
