/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first run of the script: which names are its variables, and what is uncertain. */
#include "exploring/explorer.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Notes what is drawn, and gives medians. */
static double note_parameter(const char *name, const clump_uncertain *distribution, void *context)
{
    clump_explorer *e = context;
    size_t i = 0;
    while (i < e->parameter_count && strcmp(e->parameters[i].name, name) != 0)
        i++;
    if (i == e->parameter_count && i < CLUMP_EXPLORER_MOST_PARAMETERS) {
        snprintf(e->parameters[i].name, sizeof e->parameters[i].name, "%s", name);
        e->parameters[i].distribution = *distribution;
        e->parameter_count++;
    }
    return clump_uncertain_quantile(distribution, 0.5);
}

static int refuse_name(const clump_explorer *e, const char *option,
                       const clump_explorer_variable *variable)
{
    const char *similar = clump_explorer_variable_similar_field(variable->name);
    return error_usage(e->invocation->arguments.command,
                       "--%s: the scenario reads no variable '%s', and its scenarios have "
                       "no such field that is a number or a name%s%s%s",
                       option, variable->name, similar != NULL ? "; did you mean '" : "",
                       similar != NULL ? similar : "", similar != NULL ? "'?" : "");
}

static int check_distinct(const clump_explorer *e)
{
    const size_t named = e->sweep_count + e->uncertain_count;
    for (size_t i = 0; i < named; i++) {
        const clump_explorer_variable *a =
            i < e->sweep_count ? &e->sweeps[i] : &e->uncertain[i - e->sweep_count];
        bool twice = false;
        for (size_t k = 0; k < i; k++) {
            const clump_explorer_variable *b =
                k < e->sweep_count ? &e->sweeps[k] : &e->uncertain[k - e->sweep_count];
            twice |= strcmp(a->name, b->name) == 0 || (a->field != NULL && a->field == b->field);
        }
        for (size_t k = 0; k < e->base.definition_count; k++)
            twice |= strcmp(a->name, e->base.definitions[k].name) == 0;
        if (twice)
            return error_usage(e->invocation->arguments.command,
                               "--%s: found '%s' twice, expected one -D, --sweep or "
                               "--uncertain of it",
                               i < e->sweep_count ? "sweep" : "uncertain", a->name);
    }
    return EXIT_DONE;
}

/* What a first run is asked: does the script read these names? */
typedef struct names {
    clump_scenario_definition *all;
    bool *read;
    size_t count;
} names;

/* The name itself and, where it is another, the name of the field that it means. */
static void add_names(names *n, const clump_explorer_variable *v, const char *value)
{
    if (v->field != NULL &&
        (strcmp(v->field, "platform") == 0 || strcmp(v->field, "application") == 0))
        return; /* functions of the language: no script has such variables */
    n->all[n->count++] = (clump_scenario_definition){v->name, value};
    if (v->field != NULL && strcmp(v->field, v->name) != 0)
        n->all[n->count++] = (clump_scenario_definition){v->field, value};
}

static bool names_make(const clump_explorer *e, names *n)
{
    const size_t most = e->base.definition_count + 2 * (e->sweep_count + e->uncertain_count) + 3;
    *n = (names){calloc(most, sizeof *n->all), calloc(most, sizeof *n->read), 0};
    for (size_t i = 0; i < e->base.definition_count && n->all != NULL; i++)
        n->all[n->count++] = e->base.definitions[i];
    return n->all != NULL && n->read != NULL;
}

static void names_free(names *n)
{
    free(n->all);
    free(n->read);
}

static int run_names(const clump_explorer *e, const names *n)
{
    char message[2048];
    clump_scenario *scenario = NULL;
    clump_scenario_options options = e->base;
    options.definitions = n->all;
    options.definition_count = n->count;
    options.definitions_read = n->read;
    options.store = e->stores[0];
    const clump_scenario_status found =
        clump_scenario_prepare(&options, &scenario, message, sizeof message);
    clump_scenario_free(scenario);
    return found == CLUMP_SCENARIO_OK ? EXIT_DONE : clump_explorer_explain(e, found, message);
}

static bool is_read(const names *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->all[i].name, name) == 0)
            return n->read[i];
    return false;
}

