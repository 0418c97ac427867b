/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/shifted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static clump_scenario_status no_memory(char *message)
{
    snprintf(message, CLUMP_EXPLORE_MESSAGE, "out of memory");
    return CLUMP_SCENARIO_FAILED;
}

/* Scripts that do not run with an input elsewhere say nothing about it. */
static clump_scenario_status prepare(const clump_explorer *e, size_t case_index,
                                     clump_input_shift shift, clump_scenario **scenario,
                                     char *message)
{
    const clump_explore_draw draw = {.number = clump_inputs_shift, .context = &shift};
    const clump_scenario_status status =
        clump_explorer_prepare(e, case_index, &draw, NULL, 0, scenario, message);
    return status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK : status;
}

static clump_scenario_status find_inputs(const clump_explorer *e, size_t case_index,
                                         clump_inputs *inputs, char *message)
{
    const clump_explore_draw draw = {.number = clump_inputs_note, .context = inputs};
    clump_scenario *scenario = NULL;
    const clump_scenario_status status =
        clump_explorer_prepare(e, case_index, &draw, NULL, 0, &scenario, message);
    if (status == CLUMP_SCENARIO_OK)
        clump_scenario_free(scenario);
    if (inputs->no_memory)
        return no_memory(message);
    return status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK : status;
}

/* Steps of running a script, not counted with its rows: some milliseconds. */
static const double script_steps = 1e5;

clump_scenario_status clump_shifted_make(const clump_explorer *e, size_t case_index,
                                         const clump_scenario *scenario, clump_shifted *shifted,
                                         char *message)
{
    clump_inputs inputs = {.count = 0};
    *shifted = (clump_shifted){.count = 0};
    clump_scenario_status status = find_inputs(e, case_index, &inputs, message);
    shifted->count = inputs.count;
    if (status == CLUMP_SCENARIO_OK && inputs.count > 0) {
        const double runs = (2 * (double)inputs.count + 1) * (double)e->cases;
        shifted->limited =
            runs * (script_steps + clump_scenario_cost(scenario)) > CLUMP_INPUTS_STEPS;
    }
    if (status == CLUMP_SCENARIO_OK && inputs.count > 0 && !shifted->limited) {
        shifted->ends = calloc(2 * inputs.count, sizeof *shifted->ends);
        status = shifted->ends == NULL ? no_memory(message)
                                       : prepare(e, case_index, (clump_input_shift){NULL, 0.5},
                                                 &shifted->medians, message);
        for (size_t i = 0; i < 2 * inputs.count && status == CLUMP_SCENARIO_OK; i++)
            status =
                prepare(e, case_index,
                        (clump_input_shift){inputs.list[i / 2].name,
                                            i % 2 == 0 ? clump_inputs_low() : clump_inputs_high()},
                        &shifted->ends[i], message);
    }
    clump_inputs_release(&inputs);
    return status;
}

void clump_shifted_close(clump_shifted *shifted)
{
    for (size_t i = 0; i < 2 * shifted->count && shifted->ends != NULL; i++)
        clump_scenario_free(shifted->ends[i]);
    free(shifted->ends);
    clump_scenario_free(shifted->medians);
    shifted->medians = NULL;
    shifted->ends = NULL;
}

/* Paces of the rows `like` in another run; NAN where it has none. */
static clump_scenario_status find_paces(const clump_explorer *e, const clump_scenario *scenario,
                                        size_t configuration, clump_result *scratch,
                                        const clump_explore_row *like, clump_explore_row *rows,
                                        size_t count, double *paces, char *message)
{
    size_t found = 0;
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    if (scenario != NULL && configuration < clump_scenario_configurations(scenario) &&
        clump_scenario_applications(scenario, configuration) <=
            clump_scenario_most_applications(scenario))
        status = clump_explore_compute(e, scenario, configuration, false, scratch, rows, &found,
                                       message);
    for (size_t i = 0; i < count; i++)
        paces[i] = status == CLUMP_SCENARIO_OK && found == count &&
                           clump_inputs_is_like(&rows[i].result, &like[i].result)
                       ? clump_result_pace(&rows[i].result)
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
        rows[i].inputs_limited = shifted->limited;
    }
    if (shifted->medians == NULL || count == 0)
        return status;
    clump_input_share *shares = calloc(count, sizeof *shares);
    clump_explore_row *others = calloc(count, sizeof *others);
    double *paces = calloc(3 * count, sizeof *paces), *low = paces + count, *high = low + count;
    if (shares == NULL || others == NULL || paces == NULL)
        status = no_memory(message);
    else
        status = find_paces(e, shifted->medians, configuration, scratch, rows, others, count, paces,
                            message);
    for (size_t i = 0; i < shifted->count && status == CLUMP_SCENARIO_OK; i++) {
        status = find_paces(e, shifted->ends[2 * i], configuration, scratch, rows, others, count,
                            low, message);
        if (status == CLUMP_SCENARIO_OK)
            status = find_paces(e, shifted->ends[2 * i + 1], configuration, scratch, rows, others,
                                count, high, message);
        for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++)
            clump_input_share_add(&shares[k], paces[k], low[k], high[k]);
    }
    for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++)
        clump_input_share_put(&shares[k], &rows[k].result);
    free(shares);
    free(others);
    free(paces);
    return status;
}
