/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Doubt is inherited: what other programs disturbed is in no mean, nothing is derived where nothing
 * else was measured, and neither the database nor a fit gets a parameter from it. All samples are
 * made up.
 */
#include "fitting/loggp/loggp_fit.h"
#include "protocols/calibration/calibration.h"
#include "protocols/calibration/polling_tuning.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <math.h>

/* ---- samples of one queue, of which some kinds are disturbed */

static const struct made {
    clump_benchmark benchmark;
    clump_quantity quantity;
    int64_t size_bytes;
    double value;
} made[] = {
    {CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_QUANTITY_HALF_ROUND_TRIP, 32, 2},
    {CLUMP_BENCHMARK_SEND_BURST, CLUMP_QUANTITY_SEND_TIME, 32, 0.5},
    {CLUMP_BENCHMARK_APART, CLUMP_QUANTITY_RECEIVE_TIME, 32, 0.25},
    {CLUMP_BENCHMARK_LONG_BURST, CLUMP_QUANTITY_MESSAGE_GAP, 32, 0.75},
    {CLUMP_BENCHMARK_PIECES, CLUMP_QUANTITY_TRANSFER_RATE, 8192, 500},
    {CLUMP_BENCHMARK_PIECES, CLUMP_QUANTITY_TRANSFER_RATE, 512 << 10, 2000},
};

enum { KINDS = sizeof made / sizeof *made, RUNS = 4 };

/* Runs are 2, 1, 0 and -1% off. A disturbed one took a thousand times as long.
 * @param disturbed  of each kind: how many of its runs */
static bool give(const unsigned disturbed[KINDS],
                 bool (*to)(const clump_calibration_sample *sample, void *context), void *context)
{
    for (unsigned run = 0; run < RUNS; run++)
        for (size_t k = 0; k < KINDS; k++) {
            const bool bad = run < disturbed[k];
            const clump_calibration_sample sample = {.benchmark = made[k].benchmark,
                                                     .quantity = made[k].quantity,
                                                     .variant = "lock-free",
                                                     .value = made[k].value * (1.02 - 0.01 * run) *
                                                              (bad ? 1000 : 1),
                                                     .size_bytes = made[k].size_bytes,
                                                     .run = (int64_t)run + 1,
                                                     .processes = 2,
                                                     .line_us = 0.1,
                                                     .disturbed = bad};
            if (to(&sample, context))
                return false;
        }
    return true;
}

static bool into_list(const clump_calibration_sample *sample, void *context)
{
    return !clump_calibration_add(context, sample);
}

static clump_calibration_samples make(const unsigned disturbed[KINDS])
{
    clump_calibration_samples samples = {.items = NULL};
    clump_calibration_speed speed;
    assert_true(give(disturbed, into_list, &samples));
    clump_calibration_doubt(&samples, 0, &speed);
    size_t bad = 0;
    for (size_t k = 0; k < KINDS; k++)
        bad += disturbed[k];
    assert_int_equal(speed.doubtful, bad);
    assert_int_equal(speed.disturbed, bad);
    return samples;
}

