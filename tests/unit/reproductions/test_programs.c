/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs over the global address space: what its accesses promise, live and in virtual time; and
 * the documents' programs on small inputs, whose results are those of a sequential run, whoever runs
 * them.
 */
#include "reproductions/applications/blocks.h"
#include "reproductions/runs/application_run.h"
#include "reproductions/systems/global_space.h"
#include "tests/unit/small_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { MOST = 64, LONG = 20000 / 4 /* words: three messages */ };

static clump_application_worker workers[MOST];

static const clump_virtual_team_options machine = {.nics = 2,
                                                   .network = {12.56, 3.463, 8.93, 14.51, 0.031208},
                                                   .memory = {-0.52, 2.135, 1.73, 3.251, 0.0063}};

typedef enum way { LIVE, VIRTUAL } way;

static clump_protocol_status try_run(way how, clump_application_run *run, char *message)
{
    return how == LIVE ? clump_application_run_live(run, message)
                       : clump_application_run_virtual(run, &machine, 0, message);
}

static clump_application_run run_input(way how, const clump_application_input *input)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_application_run run = {.input = input, .workers = workers};
    const clump_protocol_status status = try_run(how, &run, message);
    if (status != CLUMP_PROTOCOL_OK)
        fail_msg("%s: %s", input->application->name, message);
    return run;
}

/* ---- what the global address space promises */

static void require(clump_space *s, bool holds, const char *what)
{
    if (!holds)
        clump_worker_fail(clump_space_worker(s), what);
}

static void on_add(clump_space *s, const uint32_t *words, unsigned count, void *context)
{
    uint64_t *sum = context;
    (void)s;
    for (unsigned i = 0; i < count; i++)
        *sum += words[i];
}

static void exercise(clump_worker *w, const clump_application_input *input,
                     clump_application_result *result)
{
    const uint32_t me = w->rank, count = w->count, next = (me + 1) % count,
                   before = (me + count - 1) % count;
    uint64_t sum = 0;
    clump_space *s = clump_space_open(w, 3 * LONG * 4 + 4096);
    const uint32_t few = clump_space_allocate(s, 64 * 4), far = clump_space_allocate(s, LONG * 4),
                   back = clump_space_allocate(s, LONG * 4);
    uint32_t *few_here = clump_space_at(s, few), *far_here = clump_space_at(s, far),
             *back_here = clump_space_at(s, back);
    uint32_t *mine = clump_worker_allocate(w, LONG, 4);
    (void)input;
    clump_space_define(s, 3, on_add, &sum);
    for (uint32_t i = 0; i < LONG; i++)
        mine[i] = me * 1000003 + i;
    clump_space_barrier(s);
    clump_worker_begin(w);

    /* Puts of every length; none touches what is beside it. */
    uint32_t place = few;
    for (unsigned n = 1; n <= CLUMP_SPACE_WORDS; place += n + 1, n++)
        clump_space_put(s, next, place, mine, n);
    clump_space_sync(s);
    clump_space_barrier(s);
    place = 0;
    for (unsigned n = 1; n <= CLUMP_SPACE_WORDS; place += n + 1, n++) {
        for (unsigned i = 0; i < n; i++)
            require(s, few_here[place + i] == before * 1000003 + i, "a put brought something else");
        require(s, few_here[place + n] == 0, "a put wrote more than it should");
    }
    /* A get of what I put is what I put, as soon as both are complete. */
    clump_space_get(s, next, few, few + 40, 1);
    clump_space_get(s, next, few + 20, few + 44, 6);
    clump_space_sync(s);
    require(s, few_here[40] == me * 1000003 && few_here[49] == mine[5], "a get of something else");

    /* Stores are counted where they arrive. */
    for (uint32_t i = 0; i < LONG; i += 100)
        clump_space_store(s, next, far + i, mine + i, 4);
    clump_space_store_sync(s, LONG / 100 * 16);
    for (uint32_t i = 0; i < LONG; i += 100)
        require(s, far_here[i + 3] == before * 1000003 + i + 3, "a store is missing");
    clump_space_barrier(s);

    /* In bulk, of more than a message. */
    clump_space_store_bulk(s, next, far, mine, LONG * 4);
    clump_space_store_sync(s, LONG * 4);
    clump_space_barrier(s);
    clump_space_get_bulk(s, next, far, back, LONG * 4);
    clump_space_sync(s);
    require(s, memcmp(back_here, mine, LONG * 4) == 0, "bulk data came back otherwise");
    clump_space_barrier(s);
    clump_space_store_bulk(s, before, back, mine, LONG * 4);
    clump_space_store_sync(s, LONG * 4);
    for (uint32_t i = 0; i < LONG; i++)
        require(s, back_here[i] == next * 1000003 + i, "a bulk store brought something else");

    /* Calls have taken place once their caller has synchronized; itself included. */
    for (uint32_t to = 0; to < count; to++)
        clump_space_call(s, to, 3, (uint32_t[]){me + 1, 10, 100}, 3);
    clump_space_all_store_sync(s);
    require(s, sum == (uint64_t)count * (count + 1) / 2 + 110 * (uint64_t)count,
            "calls are missing, or came twice");

    const uint64_t large = UINT64_C(1) << 40;
    require(s,
            clump_space_reduce(s, large + me, CLUMP_SPACE_SUM) ==
                large * count + (uint64_t)count * (count - 1) / 2,
            "a wrong sum");
    require(s,
            clump_space_reduce(s, large * (me == 1) + me, CLUMP_SPACE_MAX) ==
                (count > 1 ? large + 1 : 0),
            "a wrong greatest value");
    clump_worker_end(w);
    result->items = 1;
}

