/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/explorer.h"

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

double clump_explorer_number(const clump_explorer *e, size_t sweep, size_t case_index)
{
    const clump_explore_variable *v = &e->settings.sweeps[sweep];
    return v->is_field || v->numbers == NULL ? NAN : v->numbers[find_value(e, sweep, case_index)];
}

/* ---- running the script for a case */

/* The number of an uncertain number; parameter_count: the first run did not meet it. */
static size_t find_parameter(const clump_explorer *e, const char *name)
{
    size_t i = 0;
    while (i < e->parameter_count && strcmp(e->parameters[i].name, name) != 0)
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

/* Longest number that the script is told. */
enum { NUMBER_SIZE = 40 };

/* What the script is told: variables, and fields to replace. */
typedef struct bindings {
    clump_scenario_definition *definitions;
    clump_scenario_override *overrides;
    char (*drawn)[NUMBER_SIZE]; /* values of uncertain variables */
    const char **drawn_values;  /* pointers to them, for overrides */
    size_t definition_count, override_count;
} bindings;

static void bind(bindings *b, const clump_explore_variable *v, const char *value,
                 const char *const *values, const double *numbers, size_t count)
{
    if (v->is_field)
        b->overrides[b->override_count++] =
            (clump_scenario_override){v->field, values, count, numbers};
    else
        b->definitions[b->definition_count++] = (clump_scenario_definition){v->name, value};
}

static bool bindings_make(const clump_explorer *e, size_t case_index, const drawing *with,
                          const clump_explore_variable *extra, size_t extra_count, bindings *b)
{
    const clump_explore_settings *s = &e->settings;
    const size_t most =
        s->scenario.definition_count + s->sweep_count + s->uncertain_count + extra_count + 1;
    *b = (bindings){.definitions = calloc(most, sizeof *b->definitions),
                    .overrides = calloc(most, sizeof *b->overrides),
                    .drawn = calloc(s->uncertain_count + 1, sizeof *b->drawn),
                    .drawn_values = calloc(s->uncertain_count + 1, sizeof *b->drawn_values)};
    if (b->definitions == NULL || b->overrides == NULL || b->drawn == NULL ||
        b->drawn_values == NULL)
        return false;
    for (size_t i = 0; i < s->scenario.definition_count; i++)
        b->definitions[b->definition_count++] = s->scenario.definitions[i];
    for (size_t i = 0; i < s->sweep_count; i++)
        bind(b, &s->sweeps[i], clump_explorer_value(e, i, case_index),
             (const char *const *)s->sweeps[i].values, s->sweeps[i].numbers, s->sweeps[i].count);
    for (size_t i = 0; i < s->uncertain_count; i++) {
        const clump_explore_variable *v = &s->uncertain[i];
        const double value = with->draw != NULL && with->draw->number == NULL
                                 ? draw_number(v->name, &v->distribution, (void *)with)
                                 : clump_uncertain_quantile(&v->distribution, 0.5);
        snprintf(b->drawn[i], NUMBER_SIZE, "%.17g", value);
        b->drawn_values[i] = b->drawn[i];
        bind(b, v, b->drawn[i], &b->drawn_values[i], NULL, 1);
    }
    for (size_t i = 0; i < extra_count; i++)
        bind(b, &extra[i], extra[i].values[0], (const char *const *)extra[i].values, NULL,
             extra[i].count);
    return true;
}

static void bindings_release(bindings *b)
{
    free(b->definitions);
    free(b->overrides);
    free(b->drawn);
    free(b->drawn_values);
}

clump_scenario_status clump_explorer_prepare(const clump_explorer *e, size_t case_index,
                                             const clump_explore_draw *draw,
                                             const clump_explore_variable *extra,
                                             size_t extra_count, clump_scenario **scenario,
                                             char *message)
{
    bindings b;
    drawing with = {e, draw};
    clump_scenario_status status = CLUMP_SCENARIO_NO_MEMORY;
    snprintf(message, CLUMP_EXPLORE_MESSAGE, "out of memory");
    if (bindings_make(e, case_index, &with, extra, extra_count, &b)) {
        clump_scenario_options options = e->settings.scenario;
        options.definitions = b.definitions;
        options.definition_count = b.definition_count;
        options.overrides = b.overrides;
        options.override_count = b.override_count;
        options.store = e->settings.stores[omp_get_thread_num()];
        options.cache = e->caches[omp_get_thread_num()];
        if (draw != NULL && draw->number != NULL) {
            options.draw = draw->number;
            options.draw_context = draw->context;
        } else if (draw != NULL) {
            options.draw = draw_number;
            options.draw_context = &with;
        }
        if (draw != NULL && draw->seconds_limit > 0)
            options.seconds_limit = draw->seconds_limit;
        if (draw != NULL)
            options.seconds = draw->seconds;
        status = clump_scenario_prepare(&options, scenario, message, CLUMP_EXPLORE_MESSAGE);
    }
    bindings_release(&b);
    return status;
}

/* ---- the first run: which names does the script read as variables? The others are fields. */

typedef struct names {
    clump_scenario_definition *all;
    bool *read;
    size_t count;
} names;

static bool names_make(const clump_explorer *e, names *n)
{
    const clump_explore_settings *s = &e->settings;
    const size_t most =
        s->scenario.definition_count + 2 * (s->sweep_count + s->uncertain_count) + 3;
    *n = (names){calloc(most, sizeof *n->all), calloc(most, sizeof *n->read), 0};
    for (size_t i = 0; i < s->scenario.definition_count && n->all != NULL; i++)
        n->all[n->count++] = s->scenario.definitions[i];
    return n->all != NULL && n->read != NULL;
}

static void names_release(names *n)
{
    free(n->all);
    free(n->read);
}

/* The name itself and, where it is another, the name of the field that it means. */
static void names_add(names *n, const clump_explore_variable *v, const char *value)
{
    if (v->field != NULL &&
        (strcmp(v->field, "platform") == 0 || strcmp(v->field, "application") == 0))
        return; /* functions of the language: no script has such variables */
    n->all[n->count++] = (clump_scenario_definition){v->name, value};
    if (v->field != NULL && strcmp(v->field, v->name) != 0)
        n->all[n->count++] = (clump_scenario_definition){v->field, value};
}

static clump_explore_status names_run(clump_explorer *e, const names *n)
{
    clump_scenario *scenario = NULL;
    clump_scenario_options options = e->settings.scenario;
    options.definitions = n->all;
    options.definition_count = n->count;
    options.definitions_read = n->read;
    options.store = e->settings.stores[0];
    const clump_scenario_status found =
        clump_scenario_prepare(&options, &scenario, e->message, sizeof e->message);
    clump_scenario_free(scenario);
    return clump_explorer_explain(e, found, e->message);
}

static bool is_read(const names *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->all[i].name, name) == 0)
            return n->read[i];
    return false;
}

