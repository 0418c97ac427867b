/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a sender stores bulk data (protocols/queue/bulk_ways.h, bulk_data.h): the way that took least time stays, whatever
 * one round in between took; and every size arrives by each way. */
#include "protocols/queue/bulk_data.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { BLOCKS = 4 };

/** A trial of all ways, with so many ns a round of each; each `odd`th round is disturbed. */
static void try_all(struct clump_bulk_ways *w, const uint64_t took[CLUMP_BULK_WAYS], unsigned odd)
{
    unsigned tried[CLUMP_BULK_WAYS] = {0};
    for (unsigned round = 0; round < CLUMP_BULK_WAYS * (CLUMP_BULK_ROUNDS + 1); round++) {
        assert_int_equal(w->left, 0);
        /* The first round of each way is what another one has left, and does not count. */
        const bool first = round % (CLUMP_BULK_ROUNDS + 1) == 0;
        const uint64_t ns = took[w->way];
        tried[w->way]++;
        clump_bulk_round(w, BLOCKS, first || round % odd == 1 ? 1000000 : ns, 32768);
    }
    for (unsigned way = 0; way < CLUMP_BULK_WAYS; way++)
        assert_int_equal(tried[way], CLUMP_BULK_ROUNDS + 1);
    assert_true(w->left >= 100 * BLOCKS);
    w->left = 0;
}

TEST(the_quickest_way_stays)
{
    struct clump_bulk_ways w = {0};
    for (unsigned again = 0; again < 2; again++) /* then the machine has changed */
        for (unsigned quickest = 0; quickest < CLUMP_BULK_WAYS; quickest++)
            for (unsigned odd = 3; odd < 100; odd += 4) {
                uint64_t took[CLUMP_BULK_WAYS] = {1000, 1020, 1010};
                took[quickest] = 900;
                try_all(&w, took, odd);
                assert_int_equal(w.way, quickest);
            }
}

/** A queue with a view of it, for its sender. */
static void *begin(struct clump_queue *q, struct clump_sender_place *places)
{
    const size_t bytes = clump_queue_bytes(8, BLOCKS);
    void *memory = aligned_alloc(CLUMP_LINE, (bytes + CLUMP_LINE - 1) / CLUMP_LINE * CLUMP_LINE);
    assert_non_null(memory);
    memset(memory, 0, bytes);
    clump_queue_attach(q, &clump_queue_lock_free, memory, 8, BLOCKS, places, 0);
    return memory;
}

TEST(every_byte_arrives)
{
    static struct clump_sender_place places[CLUMP_SENDERS];
    static const size_t sizes[] = {1, 63, 4095, 4096, 4097, 4159, 8000, 8191, 8192};
    static unsigned char data[CLUMP_BULK_BYTES + 7];
    struct clump_queue q;
    void *memory = begin(&q, places);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 31 + i / 256);
    for (enum clump_bulk_way way = 0; way < CLUMP_BULK_WAYS; way++)
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (unsigned offset = 0; offset < 8; offset += 7) {
                q.ways.way = way;
                memset(clump_bulk_data(&q, 1), 0xee, 2 * CLUMP_BULK_BYTES);
                clump_bulk_write(&q, 1, 0, data + offset, sizes[i]);
                assert_memory_equal(clump_bulk_data(&q, 1), data + offset, sizes[i]);
                assert_int_equal(clump_bulk_data(&q, 1)[sizes[i]], 0xee); /* and no more */
            }
    free(memory);
}

/* Trials are a small part of all sends, short messages none at all; they begin at once, and a trial of
 * each way has an end. */
TEST(trials_are_rare)
{
    static struct clump_sender_place places[CLUMP_SENDERS];
    struct clump_queue q;
    void *memory = begin(&q, places);
    unsigned tried = 0, changes = 0;
    enum { SENDS = 400000 };
    for (unsigned i = 0; i < SENDS; i++) {
        const enum clump_bulk_way before = q.ways.way;
        clump_bulk_begin(&q, 4095);
        clump_bulk_end(&q, 4095);
        tried += q.ways.left == 0;
        clump_bulk_begin(&q, 8192);
        clump_bulk_end(&q, 8192);
        changes += q.ways.way != before;
    }
#ifdef __x86_64__
    assert_true(tried > 0 && tried <= SENDS / 40);
    assert_true(changes >= 2 * (CLUMP_BULK_WAYS - 1));
#else
    assert_int_equal(changes, 0);
#endif
    free(memory);
}

UNIT_MAIN(NULL, NULL)
