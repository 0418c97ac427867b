/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/shifted.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One input elsewhere than at its median; name NULL: none. */
typedef struct input_shift {
    const char *name;
    double quantile;
} input_shift;

static double draw_shifted(const char *name, const clump_uncertain *distribution, void *shift)
{
    const input_shift *s = shift;
    const bool shifted = s->name != NULL && strcmp(name, s->name) == 0;
    return clump_uncertain_quantile(distribution, shifted ? s->quantile : 0.5);
}

/* Seconds that a run may take in which an input is not at its median if one with all at their medians took `seconds`: a
 * script that hangs with another value is given up. At most the limit of the options. */
static double patience(const clump_scenario_options *options, double seconds)
{
    const double of_all =
        options->seconds_limit > 0 ? options->seconds_limit : CLUMP_SCENARIO_DEFAULT_SECONDS;
    return fmin(10 * seconds + 0.1, of_all);
}

/* Whether both answer the same question: with another value of an input a script may ask another one. */
static bool is_like(const clump_result *one, const clump_result *other)
{
    return one->processors == other->processors && one->nics == other->nics &&
           one->demand == other->demand && one->mapping == other->mapping &&
           one->processor == other->processor;
}

/* A script that does not run with another value of an input says nothing about it. `hangs`: it took too long. */
static clump_scenario_status prepare(const clump_explorer *e, size_t case_index, input_shift shift,
                                     double seconds_limit, clump_scenario **scenario, bool *hangs,
                                     char *message)
{
    double seconds = 0;
    const clump_explore_draw draw = {.number = draw_shifted,
                                     .context = &shift,
                                     .seconds_limit = seconds_limit,
                                     .seconds = &seconds};
    const clump_scenario_status status =
        clump_explorer_prepare(e, case_index, &draw, NULL, 0, scenario, message);
    *hangs = status == CLUMP_SCENARIO_BAD_INPUT && seconds >= seconds_limit;
    return status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK : status;
}

static clump_scenario_status find_inputs(const clump_explorer *e, size_t case_index,
                                         clump_inputs *inputs, double *seconds, char *message)
{
    const clump_explore_draw draw = {
        .number = clump_inputs_note, .context = inputs, .seconds = seconds};
    clump_scenario *scenario = NULL;
    const clump_scenario_status status =
        clump_explorer_prepare(e, case_index, &draw, NULL, 0, &scenario, message);
    if (status == CLUMP_SCENARIO_OK)
        clump_scenario_free(scenario);
    if (inputs->no_memory)
        return clump_explore_no_memory(message);
    return status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK : status;
}

/* The script with each input at each of its points, from the middle outwards until it hangs. */
static clump_scenario_status prepare_points(const clump_explorer *e, size_t case_index,
                                            const clump_inputs *inputs, double seconds_limit,
                                            clump_shifted *shifted, char *message)
{
    const size_t points = shifted->points;
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    for (size_t i = 0; i < inputs->count; i++) {
        bool hangs[2] = {false, false};
        for (size_t k = 0; k < points && status == CLUMP_SCENARIO_OK; k++) {
            const size_t at = clump_inputs_outwards(k, points);
            bool *const beyond = &hangs[at >= points / 2];
            const input_shift shift = {inputs->list[i].name, clump_inputs_quantile(at, points)};
            if (!*beyond)
                status = prepare(e, case_index, shift, seconds_limit,
                                 &shifted->ends[i * points + at], beyond, message);
        }
    }
    return status;
}

