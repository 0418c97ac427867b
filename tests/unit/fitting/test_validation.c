/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicted against measured: against a separate calculation, and with data of a user. */
#include "tests/unit/unit.h"

#include "fitting/validation/validation_facts.h"
#include "fitting/validation/validation_judge.h"
#include "fitting/validation/validation_simulation.h"
#include "fitting/validation/validation_terms.h"
#include "model/workload/answering.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/golden.h"
#include "tests/unit/lab.h"

static int open_store(void **state)
{
    (void)state;
    return clump_store_open(NULL, CLUMP_STORE_WRITE, &store) != CLUMP_STORE_OK;
}

static int close_store(void **state)
{
    (void)state;
    clump_store_close(store);
    return 0;
}

static clump_validation make(const char *dataset)
{
    clump_validation v;
    clump_error error;
    const clump_validation_request request = {.dataset = dataset};
    if (clump_validation_make(store, &request, &v, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return v;
}

static const clump_validation_run *find(const clump_validation *v, const char *dataset,
                                        const char *application, const char *layer)
{
    for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->runs[i].dataset, dataset) == 0 &&
            strcmp(v->runs[i].application, application) == 0 &&
            strcmp(v->runs[i].layer, layer) == 0)
            return &v->runs[i];
    fail_msg("no run of %s in %s", application, dataset);
    return NULL;
}

static const char *const programs[] = {
    "SAMPLE",    "CON/comp",     "CON/comm",      "3-D FFT",       "EM3D",     "EM3D/naive",
    "EM3D/good", "SC97/3-D FFT", "SC97/CON/comm", "SC97/CON/comp", "SC97/EM3D"};
static const char *const layers[] = {"multi-protocol", "single-protocol", "no-yield",
                                     "sleep-yield",    "test-and-set",    "test-and-test-and-set",
                                     "ticket-lock",    "anderson-lock",   "lock-free",
                                     "lock-free-fifo", "posix-mutex"};

/* Six other sets of draws differ with a standard deviation of 0.08% (the median row) to 0.3% (EM3D/good): one of them. */
#define DRAWN 3e-3

/* The share of the time in misses that a table is predicted with. */
static double golden_share(const golden_table *fit, double table)
{
    for (size_t i = 0; i < fit->count; i++)
        if (fit->rows[i][0] == (table < 7 ? 7.7 : table))
            return fit->rows[i][1];
    fail_msg("no share of table %g", table);
    return NAN;
}

static double with_share(const clump_validation_run *run, size_t variant, double share)
{
    double constants[CLUMP_RULE_CONSTANTS], remote_fraction;
    clump_validation_outcome found;
    memcpy(constants, run->constants, sizeof constants);
    constants[CLUMP_RULE_MEMORY] = share;
    if (validation_predict(run->facts, variant, constants, &found, &remote_fraction, NULL) !=
        CLUMP_OK)
        return NAN;
    return found.predicted;
}

/* All tables, all variants; tests/golden/validation.py has five of these in a line. */
TEST(test_thesis)
{
    enum { A_LINE = 5, LINES = (CLUMP_VALIDATION_VARIANTS + A_LINE - 1) / A_LINE };
    const golden_table golden = golden_read("validation.csv"),
                       fit = golden_read("validation_fit.csv");
    clump_validation v = make("thesis");
    size_t predicted = 0;
    for (size_t i = 0; i < v.count; i++)
        predicted += v.runs[i].problem == NULL;
    assert_int_equal(golden.count, LINES * predicted);
    for (size_t i = 0; i < golden.count; i++) {
        const double *row = golden.rows[i];
        char dataset[40];
        snprintf(dataset, sizeof dataset, "thesis-table-%g", row[0]);
        const clump_validation_run *run =
            find(&v, dataset, programs[(size_t)row[1]], layers[(size_t)row[2]]);
        assert_null(run->problem);
        assert_close(run->measured, row[3], 1e-15);
        assert_close(run->now_time, row[4], 1e-15);
        assert_int_equal(run->scaled_traffic, row[0] == 7.9 || row[0] == 7.11);
        for (size_t k = i % LINES * A_LINE, at = 5;
             k < CLUMP_VALIDATION_VARIANTS && at < 5 + A_LINE; k++, at++) {
            const clump_validation_outcome *o = &run->outcomes[k];
            assert_true(isnan(o->predicted) == isnan(row[at]));
            if (isnan(row[at]))
                continue;
            /* With the share of the table: the fitted one has the error of the draws in it. */
            const bool drawn = row[0] == 7.8 && clump_validation_variants[k].slowest;
            assert_close(with_share(run, k, golden_share(&fit, row[0])), row[at],
                         drawn ? DRAWN : 1e-10);
            assert_close(o->error, o->predicted / row[3] - 1, 1e-12);
            assert_close(o->slowdown, o->predicted / row[4], 1e-12);
        }
    }
    free(golden.rows);
    free(fit.rows);
    clump_validation_free(&v);
}

