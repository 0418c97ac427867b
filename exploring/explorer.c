/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/explorer.h"

#include "data/arena.h"
#include "model/random.h"

#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

clump_explore_status clump_explorer_fail(clump_explorer *e, clump_explore_status status,
                                         const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(e->message, sizeof e->message, format, values);
    va_end(values);
    return status;
}

clump_explore_status clump_explorer_fail_memory(clump_explorer *e)
{
    return clump_explorer_fail(e, CLUMP_EXPLORE_NO_MEMORY, "out of memory");
}

void clump_explorer_progress(const clump_explorer *e, size_t done, size_t total)
{
    if (e->settings.progress != NULL)
        e->settings.progress(done, total, e->settings.progress_context);
}

void clump_explore_note_failure(clump_explore_failure *f, clump_scenario_status status,
                                size_t number, const char *message)
{
#pragma omp critical(clump_explore_failure)
    if (f->status == CLUMP_SCENARIO_OK || number < f->number) {
        f->status = status;
        f->number = number;
        snprintf(f->message, sizeof f->message, "%s", message);
    }
}

clump_scenario_status clump_explore_no_memory(char *message)
{
    snprintf(message, CLUMP_EXPLORE_MESSAGE, "out of memory");
    return CLUMP_SCENARIO_NO_MEMORY;
}

clump_explore_status clump_explorer_explain(clump_explorer *e, clump_scenario_status status,
                                            const char *message)
{
    if (message != e->message)
        snprintf(e->message, sizeof e->message, "%s", message);
    return status == CLUMP_SCENARIO_OK          ? CLUMP_EXPLORE_OK
           : status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_EXPLORE_BAD_INPUT
           : status == CLUMP_SCENARIO_INVALID   ? CLUMP_EXPLORE_BAD_INPUT
           : status == CLUMP_SCENARIO_STOPPED   ? CLUMP_EXPLORE_INTERRUPTED
           : status == CLUMP_SCENARIO_NO_MEMORY ? CLUMP_EXPLORE_NO_MEMORY
                                                : CLUMP_EXPLORE_FAILED;
}

/* Shares of a few cases each would differ too much in what they have to do. Neighbours stay together where there are
 * plenty, so that a part has few blocks. */
bool clump_explorer_has(const clump_explorer *e, size_t case_index, size_t configuration,
                        size_t configurations)
{
    enum { CASES_A_SHARE = 8, RUNS_A_SHARE = 64 };
    const clump_explore_share share = e->settings.share;
    size_t run = 1;
    if (share.count == 0)
        return true;
    if (e->cases / CASES_A_SHARE >= share.count)
        return case_index % share.count == share.number - 1;
    if (configurations == 0)
        return true;
    if (configurations > RUNS_A_SHARE * share.count)
        run = configurations / (RUNS_A_SHARE * share.count);
    if (run > CLUMP_EXPLORE_TOGETHER)
        run = CLUMP_EXPLORE_TOGETHER;
    return (case_index + configuration / run) % share.count == share.number - 1;
}

/* Which of its values; the last one varies fastest. */
static size_t find_value(const clump_explorer *e, size_t sweep, size_t case_index)
{
    const clump_explore_variable *sweeps = e->settings.sweeps;
    for (size_t i = e->settings.sweep_count; i-- > sweep + 1;)
        if (!sweeps[i].is_field)
            case_index /= sweeps[i].count;
    return case_index % sweeps[sweep].count;
}

const char *clump_explorer_value(const clump_explorer *e, size_t sweep, size_t case_index)
{
    const clump_explore_variable *v = &e->settings.sweeps[sweep];
    return v->is_field ? NULL : v->values[find_value(e, sweep, case_index)];
}

/* ---- running the script for a case */

/* The number of an uncertain number; as many as there are: the first run did not meet it. */
static size_t find_parameter(const clump_explorer *e, const char *name)
{
    size_t i = 0;
    while (i < e->parameters.count && strcmp(e->parameters.list[i].name, name) != 0)
        i++;
    return i;
}

typedef struct drawing {
    const clump_explorer *explorer;
    const clump_explore_draw *draw;
} drawing;

static double draw_number(const char *name, const clump_uncertain *distribution, void *context)
{
    const drawing *with = context;
    const clump_explore_draw *d = with->draw;
    const int i = (int)find_parameter(with->explorer, name);
    if (i == d->fixed)
        return d->value;
    if (d->nominal)
        return clump_uncertain_quantile(distribution, 0.5);
    /* Each parameter has two streams, for two matrices. Those that the first run did not meet share
     * one more. */
    const uint64_t stream = 2 * (uint64_t)i + ((i == d->swapped) != d->other);
    return clump_uncertain_quantile(
        distribution, clump_random_uniform(with->explorer->settings.seed, stream, d->index));
}