static void assert_is(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* What is told is what was marked, and what was marked stays: it is stored already. */
TEST(test_speed)
{
    clump_calibration_samples samples = {.items = NULL};
    clump_calibration_speed speed;
    static const double lines[] = {0.1, 0.105, 0.11, 0.4, 0.3, 0.31, 0.3, 0.32, 0.9, 0.33, 0.3};
    enum { LINES = sizeof lines / sizeof *lines, FIRST = 4 };
    for (size_t i = 0; i < LINES; i++) {
        for (int k = 0; k < 3; k++) /* of one run */
            assert_true(clump_calibration_add(
                &samples,
                &(clump_calibration_sample){.variant = "v", .value = 1, .line_us = lines[i]}));
        if (i + 1 != FIRST)
            continue;
        clump_calibration_doubt(&samples, 0, &speed);
        assert_int_equal(speed.other, 1); /* 0.4, where 0.1075 is usual */
        assert_is(speed.other_us, 0.4);
    }
    clump_calibration_doubt(&samples, 3 * FIRST, &speed);
    assert_is(speed.usual_us, 0.3);
    assert_int_equal(speed.other, 2); /* and 0.9; none of the first, which were usual then */
    assert_is(speed.other_us, 0.65);
    assert_int_equal(speed.doubtful, 6);
    assert_false(samples.items[0].doubtful);
    assert_true(samples.items[3 * FIRST - 1].doubtful && samples.items[3 * 8].doubtful);
    clump_calibration_free(&samples);
}

/* ---- means */

TEST(test_means)
{
    const unsigned disturbed[KINDS] = {1, RUNS, RUNS - 1};
    clump_calibration_samples samples = make(disturbed);
    size_t count = 0;
    clump_calibration_mean *means = clump_calibration_means(&samples, &count);
    assert_non_null(means);
    assert_int_equal(count, KINDS);
    assert_int_equal(means[0].runs, 3);
    assert_int_equal(means[0].doubtful, 1);
    assert_is(means[0].mean, 2 * (1.01 + 1 + 0.99) / 3);
    assert_true(means[0].half_width > 0);
    assert_int_equal(means[1].runs, 0);
    assert_int_equal(means[1].doubtful, RUNS);
    assert_true(isnan(means[1].mean) && isnan(means[1].half_width) && isnan(means[1].std_dev));
    assert_int_equal(means[2].runs, 1);
    assert_is(means[2].mean, 0.25 * 0.99);
    assert_true(isnan(means[2].half_width));

    double values[KINDS * RUNS], half_width;
    const size_t end = samples.count;
    assert_is(clump_calibration_median(&samples, 0, end, &samples.items[0], values, &half_width),
              2);
    assert_true(half_width > 0.3 && half_width < 0.5); /* |x - 2| = 0.02, 0, 0.02: hardly known */
    assert_true(
        isnan(clump_calibration_median(&samples, 0, end, &samples.items[1], values, &half_width)));
    assert_true(isnan(half_width));
    assert_is(clump_calibration_median(&samples, 0, end, &samples.items[2], values, NULL),
              0.25 * 0.99);
    free(means);
    clump_calibration_free(&samples);
}

/* Medians of normal samples: their intervals hold 0 in 95% of 20,000 trials (a standard deviation of 0.15%; between the entries of a table
 * and in its formula 1% of a half width, 0.3%). */
TEST(test_median_interval)
{
    static const size_t counts[] = {2, 3, 4, 5, 8, 11, 20, 21, 40, 200};
    enum { TRIALS = 20000, MOST = 200 };
    clump_calibration_sample items[MOST];
    double values[MOST];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 20261123);
    for (size_t i = 0; i < MOST; i++)
        items[i] = (clump_calibration_sample){.variant = ""};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const clump_calibration_samples samples = {.items = items, .count = counts[k]};
        int held = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            double half;
            for (size_t i = 0; i < counts[k]; i++)
                items[i].value = gsl_ran_ugaussian(rng);
            const double median =
                clump_calibration_median(&samples, 0, counts[k], &items[0], values, &half);
            held += fabs(median) <= half;
        }
        if (!(held > 0.943 * TRIALS && held < 0.957 * TRIALS))
            fail_msg("%zu samples: %d of %d intervals hold the median", counts[k], held, TRIALS);
    }
    gsl_rng_free(rng);
}

static const clump_calibration_row *row_of(const clump_calibration_results *results,
                                           clump_quantity quantity)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->rows[i].table == CLUMP_TABLE_LOGGP && results->rows[i].quantity == quantity)
            return &results->rows[i];
    fail_msg("no %s", clump_quantity_name(quantity));
    return NULL;
}

