/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sender that is alone and is made to share in the middle of a send (protocols/queue/alone.h): which
 * ticket is its own, wherever the other one has got to. All interleavings: tests/spin/alone.pml. */
#include "protocols/queue/alone.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { LENGTH = 8, BLOCKS = 4, SENDERS = 2 };

struct scene {
    struct clump_sender_place *places;
    void *memory;
    struct clump_queue receiver, queues[SENDERS];
    struct clump_sender senders[SENDERS];
};

static void *zeroes(size_t size)
{
    void *memory = aligned_alloc(CLUMP_LINE, (size + CLUMP_LINE - 1) / CLUMP_LINE * CLUMP_LINE);
    assert_non_null(memory);
    return memset(memory, 0, size);
}

static void begin_with(struct scene *s, const struct clump_queue_algorithm *algorithm,
                       uint32_t blocks)
{
    s->places = zeroes(CLUMP_SENDERS * sizeof *s->places);
    s->memory = zeroes(clump_queue_bytes(LENGTH, blocks));
    clump_queue_attach(&s->receiver, algorithm, s->memory, LENGTH, blocks, s->places, 0);
    clump_queue_initialise(&s->receiver);
    for (unsigned i = 0; i < SENDERS; i++) {
        clump_queue_attach(&s->queues[i], algorithm, s->memory, LENGTH, blocks, s->places, 0);
        assert_int_equal(clump_sender_join(s->places, "alone", &s->senders[i]), CLUMP_PROTOCOL_OK);
    }
}

static void begin(struct scene *s, const struct clump_queue_algorithm *algorithm)
{
    begin_with(s, algorithm, BLOCKS);
}

static void end(struct scene *s)
{
    free(s->places);
    free(s->memory);
}

/** The packet that a sender claims the usual way. */
static uint32_t claim(struct scene *s, unsigned sender)
{
    struct clump_waiter waiter = {
        .first_us = 1, .limit_us = 15, .timeout_ms = 100, .recovery_ms = 100};
    struct clump_queue *q = &s->queues[sender];
    uint32_t packet = CLUMP_NONE;
    assert_int_equal(q->algorithm->claim(q, &s->senders[sender], &waiter, &packet, NULL),
                     CLUMP_PROTOCOL_OK);
    return packet;
}

static void publish(struct scene *s, unsigned sender, uint32_t packet)
{
    struct clump_queue *q = &s->queues[sender];
    q->algorithm->publish(q, &s->senders[sender], packet, CLUMP_READY);
}

/** Likewise a packet and a block. */
static clump_protocol_status claim_block(struct scene *s, unsigned sender, uint32_t *packet,
                                         uint32_t *block)
{
    struct clump_waiter waiter = {
        .first_us = 1, .limit_us = 15, .timeout_ms = 20, .recovery_ms = 100};
    struct clump_queue *q = &s->queues[sender];
    return q->algorithm->claim(q, &s->senders[sender], &waiter, packet, block);
}

static void publish_block(struct scene *s, unsigned sender, uint32_t packet, uint32_t block)
{
    struct clump_queue *q = &s->queues[sender];
    q->packets[packet].block = (uint16_t)block;
    q->algorithm->publish(q, &s->senders[sender], packet, CLUMP_READY_BULK);
}

static uint32_t send_block(struct scene *s, unsigned sender)
{
    uint32_t packet, block;
    assert_int_equal(claim_block(s, sender, &packet, &block), CLUMP_PROTOCOL_OK);
    publish_block(s, sender, packet, block);
    return block;
}

/** Receive a message with that block. */
static void receive_block(struct scene *s, uint32_t block, bool alone)
{
    struct clump_queue *q = &s->receiver;
    const uint32_t packet = clump_array_peek(q);
    assert_int_not_equal(packet, CLUMP_NONE);
    assert_int_equal(q->packets[packet].block, block);
    const uint64_t word = atomic_load(&q->bulks[block].word);
    assert_int_equal(clump_word_state(word), alone ? CLUMP_FREE : CLUMP_CLAIMED);
    if (alone)
        assert_true(clump_alone_drew_block(q, &q->packets[packet], block, word));
    clump_bulk_release(q, block);
    assert_int_equal(atomic_load(&q->bulks[block].word),
                     clump_word(CLUMP_FREE, 0, clump_word_epoch(word) + 1));
    clump_array_release(q, packet);
}

static const struct clump_queue_algorithm *const solo[] = {&clump_queue_lock_free,
                                                           &clump_queue_lock_free_fifo};

/** The second sender has revoked, and is so far with it when the first one sends. */
enum progress { REVOKED, HAS_READ_NOTE, DONE, STAGES };

/* Sender 0 has sent twice. It notes its third ticket, sees that it is alone no more, and tries the
 * short way once more before the usual one, as endpoints do. No ticket may get lost by that. */
