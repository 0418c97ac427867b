/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fit as a whole: check, search, intervals, goodness. */
#include "fitting/slowdown/slowdown_search.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 16, RESTARTS = 4 };

/* A model that the measurements reject at this level has errors of its own to answer for. */
static const double rejection = 0.01;

/* Processors that share NICs in the largest station of any run. */
static double largest_gang(const clump_slowdown_question *q)
{
    size_t most = 1;
    for (size_t i = 0; i < q->run_count; i++) {
        const clump_slowdown_run *run = &q->runs[i];
        size_t group = run->processors;
        if (run->nics == 0)
            continue;
        if (run->mapping == CLUMP_MAPPING_STATIC)
            group = (run->processors + run->nics - 1) / run->nics;
        most = group > most ? group : most;
    }
    return (double)most;
}

static clump_status problem_make(const clump_slowdown_question *q, slowdown_problem *p,
                                 clump_error *error)
{
    *p = (slowdown_problem){.question = q, .largest_gang = largest_gang(q), .tolerance = 1e-9};
    memcpy(p->free, q->free, sizeof p->free);
    memcpy(p->value, q->value, sizeof p->value);
    for (size_t b = 0; b < q->base_count; b++)
        p->log_base[b] = q->base_times_s != NULL ? log(q->base_times_s[b]) : NAN;
    p->log_time = malloc(2 * q->run_count * sizeof *p->log_time);
    if (p->log_time == NULL)
        return clump_fail_memory(error, "the runs");
    p->sigma = p->log_time + q->run_count;
    bool weighted = true;
    for (size_t i = 0; i < q->run_count; i++)
        weighted = weighted && !isnan(q->runs[i].relative_error);
    for (size_t i = 0; i < q->run_count; i++) {
        p->log_time[i] = log(q->runs[i].time_s);
        p->sigma[i] = weighted ? q->runs[i].relative_error : 1;
    }
    return CLUMP_OK;
}

/* Of F with 1 and `freedom` degrees of freedom: the square of a t. GSL finds a quantile of F by an
 * iteration that aborts the program where it does not converge. */
static double f_quantile(double confidence, double freedom)
{
    const double t = gsl_cdf_tdist_Pinv((1 + confidence) / 2, freedom);
    return t * t;
}

/* What chi_square may rise by at the end of an interval; NAN: none can be given. */
static double find_threshold(const clump_slowdown_question *q, clump_slowdown_fit *fit)
{
    fit->p_value = NAN;
    fit->widening = 1;
    if (!fit->weighted)
        return fit->freedom > 0
                   ? f_quantile(q->confidence, fit->freedom) * fit->chi_square / fit->freedom
                   : NAN;
    double threshold = isfinite(q->error_freedom) ? f_quantile(q->confidence, q->error_freedom)
                                                  : gsl_cdf_chisq_Pinv(q->confidence, 1);
    if (fit->freedom > 0) {
        fit->p_value = isfinite(q->error_freedom) ? gsl_cdf_fdist_Q(fit->chi_square / fit->freedom,
                                                                    fit->freedom, q->error_freedom)
                                                  : gsl_cdf_chisq_Q(fit->chi_square, fit->freedom);
        if (fit->p_value < rejection) {
            const double wider =
                f_quantile(q->confidence, fit->freedom) * fit->chi_square / fit->freedom;
            fit->widening = fmax(sqrt(wider / threshold), 1);
            threshold = fmax(wider, threshold);
        }
    }
    return threshold;
}

static void list_unknowns(const slowdown_problem *p, clump_slowdown_fit *fit)
{
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        if (p->free[k])
            fit->unknowns[fit->unknown_count++] = k;
    for (size_t b = 0; b < p->question->base_count; b++)
        if (isnan(p->log_base[b]))
            fit->unknowns[fit->unknown_count++] = CLUMP_SLOWDOWN_PARAMETERS + b;
}

static clump_slowdown_estimate *estimate_of(clump_slowdown_fit *fit, size_t unknown)
{
    return unknown < CLUMP_SLOWDOWN_PARAMETERS
               ? &fit->parameters[unknown]
               : &fit->base_times_s[unknown - CLUMP_SLOWDOWN_PARAMETERS];
}

static void set_values(const slowdown_problem *p, const slowdown_point *best,
                       clump_slowdown_fit *fit)
{
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        fit->parameters[k] = (clump_slowdown_estimate){
            .value = best->value[k], .low = NAN, .high = NAN, .free = p->free[k]};
    for (size_t b = 0; b < p->question->base_count; b++)
        fit->base_times_s[b] = (clump_slowdown_estimate){.value = exp(best->log_base[b]),
                                                         .low = NAN,
                                                         .high = NAN,
                                                         .free = isnan(p->log_base[b]) != 0};
    fit->chi_square = best->chi_square;
}

