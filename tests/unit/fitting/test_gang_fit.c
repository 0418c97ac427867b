/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gang sizes from how many processors communicate at a time, against an event-by-event simulation of
 * processors whose truth is known, and against distributions that can be written down. */
#include "fitting/gangs/gang_fit.h"

#include "model/prediction.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { PROCESSORS = 8, WINDOWS = 128 };

/* ---- the simulation: gangs that compute and communicate for exponential times */

typedef struct program {
    size_t gangs;
    double nics; /* 0: each has its own */
    double utilization;
    double cycles; /* of a window */
} program;

static double uniform(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

/* The chain of MODEL.md 2 for equal customers: exponential times have no memory. */
static void simulate(const program *g, uint64_t seed, clump_overlap_window *windows)
{
    const double size = (double)PROCESSORS / (double)g->gangs;
    const double rate = g->nics > 0 ? g->nics / size : 0;
    uint64_t state = seed;
    size_t active = 0;
    double time = -50; /* until the beginning is forgotten */
    for (size_t i = 0; i < WINDOWS; i++)
        windows[i] = (clump_overlap_window){g->cycles, 0, 0};
    const double end = WINDOWS * g->cycles;
    while (time < end) {
        const double up = (double)(g->gangs - active) / (1 - g->utilization);
        const double served = rate > 0 ? (active > 0 ? rate : 0) : (double)active;
        const double down = served / g->utilization;
        const double next = time - log(uniform(&state)) / (up + down);
        const double q = (double)active * size;
        for (double at = fmax(time, 0); at < fmin(next, end);) {
            const size_t w =
                (size_t)(at / g->cycles) < WINDOWS ? (size_t)(at / g->cycles) : WINDOWS - 1;
            double until = fmin(fmin(next, end), (double)(w + 1) * g->cycles);
            if (!(until > at))
                until = fmin(next, end);
            windows[w].active += q * (until - at);
            windows[w].squared += q * q * (until - at);
            at = until;
        }
        time = next;
        if (uniform(&state) * (up + down) < up)
            active++;
        else
            active--;
    }
}

static clump_gang_fit fit(const program *g, uint64_t seed)
{
    clump_overlap_window windows[WINDOWS];
    clump_gang_fit found;
    clump_error error;
    simulate(g, seed, windows);
    const clump_gang_question question = {.processors = PROCESSORS,
                                          .nics = g->nics,
                                          .windows = windows,
                                          .window_count = WINDOWS,
                                          .confidence = 0.9};
    assert_int_equal(clump_gang_fit_compute(&question, &found, &error), CLUMP_OK);
    return found;
}

/* The interval holds the truth as often as it says, on either side of what chance allows. */
static void test_coverage(void **state)
{
    (void)state;
    enum { TRIALS = 200 };
    static const program programs[] = {
        {8, 0, 0.2, 5}, {8, 0, 0.5, 1}, {8, 0, 0.5, 20}, {4, 0, 0.3, 2},
        {2, 0, 0.3, 5}, {8, 2, 0.3, 5}, {4, 2, 0.3, 10}, {2, 4, 0.2, 10},
    };
    size_t all_held = 0;
    const size_t count = sizeof programs / sizeof *programs;
    for (size_t i = 0; i < count; i++) {
        const program *g = &programs[i];
        const double truth = (double)PROCESSORS / (double)g->gangs;
        size_t held = 0, rejected = 0;
        double mean = 0;
        for (uint64_t t = 0; t < TRIALS; t++) {
            const clump_gang_fit f = fit(g, 1000 * (uint64_t)i + t);
            held += f.ratio_low <= truth && truth <= f.ratio_high;
            rejected += f.rejects_independent;
            mean += f.ratio / TRIALS;
            assert_true(f.rejects_correlated);
        }
        print_message("gangs of %g, %g NICs, U = %g: held in %zu of %d, mean %.4f, independent "
                      "rejected in %zu\n",
                      truth, g->nics, g->utilization, held, (int)TRIALS, mean, rejected);
        all_held += held;
        /* some 3 standard deviations of 200 around 90%, less what 85% asks */
        assert_in_range(held, 0.83 * TRIALS, 0.97 * TRIALS);
        assert_true(fabs(mean / truth - 1) < 0.02);
        if (truth > 1)
            assert_in_range(rejected, TRIALS, TRIALS);
    }
    assert_true((double)all_held >= 0.87 * (double)(count * TRIALS));
    assert_true((double)all_held <= 0.93 * (double)(count * TRIALS));
}

/* Correlated demand: q is 0 or P. */
static void test_correlated(void **state)
{
    (void)state;
    const clump_gang_fit f = fit(&(program){1, 0, 0.3, 5}, 7);
    assert_true(fabs(f.gang_size - PROCESSORS) < 1e-9);
    assert_true(f.rejects_independent);
    assert_false(f.rejects_correlated);
}

/* The distributions of the engine, for whole numbers of gangs. */
static void test_distribution(void **state)
{
    (void)state;
    const double U = 0.3;
    static const double nics[] = {1, 2, 4};
    for (size_t i = 0; i < 3; i++)
        for (size_t n = 1; n <= PROCESSORS; n *= 2) {
            const double s = (double)PROCESSORS / (double)n;
            double expected[PROCESSORS + 1] = {0}, found[PROCESSORS + 1], mean = 0;
            double p[PROCESSORS + 1], sum = 0;
            /* As many terms of Z: n!/(n-j)! (w s/N)^j. */
            p[0] = sum = 1;
            for (size_t j = 1; j <= n; j++)
                sum += p[j] = p[j - 1] * (double)(n - j + 1) * U / (1 - U) * s / nics[i];
            for (size_t j = 0; j <= n; j++) {
                expected[(size_t)((double)j * s)] = p[j] / sum;
                mean += (double)j * s * p[j] / sum;
            }
            assert_int_equal(clump_gang_distribution(PROCESSORS, nics[i], mean, s, found, NULL),
                             CLUMP_OK);
            assert_true(clump_gang_distance(expected, found, PROCESSORS) < 1e-9);
            if (n == PROCESSORS) { /* and what the engine itself says */
                const clump_node node = {.processors = PROCESSORS, .nics = (size_t)nics[i]};
                const clump_load load = {.utilizations = &U,
                                         .utilization_count = 1,
                                         .gang_size = 1,
                                         .coupling = CLUMP_COUPLING_NONE};
                double slowdowns[PROCESSORS], engine[PROCESSORS + 1];
                const clump_prediction_details details = {slowdowns, engine};
                clump_prediction prediction;
                assert_int_equal(clump_predict(&node, &load, &prediction, &details, NULL),
                                 CLUMP_OK);
                assert_true(clump_gang_distance(engine, found, PROCESSORS) < 1e-9);
            }
        }
}

/* Between whole numbers of gangs the mean stays, and the variance gives s back. */
static void test_between(void **state)
{
    (void)state;
    static const double sizes[] = {1, 1.3, 1.7, 2, 2.5, 3.1, 5, 7.9, 8};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            double p[PROCESSORS + 1], mean = 0;
            assert_int_equal(
                clump_gang_distribution(PROCESSORS, k == 0 ? 0 : 2, 3, sizes[i], p, NULL),
                CLUMP_OK);
            for (size_t q = 0; q <= PROCESSORS; q++)
                mean += (double)q * p[q];
            assert_true(fabs(mean - 3) < 1e-9);
        }
}

