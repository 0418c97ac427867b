/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_judges.h"
#include "fitting/clusters/nic_exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A program whose log says enough. */
typedef struct reader {
    const char *benchmark; /* of the samples */
    const char *name;
    clump_program_outcome (*predict)(const clump_program_account *account,
                                     const clump_nic_change *nics);
} reader;

static const reader readers[] = {
    {"mdrun", "GROMACS", clump_gromacs_predict},
    {"CP2K", "CP2K", clump_cp2k_predict},
};

static const reader *reader_of(const clump_program_run *run)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(readers[i].benchmark, run->program) == 0)
            return &readers[i];
    return NULL;
}

/* From one platform to another. */
typedef struct step {
    const char *from, *to;
    double noise; /* root mean square of what runs on one node differ by, NAN: none */
} step;

/* The first run of as many nodes and processes on the other platform, NULL: none; and the mean time of all
 * of them. */
static const clump_program_run *find_like(const clump_program_runs *runs,
                                          const clump_program_run *run, const char *platform,
                                          double *mean_s)
{
    const clump_program_run *found = NULL;
    double sum = 0, count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const clump_program_run *r = &runs->items[i];
        if (strcmp(r->platform, platform) != 0 || strcmp(r->application, run->application) != 0 ||
            r->nodes != run->nodes || r->processes != run->processes)
            continue;
        found = found != NULL ? found : r;
        sum += r->time_s;
        count++;
    }
    *mean_s = count > 0 ? sum / count : NAN;
    return found;
}

static const clump_program_run *find_alone(const clump_program_runs *runs,
                                           const clump_program_run *run)
{
    for (size_t i = 0; i < runs->count; i++) {
        const clump_program_run *r = &runs->items[i];
        if (strcmp(r->platform, run->platform) == 0 &&
            strcmp(r->application, run->application) == 0 && r->nodes == 1)
            return r;
    }
    return NULL;
}

static double find_noise(const clump_program_runs *runs, const step *s)
{
    double squares = 0, count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const clump_program_run *r = &runs->items[i];
        double other_s = NAN;
        const clump_program_run *other = find_like(runs, r, s->to, &other_s);
        if (r->nodes != 1 || strcmp(r->platform, s->from) != 0 || other == NULL)
            continue;
        squares += pow(other_s / r->time_s - 1, 2);
        count++;
    }
    return count > 0 ? sqrt(squares / count) : NAN;
}

/* Runs may have tuned themselves to another grid: other work. */
static const char *note_on(clump_cluster_work *work, const step *s, const clump_nic_rates *rates,
                           const clump_program_run *run, const clump_program_run *measured,
                           const clump_program_outcome *outcome)
{
    const double points = clump_program_value(run, "grid_points", NULL, NULL);
    const double other =
        measured != NULL ? clump_program_value(measured, "grid_points", NULL, NULL) : NAN;
    const bool tuned = isfinite(points) && isfinite(other) && points != other;
    const bool noisy = fabs(outcome->change_s / run->time_s) < s->noise;
    const double pairs = clump_nic_rates_pairs(rates);
    const double each = run->processes / (double)run->nodes;
    char grid[60] = "", few[80] = "";
    if (tuned)
        snprintf(grid, sizeof grid, "; other grid: %+.1f%% points", 100 * (other / points - 1));
    if (pairs < each)
        snprintf(few, sizeof few, "; rates of %g pairs, %g processes a node", pairs, each);
    if (grid[0] == '\0' && few[0] == '\0' && !noisy && outcome->note == NULL)
        return NULL;
    const char *all = clump_cluster_text(
        work, "%s%s%s%s%s", grid, few, noisy ? "; within the noise" : "",
        outcome->note != NULL ? "; " : "", outcome->note != NULL ? outcome->note : "");
    return all + strspn(all, "; ");
}

static void predict(clump_cluster_work *work, const clump_program_runs *runs,
                    const clump_program_run *run, const step *s)
{
    const reader *how = reader_of(run);
    double measured_s = NAN;
    const clump_program_run *measured = find_like(runs, run, s->to, &measured_s);
    const clump_nic_comparison *nics = clump_nic_rates_compare(
        work, s->from, s->to,
        run->transport[0] != '\0' ? run->transport : work->request->transport);
    clump_cluster_row row = {
        .set = clump_cluster_text(work, "%s, %s from %s",
                                  how != NULL ? how->name : run->application, s->to, s->from),
        .part = run->application,
        .platform = s->to,
        .transport = run->transport,
        .variant = "",
        .subject = run->application,
        .quantity = "execution_time",
        .from = s->from,
        .nodes = run->nodes,
        .processes = (int64_t)run->processes,
        .size_bytes = -1,
        .measured = measured_s,
        .predicted = NAN,
        .rivals = {run->time_s, NAN},
        .problem = nics->problem,
    };
    if (how == NULL)
        row.problem = "its log has no account of communication that is understood (GROMACS, CP2K)";
    if (row.problem == NULL) {
        const clump_nic_rates *before = &nics->rates[0], *after = &nics->rates[1];
        const clump_program_account account = {run, find_alone(runs, run)};
        const clump_program_outcome outcome =
            how->predict(&account, &(clump_nic_change){before, after});
        row.problem = outcome.problem;
        if (row.problem == NULL) {
            row.predicted = run->time_s + outcome.change_s;
            row.rivals[1] =
                run->time_s + outcome.communication_s *
                                  (clump_nic_rates_best(before) / clump_nic_rates_best(after) - 1);
            row.note = note_on(work, s, before, run, measured, &outcome);
        }
    }
    clump_cluster_add(work, &row);
}

static void predict_programs(clump_cluster_work *work, const clump_cluster_sources *from,
                             const char *before, const char *after)
{
    const clump_program_runs *runs = &from->runs;
    step s = {.from = before, .to = after};
    s.noise = find_noise(runs, &s);
    /* One program after the other, so that the rows of a set stand together. */
    for (size_t k = 0; k <= sizeof readers / sizeof *readers; k++) {
        const reader *wanted = k < sizeof readers / sizeof *readers ? &readers[k] : NULL;
        for (size_t i = 0; i < runs->count; i++) {
            const clump_program_run *run = &runs->items[i];
            double measured_s = NAN;
            if (strcmp(run->platform, before) == 0 && run->nodes > 1 && reader_of(run) == wanted &&
                (wanted != NULL || run->program[0] != '\0') &&
                (work->request->from != NULL || find_like(runs, run, after, &measured_s) != NULL))
                predict(work, runs, run, &s);
        }
    }
}

static void load(clump_cluster_work *work, clump_cluster_sources *from)
{
    clump_program_runs_load(work, &from->runs);
}

const clump_cluster_judge clump_judge_other_nics = {
    .load = load,
    .platform = clump_program_platform,
    .predict = predict_programs,
    .across = true,
    .nothing =
        "found no program that ran on several nodes of two platforms, expected logs of GROMACS "
        "or CP2K from both, or --from and --platform",
};
