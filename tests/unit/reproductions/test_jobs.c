/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jobs that go one way (reproductions/systems/jobs.h): each is done exactly once and by its owner, runs
 * end when nothing is left and not before, with every protocol, under loss with those that repair
 * it, and live; and as many are put together as were asked for.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reproductions/systems/jobs.h"

#include "reproductions/virtual/splitmix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "tests/unit/system_run.h"

/* A tree of jobs: each knows its number, from which its children's follow, as in a heap with three
 * children; those that exist, and their owners, are drawn. */
enum { JOBS = 6000, RUNS = 3, CHILDREN = 3 };

typedef struct numbered {
    uint32_t number, run, owner;
} numbered;

static struct {
    uint8_t done[RUNS][JOBS], ended[RUNS][JOBS];
    clump_jobs_counters counters[SYSTEM_WORKERS];
} * seen;

static uint32_t combine_of_test;

static uint64_t drawn(uint32_t run, uint32_t number)
{
    return clump_application_seed(5, run, number);
}

/* A tree that does not die out at once, and has leaves everywhere. */
static bool exists(uint32_t run, uint32_t number)
{
    return number < JOBS && (number < 10 || drawn(run, number) % 10 < 7);
}

static uint32_t owner_of(uint32_t run, uint32_t number, uint32_t workers)
{
    const uint64_t draw = drawn(run, number) >> 8;
    return (uint32_t)(draw % 5 == 0 ? 0 : draw / 5 % workers); /* the first has more */
}

typedef struct share {
    clump_worker *worker;
    uint32_t run;
} share;

static void push(clump_jobs *jobs, const share *s, uint32_t number)
{
    const numbered job = {number, s->run, owner_of(s->run, number, s->worker->count)};
    clump_jobs_push(jobs, job.owner, &job);
}

static void do_job(clump_jobs *jobs, const void *bytes, void *context)
{
    const share *s = context;
    numbered job;
    memcpy(&job, bytes, sizeof job);
    if (job.run != s->run || job.owner != s->worker->rank)
        clump_worker_fail(s->worker, "a job of another run, or of another worker");
    __atomic_fetch_add(&seen->done[job.run][job.number], 1, __ATOMIC_SEQ_CST);
    clump_worker_compute(s->worker, drawn(job.run, job.number) >> 40 & 127);
    for (uint32_t i = 1; i <= CHILDREN; i++)
        if (exists(s->run, job.number * CHILDREN + i))
            push(jobs, s, job.number * CHILDREN + i);
}

static void runs(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    share s = {.worker = w};
    clump_jobs *jobs = clump_jobs_open(w, sizeof(numbered), combine_of_test, do_job, &s);
    (void)input;
    for (s.run = 0; s.run < RUNS; s.run++) {
        if (w->rank == s.run % w->count)
            push(jobs, &s, 0);
        clump_jobs_run(jobs);
        /* Nothing is left when the first one leaves. */
        for (uint32_t i = 0; i < JOBS; i++)
            if (__atomic_load_n(&seen->done[s.run][i], __ATOMIC_SEQ_CST) > 0)
                __atomic_fetch_add(&seen->ended[s.run][i], 1, __ATOMIC_SEQ_CST);
    }
    seen->counters[w->rank] = clump_jobs_count(jobs);
    clump_jobs_run(jobs);
    result->items = 1;
}

/* Which jobs there have to be: found breadth first, by hand. @return how many */
static uint32_t expected_jobs(uint32_t run, uint8_t *there)
{
    uint32_t count = 0;
    memset(there, 0, JOBS);
    there[0] = 1;
    for (uint32_t i = 0; i < JOBS; i++)
        if (i == 0 || (there[(i - 1) / CHILDREN] && exists(run, i))) {
            there[i] = 1;
            count++;
        }
    return count;
}

