/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/emulation_run.h"

#include "cli/output/errors.h"
#include "model/simulation/sampler.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKET_US 200.0 /* short enough for messages to share a NIC evenly, long for its timer */
#define SETUP_SECONDS 0.5
enum { BURST_PACKETS = 5, CHECK_CYCLES = 6 };
static const double check_message_us = 100000, check_pause_us = 10000;

/* ---- what to run */

static unsigned packet_of(double bytes_per_us)
{
    const double bytes = round(bytes_per_us * PACKET_US);
    return (unsigned)(bytes < 200 ? 200 : bytes > 1500 ? 1500 : bytes);
}

static clump_emulation_plan plan_of(const clump_emulation_question *q,
                                    const clump_emulation_point *point,
                                    const clump_emulation_watcher *watcher)
{
    const double bytes_per_us = q->rate_mbit / 8;
    const unsigned packet = packet_of(bytes_per_us);
    return (clump_emulation_plan){.processors = point->processors,
                                  .nics = point->nics,
                                  .is_static = q->mapping == CLUMP_MAPPING_STATIC,
                                  .fifo = q->fifo,
                                  .barrier = point->demand == CLUMP_DEMAND_CORRELATED,
                                  .spin = q->spin,
                                  .real_time = q->real_time,
                                  .bytes_per_us = bytes_per_us,
                                  .packet = packet,
                                  .burst = BURST_PACKETS * packet,
                                  .watch = watcher->watch,
                                  .context = watcher->context};
}

/* `each` receives P slowdowns, or is NULL. */
static clump_status predict(const clump_emulation_question *q, const clump_emulation_point *point,
                            const double *utilizations, size_t count, double *slowdown,
                            double *each, clump_error *error)
{
    clump_prediction prediction;
    const clump_node node = {
        .processors = point->processors, .nics = point->nics, .mapping = q->mapping};
    const clump_load load = {.utilizations = utilizations,
                             .utilization_count = count,
                             .demand = point->demand,
                             .coupling = CLUMP_COUPLING_NONE};
    const clump_prediction_details details = {.slowdowns = each};
    const clump_status status = clump_predict(&node, &load, &prediction, &details, error);
    /* Who meets the others at a barrier waits for the slowest. */
    if (status == CLUMP_OK)
        *slowdown =
            point->demand == CLUMP_DEMAND_CORRELATED ? prediction.slowest : prediction.slowdown;
    return status;
}

/* R + S, mean; the same for all processors of a mix. */
static double now_cycle_us(const clump_emulation_question *q, const clump_emulation_point *point)
{
    return q->message_us / point->utilization;
}

static double utilization_of(const clump_emulation_question *q, const clump_emulation_point *point,
                             unsigned processor)
{
    return q->mix_count > 0 ? q->mix[processor] : point->utilization;
}

/* The same on the Clump, of the slowest processor. */
static double cycle_us(const clump_emulation_question *q, const clump_emulation_point *point)
{
    double slowdown = 1;
    double each[CLUMP_EMULATION_MOST_PROCESSORS] = {0};
    predict(q, point, q->mix_count > 0 ? q->mix : &point->utilization,
            q->mix_count > 0 ? q->mix_count : 1, &slowdown, each, NULL);
    for (unsigned p = 0; p < point->processors; p++)
        slowdown = fmax(slowdown, each[p]);
    return now_cycle_us(q, point) * fmax(slowdown, 1);
}

static size_t cycles_of(const clump_emulation_question *q, const clump_emulation_point *point)
{
    const double wanted = q->cycles > 0 ? (double)q->cycles : 1e6 * q->seconds / cycle_us(q, point);
    return (size_t)fmin(fmax(wanted, CLUMP_EMULATION_LEAST_CYCLES), CLUMP_EMULATION_MOST_CYCLES);
}

double clump_emulation_estimate(const clump_emulation_question *q,
                                const clump_emulation_point *point)
{
    return SETUP_SECONDS + 1e-6 * (double)cycles_of(q, point) * cycle_us(q, point);
}

double clump_emulation_check_estimate(void)
{
    return SETUP_SECONDS + 1e-6 * CHECK_CYCLES * (2 * check_message_us + check_pause_us);
}

/* So that the means after the warm-up are those that were asked for: few cycles would have others
 * by chance, which tells nothing of Clumps. */
