/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LogGP from the samples of a store. Truth: times made up from five parameters by the formulas of
 * section 7 and "LogGP from curves" of MODEL.md, written out here.
 */
#include "fitting/loggp/loggp_fit.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

/* L, o_s, o_r, g, G. */
static const double truth[] = {4, 1.2, 1.5, 2, 0.0005};

/* Half a round trip, messages that follow each other, sending, receiving. */
static double time_of(const char *quantity, double n)
{
    const double bytes = truth[4] * (n - 1);
    return strcmp(quantity, "half_round_trip") == 0 ? truth[0] + truth[1] + truth[2] + bytes
           : strcmp(quantity, "message_gap") == 0   ? truth[3] + bytes
           : strcmp(quantity, "send_time") == 0     ? truth[1]
                                                    : truth[2];
}

static double noise(gsl_rng *random)
{
    if (random == NULL)
        return 1;
    const double factor = exp(gsl_ran_gaussian(random, 0.03));
    return gsl_rng_uniform(random) < 0.05 ? factor * (1 + 4 * gsl_rng_uniform(random)) : factor;
}

static clump_store *make_store(gsl_rng *random, int64_t runs)
{
    static const char *const quantities[] = {"half_round_trip", "message_gap", "send_time",
                                             "receive_time"};
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    const clump_store_source source = {.name = "made up", .kind = "inline", .title = "made up"};
    const clump_store_platform platform = {
        .name = "p", .title = "p", .nodes = 2, .processors = 4, .nics = 1, .source = "made up"};
    assert_int_equal(clump_store_add_source(store, &source), CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_platform(store, &platform), CLUMP_STORE_OK);
    for (size_t q = 0; q < 4; q++) {
        const clump_store_series series = {.platform = "p",
                                           .quantity = quantities[q],
                                           .transport = "eth",
                                           .statistic = "mean",
                                           .source = "made up"};
        int64_t id;
        assert_int_equal(clump_store_add_series(store, &series, &id), CLUMP_STORE_OK);
        for (int64_t run = 1; run <= runs; run++)
            for (int64_t size = 1; size <= 4194304; size *= 4) {
                const clump_store_measurement m = {.value = time_of(quantities[q], (double)size) *
                                                            noise(random),
                                                   .half_width = NAN,
                                                   .std_dev = NAN,
                                                   .size_bytes = size,
                                                   .run = run};
                assert_int_equal(clump_store_add_sample(store, id, &m), CLUMP_STORE_OK);
            }
    }
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    return store;
}

static void fit(clump_store *store, size_t resamples, clump_loggp_fit *result)
{
    const clump_loggp_filter filter = {.platform = "p"};
    const clump_fit_options options = {resamples, 3};
    clump_error error = {CLUMP_OK, ""};
    if (clump_loggp_fit_run(store, &filter, &options, result, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
}

TEST(test_exact)
{
    clump_store *store = make_store(NULL, 2);
    clump_loggp_fit f;
    fit(store, 200, &f);
    assert_string_equal(f.samples.transport, "eth");
    assert_int_equal(f.samples.source_count, 1);
    for (size_t i = 0; i < 5; i++) {
        assert_true(f.values[i].known);
        if (fabs(f.values[i].value - truth[i]) > 1e-9)
            fail_msg("%s: found %.12g, expected %.12g", clump_loggp_symbol((clump_loggp_name)i),
                     f.values[i].value, truth[i]);
    }
    clump_loggp_fit_free(&f);
    clump_store_close(store);
}

/* What is kept is found again, with an interval; a second time it is refused, the first stays. */
TEST(test_store)
{
    clump_store *store = make_store(NULL, 2);
    const clump_fitted_record record = {
        .platform = "p", .name = "p/fitted", .transport = "network"};
    clump_loggp_fit f;
    clump_error error = {CLUMP_OK, ""};
    bool made = false;
    fit(store, 200, &f);
    assert_int_equal(clump_loggp_fit_store(store, &f, &record, &made, &error), CLUMP_STORE_OK);
    assert_true(made);
    for (size_t i = 0; i < 5; i++) {
        const clump_store_filter filter = {.platform = "p/fitted",
                                           .application = "",
                                           .transport = "network",
                                           .quantity = clump_loggp_quantity((clump_loggp_name)i)};
        clump_store_measurement m;
        assert_int_equal(clump_store_value(store, &filter, &m), CLUMP_STORE_OK);
        assert_true(fabs(m.value - truth[i]) < 1e-9 && m.half_width >= 0);
    }
    assert_int_equal(clump_loggp_fit_store(store, &f, &record, &made, &error),
                     CLUMP_STORE_BAD_INPUT);
    assert_non_null(strstr(error.message, "already"));
    clump_store_platform *found = NULL;
    assert_int_equal(clump_store_find_platform(store, "p/fitted", &found), CLUMP_STORE_OK);
    assert_int_equal(found->processors, 4);
    assert_string_equal(found->part_of, "p");
    clump_store_free(found);
    clump_loggp_fit_free(&f);
    clump_store_close(store);
}

/* An interval over hundreds of powers of ten, as two samples that differ have, is kept as none. */
TEST(test_store_wide)
{
    clump_store *store = make_store(NULL, 2);
    const clump_fitted_record record = {.platform = "p", .name = "p/wide", .transport = "network"};
    const clump_store_filter filter = {.platform = "p/wide",
                                       .application = "",
                                       .transport = "network",
                                       .quantity = clump_loggp_quantity((clump_loggp_name)1)};
    clump_loggp_fit f;
    clump_error error = {CLUMP_OK, ""};
    clump_store_measurement m;
    bool made = false;
    fit(store, 200, &f);
    f.values[1].interval.high = 4e263;
    assert_int_equal(clump_loggp_fit_store(store, &f, &record, &made, &error), CLUMP_STORE_OK);
    assert_int_equal(clump_store_value(store, &filter, &m), CLUMP_STORE_OK);
    assert_true(fabs(m.value - truth[1]) < 1e-9 && isnan(m.half_width));
    clump_loggp_fit_free(&f);
    clump_store_close(store);
}

/* All five, L among them, which is a difference of three. */
static void check_coverage(int64_t runs)
{
    enum { TRIALS = 1000 };
    size_t covered[5] = {0};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 11);
    for (size_t t = 0; t < TRIALS; t++) {
        clump_store *store = make_store(random, runs);
        clump_loggp_fit f;
        fit(store, 1000, &f);
        for (size_t i = 0; i < 5; i++)
            covered[i] += f.values[i].known && f.values[i].interval.low <= truth[i] &&
                          truth[i] <= f.values[i].interval.high;
        clump_loggp_fit_free(&f);
        clump_store_close(store);
    }
    gsl_rng_free(random);
    for (size_t i = 0; i < 5; i++) {
        print_message("%lld runs: %zu of 1000 intervals of %s hold the truth\n", (long long)runs,
                      covered[i], clump_loggp_symbol((clump_loggp_name)i));
        assert_in_range(covered[i], 930, 970);
    }
}

TEST(test_coverage_long)
{
    if (getenv("CLUMP_TEST_LONG") == NULL)
        skip();
    check_coverage(3);
    check_coverage(10);
}

UNIT_MAIN(NULL, NULL)
