/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs in virtual time: what messages cost, against LogGP by hand; who waits at NICs; that a run
 * is the same every time; and how runs end that cannot go on.
 */
#include "reproductions/virtual/virtual_team.h"

#include <string.h>

#include "tests/unit/unit.h"
#include <math.h>

enum { MOST = 16, TIMES = 64, BULK = 1001 };

/* L, o_s, o_r, g, G: such that each sum of some of them tells which. */
static const clump_message_costs network = {10, 1, 2, 5, 0.25}, memory = {0.5, 0.25, 0.125, 1, 0};

static struct {
    double handled_us[MOST][TIMES]; /* when a member's first handlers began */
    unsigned handled[MOST], replied[MOST];
    uint32_t longest; /* of the last member's queue */
    bool answers;
} seen;

static double now_us(const clump_virtual_member *m)
{
    return (double)clump_virtual_member_now_ps(m) / 1e6;
}

static void handle(clump_virtual_member *m, const clump_virtual_arrival *a, void *context)
{
    const uint32_t me = clump_virtual_member_rank(m);
    (void)context;
    if (a->reply) {
        seen.replied[me]++;
        return;
    }
    assert_int_equal(a->message.count, 2);
    assert_int_equal(a->message.arguments[0], a->from);
    assert_int_equal(a->message.arguments[1], me);
    for (size_t i = 0; i < a->message.size; i++)
        assert_int_equal(((const unsigned char *)a->message.data)[i], i % 251);
    if (seen.handled[me] < TIMES)
        seen.handled_us[me][seen.handled[me]] = now_us(m);
    seen.handled[me]++;
    if (seen.answers)
        clump_virtual_member_reply(m, 2, NULL, 0, NULL, 0);
}

static void send(clump_virtual_member *m, uint32_t to, size_t size)
{
    unsigned char data[BULK];
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(i % 251);
    clump_virtual_member_request(m, to, 1, (uint32_t[]){clump_virtual_member_rank(m), to}, 2,
                                 size > 0 ? data : NULL, size);
}

static void await(clump_virtual_member *m, const unsigned *counter, unsigned least)
{
    while (*counter < least)
        clump_virtual_member_wait(m);
}

static clump_virtual_team_options options_of(uint32_t nodes, uint32_t processors,
                                             void (*work)(clump_virtual_member *, void *))
{
    memset(&seen, 0, sizeof seen);
    return (clump_virtual_team_options){.nodes = nodes,
                                        .processors = processors,
                                        .nics = 1,
                                        .network = network,
                                        .memory = memory,
                                        .work = work,
                                        .handle = handle};
}

static clump_virtual_team_result run(const clump_virtual_team_options *o, clump_time_parts *parts)
{
    clump_virtual_team_result result;
    const clump_protocol_status status = clump_virtual_team_run(o, &result, parts);
    if (status != CLUMP_PROTOCOL_OK)
        fail_msg("%d: %s", (int)status, result.message);
    return result;
}

#define assert_us(is, should) assert_true(fabs((is) - (should)) < 1e-5)

/* ---- one message, one round trip */

static void one_way(clump_virtual_member *m, void *context)
{
    const uint32_t me = clump_virtual_member_rank(m);
    if (me == 0)
        send(m, 1, *(const size_t *)context);
    else if (me == 1)
        await(m, &seen.handled[1], 1);
}

TEST(test_one_message)
{
    size_t size = 0;
    clump_virtual_team_options o = options_of(2, 1, one_way);
    clump_time_parts parts[2];
    o.context = &size;
    run(&o, parts);
    assert_us(seen.handled_us[1][0], 1 + 10 + 2);
    assert_us(parts[0].send_us, 1);
    assert_us(parts[1].receive_us, 2);
    assert_us(parts[1].wait_us, 11);

    o = options_of(2, 1, one_way);
    o.context = &size;
    size = BULK;
    run(&o, NULL);
    assert_us(seen.handled_us[1][0], 1 + 10 + 1000 * 0.25 + 2);

    o = options_of(1, 2, one_way); /* within a node */
    o.context = &size;
    size = 0;
    run(&o, NULL);
    assert_us(seen.handled_us[1][0], 0.25 + 0.5 + 0.125);

    o = options_of(1, 2, one_way); /* overheads that overlap */
    o.context = &size;
    o.memory.latency_us = -0.25;
    run(&o, NULL);
    assert_us(seen.handled_us[1][0], 0.25 + 0.125 - 0.25);
}

