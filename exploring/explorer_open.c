/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of explore; explorer_probe.c finds out what they mean to the script. */
#include "exploring/explorer.h"

#include "cli/database.h"
#include "cli/explore_options.h"
#include "cli/options/definitions.h"
#include "cli/output/errors.h"
#include "cli/scenario_files.h"
#include "scenarios/source.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_variables(clump_explorer *e)
{
    const command_line *arguments = &e->invocation->arguments;
    e->sweeps = calloc(arguments->given_count + 1, sizeof *e->sweeps);
    e->uncertain = calloc(arguments->given_count + 1, sizeof *e->uncertain);
    if (e->sweeps == NULL || e->uncertain == NULL)
        return error_memory(arguments->command);
    int status = EXIT_DONE;
    for (size_t i = 0; i < arguments->given_count && status == EXIT_DONE; i++) {
        const given_option *given = &arguments->given[i];
        if (given->option == EXPLORE_SWEEP)
            status = clump_explorer_variable_read(arguments, given->option, given->value,
                                                  &e->sweeps[e->sweep_count++]);
        if (given->option != EXPLORE_UNCERTAIN)
            continue;
        e->drawn = true;
        if (strcmp(given->value, "measured") != 0)
            status = clump_explorer_variable_read_uncertain(arguments, given->option, given->value,
                                                            &e->uncertain[e->uncertain_count++]);
    }
    return status;
}

static int read_prices(clump_explorer *e)
{
    static const number_range price = {0, 1e15, false, "a price, 0 to 1e15"};
    const command_line *arguments = &e->invocation->arguments;
    e->prices = (clump_prices){NAN, NAN, NAN};
    const struct {
        size_t option;
        double *value;
    } prices[] = {{EXPLORE_NODE_PRICE, &e->prices.node},
                  {EXPLORE_NIC_PRICE, &e->prices.nic},
                  {EXPLORE_PORT_PRICE, &e->prices.port}};
    int status = EXIT_DONE;
    for (size_t i = 0; i < 3 && status == EXIT_DONE; i++)
        status = option_real(arguments, prices[i].option, &price, prices[i].value);
    return status;
}

static int read_limit(clump_explorer *e)
{
    static const number_range positive = {0, HUGE_VAL, true, "a slowdown above 0"};
    const command_line *arguments = &e->invocation->arguments;
    const char *of = option_value(arguments, EXPLORE_OF);
    const int status = option_real(arguments, EXPLORE_MAX_SLOWDOWN, &positive, &e->limit);
    if (status != EXIT_DONE)
        return status;
    if (of != NULL && strcmp(of, "worst") != 0 && strcmp(of, "mean") != 0)
        return option_refuse(arguments, EXPLORE_OF, of, "worst or mean");
    if (of != NULL && e->limit == 0)
        return error_usage(arguments->command,
                           "--max-slowdown is missing, expected it beside --of");
    e->of_mean = of != NULL && strcmp(of, "mean") == 0;
    return EXIT_DONE;
}

/* Options of the draws change nothing where nothing is drawn. */
static void warn_of_draws(const command_line *arguments)
{
    const bool draws = option_given(arguments, EXPLORE_DRAWS);
    if (draws || option_given(arguments, EXPLORE_PERCENTILE))
        note_print(arguments->command,
                   "--%s has no effect: nothing is drawn without --uncertain "
                   "NAME=DISTRIBUTION or --uncertain measured",
                   draws ? "draws" : "percentile");
}

