/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of explore, and the first run of the script, which tells what they mean. */
#include "cli/explorer.h"

#include "cli/database.h"
#include "cli/definitions.h"
#include "cli/errors.h"
#include "cli/explore_options.h"
#include "cli/scenario_path.h"
#include "scenarios/source.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_variables(clump_cli_explorer *e)
{
    const clump_cli_arguments *arguments = &e->invocation->arguments;
    e->sweeps = calloc(arguments->given_count + 1, sizeof *e->sweeps);
    e->uncertain = calloc(arguments->given_count + 1, sizeof *e->uncertain);
    if (e->sweeps == NULL || e->uncertain == NULL)
        return clump_cli_error_memory(arguments->command);
    int status = CLUMP_CLI_DONE;
    for (size_t i = 0; i < arguments->given_count && status == CLUMP_CLI_DONE; i++) {
        const clump_cli_given *given = &arguments->given[i];
        if (given->option == CLUMP_CLI_EXPLORE_SWEEP)
            status = clump_cli_variable_read(arguments, given->option, given->value,
                                             &e->sweeps[e->sweep_count++]);
        if (given->option != CLUMP_CLI_EXPLORE_UNCERTAIN)
            continue;
        e->drawn = true;
        if (strcmp(given->value, "measured") != 0)
            status = clump_cli_variable_read_uncertain(arguments, given->option, given->value,
                                                       &e->uncertain[e->uncertain_count++]);
    }
    return status;
}

static int read_prices(clump_cli_explorer *e)
{
    static const clump_cli_range price = {0, 1e15, false, "a price, 0 or more"};
    const clump_cli_arguments *arguments = &e->invocation->arguments;
    e->prices = (clump_prices){NAN, NAN, NAN};
    const struct {
        size_t option;
        double *value;
    } prices[] = {{CLUMP_CLI_EXPLORE_NODE_PRICE, &e->prices.node},
                  {CLUMP_CLI_EXPLORE_NIC_PRICE, &e->prices.nic},
                  {CLUMP_CLI_EXPLORE_PORT_PRICE, &e->prices.port}};
    int status = CLUMP_CLI_DONE;
    for (size_t i = 0; i < 3 && status == CLUMP_CLI_DONE; i++)
        status = clump_cli_option_real(arguments, prices[i].option, &price, prices[i].value);
    return status;
}

static int read_limit(clump_cli_explorer *e)
{
    static const clump_cli_range positive = {0, HUGE_VAL, true, "a slowdown above 0"};
    const clump_cli_arguments *arguments = &e->invocation->arguments;
    const char *of = clump_cli_option_value(arguments, CLUMP_CLI_EXPLORE_OF);
    const int status =
        clump_cli_option_real(arguments, CLUMP_CLI_EXPLORE_MAX_SLOWDOWN, &positive, &e->limit);
    if (status != CLUMP_CLI_DONE)
        return status;
    if (of != NULL && strcmp(of, "worst") != 0 && strcmp(of, "mean") != 0)
        return clump_cli_option_refuse(arguments, CLUMP_CLI_EXPLORE_OF, of, "worst or mean");
    if (of != NULL && e->limit == 0)
        return clump_cli_error_usage(arguments->command,
                                     "--max-slowdown is missing, expected it beside --of");
    e->of_mean = of != NULL && strcmp(of, "mean") == 0;
    return CLUMP_CLI_DONE;
}