TEST(in_doubt)
{
    for (unsigned a = 0; a < 2; a++)
        for (enum progress stage = REVOKED; stage < STAGES; stage++) {
            struct scene s;
            uint32_t lap, second = CLUMP_NONE;
            begin(&s, solo[a]);
            struct clump_queue *q = &s.queues[0];
            publish(&s, 0, claim(&s, 0));
            if (!q->alone) {
                end(&s);
                skip(); /* this system has no barrier for all processors */
            }
            const uint32_t short_way = clump_alone_claim(q, &s.senders[0], &lap);
            assert_int_equal(short_way, 1);
            clump_array_store(q, &s.senders[0], short_way, CLUMP_READY, lap);
            if (stage == DONE) {
                second = claim(&s, 1);
            } else {
                atomic_store(&q->tails->alone, clump_word(CLUMP_REVOKED, s.senders[0].owner, 0));
                if (stage == HAS_READ_NOTE)
                    atomic_store(&q->tails->base, 2 + 1);
            }
            for (unsigned tries = 0; tries < 3; tries++)
                assert_int_equal(clump_alone_claim(q, &s.senders[0], &lap), CLUMP_NONE);
            if (stage == REVOKED) /* the other one reads the note now, and settles */
                second = claim(&s, 1);
            const uint32_t first = claim(&s, 0);
            if (second == CLUMP_NONE)
                second = claim(&s, 1);
            assert_int_equal(first + second, 2 + 3);
            assert_int_equal(first, stage == DONE ? 3 : 2);
            publish(&s, 0, first);
            publish(&s, 1, second);
            for (uint32_t n = 0; n < 4; n++) { /* all are there, in the order of tickets */
                assert_int_equal(clump_array_peek(&s.receiver), n);
                clump_array_release(&s.receiver, n);
            }
            end(&s);
        }
}

/* The same of blocks: two are on their way, the third is in doubt. */
TEST(block_in_doubt)
{
    for (unsigned a = 0; a < 2; a++)
        for (enum progress stage = REVOKED; stage < STAGES; stage++) {
            struct scene s;
            uint32_t second = CLUMP_NONE;
            begin(&s, solo[a]);
            struct clump_queue *q = &s.queues[0];
            assert_int_equal(send_block(&s, 0), 0);
            if (!q->alone) {
                end(&s);
                skip(); /* this system has no barrier for all processors */
            }
            assert_int_equal(send_block(&s, 0), 1);
            if (stage == DONE) {
                second = send_block(&s, 1);
            } else {
                atomic_store(&q->tails->alone, clump_word(CLUMP_REVOKED, s.senders[0].owner, 0));
                if (stage == HAS_READ_NOTE)
                    atomic_store(&q->tails->bulk_base, 2 + 1);
            }
            for (unsigned tries = 0; tries < 3; tries++)
                assert_int_equal(clump_alone_claim_block(q, &s.senders[0]), CLUMP_NONE);
            if (stage == REVOKED)
                second = send_block(&s, 1);
            const uint32_t first = send_block(&s, 0);
            const bool first_before = second == CLUMP_NONE;
            if (first_before)
                second = send_block(&s, 1);
            assert_int_equal(first + second, 2 + 3);
            if (stage != HAS_READ_NOTE) /* else it is the next one's by increment */
                assert_int_equal(first, stage == DONE ? 3 : 2);
            assert_false(q->alone);
            receive_block(&s, 0, true);
            receive_block(&s, 1, true);
            receive_block(&s, first_before ? first : second, false);
            receive_block(&s, first_before ? second : first, false);
            assert_int_equal(send_block(&s, 1), 0); /* in its next lap */
            end(&s);
        }
}

/* A block is in hand, and its packet does not become free: the block comes back, and the queue is
 * shared. */
TEST(block_in_hand)
{
    for (unsigned a = 0; a < 2; a++) {
        struct scene s;
        uint32_t packet, block;
        begin(&s, solo[a]);
        struct clump_queue *q = &s.queues[0];
        for (unsigned i = 0; i < LENGTH; i++)
            publish(&s, 0, claim(&s, 0));
        if (!q->alone) {
            end(&s);
            skip();
        }
        assert_int_equal(claim_block(&s, 0, &packet, &block), CLUMP_PROTOCOL_TIMED_OUT);
        assert_int_equal(q->held, 0);
        assert_true(q->shared);
        assert_int_equal(atomic_load(&q->tails->bulk_note), 0);
        assert_int_equal(atomic_load(&q->bulks[0].word), clump_word(CLUMP_FREE, 0, 1));
        end(&s);
    }
}

/* What a sender that was alone has published is there although it has left; the block that it had in
 * hand is taken back, as soon as it has left and no sooner. */
