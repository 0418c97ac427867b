/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_facts.h"
#include "fitting/validation/validation_judge.h"
#include "fitting/validation/validation_terms.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    if (sample->platform[0] == '\0' || sample->application[0] == '\0')
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
    *run = (clump_validation_run){
        .reference = sample->reference,
        .wanted = belongs(c->dataset, sample->source->name, sample->source->table_label),
        .measured = NAN,
        .half_width = NAN,
        .now_time = NAN,
        .now_half_width = NAN,
        .remote_fraction = NAN};
    for (size_t v = 0; v <= CLUMP_VALIDATION_SIMULATED; v++)
        run->outcomes[v] = validation_no_outcome();
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
    clump_error why = {CLUMP_OK, ""};
    run->facts = malloc(sizeof *run->facts);
    if (run->facts == NULL)
        return clump_fail_memory(error, "the validation");
    const validation_answer known = validation_read_facts(reader, run, platform, run->facts, &why);
    if (known == VALIDATION_FAILED)
        return clump_fail(error, CLUMP_INCONSISTENT, "%s", why.message);
    clump_status status = CLUMP_BAD_ARGUMENT;
    if (known == VALIDATION_KNOWN) { /* only to see whether it can be: constants are fitted later */
        double constants[CLUMP_RULE_CONSTANTS];
        for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++)
            constants[i] = clump_rule_constant_table[i].value;
        status = validation_predict(run->facts, 0, constants, &run->outcomes[0],
                                    &run->remote_fraction, &why);
        run->change = clump_change_of(&run->facts->node, run->remote_fraction);
    }
    if (status == CLUMP_OK)
        return CLUMP_OK;
    if (status != CLUMP_BAD_ARGUMENT)
        return clump_fail(error, status, "%s", why.message);
    free(run->facts);
    run->facts = NULL;
    return validation_keep_reason(&run->problem, &why, error);
}

static void free_run(clump_validation_run *run)
{
    free((void *)(uintptr_t)run->source);
    free((void *)(uintptr_t)run->problem);
    free((void *)(uintptr_t)run->simulation.problem);
    free(run->facts);
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
        else
            free_run(&all->runs[i]);
    all->count = kept;
}

clump_status clump_validation_make(clump_store *store, const clump_validation_request *request,
                                   clump_validation *validation, clump_error *error)
{
    const clump_validation_request want =
        request != NULL ? *request : (clump_validation_request){.dataset = NULL};
    const clump_store_filter filter = {.quantity = "execution_time", .sure = true};
    validation_reader reader = {.store = store};
    clump_validation all = {.runs = NULL};
    collector c = {.dataset = want.dataset, .found = &all};
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++)
        all.fitted[i] = want.fitted != NULL ? want.fitted[i] : clump_rule_constant_table[i].fitted;
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
    if (status == CLUMP_OK)
        status = validation_judge(&all, error);
    if (status == CLUMP_OK)
        validation_choose(&all);
    if (status == CLUMP_OK && !any_wanted(&all))
        status = fail_nothing(&all, want.dataset, error);
    if (status == CLUMP_OK)
        keep_wanted(&all);
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
    *validation = (clump_validation){.runs = NULL};
}
