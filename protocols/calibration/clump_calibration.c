/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/clump_calibration.h"
#include "model/simulation/sampler.h"
#include "protocols/emulation/nodes_run.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
                                    clump_calibration *calibration)
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
                                  .watch = clump_calibration_watch,
                                  .context = calibration};
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
    if (status == CLUMP_OK)
        *slowdown = prediction.slowdown;
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

/* Seconds that a point will take, about. */
static double estimate(const clump_emulation_question *q, const clump_emulation_point *point)
{
    return SETUP_SECONDS + 1e-6 * (double)cycles_of(q, point) * cycle_us(q, point);
}

static double estimate_check(void)
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
static clump_calibration_status emulate(clump_calibration *c, const clump_emulation_plan *plan,
                                        clump_emulation_outcome *outcome)
{
    const clump_emulation_question *q = c->own;
    char why[CLUMP_EMULATION_MESSAGE_BYTES];
    const size_t records = plan->processors * plan->cycles;
    *outcome =
        (clump_emulation_outcome){.clump.records = malloc(records * sizeof *outcome->clump.records),
                                  .now.records = malloc(records * sizeof *outcome->now.records)};
    if (plan->work == NULL || outcome->clump.records == NULL || outcome->now.records == NULL)
        return clump_calibration_fail_memory(c);
    const clump_protocol_status status = clump_emulation_run(plan, outcome, why);
    if (status == CLUMP_PROTOCOL_OK)
        return CLUMP_CALIBRATION_OK;
    if (status != CLUMP_PROTOCOL_TIMED_OUT)
        return clump_calibration_fail(c, CLUMP_CALIBRATION_FAILED, "%s", why);
    return clump_calibration_fail(c, CLUMP_CALIBRATION_INTERRUPTED,
                                  "stopped; %zu of %zu Clumps are measured%s", q->count,
                                  q->point_count, q->count > 0 ? " and stored" : "");
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

static clump_calibration_status evaluate(clump_calibration *c, const clump_emulation_plan *plan,
                                         const clump_emulation_outcome *outcome,
                                         clump_emulation_result *r)
{
    const clump_emulation_question *q = c->own;
    clump_error error;
    if (!clump_emulation_summarize(plan, outcome, &r->summary))
        return clump_calibration_fail_memory(c);
    double U[CLUMP_EMULATION_MOST_PROCESSORS];
    for (unsigned p = 0; p < plan->processors; p++)
        U[p] =
            fmin(q->mix_count > 0 ? r->summary.each[p].utilization : r->summary.all.utilization, 1);
    if (predict(q, &r->point, U, q->mix_count > 0 ? q->mix_count : 1, &r->predicted, r->each,
                &error) != CLUMP_OK)
        return clump_calibration_fail(c, CLUMP_CALIBRATION_FAILED, "%s", error.message);
    r->cycles = plan->cycles;
    r->seconds = outcome->seconds;
    r->machine_busy = outcome->machine_busy;
    r->machine_taken = outcome->machine_taken;
    r->real_time = outcome->real_time;
    judge(q, r);
    return CLUMP_CALIBRATION_OK;
}

double clump_emulation_half_width(const clump_emulation_ratio *ratio)
{
    return gsl_cdf_tdist_Pinv(0.975, CLUMP_EMULATION_DEGREES) * ratio->standard_error;
}

double clump_emulation_error(double predicted, const clump_emulation_ratio *ratio)
{
    return predicted / ratio->slowdown - 1;
}

/* ---- samples */

const char *clump_emulation_point_name(const clump_emulation_point *point,
                                       char name[CLUMP_EMULATION_POINT_NAME])
{
    snprintf(name, CLUMP_EMULATION_POINT_NAME, "P=%u N=%u U=%.6g %s", point->processors,
             point->nics, point->utilization, clump_demand_kind_name(point->demand));
    return name;
}

/* Ten of each machine: mean times of a cycle, of all processors or of one of a mix, whose messages
 * are `share` of the mean. */
static bool add_samples(const clump_emulation_question *q, clump_calibration_samples *to,
                        const clump_emulation_result *r, const clump_emulation_ratio *ratio,
                        double share, const char *setting)
{
    const double bytes = share * q->message_us * q->rate_mbit / 8;
    for (int now = 0; now < 2; now++)
        for (size_t b = 0; b < CLUMP_EMULATION_BATCHES; b++) {
            clump_calibration_sample sample = {.variant = now ? "NOW" : "Clump",
                                               .benchmark = CLUMP_BENCHMARK_EMULATED_CLUMP,
                                               .quantity = CLUMP_QUANTITY_CYCLE_TIME,
                                               .value = now ? ratio->now_us[b] : ratio->clump_us[b],
                                               .size_bytes = (int64_t)llround(bytes),
                                               .run = (int64_t)b + 1,
                                               .iterations = (int64_t)ratio->batch_cycles[b],
                                               .processes = r->point.processors,
                                               .doubtful = r->doubt[0] != '\0',
                                               .doubt = r->doubt[0] != '\0' ? r->doubt : NULL};
            snprintf(sample.setting, sizeof sample.setting, "%s", setting);
            if (!clump_calibration_add(to, &sample))
                return false;
        }
    return true;
}

/* What was measured of a Clump and its NOW: a batch each. False: out of memory. */
static bool add_result(const clump_emulation_question *q, clump_calibration_samples *to,
                       const clump_emulation_result *r)
{
    char name[CLUMP_EMULATION_POINT_NAME], setting[48];
    const char *how = q->mapping == CLUMP_MAPPING_STATIC ? " tied" : "",
               *queue = q->fifo ? " fifo" : "";
    if (q->mix_count == 0) {
        snprintf(setting, sizeof setting, "%.36s%s%s", clump_emulation_point_name(&r->point, name),
                 how, queue);
        return add_samples(q, to, r, &r->summary.all, 1, setting);
    }
    for (size_t p = 0; p < q->mix_count; p++) {
        snprintf(setting, sizeof setting, "P=%u N=%u processor %u U=%.5g%s%s", r->point.processors,
                 r->point.nics, (unsigned)p + 1, q->mix[p], how, queue);
        if (!add_samples(q, to, r, &r->summary.each[p], q->mix[p] / r->point.utilization, setting))
            return false;
    }
    return true;
}

/* ---- all of it */

static clump_calibration_status measure(clump_calibration *c, const clump_emulation_point *point)
{
    clump_emulation_question *q = c->own;
    clump_emulation_result *result = &q->results[q->count];
    clump_emulation_outcome outcome;
    clump_emulation_plan plan = plan_of(q, point, c);
    plan.cycles = cycles_of(q, point);
    plan.work = make_work(q, point, plan.cycles);
    *result = (clump_emulation_result){.point = *point};
    clump_calibration_status status = emulate(c, &plan, &outcome);
    if (status == CLUMP_CALIBRATION_OK)
        status = evaluate(c, &plan, &outcome, result);
    forget(&plan, &outcome);
    if (status == CLUMP_CALIBRATION_OK)
        status = add_result(q, &c->samples, result) ? clump_calibration_keep(c)
                                                    : clump_calibration_fail_memory(c);
    q->count += status == CLUMP_CALIBRATION_OK;
    return status;
}

static void warn_about_check(clump_calibration *c)
{
    const double least = 0.49; /* of a NIC, for one of two that send at once */
    const clump_emulation_check *check = &((clump_emulation_question *)c->own)->check;
    if (!(fabs(check->rate - 1) <= CLUMP_EMULATION_MOST_DEVIATION))
        clump_calibration_warn(c,
                               "a NIC alone runs at %.1f%% of its rate, not within 1%%: a lower "
                               "--rate may help",
                               100 * check->rate);
    if (check->least_share < least || check->most_share > 1 - least)
        clump_calibration_warn(c,
                               "two processors that send at once get %.1f%% and %.1f%% of a NIC, "
                               "not half of it each",
                               100 * check->least_share, 100 * check->most_share);
}

/* Two processors that send equal messages at the same moments: on the NOW each has a NIC of its
 * own, on the Clump half of one. */
static clump_calibration_status check_nics(clump_calibration *c)
{
    static const clump_emulation_point two = {2, 1, 0.5, CLUMP_DEMAND_CORRELATED};
    clump_emulation_question *q = c->own;
    clump_emulation_outcome outcome;
    clump_emulation_cycle *work = malloc(2 * CHECK_CYCLES * sizeof *work);
    for (size_t i = 0; work != NULL && i < 2 * CHECK_CYCLES; i++)
        work[i] = (clump_emulation_cycle){check_pause_us, check_message_us};
    clump_emulation_plan plan = plan_of(q, &two, c);
    plan.cycles = CHECK_CYCLES;
    plan.work = work;
    const clump_calibration_status status = emulate(c, &plan, &outcome);
    if (status == CLUMP_CALIBRATION_OK) {
        double alone_us = 0, shared_us[2] = {0, 0};
        for (size_t i = 0; i < 2 * CHECK_CYCLES; i++) {
            const clump_emulation_record *now = &outcome.now.records[i],
                                         *clump = &outcome.clump.records[i];
            alone_us += 1e-3 * (double)(now->end_ns - now->begin_ns);
            shared_us[i / CHECK_CYCLES] += 1e-3 * (double)(clump->end_ns - clump->begin_ns);
        }
        const double sent_us = CHECK_CYCLES * check_message_us;
        q->check.rate = 2 * sent_us / alone_us;
        q->check.least_share = q->fifo ? NAN : sent_us / fmax(shared_us[0], shared_us[1]);
        q->check.most_share = q->fifo ? NAN : sent_us / fmin(shared_us[0], shared_us[1]);
        warn_about_check(c);
    }
    forget(&plan, &outcome);
    return status;
}

static clump_calibration_status run(clump_calibration *c)
{
    clump_emulation_question *q = c->own;
    char why[CLUMP_EMULATION_MESSAGE_BYTES];
    if (clump_nodes_probe(false, why) != CLUMP_PROTOCOL_OK)
        return clump_calibration_fail(c, CLUMP_CALIBRATION_FAILED, "%s", why);
    q->results = malloc(q->point_count * sizeof *q->results);
    if (q->results == NULL)
        return clump_calibration_fail_memory(c);
    clump_calibration_status status = clump_calibration_open(c);
    if (status != CLUMP_CALIBRATION_OK)
        return status;
    snprintf(q->note, sizeof q->note, "NICs of %.6g Mbit/s, messages of %.6g ms; %.300s",
             q->rate_mbit, q->message_us / 1000, c->host.facts);
    c->store.source.note = q->note;
    c->estimate = c->weight = estimate_check();
    for (size_t i = 0; i < q->point_count; i++)
        c->estimate += estimate(q, &q->points[i]);
    status = check_nics(c);
    while (q->count < q->point_count && status == CLUMP_CALIBRATION_OK) {
        const clump_emulation_point *point = &q->points[q->count];
        c->done += c->weight;
        c->weight = estimate(q, point);
        snprintf(c->note, sizeof c->note, "%zu of %zu Clumps", q->count, q->point_count);
        status = measure(c, point);
    }
    return status;
}

static clump_calibration_status derive(clump_calibration *c)
{
    const clump_emulation_question *q = c->own;
    char name[CLUMP_EMULATION_POINT_NAME];
    if (q->count > 0 && q->real_time && !q->results[0].real_time)
        clump_calibration_warn(c, "the system gave the processes no real-time priority; other "
                                  "programs can make them late");
    for (size_t i = 0; i < q->count; i++)
        if (q->results[i].doubt[0] != '\0')
            clump_calibration_warn(c, "%s: %s; stored as doubtful",
                                   clump_emulation_point_name(&q->results[i].point, name),
                                   q->results[i].doubt);
    return CLUMP_CALIBRATION_OK;
}

static void release(void *own)
{
    clump_emulation_question *q = own;
    free(q->points);
    free(q->results);
}

const clump_calibration_kind clump_calibration_clump = {
    .name = "calibrate clump",
    .title = "Emulated Clumps",
    .transport = "emulated",
    .keeps_parts = true,
    .run = run,
    .derive = derive,
    .free = release,
};
