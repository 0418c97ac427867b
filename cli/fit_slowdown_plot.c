/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_slowdown_output.h"
#include "cli/output/errors.h"
#include "data/arena.h"

#include <math.h>
#include <stdio.h>

typedef struct builder {
    const fit_slowdown_answer *answer;
    clump_arena *arena;
    size_t count;
    const char **names;
    plot_series series[2];
} builder;

static const char *name_run(const builder *b, const clump_slowdown_run *run)
{
    enum { SIZE = 96 };
    char *name = clump_arena_take(b->arena, SIZE);
    if (name != NULL)
        snprintf(name, SIZE, "%zu on %zu NIC%s%s", run->processors, run->nics,
                 run->nics == 1 ? "" : "s",
                 run->mapping == CLUMP_MAPPING_STATIC && run->nics > 1 ? ", static" : "");
    return name;
}

/* Half of the 95% interval of a time whose error is known; 0: it is not. */
static double half_width(const clump_slowdown_run *run)
{
    const double normal = 1.959963984540054;
    return isfinite(run->relative_error) ? normal * run->relative_error * run->time_s : 0;
}

static bool add_runs(builder *b)
{
    enum { ARRAYS = 6 };
    const clump_slowdown_question *q = &b->answer->asked->question;
    double *const numbers = clump_arena_take(b->arena, ARRAYS * b->count * sizeof *numbers);
    b->names = clump_arena_take(b->arena, b->count * sizeof *b->names);
    if (numbers == NULL || b->names == NULL)
        return false;
    double *const left = numbers, *const right = left + b->count, *const fitted = right + b->count,
                  *const measured = fitted + b->count, *const low = measured + b->count,
                  *const high = low + b->count;
    for (size_t i = 0; i < b->count; i++) {
        const clump_slowdown_run *run = &q->runs[i];
        b->names[i] = name_run(b, run);
        if (b->names[i] == NULL)
            return false;
        left[i] = (double)i - 0.06;
        right[i] = (double)i + 0.06;
        fitted[i] = b->answer->fit->fitted_s[i];
        measured[i] = run->time_s;
        low[i] = run->time_s - half_width(run);
        high[i] = run->time_s + half_width(run);
    }
    b->series[0] = (plot_series){
        .name = "fitted", .mark = PLOT_POINTS, .x = left, .y = fitted, .count = b->count};
    b->series[1] = (plot_series){.name = "measured, 95% interval",
                                 .mark = PLOT_POINTS,
                                 .measured = true,
                                 .colour = PLOT_BLACK,
                                 .x = right,
                                 .y = measured,
                                 .low = low,
                                 .high = high,
                                 .count = b->count};
    return true;
}

int fit_slowdown_draw(const plot_request *request, output_format format,
                      const fit_slowdown_answer *answer)
{
    enum { MOST_RUNS = 60 };
    builder b = {.answer = answer, .count = answer->asked->question.run_count};
    if (b.count > MOST_RUNS)
        return error_input(request->command,
                           "no picture: found %zu configurations, expected %d at most", b.count,
                           (int)MOST_RUNS);
    b.arena = clump_arena_new();
    int status = EXIT_DONE;
    if (b.arena == NULL || !add_runs(&b)) {
        status = error_memory(request->command);
    } else {
        const plot_picture plot = {
            .title = answer->application != NULL ? answer->application : "Fitted to measured times",
            .x = {.label = "Processors on NICs"},
            .y = {.label = answer->asked->runs.slowdowns ? "Slowdown X" : "Time (s)"},
            .categories = b.names,
            .category_count = b.count,
            .series = b.series,
            .series_count = 2};
        status = plot_request_draw(request, &plot, 1, format);
    }
    clump_arena_free(b.arena);
    return status;
}
