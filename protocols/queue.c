/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the algorithms share: the layout of a queue, sender places, and taking back what dead
 * senders left.
 *
 * How a death is noticed. A sender that owns something is named in it: packets and blocks carry
 * place and generation in their state word, locks likewise. What a sender draws from a counter
 * (fetch-and-increment) carries no name, so it notes in its own place that it draws (UNKNOWN), then
 * what it has drawn, then that it is done. A ticket that no living sender has noted and that no
 * living sender is drawing is lost, and the receiver steps over it.
 */
#include "protocols/queue.h"
#include "protocols/process.h"

#include <string.h>

static const struct clump_queue_algorithm *const algorithms[] = {
    &clump_queue_lock_free,     &clump_queue_lock_free_fifo, &clump_queue_test_set,
    &clump_queue_test_test_set, &clump_queue_ticket,         &clump_queue_anderson,
    &clump_queue_mutex,         &clump_queue_ultracomputer,  &clump_queue_swap_list,
    &clump_queue_michael_scott};

const struct clump_queue_algorithm *clump_queue_algorithm_at(unsigned index)
{
    return index < sizeof algorithms / sizeof *algorithms ? algorithms[index] : NULL;
}

const struct clump_queue_algorithm *clump_queue_algorithm_named(const char *name)
{
    for (unsigned i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strcmp(name, algorithms[i]->name) == 0)
            return algorithms[i];
    return NULL;
}

size_t clump_queue_bytes(uint32_t length, uint32_t bulk_length)
{
    return sizeof(struct clump_tails) + CLUMP_SENDERS * sizeof(struct clump_slot) +
           length * sizeof(struct clump_packet) +
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
    q->which = which;
    q->places = places;
    q->tails = (struct clump_tails *)at;
    at += sizeof(struct clump_tails);
    q->slots = (struct clump_slot *)at;
    at += CLUMP_SENDERS * sizeof(struct clump_slot);
    q->packets = (struct clump_packet *)at;
    at += length * sizeof(struct clump_packet);
    q->bulks = (struct clump_bulk *)at;
    at += bulk_length * sizeof(struct clump_bulk);
    q->data = at;
}

