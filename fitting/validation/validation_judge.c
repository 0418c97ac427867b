/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_judge.h"

#include "fitting/validation/validation_facts.h"
#include "fitting/validation/validation_terms.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const size_t nobody = SIZE_MAX;

clump_validation_outcome validation_no_outcome(void)
{
    return (clump_validation_outcome){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

/* ---- families: data sets that repeat runs of each other tell the same twice */

static bool repeats(const clump_validation_run *a, const clump_validation_run *b)
{
    return strcmp(a->dataset, b->dataset) == 0 ||
           (strcmp(a->platform, b->platform) == 0 && strcmp(a->application, b->application) == 0);
}

static size_t root_of(const clump_validation *all, size_t i)
{
    while (all->runs[i].family != i)
        i = all->runs[i].family;
    return i;
}

/* The number of a family is the place of its first run. */
static void find_families(clump_validation *all)
{
    for (size_t i = 0; i < all->count; i++) {
        all->runs[i].family = i;
        for (size_t j = 0; j < i; j++) {
            const size_t a = root_of(all, i), b = root_of(all, j);
            if (a != b && repeats(&all->runs[i], &all->runs[j]))
                all->runs[a > b ? a : b].family = a > b ? b : a;
        }
    }
    for (size_t i = 0; i < all->count; i++)
        all->runs[i].family = root_of(all, i);
}

/* ---- constants */

/*
 * What is fitted has the mean of its posterior: all values between its bounds are equally likely at first,
 * errors are log-normal of an unknown size (log-uniform), so that their likelihood is Q^(-n/2). Q adds up the
 * mean square of each family, so that each counts the same. n is the number of programs on different
 * platforms: further rows of the same are not independent.
 */

/* Points of the grid for each constant, by how many constants are fitted. */
static size_t values_of(size_t fitted)
{
    static const size_t values[] = {1, 51, 31};
    return fitted < sizeof values / sizeof *values ? values[fitted] : 15;
}

typedef struct grid {
    size_t points;
    double (*constants)[CLUMP_RULE_CONSTANTS];
    double *weights; /* of the trapezoidal rule */
    double *
        squares; /* of each point: of the logarithm of each run's error; NAN: it is not predicted */
} grid;

static void free_grid(grid *g)
{
    free(g->constants);
    free(g->weights);
    free(g->squares);
}

/* Returns the weight of the point. */
static double set_point(const clump_validation *all, size_t values, size_t point,
                        double constants[CLUMP_RULE_CONSTANTS])
{
    double weight = 1;
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++) {
        const clump_rule_constant *c = &clump_rule_constant_table[i];
        constants[i] = c->value;
        if (!all->fitted[i])
            continue;
        const size_t place = point % values;
        constants[i] = c->least + (c->most - c->least) * (double)place / (double)(values - 1);
        weight *= place == 0 || place == values - 1 ? 0.5 : 1;
        point /= values;
    }
    return weight;
}

static clump_status make_grid(const clump_validation *all, grid *g, clump_error *error)
{
    size_t fitted = 0;
    g->points = 1;
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++)
        fitted += all->fitted[i];
    const size_t values = values_of(fitted);
    for (size_t i = 0; i < fitted; i++)
        g->points *= values;
    g->constants = malloc(g->points * sizeof *g->constants);
    g->weights = malloc(g->points * sizeof *g->weights);
    g->squares = calloc(g->points * all->count + 1, sizeof *g->squares); /* 0: nothing is fitted */
    if (g->constants == NULL || g->weights == NULL || g->squares == NULL)
        return clump_fail_memory(error, "the fit of constants");
    for (size_t p = 0; p < g->points; p++) {
        g->weights[p] = set_point(all, values, p, g->constants[p]);
        for (size_t i = 0; i < all->count && fitted > 0; i++) {
            const clump_validation_run *run = &all->runs[i];
            double predicted;
            double *const square = &g->squares[p * all->count + i];
            *square = NAN;
            if (run->facts != NULL && validation_predict_time(run->facts, 0, g->constants[p],
                                                              &predicted, NULL) == CLUMP_OK)
                *square = pow(log(predicted / run->measured), 2);
        }
    }
    return CLUMP_OK;
}

static bool same_program(const clump_validation_run *a, const clump_validation_run *b)
{
    return strcmp(a->platform, b->platform) == 0 && strcmp(a->application, b->application) == 0;
}

