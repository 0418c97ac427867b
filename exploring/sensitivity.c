/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/sensitivity.h"

#include "exploring/draws.h"
#include "model/root.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Each row costs forty runs of the script a parameter. */
enum { MOST_ROWS = 500, SLOPE_RUNS = 40 };

/* ---- indices from samples */

typedef struct moments {
    double mean, variance; /* of A and B together */
} moments;

static moments take_moments(const double *f_a, const double *f_b, size_t count)
{
    const double n = 2 * (double)count;
    double sum = 0, squares = 0;
    for (size_t k = 0; k < count; k++)
        sum += f_a[k] + f_b[k];
    const double mean = sum / n;
    for (size_t k = 0; k < count; k++)
        squares += (f_a[k] - mean) * (f_a[k] - mean) + (f_b[k] - mean) * (f_b[k] - mean);
    return (moments){mean, squares / (n - 1)};
}

/* What the mean is taken of: (f - f_ai)^2/2, or without f (f_b - m) (f_ai - f_a). */
static double term(const double *f, const double *f_ai, const double *f_a, const double *f_b,
                   size_t k, moments m)
{
    return f != NULL ? (f[k] - f_ai[k]) * (f[k] - f_ai[k]) / 2
                     : (f_b[k] - m.mean) * (f_ai[k] - f_a[k]);
}

/* That mean over V, and its standard error from the residuals of the ratio. */
static double ratio(const double *f, const double *f_ai, const double *f_a, const double *f_b,
                    size_t count, moments m, double *error)
{
    const double n = (double)count;
    double sum = 0, residuals = 0;
    for (size_t k = 0; k < count; k++)
        sum += term(f, f_ai, f_a, f_b, k, m);
    const double found = sum / n / m.variance;
    for (size_t k = 0; k < count; k++) {
        const double a = f_a[k] - m.mean, b = f_b[k] - m.mean;
        const double e = term(f, f_ai, f_a, f_b, k, m) - found * (a * a + b * b) / 2;
        residuals += e * e;
    }
    *error = sqrt(residuals / n / (n - 1)) / m.variance;
    return found;
}

clump_status clump_variance_index_estimate(const double *f_a, const double *f_b, const double *f_ai,
                                           size_t count, clump_variance_index *index,
                                           clump_error *error)
{
    if (count < 2)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "samples: %zu, expected at least 2", count);
    const moments m = take_moments(f_a, f_b, count);
    clump_variance_index found = {0, 0, 0, 0};
    if (m.variance > 1e-28 * m.mean * m.mean) {
        double other_error;
        const double other = ratio(NULL, f_ai, f_a, f_b, count, m, &other_error);
        found.first = 1 - ratio(f_b, f_ai, f_a, f_b, count, m, &found.first_error);
        if (other_error < found.first_error) {
            found.first = other;
            found.first_error = other_error;
        }
        found.total = ratio(f_a, f_ai, f_a, f_b, count, m, &found.total_error);
    }
    *index = found;
    return CLUMP_OK;
}

/* ---- indices */

typedef struct study {
    clump_explorer *explorer;
    clump_sensitivity *answer;
    size_t done, total; /* work, in draws of one thread */
} study;

/* All draws of a matrix: A (swapped -1), B (other), or A with one column of B. */
static clump_explore_status run_matrix(study *s, bool other, int swapped,
                                       const clump_explore_drawn *drawn)
{
    const clump_explore_draw like = {.other = other, .swapped = swapped, .fixed = -1};
    const clump_explore_status status =
        clump_explore_draw_all(s->explorer, &like, drawn, s->done, s->total);
    s->done += drawn->draws;
    return status;
}

