/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times in buckets come out in exactly the order in which a heap gives them, however they are spread. */
#include "model/simulation/event_buckets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TIMES = 3000, STEPS = 20000 };

typedef double spread(double u);

static uint64_t state;

static double uniform(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

static double exponential(double u)
{
    return -log1p(-u);
}
static double constant(double u)
{
    (void)u;
    return 1;
}
static double none(double u)
{
    (void)u;
    return 0;
}
static double steps(double u)
{
    return floor(4 * u);
}
static double rare(double u) /* a few are far beyond all buckets */
{
    return u < 0.999 ? 1e-3 * u : 1000 * u;
}
static double tiny(double u)
{
    return 1e-18 * u;
}

static double take_first(simulation_heap *heap, simulation_buckets *b)
{
    const double time = heap->times[0];
    assert_true(b->count == heap->count && b->near.count > 0 && b->near.times[0] == time);
    simulation_heap_drop(heap, false);
    simulation_buckets_drop(b);
    return time;
}

static void add(simulation_heap *heap, simulation_buckets *b, double time)
{
    simulation_heap_add(heap, time, 0, false);
    simulation_buckets_add(b, time);
}

/* A queue of `most` times that is full, runs down to few, is empty, and full again; the mean is that of the spread, or
 * was told wrongly. */
static void run(spread *ahead, double mean, size_t most)
{
    const size_t chunks = simulation_chunks_for(most, 1);
    void *room = test_malloc(simulation_heap_size(most)),
         *other = test_malloc(simulation_heap_size(most));
    void *bytes = test_malloc(simulation_buckets_size(most));
    simulation_chunks pool = {.all = test_malloc(chunks * sizeof *pool.all)};
    simulation_heap heap = {.times = simulation_heap_align(room)};
    simulation_buckets b;
    simulation_buckets_make(&b, (simulation_heap){.times = simulation_heap_align(other)}, most,
                            bytes, &pool);
    state = 7;
    for (int round = 0; round < 3; round++) {
        double now = 0;
        heap.count = 0;
        simulation_chunks_clear(&pool);
        simulation_buckets_clear(&b, mean);
        for (size_t i = 0; i < most; i++) {
            const double time = ahead(uniform());
            simulation_heap_add(&heap, time, 0, false);
            simulation_buckets_add_first(&b, time);
        }
        simulation_buckets_begin(&b);
        for (size_t i = 0; i < STEPS; i++) {
            const double kept = (i / 4000) % 2 == 0 ? 0.5 : 0.4;
            if (heap.count > 0 && (heap.count == most || uniform() >= kept))
                now = take_first(&heap, &b);
            else
                add(&heap, &b, now + ahead(uniform()));
            assert_true(pool.used <= chunks);
        }
        while (heap.count > 0)
            now = take_first(&heap, &b);
        assert_int_equal(b.count, 0);
        add(&heap, &b, now / 2); /* time may begin anew where nothing waits */
        add(&heap, &b, now / 4);
        assert_true(take_first(&heap, &b) == now / 4);
        add(&heap, &b, now / 2 + 1e-3);
        while (heap.count > 0)
            now = take_first(&heap, &b);
    }
    test_free(room);
    test_free(other);
    test_free(bytes);
    test_free(pool.all);
}

static void test_spreads(void **unused)
{
    (void)unused;
    spread *const spreads[] = {exponential, constant, none, steps, rare, tiny};
    const double means[] = {1, 1, 0, 1.5, 0.5, 5e-19};
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++) {
        run(spreads[i], means[i], TIMES);
        run(spreads[i], means[i], 1);
        run(spreads[i], 1e3, TIMES);       /* all in the first bucket */
        run(spreads[i], 1e-3, TIMES / 10); /* nearly all beyond the last */
        run(spreads[i], 1e-310, TIMES / 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
