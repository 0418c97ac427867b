/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the runs answer to the unknowns: derivatives, and what cannot be told from them. */
#include "fitting/slowdown/slowdown_search.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

clump_status slowdown_jacobian(const slowdown_problem *p, const double *value, double *jacobian,
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
            status = clump_fail(error, CLUMP_NO_CONVERGENCE,
                                "the derivatives have no "
                                "decomposition");
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
    clump_status status = slowdown_jacobian(p, value, jacobian, error);
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

bool slowdown_is_dependent(double least_value)
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
    *open = slowdown_is_dependent(best);
    return CLUMP_OK;
}
