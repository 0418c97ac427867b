/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/node_options.h"
#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/output/results.h"
#include "exploring/inputs.h"
#include "model/prediction.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the question */

enum { MOST_ROWS = 1000000 };

typedef struct settings {
    node_settings asked;
    option_reals utilizations;
    option_wholes nics, group_sizes;
} settings;

static const settings initial = {.asked = NODE_SETTINGS_INITIAL};

static const option_entry options[] = {
    {.name = "processors",
     .letter = 'P',
     .argument = "P",
     .help = "processors of a node",
     .required = true,
     OPTION_OF(settings, asked.node.processors),
     .from = 1,
     .to = CLUMP_MAX_PROCESSORS,
     .expected = "a whole number of processors, 1 to 100000000"},
    {.name = "nics",
     .letter = 'N',
     .argument = "N",
     .help = "NICs of a node; or several numbers, 1,2,4 or 1:8, with a\n"
             "row for each",
     .required = true,
     OPTION_OF(settings, nics),
     .from = 1,
     .to = CLUMP_MAX_PROCESSORS,
     .expected = "a whole number of NICs, 1 to 100000000, or several, such as 1:8"},
    {.name = "utilization",
     .letter = 'U',
     .argument = "U",
     .help = "share of its time that a processor communicates on the\n"
             "NOW, 0.48 or 48%; or P numbers with commas, one for\n"
             "each processor, or @FILE that has them",
     .required = true,
     OPTION_OF(settings, utilizations),
     .least = 0,
     .most = 1,
     .expected = "numbers from 0 to 1"},
    {.name = "mapping",
     .argument = "pooled|static",
     .help = "every processor uses all NICs (pooled, default) or is\n"
             "tied to one (static)",
     OPTION_AS(CHOICE, settings, asked.node.mapping)},
    {.name = "group-sizes",
     .argument = "A,B,...",
     .help = "numbers of processors on each NIC, for a static mapping\n"
             "(default: as even as possible)",
     OPTION_OF(settings, group_sizes),
     .to = CLUMP_MAX_PROCESSORS,
     .expected = "whole numbers of processors, such as 3,3,2"},
    {.name = "max-nics-per-processor",
     .argument = "M",
     .help = "NICs that one processor can drive at once, 1 or more\n"
             "(default: no limit)",
     OPTION_OF(settings, asked.node.max_nics_per_processor),
     .least = 1,
     .most = DBL_MAX,
     .expected = "a number of NICs, at least 1"},
    {0},
};

/* What the options say together; what the engine does not have for them it says itself. */
static int check_options(const command_line *line, settings *s)
{
    clump_node *node = &s->asked.node;
    const size_t P = node->processors, U = s->utilizations.count, N = s->nics.count,
                 groups = s->group_sizes.count;
    char hint[OPTION_HINT_SIZE];
    s->asked.load.utilizations = s->utilizations.values;
    s->asked.load.utilization_count = U;
    node->nics = s->nics.values[0];
    if (groups > 0 && !option_is_given(line, "mapping"))
        node->mapping = CLUMP_MAPPING_STATIC;
    if (groups > 0)
        node->group_sizes = s->group_sizes.values;
    if (U != 1 && U != P)
        return error_usage(
            line->command,
            "--utilization: found %zu values, expected 1 or one for each of the %zu processors%s",
            U, P, option_comma_hint(option_text(line, "utilization"), hint));
    if (U > 1 && option_is_given(line, "half-width"))
        return error_usage(line->command,
                           "--half-width: found it with %zu utilizations, expected it with one", U);
    if (N > 1 && groups > 0)
        return error_usage(line->command,
                           "--nics: found %zu numbers, expected one beside --group-sizes", N);
    if (N > MOST_ROWS / U)
        return error_usage(
            line->command,
            "--nics: found %zu numbers and %zu utilizations, expected at most %d rows", N, U,
            (int)MOST_ROWS);
    if (groups > 0 && groups != node->nics)
        return error_usage(line->command,
                           "--group-sizes: found %zu, expected one for each of the %zu NICs",
                           groups, node->nics);
    if (node->max_nics_per_processor > 0 && node->mapping == CLUMP_MAPPING_STATIC)
        return error_usage(
            line->command,
            "--max-nics-per-processor: found a static mapping, expected a pooled one");
    return node_options_check(line, &s->asked);
}

