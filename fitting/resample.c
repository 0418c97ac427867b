/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/resample.h"

#include "model/random.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { P = CLUMP_RESAMPLE_MOST_PARAMETERS, TRIES = 20 };

/* A symmetric matrix, p x p, row by row. */
typedef struct matrix {
    double at[P * P];
} matrix;

/* Its Cholesky factors, with rows and columns in units of the diagonal. */
typedef struct factors {
    matrix lower;
    double unit[P];
} factors;

/* False if it is not positive definite, to 12 digits. GSL's error handler must be off. */
static bool factorize(const matrix *m, size_t p, factors *f)
{
    f->lower = *m;
    gsl_matrix_view lower = gsl_matrix_view_array(f->lower.at, p, p);
    gsl_vector_view unit = gsl_vector_view_array(f->unit, p);
    if (gsl_linalg_cholesky_decomp2(&lower.matrix, &unit.vector) != GSL_SUCCESS)
        return false;
    for (size_t i = 0; i < p; i++)
        if (!(gsl_pow_2(f->lower.at[i * p + i]) > 1e-12))
            return false;
    return true;
}

static void solve(const factors *f, size_t p, double *v)
{
    const gsl_matrix_const_view lower = gsl_matrix_const_view_array(f->lower.at, p, p);
    const gsl_vector_const_view unit = gsl_vector_const_view_array(f->unit, p);
    gsl_vector_view solved = gsl_vector_view_array(v, p);
    gsl_linalg_cholesky_svx2(&lower.matrix, &unit.vector, &solved.vector);
}

static void add_information(matrix *m, const double *g, size_t p, double weight)
{
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            m->at[i * p + j] += weight * g[i] * g[j];
}

static clump_status information(const clump_resample *r, factors *f, clump_error *error)
{
    matrix all = {{0}};
    for (size_t i = 0; i < r->count; i++)
        add_information(&all, r->gradient + i * r->parameters, r->parameters, r->slope);
    gsl_error_handler_t *const before = gsl_set_error_handler_off();
    const bool determined = factorize(&all, r->parameters, f);
    gsl_set_error_handler(before);
    return determined
               ? CLUMP_OK
               : clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "%zu samples do not determine %zu parameters", r->count, r->parameters);
}

/* Each resample has numbers of its own, so that it does not matter who computes it. */
static uint64_t start(const clump_resample *r, size_t resample)
{
    uint64_t state = r->seed;
    state = clump_splitmix(&state) ^ r->stream;
    state = clump_splitmix(&state) ^ (uint64_t)resample;
    return clump_splitmix(&state);
}

/* Below `count`, by the high half of a product; the bias is count/2^32. */
static size_t below(uint64_t *state, size_t count)
{
    return (size_t)((clump_splitmix(state) >> 32) * (uint64_t)count >> 32);
}

/* Scores of the pool, with either sign, in place of those of the samples. */
static void draw_residuals(const clump_resample *r, const factors *f, uint64_t *state, double *v)
{
    memset(v, 0, r->parameters * sizeof *v);
    for (size_t i = 0; i < r->count; i++) {
        const uint64_t bits = clump_splitmix(state);
        const double one = r->pool[(size_t)((bits >> 32) * (uint64_t)r->pool_count >> 32)];
        const double score = (bits & 1) != 0 ? one : -one;
        for (size_t j = 0; j < r->parameters; j++)
            v[j] += score * r->gradient[i * r->parameters + j];
    }
    solve(f, r->parameters, v);
}

typedef struct run_sums {
    matrix information;
    double score[P];
} run_sums;