static void scale(size_t cycles, double compute_us, double message_us, clump_emulation_cycle *work)
{
    const size_t warm = clump_emulation_warm_up(cycles);
    double compute = 0, message = 0;
    for (size_t i = warm; i < cycles; i++) {
        compute += work[i].compute_us / (double)(cycles - warm);
        message += work[i].message_us / (double)(cycles - warm);
    }
    for (size_t i = 0; i < cycles; i++) {
        work[i].compute_us *= compute_us / compute;
        work[i].message_us *= message_us / message;
    }
}

/*
 * Each processor has a stream of random numbers of its own, so that its times do not depend on how
 * many others there are. Where demand is correlated all have those of the first: the model's
 * processors communicate together and equally long. Computations that are not memoryless are found
 * under way at a random point.
 */
static void draw(const clump_emulation_question *q, const clump_emulation_point *point,
                 size_t cycles, const simulation_ziggurat *ziggurat, clump_emulation_cycle *work)
{
    simulation_sampler computation, communication;
    const bool correlated = point->demand == CLUMP_DEMAND_CORRELATED;
    simulation_sampler_make(&computation, &q->computation, ziggurat);
    simulation_sampler_make(&communication, &q->communication, ziggurat);
    for (unsigned p = 0; p < point->processors; p++, work += cycles) {
        const double cycle = now_cycle_us(q, point), U = utilization_of(q, point, p);
        simulation_random random;
        simulation_random_start(&random, q->seed, correlated ? 0 : p);
        const double begun = q->computation.kind != CLUMP_SERVICE_EXPONENTIAL && !correlated
                                 ? simulation_random_uniform(&random)
                                 : 1;
        for (size_t i = 0; i < cycles; i++) {
            work[i].compute_us = simulation_sample(&computation, &random);
            work[i].message_us = simulation_sample(&communication, &random);
        }
        scale(cycles, cycle * (1 - U), cycle * U, work);
        work[0].compute_us *= begun;
    }
}

static clump_emulation_cycle *make_work(const clump_emulation_question *q,
                                        const clump_emulation_point *point, size_t cycles)
{
    clump_emulation_cycle *work = malloc(point->processors * cycles * sizeof *work);
    simulation_ziggurat *ziggurat = malloc(sizeof *ziggurat);
    if (work != NULL && ziggurat != NULL) {
        simulation_ziggurat_make(ziggurat);
        draw(q, point, cycles, ziggurat, work);
    } else {
        free(work);
        work = NULL;
    }
    free(ziggurat);
    return work;
}

/* ---- running it */

/* Both machines; `outcome` receives records on the heap in any case. */
static int emulate(const char *command, const clump_emulation_plan *plan,
                   clump_emulation_outcome *outcome)
{
    char message[CLUMP_EMULATION_MESSAGE_BYTES];
    const size_t records = plan->processors * plan->cycles;
    *outcome =
        (clump_emulation_outcome){.clump.records = malloc(records * sizeof *outcome->clump.records),
                                  .now.records = malloc(records * sizeof *outcome->now.records)};
    if (plan->work == NULL || outcome->clump.records == NULL || outcome->now.records == NULL)
        return error_memory(command);
    const clump_protocol_status status = clump_emulation_run(plan, outcome, message);
    if (status == CLUMP_PROTOCOL_OK)
        return EXIT_DONE;
    return status == CLUMP_PROTOCOL_TIMED_OUT ? EXIT_FAILED : error_failed(command, "%s", message);
}

static void forget(clump_emulation_plan *plan, clump_emulation_outcome *outcome)
{
    free((void *)(uintptr_t)plan->work); /* ours */
    free(outcome->clump.records);
    free(outcome->now.records);
}

#define SAY(...) snprintf(r->doubt, sizeof r->doubt, __VA_ARGS__)

/* The first reason to doubt; what explains the others comes first. */
static void judge(const clump_emulation_question *q, clump_emulation_result *r)
{
    const clump_emulation_summary *s = &r->summary;
    const double mean_late = s->late_us / q->message_us;
    if (s->lost > 0)
        SAY("%.2g%% of the packets were lost", 100 * s->lost);
    else if (mean_late > CLUMP_EMULATION_MOST_LATE)
        SAY("processors woke up %.0f us late on average, %.1f%% of a message: other programs or "
            "the host had the machine (%.0f%% in use, %.0f%% taken by the host)",
            s->late_us, 100 * mean_late, 100 * r->machine_busy, 100 * r->machine_taken);
    else if (s->starved > CLUMP_EMULATION_MOST_STARVED)
        SAY("%.1f%% of the messages left a NIC without packets while more were to come",
            100 * s->starved);
    else if (fabs(s->message_ratio - 1) > CLUMP_EMULATION_MOST_DEVIATION)
        SAY("messages alone took %.1f%% of the time that was set", 100 * s->message_ratio);
    else if (fabs(s->clump_rate - 1) > CLUMP_EMULATION_MOST_SLOW)
        SAY("the Clump's NICs ran at %.1f%% of their rate while in use", 100 * s->clump_rate);
}