/* ---- the answer */

typedef struct answer {
    clump_prediction prediction; /* for the last number of NICs */
    double *slowdowns;           /* P, or NULL */
    clump_result *results;       /* room for all */
    size_t count;
    bool stopped; /* there are fewer than were asked for */
} answer;

/* One row for the node, or one for each processor where they differ. Shares that nobody gave are those of a program
 * without local traffic, and not worth a column. */
static clump_status add_node(const settings *s, const command_line *line, answer *a,
                             clump_error *error)
{
    const clump_prediction_details details = {.slowdowns = a->slowdowns};
    clump_status status =
        clump_predict(&s->asked.node, &s->asked.load, &a->prediction, &details, error);
    if (status != CLUMP_OK)
        return status;
    clump_result row = clump_result_make(&s->asked.node, &s->asked.load, &a->prediction);
    row.scenario = "slowdown";
    if (!option_is_given(line, "remote-fraction"))
        row.remote_fraction = row.cost_ratio = CLUMP_RESULT_NONE;
    row.memory_penalty = row.waiting_fraction = CLUMP_RESULT_NONE;
    if (a->slowdowns == NULL)
        status = clump_inputs_of_utilization(&s->asked.node, &s->asked.load, s->asked.half_width,
                                             &row, error);
    if (a->slowdowns == NULL && status == CLUMP_OK)
        a->results[a->count++] = row;
    for (size_t p = 0; a->slowdowns != NULL && p < s->asked.load.utilization_count; p++)
        a->results[a->count++] =
            clump_result_of_processor(&row, &s->asked.load, p, a->slowdowns[p]);
    return status;
}

/* For each number of NICs, with progress, until ^C; the node keeps the last. */
static clump_status add_all(settings *s, const command_invocation *invocation, answer *a,
                            clump_error *error)
{
    clump_status status = CLUMP_OK;
    progress_bar bar;
    progress_start(&bar, invocation->quiet);
    const clump_watch guard = progress_watch(&bar);
    s->asked.node.watch = &guard;
    interrupt_catch();
    for (size_t i = 0; i < s->nics.count && status == CLUMP_OK; i++) {
        s->asked.node.nics = s->nics.values[i];
        status = add_node(s, &invocation->arguments, a, error);
    }
    interrupt_release();
    progress_clear(&bar);
    s->asked.node.watch = NULL;
    return status;
}

static int answer_question(settings *s, const command_invocation *invocation, answer *a)
{
    const char *command = invocation->command->name;
    const size_t P = s->asked.node.processors, U = s->asked.load.utilization_count;
    clump_error error = {CLUMP_OK, ""};
    a->results = calloc(s->nics.count * U, sizeof *a->results);
    a->slowdowns = U > 1 ? calloc(P, sizeof(double)) : NULL;
    if (a->results == NULL || (U > 1 && a->slowdowns == NULL))
        return error_memory(command);
    const clump_status status = add_all(s, invocation, a, &error);
    a->stopped = status == CLUMP_STOPPED;
    if (status == CLUMP_OK || (a->stopped && a->count > 0))
        return EXIT_DONE;
    return a->stopped                     ? interrupt_told(command, "there is no result yet")
           : status == CLUMP_BAD_ARGUMENT ? error_usage(command, "%s", error.message)
                                          : error_failed(command, "%s", error.message);
}

/* ---- for eyes */