/* Nobody leaves a barrier before all are there. The lines are written by puts, so that it is seen
 * by messages alone. */
static void barriers(clump_worker *w, const clump_application_input *input,
                     clump_application_result *result)
{
    enum { ROUNDS = 50 };
    clump_space *s = clump_space_open(w, (size_t)w->count * 4 + 64);
    const uint32_t line = clump_space_allocate(s, (size_t)w->count * 4);
    const uint32_t *seen = clump_space_at(s, line);
    (void)input;
    clump_space_barrier(s);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        clump_worker_compute(w, (double)((w->rank * 13 + round * 7) % 5));
        for (uint32_t to = 0; to < w->count; to++)
            clump_space_put(s, to, line + w->rank, &round, 1);
        clump_space_sync(s);
        clump_space_barrier(s);
        for (uint32_t r = 0; r < w->count; r++)
            require(s, seen[r] >= round, "somebody was not there yet");
    }
    clump_worker_begin(w);
    for (uint32_t round = 0; round < ROUNDS; round++)
        clump_space_barrier(s);
    clump_worker_end(w);
    result->items = 1;
}

static clump_application application_of(void (*work)(clump_worker *,
                                                     const clump_application_input *,
                                                     clump_application_result *))
{
    static const clump_application_size none[] = {{.name = NULL}};
    return (clump_application){.name = "test", .operation_us = 1, .sizes = none, .work = work};
}

