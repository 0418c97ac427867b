/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_freeze.h"

#include "data/store/frozen.h"
#include "fitting/validation/validation_facts.h"
#include "fitting/validation/validation_judge.h"
#include "fitting/validation/validation_terms.h"

#include <math.h>
#include <string.h>

void clump_frozen_list_free(clump_frozen_list *list)
{
    clump_arena_free(list->texts);
    *list = (clump_frozen_list){.runs = NULL};
}

/* ---- a list that grows */

typedef struct maker {
    validation_reader reader;
    clump_frozen_list list;
    const clump_store_platform *platform; /* whose applications are being listed */
    bool no_memory;
} maker;

static const char *keep(maker *m, const char *text)
{
    char *copy = clump_arena_take(m->list.texts, strlen(text) + 1);
    m->no_memory = m->no_memory || copy == NULL;
    return copy != NULL ? strcpy(copy, text) : "";
}

static void add_run(maker *m, const clump_store_prediction *kept)
{
    clump_frozen_list *list = &m->list;
    clump_frozen_run *runs = clump_arena_more(list->texts, list->runs, list->count, sizeof *runs);
    m->no_memory = m->no_memory || runs == NULL;
    if (runs == NULL)
        return;
    list->runs = runs;
    runs[list->count++] =
        (clump_frozen_run){.kept = *kept, .measured = NAN, .half_width = NAN, .error = NAN};
}

/* CLUMP_OK, or what kept the list from being made. */
static clump_status status_of(const maker *m, clump_store_status status, clump_error *error)
{
    if (m->no_memory)
        return clump_fail_memory(error, "the predictions");
    if (status == CLUMP_STORE_OK)
        return CLUMP_OK;
    return clump_fail(error, status == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT,
                      "%s", clump_store_message(m->reader.store));
}

/* ---- what it would be predicted from now */

/* Whether it is known; the reader has the reason if not. */
static bool read_facts(maker *m, const clump_frozen_run *wanted, validation_facts *facts)
{
    validation_reader *reader = &m->reader;
    clump_store_platform *platform = NULL;
    clump_validation_run run = {.platform = wanted->kept.platform,
                                .application = wanted->kept.application,
                                .layer = "",
                                .unmeasured = true,
                                .measured = NAN};
    if (!validation_ok(reader, clump_store_find_platform(reader->store, run.platform, &platform)))
        return false;
    const bool known =
        platform->counterpart != NULL
            ? validation_read_facts(reader, &run, platform, facts)
            : validation_lacks(reader, "platform '%.60s' has no NOW to compare with", run.platform);
    clump_store_free(platform);
    return known;
}

