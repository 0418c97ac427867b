/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exchanges whose time in the long run is known: ranks of two halves of the program exchange a message with one partner of the other half in each
 * step. Where they share a NIC it serves one after the other, and they come to it one after the other from then on. */
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
static const clump_loggp shared_memory = {.latency_us = 1,
                                          .send_overhead_us = 0.5,
                                          .receive_overhead_us = 0.75,
                                          .gap_us = 1,
                                          .gap_us_per_byte = 0.001};

enum { RANKS = 16, STEPS = 300, BYTES = 12001 }; /* a message occupies a NIC for 100 us */

typedef struct made_program {
    double before_us, after_us; /* in a step */
    double waiting_us;          /* in a step, for late partners */
    bool blocking;              /* receives */
    int barriers;
    double messages; /* in a step */
    int64_t untraced;
} made_program;

static void add(clump_facts *facts, clump_facts_part part, const void *row)
{
    assert_true(clump_facts_add(facts, part, row));
}

static clump_facts *make_facts(const made_program *g)
{
    clump_facts *facts = clump_facts_new();
    assert_non_null(facts);
    const double inside = 1e-6 * STEPS * (125 + g->waiting_us),
                 waiting = 1e-6 * STEPS * g->waiting_us,
                 computing = 1e-6 * STEPS * (g->before_us + g->after_us);
    for (int64_t r = 0; r < RANKS; r++) {
        const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
        const clump_facts_rank rank = {.node = r,
                                       .wall = computing + inside,
                                       .computing = computing,
                                       .processor = computing,
                                       .in_mpi = inside,
                                       .waiting = waiting,
                                       .transferring = inside - waiting,
                                       .calls = 3 * STEPS,
                                       .traced = 3 * STEPS - g->untraced,
                                       .requests_mean = 0.5,
                                       .requests_most = 2,
                                       .ended = true};
        const clump_facts_call waits = {.rank = r,
                                        .kind = g->blocking ? "receive" : "wait",
                                        .calls = STEPS,
                                        .seconds = inside,
                                        .bytes = STEPS * BYTES,
                                        .waiting = waiting,
                                        .transferring = inside - waiting},
                               barriers = {.rank = r, .kind = "barrier", .calls = g->barriers};
        const clump_facts_traffic traffic = {.sender = r,
                                             .receiver = (r + RANKS / 2) % RANKS,
                                             .kind = "point-to-point",
                                             .size_limit = 16384,
                                             .messages = g->messages * STEPS,
                                             .bytes = g->messages * STEPS * BYTES};
        const clump_facts_step step = {.rank = r,
                                       .gap_limit = 1 << 20,
                                       .steps = STEPS,
                                       .before = 1e-6 * STEPS * g->before_us,
                                       .after = 1e-6 * STEPS * g->after_us,
                                       .messages = g->messages * STEPS,
                                       .bytes = g->messages * STEPS * BYTES};
        add(facts, CLUMP_FACTS_NODE, &node);
        add(facts, CLUMP_FACTS_RANK, &rank);
        add(facts, CLUMP_FACTS_CALL, &waits);
        if (g->barriers > 0)
            add(facts, CLUMP_FACTS_CALL, &barriers);
        add(facts, CLUMP_FACTS_TRAFFIC, &traffic);
        add(facts, CLUMP_FACTS_STEP, &step);
    }
    return facts;
}

static clump_status make(const clump_facts *facts, bool recorded_here, clump_arena *arena,
                         clump_recorded *made)
{
    const clump_recorded_options options = {
        .network = &network, .shared_memory = &shared_memory, .recorded_here = recorded_here};
    clump_error error = {CLUMP_OK, ""};
    return clump_recorded_make(facts, &options, arena, made, &error);
}

