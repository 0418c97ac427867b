/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/message_model.h"

#include "fitting/loggp/robust_line.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ROUNDS = 40, STEPS = 100 };

static const double least_time = 1e-300;

static void set_line(double *gradient, double factor, double x)
{
    gradient[0] = factor;
    gradient[1] = factor * x;
}

double clump_message_time(size_t parameters, const double *theta, const clump_curve_point *point,
                          double *gradient)
{
    const double x = clump_curve_extra_bytes(point->size_bytes), W = point->window;
    const double s = theta[0] + (parameters > 1 ? theta[1] * x : 0);
    const double longer = parameters > 3 ? theta[3] * x : 0;
    const double R = parameters > 2 ? theta[2] + longer : point->round_trip_us;
    double d[CLUMP_MESSAGE_MOST_PARAMETERS] = {0}, time = s;
    set_line(d, 1, x);
    if (W > 0 && !isnan(R) && point->waiting == CLUMP_WAITS_FOR_BURST) {
        time = ((W - 1) * s + R) / W;
        set_line(d, (W - 1) / W, x);
        set_line(d + 2, 1 / W, x);
    } else if (W > 0 && !isnan(R) && point->waiting == CLUMP_WAITS_FOR_EACH && R / W > s) {
        time = R / W;
        set_line(d, 0, x);
        set_line(d + 2, 1 / W, x);
    }
    time = fmax(time, least_time);
    for (size_t j = 0; gradient != NULL && j < parameters; j++)
        gradient[j] = d[j] / time;
    return time;
}

/* What GSL sees: parameters in units of their start, so that they are of one size. */
typedef struct problem {
    size_t parameters;
    const clump_curve_point *points;
    size_t count;
    double unit[CLUMP_MESSAGE_MOST_PARAMETERS];
} problem;

static void scale_up(const problem *p, const gsl_vector *v, double *theta)
{
    for (size_t j = 0; j < p->parameters; j++)
        theta[j] = gsl_vector_get(v, j) * p->unit[j];
}

static int residuals(const gsl_vector *v, void *context, gsl_vector *f)
{
    const problem *p = context;
    double theta[CLUMP_MESSAGE_MOST_PARAMETERS] = {0};
    scale_up(p, v, theta);
    for (size_t i = 0; i < p->count; i++)
        gsl_vector_set(f, i,
                       log(clump_message_time(p->parameters, theta, &p->points[i], NULL) /
                           p->points[i].time_us));
    return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *v, void *context, gsl_matrix *J)
{
    const problem *p = context;
    double theta[CLUMP_MESSAGE_MOST_PARAMETERS] = {0}, gradient[CLUMP_MESSAGE_MOST_PARAMETERS];
    scale_up(p, v, theta);
    for (size_t i = 0; i < p->count; i++) {
        clump_message_time(p->parameters, theta, &p->points[i], gradient);
        for (size_t j = 0; j < p->parameters; j++)
            gsl_matrix_set(J, i, j, gradient[j] * p->unit[j]);
    }
    return GSL_SUCCESS;
}

/* Weighted least squares from v, which receives the result. */
static bool run_squares(gsl_multifit_nlinear_workspace *space, problem *p, gsl_vector *weights,
                        gsl_vector *v)
{
    gsl_multifit_nlinear_fdf fdf = {
        .f = residuals, .df = jacobian, .n = p->count, .p = p->parameters, .params = p};
    int info = 0;
    if (gsl_multifit_nlinear_winit(v, weights, &fdf, space) != GSL_SUCCESS)
        return false;
    const int status =
        gsl_multifit_nlinear_driver(STEPS, 1e-10, 1e-12, 0, NULL, NULL, &info, space);
    /* No progress: it was there already. In the first step that comes as too many steps. */
    const bool there = status == GSL_ENOPROG || (status == GSL_EMAXITER && info == GSL_ENOPROG);
    if (status != GSL_SUCCESS && !there)
        return false;
    return gsl_vector_memcpy(v, gsl_multifit_nlinear_position(space)) == GSL_SUCCESS;
}

