/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/explore_options.h"
#include "cli/explore_show.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "exploring/explore_break_even.h"
#include "exploring/explore_selection.h"
#include "exploring/explore_sensitivity.h"

#include <stdio.h>
#include <string.h>

/* More rows than anybody reads. */
enum { MOST_SHOWN = 60 };

typedef struct output {
    const clump_explore_columns *columns;
    const clump_selection *selection;
    output_format format;
    bool first;
} output;

/* One row of the second round: all rows are wanted, and they are too many to be kept. */
static int print_row(const clump_explorer_row *row, void *context)
{
    output *o = context;
    if (!clump_selection_passes(o->selection, row))
        return EXIT_DONE;
    clump_explorer_row marked = *row;
    marked.pareto = clump_selection_is_pareto(o->selection, row);
    const table_rows rows = clump_explore_rows(o->columns, &marked, 1);
    if (o->format == FORMAT_CSV)
        csv_print_records(&rows);
    else if (!json_records(&rows, &o->first))
        return error_memory(row->explorer->invocation->arguments.command);
    return ferror(stdout) ? EXIT_FAILED : EXIT_DONE; /* main tells why */
}

static void set_fields(const clump_explorer *e, const clump_selection *s, output_field fields[3])
{
    memset(fields, 0, 3 * sizeof *fields);
    fields[0].key = "rows";
    cell_size(&fields[0].value, (size_t)s->passed);
    fields[1].key = "draws";
    fields[2].key = "seed";
    if (e->draws > 0) {
        cell_size(&fields[1].value, e->draws);
        cell_size(&fields[2].value, (size_t)e->seed);
    }
}

static int print_again(clump_explorer *e, const clump_explore_columns *columns,
                       const clump_selection *s)
{
    output o = {columns, s, e->invocation->format, true};
    const table_rows none = clump_explore_rows(columns, NULL, 0);
    output_field fields[3];
    if (o.format == FORMAT_CSV)
        csv_print_header(&none);
    else
        json_begin(none.key);
    const int status = clump_explorer_visit(e, print_row, &o);
    if (status != EXIT_DONE || o.format == FORMAT_CSV)
        return ferror(stdout) ? EXIT_DONE : status;
    set_fields(e, s, fields);
    return json_end(o.first, fields, 3);
}

static int print_table(const clump_explore_columns *columns, const clump_selection *s)
{
    const size_t shown = s->best == 0 && s->count > MOST_SHOWN ? MOST_SHOWN : s->count;
    const table_rows rows = clump_explore_rows(columns, s->rows, shown);
    if (shown == 0) {
        puts(s->passed == 0 ? "No row satisfies --where."
                            : "No row is in the Pareto set: none has a number for both keys; a "
                              "price needs --node-price, --nic-price or --port-price.");
        return EXIT_DONE;
    }
    const int status = table_print(&rows);
    const uint64_t all = s->best > 0 || s->pareto ? s->count : s->passed;
    if (status == EXIT_DONE && all > shown)
        printf("\n%llu more rows: --format csv has them all; --best, --pareto and --where choose "
               "among them.\n",
               (unsigned long long)(all - shown));
    return status;
}

static int print(clump_explorer *e, const clump_explore_columns *columns, const clump_selection *s)
{
    output_field fields[3];
    if (e->invocation->format == FORMAT_TABLE)
        return print_table(columns, s);
    if (s->overflow)
        return print_again(e, columns, s);
    const table_rows rows = clump_explore_rows(columns, s->rows, s->count);
    set_fields(e, s, fields);
    return output_print(e->invocation->format, &rows, fields, 3);
}

static int explore(clump_explorer *e, const show_options *show)
{
    clump_explore_columns columns;
    clump_selection selection;
    if (!clump_explore_columns_make(e, &columns))
        return error_memory(e->invocation->arguments.command);
    int status = clump_selection_open(e, &selection);
    if (status == EXIT_DONE)
        status = clump_explorer_visit(e, clump_selection_add, &selection);
    if (status == EXIT_DONE)
        status = clump_selection_finish(&selection);
    if (status == EXIT_DONE)
        status = print(e, &columns, &selection);
    if (status == EXIT_DONE)
        status = explore_show(&columns, &selection, show);
    clump_selection_free(&selection);
    clump_explore_columns_free(&columns);
    return status;
}

/* Break-evens and indices are a few numbers: there is nothing to draw. */
static int read_show(const command_line *arguments, show_options *show)
{
    static const size_t others[] = {EXPLORE_BREAK_EVEN, EXPLORE_SENSITIVITY};
    const int status = show_read(arguments, EXPLORE_PLOT, show);
    const bool wanted = plot_request_is_made(&show->plot) || show->html != NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others && status == EXIT_DONE; i++)
        if (wanted && option_given(arguments, others[i]))
            return error_usage(arguments->command,
                               "--%s: found --plot, --plot-script or --html beside it, "
                               "expected none of them",
                               explore_options[others[i]].name);
    return status;
}

static int run(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    clump_explorer explorer;
    show_options show;
    int status = read_show(arguments, &show);
    if (status != EXIT_DONE)
        return status;
    status = clump_explorer_open(invocation, &explorer);
    if (status == EXIT_DONE) {
        if (option_given(arguments, EXPLORE_BREAK_EVEN))
            status = clump_break_even(&explorer);
        else if (option_given(arguments, EXPLORE_SENSITIVITY))
            status = clump_sensitivity(&explorer);
        else
            status = explore(&explorer, &show);
    }
    clump_explorer_close(&explorer);
    return status;
}

const command_entry command_explore = {
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
    .options = explore_options,
    .option_count = EXPLORE_OPTION_COUNT,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