TEST(test_accesses)
{
    const clump_application a = application_of(exercise);
    static const struct {
        way how;
        uint32_t workers, per_node;
    } cases[] = {{VIRTUAL, 1, 1}, {VIRTUAL, 2, 1}, {VIRTUAL, 12, 4}, {VIRTUAL, 33, 11},
                 {LIVE, 2, 2},    {LIVE, 4, 4},    {LIVE, 3, 1},     {LIVE, 4, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clump_application_input input = {
            .application = &a, .workers = cases[i].workers, .per_node = cases[i].per_node};
        const clump_application_run run = run_input(cases[i].how, &input);
        assert_int_equal(run.result.items, cases[i].workers);
    }
}

/* A barrier: each but the first sends up, and is told; both are answered. Section 5.3.3 counts the
 * tree's messages: 66 barriers of 32 processors are 66 * 4 * 31 of them. */
TEST(test_barriers)
{
    const clump_application a = application_of(barriers);
    for (int how = LIVE; how <= VIRTUAL; how++) {
        const uint32_t count = how == LIVE ? 3 : 32;
        const clump_application_input input = {
            .application = &a, .workers = count, .per_node = how == LIVE ? 3 : 8};
        run_input(how, &input);
        if (how == LIVE)
            continue;
        uint64_t local = 0, remote = 0;
        for (uint32_t r = 0; r < count; r++) {
            local += workers[r].traffic.short_local.messages;
            remote += workers[r].traffic.short_remote.messages;
        }
        /* In table 5.8, 7 of the 31 edges are within a node. Counting begins behind a barrier whose
         * last answers may still come. */
        assert_in_range(local, 50 * 4 * 7 - 31, 50 * 4 * 7 + 31);
        assert_in_range(remote, 50 * 4 * 24 - 62, 50 * 4 * 24 + 62);
    }
}

/* ---- what a program must not do */

static void reach_beyond(clump_worker *w, const clump_application_input *input,
                         clump_application_result *result)
{
    clump_space *s = clump_space_open(w, 64);
    (void)input, (void)result;
    if (w->rank == 0)
        clump_space_put(s, 1, 1000, &w->rank, 1);
    clump_space_barrier(s);
}

static void call_nothing(clump_worker *w, const clump_application_input *input,
                         clump_application_result *result)
{
    clump_space *s = clump_space_open(w, 64);
    (void)input, (void)result;
    if (w->rank == 0)
        clump_space_call(s, 1, 7, NULL, 0);
    clump_space_barrier(s);
}

static void wait_alone(clump_worker *w, const clump_application_input *input,
                       clump_application_result *result)
{
    clump_space *s = clump_space_open(w, 64);
    (void)input, (void)result;
    if (w->rank == 0)
        clump_space_barrier(s);
}

TEST(test_mistakes)
{
    static const struct {
        void (*work)(clump_worker *, const clump_application_input *, clump_application_result *);
        const char *says;
        bool live;
    } cases[] = {{reach_beyond, "beyond the global memory", true},
                 {call_nothing, "not defined", true},
                 {wait_alone, "never ends", false}};
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clump_application a = application_of(cases[i].work);
        const clump_application_input input = {.application = &a, .workers = 2, .per_node = 2};
        clump_application_run run = {.input = &input, .workers = workers};
        assert_int_equal(try_run(VIRTUAL, &run, message), CLUMP_PROTOCOL_FAILED);
        assert_non_null(strstr(message, cases[i].says));
        if (!cases[i].live)
            continue;
        assert_int_equal(try_run(LIVE, &run, message), CLUMP_PROTOCOL_FAILED);
        assert_non_null(strstr(message, cases[i].says));
    }
}

/* ---- the documents' programs */

TEST(test_results)
{
    static const struct {
        way how;
        uint32_t workers, per_node;
    } cases[] = {{VIRTUAL, 1, 1}, {VIRTUAL, 2, 1}, {VIRTUAL, 8, 4}, {VIRTUAL, 32, 8},
                 {LIVE, 2, 2},    {LIVE, 4, 4},    {LIVE, 4, 2}};
    enum { FIRST_LIVE = 4, LIVE_CASES = 3 };
    /* Live each program runs in one of the three ways, and each third program in the same. */
    const bool all = getenv("CLUMP_TEST_LONG") != NULL;
    for (size_t k = 0; clump_application_at(k) != NULL; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (!all && i >= FIRST_LIVE && i != FIRST_LIVE + k % LIVE_CASES)
                continue;
            const clump_application_input input =
                small_input(clump_application_at(k), cases[i].workers, cases[i].per_node);
            clump_application_result expected;
            const clump_application_run run = run_input(cases[i].how, &input);
            assert_true(input.application->expect(&input, &expected));
            assert_true(expected.items > 0);
            assert_int_equal(run.result.items, expected.items);
            assert_int_equal(run.result.digest, expected.digest);
        }
}