/* ---- senders that take a queue's tail from each other */

/* 0 sends twice to 2, then 1 does, then 0 once more, each when the one before is handled. */
static void take_turns(clump_virtual_member *m, void *context)
{
    const uint32_t me = clump_virtual_member_rank(m);
    (void)context;
    if (me == 2) {
        await(m, &seen.handled[2], 4);
        return;
    }
    clump_virtual_member_work(m, me == 0 ? 0 : 100);
    send(m, 2, 0);
    send(m, 2, 0);
    if (me == 0) {
        clump_virtual_member_work(m, 200);
        send(m, 2, 0);
    }
}

TEST(test_moved_lines)
{
    clump_virtual_team_options o = options_of(1, 3, take_turns);
    clump_time_parts parts[3];
    run(&o, parts);
    assert_us(parts[0].send_us, 3 * 0.25);
    o = options_of(1, 3, take_turns);
    o.moved_us = 7;
    run(&o, parts);
    assert_us(parts[0].send_us, 3 * 0.25 + 7); /* the third, after those of 1 */
    assert_us(parts[1].send_us, 2 * 0.25 + 7); /* the first */
    o = options_of(3, 1, take_turns);
    o.moved_us = 7; /* between nodes there is no such queue */
    run(&o, parts);
    assert_us(parts[0].send_us, 3 * 1.0);
    clump_virtual_team_result result;
    for (int k = 0; k < 3; k++) {
        o.moved_us = (double[]){-1, NAN, 1e9}[k];
        assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
        assert_non_null(strstr(result.message, "moved lines"));
    }
}

/* ---- processes that share processors */

static void compute_alone(clump_virtual_member *m, void *context)
{
    (void)context;
    assert_int_equal(clump_virtual_member_rank(m), 0);
    clump_virtual_member_work(m, 250);
    seen.handled_us[clump_virtual_member_job(m)][0] = now_us(m);
}

/* 0 computes; 1 looks for its message, sleeps, and is waked. */
static void compute_and_wake(clump_virtual_member *m, void *context)
{
    (void)context;
    if (clump_virtual_member_rank(m) == 1) {
        await(m, &seen.handled[1], 1);
        return;
    }
    clump_virtual_member_work(m, 1000);
    send(m, 1, 0);
}

TEST(test_sharing)
{
    clump_virtual_sharing sharing = {.jobs = 2, .slice_us = 100, .yield_us = 50};
    clump_virtual_team_options o = options_of(1, 1, compute_alone);
    clump_time_parts parts[4];
    o.sharing = &sharing;
    assert_us(run(&o, parts).time_us, 500); /* 100 in turn, then 50 each */
    assert_us(seen.handled_us[0][0], 450);
    for (int r = 0; r < 2; r++) {
        assert_us(parts[r].compute_us, 250);
        assert_us(parts[r].wait_us, 200.0 + 50 * r);
    }
    sharing.switch_us = 1; /* five changes */
    assert_us(run(&o, NULL).time_us, 510);
    /* Each loses 30 in each turn of the other. Of 100 in a turn 100, 70 and 70 are computed; the last 10
     * take 20: two more turns, and changes. */
    sharing.cache_us = 30;
    assert_us(run(&o, NULL).time_us, 2 * (100 + 100 + 100 + 20) + 7 * 2);
    sharing = (clump_virtual_sharing){.jobs = 1, .sequential = 2, .slice_us = 100};
    assert_us(run(&o, NULL).time_us, 650);

    /* Two processors and two that only compute. 1 sleeps from 50 on. Of 150 us the others have two
     * processors for 300: 0 begins its slices 0, 150, ... 1350. The message wakes 1 at once. */
    o = options_of(1, 2, compute_and_wake);
    sharing = (clump_virtual_sharing){.jobs = 1, .sequential = 1, .slice_us = 100, .yield_us = 50};
    o.sharing = &sharing;
    assert_us(run(&o, parts).time_us, 1450.875);
    assert_us(seen.handled_us[1][0], 1450 + 0.25 + 0.5 + 0.125);
    assert_us(parts[0].compute_us, 1000);
    sharing.yield_us = 0; /* it looks all the time: half of the processors are the others' */
    memset(&seen, 0, sizeof seen);
    assert_true(run(&o, parts).time_us > 1850);
}

/* ---- memory */

enum { LINE = 64, LOADED = 4096 * 1000 };

