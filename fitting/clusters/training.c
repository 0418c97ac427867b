/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program of equal steps, at whose end all processes add up what each has found (training with data in
 * parallel), on more nodes, from its time on one node and a benchmark of allreduce:
 *
 *     T(n) = T(1)/n + steps(n) sum over reductions (t_n(size) - t_1(size)) + c (1 - 1/n),   steps(n) = steps(1)/n
 *
 * (MODEL.md, "Training on more nodes"). c is the time that nodes do not share (of an epoch its evaluation, its data being
 * opened, ...), as runs on fewer nodes than n tell it; with none of them it is 0.
 * Needs of the program on one node its execution_time and its steps
 * (phase_calls, variant "step"), of the program whatever the platform its reductions in a step
 * (reduction_count, a sample for each size), and operation_time of an allreduce benchmark with
 * as many processes.
 */
#include "fitting/clusters/cluster_judges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the benchmark */

static bool is_allreduce(const clump_cluster_sample *s)
{
    return (strstr(s->benchmark, "allreduce") != NULL ||
            strstr(s->benchmark, "all_reduce") != NULL ||
            strstr(s->benchmark, "Allreduce") != NULL) &&
           s->variant[0] == '\0' && s->size_bytes > 0 && s->processes > 0 && s->value > 0 &&
           !s->doubtful;
}

/* What a table of times by size has in common. */
static int compare_tables(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = strcmp(a->transport, b->transport);
    order = order != 0 ? order : strcmp(a->benchmark, b->benchmark);
    order = order != 0 ? order : strcmp(a->statistic, b->statistic);
    order = order != 0 ? order : (a->processes > b->processes) - (a->processes < b->processes);
    return order != 0 ? order : strcmp(a->platform, b->platform);
}