/* What the script is told: variables, and fields to replace. */
typedef struct bindings {
    clump_arena *arena;
    clump_scenario_definition *definitions;
    clump_scenario_override *overrides;
    size_t definition_count, override_count;
} bindings;

static void define(bindings *b, const char *name, const char *value)
{
    b->definitions[b->definition_count++] = (clump_scenario_definition){name, value};
}

/* Before it is known what it is: a variable of its own name, and of that of the field that it means. */
static void define_undecided(bindings *b, const clump_explore_variable *v, const char *value)
{
    if (v->field != NULL &&
        (strcmp(v->field, "platform") == 0 || strcmp(v->field, "application") == 0))
        return; /* functions of the language: no script has such variables */
    define(b, v->name, value);
    if (v->field != NULL && strcmp(v->field, v->name) != 0)
        define(b, v->field, value);
}

/* `value` is one of `values`, of which a field takes all. */
static void bind(bindings *b, const clump_explore_variable *v, const char *value,
                 const char *const *values, size_t count)
{
    if (v->is_field)
        b->overrides[b->override_count++] = (clump_scenario_override){v->field, values, count};
    else if (v->is_decided)
        define(b, v->name, value);
    else
        define_undecided(b, v, value);
}

/* The value of an uncertain number: drawn, or its median. NULL: no memory. */
static const char *const *bind_uncertain(bindings *b, const clump_explore_variable *v,
                                         const drawing *with)
{
    enum { NUMBER_SIZE = 40 };
    const double value = with->draw != NULL && with->draw->number == NULL
                             ? draw_number(v->name, &v->distribution, (void *)with)
                             : clump_uncertain_quantile(&v->distribution, 0.5);
    const char **values = clump_arena_take(b->arena, sizeof *values + NUMBER_SIZE);
    if (values == NULL)
        return NULL;
    *values = (const char *)(values + 1);
    snprintf((char *)(values + 1), NUMBER_SIZE, "%.17g", value);
    bind(b, v, *values, values, 1);
    return values;
}

static bool bindings_make(const clump_explorer *e, size_t case_index, const drawing *with,
                          const clump_explore_variable *extra, size_t extra_count, bindings *b)
{
    const clump_explore_settings *s = &e->settings;
    const size_t most =
        s->scenario.definition_count + 2 * (s->sweep_count + s->uncertain_count + extra_count) + 1;
    *b = (bindings){.arena = clump_arena_new()};
    if (b->arena == NULL)
        return false;
    b->definitions = clump_arena_take(b->arena, most * sizeof *b->definitions);
    b->overrides = clump_arena_take(b->arena, most * sizeof *b->overrides);
    if (b->definitions == NULL || b->overrides == NULL)
        return false;
    for (size_t i = 0; i < s->scenario.definition_count; i++)
        b->definitions[b->definition_count++] = s->scenario.definitions[i];
    for (size_t i = 0; i < s->sweep_count; i++)
        bind(b, &s->sweeps[i], s->sweeps[i].values[find_value(e, i, case_index)],
             (const char *const *)s->sweeps[i].values, s->sweeps[i].count);
    for (size_t i = 0; i < s->uncertain_count; i++)
        if (bind_uncertain(b, &s->uncertain[i], with) == NULL)
            return false;
    for (size_t i = 0; i < extra_count; i++)
        bind(b, &extra[i], extra[i].values[0], (const char *const *)extra[i].values,
             extra[i].count);
    return true;
}

/* `read` of the definitions, or NULL: all of them must be read. */
static clump_scenario_status run_script(const clump_explorer *e, const bindings *b,
                                        const drawing *with, bool *read, clump_scenario **scenario,
                                        char *message)
{
    const clump_explore_draw *draw = with->draw;
    clump_scenario_options options = e->settings.scenario;
    options.definitions = b->definitions;
    options.definition_count = b->definition_count;
    options.definitions_read = read;
    options.overrides = b->overrides;
    options.override_count = b->override_count;
    options.store = e->settings.stores[omp_get_thread_num()];
    options.cache = e->caches[omp_get_thread_num()];
    if (draw != NULL && draw->number != NULL) {
        options.draw = draw->number;
        options.draw_context = draw->context;
    } else if (draw != NULL) {
        options.draw = draw_number;
        options.draw_context = (void *)with;
    }
    if (draw != NULL && draw->seconds_limit > 0)
        options.seconds_limit = draw->seconds_limit;
    if (draw != NULL) {
        options.seconds = draw->seconds;
        options.provenance = NULL; /* draws read what the run at the medians has read */
    }
    return clump_scenario_prepare(&options, scenario, message, CLUMP_EXPLORE_MESSAGE);
}

