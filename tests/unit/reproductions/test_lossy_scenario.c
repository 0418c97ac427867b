/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scenarios that name a protocol and a loss rate. The factor by which communication takes longer is
 * that of the protocol itself, run in virtual time with that loss, on the hardware whose LogGP
 * parameters the scenario has; and slowdowns are what (8.8) makes of it.
 */
#include "tests/unit/fast_hardware.h"
#include "tests/unit/test_scenario.h"

#include "model/prediction.h"
#include "reproductions/measure/measure.h"

static const clump_scenario_options plain;

/* Time of a message of that size in a long stream. */
static double message_us(const char *protocol, uint32_t size, double loss)
{
    clump_virtual_cluster_options o = {
        .hardware = fast_hardware, .nodes = 2, .window = 16, .timeout_us = 2000};
    double rate;
    o.faults.loss = loss;
    o.faults.seed = 11;
    assert_int_equal(clump_lci_protocol_parse(protocol, &o.protocol, NULL), CLUMP_PROTOCOL_OK);
    const double packets = loss > 0 ? 2500 / loss : 5000;
    assert_int_equal(clump_measure_throughput(&o, size, false, (uint32_t)packets, &rate),
                     CLUMP_PROTOCOL_OK);
    return size / rate;
}

TEST(test_factor)
{
    static const struct {
        const char *protocol;
        uint32_t size;
        double loss;
    } cases[] = {{"l-hrx", 16, 0.01},
                 {"l-nirx", 16, 0.05},
                 {"l-hrx", 16384, 0.01},
                 {"l-pio-nirx-1k", 16, 0.02}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *protocol = cases[i].protocol;
        clump_virtual_cluster_options o = {
            .hardware = fast_hardware, .nodes = 2, .window = 16, .timeout_us = 2000};
        clump_logp_measured m;
        assert_int_equal(clump_lci_protocol_parse(protocol, &o.protocol, NULL), CLUMP_PROTOCOL_OK);
        assert_int_equal(clump_measure_logp(&o, 16, 2000, &m), CLUMP_PROTOCOL_OK);
        const double size = cases[i].size, loss = cases[i].loss;
        const double clean = message_us(protocol, cases[i].size, 0);
        /* G by what this size takes: streams of long messages are what it describes. */
        const double per_byte = size > 16 ? (clean - m.gap_us) / (size - 1) : 0;
        char text[800];
        snprintf(text, sizeof text,
                 "return scenario { nics = { 1, 4 }, protocol = '%s', loss = { 0, %.17g },"
                 " application = application { computation = 1, %s },"
                 " platform = platform { processors = 8, nics = 4,"
                 "  network = { L = %.17g, o_s = %.17g, o_r = %.17g, g = %.17g, G = %.17g,"
                 "   timeout = 2000, window = 16 },"
                 "  shared_memory = { L = 1, o_s = 1, o_r = 1, g = 1, G = 0.001 } } }",
                 protocol, loss,
                 size > 16 ? "remote_traffic = { bulk_messages = 1000, bulk_bytes = 16384000 }"
                           : "remote_traffic = { short_messages = 100000 }",
                 m.latency_us, m.send_overhead_us, m.receive_overhead_us, m.gap_us, per_byte);
        outcome o2;
        run_text(&o2, plain, text);
        if (o2.status != CLUMP_SCENARIO_OK)
            fail_msg("%s", o2.message);
        assert_int_equal(o2.results.count, 4);
        const clump_result *without = &o2.results.rows[0], *with = &o2.results.rows[2];
        assert_string_equal(with->protocol, protocol);
        assert_true(without->loss == 0 && without->loss_factor == 1 && with->loss == loss);
        const double found = message_us(protocol, cases[i].size, loss) / clean;
        if (!(fabs(with->loss_factor / found - 1) < 0.05))
            fail_msg("%s, %g bytes, loss %g: factor %g, in virtual time %g", protocol, size, loss,
                     with->loss_factor, found);
        /* U, and the time on the NOW, are those of communication that takes so much longer. */
        const double C = without->utilization * without->now_time;
        assert_true(fabs(with->now_time / (1 + C * with->loss_factor) - 1) < 1e-12);
        assert_true(fabs(with->utilization / (C * with->loss_factor / with->now_time) - 1) < 1e-12);
        /* The slowdown is that of a load with this U and this share of waiting. */
        for (int k = 0; k < 2; k++) {
            const clump_result *row = &o2.results.rows[2 + k];
            const clump_node node = {.processors = 8, .nics = row->nics};
            const clump_load load = {
                .utilizations = &row->utilization,
                .utilization_count = 1,
                .coupling = {1, 1, 1, row->waiting_fraction},
            };
            clump_prediction p;
            assert_int_equal(clump_predict(&node, &load, &p, NULL, NULL), CLUMP_OK);
            assert_true(fabs(row->slowdown / p.slowdown - 1) < 1e-12);
            assert_true(row->waiting_fraction > 0 && row->waiting_fraction < 1);
            assert_true(fabs(row->predicted_time - row->slowdown * row->now_time) < 1e-12);
        }
        clump_scenario_results_free(&o2.results);
    }
}

