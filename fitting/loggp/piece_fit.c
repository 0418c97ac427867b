/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/piece_fit.h"

#include "fitting/loggp/robust_line.h"
#include "model/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { EFFORT = 60, PRIOR = 8 };

/* Numbers of a curve's points, all of one length. */
typedef struct work {
    double *x, *time, *scale, *scratch;
} work;

static bool work_start(work *w, size_t count)
{
    w->x = malloc((4 * count + 1) * sizeof *w->x);
    if (w->x == NULL)
        return false;
    w->time = w->x + count;
    w->scale = w->time + count;
    w->scratch = w->scale + count;
    return true;
}

double clump_point_scale(double scatter, double relative_resolution)
{
    /* A rounding error is even over a step: its variance is that of the step over 12. */
    return sqrt(scatter * scatter + relative_resolution * relative_resolution / 12);
}

static bool is_windowed(const clump_curve_point *p)
{
    return p->window > 0 && p->waiting != CLUMP_WAITS_NEVER;
}

/* Can the round trip be told from windows of different sizes? A fourfold range does. */
static size_t parameters_of(const clump_curve_point *points, size_t count)
{
    double least = INFINITY, most = 0;
    size_t windowed = 0;
    for (size_t i = 0; i < count; i++)
        if (is_windowed(&points[i])) {
            windowed++;
            least = fmin(least, points[i].window);
            most = fmax(most, points[i].window);
        }
    return windowed >= 8 && most >= 4 * least ? 4 : 2;
}

/* How often does a window matter here? Not at all where the round trip is not known. */
static bool has_windows(const clump_curve_point *points, size_t count, size_t parameters)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any =
            any || (is_windowed(&points[i]) && (parameters > 2 || !isnan(points[i].round_trip_us)));
    return any;
}

/* A line through the points that wait least; a start for the rest, or all there is. */
static clump_robust_line fit_line(const clump_curve_point *points, size_t count,
                                  const clump_robust_line *start, work *w)
{
    double widest = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (is_windowed(&points[i]))
            widest = fmax(widest, points[i].window);
    for (size_t i = 0; i < count; i++)
        if (!is_windowed(&points[i]) || 2 * points[i].window >= widest) {
            w->x[used] = clump_curve_extra_bytes(points[i].size_bytes);
            w->time[used] = points[i].time_us;
            w->scratch[used++] = w->scale[i];
        }
    const clump_line_points line = {w->x, w->time, w->scratch, used};
    return clump_robust_line_fit(&line, start, EFFORT);
}

static clump_status fit_one(const clump_curve *curve, clump_piece *piece,
                            const clump_robust_line *start, work *w)
{
    const clump_curve_point *points = curve->points + piece->first;
    const clump_robust_line line = fit_line(points, piece->count, start, w);
    size_t parameters = piece->sizes < 2 ? 1 : parameters_of(points, piece->count);
    double theta[CLUMP_MESSAGE_MOST_PARAMETERS] = {line.at_zero, line.slope, 2 * line.at_zero,
                                                   2 * line.slope};
    clump_status status = CLUMP_OK;
    clump_error ignored;
    if (has_windows(points, piece->count, parameters)) {
        status = clump_message_fit(parameters, points, w->scale, piece->count, theta, &ignored);
        if (status == CLUMP_NO_CONVERGENCE && parameters > 2) {
            parameters = 2;
            status = clump_message_fit(parameters, points, w->scale, piece->count, theta, &ignored);
        }
        if (status == CLUMP_NO_CONVERGENCE)
            status = CLUMP_OK; /* the line, then */
    } else if (parameters > 2) {
        parameters = 2;
    }
    piece->parameters = parameters;
    for (size_t j = 0; j < CLUMP_MESSAGE_MOST_PARAMETERS; j++)
        piece->theta[j] = j < parameters ? theta[j] : NAN;
    return status;
}

static void set_residuals(clump_curve *curve, const clump_piece *piece, size_t index)
{
    for (size_t i = piece->first; i < piece->first + piece->count; i++) {
        clump_curve_point *p = &curve->points[i];
        p->fitted_us = clump_message_time(piece->parameters, piece->theta, p, NULL);
        p->residual = log(p->time_us / p->fitted_us);
        p->piece = index;
    }
}

static double deviation(const clump_curve *curve, size_t first, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(curve->points[first + i].residual);
    return 1.4826 * clump_median(scratch, count);
}

/* Scatter of each piece, drawn towards that of all as far as it has few points of its own. */
static void set_scatter(const clump_curve *curve, clump_piece *pieces, size_t count, work *w)
{
    size_t parameters = 0;
    for (size_t k = 0; k < count; k++)
        parameters += pieces[k].parameters;
    const double n = (double)curve->count;
    const double few = curve->count > parameters ? sqrt(n / (n - (double)parameters)) : 1;
    const double all = deviation(curve, 0, curve->count, w->scratch);
    for (size_t k = 0; k < count; k++) {
        const double own = deviation(curve, pieces[k].first, pieces[k].count, w->scratch);
        const double m = (double)pieces[k].count;
        pieces[k].scatter =
            fmax(few * sqrt((PRIOR * all * all + m * own * own) / (PRIOR + m)), 1e-9);
    }
}

static void set_scales(const clump_curve *curve, const clump_piece *piece, double scatter, work *w)
{
    for (size_t i = 0; i < piece->count; i++) {
        const clump_curve_point *p = &curve->points[piece->first + i];
        w->scale[i] = clump_point_scale(scatter, p->resolution_us / p->time_us);
    }
}

static void count_piece(clump_curve *curve, clump_piece *piece, const work *w, double *loss)
{
    piece->outliers = 0;
    for (size_t i = 0; i < piece->count; i++) {
        clump_curve_point *p = &curve->points[piece->first + i];
        p->score = p->residual / w->scale[i];
        p->outlier = fabs(p->score) >= CLUMP_BISQUARE_END;
        piece->outliers += p->outlier;
        *loss += clump_bisquare_loss(p->score);
    }
}

clump_status clump_pieces_fit(clump_curve *curve, clump_piece *pieces, size_t count, double scale,
                              double *loss, clump_error *error)
{
    work w;
    clump_status status = CLUMP_OK;
    if (!work_start(&w, curve->count))
        return clump_fail_memory(error, "the pieces of a curve");
    for (size_t k = 0; k < count && status == CLUMP_OK; k++) {
        set_scales(curve, &pieces[k], scale, &w);
        status = fit_one(curve, &pieces[k], NULL, &w);
        set_residuals(curve, &pieces[k], k);
    }
    if (status == CLUMP_OK)
        set_scatter(curve, pieces, count, &w);
    *loss = 0;
    for (size_t k = 0; k < count && status == CLUMP_OK; k++) {
        set_scales(curve, &pieces[k], pieces[k].scatter, &w);
        /* From where the first round ended: with another scale the loss has other minima. */
        const clump_robust_line start = {pieces[k].theta[0],
                                         pieces[k].parameters > 1 ? pieces[k].theta[1] : 0, 0};
        status = fit_one(curve, &pieces[k], &start, &w);
        set_residuals(curve, &pieces[k], k);
        count_piece(curve, &pieces[k], &w, loss);
    }
    free(w.x);
    return status == CLUMP_OK ? status : clump_fail(error, status, "a piece could not be fitted");
}
