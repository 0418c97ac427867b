/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/program_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A log has samples of several numbers of processes, those of its groups: what belongs together is of one
 * source. */
static int compare(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    int order = strcmp(a->platform, b->platform);
    order = order != 0 ? order : strcmp(a->application, b->application);
    order = order != 0 ? order : strcmp(a->source, b->source);
    order = order != 0 ? order : strcmp(a->quantity, b->quantity);
    return order != 0 ? order : strcmp(a->variant, b->variant);
}

static bool same_log(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    return strcmp(a->platform, b->platform) == 0 && strcmp(a->application, b->application) == 0 &&
           strcmp(a->source, b->source) == 0;
}

double clump_program_value(const clump_program_run *run, const char *quantity, const char *variant,
                           const char *statistic)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const clump_cluster_sample *s = &run->samples[i];
        if (!s->doubtful && strcmp(s->quantity, quantity) == 0 &&
            (run->only == 0 || s->processes == run->only) &&
            (variant == NULL || strcmp(s->variant, variant) == 0) &&
            (statistic == NULL || strcmp(s->statistic, statistic) == 0)) {
            sum += s->value;
            count++;
        }
    }
    return count > 0 ? sum / (double)count : NAN;
}

double clump_program_processes(const clump_program_run *run, const char *quantity,
                               const char *variant)
{
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->samples[i].quantity, quantity) == 0 &&
            strcmp(run->samples[i].variant, variant) == 0 &&
            (run->only == 0 || run->samples[i].processes == run->only))
            return (double)run->samples[i].processes;
    return 0;
}

/* More is no number of nodes. */
#define MOST_NODES 1e9

/* Nodes that the log names, or as many as the processes and their threads fill. */
static int64_t find_nodes(clump_cluster_work *work, const clump_program_run *run)
{
    const double said = clump_program_value(run, "nodes_used", NULL, NULL);
    const double threads = clump_program_value(run, "threads_per_process", NULL, NULL);
    const double each = clump_cluster_node_of(work, run->platform).processors;
    double nodes = 0;
    if (said >= 1)
        nodes = round(said);
    else if (each > 0)
        nodes = ceil(run->processes * (threads >= 1 ? threads : 1) / each - 1e-9);
    return nodes < MOST_NODES ? (int64_t)nodes : 0;
}

static int compare_runs(const void *first, const void *second)
{
    const clump_program_run *a = first, *b = second;
    int order = strcmp(a->platform, b->platform);
    order = order != 0 ? order : strcmp(a->application, b->application);
    order = order != 0 ? order : (a->nodes > b->nodes) - (a->nodes < b->nodes);
    return order != 0 ? order : (a->processes > b->processes) - (a->processes < b->processes);
}

static void make_run(clump_cluster_work *work, clump_program_run *run, clump_program_runs *runs)
{
    const char *quantity = "execution_time";
    run->time_s = clump_program_value(run, quantity, NULL, NULL);
    if (isnan(run->time_s)) { /* of one of its steps, all of which take as long */
        quantity = "step_time";
        run->time_s = 1e-6 * clump_program_value(run, quantity, "", NULL);
    }
    run->quantity = quantity;
    run->processes = clump_program_processes(run, quantity, "");
    run->nodes = find_nodes(work, run);
    if (run->time_s > 0 && run->nodes >= 1)
        runs->items[runs->count++] = *run;
}

/* The least number of processes of a time that is above; 0: none. */
static int64_t next_processes(const clump_program_run *run, int64_t above)
{
    int64_t next = 0;
    for (size_t i = 0; i < run->count; i++) {
        const clump_cluster_sample *s = &run->samples[i];
        if ((strcmp(s->quantity, "execution_time") == 0 || strcmp(s->quantity, "step_time") == 0) &&
            s->processes > above && (next == 0 || s->processes < next))
            next = s->processes;
    }
    return next;
}

static void make_runs(clump_cluster_work *work, const clump_cluster_sample *samples, size_t count,
                      clump_program_runs *runs)
{
    clump_program_run run = {.samples = samples,
                             .count = count,
                             .platform = samples->platform,
                             .application = samples->application,
                             .transport = "",
                             .program = ""};
    for (size_t i = 0; i < count; i++) {
        run.transport = run.transport[0] == '\0' ? samples[i].transport : run.transport;
        run.program = run.program[0] == '\0' ? samples[i].benchmark : run.program;
    }
    int64_t processes = next_processes(&run, 0);
    if (processes == 0 || next_processes(&run, processes) == 0)
        make_run(work, &run, runs);
    else
        for (; processes > 0; processes = next_processes(&run, processes)) {
            run.only = processes;
            make_run(work, &run, runs);
        }
}

void clump_program_runs_load(clump_cluster_work *work, clump_program_runs *runs)
{
    static const char *const quantities[] = {
        "execution_time",   "step_time",           "phase_time",         "phase_self_time",
        "phase_calls",      "call_count",          "call_bytes",         "nodes_used",
        "grid_points",      "processes_along",     "balanced_share",     "atoms",
        "samples_per_step", "threads_per_process", "communicated_atoms", "reduction_count",
    };
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const clump_store_filter filter = {.quantity = quantities[i]};
        clump_cluster_samples_load(work, &filter, &runs->samples);
    }
    const clump_cluster_samples *all = &runs->samples;
    runs->items = clump_cluster_take(work, (all->count + 1) * sizeof *runs->items);
    if (runs->items == NULL || all->count == 0)
        return;
    qsort(all->items, all->count, sizeof *all->items, compare);
    size_t length;
    for (size_t first = 0; first < all->count; first += length) {
        for (length = 1; first + length < all->count; length++)
            if (!same_log(&all->items[first], &all->items[first + length]))
                break;
        if (all->items[first].platform[0] != '\0' && all->items[first].application[0] != '\0')
            make_runs(work, &all->items[first], length, runs);
    }
    qsort(runs->items, runs->count, sizeof *runs->items, compare_runs);
}