/* A program and a node on which it runs, with and without a word about losses. */
#define NODE(network)                                                                              \
    "platform { name = 'node', processors = 4, nics = 2, network = { L = 5, o_s = 1, o_r = 1, "    \
    "g = 2, G = 0.01" network                                                                      \
    " }, shared_memory = { L = 1, o_s = 0.2, o_r = 0.2, g = 0.5, G = 0.001 } }"
#define PROGRAM(time)                                                                              \
    "application { name = 'program', " time                                                        \
    ", waited_share = 0.5, remote_traffic = { short_messages = 1000, bulk_messages = 10, "         \
    "bulk_bytes = 40960 }, local_traffic = { short_messages = 500 } }"

static clump_result only(const char *text)
{
    outcome o;
    run_text(&o, plain, text);
    if (o.status != CLUMP_SCENARIO_OK)
        fail_msg("%s", o.message);
    assert_int_equal(o.results.count, 1);
    clump_result row = o.results.rows[0];
    clump_scenario_results_free(&o.results);
    row.scenario = row.application = row.platform = row.protocol = NULL; /* they are gone */
    return row;
}

static void assert_same(const clump_result *a, const clump_result *b)
{
    const double x[] = {
        a->utilization,          a->remote_fraction, a->cost_ratio, a->waiting_fraction,
        a->adjusted_utilization, a->mean_active,     a->slowdown,   a->now_time,
        a->predicted_time};
    const double y[] = {
        b->utilization,          b->remote_fraction, b->cost_ratio, b->waiting_fraction,
        b->adjusted_utilization, b->mean_active,     b->slowdown,   b->now_time,
        b->predicted_time};
    assert_memory_equal(x, y, sizeof x);
}

