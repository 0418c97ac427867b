/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/simulation/message_poll.h"
#include "model/simulation/message_run.h"
#include "model/simulation/messages.h"
#include "protocols/endpoint/adaptive_polling.h"

#include <math.h>
#include <string.h>

/* What chapters 4 and 8 know of nodes, in terms of messages, against times derived by hand. */

static const clump_loggp net = {5, 3, 3.5, 4, 0.01}, memory = {1, 0.5, 0.75, 1, 0.001};

#include "tests/unit/simulated_messages.h"

static void expect(const clump_cluster *machine, const clump_program *program, double time_us,
                   double tolerance_us)
{
    const clump_message_result r = run(machine, program);
    if (fabs(r.time_us - time_us) > tolerance_us + r.half_width)
        fail_msg("found %.9g +- %.3g us, expected %.9g +- %g", r.time_us, r.half_width, time_us,
                 tolerance_us);
}

/* From one rank to another, no others. */
static void link_ranks(double *matrix, size_t ranks, size_t from, size_t to)
{
    matrix[from * ranks + to] = 1;
}

static clump_message_polling polling_of(uint32_t least, uint32_t most)
{
    clump_message_polling p = CLUMP_MESSAGE_POLLING_DEFAULTS;
    p.costs = (clump_poll_costs){.local_us = 0.25, .network_us = 2.5, .strategy_us = 0.125};
    p.minimum_skip = least;
    p.maximum_skip = most;
    return p;
}

/* ---- adaptive polling ---- */

/* The same numbers as the strategy that endpoints use, whatever arrives. */
TEST(test_estimates_are_those_of_endpoints)
{
    uint32_t x = 1;
    for (uint32_t k = 1; k <= 64; k *= 4)
        for (uint32_t d = 16; d <= 1024; d *= 8) {
            clump_polling_parameters parameters = {4, 4096, d, k, 2, d < 64 ? d : 64};
            clump_message_polling rule = polling_of(2, parameters.maximum_skip);
            clump_polling theirs;
            message_poll ours;
            rule.damping = d;
            rule.equality = k;
            assert_null(clump_polling_check(&parameters));
            assert_int_equal(clump_message_polling_check(&rule, "", NULL), CLUMP_OK);
            clump_polling_start(&theirs, &parameters);
            message_poll_start(&ours);
            for (int i = 0; i < 20000; i++) {
                const uint32_t most = clump_polling_begin(&theirs);
                message_poll_open(&ours, &rule);
                assert_int_equal(ours.may[MESSAGE_REMOTE], most);
                assert_int_equal(ours.may[MESSAGE_LOCAL], 4);
                x = x * 1664525 + 1013904223;
                const uint32_t busy = i / 4000 % 2, local = busy ? (x >> 20) % 5 : 0;
                const uint32_t remote = most > 0 && (x >> 30) == 0 ? (x >> 8) % (most + 1) : 0;
                ours.got[MESSAGE_LOCAL] = local;
                ours.got[MESSAGE_REMOTE] = remote;
                message_poll_close(&ours, &rule);
                clump_polling_end(&theirs, local, remote);
                assert_true(ours.local == theirs.local && ours.remote == theirs.remote);
                assert_true(ours.skip == theirs.skip && ours.left == theirs.left);
            }
        }
}

/* Polls in vain are skipped only when nothing changes: in one stretch or in many, it is the same.
 */
TEST(test_waiting_for_long_is_waiting_often)
{
    const clump_message_polling rule = polling_of(4, 64);
    message_poll once, often;
    uint64_t few = 0, many = 0;
    message_poll_start(&once);
    once.local = 40000;
    once.remote = 900;
    often = once;
    const double end = message_poll_idle(&once, &rule, 1e7, &few);
    for (double t = 3; t <= 1e7; t += t < 1e5 ? 3 : 12345) {
        if (often.idle_since > t)
            continue;
        often.idle_since = message_poll_idle(&often, &rule, t, &many);
        message_poll_close(&often, &rule);
        many++;
    }
    if (often.idle_since <= 1e7)
        often.idle_since = message_poll_idle(&often, &rule, 1e7, &many);
    assert_true(fabs(often.idle_since - end) < 1e-3);
    assert_true(once.skip == often.skip && once.left == often.left);
    assert_true(once.local == often.local && once.remote == often.remote);
    assert_true(few < 20000 && many > 50000);
}

/* Sends through shared memory: each polls, and every s-th poll looks at the network; o' of
 * clump_polling_effect. */
