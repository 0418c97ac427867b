/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of a simulation come out in order of time, each once, whichever lane or heap they took. */
#include "model/simulation/event_queue.h"

#include "tests/unit/unit.h"

enum { EVENTS = 20000 };

/* Add `steps[random]` ahead of the last time, or at random, and take; `backlog` events wait. */
static void run(const double *steps, size_t step_count, double random_share, size_t backlog)
{
    event_queue queue;
    event_entry event = {0, 0};
    uint64_t state = 42;
    double now = 0;
    size_t added = 0, taken = 0;
    double *times = test_malloc(EVENTS * sizeof *times);
    bool *seen = test_calloc(EVENTS, sizeof *seen);
    event_queue_make(&queue);
    assert_false(event_queue_take(&queue, &event));
    assert_true(event_queue_next(&queue) == HUGE_VAL);
    while (taken < EVENTS) {
        while (added < EVENTS && added - taken < backlog) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const double u = (double)(state >> 11) * 0x1p-53;
            times[added] = now + (u < random_share ? 50 * u / random_share
                                                   : steps[(state >> 40) % step_count]);
            event_queue_add(&queue, times[added], (uint32_t)added);
            added++;
        }
        double earliest = HUGE_VAL;
        if (taken % 997 == 0) /* by looking at all of them */
            for (size_t i = 0; i < added; i++)
                earliest = !seen[i] && times[i] < earliest ? times[i] : earliest;
        const double next = event_queue_next(&queue);
        assert_true(event_queue_take(&queue, &event));
        assert_true(event.time == next && event.time >= now);
        assert_true(taken % 997 != 0 || event.time == earliest);
        assert_true(event.id < added && !seen[event.id] && times[event.id] == event.time);
        seen[event.id] = true;
        now = event.time;
        taken++;
    }
    assert_false(event_queue_take(&queue, &event));
    event_queue_add(&queue, 1, 7);
    event_queue_clear(&queue);
    assert_false(event_queue_take(&queue, &event));
    event_queue_release(&queue);
    test_free(seen);
    test_free(times);
}

TEST(test_few_constants)
{
    static const double steps[] = {0, 1, 1.5, 4, 5.5};
    run(steps, 5, 0, 1);
    run(steps, 5, 0, 3000); /* rings grow while they are wrapped */
}

TEST(test_more_constants_than_lanes)
{
    static const double steps[] = {0.1, 9, 3, 27, 81, 1, 0.3, 0.9, 2.7, 8, 24, 72};
    run(steps, 12, 0, 500);
}

TEST(test_times_in_no_order)
{
    static const double steps[] = {1};
    run(steps, 1, 1, 2000);
    run(steps, 1, 0.3, 2000);
}

UNIT_MAIN(NULL, NULL)
