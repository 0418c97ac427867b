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

double clump_inputs_low(void)
{
    return (1 - CLUMP_MODEL_ERROR_LEVEL) / 2;
}

double clump_inputs_high(void)
{
    return (1 + CLUMP_MODEL_ERROR_LEVEL) / 2;
}

bool clump_inputs_share_ends(double value, double half_width, double ends[2])
{
    const clump_uncertain u = {.kind = CLUMP_UNCERTAIN_NORMAL,
                               .a = value,
                               .b = half_width / CLUMP_UNCERTAIN_95,
                               .least = 0,
                               .most = 1};
    if (!(half_width > 0) || clump_uncertain_check(&u, NULL) != CLUMP_OK)
        return false;
    ends[0] = clump_uncertain_quantile(&u, clump_inputs_low());
    ends[1] = clump_uncertain_quantile(&u, clump_inputs_high());
    return true;
}

/* ---- the share of one row */

static bool is_predicted(double value)
{
    return isfinite(value) && value > 0;
}

void clump_input_share_add(clump_input_share *share, double value, double at_low, double at_high)
{
    if (!is_predicted(value))
        return;
    const double ends[] = {at_low, at_high};
    double up = 0, down = 0, missing = 0;
    for (int i = 0; i < 2; i++) {
        const double away = is_predicted(ends[i]) ? log(ends[i] / value) : NAN;
        up = fmax(up, away);
        down = fmax(down, -away);
        missing += isnan(away);
    }
    if (missing > 1)
        return;
    if (missing > 0)
        up = down = fmax(up, down);
    share->above += up * up;
    share->below += down * down;
    share->median = value;
    share->some = true;
}

void clump_input_share_put(const clump_input_share *share, clump_result *row)
{
    const double value = clump_result_pace(row);
    if (!share->some || !is_predicted(value))
        return;
    row->input_low = fmin(value, share->median * exp(-sqrt(share->below)));
    row->input_high = fmax(value, share->median * exp(sqrt(share->above)));
}

/* ---- all rows of a scenario */

/* Runs without what a first one tells. */
typedef struct again {
    clump_scenario_options options;
    const clump_scenario_results *like;
} again;

bool clump_inputs_is_like(const clump_result *one, const clump_result *other)
{
    return one->processors == other->processors && one->nics == other->nics &&
           one->demand == other->demand && one->mapping == other->mapping &&
           one->processor == other->processor;
}

/* Rows of a run that asks for as many as the first one; else, or if none could be predicted, none. */
static clump_scenario_status run_shifted(const again *a, clump_input_shift shift,
                                         clump_scenario_results *results)
{
    char message[512];
    clump_scenario_options options = a->options;
    options.draw = clump_inputs_shift;
    options.draw_context = &shift;
    *results = (clump_scenario_results){.count = 0};
    const clump_scenario_status status =
        clump_scenario_run(&options, results, message, sizeof message);
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

static clump_scenario_status add_input(const again *a, const char *name,
                                       const clump_scenario_results *medians,
                                       clump_input_share *shares)
{
    clump_scenario_results low, high = {.count = 0};
    clump_scenario_status status =
        run_shifted(a, (clump_input_shift){name, clump_inputs_low()}, &low);
    if (status == CLUMP_SCENARIO_OK)
        status = run_shifted(a, (clump_input_shift){name, clump_inputs_high()}, &high);
    for (size_t i = 0; i < medians->count && status == CLUMP_SCENARIO_OK; i++)
        clump_input_share_add(&shares[i], pace_of(a, medians, i), pace_of(a, &low, i),
                              pace_of(a, &high, i));
    clump_scenario_results_free(&low);
    clump_scenario_results_free(&high);
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
    return inputs->no_memory                    ? CLUMP_SCENARIO_FAILED
           : status == CLUMP_SCENARIO_BAD_INPUT ? CLUMP_SCENARIO_OK
                                                : status;
}

static clump_scenario_status add_all(const again *a, const clump_inputs *inputs,
                                     clump_scenario_results *results)
{
    clump_input_share *shares = calloc(results->count + 1, sizeof *shares);
    clump_scenario_results medians = {.count = 0};
    clump_scenario_status status = shares != NULL ? CLUMP_SCENARIO_OK : CLUMP_SCENARIO_FAILED;
    if (status == CLUMP_SCENARIO_OK)
        status = run_shifted(a, (clump_input_shift){NULL, 0.5}, &medians);
    for (size_t i = 0; i < inputs->count && status == CLUMP_SCENARIO_OK; i++)
        status = add_input(a, inputs->list[i].name, &medians, shares);
    for (size_t i = 0; i < results->count && status == CLUMP_SCENARIO_OK; i++)
        clump_input_share_put(&shares[i], &results->rows[i]);
    clump_scenario_results_free(&medians);
    free(shares);
    return status;
}

clump_scenario_status clump_inputs_propagate(const clump_scenario_options *options,
                                             clump_scenario_results *results,
                                             clump_inputs_told *told)
{
    clump_scenario_memory *memory = options->memory == NULL ? clump_scenario_memory_new() : NULL;
    again a = {.options = *options, .like = results};
    clump_inputs inputs = {.count = 0};
    *told = (clump_inputs_told){.count = 0};
    a.options.print = NULL;
    a.options.running = NULL;
    a.options.progress = NULL;
    a.options.definitions_read = NULL;
    if (memory != NULL)
        a.options.memory = memory;
    clump_scenario_status status = find_inputs(&a, &inputs);
    told->count = inputs.count;
    told->limited = (2 * (double)inputs.count + 1) * results->steps > CLUMP_INPUTS_STEPS;
    if (status == CLUMP_SCENARIO_OK && inputs.count > 0 && !told->limited)
        status = add_all(&a, &inputs, results);
    clump_inputs_release(&inputs);
    clump_scenario_memory_free(memory);
    return status;
}