/* The share of the time in misses, fitted without a table and its repetitions. */
TEST(test_fit)
{
    const golden_table golden = golden_read("validation_fit.csv");
    clump_validation v = make("thesis");
    assert_int_equal(golden.count, 5);
    for (size_t i = 0; i < golden.count; i++) {
        const double *row = golden.rows[i];
        if (row[0] == 0) {
            assert_close(v.constants[CLUMP_RULE_MEMORY], row[1],
                         3e-4); /* of 51 rows some are drawn */
            assert_close(v.deviations[CLUMP_RULE_MEMORY], row[2], 1e-3);
            continue;
        }
        size_t rows = 0;
        for (size_t k = 0; k < v.count; k++)
            if (strtod(v.runs[k].dataset + strlen("thesis-table-"), NULL) == row[0]) {
                assert_close(v.runs[k].constants[CLUMP_RULE_MEMORY], row[1],
                             row[0] == 7.8 ? 1e-10 : 3e-4);
                rows++;
            }
        assert_true(rows > 0);
    }
    assert_true(v.fitted[CLUMP_RULE_MEMORY] && !v.fitted[CLUMP_RULE_WAITING]);
    assert_true(v.constants[CLUMP_RULE_WAITING] == 1 && v.deviations[CLUMP_RULE_WAITING] == 0);
    free(golden.rows);
    clump_validation_free(&v);
}

/* What is reached out of sample: MODEL.md has the table. */
TEST(test_how_good)
{
    static const struct {
        const char *dataset;
        size_t count;
        double mean, greatest;
    } reached[] = {
        {"thesis-table-7.7", 15, 0.125, 0.21}, {"thesis-table-6.6", 5, 0.13, 0.18},
        {"thesis-table-7.11", 7, 0.28, 0.6},   {"thesis-table-7.8", 6, 0.055, 0.12},
        {"thesis-table-7.9", 4, 0.07, 0.095},  {"thesis-table-6.5", 35, 0.2, 0.72},
    };
    clump_validation v = make(NULL);
    for (size_t i = 0; i < sizeof reached / sizeof *reached; i++) {
        const clump_validation_summary s = clump_validation_summarize(&v, reached[i].dataset, 0);
        assert_int_equal(s.count, reached[i].count);
        assert_true(s.mean_absolute < reached[i].mean && s.greatest < reached[i].greatest);
    }
    clump_validation_free(&v);
}

TEST(test_summaries)
{
    clump_validation_run runs[5];
    const double errors[5][3] = {
        {0.1, -0.3, 0.2}, {-0.2, 0.1, 0.0}, {NAN, 0.2, 0.1}, {0.3, 0.1, NAN}, {9, 9, 9}};
    for (size_t i = 0; i < 5; i++) {
        runs[i] = (clump_validation_run){.dataset = i < 4 ? "a" : "b"};
        for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++) {
            runs[i].outcomes[k] = validation_no_outcome();
            runs[i].outcomes[k].error = k < 3 ? errors[i][k] : NAN;
        }
    }
    const clump_validation v = {.runs = runs, .count = 5};
    const clump_validation_summary sum = clump_validation_summarize(&v, "a", 0);
    assert_int_equal(sum.count, 3);
    assert_close(sum.mean_absolute, 0.2, 1e-15);
    assert_close(sum.greatest, 0.3, 1e-15);
    assert_close(sum.bias, 0.2 / 3, 1e-14);
    assert_int_equal(clump_validation_summarize(&v, NULL, 0).count, 4);
    const clump_validation_summary none = clump_validation_summarize(&v, "c", 0);
    assert_true(none.count == 0 && isnan(none.mean_absolute) && isnan(none.greatest));
    /* Means without the family of "b" ("a"): 0.2, 0.175, 0.1; without that of "a": 9 for the first
     * three. The third is best for "b", and the first of the equal ones for "a". */
    clump_validation both = v;
    for (size_t i = 0; i < 5; i++)
        runs[i].family = i < 4 ? 0 : 4;
    validation_choose(&both);
    assert_int_equal(runs[0].chosen, 0);
    assert_int_equal(runs[4].chosen, 2);
    assert_close(clump_validation_chosen_by_others(&v, "a").mean_absolute, 0.2, 1e-15);
    assert_close(clump_validation_chosen_by_others(&v, "b").mean_absolute, 9, 1e-15);
    runs[4].family = 0; /* all are one family: there are no others */
    validation_choose(&both);
    assert_int_equal(clump_validation_chosen_by_others(&v, NULL).count, 0);
}