/* @param correlation, errors  as of slowdown_correlate, at the optimum */
static clump_status find_intervals(const slowdown_problem *p, slowdown_point *best,
                                   clump_slowdown_fit *fit, double *correlation, double *errors,
                                   clump_error *error)
{
    for (int restart = 0;; restart++) {
        slowdown_point better;
        double least = 0;
        set_values(p, best, fit);
        const double threshold = find_threshold(p->question, fit);
        clump_status status = CLUMP_OK;
        if (fit->unknown_count > 0)
            status = slowdown_correlate(p, best->value, correlation, errors, &least, NULL, error);
        if (status != CLUMP_OK)
            return status;
        if (isnan(threshold))
            return CLUMP_OK;
        for (size_t j = 0; j < fit->unknown_count && status == CLUMP_OK; j++) {
            better.chi_square = NAN;
            status = slowdown_profile(p, fit->unknowns[j], best, threshold, errors[j],
                                      estimate_of(fit, fit->unknowns[j]), &better, error);
        }
        if (status != CLUMP_NO_CONVERGENCE || isnan(better.chi_square) || restart == RESTARTS)
            return status;
        const clump_status again = slowdown_descend(p, better.value, best, error);
        if (again != CLUMP_OK && again != CLUMP_NO_CONVERGENCE)
            return again;
    }
}

/* Minima elsewhere in the space that the data do not rule out either. */
static size_t count_optima(const slowdown_problem *p, const slowdown_point *best,
                           const slowdown_point *all, double threshold)
{
    size_t found = 0;
    slowdown_point seen[STARTS];
    for (size_t i = 0; i < STARTS; i++) {
        if (!(all[i].chi_square <= best->chi_square + threshold))
            continue;
        bool new = true;
        for (size_t j = 0; j <= found && new; j++) {
            const slowdown_point *other = j == 0 ? best : &seen[j - 1];
            double distance = 0;
            for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++) {
                double least, most;
                slowdown_range(p, k, &least, &most);
                if (p->free[k])
                    distance = fmax(distance, fabs(all[i].value[k] - other->value[k]) /
                                                  fmin(most - least + 1e-300, 1));
            }
            new = distance > 0.02;
        }
        if (new)
            seen[found++] = all[i];
    }
    return found;
}

static clump_status set_runs(const slowdown_problem *p, clump_slowdown_fit *fit,
                             const slowdown_point *best, clump_error *error)
{
    const clump_slowdown_question *q = p->question;
    double sum = 0;
    for (size_t i = 0; i < q->run_count; i++) {
        const clump_status status =
            clump_slowdown_run_predict(q, best->value, &q->runs[i], &fit->slowdowns[i], error);
        if (status != CLUMP_OK)
            return status;
        fit->fitted_s[i] = exp(best->log_base[q->runs[i].base]) * fit->slowdowns[i];
        const double residual = q->runs[i].time_s / fit->fitted_s[i] - 1;
        sum += residual * residual;
    }
    fit->rms_error = sqrt(sum / (double)q->run_count);
    return CLUMP_OK;
}

static void set_errors(clump_slowdown_fit *fit, const double *errors)
{
    const double sigma = fit->weighted      ? 1
                         : fit->freedom > 0 ? sqrt(fit->chi_square / fit->freedom)
                                            : NAN;
    for (size_t j = 0; j < fit->unknown_count; j++) {
        clump_slowdown_estimate *e = estimate_of(fit, fit->unknowns[j]);
        const bool is_base = fit->unknowns[j] >= CLUMP_SLOWDOWN_PARAMETERS;
        e->standard_error = errors[j] * sigma * fit->widening * (is_base ? e->value : 1);
    }
}

static size_t find_unknown(const clump_slowdown_fit *fit, size_t unknown)
{
    size_t j = 0;
    while (j < fit->unknown_count && fit->unknowns[j] != unknown)
        j++;
    return j;
}

