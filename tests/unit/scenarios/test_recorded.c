/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From facts of a program to its slowdown. The programs are made up, event by event, so that the truth is
 * known: U, the size of their gangs, and what chapter 8 simulated makes of them. */
#include "scenarios/recorded/recorded.h"

#include "model/simulation/simulation.h"
#include "recording/overlap_facts.h"
#include "scenarios/recorded/recorded_calls.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const clump_loggp network = {.latency_us = 0,
                                    .send_overhead_us = 1e-3,
                                    .receive_overhead_us = 1e-3,
                                    .gap_us = 1e-2,
                                    .gap_us_per_byte = 1e-2};
static const clump_loggp memory = {.latency_us = 0,
                                   .send_overhead_us = 1e-3,
                                   .receive_overhead_us = 1e-3,
                                   .gap_us = 1e-3,
                                   .gap_us_per_byte = 1e-3};

static double uniform(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

/* ---- a program on a NOW: gangs that compute for exponential times and then send for S, to the other half */

typedef struct made_program {
    size_t ranks, gang;
    double computation, communication; /* s of a cycle; mean, and always */
    double seconds;
} made_program;

static clump_facts *make_facts(const made_program *g, uint64_t seed)
{
    const size_t most = (size_t)(2 * g->seconds / (g->computation + g->communication)) + 100;
    clump_overlap_interval *when = malloc(g->ranks * most * sizeof *when);
    clump_facts *facts = clump_facts_new();
    clump_overlap *overlap;
    size_t count = 0;
    assert_non_null(when);
    assert_non_null(facts);
    facts->wall = g->seconds;
    for (size_t r = 0; r < g->ranks; r++) {
        const clump_facts_node node = {.host = "host", .clock_low = NAN, .clock_high = NAN};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
    }
    for (size_t first = 0; first < g->ranks; first += g->gang) {
        double t = -10 * uniform(&seed) * g->computation, sent = 0;
        size_t messages = 0;
        while (t < g->seconds) {
            t -= g->computation * log(uniform(&seed));
            const double begin = fmax(t, 0), end = fmin(t + g->communication, g->seconds);
            t += g->communication;
            if (!(end > begin))
                continue;
            sent += end - begin;
            messages++;
            for (size_t i = 0; i < g->gang; i++)
                when[count++] = (clump_overlap_interval){first + i, begin, end};
        }
        for (size_t i = 0; i < g->gang; i++) {
            const clump_facts_rank rank = {.node = (int64_t)(first + i),
                                           .wall = g->seconds,
                                           .computing = g->seconds - sent,
                                           .processor = g->seconds - sent,
                                           .in_mpi = sent,
                                           .transferring = sent,
                                           .calls = 10,
                                           .traced = 10,
                                           .requests_mean = NAN,
                                           .requests_most = -1,
                                           .ended = true};
            const int64_t self = (int64_t)(first + i), all = (int64_t)g->ranks;
            /* n g + (B - n) G is the time that was sent */
            const double n = (double)messages;
            const clump_facts_traffic traffic = {.sender = self,
                                                 .receiver = (self + all / 2) % all,
                                                 .kind = "point-to-point",
                                                 .messages = n,
                                                 .bytes = n + (1e6 * sent - n * network.gap_us) /
                                                                  network.gap_us_per_byte};
            assert_true(clump_facts_add(facts, CLUMP_FACTS_RANK, &rank));
            assert_true(clump_facts_add(facts, CLUMP_FACTS_TRAFFIC, &traffic));
        }
    }
    assert_int_equal(clump_overlap_make(when, count, g->ranks, &overlap, NULL), CLUMP_OK);
    assert_int_equal(
        clump_overlap_facts_add(facts, CLUMP_OVERLAP_TRANSFERRING, overlap, 0, g->seconds, NULL),
        CLUMP_OK);
    clump_overlap_free(overlap);
    free(when);
    return facts;
}

static clump_recorded make(const clump_facts *facts, clump_arena *arena)
{
    const clump_recorded_options options = {.network = &network, .shared_memory = &memory};
    clump_recorded program;
    clump_error error = {CLUMP_OK, ""};
    if (clump_recorded_make(facts, &options, arena, &program, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return program;
}

static clump_recorded_placed place(const clump_recorded *program, size_t P, clump_arena *arena)
{
    clump_recorded_placed placed;
    clump_error error = {CLUMP_OK, ""};
    if (clump_recorded_place(program, P, arena, &placed, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return placed;
}

/* All its traffic leaves nodes of half of its ranks. U, s and the slowdown are those of the truth. */
static void test_known_programs(void **state)
{
    (void)state;
    static const struct {
        made_program program;
        size_t nics;
    } cases[] = {
        {{16, 1, 0.7e-3, 0.3e-3, 4}, 2}, {{16, 1, 0.4e-3, 0.6e-3, 4}, 4},
        {{16, 2, 0.7e-3, 0.3e-3, 4}, 2}, {{16, 4, 0.8e-3, 0.2e-3, 4}, 2},
        {{8, 2, 0.5e-3, 0.5e-3, 4}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const made_program *g = &cases[i].program;
        const size_t P = g->ranks / 2;
        const double U = g->communication / (g->communication + g->computation);
        clump_facts *facts = make_facts(g, 100 + i);
        clump_arena *arena = clump_arena_new();
        const clump_recorded program = make(facts, arena);
        const clump_recorded_placed placed = place(&program, P, arena);
        /* n cycles: a deviation of some 1/sqrt(n) for each rank, 4000 cycles; the slowest decides the time */
        assert_true(fabs(placed.utilization / U - 1) < 0.03);
        assert_true(fabs(placed.now_s / g->seconds - 1) < 0.03);
        assert_true(fabs(placed.remote_fraction - 1) < 1e-9);
        assert_true(placed.gangs.known);
        assert_string_equal(placed.gangs.doing, "transferring");
        print_message("U %.4f of %.4f, gangs %.3f (%.3f to %.3f) of %zu, %.0f observations\n",
                      placed.utilization, U, placed.gangs.ratio, placed.gangs.low,
                      placed.gangs.high, g->gang, placed.gangs.observations);
        /* this one and its neighbours: 90% intervals, seeds that are fixed; 1.6 of their half width */
        const double middle = (placed.gangs.low + placed.gangs.high) / 2,
                     half = (placed.gangs.high - placed.gangs.low) / 2;
        assert_true(fabs((double)g->gang - middle) < 1.6 * half + 0.02);
        assert_true(placed.gangs.rejects_correlated);
        if (g->gang > 1)
            assert_true(placed.gangs.rejects_independent);
        const clump_node node = {.processors = P, .nics = cases[i].nics};
        const clump_load truth = {.utilizations = &U,
                                  .utilization_count = 1,
                                  .demand = CLUMP_DEMAND_GANG,
                                  .gang_size = (double)g->gang,
                                  .coupling = CLUMP_COUPLING_NONE};
        clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        clump_simulation simulated;
        clump_prediction found;
        clump_error error = {CLUMP_OK, ""};
        options.precision = 0.005;
        if (clump_simulate(&node, &truth, &options, &simulated, NULL, &error) != CLUMP_OK)
            fail_msg("%s", error.message);
        assert_int_equal(clump_recorded_predict(&placed, &node, CLUMP_DEMAND_GANG,
                                                placed.gangs.size, 1, &found, NULL),
                         CLUMP_OK);
        print_message("  slowdown %.4f, slowest %.4f; simulated %.4f\n", found.slowdown,
                      found.slowest, simulated.prediction.slowdown);
        assert_true(fabs(found.slowdown / simulated.prediction.slowdown - 1) < 0.03);
        clump_arena_free(arena);
        clump_facts_free(facts);
    }
}

/* ---- facts by hand */

static void add_rank(clump_facts *facts, int64_t node, double computing, double waiting,
                     double transferring)
{
    const clump_facts_rank rank = {.node = node,
                                   .wall = computing + waiting + transferring,
                                   .computing = computing,
                                   .processor = computing,
                                   .in_mpi = waiting + transferring,
                                   .waiting = waiting,
                                   .transferring = transferring,
                                   .requests_mean = 0,
                                   .requests_most = 0,
                                   .ended = true};
    assert_true(clump_facts_add(facts, CLUMP_FACTS_RANK, &rank));
}

static void add_messages(clump_facts *facts, int64_t from, int64_t to, double messages, double us)
{
    const clump_facts_traffic t = {.sender = from,
                                   .receiver = to,
                                   .kind = "point-to-point",
                                   .messages = messages,
                                   .bytes = messages + messages * (us - network.gap_us) /
                                                           network.gap_us_per_byte};
    assert_true(clump_facts_add(facts, CLUMP_FACTS_TRAFFIC, &t));
}

/* A chain of four: ranks 1 and 2 exchange 0.3 s over the boundary of their nodes, 0 and 1 (2 and 3) 0.1 s inside.
 * With one NIC for two, and one rank of each node that has something to send, nothing is shared. */
static void test_chain(void **state)
{
    (void)state;
    clump_facts *facts = clump_facts_new();
    clump_arena *arena = clump_arena_new();
    const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
    assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
    for (size_t i = 0; i < 4; i++)
        add_rank(facts, 0, 1, 0, 0.01);
    for (int64_t i = 0; i < 3; i++) {
        add_messages(facts, i, i + 1, 1000, i == 1 ? 300 : 100);
        add_messages(facts, i + 1, i, 1000, i == 1 ? 300 : 100);
    }
    const clump_recorded program = make(facts, arena);
    assert_false(program.alone);
    assert_true(program.note_count >= 1); /* one node knows no network */
    const clump_recorded_placed placed = place(&program, 2, arena);
    /* ranks 1 and 2 have 1 s and 0.4 s of communication on the NOW */
    assert_true(fabs(placed.now_s - 1.4) < 1e-3);
    assert_true(fabs(placed.utilization - (0.1 + 0.4) / 2 / 1.4) < 1e-3);
    assert_true(fabs(placed.remote_fraction - 0.3 / 0.5) < 1e-3);
    assert_true(fabs(placed.cost_ratio - 0.1) < 0.02);
    assert_false(placed.gangs.known); /* nothing tells: all at once, or less */
    assert_true(placed.gangs.size == 2 && placed.gangs.low == 1 && placed.gangs.high == 2);
    const clump_node one = {.processors = 2, .nics = 1};
    clump_prediction found;
    for (int d = CLUMP_DEMAND_INDEPENDENT; d <= CLUMP_DEMAND_SCHEDULED; d++) {
        assert_int_equal(clump_recorded_predict(&placed, &one, (clump_demand)d, 1, 1, &found, NULL),
                         CLUMP_OK);
        /* 1 + 0.3 + 0.01 of 1.4 s */
        assert_true(fabs(found.slowest - 1.31 / 1.4) < 2e-3);
    }
    /* With another memory computation takes longer, and nothing else. */
    assert_int_equal(
        clump_recorded_predict(&placed, &one, CLUMP_DEMAND_INDEPENDENT, 1, 1.2, &found, NULL),
        CLUMP_OK);
    assert_true(fabs(found.slowest - 1.51 / 1.4) < 2e-3);
    /* All on one node: no NIC is needed. */
    const clump_recorded_placed all = place(&program, 4, arena);
    assert_true(all.remote_fraction == 0);
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* Ranks that send, and then receive: two stations, by mean value analysis. */
static void test_one_way(void **state)
{
    (void)state;
    enum { P = 4 };
    static const double sent[] = {0.3, 0.1};
    const double computation = 0.6, received = 0.2;
    for (size_t i = 0; i < 2; i++)
        for (size_t N = 1; N <= 3; N++) {
            clump_facts *facts = clump_facts_new();
            clump_arena *arena = clump_arena_new();
            for (int64_t r = 0; r < 2 * P; r++) {
                const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
                assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
                add_rank(facts, r, computation, 0, sent[i] + received);
                add_messages(facts, r, (r + P) % (2 * P), 1000, 1e3 * (r < P ? sent[i] : received));
            }
            for (int64_t r = 0; r < 2 * P; r++) {
                const clump_facts_call call = {.rank = r,
                                               .kind = "receive",
                                               .calls = 1000,
                                               .bytes = facts->traffic[(r + P) % (2 * P)].bytes};
                assert_true(clump_facts_add(facts, CLUMP_FACTS_CALL, &call));
            }
            const clump_recorded program = make(facts, arena);
            const clump_recorded_placed placed = place(&program, P, arena);
            assert_true(fabs(placed.serial[0] - 1) < 1e-9);
            const clump_node node = {.processors = P, .nics = N};
            clump_prediction found;
            assert_int_equal(clump_recorded_predict(&placed, &node, CLUMP_DEMAND_INDEPENDENT, 1, 1,
                                                    &found, NULL),
                             CLUMP_OK);
            double out = 0, in = 0, cycle = 0; /* mean numbers that send and receive */
            for (size_t n = 1; n <= P; n++) {
                const double a = sent[i] / (double)N * (1 + out),
                             b = received / (double)N * (1 + in);
                cycle = computation + a + b;
                out = (double)n / cycle * a;
                in = (double)n / cycle * b;
            }
            const double X = cycle / (computation + sent[i] + received);
            print_message("one way at a time, %zu NICs: %.4f, by mean value analysis %.4f\n", N,
                          found.slowdown, X);
            assert_true(fabs(found.slowdown / X - 1) < 0.02);
            clump_arena_free(arena);
            clump_facts_free(facts);
        }
}

/* A master that hands out work, one way at a time, and three workers that wait for it: they have slack. On nodes of two a third of
 * its messages stays in the node, and what it takes then is what all take. */
static void test_slack(void **state)
{
    (void)state;
    clump_facts *facts = clump_facts_new();
    clump_arena *arena = clump_arena_new();
    for (int64_t r = 0; r < 4; r++) {
        const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
        add_rank(facts, r, r == 0 ? 0.01 : 0.2, r == 0 ? 0 : 0.61, r == 0 ? 1.2 : 0.4);
    }
    for (int64_t r = 1; r < 4; r++) {
        add_messages(facts, 0, r, 1000, 200);
        add_messages(facts, r, 0, 1000, 200);
    }
    for (int64_t r = 0; r < 4; r++) {
        const clump_facts_call call = {.rank = r,
                                       .kind = "receive",
                                       .calls = r == 0 ? 3000 : 1000,
                                       .seconds = r == 0 ? 1.2 : 1.01,
                                       .bytes = (r == 0 ? 3 : 1) * facts->traffic[0].bytes,
                                       .waiting = r == 0 ? 0 : 0.61,
                                       .transferring = r == 0 ? 1.2 : 0.4};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_CALL, &call));
    }
    const clump_recorded program = make(facts, arena);
    assert_true(program.late_known);
    const clump_recorded_placed placed = place(&program, 2, arena);
    assert_true(fabs(placed.now_s - 1.21) < 2e-3);
    const clump_node node = {.processors = 2, .nics = 1};
    clump_prediction found;
    assert_int_equal(
        clump_recorded_predict(&placed, &node, CLUMP_DEMAND_INDEPENDENT, 1, 1, &found, NULL),
        CLUMP_OK);
    /* 0.01 + 0.8 + 0.04 of 1.21 s: the other rank of its node sends nothing to another one */
    assert_true(fabs(found.slowest - 0.85 / 1.21) < 5e-3);
    /* and waiting by turns stays: 0.1 s that the master waits, too */
    clump_facts_rank *master = clump_facts_row(facts, CLUMP_FACTS_RANK, 0);
    clump_facts_call *calls = clump_facts_row(facts, CLUMP_FACTS_CALL, 0);
    master->waiting += 0.1;
    master->in_mpi += 0.1;
    master->wall += 0.1;
    calls->waiting += 0.1;
    calls->seconds += 0.1;
    const clump_recorded again = make(facts, arena);
    const clump_recorded_placed waits = place(&again, 2, arena);
    assert_true(fabs(waits.now_s - 1.31) < 2e-3);
    assert_int_equal(
        clump_recorded_predict(&waits, &node, CLUMP_DEMAND_INDEPENDENT, 1, 1, &found, NULL),
        CLUMP_OK);
    assert_true(fabs(found.slowest - 0.95 / 1.31) < 5e-3);
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* A ring on nodes of two: one rank sends to the next node, the other one receives from the one before. They share a NIC
 * without loss, whatever the demand. */
static void test_ring(void **state)
{
    (void)state;
    clump_facts *facts = clump_facts_new();
    clump_arena *arena = clump_arena_new();
    for (int64_t r = 0; r < 6; r++) {
        const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
        add_rank(facts, r, 0.5, 0, 0.5);
        add_messages(facts, r, (r + 1) % 6, 1000, 500);
    }
    const clump_recorded program = make(facts, arena);
    const clump_recorded_placed placed = place(&program, 2, arena);
    for (int mapping = 0; mapping < 2; mapping++)
        for (int d = CLUMP_DEMAND_INDEPENDENT; d <= CLUMP_DEMAND_SCHEDULED; d++) {
            const clump_node node = {.processors = 2, .nics = 1, .mapping = (clump_mapping)mapping};
            clump_prediction found;
            assert_int_equal(
                clump_recorded_predict(&placed, &node, (clump_demand)d, 1, 1, &found, NULL),
                CLUMP_OK);
            assert_true(fabs(found.slowest - 1) < 2e-3);
        }
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* It was recorded on the NOW: transfers take what they took, twice what LogGP says. */
static void test_recorded_here(void **state)
{
    (void)state;
    clump_facts *facts = clump_facts_new();
    clump_arena *arena = clump_arena_new();
    for (int64_t r = 0; r < 2; r++) {
        const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
        add_rank(facts, r, 1, 0.5, 0.4);
        add_messages(facts, r, 1 - r, 1000, 200);
    }
    clump_recorded_options options = {.network = &network, .shared_memory = &memory};
    clump_recorded program;
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, NULL), CLUMP_OK);
    assert_true(fabs(place(&program, 1, arena).now_s - 1.7) < 1e-3);
    options.recorded_here = true;
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, NULL), CLUMP_OK);
    clump_recorded_placed placed = place(&program, 1, arena);
    assert_true(fabs(placed.now_s - 1.9) < 1e-9);
    assert_true(fabs(placed.sent[0] - 0.4 / 1.9) < 1e-3);
    const clump_facts_rank *row = clump_facts_row(facts, CLUMP_FACTS_RANK, 0);
    ((clump_facts_rank *)clump_facts_row(facts, CLUMP_FACTS_RANK, 1))->node = row->node;
    facts->node_count = 1;
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, NULL), CLUMP_OK);
    assert_int_equal(clump_recorded_place(&program, 1, arena, &placed, NULL), CLUMP_BAD_ARGUMENT);
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* Ranks that shared processors: only their processor time counts, and the longest sets the time. */
static void test_shared_processors(void **state)
{
    (void)state;
    clump_facts *facts = clump_facts_new();
    clump_arena *arena = clump_arena_new();
    const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
    assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
    for (size_t i = 0; i < 4; i++) {
        const clump_facts_rank rank = {.wall = 8,
                                       .computing = 6,
                                       .processor = 1 + 0.5 * (double)i,
                                       .in_mpi = 2,
                                       .waiting = 1.5,
                                       .transferring = 0.5,
                                       .requests_mean = NAN,
                                       .requests_most = -1};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_RANK, &rank));
    }
    add_messages(facts, 0, 2, 1000, 100);
    clump_recorded program = make(facts, arena);
    assert_false(program.late_known);
    assert_true(fabs(place(&program, 2, arena).now_s - 2.5) < 1e-9);
    clump_recorded_options options = {
        .network = &network, .shared_memory = &memory, .clock = CLUMP_RECORDED_WALL};
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, NULL), CLUMP_OK);
    assert_true(program.late_known);
    assert_true(fabs(place(&program, 2, arena).now_s - 7.6) < 1e-3); /* 6 + 1.5 + 0.1 */
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* Pieces of messages, and messages at once, keep NICs busy. */
static void test_most_nics(void **state)
{
    (void)state;
    clump_facts *facts = clump_facts_new();
    clump_arena *arena = clump_arena_new();
    const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
    assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
    for (size_t i = 0; i < 2; i++) {
        const clump_facts_rank rank = {.wall = 10,
                                       .computing = 5,
                                       .processor = 5,
                                       .in_mpi = 5,
                                       .transferring = 5,
                                       .requests_mean =
                                           3, /* six of them while in MPI: three messages */
                                       .requests_most = 8};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_RANK, &rank));
    }
    add_messages(facts, 0, 1, 10, 2000); /* 199,000 bytes: three times 65,536, and some */
    add_messages(facts, 1, 0, 10, 2000);
    clump_recorded program = make(facts, arena);
    assert_true(fabs(place(&program, 1, arena).most_nics - 3) < 1e-9);
    clump_facts *striped = facts;
    striped->library = "Open MPI v4.1.4";
    program = make(facts, arena);
    assert_true(fabs(place(&program, 1, arena).most_nics - 9) < 1e-9);
    striped->library = "MPICH 4.0.2"; /* pieces of 16 KiB, but one peer */
    program = make(facts, arena);
    assert_true(fabs(place(&program, 1, arena).most_nics - 1) < 1e-9);
    const clump_recorded_options options = {.network = &network, .stripe_bytes = HUGE_VAL};
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, NULL), CLUMP_OK);
    assert_true(fabs(place(&program, 1, arena).most_nics - 3) < 1e-9);
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* Open MPI counts the messages to each partner. Ranks in step count alike, and take one NIC of four; independent ones use every
 * other one. */
