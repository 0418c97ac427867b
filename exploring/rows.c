/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/rows.h"

#include "model/limit.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static double or_else(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

const char **clump_explore_text(clump_explore_row *row, size_t text)
{
    clump_result *r = &row->result;
    const char **const texts[CLUMP_EXPLORE_TEXTS] = {
        &r->scenario,          &r->application,         &r->platform, &r->memory_law,
        &r->computation_times, &r->communication_times, &r->protocol, &r->compared_with,
        &r->refused,           &row->worst_application};
    return texts[text];
}

static void add_prices(const clump_explorer *e, const clump_scenario *scenario,
                       size_t configuration, clump_explore_row *row)
{
    const clump_prices of = clump_scenario_prices(scenario, configuration);
    const double node = or_else(e->settings.prices.node, of.node),
                 nic = or_else(e->settings.prices.nic, of.nic),
                 port = or_else(e->settings.prices.port, of.port);
    row->price = row->work_price = NAN;
    if (isnan(node) && isnan(nic) && isnan(port))
        return;
    row->price = or_else(node, 0) + (double)row->result.nics * (or_else(nic, 0) + or_else(port, 0));
    /* Of compare_with it is the NOW that all rows have in common: each has NICs of its own. */
    const clump_result *r = &row->result;
    const double X =
        r->compared_with != NULL ? r->ratio * r->compared_slowdown : clump_result_slowdown(r);
    row->work_price = row->price * X / (double)r->processors;
}

/* ---- the mix */

/* Time of a program on the NOW of the platform that it is compared with, its weight, becomes this much on the NOW of its own
 * NICs. */
static double now_over_basis(const clump_result *r)
{
    return r->compared_with != NULL ? r->ratio * r->compared_slowdown / clump_result_slowdown(r)
                                    : 1;
}

/* What a refused program has is not known: those have no weight. */
static const clump_result *first_predicted(const clump_result *rows, size_t count,
                                           const double *weights)
{
    size_t a = 0;
    while (a + 1 < count && (rows[a].refused != NULL || !(weights[a] > 0)))
        a++;
    return &rows[a];
}

/* A property of all programs, or none of the mix. */
static double common(const clump_result *rows, size_t count, const double *weights, size_t offset)
{
    double first = CLUMP_RESULT_NONE;
    bool found = false;
    for (size_t a = 0; a < count; a++) {
        double value;
        if (rows[a].refused != NULL || !(weights[a] > 0))
            continue;
        memcpy(&value, (const char *)&rows[a] + offset, sizeof value);
        if (found && (value < first || value > first || isnan(value) != isnan(first)))
            return CLUMP_RESULT_NONE;
        first = value;
        found = true;
    }
    return first;
}

static void put_common(const clump_result *rows, size_t count, const double *weights,
                       clump_result *m)
{
    static const size_t places[] = {offsetof(clump_result, max_nics_per_processor),
                                    offsetof(clump_result, memory_penalty),
                                    offsetof(clump_result, phase_cycles),
                                    offsetof(clump_result, memory_share),
                                    offsetof(clump_result, memory_feeds),
                                    offsetof(clump_result, memory_utilization),
                                    offsetof(clump_result, loss_factor),
                                    offsetof(clump_result, communication_ratio)};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const double value = common(rows, count, weights, places[i]);
        memcpy((char *)m + places[i], &value, sizeof value);
    }
}

/* Each program goes at its own pace: those that wait for their slowest processors take as long as these, the others their mean.
 * Intervals of gangs were found in one recording each: they add up as independent errors do. */