static int read_numbers(clump_explorer *e)
{
    static const number_range percent = {0, 100, false, "a percentage, 0 to 100"};
    const command_line *arguments = &e->invocation->arguments;
    uint64_t draws = 1000, seed = 1, steps = 0, memory = 0, threads = 0;
    e->percentile = 95;
    int status = option_real(arguments, EXPLORE_PERCENTILE, &percent, &e->percentile);
    const struct {
        size_t option;
        uint64_t least, most;
        const char *expected;
        uint64_t *value;
    } numbers[] = {
        {EXPLORE_DRAWS, 2, 10000000, "a whole number of draws, 2 to 1e7", &draws},
        {EXPLORE_SEED, 0, UINT64_MAX, "a whole number", &seed},
        {EXPLORE_THREADS, 1, 1024, "a whole number of threads, 1 to 1024", &threads},
        {EXPLORE_MAX_STEPS, 1, UINT64_MAX, "a whole number of steps, at least 1", &steps},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == EXIT_DONE; i++)
        status = option_whole(arguments, numbers[i].option, numbers[i].least, numbers[i].most,
                              numbers[i].expected, numbers[i].value);
    if (status == EXIT_DONE)
        status = option_bytes(arguments, EXPLORE_MAX_MEMORY, 1, SIZE_MAX,
                              "a number of bytes, such as 64M", &memory);
    if (status == EXIT_DONE && !e->drawn)
        warn_of_draws(arguments);
    e->draws = e->drawn ? (size_t)draws : 0;
    e->seed = seed;
    e->threads = threads > 0 ? (int)threads : omp_get_max_threads();
    e->base.step_limit = steps;
    e->base.memory_limit = (size_t)memory;
    e->each = option_given(arguments, EXPLORE_EACH);
    return status;
}

/* The file is read once: it may be standard input. */
static int read_scenario(clump_explorer *e)
{
    const command_line *arguments = &e->invocation->arguments;
    char *path = NULL, message[1024];
    scenario_source source = {.bytes = NULL};
    const int status = scenario_find(arguments->command, arguments->operands[0], &path);
    if (status != EXIT_DONE)
        return status;
    e->base.path = path;
    const clump_scenario_status found =
        scenario_source_read(path, &source, message, sizeof message);
    if (found != CLUMP_SCENARIO_OK)
        return clump_explorer_explain(e, found, message);
    e->text = source.bytes;
    e->base.text = source.bytes + source.start;
    e->base.text_size = source.size - source.start;
    return EXIT_DONE;
}

static int open_stores(clump_explorer *e)
{
    e->stores = calloc((size_t)e->threads, sizeof *e->stores);
    e->memories = calloc((size_t)e->threads, sizeof *e->memories);
    if (e->stores == NULL || e->memories == NULL)
        return error_memory(e->invocation->arguments.command);
    int status = EXIT_DONE;
    for (int i = 0; i < e->threads && status == EXIT_DONE; i++)
        status = database_open(e->invocation, &e->stores[i]);
    for (int i = 0; i < e->threads && status == EXIT_DONE; i++)
        if ((e->memories[i] = clump_scenario_memory_new()) == NULL)
            status = error_memory(e->invocation->arguments.command);
    return status;
}

int clump_explorer_open(const command_invocation *invocation, clump_explorer *e)
{
    const command_line *arguments = &invocation->arguments;
    *e = (clump_explorer){.invocation = invocation};
    e->parameters = calloc(CLUMP_EXPLORER_MOST_PARAMETERS, sizeof *e->parameters);
    if (e->parameters == NULL)
        return error_memory(arguments->command);
    int status = read_variables(e);
    if (status == EXIT_DONE)
        status =
            read_definitions(arguments, EXPLORE_DEFINE, &e->definitions, &e->base.definition_count);
    e->base.definitions = e->definitions;
    if (status == EXIT_DONE)
        status = read_prices(e);
    if (status == EXIT_DONE)
        status = read_limit(e);
    if (status == EXIT_DONE)
        status = read_numbers(e);
    if (status == EXIT_DONE)
        status = read_scenario(e);
    if (status == EXIT_DONE)
        status = open_stores(e);
    if (status == EXIT_DONE)
        status = clump_explorer_probe(e);
    return status == EXIT_DONE ? clump_explorer_look(e) : status;
}

void clump_explorer_close(clump_explorer *e)
{
    for (size_t i = 0; i < e->sweep_count; i++)
        clump_explorer_variable_free(&e->sweeps[i]);
    for (size_t i = 0; i < e->uncertain_count; i++)
        clump_explorer_variable_free(&e->uncertain[i]);
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