static int compare(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    const int order = compare_tables(a, b);
    return order != 0 ? order : (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

typedef struct table {
    const clump_cluster_sample *first;
    size_t count;
} table;

/* The table that begins at `first`. */
static table table_at(const clump_cluster_samples *all, size_t first)
{
    table t = {&all->items[first], 0};
    while (first + t.count < all->count && compare_tables(t.first, &t.first[t.count]) == 0)
        t.count++;
    return t;
}

/* ---- a program */

typedef struct program {
    const clump_program_run *alone; /* on one node */
    double steps;                   /* of that run */
    clump_cluster_node node;
} program;

/* us that the reductions of a step take; all in one, if wanted. */
static double step_us(const clump_cluster_sources *from, const char *application, const table *t,
                      bool in_one)
{
    double sum = 0, bytes = 0;
    for (size_t i = 0; i < from->reductions.count; i++) {
        const clump_cluster_sample *s = &from->reductions.items[i];
        if (strcmp(s->application, application) != 0 || s->size_bytes <= 0 || s->doubtful)
            continue;
        sum += s->value * clump_cluster_time_at(t->first, t->count, (double)s->size_bytes);
        bytes += s->value * (double)s->size_bytes;
    }
    return in_one && bytes > 0 ? clump_cluster_time_at(t->first, t->count, bytes) : sum;
}

/* Nodes of the same kind, whatever their number. */
static bool is_like(clump_cluster_work *work, const program *p, const char *platform)
{
    const clump_cluster_node other = clump_cluster_node_of(work, platform);
    return other.processors > 0 && other.processors == p->node.processors &&
           other.nics == p->node.nics;
}

/* By the same benchmark on one node: as many processes as the run has; count 0: none. */
static table find_alone(const clump_cluster_sources *from, const program *p, const table *t)
{
    const clump_cluster_samples *all = &from->allreduces;
    table best = {NULL, 0};
    size_t next;
    for (size_t i = 0; i < all->count; i = next) {
        const table other = table_at(all, i);
        next = i + other.count;
        if (strcmp(other.first->transport, t->first->transport) == 0 &&
            strcmp(other.first->benchmark, t->first->benchmark) == 0 &&
            strcmp(other.first->statistic, t->first->statistic) == 0 &&
            (double)other.first->processes == p->alone->processes &&
            (best.count == 0 || strcmp(other.first->platform, p->alone->platform) == 0))
            best = other;
    }
    return best;
}

static double find_measured(clump_cluster_work *work, const clump_cluster_sources *from,
                            const program *p, const table *t)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < from->runs.count; i++) {
        const clump_program_run *r = &from->runs.items[i];
        if (strcmp(r->application, p->alone->application) != 0 ||
            r->processes != (double)t->first->processes || !is_like(work, p, r->platform))
            continue;
        sum += r->time_s;
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

/* Without what nodes do not share; NAN: no allreduce is known on one node. */
static double shared_s(const clump_cluster_sources *from, const program *p, const table *t,
                       bool in_one)
{
    const table alone = find_alone(from, p, t);
    const char *application = p->alone->application;
    const double nodes = (double)t->first->processes / p->alone->processes;
    return alone.count == 0
               ? NAN
               : p->alone->time_s / nodes + 1e-6 * p->steps / nodes *
                                                (step_us(from, application, t, in_one) -
                                                 step_us(from, application, &alone, in_one));
}

/* c, as runs on fewer nodes than those of `t` tell it: relative errors are least. 0: none does, or it would be negative. */
static double find_unshared(clump_cluster_work *work, const clump_cluster_sources *from,
                            const program *p, const table *t, int64_t *runs)
{
    const clump_cluster_samples *all = &from->allreduces;
    double products = 0, squares = 0;
    table fewer;
    *runs = 0;
    for (size_t i = 0; i < all->count; i += fewer.count) {
        fewer = table_at(all, i);
        if (fewer.first->processes >= t->first->processes ||
            (double)fewer.first->processes <= p->alone->processes ||
            strcmp(fewer.first->transport, t->first->transport) != 0 ||
            strcmp(fewer.first->benchmark, t->first->benchmark) != 0 ||
            strcmp(fewer.first->statistic, t->first->statistic) != 0)
            continue;
        const double measured = find_measured(work, from, p, &fewer);
        const double left = measured - shared_s(from, p, &fewer, false);
        const double share = 1 - p->alone->processes / (double)fewer.first->processes;
        if (!isfinite(left))
            continue;
        products += left * share / (measured * measured);
        squares += share * share / (measured * measured);
        *runs += 1;
    }
    return squares > 0 ? fmax(0, products / squares) : 0;
}

static void predict(clump_cluster_work *work, const clump_cluster_sources *from, const program *p,
                    const table *t)
{
    const char *application = p->alone->application;
    const double nodes = (double)t->first->processes / p->alone->processes;
    int64_t runs = 0;
    const double unshared = find_unshared(work, from, p, t, &runs);
    clump_cluster_row row = {
        .set = clump_cluster_text(work, "%s%s%s", application,
                                  t->first->transport[0] != '\0' ? ", " : "", t->first->transport),
        .part = "",
        .platform = t->first->platform,
        .transport = t->first->transport,
        .variant = "",
        .subject = application,
        .quantity = "execution_time",
        .nodes = llround(nodes),
        .processes = t->first->processes,
        .size_bytes = -1,
        .measured = find_measured(work, from, p, t),
        .predicted = shared_s(from, p, t, false) + unshared * (1 - 1 / nodes),
        .rivals = {p->alone->time_s / nodes, shared_s(from, p, t, true)},
    };
    if (unshared > 0)
        row.note = clump_cluster_text(work, "%.3g s are not shared (by %lld runs on fewer nodes)",
                                      unshared, (long long)runs);
    if (isnan(row.predicted))
        row.problem = "found no allreduce with as many processes as the run on one node has, "
                      "expected one of the same benchmark";
    clump_cluster_add(work, &row);
}

/* Steps of the run; they may come from another file than its time. */
static double find_steps(const clump_cluster_sources *from, const clump_program_run *alone)
{
    const clump_cluster_samples *all = &from->runs.samples;
    for (size_t i = 0; i < all->count; i++) {
        const clump_cluster_sample *s = &all->items[i];
        if (strcmp(s->quantity, "phase_calls") == 0 && strcmp(s->variant, "step") == 0 &&
            strcmp(s->application, alone->application) == 0 &&
            strcmp(s->platform, alone->platform) == 0 && (double)s->processes == alone->processes &&
            !s->doubtful)
            return s->value;
    }
    return NAN;
}

static void predict_program(clump_cluster_work *work, const clump_cluster_sources *from,
                            const clump_program_run *alone)
{
    const program p = {.alone = alone,
                       .steps = find_steps(from, alone),
                       .node = clump_cluster_node_of(work, alone->platform)};
    const clump_cluster_request *request = work->request;
    const clump_cluster_samples *all = &from->allreduces;
    table t;
    for (size_t i = 0; i < all->count && p.steps > 0; i += t.count) {
        t = table_at(all, i);
        if ((double)t.first->processes > alone->processes &&
            (request->transport == NULL || strcmp(request->transport, t.first->transport) == 0) &&
            (request->platform == NULL || strcmp(request->platform, t.first->platform) == 0) &&
            is_like(work, &p, t.first->platform))
            predict(work, from, &p, &t);
    }
}

static bool has_reductions(const clump_cluster_sources *from, const char *application)
{
    for (size_t i = 0; i < from->reductions.count; i++)
        if (strcmp(from->reductions.items[i].application, application) == 0)
            return true;
    return false;
}

/* A file lists the reductions of a step: two files would be two steps. */
static void check_reductions(clump_cluster_work *work, const clump_cluster_samples *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < i && work->status == CLUMP_OK; k++) {
            const clump_cluster_sample *a = &all->items[k], *b = &all->items[i];
            if (strcmp(a->application, b->application) == 0 && strcmp(a->source, b->source) != 0)
                work->status =
                    clump_fail(work->error, CLUMP_BAD_ARGUMENT,
                               "found reduction_count of '%.60s' in '%.80s' and in '%.80s', "
                               "expected one source: those of a step ('clumpmodel data remove')",
                               a->application, a->source, b->source);
        }
}

static void load(clump_cluster_work *work, clump_cluster_sources *from)
{
    const clump_store_filter reductions = {.platform = "", .quantity = "reduction_count"};
    const clump_store_filter times = {.application = "", .quantity = "operation_time"};
    clump_program_runs_load(work, &from->runs);
    clump_cluster_samples_load(work, &reductions, &from->reductions);
    clump_cluster_samples_load(work, &times, &from->allreduces);
    check_reductions(work, &from->reductions);
    clump_cluster_samples_leave_central(work, &from->allreduces);
    clump_cluster_samples_keep(&from->allreduces, is_allreduce);
    if (from->allreduces.count > 0)
        qsort(from->allreduces.items, from->allreduces.count, sizeof *from->allreduces.items,
              compare);
}

static void predict_platform(clump_cluster_work *work, const clump_cluster_sources *from,
                             const char *platform, const char *same)
{
    (void)same;
    for (size_t i = 0; i < from->runs.count; i++) {
        const clump_program_run *run = &from->runs.items[i];
        if (strcmp(run->platform, platform) == 0 && run->nodes == 1 &&
            has_reductions(from, run->application))
            predict_program(work, from, run);
    }
}

const clump_cluster_judge clump_judge_training = {
    .load = load,
    .platform = clump_program_platform,
    .predict = predict_platform,
    .nothing = "found no program with reduction_count, and execution_time and phase_calls (variant "
               "step) on one node, and an allreduce on more, expected all of them",
};
