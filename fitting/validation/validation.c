/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_model.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- which runs there are ---- */

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
    return strcmp(run->dataset, sample->source->name) == 0 &&
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
    const char **const places[] = {&run->dataset, &run->platform, &run->application, &run->layer,
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
    if (label == NULL)
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

/* ---- one run ---- */

static clump_status note_problem(clump_validation_run *run, const clump_error *why,
                                 clump_error *error)
{
    char *copy = malloc(strlen(why->message) + 1);
    if (copy == NULL)
        return clump_fail_memory(error, "the validation");
    run->problem = strcpy(copy, why->message);
    return CLUMP_OK;
}

static clump_status predict_run(validation_reader *reader, clump_validation_run *run,
                                const clump_store_platform *platform, clump_error *error)
{
    validation_facts facts;
    clump_error why = {CLUMP_OK, ""};
    const validation_answer known = validation_read_facts(reader, run, platform, &facts, &why);
    if (known == VALIDATION_FAILED)
        return clump_fail(error, CLUMP_INCONSISTENT, "%s", why.message);
    if (known == VALIDATION_UNKNOWN)
        return note_problem(run, &why, error);
    for (size_t v = CLUMP_VALIDATION_VARIANTS; v-- > 0;) { /* the full model last: f is its own */
        const clump_status status =
            validation_predict(&facts, v, &run->outcomes[v], &run->remote_fraction, &why);
        if (status == CLUMP_BAD_ARGUMENT && v > 0)
            continue;
        if (status == CLUMP_BAD_ARGUMENT)
            return note_problem(run, &why, error);
        if (status != CLUMP_OK)
            return clump_fail(error, status, "%s", why.message);
    }
    return CLUMP_OK;
}

static void free_run(clump_validation_run *run)
{
    free((void *)(uintptr_t)run->dataset);
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

clump_status clump_validation_make(clump_store *store, const char *dataset,
                                   clump_validation *validation, clump_error *error)
{
    const clump_store_filter filter = {.quantity = "execution_time"};
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
