/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenarios that are shipped: what the thesis says of its figures and tables comes out. */
#include "tests/unit/test_scenario.h"

#include "fitting/validation/validation.h"

static const clump_result *find(const outcome *o, size_t nics, clump_demand demand,
                                clump_mapping mapping, double utilization)
{
    for (size_t i = 0; i < o->results.count; i++) {
        const clump_result *row = &o->results.rows[i];
        if (row->nics == nics && row->demand == demand && row->mapping == mapping &&
            row->utilization == utilization)
            return row;
    }
    fail_msg("no row with %zu NICs at %g", nics, utilization);
    return NULL;
}

TEST(figure_8_2)
{
    outcome o;
    run_shipped(&o, "figure-8.2.lua");
    assert_int_equal(o.results.count, 303);
    double least[3] = {9, 9, 9}, crossing = 0;
    for (size_t i = 0; i < o.results.count; i++) {
        const clump_result *row = &o.results.rows[i];
        assert_int_equal(row->processors, 8);
        assert_int_equal(row->nics, 4);
        least[row->demand] = fmin(least[row->demand], row->slowdown);
        if (row->demand == CLUMP_DEMAND_INDEPENDENT && row->slowdown < 1)
            crossing = fmax(crossing, row->utilization);
        if (row->demand == CLUMP_DEMAND_CORRELATED)
            assert_near(row->slowdown, 1 + row->utilization, 1e-12); /* (8.9) */
    }
    /* "less than 73%": (8.10) has its least value 8/11 at U = 4/11, the grid comes near */
    assert_near(least[CLUMP_DEMAND_SCHEDULED], 8.0 / 11, 0.75 * 0.01);
    assert_near(least[CLUMP_DEMAND_INDEPENDENT], 0.86, 0.005); /* "86% of NOW execution time" */
    assert_near(crossing, 0.475, 0.0051);                      /* "utilization under 0.48" */
    clump_scenario_results_free(&o.results);
}

TEST(figure_8_3)
{
    outcome o;
    run_shipped(&o, "figure-8.3.lua");
    assert_int_equal(o.results.count, 404);
    for (size_t i = 0; i < o.results.count; i++) {
        const clump_result *row = &o.results.rows[i];
        const clump_result *pooled =
            find(&o, 4, row->demand, CLUMP_MAPPING_POOLED, row->utilization);
        if (row->mapping == CLUMP_MAPPING_STATIC)
            assert_true(row->slowdown >= 1 - 1e-12); /* "always inferior to that of the NOW" */
        if (row->demand == CLUMP_DEMAND_CORRELATED)
            assert_near(row->slowdown, pooled->slowdown, 1e-12); /* "on either system" */
        else
            assert_true(row->slowdown >= pooled->slowdown - 1e-12);
    }
    clump_scenario_results_free(&o.results);
}

TEST(figure_8_4)
{
    outcome o;
    run_shipped(&o, "figure-8.4.lua");
    assert_int_equal(o.results.count, 10 * 101);
    double crossing = 0;
    for (size_t i = 0; i < 101; i++) {
        const clump_result *six = &o.results.rows[5 * 101 + i], *now = &o.results.rows[909 + i];
        assert_int_equal(six->nics, 6);
        assert_int_equal(now->nics, 2);
        assert_int_equal(now->processors, 1);
        assert_near(now->slowdown, 1 - now->utilization / 2, 1e-12);
        if (six->slowdown < now->slowdown)
            crossing = fmax(crossing, six->utilization);
    }
    assert_near(crossing, 0.5, 0.03); /* "below about 0.5" */
    clump_scenario_results_free(&o.results);
}

