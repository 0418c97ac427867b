/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many processes: the stress test of section 5.3.2, and all-to-all jobs for what the thesis tunes
 * and compares with applications: queue lengths (6.2.2), the delay from which a sender yields
 * (6.2.1), and several jobs on one machine (6.3.5).
 *
 * The all-to-all job stands for SAMPLE, the application in which the algorithms differ most: every
 * process sends requests to all others in turn and answers theirs.
 */
#include "protocols/calibration/shm_parts.h"
#include "protocols/queue/process.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STRESS = 20000, SHUFFLE = 10000, BULK_EVERY = 16, MAX_JOBS = 3 };

/** What the processes do; ranks below jobs * processes belong to jobs, the rest only compute. */
struct work {
    unsigned processes, jobs;
    bool many_to_one;
    clump_benchmark benchmark;
    char setting[48];
};

static const uint32_t arguments[8] = {1, 1, 2, 3, 5, 8, 13, 21};

static void send(struct clump_team_member *m, unsigned to, unsigned n)
{
    clump_team_require(
        m, n % BULK_EVERY == BULK_EVERY - 1
               ? clump_endpoint_request_bulk(m->endpoint, to, CLUMP_TEAM_ACKNOWLEDGE, arguments, 8,
                                             m->memory, 2048)
               : clump_endpoint_request(m->endpoint, to, CLUMP_TEAM_ACKNOWLEDGE, arguments, 8));
}

/** Handle messages until `*counter` reaches `least`, and let others have the processor meanwhile.
 */
static void wait_for(struct clump_team_member *m, const uint64_t *counter, uint64_t least)
{
    while (*counter < least) {
        clump_endpoint_wait(m->endpoint, 50000);
        if (atomic_load_explicit(&m->board->failed, memory_order_relaxed) != 0)
            clump_team_require(m, CLUMP_PROTOCOL_PEER_DEAD);
    }
}

/** All but rank 0 send to it. Time a message as rank 0 sees it. */
static double stress(struct clump_team_member *m)
{
    const unsigned writers = m->count - 1;
    const unsigned total = STRESS * clump_stage_effort(m) / writers * writers;
    clump_team_meet(m, true);
    const uint64_t began = clump_time_ns();
    if (m->rank == 0) {
        m->due += total;
        wait_for(m, &m->served, m->due);
        return (double)(clump_time_ns() - began) / 1000 / total;
    }
    const uint64_t before = m->replies;
    for (unsigned n = 0; n < total / writers; n++)
        clump_team_require(
            m, clump_endpoint_request(m->endpoint, 0, CLUMP_TEAM_ACKNOWLEDGE, arguments, 8));
    wait_for(m, &m->replies, before + total / writers);
    return 0;
}

/** When the first of all began, ns: who gets a processor late has waited for it. */
static uint64_t begin(struct clump_team_member *m)
{
    uint64_t began = 0, now = clump_time_ns();
    return atomic_compare_exchange_strong(&m->board->began, &began, now) ? now : began;
}

/**
 * Every process of a job sends to all others of its job. Time since the beginning, divided by the
 * messages that one process has sent.
 */
static double shuffle(struct clump_team_member *m, const struct work *work)
{
    const unsigned job = m->rank / work->processes, first = job * work->processes;
    const unsigned others = work->processes - 1;
    const unsigned each = SHUFFLE * clump_stage_effort(m) / others * others;
    clump_team_meet(m, true);
    const uint64_t began = begin(m);
    if (job >= work->jobs) { /* computes until the jobs are done */
        while (atomic_load_explicit(&m->board->flag, memory_order_relaxed) <
               work->jobs * work->processes)
            clump_calibration_delay(1000);
        return 0;
    }
    const uint64_t before = m->replies;
    for (unsigned n = 0; n < each; n++)
        send(m, first + (m->rank - first + 1 + n % others) % work->processes, n);
    wait_for(m, &m->replies, before + each);
    m->due += each;
    wait_for(m, &m->served, m->due);
    const double time = (double)(clump_time_ns() - began) / 1000 / each;
    atomic_fetch_add(&m->board->flag, 1);
    return time;
}

/** The time until all jobs were done, divided by their number. */
static void measure(struct clump_team_member *m, void *state, double *r)
{
    const struct work *work = state;
    double last = 0;
    r[0] = work->many_to_one ? stress(m) : shuffle(m, work);
    clump_team_meet(m, true);
    for (unsigned job = 0; job < work->jobs && m->rank == 0; job++)
        last = fmax(last, clump_stage_numbers(m, job * work->processes)[0]);
    if (m->rank == 0) {
        r[0] = last / work->jobs;
        atomic_store(&m->board->flag, 0);
        atomic_store(&m->board->began, 0);
    }
    clump_team_meet(m, true);
}

static void join(struct clump_team_member *m, void *shared, const void *work)
{
    struct work own = *(const struct work *)work;
    (void)shared;
    clump_stage_runs(m, &own, measure);
}