TEST(test_without_loss)
{
    static const char *const pairs[][2] = {
        {"return scenario { platform = " NODE("") ", application = " PROGRAM(
             "computation = 0.01") "}",
         "return scenario { platform = " NODE(
             ", protocol = 'l-nirx', loss = 0, window = 3, "
             "timeout = 50") ", application = " PROGRAM("computation = 0.01") "}"},
        {"return scenario { platform = " NODE("") ", application = " PROGRAM("now_time = 0.1") "}",
         "return scenario { platform = " NODE(
             "") ", loss = 0, protocol = 'l-pio', application = " PROGRAM("now_time = 0.1") "}"},
        {"return scenario { platform = " NODE("") ", utilization = 0.37 }",
         "return scenario { platform = " NODE("") ", utilization = 0.37, protocol = 'ssam' }"},
        {"return scenario { platform = platform 'e5000-clump', application = application 'SAMPLE' "
         "}",
         "return scenario { platform = platform 'e5000-clump', protocol = 'l-hrx', loss = 0, "
         "application = application 'SAMPLE' }"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const clump_result a = only(pairs[i][0]), b = only(pairs[i][1]);
        assert_same(&a, &b);
        assert_true(i < 3 || b.measured_slowdown > 1);
    }
}

/* A utilization alone: full packets, of which each takes g + 2047 G. Window 1, by hand. */
TEST(test_utilization)
{
    const clump_result r =
        only("return scenario { platform = " NODE(", protocol = 'l-hrx', loss = 0.1, window = 1, "
                                                  "timeout = 100") ", utilization = 0.4 }");
    const double again = 0.19 / 0.81, clean = 2 + 20.47, factor = 1 + 100 * again / clean;
    assert_true(fabs(r.loss_factor / factor - 1) < 1e-12);
    assert_true(fabs(r.utilization / (0.4 * factor / (0.6 + 0.4 * factor)) - 1) < 1e-12);
    assert_true(fabs(r.waiting_fraction - (1 - (1 + again) / factor)) < 1e-12);
    /* Losses cost more time than sharing saves: the same utilization without waiting is slower. */
    const clump_result stored =
        only("return scenario { platform = platform 'e5000-clump', protocol = 'l-hrx', "
             "loss = 0.001, application = application 'SAMPLE' }");
    assert_true(stored.loss_factor > 1 && stored.now_time > 2.46);
    assert_true(isnan(stored.measured_slowdown));
}

static void refuse(const char *text, const char *part)
{
    outcome o;
    run_text(&o, plain, text);
    assert_int_equal(o.status, CLUMP_SCENARIO_BAD_INPUT);
    assert_has(o.message, part);
    assert_has(o.message, ":1: ");
}

TEST(test_refused)
{
#define TRY(network, part)                                                                         \
    refuse("return scenario { platform = " NODE(network) ", application = " PROGRAM(               \
               "computation = 1") " }",                                                            \
           part)
    TRY(", loss = 0.1", "platform: network: loss is 0.1, expected protocol with it");
    TRY(", loss = 0.1, protocol = 'l-sdma'", "\"l-sdma\" relies on a network that loses nothing");
    TRY(", loss = 0.1, protocol = 'l-rcpy-4k'", "relies on a network that loses nothing");
    TRY(", loss = 1, protocol = 'l-nirx'", "loss is 1");
    TRY(", loss = -0.1, protocol = 'l-nirx'", "loss is -0.1");
    TRY(", loss = '1%', protocol = 'l-nirx'", "loss is \"1%\", expected a number");
    TRY(", loss = 0.1, protocol = 'l-nirz'", "found 'nirz' in 'l-nirz'");
    TRY(", loss = 0.1, protocol = 7", "protocol is 7, expected a name");
    TRY(", loss = 0.1, protocol = 'l-nirx', window = 0", "window is 0");
    TRY(", loss = 0.1, protocol = 'l-nirx', window = 2.5", "window is 2.5");
    TRY(", loss = 0.1, protocol = 'ssam', window = 2000", "at most 1024");
    TRY(", loss = 0.1, protocol = 'l-nirx', timeout = 0", "timeout is 0");
    TRY(", loss = 0.1, protocol = 'l-nirx', timeout = 3",
        "the timeout is 3 us, expected at least the round trip");
    TRY(", loss = 0.1, protocol = 'l-nirx', acknowledge = -1", "acknowledge is -1");
    TRY(", lost = 0.1", "there is no field \"lost\"; did you mean \"loss\"?");
    refuse("return scenario { processors = 8, nics = 4, utilization = 0.5, loss = 0.1 }",
           "found loss, expected a platform");
    refuse("return scenario { platform = " NODE("") ", utilization = 0.5, loss = { 0, 0.1 } }",
           "scenario: loss is 0.1, expected protocol with it");
    refuse("return scenario { platform = platform { processors = 8, nics = 4 }, utilization = 0.5, "
           "loss = 0.1, protocol = 'l-nirx' }",
           "expected the LogGP parameters of its network");
    refuse("return scenario { platform = " NODE(
               "") ", loss = 0.1, protocol = 'l-nirx', "
                   "application = application { name = 'mix', utilization = { .1, .2, .3, .4 } } }",
           "what a loss costs depends on its messages");
    refuse("return scenario { platform = " NODE(
               "") ", loss = 0.1, protocol = 'l-nirx', "
                   "application = application { phases = { { time = 1, utilization = 0.5 } } } }",
           "what a loss costs depends on its messages");
    refuse(
        "return scenario { platform = " NODE("") ", loss = 0.1, protocol = { 'l-nirx', 'l-hrz' }, "
                                                 "utilization = 0.5 }",
        "found 'hrz' in 'l-hrz'");
}

/* Every protocol with every loss, platform by platform. */
TEST(test_order)
{
    outcome o;
    run_text(&o, plain,
             "return scenario { platform = { " NODE("") ", " NODE(
                 ", window = 2") " }, "
                                 "protocol = { 'l-nirx', 'ssam' }, loss = { 0, 0.01, 0.02 }, "
                                 "utilization = 0.5 }");
    if (o.status != CLUMP_SCENARIO_OK)
        fail_msg("%s", o.message);
    assert_int_equal(o.results.count, 12);
    for (size_t i = 0; i < 12; i++) {
        const clump_result *r = &o.results.rows[i];
        assert_true(r->loss == 0.01 * (double)(i % 3));
        assert_string_equal(r->protocol, i / 3 % 2 == 0 ? "l-nirx" : "ssam");
        assert_true(r->loss == 0 ? r->loss_factor == 1 : r->loss_factor > 1);
    }
    clump_scenario_results_free(&o.results);
}

UNIT_MAIN(open_store, close_store)