TEST(clump_vs_now)
{
    /* Table 7.8, and predictions by tests/golden/validation.py with the share of misses fitted to all
     * tables: Run.predict() over the time on the NOW, without "slowest" and with it. */
    static const struct {
        const char *name;
        double clump, now, independent, correlated, slowest;
    } runs[] = {{"SAMPLE", 3.33, 2.46, 1.09931, 1.32698, 1.34303},
                {"CON/comp", 1.416, 1.22, 1.00993, 1.07624, 1.07677},
                {"CON/comm", 7.19, 6.72, 0.88822, 1.00992, 0.98614},
                {"3-D FFT", 0.481, 0.31, 1.15208, 1.37129, 1.37321},
                {"EM3D/naive", 3.654, 4.93, 0.59266, 0.71152, 0.72356},
                {"EM3D/good", 3.402, 5.39, 0.51134, 0.59604, 0.62243}};
    outcome o;
    run_shipped(&o, "clump-vs-now.lua");
    assert_int_equal(o.results.count, 12 + 24);
    double total = 0;
    for (size_t i = 0; i < 6; i++) {
        const clump_result *independent = &o.results.rows[2 * i], *correlated = independent + 1;
        assert_string_equal(correlated->application, runs[i].name);
        assert_string_equal(correlated->platform, "e5000-clump");
        assert_int_equal(independent->demand, CLUMP_DEMAND_INDEPENDENT);
        assert_int_equal(correlated->demand, CLUMP_DEMAND_CORRELATED);
        assert_int_equal(correlated->mapping, CLUMP_MAPPING_STATIC);
        assert_near(correlated->measured_slowdown, runs[i].clump / runs[i].now, 1e-12);
        assert_near(independent->slowdown, runs[i].independent, 1e-5);
        assert_near(correlated->slowdown, runs[i].correlated, 1e-5);
        assert_near(correlated->slowest_slowdown, runs[i].slowest, 2e-3); /* draws */
        assert_int_equal(correlated->slowest_group, 2);
        assert_int_equal(independent->slowest_group, 0); /* nobody waits for others */
        total += fabs(correlated->error);
    }
    assert_true(total / 6 < 0.055);
    for (size_t i = 12; i < 36; i++) /* only what was measured has an error */
        assert_int_equal(isnan(o.results.rows[i].error), o.results.rows[i].nics != 4);
    clump_scenario_results_free(&o.results);
}

TEST(smp_vs_now)
{
    static const struct {
        const char *name;
        double smp, now, predicted;
    } runs[] = {{"SAMPLE", 0.773, 1.50, 0.46409},
                {"CON/comp", 1.073, 1.095, 0.87287},
                {"CON/comm", 1.74, 3.755, 0.42622},
                {"3-D FFT", 0.666, 0.770, 0.74082},
                {"EM3D", 0.667, 4.01, 0.20098}};
    /* The fitted share waits 51/44 as long, and eight processors queue: validation.py's penalty(). */
    const double penalty = 1.148079659835547;
    outcome o;
    run_shipped(&o, "smp-vs-now.lua");
    assert_int_equal(o.results.count, 5);
    for (size_t i = 0; i < 5; i++) {
        const clump_result *row = &o.results.rows[i];
        assert_string_equal(row->application, runs[i].name);
        assert_near(row->measured_slowdown, runs[i].smp / runs[i].now, 1e-12);
        assert_near(row->remote_fraction, 0, 0);
        /* no NIC is used: (8.11) with f = 0, and computation that waits for misses */
        assert_near(row->memory_penalty, penalty, 1e-8);
        assert_near(row->slowdown,
                    row->memory_penalty * (1 - row->utilization) +
                        row->utilization * row->cost_ratio,
                    1e-12);
        assert_near(row->slowdown, runs[i].predicted, 1e-5);
    }
    clump_scenario_results_free(&o.results);
}

