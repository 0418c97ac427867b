/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of the inputs: closed forms where demand is correlated, X = 1 + U (P-N)/N, and draws. */
#include "tests/unit/test_scenario.h"

#include "exploring/shifted.h"
#include "model/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

/* At two points. */
static bool add(clump_input_share *share, double value, double at_low, double at_high)
{
    return clump_input_share_add(share, value, (double[]){at_low, at_high}, 2);
}

TEST(shares)
{
    const double e = exp(0.1);
    clump_result row = {.slowdown = 2, .slowest_slowdown = 2};
    clump_input_share share = {.some = false};
    clump_input_share_put(&share, &row);
    assert_true(!(row.input_low > 0)); /* nothing was added */
    /* Two inputs: one with 10% to both sides, one that only makes it slower. */
    add(&share, 2, 2 / e, 2 * e);
    add(&share, 2, 2 * e, 2 * e * e);
    clump_input_share_put(&share, &row);
    assert_near(row.input_low, 2 * exp(-0.1), 1e-12);
    assert_near(row.input_high, 2 * exp(sqrt(0.01 + 0.04)), 1e-12);
    /* One end cannot be predicted: as far as the other one, in both directions. */
    share = (clump_input_share){.some = false};
    add(&share, 2, NAN, 2 * e);
    clump_input_share_put(&share, &row);
    assert_near(row.input_low, 2 / e, 1e-12);
    assert_near(row.input_high, 2 * e, 1e-12);
    /* Neither: nothing. */
    share = (clump_input_share){.some = false};
    assert_false(add(&share, 2, NAN, NAN));
    assert_false(share.some);
    double points[CLUMP_INPUTS_POINTS];
    assert_false(clump_inputs_share_points(0.4, 0, points));
    assert_true(clump_inputs_share_points(0.4, 0.1, points));
    const double low = points[3], high = points[CLUMP_INPUTS_POINTS - 4];
    assert_near(high - 0.4, 0.1 * 1.6448536 / 1.9599640, 1e-6);
    assert_near(0.4 - low, high - 0.4, 1e-12);
    assert_true(clump_inputs_share_points(0.01, 0.5, points));
    assert_true(points[0] > 0 && points[CLUMP_INPUTS_POINTS - 1] < 1);
}

/* X = 2 exp(f(u)) of a uniform input: quantiles of f by hand. */
TEST(quantiles_of_ways)
{
    double relative_times[CLUMP_INPUTS_POINTS];
    clump_result row = {.slowdown = 2, .slowest_slowdown = 2};
    for (size_t i = 0; i < CLUMP_INPUTS_POINTS; i++) {
        const double u = clump_inputs_quantile(i, CLUMP_INPUTS_POINTS);
        assert_true(i == 0 || u > clump_inputs_quantile(i - 1, CLUMP_INPUTS_POINTS));
        relative_times[i] = 2 * exp(u < 0.5 ? u - 0.5 : 2 * (u - 0.5)); /* one way, with a kink */
    }
    clump_input_share share = {.some = false};
    assert_true(clump_input_share_add(&share, 2, relative_times, CLUMP_INPUTS_POINTS));
    clump_input_share_put(&share, &row);
    assert_near(row.input_low, 2 * exp(-0.45), 1e-9);
    assert_near(row.input_high, 2 * exp(0.9), 1e-9);
    /* A valley with its bottom at u = 0.3, f(1/2) = 0: f = |u - 0.3| - 0.2. Of the lowest 5% u is within 0.025 of 0.3, of the
     * highest beyond 0.95, as f(0) = 0.1 < f(0.95). */
    for (size_t i = 0; i < CLUMP_INPUTS_POINTS; i++)
        relative_times[i] =
            2 * exp(fabs(clump_inputs_quantile(i, CLUMP_INPUTS_POINTS) - 0.3) - 0.2);
    share = (clump_input_share){.some = false};
    assert_true(clump_input_share_add(&share, 2, relative_times, CLUMP_INPUTS_POINTS));
    clump_input_share_put(&share, &row);
    assert_near(row.input_low, 2 * exp(0.025 - 0.2), 1e-9);
    assert_near(row.input_high, 2 * exp(0.65 - 0.2), 1e-9);
    /* A gap within: the farthest of what there is. One end missing: the same to both sides. */
    relative_times[12] = NAN;
    share = (clump_input_share){.some = false};
    assert_true(clump_input_share_add(&share, 2, relative_times, CLUMP_INPUTS_POINTS));
    clump_input_share_put(&share, &row);
    assert_near(row.input_low, 2 * exp(-0.2), 1e-9);
    relative_times[3] = NAN;
    share = (clump_input_share){.some = false};
    assert_true(clump_input_share_add(&share, 2, relative_times, CLUMP_INPUTS_POINTS));
    clump_input_share_put(&share, &row);
    assert_near(row.input_low, 2 * exp(-0.45), 1e-9);
    /* Nowhere but at its median. */
    for (size_t i = 0; i < CLUMP_INPUTS_POINTS; i++)
        relative_times[i] = i == CLUMP_INPUTS_POINTS / 2 ? 2 : NAN;
    share = (clump_input_share){.some = false};
    assert_false(clump_input_share_add(&share, 2, relative_times, CLUMP_INPUTS_POINTS));
    /* All points once, from the middle outwards on both sides. */
    for (size_t points = 2; points <= CLUMP_INPUTS_POINTS; points += CLUMP_INPUTS_POINTS - 2) {
        bool seen[CLUMP_INPUTS_POINTS] = {false};
        for (size_t k = 0; k < points; k++) {
            const size_t at = clump_inputs_outwards(k, points);
            assert_true(at < points && !seen[at]);
            seen[at] = true;
        }
    }
}

