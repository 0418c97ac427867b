/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/csv_output.h"
#include "cli/errors.h"
#include "cli/explore_break_even.h"
#include "cli/explore_options.h"
#include "cli/explore_selection.h"
#include "cli/explore_sensitivity.h"
#include "cli/explore_show.h"
#include "cli/json_output.h"
#include "cli/table_output.h"

#include <stdio.h>
#include <string.h>

/* More rows than anybody reads. */
enum { MOST_SHOWN = 60 };

typedef struct output {
    const clump_cli_explore_columns *columns;
    const clump_cli_selection *selection;
    clump_cli_format format;
    bool first;
} output;

/* One row of the second round: all rows are wanted, and they are too many to be kept. */
static int print_row(const clump_cli_row *row, void *context)
{
    output *o = context;
    if (!clump_cli_selection_passes(o->selection, row))
        return CLUMP_CLI_DONE;
    clump_cli_row marked = *row;
    marked.pareto = clump_cli_selection_is_pareto(o->selection, row);
    const clump_cli_rows rows = clump_cli_explore_rows(o->columns, &marked, 1);
    if (o->format == CLUMP_CLI_CSV)
        clump_cli_csv_print_records(&rows);
    else if (!clump_cli_json_records(&rows, &o->first))
        return clump_cli_error_memory(row->explorer->invocation->arguments.command);
    return ferror(stdout) ? CLUMP_CLI_FAILED : CLUMP_CLI_DONE; /* main tells why */
}

static void set_fields(const clump_cli_explorer *e, const clump_cli_selection *s,
                       clump_cli_field fields[3])
{
    memset(fields, 0, 3 * sizeof *fields);
    fields[0].key = "rows";
    clump_cli_cell_size(&fields[0].value, (size_t)s->passed);
    fields[1].key = "draws";
    fields[2].key = "seed";
    if (e->draws > 0) {
        clump_cli_cell_size(&fields[1].value, e->draws);
        clump_cli_cell_size(&fields[2].value, (size_t)e->seed);
    }
}

static int print_again(clump_cli_explorer *e, const clump_cli_explore_columns *columns,
                       const clump_cli_selection *s)
{
    output o = {columns, s, e->invocation->format, true};
    const clump_cli_rows none = clump_cli_explore_rows(columns, NULL, 0);
    clump_cli_field fields[3];
    if (o.format == CLUMP_CLI_CSV)
        clump_cli_csv_print_header(&none);
    else
        clump_cli_json_begin(none.key);
    const int status = clump_cli_explorer_visit(e, print_row, &o);
    if (status != CLUMP_CLI_DONE || o.format == CLUMP_CLI_CSV)
        return ferror(stdout) ? CLUMP_CLI_DONE : status;
    set_fields(e, s, fields);
    return clump_cli_json_end(o.first, fields, 3);
}

static int print_table(const clump_cli_explore_columns *columns, const clump_cli_selection *s)
{
    const size_t shown = s->best == 0 && s->count > MOST_SHOWN ? MOST_SHOWN : s->count;
    const clump_cli_rows rows = clump_cli_explore_rows(columns, s->rows, shown);
    if (shown == 0) {
        (void)puts(s->passed == 0
                       ? "No row satisfies --where."
                       : "No row is in the Pareto set: none has a number for both keys; a "
                         "price needs --node-price, --nic-price or --port-price.");
        return CLUMP_CLI_DONE;
    }
    const int status = clump_cli_table_print(&rows);
    const uint64_t all = s->best > 0 || s->pareto ? s->count : s->passed;
    if (status == CLUMP_CLI_DONE && all > shown)
        (void)printf(
            "\n%llu more rows: --format csv has them all; --best, --pareto and --where choose "
            "among them.\n",
            (unsigned long long)(all - shown));
    return status;
}

static int print(clump_cli_explorer *e, const clump_cli_explore_columns *columns,
                 const clump_cli_selection *s)
{
    clump_cli_field fields[3];
    if (e->invocation->format == CLUMP_CLI_TABLE)
        return print_table(columns, s);
    if (s->overflow)
        return print_again(e, columns, s);
    const clump_cli_rows rows = clump_cli_explore_rows(columns, s->rows, s->count);
    set_fields(e, s, fields);
    return clump_cli_output_print(e->invocation->format, &rows, fields, 3);
}

static int explore(clump_cli_explorer *e, const clump_cli_show *show)
{
    clump_cli_explore_columns columns;
    clump_cli_selection selection;
    if (!clump_cli_explore_columns_make(e, &columns))
        return clump_cli_error_memory(e->invocation->arguments.command);
    int status = clump_cli_selection_open(e, &selection);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_explorer_visit(e, clump_cli_selection_add, &selection);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_selection_finish(&selection);
    if (status == CLUMP_CLI_DONE)
        status = print(e, &columns, &selection);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_explore_show(&columns, &selection, show);
    clump_cli_selection_free(&selection);
    clump_cli_explore_columns_free(&columns);
    return status;
}

/* Break-evens and indices are a few numbers: there is nothing to draw. */
static int read_show(const clump_cli_arguments *arguments, clump_cli_show *show)
{
    static const size_t others[] = {CLUMP_CLI_EXPLORE_BREAK_EVEN, CLUMP_CLI_EXPLORE_SENSITIVITY};
    const int status = clump_cli_show_read(arguments, CLUMP_CLI_EXPLORE_PLOT, show);
    const bool wanted = clump_cli_plot_request_is_made(&show->plot) || show->html != NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others && status == CLUMP_CLI_DONE; i++)
        if (wanted && clump_cli_option_given(arguments, others[i]))
            return clump_cli_error_usage(arguments->command,
                                         "--%s: found --plot, --plot-script or --html beside it, "
                                         "expected none of them",
                                         clump_cli_explore_options[others[i]].name);
    return status;
}

static int run(const clump_cli_invocation *invocation)
{
    const clump_cli_arguments *arguments = &invocation->arguments;
    clump_cli_explorer explorer;
    clump_cli_show show;
    int status = read_show(arguments, &show);
    if (status != CLUMP_CLI_DONE)
        return status;
    status = clump_cli_explorer_open(invocation, &explorer);
    if (status == CLUMP_CLI_DONE) {
        if (clump_cli_option_given(arguments, CLUMP_CLI_EXPLORE_BREAK_EVEN))
            status = clump_cli_break_even(&explorer);
        else if (clump_cli_option_given(arguments, CLUMP_CLI_EXPLORE_SENSITIVITY))
            status = clump_cli_sensitivity(&explorer);
        else
            status = explore(&explorer, &show);
    }
    clump_cli_explorer_close(&explorer);
    return status;
}

const clump_cli_command clump_cli_command_explore = {
    .name = "explore",
    .operands = "SCENARIO.lua",
    .summary = "Sweep a scenario: what is best, cheapest, enough, and how sure",
    .text =
        "Varies whatever a scenario varies, variables of its script and fields of its scenarios\n"
        "besides, in parallel; keeps what is wanted of millions of rows. With uncertain numbers\n"
        "the slowdown comes as median and 90% band.",
    .examples =
        "clumpmodel explore nics-per-node --sweep most=4,16 --best 5\n"
        "clumpmodel explore figure-8.2 -s N=1:8 -s U=0:1/501 --where 'slowdown < 0.8' --pareto\n"
        "clumpmodel explore figure-8.2 --uncertain U=0.40:0.55 --max-slowdown 1.1",
    .options = clump_cli_explore_options,
    .option_count = CLUMP_CLI_EXPLORE_OPTION_COUNT,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