static void test_in_turn(void **state)
{
    (void)state;
    enum { P = 4 };
    clump_facts *facts = clump_facts_new();
    clump_arena *arena = clump_arena_new();
    for (int64_t r = 0; r < 2 * P; r++) {
        const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
        add_rank(facts, r, 0.5, 0, 0.5);
        for (int64_t to = 0; to < 2 * P; to++)
            if (to != r)
                add_messages(facts, r, to, 1000, 60);
    }
    facts->library = "Open MPI v4.1.4";
    const clump_recorded program = make(facts, arena);
    assert_true(fabs(program.in_turn - 1) < 1e-9);
    const clump_recorded_placed placed = place(&program, P, arena);
    double X[5][2], gangs;
    clump_prediction found;
    for (size_t N = 1; N <= 4; N *= 2)
        for (int in_step = 0; in_step < 2; in_step++) {
            const clump_node node = {.processors = P, .nics = N};
            assert_int_equal(
                clump_recorded_predict(&placed, &node,
                                       in_step ? CLUMP_DEMAND_CORRELATED : CLUMP_DEMAND_INDEPENDENT,
                                       1, 1, &found, NULL),
                CLUMP_OK);
            X[N][in_step] = found.slowdown;
        }
    assert_true(fabs(X[2][0] - X[1][0]) < 1e-9 && fabs(X[4][1] - X[1][1]) < 1e-9);
    const clump_recorded_options all = {.network = &network, .shared_memory = &memory};
    facts->library = "another";
    clump_recorded others;
    assert_int_equal(clump_recorded_make(facts, &all, arena, &others, NULL), CLUMP_OK);
    const clump_recorded_placed free_choice = place(&others, P, arena);
    const clump_node two = {.processors = P, .nics = 2};
    assert_int_equal(
        clump_recorded_predict(&free_choice, &two, CLUMP_DEMAND_INDEPENDENT, 1, 1, &found, NULL),
        CLUMP_OK);
    assert_true(fabs(X[4][0] - found.slowdown) < 1e-9);
    /* gangs stand between */
    const clump_node four = {.processors = P, .nics = 4};
    assert_int_equal(clump_recorded_predict(&placed, &four, CLUMP_DEMAND_GANG, 2, 1, &found, NULL),
                     CLUMP_OK);
    gangs = found.slowdown;
    assert_true(gangs > X[4][0] && gangs < X[4][1]);
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* Sends that return at once are not waited for, however many receives wait. */
static void test_buffered_sends(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        clump_facts *facts = clump_facts_new();
        clump_arena *arena = clump_arena_new();
        for (int64_t r = 0; r < 4; r++) {
            const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
            assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
            add_rank(facts, r, 1, 0, 0.2);
            add_messages(facts, r, r ^ 1, 1000, 200);
        }
        for (int64_t r = 0; r < 4; r++) {
            clump_facts_call call = {.rank = r,
                                     .kind = "receive",
                                     .calls = 1000,
                                     .seconds = 0.2,
                                     .bytes = facts->traffic[0].bytes,
                                     .transferring = 0.2};
            assert_true(clump_facts_add(facts, CLUMP_FACTS_CALL, &call));
            call.kind = "send";
            call.seconds = 0.1 * half + 1e-6;
            call.transferring = 0.1 * half;
            call.waiting = 1e-6;
            assert_true(clump_facts_add(facts, CLUMP_FACTS_CALL, &call));
        }
        const clump_recorded program = make(facts, arena);
        const clump_recorded_placed placed = place(&program, 1, arena);
        assert_true(fabs(placed.serial[0] - 0.5 * half) < 1e-6);
        /* the longer of both, or half of the other one as well */
        assert_true(fabs(placed.now_s - (1.2 + 0.1 * half)) < 2e-3);
        clump_arena_free(arena);
        clump_facts_free(facts);
    }
}

