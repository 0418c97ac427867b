/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/slowdown/slowdown_search.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of one search; and how many searches have to end in the same minimum to be believed. */
enum { STEPS = 200, AGREEING = 5 };

size_t slowdown_free_parameters(const slowdown_problem *p)
{
    size_t count = 0;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        count += p->free[k];
    return count;
}

size_t slowdown_free_bases(const slowdown_problem *p)
{
    size_t count = 0;
    for (size_t b = 0; b < p->question->base_count; b++)
        count += isnan(p->log_base[b]) != 0;
    return count;
}

void slowdown_range(const slowdown_problem *p, size_t parameter, double *least, double *most)
{
    static const double ranges[CLUMP_SLOWDOWN_PARAMETERS][2] = {
        [CLUMP_SLOWDOWN_UTILIZATION] = {0, 1},  [CLUMP_SLOWDOWN_GANG] = {1, 1},
        [CLUMP_SLOWDOWN_EFFICIENCY] = {0, 100}, [CLUMP_SLOWDOWN_PENALTY] = {0.01, 100},
        [CLUMP_SLOWDOWN_REMOTE] = {0, 1},       [CLUMP_SLOWDOWN_COST_RATIO] = {0, 1000},
        [CLUMP_SLOWDOWN_WAITING] = {0, 1},
    };
    *least = ranges[parameter][0];
    *most = parameter == CLUMP_SLOWDOWN_GANG ? p->largest_gang : ranges[parameter][1];
}

/* Bounds by transformation: any real z is a value within them, and they themselves are reached. A
 * range of several decades is searched by ratio: v + a moves on a logarithmic scale. */
static double offset(size_t parameter)
{
    return parameter == CLUMP_SLOWDOWN_EFFICIENCY || parameter == CLUMP_SLOWDOWN_COST_RATIO ? 0.1
                                                                                            : 0;
}

static bool is_wide(size_t parameter)
{
    return parameter == CLUMP_SLOWDOWN_EFFICIENCY || parameter == CLUMP_SLOWDOWN_COST_RATIO ||
           parameter == CLUMP_SLOWDOWN_PENALTY;
}

static double inward(const slowdown_problem *p, size_t k, double z)
{
    double least, most;
    slowdown_range(p, k, &least, &most);
    const double share = (1 + sin(z)) / 2, a = offset(k);
    const double value = is_wide(k) ? (least + a) * pow((most + a) / (least + a), share) - a
                                    : least + (most - least) * share;
    return fmin(fmax(value, least), most);
}

static double outward(const slowdown_problem *p, size_t k, double value)
{
    double least, most;
    slowdown_range(p, k, &least, &most);
    if (!(most > least))
        return 0;
    const double a = offset(k);
    const double share = is_wide(k) ? log((value + a) / (least + a)) / log((most + a) / (least + a))
                                    : (value - least) / (most - least);
    return asin(fmin(fmax(2 * share - 1, -1), 1));
}

/* Residuals at `value`, (measured - fitted)/sigma of each run, and the bases that fit best. */
static clump_status residuals_at(const slowdown_problem *p, const double *value, double *residuals,
                                 double *log_base, clump_error *error)
{
    const clump_slowdown_question *q = p->question;
    double sum[CLUMP_SLOWDOWN_BASES] = {0}, weight[CLUMP_SLOWDOWN_BASES] = {0};
    for (size_t i = 0; i < q->run_count; i++) {
        double slowdown;
        const size_t b = q->runs[i].base;
        const clump_status status =
            clump_slowdown_run_predict(q, value, &q->runs[i], &slowdown, error);
        if (status != CLUMP_OK)
            return status;
        residuals[i] = p->log_time[i] - log(slowdown);
        const double w = 1 / (p->sigma[i] * p->sigma[i]);
        sum[b] += w * residuals[i];
        weight[b] += w;
    }
    for (size_t b = 0; b < q->base_count; b++)
        log_base[b] = isnan(p->log_base[b]) ? sum[b] / weight[b] : p->log_base[b];
    for (size_t i = 0; i < q->run_count; i++)
        residuals[i] = (residuals[i] - log_base[q->runs[i].base]) / p->sigma[i];
    return CLUMP_OK;
}

