/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_facts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- variants */

#define ALL true, true, true, true, true
const clump_validation_variant clump_validation_variants[CLUMP_VALIDATION_VARIANTS] = {
    {"full", "all terms, correlated demand", CLUMP_DEMAND_CORRELATED, ALL},
    {"no-waiting", "full, but no message is waited for", CLUMP_DEMAND_CORRELATED, false, true, true,
     true, true},
    {"no-memory", "full, but computation is as fast as on the NOW", CLUMP_DEMAND_CORRELATED, true,
     false, true, true, true},
    {"no-computation", "full, but all that is not communication counts as computation",
     CLUMP_DEMAND_CORRELATED, true, true, false, true, true},
    {"no-bus", "full, but the I/O bus moves both directions at once", CLUMP_DEMAND_CORRELATED, true,
     true, true, false, true},
    {"no-lockstep", "full, but local traffic saves time between barriers too",
     CLUMP_DEMAND_CORRELATED, true, true, true, true, false},
    {"independent", "full, but independent demand", CLUMP_DEMAND_INDEPENDENT, ALL},
    {"chapter-8", "the plain formulas: (8.9), (8.11), gap and gap per byte",
     CLUMP_DEMAND_CORRELATED, false, false, false, false, false},
    {"chapter-8-independent", "the same with independent demand, (8.8)", CLUMP_DEMAND_INDEPENDENT,
     false, false, false, false, false},
};
#undef ALL

size_t clump_validation_variant_find(const char *name)
{
    size_t i = 0;
    while (i < CLUMP_VALIDATION_VARIANTS && strcmp(clump_validation_variants[i].name, name) != 0)
        i++;
    return i;
}

static clump_status predict_at(const validation_facts *facts, const clump_validation_variant *v,
                               double now_time, clump_demand_profile *profile,
                               clump_prediction *prediction, clump_error *error)
{
    const bool known = v->computation && facts->computation > 0;
    const clump_workload workload = {
        .remote = facts->remote,
        .local = facts->local,
        .waited_share = v->waiting ? facts->waited_share : 0,
        .memory_penalty = v->memory ? facts->memory_penalty : 1,
        .time_us = 1e6 * now_time,
        /* It was measured on the node; on the NOW it is faster by the penalty. */
        .computation_us = known ? 1e6 * facts->computation / facts->memory_penalty : 0,
        .half_duplex = v->bus && facts->half_duplex,
        .lockstep = v->lockstep && facts->lockstep,
    };
    clump_status status =
        clump_traffic_profile(&workload, &facts->network, &facts->shared_memory, profile, error);
    if (status != CLUMP_OK)
        return status;
    const clump_load load = {.utilizations = &profile->utilization,
                             .utilization_count = 1,
                             .demand = v->demand,
                             .coupling = profile->coupling};
    return clump_predict(&facts->node, &load, prediction, NULL, error);
}

/* One variant's outcome; errors as those of clump_traffic_profile and clump_predict. */
static clump_status predict_variant(const validation_facts *facts, size_t variant,
                                    clump_validation_outcome *outcome, double *remote_fraction,
                                    clump_error *error)
{
    const clump_validation_variant *v = &clump_validation_variants[variant];
    clump_demand_profile profile, other;
    clump_prediction prediction, low, high;
    const clump_status status = predict_at(facts, v, facts->now_time, &profile, &prediction, error);
    if (status != CLUMP_OK)
        return status;
    const double before = facts->now_time - facts->now_half_width;
    const double after = facts->now_time + facts->now_half_width;
    double half_width = NAN;
    if (before > 0 && predict_at(facts, v, before, &other, &low, NULL) == CLUMP_OK &&
        predict_at(facts, v, after, &other, &high, NULL) == CLUMP_OK)
        half_width = fabs(high.slowdown * after - low.slowdown * before) / 2;
    *outcome = (clump_validation_outcome){
        .predicted = prediction.slowdown * facts->now_time,
        .predicted_half_width = half_width,
        .utilization = profile.utilization,
        .slowdown = prediction.slowdown,
        .error = prediction.slowdown * facts->now_time / facts->measured - 1,
    };
    *remote_fraction = profile.coupling.remote_fraction;
    return CLUMP_OK;
}

/* ---- which runs there are */

typedef struct collector {
    const char *dataset;
    clump_validation *found;
    size_t room;
    bool no_memory;
} collector;

static bool belongs(const char *dataset, const char *source, const char *label)
{
    if (dataset == NULL || strcmp(dataset, source) == 0)
        return true;
    const size_t length = strlen(dataset);
    return (label != NULL && strcmp(dataset, label) == 0) ||
           (strncmp(dataset, source, length) == 0 &&
            (source[length] == '-' || source[length] == ' '));
}