/* Programs on platforms, of all families but one. */
static size_t count_programs(const clump_validation *all, size_t left_out)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        bool first = all->runs[i].facts != NULL && all->runs[i].family != left_out;
        for (size_t j = 0; j < i && first; j++)
            first = all->runs[j].facts == NULL || !same_program(&all->runs[i], &all->runs[j]);
        count += first;
    }
    return count;
}

/* Q; NAN where a run is impossible with these constants. */
static double sum_of_families(const clump_validation *all, const double *squares, size_t left_out)
{
    double sum = 0;
    for (size_t family = 0; family < all->count; family++) {
        double part = 0;
        size_t rows = 0;
        if (all->runs[family].family != family || family == left_out)
            continue;
        for (size_t i = family; i < all->count; i++)
            if (all->runs[i].family == family && all->runs[i].facts != NULL) {
                part += squares[i];
                rows++;
            }
        sum += rows > 0 ? part / (double)rows : 0;
    }
    return sum;
}

/* Means and deviations of the posterior without a family; what is not fitted keeps its value. */
static void fit(const clump_validation *all, const grid *g, size_t left_out,
                double constants[CLUMP_RULE_CONSTANTS], double deviations[CLUMP_RULE_CONSTANTS])
{
    const double half_n = (double)count_programs(all, left_out) / 2;
    double least = INFINITY, weights = 0, sums[CLUMP_RULE_CONSTANTS] = {0},
           squares[CLUMP_RULE_CONSTANTS] = {0};
    for (size_t p = 0; p < g->points && half_n > 0; p++) {
        const double q = sum_of_families(all, &g->squares[p * all->count], left_out);
        least = q < least ? q : least;
    }
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++) {
        constants[i] = clump_rule_constant_table[i].value;
        deviations[i] = 0;
    }
    for (size_t p = 0; p < g->points && isfinite(least); p++) {
        const double q = sum_of_families(all, &g->squares[p * all->count], left_out);
        const double weight = g->weights[p] * (q == least  ? 1
                                               : q > least ? pow(least / q, half_n)
                                                           : 0);
        weights += weight;
        for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++) {
            sums[i] += weight * g->constants[p][i];
            squares[i] += weight * g->constants[p][i] * g->constants[p][i];
        }
    }
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++)
        if (all->fitted[i] && weights > 0) {
            constants[i] = sums[i] / weights;
            deviations[i] = sqrt(fmax(squares[i] / weights - constants[i] * constants[i], 0));
        }
}

/* ---- how wrong the model is */

typedef struct spread {
    size_t families, rows;
    double square; /* mean over families of the mean square of each */
} spread;

/* Whose residuals count. */
typedef struct sieve {
    clump_change change;
    clump_error_basis basis;
    size_t left_out;
} sieve;

static bool passes(const sieve *s, const validation_residual *r)
{
    return r->family != s->left_out &&
           (s->basis == CLUMP_ERROR_ALL || r->change == s->change ||
            (s->basis == CLUMP_ERROR_CLUSTERS &&
             (r->change == CLUMP_CHANGE_SHARED_NICS || r->change == CLUMP_CHANGE_NIC_EACH)));
}

static bool is_first_of_family(const validation_residual *residuals, size_t i, const sieve *which)
{
    if (!passes(which, &residuals[i]))
        return false;
    for (size_t j = 0; j < i; j++)
        if (residuals[j].family == residuals[i].family && passes(which, &residuals[j]))
            return false;
    return true;
}

/* Every family counts the same, however many rows it has: they are not independent of each other. */
static spread spread_of(const validation_residual *residuals, size_t count, const sieve *which)
{
    spread s = {.families = 0};
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        size_t rows = 0;
        if (!is_first_of_family(residuals, i, which))
            continue;
        for (size_t j = i; j < count; j++)
            if (residuals[j].family == residuals[i].family && passes(which, &residuals[j])) {
                square += residuals[j].value * residuals[j].value;
                rows++;
            }
        s.square += square / (double)rows;
        s.families++;
        s.rows += rows;
    }
    s.square /= (double)s.families;
    return s;
}

