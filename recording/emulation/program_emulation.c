/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/emulation/program_emulation.h"
#include "protocols/emulation/nodes_run.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- runs */

/* The machine on which every processor has a node and a NIC of its own. */
static clump_mpi_emulation_plan now_of(const clump_mpi_emulation_plan *plan)
{
    clump_mpi_emulation_plan now = *plan;
    now.nodes = plan->nodes * plan->processors;
    now.processors = 1;
    now.nics = 1;
    return now;
}

static clump_protocol_status add_run(const clump_mpi_emulation_plan *plan,
                                     clump_emulated_runs *runs,
                                     char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES])
{
    clump_emulated_outcome outcome;
    if (runs->count == CLUMP_EMULATED_MOST_RUNS) {
        snprintf(message, CLUMP_MPI_EMULATION_MESSAGE_BYTES, "more than %d runs",
                 (int)CLUMP_EMULATED_MOST_RUNS);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    const clump_protocol_status status = clump_mpi_emulation_run(plan, &outcome, message);
    if (status == CLUMP_PROTOCOL_OK)
        clump_emulated_add(runs, &outcome);
    return status;
}

/* ---- what they say */

static void conclude(clump_mpi_emulation_question *q, clump_emulated_result *r)
{
    clump_emulated_ratio(r->clump.seconds, q->now.seconds, q->repetitions, &r->slowdown,
                         &r->half_width);
    if (fabs(q->checks.rate - 1) > CLUMP_MPI_EMULATION_MOST_OFF_RATE)
        snprintf(r->doubt, sizeof r->doubt, "a NIC runs at %.1f%% of its rate",
                 100 * q->checks.rate);
    clump_emulated_judge(&r->clump.worst, true, "Clump", q->plan.dilation, r->doubt);
    clump_emulated_judge(&q->now.worst, true, "NOW", q->plan.dilation, r->doubt);
    const double off = fmax(fabs(q->checks.now_twice), fabs(q->checks.clump_twice));
    if (r->doubt[0] == '\0' && off > CLUMP_MPI_EMULATION_MOST_OFF_TWICE)
        snprintf(r->doubt, sizeof r->doubt,
                 "with --dilation %.0f times differ by %.1f%%: try a greater one, or more "
                 "--repetitions",
                 2 * q->plan.dilation, 100 * off);
}

/* ---- all of it */

/** Where the work stands. */
struct course {
    clump_mpi_emulation_question *question;
    size_t done, total;
    char *message;
};

static clump_protocol_status begin_run(struct course *course, const char *what)
{
    const clump_mpi_emulation_question *q = course->question;
    if (q->watch == NULL || !q->watch(course->done++, course->total, what, q->context))
        return CLUMP_PROTOCOL_OK;
    snprintf(course->message, CLUMP_MPI_EMULATION_MESSAGE_BYTES, "stopped");
    return CLUMP_PROTOCOL_TIMED_OUT;
}

static clump_protocol_status next_run(struct course *course, const clump_mpi_emulation_plan *plan,
                                      const char *what, clump_emulated_runs *runs)
{
    const clump_protocol_status status = begin_run(course, what);
    return status == CLUMP_PROTOCOL_OK ? add_run(plan, runs, course->message) : status;
}

static clump_mpi_emulation_plan clump_of(const clump_mpi_emulation_question *q, size_t result)
{
    clump_mpi_emulation_plan clump = q->plan;
    clump.nics = q->results[result].nics;
    return clump;
}

/* A recorder takes time: what it sees is not counted. */
static clump_protocol_status record_one(struct course *course, const clump_mpi_emulation_plan *plan,
                                        const char *what)
{
    const clump_mpi_emulation_question *q = course->question;
    char preloads[2 * PATH_MAX], folder[PATH_MAX];
    clump_emulated_outcome outcome;
    clump_mpi_emulation_plan recorded = *plan;
    const int length = snprintf(preloads, sizeof preloads, "%s:%s", plan->preloads, q->recorder),
              size = snprintf(folder, sizeof folder, "%s/%s", q->folder, what);
    const clump_protocol_status status = begin_run(course, what);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    if (length >= (int)sizeof preloads || size >= (int)sizeof folder) {
        snprintf(course->message, CLUMP_MPI_EMULATION_MESSAGE_BYTES,
                 "the path of the recording is too long");
        return CLUMP_PROTOCOL_FAILED;
    }
    recorded.preloads = preloads;
    recorded.record = folder;
    return clump_mpi_emulation_run(&recorded, &outcome, course->message);
}

static clump_protocol_status record_all(struct course *course)
{
    const clump_mpi_emulation_question *q = course->question;
    const clump_mpi_emulation_plan now = now_of(&q->plan);
    clump_protocol_status status = record_one(course, &now, "now");
    for (size_t r = 0; r < q->result_count && status == CLUMP_PROTOCOL_OK; r++) {
        const clump_mpi_emulation_plan clump = clump_of(q, r);
        char what[32];
        snprintf(what, sizeof what, "n%u", clump.nics);
        status = record_one(course, &clump, what);
    }
    return status;
}

static clump_protocol_status repeat(struct course *course)
{
    clump_mpi_emulation_question *q = course->question;
    const clump_mpi_emulation_plan now = now_of(&q->plan);
    clump_protocol_status status = next_run(course, &now, "NOW", &q->now);
    for (size_t r = 0; r < q->result_count && status == CLUMP_PROTOCOL_OK; r++) {
        const clump_mpi_emulation_plan clump = clump_of(q, r);
        char what[32];
        snprintf(what, sizeof what, "N=%u", clump.nics);
        status = next_run(course, &clump, what, &q->results[r].clump);
    }
    return status;
}

/* With twice the dilation all is as before, or something is not dilated that matters. */
static clump_protocol_status check_twice(struct course *course)
{
    clump_mpi_emulation_question *q = course->question;
    clump_mpi_emulation_plan plans[] = {now_of(&q->plan), clump_of(q, 0)};
    clump_emulated_runs runs[2] = {{.count = 0}, {.count = 0}};
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (size_t i = 0; i < 2 * q->repetitions && status == CLUMP_PROTOCOL_OK; i++) {
        plans[i % 2].dilation = 2 * q->plan.dilation;
        status = next_run(course, &plans[i % 2], "2 D", &runs[i % 2]);
    }
    q->checks.now_twice = runs[0].mean / q->now.mean - 1;
    q->checks.clump_twice = runs[1].mean / q->results[0].clump.mean - 1;
    return status;
}

/* Two ranks need no dilation, if there are two processors for them. */
static clump_protocol_status check_undilated(struct course *course)
{
    clump_mpi_emulation_question *q = course->question;
    clump_mpi_emulation_plan plan = q->plan;
    clump_emulated_runs runs[2] = {{.count = 0}, {.count = 0}};
    plan.nodes = 2;
    plan.processors = plan.nics = 1;
    for (size_t i = 0; i < 2 * q->repetitions; i++) {
        plan.dilation = i % 2 == 0 ? 1 : q->plan.dilation;
        clump_protocol_status status = begin_run(course, "2 ranks");
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        if (add_run(&plan, &runs[i % 2], course->message) != CLUMP_PROTOCOL_OK)
            return CLUMP_PROTOCOL_OK; /* many programs want other numbers of ranks */
    }
    q->checks.two_dilated = runs[1].mean / runs[0].mean - 1;
    q->checks.two_late = runs[0].worst.late;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_mpi_emulate(clump_mpi_emulation_question *question,
                                        char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES])
{
    clump_mpi_emulation_question *q = question;
    const size_t machines = q->result_count + 1;
    struct course course = {.question = q,
                            .total = (q->repetitions + (q->recorder != NULL)) * machines +
                                     (q->check ? 4 * q->repetitions : 0),
                            .message = message};
    q->checks = (clump_mpi_emulation_checks){NAN, NAN, NAN, NAN, NAN};
    clump_protocol_status status = clump_nodes_probe(true, message);
    if (status == CLUMP_PROTOCOL_OK && q->check)
        status = clump_mpi_emulation_rate(&q->plan, &q->checks.rate, message);
    if (status == CLUMP_PROTOCOL_OK && q->recorder != NULL)
        status = record_all(&course);
    for (size_t i = 0; i < q->repetitions && status == CLUMP_PROTOCOL_OK; i++)
        status = repeat(&course);
    if (status == CLUMP_PROTOCOL_OK && q->check)
        status = check_twice(&course);
    if (status == CLUMP_PROTOCOL_OK && q->check)
        status = check_undilated(&course);
    for (size_t r = 0; r < q->result_count && status == CLUMP_PROTOCOL_OK; r++)
        conclude(q, &q->results[r]);
    return status;
}