clump_result clump_explore_mix(const clump_result *rows, size_t count, const double *weights)
{
    if (count == 1)
        return rows[0];
    clump_result m = *first_predicted(rows, count, weights);
    double own = 0, basis = 0, compared = 0, X = 0, slowest = 0, pace = 0, U = 0, adjusted = 0;
    double nics = 0, active = 0, lower = 0, upper = 0;
    size_t group = 0, explanations = 0;
    for (size_t a = 0; a < count; a++) {
        const clump_result *r = &rows[a];
        if (r->refused != NULL || !(weights[a] > 0))
            continue;
        const double w = weights[a] * now_over_basis(r), time = w * r->slowdown;
        own += w;
        X += time;
        slowest += w * r->slowest_slowdown;
        pace += w * clump_result_slowdown(r);
        lower += w * r->lower_bound;
        upper += w * r->upper_bound;
        U += w * r->utilization;
        adjusted += w * r->adjusted_utilization;
        nics += time * r->nic_utilization;
        active += time * r->mean_active;
        basis += weights[a];
        compared += weights[a] * r->compared_slowdown;
        group = r->slowest_group > group ? r->slowest_group : group;
        explanations = r->explanations > explanations ? r->explanations : explanations;
    }
    put_common(rows, count, weights, &m);
    m.application = "mix";
    m.slowest_group = group;
    m.explanations = explanations;
    m.slowdown = X / own;
    m.slowest_slowdown = (clump_result_waits(&m) ? pace : slowest) / own;
    m.lower_bound = lower / own;
    m.upper_bound = upper / own;
    m.utilization = U / own;
    m.adjusted_utilization = adjusted / own;
    m.nic_utilization = nics / X;
    m.mean_active = active / X;
    m.compared_slowdown = compared / basis;
    m.ratio = pace / compared;
    m.remote_fraction = m.cost_ratio = m.waiting_fraction = CLUMP_RESULT_NONE;
    m.now_time = m.predicted_time = m.compared_time = m.measured_ratio = CLUMP_RESULT_NONE;
    m.compared_utilization = m.least_ratio = CLUMP_RESULT_NONE;
    m.input_low = m.input_high = CLUMP_RESULT_NONE;
    m.measured_time = m.measured_slowdown = m.measured_half_width = m.error = CLUMP_RESULT_NONE;
    return m;
}

/* A mix with an application that is refused: nothing follows for the mix. */
static const clump_result *first_refused(const clump_result *rows, size_t count,
                                         const double *weights)
{
    for (size_t a = 0; a < count; a++)
        if (rows[a].refused != NULL && (count == 1 || weights[a] > 0))
            return &rows[a];
    return NULL;
}

/* All but the result. */
static void begin_row(const clump_explorer *e, clump_explore_row *row)
{
    static const clump_explore_row none = {.explorer = NULL};
    const size_t after = offsetof(clump_explore_row, explorer);
    memcpy((char *)row + after, (const char *)&none + after, sizeof none - after);
    row->explorer = e;
    row->least_real = row->median = row->low = row->high = row->at_percentile = NAN;
    row->worst = row->price = row->work_price = NAN;
}

/* The result may be in its place already. */
static void make_row(const clump_explorer *e, const clump_scenario *scenario, size_t configuration,
                     const clump_result *rows, size_t count, const double *weights,
                     clump_explore_row *row)
{
    const clump_result *refused = first_refused(rows, count, weights);
    begin_row(e, row);
    if (refused != NULL && refused != &row->result)
        row->result = *refused;
    else if (refused == NULL && count > 1)
        row->result = clump_explore_mix(rows, count, weights);
    else if (refused == NULL && rows != &row->result)
        row->result = *rows;
    if (refused != NULL)
        return;
    for (size_t a = 0; a < count; a++)
        if (rows[a].refused == NULL && (count == 1 || weights[a] > 0) &&
            !(clump_result_relative_time(&rows[a]) <= row->worst)) {
            row->worst = clump_result_relative_time(&rows[a]);
            row->worst_application = rows[a].application;
        }
    add_prices(e, scenario, configuration, row);
}

/* ---- the least number of NICs */

typedef struct inversion {
    const clump_explorer *explorer;
    const clump_scenario *scenario;
    size_t configuration;
    const double *weights;
    size_t first, count; /* applications that must stay within the limit */
    clump_result *scratch;
    char *message;
} inversion;

