/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that are simulated. */
#include "scenarios/simulate.h"

#include "scenarios/simulate_messages.h"

#include <math.h>
#include <stdlib.h>

static void forward(const clump_simulation_progress *progress, void *context)
{
    const scenario_row_place *place = context;
    const clump_scenario_options *options = place->sandbox->options;
    const locale_t ours = uselocale(place->sandbox->caller_locale);
    options->simulating(progress, place->row, place->total, options->context);
    uselocale(ours);
}

static clump_status simulate_phases(const scenario_point *point, const scenario_setup *setup,
                                    const clump_simulation_options *options,
                                    clump_simulation *simulation, clump_error *error)
{
    const size_t count = setup->phased->phase_count;
    clump_phase *phases = calloc(count, sizeof *phases);
    if (phases == NULL)
        return clump_fail_memory(error, "the phases");
    for (size_t i = 0; i < count; i++)
        phases[i] =
            (clump_phase){scenario_setup_phase(setup, point, i), setup->phased->phases[i].time};
    const clump_status status =
        clump_simulate_phases(&setup->node, phases, count, options, simulation, error);
    free(phases);
    return status;
}

/* A schedule on the platform, and with a node and a NIC for each rank. */
static clump_status simulate_schedule(const scenario_row_place *place, const scenario_point *point,
                                      const scenario_setup *setup, clump_simulation *simulation,
                                      clump_message_result *messages, clump_error *error)
{
    const double none = CLUMP_RESULT_NONE;
    const clump_schedule *schedule = place->sandbox->options->schedule;
    clump_schedule_result clump, now;
    clump_cluster machine;
    clump_status status = scenario_machine_make(point, setup, &machine, error);
    if (status == CLUMP_OK)
        status = clump_schedule_run(schedule, &machine, &clump, error);
    const clump_cluster apart = clump_cluster_now(&machine);
    if (status == CLUMP_OK)
        status = clump_schedule_run(schedule, &apart, &now, error);
    if (status != CLUMP_OK)
        return status;
    *messages = (clump_message_result){.time_us = clump.time_us,
                                       .waiting = none,
                                       .longest_queue = none,
                                       .messages = clump.messages};
    const double X = now.time_us > 0 ? clump.time_us / now.time_us : 1;
    *simulation = (clump_simulation){
        .prediction = {.slowdown = X,
                       .slowest = X,
                       .adjusted_utilization = none,
                       .mean_active = none,
                       .nic_utilization = clump.nic_utilization},
        .events = clump.events + now.events,
        .replications = 1,
        .reached = true,
    };
    return CLUMP_OK;
}

bool scenario_can_simulate(const scenario_row_place *place, const scenario_point *point,
                           const scenario_setup *setup)
{
    if (place->sandbox->options->schedule != NULL)
        return true;
    if (setup->phased == NULL)
        return setup->load.demand != CLUMP_DEMAND_SCHEDULED;
    for (size_t i = 0; i < setup->phased->phase_count; i++)
        if (scenario_setup_phase(setup, point, i).demand == CLUMP_DEMAND_SCHEDULED)
            return false;
    return true;
}

static clump_status simulate_by_message(const scenario_point *point, const scenario_setup *setup,
                                        const clump_simulation_options *options,
                                        clump_simulation *simulation,
                                        clump_message_result *messages, clump_error *error)
{
    const double none = CLUMP_RESULT_NONE;
    scenario_message_result found;
    const clump_status status = scenario_simulate_messages(point, setup, options, &found, error);
    if (status != CLUMP_OK)
        return status;
    *messages = found.clump;
    messages->time_us = 1e6 * found.now_time * found.slowdown.value; /* of the whole run */
    *simulation = (clump_simulation){
        .prediction = {.slowdown = found.slowdown.value,
                       .slowest = found.slowdown.value,
                       .adjusted_utilization = none,
                       .mean_active = none,
                       .nic_utilization = found.clump.nic_utilization},
        .half_width = found.slowdown.half_width,
        .slowest_half_width = found.slowdown.half_width,
        .events = found.clump.events + found.now.events,
        .replications = found.clump.replications,
        .reached = found.clump.reached,
    };
    return CLUMP_OK;
}

clump_status scenario_simulate(const scenario_row_place *place, const scenario_point *point,
                               const scenario_setup *setup, clump_simulation *simulation,
                               const clump_simulation_details *details,
                               clump_message_result *messages, clump_error *error)
{
    clump_simulation_options options = *place->sandbox->options->simulation;
    options.stream = place->row;
    options.computation = point->computation->time;
    options.communication = point->communication->time;
    options.spread_start = point->plan->spread_start;
    options.progress = place->sandbox->options->simulating != NULL ? forward : NULL;
    options.context = (void *)place;
    if (place->sandbox->options->schedule != NULL)
        return simulate_schedule(place, point, setup, simulation, messages, error);
    if (place->sandbox->options->by_message)
        return simulate_by_message(point, setup, &options, simulation, messages, error);
    if (setup->phased != NULL)
        return simulate_phases(point, setup, &options, simulation, error);
    return clump_simulate(&setup->node, &setup->load, &options, simulation, details, error);
}

void scenario_simulated_row(const scenario_row_place *place, const scenario_point *point,
                            const clump_simulation *simulation,
                            const clump_message_result *messages, clump_result *row)
{
    row->half_width = simulation->half_width;
    row->slowest_half_width = simulation->slowest_half_width;
    row->confidence = place->sandbox->options->simulation->confidence;
    row->events = simulation->events;
    row->warm_up = simulation->warm_up;
    row->replications = simulation->replications;
    row->reached = simulation->reached;
    row->messages = messages->messages;
    row->idle_fraction = messages->waiting;
    row->longest_queue = messages->longest_queue;
    if (place->sandbox->options->by_message) {
        row->predicted_time = messages->time_us / 1e6;
        row->now_time = row->predicted_time / row->slowdown;
    }
    if (place->sandbox->options->schedule != NULL) {
        row->application = place->sandbox->options->schedule_name;
        row->utilization = CLUMP_RESULT_NONE;
    }
    row->computation_times = point->computation->name;
    row->communication_times = point->communication->name;
    if (place->sandbox->options->by_message && !point->plan->has_communication_times)
        row->communication_times = NULL; /* they follow from the sizes of messages */
}