/* The rules by which traffic is scaled, where it is known: 8 processors from 32. */
TEST(test_scaled_traffic)
{
    static const struct {
        const char *name;
        double messages, tolerance, bulk;
    } runs[] = {{"SAMPLE", 76517, 2e-3, 0},        /* 84,727 (7/8)/(31/32) = 76,528 */
                {"3-D FFT", 3647, 3e-4, 3584},     /* 3,584 replies and 64 of 16 barriers */
                {"CON/comm", 106925, 1e-15, 365}}; /* between 8 and 32: the end itself */
    for (size_t i = 0; i < 3; i++) {
        validation_reader reader = {.store = store};
        const clump_store_platform one = {.name = "one",
                                          .part_of = "e5000-clump",
                                          .nodes = 2,
                                          .processors = 4,
                                          .reference = true};
        clump_traffic remote, local;
        assert_true(validation_derived_traffic(&reader, &one, runs[i].name, &remote, &local));
        assert_close(remote.short_messages + local.short_messages, runs[i].messages,
                     runs[i].tolerance);
        if (runs[i].bulk > 0)
            assert_close(remote.bulk_messages + local.bulk_messages, runs[i].bulk, 1e-12);
        /* 4 of the 7 others are on the other node; or as table 5.7 says */
        const double share = i < 2 ? 4.0 / 7 : 67588.0 / (67588 + 50677);
        assert_close(remote.short_messages / (remote.short_messages + local.short_messages), share,
                     1e-12);
    }
}

/* ---- data of a user ---- */

/* A store without anything of a user. */
static void begin_again(void)
{
    clump_store_close(store);
    ok(clump_store_open(NULL, CLUMP_STORE_WRITE, &store));
}

/* A relation: the variant names the other application. */
static void add_variant(const char *platform, const char *application, const char *variant,
                        const char *quantity, double value)
{
    int64_t id = 0;
    ok(clump_store_add_series(store,
                              &(clump_store_series){.platform = platform,
                                                    .application = application,
                                                    .quantity = quantity,
                                                    .variant = variant,
                                                    .statistic = "single",
                                                    .source = "mine"},
                              &id));
    ok(clump_store_add_sample(
        store, id,
        &(clump_store_measurement){
            .value = value, .half_width = NAN, .std_dev = NAN, .size_bytes = -1}));
}

/* Three programs. */
static void add_lab(double measured)
{
    ok(clump_store_begin(store));
    add_machines();
    add_application("solver", "streaming");
    add_application("unknown", NULL);
    add_application("heavy", NULL);
    add("lab", "solver", "network", "short_messages", "single", 100000);
    add("lab", "solver", "shared-memory", "short_messages", "single", 50000);
    add("lab", "heavy", "network", "short_messages", "mean", 1e9);
    const double now[] = {0.9, 1.1, 1.0, 1.0};
    int64_t id = 0;
    ok(clump_store_add_series(store,
                              &(clump_store_series){.platform = "lab-now",
                                                    .application = "solver",
                                                    .quantity = "execution_time",
                                                    .statistic = "single",
                                                    .source = "mine"},
                              &id));
    for (size_t i = 0; i < 4; i++)
        ok(clump_store_add_sample(
            store, id,
            &(clump_store_measurement){
                .value = now[i], .half_width = NAN, .std_dev = NAN, .size_bytes = -1}));
    add("lab-now", "unknown", NULL, "execution_time", "mean", 1);
    add("lab-now", "heavy", NULL, "execution_time", "mean", 1);
    add("lab", "solver", NULL, "execution_time", "mean", measured);
    add("lab", "unknown", NULL, "execution_time", "mean", 3);
    add("lab", "heavy", NULL, "execution_time", "mean", 3);
    ok(clump_store_commit(store));
}