static void test_refused(void **state)
{
    (void)state;
    clump_facts *facts = clump_facts_new();
    clump_arena *arena = clump_arena_new();
    clump_recorded_options options = {.network = &network};
    clump_recorded program;
    clump_recorded_placed placed;
    clump_error error;
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, &error),
                     CLUMP_BAD_ARGUMENT); /* no ranks */
    const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
    assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
    add_rank(facts, 0, 1, 0, 0);
    add_rank(facts, 0, 1, 0, 0);
    add_messages(facts, 0, 1, 10, 100);
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, &error), CLUMP_OK);
    assert_int_equal(clump_recorded_place(&program, 3, arena, &placed, &error),
                     CLUMP_BAD_ARGUMENT); /* more than there are */
    assert_int_equal(clump_recorded_place(&program, 2, arena, &placed, &error),
                     CLUMP_BAD_ARGUMENT); /* shared memory is not known */
    assert_int_equal(clump_recorded_place(&program, 1, arena, &placed, &error), CLUMP_OK);
    options.network = NULL;
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, &error),
                     CLUMP_BAD_ARGUMENT);
    options.network = &network;
    add_messages(facts, 0, 7, 10, 100);
    assert_int_equal(clump_recorded_make(facts, &options, arena, &program, &error),
                     CLUMP_BAD_ARGUMENT);
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* The same program with ranks of other numbers: in turn on nodes of two what the others are in blocks. */
static clump_facts *renumbered_facts(bool cycle, const int64_t number[6])
{
    clump_facts *facts = clump_facts_new();
    int64_t who[6];
    for (int64_t i = 0; i < 6; i++)
        who[number[i]] = i;
    for (int64_t i = 0; i < 6; i++) {
        const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
        add_rank(facts, i, 0.3 + 0.02 * (double)who[i], 0, 0.6);
    }
    for (int64_t i = 0; i < 6; i++) {
        const clump_facts_step step = {.rank = number[i],
                                       .gap_limit = 1 << 20,
                                       .steps = 100,
                                       .before = 0.1,
                                       .after = 0.1,
                                       .messages = 100,
                                       .bytes = 1e5};
        add_messages(facts, number[i], number[(i + 1) % 6], 100, 400 + 100 * (double)i);
        if (cycle)
            assert_true(clump_facts_add(facts, CLUMP_FACTS_STEP, &step));
        else
            add_messages(facts, number[i], number[(i + 4) % 6], 10, 500);
    }
    return facts;
}