/* Twice the same, to the last bit of every worker's times. */
TEST(test_same_again)
{
    static clump_application_worker first[MOST];
    for (size_t k = 0; clump_application_at(k) != NULL; k++) {
        const clump_application_input input = small_input(clump_application_at(k), 16, 4);
        const clump_application_run a = run_input(VIRTUAL, &input);
        memcpy(first, workers, sizeof first);
        const clump_application_run b = run_input(VIRTUAL, &input);
        assert_memory_equal(first, workers, 16 * sizeof *first);
        assert_int_equal(a.events, b.events);
        assert_true(a.time_us > 0 && a.time_us == b.time_us);
        clump_application_input other = input;
        other.seed = 8;
        assert_int_not_equal(run_input(VIRTUAL, &other).result.digest, a.result.digest);
    }
}

/* Tables 5.6 to 5.8: the messages of 3-D FFT are fixed by the text, and come out exactly. */
TEST(test_fft_traffic)
{
    static const struct {
        uint32_t workers;
        uint64_t remote, least_remote, greatest_remote, bulk_remote, local, least_local,
            greatest_local, bulk_local;
    } tables[] = {{8, 0, 0, 0, 0, 3647, 3620, 3692, 3584},
                  {32, 966, 768, 1164, 768, 282, 224, 620, 224}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const uint32_t count = tables[i].workers;
        const clump_application_input input =
            clump_application_input_of(clump_application_find("fft"), count, 8);
        uint64_t remote = 0, local = 0, least[2] = {UINT64_MAX, UINT64_MAX}, greatest[2] = {0, 0};
        run_input(VIRTUAL, &input);
        for (uint32_t r = 0; r < count; r++) {
            const clump_worker_traffic *t = &workers[r].traffic;
            const uint64_t here[2] = {t->short_remote.messages, t->short_local.messages};
            assert_int_equal(t->bulk_remote.messages, tables[i].bulk_remote);
            assert_int_equal(t->bulk_local.messages, tables[i].bulk_local);
            assert_int_equal(t->bulk_local.bytes, tables[i].bulk_local * 2048);
            remote += here[0];
            local += here[1];
            for (int k = 0; k < 2; k++) {
                least[k] = here[k] < least[k] ? here[k] : least[k];
                greatest[k] = here[k] > greatest[k] ? here[k] : greatest[k];
            }
        }
        assert_int_equal((remote + count / 2) / count, tables[i].remote);
        assert_int_equal((local + count / 2) / count, tables[i].local);
        assert_int_equal(least[0], tables[i].least_remote);
        assert_int_equal(greatest[0], tables[i].greatest_remote);
        assert_int_equal(least[1], tables[i].least_local);
        assert_int_equal(greatest[1], tables[i].greatest_local);
    }
}

/* Table 7.10: a processor of EM3D/good that sends nothing to other nodes is done with its values first,
 * and processors are less equal than in EM3D/naive. Phases are what sending and its answers take. */
static double slowest_over_fastest(const char *name)
{
    const clump_application_input input = small_input(clump_application_find(name), 32, 8);
    double inside = 0, outside = INFINITY, slowest = 0, fastest = INFINITY;
    run_input(VIRTUAL, &input);
    for (uint32_t r = 0; r < 32; r++) {
        const clump_application_worker *w = &workers[r];
        assert_true(w->phase_us > 0 && w->phase_us < w->time_us - w->parts.compute_us);
        /* Barriers are some twenty messages to other nodes. */
        double *of = w->traffic.short_remote.messages < 50 ? &inside : &outside;
        *of = of == &inside ? fmax(*of, w->phase_us) : fmin(*of, w->phase_us);
        slowest = fmax(slowest, w->phase_us);
        fastest = fmin(fastest, w->phase_us);
    }
    assert_true(strcmp(name, "em3d-good") != 0 || (inside > 0 && inside < outside));
    return slowest / fastest;
}

