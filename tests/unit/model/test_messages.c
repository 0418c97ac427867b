/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/simulation/messages.h"

#include <math.h>
#include <string.h>

/*
 * Message-level simulation against times that were derived by hand. With L = 5, o_s = 1, o_r = 1.5,
 * g = 4 and G = 0.01 a short message takes o_s + L + o_r = 7.5 us.
 */

static const clump_loggp net = {5, 1, 1.5, 4, 0.01}, memory = {1, 0.5, 0.5, 1, 0.001};

#include "tests/unit/simulated_messages.h"

static void expect(const clump_cluster *machine, const clump_program *program, double time_us)
{
    const clump_message_result r = run(machine, program);
    if (fabs(r.time_us - time_us) > 1e-9 * time_us)
        fail_msg("found %.9g us, expected %.9g", r.time_us, time_us);
}

TEST(test_one_sender)
{
    clump_cluster two = machine_of(2, 1, 1);
    clump_program p = program_of(CLUMP_PATTERN_MANY_TO_ONE, 1);
    expect(&two, &p, 7.5);
    p.bulk_share = 1;
    p.bulk_bytes = 101;
    expect(&two, &p, 7.5 + 100 * 0.01);
    p.bulk_share = 0;
    p.reply_share = 1;
    expect(&two, &p, 15);
    p.messages = 10;
    p.blocking_share = 1; /* each is waited for */
    expect(&two, &p, 150);
    p.blocking_share = 0;
    p.window = 1;
    expect(&two, &p, 150);
    p.reply_share = 0;
    p.window = 0; /* o_s, 99 gaps, L and o_r */
    p.messages = 100;
    expect(&two, &p, 1 + 99 * 4 + 6.5);
    /* A credit is back 12.5 us after the message began; with two of them, the second one leaves a
     * gap after the first, in each of 50 rounds. */
    p.window = 1;
    expect(&two, &p, 99 * 12.5 + 7.5);
    p.window = 2;
    expect(&two, &p, 49 * 12.5 + 1 + 4 + 6.5);
    /* Senders are stopped by their own NIC, which changes nothing for the network. */
    p.window = 0;
    two.send_queue = 1;
    expect(&two, &p, 1 + 99 * 4 + 6.5);
}

TEST(test_within_a_node)
{
    const clump_cluster node = machine_of(1, 2, 1);
    clump_program p = program_of(CLUMP_PATTERN_MANY_TO_ONE, 1);
    expect(&node, &p, 0.5 + 1 + 0.5);
    p.messages = 10;
    expect(&node, &p, 0.5 + 9 * 1 + 1 + 0.5);
    assert_true(run(&node, &p).nic_utilization == 0);
}

/* Many senders to one NIC contend there: 80 messages pass it one gap after the other. */
TEST(test_incast)
{
    clump_cluster nine = machine_of(9, 1, 1);
    clump_program p = program_of(CLUMP_PATTERN_MANY_TO_ONE, 10);
    const double end = 1 + 5 + 79 * 4 + 1.5;
    expect(&nine, &p, end);
    assert_true(run(&nine, &p).longest_queue > 10);
    nine.receive_queue = 2; /* the rest waits at the NIC */
    expect(&nine, &p, end);
    assert_true(run(&nine, &p).longest_queue == 2);
    /* The receiver's processor is the bottleneck: o_r = 1.5 above a gap of 1. */
    nine.network.gap_us = 1;
    expect(&nine, &p, 1 + 5 + 80 * 1.5);
    /* Eight NICs for eight ranks in the receiving node do not help a single rank's processor. */
}

