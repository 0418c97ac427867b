/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that compute and call collective operations, whose facts are written down by hand. The truth is the recursion that the steps of
 * a ring obey, rank by rank. */
#include "scenarios/recorded/recorded.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const clump_loggp network = {.latency_us = 20,
                                    .send_overhead_us = 3,
                                    .receive_overhead_us = 2,
                                    .gap_us = 4,
                                    .gap_us_per_byte = 0.008};
static const clump_loggp memory = {.latency_us = 1,
                                   .send_overhead_us = 0.5,
                                   .receive_overhead_us = 0.75,
                                   .gap_us = 1,
                                   .gap_us_per_byte = 0.001};

enum { CALLS = 50 };

typedef struct made_program {
    const char *kind;
    int64_t ranks, members;
    double bytes;      /* of a call */
    double compute_us; /* before each call */
    double inside_us;  /* that a call takes */
    double waiting_us; /* of that */
} made_program;

/* Messages of a ring: that of the allreduce in the tests below. */
static clump_facts *make_facts(const made_program *g)
{
    clump_facts *facts = clump_facts_new();
    assert_non_null(facts);
    for (int64_t r = 0; r < g->ranks; r++) {
        const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
        const double computing = 1e-6 * CALLS * g->compute_us, inside = 1e-6 * CALLS * g->inside_us,
                     waiting = 1e-6 * CALLS * g->waiting_us;
        const clump_facts_rank rank = {.node = r,
                                       .wall = computing + inside,
                                       .computing = computing,
                                       .processor = computing,
                                       .in_mpi = inside,
                                       .waiting = waiting,
                                       .transferring = inside - waiting,
                                       .calls = CALLS,
                                       .traced = CALLS,
                                       .requests_mean = 0,
                                       .requests_most = 0,
                                       .ended = true};
        const clump_facts_call call = {.rank = r,
                                       .kind = g->kind,
                                       .calls = CALLS,
                                       .seconds = inside,
                                       .bytes = CALLS * g->bytes,
                                       .waiting = waiting,
                                       .transferring = inside - waiting};
        const double messages = 2 * CALLS * (double)(g->ranks - 1);
        const clump_facts_traffic traffic = {.sender = r,
                                             .receiver = (r + 1) % g->ranks,
                                             .kind = g->kind,
                                             .size_limit = 1,
                                             .messages = messages,
                                             .bytes = messages * g->bytes / (double)g->ranks};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
        assert_true(clump_facts_add(facts, CLUMP_FACTS_RANK, &rank));
        assert_true(clump_facts_add(facts, CLUMP_FACTS_CALL, &call));
        assert_true(clump_facts_add(facts, CLUMP_FACTS_TRAFFIC, &traffic));
    }
    const clump_facts_collective collective = {.kind = g->kind,
                                               .members = g->members,
                                               .root = -1,
                                               .size_limit = 8,
                                               .calls = CALLS,
                                               .bytes = CALLS * g->bytes};
    assert_true(clump_facts_add(facts, CLUMP_FACTS_COLLECTIVE, &collective));
    return facts;
}

