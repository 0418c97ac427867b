/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recommend_application.h"

#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/paragraph.h"
#include "scenarios/scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCRIPT = 1200, MESSAGE = 1000 };

/* A string of the language, whatever the name has in it. */
static size_t quote(const char *text, char *to, size_t room)
{
    size_t used = (size_t)snprintf(to, room, "\"");
    for (; *text != '\0' && used < room; text++)
        used += (size_t)snprintf(to + used, room - used, "\\%03u", (unsigned char)*text);
    if (used < room)
        used += (size_t)snprintf(to + used, room - used, "\"");
    return used;
}

/* As `predict` has it: its first and only row. */
static void write_script(const recommend_application *a, char script[SCRIPT])
{
    size_t used = (size_t)snprintf(script, SCRIPT, "return scenario { application = application ");
    used += quote(a->name, script + used, SCRIPT - used);
    used += (size_t)snprintf(script + used, SCRIPT - used, ", platform = platform ");
    used += quote(a->platform, script + used, SCRIPT - used);
    if (a->processors > 0)
        used += (size_t)snprintf(script + used, SCRIPT - used, ", processors = %zu", a->processors);
    snprintf(script + used, SCRIPT - used, ", demand = \"correlated\" }");
}

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

/* Names of the store are shorter than this. */
static bool keep_name(const char *name, char kept[RECOMMEND_APPLICATION_NAME])
{
    const size_t length = strlen(name);
    if (length >= RECOMMEND_APPLICATION_NAME)
        return false;
    memcpy(kept, name, length + 1);
    return true;
}

int recommend_application_read(const command_invocation *invocation, const char *name,
                               const char *platform, size_t processors, recommend_application *a)
{
    const char *command = invocation->command->name;
    char script[SCRIPT], message[MESSAGE] = "";
    clump_store *store = NULL;
    clump_scenario_results results;
    *a = (recommend_application){.processors = processors, .as_platform = processors == 0};
    if (!keep_name(name, a->name) || !keep_name(platform, a->platform))
        return error_usage(command,
                           "--application and --platform: found a name of more than %d characters, "
                           "expected those of the database",
                           RECOMMEND_APPLICATION_NAME - 1);
    int status = database_open(invocation, &store);
    if (status != EXIT_DONE)
        return status;
    write_script(a, script);
    const clump_scenario_options options = {
        .path = "--application", .text = script, .text_size = strlen(script), .store = store};
    const clump_scenario_status done =
        clump_scenario_run(&options, &results, message, sizeof message);
    if (done == CLUMP_SCENARIO_OK) {
        status = take_row(command, &results.rows[0], a);
        clump_scenario_results_free(&results);
    } else { /* without the line of a script that nobody wrote */
        static const char where[] = "--application:1: ";
        const bool placed = strncmp(message, where, sizeof where - 1) == 0;
        char told[MESSAGE + 40];
        snprintf(told, sizeof told, "%s%s", placed ? "--application: " : "",
                 placed ? message + sizeof where - 1 : message);
        status = error_told(command, done == CLUMP_SCENARIO_BAD_INPUT, told);
    }
    clump_store_close(store);
    return status;
}

static void print_sentence(const char *text)
{
    printf("  ");
    paragraph_print(text, 2, 4, 80);
}

void recommend_application_print(const recommend_application *a, bool demand_given)
{
    char text[700];
    puts("\nWhat was counted");
    snprintf(text, sizeof text,
             "%s on %s: with a NIC for each processor it takes %.4g s; processors communicate "
             "%.1f%% of that, and %.0f%% of the communication leaves the node.",
             a->name, a->platform, a->now_s, 100 * a->utilization, 100 * a->remote_fraction);
    print_sentence(text);
    if (a->as_platform) {
        snprintf(
            text, sizeof text,
            "Nodes are taken to have %zu processor%s, as those of the platform (--processors).",
            a->processors, a->processors == 1 ? "" : "s");
        print_sentence(text);
    }
    if (a->memory_penalty != 1) {
        snprintf(
            text, sizeof text,
            "Computation takes %.3f times as long in the node, for its slower memory, also with "
            "a NIC for each processor.",
            a->memory_penalty);
        print_sentence(text);
    }
    if (!demand_given)
        print_sentence("Processors are taken to communicate all at once, as measured programs did "
                       "that synchronize (--demand).");
    print_sentence("They count as equal: what the busiest NIC has beyond the mean is in 'predict' "
                   "and 'explore', not in here.");
}
