/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fit: whether the question makes sense, the search, intervals, and what they cannot tell. */
#include "fitting/slowdown/slowdown_search.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can be used */

static clump_status check_run(const clump_slowdown_question *q, size_t i, clump_error *error)
{
    const clump_slowdown_run *run = &q->runs[i];
    if (run->base >= q->base_count)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: base %zu of %zu", i + 1,
                          run->base + 1, q->base_count);
    if (run->processors < 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: no processors, expected 1 or more",
                          i + 1);
    if (run->processors > CLUMP_SLOWDOWN_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "run %zu: %zu processors in a node, expected up to %d", i + 1,
                          run->processors, CLUMP_SLOWDOWN_PROCESSORS);
    if (!(run->time_s > 0 && isfinite(run->time_s)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: time %g, expected above 0", i + 1,
                          run->time_s);
    if (!isnan(run->relative_error) && !(run->relative_error > 0 && run->relative_error < 10))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: relative error %g, expected above 0",
                          i + 1, run->relative_error);
    const double own[] = {run->utilization, run->remote_fraction, run->waiting_fraction};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        if (!isnan(own[k]) && !(own[k] >= 0 && own[k] <= 1))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: found %g, expected 0 to 1",
                              i + 1, own[k]);
    return CLUMP_OK;
}

/* What is neither free nor given, here or in every run. */
static clump_status check_values(const clump_slowdown_question *q, clump_error *error)
{
    if (!q->free[CLUMP_SLOWDOWN_UTILIZATION] && isnan(q->value[CLUMP_SLOWDOWN_UTILIZATION]))
        for (size_t i = 0; i < q->run_count; i++)
            if (q->runs[i].processors > 1 && isnan(q->runs[i].utilization))
                return clump_fail(error, CLUMP_BAD_ARGUMENT,
                                  "utilization U is neither free nor known for the run with %zu "
                                  "processors and %zu NICs; let it be found with the rest, give "
                                  "it, or leave the run out",
                                  q->runs[i].processors, q->runs[i].nics);
    return CLUMP_OK;
}

/* Runs and values that can be used. */
static clump_status slowdown_check(const clump_slowdown_question *q, clump_error *error)
{
    if (q->run_count == 0 || q->base_count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found no runs, expected some");
    if (q->base_count > CLUMP_SLOWDOWN_BASES)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%zu bases, expected up to %d", q->base_count,
                          CLUMP_SLOWDOWN_BASES);
    if (!(q->confidence > 0 && q->confidence < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "confidence %g, expected between 0 and 1",
                          q->confidence);
    clump_status status = check_values(q, error);
    for (size_t i = 0; i < q->run_count && status == CLUMP_OK; i++)
        status = check_run(q, i, error);
    return status;
}

/* ---- what cannot be found from the runs there are, and what to measure to find it */

enum { POINTS = 4, MOST = 64 };

static void name_unknown(const slowdown_problem *p, size_t unknown, char *text, size_t size)
{
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS)
        snprintf(text, size, "%s",
                 clump_slowdown_parameter_name((clump_slowdown_parameter)unknown));
    else if (p->question->base_count == 1)
        snprintf(text, size, "the time on the NOW");
    else
        snprintf(text, size, "the time on NOW %zu", unknown - CLUMP_SLOWDOWN_PARAMETERS + 1);
}

/* "U, s and the time on the NOW"; those with a weight, or all. */
static void name_all(const slowdown_problem *p, const double *weak, char *text, size_t size)
{
    size_t unknowns[CLUMP_SLOWDOWN_UNKNOWNS], count = 0, j = 0, used = 0;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS + p->question->base_count; k++) {
        const bool is_unknown = k < CLUMP_SLOWDOWN_PARAMETERS
                                    ? p->free[k]
                                    : isnan(p->log_base[k - CLUMP_SLOWDOWN_PARAMETERS]) != 0;
        if (is_unknown && (weak == NULL || fabs(weak[j]) > 0.05))
            unknowns[count++] = k;
        j += is_unknown;
    }
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        char name[40];
        name_unknown(p, unknowns[i], name, sizeof name);
        const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, name);
    }
}

