/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_plot.h"

#include "cli/output/errors.h"
#include "cli/pictures/result_curves.h"
#include "data/arena.h"

#include <stdlib.h>
#include <string.h>

/* The rows that bear one title, from `first` on. */
static size_t scenario_length(const clump_result *results, size_t count)
{
    size_t length = 1;
    while (length < count && (results->scenario == results[length].scenario ||
                              (results->scenario != NULL && results[length].scenario != NULL &&
                               strcmp(results->scenario, results[length].scenario) == 0)))
        length++;
    return length;
}

/* Can the curves of the sets stand in one picture? */
static bool can_share(const result_curves *sets, size_t count)
{
    size_t with_many = 0, series = 0;
    for (size_t i = 0; i < count; i++) {
        if (sets[i].names || sets[i].x != sets[0].x)
            return false;
        with_many += sets[i].series_count > 1;
        series += sets[i].series_count;
    }
    return with_many <= 1 && series <= PLOT_MOST_SERIES;
}

/* Sets that share a picture: one with several curves names it, the others are curves by their
 * title. Returns whether there is memory. */
static bool join(clump_arena *arena, const result_curves *sets, size_t count, plot_picture *plot)
{
    size_t all = 0, used = 0;
    for (size_t i = 0; i < count; i++)
        all += sets[i].series_count;
    plot_series *series = clump_arena_take(arena, all * sizeof *series);
    if (series == NULL)
        return false;
    *plot = sets[0].plot;
    plot->title = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool single = sets[i].series_count == 1;
        memcpy(series + used, sets[i].plot.series, sets[i].series_count * sizeof *series);
        if (single) {
            series[used].name = sets[i].plot.title;
            series[used].colour = i;
        }
        used += sets[i].series_count;
        if (single)
            continue;
        plot->title = sets[i].plot.title;
        plot->ordered = sets[i].plot.ordered;
    }
    for (size_t i = 0, at = 0; i < count; at += sets[i].series_count, i++)
        if (sets[i].series_count == 1 && plot->title != NULL)
            series[at].colour = PLOT_BLACK;
    plot->series = series;
    plot->series_count = all;
    return true;
}

/* As many following sets as possible into each picture. */
static bool join_all(const result_curves *sets, size_t count, result_plots *plots)
{
    size_t taken;
    plots->plots = clump_arena_take(plots->memory, count * sizeof *plots->plots);
    if (plots->plots == NULL)
        return false;
    for (size_t first = 0; first < count; first += taken) {
        for (taken = 1; first + taken < count; taken++)
            if (!can_share(sets + first, taken + 1))
                break;
        plot_picture *plot = &plots->plots[plots->count++];
        if (taken == 1)
            *plot = sets[first].plot;
        else if (!join(plots->memory, sets + first, taken, plot))
            return false;
    }
    return true;
}

static int make_lines(const char *command, const clump_result *results, const result_band *bands,
                      size_t count, result_plots *plots)
{
    enum { MOST = PLOT_MOST_PICTURES * PLOT_MOST_SERIES };
    result_curves *sets = calloc(MOST, sizeof *sets);
    size_t used = 0, length;
    int status = sets != NULL ? EXIT_DONE : error_memory(command);
    for (size_t first = 0; first < count && status == EXIT_DONE; first += length) {
        length = scenario_length(results + first, count - first);
        if (used == MOST)
            status = error_input(
                command, "no picture: found more than %d scenarios, expected fewer", (int)MOST);
        else
            status =
                result_curves_make(command, results + first, bands != NULL ? bands + first : NULL,
                                   length, plots->memory, &sets[used++]);
    }
    if (status == EXIT_DONE && !join_all(sets, used, plots))
        status = error_memory(command);
    free(sets);
    return status;
}

static int make_heat_maps(const char *command, const clump_result *results, size_t count,
                          result_plots *plots)
{
    size_t length;
    int status = EXIT_DONE;
    plots->plots = clump_arena_take(plots->memory, PLOT_MOST_PICTURES * sizeof *plots->plots);
    if (plots->plots == NULL)
        return error_memory(command);
    for (size_t first = 0; first < count && status == EXIT_DONE; first += length) {
        length = scenario_length(results + first, count - first);
        status = result_heat_make(command, results + first, length, plots->memory, plots->plots,
                                  &plots->count);
    }
    if (status == EXIT_DONE && plots->count == 0)
        status = error_input(command, "no heat map: found no two quantities that vary, "
                                      "expected such as nics and utilization");
    return status;
}

int result_plots_make(const char *command, const clump_result *results, const result_band *bands,
                      size_t count, result_plot_kind kind, result_plots *plots)
{
    *plots = (result_plots){.plots = NULL};
    if (count == 0)
        return error_input(command, "no picture: found no results to draw");
    if (count > PLOT_MOST_POINTS)
        return error_input(command,
                           "no picture: found %zu results, expected %d at most; use coarser steps",
                           count, (int)PLOT_MOST_POINTS);
    plots->memory = clump_arena_new();
    if (plots->memory == NULL)
        return error_memory(command);
    const int status = kind == RESULT_PLOT_HEAT ? make_heat_maps(command, results, count, plots)
                                                : make_lines(command, results, bands, count, plots);
    if (status != EXIT_DONE)
        result_plots_free(plots);
    return status;
}

void result_plots_free(result_plots *plots)
{
    clump_arena_free(plots->memory);
    *plots = (result_plots){.plots = NULL};
}