/* The radical inverse of i in a base: the sequences of Halton. */
static double radical_inverse(size_t i, size_t base)
{
    double result = 0, digit = 1;
    for (; i > 0; i /= base) {
        digit /= (double)base;
        result += digit * (double)(i % base);
    }
    return result;
}

void slowdown_start(const slowdown_problem *p, size_t i, double *value)
{
    static const size_t primes[CLUMP_SLOWDOWN_PARAMETERS] = {2, 3, 5, 7, 11, 13, 17};
    /* Where truth is to be expected; the bounds are wider. */
    static const double usual[CLUMP_SLOWDOWN_PARAMETERS][2] = {
        {0.05, 0.95}, {0, 0}, {0.005, 1}, {0.8, 2}, {0.1, 0.95}, {0.05, 1.5}, {0.05, 0.8}};
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++) {
        const double share = radical_inverse(i + 1, primes[k]);
        value[k] = p->value[k];
        if (!p->free[k])
            continue;
        if (k == CLUMP_SLOWDOWN_GANG)
            value[k] = 1 + (p->largest_gang - 1) * share;
        else if (is_wide(k))
            value[k] = usual[k][0] * pow(usual[k][1] / usual[k][0], share);
        else
            value[k] = usual[k][0] + (usual[k][1] - usual[k][0]) * share;
    }
}

typedef struct descent {
    const slowdown_problem *problem;
    double value[CLUMP_SLOWDOWN_PARAMETERS];
    double log_base[CLUMP_SLOWDOWN_BASES];
    double *residuals;
    clump_status status; /* of the model; GSL goes on after a failure: it is kept here */
    clump_error *error;
} descent;

static void set_values(descent *d, const gsl_vector *z)
{
    size_t j = 0;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        if (d->problem->free[k])
            d->value[k] = inward(d->problem, k, gsl_vector_get(z, j++));
}

static int evaluate(const gsl_vector *z, void *context, gsl_vector *out)
{
    descent *d = context;
    if (d->status != CLUMP_OK)
        return GSL_EFAILED;
    set_values(d, z);
    d->status = residuals_at(d->problem, d->value, d->residuals, d->log_base, d->error);
    if (d->status != CLUMP_OK)
        return GSL_EFAILED;
    for (size_t i = 0; i < out->size; i++)
        gsl_vector_set(out, i, d->residuals[i]);
    return GSL_SUCCESS;
}

static double sum_of_squares(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i] * values[i];
    return sum;
}

/* Nothing to search: the bases alone. */
static clump_status finish(descent *d, slowdown_point *point)
{
    const clump_status status =
        residuals_at(d->problem, d->value, d->residuals, d->log_base, d->error);
    if (status != CLUMP_OK)
        return status;
    memcpy(point->value, d->value, sizeof point->value);
    memcpy(point->log_base, d->log_base, sizeof point->log_base);
    point->chi_square = sum_of_squares(d->residuals, d->problem->question->run_count);
    return CLUMP_OK;
}

