/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_freeze.h"

#include "data/store/frozen.h"
#include "fitting/validation/validation_facts.h"
#include "fitting/validation/validation_judge.h"
#include "fitting/validation/validation_terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clump_frozen_list_free(clump_frozen_list *list)
{
    free(list->runs);
    clump_arena_free(list->texts);
    *list = (clump_frozen_list){.runs = NULL};
}

/* ---- a list that grows */

typedef struct maker {
    validation_reader reader;
    clump_frozen_list list;
    size_t room;
    const clump_store_platform *platform; /* whose applications are being listed */
    bool no_memory;
} maker;

static const char *keep(maker *m, const char *text)
{
    char *copy = clump_arena_take(m->list.texts, strlen(text) + 1);
    m->no_memory = m->no_memory || copy == NULL;
    return copy != NULL ? strcpy(copy, text) : "";
}

static clump_frozen_run *add_run(maker *m, const char *platform, const char *application,
                                 const char *base)
{
    if (m->list.count == m->room) {
        const size_t room = 2 * m->room + 16;
        clump_frozen_run *larger = realloc(m->list.runs, room * sizeof *larger);
        m->no_memory = m->no_memory || larger == NULL;
        if (larger == NULL)
            return NULL;
        m->list.runs = larger;
        m->room = room;
    }
    clump_frozen_run *run = &m->list.runs[m->list.count++];
    *run = (clump_frozen_run){.kept = {.platform = keep(m, platform),
                                       .application = keep(m, application),
                                       .base = keep(m, base),
                                       .change = "",
                                       .inputs = "",
                                       .now_time_s = NAN,
                                       .predicted_s = NAN,
                                       .low_s = NAN,
                                       .high_s = NAN},
                              .measured = NAN,
                              .half_width = NAN,
                              .error = NAN};
    return m->no_memory ? NULL : run;
}

static clump_status fail_store(const maker *m, clump_store_status status, clump_error *error)
{
    return clump_fail(error, status == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT,
                      "%s", clump_store_message(m->reader.store));
}

/* ---- what it would be predicted from now */

/* @param facts  receives it; the message of UNKNOWN says what is missing */
static validation_answer read_facts(maker *m, const clump_frozen_run *wanted,
                                    validation_facts *facts, clump_error *error)
{
    clump_store_platform *platform = NULL;
    const clump_store_status status =
        clump_store_find_platform(m->reader.store, wanted->kept.platform, &platform);
    if (status != CLUMP_STORE_OK) {
        clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", clump_store_message(m->reader.store));
        return status == CLUMP_STORE_FAILED ? VALIDATION_FAILED : VALIDATION_UNKNOWN;
    }
    clump_validation_run run = {.platform = wanted->kept.platform,
                                .application = wanted->kept.application,
                                .layer = "",
                                .unmeasured = true,
                                .measured = NAN};
    validation_answer known = VALIDATION_UNKNOWN;
    if (platform->counterpart == NULL)
        clump_fail(error, CLUMP_BAD_ARGUMENT, "platform '%.60s' has no NOW to compare with",
                   wanted->kept.platform);
    else
        known = validation_read_facts(&m->reader, &run, platform, facts, error);
    clump_store_free(platform);
    return known;
}

static clump_status keep_problem(maker *m, clump_frozen_run *run, const clump_error *why,
                                 clump_error *error)
{
    run->problem = keep(m, why->message);
    return m->no_memory ? clump_fail_memory(error, "the predictions") : CLUMP_OK;
}

static clump_status predict(maker *m, const clump_validation *judged, clump_frozen_run *run,
                            clump_error *error)
{
    validation_facts facts;
    clump_validation_outcome outcome = validation_no_outcome();
    clump_error why = {CLUMP_OK, ""};
    double remote_fraction = 0;
    char inputs[CLUMP_SHA256_TEXT];
    const validation_answer known = read_facts(m, run, &facts, &why);
    if (known == VALIDATION_FAILED)
        return clump_fail(error, CLUMP_INCONSISTENT, "%s", why.message);
    clump_status status = CLUMP_BAD_ARGUMENT;
    if (known == VALIDATION_KNOWN)
        status = validation_predict(&facts, 0, judged->constants, &outcome, &remote_fraction, &why);
    if (status == CLUMP_BAD_ARGUMENT)
        return keep_problem(m, run, &why, error);
    if (status != CLUMP_OK)
        return clump_fail(error, status, "%s", why.message);
    const clump_change change = clump_change_of(&facts.node, remote_fraction);
    validation_set_interval(&judged->changes[change], &outcome);
    validation_facts_digest(&facts, inputs);
    run->kept.change = clump_change_name(change);
    run->kept.inputs = keep(m, inputs);
    run->kept.now_time_s = facts.now_time;
    run->kept.predicted_s = outcome.predicted;
    run->kept.low_s = outcome.low;
    run->kept.high_s = outcome.high;
    return m->no_memory ? clump_fail_memory(error, "the predictions") : CLUMP_OK;
}

