/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_show.h"

#include "cli/output/errors.h"
#include "data/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    const clump_explorer *explorer;
    const clump_selection *selection;
    clump_arena *arena;
    const clump_explore_row **rows; /* kept ones, as they were computed */
    const char **labels;            /* one a case, or NULL: nothing needs one */
    clump_result *results;
    result_band *bands; /* or NULL */
    size_t count;
    plot_picture price;
    plot_series price_series[2];
    char title[300];
} builder;

/* ---- what tells cases apart that look the same in all columns of a result */

static bool needs_label(const clump_explore_variable *sweep)
{
    return !sweep->is_field && clump_explore_field(sweep->name) == NULL;
}

static const char *label_case(const builder *b, size_t case_index)
{
    const clump_explorer *e = b->explorer;
    size_t size = 1, used = 0;
    for (size_t i = 0; i < e->settings.sweep_count; i++)
        if (needs_label(&e->settings.sweeps[i]))
            size += strlen(e->settings.sweeps[i].name) +
                    strlen(clump_explorer_value(e, i, case_index)) + 6;
    char *label = clump_arena_take(b->arena, size);
    for (size_t i = 0; i < e->settings.sweep_count && label != NULL; i++)
        if (needs_label(&e->settings.sweeps[i]))
            used += (size_t)snprintf(label + used, size - used, "%s%s = %s", used > 0 ? ", " : "",
                                     e->settings.sweeps[i].name,
                                     clump_explorer_value(e, i, case_index));
    return label;
}

static bool label_cases(builder *b)
{
    bool wanted = false;
    for (size_t i = 0; i < b->explorer->settings.sweep_count; i++)
        wanted = wanted || needs_label(&b->explorer->settings.sweeps[i]);
    if (!wanted)
        return true;
    b->labels = clump_arena_take(b->arena, b->explorer->cases * sizeof *b->labels);
    for (size_t i = 0; i < b->count && b->labels != NULL; i++) {
        const char **label = &b->labels[b->rows[i]->case_index];
        if (*label == NULL && (*label = label_case(b, b->rows[i]->case_index)) == NULL)
            return false;
    }
    return b->labels != NULL;
}

/* ---- rows as results */

static int compare_rows(const void *a, const void *b)
{
    const clump_explore_row *x = *(const clump_explore_row *const *)a;
    const clump_explore_row *y = *(const clump_explore_row *const *)b;
    return (x->index > y->index) - (x->index < y->index);
}

static int compare_results(const void *a, const void *b)
{
    const clump_result *x = *(const clump_result *const *)a, *y = *(const clump_result *const *)b;
    const int order = strcmp(x->scenario, y->scenario);
    return order != 0 ? order : (x > y) - (x < y);
}

/* Rows with one label stand together, in the order in which they were computed. */
static bool sort_by_label(builder *b)
{
    const clump_result **order = clump_arena_take(b->arena, b->count * sizeof *order);
    clump_result *sorted = clump_arena_take(b->arena, b->count * sizeof *sorted);
    result_band *bands = clump_arena_take(b->arena, b->count * sizeof *bands);
    if (order == NULL || sorted == NULL || bands == NULL)
        return false;
    for (size_t i = 0; i < b->count; i++)
        order[i] = &b->results[i];
    qsort(order, b->count, sizeof *order, compare_results);
    for (size_t i = 0; i < b->count; i++) {
        sorted[i] = *order[i];
        if (b->bands != NULL)
            bands[i] = b->bands[order[i] - b->results];
    }
    b->results = sorted;
    b->bands = b->bands != NULL ? bands : NULL;
    return true;
}

static bool add_results(builder *b)
{
    const bool uncertain = b->explorer->settings.draws > 0;
    b->results = clump_arena_take(b->arena, b->count * sizeof *b->results);
    if (uncertain)
        b->bands = clump_arena_take(b->arena, b->count * sizeof *b->bands);
    if (b->results == NULL || (uncertain && b->bands == NULL))
        return false;
    for (size_t i = 0; i < b->count; i++) {
        const clump_explore_row *row = b->rows[i];
        b->results[i] = row->result;
        if (b->labels != NULL)
            b->results[i].scenario = b->labels[row->case_index];
        else if (b->explorer->cases > 1) /* titles that say what is swept tell nothing new */
            b->results[i].scenario = NULL;
        if (uncertain)
            b->bands[i] = (result_band){row->low, row->high};
    }
    return b->labels == NULL || sort_by_label(b);
}

/* ---- what rows are judged by, over price */

static int compare_prices(const void *a, const void *b)
{
    const clump_explore_row *x = *(const clump_explore_row *const *)a;
    const clump_explore_row *y = *(const clump_explore_row *const *)b;
    return (x->price > y->price) - (x->price < y->price);
}

static bool add_prices(builder *b)
{
    const clump_explore_row **order = clump_arena_take(b->arena, b->count * sizeof *order);
    double *numbers = clump_arena_take(b->arena, 4 * b->count * sizeof *numbers);
    if (order == NULL || numbers == NULL)
        return false;
    size_t used[2] = {0, 0};
    memcpy(order, b->rows, b->count * sizeof *order);
    qsort(order, b->count, sizeof *order, compare_prices);
    for (size_t set = 0; set < 2; set++) {
        double *x = numbers + 2 * set * b->count, *y = x + b->count;
        for (size_t i = 0; i < b->count; i++)
            if (isfinite(order[i]->price) && (set == 0 || order[i]->pareto)) {
                x[used[set]] = order[i]->price;
                y[used[set]++] = clump_result_pace(&order[i]->result);
            }
        b->price_series[set] = (plot_series){
            .name = set == 0 ? "all that were kept" : "Pareto set: nothing is better in both",
            .mark = set == 0 ? PLOT_POINTS : PLOT_LINE_POINTS,
            .colour = set == 0 ? 0 : PLOT_BLACK,
            .x = x,
            .y = y,
            .count = used[set]};
    }
    const bool compared = b->count > 0 && b->rows[0]->result.compared_with != NULL;
    b->price =
        (plot_picture){.title = "What each price buys",
                       .x = {.label = "Price of a node"},
                       .y = {.label = compared ? "Time over that on the platform compared with"
                                               : "Slowdown X (time on the Clump / on the NOW)"},
                       .level = 1,
                       .level_name = compared ? "as fast as that" : "as fast as the NOW",
                       .series = b->price_series,
                       .series_count = used[1] > 0 ? 2 : 1};
    return true;
}

/* ---- all of it */

static bool build(builder *b)
{
    b->rows = clump_arena_take(b->arena, (b->count + 1) * sizeof *b->rows);
    if (b->rows == NULL)
        return false;
    b->count = 0; /* what could not be predicted makes no picture */
    for (size_t i = 0; i < b->selection->count; i++)
        if (b->selection->rows[i].result.refused == NULL)
            b->rows[b->count++] = &b->selection->rows[i];
    qsort(b->rows, b->count, sizeof *b->rows, compare_rows);
    return label_cases(b) && add_results(b) && (!b->explorer->priced || add_prices(b));
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
    b.count = selection->count;
    b.arena = clump_arena_new();
    const int status = b.arena != NULL && build(&b) ? show_all(&b, invocation, columns, show)
                                                    : error_memory(command);
    clump_arena_free(b.arena);
    return status;
}
