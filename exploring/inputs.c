/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/inputs.h"

#include "model/model_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clump_inputs_release(clump_inputs *inputs)
{
    free(inputs->list);
    *inputs = (clump_inputs){.list = NULL};
}

static bool is_noted(const clump_inputs *inputs, const char *name)
{
    for (size_t i = inputs->count; i > 0; i--) /* the same again, mostly */
        if (strcmp(inputs->list[i - 1].name, name) == 0)
            return true;
    return false;
}

double clump_inputs_note(const char *name, const clump_uncertain *distribution, void *inputs)
{
    clump_inputs *in = inputs;
    const double median = clump_uncertain_quantile(distribution, 0.5);
    if (in->no_memory || is_noted(in, name))
        return median;
    if (in->count == in->room) {
        const size_t room = 2 * in->room + 16;
        clump_explore_parameter *larger = realloc(in->list, room * sizeof *larger);
        in->no_memory = larger == NULL;
        if (larger == NULL)
            return median;
        in->list = larger;
        in->room = room;
    }
    clump_explore_parameter *p = &in->list[in->count++];
    snprintf(p->name, sizeof p->name, "%s", name);
    p->distribution = *distribution;
    return median;
}

double clump_inputs_shift(const char *name, const clump_uncertain *distribution, void *shift)
{
    const clump_input_shift *s = shift;
    const bool shifted = s->name != NULL && strcmp(name, s->name) == 0;
    return clump_uncertain_quantile(distribution, shifted ? s->quantile : 0.5);
}

static const double low_share = (1 - CLUMP_MODEL_ERROR_LEVEL) / 2,
                    high_share = (1 + CLUMP_MODEL_ERROR_LEVEL) / 2;

size_t clump_inputs_points(size_t inputs)
{
    return inputs <= CLUMP_INPUTS_FEW ? CLUMP_INPUTS_POINTS : 2;
}

size_t clump_inputs_outwards(size_t k, size_t points)
{
    return k % 2 == 0 ? points / 2 + k / 2 : points / 2 - (k + 1) / 2;
}

/* Points beyond each end of the interval: the prediction may turn back there. */
enum { BEYOND = 3, INSIDE = CLUMP_INPUTS_POINTS - 2 * BEYOND };

double clump_inputs_quantile(size_t point, size_t points)
{
    static const double beyond[BEYOND] = {0.1, 0.3, 0.6}; /* of the share beyond the end */
    if (points == 2)
        return point == 0 ? low_share : high_share;
    if (point < BEYOND)
        return beyond[point] * low_share;
    if (point >= BEYOND + INSIDE)
        return 1 - beyond[CLUMP_INPUTS_POINTS - 1 - point] * (1 - high_share);
    if (point == BEYOND + INSIDE - 1)
        return high_share;
    return low_share + (high_share - low_share) * (double)(point - BEYOND) / (INSIDE - 1);
}

bool clump_inputs_share_points(double value, double half_width, double points[CLUMP_INPUTS_POINTS])
{
    const clump_uncertain u = {.kind = CLUMP_UNCERTAIN_NORMAL,
                               .a = value,
                               .b = half_width / CLUMP_UNCERTAIN_95,
                               .least = 0,
                               .most = 1};
    if (!(half_width > 0) || clump_uncertain_check(&u, NULL) != CLUMP_OK)
        return false;
    for (size_t i = 0; i < CLUMP_INPUTS_POINTS; i++)
        points[i] = clump_uncertain_quantile(&u, clump_inputs_quantile(i, CLUMP_INPUTS_POINTS));
    return true;
}

/* ---- the share of one row */

static bool is_predicted(double value)
{
    return isfinite(value) && value > 0;
}

/* Share of the distribution for which `y`, linear between the points, is at most `at`. */
static double share_below(const double *y, double at)
{
    enum { LAST = CLUMP_INPUTS_POINTS - 1 };
    double share = 0;
    if (y[0] <= at)
        share += clump_inputs_quantile(0, CLUMP_INPUTS_POINTS);
    if (y[LAST] <= at)
        share += 1 - clump_inputs_quantile(LAST, CLUMP_INPUTS_POINTS);
    for (size_t i = 0; i < LAST; i++) {
        const double least = fmin(y[i], y[i + 1]), most = fmax(y[i], y[i + 1]);
        const double width = clump_inputs_quantile(i + 1, CLUMP_INPUTS_POINTS) -
                             clump_inputs_quantile(i, CLUMP_INPUTS_POINTS);
        share += most <= at ? width : least >= at ? 0 : width * (at - least) / (most - least);
    }
    return share;
}