/* Processors that differ: their variance is that of equal ones less that of their shares. */
static void test_uneven(void **state)
{
    (void)state;
    static const double shares[] = {0.9, 0.1, 0.1, 0.1};
    clump_overlap_window windows[16];
    clump_gang_fit f;
    for (size_t i = 0; i < 16; i++) /* exactly what independent ones do on average */
        windows[i] = (clump_overlap_window){1, 1.2, 1.2 * 1.2 + 4 * 0.09};
    const clump_gang_question question = {.processors = 4,
                                          .windows = windows,
                                          .window_count = 16,
                                          .shares = shares,
                                          .share_count = 4,
                                          .confidence = 0.9};
    assert_int_equal(clump_gang_fit_compute(&question, &f, NULL), CLUMP_OK);
    assert_true(fabs(f.ratio - 1) < 1e-12);
}

/* Nodes that differ: what one has more of than the other all the time is no sign that its processors meet. */
static void test_nodes_differ(void **state)
{
    (void)state;
    static const double shares[] = {0.1, 0.1, 0.5, 0.5, 0.9};
    clump_overlap_window windows[16];
    clump_gang_fit f;
    for (size_t i = 0; i < 16; i++) /* independent: 0.2 and 1 on average, variances 0.18 and 0.5 */
        windows[i] = (clump_overlap_window){2, 0.2 + 1, (0.18 + 0.04) + (0.5 + 1)};
    clump_gang_question question = {.processors = 2,
                                    .windows = windows,
                                    .window_count = 16,
                                    .shares = shares,
                                    .share_count = 5, /* the last one is of no node */
                                    .by_node = true,
                                    .confidence = 0.9};
    assert_int_equal(clump_gang_fit_compute(&question, &f, NULL), CLUMP_OK);
    assert_true(fabs(f.ratio - 1) < 1e-12);
    assert_true(fabs(f.variance - 0.34) < 1e-12);
    for (size_t i = 0; i < 16; i++) /* always together: s = 2 */
        windows[i].squared = 4 * 0.1 + 4 * 0.5;
    assert_int_equal(clump_gang_fit_compute(&question, &f, NULL), CLUMP_OK);
    assert_true(fabs(f.ratio - 2) < 1e-12);
}

static void test_refused(void **state)
{
    (void)state;
    clump_overlap_window windows[2] = {{1, 0, 0}, {1, 0, 0}};
    clump_gang_question question = {
        .processors = 4, .windows = windows, .window_count = 2, .confidence = 0.9};
    clump_gang_fit f;
    clump_error error;
    assert_int_equal(clump_gang_fit_compute(&question, &f, &error), CLUMP_BAD_ARGUMENT);
    windows[0] = windows[1] = (clump_overlap_window){1, 4, 16};
    assert_int_equal(clump_gang_fit_compute(&question, &f, &error), CLUMP_BAD_ARGUMENT);
    windows[0] = (clump_overlap_window){1, 5, 25};
    assert_int_equal(clump_gang_fit_compute(&question, &f, &error), CLUMP_BAD_ARGUMENT);
    windows[0] = (clump_overlap_window){1, 1, NAN};
    assert_int_equal(clump_gang_fit_compute(&question, &f, &error), CLUMP_BAD_ARGUMENT);
    windows[0] = (clump_overlap_window){1, 1, 2};
    windows[1] = (clump_overlap_window){1, 2, 5};
    assert_int_equal(clump_gang_fit_compute(&question, &f, &error), CLUMP_OK);
    assert_true(isnan(f.low)); /* two windows are no interval */
    question.processors = 1;
    assert_int_equal(clump_gang_fit_compute(&question, &f, &error), CLUMP_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),     cmocka_unit_test(test_correlated),
        cmocka_unit_test(test_distribution), cmocka_unit_test(test_between),
        cmocka_unit_test(test_uneven),       cmocka_unit_test(test_nodes_differ),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
