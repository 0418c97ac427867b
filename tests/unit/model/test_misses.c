/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computation that waits for misses, and a machine that says how far copies hold each other up. */
#include "tests/unit/unit.h"

#include "model/workload/misses.h"
#include "tests/unit/golden.h"

/* The Enterprise 5000 against its workstation: tables 5.1 and 5.4, section 7.4.1. */
static clump_misses enterprise(double share, double bytes_per_us)
{
    return (clump_misses){share, 44 / 166.67, 51 / 166.67, 64, bytes_per_us};
}

static double penalty(const clump_misses *m, size_t processors)
{
    double c;
    clump_error error = {CLUMP_OK, ""};
    if (clump_misses_penalty(m, processors, &c, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return c;
}

/* One server that k processors want, each the share U of its time: mean value analysis. */
static double slower(int k, double U)
{
    double queue = 0, cycle = 1;
    for (int n = 1; n <= k; n++) {
        const double there = U * (1 + queue);
        cycle = 1 - U + there;
        queue = n * there / cycle;
    }
    return cycle;
}

TEST(test_penalty)
{
    for (double s = 0; s <= 1; s += 0.125) {
        const clump_misses m = enterprise(s, 2500), few = enterprise(s, 771.75);
        const double a = 1 + s * 7 / 44;
        const double U = s * (64 / 2500.0) / (44 / 166.67) / a;
        for (int k = 1; k <= 8; k++) {
            assert_close(penalty(&m, (size_t)k), a * slower(k, U), 1e-13);
            assert_close(penalty(&few, (size_t)k), a * slower(k, U * 2500 / 771.75), 1e-13);
        }
    }
}

TEST(test_limits)
{
    clump_misses m = enterprise(1, 0); /* bandwidth not known: the ratio of latencies */
    assert_close(penalty(&m, 8), 51.0 / 44, 1e-15);
    m = enterprise(0, 2500);
    assert_true(penalty(&m, 8) == 1);
    m = enterprise(1, 2500); /* one processor has nobody to wait for */
    assert_close(penalty(&m, 1), 51.0 / 44, 1e-15);
    m = (clump_misses){1, 0.25, 0.25, 64, 256}; /* memory is all it does: k share it */
    assert_close(penalty(&m, 8), 8, 1e-14);
}

/*
 * Section 7.4.2: copies get slower where several processors copy at once, but it takes four or more
 * before one is as slow as the workstation, 168 MiB/s instead of 184 (table 5.1). Nothing is fitted.
 */
TEST(test_copies)
{
    const double MiB = 1.048576; /* B/us */
    const double each = 2 * 184 * MiB;
    const clump_memory memory = {.share = each / 2500, .feeds = 1};
    double rates[9];
    assert_int_equal(clump_memory_rates(&memory, 0, 8, rates, NULL), CLUMP_OK);
    assert_close(184 * rates[3] / 3, 174.6, 5e-4); /* three: faster than the workstation */
    assert_close(184 * rates[4] / 4, 168, 5e-3);   /* four: as fast */
    assert_true(184 * rates[5] / 5 < 168);
}

TEST(test_refused)
{
    const clump_misses good = enterprise(0.5, 2500);
    clump_misses bad[] = {good, good, good, good, good, good, good};
    const char *const words[] = {"share",
                                 "on the NOW",
                                 "in the node",
                                 "line",
                                 "bandwidth",
                                 "no time",
                                 "one processor would use"};
    clump_error error;
    double c = 7;
    bad[0].share = 1.5;
    bad[1].now_us = 0;
    bad[2].node_us = -1;
    bad[3].line_bytes = NAN;
    bad[4].bytes_per_us = -2;
    bad[5] = (clump_misses){1, 0.25, 0, 64, 0};
    bad[6].bytes_per_us = 10; /* 6.4 us a line, in a miss of 0.3 us */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(clump_misses_penalty(&bad[i], 8, &c, &error), CLUMP_BAD_ARGUMENT);
        if (strstr(error.message, words[i]) == NULL)
            fail_msg("%s", error.message);
    }
    assert_int_equal(clump_misses_penalty(&good, 0, &c, &error), CLUMP_BAD_ARGUMENT);
    assert_true(c == 7);
}

UNIT_MAIN(NULL, NULL)