TEST(block_lost)
{
    for (unsigned a = 0; a < 2; a++) {
        struct scene s;
        uint64_t now = 1;
        begin(&s, solo[a]);
        struct clump_queue *q = &s.queues[0], *r = &s.receiver;
        send_block(&s, 0);
        if (!q->alone) {
            end(&s);
            skip();
        }
        send_block(&s, 0);
        assert_int_equal(clump_alone_claim_block(q, &s.senders[0]), 2);
        for (unsigned left = 0; left < 2; left++) {
            for (unsigned i = 0; i < 4; i++)
                clump_queue_recover(r, now += 10, 1);
            for (uint32_t b = 0; b < BLOCKS; b++)
                assert_int_equal(atomic_load(&r->bulks[b].word),
                                 clump_word(CLUMP_FREE, 0, left == 1 && b == 2));
            if (left == 0)
                clump_sender_leave(&s.senders[0]);
        }
        assert_int_equal(r->recovered, 1);
        receive_block(&s, 0, true);
        assert_int_equal(send_block(&s, 1), 3); /* the next one goes on behind it */
        receive_block(&s, 1, true);
        receive_block(&s, 3, true);
        end(&s);
    }
}

/* The receiver looks for what is lost, long enough. */
static void look_for_lost(struct scene *s)
{
    static uint64_t now = 1;
    for (unsigned i = 0; i < 6; i++)
        clump_queue_recover(&s->receiver, now += 10, 1);
}

/* The same with a single block, which the next sender then waits for. */
TEST(only_block_lost)
{
    for (unsigned a = 0; a < 2; a++) {
        struct scene s;
        uint32_t packet, block;
        begin_with(&s, solo[a], 1);
        send_block(&s, 0);
        if (!s.queues[0].alone) {
            end(&s);
            skip();
        }
        receive_block(&s, 0, true);
        assert_int_equal(clump_alone_claim_block(&s.queues[0], &s.senders[0]), 0);
        clump_sender_leave(&s.senders[0]);
        assert_int_equal(claim_block(&s, 1, &packet, &block), CLUMP_PROTOCOL_TIMED_OUT);
        look_for_lost(&s);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(send_block(&s, 1), 0);
            receive_block(&s, 0, s.queues[1].alone);
        }
        end(&s);
    }
}

/* One that ends in doubt, while the other has settled that its tickets are not drawn yet: they are
 * not lost, for they will be drawn by increment. */
TEST(in_doubt_and_gone)
{
    for (unsigned a = 0; a < 2; a++) {
        struct scene s;
        uint32_t lap;
        begin(&s, solo[a]);
        struct clump_queue *q = &s.queues[0];
        send_block(&s, 0);
        if (!q->alone) {
            end(&s);
            skip();
        }
        receive_block(&s, 0, true);
        atomic_store(&q->tails->alone, clump_word(CLUMP_REVOKED, s.senders[0].owner, 0));
        atomic_store(&q->tails->base, 1 + 1);
        atomic_store(&q->tails->bulk_base, 1 + 1);
        assert_int_equal(clump_alone_claim_block(q, &s.senders[0]), CLUMP_NONE);
        assert_int_equal(clump_alone_claim(q, &s.senders[0], &lap), CLUMP_NONE);
        clump_sender_leave(&s.senders[0]);
        look_for_lost(&s);
        assert_int_equal(s.receiver.recovered, 0);
        assert_int_equal(s.receiver.head, 1);
        assert_int_equal(send_block(&s, 1), 1);
        receive_block(&s, 1, false);
        end(&s);
    }
}

/* A word knows of a lap no more than 32 bits: the lap after 2^32 - 1 is 0. */
TEST(laps_wrap)
{
    const uint64_t laps = UINT64_C(1) << 32, packets = laps * LENGTH - 3,
                   blocks = laps * BLOCKS - 2;
    for (unsigned a = 0; a < 2; a++) {
        struct scene s;
        begin(&s, solo[a]);
        struct clump_queue *q = &s.queues[0], *r = &s.receiver;
        atomic_store(&q->tails->note, packets);
        atomic_store(&q->tails->bulk_note, blocks);
        r->head = r->released = packets;
        for (uint64_t t = packets; t < packets + LENGTH; t++)
            atomic_store(&q->claims[t % LENGTH], clump_word(CLUMP_FREE, 0, clump_lap(q, t)));
        for (uint64_t t = blocks; t < blocks + BLOCKS; t++)
            atomic_store(&q->bulks[t % BLOCKS].word, clump_block_free_for(q, t));
        for (uint64_t t = blocks; t < blocks + 3; t++) {
            look_for_lost(&s);
            assert_int_equal(send_block(&s, 0), t % BLOCKS);
            if (!q->alone) {
                end(&s);
                skip();
            }
            receive_block(&s, t % BLOCKS, true);
        }
        assert_int_equal(clump_alone_claim_block(q, &s.senders[0]), 1);
        look_for_lost(&s);
        assert_int_equal(r->recovered, 0);
        clump_sender_leave(&s.senders[0]);
        look_for_lost(&s);
        assert_int_equal(r->recovered, 1);
        for (uint32_t i = 2; i < 2 * LENGTH; i++) {
            assert_int_equal(send_block(&s, 1), i % BLOCKS);
            receive_block(&s, i % BLOCKS, true);
        }
        end(&s);
    }
}

UNIT_MAIN(NULL, NULL)