static clump_status drive(descent *d, gsl_multifit_nlinear_workspace *space, gsl_vector *z,
                          slowdown_point *point)
{
    gsl_multifit_nlinear_fdf system = {
        .f = evaluate, .n = d->problem->question->run_count, .p = z->size, .params = d};
    const double tolerance = d->problem->tolerance;
    int info = 0;
    int status = gsl_multifit_nlinear_init(z, &system, space);
    if (status == GSL_SUCCESS)
        status = gsl_multifit_nlinear_driver(STEPS, tolerance, 0.1 * tolerance, 0, NULL, NULL,
                                             &info, space);
    if (d->status != CLUMP_OK)
        return d->status;
    if (status == GSL_ENOMEM)
        return clump_fail_memory(d->error, "a search");
    /* No progress in the digits there are is arrival; so is standing at a bound. */
    const bool arrived = status == GSL_SUCCESS || status == GSL_ENOPROG;
    if (!arrived && status != GSL_EMAXITER)
        return clump_fail(d->error, CLUMP_NO_CONVERGENCE, "the search failed: %s",
                          gsl_strerror(status));
    set_values(d, gsl_multifit_nlinear_position(space));
    const clump_status end = finish(d, point);
    if (end == CLUMP_OK && !arrived)
        return clump_fail(d->error, CLUMP_NO_CONVERGENCE,
                          "the search did not come to rest within %d steps", STEPS);
    return end;
}

/* Search from one point. On CLUMP_NO_CONVERGENCE `point` is the best that was found. */
clump_status slowdown_descend(const slowdown_problem *p, const double *start, slowdown_point *point,
                              clump_error *error)
{
    const size_t runs = p->question->run_count, unknowns = slowdown_free_parameters(p);
    descent d = {.problem = p, .error = error, .residuals = malloc(runs * sizeof(double))};
    if (d.residuals == NULL)
        return clump_fail_memory(error, "residuals");
    memcpy(d.value, start, sizeof d.value);
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        if (!p->free[k])
            d.value[k] = p->value[k];
    if (unknowns == 0) {
        const clump_status status = finish(&d, point);
        free(d.residuals);
        return status;
    }
    gsl_multifit_nlinear_parameters settings = gsl_multifit_nlinear_default_parameters();
    settings.h_df = 1e-6; /* slowdowns of gangs are good to some 1e-13 */
    /* GSL would end the program where it cannot get memory. */
    gsl_error_handler_t *const before = gsl_set_error_handler_off();
    gsl_multifit_nlinear_workspace *space =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &settings, runs, unknowns);
    gsl_vector *z = gsl_vector_alloc(unknowns);
    clump_status status;
    if (space == NULL || z == NULL) {
        status = clump_fail_memory(error, "a search");
    } else {
        size_t j = 0;
        for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
            if (p->free[k])
                gsl_vector_set(z, j++, outward(p, k, d.value[k]));
        status = drive(&d, space, z, point);
    }
    if (space != NULL)
        gsl_multifit_nlinear_free(space);
    if (z != NULL)
        gsl_vector_free(z);
    gsl_set_error_handler(before);
    free(d.residuals);
    return status;
}

clump_status slowdown_search(const slowdown_problem *p, const double *near, size_t starts,
                             slowdown_point *best, slowdown_point *all, clump_error *error)
{
    size_t agreeing = 0;
    clump_status worst = CLUMP_OK;
    best->chi_square = INFINITY;
    for (size_t i = 0; i < starts; i++)
        if (all != NULL)
            all[i].chi_square = NAN;
    /* who wants all points wants all minima */
    for (size_t i = 0; i < starts + (near != NULL) && (all != NULL || agreeing < AGREEING); i++) {
        double start[CLUMP_SLOWDOWN_PARAMETERS];
        slowdown_point point = {.chi_square = NAN};
        if (near != NULL && i == starts)
            memcpy(start, near, sizeof start);
        else
            slowdown_start(p, i, start);
        const clump_status status = slowdown_descend(p, start, &point, error);
        if (status != CLUMP_OK && status != CLUMP_NO_CONVERGENCE)
            return status;
        if (status != CLUMP_OK)
            worst = status;
        if (all != NULL && i < starts)
            all[i] = point;
        if (!isfinite(point.chi_square))
            continue;
        const double least = fmin(best->chi_square, point.chi_square);
        if (fabs(point.chi_square - best->chi_square) <= 1e-6 * least + 1e-14)
            agreeing++;
        else if (point.chi_square < best->chi_square)
            agreeing = 1;
        if (point.chi_square < best->chi_square)
            *best = point;
    }
    return isfinite(best->chi_square) ? CLUMP_OK : worst;
}

