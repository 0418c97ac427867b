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
    bool described; /* from NICs as they are described, not from pairs of processes */
} reader;

/* A program that says nothing but its times: what does not shrink as 1/n from one node on is communication, at most. */
static clump_program_outcome predict_times(const clump_program_account *a,
                                           const clump_nic_change *nics)
{
    clump_program_outcome outcome = {.note = "what does not shrink from one node on is taken for "
                                             "communication"};
    if (a->alone == NULL) {
        outcome.problem = "its log has no account of communication that is understood, and its "
                          "time on one node is not known: import that run, too";
        return outcome;
    }
    const double ratio = clump_nic_rates_best(nics->from) / clump_nic_rates_best(nics->to);
    outcome.communication_s = fmax(0, a->run->time_s - a->alone->time_s / (double)a->run->nodes);
    outcome.change_s = outcome.communication_s * (ratio - 1);
    return outcome;
}

static const reader readers[] = {
    {"MLPerf", "training", clump_training_predict, true},
    {"mdrun", "GROMACS", clump_gromacs_predict, false},
    {"CP2K", "CP2K", clump_cp2k_predict, false},
};

static const reader *reader_of(const clump_program_run *run)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(readers[i].benchmark, run->program) == 0)
            return &readers[i];
    return NULL; /* its times alone */
}

/* From one platform to another. */
typedef struct step {
    const clump_cluster_sources *sources;
    const char *from, *to;
    double noise; /* root mean square of what runs on one node differ by, NAN: none */
} step;

/* Of training, in a step; what other programs do, their names say. NAN: not said. */
static double batch(const clump_program_run *run)
{
    return clump_program_value(run, "samples_per_step", NULL, NULL);
}

static bool is_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

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
            r->nodes != run->nodes || r->processes != run->processes ||
            !is_equal(batch(r), batch(run)))
            continue;
        found = found != NULL ? found : r;
        sum += r->time_s;
        count++;
    }
    *mean_s = count > 0 ? sum / count : NAN;
    return found;
}

/* The kind that a description says (the variant) of the processors or NICs of a platform, and how many or how fast they
 * are; NULL: it does not. */
static const clump_cluster_sample *described(const clump_cluster_sources *from,
                                             const char *quantity, const char *platform)
{
    for (size_t i = 0; i < from->descriptions.count; i++) {
        const clump_cluster_sample *s = &from->descriptions.items[i];
        if (strcmp(s->quantity, quantity) == 0 && strcmp(s->platform, platform) == 0 &&
            !s->doubtful)
            return s;
    }
    return NULL;
}

/* Nodes alike but for their NICs, as far as is known. */
static bool are_alike(const step *s, const char *platform, const char *other)
{
    static const char quantity[] = "processors_per_node";
    const clump_cluster_sample *a = described(s->sources, quantity, platform),
                               *b = described(s->sources, quantity, other);
    return a == NULL || b == NULL || (strcmp(a->variant, b->variant) == 0 && a->value == b->value);
}

/* The same on one node; of training also on another platform, of as many samples a process. */
static const clump_program_run *find_alone(const step *s, const clump_program_run *run)
{
    const clump_program_runs *runs = &s->sources->runs;
    const double each = batch(run) / run->processes;
    for (size_t i = 0; i < runs->count; i++) {
        const clump_program_run *r = &runs->items[i];
        if (strcmp(r->application, run->application) == 0 && r->nodes == 1 &&
            (strcmp(r->platform, run->platform) == 0 ||
             (fabs(batch(r) / r->processes - each) < 1e-9 * each &&
              are_alike(s, r->platform, run->platform))))
            return r;
    }
    return NULL;
}