TEST(test_all_to_all)
{
    /* In step: every rank sends R-1 messages a gap apart, and receives as many. */
    const clump_cluster now = machine_of(64, 1, 1);
    const clump_program p = program_of(CLUMP_PATTERN_ALL_TO_ALL, 63);
    const clump_message_result r = run(&now, &p);
    assert_true(fabs(r.time_us - (1 + 62 * 4 + 6.5)) < 1e-9);
    assert_true(r.messages == 64 * 63);
    assert_true(fabs(r.nic_utilization - 63 * 4 / r.time_us) < 1e-12);
    assert_true(fabs(r.receive_utilization - r.nic_utilization) < 1e-12);
    /* 8 nodes of 8 ranks with 2 NICs: 448 messages leave a node, 224 through each NIC. */
    clump_cluster clump = machine_of(8, 8, 2);
    for (int mapping = 0; mapping < 2; mapping++) {
        clump.node.mapping = (clump_mapping)mapping;
        const clump_message_result c = run(&clump, &p);
        assert_true(c.time_us >= 224 * 4 && c.time_us < 224 * 4 * 1.25);
        assert_true(fabs(c.nic_utilization - 224 * 4 / c.time_us) < 1e-12);
    }
}

TEST(test_half_duplex)
{
    clump_cluster two = machine_of(2, 1, 1);
    const clump_program p = program_of(CLUMP_PATTERN_NEIGHBOURS, 1);
    two.network.latency_us = 1;
    expect(&two, &p, 1 + 1 + 1.5);
    two.half_duplex = true; /* the NIC sends from 1 to 5, and only then receives */
    expect(&two, &p, 5 + 1.5);
}

TEST(test_barriers)
{
    /* Four phases of 7.5 us; between them three barriers of one round each, 7.5 us too. */
    const clump_cluster two = machine_of(2, 1, 1);
    clump_program p = program_of(CLUMP_PATTERN_NEIGHBOURS, 4);
    p.phases = 4;
    expect(&two, &p, 4 * 7.5 + 3 * 7.5);
    /* Computation of 100 us before each message; twice as long on slow memory. */
    p.computation_us = 400;
    p.computation_times.kind = CLUMP_SERVICE_CONSTANT;
    expect(&two, &p, 400 + 7 * 7.5);
    clump_cluster slow = two;
    slow.memory_penalty = 2;
    expect(&slow, &p, 800 + 7 * 7.5);
    /* All four messages after one computation. */
    p.phases = 1;
    p.burst = 4;
    expect(&two, &p, 400 + 1 + 3 * 4 + 6.5);
}

/* A rank that computes answers only when it polls. */
TEST(test_polling)
{
    const clump_cluster two = machine_of(2, 1, 1);
    clump_program p = program_of(CLUMP_PATTERN_NEIGHBOURS, 200);
    p.reply_share = p.blocking_share = 1;
    p.computation_us = 200 * 1000;
    const clump_message_result never = run(&two, &p);
    p.poll_us = 10;
    const clump_message_result often = run(&two, &p);
    /* An answer waits for what is left of the other's computation: 1000 us, as that has no memory;
     * with polls for some 5 us. Both ranks wait for each other, so that they take turns. */
    assert_true(never.time_us > 1.9 * p.computation_us);
    assert_true(often.time_us < 1.25 * p.computation_us);
    assert_true(never.waiting > 0.4 && often.waiting < 0.15);
}

TEST(test_uniform_traffic)
{
    const clump_cluster clump = machine_of(4, 8, 8);
    clump_program p = program_of(CLUMP_PATTERN_UNIFORM, 400);
    p.remote_share = 0.25;
    p.computation_us = 400 * 40;
    const clump_message_result r = run(&clump, &p);
    assert_true(r.messages == 400.0 * 32 * (double)r.replications);
    /* 100 remote messages of 4 us a rank, a NIC each: 400 us of some 16 ms. */
    assert_true(fabs(r.nic_utilization * r.time_us / 400 - 1) < 0.03);
    assert_true(r.reached && r.half_width <= 0.01 * r.time_us && r.half_width > 0);
}

