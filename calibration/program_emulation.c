/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/program_emulation.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ---- runs */

clump_emulated_plan clump_emulated_now(const clump_emulated_plan *plan)
{
    clump_emulated_plan now = *plan;
    now.nodes = plan->nodes * plan->processors;
    now.processors = 1;
    now.nics = 1;
    return now;
}

static void add_outcome(clump_emulated_runs *runs, const clump_emulated_outcome *outcome)
{
    const clump_emulated_outcome before = runs->worst;
    clump_emulated_outcome *worst = &runs->worst;
    const double share = outcome->seconds > 0 ? outcome->late / outcome->seconds : 0;
    *worst = *outcome;
    worst->late = fmax(share, before.late); /* of the time, not in seconds */
    worst->latest = fmax(outcome->latest, before.latest);
    worst->processor_use = fmax(outcome->processor_use, before.processor_use);
    worst->busiest_nic = fmax(outcome->busiest_nic, before.busiest_nic);
    worst->retransmitted = fmax(outcome->retransmitted, before.retransmitted);
    worst->machine_busy = fmax(outcome->machine_busy, before.machine_busy);
    worst->machine_taken = fmax(outcome->machine_taken, before.machine_taken);
    worst->finalized = outcome->finalized && (runs->count == 0 || before.finalized);
    if (worst->exit_status == 0)
        worst->exit_status = before.exit_status;
    runs->seconds[runs->count++] = outcome->seconds;
    runs->mean += (outcome->seconds - runs->mean) / (double)runs->count;
}

clump_protocol_status clump_emulated_add_run(const clump_emulated_plan *plan,
                                             clump_emulated_runs *runs,
                                             char message[CLUMP_EMULATED_MESSAGE_BYTES])
{
    clump_emulated_outcome outcome;
    if (runs->count == CLUMP_EMULATED_MOST_RUNS) {
        snprintf(message, CLUMP_EMULATED_MESSAGE_BYTES, "more than %d runs",
                 (int)CLUMP_EMULATED_MOST_RUNS);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    const clump_protocol_status status = clump_emulated_run(plan, &outcome, message);
    if (status == CLUMP_PROTOCOL_OK)
        add_outcome(runs, &outcome);
    return status;
}

/* ---- what they say */

#define SAY(...) snprintf(doubt, CLUMP_EMULATED_DOUBT, __VA_ARGS__)

/* The first reason to doubt; what explains the others comes first. */
static void judge(const clump_emulated_question *q, const clump_emulated_runs *runs,
                  const char *machine, char *doubt)
{
    const clump_emulated_outcome *o = &runs->worst;
    const double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (o->retransmitted > CLUMP_EMULATED_MOST_AGAIN)
        SAY("%s: %.2g%% of the packets were sent again", machine, 100 * o->retransmitted);
    else if (o->processor_use > CLUMP_EMULATED_MOST_USE * processors)
        SAY("%s: the ranks used %.2g of %.0f processors: a --dilation above %.0f leaves them room",
            machine, o->processor_use, processors,
            ceil(1.5 * q->plan.dilation * o->processor_use /
                 (CLUMP_EMULATED_MOST_USE * processors)));
    else if (o->late > CLUMP_EMULATED_MOST_LATE)
        SAY("%s: computations ended late by %.1f%% of the time (other programs or the host had the "
            "machine: %.0f%% in use, %.0f%% taken by the host): try --dilation %.0f",
            machine, 100 * o->late, 100 * o->machine_busy, 100 * o->machine_taken,
            2 * q->plan.dilation);
}

static void conclude(clump_emulated_question *q, clump_emulated_result *r)
{
    const size_t count = q->repetitions;
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        const double ratio = r->clump.seconds[i] / q->now.seconds[i];
        const double step = ratio - mean;
        mean += step / (double)(i + 1);
        square += step * (ratio - mean);
    }
    r->slowdown = mean;
    r->half_width = count > 1 ? gsl_cdf_tdist_Pinv(0.975, (double)(count - 1)) *
                                    sqrt(square / (double)(count - 1) / (double)count)
                              : NAN;
    judge(q, &r->clump, "Clump", r->doubt);
    if (r->doubt[0] == '\0')
        judge(q, &q->now, "NOW", r->doubt);
}

/* ---- all of it */

static clump_protocol_status next_run(const clump_emulated_question *q,
                                      const clump_emulated_plan *plan, size_t *done,
                                      const char *what, clump_emulated_runs *runs, char *message)
{
    const size_t total = q->repetitions * (q->result_count + 1);
    if (q->watch != NULL && q->watch((*done)++, total, what, q->context)) {
        snprintf(message, CLUMP_EMULATED_MESSAGE_BYTES, "stopped");
        return CLUMP_PROTOCOL_TIMED_OUT;
    }
    return clump_emulated_add_run(plan, runs, message);
}

clump_protocol_status clump_emulated_emulate(clump_emulated_question *question,
                                             char message[CLUMP_EMULATED_MESSAGE_BYTES])
{
    clump_emulated_question *q = question;
    const clump_emulated_plan now = clump_emulated_now(&q->plan);
    size_t done = 0;
    clump_protocol_status status = clump_emulated_probe(message);
    for (size_t i = 0; i < q->repetitions && status == CLUMP_PROTOCOL_OK; i++) {
        status = next_run(q, &now, &done, "NOW", &q->now, message);
        for (size_t r = 0; r < q->result_count && status == CLUMP_PROTOCOL_OK; r++) {
            clump_emulated_plan clump = q->plan;
            char what[32];
            clump.nics = q->results[r].nics;
            snprintf(what, sizeof what, "N=%u", clump.nics);
            status = next_run(q, &clump, &done, what, &q->results[r].clump, message);
        }
    }
    for (size_t r = 0; r < q->result_count && status == CLUMP_PROTOCOL_OK; r++)
        conclude(q, &q->results[r]);
    return status;
}
