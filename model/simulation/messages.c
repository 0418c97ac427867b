/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/messages.h"

#include "model/simulation/message_run.h"

#include <gsl/gsl_cdf.h>
#include <omp.h>

#include <math.h>
#include <stdlib.h>

/* Replications: before the events are counted, for an interval, and at most. */
enum { FIRST = 2, LEAST = 8, MOST = 4096 };

/* The machine, and the one to compare with. */
enum { ON, AGAINST, MACHINES };

/* What one replication gave on each. */
typedef struct pair {
    clump_message_result of[MACHINES];
} pair;

typedef struct experiment {
    const clump_cluster *machine, *against;
    const clump_simulation_options *options;
    message_setup setup;
    pair *pairs;
    size_t count;
    int threads;
    message_run *runs;   /* two a thread */
    message_run_end end; /* the worst one */
} experiment;

static clump_message_result sample_of(const message_run *run)
{
    clump_message_result s = {.time_us = run->end,
                              .longest_queue = (double)run->longest_queue,
                              .messages = (double)run->messages,
                              .events = (double)run->event_count};
    network_utilizations(&run->net, run->end, &s.nic_utilization, &s.receive_utilization);
    if (run->end > 0)
        s.waiting = run->waiting / (run->end * (double)run->net.ranks);
    return s;
}

static message_run_end worse(message_run_end a, message_run_end b)
{
    return a > b ? a : b;
}

/* Replications count, count + 1, ... up to `end`. The first ones have to be within the events that
 * are allowed, each run with its part of them; after that it is known what they need. */
static void replicate(experiment *e, size_t end)
{
    const uint64_t seed = e->options->seed, stream = e->options->stream * MOST;
    const double runs = (double)end * (e->against != NULL ? 2 : 1);
    const double limit = e->count == 0 ? fmax(e->options->most_events / runs, 1) : HUGE_VAL;
    int worst = MESSAGE_RUN_DONE;
#pragma omp parallel for schedule(dynamic, 1) num_threads(e->threads) reduction(max : worst)
    for (size_t i = e->count; i < end; i++) {
        message_run *both = e->runs + 2 * omp_get_thread_num();
        message_run_end ended = message_run_once(&both[0], seed, stream + i, limit);
        e->pairs[i].of[ON] = sample_of(&both[0]);
        if (e->against != NULL) {
            ended = worse(ended, message_run_once(&both[1], seed, stream + i, limit));
            e->pairs[i].of[AGAINST] = sample_of(&both[1]);
        }
        worst = (int)ended > worst ? (int)ended : worst;
    }
    e->end = (message_run_end)worst;
    if (e->end != MESSAGE_RUN_STOPPED)
        e->count = end;
}

static double mean_of(const experiment *e, int machine)
{
    double sum = 0;
    for (size_t i = 0; i < e->count; i++)
        sum += e->pairs[i].of[machine].time_us;
    return sum / (double)e->count;
}

/* Half width of the mean of a - ratio b. */
static double half_width(const experiment *e, double a_factor, double b_factor)
{
    double mean = 0, squares = 0;
    if (!e->setup.random)
        return 0;
    for (size_t i = 0; i < e->count; i++) {
        const double x =
            a_factor * e->pairs[i].of[ON].time_us + b_factor * e->pairs[i].of[AGAINST].time_us;
        const double before = x - mean;
        mean += before / (double)(i + 1);
        squares += before * (x - mean);
    }
    const double n = (double)e->count;
    return gsl_cdf_tdist_Pinv((1 + e->options->confidence) / 2, n - 1) *
           sqrt(squares / (n * (n - 1)));
}

/* NAN but for the events where not one replication came to its end. */
static clump_message_result summary(const experiment *e, int machine, bool reached)
{
    clump_message_result r = {.replications = e->count, .reached = reached};
    const double n = e->end == MESSAGE_RUN_CUT ? NAN : (double)e->count;
    for (size_t i = 0; i < e->count; i++) {
        const clump_message_result *s = &e->pairs[i].of[machine];
        r.time_us += s->time_us / n;
        r.nic_utilization += s->nic_utilization / n;
        r.receive_utilization += s->receive_utilization / n;
        r.waiting += s->waiting / n;
        r.longest_queue = fmax(r.longest_queue, s->longest_queue);
        r.messages += s->messages;
        r.events += s->events;
    }
    r.half_width = half_width(e, machine == ON, machine == AGAINST);
    if (e->end == MESSAGE_RUN_CUT)
        r.half_width = r.longest_queue = r.messages = NAN;
    return r;
}

static double events_of(const experiment *e)
{
    double events = 0;
    for (size_t i = 0; i < e->count; i++)
        events += e->pairs[i].of[ON].events + e->pairs[i].of[AGAINST].events;
    return events;
}