static clump_status predict(maker *m, const clump_validation *judged, clump_frozen_run *run,
                            clump_error *error)
{
    validation_facts facts;
    clump_validation_outcome outcome = validation_no_outcome();
    clump_error why = {CLUMP_OK, ""};
    double remote_fraction = 0;
    char inputs[CLUMP_SHA256_TEXT];
    const bool known = read_facts(m, run, &facts);
    if (m->reader.failed)
        return validation_fail(&m->reader, error);
    if (!known)
        why = m->reader.why;
    const clump_status status =
        known ? validation_predict(&facts, 0, judged->constants, &outcome, &remote_fraction, &why)
              : CLUMP_BAD_ARGUMENT;
    if (status == CLUMP_BAD_ARGUMENT) {
        run->problem = keep(m, why.message);
        return status_of(m, CLUMP_STORE_OK, error);
    }
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
    return status_of(m, CLUMP_STORE_OK, error);
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
    add_run(m, &(clump_store_prediction){.platform = keep(m, platform),
                                         .application = keep(m, application),
                                         .base = keep(m, m->platform->counterpart),
                                         .change = "",
                                         .inputs = "",
                                         .now_time_s = NAN,
                                         .predicted_s = NAN,
                                         .low_s = NAN,
                                         .high_s = NAN});
    return m->no_memory;
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

/* A list by the rules as they are. */
static clump_status begin(maker *m, clump_store *store, clump_error *error)
{
    *m = (maker){.reader.store = store,
                 .list = {.texts = clump_arena_new(), .head.level = CLUMP_VALIDATION_LEVEL}};
    if (m->list.texts == NULL)
        return clump_fail_memory(error, "the predictions");
    return CLUMP_OK;
}

static clump_status set_rules(maker *m, const clump_validation *judged, clump_error *error)
{
    char rules[CLUMP_RULES_TEXT];
    clump_rules_describe(judged->constants, rules);
    m->list.rules_now = keep(m, rules);
    return status_of(m, CLUMP_STORE_OK, error);
}

/* The list becomes the caller's, or is freed. */
static clump_status end(maker *m, clump_status status, clump_frozen_list *list)
{
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
    clump_store_prediction *predictions =
        clump_arena_take(list->texts, (list->count + 1) * sizeof *predictions);
    size_t count = 0;
    m->no_memory = m->no_memory || predictions == NULL;
    for (size_t i = 0; i < list->count && predictions != NULL; i++)
        if (list->runs[i].problem == NULL)
            predictions[count++] = list->runs[i].kept;
    clump_store_status kept = predictions != NULL ? clump_store_begin(store) : CLUMP_STORE_FAILED;
    if (kept == CLUMP_STORE_OK)
        kept = clump_store_add_frozen(store, &list->head, predictions, count);
    if (kept == CLUMP_STORE_OK)
        kept = clump_store_commit(store);
    const clump_status status = status_of(m, kept, error);
    if (status != CLUMP_OK)
        clump_store_rollback(store);
    return status;
}

/* Predict what was listed. */
static clump_status predict_all(maker *m, const clump_validation *judged, clump_error *error)
{
    const clump_frozen_run *runs = m->list.runs;
    size_t predicted = 0;
    for (size_t i = 0; i < m->list.count; i++) {
        const clump_status status = predict(m, judged, &m->list.runs[i], error);
        if (status != CLUMP_OK)
            return status;
        predicted += runs[i].problem == NULL;
    }
    if (m->list.count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "nothing to predict: expected a platform of yours with a NOW "
                          "(counterpart), and an application that has a time on that NOW and "
                          "none on the platform");
    if (predicted == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "nothing can be predicted; '%.60s' on '%.60s': %.100s",
                          runs[0].kept.application, runs[0].kept.platform, runs[0].problem);
    return store_all(m, error);
}

clump_status clump_validation_freeze(clump_store *store, const char *name, const char *made,
                                     const char *program, const bool *fitted,
                                     clump_frozen_list *list, clump_error *error)
{
    maker m;
    clump_validation judged; /* everything that is measured */
    const clump_validation_request all = {.fitted = fitted};
    clump_status status = clump_validation_make(store, &all, &judged, error);
    if (status != CLUMP_OK)
        return status;
    status = begin(&m, store, error);
    if (status == CLUMP_OK)
        status = set_rules(&m, &judged, error);
    if (status == CLUMP_OK) {
        m.list.head.name = keep(&m, name);
        m.list.head.made = keep(&m, made);
        m.list.head.program = keep(&m, program);
        m.list.head.rules = m.list.rules_now;
        status = status_of(
            &m, clump_store_each_record(store, CLUMP_STORE_PLATFORM, list_platform, &m), error);
    }
    if (status == CLUMP_OK)
        status = predict_all(&m, &judged, error);
    clump_validation_free(&judged);
    return end(&m, status, list);
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
    for (size_t i = 0; status == CLUMP_STORE_OK && i < count; i++)
        add_run(m, &kept[i]);
    return status;
}

/* Whether the same is predicted as at the time, to rounding. */
static bool is_same_answer(const validation_facts *facts, const clump_validation *judged,
                           double kept)
{
    clump_validation_outcome outcome = validation_no_outcome();
    clump_error why;
    double remote_fraction;
    return validation_predict(facts, 0, judged->constants, &outcome, &remote_fraction, &why) ==
               CLUMP_OK &&
           fabs(outcome.predicted / kept - 1) <= 1e-9;
}

static clump_status judge(maker *m, const clump_validation *judged, clump_frozen_run *run,
                          clump_error *error)
{
    validation_facts facts;
    char inputs[CLUMP_SHA256_TEXT] = ""; /* inputs that are gone have changed */
    run->answer_changed = true;
    if (read_facts(m, run, &facts)) {
        validation_facts_digest(&facts, inputs);
        run->answer_changed = !is_same_answer(&facts, judged, run->kept.predicted_s);
    }
    const bool measured = validation_time(&m->reader, run->kept.platform, run->kept.application,
                                          NULL, NULL, &run->measured, &run->half_width, NULL);
    if (m->reader.failed)
        return validation_fail(&m->reader, error);
    run->inputs_changed = strcmp(inputs, run->kept.inputs) != 0;
    run->rules_changed = strcmp(m->list.head.rules, m->list.rules_now) != 0;
    if (measured)
        run->error = run->kept.predicted_s / run->measured - 1;
    else
        run->problem = keep(m, m->reader.why.message);
    return status_of(m, CLUMP_STORE_OK, error);
}

static bool is_of_list(const char *platform, const char *application, const void *context)
{
    const clump_frozen_list *list = context;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->runs[i].kept.platform, platform) == 0 &&
            strcmp(list->runs[i].kept.application, application) == 0)
            return true;
    return false;
}

clump_status clump_validation_judge_frozen(clump_store *store, const char *name, const bool *fitted,
                                           clump_frozen_list *list, clump_error *error)
{
    maker m;
    clump_validation judged = {.runs = NULL}; /* as it was without the times that were not there */
    const clump_validation_request others = {
        .fitted = fitted, .leaves_out = is_of_list, .context = &m.list};
    clump_status status = begin(&m, store, error);
    if (status == CLUMP_OK)
        status = status_of(&m, read_frozen(&m, name), error);
    if (status == CLUMP_OK)
        status = clump_validation_make(store, &others, &judged, error);
    if (status == CLUMP_OK)
        status = set_rules(&m, &judged, error);
    for (size_t i = 0; i < m.list.count && status == CLUMP_OK; i++)
        status = judge(&m, &judged, &m.list.runs[i], error);
    clump_validation_free(&judged);
    return end(&m, status, list);
}