static bool same_run(const clump_validation_run *run, const clump_store_sample *sample)
{
    return strcmp(run->source, sample->source->name) == 0 &&
           strcmp(run->platform, sample->platform) == 0 &&
           strcmp(run->application, sample->application) == 0 &&
           strcmp(run->layer, sample->variant) == 0;
}

/* Five texts in one block that begins with the first. */
static bool copy_names(clump_validation_run *run, const clump_store_sample *sample)
{
    const char *const label = sample->source->table_label;
    const char *const texts[] = {sample->source->name, sample->platform, sample->application,
                                 sample->variant, label != NULL ? label : ""};
    const char **const places[] = {&run->source, &run->platform, &run->application, &run->layer,
                                   &run->label};
    size_t size = 0;
    for (size_t i = 0; i < 5; i++)
        size += strlen(texts[i]) + 1;
    char *block = malloc(size);
    if (block == NULL)
        return false;
    for (size_t i = 0; i < 5; i++) {
        *places[i] = strcpy(block, texts[i]);
        block += strlen(block) + 1;
    }
    /* Several files may belong to one data set; a table of a document is one by itself. */
    const bool named = label != NULL && strcmp(sample->source->kind, "log") == 0;
    run->dataset = named ? run->label : run->source;
    if (label == NULL || named)
        run->label = NULL;
    return true;
}

static int collect(const clump_store_sample *sample, void *context)
{
    collector *c = context;
    clump_validation *found = c->found;
    if (sample->platform[0] == '\0' || sample->application[0] == '\0' ||
        !belongs(c->dataset, sample->source->name, sample->source->table_label))
        return 0;
    for (size_t i = found->count; i > 0; i--) /* samples of a run stand together, mostly */
        if (same_run(&found->runs[i - 1], sample))
            return 0;
    if (found->count == c->room) {
        const size_t room = 2 * c->room + 32;
        clump_validation_run *larger = realloc(found->runs, room * sizeof *larger);
        c->no_memory = larger == NULL;
        if (c->no_memory)
            return 1;
        found->runs = larger;
        c->room = room;
    }
    clump_validation_run *run = &found->runs[found->count];
    *run = (clump_validation_run){.reference = sample->reference,
                                  .measured = NAN,
                                  .half_width = NAN,
                                  .now_time = NAN,
                                  .now_half_width = NAN,
                                  .remote_fraction = NAN};
    for (size_t v = 0; v <= CLUMP_VALIDATION_SIMULATED; v++)
        run->outcomes[v] = (clump_validation_outcome){NAN, NAN, NAN, NAN, NAN};
    c->no_memory = !copy_names(run, sample);
    if (c->no_memory)
        return 1;
    found->count++;
    return 0;
}

/* ---- one run */

static clump_status predict_run(validation_reader *reader, clump_validation_run *run,
                                const clump_store_platform *platform, clump_error *error)
{
    validation_facts facts;
    clump_error why = {CLUMP_OK, ""};
    const validation_answer known = validation_read_facts(reader, run, platform, &facts, &why);
    if (known == VALIDATION_FAILED)
        return clump_fail(error, CLUMP_INCONSISTENT, "%s", why.message);
    if (known == VALIDATION_UNKNOWN)
        return validation_keep_reason(&run->problem, &why, error);
    for (size_t v = CLUMP_VALIDATION_VARIANTS; v-- > 0;) { /* the full model last: f is its own */
        const clump_status status =
            predict_variant(&facts, v, &run->outcomes[v], &run->remote_fraction, &why);
        if (status == CLUMP_BAD_ARGUMENT && v > 0)
            continue;
        if (status == CLUMP_BAD_ARGUMENT)
            return validation_keep_reason(&run->problem, &why, error);
        if (status != CLUMP_OK)
            return clump_fail(error, status, "%s", why.message);
    }
    return CLUMP_OK;
}

static void free_run(clump_validation_run *run)
{
    free((void *)(uintptr_t)run->source);
    free((void *)(uintptr_t)run->problem);
    free((void *)(uintptr_t)run->simulation.problem);
}

/* Runs of machines that name no counterpart are those that others are compared with. */
static clump_status predict_all(validation_reader *reader, clump_validation *all,
                                clump_error *error)
{
    clump_status status = CLUMP_OK;
    size_t kept = 0, i = 0;
    for (; i < all->count && status == CLUMP_OK; i++) {
        clump_store_platform *platform = NULL;
        const clump_store_status found =
            clump_store_find_platform(reader->store, all->runs[i].platform, &platform);
        if (found != CLUMP_STORE_OK)
            status =
                clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", clump_store_message(reader->store));
        else if (platform->counterpart == NULL)
            free_run(&all->runs[i]);
        else
            status = predict_run(reader, &all->runs[i], platform, error);
        if (status != CLUMP_OK || platform->counterpart != NULL)
            all->runs[kept++] = all->runs[i];
        clump_store_free(platform);
    }
    for (; i < all->count; i++)
        all->runs[kept++] = all->runs[i];
    all->count = kept;
    return status;
}