static void run_with_inputs(outcome *o, const char *text, clump_inputs_told *told)
{
    const clump_scenario_options options = {
        .path = "-", .text = text, .text_size = strlen(text), .store = test_store};
    o->status = clump_scenario_run(&options, &o->results, o->message, sizeof o->message);
    assert_ok(o);
    assert_int_equal(clump_inputs_propagate(&options, false, &o->results, told), CLUMP_SCENARIO_OK);
}

TEST(closed_forms)
{
    outcome o;
    clump_inputs_told told;
    /* One input, however it is distributed: quantiles of it are quantiles of X. */
    run_with_inputs(&o,
                    "return scenario { processors = 8, nics = 2, demand = 'correlated', "
                    "utilization = uncertain { name = 'U', from = 0.2, to = 0.6 } }",
                    &told);
    assert_int_equal(told.count, 1);
    assert_near(o.results.rows[0].slowdown, 2.2, 1e-12);
    assert_near(o.results.rows[0].input_low, 1 + 3 * 0.22, 1e-9);
    assert_near(o.results.rows[0].input_high, 1 + 3 * 0.58, 1e-9);
    clump_scenario_results_free(&o.results);
    /* Nothing is uncertain. */
    run_with_inputs(&o, "return scenario { processors = 8, nics = 2, utilization = 0.3 }", &told);
    assert_int_equal(told.count, 0);
    assert_true(!(o.results.rows[0].input_low > 0));
    clump_scenario_results_free(&o.results);
    /* The same number twice is one input: T = R + N M/c of two that go up together. */
    run_with_inputs(
        &o,
        "local U = uncertain { name = 'U', value = 0.4, std_dev = 0.04 }\n"
        "return scenario { processors = 2, nics = { 1, 2 }, demand = 'correlated', utilization = "
        "U, cost_ratio = 1 + 0 * U }",
        &told);
    assert_int_equal(told.count, 1);
    assert_near(o.results.rows[0].input_high, 1.4 + 1.6448536 * 0.04, 1e-6);
    clump_scenario_results_free(&o.results);
}

/* ---- against draws: points of Halton's sequence, which fill the cube evenly */

static double halton(size_t index, size_t base)
{
    double value = 0, digit = 1;
    for (size_t i = index; i > 0; i /= base) {
        digit /= (double)base;
        value += digit * (double)(i % base);
    }
    return value;
}

typedef struct point {
    size_t index;
} point;

static double draw_point(const char *name, const clump_uncertain *distribution, void *context)
{
    static const size_t bases[] = {2, 3, 5, 7, 11};
    const point *p = context;
    return clump_uncertain_quantile(distribution, halton(p->index, bases[(name[0] - 'a') % 5]));
}