static bool is_measured(const clump_slowdown_question *q, const clump_slowdown_run *run)
{
    for (size_t i = 0; i < q->run_count; i++) {
        const clump_slowdown_run *r = &q->runs[i];
        if (r->base == run->base && r->processors == run->processors && r->nics == run->nics &&
            (r->mapping == run->mapping || r->processors == 1))
            return true;
    }
    return false;
}

/* How well conditioned the problem is with one run more, over some points of the space. */
static double worth(const slowdown_problem *with, const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < POINTS; i++) {
        double value[CLUMP_SLOWDOWN_PARAMETERS], least = 0;
        slowdown_start(with, i, value);
        if (values != NULL)
            memcpy(value, values, sizeof value);
        if (slowdown_correlate(with, value, NULL, NULL, &least, NULL, NULL) != CLUMP_OK)
            return 0;
        sum += least;
    }
    return sum / POINTS;
}

typedef struct candidates {
    const clump_slowdown_question *question;
    slowdown_problem problem;
    clump_slowdown_question extended;
    clump_slowdown_run *runs; /* those there are, and one more */
    const double *values;
    double best;
    clump_slowdown_run choice;
} candidates;

static void try_run(candidates *c, size_t processors, size_t nics, clump_mapping mapping)
{
    const clump_slowdown_run run = {.processors = processors,
                                    .nics = nics,
                                    .mapping = mapping,
                                    .utilization = NAN,
                                    .remote_fraction = NAN,
                                    .cost_ratio = NAN,
                                    .waiting_fraction = NAN,
                                    .time_s = 1,
                                    .relative_error = NAN};
    if (is_measured(c->question, &run))
        return;
    c->runs[c->question->run_count] = run;
    /* A utilization that runs bring with them holds for the new one as well. */
    if (!c->extended.free[CLUMP_SLOWDOWN_UTILIZATION])
        c->runs[c->question->run_count].utilization = c->runs[0].utilization;
    const double found = worth(&c->problem, c->values);
    if (found > c->best * 1.1) {
        c->best = found;
        c->choice = run;
    }
}

static size_t greatest(const clump_slowdown_question *q, bool nics)
{
    size_t most = 1;
    for (size_t i = 0; i < q->run_count; i++) {
        const size_t n = nics ? q->runs[i].nics : q->runs[i].processors;
        most = n > most ? n : most;
    }
    return most;
}

static void try_all(candidates *c)
{
    const size_t most = greatest(c->question, false), nics = greatest(c->question, true);
    bool pooled = false, fixed = false;
    for (size_t i = 0; i < c->question->run_count; i++) {
        const clump_slowdown_run *run = &c->question->runs[i];
        pooled = pooled || (run->processors > 1 && run->mapping == CLUMP_MAPPING_POOLED);
        fixed = fixed || (run->processors > 1 && run->mapping == CLUMP_MAPPING_STATIC);
    }
    const size_t P = most > 1 ? (most < MOST ? most : MOST) : 8;
    try_run(c, 1, 1, CLUMP_MAPPING_POOLED);
    for (size_t p = P; p >= 2; p = p > 4 ? p / 2 : p - 1)
        for (size_t n = 1; n <= nics && n <= p && n <= 8; n++) {
            if (pooled || !fixed)
                try_run(c, p, n, CLUMP_MAPPING_POOLED);
            if (fixed)
                try_run(c, p, n, CLUMP_MAPPING_STATIC);
        }
}

