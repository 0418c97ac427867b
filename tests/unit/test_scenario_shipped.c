/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenarios that are shipped: what the thesis says of its figures and tables comes out. */
#include "test_scenario.h"

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

static void figure_8_2(void **state)
{
    (void)state;
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

static void figure_8_3(void **state)
{
    (void)state;
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

static void figure_8_4(void **state)
{
    (void)state;
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

static void clump_vs_now(void **state)
{
    (void)state;
    /* Table 7.8, and predictions from tables 5.4, 5.7, 5.8 and 7.6 by tests/golden/validation.py.
     */
    static const struct {
        const char *name;
        double clump, now, independent, correlated;
    } runs[] = {{"SAMPLE", 3.33, 2.46, 1.14304, 1.37907},
                {"CON/comp", 1.416, 1.22, 1.02105, 1.08742},
                {"CON/comm", 7.19, 6.72, 0.94910, 1.07249},
                {"3-D FFT", 0.481, 0.31, 1.32230, 1.59106},
                {"EM3D/naive", 3.654, 4.93, 0.60633, 0.72688},
                {"EM3D/good", 3.402, 5.39, 0.53772, 0.62374}};
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
        total += fabs(correlated->error);
    }
    assert_true(total / 6 < 0.05);
    for (size_t i = 12; i < 36; i++) /* only what was measured has an error */
        assert_int_equal(isnan(o.results.rows[i].error), o.results.rows[i].nics != 4);
    clump_scenario_results_free(&o.results);
}

static void smp_vs_now(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double smp, now, predicted;
    } runs[] = {{"SAMPLE", 0.773, 1.50, 0.46695},
                {"CON/comp", 1.073, 1.095, 0.88088},
                {"CON/comm", 1.74, 3.755, 0.42934},
                {"3-D FFT", 0.666, 0.770, 0.40241},
                {"EM3D", 0.667, 4.01, 0.20134}};
    outcome o;
    run_shipped(&o, "smp-vs-now.lua");
    assert_int_equal(o.results.count, 5);
    for (size_t i = 0; i < 5; i++) {
        const clump_result *row = &o.results.rows[i];
        assert_string_equal(row->application, runs[i].name);
        assert_near(row->measured_slowdown, runs[i].smp / runs[i].now, 1e-12);
        assert_near(row->remote_fraction, 0, 0);
        /* nothing contends: (8.11) with f = 0, and memory slower by table 5.4 */
        assert_near(row->slowdown,
                    51.0 / 44 * (1 - row->utilization) + row->utilization * row->cost_ratio, 1e-12);
        assert_near(row->slowdown, runs[i].predicted, 1e-5);
    }
    clump_scenario_results_free(&o.results);
}

static void nics_per_node(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_8_2), cmocka_unit_test(figure_8_3),
        cmocka_unit_test(figure_8_4), cmocka_unit_test(clump_vs_now),
        cmocka_unit_test(smp_vs_now), cmocka_unit_test(nics_per_node),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