TEST(test_own_data)
{
    double predicted[2];
    for (int i = 0; i < 2; i++) { /* the measured time is not among what is used */
        begin_again();
        add_lab(i == 0 ? 1.5 : 0.7);
        clump_validation v = make("mine");
        assert_int_equal(v.count, 3);
        const clump_validation_run *run = find(&v, "mine", "solver", "");
        if (run->problem != NULL)
            fail_msg("%s", run->problem);
        assert_close(run->now_time, 1, 1e-15);
        /* t sigma/sqrt(n), sigma = sqrt(0.02/3), t = 3.18245 with three degrees of freedom */
        const double half_width = 3.182446305284263 / 2 * sqrt(0.02 / 3);
        assert_close(run->now_half_width, half_width, 1e-12);
        /* 150,000 messages of 2 us on the NOW; 16 on 4 NICs all at once; 0.5 us in the node */
        const double clump = 1 - 0.3 + 0.025 + 4 * 0.2;
        predicted[i] = run->outcomes[0].predicted;
        assert_close(predicted[i], clump, 1e-13);
        assert_close(run->outcomes[0].predicted_half_width, half_width, 1e-9);
        assert_close(run->outcomes[0].error, clump / (i == 0 ? 1.5 : 0.7) - 1, 1e-12);
        assert_non_null(strstr(find(&v, "mine", "unknown", "")->problem, "no traffic"));
        assert_non_null(strstr(find(&v, "mine", "heavy", "")->problem, "more than the 1 s"));
        assert_true(isnan(find(&v, "mine", "heavy", "")->outcomes[0].predicted));
        assert_int_equal(clump_validation_summarize(&v, "mine", 0).count, 1);
        clump_validation_free(&v);
    }
    assert_close(predicted[0], predicted[1], 0);
    begin_again();
}

/* A miss takes 3 to 2 as long, nothing is known of bandwidth; 0.6 s are known to be computation in the node,
 * then all that is not communication. What share is spent in misses follows from other programs. */
TEST(test_computation_is_used)
{
    begin_again();
    add_lab(1.5);
    ok(clump_store_begin(store));
    add("lab", NULL, NULL, "l2_miss_memory_cycles", "single", 150);
    add("lab-now", NULL, NULL, "l2_miss_memory_cycles", "single", 100);
    add("lab", "solver", NULL, "computation_time", "mean", 0.6);
    ok(clump_store_commit(store));
    clump_validation v = make("mine");
    const clump_validation_run *run = find(&v, "mine", "solver", "");
    const double share = run->constants[CLUMP_RULE_MEMORY], c = 1 + share / 2;
    assert_true(share > 0.5 && share < 0.9);
    assert_close(run->outcomes[0].predicted, 0.7 - 0.6 / c + 0.6 + 0.025 + 0.8, 1e-13);
    const size_t all = clump_validation_variant_find("no-computation");
    assert_close(run->outcomes[all].predicted, c * 0.7 + 0.025 + 0.8, 1e-13);
    const size_t none = clump_validation_variant_find("no-memory");
    assert_close(run->outcomes[none].predicted, 0.7 + 0.025 + 0.8, 1e-13);
    clump_validation_free(&v);
    begin_again();
    add_lab(1.5);
    ok(clump_store_begin(store));
    add("lab", NULL, NULL, "l2_miss_memory_cycles", "single", 150);
    add("lab-now", NULL, NULL, "l2_miss_memory_cycles", "single", 100);
    add("lab", NULL, NULL, "clock", "single", 3000); /* cycles of which length on the NOW? */
    ok(clump_store_commit(store));
    v = make("mine");
    assert_close(find(&v, "mine", "solver", "")->outcomes[0].predicted, 0.7 + 0.025 + 0.8, 1e-13);
    clump_validation_free(&v);
    begin_again();
}