TEST(nics_per_node)
{
    outcome o;
    run_shipped(&o, "nics-per-node.lua");
    assert_int_equal(o.results.count, 27);
    for (size_t i = 0; i < 27; i++) {
        const clump_result *row = &o.results.rows[i];
        assert_int_equal(row->nics, i % 9 + 1);
        if (i % 9 > 0)
            assert_true(row->slowdown < row[-1].slowdown);
        if (i >= 18) { /* scheduled is the best, correlated the worst */
            assert_true(row->slowdown <= row[-18].slowdown);
            assert_true(row[-18].slowdown <= row[-9].slowdown);
        }
    }
    clump_scenario_results_free(&o.results);
}

/* The same rules and constants: what `predict` says of a run is what `validate` says of it with the
 * constant that is fitted to all runs. */
static void same_as_validate(const char *dataset, const char *platform, size_t expected)
{
    char text[400];
    size_t judged = 0;
    clump_validation v;
    clump_error error;
    const clump_validation_request request = {.dataset = dataset};
    assert_int_equal(clump_validation_make(test_store, &request, &v, &error), CLUMP_OK);
    for (size_t i = 0; i < v.count; i++) {
        const clump_validation_run *run = &v.runs[i];
        if (strcmp(run->layer, "multi-protocol") != 0 || strcmp(run->platform, platform) != 0)
            continue;
        const clump_validation_outcome *full = &run->outcomes[0];
        outcome o;
        snprintf(text, sizeof text,
                 "return scenario { platform = platform \"%s\", application = application \"%s\", "
                 "demand = \"correlated\" }",
                 platform, run->application);
        good(&o, text);
        assert_int_equal(o.results.count, 1);
        const clump_result *row = &o.results.rows[0];
        const double in_sample = run->measured * (1 + full->in_sample_error);
        assert_near(row->predicted_time, in_sample, 1e-8 * in_sample);
        assert_near(row->utilization, full->utilization, 1e-12);
        assert_near(row->remote_fraction, run->remote_fraction, 1e-12);
        assert_near(row->now_time, run->now_time, 1e-12);
        clump_scenario_results_free(&o.results);
        judged++;
    }
    assert_int_equal(judged, expected);
    clump_validation_free(&v);
}

TEST(as_validate_says)
{
    same_as_validate("7.7", "e5000-smp", 5);
    same_as_validate("7.8", "e5000-clump", 6);
}

/* The script's own words win over what the store says of memory. */
TEST(own_memory)
{
    static const struct {
        const char *platform, *scenario;
        double penalty;
    } cases[] = {
        {"like = platform \"e5000-smp\"", "", 1}, /* a variant's traffic is not in the store */
        {"like = platform \"e5000-smp\", memory_penalty = 1.5", "", 1.5},
        {"like = platform \"e5000-smp\"", ", memory_penalty = 1.25", 1.25},
        {"like = platform \"e5000-smp\", memory = { feeds = 2 }", ", memory_share = 0.1", 0},
        {"like = platform \"e5000-smp\", processors = 4", "", 4},
    };
    const double a = 1 + 0.680646372 * (51.0 / 44 - 1); /* latency alone */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        outcome o;
        snprintf(text, sizeof text,
                 "return scenario { platform = platform { %s }, demand = \"correlated\", "
                 "application = application { now_time = 2, "
                 "local_traffic = { short_messages = 1e4 } } %s }",
                 cases[i].platform, cases[i].scenario);
        good(&o, text);
        const double found = o.results.rows[0].memory_penalty;
        if (cases[i].penalty == 1)
            assert_near(found, 1.148079659835547, 1e-8);
        else if (cases[i].penalty == 0)
            assert_near(found, a, 1e-8); /* others are waited for at the script's memory */
        else if (cases[i].penalty == 4)
            assert_true(found > a + 0.01 && found < 1.14);
        else
            assert_near(found, cases[i].penalty, 1e-12);
        clump_scenario_results_free(&o.results);
    }
    bad("return scenario { platform = platform { like = platform \"e5000-smp\", "
        "processors = 100001 }, application = application { now_time = 2, "
        "local_traffic = { short_messages = 1e4 } } }",
        1, "give memory_penalty");
}

UNIT_MAIN(open_store, close_store)
