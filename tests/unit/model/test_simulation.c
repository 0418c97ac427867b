/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/simulation/simulation.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

/*
 * The simulation against the exact engine. Its intervals hold with a known probability, so that the
 * number of misses among many independent cases has a known distribution, and the bounds below are
 * quantiles of it. Seeds are fixed: a test that passes goes on passing.
 */

typedef struct tally {
    size_t cases, outside, inside_half;
} tally;

/* Half widths at 99% and 50% for Student's t with 31 degrees of freedom: 2.7440 and 0.68249. */
static const double half_of_99 = 0.68249 / 2.7440;

static const clump_coupling none = {1, 1, 1, 0};

static clump_simulation simulate(const clump_node *node, const clump_load *load,
                                 const clump_simulation_options *options)
{
    clump_simulation result;
    clump_error error = {CLUMP_OK, ""};
    const clump_status status = clump_simulate(node, load, options, &result, NULL, &error);
    if (status != CLUMP_OK)
        fail_msg("%s", error.message);
    return result;
}

static void compare_within(tally *t, const clump_node *node, const clump_load *load,
                           double precision)
{
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_prediction exact;
    options.seed = 20;
    options.stream = t->cases;
    options.precision = precision;
    options.confidence = 0.99;
    assert_int_equal(clump_predict(node, load, &exact, NULL, NULL), CLUMP_OK);
    const clump_simulation s = simulate(node, load, &options);
    const double off = fabs(s.prediction.slowdown - exact.slowdown);
    assert_true(s.reached && s.half_width <= precision * s.prediction.slowdown);
    t->cases++;
    t->outside += off > s.half_width;
    t->inside_half += off <= half_of_99 * s.half_width;
    if (load->phase_cycles == 0) { /* no interval is given for these: half a percent of a NIC */
        assert_true(fabs(s.prediction.nic_utilization - exact.nic_utilization) < 2 * precision);
        assert_true(fabs(s.prediction.mean_active / exact.mean_active - 1) < 5 * precision);
    }
}

static void compare(tally *t, const clump_node *node, const clump_load *load)
{
    compare_within(t, node, load, 0.01);
}

static void compare_uniform(tally *t)
{
    static const size_t P[] = {2, 3, 8, 16, 64}, N[] = {1, 2, 4};
    static const double U[] = {0.05, 0.2, 0.48, 0.8};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 4; k++) {
                const clump_node node = {.processors = P[i], .nics = N[j]};
                const clump_load load = {
                    .utilizations = &U[k], .utilization_count = 1, .coupling = none};
                compare(t, &node, &load);
            }
}

