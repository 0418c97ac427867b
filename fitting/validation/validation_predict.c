/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_facts.h"
#include "fitting/validation/validation_judge.h"
#include "fitting/validation/validation_terms.h"

#include <math.h>
#include <string.h>

/* ---- which runs there are */

typedef struct collector {
    const clump_validation_request *want;
    clump_validation *found;
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

static const char *copy(clump_arena *memory, const char *text)
{
    char *taken = clump_arena_take(memory, strlen(text) + 1);
    return taken != NULL ? strcpy(taken, text) : NULL;
}

/* False without memory. */
static bool copy_names(clump_validation_run *run, const clump_store_sample *sample,
                       clump_arena *memory)
{
    const char *const label = sample->source->table_label;
    run->source = copy(memory, sample->source->name);
    run->platform = copy(memory, sample->platform);
    run->application = copy(memory, sample->application);
    run->layer = copy(memory, sample->variant);
    run->label = copy(memory, label != NULL ? label : "");
    const bool good = run->source != NULL && run->platform != NULL && run->application != NULL &&
                      run->layer != NULL && run->label != NULL;
    /* Several files may belong to one data set; a table of a document is one by itself. */
    const bool named = label != NULL && strcmp(sample->source->kind, "log") == 0;
    run->dataset = named ? run->label : run->source;
    if (label == NULL || named)
        run->label = NULL;
    return good;
}

/* Stops without memory. */
static int collect(const clump_store_sample *sample, void *context)
{
    const collector *c = context;
    clump_validation *found = c->found;
    if (sample->platform[0] == '\0' || sample->application[0] == '\0')
        return 0;
    if (c->want->leaves_out != NULL &&
        c->want->leaves_out(sample->platform, sample->application, c->want->context))
        return 0;
    for (size_t i = found->count; i > 0; i--) /* samples of a run stand together, mostly */
        if (same_run(&found->runs[i - 1], sample))
            return 0;
    clump_validation_run *runs =
        clump_arena_more(found->memory, found->runs, found->count, sizeof *runs);
    if (runs == NULL)
        return 1;
    found->runs = runs;
    clump_validation_run *run = &runs[found->count];
    *run = (clump_validation_run){
        .reference = sample->reference,
        .wanted = belongs(c->want->dataset, sample->source->name, sample->source->table_label),
        .measured = NAN,
        .half_width = NAN,
        .now_time = NAN,
        .now_half_width = NAN,
        .remote_fraction = NAN};
    for (size_t v = 0; v <= CLUMP_VALIDATION_SIMULATED; v++)
        run->outcomes[v] = validation_no_outcome();
    found->count++;
    return !copy_names(run, sample, found->memory);
}

/* ---- one run */

/* Whether it can be predicted: constants are fitted later. `why` receives the reason if not, and the status of a failure. */
static clump_status predict_run(validation_reader *reader, clump_validation_run *run,
                                const clump_store_platform *platform, clump_error *why)
{
    double constants[CLUMP_RULE_CONSTANTS];
    if (!validation_read_facts(reader, run, platform, run->facts))
        return reader->failed ? validation_fail(reader, why)
                              : clump_fail(why, CLUMP_BAD_ARGUMENT, "%s", reader->why.message);
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++)
        constants[i] = clump_rule_constant_table[i].value;
    const clump_status status =
        validation_predict(run->facts, 0, constants, &run->outcomes[0], &run->remote_fraction, why);
    run->change = clump_change_of(&run->facts->node, run->remote_fraction);
    return status;
}

/* Runs of machines that name no counterpart are those that others are compared with. */
static clump_status predict_all(clump_store *store, clump_validation *all, clump_error *error)
{
    validation_reader reader = {.store = store};
    clump_status status = CLUMP_OK;
    size_t kept = 0;
    for (size_t i = 0; i < all->count && status == CLUMP_OK; i++) {
        clump_validation_run *run = &all->runs[kept];
        clump_store_platform *platform = NULL;
        clump_error why;
        *run = all->runs[i];
        if (clump_store_find_platform(store, run->platform, &platform) != CLUMP_STORE_OK)
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", clump_store_message(store));
        if (platform->counterpart != NULL) {
            kept++;
            run->facts = clump_arena_take(all->memory, sizeof *run->facts);
            status = run->facts != NULL ? predict_run(&reader, run, platform, &why)
                                        : clump_fail_memory(&why, "the validation");
        }
        clump_store_free(platform);
        if (status == CLUMP_BAD_ARGUMENT) {
            run->facts = NULL;
            run->problem = copy(all->memory, why.message);
            status = run->problem != NULL ? CLUMP_OK : clump_fail_memory(&why, "the validation");
        }
        if (status != CLUMP_OK)
            return clump_fail(error, status, "%s", why.message);
    }
    all->count = kept;
    return CLUMP_OK;
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

/* Names of the data sets there are, as many as there is room for. */
static clump_status fail_nothing(const clump_validation *all, const char *dataset,
                                 clump_error *error)
{
    char names[140] = "";
    if (dataset == NULL || all->count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "no measured time of a platform with a NOW to compare with");
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->runs[i].dataset;
        const size_t used = strlen(names);
        if ((i > 0 && strcmp(name, all->runs[i - 1].dataset) == 0) ||
            used + strlen(name) + 3 > sizeof names)
            continue;
        strcat(strcat(names, used > 0 ? ", " : ""), name);
    }
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "no measured time to predict in data set '%.60s', expected one of: %s",
                      dataset, names);
}

static bool any_wanted(const clump_validation *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->runs[i].wanted)
            return true;
    return false;
}

/* What was only to be judged by. */
static void keep_wanted(clump_validation *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->runs[i].wanted)
            all->runs[kept++] = all->runs[i];
    all->count = kept;
}

clump_status clump_validation_make(clump_store *store, const clump_validation_request *request,
                                   clump_validation *validation, clump_error *error)
{
    const clump_validation_request want =
        request != NULL ? *request : (clump_validation_request){.dataset = NULL};
    const clump_store_filter filter = {.quantity = "execution_time", .sure = true};
    clump_validation all = {.memory = clump_arena_new()};
    collector c = {.want = &want, .found = &all};
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++)
        all.fitted[i] = want.fitted != NULL ? want.fitted[i] : clump_rule_constant_table[i].fitted;
    const clump_store_status read = all.memory != NULL
                                        ? clump_store_each_sample(store, &filter, collect, &c)
                                        : CLUMP_STORE_STOPPED;
    clump_status status =
        read == CLUMP_STORE_OK ? predict_all(store, &all, error)
        : read == CLUMP_STORE_STOPPED
            ? clump_fail_memory(error, "the validation")
            : clump_fail(error,
                         read == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT, "%s",
                         clump_store_message(store));
    if (status == CLUMP_OK) {
        gather_datasets(&all);
        status = validation_judge(&all, error);
    }
    if (status == CLUMP_OK) {
        validation_choose(&all);
        if (!any_wanted(&all))
            status = fail_nothing(&all, want.dataset, error);
    }
    keep_wanted(&all);
    if (status == CLUMP_OK)
        *validation = all;
    else
        clump_validation_free(&all);
    return status;
}

void clump_validation_free(clump_validation *validation)
{
    clump_arena_free(validation->memory);
    *validation = (clump_validation){.runs = NULL};
}
