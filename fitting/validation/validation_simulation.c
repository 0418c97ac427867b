/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_simulation.h"

#include "fitting/validation/validation_facts.h"
#include "fitting/validation/validation_terms.h"
#include "model/simulation/traffic_program.h"

#include <math.h>
#include <string.h>

/* An exchange in lockstep is cut to so many messages a rank, which leaves it all its steps. */
static const double most_in_steps = 20000;

/* Messages that wait at a NIC before senders do, as in a scenario that does not say it. */
static const size_t send_queue = 16;

static clump_cluster machine_of(const validation_facts *facts)
{
    return (clump_cluster){
        .nodes = facts->nodes,
        .processors = facts->node.processors,
        .nics = facts->node.nics,
        .mapping = facts->node.mapping,
        .network = facts->network,
        .shared_memory = facts->shared_memory,
        .send_queue = send_queue,
        .memory_penalty = 1,
        .half_duplex_bus = clump_validation_variants[0].bus && facts->half_duplex,
    };
}

/*
 * A phase of computation, the same for all, and then one of communication: correlated demand, as
 * the full model has it, in terms of messages. Who streams hands over one message after the other.
 */
static clump_program program_of(const validation_facts *facts, const clump_cluster *machine)
{
    const size_t P = machine->processors, R = machine->nodes * P;
    clump_program p = {.pattern = CLUMP_PATTERN_UNIFORM,
                       .node_size = P,
                       .phases = 1,
                       .computation_times.kind = CLUMP_SERVICE_CONSTANT};
    clump_program_set_traffic(&p, &facts->remote, &facts->local, facts->waited_share, true);
    if (facts->lockstep && R > 1 && p.messages > 0) {
        p.pattern = CLUMP_PATTERN_ALL_TO_ALL;
        p.phases = (double)(R - 1);
        p.run = fmax(p.messages / p.phases, 1);
    }
    p.burst = fmax(ceil(p.messages / p.phases), 1);
    return p;
}

/* Returns what part of the program is left. */
static double shorten(const validation_facts *facts, double most, clump_program *p)
{
    if (!facts->lockstep || !(p->messages > 0))
        return clump_program_shorten(p, most);
    const double part = fmin(most_in_steps / p->messages, 1);
    p->messages *= part;
    p->run = fmax(p->run * part, 1);
    p->burst = fmax(ceil(p->burst * part), 1);
    return part;
}

/* Only what is computation takes longer on the node: the rest of the time without communication is
 * spent waiting for others. */
static clump_status penalty_of(const validation_facts *facts, const double *constants,
                               double computation_us, double part, double *penalty,
                               clump_error *error)
{
    double known;
    clump_status status = validation_penalty(facts, 0, constants, penalty, error);
    if (status == CLUMP_OK)
        status = validation_computation_now(facts, 0, constants, &known, error);
    if (status != CLUMP_OK || !(known > 0) || !(computation_us > 0))
        return status;
    const double share = fmin(1e6 * known * part / computation_us, 1);
    *penalty = 1 - share + share * *penalty;
    return CLUMP_OK;
}

typedef struct listener {
    const clump_validation_simulation *how;
    size_t done, total;
} listener;

static void forward(const clump_simulation_progress *progress, void *context)
{
    const listener *l = context;
    l->how->progress(progress, l->done, l->total, l->how->context);
}

static clump_status simulate(const validation_facts *facts, const listener *l, size_t stream,
                             clump_validation_run *run, clump_error *error)
{
    clump_cluster machine = machine_of(facts);
    machine.watch = l->how->watch;
    const clump_cluster now = clump_cluster_now(&machine);
    clump_program program = program_of(facts, &machine);
    clump_simulation_options options = l->how->options;
    clump_message_result on, against;
    clump_ratio ratio;
    const double part = shorten(facts, l->how->most_messages, &program);
    options.stream = stream;
    options.progress = l->how->progress != NULL ? forward : NULL;
    options.context = (void *)(uintptr_t)l;
    clump_status status = clump_program_fit_computation(
        &program, &now, 1e6 * facts->now_time * part, &options, error);
    if (status != CLUMP_OK)
        return status;
    status = penalty_of(facts, run->constants, program.computation_us, part,
                        &machine.memory_penalty, error);
    if (status != CLUMP_OK)
        return status;
    status =
        clump_simulate_messages(&machine, &now, &program, &options, &on, &against, &ratio, error);
    if (status != CLUMP_OK)
        return status;
    if (isnan(ratio.value))
        return clump_fail(error, CLUMP_NO_CONVERGENCE,
                          "%g events are too few for a run of the program; raise the number that "
                          "is allowed",
                          options.most_events);
    const double predicted = ratio.value * facts->now_time;
    run->outcomes[CLUMP_VALIDATION_SIMULATED] = (clump_validation_outcome){
        .predicted = predicted,
        .predicted_half_width = ratio.half_width * facts->now_time,
        .utilization = NAN,
        .slowdown = ratio.value,
        .error = predicted / facts->measured - 1,
        .in_sample_error = predicted / facts->measured - 1,
        .low = NAN,
        .high = NAN,
    };
    run->simulation = (clump_validation_simulated){.events = on.events + against.events,
                                                   .replications = on.replications,
                                                   .reached = on.reached};
    return CLUMP_OK;
}

/* @param memory  of the validation */
static clump_status simulate_run(clump_validation_run *run, const listener *l, size_t stream,
                                 clump_arena *memory, clump_error *error)
{
    clump_error why = {CLUMP_OK, ""};
    run->simulation = (clump_validation_simulated){.problem = NULL};
    clump_status status = clump_watch_ask(l->how->watch, NAN, &why);
    if (status == CLUMP_OK)
        status = simulate(run->facts, l, stream, run, &why);
    if (status == CLUMP_OK)
        return CLUMP_OK;
    char *problem = clump_arena_take(memory, sizeof why.message);
    if (status == CLUMP_NO_MEMORY || problem == NULL)
        return clump_fail_memory(error, "the validation");
    run->simulation.gave_up = status == CLUMP_NO_CONVERGENCE;
    run->simulation.problem = strcpy(problem, why.message);
    return CLUMP_OK;
}

clump_status clump_validation_simulate(clump_validation *validation,
                                       const clump_validation_simulation *how, clump_error *error)
{
    listener l = {.how = how};
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < validation->count; i++)
        l.total += validation->runs[i].facts != NULL;
    for (size_t i = 0; i < validation->count && status == CLUMP_OK; i++) {
        if (validation->runs[i].facts == NULL)
            continue;
        status = simulate_run(&validation->runs[i], &l, i, validation->memory, error);
        l.done++;
    }
    const bool stopped = status == CLUMP_OK && clump_watch_stops(how->watch, NAN);
    return stopped ? clump_fail(error, CLUMP_STOPPED, "interrupted") : status;
}