static int read_numbers(clump_cli_explorer *e)
{
    static const clump_cli_range percent = {0, 100, false, "a percentage, 0 to 100"};
    const clump_cli_arguments *arguments = &e->invocation->arguments;
    uint64_t draws = 1000, seed = 1, steps = 0, memory = 0, threads = 0;
    e->percentile = 95;
    int status =
        clump_cli_option_real(arguments, CLUMP_CLI_EXPLORE_PERCENTILE, &percent, &e->percentile);
    const struct {
        size_t option;
        uint64_t least, most;
        const char *expected;
        uint64_t *value;
    } numbers[] = {
        {CLUMP_CLI_EXPLORE_DRAWS, 2, 10000000, "a whole number of draws, 2 to 1e7", &draws},
        {CLUMP_CLI_EXPLORE_SEED, 0, UINT64_MAX, "a whole number", &seed},
        {CLUMP_CLI_EXPLORE_THREADS, 1, 1024, "a whole number of threads, 1 to 1024", &threads},
        {CLUMP_CLI_EXPLORE_MAX_STEPS, 1, UINT64_MAX, "a whole number of steps, at least 1", &steps},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == CLUMP_CLI_DONE; i++)
        status = clump_cli_option_whole(arguments, numbers[i].option, numbers[i].least,
                                        numbers[i].most, numbers[i].expected, numbers[i].value);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_bytes(arguments, CLUMP_CLI_EXPLORE_MAX_MEMORY, 1, SIZE_MAX,
                                        "a number of bytes, such as 64M", &memory);
    e->draws = e->drawn ? (size_t)draws : 0;
    e->seed = seed;
    e->threads = threads > 0 ? (int)threads : omp_get_max_threads();
    e->base.step_limit = steps;
    e->base.memory_limit = (size_t)memory;
    e->each = clump_cli_option_given(arguments, CLUMP_CLI_EXPLORE_EACH);
    return status;
}

/* The file is read once: it may be standard input. */
static int read_scenario(clump_cli_explorer *e)
{
    const clump_cli_arguments *arguments = &e->invocation->arguments;
    char *path = NULL, message[1024];
    scenario_source source = {.bytes = NULL};
    const int status = clump_cli_scenario_find(arguments->command, arguments->operands[0], &path);
    if (status != CLUMP_CLI_DONE)
        return status;
    e->base.path = path;
    const clump_scenario_status found =
        scenario_source_read(path, &source, message, sizeof message);
    if (found != CLUMP_SCENARIO_OK)
        return clump_cli_explorer_explain(e, found, message);
    e->text = source.bytes;
    e->base.text = source.bytes + source.start;
    e->base.text_size = source.size - source.start;
    return CLUMP_CLI_DONE;
}

static int open_stores(clump_cli_explorer *e)
{
    e->stores = calloc((size_t)e->threads, sizeof *e->stores);
    e->memories = calloc((size_t)e->threads, sizeof *e->memories);
    if (e->stores == NULL || e->memories == NULL)
        return clump_cli_error_memory(e->invocation->arguments.command);
    int status = CLUMP_CLI_DONE;
    for (int i = 0; i < e->threads && status == CLUMP_CLI_DONE; i++)
        status = clump_cli_database_open(e->invocation, &e->stores[i]);
    for (int i = 0; i < e->threads && status == CLUMP_CLI_DONE; i++)
        if ((e->memories[i] = clump_scenario_memory_new()) == NULL)
            status = clump_cli_error_memory(e->invocation->arguments.command);
    return status;
}

/* ---- the first run */

/* Notes what is drawn, and gives medians. */
static double note_parameter(const char *name, const clump_uncertain *distribution, void *context)
{
    clump_cli_explorer *e = context;
    size_t i = 0;
    while (i < e->parameter_count && strcmp(e->parameters[i].name, name) != 0)
        i++;
    if (i == e->parameter_count && i < CLUMP_CLI_MOST_PARAMETERS) {
        (void)snprintf(e->parameters[i].name, sizeof e->parameters[i].name, "%s", name);
        e->parameters[i].distribution = *distribution;
        e->parameter_count++;
    }
    return clump_uncertain_quantile(distribution, 0.5);
}

static int refuse_name(const clump_cli_explorer *e, const char *option,
                       const clump_cli_variable *variable)
{
    return clump_cli_error_usage(
        e->invocation->arguments.command,
        "--%s: the scenario reads no variable '%s', and its scenarios have "
        "no such field that is a number or a name",
        option, variable->name);
}