static void load_much(clump_virtual_member *m, void *context)
{
    const double written = *(const double *)context;
    clump_virtual_member_walk(m, 500, LOADED, written * LOADED);
}

/* Customers of a delay and of one server with exponential service, by mean value analysis: how much
 * longer one takes than alone. */
static double mean_value_analysis(int customers, double delay, double service)
{
    double queue = 0, cycle = 0;
    for (int k = 1; k <= customers; k++) {
        cycle = delay + service * (1 + queue);
        queue = k * (cycle - delay) / cycle;
    }
    return cycle / (delay + service);
}

TEST(test_memory_alone)
{
    double written = 0;
    clump_virtual_team_options o = options_of(1, 1, load_much);
    clump_time_parts parts;
    o.context = &written;
    assert_us(run(&o, NULL).time_us, 500); /* memory costs nothing */
    o.misses = (clump_virtual_misses){.line_bytes = LINE, .miss_us = 0.5};
    assert_us(run(&o, &parts).time_us, 500 + 0.5 * LOADED / LINE);
    assert_us(parts.compute_us, 500 + 0.5 * LOADED / LINE);
    written = 1; /* nobody waits for it */
    assert_us(run(&o, NULL).time_us, 500 + 0.5 * LOADED / LINE);
    o.processors = 8; /* and nothing is shared */
    assert_us(run(&o, NULL).time_us, 500 + 0.5 * LOADED / LINE);
}

TEST(test_memory_shared)
{
    enum { NODES = 2 };
    static const double miss_us = 0.5, shares[] = {0.1, 0.25, 0.6};
    double written = 0;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        for (uint32_t k = 1; k <= 8; k += 7) {
            clump_virtual_team_options o = options_of(NODES, k, load_much);
            clump_time_parts parts[NODES * 8];
            double mean_us = 0;
            o.context = &written;
            o.misses = (clump_virtual_misses){LINE, miss_us, miss_us * shares[i]};
            const double time_us = run(&o, parts).time_us;
            for (uint32_t r = 0; r < NODES * k; r++)
                mean_us += parts[r].compute_us / (NODES * k);
            /* Between two steps, of 64 lines, each computes for a moment. */
            const double alone_us = 500 + miss_us * LOADED / LINE,
                         longer = mean_value_analysis(
                             (int)k, 1 - miss_us * shares[i] * LOADED / LINE / alone_us,
                             miss_us * shares[i] * LOADED / LINE / alone_us);
            assert_true(fabs(mean_us / alone_us / longer - 1) < 0.03);
            assert_true(time_us == run(&o, NULL).time_us);
        }
}

static void load_beside_messages(clump_virtual_member *m, void *context)
{
    const double written = 0;
    (void)context;
    if (clump_virtual_member_rank(m) == 0)
        load_much(m, (void *)&written);
    else if (clump_virtual_member_rank(m) == 1)
        await(m, &seen.handled[1], 1000);
    else
        for (int i = 0; i < 1000; i++)
            send(m, 1, BULK);
}

TEST(test_memory_and_messages)
{
    clump_virtual_team_options o = options_of(1, 3, load_beside_messages);
    seen.answers = true;
    o.misses = (clump_virtual_misses){LINE, 0.5, 0};
    o.memory.gap_us_per_byte = 0.01;
    const double apart_us = run(&o, NULL).time_us;
    memset(&seen, 0, sizeof seen);
    seen.answers = true;
    o.misses.shared_us = 0.5; /* 15,641 lines of messages come between 64,000 that are loaded */
    const double beside_us = run(&o, NULL).time_us;
    assert_true(beside_us > apart_us + 0.4 * 15641 * 0.5);
}

TEST(test_memory_refused)
{
    static const clump_virtual_misses wrong[] = {{LINE, NAN, 0}, {LINE, -1, 0}, {LINE, 1, 2},
                                                 {LINE, 1, -1},  {0, 1, 0},     {NAN, 1, 0},
                                                 {LINE, 1, NAN}, {LINE, 1e9, 0}};
    clump_virtual_sharing sharing = {.jobs = 1, .slice_us = 100};
    clump_virtual_team_options o = options_of(1, 1, load_much);
    clump_virtual_team_result result;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        o.misses = wrong[k];
        assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
        assert_non_null(strstr(result.message, "cache misses"));
    }
    o.misses = (clump_virtual_misses){LINE, 1, 0};
    o.sharing = &sharing;
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
}

static void wait_in_vain(clump_virtual_member *m, void *context)
{
    (void)context;
    clump_virtual_member_wait(m);
}

