/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many processes: the stress test of section 5.3.2, and all-to-all jobs for what the thesis tunes
 * and compares with applications: queue lengths (6.2.2), the delay from which a sender yields
 * (6.2.1), and several jobs on one machine (6.3.5).
 *
 * The all-to-all job stands for SAMPLE, the application in which the algorithms differ most: every
 * process sends requests to all others in turn and answers theirs.
 */
#include "calibration/calibration_stage.h"
#include "protocols/queue/backoff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRESS = 20000, SHUFFLE = 10000, BULK_EVERY = 16, MAX_JOBS = 3 };

/** What the processes do; ranks below jobs * processes belong to jobs, the rest only compute. */
struct work {
    unsigned runs, effort, processes, jobs;
    bool many_to_one;
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
static double stress(struct clump_team_member *m, const struct work *work)
{
    const unsigned writers = m->count - 1, total = STRESS * work->effort / writers * writers;
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
    const unsigned each = SHUFFLE * work->effort / others * others;
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

static void measure(struct clump_team_member *m)
{
    const struct work *work = m->work;
    for (unsigned run = 0; run <= work->runs; run++) {
        const double line = clump_team_line(m);
        const double time = work->many_to_one ? stress(m, work) : shuffle(m, work);
        clump_team_meet(m, true);
        if (m->rank % work->processes == 0 && m->rank / work->processes < work->jobs && run > 0)
            m->board->results[(size_t)(run - 1) * (MAX_JOBS + 1) + 1 + m->rank / work->processes] =
                time;
        if (m->rank == 0) {
            if (run > 0)
                m->board->results[(size_t)(run - 1) * (MAX_JOBS + 1)] = line;
            atomic_store(&m->board->flag, 0);
            atomic_store(&m->board->began, 0);
            atomic_fetch_add(&m->board->steps, 1);
        }
        clump_team_meet(m, true);
    }
}

/** One team; each run gives the time until all of its jobs were done, divided by their number. */
static clump_protocol_status run_team(struct clump_calibration *c, const struct work *work,
                                      struct clump_team_options *options, double share,
                                      const clump_calibration_sample *base)
{
    options->work = work;
    options->results = (size_t)work->runs * (MAX_JOBS + 1);
    options->steps = work->runs + 1;
    double *results = calloc(options->results, sizeof *results);
    if (results == NULL)
        return CLUMP_PROTOCOL_FAILED;
    const clump_protocol_status status =
        clump_calibration_team(c, options, share, measure, results);
    for (unsigned run = 0; run < work->runs && status == CLUMP_PROTOCOL_OK; run++) {
        const double *r = results + (size_t)run * (MAX_JOBS + 1);
        clump_calibration_sample s = *base;
        s.quantity = work->many_to_one ? "stress_gap" : "operation_time";
        s.size_bytes = CLUMP_CALIBRATION_SHORT_BYTES;
        s.run = run + 1;
        s.processes = options->count;
        s.line_us = r[0];
        s.iterations = (int64_t)(work->many_to_one ? STRESS : SHUFFLE) * work->effort;
        for (unsigned job = 0; job < work->jobs; job++)
            s.value = r[1 + job] > s.value ? r[1 + job] : s.value;
        s.value /= work->jobs;
        clump_calibration_give(c, s);
    }
    free(results);
    return status;
}

clump_protocol_status clump_calibrate_stress(struct clump_calibration *c)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    const unsigned most = c->plan->processes - 1;
    for (unsigned writers = 1; writers <= most && status == CLUMP_PROTOCOL_OK; writers++) {
        char setting[40];
        snprintf(setting, sizeof setting, "%u %s", writers, writers == 1 ? "writer" : "writers");
        const struct work work = {c->plan->runs, c->plan->effort, writers + 1, 1, true};
        struct clump_team_options options = {.count = writers + 1};
        status =
            run_team(c, &work, &options, 1.0 / most,
                     &(clump_calibration_sample){.benchmark = "stress test", .setting = setting});
    }
    return status;
}

/** A job of as many processes as the plan has, with something changed. */
static clump_protocol_status scan(struct clump_calibration *c, struct clump_team_options options,
                                  unsigned jobs, const char *benchmark, const char *what,
                                  unsigned value, double share)
{
    char setting[60];
    const unsigned processes = c->plan->processes;
    if (processes * jobs > CLUMP_TEAM_MOST)
        return CLUMP_PROTOCOL_OK;
    if (jobs > 1 && strcmp(what, "jobs") != 0)
        snprintf(setting, sizeof setting, "%s %u, %u jobs", what, value, jobs);
    else
        snprintf(setting, sizeof setting, "%s %u", what, value);
    const struct work work = {c->plan->runs, c->plan->effort, processes, jobs, false};
    options.count = processes * jobs;
    return run_team(c, &work, &options, share,
                    &(clump_calibration_sample){.benchmark = benchmark, .setting = setting});
}

clump_protocol_status clump_calibrate_lengths(struct clump_calibration *c)
{
    static const uint32_t lengths[] = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    static const uint32_t blocks[] = {2, 4, 8, 16, 32, 64, 128};
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (unsigned i = 0; i < 8 && status == CLUMP_PROTOCOL_OK; i++)
        status = scan(c, (struct clump_team_options){.endpoint.length = lengths[i]}, 1,
                      "queue length", "packets", lengths[i], 1.0 / 15);
    for (unsigned i = 0; i < 7 && status == CLUMP_PROTOCOL_OK; i++)
        status = scan(c, (struct clump_team_options){.endpoint.bulk_length = blocks[i]}, 1,
                      "bulk queue length", "blocks", blocks[i], 1.0 / 15);
    return status;
}

clump_protocol_status clump_calibrate_backoff(struct clump_calibration *c)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (unsigned jobs = 1; jobs <= MAX_JOBS; jobs++)
        for (uint32_t limit = 7; limit <= 2047 && status == CLUMP_PROTOCOL_OK;
             limit = 2 * limit + 1)
            status = scan(c, (struct clump_team_options){.endpoint.backoff_limit_us = limit}, jobs,
                          "backoff", "yield at us", limit, 1.0 / 27);
    return status;
}

clump_protocol_status clump_calibrate_jobs(struct clump_calibration *c)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (unsigned jobs = 1; jobs <= MAX_JOBS && status == CLUMP_PROTOCOL_OK; jobs++)
        status = scan(c, (struct clump_team_options){.count = 0}, jobs, "parallel jobs", "jobs",
                      jobs, 0.2);
    /* Groups of sequential processes, one on each processor that the job uses. */
    for (unsigned groups = 1; groups <= 2 && status == CLUMP_PROTOCOL_OK; groups++) {
        const unsigned processes = c->plan->processes;
        char setting[40];
        if (processes * (1 + groups) > CLUMP_TEAM_MOST)
            break;
        snprintf(setting, sizeof setting, "%u sequential %s", groups,
                 groups == 1 ? "group" : "groups");
        const struct work work = {c->plan->runs, c->plan->effort, processes, 1, false};
        struct clump_team_options options = {.count = processes * (1 + groups)};
        status = run_team(
            c, &work, &options, 0.2,
            &(clump_calibration_sample){.benchmark = "sequential jobs", .setting = setting});
    }
    return status;
}