static clump_scenario_status is_enough(const inversion *v, size_t nics, bool *enough)
{
    const clump_scenario_change change = {nics, NAN};
    const clump_scenario_status status = clump_scenario_compute(
        v->scenario, v->configuration, &change, v->scratch, v->message, CLUMP_EXPLORE_MESSAGE);
    if (status != CLUMP_SCENARIO_OK && status != CLUMP_SCENARIO_INVALID)
        return status;
    double worst = 0, accuracy = 0;
    for (size_t a = v->first; a < v->first + v->count; a++) {
        const clump_result *r = &v->scratch[a];
        if (v->count > 1 && !(v->weights[a] > 0))
            continue;
        if (r->refused != NULL) { /* with so many NICs it cannot be had */
            *enough = false;
            return CLUMP_SCENARIO_OK;
        }
        const double X = clump_result_relative_time(r);
        accuracy = fmax(accuracy, clump_slowdown_accuracy(r->processors, r->phase_cycles));
        worst = fmax(worst, X);
    }
    if (v->explorer->settings.of_mean) {
        const clump_result mixed =
            clump_explore_mix(v->scratch + v->first, v->count, v->weights + v->first);
        worst = clump_result_relative_time(&mixed);
    }
    *enough = clump_is_within(worst, v->explorer->settings.limit, accuracy);
    return CLUMP_SCENARIO_OK;
}

/* Between `low`, not enough, and `high`, enough. */
static clump_scenario_status bisect(const inversion *v, size_t low, size_t high, size_t *least)
{
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    while (high - low > 1 && status == CLUMP_SCENARIO_OK) {
        const size_t middle = low + (high - low) / 2;
        bool enough = false;
        status = is_enough(v, middle, &enough);
        if (enough)
            high = middle;
        else
            low = middle;
    }
    *least = high;
    return status;
}

static clump_scenario_status invert(const inversion *v, size_t processors, clump_explore_row *row)
{
    const size_t most = processors < 250 ? 1000 : 4 * processors;
    const bool monotonic = clump_scenario_is_monotonic(v->scenario, v->configuration);
    size_t low = 0, n = 1, step = 1;
    bool enough = false;
    row->least_nics = 0;
    if (v->count == 1)
        row->least_real =
            clump_scenario_real_nics(v->scenario, v->configuration, v->explorer->settings.limit);
    if (monotonic && row->least_real > 2 && row->least_real < (double)most)
        n = (size_t)row->least_real;
    for (;;) {
        const clump_scenario_status status = is_enough(v, n, &enough);
        if (status != CLUMP_SCENARIO_OK)
            return status;
        if (enough || n >= most)
            break;
        low = n;
        n = n + step < most ? n + step : most;
        step = monotonic ? 2 * step : 1;
    }
    return enough ? bisect(v, low, n, &row->least_nics) : CLUMP_SCENARIO_OK;
}

clump_scenario_status clump_explore_compute(const clump_explorer *e, const clump_scenario *scenario,
                                            size_t configuration, bool least, clump_result *scratch,
                                            clump_explore_row *rows, size_t *count, char *message)
{
    const size_t applications = clump_scenario_applications(scenario, configuration);
    const double *weights = clump_scenario_weights(scenario, configuration);
    clump_result *results = applications == 1 ? &rows->result : scratch;
    clump_scenario_status status =
        clump_scenario_compute(scenario, configuration, &CLUMP_SCENARIO_UNCHANGED, results, message,
                               CLUMP_EXPLORE_MESSAGE);
    if (status == CLUMP_SCENARIO_INVALID) /* rows say so */
        status = CLUMP_SCENARIO_OK;
    if (status != CLUMP_SCENARIO_OK)
        return status;
    const bool each = e->settings.each;
    *count = each ? applications : 1;
    for (size_t i = 0; i < *count; i++)
        make_row(e, scenario, configuration, results + i, each ? 1 : applications, weights + i,
                 &rows[i]);
    for (size_t i = 0; i < *count && least && status == CLUMP_SCENARIO_OK; i++) {
        if (rows[i].result.refused != NULL)
            continue;
        const inversion v = {e,       scenario, configuration, weights, i, each ? 1 : applications,
                             scratch, message};
        status = invert(&v, rows[i].result.processors, &rows[i]);
    }
    return status;
}
