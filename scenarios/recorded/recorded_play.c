/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_play.h"

#include "model/result.h"
#include "scenarios/recorded/recorded_farm.h"

#include <math.h>
#include <string.h>

/* Messages take NICs as those of Open MPI do only where all NICs are alike, and every rank uses all. */
static bool may_take_turns(const clump_node *node)
{
    return node->nics > 1 && node->mapping == CLUMP_MAPPING_POOLED &&
           node->placement.domains <= 1 && node->placement.slots.bandwidth == 0;
}

static clump_cluster machine_of(const clump_recorded_play *play, const clump_node *node,
                                double memory_penalty, clump_schedule_rules *rules)
{
    const clump_recorded *p = play->program;
    const clump_together_machine machine = {
        .node = node,
        .network = &p->network,
        .shared_memory = p->options.shared_memory != NULL ? &p->shared_memory : NULL,
        .half_duplex = p->options.half_duplex,
        .in_turn = p->open_mpi && may_take_turns(node),
        .order = p->options.order};
    clump_cluster cluster = clump_together_cluster(&machine, p->ranks, rules);
    cluster.memory_penalty = memory_penalty;
    if (node->mapping == CLUMP_MAPPING_POOLED)
        cluster.max_nics_per_processor = node->max_nics_per_processor;
    if (strcmp(p->facts->origin, "goal") == 0) /* messages as its format has them */
        rules->window_bytes = 0;
    else if (clump_mpi_library_of(p->facts->library) == CLUMP_MPI_OPEN_MPI)
        clump_schedule_as_open_mpi(rules, false, true);
    return cluster;
}

static clump_status run(const clump_recorded_play *play, const clump_schedule *schedule,
                        const clump_node *node, double memory_penalty,
                        clump_schedule_result *result, clump_error *error)
{
    clump_schedule_rules rules;
    const clump_cluster cluster = machine_of(play, node, memory_penalty, &rules);
    return clump_schedule_run(schedule, &cluster, &rules, result, error);
}

static clump_status run_farm(const clump_recorded_play *play, const clump_task_farm *farm,
                             const clump_node *node, double memory_penalty,
                             clump_schedule_result *result, clump_error *error)
{
    clump_schedule_rules rules;
    const clump_cluster cluster = machine_of(play, node, memory_penalty, &rules);
    return clump_task_farm_run(farm, &cluster, &rules, result, error);
}

/* Tasks that were handed out are handed out anew, if that is what was recorded: on the NOW it takes as long. */
static clump_status hand_out(const clump_recorded_play *play, const clump_node *node,
                             double memory_penalty, clump_schedule_result *result, double *slowdown,
                             clump_error *error)
{
    static const double as_long = 0.1;
    const clump_node alone = {.processors = 1, .nics = 1, .watch = node->watch};
    clump_task_farm *farm = NULL;
    clump_schedule_result now, nodes;
    clump_status status = clump_recorded_farm_find(play->on_nodes, &farm, error);
    if (farm == NULL)
        return status;
    status = run_farm(play, farm, &alone, 1, &now, error);
    if (status == CLUMP_OK && fabs(now.time_us / play->now_us - 1) <= as_long) {
        status = run_farm(play, farm, node, memory_penalty, &nodes, error);
        if (status == CLUMP_OK) {
            *result = nodes;
            *slowdown = nodes.time_us / now.time_us;
        }
    }
    clump_recorded_farm_free(farm);
    return status;
}

clump_status clump_recorded_play_begin(clump_recorded_play *play, const clump_watch *watch,
                                       clump_error *error)
{
    const clump_node alone = {.processors = 1, .nics = 1, .watch = watch};
    clump_schedule_result result = {.time_us = 0};
    const clump_status status = run(play, play->now, &alone, 1, &result, error);
    if (status != CLUMP_OK)
        return status;
    play->now_us = result.time_us;
    play->events = result.events;
    if (!(play->now_us > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the calls of the recording take no time, expected some computation or "
                          "messages");
    return CLUMP_OK;
}

clump_status clump_recorded_play_on(const clump_recorded_play *play, const clump_node *node,
                                    double memory_penalty, clump_prediction *prediction,
                                    clump_error *error)
{
    clump_schedule_result result = {.time_us = 0};
    const double none = CLUMP_RESULT_NONE;
    if (node->processors != play->processors)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "a node of %zu processors, expected the %zu for which calls are played",
                          node->processors, play->processors);
    if (clump_memory_is_station(&node->memory))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory that processors share, expected none where recorded calls are "
                          "played");
    clump_status status = run(play, play->on_nodes, node, memory_penalty, &result, error);
    double X = result.time_us / play->now_us;
    if (status == CLUMP_OK)
        status = hand_out(play, node, memory_penalty, &result, &X, error);
    if (status != CLUMP_OK)
        return status;
    *prediction = (clump_prediction){.slowdown = X,
                                     .slowest = X,
                                     .adjusted_utilization = none,
                                     .mean_active = none,
                                     .nic_utilization =
                                         fmax(result.nic_utilization, result.receive_utilization)};
    return CLUMP_OK;
}
