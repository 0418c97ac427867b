/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What lost packets cost: by hand, in limits that are known, and against a network of nodes that
 * only loses (virtual_nodes.h). And names of protocols against those of virtual time.
 */
#include "tests/unit/nodes_stream.h"

#include "model/lossy_network.h"
#include "model/workload/traffic.h"
#include "protocols/reliability/lci_protocol.h"

#include <math.h>

static void near(double found, double expected, double tolerance, const char *what)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("%s: %.15g, expected %.15g", what, found, expected);
}

static clump_lossy_cost cost_of(clump_lossy_stream s)
{
    clump_lossy_cost cost;
    clump_error error;
    if (clump_lossy_stream_cost(&s, &cost, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return cost;
}

/* Send, wait, and repeat until packet and acknowledgement both get through: R + T q/(1-q). */
TEST(test_one_at_a_time)
{
    for (int kind = CLUMP_RECOVERY_GO_BACK_N; kind <= CLUMP_RECOVERY_SELECTIVE; kind++) {
        const clump_lossy_stream s = {.recovery = (clump_recovery)kind,
                                      .loss = 0.1,
                                      .window = 1,
                                      .gap_us = 1,
                                      .round_trip_us = 20,
                                      .timeout_us = 300};
        const clump_lossy_cost c = cost_of(s);
        near(c.packet_us, 20 + 300 * 0.19 / 0.81, 1e-12, "w = 1");
        near(c.transmissions, 1 / 0.81, 1e-12, "sent");
        near(c.clean_us, 20, 1e-15, "without loss");
    }
}

/* Two packets a window, each acknowledged: from the state in which `lost` acknowledgements in a row
 * are missing. Written out as the equations of its three outcomes. */
TEST(test_two)
{
    const double p = 0.1, T = 500, R = 10, g = 6, q = p * (2 - p);
    const clump_lossy_cost c = cost_of((clump_lossy_stream){.recovery = CLUMP_RECOVERY_GO_BACK_N,
                                                            .loss = p,
                                                            .window = 2,
                                                            .gap_us = g,
                                                            .round_trip_us = R,
                                                            .timeout_us = T});
    /* Both sent again until one of the two brings an answer; the second follows g later. */
    const double stuck = (T + g * q / (1 - q)) / (1 - q * q) - 2 * g + R;
    const double time_1 = p * T + (1 - p) * (g + p * stuck), packets_1 = 1 - p;
    const double time = p * T + (1 - p) * (g + p * time_1);
    const double packets = (1 - p) * (1 + p * packets_1);
    near(c.packet_us, time / packets, 1e-12, "w = 2");
}

/* Where acknowledgements hardly matter, and T is long: 1/r + T p/(1-p), and w p/(1-p) in vain. */
TEST(test_wide)
{
    const clump_lossy_stream s = {.recovery = CLUMP_RECOVERY_GO_BACK_N,
                                  .loss = 0.001,
                                  .window = 64,
                                  .gap_us = 2,
                                  .round_trip_us = 30,
                                  .timeout_us = 5000};
    const clump_lossy_cost c = cost_of(s);
    near(c.packet_us, 2 + 5000 * 0.001 / 0.999, 1e-3, "wide");
    near(c.transmissions, 1 + 64 * 0.001 / 0.999, 1e-3, "sent again");
    near(c.delay_us, 5000 * 0.001 / 0.999, 1e-12, "delay");
}

TEST(test_limits)
{
    clump_lossy_stream s = {.recovery = CLUMP_RECOVERY_GO_BACK_N,
                            .window = 16,
                            .gap_us = 2,
                            .round_trip_us = 30,
                            .timeout_us = 1000};
    for (int kind = CLUMP_RECOVERY_GO_BACK_N; kind <= CLUMP_RECOVERY_SELECTIVE; kind++) {
        s.recovery = (clump_recovery)kind;
        s.loss = 0;
        const clump_lossy_cost clean = cost_of(s);
        assert_true(clean.packet_us == clean.clean_us && clean.delay_us == 0);
        double last = clean.packet_us;
        for (s.loss = 1e-9; s.loss < 0.5; s.loss *= 2) { /* more loss always costs more */
            const clump_lossy_cost c = cost_of(s);
            assert_true(c.packet_us > last || (s.loss < 1e-8 && c.packet_us > last * (1 - 1e-9)));
            assert_true(c.transmissions >= 1);
            last = c.packet_us;
        }
        /* A wider window never costs time. */
        s.loss = 0.02;
        last = INFINITY;
        for (s.window = 1; s.window <= 64; s.window *= 2) {
            const double now = cost_of(s).packet_us;
            assert_true(now <= last * 1.0001);
            last = now;
        }
        s.window = 16;
    }
    /* The two ways to count states agree where one takes the place of the other. */
    s.recovery = CLUMP_RECOVERY_SELECTIVE;
    s.loss = 0.01;
    s.window = 64;
    const double both = cost_of(s).packet_us;
    s.window = 65;
    near(cost_of(s).packet_us, both, 0.03, "65 after 64");
    /* A window longer than the timeout: all that counts is how often packets are sent. */
    s.window = 1024;
    s.loss = 0.0001;
    near(cost_of(s).packet_us, 2 / (1 - 0.0001 * 1.9999), 1e-12, "no standstill");
}

static void refuse(clump_lossy_stream s, const char *part)
{
    clump_lossy_cost c = {.packet_us = -1};
    clump_error e;
    assert_int_equal(clump_lossy_stream_cost(&s, &c, &e), CLUMP_BAD_ARGUMENT);
    if (strstr(e.message, part) == NULL)
        fail_msg("'%s' lacks '%s'", e.message, part);
    assert_true(c.packet_us == -1);
    assert_int_equal(clump_lossy_stream_cost(&s, &c, NULL), CLUMP_BAD_ARGUMENT);
}

TEST(test_refused)
{
    const clump_lossy_stream good = {CLUMP_RECOVERY_GO_BACK_N, 0.1, 4, 2, 0, 0, 0, 30, 1000, 0};
    clump_lossy_stream s = good;
    cost_of(good);
#define REFUSE(field, value, part)                                                                 \
    do {                                                                                           \
        s = good;                                                                                  \
        s.field = value;                                                                           \
        refuse(s, part);                                                                           \
    } while (0)
    REFUSE(loss, 1, "loss is 1");
    REFUSE(loss, -0.1, "loss is -0.1");
    REFUSE(loss, NAN, "loss is");
    REFUSE(recovery, CLUMP_RECOVERY_NONE, "nothing sends lost packets again");
    REFUSE(window, 0, "the window is 0");
    REFUSE(window, 65537, "the window is 65537");
    REFUSE(gap_us, 0, "the gap is 0");
    REFUSE(gap_us, NAN, "gap");
    REFUSE(burst_gap_us, 3, "in a burst is 3");
    REFUSE(burst_packets, -1, "packets ready");
    REFUSE(acknowledgement_us, -1, "an acknowledgement takes -1");
    REFUSE(round_trip_us, -1, "the round trip is -1");
    REFUSE(timeout_us, 29, "the timeout is 29 us, expected at least the round trip, 30 us");
    REFUSE(timeout_us, NAN, "the timeout is");
    REFUSE(acknowledge_us, -1, "the delay of acknowledgements is -1");
    s = good;
    s.recovery = CLUMP_RECOVERY_SELECTIVE;
    s.window = CLUMP_SELECTIVE_WINDOW_MOST + 1;
    refuse(s, "at most 1024");
}

/* Every name that one of the two takes, the other takes, and means the same. */
TEST(test_names)
{
    static const char *const words[] = {"",    "sdma", "pio",   "rcpy", "nirx",   "hrx",
                                        "hmc", "1k",   "2k",    "4k",   "binary", "binomial",
                                        "NIC", "x",    "sdma ", "rcpyy"};
    enum { WORDS = sizeof words / sizeof *words };
    unsigned known = 0;
    for (unsigned i = 0; i < WORDS * WORDS * WORDS; i++) {
        const char *a = words[i % WORDS], *b = words[i / WORDS % WORDS],
                   *c = words[i / WORDS / WORDS];
        char name[64];
        snprintf(name, sizeof name, "l%s%s%s%s%s%s", *a ? "-" : "", a, *b ? "-" : "", b,
                 *c ? "-" : "", c);
        clump_lci_protocol virtual;
        clump_lossy_protocol ours;
        const bool there = clump_lci_protocol_parse(name, &virtual, NULL) == CLUMP_PROTOCOL_OK;
        if ((clump_lossy_protocol_parse(name, &ours, NULL) == CLUMP_OK) != there)
            fail_msg("'%s': one knows it, the other does not", name);
        if (!there)
            continue;
        known++;
        const bool copies = virtual.transfer == CLUMP_TRANSFER_COPY;
        assert_true(ours.packet_bytes == virtual.mtu - (copies ? 8 : 0));
        assert_int_equal(ours.recovery, virtual.reliability == CLUMP_RELIABILITY_CREDITS
                                            ? CLUMP_RECOVERY_NONE
                                            : CLUMP_RECOVERY_GO_BACK_N);
        assert_int_equal(ours.on_host, virtual.reliability == CLUMP_RELIABILITY_HOST);
    }
    assert_true(known > 300);
    clump_lossy_protocol ssam;
    clump_error e;
    assert_int_equal(clump_lossy_protocol_parse("ssam", &ssam, NULL), CLUMP_OK);
    assert_true(ssam.recovery == CLUMP_RECOVERY_SELECTIVE && ssam.packet_bytes == 40);
    assert_int_equal(clump_lossy_protocol_parse("l-nirz", &ssam, &e), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(e.message, "'nirz'"));
    assert_int_equal(clump_lossy_protocol_parse("l-nirx-hrx", &ssam, &e), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(e.message, "contradicts"));
    assert_int_equal(clump_lossy_protocol_parse("", &ssam, NULL), CLUMP_BAD_ARGUMENT);
}

/* Messages of several packets, and traffic, with numbers that can be done on paper: window 1, so
 * that each packet takes 1/(1-q) sendings and T q/(1-q) longer. */
TEST(test_messages)
{
    const clump_loggp p = {10, 2, 3, 5, 0.01};
    clump_lossy_network n = {.loss = 0.1, .window = 1, .timeout_us = 100};
    clump_lossy_message m;
    const double q = 0.19, again = q / (1 - q);
    assert_int_equal(clump_lossy_protocol_parse("l-nirx-1k", &n.protocol, NULL), CLUMP_OK);
    assert_int_equal(clump_lossy_message_cost(&n, &p, 1, &m, NULL), CLUMP_OK);
    near(m.packets, 1, 0, "packets");
    near(m.stream_us, 100 * again, 1e-12, "short, stream");
    near(m.occupancy_us, 5 * again, 1e-12, "short, NIC");
    near(m.delay_us, 100 * 0.1 / 0.9, 1e-12, "short, delay");
    /* 2500 bytes: 3 packets that take (5 + 24.99)/3 each. */
    assert_int_equal(clump_lossy_message_cost(&n, &p, 2500, &m, NULL), CLUMP_OK);
    near(m.packets, 3, 0, "packets");
    near(m.stream_us, 300 * again, 1e-12, "long, stream");
    near(m.occupancy_us, 29.99 * again, 1e-12, "long, NIC");
    /* 8 short messages, a quarter of them waited for, and 2 of 2500 bytes. */
    const clump_traffic t = {8, 2, 5000};
    const double occupancy = 8 * 5 * again + 2 * 29.99 * again;
    const double lost = 6 * 100 * again + 2 * 100 * 0.1 / 0.9 + 2 * 300 * again;
    /* U, f, V, h of a program that computes for 1000 us, all of it remote. */
    clump_workload w = {
        .remote = t, .waited_share = 0.25, .memory_penalty = 1, .computation_us = 1000};
    clump_demand_profile clean, lossy, none;
    assert_int_equal(clump_traffic_profile(&w, &p, &p, &clean, NULL), CLUMP_OK);
    w.lossy = &n;
    assert_int_equal(clump_traffic_profile(&w, &p, &p, &lossy, NULL), CLUMP_OK);
    const double C = 10 * 5 + 4998 * 0.01 + 2 * (15 - 5); /* RTT/2 = 15 */
    near(clean.utilization, C / (1000 + C), 1e-12, "U");
    near(lossy.utilization, (C + lost) / (1000 + C + lost), 1e-12, "U with loss");
    near(lossy.loss_factor, (C + lost) / C, 1e-12, "factor");
    near(lossy.time_us, 1000 + C + lost, 1e-12, "time");
    near(lossy.coupling.waiting_fraction, (20 + lost - occupancy) / (C + lost), 1e-12, "h");
    /* The time that is given is that without loss. */
    w.time_us = 1000 + C;
    w.computation_us = 0;
    assert_int_equal(clump_traffic_profile(&w, &p, &p, &none, NULL), CLUMP_OK);
    near(none.utilization, lossy.utilization, 1e-12, "U by time");
    /* Without loss: the same bits. */
    n.loss = 0;
    w.time_us = 0;
    w.computation_us = 1000;
    assert_int_equal(clump_traffic_profile(&w, &p, &p, &none, NULL), CLUMP_OK);
    assert_memory_equal(&none, &clean, sizeof clean);
}

TEST(test_effective)
{
    const clump_loggp p = {10, 2, 3, 5, 0.01};
    clump_lossy_network n = {.loss = 0.1, .window = 1, .timeout_us = 100};
    clump_lossy_loggp e;
    const double again = 0.19 / 0.81;
    assert_int_equal(clump_lossy_protocol_parse("l-hrx-1k", &n.protocol, NULL), CLUMP_OK);
    assert_int_equal(clump_lossy_network_loggp(&n, &p, &e, NULL), CLUMP_OK);
    near(e.loggp.gap_us, 5 + 100 * again, 1e-12, "g");
    near(e.loggp.latency_us, 10 + 100 / 9.0, 1e-12, "L");
    near(e.loggp.gap_us_per_byte, 0.01 + 100 * again / 1024, 1e-12, "G");
    near(e.loggp.send_overhead_us, 2 / 0.81, 1e-12, "o_s");
    near(e.loggp.receive_overhead_us, 3 / 0.9, 1e-12, "o_r");
    /* Defaults: 10 ms, and a window that half of which covers a round trip. */
    n = (clump_lossy_network){.protocol = n.protocol};
    const clump_loggp far = {1000, 2, 3, 5, 0.01};
    assert_int_equal(clump_lossy_network_loggp(&n, &far, &e, NULL), CLUMP_OK);
    assert_true(e.timeout_us == 10000 && e.window == 2 * 402); /* 2010/5 */
    assert_memory_equal(&e.loggp, &far, sizeof far);
    assert_int_equal(clump_lossy_network_loggp(&n, &p, &e, NULL), CLUMP_OK);
    assert_int_equal(e.window, 32);
}

/* How often a packet is sent, against nodes that only lose packets, in both directions. */
TEST(test_transmissions)
{
    for (uint16_t w = 2; w <= 32; w *= 4)
        for (int k = 0; k < 2; k++) {
            const double loss = k == 0 ? 0.02 : 0.1;
            struct nodes_stream s = {.total = (uint64_t)(4000 / loss)};
            const clump_wire_faults faults = {.delay_ps = 5000 * NS, .loss = loss, .seed = 3u + w};
            const clump_lci_counters c = nodes_stream_run(&s, w, 400000, &faults);
            const clump_lossy_cost model =
                cost_of((clump_lossy_stream){.recovery = CLUMP_RECOVERY_GO_BACK_N,
                                             .loss = loss,
                                             .window = w,
                                             .gap_us = 1e-6, /* nothing takes time but the way */
                                             .round_trip_us = 10,
                                             .timeout_us = 400,
                                             .acknowledge_us = 1});
            near((double)(c.sent + c.resent) / (double)s.total, model.transmissions, 0.05, "sent");
            near((double)s.finished_ns * 1e-3 / (double)s.total, model.packet_us, 0.05, "time");
        }
}

UNIT_MAIN(NULL, NULL)