/* B/us of all NICs of a node; NAN: not known. */
static double described_rate(clump_cluster_work *work, const step *s, const char *platform)
{
    const clump_cluster_sample *nic = described(s->sources, "nic_bandwidth", platform);
    return nic != NULL ? nic->value * clump_cluster_node_of(work, platform).nics : NAN;
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

/* Loads are balanced in as many steps, but for so much of them. */
#define BALANCED_ALIKE 0.1

static bool differs(const clump_program_run *a, const clump_program_run *b, const char *quantity,
                    const char *variant, double tolerance)
{
    /* Not if one of them does not say it. */
    return fabs(clump_program_value(a, quantity, variant, NULL) -
                clump_program_value(b, quantity, variant, NULL)) > tolerance;
}

/* What is not the NICs' doing: runs may tune themselves to other work. "": nothing. */
static void find_differences(const clump_program_run *run, const clump_program_run *measured,
                             char text[120])
{
    static const char *const axes[] = {"PP x", "PP y", "PP z", "PME x", "PME y", "PME z"};
    bool ranks = false;
    text[0] = '\0';
    if (measured == NULL)
        return;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        ranks = ranks || differs(run, measured, "processes_along", axes[i], 0.5);
    if (differs(run, measured, "grid_points", NULL, 0.5))
        snprintf(text, 120, "; other grid: %+.1f%% points",
                 100 * (clump_program_value(measured, "grid_points", NULL, NULL) /
                            clump_program_value(run, "grid_points", NULL, NULL) -
                        1));
    if (ranks)
        snprintf(text + strlen(text), 120 - strlen(text), "; other groups of processes");
    if (differs(run, measured, "balanced_share", NULL, BALANCED_ALIKE))
        snprintf(text + strlen(text), 120 - strlen(text),
                 "; loads balanced in %.0f%% of the steps (there %.0f%%)",
                 100 * clump_program_value(run, "balanced_share", NULL, NULL),
                 100 * clump_program_value(measured, "balanced_share", NULL, NULL));
}

static const char *note_on(clump_cluster_work *work, const step *s, const clump_nic_rates *rates,
                           const clump_program_run *run, const char *differences,
                           const clump_program_outcome *outcome)
{
    const bool noisy = fabs(outcome->change_s / run->time_s) < s->noise;
    const double pairs = rates != NULL ? clump_nic_rates_pairs(rates) : INFINITY;
    char few[40] = "";
    if (pairs < run->processes / (double)run->nodes)
        snprintf(few, sizeof few, "; rates of %g pair%s", pairs, pairs > 1 ? "s" : "");
    if (differences[0] == '\0' && few[0] == '\0' && !noisy && outcome->note == NULL)
        return NULL;
    const char *all = clump_cluster_text(
        work, "%s%s%s%s%s", differences, few, noisy ? "; within the noise" : "",
        outcome->note != NULL ? "; " : "", outcome->note != NULL ? outcome->note : "");
    return all + strspn(all, "; ");
}

/* What changed: of NICs of one kind their number, else which they are. */
static const char *set_of(clump_cluster_work *work, const step *s, const clump_program_run *run,
                          const reader *how, bool divided)
{
    const char *name = how != NULL ? how->name : run->application;
    if (how == NULL || !how->described)
        return clump_cluster_text(work, "%s, %s from %s%s", name, s->to, s->from,
                                  divided ? ", work divided otherwise" : "");
    const clump_cluster_sample *a = described(s->sources, "nic_bandwidth", s->from),
                               *b = described(s->sources, "nic_bandwidth", s->to);
    const double before = clump_cluster_node_of(work, s->from).nics,
                 after = clump_cluster_node_of(work, s->to).nics;
    if (a == NULL || b == NULL || strcmp(a->variant, b->variant) != 0 || before == after)
        return clump_cluster_text(work, "%s, NICs of another kind", name);
    return clump_cluster_text(work, "%s, %g NIC%s from %g", name, after, after > 1 ? "s" : "",
                              before);
}

static void predict(clump_cluster_work *work, const clump_program_run *run, const step *s)
{
    const clump_program_runs *runs = &s->sources->runs;
    const reader *how = reader_of(run);
    double measured_s = NAN, mean_s = NAN;
    const clump_program_run *measured = find_like(runs, run, s->to, &measured_s);
    if (find_like(runs, run, s->from, &mean_s) != run)
        return; /* the first stands for all of them */
    char differences[120];
    find_differences(run, measured, differences);
    const clump_nic_comparison none = {.problem = NULL};
    const clump_nic_comparison *nics =
        how != NULL && how->described
            ? &none
            : clump_nic_rates_compare(work, s->from, s->to,
                                      run->transport[0] != '\0' ? run->transport
                                                                : work->request->transport);
    clump_cluster_row row = {
        .set = set_of(work, s, run, how, differences[0] != '\0'),
        .part = run->application,
        .platform = s->to,
        .transport = run->transport,
        .variant = "",
        .subject = run->application,
        .quantity = run->quantity,
        .from = s->from,
        .nodes = run->nodes,
        .processes = (int64_t)run->processes,
        .size_bytes = -1,
        .measured = measured_s,
        .predicted = NAN,
        .rivals = {mean_s, NAN},
        .problem = nics->problem,
    };
    if (row.problem == NULL) {
        const clump_nic_change change = {
            &nics->rates[0],
            &nics->rates[1],
            {described_rate(work, s, s->from), described_rate(work, s, s->to)}};
        const clump_program_account account = {run, find_alone(s, run)};
        const bool told = how != NULL && how->described;
        const clump_program_outcome outcome =
            how != NULL ? how->predict(&account, &change) : predict_times(&account, &change);
        row.problem = outcome.problem;
        if (row.problem == NULL) {
            const double ratio =
                told ? change.described[0] / change.described[1]
                     : clump_nic_rates_best(change.from) / clump_nic_rates_best(change.to);
            row.predicted = mean_s + outcome.change_s;
            row.rivals[1] = mean_s + outcome.communication_s * (ratio - 1);
            row.note = note_on(work, s, told ? NULL : change.from, run, differences, &outcome);
        }
    }
    clump_cluster_add(work, &row);
}

static void predict_programs(clump_cluster_work *work, const clump_cluster_sources *from,
                             const char *before, const char *after)
{
    const clump_program_runs *runs = &from->runs;
    step s = {.sources = from, .from = before, .to = after};
    s.noise = find_noise(runs, &s);
    /* One program after the other, so that the rows of a set stand together. */
    for (size_t k = 0; k <= sizeof readers / sizeof *readers; k++) {
        const reader *wanted = k < sizeof readers / sizeof *readers ? &readers[k] : NULL;
        for (size_t i = 0; i < runs->count; i++) {
            const clump_program_run *run = &runs->items[i];
            double measured_s = NAN;
            if (strcmp(run->platform, before) == 0 && run->nodes > 1 && reader_of(run) == wanted &&
                (wanted != NULL || run->program[0] != '\0') && are_alike(&s, before, after) &&
                (work->request->from != NULL || find_like(runs, run, after, &measured_s) != NULL))
                predict(work, run, &s);
        }
    }
}

static void load(clump_cluster_work *work, clump_cluster_sources *from)
{
    static const char *const quantities[] = {"nic_bandwidth", "processors_per_node"};
    clump_program_runs_load(work, &from->runs);
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const clump_store_filter filter = {.application = "", .quantity = quantities[i]};
        clump_cluster_samples_load(work, &filter, &from->descriptions);
    }
}

const clump_cluster_judge clump_judge_nics = {
    .load = load,
    .platform = clump_program_platform,
    .predict = predict_programs,
    .across = true,
    .nothing =
        "found no program that ran on several nodes of two platforms, expected logs of GROMACS, "
        "CP2K or MLPerf from both, or --from and --platform",
};