/* The least number that so much of the distribution is below. */
static double quantile_of(const double *y, double share)
{
    const double rounding = 1e-13;
    double low = y[0], high = y[0];
    for (size_t i = 1; i < CLUMP_INPUTS_POINTS; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    for (int i = 0; i < 60; i++) { /* halves it to the last bit */
        const double middle = low + (high - low) / 2;
        if (share_below(y, middle) >= share - rounding)
            high = middle;
        else
            low = middle;
    }
    return high;
}

bool clump_input_share_add(clump_input_share *share, double value, const double *paces,
                           size_t points)
{
    const bool fine = points == CLUMP_INPUTS_POINTS;
    const size_t first = fine ? BEYOND : 0, last = points - 1 - first;
    double away[CLUMP_INPUTS_POINTS] = {0}, up = 0, down = 0;
    size_t found = 0;
    if (!is_predicted(value))
        return true;
    for (size_t i = 0; i < points; i++)
        away[i] = is_predicted(paces[i]) ? log(paces[i] / value) : NAN;
    for (size_t i = first; i <= last; i++)
        found += !isnan(away[i]);
    for (size_t i = first; i-- > 0;) /* beyond the ends any number near them will do */
        if (isnan(away[i]))
            away[i] = away[i + 1];
    for (size_t i = last + 1; i < points; i++)
        if (isnan(away[i]))
            away[i] = away[i - 1];
    if (found == 0 || (fine && found == 1 && !isnan(away[points / 2]))) /* the median: no change */
        return false;
    if (fine && found == last - first + 1) {
        up = fmax(0, quantile_of(away, high_share));
        down = fmax(0, -quantile_of(away, low_share));
    } else {
        for (size_t i = first; i <= last; i++) {
            up = fmax(up, away[i]);
            down = fmax(down, -away[i]);
        }
        if (isnan(away[first]) || isnan(away[last]))
            up = down = fmax(up, down);
    }
    share->above += up * up;
    share->below += down * down;
    share->median = value;
    share->some = true;
    return true;
}

void clump_input_share_put(const clump_input_share *share, clump_result *row)
{
    static const double noise = 1e-12; /* of the logarithm: what rounding leaves */
    const double value = clump_result_pace(row);
    if (!share->some || !is_predicted(value) || sqrt(fmax(share->above, share->below)) < noise)
        return;
    row->input_low = fmin(value, share->median * exp(-sqrt(share->below)));
    row->input_high = fmax(value, share->median * exp(sqrt(share->above)));
}

clump_status clump_inputs_of_utilization(const clump_node *node, const clump_load *load,
                                         double half_width, clump_result *row, clump_error *error)
{
    double points[CLUMP_INPUTS_POINTS], paces[CLUMP_INPUTS_POINTS];
    clump_input_share share = {.some = false};
    clump_load other = *load;
    if (!clump_inputs_share_points(load->utilizations[0], half_width, points))
        return CLUMP_OK;
    for (size_t i = 0; i < CLUMP_INPUTS_POINTS; i++) {
        clump_prediction prediction;
        other.utilizations = &points[i];
        const clump_status status = clump_predict(node, &other, &prediction, NULL, error);
        if (status != CLUMP_OK)
            return status;
        paces[i] = clump_prediction_pace(&prediction, load->demand);
    }
    clump_input_share_add(&share, clump_result_pace(row), paces, CLUMP_INPUTS_POINTS);
    clump_input_share_put(&share, row);
    return CLUMP_OK;
}

/* ---- all rows of a scenario */

/* Runs without what a first one tells. */
typedef struct again {
    clump_scenario_options options;
    const clump_scenario_results *like;
    double left; /* seconds that all of them may take */
} again;

double clump_inputs_patience(const clump_scenario_options *options, double seconds)
{
    const double of_all =
        options->seconds_limit > 0 ? options->seconds_limit : CLUMP_SCENARIO_DEFAULT_SECONDS;
    return fmin(10 * seconds + 0.1, of_all);
}

bool clump_inputs_is_like(const clump_result *one, const clump_result *other)
{
    return one->processors == other->processors && one->nics == other->nics &&
           one->demand == other->demand && one->mapping == other->mapping &&
           one->processor == other->processor;
}

/* Rows of a run that asks for as many as the first one; else, or if none could be predicted, none.
 * `hangs`: it took too long. */
static clump_scenario_status run_shifted(again *a, clump_input_shift shift,
                                         clump_scenario_results *results, bool *hangs)
{
    char message[512];
    double seconds = 0;
    clump_scenario_options options = a->options;
    options.draw = clump_inputs_shift;
    options.draw_context = &shift;
    options.seconds_limit = clump_inputs_patience(&options, a->like->seconds);
    options.seconds = &seconds;
    *results = (clump_scenario_results){.count = 0};
    const clump_scenario_status status =
        clump_scenario_run(&options, results, message, sizeof message);
    a->left -= seconds;
    *hangs = status == CLUMP_SCENARIO_BAD_INPUT && seconds >= options.seconds_limit;
    if (status == CLUMP_SCENARIO_STOPPED || results->count != a->like->count) {
        clump_scenario_results_free(results);
        *results = (clump_scenario_results){.count = 0};
    }
    return status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK : status;
}

static double pace_of(const again *a, const clump_scenario_results *results, size_t row)
{
    return row < results->count && clump_inputs_is_like(&results->rows[row], &a->like->rows[row])
               ? clump_result_pace(&results->rows[row])
               : NAN;
}

/* Runs at the points of an input; where the script hangs at one, it is not tried further out. */
static clump_scenario_status run_points(again *a, const char *name, size_t points,
                                        clump_scenario_results *runs)
{
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    bool hangs[2] = {false, false};
    for (size_t k = 0; k < points && status == CLUMP_SCENARIO_OK && a->left > 0; k++) {
        const size_t i = clump_inputs_outwards(k, points);
        bool *const beyond = &hangs[i >= points / 2];
        if (!*beyond)
            status = run_shifted(a, (clump_input_shift){name, clump_inputs_quantile(i, points)},
                                 &runs[i], beyond);
    }
    return status;
}

/* `some`: one row at least could be predicted elsewhere. */
static clump_scenario_status add_input(again *a, const char *name, size_t points,
                                       const clump_scenario_results *medians,
                                       clump_input_share *shares, bool *some)
{
    clump_scenario_results runs[CLUMP_INPUTS_POINTS] = {{.count = 0}};
    double paces[CLUMP_INPUTS_POINTS];
    const clump_scenario_status status = run_points(a, name, points, runs);
    *some = false;
    for (size_t i = 0; i < medians->count && status == CLUMP_SCENARIO_OK; i++) {
        const double value = pace_of(a, medians, i);
        for (size_t k = 0; k < points; k++)
            paces[k] = pace_of(a, &runs[k], i);
        if (clump_input_share_add(&shares[i], value, paces, points) && is_predicted(value))
            *some = true;
    }
    for (size_t k = 0; k < points; k++)
        clump_scenario_results_free(&runs[k]);
    return status;
}

/* What the script meets that is uncertain. Rows are not computed for that. */
static clump_scenario_status find_inputs(const again *a, clump_inputs *inputs)
{
    char message[512];
    clump_scenario *scenario = NULL;
    clump_scenario_options options = a->options;
    options.draw = clump_inputs_note;
    options.draw_context = inputs;
    const clump_scenario_status status =
        clump_scenario_prepare(&options, &scenario, message, sizeof message);
    if (status == CLUMP_SCENARIO_OK)
        clump_scenario_free(scenario);
    return inputs->no_memory                    ? CLUMP_SCENARIO_NO_MEMORY
           : status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK
                                                : status;
}

static clump_scenario_status add_all(again *a, const clump_inputs *inputs,
                                     clump_scenario_results *results, clump_inputs_told *told)
{
    clump_input_share *shares = calloc(results->count + 1, sizeof *shares);
    clump_scenario_results medians = {.count = 0};
    clump_scenario_status status = shares != NULL ? CLUMP_SCENARIO_OK : CLUMP_SCENARIO_NO_MEMORY;
    const size_t points = clump_inputs_points(inputs->count);
    bool some = false;
    if (status == CLUMP_SCENARIO_OK)
        status = run_shifted(a, (clump_input_shift){NULL, 0.5}, &medians, &some);
    if ((double)(points * inputs->count) * medians.seconds > a->left)
        a->left = 0; /* it would take too long */
    for (size_t i = 0; i < inputs->count && status == CLUMP_SCENARIO_OK && a->left > 0; i++) {
        status = add_input(a, inputs->list[i].name, points, &medians, shares, &some);
        if (!some && told->missing++ == 0)
            snprintf(told->first_missing, sizeof told->first_missing, "%s", inputs->list[i].name);
    }
    told->limited = a->left <= 0;
    for (size_t i = 0; i < results->count && status == CLUMP_SCENARIO_OK && !told->limited; i++)
        clump_input_share_put(&shares[i], &results->rows[i]);
    clump_scenario_results_free(&medians);
    free(shares);
    return status;
}

clump_scenario_status clump_inputs_propagate(const clump_scenario_options *options, bool always,
                                             clump_scenario_results *results,
                                             clump_inputs_told *told)
{
    clump_scenario_cache *cache = options->cache == NULL ? clump_scenario_cache_new() : NULL;
    again a = {
        .options = *options, .like = results, .left = always ? HUGE_VAL : CLUMP_INPUTS_SECONDS};
    clump_inputs inputs = {.count = 0};
    *told = (clump_inputs_told){.count = 0};
    a.options.print = NULL;
    a.options.progress = NULL;
    a.options.definitions_read = NULL;
    if (cache != NULL)
        a.options.cache = cache;
    clump_scenario_status status = find_inputs(&a, &inputs);
    told->count = inputs.count;
    told->limited = inputs.count > 0 && results->seconds > a.left;
    if (status == CLUMP_SCENARIO_OK && inputs.count > 0 && !told->limited)
        status = add_all(&a, &inputs, results, told);
    clump_inputs_release(&inputs);
    clump_scenario_cache_free(cache);
    return status;
}