void clump_queue_initialise(struct clump_queue *q)
{
    q->head = 0;
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

clump_protocol_status clump_bulk_claim(struct clump_queue *q, struct clump_sender *sender,
                                       struct clump_waiter *waiter, uint32_t *block)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].bulk;
    /* Relaxed: the increment below is a release, which orders it. */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    uint64_t ticket = atomic_fetch_add_explicit(&q->tails->bulk_tail, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(ticket), memory_order_relaxed);
    uint32_t index = (uint32_t)ticket & q->bulk_mask;
    uint32_t epoch = q->algorithm->epochs ? (uint32_t)(ticket / ((uint64_t)q->bulk_mask + 1)) : 0;
    uint64_t expected = clump_word(CLUMP_FREE, 0, epoch);
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (;;) {
        uint64_t seen = expected;
        /* Acquire: pairs with the release in clump_bulk_release; the receiver has read the block
         * before we write it. */
        if (atomic_compare_exchange_strong_explicit(&q->bulks[index].word, &seen,
                                                    clump_word(CLUMP_CLAIMED, sender->owner, epoch),
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
    /* Relaxed read: since the block was claimed, only the receiver writes its word. */
    uint64_t word = atomic_load_explicit(&q->bulks[block].word, memory_order_relaxed);
    uint32_t epoch = q->algorithm->epochs ? clump_word_epoch(word) + 1 : 0;
    /* Release: pairs with the acquire of the next claim. */
    atomic_store_explicit(&q->bulks[block].word, clump_word(CLUMP_FREE, 0, epoch),
                          memory_order_release);
}

void clump_bulk_unclaim(struct clump_queue *q, uint32_t block)
{
    clump_bulk_release(q, block);
}

/** Whether a message that waits to be received refers to the block. */
static bool block_is_used(const struct clump_queue *q, uint32_t block)
{
    for (uint32_t i = 0; i <= q->mask; i++) {
        /* Acquire: pairs with publish, so that `block` is what the sender wrote. */
        uint64_t word = atomic_load_explicit(&q->packets[i].word, memory_order_acquire);
        if (clump_word_state(word) == CLUMP_READY_BULK && q->packets[i].block == block)
            return true;
    }
    return false;
}

bool clump_bulk_recover(struct clump_queue *q)
{
    bool changed = false;
    for (uint32_t b = 0; b <= q->bulk_mask; b++) {
        /* Acquire: pairs with the compare-and-swap of the claim. */
        uint64_t word = atomic_load_explicit(&q->bulks[b].word, memory_order_acquire);
        if (clump_word_state(word) == CLUMP_FREE) {
            if (!q->algorithm->epochs)
                continue; /* the next lap's ticket will do */
            uint64_t below = atomic_load_explicit(&q->tails->bulk_tail, memory_order_acquire);
            uint64_t length = (uint64_t)q->bulk_mask + 1;
            uint64_t lap = clump_word_epoch(word);
            uint64_t ticket = lap * length + b;
            if (ticket >= below || below - ticket > UINT32_MAX * length ||
                clump_ticket_may_be_held(q, CLUMP_DRAW_BULK, ticket, UINT64_MAX, below))
                continue;
            /* The ticket is lost, unless it was used before its owner noted that it is done. */
            if (!atomic_compare_exchange_strong_explicit(
                    &q->bulks[b].word, &word, clump_word(CLUMP_FREE, 0, (uint32_t)lap + 1),
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
    /* Relaxed read: the word is ours since we claimed it. Only the epoch is wanted. */
    uint64_t word = atomic_load_explicit(&q->packets[packet].word, memory_order_relaxed);
    /* Release: the message before its state; pairs with the acquire in clump_array_peek. */
    atomic_store_explicit(&q->packets[packet].word,
                          clump_word(state, sender->owner, clump_word_epoch(word)),
                          memory_order_release);
}

uint32_t clump_array_peek(struct clump_queue *q)
{
    uint32_t index = (uint32_t)q->head & q->mask;
    /* Acquire: pairs with the release in clump_array_publish. */
    uint64_t word = atomic_load_explicit(&q->packets[index].word, memory_order_acquire);
    unsigned state = clump_word_state(word);
    return state == CLUMP_READY || state == CLUMP_READY_BULK ? index : CLUMP_NONE;
}

void clump_array_release(struct clump_queue *q, uint32_t packet)
{
    uint32_t epoch = q->algorithm->epochs ? (uint32_t)(q->head / ((uint64_t)q->mask + 1)) + 1 : 0;
    q->head++;
    /* Release: what we read of the message before its packet is free; pairs with the acquire of the
     * next claim. */
    atomic_store_explicit(&q->packets[packet].word, clump_word(CLUMP_FREE, 0, epoch),
                          memory_order_release);
}

bool clump_array_recover(struct clump_queue *q)
{
    uint32_t index = (uint32_t)q->head & q->mask;
    /* Acquire: pairs with the increment of the tail; see clump_ticket_may_be_held. */
    uint64_t below = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    uint64_t word = atomic_load_explicit(&q->packets[index].word, memory_order_acquire);
    switch (clump_word_state(word)) {
    case CLUMP_READY:
    case CLUMP_READY_BULK:
        return false;
    case CLUMP_CLAIMED:
        if (clump_owner_alive(q->places, word))
            return false;
        /* It may have published before it died or left. */
        if (atomic_load_explicit(&q->packets[index].word, memory_order_acquire) != word)
            return true;
        clump_array_release(q, index);
        q->recovered++;
        return true;
    case CLUMP_FREE:
        if (below == q->head || (int64_t)(below - q->head) < 0)
            return false;
        /* Without epochs any ticket of this residue may fill the packet (lemma 3.3), with them only
         * the one of this lap. */
        if (clump_ticket_may_be_held(q, CLUMP_DRAW_PACKET, q->head,
                                     q->algorithm->epochs ? UINT64_MAX : q->mask, below))
            return false;
        /* Claimed between our two looks? The scan's acquires make that visible here. */
        if (atomic_load_explicit(&q->packets[index].word, memory_order_acquire) != word)
            return true;
        if (q->algorithm->epochs)
            clump_array_release(q, index);
        else
            q->head++;
        q->recovered++;
        return true;
    default: /* no sender of ours writes that */
        clump_array_release(q, index);
        q->rejected++;
        return true;
    }
}

void clump_queue_recover(struct clump_queue *q, uint64_t now_ns, uint64_t patience_ns)
{
    if (now_ns - q->bulk_ns >= patience_ns) {
        clump_bulk_recover(q);
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