static int check_distinct(const clump_cli_explorer *e)
{
    const size_t named = e->sweep_count + e->uncertain_count;
    for (size_t i = 0; i < named; i++) {
        const clump_cli_variable *a =
            i < e->sweep_count ? &e->sweeps[i] : &e->uncertain[i - e->sweep_count];
        bool twice = false;
        for (size_t k = 0; k < i; k++) {
            const clump_cli_variable *b =
                k < e->sweep_count ? &e->sweeps[k] : &e->uncertain[k - e->sweep_count];
            twice |= strcmp(a->name, b->name) == 0 || (a->field != NULL && a->field == b->field);
        }
        for (size_t k = 0; k < e->base.definition_count; k++)
            twice |= strcmp(a->name, e->base.definitions[k].name) == 0;
        if (twice)
            return clump_cli_error_usage(e->invocation->arguments.command,
                                         "--%s: found '%s' twice, expected one -D, --sweep or "
                                         "--uncertain of it",
                                         i < e->sweep_count ? "sweep" : "uncertain", a->name);
    }
    return CLUMP_CLI_DONE;
}

/* What a first run is asked: does the script read these names? */
typedef struct names {
    clump_scenario_definition *all;
    bool *read;
    size_t count;
} names;

/* The name itself and, where it is another, the name of the field that it means. */
static void add_names(names *n, const clump_cli_variable *v, const char *value)
{
    n->all[n->count++] = (clump_scenario_definition){v->name, value};
    if (v->field != NULL && strcmp(v->field, v->name) != 0)
        n->all[n->count++] = (clump_scenario_definition){v->field, value};
}

static bool names_make(const clump_cli_explorer *e, names *n)
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

static int run_names(const clump_cli_explorer *e, const names *n)
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
    return found == CLUMP_SCENARIO_OK ? CLUMP_CLI_DONE
                                      : clump_cli_explorer_explain(e, found, message);
}

static bool is_read(const names *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->all[i].name, name) == 0)
            return n->read[i];
    return false;
}

/* "N" means the variable nics if the script reads that one. */
static int decide(const clump_cli_explorer *e, const names *n, const char *option, bool numeric,
                  clump_cli_variable *v)
{
    v->is_field = !is_read(n, v->name);
    if (v->is_field && v->field != NULL && is_read(n, v->field)) {
        (void)snprintf(v->name, sizeof v->name, "%s", v->field);
        v->is_field = false;
    }
    if (v->is_field && (v->field == NULL || (numeric && !clump_cli_variable_is_numeric(v->field))))
        return refuse_name(e, option, v);
    return CLUMP_CLI_DONE;
}

static int run_probe(clump_cli_explorer *e, names *n, char (*medians)[40])
{
    for (size_t i = 0; i < e->sweep_count; i++)
        add_names(n, &e->sweeps[i], e->sweeps[i].values[0]);
    for (size_t i = 0; i < e->uncertain_count; i++) {
        (void)snprintf(medians[i], sizeof medians[i], "%.17g",
                       clump_uncertain_quantile(&e->uncertain[i].distribution, 0.5));
        add_names(n, &e->uncertain[i], medians[i]);
    }
    int status = run_names(e, n);
    for (size_t i = 0; i < e->base.definition_count && status == CLUMP_CLI_DONE; i++)
        if (!n->read[i])
            status = clump_cli_error_input(e->invocation->arguments.command,
                                           "-D %s=%s: the scenario never reads \"%s\"",
                                           n->all[i].name, n->all[i].value, n->all[i].name);
    for (size_t i = 0; i < e->sweep_count && status == CLUMP_CLI_DONE; i++)
        status = decide(e, n, "sweep", false, &e->sweeps[i]);
    for (size_t i = 0; i < e->uncertain_count && status == CLUMP_CLI_DONE; i++)
        status = decide(e, n, "uncertain", true, &e->uncertain[i]);
    return status;
}

/* Which names does the script read as variables? The others are fields. */
static int probe(clump_cli_explorer *e)
{
    names n;
    char(*medians)[40] = calloc(e->uncertain_count + 1, sizeof *medians);
    const bool made = names_make(e, &n);
    int status = check_distinct(e);
    if (status == CLUMP_CLI_DONE)
        status = made && medians != NULL ? run_probe(e, &n, medians)
                                         : clump_cli_error_memory(e->invocation->arguments.command);
    names_free(&n);
    free(medians);
    return status;
}