clump_scenario_status clump_shifted_make(const clump_explorer *e, size_t case_index,
                                         const clump_scenario *scenario, clump_shifted *shifted,
                                         char *message)
{
    clump_inputs inputs = {.count = 0};
    double seconds = 0;
    bool hangs;
    *shifted = (clump_shifted){.count = 0};
    if (e->settings.inputs == CLUMP_INPUTS_NONE || !clump_scenario_is_uncertain(scenario))
        return CLUMP_SCENARIO_OK;
    clump_scenario_status status = find_inputs(e, case_index, &inputs, &seconds, message);
    shifted->count = inputs.count;
    shifted->points = clump_inputs_points(inputs.count);
    if (status == CLUMP_SCENARIO_OK && inputs.count > 0 && e->settings.inputs != CLUMP_INPUTS_ALL) {
        const double runs = (double)(shifted->points * inputs.count + 1) * (double)e->cases;
        if (e->settings.inputs == CLUMP_INPUTS_AUTO)
            shifted->limited =
                runs * (double)clump_scenario_configurations(scenario) > CLUMP_INPUTS_ROWS;
        else
            shifted->limited =
                runs * (seconds + clump_scenario_seconds(scenario, CLUMP_INPUTS_SECONDS / runs)) >
                CLUMP_INPUTS_SECONDS;
    }
    if (status == CLUMP_SCENARIO_OK && inputs.count > 0 && !shifted->limited) {
        const double limit = patience(&e->settings.scenario, seconds);
        shifted->ends = calloc(shifted->points * inputs.count, sizeof *shifted->ends);
        status = shifted->ends == NULL ? clump_explore_no_memory(message)
                                       : prepare(e, case_index, (input_shift){NULL, 0.5}, limit,
                                                 &shifted->medians, &hangs, message);
        if (status == CLUMP_SCENARIO_OK)
            status = prepare_points(e, case_index, &inputs, limit, shifted, message);
    }
    clump_inputs_release(&inputs);
    return status;
}

void clump_shifted_close(clump_shifted *shifted)
{
    for (size_t i = 0; i < shifted->points * shifted->count && shifted->ends != NULL; i++)
        clump_scenario_free(shifted->ends[i]);
    free(shifted->ends);
    clump_scenario_free(shifted->medians);
    shifted->medians = NULL;
    shifted->ends = NULL;
}

/* Paces of the rows `like` in another run; NAN where it has none. */
static clump_scenario_status
find_relative_times(const clump_explorer *e, const clump_scenario *scenario, size_t configuration,
                    clump_result *scratch, const clump_explore_row *like, clump_explore_row *rows,
                    size_t count, double *relative_times, char *message)
{
    size_t found = 0;
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    if (scenario != NULL && configuration < clump_scenario_configurations(scenario) &&
        clump_scenario_applications(scenario, configuration) <=
            clump_scenario_most_applications(scenario))
        status = clump_explore_compute(e, scenario, configuration, false, scratch, rows, &found,
                                       message);
    for (size_t i = 0; i < count; i++)
        relative_times[i] = status == CLUMP_SCENARIO_OK && found == count &&
                                    is_like(&rows[i].result, &like[i].result)
                                ? clump_result_relative_time(&rows[i].result)
                                : NAN;
    return status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK : status;
}

clump_scenario_status clump_shifted_add(const clump_explorer *e, const clump_shifted *shifted,
                                        size_t configuration, clump_result *scratch,
                                        clump_explore_row *rows, size_t count, char *message)
{
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    for (size_t i = 0; i < count; i++) {
        rows[i].inputs = shifted->count;
        rows[i].inputs_missing = 0;
        rows[i].inputs_limited = shifted->limited;
    }
    if (shifted->medians == NULL || count == 0)
        return status;
    const size_t points = shifted->points;
    clump_input_share *shares = calloc(count, sizeof *shares);
    clump_explore_row *others = calloc(count, sizeof *others);
    /* Paces with all medians, then those with one input at each of its points. */
    double *relative_times = calloc((1 + points) * count, sizeof *relative_times);
    if (shares == NULL || others == NULL || relative_times == NULL)
        status = clump_explore_no_memory(message);
    else
        status = find_relative_times(e, shifted->medians, configuration, scratch, rows, others,
                                     count, relative_times, message);
    for (size_t i = 0; i < shifted->count && status == CLUMP_SCENARIO_OK; i++) {
        double of_row[CLUMP_INPUTS_POINTS];
        for (size_t at = 0; at < points && status == CLUMP_SCENARIO_OK; at++)
            status =
                find_relative_times(e, shifted->ends[i * points + at], configuration, scratch, rows,
                                    others, count, relative_times + (1 + at) * count, message);
        for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++) {
            for (size_t at = 0; at < points; at++)
                of_row[at] = relative_times[(1 + at) * count + k];
            rows[k].inputs_missing +=
                !clump_input_share_add(&shares[k], relative_times[k], of_row, points);
        }
    }
    for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++)
        clump_input_share_put(&shares[k], &rows[k].result);
    free(shares);
    free(others);
    free(relative_times);
    return status;
}

