/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case, one configuration. explorer_visit.c goes through all of them. */
#include "exploring/explorer.h"

#include "cli/output/errors.h"
#include "model/random.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int clump_explorer_explain(const clump_explorer *e, clump_scenario_status status,
                           const char *message)
{
    const char *command = e->invocation->arguments.command;
    return status == CLUMP_SCENARIO_BAD_INPUT ? error_input(command, "%s", message)
                                              : error_failed(command, "%s", message);
}

const char *clump_explorer_value(const clump_explorer *e, size_t sweep, size_t case_index)
{
    for (size_t i = e->sweep_count; i-- > 0;) { /* the last one varies fastest */
        if (e->sweeps[i].is_field)
            continue;
        if (i == sweep)
            return e->sweeps[i].values[case_index % e->sweeps[i].count];
        case_index /= e->sweeps[i].count;
    }
    return NULL;
}

/* ---- draws */

static double draw_number(const char *name, const clump_uncertain *distribution, void *context)
{
    const clump_explorer_draw *d = context;
    const clump_explorer *e = d->explorer;
    int i = 0;
    while (i < (int)e->parameter_count && strcmp(e->parameters[i].name, name) != 0)
        i++;
    if (i == d->fixed)
        return d->value;
    if (d->nominal)
        return clump_uncertain_quantile(distribution, 0.5);
    /* Each parameter has two streams, for two matrices. One that the first run did not meet has one
     * of its own as well: they all share the last. */
    const uint64_t matrix = (i == d->swapped) != d->other;
    return clump_uncertain_quantile(
        distribution, clump_random_uniform(e->seed, 2 * (uint64_t)i + matrix, d->index));
}

/* ---- running the script */

typedef struct bindings {
    clump_scenario_definition *definitions;
    clump_scenario_override *overrides;
    char (*drawn)[40];         /* values of --uncertain */
    const char **drawn_values; /* pointers to them, for overrides */
    size_t definition_count, override_count;
} bindings;

static bool bindings_make(const clump_explorer *e, size_t case_index,
                          const clump_explorer_draw *draw, size_t extra, bindings *b)
{
    const size_t most = e->base.definition_count + e->sweep_count + e->uncertain_count + extra + 1;
    *b = (bindings){calloc(most, sizeof *b->definitions),
                    calloc(most, sizeof *b->overrides),
                    calloc(e->uncertain_count + 1, sizeof *b->drawn),
                    calloc(e->uncertain_count + 1, sizeof *b->drawn_values),
                    0,
                    0};
    if (b->definitions == NULL || b->overrides == NULL || b->drawn == NULL ||
        b->drawn_values == NULL)
        return false;
    for (size_t i = 0; i < e->base.definition_count; i++)
        b->definitions[b->definition_count++] = e->base.definitions[i];
    for (size_t i = 0; i < e->sweep_count; i++) {
        const clump_explorer_variable *v = &e->sweeps[i];
        if (v->is_field)
            b->overrides[b->override_count++] =
                (clump_scenario_override){v->field, (const char *const *)v->values, v->count};
        else
            b->definitions[b->definition_count++] =
                (clump_scenario_definition){v->name, clump_explorer_value(e, i, case_index)};
    }
    for (size_t i = 0; i < e->uncertain_count; i++) {
        const clump_explorer_variable *v = &e->uncertain[i];
        const double value = draw != NULL ? draw_number(v->name, &v->distribution, (void *)draw)
                                          : clump_uncertain_quantile(&v->distribution, 0.5);
        snprintf(b->drawn[i], sizeof b->drawn[i], "%.17g", value);
        b->drawn_values[i] = b->drawn[i];
        if (v->is_field)
            b->overrides[b->override_count++] =
                (clump_scenario_override){v->field, &b->drawn_values[i], 1};
        else
            b->definitions[b->definition_count++] =
                (clump_scenario_definition){v->name, b->drawn[i]};
    }
    return true;
}

clump_scenario_status clump_explorer_prepare(const clump_explorer *e, size_t case_index,
                                             const clump_explorer_draw *draw,
                                             const clump_scenario_override *extra,
                                             size_t extra_count, clump_scenario **scenario,
                                             char *message, size_t message_size)
{
    bindings b;
    clump_scenario_status status = CLUMP_SCENARIO_FAILED;
    clump_explorer_draw copy;
    snprintf(message, message_size, "out of memory");
    if (bindings_make(e, case_index, draw, extra_count, &b)) {
        clump_scenario_options options = e->base;
        for (size_t i = 0; i < extra_count; i++)
            b.overrides[b.override_count++] = extra[i];
        options.definitions = b.definitions;
        options.definition_count = b.definition_count;
        options.overrides = b.overrides;
        options.override_count = b.override_count;
        options.store = e->stores[omp_get_thread_num()];
        options.memory = e->memories[omp_get_thread_num()];
        options.result_limit = SIZE_MAX;
        if (draw != NULL) {
            copy = *draw;
            options.draw = draw_number;
            options.draw_context = &copy;
        }
        status = clump_scenario_prepare(&options, scenario, message, message_size);
    }
    free(b.definitions);
    free(b.overrides);
    free(b.drawn);
    free(b.drawn_values);
    return status;
}