static void test_rank_order(void **state)
{
    (void)state;
    static const int64_t same[6] = {0, 1, 2, 3, 4, 5}, turns[6] = {0, 2, 4, 1, 3, 5};
    for (int cycle = 0; cycle < 2; cycle++) {
        clump_facts *facts = renumbered_facts(cycle, same), *other = renumbered_facts(cycle, turns);
        clump_arena *arena = clump_arena_new();
        clump_recorded_options options = {.network = &network, .shared_memory = &memory};
        clump_recorded program, blocks;
        clump_recorded_placed placed;
        clump_error error;
        blocks = make(other, arena);
        options.order = CLUMP_RANKS_ROUND_ROBIN;
        assert_int_equal(clump_recorded_make(facts, &options, arena, &program, &error), CLUMP_OK);
        assert_int_equal(program.chain != NULL, cycle);
        assert_string_equal(strstr(program.notes[program.note_count - 1], "in turn"),
                            "in turn. Who communicates together was counted for ranks of "
                            "neighbouring numbers, and is taken to hold for those of a node.");
        assert_int_equal(clump_recorded_place(&program, 4, arena, &placed, &error),
                         CLUMP_BAD_ARGUMENT); /* six ranks do not fill nodes of four */
        for (size_t P = 1; P <= 3; P++) {
            const clump_node node = {.processors = P, .nics = 1};
            clump_prediction found, wanted;
            assert_int_equal(clump_recorded_place(&program, P, arena, &placed, &error), CLUMP_OK);
            assert_int_equal(clump_recorded_predict(&placed, &node, CLUMP_DEMAND_INDEPENDENT, 1, 1,
                                                    &found, &error),
                             CLUMP_OK);
            if (P == 3) /* the list above is for nodes of two */
                continue;
            const clump_recorded_placed expected = place(P == 1 ? &program : &blocks, P, arena);
            assert_int_equal(clump_recorded_predict(&expected, &node, CLUMP_DEMAND_INDEPENDENT, 1,
                                                    1, &wanted, &error),
                             CLUMP_OK);
            assert_true(fabs(placed.now_s - expected.now_s) < 1e-9);
            assert_true(fabs(found.slowdown - wanted.slowdown) < 1e-9);
            assert_true(fabs(found.nic_utilization - wanted.nic_utilization) < 1e-9);
        }
        clump_arena_free(arena);
        clump_facts_free(facts);
        clump_facts_free(other);
    }
}