static void print_line(const char *name, double value, const char *format)
{
    char text[64];
    if (!isfinite(value))
        return;
    snprintf(text, sizeof text, format, value);
    printf("%-24s%s\n", name, text);
}

static const char *show_ratio(double value, char text[SHOWN_SIZE])
{
    table_cell cell = {0};
    cell_real(&cell, value);
    return cell_show(&cell, NUMBER_RATIO, text);
}

/* The slowest processor only where it is another number. */
static void print_slowdowns(const char *name, const clump_prediction *prediction)
{
    char mean[SHOWN_SIZE], slowest[SHOWN_SIZE];
    const char *shown = show_ratio(prediction->slowdown, mean);
    printf("%-24s%s\n", name, shown);
    if (strcmp(show_ratio(prediction->slowest, slowest), shown) != 0)
        printf("%-24s%s\n", "Slowest processor", slowest);
}

/* What makes the answer too good, unless the question says otherwise. */
static void print_assumption(const clump_node *node)
{
    if (node->mapping == CLUMP_MAPPING_POOLED && node->nics > 1 &&
        !(node->max_nics_per_processor > 0))
        printf("Assumes that one processor can keep all %zu NICs busy; with short messages\n"
               "it usually cannot (--max-nics-per-processor).\n",
               node->nics);
}

static void print_verdict(const answer *a)
{
    char text[SLOWDOWN_WORDS_SIZE];
    printf("\nThe Clump takes %s", slowdown_words(a->prediction.slowdown, "the NOW", text));
    const bool differ = a->prediction.slowest > a->prediction.slowdown * 1.0005;
    if (differ)
        printf(";\nprocessor %zu, the slowest, takes %s", a->prediction.slowest_processor + 1,
               slowdown_words(a->prediction.slowest, "the NOW", text));
    fputs(".\n", stdout);
    if (a->count > 1 && a->results[0].demand == CLUMP_DEMAND_CORRELATED)
        printf("Correlated processors wait for the slowest, number %zu, before they start again;\n"
               "their own slowdowns leave that out.\n",
               a->prediction.slowest_processor + 1);
    if (differ && a->results[0].demand == CLUMP_DEMAND_SCHEDULED)
        puts("Of all schedules this one has the least mean slowdown; for the slowest\n"
             "processor alone another may be better.");
}

static void print_interval(const clump_result *r)
{
    double low, high;
    if (result_interval(r, NAN, NAN, &low, &high))
        printf("%-24s%.2f to %.2f (%s)\n", "90% interval", low, high,
               r->input_low > 0 ? "with that of the utilization" : "inputs taken as exact");
}

/* "shared, feeds 2, share 0.5 (queue)" */
static void print_memory(const clump_result *r)
{
    if (r->memory_law == NULL)
        return;
    printf("%-24sshared, feeds %.4g", "Memory", r->memory_feeds);
    if (isfinite(r->memory_share))
        printf(", share %.4g", r->memory_share);
    printf(" (%s)\n", r->memory_law);
}

/* What one result is of as a list, which is easier to read than a table of one row. */
static void print_list(const clump_result *r)
{
    char demand[CLUMP_DEMAND_NAME_SIZE];
    clump_demand_name(r->demand, r->gang_size, demand);
    printf("%-24s%zu\n", "Processors", r->processors);
    printf("%-24s%zu, %s\n", "NICs", r->nics, clump_mapping_name(r->mapping));
    if (r->max_nics_per_processor > 0)
        print_line("NICs per processor", r->max_nics_per_processor, "at most %.4g");
    print_line("Utilization", r->utilization, "%.4g");
    printf("%-24s%s\n", "Demand", demand);
    print_line("Remote fraction", r->remote_fraction, "%.4g");
    print_line("Cost ratio", r->cost_ratio, "%.4g");
    print_memory(r);
    putchar('\n');
}