TEST(test_phases)
{
    const double naive = slowest_over_fastest("em3d-naive"),
                 good = slowest_over_fastest("em3d-good");
    assert_true(naive > 1.2 && good > 1.5 * naive);
    const clump_application_input other = small_input(clump_application_find("fft"), 4, 4);
    run_input(VIRTUAL, &other);
    assert_true(workers[0].phase_us == 0);
    const clump_application_input live = small_input(clump_application_find("em3d"), 2, 2);
    run_input(LIVE, &live);
    for (int r = 0; r < 2; r++)
        assert_true(workers[r].phase_us > 0 && workers[r].phase_us < workers[r].time_us);
}

/* Traffic does not depend on who runs the program, nor on how fast the messages are. */
TEST(test_same_traffic)
{
    static clump_application_worker first[4];
    const clump_application_input input = small_input(clump_application_find("em3d-good"), 4, 2);
    run_input(VIRTUAL, &input);
    memcpy(first, workers, sizeof first);
    run_input(LIVE, &input);
    for (int r = 0; r < 4; r++) {
        /* But for answers within the barrier in front, which are counted or not. */
        const uint64_t a = first[r].traffic.short_remote.messages,
                       b = workers[r].traffic.short_remote.messages;
        assert_in_range(a, b - 4, b + 4);
    }
}

/* ---- space in blocks: figure 5.8 */

static void check_blocks(uint32_t workers_count, uint32_t per_node, int layout)
{
    clump_blocks b;
    clump_blocks_make(workers_count, per_node, layout, &b);
    assert_int_equal(b.extent[0] * b.extent[1] * b.extent[2], workers_count);
    for (uint32_t r = 0; r < workers_count; r++)
        for (uint32_t d = 0; d < clump_blocks_directions(&b); d++) {
            const uint32_t there = clump_blocks_neighbour(&b, r, d);
            if (there == CLUMP_BLOCKS_NONE)
                continue;
            assert_true(there < workers_count && there != r);
            assert_int_equal(clump_blocks_neighbour(&b, there, clump_blocks_opposite(&b, d)), r);
        }
}

/* Neighbours of all on the same node, and on others. */
static void count_neighbours(int layout, unsigned *local, unsigned *remote)
{
    clump_blocks b;
    clump_blocks_make(32, 8, layout, &b);
    *local = *remote = 0;
    for (uint32_t r = 0; r < 32; r++)
        for (uint32_t d = 0; d < clump_blocks_directions(&b); d++) {
            const uint32_t there = clump_blocks_neighbour(&b, r, d);
            if (there != CLUMP_BLOCKS_NONE)
                ++*(there / 8 == r / 8 ? local : remote);
        }
}

TEST(test_blocks)
{
    clump_blocks b;
    unsigned local, remote;
    clump_blocks_make(32, 8, CLUMP_BLOCKS_FLAT, &b);
    assert_int_equal(b.extent[0], 4);
    assert_int_equal(b.extent[1], 2);
    assert_int_equal(b.extent[2], 4);
    assert_int_equal(b.node[0], 2);
    assert_int_equal(b.node[1], 1);
    assert_int_equal(b.node[2], 4);
    /* Faces between blocks of 4 x 2 x 4: 24 in x, 16 in y, 24 in z. Of them 16 y and 8 x leave a
     * slice of 2 x 1 x 4; 8 x and 8 z leave a cube. */
    count_neighbours(CLUMP_BLOCKS_FLAT, &local, &remote);
    assert_int_equal(remote, 2 * 24);
    assert_int_equal(local, 2 * 40);
    count_neighbours(CLUMP_BLOCKS_COMPACT, &local, &remote);
    assert_int_equal(remote, 2 * 16);
    assert_int_equal(local, 2 * 48);
    for (uint32_t n = 1; n <= 60; n++)
        for (uint32_t p = 1; p <= n; p++)
            if (n % p == 0) {
                check_blocks(n, p, CLUMP_BLOCKS_COMPACT);
                check_blocks(n, p, CLUMP_BLOCKS_FLAT);
            }
}

UNIT_MAIN(NULL, NULL)