clump_scenario_status clump_explorer_prepare(const clump_explorer *e, size_t case_index,
                                             const clump_explore_draw *draw,
                                             const clump_explore_variable *extra,
                                             size_t extra_count, clump_scenario **scenario,
                                             char *message)
{
    bindings b;
    const drawing with = {e, draw};
    const clump_scenario_status status = bindings_make(e, case_index, &with, extra, extra_count, &b)
                                             ? run_script(e, &b, &with, NULL, scenario, message)
                                             : clump_explore_no_memory(message);
    clump_arena_free(b.arena);
    return status;
}

/* ---- the first run: which names does the script read as variables? The others are fields. */

static bool is_read(const bindings *b, const bool *read, const char *name)
{
    for (size_t i = 0; i < b->definition_count; i++)
        if (strcmp(b->definitions[i].name, name) == 0)
            return read[i];
    return false;
}

/* "N" means the variable nics if the script reads that one. */
static clump_explore_status decide(clump_explorer *e, const bindings *b, const bool *read,
                                   const char *option, clump_explore_variable *v)
{
    const bool numeric = v->values == NULL; /* an uncertain number */
    v->is_decided = true;
    v->is_field = !is_read(b, read, v->name);
    if (v->is_field && v->field != NULL && is_read(b, read, v->field)) {
        snprintf(v->name, sizeof v->name, "%s", v->field);
        v->is_field = false;
    }
    if (!v->is_field ||
        (v->field != NULL && (!numeric || clump_explore_field_is_numeric(v->field))))
        return CLUMP_EXPLORE_OK;
    const char *similar = clump_explore_similar_field(v->name);
    return clump_explorer_fail(e, CLUMP_EXPLORE_BAD_SETTING,
                               "--%s: the scenario reads no variable '%s', and its scenarios have "
                               "no such field that is a number or a name%s%s%s",
                               option, v->name, similar != NULL ? "; did you mean '" : "",
                               similar != NULL ? similar : "", similar != NULL ? "'?" : "");
}

static clump_explore_status decide_all(clump_explorer *e, const bindings *b, const bool *read)
{
    const clump_explore_settings *s = &e->settings;
    clump_explore_status status = CLUMP_EXPLORE_OK;
    for (size_t i = 0; i < s->scenario.definition_count && status == CLUMP_EXPLORE_OK; i++)
        if (!read[i])
            status = clump_explorer_fail(
                e, CLUMP_EXPLORE_BAD_INPUT, "-D %s=%s: the scenario never reads \"%s\"",
                b->definitions[i].name, b->definitions[i].value, b->definitions[i].name);
    for (size_t i = 0; i < s->sweep_count && status == CLUMP_EXPLORE_OK; i++)
        status = decide(e, b, read, "sweep", &s->sweeps[i]);
    for (size_t i = 0; i < s->uncertain_count && status == CLUMP_EXPLORE_OK; i++)
        status = decide(e, b, read, "uncertain", &s->uncertain[i]);
    return status;
}

/* `later` is looked up beside what has been decided; NULL: decide all. */
static clump_explore_status run_first(clump_explorer *e, const char *option,
                                      clump_explore_variable *later)
{
    bindings b;
    const drawing with = {e, NULL};
    clump_scenario *scenario = NULL;
    bool *read = NULL;
    clump_explore_status status = CLUMP_EXPLORE_NO_MEMORY;
    if (bindings_make(e, 0, &with, later, later != NULL, &b) &&
        (read = clump_arena_take(b.arena, b.definition_count + 1)) != NULL)
        status = clump_explorer_explain(e, run_script(e, &b, &with, read, &scenario, e->message),
                                        e->message);
    else
        clump_explorer_fail_memory(e);
    clump_scenario_free(scenario);
    if (status == CLUMP_EXPLORE_OK)
        status = later != NULL ? decide(e, &b, read, option, later) : decide_all(e, &b, read);
    clump_arena_free(b.arena);
    return status;
}