/* `mixed` receives A with each column of B in turn. */
static clump_explore_status estimate(study *s, const clump_explore_drawn *a,
                                     const clump_explore_drawn *b, const clump_explore_drawn *mixed)
{
    clump_explorer *e = s->explorer;
    const size_t draws = e->settings.draws, parameters = e->parameters.count;
    clump_explore_status status = run_matrix(s, false, -1, a);
    if (status == CLUMP_EXPLORE_OK)
        status = run_matrix(s, true, -1, b);
    for (size_t i = 0; i < parameters && status == CLUMP_EXPLORE_OK; i++) {
        status = run_matrix(s, false, (int)i, mixed);
        for (size_t r = 0; r < s->answer->row_count && status == CLUMP_EXPLORE_OK; r++)
            if (clump_variance_index_estimate(a->slowdowns + r * draws, b->slowdowns + r * draws,
                                              mixed->slowdowns + r * draws, draws,
                                              &s->answer->influences[r * parameters + i].index,
                                              NULL) != CLUMP_OK)
                status = clump_explorer_fail(e, CLUMP_EXPLORE_FAILED, "no indices from %zu draws",
                                             draws);
    }
    return status;
}

static clump_explore_status find_indices(study *s)
{
    clump_explorer *e = s->explorer;
    clump_explore_drawn d[3];
    bool made = true;
    for (size_t i = 0; i < 3; i++) {
        made = clump_explore_drawn_make(&d[i], 0, s->answer->row_count, e->settings.draws, false) &&
               made;
        d[i].predicted = true; /* shares of a variance need every draw */
    }
    const clump_explore_status status =
        made ? estimate(s, &d[0], &d[1], &d[2]) : clump_explorer_fail_memory(e);
    for (size_t i = 0; i < 3; i++)
        clump_explore_drawn_release(&d[i]);
    return status;
}

/* On which the slowdowns hang most, over all rows. */
static size_t most_important(const study *s)
{
    const size_t parameters = s->explorer->parameters.count;
    size_t best = 0;
    double most = -HUGE_VAL;
    for (size_t i = 0; i < parameters; i++) {
        double sum = 0;
        for (size_t r = 0; r < s->answer->row_count; r++)
            sum += s->answer->influences[r * parameters + i].index.total;
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    return best;
}

/* ---- derivatives */

typedef struct along {
    study *s;
    const clump_influence *influence;
    clump_explore_drawn drawn;
    size_t runs; /* of this influence, so far */
    clump_scenario_status failed;
} along;

static clump_status slowdown_along(double x, double *value, void *context, clump_error *error)
{
    along *a = context;
    const clump_explore_draw draw = {
        .swapped = -1,
        .fixed = (int)(a->influence->parameter - a->s->explorer->parameters.list),
        .value = x,
        .nominal = true};
    a->failed =
        clump_explore_draw_one(a->s->explorer, &draw, 0, &a->drawn, a->s->explorer->message);
    if (a->failed != CLUMP_SCENARIO_OK)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the scenario");
    a->runs += a->runs < SLOPE_RUNS;
    clump_explorer_progress(a->s->explorer,
                            a->s->done + a->runs * (size_t)a->s->explorer->settings.threads,
                            a->s->total);
    *value = a->drawn.slowdowns[a->influence->row - a->s->answer->rows];
    return CLUMP_OK;
}

static clump_explore_status find_slopes(study *s)
{
    clump_explorer *e = s->explorer;
    along a = {.s = s};
    clump_explore_status status =
        clump_explore_drawn_make(&a.drawn, 0, s->answer->row_count, 1, false)
            ? CLUMP_EXPLORE_OK
            : clump_explorer_fail_memory(e);
    a.drawn.predicted = true;
    for (size_t i = 0; i < s->answer->influence_count && status == CLUMP_EXPLORE_OK; i++) {
        clump_influence *f = &s->answer->influences[i];
        const clump_uncertain *d = &f->parameter->distribution;
        const double least = clump_uncertain_quantile(d, 1e-4),
                     most = clump_uncertain_quantile(d, 1 - 1e-4);
        clump_error error = {CLUMP_OK, ""};
        a.influence = f;
        a.runs = 0;
        const clump_status found =
            clump_derivative(slowdown_along, &a, clump_uncertain_quantile(d, 0.5), least, most,
                             0.1 * (most - least), f->slopes, &f->slope_error, &error);
        s->done += SLOPE_RUNS * (size_t)e->settings.threads;
        if (a.failed != CLUMP_SCENARIO_OK)
            status = clump_explorer_explain(e, a.failed, e->message);
        else if (found != CLUMP_OK)
            status = clump_explorer_fail(
                e, found == CLUMP_NO_MEMORY ? CLUMP_EXPLORE_NO_MEMORY : CLUMP_EXPLORE_FAILED, "%s",
                error.message);
    }
    clump_explore_drawn_release(&a.drawn);
    return status;
}

/* ---- all of it */

/* The rows themselves, with all parameters at their medians. */
static clump_explore_status make_rows(study *s)
{
    clump_explorer *e = s->explorer;
    clump_sensitivity *answer = s->answer;
    const clump_explore_draw nominal = {.swapped = -1, .fixed = -1, .nominal = true};
    clump_scenario_status status =
        clump_explorer_prepare(e, 0, &nominal, NULL, 0, &answer->medians, e->message);
    if (status != CLUMP_SCENARIO_OK)
        return clump_explorer_explain(e, status, e->message);
    const size_t configurations = clump_scenario_configurations(answer->medians),
                 stride = clump_scenario_most_applications(answer->medians);
    if (configurations * stride > MOST_ROWS)
        return clump_explorer_fail(e, CLUMP_EXPLORE_BAD_SETTING,
                                   "--sensitivity: found %zu rows, expected at most %d; vary less",
                                   configurations * stride, MOST_ROWS);
    clump_result *scratch = calloc(stride, sizeof *scratch);
    answer->rows = calloc(configurations * stride, sizeof *answer->rows);
    if (scratch == NULL || answer->rows == NULL) {
        free(scratch);
        return clump_explorer_fail_memory(e);
    }
    for (size_t c = 0; c < configurations && status == CLUMP_SCENARIO_OK; c++) {
        size_t count = 0;
        status = clump_explore_compute(e, answer->medians, c, false, scratch,
                                       answer->rows + answer->row_count, &count, e->message);
        for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++) {
            const char *refused = answer->rows[answer->row_count + k].result.refused;
            if (refused == NULL)
                continue;
            snprintf(e->message, sizeof e->message, "--sensitivity: %s", refused);
            status = CLUMP_SCENARIO_INVALID;
        }
        answer->row_count += count;
    }
    free(scratch);
    return clump_explorer_explain(e, status, e->message);
}