/* T U or T (1-U) with an interval on a logarithmic scale. @param slope d log(part)/dU */
static clump_slowdown_estimate part_of(const clump_slowdown_question *q,
                                       const clump_slowdown_fit *fit, double value, double slope)
{
    const size_t u = find_unknown(fit, CLUMP_SLOWDOWN_UTILIZATION);
    const size_t t = find_unknown(fit, CLUMP_SLOWDOWN_PARAMETERS);
    const double of_u = u < fit->unknown_count
                            ? slope * fit->parameters[CLUMP_SLOWDOWN_UTILIZATION].standard_error
                            : 0;
    const double of_t = t < fit->unknown_count
                            ? fit->base_times_s[0].standard_error / fit->base_times_s[0].value
                            : 0;
    const double together =
        u < fit->unknown_count && t < fit->unknown_count ? fit->correlation[u][t] : 0;
    const double error = sqrt(of_u * of_u + of_t * of_t + 2 * together * of_u * of_t);
    const double tail = (1 - q->confidence) / 2;
    const double normal = fit->weighted ? gsl_cdf_ugaussian_Qinv(tail)
                                        : gsl_cdf_tdist_Qinv(tail, fmax(fit->freedom, 1));
    return (clump_slowdown_estimate){.value = value,
                                     .low = value * exp(-normal * error),
                                     .high = value * exp(normal * error),
                                     .standard_error = value * error,
                                     .free = u < fit->unknown_count || t < fit->unknown_count};
}

static void set_parts(const clump_slowdown_question *q, clump_slowdown_fit *fit)
{
    const double time = fit->base_times_s[0].value;
    const double u = fit->parameters[CLUMP_SLOWDOWN_UTILIZATION].value;
    fit->computation_s = part_of(q, fit, time * (1 - u), -1 / (1 - u));
    fit->communication_s = part_of(q, fit, time * u, 1 / u);
    /* Where U is near its bounds the logarithm is far from straight; a part is never the whole. */
    const double most = fit->base_times_s[0].free ? fit->base_times_s[0].high : time;
    if (fit->computation_s.high > most)
        fit->computation_s.high = most;
    if (fit->communication_s.high > most)
        fit->communication_s.high = most;
}

static clump_status solve(slowdown_problem *p, clump_slowdown_fit *fit, clump_error *error)
{
    slowdown_point best = {.chi_square = NAN}, all[STARTS];
    double errors[CLUMP_SLOWDOWN_UNKNOWNS];
    double correlation[CLUMP_SLOWDOWN_UNKNOWNS * CLUMP_SLOWDOWN_UNKNOWNS];
    const bool any = slowdown_free_parameters(p) > 0;
    clump_status status = slowdown_identify(p, error);
    if (status == CLUMP_OK)
        status = slowdown_search(p, any ? NULL : p->value, any ? STARTS : 0, &best,
                                 any ? all : NULL, error);
    list_unknowns(p, fit);
    fit->freedom = (double)p->question->run_count - (double)fit->unknown_count;
    if (status == CLUMP_OK)
        status = find_intervals(p, &best, fit, correlation, errors, error);
    if (status == CLUMP_OK)
        status = set_runs(p, fit, &best, error);
    if (status != CLUMP_OK)
        return status;
    for (size_t a = 0; a < fit->unknown_count; a++)
        for (size_t b = 0; b < fit->unknown_count; b++)
            fit->correlation[a][b] = correlation[a * fit->unknown_count + b];
    const double threshold = find_threshold(p->question, fit);
    set_errors(fit, errors);
    set_parts(p->question, fit);
    if (any)
        fit->other_optima = count_optima(p, &best, all, isnan(threshold) ? 1e-9 : threshold);
    return CLUMP_OK;
}

clump_status clump_slowdown_fit_compute(const clump_slowdown_question *question,
                                        clump_slowdown_fit *fit, clump_error *error)
{
    clump_status status = slowdown_check(question, error);
    if (status != CLUMP_OK)
        return status;
    clump_slowdown_fit made = {.base_count = question->base_count, .weighted = true};
    slowdown_problem problem;
    status = problem_make(question, &problem, error);
    for (size_t i = 0; i < question->run_count; i++)
        made.weighted = made.weighted && !isnan(question->runs[i].relative_error);
    made.slowdowns = malloc(2 * question->run_count * sizeof(double));
    if (status == CLUMP_OK && made.slowdowns == NULL)
        status = clump_fail_memory(error, "the fit");
    if (status == CLUMP_OK) {
        made.fitted_s = made.slowdowns + question->run_count;
        status = solve(&problem, &made, error);
    }
    free(problem.log_time);
    if (status == CLUMP_OK)
        *fit = made;
    else
        free(made.slowdowns);
    return status;
}

void clump_slowdown_fit_free(clump_slowdown_fit *fit)
{
    free(fit->slowdowns);
    fit->slowdowns = NULL;
    fit->fitted_s = NULL;
}