static bool choose(const slowdown_problem *p, const double *values, clump_slowdown_run *run)
{
    const clump_slowdown_question *q = p->question;
    const size_t count = q->run_count + 1;
    candidates c = {.question = q, .problem = *p, .extended = *q, .values = values, .best = 0};
    c.runs = malloc(count * sizeof *c.runs);
    c.problem.sigma = malloc(count * sizeof *c.problem.sigma);
    bool found = false;
    if (c.runs != NULL && c.problem.sigma != NULL) {
        memcpy(c.runs, q->runs, q->run_count * sizeof *c.runs);
        for (size_t i = 0; i < count; i++)
            c.problem.sigma[i] = 1;
        c.extended.runs = c.runs;
        c.extended.run_count = count;
        c.problem.question = &c.extended;
        c.problem.largest_gang = (double)greatest(q, false);
        c.best = worth(p, values);
        const double before = c.best;
        try_all(&c);
        found = c.best > before * 1.02 + 1e-6;
    }
    free(c.runs);
    free(c.problem.sigma);
    if (found)
        *run = c.choice;
    return found;
}

static void describe(const clump_slowdown_run *run, char *text, size_t size)
{
    snprintf(text, size, "%zu processor%s with %zu NIC%s%s", run->processors,
             run->processors == 1 ? "" : "s", run->nics, run->nics == 1 ? "" : "s",
             run->processors == 1                   ? ""
             : run->mapping == CLUMP_MAPPING_STATIC ? ", static"
                                                    : ", pooled");
}

bool clump_slowdown_suggest(const clump_slowdown_question *question, const double *values,
                            clump_slowdown_run *run)
{
    slowdown_problem p = {.question = question, .largest_gang = (double)greatest(question, false)};
    memcpy(p.free, question->free, sizeof p.free);
    memcpy(p.value, question->value, sizeof p.value);
    for (size_t b = 0; b < question->base_count; b++)
        p.log_base[b] = question->base_times_s != NULL ? log(question->base_times_s[b]) : NAN;
    p.sigma = malloc(question->run_count * sizeof *p.sigma);
    if (p.sigma == NULL)
        return false;
    for (size_t i = 0; i < question->run_count; i++)
        p.sigma[i] = 1;
    const bool found = choose(&p, values, run);
    free(p.sigma);
    return found;
}

/* Refuse what cannot be found from these runs, with what to measure. */
static clump_status slowdown_identify(const slowdown_problem *p, clump_error *error)
{
    const size_t unknowns = slowdown_free_parameters(p) + slowdown_free_bases(p);
    const size_t runs = p->question->run_count;
    double weak[CLUMP_SLOWDOWN_UNKNOWNS];
    char names[120], what[80] = "another configuration";
    bool open = false;
    clump_slowdown_run run;
    if (unknowns == 0)
        return CLUMP_OK;
    if (unknowns <= runs) {
        const clump_status status = slowdown_open_direction(p, &open, weak, error);
        if (status != CLUMP_OK || !open)
            return status;
    }
    if (choose(p, NULL, &run))
        describe(&run, what, sizeof what);
    if (unknowns > runs) {
        name_all(p, NULL, names, sizeof names);
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%zu unknowns (%s) but %zu configuration%s: measure %zu more, such as "
                          "%s, or leave something fixed",
                          unknowns, names, runs, runs == 1 ? "" : "s", unknowns - runs, what);
    }
    name_all(p, weak, names, sizeof names);
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "%s cannot be told from these configurations: measure %s as well, or leave "
                      "something fixed",
                      names, what);
}

/* ---- intervals */

/*
 * Intervals by profile likelihood: how far one unknown can go while all others make up for it.
 *
 * The root of what chi_square rises by is nearly a straight line in the unknown (exactly one where
 * the model is linear), so that a few steps of false position find the end of the interval.
 */

enum { HELD_STARTS = 3, OUTWARD = 60, INWARD = 40 };

/* An end is found to this share of the distance from the optimum, in terms of the root. */
static const double accuracy = 1e-4;

/* Squares of relative residuals below this are rounding. */
static const double negligible = 1e-22;

typedef struct walk {
    const slowdown_problem *problem;
    const slowdown_point *best;
    size_t unknown;
    double threshold;
    slowdown_point last; /* within the interval, from where the next search starts */
    slowdown_point *better;
    clump_error *error;
} walk;

