/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An application that is described by its traffic, message by message.
 *
 * Counts. Messages are counted where they are sent, answers included. Every bulk message and half
 * of the other short ones are requests, each of which is answered by a short message; without
 * answers all of them are sent for themselves.
 *
 * Computation. If the time on the NOW is given, the processors compute for as long as makes the
 * simulated NOW take that time. Communication overlaps with computation here, so that this is more
 * than what the model subtracts.
 */
#include "scenarios/simulate_messages.h"

#include <math.h>

static const double calibration_precision = 0.003;
enum { CALIBRATIONS = 12 };

static void set_counts(const scenario_profile *profile, const scenario_message_options *o,
                       clump_program *p)
{
    const clump_traffic *remote = &profile->remote, *local = &profile->local;
    const double S = remote->short_messages + local->short_messages;
    const double B = remote->bulk_messages + local->bulk_messages;
    const double bytes = remote->bulk_bytes + local->bulk_bytes;
    const double away = remote->short_messages + remote->bulk_messages;
    const double answers = o->answered ? (S >= B ? (S + B) / 2 : S) : 0;
    p->messages = S + B - answers;
    p->reply_share = p->messages > 0 ? answers / p->messages : 0;
    p->bulk_share = p->messages > 0 ? B / p->messages : 0;
    p->bulk_bytes = B > 0 ? fmax(bytes / B, 1) : 1;
    p->remote_share = S + B > 0 ? away / (S + B) : 0;
    p->blocking_share = profile->waited_share;
}

static clump_program make_program(const scenario_point *point, const scenario_setup *setup,
                                  double *part)
{
    const scenario_message_options *o = &point->plan->messages;
    clump_program p = {
        .pattern = o->pattern,
        .node_size = setup->node.processors,
        .matrix = o->matrix,
        .window = o->window,
        .computation_times = point->computation->time,
        .poll_us = o->poll_interval,
        .burst = o->burst,
    };
    set_counts(point->profile, o, &p);
    *part = p.messages > o->most ? o->most / p.messages : 1;
    p.messages *= *part;
    p.phases = fmax(rint(o->barriers * *part), 1);
    return p;
}

clump_status scenario_machine_make(const scenario_point *point, const scenario_setup *setup,
                                   clump_machine *machine, clump_error *error)
{
    const scenario_platform *platform = point->profile->platform;
    const scenario_message_options *o = &point->plan->messages;
    if (platform == NULL || !platform->network.known || !platform->shared_memory.known)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "messages: expected a platform with the LogGP parameters of its network "
                          "and of shared_memory");
    if (platform->efficiency.length > 0 || point->plan->efficiency.length > 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "efficiency: messages have times of their own, expected none");
    if (point->plan->group_count > 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "group_sizes: messages are simulated with groups as even as possible, "
                          "expected none");
    if (setup->node.placement.domains > 1 || setup->node.placement.near > 0 ||
        setup->node.placement.slots.ports > 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "placement: messages are simulated with NICs that are all alike, "
                          "expected none");
    *machine = (clump_machine){
        .nodes = platform->nodes,
        .processors = setup->node.processors,
        .nics = setup->node.nics,
        .mapping = setup->node.mapping,
        .network = platform->network.loggp,
        .shared_memory = platform->shared_memory.loggp,
        .send_queue = o->send_queue,
        .receive_queue = o->receive_queue,
        .half_duplex = o->half_duplex,
        .memory_penalty = setup->load.coupling.memory_penalty,
    };
    return CLUMP_OK;
}

/* The computation with which the NOW takes `target_us`: regula falsi on a growing function. The few
 * replications use the same random numbers each time, so that it is one function. */
static clump_status calibrate(const clump_machine *now, clump_program *p, double target_us,
                              const clump_simulation_options *options, clump_error *error)
{
    clump_simulation_options own = *options;
    double low = 0, low_time = NAN, high = target_us, high_time = NAN;
    own.progress = NULL;
    own.precision = 1;
    for (int i = 0; i < CALIBRATIONS; i++) {
        clump_message_result r;
        p->computation_us = i == 0 ? 0 : i == 1 ? high : (low + high) / 2;
        if (i > 1 && high_time > low_time)
            p->computation_us =
                low + (high - low) *
                          fmin(fmax((target_us - low_time) / (high_time - low_time), 0.02), 0.98);
        const clump_status status =
            clump_simulate_messages(now, NULL, p, &own, &r, NULL, NULL, error);
        if (status != CLUMP_OK)
            return status;
        if (i == 0 && r.time_us > target_us)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "the messages alone take %.4g s on the NOW, more than the %.4g s "
                              "given for the whole run; expected a window or style that lets "
                              "them take less, or computation instead of now_time",
                              r.time_us / 1e6, target_us / 1e6);
        if (fabs(r.time_us / target_us - 1) < calibration_precision)
            return CLUMP_OK;
        if (r.time_us < target_us) {
            low = p->computation_us;
            low_time = r.time_us;
        } else {
            high = p->computation_us;
            high_time = r.time_us;
        }
    }
    return clump_fail(error, CLUMP_NO_CONVERGENCE,
                      "no computation was found with which the simulated NOW takes %.4g s",
                      target_us / 1e6);
}

static clump_status check_matrix(const scenario_point *point, const clump_machine *machine,
                                 clump_error *error)
{
    const scenario_message_options *o = &point->plan->messages;
    const size_t ranks = machine->nodes * machine->processors;
    if (o->pattern != CLUMP_PATTERN_MATRIX || o->matrix_ranks == ranks)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "messages: matrix has %zu rows, expected one for each of the %zu ranks (%zu "
                      "nodes of %zu processors)",
                      o->matrix_ranks, ranks, machine->nodes, machine->processors);
}

clump_status scenario_simulate_messages(const scenario_point *point, const scenario_setup *setup,
                                        const clump_simulation_options *options,
                                        scenario_message_result *result, clump_error *error)
{
    const scenario_profile *profile = point->profile;
    double part;
    if (!profile->has_traffic)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "messages: expected an application with remote_traffic or "
                          "local_traffic, or one of the data base, and a platform with LogGP "
                          "parameters");
    clump_machine machine = {.nodes = 0};
    clump_status status = scenario_machine_make(point, setup, &machine, error);
    /* What leaves a node must arrive somewhere. */
    if (machine.nodes == 1 && profile->remote.short_messages + profile->remote.bulk_messages > 0)
        machine.nodes = 2;
    if (status == CLUMP_OK)
        status = check_matrix(point, &machine, error);
    if (status != CLUMP_OK)
        return status;
    clump_machine now = machine;
    now.nodes = machine.nodes * machine.processors;
    now.processors = now.nics = 1;
    now.memory_penalty = 1;
    clump_program program = make_program(point, setup, &part);
    if (!isnan(profile->application->computation))
        program.computation_us = 1e6 * profile->application->computation * part;
    else
        status = calibrate(&now, &program, 1e6 * profile->now_time * part, options, error);
    if (status == CLUMP_OK)
        status = clump_simulate_messages(&machine, &now, &program, options, &result->clump,
                                         &result->now, &result->slowdown, error);
    if (status == CLUMP_OK)
        result->now_time = isnan(profile->application->computation)
                               ? profile->now_time
                               : result->now.time_us / 1e6 / part;
    return status;
}
