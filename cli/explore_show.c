/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_command.h"

#include "cli/output/errors.h"
#include "data/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row that was kept; `label` tells cases apart that look the same in all columns of a result, NULL: nothing does. */
typedef struct shown_row {
    const clump_explore_row *row;
    const char *label;
} shown_row;

typedef struct builder {
    const clump_explorer *explorer;
    const clump_selection *selection;
    clump_arena *arena;
    shown_row *rows;
    clump_result *results;
    result_band *bands; /* or NULL */
    size_t count;
    plot_picture price;
    plot_series price_series[2];
    char title[300];
} builder;

/* ---- rows as results */

/* Those with one label stand together, in the order in which they were computed. */
static int compare_rows(const void *a, const void *b)
{
    const shown_row *x = a, *y = b;
    const int order = x->label != NULL ? strcmp(x->label, y->label) : 0;
    return order != 0 ? order : (x->row->index > y->row->index) - (x->row->index < y->row->index);
}

static bool label_row(const builder *b, shown_row *shown)
{
    const clump_explore_settings *s = &b->explorer->settings;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return false;
    for (size_t i = 0; i < s->sweep_count; i++)
        if (!s->sweeps[i].is_field && clump_explore_field(s->sweeps[i].name) == NULL)
            fprintf(stream, "%s%s = %s", ftell(stream) > 0 ? ", " : "", s->sweeps[i].name,
                    clump_explorer_value(b->explorer, i, shown->row->case_index));
    const bool written = fclose(stream) == 0;
    char *label = written && size > 0 ? clump_arena_take(b->arena, size + 1) : NULL;
    if (label != NULL)
        shown->label = strcpy(label, text);
    free(text);
    return written && (size == 0 || label != NULL);
}

static bool add_results(builder *b)
{
    const bool uncertain = b->explorer->settings.draws > 0;
    b->results = clump_arena_take(b->arena, b->count * sizeof *b->results + 1);
    b->bands = uncertain ? clump_arena_take(b->arena, b->count * sizeof *b->bands + 1) : NULL;
    if (b->results == NULL || (uncertain && b->bands == NULL))
        return false;
    qsort(b->rows, b->count, sizeof *b->rows, compare_rows);
    for (size_t i = 0; i < b->count; i++)
        if (i > 0 && b->rows[i].row->case_index == b->rows[i - 1].row->case_index)
            b->rows[i].label = b->rows[i - 1].label;
        else if (!label_row(b, &b->rows[i]))
            return false;
    qsort(b->rows, b->count, sizeof *b->rows, compare_rows);
    for (size_t i = 0; i < b->count; i++) {
        const shown_row *shown = &b->rows[i];
        b->results[i] = shown->row->result;
        if (shown->label != NULL || b->explorer->cases > 1) /* titles tell nothing new then */
            b->results[i].scenario = shown->label;
        if (uncertain)
            b->bands[i] = (result_band){shown->row->low, shown->row->high};
    }
    return true;
}

/* ---- what rows are judged by, over price */

static int compare_prices(const void *a, const void *b)
{
    const shown_row *x = a, *y = b;
    const double p = x->row->price, q = y->row->price;
    return p < q || p > q ? (p > q) - (p < q)
                          : (x->row->index > y->row->index) - (x->row->index < y->row->index);
}

static bool add_prices(builder *b)
{
    double *numbers = clump_arena_take(b->arena, 4 * b->count * sizeof *numbers + 1);
    if (numbers == NULL)
        return false;
    qsort(b->rows, b->count, sizeof *b->rows, compare_prices);
    for (size_t set = 0; set < 2; set++) {
        double *x = numbers + 2 * set * b->count, *y = x + b->count;
        size_t used = 0;
        for (size_t i = 0; i < b->count; i++) {
            const clump_explore_row *row = b->rows[i].row;
            if (!isfinite(row->price) || (set == 1 && !row->pareto))
                continue;
            x[used] = row->price;
            y[used++] = clump_result_relative_time(&row->result);
        }
        b->price_series[set] = (plot_series){
            .name = set == 0 ? "all that were kept" : "Pareto set: nothing is better in both",
            .mark = set == 0 ? PLOT_POINTS : PLOT_LINE_POINTS,
            .colour = set == 0 ? 0 : PLOT_BLACK,
            .x = x,
            .y = y,
            .count = used};
    }
    const bool compared = b->count > 0 && b->rows[0].row->result.compared_with != NULL;
    b->price =
        (plot_picture){.title = "What each price buys",
                       .x = {.label = "Price of a node"},
                       .y = {.label = compared ? "Time over that on the platform compared with"
                                               : "Slowdown X (time on the Clump / on the NOW)"},
                       .level = 1,
                       .level_name = compared ? "as fast as that" : "as fast as the NOW",
                       .series = b->price_series,
                       .series_count = b->price_series[1].count > 0 ? 2 : 1};
    return true;
}

/* ---- all of it */

static bool build(builder *b)
{
    const clump_selection *kept = b->selection;
    b->rows = clump_arena_take(b->arena, (kept->count + 1) * sizeof *b->rows);
    for (size_t i = 0; i < kept->count && b->rows != NULL; i++)
        if (kept->rows[i].result.refused == NULL) /* what could not be predicted makes no picture */
            b->rows[b->count++].row = &kept->rows[i];
    return b->rows != NULL && add_results(b) && (!b->explorer->priced || add_prices(b));
}

static int show_all(builder *b, const command_invocation *invocation,
                    const explore_columns *columns, const show_options *show)
{
    const clump_explorer *e = b->explorer;
    const table_rows rows = explore_rows(columns, b->selection->rows, b->selection->count);
    const page_table table = {.heading = "Rows that were kept", .rows = &rows};
    const char *scenario = b->selection->rows[0].result.scenario;
    if (e->cases == 1 && scenario != NULL)
        snprintf(b->title, sizeof b->title, "%s", scenario);
    else
        snprintf(b->title, sizeof b->title, "Sweep of %s", invocation->arguments.operands[0]);
    return show_results(show,
                        (result_page){.title = b->title,
                                      .results = b->results,
                                      .bands = b->bands,
                                      .count = b->count,
                                      .chosen = e->cases > 1 || b->count < b->selection->tally.all,
                                      .store = e->settings.stores[0],
                                      .scenario = &e->settings.scenario,
                                      .arguments = &invocation->arguments,
                                      .tables = &table,
                                      .table_count = 1,
                                      .plots = &b->price,
                                      .plot_count = e->priced ? 1 : 0});
}

int explore_show(const command_invocation *invocation, const explore_columns *columns,
                 const clump_selection *selection, const show_options *show)
{
    const char *command = show->plot.command;
    builder b = {.explorer = selection->explorer, .selection = selection};
    if (!plot_request_is_made(&show->plot) && show->html == NULL)
        return EXIT_DONE;
    if (selection->overflow || selection->count == 0)
        return error_input(command,
                           "no picture: found %llu rows, expected 1 to %zu; --where, "
                           "--best and --pareto choose among them",
                           (unsigned long long)selection->tally.passed, CLUMP_SELECTION_MOST_KEPT);
    b.arena = clump_arena_new();
    const int status = b.arena != NULL && build(&b) ? show_all(&b, invocation, columns, show)
                                                    : error_memory(command);
    clump_arena_free(b.arena);
    return status;
}
