/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation_plot.h"

#include "cli/output/errors.h"
#include "data/arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SERIES = PLOT_MOST_SERIES, MOST_NAMES = 24 };

typedef struct builder {
    const clump_validation *validation;
    const bool *variants;
    size_t variant_count;
    clump_arena *arena;
    plot_series times[MOST_SERIES], slowdowns[MOST_SERIES];
    size_t time_count, slowdown_count;
    const char *names[MOST_NAMES];
    size_t run_count; /* with a prediction */
} builder;

static bool is_predicted(const clump_validation_run *run)
{
    return run->problem == NULL;
}

/* "table 7.8", or the name of the source. */
static const char *name_dataset(const clump_validation_run *run, clump_arena *arena)
{
    if (run->label == NULL)
        return run->dataset;
    const size_t size = strlen(run->label) + sizeof "table ";
    char *name = clump_arena_take(arena, size);
    if (name != NULL)
        snprintf(name, size, "table %s", run->label);
    return name;
}

/* Predicted over measured times of a variant, of one data set or of all. */
static bool add_times(builder *b, size_t variant, const char *dataset, const char *name)
{
    const clump_validation *v = b->validation;
    double *numbers = clump_arena_take(b->arena, 2 * v->count * sizeof *numbers);
    if (numbers == NULL || name == NULL)
        return false;
    plot_series *series = &b->times[b->time_count];
    *series = (plot_series){.name = name,
                            .mark = PLOT_POINTS,
                            .colour = b->time_count,
                            .x = numbers,
                            .y = numbers + v->count};
    for (size_t i = 0; i < v->count; i++)
        if (is_predicted(&v->runs[i]) &&
            (dataset == NULL || strcmp(v->runs[i].dataset, dataset) == 0)) {
            numbers[series->count] = v->runs[i].measured;
            numbers[v->count + series->count++] = v->runs[i].outcomes[variant].predicted;
        }
    b->time_count += series->count > 0;
    return true;
}

static bool is_first_of_dataset(const clump_validation *v, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(v->runs[i].dataset, v->runs[index].dataset) == 0)
            return false;
    return true;
}

/* A colour for each variant; for a single one, a colour for each data set. */
static bool add_all_times(builder *b)
{
    const clump_validation *v = b->validation;
    for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++) {
        if (!b->variants[k])
            continue;
        if (b->variant_count > 1 && !add_times(b, k, NULL, clump_validation_variants[k].name))
            return false;
        for (size_t i = 0; b->variant_count == 1 && i < v->count; i++)
            if (b->time_count < MOST_SERIES && is_first_of_dataset(v, i) &&
                !add_times(b, k, v->runs[i].dataset, name_dataset(&v->runs[i], b->arena)))
                return false;
    }
    return true;
}

/* What tells a run from the others. */
static const char *name_run(const builder *b, const clump_validation_run *run)
{
    bool platforms = false, layers = false;
    for (size_t i = 0; i < b->validation->count; i++) {
        platforms = platforms || strcmp(b->validation->runs[i].platform, run->platform) != 0;
        layers = layers || strcmp(b->validation->runs[i].layer, run->layer) != 0;
    }
    const size_t size = strlen(run->application) + strlen(run->platform) + strlen(run->layer) + 5;
    char *name = clump_arena_take(b->arena, size);
    if (name != NULL)
        snprintf(name, size, "%s%s%s%s%s", run->application, platforms ? ", " : "",
                 platforms ? run->platform : "", layers ? ", " : "", layers ? run->layer : "");
    return name;
}

/* Slowdowns of all runs, of a variant or, if there is none of that number, as measured. */
static bool add_slowdowns(builder *b, size_t variant, double shift)
{
    const bool measured = variant == CLUMP_VALIDATION_VARIANTS;
    double *numbers = clump_arena_take(b->arena, 4 * b->run_count * sizeof *numbers);
    if (numbers == NULL)
        return false;
    double *const x = numbers, *const y = x + b->run_count, *const low = y + b->run_count,
                  *const high = low + b->run_count;
    size_t used = 0;
    for (size_t i = 0; i < b->validation->count; i++) {
        const clump_validation_run *run = &b->validation->runs[i];
        if (!is_predicted(run))
            continue;
        x[used] = (double)used + shift;
        y[used] = measured ? run->measured / run->now_time : run->outcomes[variant].slowdown;
        /* of a ratio of two independent means */
        const double share =
            hypot(isfinite(run->half_width) ? run->half_width / run->measured : 0,
                  isfinite(run->now_half_width) ? run->now_half_width / run->now_time : 0);
        low[used] = y[used] * (1 - share);
        high[used] = y[used] * (1 + share);
        used++;
    }
    b->slowdowns[b->slowdown_count] = (plot_series){
        .name = measured ? "measured, 95% interval" : clump_validation_variants[variant].name,
        .mark = PLOT_POINTS,
        .measured = measured,
        .colour = measured ? PLOT_BLACK : b->slowdown_count,
        .x = x,
        .y = y,
        .low = measured ? low : NULL,
        .high = measured ? high : NULL,
        .count = used};
    b->slowdown_count++;
    return true;
}

static bool add_all_slowdowns(builder *b)
{
    const double step = fmin(0.12, 0.8 / (double)(b->variant_count + 1));
    double shift = -step * (double)b->variant_count / 2;
    size_t used = 0;
    for (size_t i = 0; i < b->validation->count; i++)
        if (is_predicted(&b->validation->runs[i])) {
            b->names[used] = name_run(b, &b->validation->runs[i]);
            if (b->names[used++] == NULL)
                return false;
        }
    for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++)
        if (b->variants[k]) {
            if (!add_slowdowns(b, k, shift))
                return false;
            shift += step;
        }
    return add_slowdowns(b, CLUMP_VALIDATION_VARIANTS, shift);
}

static int draw(const plot_request *request, output_format format, const builder *b)
{
    const plot_picture plots[] = {{.title = "Predicted against measured times",
                                   .x = {.label = "Measured time (s)", .logarithmic = true},
                                   .y = {.label = "Predicted time (s)", .logarithmic = true},
                                   .diagonal = true,
                                   .series = b->times,
                                   .series_count = b->time_count},
                                  {.title = "Slowdown of each run",
                                   .x = {.label = "Run"},
                                   .y = {.label = "Slowdown X (time on the Clump / on the NOW)"},
                                   .categories = b->names,
                                   .category_count = b->run_count,
                                   .level = 1,
                                   .level_name = "as fast as the NOW",
                                   .series = b->slowdowns,
                                   .series_count = b->slowdown_count}};
    return plot_request_draw(request, plots, b->slowdown_count > 0 ? 2 : 1, format);
}

int validation_draw(const plot_request *request, output_format format,
                    const clump_validation *validation,
                    const bool variants[CLUMP_VALIDATION_VARIANTS])
{
    builder b = {.validation = validation, .variants = variants, .arena = clump_arena_new()};
    for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++)
        b.variant_count += variants[k];
    for (size_t i = 0; i < validation->count; i++)
        b.run_count += is_predicted(&validation->runs[i]);
    int status = EXIT_DONE;
    if (b.run_count == 0)
        status = error_input(request->command, "no picture: found no run that can be predicted");
    else if (b.arena == NULL || !add_all_times(&b) ||
             (b.run_count <= MOST_NAMES && !add_all_slowdowns(&b)))
        status = error_memory(request->command);
    if (status == EXIT_DONE)
        status = draw(request, format, &b);
    clump_arena_free(b.arena);
    return status;
}
