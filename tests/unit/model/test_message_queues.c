/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/simulation/messages.h"

#include <math.h>
#include <stdlib.h>

/*
 * Message-level simulation against queueing theory. Latency and overheads are 0 and the gap is next
 * to nothing, so that a rank and a NIC are the two stations of textbooks. A bulk message takes 1 us
 * of the NIC on average.
 */

static const clump_loggp bare = {1e-9, 0, 0, 1e-9, 1e-3};
enum { BYTES = 1001 };

/* One rank, of `processors` of the first node, to the first rank of each other node. */
static double *one_to_one(size_t processors)
{
    const size_t R = (processors + 1) * processors;
    double *matrix = calloc(R * R, sizeof *matrix);
    assert_non_null(matrix);
    for (size_t p = 0; p < processors; p++)
        matrix[p * R + (p + 1) * processors] = 1;
    return matrix;
}

static clump_cluster machine_of(size_t nodes, size_t processors, size_t nics)
{
    return (clump_cluster){.nodes = nodes,
                           .node = {.processors = processors, .nics = nics},
                           .network = bare,
                           .shared_memory = bare,
                           .memory_penalty = 1};
}

static clump_program program_of(const double *matrix, double messages, double computation)
{
    return (clump_program){.pattern = CLUMP_PATTERN_MATRIX,
                           .matrix = matrix,
                           .messages = messages,
                           .computation_us = computation * messages,
                           .bulk_share = 1,
                           .bulk_bytes = BYTES,
                           .sizes_vary = true,
                           .phases = 1,
                           .burst = 1};
}

/* Messages a us, which must be `expected` within the interval at 99.99%, and `end` us, mostly more,
 * of each run that are not like the others. */
static void expect_rate(const clump_cluster *machine, const clump_program *program, double expected,
                        double end)
{
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_message_result r;
    clump_error error;
    options.precision = 0.01;
    options.confidence = 0.9999;
    if (clump_simulate_messages(machine, NULL, program, &options, &r, NULL, NULL, &error) !=
        CLUMP_OK)
        fail_msg("%s", error.message);
    const double time = program->messages / expected;
    assert_true(r.reached);
    if (r.time_us < time - r.half_width - end / 4 || r.time_us > time + r.half_width + end)
        fail_msg("%g messages took %g +- %g us, expected %g", program->messages, r.time_us,
                 r.half_width, time);
}

/* Throughput of M/M/1/K, arrivals at rate a while there is room, service 1. */
static double finite_queue(double a, double K)
{
    return a == 1 ? K / (K + 1) : a * (1 - pow(a, K)) / (1 - pow(a, K + 1));
}

/* A window of w: as many are at the NIC, and one more in the hands of the rank that waits. */
TEST(test_window_is_a_finite_queue)
{
    double *matrix = one_to_one(1);
    const clump_cluster two = machine_of(2, 1, 1);
    for (size_t w = 1; w <= 8; w *= 2)
        for (double a = 0.5; a <= 2; a *= 2) {
            clump_program p = program_of(matrix, 4000, 1 / a);
            p.window = w;
            expect_rate(&two, &p, finite_queue(a, (double)w + 1), 20);
        }
    free(matrix);
}

/* A queue of n before the NIC: n wait, one is sent, and one is in the hands of the rank. */
TEST(test_send_queue_is_a_finite_queue)
{
    double *matrix = one_to_one(1);
    clump_cluster two = machine_of(2, 1, 1);
    for (size_t n = 1; n <= 4; n *= 2)
        for (double a = 0.5; a <= 2; a *= 2) {
            const clump_program p = program_of(matrix, 4000, 1 / a);
            two.send_queue = n;
            expect_rate(&two, &p, finite_queue(a, (double)n + 2), 20);
        }
    free(matrix);
}

/* M/G/1/2: between two that leave is a service, after an idle time 1/a if nobody came in the last
 * one. That has the probability E[exp(-a S)]. */
TEST(test_distributions_of_sizes)
{
    static const double samples[] = {1, 2, 3, 10};
    const double a = 1.5, v = (1 + sqrt(3.0 / 5)) / 2; /* balanced means, C = 4 */
    const struct {
        clump_service_time time;
        double nobody;
    } cases[] = {
        {{.kind = CLUMP_SERVICE_EXPONENTIAL}, 1 / (1 + a)},
        {{.kind = CLUMP_SERVICE_CONSTANT}, exp(-a)},
        {{.kind = CLUMP_SERVICE_ERLANG, .shape = 3}, pow(1 + a / 3, -3)},
        {{.kind = CLUMP_SERVICE_HYPEREXPONENTIAL, .shape = 4},
         v / (1 + a / (2 * v)) + (1 - v) / (1 + a / (2 * (1 - v)))},
        {{.kind = CLUMP_SERVICE_SAMPLES, .samples = samples, .sample_count = 4},
         (exp(-a / 4) + exp(-a / 2) + exp(-0.75 * a) + exp(-2.5 * a)) / 4},
    };
    double *matrix = one_to_one(1);
    const clump_cluster two = machine_of(2, 1, 1);
    for (size_t i = 0; i < 5; i++) {
        clump_program p = program_of(matrix, 4000, 1 / a);
        p.window = 1;
        p.bulk_sizes = cases[i].time;
        expect_rate(&two, &p, 1 / (1 + cases[i].nobody / a), 40);
    }
    free(matrix);
}

