/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recommend_parts.h"

#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/paragraph.h"
#include "scenarios/scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* As `predict` has it: its first and only row. Names begin with a sign, lest one is taken for a number. */
static const char script[] =
    "return scenario { application = application(string.sub(name, 2)), "
    "platform = platform(string.sub(where, 2)), processors = count > 0 and count or nil, "
    "demand = \"correlated\" }";

static int take_row(const char *command, const clump_result *row, recommend_application *a)
{
    a->processors = row->processors;
    a->now_s = row->now_time;
    a->utilization = row->utilization;
    a->remote_fraction = row->remote_fraction;
    a->cost_ratio = row->cost_ratio;
    a->waiting_fraction = row->waiting_fraction;
    a->memory_penalty = row->memory_penalty;
    if (isfinite(a->utilization) && isfinite(a->remote_fraction) && isfinite(a->cost_ratio) &&
        isfinite(a->waiting_fraction))
        return EXIT_DONE;
    return error_usage(command,
                       "--application: '%s' consists of phases or collective operations, expected "
                       "one whose messages were counted: 'explore' predicts it",
                       a->name);
}

int recommend_application_read(const command_invocation *invocation, const char *name,
                               const char *platform, size_t processors, recommend_application *a)
{
    enum { NAME = 210 }; /* those of the store are shorter */
    const char *command = invocation->command->name;
    char message[1000] = "", marked[NAME], where[NAME], count[24];
    clump_store *store = NULL;
    clump_scenario_results results;
    *a = (recommend_application){.name = name,
                                 .platform = platform,
                                 .processors = processors,
                                 .as_platform = processors == 0};
    int status = database_open(invocation, &store);
    if (status != EXIT_DONE) {
        clump_store_close(store);
        return status;
    }
    snprintf(marked, sizeof marked, "=%s", name);
    snprintf(where, sizeof where, "=%s", platform);
    snprintf(count, sizeof count, "%zu", processors);
    const clump_scenario_definition definitions[] = {
        {"name", marked}, {"where", where}, {"count", count}};
    const clump_scenario_options options = {.path = "--application",
                                            .text = script,
                                            .text_size = sizeof script - 1,
                                            .definitions = definitions,
                                            .definition_count = 3,
                                            .store = store};
    const clump_scenario_status done =
        clump_scenario_run(&options, &results, message, sizeof message);
    if (done == CLUMP_SCENARIO_OK) {
        status = take_row(command, &results.rows[0], a);
        clump_scenario_results_free(&results);
    } else { /* without the line of a script that nobody wrote */
        static const char line[] = "--application:1: ";
        const bool placed = strncmp(message, line, sizeof line - 1) == 0;
        char told[sizeof message + 20];
        snprintf(told, sizeof told, "%s%s", placed ? "--application: " : "",
                 placed ? message + sizeof line - 1 : message);
        status = error_told(command, done == CLUMP_SCENARIO_BAD_INPUT, told);
    }
    clump_store_close(store);
    return status;
}

void recommend_application_print(const recommend_application *a, bool demand_given)
{
    puts("\nWhat was counted");
    paragraph_item(
        "%s on %s: with a NIC for each processor it takes %.4g s; processors communicate "
        "%.1f%% of that, and %.0f%% of the communication leaves the node.",
        a->name, a->platform, a->now_s, 100 * a->utilization, 100 * a->remote_fraction);
    if (a->as_platform)
        paragraph_item(
            "Nodes are taken to have %zu processor%s, as those of the platform (--processors).",
            a->processors, a->processors == 1 ? "" : "s");
    if (a->memory_penalty != 1)
        paragraph_item(
            "Computation takes %.3f times as long in the node, for its slower memory, also with "
            "a NIC for each processor.",
            a->memory_penalty);
    if (!demand_given)
        paragraph_item("Processors are taken to communicate all at once, as measured programs did "
                       "that synchronize (--demand).");
    paragraph_item("They count as equal: what the busiest NIC has beyond the mean is in 'predict' "
                   "and 'explore', not in here.");
}