static int print_for_eyes(const answer *a, const settings *s)
{
    const bool several = s->nics.count > 1;
    if (a->count > 1 || several) {
        const table_rows rows = result_rows(a->results, a->count);
        const int status = table_print(&rows);
        if (status != EXIT_DONE)
            return status;
        putchar('\n');
    } else {
        print_list(&a->results[0]);
    }
    if (!several) {
        const clump_result *r = &a->results[0];
        char least[SHOWN_SIZE], greatest[SHOWN_SIZE];
        print_slowdowns(a->count > 1 && r->demand != CLUMP_DEMAND_CORRELATED ? "Mean slowdown"
                                                                             : "Slowdown",
                        &a->prediction);
        if (a->count == 1)
            print_interval(r);
        printf("%-24s%s to %s\n", "Any schedule", show_ratio(a->prediction.bounds.least, least),
               show_ratio(a->prediction.bounds.greatest, greatest));
        print_line("Mean communicating", r->mean_active, "%.4g");
        print_line("NIC utilization", 100 * r->nic_utilization, "%.1f%%");
        if (a->count == 1 && r->memory_law != NULL)
            print_line("Memory utilization", 100 * r->memory_utilization, "%.1f%%");
        print_verdict(a);
    }
    print_assumption(&s->asked.node);
    return EXIT_DONE;
}

static size_t rows_expected(const settings *s)
{
    return s->nics.count * s->asked.load.utilization_count;
}

static int print_answer(const command_invocation *invocation, const answer *a, const settings *s)
{
    const table_rows rows = result_rows(a->results, a->count);
    output_field fields[6];
    size_t count = 0;
    if (invocation->format == FORMAT_TABLE)
        return print_for_eyes(a, s);
    if (a->stopped) {
        fields[count++] = field_text("incomplete", "interrupted");
        fields[count++] = field_size("rows_expected", rows_expected(s));
    }
    if (a->count > 1 && s->nics.count == 1) {
        fields[count++] = field_real("mean_slowdown", a->prediction.slowdown);
        fields[count++] = field_real("slowest_slowdown", a->prediction.slowest);
        fields[count++] = field_real("lower_bound", a->prediction.bounds.least);
        fields[count++] = field_real("upper_bound", a->prediction.bounds.greatest);
    }
    return output_print(invocation->format, &rows, fields, count);
}

static int run_slowdown(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    answer a = {.results = NULL};
    int status = check_options(&invocation->arguments, s);
    if (status == EXIT_DONE)
        status = answer_question(s, invocation, &a);
    if (status == EXIT_DONE)
        status = print_answer(invocation, &a, s);
    if (status == EXIT_DONE && a.stopped) {
        if (invocation->format == FORMAT_TABLE)
            interrupt_mark_table("rows", a.count, rows_expected(s));
        status = interrupt_told_part(invocation->command->name, "rows", a.count, rows_expected(s));
    }
    free(a.slowdowns);
    free(a.results);
    return status;
}

static const option_table tables[] = {{options, 0}, {node_options, offsetof(settings, asked)}, {0}};

const command_entry command_slowdown = {
    .name = "slowdown",
    .summary = "Predict the slowdown of one node, without a scenario",
    .text =
        "A node of P processors that share N NICs (a Clump) is compared with a NOW, where each\n"
        "processor has its own NIC. The slowdown X is execution time on the Clump over execution\n"
        "time on the NOW: below 1 the Clump is faster. 'clumpmodel recommend' says how many NICs\n"
        "a node needs; 'clumpmodel predict nics-per-node' is a scenario to start from.",
    .examples = "clumpmodel slowdown --processors 8 --nics 4 --utilization 0.48\n"
                "clumpmodel slowdown -P 8 -N 3 -U 0.3 --group-sizes 3,3,2 --demand gang:2\n"
                "clumpmodel slowdown -P 8 -N 1:8 -U 48% --demand correlated",
    .tables = tables,
    .settings_size = sizeof(settings),
    .initial = &initial,
    .run = run_slowdown,
};
