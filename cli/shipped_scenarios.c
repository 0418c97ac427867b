/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shipped_scenarios.h"

#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/scenario_files.h"
#include "scenarios/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    clump_store *store;
    clump_scenario_cache *cache; /* they ask for the same */
    shipped_scenarios *list;
    bool no_memory;
} reading;

/* On the heap; NULL if the script does not run: the list is no place to say why. */
static char *read_title(const reading *r, const char *path)
{
    /* What ships needs a hundredth of a second: a list must not wait for a script that never ends. */
    const clump_scenario_options options = {
        .path = path, .store = r->store, .cache = r->cache, .seconds_limit = 1};
    char message[256], *title = NULL;
    clump_scenario *scenario = NULL;
    if (clump_scenario_prepare(&options, &scenario, message, sizeof message) != CLUMP_SCENARIO_OK)
        return NULL;
    title = strdup(clump_scenario_title(scenario));
    clump_scenario_free(scenario);
    return title;
}

static void add_scenario(const char *name, void *context)
{
    reading *r = context;
    shipped_scenarios *list = r->list;
    char *path = scenario_shipped_path(name), *copy = strdup(name);
    shipped_scenario *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (items != NULL)
        list->items = items;
    if (items != NULL && path != NULL && copy != NULL)
        items[list->count++] = (shipped_scenario){copy, read_title(r, path)};
    else {
        r->no_memory = true;
        free(copy);
    }
    free(path);
}

int shipped_scenarios_read(const char *command, clump_store *store, shipped_scenarios *list)
{
    reading r = {store, clump_scenario_cache_new(), list, false};
    *list = (shipped_scenarios){NULL, 0};
    if (r.cache == NULL)
        return error_memory(command);
    list_shipped_scenarios(add_scenario, &r);
    clump_scenario_cache_free(r.cache);
    return r.no_memory ? error_memory(command) : EXIT_DONE;
}

void shipped_scenarios_free(shipped_scenarios *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].title);
    }
    free(list->items);
    *list = (shipped_scenarios){NULL, 0};
}

static int print_scenarios(const command_invocation *invocation, const shipped_scenarios *list)
{
    static const table_column columns[] = {
        {"name", "Scenario", FIELD(shipped_scenario, name)},
        {"title", "Title", FIELD(shipped_scenario, title), .layout = COLUMN_PROSE},
    };
    const table_rows rows = {
        .key = "scenarios", COLUMNS(columns), RECORDS(list->items, list->count)};
    const int status = output_print(invocation->format, &rows, NULL, 0);
    if (status == EXIT_DONE && invocation->format == FORMAT_TABLE)
        printf("\n'clumpmodel %s NAME' evaluates one of these. Your own is a file with a\n"
               "script: see clumpmodel-scenario(5).\n",
               invocation->command->name);
    return status;
}

int shipped_scenarios_answer(const command_invocation *invocation)
{
    const command_line *line = &invocation->arguments;
    shipped_scenarios list = {NULL, 0};
    clump_store *store = NULL;
    if (line->given_count > 0)
        return error_usage(line->command,
                           "found nothing to work on, expected SCENARIO.lua; 'clumpmodel %s' alone "
                           "lists those that ship with the program",
                           line->command);
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = shipped_scenarios_read(line->command, store, &list);
    if (status == EXIT_DONE)
        status = list.count > 0 ? print_scenarios(invocation, &list)
                                : scenario_none_shipped(line->command);
    shipped_scenarios_free(&list);
    clump_store_close(store);
    return status;
}