TEST(test_sharing_refused)
{
    clump_virtual_sharing sharing = {.jobs = 1, .sequential = 1, .slice_us = 100, .yield_us = 50};
    clump_virtual_team_options o = options_of(1, 2, wait_in_vain);
    clump_virtual_team_result result;
    o.sharing = &sharing;
    for (int k = 0; k < 2; k++) { /* asleep, or looking: while others compute */
        sharing.yield_us = 50 * k;
        assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_FAILED);
        assert_non_null(strstr(result.message, "never ends"));
    }
    const clump_virtual_sharing wrong[] = {
        {0, 0, 0, 100, 0, 0}, {65, 0, 0, 100, 0, 0}, {1, 65, 0, 100, 0, 0},  {1, 0, -1, 100, 0, 0},
        {1, 0, 0, 0, 0, 0},   {1, 0, 0, NAN, 0, 0},  {1, 0, 0, 100, 1e9, 0}, {1, 0, 0, 100, 0, -1}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        o.sharing = &wrong[k];
        assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
        assert_non_null(strstr(result.message, "share"));
    }
    o.sharing = &sharing;
    o.nodes = 2;
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
}

static void round_trip(clump_virtual_member *m, void *context)
{
    (void)context;
    if (clump_virtual_member_rank(m) == 0) {
        send(m, 1, 0);
        await(m, &seen.replied[0], 1);
        assert_us(now_us(m), 2 * (1 + 10 + 2));
    } else {
        await(m, &seen.handled[1], 1);
    }
}

TEST(test_round_trip)
{
    clump_virtual_team_options o = options_of(2, 1, round_trip);
    seen.answers = true;
    assert_us(run(&o, NULL).time_us, 26);
}

/* ---- NICs */

static void many(clump_virtual_member *m, void *context)
{
    const uint32_t me = clump_virtual_member_rank(m), half = *(const uint32_t *)context;
    if (me < half)
        for (int i = 0; i < 4; i++)
            send(m, me + half, 0);
    else
        await(m, &seen.handled[me], 4);
}

/* A burst of one processor leaves every g; those of two that share a NIC every g in turn. */
TEST(test_shared_nic)
{
    uint32_t half = 1;
    clump_virtual_team_options o = options_of(2, 1, many);
    o.context = &half;
    run(&o, NULL);
    for (int i = 0; i < 4; i++)
        assert_us(seen.handled_us[1][i], 13 + 5 * i);

    half = 2;
    o = options_of(2, 2, many);
    o.context = &half;
    run(&o, NULL);
    double last = 0;
    for (int i = 0; i < 4; i++) {
        last = fmax(last, seen.handled_us[2][i]);
        last = fmax(last, seen.handled_us[3][i]);
    }
    assert_us(last, 13 + 5 * 7);

    for (int pooled = 0; pooled < 2; pooled++) { /* two NICs for two: as one each */
        o = options_of(2, 2, many);
        o.context = &half;
        o.nics = 2;
        o.pooled = pooled;
        assert_us(run(&o, NULL).time_us, 13 + 5 * 3);
    }
}

/* One sender, two NICs: pooled it uses both. */
TEST(test_pooled)
{
    uint32_t half = 1;
    clump_virtual_team_options o = options_of(2, 1, many);
    o.context = &half;
    o.nics = 2;
    o.pooled = true;
    run(&o, NULL);
    /* Leave at 1, 2, 6, 7; the receiver is busy for 2 with each. */
    assert_us(seen.handled_us[1][0], 13);
    assert_us(seen.handled_us[1][1], 15);
    assert_us(seen.handled_us[1][3], 20);
}

/* Both send long messages at the same time: over a bus of one direction one after the other. */
static void both_ways(clump_virtual_member *m, void *context)
{
    const uint32_t me = clump_virtual_member_rank(m);
    (void)context;
    send(m, 1 - me, BULK);
    await(m, &seen.handled[me], 1);
}

TEST(test_half_duplex)
{
    clump_virtual_team_options o = options_of(2, 1, both_ways);
    assert_us(run(&o, NULL).time_us, 1 + 10 + 250 + 2);
    o = options_of(2, 1, both_ways);
    o.half_duplex = true;
    assert_us(run(&o, NULL).time_us, 1 + 250 + 250 + 2); /* the bus is busy until 251 */
}

/* ---- credits, computation, determinism */