/* Another input that takes twice as long on the NOW; and one whose processors answer while they ask. */
TEST(test_relatives)
{
    begin_again();
    add_lab(1.5);
    ok(clump_store_begin(store));
    add_application("twin", "streaming");
    add_application("orphan", "streaming");
    add_application("asker", "blocking");
    add("lab-now", "twin", NULL, "execution_time", "mean", 2);
    add("lab", "twin", NULL, "execution_time", "mean", 3);
    add("lab-now", "orphan", NULL, "execution_time", "mean", 2);
    add("lab", "orphan", NULL, "execution_time", "mean", 3);
    add("lab-now", "asker", NULL, "execution_time", "mean", 2);
    add("lab", "asker", NULL, "execution_time", "mean", 2);
    add("lab", "asker", "network", "short_messages", "single", 100000);
    add(NULL, "asker", NULL, "mutual_exchange", "single", 1);
    add_variant("lab", "twin", "solver", "traffic_per_time_from", 1);
    add_variant("lab-now", "orphan", "solver", "traffic_per_time_from", 1);
    ok(clump_store_commit(store));
    clump_validation v = make("mine");
    const clump_validation_run *twin = find(&v, "mine", "twin", "");
    assert_true(twin->problem == NULL && twin->scaled_traffic);
    assert_close(twin->outcomes[0].predicted,
                 2 * find(&v, "mine", "solver", "")->outcomes[0].predicted, 1e-13);
    assert_non_null(strstr(find(&v, "mine", "orphan", "")->problem,
                           "'solver' on 'lab-now', whose traffic was not counted"));
    /* 14 us alone: L = 5, o_s = o_r = 1. With 16 on 4 NICs three others send before. */
    const clump_loggp network = {5, 1, 1, 2, 0.001};
    const double half = clump_answering_round_trip_us(&network) / 2;
    assert_true(half > 7.05 && half < 7.5);
    const clump_validation_run *asker = find(&v, "mine", "asker", "");
    assert_close(asker->outcomes[0].utilization, 0.1 * half / 2, 1e-13);
    assert_close(asker->outcomes[0].predicted, 2 + 3 * 0.2, 1e-13);
    const size_t alone = clump_validation_variant_find("no-answering");
    assert_close(asker->outcomes[alone].utilization, 0.1 * 7 / 2, 1e-13);
    clump_validation_free(&v);
    begin_again();
}

/* Seven processors tied to three NICs: all wait for the group of three. */
TEST(test_groups_that_differ)
{
    static const char *const loggp[] = {"latency", "send_overhead", "receive_overhead", "gap",
                                        "gap_per_byte"};
    static const double network[] = {5, 1, 1, 2, 0.001}, memory[] = {0.1, 0.2, 0.2, 0.5, 0.0002};
    begin_again();
    add_lab(1.5);
    ok(clump_store_begin(store));
    ok(clump_store_add_platform(store, &(clump_store_platform){.name = "odd",
                                                               .title = "odd",
                                                               .nodes = 2,
                                                               .processors = 7,
                                                               .nics = 3,
                                                               .mapping = "static",
                                                               .counterpart = "lab-now",
                                                               .source = "mine"}));
    for (size_t i = 0; i < 5; i++) {
        add("odd", NULL, "network", loggp[i], "mean", network[i]);
        add("odd", NULL, "shared-memory", loggp[i], "mean", memory[i]);
    }
    add("odd", "solver", "network", "short_messages", "single", 100000);
    add("odd", "solver", "shared-memory", "short_messages", "single", 50000);
    add("odd", "solver", NULL, "execution_time", "mean", 1.5);
    ok(clump_store_commit(store));
    clump_validation v = make("mine");
    double predicted = NAN;
    for (size_t i = 0; i < v.count; i++)
        if (strcmp(v.runs[i].platform, "odd") == 0)
            predicted = v.runs[i].outcomes[0].predicted;
    assert_close(predicted, 1 - 0.3 + 0.025 + 3 * 0.2, 1e-13);
    clump_validation_free(&v);
    begin_again();
}

TEST(test_no_nics)
{
    begin_again();
    add_lab(1.5);
    ok(clump_store_begin(store));
    add_platform("dumb", 16, 0, "lab-now");
    for (size_t i = 0; i < 2; i++)
        add("dumb", "solver", i ? "network" : "shared-memory", "short_messages", "mean", 100);
    add("dumb", "solver", NULL, "execution_time", "mean", 2);
    ok(clump_store_commit(store));
    clump_validation v = make("mine");
    assert_int_equal(v.count, 4);
    for (size_t i = 0; i < v.count; i++)
        if (strcmp(v.runs[i].platform, "dumb") == 0)
            assert_non_null(strstr(v.runs[i].problem, "0 NICs"));
    clump_validation_free(&v);
    begin_again();
}

/* Two benchmarks disagree about g: which one counts? */
TEST(test_ambiguous)
{
    begin_again();
    add_lab(1.5);
    ok(clump_store_begin(store));
    add("lab", NULL, "network", "gap", "single", 7);
    ok(clump_store_commit(store));
    clump_validation v = make("mine");
    const char *problem = find(&v, "mine", "solver", "")->problem;
    if (problem == NULL || strstr(problem, "several samples of 'gap'") == NULL)
        fail_msg("%s", problem != NULL ? problem : "predicted");
    clump_validation_free(&v);
    begin_again();
}