static void give(clump_stage *stage, const void *of, const double *r, clump_calibration_sample s)
{
    const struct work *work = of;
    s.benchmark = work->benchmark;
    s.quantity = work->many_to_one ? CLUMP_QUANTITY_STRESS_GAP : CLUMP_QUANTITY_OPERATION_TIME;
    memcpy(s.setting, work->setting, sizeof s.setting);
    s.value = r[0];
    s.size_bytes = CLUMP_CALIBRATION_SHORT_BYTES;
    s.iterations = (int64_t)(work->many_to_one ? STRESS : SHUFFLE) * stage->plan->effort;
    clump_stage_give(stage, s);
}

static clump_protocol_status run(clump_stage *stage, const struct work *work, unsigned processes,
                                 clump_endpoint_options endpoint, double share)
{
    return clump_stage_run(stage, &(clump_stage_team){.endpoint = endpoint,
                                                      .processes = processes,
                                                      .numbers = 1,
                                                      .work = work,
                                                      .share = share,
                                                      .join = join,
                                                      .give = give});
}

clump_protocol_status clump_shm_stress(clump_stage *stage)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    const unsigned most = stage->plan->processes - 1;
    for (unsigned writers = 1; writers <= most && status == CLUMP_PROTOCOL_OK; writers++) {
        struct work work = {writers + 1, 1, true, CLUMP_BENCHMARK_STRESS, ""};
        snprintf(work.setting, sizeof work.setting, "%u %s", writers,
                 writers == 1 ? "writer" : "writers");
        status = run(stage, &work, writers + 1, (clump_endpoint_options){0}, 1.0 / most);
    }
    return status;
}

/** Jobs of as many processes as the plan has, with something changed: "packets 256". */
static clump_protocol_status scan(clump_stage *stage, clump_benchmark benchmark, unsigned jobs,
                                  const char *what, unsigned value, clump_endpoint_options endpoint,
                                  double share)
{
    struct work work = {stage->plan->processes, jobs, false, benchmark, ""};
    if (work.processes * jobs > CLUMP_TEAM_MOST)
        return CLUMP_PROTOCOL_OK;
    const int used = snprintf(work.setting, sizeof work.setting, "%s %u", what, value);
    if (jobs > 1 && benchmark != CLUMP_BENCHMARK_PARALLEL_JOBS)
        snprintf(work.setting + used, sizeof work.setting - (size_t)used, ", %u jobs", jobs);
    return run(stage, &work, work.processes * jobs, endpoint, share);
}

clump_protocol_status clump_shm_lengths(clump_stage *stage)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (uint32_t length = 256; length <= 32768 && status == CLUMP_PROTOCOL_OK; length *= 2)
        status = scan(stage, CLUMP_BENCHMARK_QUEUE_LENGTH, 1, "packets", length,
                      (clump_endpoint_options){.length = length}, 1.0 / 15);
    for (uint32_t blocks = 2; blocks <= 128 && status == CLUMP_PROTOCOL_OK; blocks *= 2)
        status = scan(stage, CLUMP_BENCHMARK_BULK_QUEUE_LENGTH, 1, "blocks", blocks,
                      (clump_endpoint_options){.bulk_length = blocks}, 1.0 / 15);
    return status;
}

clump_protocol_status clump_shm_backoff(clump_stage *stage)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (unsigned jobs = 1; jobs <= MAX_JOBS; jobs++)
        for (uint32_t limit = 7; limit <= 2047 && status == CLUMP_PROTOCOL_OK;
             limit = 2 * limit + 1)
            status = scan(stage, CLUMP_BENCHMARK_BACKOFF, jobs, "yield at us", limit,
                          (clump_endpoint_options){.backoff_limit_us = limit}, 1.0 / 27);
    return status;
}

clump_protocol_status clump_shm_jobs(clump_stage *stage)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (unsigned jobs = 1; jobs <= MAX_JOBS && status == CLUMP_PROTOCOL_OK; jobs++)
        status = scan(stage, CLUMP_BENCHMARK_PARALLEL_JOBS, jobs, "jobs", jobs,
                      (clump_endpoint_options){0}, 0.2);
    /* Groups of sequential processes, one on each processor that the job uses. */
    for (unsigned groups = 1; groups <= 2 && status == CLUMP_PROTOCOL_OK; groups++) {
        struct work work = {stage->plan->processes, 1, false, CLUMP_BENCHMARK_SEQUENTIAL_JOBS, ""};
        if (work.processes * (1 + groups) > CLUMP_TEAM_MOST)
            break;
        snprintf(work.setting, sizeof work.setting, "%u sequential %s", groups,
                 groups == 1 ? "group" : "groups");
        status = run(stage, &work, work.processes * (1 + groups), (clump_endpoint_options){0}, 0.2);
    }
    return status;
}