static void burst(clump_virtual_member *m, void *context)
{
    const unsigned *count = context;
    if (clump_virtual_member_rank(m) == 0) {
        for (unsigned i = 0; i < *count; i++)
            send(m, 1, 0);
        await(m, &seen.replied[0], *count);
    } else {
        clump_virtual_member_work(m, 1000);
        await(m, &seen.handled[1], *count);
        seen.longest = clump_virtual_member_longest_queue(m);
    }
}

/* Whoever computes answers nobody: after so many requests its sender waits. */
TEST(test_credits)
{
    unsigned count = 6;
    clump_virtual_team_options o = options_of(2, 1, burst);
    clump_time_parts parts[2];
    o.context = &count;
    o.network_credits = 4;
    seen.answers = true;
    run(&o, parts);
    assert_us(seen.handled_us[1][0], 1000 + 2);
    assert_us(parts[1].compute_us, 1000);
    assert_true(parts[0].wait_us > 900);
    assert_us(parts[0].send_us, 6);
    assert_us(parts[0].receive_us, 12);
    assert_int_equal(seen.longest, 4);
    memset(&seen, 0, sizeof seen);
    seen.answers = true;
    o.network_credits = 0; /* 16 */
    run(&o, NULL);
    assert_int_equal(seen.longest, 6);
}

static void many_to_one(clump_virtual_member *m, void *context)
{
    const uint32_t me = clump_virtual_member_rank(m);
    (void)context;
    if (me == 0) {
        clump_virtual_member_work(m, 1000);
        await(m, &seen.handled[0], 40);
        seen.longest = clump_virtual_member_longest_queue(m);
        return;
    }
    for (int i = 0; i < 10; i++)
        send(m, 0, 0);
    await(m, &seen.replied[me], 10);
}

/* Four send ten requests each to one that computes: no more than its queue holds, with and without processors
 * that are shared. */
TEST(test_queue_length)
{
    clump_virtual_sharing sharing = {.jobs = 1, .sequential = 1, .slice_us = 100, .yield_us = 50};
    for (uint32_t length = 1; length <= 64; length *= 4)
        for (int shared = 0; shared < 2; shared++) {
            clump_virtual_team_options o = options_of(1, 5, many_to_one);
            clump_time_parts parts[5];
            seen.answers = true;
            o.queue_length = length;
            o.sharing = shared ? &sharing : NULL;
            const double time_us = run(&o, parts).time_us;
            assert_int_equal(seen.longest, length < 40 ? length : 40);
            assert_int_equal(seen.handled[0], 40);
            assert_true(length >= 40 || shared || parts[1].wait_us > 900);
            memset(&seen, 0, sizeof seen);
            seen.answers = true;
            assert_true(time_us == run(&o, NULL).time_us);
        }
}

static void crowd(clump_virtual_member *m, void *context)
{
    const uint32_t me = clump_virtual_member_rank(m);
    (void)context;
    for (uint32_t i = 0; i < 20; i++) {
        clump_virtual_member_work(m, (double)((me * 7 + i * 5) % 11));
        if (i % 4 == me % 4)
            send(m, (me + 1 + i) % 8 == me ? (me + 1) % 8 : (me + 1 + i) % 8, i % 3 * 100);
    }
    await(m, &seen.replied[me], 5);
}

TEST(test_same_again)
{
    clump_time_parts first[8], second[8];
    clump_virtual_team_options o = options_of(2, 4, crowd);
    seen.answers = true;
    const clump_virtual_team_result a = run(&o, first);
    o = options_of(2, 4, crowd);
    seen.answers = true;
    const clump_virtual_team_result b = run(&o, second);
    assert_memory_equal(first, second, sizeof first);
    assert_true(a.time_us == b.time_us);
    assert_int_equal(a.events, b.events);
    for (int i = 0; i < 8; i++) { /* all of a member's time is in its parts */
        const clump_time_parts *p = &first[i];
        assert_true(p->compute_us + p->send_us + p->receive_us + p->wait_us <= a.time_us + 1e-6);
    }
}

/* ---- ends */

static void wait_for_ever(clump_virtual_member *m, void *context)
{
    (void)context;
    clump_virtual_member_wait(m);
}

static void complain(clump_virtual_member *m, void *context)
{
    (void)context;
    if (clump_virtual_member_rank(m) == 2)
        clump_virtual_member_fail(m, "no more");
    clump_virtual_member_wait(m);
}

static bool stop(void *context)
{
    (void)context;
    return true;
}

