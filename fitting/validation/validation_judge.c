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

/* An error beyond this, as a logarithm, counts no more than linearly (Huber). */
static const double large = 0.2;

/* Every data set counts the same, however many rows it has. */
static double loss(const clump_validation *all, size_t left_out, const double *constants)
{
    double sum = 0;
    for (size_t first = 0, next; first < all->count; first = next) {
        double part = 0;
        size_t rows = 0;
        for (next = first;
             next < all->count && strcmp(all->runs[next].dataset, all->runs[first].dataset) == 0;
             next++) {
            const clump_validation_run *run = &all->runs[next];
            clump_validation_outcome o;
            if (run->facts == NULL || run->family == left_out)
                continue;
            if (validation_predict(run->facts, 0, constants, &o, NULL, NULL) != CLUMP_OK)
                return INFINITY; /* constants with which a run is impossible */
            const double off = fabs(log(o.predicted / run->measured));
            part += off < large ? off * off : large * (2 * off - large);
            rows++;
        }
        sum += rows > 0 ? part / (double)rows : 0;
    }
    return sum;
}

/* Steps along each constant in turn, halved where none is better: few constants, with bounds, and a
 * loss with corners. */
static void fit(const clump_validation *all, size_t left_out,
                double constants[CLUMP_RULE_CONSTANTS])
{
    bool any = false;
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++) {
        constants[i] = clump_rule_constant_table[i].value;
        any = any || all->fitted[i];
    }
    if (!any)
        return;
    double best = loss(all, left_out, constants);
    for (double step = 0.25; step > 1e-4;) {
        bool better = false;
        for (size_t i = 0; i < 2 * CLUMP_RULE_CONSTANTS; i++) {
            const clump_rule_constant *c = &clump_rule_constant_table[i / 2];
            const double before = constants[i / 2];
            if (!all->fitted[i / 2])
                continue;
            const double moved = before + (i % 2 ? -step : step) * (c->most - c->least);
            constants[i / 2] = fmin(fmax(moved, c->least), c->most);
            const double now = loss(all, left_out, constants);
            if (now < best) {
                best = now;
                better = true;
            } else {
                constants[i / 2] = before;
            }
        }
        if (!better)
            step /= 2;
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

static clump_status predict_family(clump_validation *all, size_t family, clump_error *error)
{
    double constants[CLUMP_RULE_CONSTANTS];
    fit(all, family, constants);
    for (size_t i = family; i < all->count; i++) {
        clump_validation_run *run = &all->runs[i];
        for (size_t v = CLUMP_VALIDATION_VARIANTS;
             run->facts != NULL && run->family == family && v-- > 0;) {
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
    find_families(all);
    fit(all, nobody, all->constants);
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < all->count && status == CLUMP_OK; i++)
        if (all->runs[i].family == i)
            status = predict_family(all, i, error);
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
