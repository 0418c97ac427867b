/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/stage.h"
#include "protocols/queue/layout.h"
#include "protocols/queue/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the caller's side */

/* What stands before a run's numbers. */
enum { LINE, DISTURBED, OWN };

/* What members know of their stage. */
struct work {
    const clump_stage_team *team;
    unsigned runs, effort;
};

bool clump_stage_is_good(const clump_calibration_plan *plan, char *message)
{
    message[0] = '\0';
    if (plan->processes >= 2 && plan->processes <= CLUMP_TEAM_MOST && plan->runs >= 2 &&
        plan->runs <= 1000 && plan->effort >= 1 && plan->effort <= 100 && plan->sample != NULL)
        return true;
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
             "%u processes, %u runs, effort %u: expected 2 to %d processes, 2 to 1000 runs, an "
             "effort of 1 to 100, and a callback",
             plan->processes, plan->runs, plan->effort, (int)CLUMP_TEAM_MOST);
    return false;
}

clump_protocol_status clump_stage_end(clump_stage *s, clump_protocol_status status)
{
    if (status != CLUMP_PROTOCOL_OK || !s->stopped)
        return status;
    snprintf(s->message, CLUMP_CALIBRATION_MESSAGE_BYTES, "stopped");
    return CLUMP_PROTOCOL_TIMED_OUT;
}

void clump_stage_give(clump_stage *s, clump_calibration_sample sample)
{
    if (!s->stopped)
        s->stopped = s->plan->sample(&sample, s->plan->context);
}

void clump_stage_give_as(clump_stage *s, clump_calibration_sample sample, clump_benchmark benchmark,
                         clump_quantity quantity, double value, int64_t iterations)
{
    sample.benchmark = benchmark;
    sample.quantity = quantity;
    sample.value = value;
    sample.iterations = iterations;
    clump_stage_give(s, sample);
}

static bool watch_share(double share, void *context)
{
    clump_stage *s = context;
    return s->plan->watch != NULL &&
           s->plan->watch(s->done + s->weight * (share < 1 ? share : 1), s->plan->context);
}

static size_t row_of(const clump_stage_team *team)
{
    return OWN + team->numbers;
}

/* Behind the rows of the runs each member has one of its own, and then comes what they share. */
static void *find_shared(struct clump_team_member *m, const struct work *w)
{
    const uintptr_t at =
        (uintptr_t)(m->board->results + (w->runs + m->count) * row_of(w->team)) + CLUMP_LINE - 1;
    return (void *)(at - at % CLUMP_LINE);
}

static void join(struct clump_team_member *m)
{
    const struct work *w = m->work;
    w->team->join(m, find_shared(m, w), w->team->work);
}

clump_protocol_status clump_stage_run(clump_stage *s, const clump_stage_team *team)
{
    const clump_calibration_plan *plan = s->plan;
    const struct work work = {team, plan->runs, plan->effort};
    const size_t row = row_of(team);
    struct clump_team_options options = {.endpoint = team->endpoint,
                                         .count = team->processes,
                                         .work = &work,
                                         .results =
                                             (plan->runs + team->processes) * row +
                                             (team->shared + 2 * CLUMP_LINE) / sizeof(double),
                                         .steps = plan->runs + 1u,
                                         .watch = watch_share,
                                         .context = s};
    options.endpoint.algorithm = plan->algorithm;
    s->weight = team->share > 0 ? team->share : 1;
    double *results = calloc(options.results, sizeof *results);
    if (results == NULL) {
        snprintf(s->message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for results");
        return CLUMP_PROTOCOL_FAILED;
    }
    const clump_protocol_status status = clump_team_run(&options, join, results, s->message);
    s->done += s->weight;
    for (unsigned run = 0; run < plan->runs && status == CLUMP_PROTOCOL_OK; run++) {
        const double *r = results + run * row;
        team->give(s, team->work, r + OWN,
                   (clump_calibration_sample){.run = run + 1,
                                              .processes = team->processes,
                                              .line_us = r[LINE],
                                              .disturbed = r[DISTURBED] != 0});
    }
    free(results);
    return status;
}

/* ---- in a member */

unsigned clump_stage_effort(const struct clump_team_member *m)
{
    return ((const struct work *)m->work)->effort;
}

static double *row_of_rank(const struct clump_team_member *m, unsigned rank)
{
    const struct work *w = m->work;
    return m->board->results + (w->runs + rank) * row_of(w->team);
}

const double *clump_stage_numbers(const struct clump_team_member *m, unsigned rank)
{
    return row_of_rank(m, rank) + OWN;
}

void clump_stage_runs(struct clump_team_member *m, void *state,
                      void (*measure)(struct clump_team_member *member, void *state,
                                      double *numbers))
{
    const struct work *w = m->work;
    const size_t row = row_of(w->team);
    double *r = row_of_rank(m, m->rank);
    for (unsigned run = 0; run <= w->runs; run++) {
        memset(r, 0, row * sizeof *r);
        m->disturbed = false;
        r[LINE] = clump_team_line(m);
        measure(m, state, r + OWN);
        r[DISTURBED] = m->disturbed;
        if (m->rank == 0 && run > 0) /* the first one only warms up */
            memcpy(m->board->results + (run - 1) * row, r, row * sizeof *r);
        if (m->rank == 0)
            atomic_fetch_add(&m->board->steps, 1);
    }
}

double clump_calibration_clock_ns(void)
{
    /* The least of several: who loses the processor in the middle would take off too much ever after. */
    enum { READINGS = 200, TRIES = 20 };
    double least = INFINITY;
    for (int t = 0; t < TRIES; t++) {
        const uint64_t began = clump_time_ns();
        for (int i = 0; i < READINGS - 1; i++)
            clump_time_ns();
        least = fmin(least, (double)(clump_time_ns() - began) / READINGS);
    }
    return least;
}

double clump_calibration_per_message(uint64_t began_ns, double clock_ns, uint64_t messages)
{
    return ((double)(clump_time_ns() - began_ns) - clock_ns) / 1000 / (double)messages;
}

void clump_calibration_delay(uint64_t turns)
{
    for (uint64_t i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(i)); /* kept, and nothing else */
}

uint64_t clump_calibration_turns(double us)
{
    enum { TRY = 200000 };
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        const uint64_t began = clump_time_ns();
        clump_calibration_delay(TRY);
        const uint64_t took = clump_time_ns() - began;
        best = took < best ? took : best;
    }
    return (uint64_t)(us * 1000 * TRY / (double)(best > 0 ? best : 1)) + 1;
}