TEST(test_polls_cost_local_messages)
{
    clump_cluster node = machine_of(1, 2, 1);
    clump_program p = program_of(CLUMP_PATTERN_MANY_TO_ONE, 1000);
    clump_loggp alone = memory;
    alone.gap_us = node.shared_memory.gap_us = 0.01; /* processors, not memory, set the pace */
    for (uint32_t s = 1; s <= 16; s *= 4) {
        node.polling = polling_of(s, s);
        const clump_message_polling *rule = &node.polling;
        const clump_poll_strategy strategy = {rule->accuracy, rule->equality, s, s};
        const clump_poll_traffic traffic = {1, 0, 0};
        clump_poll_effect effect;
        assert_int_equal(clump_polling_effect(NULL, &alone, &net, &rule->costs, &strategy, &traffic,
                                              &effect, NULL),
                         CLUMP_OK);
        /* The receiver pays a poll for up to 4 messages: faster than the sender, or else, when it
         * looks at the network each time, about as fast. */
        expect(&node, &p, 1000 * effect.local.send_overhead_us, 12);
    }
}

/*
 * A rank computes, asks the other one, and waits. Who waits looks at the network once in a period
 * T = s (c_l + b) + c_n, at a moment that has nothing to do with the message: it is found T/2
 * later. The polls before the message and before the answer do not look, as one just did.
 */
TEST(test_messages_wait_for_the_poll_that_looks)
{
    const double matrix[4] = {0, 1, 0, 0};
    clump_cluster two = machine_of(2, 1, 1);
    clump_program p = program_of(CLUMP_PATTERN_MATRIX, 4000);
    p.matrix = matrix;
    p.reply_share = p.blocking_share = 1;
    two.network.latency_us = 200;
    for (uint32_t s = 4; s <= 64; s *= 4) {
        two.polling = polling_of(s, s);
        const clump_poll_costs *c = &two.polling.costs;
        const double plain = c->local_us + c->strategy_us, T = s * plain + c->network_us;
        const double one_way = plain + (net.send_overhead_us - c->network_us) + 200 + T / 2 +
                               (net.receive_overhead_us - c->network_us);
        p.computation_us = 4000 * 50 * T;
        expect(&two, &p, p.computation_us + 4000 * 2 * one_way, 0);
    }
}

/* ---- nodes ---- */

TEST(test_groups_of_processors)
{
    /* 6 processors, of which NIC 0 has 1 and NIC 1 has 5; all send 100 messages to another node. */
    const size_t sizes[] = {1, 5}, wrong[] = {1, 4};
    double matrix[12 * 12] = {0};
    for (size_t p = 0; p < 6; p++)
        link_ranks(matrix, 12, p, p + 6);
    clump_cluster m = machine_of(2, 6, 2);
    clump_program p = program_of(CLUMP_PATTERN_MATRIX, 100);
    p.matrix = matrix;
    m.node.mapping = CLUMP_MAPPING_STATIC;
    expect(&m, &p, 3 + 299 * 4 + 5 + 3.5, 1e-6);
    m.node.group_sizes = sizes;
    expect(&m, &p, 3 + 499 * 4 + 5 + 3.5, 1e-6);
    clump_error error;
    clump_message_result r;
    const clump_simulation_options o = CLUMP_SIMULATION_DEFAULTS;
    m.node.group_sizes = wrong;
    assert_int_equal(clump_simulate_messages(&m, NULL, &p, &o, &r, NULL, NULL, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "expected the 6 processors"));
}

/* All processors have something to send all the time: each message takes g/E(P). */
TEST(test_sharing_costs)
{
    double table[8], matrix[72 * 72] = {0};
    for (size_t q = 0; q < 8; q++)
        table[q] = 1 / (1 + 0.05 * (double)q);
    for (size_t p = 0; p < 8; p++)
        link_ranks(matrix, 72, p, 8 * (p + 1));
    clump_cluster m = machine_of(9, 8, 1);
    clump_program p = program_of(CLUMP_PATTERN_MATRIX, 500);
    p.matrix = matrix;
    m.node.efficiency = (clump_efficiency){.table = table, .table_length = 8};
    expect(&m, &p, 8 * 500 * 4 / table[7], 60 * 4);
    /* Tied to a NIC each they do not share; in pairs they do. */
    m.node.nics = 8;
    m.node.mapping = CLUMP_MAPPING_STATIC;
    expect(&m, &p, 3 + 499 * 4 + 5 + 3.5, 1e-6);
    m.node.nics = 4;
    expect(&m, &p, 2 * 500 * 4 / table[1], 20 * 4);
}