/* Names of data sets, as many as there is room for. */
typedef struct name_list {
    char text[140];
    char last[60];
} name_list;

static int list_name(const clump_store_sample *sample, void *context)
{
    name_list *names = context;
    const char *name = sample->source->name;
    const size_t used = strlen(names->text);
    if (strcmp(name, names->last) == 0 || strlen(name) >= sizeof names->last)
        return 0; /* samples of a source stand together */
    if (used + strlen(name) + 3 > sizeof names->text)
        return 1;
    strcpy(names->last, name);
    strcat(strcat(names->text, used > 0 ? ", " : ""), name);
    return 0;
}

static clump_status fail_nothing(clump_store *store, const char *dataset, clump_error *error)
{
    const clump_store_filter filter = {.quantity = "execution_time"};
    name_list names = {"", ""};
    clump_store_each_sample(store, &filter, list_name, &names);
    if (dataset == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "no measured time of a platform with a NOW to compare with");
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "no measured time to predict in data set '%.60s', expected one of: %s",
                      dataset, names.text);
}

/* Those of a data set together, where its first one is. */
static void gather_datasets(clump_validation *all)
{
    for (size_t end = 0; end < all->count;) {
        const char *dataset = all->runs[end].dataset;
        for (size_t i = end; i < all->count; i++) {
            const clump_validation_run run = all->runs[i];
            if (strcmp(run.dataset, dataset) != 0)
                continue;
            memmove(&all->runs[end + 1], &all->runs[end], (i - end) * sizeof run);
            all->runs[end++] = run;
        }
    }
}

clump_status clump_validation_make(clump_store *store, const char *dataset,
                                   clump_validation *validation, clump_error *error)
{
    const clump_store_filter filter = {.quantity = "execution_time", .sure = true};
    validation_reader reader = {.store = store};
    clump_validation all = {NULL, 0};
    collector c = {.dataset = dataset, .found = &all};
    clump_status status = CLUMP_OK;
    const clump_store_status read = clump_store_each_sample(store, &filter, collect, &c);
    if (c.no_memory)
        status = clump_fail_memory(error, "the validation");
    else if (read != CLUMP_STORE_OK)
        status =
            clump_fail(error, read == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT,
                       "%s", clump_store_message(store));
    else
        status = predict_all(&reader, &all, error);
    if (status == CLUMP_OK)
        gather_datasets(&all);
    if (status == CLUMP_OK && all.count == 0)
        status = fail_nothing(store, dataset, error);
    validation_reader_free(&reader);
    if (status == CLUMP_OK)
        *validation = all;
    else
        clump_validation_free(&all);
    return status;
}

void clump_validation_free(clump_validation *validation)
{
    for (size_t i = 0; i < validation->count; i++)
        free_run(&validation->runs[i]);
    free(validation->runs);
    *validation = (clump_validation){NULL, 0};
}

/* ---- errors */

static bool counts(const clump_validation_run *run, const char *dataset)
{
    return dataset == NULL || strcmp(run->dataset, dataset) == 0;
}

static void add(clump_validation_summary *sum, double error)
{
    if (!isfinite(error))
        return;
    sum->count++;
    sum->mean_absolute += fabs(error);
    sum->greatest = fmax(sum->greatest, fabs(error));
    sum->bias += error;
}

static clump_validation_summary finish(clump_validation_summary sum)
{
    const double n = (double)sum.count; /* 0: all NAN */
    sum.mean_absolute /= n;
    sum.bias /= n;
    if (sum.count == 0)
        sum.greatest = NAN;
    return sum;
}

/* Over all runs of the data set but one. */
static clump_validation_summary without(const clump_validation *validation, const char *dataset,
                                        size_t variant, size_t left_out)
{
    clump_validation_summary sum = {0, 0, 0, 0};
    for (size_t i = 0; i < validation->count; i++)
        if (i != left_out && counts(&validation->runs[i], dataset))
            add(&sum, validation->runs[i].outcomes[variant].error);
    return finish(sum);
}

clump_validation_summary clump_validation_summarize(const clump_validation *validation,
                                                    const char *dataset, size_t variant)
{
    return without(validation, dataset, variant, validation->count);
}

clump_validation_summary clump_validation_chosen_by_others(const clump_validation *validation,
                                                           const char *dataset)
{
    clump_validation_summary sum = {0, 0, 0, 0};
    for (size_t i = 0; i < validation->count; i++) {
        if (!counts(&validation->runs[i], dataset))
            continue;
        size_t best = 0;
        double least = INFINITY;
        for (size_t v = 0; v < CLUMP_VALIDATION_VARIANTS; v++) {
            const double mean = without(validation, dataset, v, i).mean_absolute;
            if (mean < least) {
                least = mean;
                best = v;
            }
        }
        if (isfinite(least))
            add(&sum, validation->runs[i].outcomes[best].error);
    }
    return finish(sum);
}