static void chatter(clump_virtual_member *m, void *context)
{
    (void)context;
    for (;;) {
        send(m, 1 - clump_virtual_member_rank(m), 0);
        clump_virtual_member_poll(m, 4);
        seen.handled[0] = seen.handled[1] = 0;
    }
}

/* ---- polls by a strategy */

/* A receiver that does nothing else looks at the network in every `skip`-th poll, from the first on: when
 * the handler of what arrives at `arrival` begins. */
static double noticed(double arrival, uint32_t skip, double poll, double look, double receive)
{
    double now = 0;
    for (uint32_t left = 1;; left = left > 1 ? left - 1 : skip) {
        now += poll;
        if (left > 1)
            continue;
        const bool there = arrival <= now;
        now += look;
        if (there)
            return now + receive;
    }
}

TEST(test_polling)
{
    const double poll = 0.3, look = 1.1;
    size_t size = 0;
    for (uint32_t skip = 1; skip <= 256; skip *= 2) {
        clump_polling_parameters strategy = clump_polling_defaults();
        strategy.minimum_skip = strategy.maximum_skip = skip;
        clump_virtual_team_options o = options_of(2, 1, one_way);
        o.context = &size;
        o.polling = &strategy;
        o.measured = clump_polling_defaults();
        o.memory_poll_us = poll;
        o.network_poll_us = look;
        run(&o, NULL);
        /* The sender looks once; what is measured has a look in four polls, and half of that time in L. */
        const double sent = look + 1 - look / 4, late = (4 * poll + look) / 2;
        assert_us(seen.handled_us[1][0], noticed(sent + 10 - late, skip, poll, look, 2 - look));

        o.nodes = 1; /* within a node every poll looks at what comes */
        o.processors = 2;
        memset(&seen, 0, sizeof seen);
        run(&o, NULL);
        assert_true(seen.handled_us[1][0] < look + 0.25 + 0.5 + 0.125 + poll + look);
    }

    clump_polling_parameters wrong = clump_polling_defaults();
    wrong.damping = 3;
    clump_virtual_team_options o = options_of(2, 1, one_way);
    clump_virtual_team_result result;
    o.context = &size;
    o.measured = clump_polling_defaults();
    o.memory_poll_us = poll;
    o.polling = &wrong;
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
    o.polling = &o.measured;
    o.memory_poll_us = 0; /* it would poll for ever in no time */
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
    o.memory_poll_us = NAN;
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
}

/* Table 7.6: with the strategy of table 4.1 round trips take as long as without one, but for where in its
 * cycle of polls a message finds its receiver. */
static void many_trips(clump_virtual_member *m, void *context)
{
    const unsigned trips = *(const unsigned *)context;
    if (clump_virtual_member_rank(m) == 0)
        for (unsigned i = 0; i < trips; i++) {
            send(m, 1, 0);
            await(m, &seen.replied[0], i + 1);
        }
    else
        await(m, &seen.handled[1], trips);
}

TEST(test_polled_trips)
{
    enum { TRIPS = 60 };
    const clump_polling_parameters strategy = clump_polling_defaults();
    unsigned trips = TRIPS;
    clump_virtual_team_options o = options_of(2, 1, many_trips);
    seen.answers = true;
    o.context = &trips;
    o.network = (clump_message_costs){12.56, 3.463, 8.93, 14.51, 0.031208};
    o.polling = &strategy;
    o.measured = strategy;
    o.memory_poll_us = 0.306;
    o.network_poll_us = 2.604;
    const double trip = run(&o, NULL).time_us / TRIPS, cycle = 4 * 0.306 + 2.604;
    assert_true(fabs(trip - 49.906) < cycle);
}

TEST(test_ends)
{
    clump_virtual_team_result result;
    clump_virtual_team_options o = options_of(1, 3, wait_for_ever);
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_FAILED);
    assert_non_null(strstr(result.message, "never ends"));
    o = options_of(3, 1, complain);
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_FAILED);
    assert_string_equal(result.message, "process 3 of 3: no more");
    o = options_of(2, 1, chatter);
    seen.answers = true;
    o.watch = stop;
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_TIMED_OUT);
    o = options_of(0, 1, chatter);
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
    o = options_of(2, 1, chatter);
    o.network.gap_us = NAN;
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
    o = options_of(2, 1, chatter);
    o.nics = 0;
    assert_int_equal(clump_virtual_team_run(&o, &result, NULL), CLUMP_PROTOCOL_BAD_INPUT);
}

UNIT_MAIN(NULL, NULL)