static int evaluate(const char *command, const clump_emulation_question *q,
                    const clump_emulation_plan *plan, const clump_emulation_outcome *outcome,
                    clump_emulation_result *r)
{
    clump_error error;
    if (!clump_emulation_summarize(plan, outcome, &r->summary))
        return error_memory(command);
    double U[CLUMP_EMULATION_MOST_PROCESSORS];
    for (unsigned p = 0; p < plan->processors; p++)
        U[p] =
            fmin(q->mix_count > 0 ? r->summary.each[p].utilization : r->summary.all.utilization, 1);
    if (predict(q, &r->point, U, q->mix_count > 0 ? q->mix_count : 1, &r->predicted, r->each,
                &error) != CLUMP_OK)
        return error_failed(command, "%s", error.message);
    r->cycles = plan->cycles;
    r->seconds = outcome->seconds;
    r->machine_busy = outcome->machine_busy;
    r->machine_taken = outcome->machine_taken;
    r->real_time = outcome->real_time;
    r->user_namespace = outcome->user_namespace;
    judge(q, r);
    return EXIT_DONE;
}

double clump_emulation_half_width(const clump_emulation_ratio *ratio)
{
    return gsl_cdf_tdist_Pinv(0.975, CLUMP_EMULATION_DEGREES) * ratio->standard_error;
}

double clump_emulation_error(double predicted, const clump_emulation_ratio *ratio)
{
    return predicted / ratio->slowdown - 1;
}

int clump_emulation_measure(const char *command, const clump_emulation_question *question,
                            const clump_emulation_point *point,
                            const clump_emulation_watcher *watcher, clump_emulation_result *result)
{
    clump_emulation_outcome outcome;
    clump_emulation_plan plan = plan_of(question, point, watcher);
    plan.cycles = cycles_of(question, point);
    plan.work = make_work(question, point, plan.cycles);
    *result = (clump_emulation_result){.point = *point};
    int status = emulate(command, &plan, &outcome);
    if (status == EXIT_DONE)
        status = evaluate(command, question, &plan, &outcome, result);
    forget(&plan, &outcome);
    return status;
}

/* Two processors that send equal messages at the same moments: on the NOW each has a NIC of its
 * own, on the Clump half of one. */
int clump_emulation_run_check(const char *command, const clump_emulation_question *question,
                              const clump_emulation_watcher *watcher, clump_emulation_check *check)
{
    const clump_emulation_point two = {2, 1, 0.5, CLUMP_DEMAND_CORRELATED};
    clump_emulation_outcome outcome;
    clump_emulation_plan plan = plan_of(question, &two, watcher);
    plan.cycles = CHECK_CYCLES;
    clump_emulation_cycle *work = malloc(2 * CHECK_CYCLES * sizeof *work);
    for (size_t i = 0; work != NULL && i < 2 * CHECK_CYCLES; i++)
        work[i] = (clump_emulation_cycle){check_pause_us, check_message_us};
    plan.work = work;
    const int status = emulate(command, &plan, &outcome);
    if (status == EXIT_DONE) {
        double alone_us = 0, shared_us[2] = {0, 0};
        for (size_t i = 0; i < 2 * CHECK_CYCLES; i++) {
            const clump_emulation_record *now = &outcome.now.records[i],
                                         *clump = &outcome.clump.records[i];
            alone_us += 1e-3 * (double)(now->end_ns - now->begin_ns);
            shared_us[i / CHECK_CYCLES] += 1e-3 * (double)(clump->end_ns - clump->begin_ns);
        }
        const double sent_us = CHECK_CYCLES * check_message_us;
        check->rate = 2 * sent_us / alone_us;
        check->least_share = question->fifo ? NAN : sent_us / fmax(shared_us[0], shared_us[1]);
        check->most_share = question->fifo ? NAN : sent_us / fmin(shared_us[0], shared_us[1]);
    }
    forget(&plan, &outcome);
    return status;
}