static slowdown_problem hold(const slowdown_problem *problem, size_t unknown, double value)
{
    slowdown_problem p = *problem;
    p.tolerance = 1e-5; /* chi_square is flat at its least: this makes it good to 1e-10 */
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS) {
        p.free[unknown] = false;
        p.value[unknown] = value;
    } else {
        p.log_base[unknown - CLUMP_SLOWDOWN_PARAMETERS] = value;
    }
    return p;
}

/* Root of the rise over that of the threshold, less 1: negative within the interval. */
static clump_status look(walk *w, double value, bool first, double *beyond)
{
    const slowdown_problem p = hold(w->problem, w->unknown, value);
    const double best = w->best->chi_square;
    slowdown_point held = {.chi_square = NAN};
    clump_status status = slowdown_descend(&p, w->last.value, &held, w->error);
    if (status != CLUMP_OK && (status != CLUMP_NO_CONVERGENCE || isnan(held.chi_square)))
        return status;
    /* Before a value is first said to be outside of the interval it is tried from other starts, too. */
    if (first && !(held.chi_square <= best + w->threshold) && slowdown_free_parameters(&p) > 0) {
        status = slowdown_search(&p, w->last.value, HELD_STARTS, &held, NULL, w->error);
        if (status != CLUMP_OK)
            return status;
    }
    if (held.chi_square < best - 1e-3 * w->threshold) {
        *w->better = held;
        return clump_fail(w->error, CLUMP_NO_CONVERGENCE, "the search had not found the minimum");
    }
    *beyond = sqrt(fmax(held.chi_square - best, 0) / w->threshold) - 1;
    if (*beyond <= 0)
        w->last = held;
    return CLUMP_OK;
}

/* Out from `from` in growing steps, to `end` at most. @param at_end the interval reaches it */
static clump_status step_out(walk *w, double from, double end, double step, double ends[2],
                             double beyond[2], bool *at_end)
{
    ends[0] = from;
    beyond[0] = -1;
    *at_end = false;
    for (int i = 0; i < OUTWARD; i++, step *= 2) {
        const bool last = fabs(end - ends[0]) <= step;
        ends[1] = last ? end : ends[0] + copysign(step, end - from);
        const clump_status status = look(w, ends[1], true, &beyond[1]);
        if (status != CLUMP_OK || beyond[1] > 0)
            return status;
        ends[0] = ends[1];
        beyond[0] = beyond[1];
        *at_end = last;
        if (last)
            break;
    }
    return CLUMP_OK;
}

/* Between what is within and what is beyond: false position (Illinois). */
static clump_status step_in(walk *w, double ends[2], double beyond[2], double *where)
{
    int side = 0;
    for (int i = 0; i < INWARD; i++) {
        double middle = ends[0] - beyond[0] * (ends[1] - ends[0]) / (beyond[1] - beyond[0]);
        double found;
        if (!(fabs(middle - ends[0]) < fabs(ends[1] - ends[0])))
            middle = (ends[0] + ends[1]) / 2;
        const clump_status status = look(w, middle, false, &found);
        if (status != CLUMP_OK)
            return status;
        if (fabs(found) < accuracy || fabs(ends[1] - ends[0]) < 1e-12 * fabs(middle)) {
            *where = middle;
            return CLUMP_OK;
        }
        const int k = found > 0;
        ends[k] = middle;
        beyond[k] = found;
        if (side == k + 1)
            beyond[1 - k] /= 2;
        side = k + 1;
    }
    *where = ends[0];
    return CLUMP_OK;
}

static clump_status find_end(walk *w, double from, double end, double step, double *where,
                             bool *at_end)
{
    double ends[2], beyond[2];
    w->last = *w->best;
    *where = end;
    if (!(fabs(end - from) > 0)) {
        *at_end = true;
        return CLUMP_OK;
    }
    const clump_status status = step_out(w, from, end, step, ends, beyond, at_end);
    if (status != CLUMP_OK || *at_end)
        return status;
    return step_in(w, ends, beyond, where);
}

/*
 * The interval of one unknown: where chi_square is no more than `threshold` above the best.
 * @param error_guess  standard error of the unknown (of log T for bases); NAN: not known
 * @param better  receives a point that fits better than `best`, if the walk comes across one
 * @return CLUMP_NO_CONVERGENCE then
 */