/* Weights from where the fit is; those of absolute deviations first, which get near from afar. */
static void reweight(const problem *p, const double *scales, const gsl_vector *v, int round,
                     gsl_vector *weights)
{
    double theta[CLUMP_MESSAGE_MOST_PARAMETERS] = {0};
    scale_up(p, v, theta);
    for (size_t i = 0; i < p->count; i++) {
        const clump_curve_point *point = &p->points[i];
        const double u =
            log(point->time_us / clump_message_time(p->parameters, theta, point, NULL)) / scales[i];
        const double w = round < ROUNDS / 4 ? 1 / fmax(fabs(u), 0.1) : clump_bisquare_weight(u);
        gsl_vector_set(weights, i, fmax(w, 1e-12) / (scales[i] * scales[i]));
    }
}

static bool iterate(gsl_multifit_nlinear_workspace *space, problem *p, const double *scales,
                    gsl_vector *weights, gsl_vector *v)
{
    for (int round = 0; round < ROUNDS; round++) {
        double before[CLUMP_MESSAGE_MOST_PARAMETERS] = {0}, moved = 0;
        for (size_t j = 0; j < p->parameters; j++)
            before[j] = gsl_vector_get(v, j);
        reweight(p, scales, v, round, weights);
        if (!run_squares(space, p, weights, v))
            return false;
        for (size_t j = 0; j < p->parameters; j++)
            moved = fmax(moved, fabs(gsl_vector_get(v, j) - before[j]));
        if (!isfinite(moved))
            return false;
        if (moved < 1e-9 && round >= ROUNDS / 4)
            return true;
    }
    return true; /* it still moves by less than anybody could see, or between two equals */
}

static clump_status fit(problem *p, const double *scales, double *theta, clump_error *error)
{
    const size_t n = p->count, k = p->parameters;
    const gsl_multifit_nlinear_parameters defaults = gsl_multifit_nlinear_default_parameters();
    clump_status status = clump_fail_memory(error, "least squares");
    gsl_multifit_nlinear_workspace *space =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &defaults, n, k);
    gsl_vector *weights = gsl_vector_alloc(n), *v = gsl_vector_alloc(k);
    if (space != NULL && weights != NULL && v != NULL) {
        for (size_t j = 0; j < k; j++)
            gsl_vector_set(v, j, theta[j] / p->unit[j]);
        status = iterate(space, p, scales, weights, v)
                     ? CLUMP_OK
                     : clump_fail(error, CLUMP_NO_CONVERGENCE,
                                  "least squares do not converge for %zu samples", n);
        if (status == CLUMP_OK)
            scale_up(p, v, theta);
    }
    gsl_vector_free(v);
    gsl_vector_free(weights);
    gsl_multifit_nlinear_free(space);
    return status;
}

/* Steps of the parameters: the start's own, or what they would be if all time were theirs. */
static void choose_units(problem *p, const double *theta)
{
    double x = 1, time = least_time;
    for (size_t i = 0; i < p->count; i++) {
        x = fmax(x, clump_curve_extra_bytes(p->points[i].size_bytes));
        time = fmax(time, p->points[i].time_us);
    }
    for (size_t j = 0; j < p->parameters; j++)
        p->unit[j] = theta[j] > 0 ? theta[j] : time / (j % 2 != 0 ? x : 1);
}

clump_status clump_message_fit(size_t parameters, const clump_curve_point *points,
                               const double *scales, size_t count, double *theta,
                               clump_error *error)
{
    problem p = {.parameters = parameters, .points = points, .count = count};
    double result[CLUMP_MESSAGE_MOST_PARAMETERS] = {0};
    if (count < parameters)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found %zu samples, expected %zu or more",
                          count, parameters);
    memcpy(result, theta, parameters * sizeof *theta);
    choose_units(&p, theta);
    /* The library aborts on errors unless told otherwise. */
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    clump_status status = fit(&p, scales, result, error);
    if (status == CLUMP_OK && parameters > 3 && result[3] < 0) {
        p.parameters = 3; /* a reply that does not depend on the size */
        result[3] = 0;
        status = fit(&p, scales, result, error);
    }
    if (status == CLUMP_OK && parameters == 2 && result[1] < 0) {
        p.parameters = 1;
        result[1] = 0;
        status = fit(&p, scales, result, error);
    } else if (status == CLUMP_OK && parameters > 2 && !(result[1] >= 0 && result[2] >= 0)) {
        status = clump_fail(error, CLUMP_NO_CONVERGENCE,
                            "a time comes out below 0 from %zu samples", count);
    }
    gsl_set_error_handler(handler);
    if (status == CLUMP_OK)
        memcpy(theta, result, parameters * sizeof *theta);
    return status;
}
