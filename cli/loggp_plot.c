/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/loggp_plot.h"

#include "cli/output/errors.h"
#include "data/arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct builder {
    clump_arena *arena;
    plot_series series[2 * CLUMP_CURVE_KINDS];
    size_t count;
} builder;

/* An axis of sizes by factors has no place for 0; LogGP takes such a message as one of 1 byte. */
static double place_of(const clump_curve_point *point)
{
    return fmax(point->size_bytes, 1);
}

static char *join(clump_arena *arena, const char *first, const char *second)
{
    const size_t size = strlen(first) + strlen(second) + 1;
    char *joined = clump_arena_take(arena, size);
    if (joined != NULL)
        snprintf(joined, size, "%s%s", first, second);
    return joined;
}

static bool add_measured(builder *b, const clump_curve *curve)
{
    double *x = clump_arena_take(b->arena, 2 * curve->count * sizeof *x);
    const char *name = join(b->arena, clump_curve_name(curve->kind), ", measured");
    if (x == NULL || name == NULL)
        return false;
    double *y = x + curve->count;
    for (size_t i = 0; i < curve->count; i++) {
        x[i] = place_of(&curve->points[i]);
        y[i] = curve->points[i].time_us;
    }
    b->series[b->count++] = (plot_series){.name = name,
                                          .mark = PLOT_POINTS,
                                          .colour = (size_t)curve->kind,
                                          .x = x,
                                          .y = y,
                                          .count = curve->count};
    return true;
}

/* The fit at the sizes of one run, the first of each piece; a gap between pieces. Runs may have
 * windows of their own, which the fit knows, and a line through all of them would jump. */
static bool add_fitted(builder *b, const clump_curve *curve)
{
    const size_t room = 2 * curve->count;
    double *x = clump_arena_take(b->arena, 2 * room * sizeof *x);
    const char *name = join(b->arena, clump_curve_name(curve->kind), ", fitted");
    size_t used = 0, run = 0;
    if (x == NULL || name == NULL)
        return false;
    double *y = x + room;
    for (size_t i = 0; i < curve->count; i++) {
        const clump_curve_point *p = &curve->points[i];
        const bool begins = i == 0 || p->piece != p[-1].piece;
        if (begins)
            run = p->run;
        if (begins && i > 0) {
            x[used] = place_of(p);
            y[used++] = NAN;
        }
        if (p->run != run || !isfinite(p->fitted_us))
            continue;
        x[used] = place_of(p);
        y[used++] = p->fitted_us;
    }
    b->series[b->count++] = (plot_series){.name = name,
                                          .mark = PLOT_LINE,
                                          .colour = (size_t)curve->kind,
                                          .x = x,
                                          .y = y,
                                          .count = used};
    return true;
}

int loggp_draw(const plot_request *request, output_format format, const clump_loggp_fit *fit,
               const char *platform)
{
    builder b = {.arena = clump_arena_new()};
    bool made = b.arena != NULL;
    size_t points = 0;
    for (size_t k = 0; k < CLUMP_CURVE_KINDS && made; k++) {
        const clump_curve *curve = &fit->samples.curves[k];
        points += curve->count;
        if (curve->count > 0)
            made = add_measured(&b, curve) && add_fitted(&b, curve);
    }
    int status = EXIT_DONE;
    if (!made)
        status = error_memory(request->command);
    else if (points == 0 || points > PLOT_MOST_POINTS)
        status = error_input(request->command, "no picture: found %zu samples, expected 1 to %d",
                             points, (int)PLOT_MOST_POINTS);
    if (status == EXIT_DONE) {
        const plot_picture plot = {
            .title = platform,
            .x = {.label = "Message size (bytes)", .logarithmic = true, .whole = true},
            .y = {.label = "Time of a message (us)", .logarithmic = true},
            .series = b.series,
            .series_count = b.count};
        status = plot_request_draw(request, &plot, 1, format);
    }
    clump_arena_free(b.arena);
    return status;
}
