/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has the processors: turns, levels and what changes cost, by hand. */
#include "reproductions/virtual/time_sharing.h"

#include "tests/unit/unit.h"

enum { SLICE = 100, CHANGE = 3, CACHE = 20 };

static const clump_time_sharing_costs costs = {SLICE, CHANGE, CACHE};

static bool always(void *context, uint32_t process)
{
    (void)context, (void)process;
    return true;
}

static bool not_this(void *context, uint32_t process)
{
    return process != *(const uint32_t *)context;
}

static void expect_start(clump_time_sharing *s, uint64_t now, uint32_t process, uint32_t instead,
                         uint64_t begins)
{
    clump_time_sharing_start start;
    assert_true(clump_time_sharing_next(s, now, always, NULL, &start));
    assert_int_equal(start.process, process);
    assert_int_equal(start.instead, instead);
    assert_int_equal(start.begins_ps, begins);
}

static void expect_none(clump_time_sharing *s, uint64_t now)
{
    clump_time_sharing_start start;
    assert_false(clump_time_sharing_next(s, now, always, NULL, &start));
}

/* Two in turn on one processor; who comes back loads again what the other has thrown out, and no more
 * than it had, as it computes. */
TEST(test_turns)
{
    clump_time_sharing *s = clump_time_sharing_open(1, 2, costs);
    clump_time_sharing_ready(s, 0, false);
    clump_time_sharing_ready(s, 1, false);
    expect_start(s, 0, 0, CLUMP_TIME_SHARING_NOBODY, 0);
    expect_none(s, 0);
    assert_int_equal(clump_time_sharing_use(s, 0, 90, 8), 0);
    assert_int_equal(clump_time_sharing_left(s, 0), 10);
    assert_false(clump_time_sharing_expired(s, 0, 90));
    clump_time_sharing_use(s, 0, 10, 0);
    assert_true(clump_time_sharing_expired(s, 0, 100));
    expect_start(s, 100, 1, CLUMP_TIME_SHARING_NOBODY, 100 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_use(s, 1, SLICE, 5), 0);
    assert_true(clump_time_sharing_expired(s, 1, 206));
    expect_start(s, 206, 0, CLUMP_TIME_SHARING_NOBODY, 206 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_stretch(s, 0, 3), 6); /* of 8 it has lost 5 */
    assert_int_equal(clump_time_sharing_stretch(s, 0, 50), 55);
    assert_int_equal(clump_time_sharing_use(s, 0, SLICE, SLICE), 5);
    assert_true(clump_time_sharing_expired(s, 0, 312));
    expect_start(s, 312, 1, CLUMP_TIME_SHARING_NOBODY, 312 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_use(s, 1, SLICE, SLICE), 5); /* all that it had */
    assert_true(clump_time_sharing_expired(s, 1, 418));
    expect_start(s, 418, 0, CLUMP_TIME_SHARING_NOBODY, 418 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_stretch(s, 0, SLICE), SLICE + CACHE);
    assert_int_equal(clump_time_sharing_use(s, 0, 10, 0), 0); /* it waits: nothing is loaded */
    assert_int_equal(clump_time_sharing_use(s, 0, 10, 7), 3);
    assert_int_equal(clump_time_sharing_stretch(s, 0, SLICE), SLICE + CACHE - 3);
    clump_time_sharing_leave(s, 0, 500); /* it is done: the other one goes on */
    expect_start(s, 500, 1, CLUMP_TIME_SHARING_NOBODY, 500 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_stretch(s, 1, SLICE), SLICE + 7); /* 0 computed for 7 */
    clump_time_sharing_use(s, 1, SLICE, 0);
    assert_false(clump_time_sharing_expired(s, 1, 700)); /* nobody waits */
    assert_int_equal(clump_time_sharing_left(s, 1), SLICE);
    clump_time_sharing_close(s);
}