/* us of a step, on the NOW and on the node. */
static void predict(const made_program *g, size_t P, size_t N, double *now_us, double *us)
{
    clump_facts *facts = make_facts(g);
    clump_arena *arena = clump_arena_new();
    clump_recorded program;
    clump_recorded_placed placed;
    clump_prediction found;
    clump_error error = {CLUMP_OK, ""};
    const clump_node node = {.processors = P, .nics = N};
    assert_int_equal(make(facts, false, arena, &program), CLUMP_OK);
    assert_non_null(program.exchange);
    if (clump_recorded_place(&program, P, arena, &placed, &error) != CLUMP_OK ||
        clump_recorded_predict(&placed, &node, CLUMP_DEMAND_CORRELATED, 1, 1, &found, &error) !=
            CLUMP_OK)
        fail_msg("%s", error.message);
    assert_true(found.nic_utilization >= 0 && found.nic_utilization <= 1);
    *now_us = 1e6 * placed.now_s / STEPS;
    *us = found.slowdown * *now_us;
    clump_arena_free(arena);
    clump_facts_free(facts);
}

static void check(const char *what, double found, double wanted, double tolerance)
{
    if (fabs(found / wanted - 1) > tolerance)
        fail_msg("%s: %.2f us a step, expected %.2f", what, found, wanted);
}

/* o_s + L + (b-1) G + o_r */
static const double message_us = 3 + 20 + 96 + 2, busy_us = 100;

static void long_run(void **state)
{
    (void)state;
    static const double computes[] = {100, 250, 800};
    for (size_t i = 0; i < 3; i++)
        for (size_t P = 1; P <= 8; P *= 2)
            for (size_t N = 1; N <= 4; N *= 2) {
                const made_program g = {.before_us = computes[i], .messages = 1};
                const double alone = computes[i] + message_us;
                double now, us;
                predict(&g, P, N, &now, &us);
                check("NOW", now, alone, 0.01);
                check("in the long run", us, fmax(alone, (double)P * busy_us / (double)N), 0.03);
            }
}

/* After a barrier all come at once, and wait until all have been served. */
static void barriers(void **state)
{
    (void)state;
    for (size_t P = 2; P <= 8; P *= 2)
        for (size_t N = 1; N <= 2; N++) {
            const made_program g = {.before_us = 250, .messages = 1, .barriers = STEPS};
            double now, us;
            predict(&g, P, N, &now, &us);
            check("a step between barriers", us,
                  250 + message_us + ((double)P / (double)N - 1) * busy_us, 0.02);
        }
}

/* What is computed after the messages were sent hides them, as far as NICs can follow; what was waited by turns stays. */
static void hidden(void **state)
{
    (void)state;
    const made_program g = {.before_us = 50, .after_us = 400, .messages = 1},
                       late = {.before_us = 250, .messages = 1, .waiting_us = 60};
    double now, us;
    predict(&g, 4, 1, &now, &us);
    check("NOW", now, 455, 0.01); /* and its overheads */
    check("hidden", us, 455, 0.02);
    predict(&g, 8, 1, &now, &us);
    check("not hidden", us, 800, 0.03);
    predict(&late, 2, 1, &now, &us);
    check("NOW", now, 310 + message_us, 0.01);
    check("late", us, 310 + message_us, 0.02);
}

/* Not in each step, one after the other, and what is not known. */
static void no_exchanges(void **state)
{
    (void)state;
    static const made_program programs[] = {
        {.before_us = 250, .messages = 0.5},
        {.before_us = 250, .messages = 1, .blocking = true},
        {.before_us = 250, .messages = 1, .untraced = 1},
        {.before_us = 250, .messages = 40},
    };
    clump_recorded program;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        clump_facts *facts = make_facts(&programs[i]);
        clump_arena *arena = clump_arena_new();
        assert_int_equal(make(facts, false, arena, &program), CLUMP_OK);
        assert_null(program.exchange);
        assert_int_equal(program.chained, 0);
        clump_arena_free(arena);
        clump_facts_free(facts);
    }
    const made_program g = {.before_us = 250, .messages = 1};
    clump_facts *facts = make_facts(&g);
    clump_arena *arena = clump_arena_new();
    assert_int_equal(make(facts, true, arena, &program),
                     CLUMP_OK); /* transfers take what they took */
    assert_null(program.exchange);
    clump_arena_free(arena);
    clump_facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_run),
        cmocka_unit_test(barriers),
        cmocka_unit_test(hidden),
        cmocka_unit_test(no_exchanges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