static void draw_runs(const clump_resample *r, const run_sums *sums, uint64_t *state, double *v)
{
    const size_t p = r->parameters;
    factors f;
    for (int tries = 0; tries < TRIES; tries++) {
        matrix all = {{0}};
        memset(v, 0, p * sizeof *v);
        for (size_t k = 0; k < r->runs; k++) {
            const run_sums *one = &sums[below(state, r->runs)];
            for (size_t i = 0; i < p; i++)
                v[i] += one->score[i];
            for (size_t i = 0; i < p * p; i++)
                all.at[i] += one->information.at[i];
        }
        if (factorize(&all, p, &f)) {
            solve(&f, p, v);
            return;
        }
    }
    memset(v, 0, p * sizeof *v);
}

/* At the estimate the scores add up to 0, but where a bound (no time per byte below 0) holds it. */
static void center(run_sums *sums, size_t runs, size_t parameters)
{
    for (size_t j = 0; j < parameters; j++) {
        double mean = 0;
        for (size_t k = 0; k < runs; k++)
            mean += sums[k].score[j] / (double)runs;
        for (size_t k = 0; k < runs; k++)
            sums[k].score[j] -= mean;
    }
}

static run_sums *sum_runs(const clump_resample *r)
{
    run_sums *sums = calloc(r->runs, sizeof *sums);
    for (size_t i = 0; sums != NULL && i < r->count; i++) {
        run_sums *one = &sums[r->run[i]];
        const double *g = r->gradient + i * r->parameters;
        add_information(&one->information, g, r->parameters, r->slope);
        for (size_t j = 0; j < r->parameters; j++)
            one->score[j] += r->score[i] * g[j];
    }
    if (sums != NULL)
        center(sums, r->runs, r->parameters);
    return sums;
}

/* Percentiles of the draws are normal for many samples; few samples deserve Student's. */
static double widening(const clump_resample *r)
{
    const double t = gsl_cdf_tdist_Pinv(0.975, r->freedom) / gsl_cdf_ugaussian_Pinv(0.975);
    const double runs = (double)r->runs;
    return r->source == CLUMP_INTERVAL_RUNS ? t * sqrt(runs / (runs - 1)) : t * r->inflation;
}

clump_status clump_resample_run(const clump_resample *r, size_t resamples, double *draws,
                                clump_error *error)
{
    const size_t p = r->parameters;
    const double wide = widening(r);
    factors f;
    run_sums *sums = NULL;
    clump_status status = information(r, &f, error);
    if (status == CLUMP_OK && r->source == CLUMP_INTERVAL_RUNS && (sums = sum_runs(r)) == NULL)
        status = clump_fail_memory(error, "the runs of a bootstrap");
    if (status != CLUMP_OK)
        return status;
    gsl_error_handler_t *const before = gsl_set_error_handler_off();
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < resamples; b++) {
        double v[P];
        uint64_t state = start(r, b);
        if (sums != NULL)
            draw_runs(r, sums, &state, v);
        else
            draw_residuals(r, &f, &state, v);
        const double *shift =
            r->source == CLUMP_INTERVAL_SPAN ? r->run_shift + below(&state, r->runs) * p : NULL;
        const double one_run = shift != NULL ? sqrt((double)r->runs) : 1;
        for (size_t j = 0; j < p; j++)
            draws[b * p + j] = v[j] * wide * one_run + (shift != NULL ? shift[j] : 0);
    }
    gsl_set_error_handler(before);
    free(sums);
    return CLUMP_OK;
}

clump_status clump_resample_covariance(const clump_resample *r, double *covariance,
                                       clump_error *error)
{
    factors f;
    double squares = 0;
    const clump_status status = information(r, &f, error);
    if (status != CLUMP_OK)
        return status;
    for (size_t i = 0; i < r->pool_count; i++)
        squares += r->pool[i] * r->pool[i];
    for (size_t j = 0; j < r->parameters; j++) {
        double v[P] = {0};
        v[j] = r->inflation * r->inflation * squares / (double)r->pool_count / r->slope;
        solve(&f, r->parameters, v);
        for (size_t i = 0; i < r->parameters; i++)
            covariance[i * r->parameters + j] = v[i];
    }
    return CLUMP_OK;
}