clump_model_error validation_model_error(const validation_residual *residuals, size_t count,
                                         clump_change change, size_t left_out)
{
    sieve which = {change, CLUMP_ERROR_OWN, left_out};
    spread s = spread_of(residuals, count, &which);
    if (s.families < 2 && change != CLUMP_CHANGE_ONE_NODE) {
        which.basis = CLUMP_ERROR_CLUSTERS;
        s = spread_of(residuals, count, &which);
    }
    if (s.families < 2) {
        which.basis = CLUMP_ERROR_ALL;
        s = spread_of(residuals, count, &which);
    }
    if (s.rows == 0)
        return (clump_model_error){.datasets = 0, .basis = CLUMP_ERROR_ALL};
    return (clump_model_error){
        .datasets = s.families,
        .rows = s.rows,
        .basis = which.basis,
        .scale = sqrt(s.square),
        .freedom = (double)s.families,
    };
}

/* ---- all runs */

/* Errors of a variant; how many there are. */
static size_t list_residuals(const clump_validation *all, size_t variant,
                             validation_residual *residuals)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const clump_validation_run *run = &all->runs[i];
        if (isfinite(run->outcomes[variant].predicted))
            residuals[count++] = (validation_residual){
                log(run->measured / run->outcomes[variant].predicted), run->family, run->change};
    }
    return count;
}

/* The interval of the inputs is of 95%. */
void validation_set_interval(const clump_model_error *wrong, clump_validation_outcome *o)
{
    const double share =
        gsl_cdf_ugaussian_Pinv((1 + CLUMP_VALIDATION_LEVEL) / 2) / gsl_cdf_ugaussian_Pinv(0.975);
    const double half = isfinite(o->predicted_half_width) ? share * o->predicted_half_width : 0;
    if (clump_model_error_interval(wrong, o->predicted, fmax(o->predicted - half, 0),
                                   o->predicted + half, CLUMP_VALIDATION_LEVEL, &o->low, &o->high,
                                   NULL) != CLUMP_OK)
        o->low = o->high = NAN;
}

static clump_status predict_family(clump_validation *all, const grid *g, size_t family,
                                   clump_error *error)
{
    double constants[CLUMP_RULE_CONSTANTS], deviations[CLUMP_RULE_CONSTANTS];
    fit(all, g, family, constants, deviations);
    for (size_t i = family; i < all->count; i++) {
        clump_validation_run *run = &all->runs[i];
        if (run->family != family)
            continue;
        memcpy(run->constants, constants, sizeof constants);
        for (size_t v = CLUMP_VALIDATION_VARIANTS; run->facts != NULL && v-- > 0;) {
            clump_error why;
            clump_validation_outcome in_sample = validation_no_outcome();
            run->outcomes[v] = validation_no_outcome();
            /* the full model last: f is its own */
            clump_status status = validation_predict(run->facts, v, constants, &run->outcomes[v],
                                                     &run->remote_fraction, &why);
            if (status == CLUMP_OK)
                status = validation_predict(run->facts, v, all->constants, &in_sample, NULL, &why);
            if (status != CLUMP_OK && status != CLUMP_BAD_ARGUMENT)
                return clump_fail(error, status, "%s", why.message);
            run->outcomes[v].in_sample_error = in_sample.error;
        }
    }
    return CLUMP_OK;
}

clump_status validation_judge(clump_validation *all, clump_error *error)
{
    validation_residual *residuals = malloc((all->count + 1) * sizeof *residuals);
    if (residuals == NULL)
        return clump_fail_memory(error, "the validation");
    grid g = {.points = 0};
    find_families(all);
    clump_status status = make_grid(all, &g, error);
    if (status == CLUMP_OK)
        fit(all, &g, nobody, all->constants, all->deviations);
    for (size_t i = 0; i < all->count && status == CLUMP_OK; i++)
        if (all->runs[i].family == i)
            status = predict_family(all, &g, i, error);
    free_grid(&g);
    for (size_t v = CLUMP_VALIDATION_VARIANTS; v-- > 0 && status == CLUMP_OK;) {
        const size_t count = list_residuals(all, v, residuals);
        for (size_t i = 0; i < all->count; i++) {
            clump_validation_run *run = &all->runs[i];
            const clump_model_error wrong =
                validation_model_error(residuals, count, run->change, run->family);
            if (isfinite(run->outcomes[v].predicted))
                validation_set_interval(&wrong, &run->outcomes[v]);
        }
        for (int k = 0; k < CLUMP_CHANGE_COUNT; k++) /* the full model comes last */
            all->changes[k] = validation_model_error(residuals, count, (clump_change)k, nobody);
    }
    free(residuals);
    return status;
}