/* ---- a scenario that has run */

/* All configurations; `known`: inputs that count in some row. */
static clump_scenario_status add_all(const clump_explorer *e, const clump_shifted *shifted,
                                     const clump_scenario *scenario,
                                     clump_scenario_results *results, size_t *known, char *message)
{
    const size_t most = clump_scenario_most_applications(scenario);
    clump_result *scratch = calloc(most, sizeof *scratch);
    clump_explore_row *rows = calloc(most, sizeof *rows);
    clump_scenario_status status =
        scratch != NULL && rows != NULL ? CLUMP_SCENARIO_OK : clump_explore_no_memory(message);
    for (size_t c = 0; c < clump_scenario_configurations(scenario) && status == CLUMP_SCENARIO_OK;
         c++) {
        const size_t count = clump_scenario_applications(scenario, c);
        if (clump_scenario_row_place(scenario, c, 0) == SIZE_MAX)
            continue;
        for (size_t a = 0; a < count; a++)
            rows[a].result = results->rows[clump_scenario_row_place(scenario, c, a)];
        status = clump_shifted_add(e, shifted, c, scratch, rows, count, message);
        for (size_t a = 0; a < count && status == CLUMP_SCENARIO_OK; a++) {
            results->rows[clump_scenario_row_place(scenario, c, a)] = rows[a].result;
            if (rows[a].result.refused == NULL && rows[a].inputs - rows[a].inputs_missing > *known)
                *known = rows[a].inputs - rows[a].inputs_missing;
        }
    }
    free(scratch);
    free(rows);
    return status;
}

clump_scenario_status clump_inputs_propagate(const clump_scenario_options *options, bool always,
                                             clump_scenario_results *results,
                                             clump_inputs_told *told)
{
    *told = (clump_inputs_told){.count = 0};
    if (!results->uncertain)
        return CLUMP_SCENARIO_OK;
    char message[CLUMP_EXPLORE_MESSAGE];
    clump_scenario_cache *cache = clump_scenario_cache_new();
    clump_store *store = options->store;
    clump_explorer e = {.settings = {.scenario = *options,
                                     .each = true,
                                     .inputs = always ? CLUMP_INPUTS_ALL : CLUMP_INPUTS_SOON,
                                     .threads = 1,
                                     .stores = &store},
                        .caches = &cache,
                        .cases = 1};
    clump_scenario *scenario = NULL;
    clump_shifted shifted = {.count = 0};
    size_t known = 0;
    e.settings.scenario.print = NULL;
    e.settings.scenario.progress = NULL;
    clump_scenario_status status = clump_explorer_prepare(&e, 0, NULL, NULL, 0, &scenario, message);
    if (status == CLUMP_SCENARIO_OK)
        status = clump_shifted_make(&e, 0, scenario, &shifted, message);
    if (status == CLUMP_SCENARIO_OK && shifted.medians != NULL)
        status = add_all(&e, &shifted, scenario, results, &known, message);
    *told = (clump_inputs_told){.count = shifted.count, .limited = shifted.limited};
    told->missing = shifted.limited ? 0 : shifted.count - known;
    for (size_t i = 0; i < results->count && status != CLUMP_SCENARIO_OK; i++)
        results->rows[i].input_low = results->rows[i].input_high = CLUMP_RESULT_NONE;
    clump_shifted_close(&shifted);
    clump_scenario_free(scenario);
    clump_scenario_cache_free(cache);
    return status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK : status;
}