TEST(test_near_and_far_nics)
{
    /* Two domains with a processor and a NIC each; processor 1 is tied to the NIC of the other. */
    const size_t first[] = {2, 0};
    double matrix[16] = {0};
    link_ranks(matrix, 4, 1, 3);
    clump_cluster m = machine_of(2, 2, 2);
    clump_program p = program_of(CLUMP_PATTERN_MATRIX, 100);
    p.matrix = matrix;
    m.node.mapping = CLUMP_MAPPING_STATIC;
    m.node.placement = (clump_placement){.domains = 2, .far = 0.5};
    expect(&m, &p, 3 + 99 * 4 + 5 + 3.5, 1e-6);
    m.node.group_sizes = first;
    expect(&m, &p, 3 + 99 * 8 + 5 + 3.5, 1e-6);
    /* 101 bytes: 1 us more for the first NIC, and as much of G on the way through the second. */
    p.bulk_share = 1;
    p.bulk_bytes = 101;
    expect(&m, &p, 3 + 99 * (4 + 1) / 0.5 + 5 + 1 / 0.5 + 3.5, 1.5);
    /* Pooled, a processor takes the NIC on which a message ends first: the near one is twice as
     * fast, and gets two of three. */
    p.bulk_share = 0;
    m.node.group_sizes = NULL;
    m.node.mapping = CLUMP_MAPPING_POOLED;
    m.network.send_overhead_us = m.network.receive_overhead_us = 0.1;
    expect(&m, &p, 100 * 4 / 1.5, 12);
}

/* Two ports of a slot that carries one NIC's worth take turns. */
TEST(test_ports_of_a_slot)
{
    double matrix[16] = {0};
    clump_cluster m = machine_of(2, 2, 2);
    clump_program p = program_of(CLUMP_PATTERN_MATRIX, 200);
    link_ranks(matrix, 4, 0, 2);
    p.matrix = matrix;
    m.node.mapping = CLUMP_MAPPING_STATIC;
    m.node.placement.slots = (clump_slots){.ports = 2, .bandwidth = 1};
    expect(&m, &p, 3 + 199 * 4 + 5 + 3.5, 1e-6); /* one port alone */
    link_ranks(matrix, 4, 1, 3);
    expect(&m, &p, 2 * 200 * 4, 20);
    m.node.placement.slots.bandwidth = 1.5;
    expect(&m, &p, 2 * 200 * 4 / 1.5, 20);
}

TEST(test_nics_at_once)
{
    double matrix[4] = {0, 1, 0, 0};
    clump_cluster m = machine_of(2, 1, 4);
    clump_program p = program_of(CLUMP_PATTERN_MATRIX, 400);
    p.matrix = matrix;
    m.network.send_overhead_us = m.network.receive_overhead_us = 0.1;
    const double most[] = {0, 1, 2, 2.75, 4, 9}, used[] = {4, 1, 2, 2, 4, 4};
    for (size_t i = 0; i < 6; i++) {
        m.node.max_nics_per_processor = most[i];
        expect(&m, &p, 400 * 4 / used[i], 12);
    }
}

/* Bytes out and bytes in take turns on a half-duplex bus; short messages do not notice it. */
TEST(test_half_duplex_bus)
{
    clump_cluster two = machine_of(2, 1, 1);
    clump_program p = program_of(CLUMP_PATTERN_NEIGHBOURS, 100);
    p.bulk_share = 1;
    p.bulk_bytes = 10001; /* 100 us of bytes */
    expect(&two, &p, 100 * 104, 20);
    two.half_duplex_bus = true;
    expect(&two, &p, 100 * (200 + 4), 100 * 4); /* the bus rests in some of the gaps */
    p.bulk_share = 0;
    const double half = run(&two, &p).time_us;
    two.half_duplex_bus = false;
    assert_true(half == run(&two, &p).time_us);
}

/* ---- programs ---- */

/* A barrier after each computation: two ranks take the mean, if they compute together; else the
 * longer of two exponentials, 1.5 times as long. */
TEST(test_computing_together)
{
    const clump_cluster node = machine_of(1, 2, 1);
    clump_program p = program_of(CLUMP_PATTERN_NEIGHBOURS, 1000);
    p.computation_us = 1e6;
    p.phases = 1000;
    /* Each message and each barrier take below 12 us. */
    expect(&node, &p, 1.5e6, 24000);
    p.together = 2;
    expect(&node, &p, 1e6, 24000);
}