static clump_application_run check_runs(const system_way *way, uint32_t combine)
{
    static uint8_t there[JOBS];
    uint64_t all = 0, done = 0, sent = 0, received = 0, packets = 0;
    memset(seen, 0, sizeof *seen);
    combine_of_test = combine;
    const clump_application_run run = system_run(way, runs, 3);
    for (uint32_t r = 0; r < RUNS; r++) {
        all += expected_jobs(r, there);
        for (uint32_t i = 0; i < JOBS; i++) {
            if (seen->done[r][i] != there[i])
                fail_msg("run %u: job %u was done %u times", r, i, seen->done[r][i]);
            if (seen->ended[r][i] != there[i] * way->workers)
                fail_msg("run %u: somebody left before job %u was done", r, i);
        }
    }
    for (uint32_t i = 0; i < way->workers; i++) {
        done += seen->counters[i].done;
        sent += seen->counters[i].sent;
        received += seen->counters[i].received;
        packets += seen->counters[i].packets;
    }
    assert_int_equal(done, all);
    assert_int_equal(sent, received);
    assert_true(way->workers == 1 ? sent == 0 : sent > 0);
    assert_true(packets * combine >= sent && packets <= sent);
    if (combine == 1)
        assert_int_equal(packets, sent);
    assert_true(seen->counters[0].rounds >= 2 * RUNS);
    return run;
}

static const system_way ways[] = {
    {.protocol = "", .workers = 1, .per_node = 1},
    {.protocol = "", .workers = 6, .per_node = 3},
    {.protocol = "l-sdma", .workers = 2, .per_node = 1},
    {.protocol = "l-pio-1k", .workers = 9, .per_node = 1},
    {.protocol = "l-nirx", .workers = 7, .per_node = 1, .loss = 0.03},
    {.protocol = "l-hrx", .workers = 7, .per_node = 1, .loss = 0.03, .interrupts = true},
    {.protocol = "l-sdma", .workers = 32, .per_node = 1},
    {.live = true, .workers = 2, .per_node = 2},
    {.live = true, .workers = 4, .per_node = 4},
    {.live = true, .workers = 4, .per_node = 2},
};

TEST(test_exactly_once)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        check_runs(&ways[i], 4);
        check_runs(&ways[i], 64);
    }
    check_runs(&ways[3], 1);
    check_runs(&ways[3], 4096); /* more than fit in a packet */
}

/* Combining saves packets: at least half of what could be saved at best, where there is much to do. */
TEST(test_combining)
{
    const system_way way = {.protocol = "l-sdma", .workers = 4, .per_node = 1};
    uint64_t packets[2];
    for (int i = 0; i < 2; i++) {
        check_runs(&way, i == 0 ? 1 : 4);
        packets[i] = 0;
        for (uint32_t w = 0; w < way.workers; w++)
            packets[i] += seen->counters[w].packets;
    }
    assert_true(packets[1] < packets[0] / 2);
}

/* Runs in which nobody has anything end, too; and a job may be for the one that pushes it. */
static void nothing(clump_worker *w, const clump_application_input *input,
                    clump_application_result *result)
{
    share s = {.worker = w};
    clump_jobs *jobs = clump_jobs_open(w, sizeof(numbered), 4, do_job, &s);
    (void)input;
    for (int i = 0; i < 50; i++)
        clump_jobs_run(jobs);
    if (clump_jobs_count(jobs).done > 0)
        clump_worker_fail(w, "a job that nobody pushed");
    result->items = 1;
}

TEST(test_nothing_to_do)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        assert_int_equal(system_run(&ways[i], nothing, 1).result.items, ways[i].workers);
}

static void no_such_owner(clump_worker *w, const clump_application_input *input,
                          clump_application_result *result)
{
    share s = {.worker = w};
    const numbered job = {0, 0, 0};
    (void)input, (void)result;
    clump_jobs_push(clump_jobs_open(w, sizeof job, 4, do_job, &s), 2, &job);
}

static void too_large(clump_worker *w, const clump_application_input *input,
                      clump_application_result *result)
{
    (void)input, (void)result;
    clump_jobs_open(w, 513, 4, do_job, NULL);
}

TEST(test_mistakes)
{
    const system_way way = {.protocol = "l-sdma", .workers = 2, .per_node = 1};
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_application_run run;
    assert_int_equal(system_try(&way, no_such_owner, 1, &run, message), CLUMP_PROTOCOL_FAILED);
    assert_non_null(strstr(message, "a job for nobody"));
    assert_int_equal(system_try(&way, too_large, 1, &run, message), CLUMP_PROTOCOL_FAILED);
    assert_non_null(strstr(message, "more than 512"));
}

int main(void)
{
    seen = system_share(sizeof *seen);
    return unit_run(NULL, NULL);
}
