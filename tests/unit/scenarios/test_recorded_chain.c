/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rings and pipelines: their steps are made up, run on the NOW by the recursion that they obey, and the facts of that run are
 * predicted on nodes of P. The truth is the schedule of the same steps, simulated message by message. */
#include "scenarios/recorded/recorded.h"

#include "model/simulation/schedule.h"
#include "recording/steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const clump_loggp network = {.latency_us = 5,
                                    .send_overhead_us = 1,
                                    .receive_overhead_us = 1.5,
                                    .gap_us = 4,
                                    .gap_us_per_byte = 0.01};
static const clump_loggp memory = {.latency_us = 1,
                                   .send_overhead_us = 0.5,
                                   .receive_overhead_us = 0.5,
                                   .gap_us = 1,
                                   .gap_us_per_byte = 0.001};

enum { BYTES = 10001, STEPS = 240 }; /* a message occupies a NIC for 104 us */

typedef enum gaps { ALIKE, EXPONENTIAL, IN_STEP, ONE_SLOW } gaps;

static double uniform(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

typedef struct program {
    bool ring; /* or a pipeline: rank 0 only sends, the last one only receives */
    size_t ranks;
    gaps kind;
    double mean; /* us */
} program;

static double *draw(const program *g, uint64_t seed)
{
    double *gap = malloc(g->ranks * STEPS * sizeof *gap);
    assert_non_null(gap);
    for (size_t r = 0; r < g->ranks; r++)
        for (size_t k = 0; k < STEPS; k++) {
            double us = g->mean;
            if (g->kind == EXPONENTIAL)
                us = -g->mean * log(uniform(&seed));
            if (g->kind == IN_STEP) /* as an allreduce of 30 steps: a long one, and short ones */
                us = k % 30 == 0 ? 30 * g->mean : g->mean / 4;
            if (g->kind == ONE_SLOW)
                us = r == 1 ? 2 * g->mean : g->mean;
            gap[r * STEPS + k] = floor(1000 * us) / 1000; /* schedules have whole nanoseconds */
        }
    return gap;
}

static bool receives(const program *g, size_t r)
{
    return g->ring || r > 0;
}

static bool sends(const program *g, size_t r)
{
    return g->ring || r + 1 < g->ranks;
}

/* ---- the truth */

/* A rank of a ring computes, sends and receives at once; one of a pipeline receives, computes and sends. */
static double simulate(const program *g, const double *gap, size_t P, size_t N)
{
    const size_t R = g->ranks, room = 64 + R * STEPS * 220;
    char *text = malloc(room);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, room, "num_ranks %zu\n", R);
    for (size_t r = 0; r < R; r++) {
        used += (size_t)snprintf(text + used, room - used, "rank %zu {\n", r);
        for (size_t k = 0; k < STEPS; k++) {
            used += (size_t)snprintf(text + used, room - used, "c%zu: calc %.0f\n", k,
                                     1000 * gap[r * STEPS + k]);
            if (sends(g, r))
                used += (size_t)snprintf(text + used, room - used,
                                         "s%zu: send %db to %zu\ns%zu requires c%zu\n", k, BYTES,
                                         (r + 1) % R, k, k);
            if (receives(g, r))
                used += (size_t)snprintf(text + used, room - used, "r%zu: recv %db from %zu\n", k,
                                         BYTES, (r + R - 1) % R);
            if (g->ring)
                used += (size_t)snprintf(text + used, room - used, "r%zu requires c%zu\n", k, k);
            else if (receives(g, r))
                used += (size_t)snprintf(text + used, room - used, "c%zu requires r%zu\n", k, k);
            if (k > 0 && sends(g, r))
                used +=
                    (size_t)snprintf(text + used, room - used, "c%zu requires s%zu\n", k, k - 1);
            if (k > 0 && g->ring)
                used +=
                    (size_t)snprintf(text + used, room - used, "c%zu requires r%zu\n", k, k - 1);
            if (k > 0 && !g->ring && receives(g, r))
                used += (size_t)snprintf(text + used, room - used, "r%zu requires %c%zu\n", k,
                                         sends(g, r) ? 's' : 'c', k - 1);
            if (k > 0 && !g->ring)
                used +=
                    (size_t)snprintf(text + used, room - used, "c%zu requires c%zu\n", k, k - 1);
        }
        used += (size_t)snprintf(text + used, room - used, "}\n");
    }
    const clump_cluster machine = {.nodes = (R + P - 1) / P,
                                   .processors = P,
                                   .nics = N,
                                   .network = network,
                                   .shared_memory = memory,
                                   .memory_penalty = 1};
    clump_schedule *schedule;
    clump_schedule_result result;
    clump_error error = {CLUMP_OK, ""};
    if (clump_schedule_parse(text, used, &schedule, &error) != CLUMP_OK ||
        clump_schedule_run(schedule, &machine, NULL, &result, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    clump_schedule_free(schedule);
    free(text);
    return result.time_us;
}

/* ---- the recording: times of calls on the NOW, where a message arrives t after its send has begun, or after the one before */

typedef struct run {
    clump_steps *steps;
    double *computing, *waiting, *transferring, *end; /* us, of each rank */
} run;

static void call(run *at, const program *g, size_t r, clump_call_kind kind, double begin,
                 double end)
{
    clump_recorded_call c = clump_call_of(kind, 1e-6 * begin, 1e-6 * end);
    if (kind != CLUMP_CALL_RECEIVE) {
        c.peer = (int)((r + 1) % g->ranks);
        c.bytes = BYTES;
    }
    if (kind == CLUMP_CALL_RECEIVE)
        c.peer = (int)r - 1;
    if (kind == CLUMP_CALL_SENDRECV)
        c.peer_receive = (int)((r + g->ranks - 1) % g->ranks);
    clump_steps_add(at->steps, r, &c);
}

static void receive(run *at, size_t r, double begin, double sent, double arrived, double *end)
{
    *end = fmax(begin, arrived) + network.receive_overhead_us;
    const double late = fmin(fmax(sent - begin, 0), *end - begin);
    at->waiting[r] += late;
    at->transferring[r] += *end - begin - late;
}

static void record(const program *g, const double *gap, run *at)
{
    const size_t R = g->ranks;
    const double busy = network.gap_us + (BYTES - 1) * network.gap_us_per_byte;
    double *sent = calloc(R * STEPS, sizeof *sent), *nic = calloc(R, sizeof *nic),
           *arrives = calloc(R * STEPS, sizeof *arrives), end;
    assert_true(sent != NULL && nic != NULL && arrives != NULL);
    for (size_t r = 0; r < R; r++) {
        const clump_recorded_call init = clump_call_of(CLUMP_CALL_INIT, 0, 0);
        clump_steps_add(at->steps, r, &init);
    }
    for (size_t k = 0; k < STEPS; k++) {
        for (size_t r = 0; r < R; r++) {
            if (!g->ring && r > 0) {
                const size_t from = (r - 1) * STEPS + k;
                const double begin = at->end[r];
                receive(at, r, begin, sent[from], arrives[from], &end);
                call(at, g, r, CLUMP_CALL_RECEIVE, begin, end);
                at->end[r] = end;
            }
            const double begin = at->end[r] + gap[r * STEPS + k];
            at->computing[r] += gap[r * STEPS + k];
            sent[r * STEPS + k] = begin;
            const double departs = fmax(begin + network.send_overhead_us, nic[r]);
            nic[r] = departs + busy;
            arrives[r * STEPS + k] =
                departs + (BYTES - 1) * network.gap_us_per_byte + network.latency_us;
            at->end[r] = begin;
            if (!g->ring && sends(g, r)) {
                at->end[r] = begin + network.send_overhead_us;
                call(at, g, r, CLUMP_CALL_SEND, begin, at->end[r]);
            }
        }
        for (size_t r = 0; r < R && g->ring; r++) {
            const size_t from = (r + R - 1) % R * STEPS + k;
            const double begin = at->end[r];
            receive(at, r, begin, sent[from], arrives[from], &end);
            call(at, g, r, CLUMP_CALL_SENDRECV, begin, end);
            at->end[r] = end;
        }
    }
    free(sent);
    free(nic);
    free(arrives);
}

static clump_facts *make_facts(const program *g, const double *gap)
{
    const size_t R = g->ranks;
    clump_facts *facts = clump_facts_new();
    double *lists = calloc(4 * R, sizeof *lists);
    assert_true(facts != NULL && lists != NULL);
    run at = {clump_steps_new(R), lists, lists + R, lists + 2 * R, lists + 3 * R};
    assert_non_null(at.steps);
    record(g, gap, &at);
    for (size_t r = 0; r < R; r++) {
        const clump_recorded_call last =
            clump_call_of(CLUMP_CALL_FINALIZE, 1e-6 * at.end[r], 1e-6 * at.end[r]);
        clump_steps_add(at.steps, r, &last);
        const double in_mpi = 1e-6 * (at.waiting[r] + at.transferring[r]),
                     computing = 1e-6 * at.computing[r];
        const clump_facts_node node = {.host = "a", .clock_low = NAN, .clock_high = NAN};
        const clump_facts_rank rank = {.node = (int64_t)r,
                                       .wall = computing + in_mpi,
                                       .computing = computing,
                                       .processor = computing,
                                       .in_mpi = in_mpi,
                                       .waiting = 1e-6 * at.waiting[r],
                                       .transferring = 1e-6 * at.transferring[r],
                                       .calls = STEPS,
                                       .traced = STEPS,
                                       .requests_mean = 0,
                                       .requests_most = 0,
                                       .ended = true};
        const clump_facts_call calls = {.rank = (int64_t)r,
                                        .kind = g->ring ? "sendrecv" : "receive",
                                        .calls = receives(g, r) ? STEPS : 0,
                                        .seconds = in_mpi,
                                        .bytes = receives(g, r) ? BYTES * STEPS : 0,
                                        .waiting = rank.waiting,
                                        .transferring = rank.transferring};
        const clump_facts_traffic traffic = {.sender = (int64_t)r,
                                             .receiver = (int64_t)((r + 1) % R),
                                             .kind = "point-to-point",
                                             .size_limit = 16384,
                                             .messages = STEPS,
                                             .bytes = BYTES * STEPS};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_NODE, &node));
        assert_true(clump_facts_add(facts, CLUMP_FACTS_RANK, &rank));
        assert_true(clump_facts_add(facts, CLUMP_FACTS_CALL, &calls));
        if (sends(g, r))
            assert_true(clump_facts_add(facts, CLUMP_FACTS_TRAFFIC, &traffic));
    }
    assert_true(clump_steps_add_facts(at.steps, facts));
    clump_steps_free(at.steps);
    free(lists);
    return facts;
}