/* ---- rows */

static double or_else(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static void add_prices(const clump_explorer *e, const clump_scenario *scenario,
                       size_t configuration, clump_explorer_row *row)
{
    const clump_prices of = clump_scenario_prices(scenario, configuration);
    const double node = or_else(e->prices.node, of.node), nic = or_else(e->prices.nic, of.nic),
                 port = or_else(e->prices.port, of.port);
    row->price = row->work_price = NAN;
    if (isnan(node) && isnan(nic) && isnan(port))
        return;
    row->price = or_else(node, 0) + (double)row->result.nics * (or_else(nic, 0) + or_else(port, 0));
    row->work_price = row->price * row->result.slowdown / (double)row->result.processors;
}

/* The mix: means weighted by the time that each application has on the NOW. */
static clump_result mix(const clump_result *rows, size_t count, const double *weights)
{
    clump_result m = rows[0];
    if (count == 1)
        return m;
    double X = 0, slowest = 0, U = 0, adjusted = 0, nics = 0, active = 0;
    for (size_t a = 0; a < count; a++) {
        const double w = weights[a], time = w * rows[a].slowdown;
        X += time;
        slowest += w * rows[a].slowest_slowdown;
        U += w * rows[a].utilization;
        adjusted += w * rows[a].adjusted_utilization;
        nics += time * rows[a].nic_utilization;
        active += time * rows[a].mean_active;
    }
    m.application = "mix";
    m.slowdown = X;
    m.slowest_slowdown = slowest;
    m.utilization = U;
    m.adjusted_utilization = adjusted;
    m.nic_utilization = nics / X;
    m.mean_active = active / X;
    m.remote_fraction = m.cost_ratio = m.waiting_fraction = CLUMP_RESULT_NONE;
    m.now_time = m.predicted_time = CLUMP_RESULT_NONE;
    m.measured_time = m.measured_slowdown = m.measured_half_width = m.error = CLUMP_RESULT_NONE;
    return m;
}

static clump_explorer_row row_of(const clump_explorer *e, const clump_scenario *scenario,
                                 size_t configuration, const clump_result *rows, size_t count,
                                 const double *weights)
{
    clump_explorer_row row = {
        .explorer = e, .result = mix(rows, count, weights), .least_real = NAN};
    row.median = row.low = row.high = row.at_percentile = NAN;
    row.worst = rows[0].slowdown;
    row.worst_application = rows[0].application;
    for (size_t a = 1; a < count; a++)
        if (rows[a].slowdown > row.worst && (weights[a] > 0)) {
            row.worst = rows[a].slowdown;
            row.worst_application = rows[a].application;
        }
    add_prices(e, scenario, configuration, &row);
    return row;
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
    size_t message_size;
} inversion;

static clump_scenario_status is_enough(const inversion *v, size_t nics, bool *enough)
{
    const clump_scenario_change change = {nics, NAN};
    const clump_scenario_status status = clump_scenario_compute(
        v->scenario, v->configuration, &change, v->scratch, v->message, v->message_size);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    double worst = 0, mean = 0;
    for (size_t a = v->first; a < v->first + v->count; a++) {
        const double X = v->scratch[a].slowdown;
        mean += (v->count > 1 ? v->weights[a] : 1) * X;
        if (v->count == 1 || v->weights[a] > 0)
            worst = fmax(worst, X);
    }
    *enough = (v->explorer->of_mean ? mean : worst) <= v->explorer->limit;
    return status;
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

static clump_scenario_status invert(const inversion *v, size_t processors, clump_explorer_row *row)
{
    const size_t most = processors < 250 ? 1000 : 4 * processors;
    const bool monotonic = clump_scenario_is_monotonic(v->scenario, v->configuration);
    size_t low = 0, n = 1, step = 1;
    bool enough = false;
    row->least_nics = 0;
    if (v->count == 1)
        row->least_real =
            clump_scenario_real_nics(v->scenario, v->configuration, v->explorer->limit);
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

clump_scenario_status clump_explorer_compute(const clump_explorer *e,
                                             const clump_scenario *scenario, size_t configuration,
                                             bool least, clump_result *scratch,
                                             clump_explorer_row *rows, size_t *count, char *message,
                                             size_t message_size)
{
    const size_t applications = clump_scenario_applications(scenario, configuration);
    const double *weights = clump_scenario_weights(scenario, configuration);
    clump_scenario_status status = clump_scenario_compute(
        scenario, configuration, &CLUMP_SCENARIO_UNCHANGED, scratch, message, message_size);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    *count = e->each ? applications : 1;
    for (size_t i = 0; i < *count; i++)
        rows[i] = e->each ? row_of(e, scenario, configuration, &scratch[i], 1, weights + i)
                          : row_of(e, scenario, configuration, scratch, applications, weights);
    for (size_t i = 0; i < *count && least && status == CLUMP_SCENARIO_OK; i++) {
        const inversion v = {e,       scenario,        configuration,
                             weights, e->each ? i : 0, e->each ? 1 : applications,
                             scratch, message,         message_size};
        status = invert(&v, rows[i].result.processors, &rows[i]);
    }
    return status;
}