/* ---- which times are not measured yet */

static int stop(const clump_store_sample *sample, void *context)
{
    (void)sample, (void)context;
    return 1;
}

/* An application with a time on the NOW of m->platform. */
static int list_application(const clump_store_sample *sample, void *context)
{
    maker *m = context;
    const char *platform = m->platform->name, *application = sample->application;
    const clump_store_filter measured = {
        .platform = platform, .application = application, .quantity = "execution_time"};
    if (application[0] == '\0' || (m->platform->reference && sample->reference))
        return 0;
    for (size_t i = m->list.count; i-- > 0 && strcmp(m->list.runs[i].kept.platform, platform) == 0;)
        if (strcmp(m->list.runs[i].kept.application, application) == 0)
            return 0;
    if (clump_store_each_sample(m->reader.store, &measured, stop, NULL) == CLUMP_STORE_STOPPED)
        return 0;
    return add_run(m, platform, application, m->platform->counterpart) == NULL;
}

static int list_platform(const void *record, void *context)
{
    const clump_store_platform *platform = record;
    maker *m = context;
    if (platform->counterpart == NULL)
        return 0;
    const clump_store_filter times = {
        .platform = platform->counterpart, .quantity = "execution_time", .sure = true};
    m->platform = platform;
    const clump_store_status status =
        clump_store_each_sample(m->reader.store, &times, list_application, m);
    return status != CLUMP_STORE_OK;
}

/* What the rules are now, judged by everything that is measured. */
static clump_status begin(maker *m, clump_store *store, const bool *fitted,
                          clump_validation *judged, clump_error *error)
{
    char rules[CLUMP_RULES_TEXT];
    const clump_validation_request all = {.fitted = fitted};
    *m = (maker){.reader.store = store, .list.head.level = CLUMP_VALIDATION_LEVEL};
    const clump_status status = clump_validation_make(store, &all, judged, error);
    if (status != CLUMP_OK)
        return status;
    m->list.texts = clump_arena_new();
    if (m->list.texts == NULL)
        return clump_fail_memory(error, "the predictions");
    clump_rules_describe(judged->constants, judged->fitted, rules);
    m->list.rules_now = keep(m, rules);
    return m->no_memory ? clump_fail_memory(error, "the predictions") : CLUMP_OK;
}

/* The list becomes the caller's, or is freed. */
static clump_status end(maker *m, clump_validation *judged, clump_status status,
                        clump_frozen_list *list)
{
    clump_validation_free(judged);
    if (status == CLUMP_OK)
        *list = m->list;
    else
        clump_frozen_list_free(&m->list);
    return status;
}

static clump_status store_all(maker *m, clump_error *error)
{
    const clump_frozen_list *list = &m->list;
    clump_store *store = m->reader.store;
    clump_store_prediction *predictions = calloc(list->count + 1, sizeof *predictions);
    size_t count = 0;
    if (predictions == NULL)
        return clump_fail_memory(error, "the predictions");
    for (size_t i = 0; i < list->count; i++)
        if (list->runs[i].problem == NULL)
            predictions[count++] = list->runs[i].kept;
    clump_store_status kept = clump_store_begin(store);
    if (kept == CLUMP_STORE_OK)
        kept = clump_store_add_frozen(store, &list->head, predictions, count);
    if (kept == CLUMP_STORE_OK)
        kept = clump_store_commit(store);
    free(predictions);
    if (kept == CLUMP_STORE_OK)
        return CLUMP_OK;
    const clump_status status = fail_store(m, kept, error);
    clump_store_rollback(store);
    return status;
}

