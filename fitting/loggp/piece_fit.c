/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/piece_fit.h"

#include "fitting/loggp/robust_line.h"
#include "fitting/loggp/segmentation.h"
#include "model/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EFFORT = 60, PRIOR = 8 };

/* Numbers of a curve's points, all of one length. */
typedef struct work {
    double *x, *time, *scale, *scratch;
} work;

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

static void count_piece(clump_curve *curve, clump_piece *piece, const work *w)
{
    piece->outliers = 0;
    for (size_t i = 0; i < piece->count; i++) {
        clump_curve_point *p = &curve->points[piece->first + i];
        p->score = p->residual / w->scale[i];
        p->outlier = fabs(p->score) >= CLUMP_BISQUARE_END;
        piece->outliers += p->outlier;
    }
}

clump_status clump_pieces_fit(clump_curve *curve, clump_piece *pieces, size_t count, double scale,
                              double *scratch, clump_error *error)
{
    const size_t n = curve->count;
    work w = {scratch, scratch + n, scratch + 2 * n, scratch + 3 * n};
    clump_status status = CLUMP_OK;
    for (size_t k = 0; k < count && status == CLUMP_OK; k++) {
        set_scales(curve, &pieces[k], scale, &w);
        status = fit_one(curve, &pieces[k], NULL, &w);
        set_residuals(curve, &pieces[k], k);
    }
    if (status == CLUMP_OK)
        set_scatter(curve, pieces, count, &w);
    for (size_t k = 0; k < count && status == CLUMP_OK; k++) {
        set_scales(curve, &pieces[k], pieces[k].scatter, &w);
        /* From where the first round ended: with another scale the loss has other minima. */
        const clump_robust_line start = {pieces[k].theta[0],
                                         pieces[k].parameters > 1 ? pieces[k].theta[1] : 0, 0};
        status = fit_one(curve, &pieces[k], &start, &w);
        set_residuals(curve, &pieces[k], k);
        count_piece(curve, &pieces[k], &w);
    }
    return status == CLUMP_OK ? status : clump_fail(error, status, "a piece could not be fitted");
}

/* ---- intervals */

enum { P = CLUMP_MESSAGE_MOST_PARAMETERS, RUNS_MOST = 1000 };

/* What the intervals of one piece are made from; one block of memory, for any piece. */
typedef struct material {
    const clump_curve *curve;
    double *gradient, *score, *pool, *x, *time, *scale, *within;
    size_t *run;
    double *shift; /* runs x P */
    size_t room;
    double slope, freedom, inflation;
    size_t pool_count;
} material;

static bool material_start(material *m, const clump_curve *curve)
{
    const size_t n = curve->count;
    *m = (material){.curve = curve, .room = n};
    m->gradient = malloc((n * (P + 6) + 1) * sizeof(double));
    m->run = malloc((n + 1) * sizeof *m->run);
    m->shift = malloc((n * P + 1) * sizeof *m->shift);
    if (m->gradient == NULL)
        return false;
    m->score = m->gradient + n * P;
    m->pool = m->score + n;
    m->x = m->pool + n;
    m->time = m->x + n;
    m->scale = m->time + n;
    m->within = m->scale + n;
    return m->run != NULL && m->shift != NULL;
}

static void material_free(material *m)
{
    free(m->gradient);
    free(m->run);
    free(m->shift);
}

/* Scores of all points of the curve, and what the scales have left for them to be free in. */
static void fill_pool(material *m, const clump_piece *pieces, size_t count)
{
    double slopes = 0, used = 0, parameters = 0;
    for (size_t i = 0; i < m->curve->count; i++) {
        const clump_curve_point *p = &m->curve->points[i];
        m->pool[i] = clump_bisquare_score(p->score);
        slopes += clump_bisquare_slope(p->score);
        used += !p->outlier;
    }
    for (size_t k = 0; k < count; k++)
        parameters += (double)pieces[k].parameters;
    m->pool_count = m->curve->count;
    m->slope = slopes / (double)m->curve->count;
    m->freedom = used - parameters;
    m->inflation = m->freedom >= 1 ? sqrt(used / m->freedom) : 1;
}