/* What is derived is known if all of its parts are. */
TEST(test_derived)
{
    static const struct {
        unsigned disturbed[KINDS];
        clump_quantity unknown[8];
        size_t doubtful; /* of the first */
    } cases[] = {
        {{0}, {0}, 0},
        {{RUNS}, {CLUMP_QUANTITY_LATENCY, CLUMP_QUANTITY_ROUND_TRIP_TIME}, RUNS},
        {{1, RUNS, RUNS},
         {CLUMP_QUANTITY_LATENCY, CLUMP_QUANTITY_SEND_OVERHEAD, CLUMP_QUANTITY_RECEIVE_OVERHEAD},
         2 * RUNS},
        {{0, 0, 0, RUNS}, {CLUMP_QUANTITY_GAP}, RUNS},
        {{0, 0, 0, 0, 0, RUNS},
         {CLUMP_QUANTITY_GAP_PER_BYTE, CLUMP_QUANTITY_BANDWIDTH, CLUMP_QUANTITY_HALF_POWER_SIZE},
         RUNS},
    };
    static const clump_quantity all[] = {
        CLUMP_QUANTITY_LATENCY,          CLUMP_QUANTITY_SEND_OVERHEAD,
        CLUMP_QUANTITY_RECEIVE_OVERHEAD, CLUMP_QUANTITY_GAP,
        CLUMP_QUANTITY_GAP_PER_BYTE,     CLUMP_QUANTITY_BANDWIDTH,
        CLUMP_QUANTITY_HALF_POWER_SIZE,  CLUMP_QUANTITY_ROUND_TRIP_TIME};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        clump_calibration_samples samples = make(cases[c].disturbed);
        clump_calibration_results results;
        clump_calibration_summarize(&samples, &results);
        assert_false(results.failed);
        for (size_t q = 0; q < sizeof all / sizeof *all; q++) {
            bool unknown = false;
            for (size_t u = 0; u < 8; u++)
                unknown = unknown || cases[c].unknown[u] == all[q];
            const clump_calibration_row *row = row_of(&results, all[q]);
            if (isnan(row->mean) != unknown)
                fail_msg("case %zu: %s is %g", c, clump_quantity_name(all[q]), row->mean);
        }
        if (cases[c].doubtful > 0)
            assert_int_equal(row_of(&results, cases[c].unknown[0])->doubtful, cases[c].doubtful);
        clump_calibration_results_free(&results);
        clump_calibration_free(&samples);
    }
}

/* ---- through the store to a fit */

static const unsigned *disturbed_runs;
static char warned[4000];

static bool open_store(clump_store **store, void *context)
{
    (void)context;
    return clump_store_open(NULL, CLUMP_STORE_WRITE, store) == CLUMP_STORE_OK;
}

static bool watch(double share, const char *note, void *context)
{
    (void)share, (void)note, (void)context;
    return false;
}

static void warn(const char *text, void *context)
{
    (void)context;
    const size_t used = strlen(warned);
    snprintf(warned + used, sizeof warned - used, "%s\n", text);
}

static clump_calibration_status run(clump_calibration *c)
{
    const clump_calibration_status status = clump_calibration_open(c);
    if (status != CLUMP_CALIBRATION_OK)
        return status;
    assert_true(give(disturbed_runs, c->plan.sample, c->plan.context));
    return clump_calibration_keep(c);
}

static const clump_calibration_kind made_up = {.name = "made up",
                                               .title = "Made up",
                                               .transport = "shared-memory",
                                               .run = run,
                                               .derive = clump_calibration_derive_loggp};

static int note_quantity(const clump_store_sample *sample, void *context)
{
    if (strcmp(sample->statistic, "mean") == 0) {
        strcat(context, sample->quantity);
        strcat(context, " ");
    }
    return 0;
}