int clump_cli_explorer_look_up(clump_cli_explorer *e, const char *option,
                               clump_cli_variable *variable)
{
    names n;
    int status;
    if (names_make(e, &n)) {
        add_names(&n, variable, variable->values[0]);
        status = run_names(e, &n);
        if (status == CLUMP_CLI_DONE)
            status = decide(e, &n, option, false, variable);
    } else {
        status = clump_cli_error_memory(e->invocation->arguments.command);
    }
    names_free(&n);
    return status;
}

/* What is uncertain, and how many rows to expect, from the first case. */
static int look(clump_cli_explorer *e)
{
    char message[2048];
    clump_scenario *scenario = NULL;
    e->cases = 1;
    for (size_t i = 0; i < e->sweep_count; i++) {
        if (e->sweeps[i].is_field)
            continue;
        if (e->sweeps[i].count > SIZE_MAX / e->cases / 1024)
            return clump_cli_error_usage(e->invocation->arguments.command,
                                         "--sweep: found too many combinations");
        e->cases *= e->sweeps[i].count;
    }
    for (size_t i = 0; i < e->uncertain_count; i++)
        (void)note_parameter(e->uncertain[i].name, &e->uncertain[i].distribution, e);
    e->base.draw = e->drawn ? note_parameter : NULL;
    e->base.draw_context = e;
    const clump_scenario_status found =
        clump_cli_explorer_prepare(e, 0, NULL, NULL, 0, &scenario, message, sizeof message);
    e->base.draw = NULL;
    if (found != CLUMP_SCENARIO_OK)
        return clump_cli_explorer_explain(e, found, message);
    e->rows_expected = (double)clump_scenario_configurations(scenario) * (double)e->cases;
    const clump_prices prices = clump_scenario_prices(scenario, 0);
    e->priced = !isnan(prices.node) || !isnan(prices.nic) || !isnan(prices.port) ||
                !isnan(e->prices.node) || !isnan(e->prices.nic) || !isnan(e->prices.port);
    clump_scenario_free(scenario);
    if (e->drawn && e->parameter_count == 0)
        return clump_cli_error_input(
            e->invocation->arguments.command,
            "--uncertain: found nothing uncertain: no uncertain { } in the "
            "scenario, and no intervals of what it takes from the data "
            "base");
    return CLUMP_CLI_DONE;
}

int clump_cli_explorer_open(const clump_cli_invocation *invocation, clump_cli_explorer *e)
{
    const clump_cli_arguments *arguments = &invocation->arguments;
    *e = (clump_cli_explorer){.invocation = invocation};
    e->parameters = calloc(CLUMP_CLI_MOST_PARAMETERS, sizeof *e->parameters);
    if (e->parameters == NULL)
        return clump_cli_error_memory(arguments->command);
    int status = read_variables(e);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_definitions_read(arguments, CLUMP_CLI_EXPLORE_DEFINE, &e->definitions,
                                            &e->base.definition_count);
    e->base.definitions = e->definitions;
    if (status == CLUMP_CLI_DONE)
        status = read_prices(e);
    if (status == CLUMP_CLI_DONE)
        status = read_limit(e);
    if (status == CLUMP_CLI_DONE)
        status = read_numbers(e);
    if (status == CLUMP_CLI_DONE)
        status = read_scenario(e);
    if (status == CLUMP_CLI_DONE)
        status = open_stores(e);
    if (status == CLUMP_CLI_DONE)
        status = probe(e);
    return status == CLUMP_CLI_DONE ? look(e) : status;
}

void clump_cli_explorer_close(clump_cli_explorer *e)
{
    for (size_t i = 0; i < e->sweep_count; i++)
        clump_cli_variable_free(&e->sweeps[i]);
    for (size_t i = 0; i < e->uncertain_count; i++)
        clump_cli_variable_free(&e->uncertain[i]);
    for (int i = 0; i < e->threads && e->stores != NULL; i++)
        clump_store_close(e->stores[i]);
    for (int i = 0; i < e->threads && e->memories != NULL; i++)
        clump_scenario_memory_free(e->memories[i]);
    free(e->memories);
    free(e->sweeps);
    free(e->uncertain);
    free(e->stores);
    free(e->parameters);
    free(e->definitions);
    free((char *)e->base.path);
    free(e->text);
}