static clump_recorded make(const clump_facts *facts, clump_arena *arena)
{
    const clump_recorded_options options = {.network = &network, .shared_memory = &memory};
    clump_recorded made;
    clump_error error = {CLUMP_OK, ""};
    if (clump_recorded_make(facts, &options, arena, &made, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return made;
}

static double predict(const clump_recorded *recorded, size_t P, size_t N, clump_arena *arena,
                      double *now_us)
{
    clump_recorded_placed placed;
    clump_prediction found;
    clump_error error = {CLUMP_OK, ""};
    const clump_node node = {.processors = P, .nics = N};
    if (clump_recorded_place(recorded, P, arena, &placed, &error) != CLUMP_OK ||
        clump_recorded_predict(&placed, &node, CLUMP_DEMAND_CORRELATED, 1, 1, &found, &error) !=
            CLUMP_OK)
        fail_msg("%s", error.message);
    *now_us = 1e6 * placed.now_s;
    assert_true(found.nic_utilization >= 0 && found.nic_utilization <= 1);
    return found.slowdown;
}

/* ---- both */

typedef struct test_case {
    program program;
    size_t processors, nics;
    double tolerance;
} test_case;

static void compare(const test_case *t, uint64_t seed)
{
    double *gap = draw(&t->program, seed), now;
    clump_facts *facts = make_facts(&t->program, gap);
    clump_arena *arena = clump_arena_new();
    const clump_recorded recorded = make(facts, arena);
    assert_non_null(recorded.chain);
    const double truth_now = simulate(&t->program, gap, 1, 1),
                 truth = simulate(&t->program, gap, t->processors, t->nics) / truth_now,
                 found = predict(&recorded, t->processors, t->nics, arena, &now);
    print_message("%s of %zu, gaps %d of %g us, P = %zu, N = %zu: %.4f, simulated %.4f (%+.1f%%); "
                  "NOW %+.1f%%\n",
                  t->program.ring ? "ring" : "pipeline", t->program.ranks, t->program.kind,
                  t->program.mean, t->processors, t->nics, found, truth, 100 * (found / truth - 1),
                  100 * (now / truth_now - 1));
    if (fabs(found / truth - 1) > t->tolerance || fabs(now / truth_now - 1) > t->tolerance)
        fail_msg("expected %.4f within %g", truth, t->tolerance);
    clump_arena_free(arena);
    clump_facts_free(facts);
    free(gap);
}

static void rings(void **state)
{
    (void)state;
    static const test_case cases[] = {
        {{true, 16, ALIKE, 30}, 2, 1, 0.02},       {{true, 16, ALIKE, 30}, 8, 1, 0.05},
        {{true, 16, ALIKE, 30}, 8, 2, 0.05},       {{true, 12, ALIKE, 200}, 4, 1, 0.05},
        {{true, 16, EXPONENTIAL, 40}, 4, 1, 0.15}, {{true, 16, EXPONENTIAL, 40}, 8, 2, 0.15},
        {{true, 8, EXPONENTIAL, 100}, 2, 1, 0.15}, {{true, 16, IN_STEP, 100}, 8, 1, 0.15},
        {{true, 16, IN_STEP, 100}, 4, 2, 0.15},    {{true, 8, ONE_SLOW, 60}, 4, 1, 0.15},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        compare(&cases[i], 100 + i);
}

static void pipelines(void **state)
{
    (void)state;
    static const test_case cases[] = {
        {{false, 8, ALIKE, 30}, 2, 1, 0.1},        {{false, 8, ALIKE, 200}, 4, 1, 0.1},
        {{false, 8, EXPONENTIAL, 60}, 4, 1, 0.15}, {{false, 8, EXPONENTIAL, 150}, 4, 2, 0.15},
        {{false, 8, ONE_SLOW, 100}, 2, 1, 0.1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        compare(&cases[i], 200 + i);
}

/* ---- what is no chain */

static bool is_chain(clump_facts *facts)
{
    clump_arena *arena = clump_arena_new();
    const bool found = make(facts, arena).chain != NULL;
    clump_arena_free(arena);
    return found;
}

static void no_chains(void **state)
{
    (void)state;
    const program ring = {true, 4, ALIKE, 30};
    double *gap = draw(&ring, 1);
    clump_facts *facts = make_facts(&ring, gap);
    assert_true(is_chain(facts));
    /* A rank that answers now and then is no matter, one that does so always is. */
    clump_facts_traffic back = {.sender = 2,
                                .receiver = 1,
                                .kind = "point-to-point",
                                .size_limit = 1,
                                .messages = 4,
                                .bytes = 4};
    assert_true(clump_facts_add(facts, CLUMP_FACTS_TRAFFIC, &back));
    assert_true(is_chain(facts));
    back.messages = STEPS;
    assert_true(clump_facts_add(facts, CLUMP_FACTS_TRAFFIC, &back));
    assert_false(is_chain(facts));
    clump_facts_free(facts);
    /* After a barrier all begin anew. */
    facts = make_facts(&ring, gap);
    for (int64_t r = 0; r < 4; r++) {
        const clump_facts_call barriers = {.rank = r, .kind = "barrier", .calls = STEPS / 2};
        assert_true(clump_facts_add(facts, CLUMP_FACTS_CALL, &barriers));
    }
    assert_false(is_chain(facts));
    clump_facts_free(facts);
    /* Nobody knows what was not traced. */
    facts = make_facts(&ring, gap);
    ((clump_facts_rank *)clump_facts_row(facts, CLUMP_FACTS_RANK, 3))->traced--;
    assert_false(is_chain(facts));
    clump_facts_free(facts);
    free(gap);
}

/* ---- steps by hand */

static void add(clump_steps *steps, clump_call_kind kind, double begin, double end, int peer,
                uint32_t thread)
{
    const clump_call_request got = {1, CLUMP_REQUEST_RECEIVE, 1, 0, 100};
    clump_recorded_call c = clump_call_of(kind, begin, end);
    c.peer = c.peer_receive = peer;
    c.bytes = 1000;
    c.thread = thread;
    c.requests = kind == CLUMP_CALL_WAIT ? 1 : 0;
    c.request = &got;
    clump_steps_add(steps, 0, &c);
}

static void steps_by_hand(void **state)
{
    (void)state;
    clump_steps *steps = clump_steps_new(2);
    clump_facts *facts = clump_facts_new();
    assert_true(steps != NULL && facts != NULL);
    add(steps, CLUMP_CALL_INIT, 1, 2, -1, 0);
    add(steps, CLUMP_CALL_BARRIER, 3, 4, -1, 0); /* ends nothing that was sent */
    add(steps, CLUMP_CALL_IRECEIVE, 5, 5, 1, 0);
    add(steps, CLUMP_CALL_ISEND, 6, 6, 1, 0);
    add(steps, CLUMP_CALL_SEND, 6, 9, 1, 7);       /* of another thread */
    add(steps, CLUMP_CALL_ISEND, 6.5, 6.5, -1, 0); /* to nobody */
    add(steps, CLUMP_CALL_SEND, 7, 7.5, 1, 0);
    add(steps, CLUMP_CALL_WAIT, 8, 9, 1, 0);       /* 3 s before, 0.5 s after */
    add(steps, CLUMP_CALL_SENDRECV, 12, 13, 1, 0); /* 3 s before */
    add(steps, CLUMP_CALL_RECEIVE, 13, 14, -1, 0); /* from nobody */
    add(steps, CLUMP_CALL_RECEIVE, 15, 16, 1, 0);  /* sent nothing: 1 s after */
    add(steps, CLUMP_CALL_SEND, 16, 17, 1, 0);
    add(steps, CLUMP_CALL_ALLREDUCE, 18, 19, -1, 0); /* 0 s before, 1 s after */
    add(steps, CLUMP_CALL_SEND, 20, 21, 1, 0);       /* killed: 1 s before */
    assert_true(clump_steps_add_facts(steps, facts));
    static const clump_facts_step expected[] = {
        {0, 0, 2, 0, 2, 1, 1000},
        {0, 1 << 30, 1, 1, 0, 1, 1000},
        {0, INT64_C(1) << 32, 2, 6, 0.5, 3, 3000},
    };
    assert_int_equal(facts->step_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const clump_facts_step *s = &facts->steps[i], *e = &expected[i];
        assert_true(s->rank == e->rank && s->gap_limit == e->gap_limit && s->steps == e->steps);
        assert_true(fabs(s->before - e->before) + fabs(s->after - e->after) < 1e-9);
        assert_true(fabs(s->messages - e->messages) + fabs(s->bytes - e->bytes) < 1e-9);
    }
    clump_steps_free(steps);
    clump_facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings),
        cmocka_unit_test(pipelines),
        cmocka_unit_test(no_chains),
        cmocka_unit_test(steps_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