/* The points of one piece, or of one of its runs. Returns how many. */
static size_t gather(material *m, const clump_piece *piece, bool one_run, size_t run)
{
    size_t n = 0;
    for (size_t i = piece->first; i < piece->first + piece->count; i++) {
        const clump_curve_point *p = &m->curve->points[i];
        double *g = m->gradient + n * piece->parameters;
        if (one_run && p->run != run)
            continue;
        clump_message_time(piece->parameters, piece->theta, p, g);
        m->scale[n] = clump_point_scale(piece->scatter, p->resolution_us / p->time_us);
        for (size_t j = 0; j < piece->parameters; j++)
            g[j] /= m->scale[n];
        m->score[n] = clump_bisquare_score(p->score);
        m->run[n] = p->run;
        m->x[n] = clump_curve_extra_bytes(p->size_bytes);
        m->time[n++] = p->time_us;
    }
    return n;
}

static clump_resample request_of(const material *m, const clump_piece *piece, size_t count,
                                 const clump_fit_options *options, uint64_t stream)
{
    return (clump_resample){.source = CLUMP_INTERVAL_RESIDUALS,
                            .parameters = piece->parameters,
                            .count = count,
                            .gradient = m->gradient,
                            .score = m->score,
                            .run = m->run,
                            .slope = m->slope,
                            .pool = m->pool,
                            .pool_count = m->pool_count,
                            .inflation = m->inflation,
                            .freedom = m->freedom,
                            .run_shift = m->shift,
                            .seed = options->seed,
                            .stream = stream};
}

/* Bytes beyond the first of a message midway between the piece's ends, by ratio. */
static double middle_of(const clump_piece *piece)
{
    return clump_curve_extra_bytes(sqrt(fmax(piece->first_size, 1) * fmax(piece->last_size, 1)));
}

/* The estimate from one run less that from all; the distances of its samples from its own line go to `within`. For
 * benchmarks with windows the shift is a factor, the same for all parameters. Returns the run's time over that of all
 * runs, for a message midway between the sizes of the piece. */
static double shift_of_run(const clump_piece *piece, material *m, size_t n, size_t run,
                           bool windowed, double *shift, double *within)
{
    const clump_line_points points = {m->x, m->time, m->scale, n};
    const double x = middle_of(piece);
    if (piece->parameters == 2 && !windowed) {
        const clump_robust_line line = clump_robust_line_fit(&points, NULL, EFFORT);
        for (size_t i = 0; i < n; i++)
            within[i] = log(m->time[i] / (line.at_zero + line.slope * m->x[i])) / m->scale[i];
        shift[0] = line.at_zero - piece->theta[0];
        shift[1] = line.slope - piece->theta[1];
        return (line.at_zero + line.slope * x) / (piece->theta[0] + piece->theta[1] * x);
    }
    size_t used = 0;
    for (size_t i = piece->first; i < piece->first + piece->count; i++)
        if (m->curve->points[i].run == run)
            m->time[used++] = m->curve->points[i].residual;
    memcpy(m->x, m->time, used * sizeof *m->x);
    const double shared = clump_median(m->x, used);
    for (size_t i = 0; i < used; i++)
        within[i] = (m->time[i] - shared) / m->scale[i];
    for (size_t j = 0; j < piece->parameters; j++)
        shift[j] = piece->theta[j] * (exp(shared) - 1);
    return exp(shared);
}

typedef struct agreement {
    size_t runs;                                        /* that say something by themselves */
    double mean[P + 1], square[P + 1], expected[P + 1]; /* the last: log of the time midway */
    double least, most;                                 /* time of a run over that of all */
    size_t samples;
    double within; /* variance of samples around their run's line, over that around the piece */
} agreement;

static void note_one(agreement *a, size_t j, double value, double expected)
{
    const double off = value - a->mean[j];
    a->mean[j] += off / (double)a->runs;
    a->square[j] += off * (value - a->mean[j]);
    a->expected[j] += expected;
}