/* ---- calls that are kept */

static clump_recorded_placed place_kept(clump_recorded *program, clump_recorded_kept *kept,
                                        const clump_facts *facts, clump_arena *arena)
{
    const clump_recorded_options options = {
        .network = &network, .shared_memory = &memory, .kept = kept};
    assert_int_equal(clump_recorded_make(facts, &options, arena, program, NULL), CLUMP_OK);
    return place(program, 2, arena);
}

/* Once they are unpacked nobody reads their texts: those are broken here, to see it. */
static void calls_are_unpacked_once(void **state)
{
    (void)state;
    static const char *const texts[] = {"c1000000s4000.2", "c500000r4000.3", "c200000r4000.0",
                                        "c700000s4000.1"};
    const made_program g = {4, 1, 1, 0.5, 20};
    const clump_node node = {.processors = 2, .nics = 1};
    clump_facts *facts = make_facts(&g, 5);
    clump_arena *arena = clump_arena_new();
    clump_recorded_kept *list = NULL;
    clump_recorded program, made, again;
    clump_prediction by_texts, by_kept, later;
    assert_non_null(arena);
    for (int i = 0; i < 4; i++) {
        const clump_facts_stretch row = {i, 10, 20, texts[i]};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_STRETCH, &row));
    }
    clump_recorded_placed placed = place_kept(&program, NULL, facts, arena);
    assert_true(program.calls_now_us > 0);
    assert_int_equal(clump_recorded_calls_predict(&placed, &node, 1.5, &by_texts, NULL), CLUMP_OK);
    assert_true(clump_recorded_kept_bytes(facts) > 4 * 15 + 64 * 4);

    clump_recorded_kept *kept = clump_recorded_kept_add(&list, facts);
    assert_ptr_equal(kept, list);
    assert_null(kept->calls);
    const clump_recorded_placed first = place_kept(&made, kept, facts, arena);
    const clump_schedule *const calls = kept->calls;
    assert_non_null(calls);
    for (size_t i = 0; i < 4; i++)
        ((clump_facts_stretch *)clump_facts_row(facts, CLUMP_FACTS_STRETCH, i))->calls = "?";
    assert_int_equal(clump_recorded_calls_predict(&placed, &node, 1.5, &later, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_recorded_calls_predict(&first, &node, 1.5, &by_kept, NULL), CLUMP_OK);
    assert_true(by_kept.slowdown == by_texts.slowdown);
    const clump_recorded_placed second = place_kept(&again, kept, facts, arena);
    assert_ptr_equal(kept->calls, calls);
    assert_true(again.calls_now_us == program.calls_now_us);
    assert_int_equal(clump_recorded_calls_predict(&second, &node, 1.5, &later, NULL), CLUMP_OK);
    assert_true(later.slowdown == by_texts.slowdown);
    clump_recorded_kept_free(list);
    clump_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_programs),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_one_way),
        cmocka_unit_test(test_recorded_here),
        cmocka_unit_test(test_slack),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_shared_processors),
        cmocka_unit_test(test_most_nics),
        cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_buffered_sends),
        cmocka_unit_test(test_rank_order),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(calls_are_unpacked_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