TEST(test_matrix)
{
    /* 1 and 2 send to 3 only, 0 and 3 nothing: 20 messages through one NIC. */
    const double matrix[16] = {9, 0, 0, 0, 0, 7, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0};
    const clump_cluster four = machine_of(4, 1, 1);
    clump_program p = program_of(CLUMP_PATTERN_MATRIX, 10);
    p.matrix = matrix;
    const clump_message_result r = run(&four, &p);
    assert_true(fabs(r.time_us - (1 + 5 + 19 * 4 + 1.5)) < 1e-9);
}

TEST(test_ratio)
{
    /* Twice as many ranks as NICs, and no time to compute: NICs are the bottleneck, twice as long.
     */
    const clump_cluster clump = machine_of(8, 4, 2), now = machine_of(32, 1, 1);
    const clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_program p = program_of(CLUMP_PATTERN_UNIFORM, 3000);
    clump_message_result on, against;
    clump_ratio ratio;
    p.remote_share = 1;
    p.window = 16;
    assert_int_equal(
        clump_simulate_messages(&clump, &now, &p, &options, &on, &against, &ratio, NULL), CLUMP_OK);
    assert_true(fabs(ratio.value - on.time_us / against.time_us) < 1e-12);
    assert_true(ratio.half_width <= 0.01 * ratio.value);
    assert_true(ratio.value > 1.6 && ratio.value <= 2.1);
    assert_true(on.nic_utilization > 0.9);
}

TEST(test_the_same_on_any_number_of_threads)
{
    const clump_cluster clump = machine_of(2, 4, 2);
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_program p = program_of(CLUMP_PATTERN_UNIFORM, 50.5);
    clump_message_result one, many;
    p.remote_share = p.reply_share = p.blocking_share = 0.5;
    p.computation_us = 5000;
    options.threads = 1;
    assert_int_equal(clump_simulate_messages(&clump, NULL, &p, &options, &one, NULL, NULL, NULL),
                     CLUMP_OK);
    options.threads = 5;
    assert_int_equal(clump_simulate_messages(&clump, NULL, &p, &options, &many, NULL, NULL, NULL),
                     CLUMP_OK);
    assert_true(one.time_us == many.time_us && one.half_width == many.half_width);
    assert_true(one.waiting == many.waiting && one.events == many.events);
    assert_true(one.replications == many.replications);
}

static void refuse(const clump_cluster *machine, const clump_program *program, const char *words)
{
    const clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_message_result result;
    clump_error error = {CLUMP_OK, ""};
    assert_int_equal(
        clump_simulate_messages(machine, NULL, program, &options, &result, NULL, NULL, &error),
        CLUMP_BAD_ARGUMENT);
    if (strstr(error.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.message, words);
}

TEST(test_wrong_arguments)
{
    const clump_cluster good = machine_of(2, 1, 1);
    const clump_program p = program_of(CLUMP_PATTERN_NEIGHBOURS, 1);
    clump_cluster m = machine_of(0, 1, 1);
    refuse(&m, &p, "0 nodes");
    m = machine_of((size_t)1 << 40, (size_t)1 << 40, 1);
    refuse(&m, &p, "expected 1 to 16777216 ranks");
    m = machine_of(2, 1, 0);
    refuse(&m, &p, "0 NICs");
    m = good;
    m.network.latency_us = -2;
    refuse(&m, &p, "before its sender begins");
    m = good;
    m.network.gap_us = NAN;
    refuse(&m, &p, "network");
    m = good;
    m.receive_queue = 5000;
    refuse(&m, &p, "queues");
    clump_program bad = p;
    bad.messages = -1;
    refuse(&good, &bad, "messages is -1");
    bad = p;
    bad.burst = 0;
    refuse(&good, &bad, "burst is 0");
    bad = p;
    bad.phases = INFINITY;
    refuse(&good, &bad, "phases");
    bad = p;
    bad.pattern = CLUMP_PATTERN_MATRIX;
    refuse(&good, &bad, "without one");
    const double matrix[4] = {0, -1, 0, 0};
    bad.matrix = matrix;
    refuse(&good, &bad, "weight -1 from rank 0 to rank 1");
}

UNIT_MAIN(NULL, NULL)
