/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result.h"

#include <math.h>

/* The most that memory does, in units of one processor alone. */
static double greatest_memory_rate(const clump_memory *memory)
{
    double most = memory->curve_length > 0 ? 0 : memory->feeds;
    for (size_t i = 0; i < memory->curve_length; i++)
        most = fmax(most, memory->curve[i]);
    return most;
}

static void set_memory(clump_result *r, const clump_node *node, const clump_load *load)
{
    const clump_memory *memory = &node->memory;
    const bool whole = memory->law == CLUMP_MEMORY_MEASURED;
    const clump_coupling *c = &load->coupling;
    double computation, communication;
    r->memory_share = r->memory_feeds = r->memory_utilization = CLUMP_RESULT_NONE;
    if (!clump_memory_is_station(memory))
        return;
    r->memory_law = clump_memory_law_name(memory->law);
    r->memory_share = whole ? CLUMP_RESULT_NONE : memory->share;
    r->memory_feeds = greatest_memory_rate(memory);
    /* What is done in a unit of time, over what can be done: nothing else moves. */
    const double U = load->utilizations[0];
    if (load->utilization_count > 1 || load->phase_cycles > 0 ||
        fabs(r->slowest_slowdown - r->slowdown) > 1e-9 * r->slowdown ||
        clump_coupling_needs(c, U, &computation, &communication, NULL) != CLUMP_OK)
        return;
    const double waiting = c->waiting_fraction * c->remote_fraction * U;
    r->memory_utilization = (double)node->processors * (whole ? 1 : memory->share) *
                            (computation - waiting) / (r->slowdown * r->memory_feeds);
}

clump_result clump_result_make(const clump_node *node, const clump_load *load,
                               const clump_prediction *prediction)
{
    const double none = CLUMP_RESULT_NONE;
    clump_result result = {
        .processors = node->processors,
        .nics = node->nics,
        .utilization = load->utilizations[0],
        .demand = load->demand,
        .gang_size = load->gang_size,
        .mapping = node->mapping,
        .max_nics_per_processor = node->max_nics_per_processor,
        .remote_fraction = load->coupling.remote_fraction,
        .cost_ratio = load->coupling.cost_ratio,
        .memory_penalty = load->coupling.memory_penalty,
        .waiting_fraction = load->coupling.waiting_fraction,
        .phase_cycles = load->phase_cycles,
        .slowdown = prediction->slowdown,
        .slowest_slowdown = prediction->slowest,
        .adjusted_utilization = prediction->adjusted_utilization,
        .mean_active = prediction->mean_active,
        .nic_utilization = prediction->nic_utilization,
        .now_time = none,
        .predicted_time = none,
        .measured_time = none,
        .measured_slowdown = none,
        .measured_half_width = none,
        .error = none,
        .compared_utilization = none,
        .communication_ratio = none,
        .compared_slowdown = none,
        .compared_time = none,
        .ratio = none,
        .measured_ratio = none,
        .least_ratio = none,
    };
    clump_result_put_bounds(&result, prediction->bounds, 1);
    set_memory(&result, node, load);
    return result;
}

void clump_result_put_bounds(clump_result *result, clump_bounds bounds, double factor)
{
    const bool known = bounds.greatest > 0;
    result->lower_bound = known ? factor * bounds.least : CLUMP_RESULT_NONE;
    result->upper_bound = known ? factor * bounds.greatest : CLUMP_RESULT_NONE;
}

clump_result clump_result_of_processor(const clump_result *node, const clump_load *load,
                                       size_t processor, double slowdown)
{
    clump_result result = *node;
    double factor;
    result.processor = processor + 1;
    result.utilization = load->utilizations[processor];
    result.slowdown = slowdown;
    result.predicted_time = slowdown * node->now_time;
    result.lower_bound = result.upper_bound = CLUMP_RESULT_NONE;
    if (clump_coupling_apply(&load->coupling, result.utilization, &result.adjusted_utilization,
                             &factor, NULL) != CLUMP_OK)
        result.adjusted_utilization = CLUMP_RESULT_NONE;
    return result;
}

clump_status clump_result_check(const clump_result *r, clump_error *error)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"the slowdown", r->slowdown},
               {"the slowdown of the slowest", r->slowest_slowdown},
               {"the time on the NOW", r->now_time},
               {"the predicted time", r->predicted_time},
               {"the measured time", r->measured_time},
               {"the measured slowdown", r->measured_slowdown},
               {"the error", r->error},
               {"the ratio of communication", r->communication_ratio},
               {"the slowdown of the other platform", r->compared_slowdown},
               {"the time on the other platform", r->compared_time},
               {"the ratio", r->ratio},
               {"the measured ratio", r->measured_ratio}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (isinf(all[i].value))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s is more than a number can say: expected times and costs that are "
                              "not so far apart",
                              all[i].name);
    return CLUMP_OK;
}
