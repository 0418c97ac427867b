/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_play.h"

#include "model/result.h"

#include <math.h>
#include <string.h>

/* Messages take NICs as those of Open MPI do only where all NICs are alike, and every rank uses all. */
static bool may_take_turns(const clump_node *node)
{
    return node->nics > 1 && node->mapping == CLUMP_MAPPING_POOLED &&
           node->placement.domains <= 1 && node->placement.slots.bandwidth == 0;
}

static clump_status run(const clump_recorded_play *play, const clump_schedule *schedule,
                        const clump_node *node, double memory_penalty,
                        clump_schedule_result *result, clump_error *error)
{
    const clump_recorded *p = play->program;
    const clump_together_machine machine = {
        .node = node,
        .network = &p->network,
        .shared_memory = p->options.shared_memory != NULL ? &p->shared_memory : NULL,
        .half_duplex = p->options.half_duplex,
        .in_turn = p->open_mpi && may_take_turns(node),
        .order = p->options.order};
    clump_schedule_rules rules;
    clump_cluster cluster = clump_together_cluster(&machine, p->ranks, &rules);
    cluster.memory_penalty = memory_penalty;
    if (node->mapping == CLUMP_MAPPING_POOLED)
        cluster.max_nics_per_processor = node->max_nics_per_processor;
    if (strcmp(p->facts->origin, "goal") == 0) /* messages as its format has them */
        rules.window_bytes = 0;
    else if (clump_mpi_library_of(p->facts->library) == CLUMP_MPI_OPEN_MPI)
        rules.rendezvous_above = CLUMP_SCHEDULE_OPEN_MPI_STRIPE; /* longer ones wait for their receive */
    return clump_schedule_run(schedule, &cluster, &rules, result, error);
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
    const clump_status status = run(play, play->on_nodes, node, memory_penalty, &result, error);
    if (status != CLUMP_OK)
        return status;
    const double X = result.time_us / play->now_us;
    *prediction = (clump_prediction){.slowdown = X,
                                     .slowest = X,
                                     .adjusted_utilization = none,
                                     .mean_active = none,
                                     .nic_utilization =
                                         fmax(result.nic_utilization, result.receive_utilization)};
    return CLUMP_OK;
}