static clump_status prepare(experiment *e, const clump_program *program, clump_error *error)
{
    clump_status status = simulation_options_check(e->options, error);
    if (status == CLUMP_OK)
        status = clump_cluster_check(e->machine, "machine", error);
    if (status == CLUMP_OK && e->against != NULL)
        status = clump_cluster_check(e->against, "machine to compare with", error);
    if (status == CLUMP_OK && e->against != NULL &&
        e->against->nodes * e->against->node.processors !=
            e->machine->nodes * e->machine->node.processors)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "machines to compare: %zu and %zu ranks, expected the same",
                            e->machine->nodes * e->machine->node.processors,
                            e->against->nodes * e->against->node.processors);
    if (status == CLUMP_OK)
        status = message_setup_make(&e->setup, program, e->machine, error);
    if (status != CLUMP_OK)
        return status;
    const int most = e->options->threads > 0 ? e->options->threads : omp_get_max_threads();
    e->threads = e->setup.random ? (most < LEAST ? most : LEAST) : 1;
    e->pairs = calloc(MOST, sizeof *e->pairs);
    e->runs = calloc(2 * (size_t)e->threads, sizeof *e->runs);
    bool made = e->pairs != NULL && e->runs != NULL;
    for (int i = 0; i < e->threads && made; i++) {
        made = message_run_make(&e->runs[2 * i], &e->setup, e->machine);
        if (made && e->against != NULL)
            made = message_run_make(&e->runs[2 * i + 1], &e->setup, e->against);
    }
    return made ? CLUMP_OK : clump_fail_memory(error, "the ranks and NICs");
}

static void release(experiment *e)
{
    for (int i = 0; e->runs != NULL && i < 2 * e->threads; i++)
        message_run_release(&e->runs[i]);
    free(e->runs);
    free(e->pairs);
    message_setup_release(&e->setup);
}

/* How many replications there should be; as many as there are if that is enough. */
static size_t wanted(const experiment *e, clump_ratio *ratio, bool *reached)
{
    const clump_simulation_options *o = e->options;
    const double a = mean_of(e, ON), b = mean_of(e, AGAINST);
    if (e->against != NULL && b > 0)
        *ratio = (clump_ratio){a / b, half_width(e, 1, -a / b) / b};
    else
        *ratio = (clump_ratio){a, half_width(e, 1, 0)};
    const double events = events_of(e);
    const size_t least = e->setup.random ? LEAST : 1;
    const double off = ratio->value > 0 ? ratio->half_width / (ratio->value * o->precision) : 0;
    *reached = off <= 1 && e->count >= least;
    if (o->progress != NULL) {
        const clump_simulation_progress progress = {
            .share = *reached ? 1 : fmin(1 / (off * off), 1),
            .slowdown = ratio->value,
            .half_width = ratio->half_width,
            .events = events,
        };
        o->progress(&progress, o->context);
    }
    if (*reached || e->count >= MOST || events >= o->most_events)
        return e->count;
    const double more =
        e->count < least ? (double)least : fmin(fmax(1.1 * off * off, 1.5), 4) * (double)e->count;
    const double affordable = (double)e->count * fmax(o->most_events / events, 1);
    return (size_t)fmin(fmin(more, affordable), MOST);
}

clump_status clump_simulate_messages(const clump_cluster *machine, const clump_cluster *against,
                                     const clump_program *program,
                                     const clump_simulation_options *options,
                                     clump_message_result *result, clump_message_result *other,
                                     clump_ratio *ratio, clump_error *error)
{
    experiment e = {.machine = machine, .against = against, .options = options};
    clump_status status = prepare(&e, program, error);
    clump_ratio found = {0, 0};
    bool reached = false;
    size_t next = e.setup.random ? FIRST : 1;
    while (status == CLUMP_OK && next > e.count) {
        replicate(&e, next);
        if (e.end == MESSAGE_RUN_NO_MEMORY)
            status = clump_fail_memory(error, "the messages on their way");
        else if (e.end == MESSAGE_RUN_STOPPED && e.count == 0)
            status = clump_fail(error, CLUMP_STOPPED, "interrupted");
        else
            next = e.end == MESSAGE_RUN_DONE ? wanted(&e, &found, &reached) : e.count;
    }
    if (status == CLUMP_OK) {
        *result = summary(&e, ON, reached);
        if (other != NULL && against != NULL)
            *other = summary(&e, AGAINST, reached);
        if (ratio != NULL)
            *ratio = e.end == MESSAGE_RUN_CUT ? (clump_ratio){NAN, NAN} : found;
    }
    release(&e);
    return status;
}