static clump_recorded make(const clump_facts *facts, bool recorded_here, clump_arena *arena)
{
    const clump_recorded_options options = {
        .network = &network, .shared_memory = &memory, .recorded_here = recorded_here};
    clump_recorded made;
    clump_error error = {CLUMP_OK, ""};
    if (clump_recorded_make(facts, &options, arena, &made, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return made;
}

static clump_recorded_placed place(const clump_recorded *program, size_t P, clump_arena *arena)
{
    clump_recorded_placed placed;
    clump_error error = {CLUMP_OK, ""};
    if (clump_recorded_place(program, P, arena, &placed, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return placed;
}

static double predict(const clump_recorded_placed *placed, size_t N)
{
    const clump_node node = {.processors = placed->processors, .nics = N};
    clump_prediction found;
    clump_error error = {CLUMP_OK, ""};
    if (clump_recorded_predict(placed, &node, CLUMP_DEMAND_CORRELATED, 1, 1, &found, &error) !=
        CLUMP_OK)
        fail_msg("%s", error.message);
    assert_true(found.nic_utilization >= 0 && found.nic_utilization <= 1);
    return found.slowdown;
}

/* Messages of no bytes pass a ring of nodes of P; NICs are never in the way. */
static double ring_us(size_t R, size_t P)
{
    double now[64] = {0}, then[64], last = 0;
    for (size_t k = 0; k < 2 * (R - 1); k++) {
        for (size_t r = 0; r < R; r++) {
            const size_t from = (r + R - 1) % R;
            const clump_loggp *to_me = from / P == r / P ? &memory : &network,
                              *mine = r / P == (r + 1) % R / P ? &memory : &network;
            const double arrives = now[from] + to_me->send_overhead_us + to_me->latency_us;
            then[r] = fmax(now[r] + mine->send_overhead_us, arrives) + to_me->receive_overhead_us;
        }
        for (size_t r = 0; r < R; r++)
            now[r] = then[r];
    }
    for (size_t r = 0; r < R; r++)
        last = fmax(last, now[r]);
    return last;
}

/* Only every P-th message leaves a node, and each waits for the one before: no rank of the ends pays for all of them. */
static void rings(void **state)
{
    (void)state;
    static const int64_t ranks[] = {6, 16, 24}; /* with which Open MPI takes a ring for one byte */
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const int64_t R = ranks[i];
        const made_program g = {"allreduce", R, R, 1, 70, 900, 10};
        clump_arena *arena = clump_arena_new();
        clump_facts *facts = make_facts(&g);
        const clump_recorded recorded = make(facts, false, arena);
        assert_non_null(recorded.together);
        assert_true(clump_together_has(recorded.together, "allreduce"));
        assert_false(clump_together_has(recorded.together, "barrier"));
        const double now = 10 + g.compute_us + ring_us((size_t)R, 1);
        for (size_t P = 1; P <= 8 && P <= (size_t)R; P *= 2)
            for (size_t N = 1; N <= 4; N *= 2) {
                const clump_recorded_placed placed = place(&recorded, P, arena);
                const double wanted = (10 + g.compute_us + ring_us((size_t)R, P)) / now,
                             found = predict(&placed, N);
                assert_true(fabs(placed.now_s - 1e-6 * CALLS * now) < 1e-9 * placed.now_s);
                /* It may take a message that is there before it sends its own. */
                if (fabs(found - wanted) > 2e-3)
                    fail_msg("%zu a node, %zu NICs: %.6f, expected %.6f", P, N, found, wanted);
            }
        clump_arena_free(arena);
        clump_facts_free(facts);
    }
}

/* What they took there is what the messages take, times a factor, on any node. */
static void recorded_here(void **state)
{
    (void)state;
    const double now = ring_us(16, 1);
    const made_program g = {"allreduce", 16, 16, 1, 70, 2 * now + 10, 10};
    clump_arena *arena = clump_arena_new();
    clump_facts *facts = make_facts(&g);
    const clump_recorded recorded = make(facts, true, arena);
    const clump_recorded_placed placed = place(&recorded, 4, arena);
    assert_true(fabs(placed.now_s - 1e-6 * CALLS * (80 + 2 * now)) < 1e-9);
    assert_true(fabs(predict(&placed, 1) - (80 + 2 * ring_us(16, 4)) / (80 + 2 * now)) < 2e-3);
    clump_arena_free(arena);
    clump_facts_free(facts);
}

/* Those in which nobody waits, of which some are of other ranks, that have a root, or are too many messages. */
static void left_as_messages(void **state)
{
    (void)state;
    static const made_program programs[] = {
        {"allreduce", 16, 16, 1, 70, 2, 0},    {"allreduce", 16, 8, 1, 70, 900, 10},
        {"broadcast", 16, 16, 1, 70, 900, 10}, {"alltoall", 600, 600, 100000, 70, 900, 10},
        {"neighbour", 16, 16, 1, 70, 900, 10},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        clump_arena *arena = clump_arena_new();
        clump_facts *facts = make_facts(&programs[i]);
        const clump_recorded recorded = make(facts, false, arena);
        assert_null(recorded.together);
        assert_int_equal(recorded.in_together, 0);
        const clump_recorded_placed placed = place(&recorded, 4, arena);
        assert_true(predict(&placed, 1) > 0);
        clump_arena_free(arena);
        clump_facts_free(facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings),
        cmocka_unit_test(recorded_here),
        cmocka_unit_test(left_as_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