static clump_status slowdown_profile(const slowdown_problem *p, size_t unknown,
                                     const slowdown_point *best, double threshold,
                                     double error_guess, clump_slowdown_estimate *estimate,
                                     slowdown_point *better, clump_error *error)
{
    const bool is_base = unknown >= CLUMP_SLOWDOWN_PARAMETERS;
    const double value =
        is_base ? best->log_base[unknown - CLUMP_SLOWDOWN_PARAMETERS] : best->value[unknown];
    double least = value - 20, most = value + 20;
    if (!is_base)
        slowdown_range(p, unknown, &least, &most);
    walk w = {.problem = p,
              .best = best,
              .unknown = unknown,
              .threshold = threshold,
              .better = better,
              .error = error};
    const double first = error_guess * sqrt(threshold);
    const double step =
        first > 1e-9 * (fabs(value) + 1) && isfinite(first) ? first : 1e-3 * fmin(most - least, 1);
    double low = value, high = value;
    bool low_is_bound = false, high_is_bound = false;
    clump_status status = CLUMP_OK;
    if (threshold > negligible) /* else the fit is perfect to the last digits */
        status = find_end(&w, value, least, step, &low, &low_is_bound);
    if (status == CLUMP_OK && threshold > negligible)
        status = find_end(&w, value, most, step, &high, &high_is_bound);
    if (status != CLUMP_OK)
        return status;
    estimate->low = is_base ? exp(low) : low;
    estimate->high = is_base ? exp(high) : high;
    estimate->low_is_bound = low_is_bound;
    estimate->high_is_bound = high_is_bound;
    return CLUMP_OK;
}

/* ---- the fit as a whole: check, search, intervals, goodness */

enum { STARTS = CLUMP_SLOWDOWN_STARTS, RESTARTS = 4 };

/* Where the measurements reject the model at this level intervals also cover how far the model is off. */
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
static size_t find_optima(const slowdown_problem *p, const slowdown_point *best,
                          const slowdown_point *all, double threshold,
                          double (*seen)[CLUMP_SLOWDOWN_PARAMETERS])
{
    size_t found = 0;
    for (size_t i = 0; i < STARTS; i++) {
        if (!(all[i].chi_square <= best->chi_square + threshold))
            continue;
        bool new = true;
        for (size_t j = 0; j <= found && new; j++) {
            const double *other = j == 0 ? best->value : seen[j - 1];
            double distance = 0;
            for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++) {
                double least, most;
                slowdown_range(p, k, &least, &most);
                if (p->free[k])
                    distance = fmax(distance, fabs(all[i].value[k] - other[k]) /
                                                  fmin(most - least + 1e-300, 1));
            }
            new = distance > 0.02;
        }
        if (new)
            memcpy(seen[found++], all[i].value, sizeof *seen);
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
        fit->other_optima =
            find_optima(p, &best, all, isnan(threshold) ? 1e-9 : threshold, fit->other_values);
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

bool clump_slowdown_missed(const clump_slowdown_question *question, const clump_slowdown_fit *fit,
                           clump_slowdown_parameter *parameter, double *rms_error)
{
    static const clump_slowdown_parameter held[] = {CLUMP_SLOWDOWN_UTILIZATION, CLUMP_SLOWDOWN_GANG,
                                                    CLUMP_SLOWDOWN_EFFICIENCY,
                                                    CLUMP_SLOWDOWN_PENALTY};
    double best = fit->rms_error / 2;
    bool found = false;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        clump_slowdown_question q = *question;
        clump_slowdown_fit other;
        if (q.free[held[i]] || !(fit->freedom > 1))
            continue;
        q.free[held[i]] = true;
        if (clump_slowdown_fit_compute(&q, &other, NULL) != CLUMP_OK)
            continue;
        if (other.rms_error < best) {
            *rms_error = best = other.rms_error;
            *parameter = held[i];
            found = true;
        }
        clump_slowdown_fit_free(&other);
    }
    return found;
}
