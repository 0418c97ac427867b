/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who communicates together, against times written down and against looking at random moments. */
#include "model/workload/overlap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static clump_status count(const clump_overlap_interval *when, size_t n, size_t ranks, size_t P,
                          double begin, double end, clump_overlap_window *w, size_t windows,
                          double *histogram)
{
    clump_overlap *o;
    clump_status status = clump_overlap_make(when, n, ranks, &o, NULL);
    if (status != CLUMP_OK)
        return status;
    status = clump_overlap_count(o, P, begin, end, w, windows, histogram, NULL);
    clump_overlap_free(o);
    return status;
}

static void near(double found, double expected)
{
    assert_true(fabs(found - expected) < 1e-12);
}

/* Ranks 0 and 1 on a node, 2 and 3 on the next; rank 4 is left over. */
static void test_by_hand(void **state)
{
    (void)state;
    const clump_overlap_interval when[] = {
        {2, 1, 3}, {0, 0, 1}, {1, 0.5, 2.5}, {3, 3, 4}, {4, 0, 4}, {0, 2, 9}, {1, -5, 0.25},
    };
    clump_overlap_window w[2];
    double histogram[3];
    assert_int_equal(count(when, 7, 5, 2, 0, 4, w, 2, histogram), CLUMP_OK);
    /* node 0: q = 2 to 0.25, 1 to 0.5, 2 to 1, 1 to 2, 2 to 2.5, 1 to 4; node 1: 0 to 1, 1 to 4 */
    near(histogram[0], 1);
    near(histogram[1], 0.25 + 1 + 1.5 + 3);
    near(histogram[2], 0.25 + 0.5 + 0.5);
    near(w[0].seconds, 4);
    near(w[0].active, 0.5 + 0.25 + 1 + 1 + 1);
    near(w[0].squared, 1 + 0.25 + 2 + 1 + 1);
    near(w[1].active, 1 + 1.5 + 2);
    near(w[1].squared, 2 + 1.5 + 2);
}

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Sums over nodes are integrals: moments agree with the histogram, and q with what is seen at moments. */
static void test_random(void **state)
{
    (void)state;
    enum { RANKS = 11, EACH = 40, WINDOWS = 7, MOMENTS = 4000 };
    uint64_t seed = 5;
    clump_overlap_interval when[RANKS * EACH];
    for (size_t r = 0, i = 0; r < RANKS; r++) {
        double t = 0;
        for (size_t k = 0; k < EACH; k++, i++) {
            when[i].rank = r;
            when[i].begin = t += uniform(&seed);
            when[i].end = t += uniform(&seed);
        }
    }
    for (size_t P = 1; P <= RANKS; P++) {
        const size_t nodes = RANKS / P;
        clump_overlap_window w[WINDOWS];
        double histogram[RANKS + 1], sum = 0, active = 0, squared = 0, seen = 0;
        assert_int_equal(count(when, RANKS * EACH, RANKS, P, 1, 30, w, WINDOWS, histogram),
                         CLUMP_OK);
        for (size_t q = 0; q <= P; q++) {
            sum += histogram[q];
            active += (double)q * histogram[q];
            squared += (double)(q * q) * histogram[q];
        }
        for (size_t i = 0; i < WINDOWS; i++) {
            active -= w[i].active;
            squared -= w[i].squared;
        }
        assert_true(fabs(sum - 29.0 * (double)nodes) < 1e-9);
        assert_true(fabs(active) < 1e-9 && fabs(squared) < 1e-9);
        for (size_t m = 0; m < MOMENTS; m++) { /* node 0, moments evenly over the time */
            const double t = 1 + 29 * ((double)m + 0.5) / MOMENTS;
            size_t q = 0;
            for (size_t i = 0; i < P * EACH; i++)
                q += when[i].begin <= t && t < when[i].end;
            seen += (double)(q * q) / MOMENTS;
        }
        if (nodes == 1) {
            double mean = 0;
            for (size_t i = 0; i < WINDOWS; i++)
                mean += w[i].squared / 29;
            assert_true(fabs(seen / mean - 1) < 0.02);
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    clump_overlap_interval when = {0, 0, 1};
    clump_overlap_window w;
    assert_int_equal(count(&when, 1, 2, 3, 0, 1, &w, 1, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(count(&when, 1, 2, 2, 1, 1, &w, 1, NULL), CLUMP_BAD_ARGUMENT);
    when.end = NAN;
    assert_int_equal(count(&when, 1, 2, 2, 0, 1, &w, 1, NULL), CLUMP_BAD_ARGUMENT);
    when = (clump_overlap_interval){2, 0, 1};
    assert_int_equal(count(&when, 1, 2, 2, 0, 1, &w, 1, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(count(NULL, 0, 2, 2, 0, 1, &w, 1, NULL), CLUMP_OK);
    assert_true(w.seconds == 1 && w.active == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