static void compare_stations(tally *t)
{
    static const double U[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    double falling[64];
    for (size_t q = 0; q < 64; q++)
        falling[q] = 1 / (1 + 0.05 * (double)q);
    for (size_t k = 0; k < 5; k++) {
        const clump_load load = {&U[k], 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
        const clump_load coupled = {&U[k], 1, CLUMP_DEMAND_INDEPENDENT, 0, {0.6, 0.3, 1.2, 0.1}, 0};
        const clump_load gang = {&U[k], 1, CLUMP_DEMAND_GANG, 2, none, 0};
        const clump_node nodes[] = {
            {.processors = 8, .nics = 4, .efficiency = {falling, 8, NULL, NULL}},
            {.processors = 32, .nics = 8, .efficiency = {falling, 32, NULL, NULL}},
            {.processors = 8, .nics = 4, .max_nics_per_processor = 1},
            {.processors = 64, .nics = 16, .max_nics_per_processor = 2.5},
            {.processors = 8, .nics = 3, .mapping = CLUMP_MAPPING_STATIC},
            {.processors = 64, .nics = 8, .mapping = CLUMP_MAPPING_STATIC},
        };
        for (size_t i = 0; i < 6; i++)
            compare(t, &nodes[i], &load);
        compare(t, &nodes[2], &coupled);
        compare(t, &nodes[4], &coupled);
        compare(t, &nodes[0], &gang);
        compare(t, &nodes[5], &gang);
        compare(t, &nodes[3], &gang);
    }
}

static void compare_mixes(tally *t)
{
    static const size_t P[] = {3, 8, 24, 64};
    double U[64];
    for (size_t i = 0; i < 4; i++)
        for (size_t spread = 1; spread <= 5; spread++) {
            for (size_t p = 0; p < P[i]; p++)
                U[p] = 0.1 * (double)spread + (0.4 * (double)p) / (double)P[i];
            const clump_load load = {U, P[i], CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
            const clump_node pooled = {.processors = P[i], .nics = 2};
            const clump_node tied = {
                .processors = P[i], .nics = 3, .mapping = CLUMP_MAPPING_STATIC};
            compare(t, &pooled, &load);
            compare(t, &tied, &load);
        }
}

static void compare_transients(tally *t)
{
    static const double T[] = {0.3, 1, 5, 20}, U[] = {0.2, 0.48, 0.8};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t n = 2; n <= 4; n += 2) {
                const clump_load load = {&U[k], 1, CLUMP_DEMAND_INDEPENDENT, 0, none, T[i]};
                const clump_node pooled = {.processors = 4 * n, .nics = n};
                const clump_node tied = {
                    .processors = 7, .nics = n, .mapping = CLUMP_MAPPING_STATIC};
                compare(t, &pooled, &load);
                if (n == 4 || k == 0)
                    compare(t, &tied, &load);
            }
}

static void compare_correlated(tally *t)
{
    static const double mix[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    for (size_t n = 1; n <= 7; n++) {
        const clump_load load = {&mix[n], 1, CLUMP_DEMAND_CORRELATED, 0, none, 0};
        const clump_node pooled = {.processors = 9 * n, .nics = n};
        compare(t, &pooled, &load);
    }
    for (size_t n = 1; n <= 4; n++) {
        clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        const clump_load load = {mix, 8, CLUMP_DEMAND_CORRELATED, 0, none, 0};
        const clump_node pooled = {.processors = 8, .nics = n};
        clump_prediction exact;
        options.confidence = 0.99;
        options.computation.kind = options.communication.kind = CLUMP_SERVICE_CONSTANT;
        assert_int_equal(clump_predict(&pooled, &load, &exact, NULL, NULL), CLUMP_OK);
        const clump_simulation s = simulate(&pooled, &load, &options);
        assert_true(fabs(s.prediction.slowdown - exact.slowdown) < 1e-12);
        assert_true(fabs(s.prediction.slowest - exact.slowest) < 1e-12);
        assert_true(fabs(s.prediction.mean_active - exact.mean_active) < 1e-12);
        assert_true(fabs(s.prediction.nic_utilization - exact.nic_utilization) < 1e-12);
    }
}

TEST(test_agrees_with_the_exact_engine)
{
    tally t = {0, 0, 0};
    compare_uniform(&t);
    compare_stations(&t);
    compare_mixes(&t);
    compare_transients(&t);
    compare_correlated(&t);
    print_message("%zu cases, %zu outside their 99%% interval, %zu inside the 50%% one\n", t.cases,
                  t.outside, t.inside_half);
    assert_true(t.cases >= 200);
    /* Binomial(202, 0.01): more than 7 with probability 0.001. Binomial(202, 0.5): 72 to 130 but
     * for 5e-5. Too wide an interval is a fault as well. */
    assert_true(t.outside <= 7);
    assert_true(t.inside_half >= 72 && t.inside_half <= 130);
}

static void compare_memory(tally *t, clump_memory memory)
{
    static const double U[] = {0.1, 0.3, 0.5, 0.8},
                        mix[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    const clump_node nodes[] = {
        {.processors = 8, .nics = 4, .memory = memory},
        {.processors = 16, .nics = 2, .max_nics_per_processor = 1, .memory = memory},
        {.processors = 8, .nics = 3, .mapping = CLUMP_MAPPING_STATIC, .memory = memory},
        {.processors = 24, .nics = 6, .mapping = CLUMP_MAPPING_STATIC, .memory = memory},
    };
    for (size_t k = 0; k < 4; k++) {
        const clump_load load = {&U[k], 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
        const clump_load coupled = {&U[k], 1, CLUMP_DEMAND_INDEPENDENT, 0, {0.6, 0.3, 1.2, 0.3}, 0};
        const clump_load gang = {&U[k], 1, CLUMP_DEMAND_GANG, 2, none, 0};
        const clump_load phase = {&U[k], 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 3};
        const clump_load together = {&U[k], 1, CLUMP_DEMAND_CORRELATED, 0, none, 0};
        for (size_t i = 0; i < 4; i++) {
            compare_within(t, &nodes[i], i % 2 == 0 ? &load : &coupled, 0.02);
            if (i !=
                2) /* where groups differ the mean over random cycles is not that of mean cycles */
                compare_within(t, &nodes[i], &together, 0.02);
        }
        compare_within(t, &nodes[0], &gang, 0.02);
        compare_within(t, &nodes[3], &gang, 0.02);
        compare_within(t, &nodes[0], &phase, 0.02);
        compare_within(t, &nodes[1], &phase, 0.02);
    }
    const clump_load mixed = {mix, 8, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    compare_within(t, &nodes[0], &mixed, 0.02);
    compare_within(t, &nodes[2], &mixed, 0.02);
}

TEST(test_memory_agrees)
{
    static const double curve[] = {1, 1.7, 2.1, 2.2, 2};
    tally t = {0, 0, 0};
    compare_memory(&t, (clump_memory){.share = 0.5, .feeds = 2});
    compare_memory(&t, (clump_memory){.share = 0.4, .feeds = 2.5, .law = CLUMP_MEMORY_ROOFLINE});
    compare_memory(&t,
                   (clump_memory){.curve = curve, .curve_length = 5, .law = CLUMP_MEMORY_MEASURED});
    print_message("%zu cases, %zu outside their 99%% interval, %zu inside the 50%% one\n", t.cases,
                  t.outside, t.inside_half);
    assert_true(t.cases == 138);
    /* Binomial(138, 0.01): more than 6 with probability 0.0006. Binomial(138, 0.5): 45 to 93 but for 6e-5. */
    assert_true(t.outside <= 6);
    assert_true(t.inside_half >= 45 && t.inside_half <= 93);
}

TEST(test_each_processor_of_a_mix)
{
    static const double mix[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    const clump_node node = {.processors = 8, .nics = 4};
    const clump_load load = {mix, 8, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    /* From a computation with 60 digits that shares no code with this. */
    static const double X[] = {1.00837858245,  1.00920386087,  1.00300651249,  0.989817740062,
                               0.969215426251, 0.940195974128, 0.900759536284, 0.846658011595};
    double slowdowns[8], half_widths[8];
    const clump_simulation_details details = {slowdowns, half_widths};
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_simulation result;
    options.precision = 0.001;
    options.confidence = 0.9999;
    assert_int_equal(clump_simulate(&node, &load, &options, &result, &details, NULL), CLUMP_OK);
    for (size_t p = 0; p < 8; p++) {
        assert_true(fabs(slowdowns[p] - X[p]) <= half_widths[p]);
        assert_true(half_widths[p] < 0.01);
    }
    assert_true(result.prediction.slowest_processor <= 1);
}

/* 8.5.2: any two distributions give the same, if one of them is random. */
TEST(test_insensitive_to_distributions)
{
    static const double samples[] = {0.1, 0.1, 0.2, 5, 0.4, 0};
    static const clump_service_time times[] = {
        {.kind = CLUMP_SERVICE_EXPONENTIAL},
        {.kind = CLUMP_SERVICE_CONSTANT},
        {.kind = CLUMP_SERVICE_ERLANG, .shape = 3},
        {.kind = CLUMP_SERVICE_HYPEREXPONENTIAL, .shape = 6},
        {.kind = CLUMP_SERVICE_SAMPLES, .samples = samples, .sample_count = 6},
    };
    const double U = 0.4;
    const clump_node node = {.processors = 8, .nics = 3, .max_nics_per_processor = 2};
    const clump_load load = {&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_prediction exact;
    assert_int_equal(clump_predict(&node, &load, &exact, NULL, NULL), CLUMP_OK);
    options.precision = 0.006;
    options.confidence = 0.9999; /* one of 24 is outside with probability 0.0024 */
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            options.stream = 5 * i + j;
            options.computation = times[i];
            options.communication = times[j];
            options.spread_start = false;
            const clump_simulation s = simulate(&node, &load, &options);
            const double off = fabs(s.prediction.slowdown - exact.slowdown);
            if (i != 1 || j != 1)
                assert_true(off <= s.half_width);
        }
}

/* The same with memory; and who begins together and takes the same time always stays together. */
TEST(test_memory_and_distributions)
{
    static const clump_service_time times[] = {
        {.kind = CLUMP_SERVICE_CONSTANT}, {.kind = CLUMP_SERVICE_HYPEREXPONENTIAL, .shape = 6}};
    const double U = 0.4;
    clump_load load = {&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    options.precision = 0.012;
    options.confidence = 0.9999;
    for (int mapping = 0; mapping < 2; mapping++)
        for (int i = 0; i < 4; i++) {
            const clump_node node = {.processors = 8,
                                     .nics = 2,
                                     .mapping = (clump_mapping)mapping,
                                     .memory = {.share = 0.7, .feeds = 2}};
            clump_prediction exact;
            options.computation = times[i % 2];
            options.communication = times[i / 2];
            load.demand = i == 0 ? CLUMP_DEMAND_CORRELATED : CLUMP_DEMAND_INDEPENDENT;
            assert_int_equal(clump_predict(&node, &load, &exact, NULL, NULL), CLUMP_OK);
            load.demand = CLUMP_DEMAND_INDEPENDENT;
            const clump_simulation s = simulate(&node, &load, &options);
            const double off = fabs(s.prediction.slowdown / exact.slowdown - 1);
            assert_true(i == 0 ? off < 2e-3 : off * s.prediction.slowdown <= s.half_width);
        }
}

/* Both constant, and all begin together: they go on together, as if correlated (8.9). */
TEST(test_constant_times_stay_together)
{
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    options.computation.kind = options.communication.kind = CLUMP_SERVICE_CONSTANT;
    for (size_t N = 1; N <= 4; N++)
        for (double U = 0.1; U < 1; U += 0.2) {
            const clump_node node = {.processors = 8, .nics = N};
            const clump_load load = {&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
            const double together = 1 + (8 - (double)N) / (double)N * U;
            clump_prediction independent;
            assert_int_equal(clump_predict(&node, &load, &independent, NULL, NULL), CLUMP_OK);
            const clump_simulation s = simulate(&node, &load, &options);
            assert_true(fabs(s.prediction.slowdown / together - 1) < options.precision / 2);
            if (U < 0.6)
                assert_true(s.prediction.slowdown > 1.1 * independent.slowdown);
        }
}

TEST(test_the_same_on_any_number_of_threads)
{
    static const double U = 0.48, mix[] = {0.2, 0.4, 0.6};
    const clump_node node = {.processors = 3, .nics = 2};
    const clump_load loads[] = {{&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0},
                                {mix, 3, CLUMP_DEMAND_INDEPENDENT, 0, none, 0},
                                {&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 4},
                                {mix, 3, CLUMP_DEMAND_CORRELATED, 0, none, 0}};
    for (size_t i = 0; i < 4; i++) {
        clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        options.threads = 1;
        const clump_simulation one = simulate(&node, &loads[i], &options);
        const clump_simulation again = simulate(&node, &loads[i], &options);
        assert_true(one.prediction.slowdown == again.prediction.slowdown);
        assert_true(one.half_width == again.half_width && one.events == again.events);
        for (options.threads = 2; options.threads <= 7; options.threads += 5) {
            const clump_simulation many = simulate(&node, &loads[i], &options);
            assert_true(one.prediction.slowdown == many.prediction.slowdown);
            assert_true(one.half_width == many.half_width && one.events == many.events);
        }
        options.seed = 2;
        assert_true(simulate(&node, &loads[i], &options).prediction.slowdown !=
                    one.prediction.slowdown);
    }
}

TEST(test_limits)
{
    const clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    const clump_node node = {.processors = 8, .nics = 4};
    double U = 0;
    const clump_load load = {&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    clump_simulation s = simulate(&node, &load, &options);
    assert_true(s.prediction.slowdown == 1 && s.prediction.nic_utilization == 0);
    U = 1; /* 8.2.3: P/N */
    s = simulate(&node, &load, &options);
    assert_true(fabs(s.prediction.slowdown - 2) < 1e-12);
    assert_true(fabs(s.prediction.nic_utilization - 1) < 1e-12);
    assert_true(fabs(s.prediction.mean_active - 8) < 1e-12);
}

/* A first round that is too long for the events allowed is made shorter, and what is left with less
 * than that says nothing. */
TEST(test_few_events)
{
    static double U = 0.48, mix[250];
    for (size_t p = 0; p < 250; p++)
        mix[p] = 0.2 + 0.002 * (double)p;
    const clump_node node = {.processors = 250, .nics = 100};
    const clump_load loads[] = {{&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0},
                                {mix, 250, CLUMP_DEMAND_INDEPENDENT, 0, none, 0},
                                {&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 4},
                                {&U, 1, CLUMP_DEMAND_CORRELATED, 0, none, 0}};
    for (size_t i = 0; i < 4; i++)
        for (double most = 1; most < 2e6; most *= 12) {
            clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
            clump_prediction exact;
            options.most_events = most;
            options.precision = 1e-6;
            assert_int_equal(clump_predict(&node, &loads[i], &exact, NULL, NULL), CLUMP_OK);
            const clump_simulation s = simulate(&node, &loads[i], &options);
            assert_true(!s.reached);
            assert_true(s.events <= 1.2 * most + 64);
            if (isnan(s.prediction.slowdown)) {
                assert_true(isnan(s.half_width) && isnan(s.prediction.slowest));
                assert_true(most < 1e6);
            } else {
                assert_true(fabs(s.prediction.slowdown / exact.slowdown - 1) < 0.2);
            }
        }
}

static size_t most_bytes;

static void look_at_memory(const clump_simulation_progress *progress, void *context)
{
    const struct mallinfo2 now = mallinfo2();
    const size_t bytes = now.uordblks + now.hblkhd;
    (void)progress;
    (void)context;
    most_bytes = bytes > most_bytes ? bytes : most_bytes;
}

/* Bytes a processor and replication are what simulation.h says. (With sanitizers nobody counts.) */
TEST(test_memory)
{
    enum { P = 3000, REPLICATIONS = 32 };
    static double U = 0.48, mix[P];
    for (size_t p = 0; p < P; p++)
        mix[p] = 0.2 + 0.5 * (double)p / P;
    const clump_node node = {.processors = P, .nics = P / 2};
    const clump_load loads[] = {{&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0},
                                {mix, P, CLUMP_DEMAND_INDEPENDENT, 0, none, 0}};
    for (size_t i = 0; i < 2; i++) {
        clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        options.threads = 1;
        options.most_events = 2 * P * REPLICATIONS * 3;
        options.progress = look_at_memory;
        most_bytes = 0;
        look_at_memory(NULL, NULL);
        const size_t before = most_bytes;
        simulate(&node, &loads[i], &options);
        const double each = (double)(most_bytes - before) / P / REPLICATIONS;
        assert_true(each <= (i == 0 ? 36 : 64) * 1.1);
    }
}

TEST(test_events_run_out)
{
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    const double U = 0.48;
    const clump_node node = {.processors = 8, .nics = 4};
    const clump_load load = {&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    options.precision = 1e-6;
    options.most_events = 1e6;
    const clump_simulation s = simulate(&node, &load, &options);
    assert_false(s.reached);
    assert_true(s.events >= 1e6 && s.events < 1.1e6);
    assert_true(fabs(s.prediction.slowdown - 1.00193123733961) < 2 * s.half_width);
}

static void refuse(const clump_node *node, const clump_load *load,
                   const clump_simulation_options *options, const char *words)
{
    clump_simulation result, before;
    clump_error error = {CLUMP_OK, ""};
    memset(&result, 7, sizeof result);
    before = result;
    assert_int_equal(clump_simulate(node, load, options, &result, NULL, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_memory_equal(&result, &before, sizeof result);
    if (strstr(error.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.message, words);
}

TEST(test_wrong_arguments)
{
    const double U = 0.48, mix[] = {0.1, 2}, bad[] = {1, -1}, zero[] = {0};
    clump_node node = {.processors = 2, .nics = 1};
    clump_load load = {&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    clump_simulation_options o = CLUMP_SIMULATION_DEFAULTS;
    node.nics = 0;
    refuse(&node, &load, &o, "nics: 0");
    node.nics = 1;
    node.processors = 20000000;
    refuse(&node, &load, &o, "processors: 20000000");
    node.processors = 2;
    load.utilization_count = 3;
    refuse(&node, &load, &o, "3 values");
    load = (clump_load){mix, 2, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    refuse(&node, &load, &o, "utilization: 2");
    load = (clump_load){mix, 2, CLUMP_DEMAND_INDEPENDENT, 0, none, 3};
    refuse(&node, &load, &o, "phase length");
    load = (clump_load){&U, 1, CLUMP_DEMAND_SCHEDULED, 0, none, 0};
    refuse(&node, &load, &o, "scheduled");
    load = (clump_load){&U, 1, CLUMP_DEMAND_GANG, 1.5, none, 0};
    refuse(&node, &load, &o, "whole gangs");
    load = (clump_load){&U, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    o.precision = NAN;
    refuse(&node, &load, &o, "precision");
    o = CLUMP_SIMULATION_DEFAULTS;
    o.confidence = 1;
    refuse(&node, &load, &o, "confidence: 1");
    o = CLUMP_SIMULATION_DEFAULTS;
    o.computation = (clump_service_time){.kind = CLUMP_SERVICE_ERLANG, .shape = 1.5};
    refuse(&node, &load, &o, "computation times: Erlang with 1.5 stages");
    o = CLUMP_SIMULATION_DEFAULTS;
    o.communication = (clump_service_time){.kind = CLUMP_SERVICE_HYPEREXPONENTIAL, .shape = 0.5};
    refuse(&node, &load, &o, "communication times: hyperexponential");
    o.communication = (clump_service_time){CLUMP_SERVICE_SAMPLES, 0, bad, 2};
    refuse(&node, &load, &o, "sample 2 is -1");
    o.communication = (clump_service_time){CLUMP_SERVICE_SAMPLES, 0, zero, 1};
    refuse(&node, &load, &o, "all samples are 0");
    o.communication = (clump_service_time){CLUMP_SERVICE_SAMPLES, 0, NULL, 0};
    refuse(&node, &load, &o, "no samples");
}

TEST(test_phases)
{
    const double low = 0.2, high = 0.9;
    const clump_node node = {.processors = 8, .nics = 4};
    const clump_phase phases[] = {{{&low, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0}, 3e6},
                                  {{&high, 1, CLUMP_DEMAND_CORRELATED, 0, none, 0}, 1e6}};
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_prediction exact;
    clump_simulation s;
    options.confidence = 0.9999;
    assert_int_equal(clump_predict_phases(&node, phases, 2, &exact, NULL, NULL), CLUMP_OK);
    assert_int_equal(clump_simulate_phases(&node, phases, 2, &options, &s, NULL), CLUMP_OK);
    assert_true(fabs(s.prediction.slowdown - exact.slowdown) <= s.half_width);
    assert_true(s.half_width < 0.03);
    assert_int_equal(clump_simulate_phases(&node, phases, 0, &options, &s, NULL),
                     CLUMP_BAD_ARGUMENT);
}

UNIT_MAIN(NULL, NULL)