/* Cycles a us of P machines that run for Z and need one of N repairmen for 1: the closed chain,
 * whose states have the weights P!/(P-q)! / (mu(1) ... mu(q) Z^q). */
static double repairmen(size_t P, size_t N, double Z)
{
    double weight = 1, sum = 0, rate = 0;
    for (size_t q = 0; q <= P; q++) {
        const double mu = q < N ? (double)q : (double)N;
        weight *= q > 0 ? (double)(P - q + 1) / (Z * mu) : 1;
        sum += weight;
        rate += weight * mu;
    }
    return rate / sum;
}

/* Ranks that wait for their answers, on pooled NICs of one node. The latency of both messages is
 * time in which a rank is away, like its computation, and only the mean of that counts. */
TEST(test_blocking_ranks_are_machine_repairmen)
{
    const double messages = 4000;
    for (size_t P = 2; P <= 6; P += 2)
        for (size_t N = 1; N <= 2; N++) {
            double *matrix = one_to_one(P);
            clump_cluster machine = machine_of(P + 1, P, N);
            clump_program p = program_of(matrix, messages, 2);
            machine.network.latency_us = 0.5;
            p.reply_share = p.blocking_share = 1;
            /* The slowest of P <= 6 ranks is done later than the mean one, by 1.27 of their
             * standard deviations at most; a cycle's is not above its mean. */
            const double rate = repairmen(P, N, 3) / (double)P;
            expect_rate(&machine, &p, rate, 1.27 * sqrt(messages) / rate);
            free(matrix);
        }
}

static void expect(const clump_cluster *machine, const clump_program *program, double time_us)
{
    const clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_message_result r;
    assert_int_equal(
        clump_simulate_messages(machine, NULL, program, &options, &r, NULL, NULL, NULL), CLUMP_OK);
    if (fabs(r.time_us - time_us) > 1e-6 * time_us)
        fail_msg("found %.9g us, expected %.9g", r.time_us, time_us);
}

/* D/D/1: who computes longer than the NIC sends never waits; else the NIC never does. */
TEST(test_constant_times)
{
    double *matrix = one_to_one(1);
    const clump_cluster two = machine_of(2, 1, 1);
    clump_program p = program_of(matrix, 1000, 3);
    p.sizes_vary = false;
    p.computation_times.kind = CLUMP_SERVICE_CONSTANT;
    expect(&two, &p, 1000 * 3 + 1);
    p.computation_us = 0.25 * 1000;
    expect(&two, &p, 0.25 + 1000 * 1);
    /* Two outstanding: computing 3 goes on, until the first one has gone there (1 + 10) and the
     * credit is back (10), 21 after it was sent. */
    clump_cluster far = two;
    far.network.latency_us = 10;
    p.computation_us = 3 * 1000;
    p.window = 2;
    expect(&far, &p, 499 * 21 + 3 + 3 + 1 + 10);
    p.window = 100;
    expect(&far, &p, 1000 * 3 + 1 + 10);
    free(matrix);
}

/* Incast: what arrives at a node is the sum of what is sent, and its NICs share it. */
TEST(test_incast_on_several_nics)
{
    clump_cluster machine = machine_of(5, 4, 2);
    clump_program p = program_of(NULL, 50, 0);
    p.pattern = CLUMP_PATTERN_MANY_TO_ONE;
    p.sizes_vary = false;
    for (int mapping = 0; mapping < 2; mapping++) {
        machine.node.mapping = (clump_mapping)mapping;
        const double arrivals = 16 * 50; /* the three of its own node come by memory */
        const double nics = mapping == CLUMP_MAPPING_POOLED ? 2 : 1;
        const clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        clump_message_result r;
        assert_int_equal(
            clump_simulate_messages(&machine, NULL, &p, &options, &r, NULL, NULL, NULL), CLUMP_OK);
        assert_true(fabs(r.time_us - arrivals / nics) < 1e-6 * arrivals);
    }
}

UNIT_MAIN(NULL, NULL)