/* ---- derivatives */

/* How the runs answer to the unknowns: derivatives, and what cannot be told from them. */

/* Columns of unit length that depend on each other to this degree are one column: differences of
 * the derivatives are known to some 1e-8. */
static const double dependent = 1e-5;
/* Points of the space that are tried before a parameter is said to be of no effect. */
enum { TRIED = 12 };

static clump_status difference(const slowdown_problem *p, const double *value, size_t k,
                               double *derivative, clump_error *error)
{
    static const double scales[CLUMP_SLOWDOWN_PARAMETERS] = {0.1, 1, 0.01, 1, 0.1, 0.1, 0.1};
    const clump_slowdown_question *q = p->question;
    double least, most, low[CLUMP_SLOWDOWN_PARAMETERS], high[CLUMP_SLOWDOWN_PARAMETERS];
    slowdown_range(p, k, &least, &most);
    memcpy(low, value, sizeof low);
    memcpy(high, value, sizeof high);
    const double step = 1e-4 * fmax(fabs(value[k]), scales[k]);
    low[k] = fmax(value[k] - step, least);
    high[k] = fmin(value[k] + step, most);
    for (size_t i = 0; i < q->run_count; i++) {
        double below, above;
        clump_status status = clump_slowdown_run_predict(q, low, &q->runs[i], &below, error);
        if (status == CLUMP_OK)
            status = clump_slowdown_run_predict(q, high, &q->runs[i], &above, error);
        if (status != CLUMP_OK)
            return status;
        derivative[i] = high[k] > low[k] ? log(above / below) / (high[k] - low[k]) : 0;
    }
    return CLUMP_OK;
}

/* Derivatives of log T/sigma, runs by unknowns (free parameters, then free bases), row by row. */
static clump_status jacobian_at(const slowdown_problem *p, const double *value, double *jacobian,
                                clump_error *error)
{
    const clump_slowdown_question *q = p->question;
    const size_t width = slowdown_free_parameters(p) + slowdown_free_bases(p);
    double *column = malloc(q->run_count * sizeof *column);
    if (column == NULL)
        return clump_fail_memory(error, "derivatives");
    size_t j = 0;
    clump_status status = CLUMP_OK;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS && status == CLUMP_OK; k++) {
        if (!p->free[k])
            continue;
        status = difference(p, value, k, column, error);
        for (size_t i = 0; i < q->run_count && status == CLUMP_OK; i++)
            jacobian[i * width + j] = column[i] / p->sigma[i];
        j++;
    }
    for (size_t b = 0; b < q->base_count && status == CLUMP_OK; b++) {
        if (!isnan(p->log_base[b]))
            continue;
        for (size_t i = 0; i < q->run_count; i++)
            jacobian[i * width + j] = q->runs[i].base == b ? 1 / p->sigma[i] : 0;
        j++;
    }
    free(column);
    return status;
}

/* Singular values of the columns made equally long, and the right vectors. A column of no effect
 * counts as 0. */