clump_explore_status clump_explorer_look_up(clump_explorer *e, const char *option,
                                            clump_explore_variable *variable)
{
    return run_first(e, option, variable);
}

/* ---- opening */

/* Those that are swept, then those that are uncertain. */
static const clump_explore_variable *variable_at(const clump_explore_settings *s, size_t i)
{
    return i < s->sweep_count ? &s->sweeps[i] : &s->uncertain[i - s->sweep_count];
}

static clump_explore_status check_distinct(clump_explorer *e)
{
    const clump_explore_settings *s = &e->settings;
    for (size_t i = 0; i < s->sweep_count + s->uncertain_count; i++) {
        const clump_explore_variable *a = variable_at(s, i);
        bool twice = false;
        for (size_t k = 0; k < i; k++) {
            const clump_explore_variable *b = variable_at(s, k);
            twice |= strcmp(a->name, b->name) == 0 || (a->field != NULL && a->field == b->field);
        }
        for (size_t k = 0; k < s->scenario.definition_count; k++)
            twice |= strcmp(a->name, s->scenario.definitions[k].name) == 0;
        if (twice)
            return clump_explorer_fail(e, CLUMP_EXPLORE_BAD_SETTING,
                                       "--%s: found '%s' twice, expected one -D, --sweep or "
                                       "--uncertain of it",
                                       i < s->sweep_count ? "sweep" : "uncertain", a->name);
    }
    return CLUMP_EXPLORE_OK;
}

static bool has_prices(const clump_prices *p)
{
    return !isnan(p->node) || !isnan(p->nic) || !isnan(p->port);
}

/* What is uncertain, and how many rows to expect, from the first case. */
static clump_explore_status run_first_case(clump_explorer *e)
{
    clump_explore_settings *s = &e->settings;
    clump_scenario *scenario = NULL;
    e->cases = 1;
    for (size_t i = 0; i < s->sweep_count; i++) {
        if (s->sweeps[i].is_field)
            continue;
        if (s->sweeps[i].count > SIZE_MAX / e->cases / 1024)
            return clump_explorer_fail(e, CLUMP_EXPLORE_BAD_SETTING,
                                       "--sweep: found too many combinations");
        e->cases *= s->sweeps[i].count;
    }
    for (size_t i = 0; i < s->uncertain_count; i++)
        clump_inputs_note(s->uncertain[i].name, &s->uncertain[i].distribution, &e->parameters);
    s->scenario.draw = s->drawn ? clump_inputs_note : NULL;
    s->scenario.draw_context = &e->parameters;
    const clump_scenario_status found =
        clump_explorer_prepare(e, 0, NULL, NULL, 0, &scenario, e->message);
    s->scenario.draw = NULL;
    if (found != CLUMP_SCENARIO_OK)
        return clump_explorer_explain(e, found, e->message);
    if (e->parameters.no_memory) {
        clump_scenario_free(scenario);
        return clump_explorer_fail_memory(e);
    }
    const clump_prices prices = clump_scenario_prices(scenario, 0);
    e->rows_expected = (double)clump_scenario_configurations(scenario) * (double)e->cases;
    if (s->share.count > 0)
        e->rows_expected /= s->share.count;
    e->priced = has_prices(&prices) || has_prices(&s->prices);
    clump_scenario_free(scenario);
    if (s->drawn && e->parameters.count == 0)
        return clump_explorer_fail(
            e, CLUMP_EXPLORE_BAD_INPUT,
            "--uncertain: found nothing uncertain: no uncertain { } in the scenario, and no "
            "intervals of what it takes from the database");
    return CLUMP_EXPLORE_OK;
}

clump_explore_status clump_explorer_open(const clump_explore_settings *settings, clump_explorer *e)
{
    *e = (clump_explorer){.settings = *settings};
    e->caches = calloc((size_t)settings->threads, sizeof *e->caches);
    for (int i = 0; i < settings->threads; i++)
        if (e->caches == NULL || (e->caches[i] = clump_scenario_cache_new()) == NULL)
            return clump_explorer_fail_memory(e);
    clump_explore_status status = check_distinct(e);
    if (status == CLUMP_EXPLORE_OK)
        status = run_first(e, NULL, NULL);
    return status == CLUMP_EXPLORE_OK ? run_first_case(e) : status;
}

void clump_explorer_close(clump_explorer *e)
{
    for (int i = 0; i < e->settings.threads && e->caches != NULL; i++)
        clump_scenario_cache_free(e->caches[i]);
    free(e->caches);
    e->caches = NULL;
    clump_inputs_release(&e->parameters);
}