TEST(test_datasets)
{
    clump_validation v;
    clump_error error;
    static const struct {
        const char *dataset;
        size_t count;
    } sets[] = {
        {"7.8", 6}, {"thesis-table-7.8", 6}, {"7.9", 4}, {"thesis-table-6.5", 35}, {"7.11", 8}};
    for (size_t i = 0; i < 5; i++) {
        v = make(sets[i].dataset);
        assert_int_equal(v.count, sets[i].count);
        clump_validation_free(&v);
    }
    const clump_validation_request half_a_name = {.dataset = "thesis-table-7"};
    assert_int_equal(clump_validation_make(store, &half_a_name, &v, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "'thesis-table-7'"));
    v = make(
        "7.11"); /* traffic in proportion to another run's is a little too much for the NOW alone */
    assert_non_null(strstr(find(&v, "thesis-table-7.11", "SC97/EM3D", "single-protocol")->problem,
                           "33.86 s on the NOW by its LogGP parameters, more than the 33.8 s"));
    clump_validation_free(&v);
}

TEST(test_every_allocation_may_fail)
{
    const clump_validation_request request = {.dataset = "7.9"};
    long failures = 0;
    for (long fail_at = 0;; fail_at += 1 + fail_at / 3) { /* some of the later ones */
        clump_validation v;
        clump_error error = {CLUMP_OK, ""};
        allocations_fail_from(fail_at);
        const clump_status status = clump_validation_make(store, &request, &v, &error);
        const bool reached = allocations_succeed() > 0;
        if (status == CLUMP_OK)
            clump_validation_free(&v);
        else
            assert_true(error.message[0] != '\0');
        failures += status != CLUMP_OK;
        if (!reached)
            break;
    }
    assert_true(failures > 5);
    clump_validation v = make("7.9");
    clump_validation_free(&v);
}

/* ---- by simulation ---- */

static clump_validation simulated(const char *dataset)
{
    clump_validation v = make(dataset);
    clump_validation_simulation how = CLUMP_VALIDATION_SIMULATION_DEFAULTS;
    clump_error error;
    how.options.precision = 0.05;
    how.most_messages = 400;
    if (clump_validation_simulate(&v, &how, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return v;
}

/* What the model says is left alone, and what cannot be simulated is told. */
TEST(test_simulation_beside_the_model)
{
    clump_validation model = make("7.7"), v = simulated("7.7");
    for (size_t i = 0; i < v.count; i++) {
        if (v.runs[i].problem != NULL)
            continue;
        const bool blocked = strcmp(v.runs[i].application, "EM3D") == 0;
        const double X = v.runs[i].outcomes[CLUMP_VALIDATION_SIMULATED].slowdown;
        assert_memory_equal(model.runs[i].outcomes, v.runs[i].outcomes,
                            CLUMP_VALIDATION_VARIANTS * sizeof *v.runs[i].outcomes);
        assert_true(isnan(model.runs[i].outcomes[CLUMP_VALIDATION_SIMULATED].error));
        assert_true(blocked == isnan(X));
        assert_true(blocked == (v.runs[i].simulation.problem != NULL));
        /* On one SMP nobody shares a NIC, and a program that streams takes what its messages and
         * its computation take. (Of shared memory alone, o_s + L + o_r is 7% less than g: events take
         * the one, the model the other.) */
        if (strcmp(v.runs[i].application, "SAMPLE") == 0 &&
            strcmp(v.runs[i].layer, "multi-protocol") == 0)
            assert_true(fabs(X / v.runs[i].outcomes[0].slowdown - 1) < 0.03);
        if (!blocked) {
            const clump_validation_outcome *o = &v.runs[i].outcomes[CLUMP_VALIDATION_SIMULATED];
            assert_true(v.runs[i].simulation.reached && v.runs[i].simulation.events > 0);
            assert_true(fabs(o->error - (o->predicted / v.runs[i].measured - 1)) < 1e-12);
            assert_true(fabs(X - o->predicted / v.runs[i].now_time) < 1e-12);
        }
        if (blocked) /* 27 us a message on the NOW, 25 of them the round trip of a single one */
            assert_non_null(strstr(v.runs[i].simulation.problem, "the messages alone take"));
    }
    assert_int_equal(clump_validation_summarize(&v, NULL, CLUMP_VALIDATION_SIMULATED).count, 12);
    clump_validation_free(&v);
    clump_validation_free(&model);
}

UNIT_MAIN(open_store, close_store)