enum { DRAWS = 4000, MOST = 6 };

static void compare_with_draws(const char *text, double tolerance)
{
    static double X[MOST][DRAWS];
    outcome o, drawn;
    clump_inputs_told told;
    run_with_inputs(&o, text, &told);
    assert_true(o.results.count <= MOST);
    for (size_t k = 0; k < DRAWS; k++) {
        point p = {k + 1};
        const clump_scenario_options options = {.path = "-",
                                                .text = text,
                                                .text_size = strlen(text),
                                                .store = test_store,
                                                .draw = draw_point,
                                                .draw_context = &p};
        assert_int_equal(
            clump_scenario_run(&options, &drawn.results, drawn.message, sizeof drawn.message),
            CLUMP_SCENARIO_OK);
        for (size_t i = 0; i < o.results.count; i++)
            X[i][k] = clump_result_relative_time(&drawn.results.rows[i]);
        clump_scenario_results_free(&drawn.results);
    }
    for (size_t i = 0; i < o.results.count; i++) {
        const clump_result *r = &o.results.rows[i];
        gsl_sort(X[i], 1, DRAWS);
        const double width =
            log(clump_quantile(X[i], DRAWS, 0.95) / clump_quantile(X[i], DRAWS, 0.05));
        assert_near(log(r->input_high / r->input_low) / width, 1, tolerance);
    }
    clump_scenario_results_free(&o.results);
}

TEST(draws)
{
    /* As uncertain as measured parameters are: a few percent each. */
    compare_with_draws(
        "local g = uncertain { name = 'a', value = 10, std_dev = 0.5, least = 0 }\n"
        "local c = uncertain { name = 'b', value = 0.3, std_dev = 0.02 }\n"
        "local o = uncertain { name = 'c', value = 2, factor = 1.2 }\n"
        "local n = uncertain { name = 'd', from = 18000, to = 22000 }\n"
        "return scenario { application = application { name = 'x', computation = c, style = "
        "'blocking', remote_traffic = { short_messages = n } },\n"
        "  platform = platform { name = 'p', nodes = 2, processors = 8, nics = 2,\n"
        "    network = { L = 5, o_s = o, o_r = 2, g = g, G = 0.001 },\n"
        "    shared_memory = { L = 0.1, o_s = 0.1, o_r = 0.1, g = 0.2, G = 0.001 } },\n"
        "  nics = { 1, 2, 4 }, demand = { 'independent', 'correlated' } }",
        0.03);
    /* Very uncertain: what distributions have in their tails no longer adds up like that. */
    compare_with_draws(
        "local g = uncertain { name = 'a', value = 10, std_dev = 2, least = 0 }\n"
        "local c = uncertain { name = 'b', from = 0.2, to = 0.9 }\n"
        "local o = uncertain { name = 'c', value = 2, factor = 2 }\n"
        "return scenario { application = application { name = 'x', computation = c, style = "
        "'blocking', remote_traffic = { short_messages = 20000 } },\n"
        "  platform = platform { name = 'p', nodes = 2, processors = 8, nics = 2,\n"
        "    network = { L = 5, o_s = o, o_r = 2, g = g, G = 0.001 },\n"
        "    shared_memory = { L = 0.1, o_s = 0.1, o_r = 0.1, g = 0.2, G = 0.001 } },\n"
        "  nics = { 1, 2, 4 }, demand = { 'correlated' } }",
        0.1);
    /* X falls with U as long as all NICs serve one processor, and rises then. The quantiles themselves. */
    compare_with_draws(
        "return scenario { processors = 8, nics = 4, utilization = uncertain { name = 'a', "
        "value = 0.5, half_width = 0.7, least = 0, most = 1 } }",
        0.01);
    compare_with_draws(
        "local u = uncertain { name = 'a', value = 0.4, half_width = 0.3, least = 0, most = 1 }\n"
        "return scenario { processors = 8, nics = 3, utilization = u, memory_penalty = "
        "uncertain { name = 'b', value = 1.1, half_width = 0.05, least = 1 } }",
        0.15);
}

UNIT_MAIN(open_store, close_store)