clump_status clump_validation_freeze(clump_store *store, const char *name, const char *made,
                                     const char *program, const bool *fitted,
                                     clump_frozen_list *list, clump_error *error)
{
    maker m;
    clump_validation judged = {.runs = NULL};
    size_t predicted = 0;
    clump_status status = begin(&m, store, fitted, &judged, error);
    if (status == CLUMP_OK) {
        m.list.head.name = keep(&m, name);
        m.list.head.made = keep(&m, made);
        m.list.head.program = keep(&m, program);
        m.list.head.rules = m.list.rules_now;
        const clump_store_status read =
            clump_store_each_record(store, CLUMP_STORE_PLATFORM, list_platform, &m);
        if (m.no_memory)
            status = clump_fail_memory(error, "the predictions");
        else if (read != CLUMP_STORE_OK)
            status = fail_store(&m, read, error);
    }
    for (size_t i = 0; i < m.list.count && status == CLUMP_OK; i++) {
        status = predict(&m, &judged, &m.list.runs[i], error);
        predicted += m.list.runs[i].problem == NULL;
    }
    if (status == CLUMP_OK && m.list.count == 0)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "nothing to predict: expected a platform of yours with a NOW "
                            "(counterpart), and an application that has a time on that NOW and "
                            "none on the platform");
    if (status == CLUMP_OK && predicted == 0)
        status = clump_fail(
            error, CLUMP_BAD_ARGUMENT, "nothing can be predicted; '%.60s' on '%.60s': %.100s",
            m.list.runs[0].kept.application, m.list.runs[0].kept.platform, m.list.runs[0].problem);
    if (status == CLUMP_OK)
        status = store_all(&m, error);
    return end(&m, &judged, status, list);
}

/* ---- judging */

/* What was kept under that name, as it was. */
static clump_store_status read_frozen(maker *m, const char *name)
{
    clump_frozen_list *list = &m->list;
    clump_store *store = m->reader.store;
    clump_store_frozen *frozen;
    clump_store_prediction *kept;
    size_t frozen_count = 0, count = 0;
    clump_store_status status = clump_store_read_frozen(store, list->texts, &frozen, &frozen_count);
    if (status == CLUMP_STORE_OK)
        status = clump_store_read_predictions(store, name, list->texts, &kept, &count);
    for (size_t i = 0; i < frozen_count; i++)
        if (strcmp(frozen[i].name, name) == 0)
            list->head = frozen[i];
    for (size_t i = 0; status == CLUMP_STORE_OK && i < count && !m->no_memory; i++) {
        clump_frozen_run *run = add_run(m, kept[i].platform, kept[i].application, kept[i].base);
        if (run != NULL)
            run->kept = kept[i];
    }
    return status;
}

static clump_status judge(maker *m, clump_frozen_run *run, clump_error *error)
{
    validation_facts facts;
    clump_error why = {CLUMP_OK, ""};
    char inputs[CLUMP_SHA256_TEXT] = "";
    validation_answer known = read_facts(m, run, &facts, &why);
    if (known == VALIDATION_KNOWN)
        validation_facts_digest(&facts, inputs);
    if (known != VALIDATION_FAILED) /* inputs that are gone have changed */
        known = validation_measured_time(&m->reader, run->kept.platform, run->kept.application,
                                         &run->measured, &run->half_width, &why);
    if (known == VALIDATION_FAILED)
        return clump_fail(error, CLUMP_INCONSISTENT, "%s", why.message);
    run->inputs_changed = strcmp(inputs, run->kept.inputs) != 0;
    run->rules_changed = strcmp(m->list.head.rules, m->list.rules_now) != 0;
    if (known == VALIDATION_UNKNOWN)
        return keep_problem(m, run, &why, error);
    run->error = run->kept.predicted_s / run->measured - 1;
    return CLUMP_OK;
}

clump_status clump_validation_judge_frozen(clump_store *store, const char *name, const bool *fitted,
                                           clump_frozen_list *list, clump_error *error)
{
    maker m;
    clump_validation judged = {.runs = NULL};
    clump_status status = begin(&m, store, fitted, &judged, error);
    if (status == CLUMP_OK) {
        const clump_store_status read = read_frozen(&m, name);
        if (m.no_memory)
            status = clump_fail_memory(error, "the predictions");
        else if (read != CLUMP_STORE_OK)
            status = fail_store(&m, read, error);
    }
    for (size_t i = 0; i < m.list.count && status == CLUMP_OK; i++)
        status = judge(&m, &m.list.runs[i], error);
    return end(&m, &judged, status, list);
}
