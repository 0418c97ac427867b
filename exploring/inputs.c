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

bool clump_input_share_add(clump_input_share *share, double value, const double *relative_times,
                           size_t points)
{
    const bool fine = points == CLUMP_INPUTS_POINTS;
    const size_t first = fine ? BEYOND : 0, last = points - 1 - first;
    double away[CLUMP_INPUTS_POINTS] = {0}, up = 0, down = 0;
    size_t found = 0;
    if (!is_predicted(value))
        return true;
    for (size_t i = 0; i < points; i++)
        away[i] = is_predicted(relative_times[i]) ? log(relative_times[i] / value) : NAN;
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
    const double value = clump_result_relative_time(row);
    if (!share->some || !is_predicted(value) || sqrt(fmax(share->above, share->below)) < noise)
        return;
    row->input_low = fmin(value, share->median * exp(-sqrt(share->below)));
    row->input_high = fmax(value, share->median * exp(sqrt(share->above)));
}

clump_status clump_inputs_of_utilization(const clump_node *node, const clump_load *load,
                                         double half_width, clump_result *row, clump_error *error)
{
    double points[CLUMP_INPUTS_POINTS], relative_times[CLUMP_INPUTS_POINTS];
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
        relative_times[i] = prediction.slowdown;
    }
    clump_input_share_add(&share, clump_result_relative_time(row), relative_times,
                          CLUMP_INPUTS_POINTS);
    clump_input_share_put(&share, row);
    return CLUMP_OK;
}