/* "N" means the variable nics if the script reads that one. */
static clump_explore_status decide(clump_explorer *e, const names *n, const char *option,
                                   bool numeric, clump_explore_variable *v)
{
    v->is_field = !is_read(n, v->name);
    if (v->is_field && v->field != NULL && is_read(n, v->field)) {
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

static clump_explore_status run_first(clump_explorer *e, names *n, char (*medians)[NUMBER_SIZE])
{
    clump_explore_settings *s = &e->settings;
    for (size_t i = 0; i < s->sweep_count; i++)
        names_add(n, &s->sweeps[i], s->sweeps[i].values[0]);
    for (size_t i = 0; i < s->uncertain_count; i++) {
        snprintf(medians[i], NUMBER_SIZE, "%.17g",
                 clump_uncertain_quantile(&s->uncertain[i].distribution, 0.5));
        names_add(n, &s->uncertain[i], medians[i]);
    }
    clump_explore_status status = names_run(e, n);
    for (size_t i = 0; i < s->scenario.definition_count && status == CLUMP_EXPLORE_OK; i++)
        if (!n->read[i])
            status = clump_explorer_fail(e, CLUMP_EXPLORE_BAD_INPUT,
                                         "-D %s=%s: the scenario never reads \"%s\"",
                                         n->all[i].name, n->all[i].value, n->all[i].name);
    for (size_t i = 0; i < s->sweep_count && status == CLUMP_EXPLORE_OK; i++)
        status = decide(e, n, "sweep", false, &s->sweeps[i]);
    for (size_t i = 0; i < s->uncertain_count && status == CLUMP_EXPLORE_OK; i++)
        status = decide(e, n, "uncertain", true, &s->uncertain[i]);
    return status;
}

static clump_explore_status find_variables(clump_explorer *e)
{
    names n;
    char(*medians)[NUMBER_SIZE] = calloc(e->settings.uncertain_count + 1, sizeof *medians);
    const clump_explore_status status = names_make(e, &n) && medians != NULL
                                            ? run_first(e, &n, medians)
                                            : clump_explorer_fail_memory(e);
    names_release(&n);
    free(medians);
    return status;
}

clump_explore_status clump_explorer_look_up(clump_explorer *e, const char *option,
                                            clump_explore_variable *variable)
{
    names n;
    clump_explore_status status = CLUMP_EXPLORE_OK;
    if (names_make(e, &n)) {
        names_add(&n, variable, variable->values[0]);
        status = names_run(e, &n);
        if (status == CLUMP_EXPLORE_OK)
            status = decide(e, &n, option, false, variable);
    } else {
        status = clump_explorer_fail_memory(e);
    }
    names_release(&n);
    return status;
}

/* ---- opening */

static clump_explore_status check_distinct(clump_explorer *e)
{
    const clump_explore_settings *s = &e->settings;
    for (size_t i = 0; i < s->sweep_count + s->uncertain_count; i++) {
        const clump_explore_variable *a =
            i < s->sweep_count ? &s->sweeps[i] : &s->uncertain[i - s->sweep_count];
        bool twice = false;
        for (size_t k = 0; k < i; k++) {
            const clump_explore_variable *b =
                k < s->sweep_count ? &s->sweeps[k] : &s->uncertain[k - s->sweep_count];
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

/* Notes what is drawn, and gives medians. */
static double note_parameter(const char *name, const clump_uncertain *distribution, void *context)
{
    clump_explorer *e = context;
    const size_t i = find_parameter(e, name);
    if (i == e->parameter_count && i < CLUMP_EXPLORE_MOST_PARAMETERS) {
        snprintf(e->parameters[i].name, sizeof e->parameters[i].name, "%s", name);
        e->parameters[i].distribution = *distribution;
        e->parameter_count++;
    }
    return clump_uncertain_quantile(distribution, 0.5);
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
        note_parameter(s->uncertain[i].name, &s->uncertain[i].distribution, e);
    s->scenario.draw = s->drawn ? note_parameter : NULL;
    s->scenario.draw_context = e;
    const clump_scenario_status found =
        clump_explorer_prepare(e, 0, NULL, NULL, 0, &scenario, e->message);
    s->scenario.draw = NULL;
    if (found != CLUMP_SCENARIO_OK)
        return clump_explorer_explain(e, found, e->message);
    const clump_prices prices = clump_scenario_prices(scenario, 0);
    e->rows_expected = (double)clump_scenario_configurations(scenario) * (double)e->cases;
    if (s->share.count > 0 && s->draws == 0)
        e->rows_expected /= s->share.count;
    e->priced = has_prices(&prices) || has_prices(&s->prices);
    clump_scenario_free(scenario);
    if (s->drawn && e->parameter_count == 0)
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
        status = find_variables(e);
    return status == CLUMP_EXPLORE_OK ? run_first_case(e) : status;
}

void clump_explorer_close(clump_explorer *e)
{
    for (int i = 0; i < e->settings.threads && e->caches != NULL; i++)
        clump_scenario_cache_free(e->caches[i]);
    free(e->caches);
    e->caches = NULL;
}