static clump_status decompose(const double *jacobian, size_t rows, size_t width, double *lengths,
                              gsl_matrix **vectors, gsl_vector **values, clump_error *error)
{
    gsl_error_handler_t *const before = gsl_set_error_handler_off();
    /* GSL wants at least as many rows as columns: rows of zeros change nothing. */
    const size_t height = rows > width ? rows : width;
    gsl_matrix *u = gsl_matrix_calloc(height, width), *v = gsl_matrix_alloc(width, width);
    gsl_vector *s = gsl_vector_alloc(width);
    clump_status status = CLUMP_OK;
    if (u == NULL || v == NULL || s == NULL) {
        status = clump_fail_memory(error, "derivatives");
    } else {
        for (size_t j = 0; j < width; j++) {
            double sum = 0;
            for (size_t i = 0; i < rows; i++)
                sum += jacobian[i * width + j] * jacobian[i * width + j];
            lengths[j] = sqrt(sum);
            for (size_t i = 0; i < rows; i++)
                gsl_matrix_set(u, i, j, sum > 0 ? jacobian[i * width + j] / lengths[j] : 0);
        }
        if (gsl_linalg_SV_decomp_jacobi(u, v, s) != GSL_SUCCESS)
            status =
                clump_fail(error, CLUMP_NO_CONVERGENCE, "the derivatives have no decomposition");
    }
    if (u != NULL)
        gsl_matrix_free(u);
    if (status == CLUMP_OK) {
        *vectors = v;
        *values = s;
    } else {
        if (v != NULL)
            gsl_matrix_free(v);
        if (s != NULL)
            gsl_vector_free(s);
    }
    gsl_set_error_handler(before);
    return status;
}

clump_status slowdown_correlate(const slowdown_problem *p, const double *value, double *correlation,
                                double *errors, double *least_value, double *weak,
                                clump_error *error)
{
    const size_t rows = p->question->run_count;
    const size_t width = slowdown_free_parameters(p) + slowdown_free_bases(p);
    double lengths[CLUMP_SLOWDOWN_UNKNOWNS];
    double *jacobian = malloc((rows * width + 1) * sizeof *jacobian);
    if (jacobian == NULL)
        return clump_fail_memory(error, "derivatives");
    gsl_matrix *v = NULL;
    gsl_vector *s = NULL;
    clump_status status = jacobian_at(p, value, jacobian, error);
    if (status == CLUMP_OK)
        status = decompose(jacobian, rows, width, lengths, &v, &s, error);
    free(jacobian);
    if (status != CLUMP_OK)
        return status;
    *least_value = gsl_vector_get(s, width - 1);
    for (size_t j = 0; j < width && weak != NULL; j++)
        weak[j] = lengths[j] > 0 ? gsl_matrix_get(v, j, width - 1) : 1;
    for (size_t a = 0; a < width && correlation != NULL; a++) {
        for (size_t b = 0; b < width; b++) {
            double ab = 0, aa = 0, bb = 0;
            for (size_t j = 0; j < width; j++) {
                const double scale = 1 / gsl_vector_get(s, j);
                const double va = gsl_matrix_get(v, a, j) * scale;
                const double vb = gsl_matrix_get(v, b, j) * scale;
                ab += va * vb;
                aa += va * va;
                bb += vb * vb;
            }
            correlation[a * width + b] = *least_value > dependent ? ab / sqrt(aa * bb) : NAN;
            if (a == b)
                errors[a] = *least_value > dependent ? sqrt(aa) / lengths[a] : NAN;
        }
    }
    gsl_matrix_free(v);
    gsl_vector_free(s);
    return CLUMP_OK;
}

/* Whether unknowns with this smallest singular value cannot be told apart. */
static bool is_dependent(double least_value)
{
    return !(least_value > dependent);
}

clump_status slowdown_open_direction(const slowdown_problem *p, bool *open, double *weak,
                                     clump_error *error)
{
    const size_t width = slowdown_free_parameters(p) + slowdown_free_bases(p);
    double best = -1;
    for (size_t i = 0; i < TRIED; i++) {
        double value[CLUMP_SLOWDOWN_PARAMETERS], direction[CLUMP_SLOWDOWN_UNKNOWNS], least = 0;
        slowdown_start(p, i, value);
        const clump_status status =
            slowdown_correlate(p, value, NULL, NULL, &least, direction, error);
        if (status != CLUMP_OK)
            return status;
        if (least > best) {
            best = least;
            memcpy(weak, direction, width * sizeof *weak);
        }
    }
    *open = is_dependent(best);
    return CLUMP_OK;
}