/* Variance of the logarithm of the time midway. */
static double variance_midway(const clump_piece *piece, const double *covariance)
{
    const size_t p = piece->parameters;
    const double time = piece->theta[0] + (p > 1 ? piece->theta[1] * middle_of(piece) : 0);
    const double g[2] = {1 / time, middle_of(piece) / time};
    double sum = 0;
    for (size_t i = 0; i < p && i < 2; i++)
        for (size_t j = 0; j < p && j < 2; j++)
            sum += g[i] * covariance[i * p + j] * g[j];
    return sum;
}

static void note_run(agreement *a, const clump_piece *piece, const double *shift, double factor,
                     const double *covariance)
{
    a->runs++;
    for (size_t j = 0; j < piece->parameters; j++)
        note_one(a, j, shift[j], covariance[j * piece->parameters + j]);
    note_one(a, P, log(factor), variance_midway(piece, covariance));
    a->least = fmin(a->least, factor);
    a->most = fmax(a->most, factor);
}

/* Do the runs differ by more than samples of one run do? F test, 5%, for each parameter, by the
 * probability: GSL finds the quantile by iteration, and aborts where that does not converge. */
static bool runs_differ(const agreement *a, const clump_piece *piece, double freedom)
{
    const double more = (double)a->runs - 1;
    for (size_t j = 0; j <= P; j++) {
        const double between = a->square[j] / more;
        const double within = a->within * a->expected[j] / (double)a->runs;
        if ((j < piece->parameters || j == P) && between > 0 &&
            !(gsl_cdf_fdist_Q(between / within, more, freedom) >= 0.05))
            return true;
    }
    return false;
}

static bool has_windowed(const material *m, const clump_piece *piece)
{
    for (size_t i = piece->first; i < piece->first + piece->count; i++)
        if (m->curve->points[i].waiting != CLUMP_WAITS_NEVER && m->curve->points[i].window > 0)
            return true;
    return false;
}

/* Variance within the runs; a few samples say little, so they are drawn towards 1. */
static double variance_within(const agreement *a, const clump_piece *piece, double *within)
{
    const double n = (double)a->samples, lost = (double)(a->runs * piece->parameters);
    for (size_t i = 0; i < a->samples; i++)
        within[i] = fabs(within[i]);
    const double deviation = 1.4826 * clump_median(within, a->samples);
    return n > lost ? (PRIOR + n * deviation * deviation * n / (n - lost)) / (PRIOR + n) : 1;
}

/* Each run by itself; those with too few sizes say nothing. */
static void compare_runs(material *m, clump_piece *piece, const clump_fit_options *options,
                         agreement *a)
{
    *a = (agreement){.least = INFINITY, .most = -INFINITY};
    const bool windowed = has_windowed(m, piece);
    for (size_t run = 0; run < m->curve->runs && run < RUNS_MOST; run++) {
        double covariance[P * P];
        const size_t n = gather(m, piece, true, run);
        const clump_resample one = request_of(m, piece, n, options, 0);
        double *shift = m->shift + a->runs * piece->parameters;
        if (n == 0 || clump_resample_covariance(&one, covariance, NULL) != CLUMP_OK)
            continue;
        const double factor =
            shift_of_run(piece, m, n, run, windowed, shift, m->within + a->samples);
        note_run(a, piece, shift, factor, covariance);
        a->samples += n;
    }
    a->within = a->samples > 0 ? variance_within(a, piece, m->within) : 1;
}

/* Runs of the piece numbered without gaps. */
static size_t number_runs(material *m, size_t count)
{
    size_t *seen = calloc(m->curve->runs + 1, sizeof *seen), runs = 0;
    if (seen == NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (seen[m->run[i]] == 0)
            seen[m->run[i]] = ++runs;
        m->run[i] = seen[m->run[i]] - 1;
    }
    free(seen);
    return runs;
}

/* Times scatter by factors, and a time is above 0: its deviations are taken for those of logarithms. Intervals that
 * reach from the least run to the greatest stay as they are. */
static void keep_positive(clump_piece *piece, size_t j, size_t resamples, bool span)
{
    const double value = piece->theta[j];
    for (size_t b = 0; b < resamples && piece->first == 0 && value > 0; b++) {
        double *draw = &piece->draws[b * piece->parameters + j];
        *draw = span ? fmax(*draw, -value) : value * expm1(*draw / value);
    }
}

