/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/resample.h"

#include "fitting/loggp/curve.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { P = CLUMP_RESAMPLE_MOST_PARAMETERS, TRIES = 20 };

typedef struct matrix {
    double at[P][P];
} matrix;

/* Cholesky of a symmetric matrix, with rows and columns in units of the diagonal. */
typedef struct factors {
    matrix lower;
    double unit[P];
} factors;

static bool factorize(const matrix *m, size_t p, factors *f)
{
    for (size_t i = 0; i < p; i++) {
        if (!(m->at[i][i] > 0))
            return false;
        f->unit[i] = 1 / sqrt(m->at[i][i]);
    }
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = m->at[i][j] * f->unit[i] * f->unit[j];
            for (size_t k = 0; k < j; k++)
                sum -= f->lower.at[i][k] * f->lower.at[j][k];
            if (i == j && !(sum > 1e-12))
                return false;
            f->lower.at[i][j] = i == j ? sqrt(sum) : sum / f->lower.at[j][j];
        }
    return true;
}

static void solve(const factors *f, size_t p, double *v)
{
    for (size_t i = 0; i < p; i++) {
        v[i] *= f->unit[i];
        for (size_t k = 0; k < i; k++)
            v[i] -= f->lower.at[i][k] * v[k];
        v[i] /= f->lower.at[i][i];
    }
    for (size_t i = p; i-- > 0;) {
        for (size_t k = i + 1; k < p; k++)
            v[i] -= f->lower.at[k][i] * v[k];
        v[i] /= f->lower.at[i][i];
    }
    for (size_t i = 0; i < p; i++)
        v[i] *= f->unit[i];
}

static void add_information(matrix *m, const double *g, size_t p, double weight)
{
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            m->at[i][j] += weight * g[i] * g[j];
}

static clump_status information(const clump_resample *r, factors *f, clump_error *error)
{
    matrix all = {{{0}}};
    for (size_t i = 0; i < r->count; i++)
        add_information(&all, r->gradient + i * r->parameters, r->parameters, r->slope);
    return factorize(&all, r->parameters, f)
               ? CLUMP_OK
               : clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "%zu samples do not determine %zu parameters", r->count, r->parameters);
}

/* SplitMix64 (Steele, Lea, Flood, 2014): a counter through a mixing function. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Each resample has numbers of its own, so that it does not matter who computes it. */
static uint64_t start(const clump_resample *r, size_t resample)
{
    uint64_t state = r->seed;
    state = next(&state) ^ r->stream;
    state = next(&state) ^ (uint64_t)resample;
    return next(&state);
}

/* Below `count`, by the high half of a product; the bias is count/2^32. */
static size_t below(uint64_t *state, size_t count)
{
    return (size_t)((next(state) >> 32) * (uint64_t)count >> 32);
}

/* Scores of the pool, with either sign, in place of those of the samples. */
static void draw_residuals(const clump_resample *r, const factors *f, uint64_t *state, double *v)
{
    memset(v, 0, r->parameters * sizeof *v);
    for (size_t i = 0; i < r->count; i++) {
        const uint64_t bits = next(state);
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
        matrix all = {{{0}}};
        memset(v, 0, p * sizeof *v);
        for (size_t k = 0; k < r->runs; k++) {
            const run_sums *one = &sums[below(state, r->runs)];
            for (size_t i = 0; i < p; i++) {
                v[i] += one->score[i];
                for (size_t j = 0; j < p; j++)
                    all.at[i][j] += one->information.at[i][j];
            }
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
    const clump_status status = information(r, &f, error);
    if (status != CLUMP_OK)
        return status;
    if (r->source == CLUMP_INTERVAL_RUNS && (sums = sum_runs(r)) == NULL)
        return clump_fail_memory(error, "the runs of a bootstrap");
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

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double clump_quantile(double *values, size_t count, double q)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, compare);
    const double place = q * (double)(count - 1);
    const size_t low = (size_t)place, high = low + 1 < count ? low + 1 : low;
    return values[low] + (place - (double)low) * (values[high] - values[low]);
}