TEST(test_stored)
{
    static const struct {
        unsigned disturbed[KINDS];
        const char *stored, *warning;
        bool known[CLUMP_LOGGP_NAMES]; /* L, o_s, o_r, g, G, sum: by the fit */
        size_t doubtful;
    } cases[] = {
        {{1, 1, 1, 1, 1, 1},
         "latency send_overhead receive_overhead gap gap_per_byte bandwidth half_power_size ",
         "6 of 24 samples",
         {true, true, true, true, true, true},
         6},
        {{1, RUNS, 0, RUNS},
         "receive_overhead gap_per_byte bandwidth half_power_size ",
         "lock-free: latency, send_overhead, gap not known",
         {false, false, true, true, true, true}, /* g from pieces */
         9},
        {{RUNS, RUNS, RUNS, RUNS, RUNS, RUNS}, "", "6 of 6 kinds", {false}, 24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clump_calibration c = {.kind = &made_up,
                               .platform = "made",
                               .command = "none",
                               .version = "0",
                               .open = open_store,
                               .watch = watch,
                               .warn = warn};
        disturbed_runs = cases[i].disturbed;
        warned[0] = '\0';
        assert_int_equal(clump_calibration_run(&c), CLUMP_CALIBRATION_OK);
        clump_calibration_warn_samples(&c);
        assert_int_equal(clump_calibration_conclude(&c), CLUMP_CALIBRATION_OK);
        if (strstr(warned, cases[i].warning) == NULL)
            fail_msg("'%s' lacks '%s'", warned, cases[i].warning);

        char stored[1000] = "";
        const clump_store_filter filter = {.platform = "made", .application = ""};
        assert_int_equal(clump_store_each_sample(c.store.store, &filter, note_quantity, stored),
                         CLUMP_STORE_OK);
        assert_string_equal(stored, cases[i].stored);

        clump_loggp_fit fit;
        clump_error error;
        const clump_status fitted =
            clump_loggp_fit_run(c.store.store, &(clump_loggp_filter){.platform = "made"},
                                &(clump_fit_options){.resamples = 100, .seed = 1}, &fit, &error);
        assert_int_equal(fitted, i == 2 ? CLUMP_BAD_ARGUMENT : CLUMP_OK);
        if (i == 2) {
            assert_non_null(strstr(error.message, "doubtful times of messages only (24)"));
        } else {
            assert_int_equal(fit.samples.doubtful, cases[i].doubtful);
            for (size_t n = 0; n < CLUMP_LOGGP_NAMES; n++) {
                const clump_loggp_value *v = &fit.values[n];
                if (v->known != cases[i].known[n])
                    fail_msg("case %zu: %s is %g, %s", i, clump_loggp_symbol((clump_loggp_name)n),
                             v->value, v->reason);
                assert_true(!v->known || v->value < 100); /* of none that took so long */
            }
            if (i == 1)
                assert_string_equal(fit.values[CLUMP_LOGGP_O_S].reason,
                                    "no times of sending alone but doubtful ones (4)");
            clump_loggp_fit_free(&fit);
        }
        clump_calibration_close(&c);
    }
}

/* ---- scans of polling parameters */

/* The time of each value and run; factor 1 for the nearest to 64. */
static void judge(double (*time)(unsigned value, unsigned run), bool (*bad)(unsigned value),
                  clump_tuning_scan *scan, clump_polling_parameters *tuned)
{
    clump_calibration_samples samples = {.items = NULL};
    *tuned = clump_polling_defaults();
    clump_tuning_scan_plan(CLUMP_TUNING_S_MAX, tuned, true, scan);
    for (unsigned run = 0; run < 8; run++)
        for (unsigned v = 0; v < scan->count; v++)
            for (unsigned k = 0; k < CLUMP_MULTI_PATTERNS; k++)
                assert_true(clump_calibration_add(
                    &samples, &(clump_calibration_sample){
                                  .variant = scan->strategies[v].name,
                                  .benchmark = (clump_benchmark)(CLUMP_MULTI_FIRST_PATTERN + k),
                                  .quantity = CLUMP_QUANTITY_OPERATION_TIME,
                                  .value = time(scan->values[v], run),
                                  .run = (int64_t)run + 1,
                                  .doubtful = bad(scan->values[v])}));
    scan->first = 0;
    scan->end = samples.count;
    assert_true(clump_tuning_scan_judge(scan, &samples, tuned));
    clump_calibration_free(&samples);
}

static double clear(unsigned value, unsigned run)
{
    return 10 * (1 + fabs(log2(value / 1024.0))) * (1 + 0.002 * run);
}

/* Differs by a factor of 8 between runs, by 1.5 between values. */
static double scattered(unsigned value, unsigned run)
{
    return 10 * exp2(run % 4) * (value == 1024 ? 1 : 1.5);
}

static bool none(unsigned value)
{
    (void)value;
    return false;
}

static bool best(unsigned value)
{
    return value == 1024;
}

TEST(test_tuning)
{
    clump_tuning_scan scan;
    clump_polling_parameters tuned;
    judge(clear, none, &scan, &tuned);
    assert_false(scan.unsure);
    assert_int_equal(scan.values[scan.chosen], 1024);
    assert_int_equal(tuned.maximum_skip, 1024);
    assert_true(scan.uncertainty > 0.001 && scan.uncertainty < 0.05);

    judge(scattered, none, &scan, &tuned);
    assert_true(scan.unsure);
    assert_true(scan.uncertainty > 0.5);
    assert_int_equal(scan.values[scan.chosen], 64);
    assert_int_equal(tuned.maximum_skip, 64);

    judge(clear, best, &scan, &tuned); /* the best may be the one that was disturbed */
    assert_true(scan.unsure);
    assert_int_equal(tuned.maximum_skip, 64);
}

UNIT_MAIN(NULL, NULL)