/* On another processor all is lost; what was not loaded when it was interrupted still lacks. */
TEST(test_moves)
{
    clump_time_sharing *s = clump_time_sharing_open(2, 3, costs);
    for (uint32_t i = 0; i < 3; i++)
        clump_time_sharing_ready(s, i, false);
    expect_start(s, 0, 0, CLUMP_TIME_SHARING_NOBODY, 0);
    expect_start(s, 0, 1, CLUMP_TIME_SHARING_NOBODY, 0);
    assert_int_equal(clump_time_sharing_use(s, 0, SLICE, 12), 0);
    assert_true(clump_time_sharing_expired(s, 0, 100)); /* for 2 */
    expect_start(s, 100, 2, CLUMP_TIME_SHARING_NOBODY, 100 + 2 * CHANGE);
    clump_time_sharing_use(s, 1, 50, 50);
    clump_time_sharing_leave(s, 1, 150); /* 0 gets the other processor */
    expect_start(s, 150, 0, CLUMP_TIME_SHARING_NOBODY, 150 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_stretch(s, 0, SLICE), SLICE + 12);
    assert_int_equal(clump_time_sharing_use(s, 0, SLICE, 4), 2);
    clump_time_sharing_ready(s, 1, true);
    assert_true(clump_time_sharing_expired(s, 0, 256));
    expect_start(s, 256, 1, CLUMP_TIME_SHARING_NOBODY, 256 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_stretch(s, 1, SLICE), SLICE + 4); /* by 0 */
    clump_time_sharing_leave(s, 1, 262);
    expect_start(s, 262, 0, CLUMP_TIME_SHARING_NOBODY, 262 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_stretch(s, 0, SLICE), SLICE + 10); /* 1 computed nothing */
    clump_time_sharing_close(s);
}

/* Who has slept takes the processor of one that has used up a slice, if it can be interrupted; that one
 * is the next, with the rest of its slice. */
TEST(test_levels)
{
    clump_time_sharing *s = clump_time_sharing_open(2, 4, costs);
    clump_time_sharing_start start;
    for (uint32_t i = 0; i < 4; i++)
        clump_time_sharing_ready(s, i, false);
    expect_start(s, 0, 0, CLUMP_TIME_SHARING_NOBODY, 0);
    expect_start(s, 0, 1, CLUMP_TIME_SHARING_NOBODY, 0);
    expect_none(s, 0);
    clump_time_sharing_use(s, 1, 10, 0);
    clump_time_sharing_leave(s, 1, 10); /* it sleeps */
    expect_start(s, 10, 2, CLUMP_TIME_SHARING_NOBODY, 10 + 2 * CHANGE);
    clump_time_sharing_use(s, 0, SLICE, 0);
    assert_true(clump_time_sharing_expired(s, 0, 100));
    expect_start(s, 100, 3, CLUMP_TIME_SHARING_NOBODY, 100 + 2 * CHANGE);
    clump_time_sharing_use(s, 3, SLICE, 0);
    assert_true(clump_time_sharing_expired(s, 3, 206)); /* for 0, of the lower level too */
    expect_start(s, 206, 0, CLUMP_TIME_SHARING_NOBODY, 206 + 2 * CHANGE);
    clump_time_sharing_use(s, 0, 40, 0);
    clump_time_sharing_ready(s, 1, true);
    uint32_t zero = 0;
    assert_false(
        clump_time_sharing_next(s, 250, not_this, &zero, &start)); /* 2 has not used its slice up */
    expect_start(s, 250, 1, 0, 250 + 2 * CHANGE);
    clump_time_sharing_leave(s, 2, 260); /* done: 0 is before 3 */
    expect_start(s, 260, 0, CLUMP_TIME_SHARING_NOBODY, 260 + 2 * CHANGE);
    assert_int_equal(clump_time_sharing_left(s, 0), SLICE - 40);
    clump_time_sharing_leave(s, 1, 270);
    expect_start(s, 270, 3, CLUMP_TIME_SHARING_NOBODY, 270 + 2 * CHANGE);
    expect_none(s, 270);
    clump_time_sharing_close(s);
    clump_time_sharing_close(NULL);
}

UNIT_MAIN(NULL, NULL)