TEST(test_imbalance)
{
    const double work[] = {1, 3};
    const clump_cluster node = machine_of(2, 2, 2);
    clump_program p = program_of(CLUMP_PATTERN_NEIGHBOURS, 100);
    p.computation_us = 1e5;
    p.computation_times.kind = CLUMP_SERVICE_CONSTANT;
    p.imbalance = work;
    const clump_message_result r = run(&node, &p);
    assert_true(r.messages == 2 * (50 + 150) * (double)r.replications);
    assert_true(fabs(r.time_us - 1.5e5) < 0.02e5);
}

/* Two ranks, 500 and 1500 us of work; nu(2) of it a microsecond until the first one is done, then 1. */
TEST(test_shared_memory_bandwidth)
{
    static const double imbalance[] = {0.5, 1.5};
    static const clump_loggp nothing = {0, 1e-6, 1e-6, 1e-6, 0};
    static const clump_memory memories[] = {
        {.share = 1, .feeds = 1}, {.share = 0.5, .feeds = 1}, {.share = 1, .feeds = 2}};
    static const double expected[] = {2000, 1625, 1500};
    for (int i = 0; i < 3; i++)
        for (int poll = 0; poll < 2; poll++) {
            clump_cluster machine = machine_of(1, 2, 1);
            clump_program program = program_of(CLUMP_PATTERN_NEIGHBOURS, 100);
            machine.shared_memory = nothing;
            machine.node.memory = memories[i];
            program.computation_us = 1000;
            program.computation_times.kind = CLUMP_SERVICE_CONSTANT;
            program.imbalance = imbalance;
            program.poll_us = poll ? 0.7 : 0;
            expect(&machine, &program, expected[i], 1e-2);
            /* Each node has its own. */
            machine.nodes = 3;
            program.remote_share = 0;
            program.pattern = CLUMP_PATTERN_UNIFORM;
            expect(&machine, &program, expected[i], 1e-2);
        }
    /* Eight that compute all the time, for random lengths: nu(8) = 4 in all. */
    clump_cluster machine = machine_of(1, 8, 1);
    clump_program program = program_of(CLUMP_PATTERN_NEIGHBOURS, 40000);
    machine.shared_memory = machine.network = nothing;
    machine.node.memory = (clump_memory){.share = 0.5, .feeds = 2, .law = CLUMP_MEMORY_ROOFLINE};
    program.computation_us = 1000;
    expect(&machine, &program, 2000, 30);
    /* The slowdown on a NOW, where everybody is alone, is 1. */
    const clump_cluster now = clump_cluster_now(&machine);
    expect(&now, &program, 1000, 30);
    machine.node.memory.feeds = 0;
    clump_message_result result;
    clump_error error;
    const clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    assert_int_equal(
        clump_simulate_messages(&machine, NULL, &program, &options, &result, NULL, NULL, &error),
        CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "machine: memory: it feeds 0"));
}

TEST(test_runs_to_a_rank)
{
    const clump_cluster m = machine_of(5, 1, 1);
    clump_program p = program_of(CLUMP_PATTERN_ALL_TO_ALL, 12);
    p.run = 3;
    message_setup setup;
    simulation_random random;
    simulation_random_start(&random, 1, 1);
    assert_int_equal(message_setup_make(&setup, &p, &m, NULL), CLUMP_OK);
    static const uint32_t targets[] = {3, 3, 3, 4, 4, 4, 0, 0, 0, 1, 1, 1, 3};
    for (uint64_t i = 0; i < 13; i++)
        assert_int_equal(message_setup_target(&setup, 2, i, &random), targets[i]);
    message_setup_release(&setup);
}

/* ---- events ---- */

TEST(test_events_run_out)
{
    const clump_cluster m = machine_of(4, 4, 2), now = clump_cluster_now(&m);
    clump_program p = program_of(CLUMP_PATTERN_UNIFORM, 500);
    clump_simulation_options o = CLUMP_SIMULATION_DEFAULTS;
    clump_message_result r, other;
    clump_ratio ratio;
    p.remote_share = 0.5;
    p.computation_us = 50000;
    o.precision = 1e-6;
    o.threads = 3;
    for (o.most_events = 10; o.most_events < 1e7; o.most_events *= 10) {
        assert_int_equal(clump_simulate_messages(&m, &now, &p, &o, &r, &other, &ratio, NULL),
                         CLUMP_OK);
        assert_false(r.reached);
        assert_true(r.events + other.events <= 1.05 * o.most_events + 16);
        /* A run has 16 x 500 messages, of 1 to 4 events each. */
        if (o.most_events >= 2 * 2 * 32000)
            assert_true(ratio.value > 0 && r.replications >= 2);
        if (o.most_events < 2 * 2 * 8000)
            assert_true(isnan(ratio.value) && isnan(r.time_us));
    }
}

UNIT_MAIN(NULL, NULL)