static void set_interval(clump_piece *piece, size_t j, size_t resamples, double confidence,
                         clump_interval_source source, double *scratch)
{
    for (size_t b = 0; b < resamples; b++)
        scratch[b] = piece->draws[b * piece->parameters + j];
    gsl_sort(scratch, 1, resamples);
    clump_interval *i = &piece->interval[j];
    i->low = piece->theta[j] + fmin(clump_quantile(scratch, resamples, 0.025), 0);
    i->high = piece->theta[j] + fmax(clump_quantile(scratch, resamples, 0.975), 0);
    if (j % 2 != 0) /* a time per byte is not below 0 */
        i->low = fmax(i->low, 0);
    i->confidence = confidence;
    i->source = source;
}

/* How the interval is found, and what it is worth. */
static clump_status prepare(material *m, clump_piece *piece, const clump_fit_options *options,
                            uint64_t stream, clump_resample *request, double *confidence,
                            clump_error *error)
{
    agreement a;
    compare_runs(m, piece, options, &a);
    const size_t n = gather(m, piece, false, 0);
    const size_t runs = number_runs(m, n);
    if (runs == 0)
        return clump_fail_memory(error, "the runs of a piece");
    piece->runs = runs;
    piece->differences = a.runs > 1 && a.least > 0 ? a.most / a.least : 1;
    *request = request_of(m, piece, n, options, stream);
    request->runs = runs;
    *confidence = 0.95;
    if (a.runs >= CLUMP_RUNS_TO_RESAMPLE) {
        request->source = CLUMP_INTERVAL_RUNS;
        request->freedom = (double)runs - 1;
    } else if (a.runs > 1 && m->freedom >= 1 && runs_differ(&a, piece, m->freedom)) {
        request->source = CLUMP_INTERVAL_SPAN;
        request->runs = a.runs;
        /* Of k runs all are above the median of what a run can give with 2^-k, or below it. */
        *confidence = 1 - ldexp(1, 1 - (int)a.runs);
    }
    return CLUMP_OK;
}

static clump_status resample_piece(material *m, clump_piece *piece,
                                   const clump_fit_options *options, uint64_t stream,
                                   double *scratch, clump_error *error)
{
    clump_resample request;
    double confidence = 0;
    clump_status status = prepare(m, piece, options, stream, &request, &confidence, error);
    for (size_t j = 0; j < P; j++)
        piece->interval[j] = (clump_interval){NAN, NAN, NAN, CLUMP_INTERVAL_NONE};
    if (status != CLUMP_OK || !(request.freedom >= 1) || !(m->slope > 0.05))
        return status;
    piece->draws = malloc(options->resamples * piece->parameters * sizeof *piece->draws);
    if (piece->draws == NULL)
        return clump_fail_memory(error, "the resamples of a piece");
    status = clump_resample_run(&request, options->resamples, piece->draws, error);
    if (status != CLUMP_OK) {
        free(piece->draws);
        piece->draws = NULL;
        return status == CLUMP_BAD_ARGUMENT ? CLUMP_OK : status; /* not determined: no interval */
    }
    for (size_t j = 0; j < piece->parameters; j += 2)
        keep_positive(piece, j, options->resamples, request.source == CLUMP_INTERVAL_SPAN);
    for (size_t j = 0; j < piece->parameters; j++)
        set_interval(piece, j, options->resamples, confidence, request.source, scratch);
    return CLUMP_OK;
}

clump_status clump_pieces_resample(const clump_curve *curve, clump_piece *pieces, size_t count,
                                   const clump_fit_options *options, uint64_t stream,
                                   clump_error *error)
{
    material m;
    clump_status status = clump_fail_memory(error, "intervals");
    double *scratch = malloc((options->resamples + 1) * sizeof *scratch);
    if (material_start(&m, curve) && scratch != NULL) {
        status = CLUMP_OK;
        fill_pool(&m, pieces, count);
    }
    for (size_t k = 0; k < count && status == CLUMP_OK; k++)
        status =
            resample_piece(&m, &pieces[k], options, stream * CLUMP_PIECES_MOST + k, scratch, error);
    free(scratch);
    material_free(&m);
    return status;
}