/* "N" means the variable nics if the script reads that one. */
static int decide(const clump_explorer *e, const names *n, const char *option, bool numeric,
                  clump_explorer_variable *v)
{
    v->is_field = !is_read(n, v->name);
    if (v->is_field && v->field != NULL && is_read(n, v->field)) {
        snprintf(v->name, sizeof v->name, "%s", v->field);
        v->is_field = false;
    }
    if (v->is_field &&
        (v->field == NULL || (numeric && !clump_explorer_variable_is_numeric(v->field))))
        return refuse_name(e, option, v);
    return EXIT_DONE;
}

static int run_probe(clump_explorer *e, names *n, char (*medians)[40])
{
    for (size_t i = 0; i < e->sweep_count; i++)
        add_names(n, &e->sweeps[i], e->sweeps[i].values[0]);
    for (size_t i = 0; i < e->uncertain_count; i++) {
        snprintf(medians[i], sizeof medians[i], "%.17g",
                 clump_uncertain_quantile(&e->uncertain[i].distribution, 0.5));
        add_names(n, &e->uncertain[i], medians[i]);
    }
    int status = run_names(e, n);
    for (size_t i = 0; i < e->base.definition_count && status == EXIT_DONE; i++)
        if (!n->read[i])
            status = error_input(e->invocation->arguments.command,
                                 "-D %s=%s: the scenario never reads \"%s\"", n->all[i].name,
                                 n->all[i].value, n->all[i].name);
    for (size_t i = 0; i < e->sweep_count && status == EXIT_DONE; i++)
        status = decide(e, n, "sweep", false, &e->sweeps[i]);
    for (size_t i = 0; i < e->uncertain_count && status == EXIT_DONE; i++)
        status = decide(e, n, "uncertain", true, &e->uncertain[i]);
    return status;
}

/* Which names does the script read as variables? The others are fields. */
int clump_explorer_probe(clump_explorer *e)
{
    names n;
    char(*medians)[40] = calloc(e->uncertain_count + 1, sizeof *medians);
    const bool made = names_make(e, &n);
    int status = check_distinct(e);
    if (status == EXIT_DONE)
        status = made && medians != NULL ? run_probe(e, &n, medians)
                                         : error_memory(e->invocation->arguments.command);
    names_free(&n);
    free(medians);
    return status;
}

int clump_explorer_look_up(clump_explorer *e, const char *option, clump_explorer_variable *variable)
{
    names n;
    int status;
    if (names_make(e, &n)) {
        add_names(&n, variable, variable->values[0]);
        status = run_names(e, &n);
        if (status == EXIT_DONE)
            status = decide(e, &n, option, false, variable);
    } else {
        status = error_memory(e->invocation->arguments.command);
    }
    names_free(&n);
    return status;
}

/* What is uncertain, and how many rows to expect, from the first case. */
int clump_explorer_look(clump_explorer *e)
{
    char message[2048];
    clump_scenario *scenario = NULL;
    e->cases = 1;
    for (size_t i = 0; i < e->sweep_count; i++) {
        if (e->sweeps[i].is_field)
            continue;
        if (e->sweeps[i].count > SIZE_MAX / e->cases / 1024)
            return error_usage(e->invocation->arguments.command,
                               "--sweep: found too many combinations");
        e->cases *= e->sweeps[i].count;
    }
    for (size_t i = 0; i < e->uncertain_count; i++)
        note_parameter(e->uncertain[i].name, &e->uncertain[i].distribution, e);
    e->base.draw = e->drawn ? note_parameter : NULL;
    e->base.draw_context = e;
    const clump_scenario_status found =
        clump_explorer_prepare(e, 0, NULL, NULL, 0, &scenario, message, sizeof message);
    e->base.draw = NULL;
    if (found != CLUMP_SCENARIO_OK)
        return clump_explorer_explain(e, found, message);
    e->rows_expected = (double)clump_scenario_configurations(scenario) * (double)e->cases;
    const clump_prices prices = clump_scenario_prices(scenario, 0);
    e->priced = !isnan(prices.node) || !isnan(prices.nic) || !isnan(prices.port) ||
                !isnan(e->prices.node) || !isnan(e->prices.nic) || !isnan(e->prices.port);
    clump_scenario_free(scenario);
    if (e->drawn && e->parameter_count == 0)
        return error_input(e->invocation->arguments.command,
                           "--uncertain: found nothing uncertain: no uncertain { } in the "
                           "scenario, and no intervals of what it takes from the data"
                           "base");
    return EXIT_DONE;
}