static clump_explore_status make_influences(study *s)
{
    clump_explorer *e = s->explorer;
    clump_sensitivity *answer = s->answer;
    const size_t parameters = e->parameters.count;
    answer->influence_count = answer->row_count * parameters;
    answer->influences = calloc(answer->influence_count, sizeof *answer->influences);
    if (answer->influences == NULL)
        return clump_explorer_fail_memory(e);
    for (size_t i = 0; i < answer->influence_count; i++)
        answer->influences[i] = (clump_influence){.row = &answer->rows[i / parameters],
                                                  .parameter = &e->parameters.list[i % parameters]};
    /* Draws are run by all threads, derivatives are found one by one. */
    s->total = (parameters + 2) * e->settings.draws +
               answer->influence_count * SLOPE_RUNS * (size_t)e->settings.threads;
    return CLUMP_EXPLORE_OK;
}

clump_explore_status clump_sensitivity_find(clump_explorer *e, clump_sensitivity *answer)
{
    study s = {.explorer = e, .answer = answer};
    *answer = (clump_sensitivity){.medians = NULL};
    if (!e->settings.drawn)
        return clump_explorer_fail(
            e, CLUMP_EXPLORE_BAD_SETTING,
            "--uncertain is missing, expected what varies beside --sensitivity");
    if (e->cases > 1)
        return clump_explorer_fail(e, CLUMP_EXPLORE_BAD_SETTING,
                                   "--sensitivity: found %zu runs of the script, expected one; "
                                   "give its variables one value each",
                                   e->cases);
    clump_explore_status status = make_rows(&s);
    if (status == CLUMP_EXPLORE_OK)
        status = make_influences(&s);
    if (status == CLUMP_EXPLORE_OK)
        status = find_indices(&s);
    if (status == CLUMP_EXPLORE_OK)
        status = find_slopes(&s);
    if (status == CLUMP_EXPLORE_OK)
        answer->most_important = most_important(&s);
    return status;
}

void clump_sensitivity_release(clump_sensitivity *answer)
{
    clump_scenario_free(answer->medians);
    free(answer->rows);
    free(answer->influences);
}
