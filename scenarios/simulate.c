/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that are simulated: as chapter 8 has them, message by message, or by a schedule. */
#include "scenarios/simulate.h"

#include "model/simulation/schedule_collective.h"
#include "model/simulation/traffic_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- an application that is described by its traffic, message by message (traffic_program.h) */

/* On the platform and on its NOW. */
typedef struct message_result {
    clump_ratio slowdown;
    clump_message_result clump, now;
    double now_time; /* s, of the whole run; the simulated one unless it was given */
} message_result;

/* Processors of a node that compute for the same times: what demand says of them (8.4). */
static clump_status set_demand(const scenario_setup *setup, clump_program *p, clump_error *error)
{
    const double P = (double)setup->node.processors;
    const double gang = setup->load.demand == CLUMP_DEMAND_CORRELATED ? P
                        : setup->load.demand == CLUMP_DEMAND_GANG     ? setup->load.gang_size
                                                                      : 1;
    if (gang != rint(gang) || gang > P)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "demand: gangs of %g processors, expected a whole number of those of a "
                          "node, who compute for the same times",
                          gang);
    p->together = (size_t)gang;
    return CLUMP_OK;
}

static clump_status make_program(const scenario_point *point, const scenario_setup *setup,
                                 clump_program *program, clump_error *error)
{
    const scenario_message_options *o = &point->plan->messages;
    const double remote = point->values[SCENARIO_REMOTE_FRACTION];
    *program = (clump_program){
        .pattern = o->pattern,
        .node_size = setup->node.processors,
        .matrix = o->matrix,
        .window = o->window,
        .computation_times = point->computation->time,
        .poll_us = o->poll_interval,
        .burst = o->burst,
        .phases = o->barriers,
        .run = o->in_a_row,
        .bulk_sizes = point->communication->time,
        .sizes_vary = point->plan->has_communication_times,
        .imbalance = o->imbalance.values,
    };
    if (o->imbalance.count > 0 && o->imbalance.count != setup->node.processors)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "messages: imbalance has %zu entries, expected one for each of the %zu "
                          "processors of a node",
                          o->imbalance.count, setup->node.processors);
    clump_program_set_traffic(program, &point->profile->remote, &point->profile->local,
                              point->profile->waited_share, o->answered);
    if (!isnan(remote))
        program->remote_share = remote;
    return set_demand(setup, program, error);
}

/* What is said in terms of the model has no meaning where messages are sent one by one. */
static clump_status check_fields(const scenario_point *point, const scenario_setup *setup,
                                 clump_error *error)
{
    static const struct {
        scenario_dimension dimension;
        const char *name, *why;
    } fields[] = {
        {SCENARIO_UTILIZATION, "utilization", "it follows from the messages"},
        {SCENARIO_COST_RATIO, "cost_ratio", "it follows from the LogGP parameters"},
        {SCENARIO_WAITING_FRACTION, "waiting_fraction", "who waits is the application's style"},
        {SCENARIO_PHASE_CYCLES, "phase_cycles", "phases are messages = { barriers = ... }"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (!isnan(point->values[fields[i].dimension]))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s: expected none where messages are simulated; %s", fields[i].name,
                              fields[i].why);
    if (setup->utilizations.count > 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "utilizations: expected none where messages are simulated; processors "
                          "that differ are messages = { imbalance = { ... } }");
    return CLUMP_OK;
}

/* The platform of a point, with nodes of its processors and NICs; it must have LogGP parameters. */
static clump_status make_machine(const scenario_point *point, const scenario_setup *setup,
                                 clump_cluster *machine, clump_error *error)
{
    const scenario_platform *platform = point->profile->platform;
    const scenario_message_options *o = &point->plan->messages;
    if (platform == NULL || !platform->network.known || !platform->shared_memory.known)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "messages: expected a platform with the LogGP parameters of its network "
                          "and of shared_memory");
    if (platform->reliability.network.loss > 0)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "loss: messages are simulated one by one in a network that loses nothing, "
            "expected loss = 0, or simulate without --messages and --schedule");
    const bool automatic = point->values[SCENARIO_MAX_NICS] == SCENARIO_AUTOMATIC;
    *machine = (clump_cluster){
        .nodes = platform->nodes,
        .node = setup->node,
        .network = platform->network.loggp,
        .shared_memory = platform->shared_memory.loggp,
        .send_queue = o->send_queue,
        .receive_queue = o->receive_queue,
        .half_duplex = o->half_duplex,
        .memory_penalty = setup->load.coupling.memory_penalty,
        .half_duplex_bus = platform->half_duplex,
        .polling = o->polling,
    };
    if (automatic) /* what the overheads of its messages let a processor do */
        machine->node.max_nics_per_processor = 0;
    return CLUMP_OK;
}

static clump_status check_matrix(const scenario_point *point, const clump_cluster *machine,
                                 clump_error *error)
{
    const scenario_message_options *o = &point->plan->messages;
    const size_t ranks = machine->nodes * machine->node.processors;
    if (o->pattern != CLUMP_PATTERN_MATRIX || o->matrix_ranks == ranks)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "messages: matrix has %zu rows, expected one for each of the %zu ranks (%zu "
                      "nodes of %zu processors)",
                      o->matrix_ranks, ranks, machine->nodes, machine->node.processors);
}

static clump_status simulate_messages(const scenario_point *point, const scenario_setup *setup,
                                      const clump_simulation_options *options,
                                      message_result *result, clump_error *error)
{
    const scenario_profile *profile = point->profile;
    const scenario_application *application = profile->application;
    if (!profile->has_traffic)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "messages: expected an application with remote_traffic or "
                          "local_traffic, or one of the database, and a platform with LogGP "
                          "parameters; what is known by its utilization or phases has no messages");
    clump_cluster machine = {.nodes = 0};
    clump_program program = {.messages = 0};
    clump_status status = check_fields(point, setup, error);
    if (status == CLUMP_OK)
        status = make_machine(point, setup, &machine, error);
    /* What leaves a node must arrive somewhere. */
    if (machine.nodes == 1 && profile->remote.short_messages + profile->remote.bulk_messages > 0)
        machine.nodes = 2;
    if (status == CLUMP_OK)
        status = check_matrix(point, &machine, error);
    if (status == CLUMP_OK)
        status = make_program(point, setup, &program, error);
    if (status != CLUMP_OK)
        return status;
    /* Without a time on the NOW it is what computation and messages take. */
    const bool by_time = isnan(profile->computation) || !isnan(application->now_time);
    program.computation_us = by_time ? 0 : 1e6 * profile->computation;
    const double part = clump_program_shorten(&program, point->plan->messages.most);
    const clump_cluster now = clump_cluster_now(&machine);
    if (by_time)
        status = clump_program_fit_computation(&program, &now, 1e6 * profile->now_time * part,
                                               options, error);
    if (isnan(program.computation_us)) { /* an empty row, like any that needs more events */
        const clump_message_result none = {.time_us = NAN,
                                           .nic_utilization = NAN,
                                           .waiting = NAN,
                                           .longest_queue = NAN,
                                           .messages = NAN,
                                           .events = options->most_events,
                                           .replications = 1};
        *result = (message_result){{NAN, NAN}, none, none, profile->now_time};
        result->now.events = 0;
        return CLUMP_OK;
    }
    if (status == CLUMP_OK)
        status = clump_simulate_messages(&machine, &now, &program, options, &result->clump,
                                         &result->now, &result->slowdown, error);
    if (status == CLUMP_OK)
        result->now_time = by_time ? profile->now_time : result->now.time_us / 1e6 / part;
    return status;
}

/* ---- points that are simulated */

static void forward(const clump_simulation_progress *progress, void *context)
{
    const scenario_row_place *place = context;
    const clump_scenario_options *options = place->sandbox->options;
    const locale_t ours = uselocale(place->sandbox->caller_locale);
    options->simulating(progress, place->row, place->total, options->context);
    uselocale(ours);
}

static clump_prediction slowdown_only(double slowdown, double nic_utilization)
{
    return (clump_prediction){.slowdown = slowdown,
                              .slowest = slowdown,
                              .adjusted_utilization = CLUMP_RESULT_NONE,
                              .mean_active = CLUMP_RESULT_NONE,
                              .nic_utilization = nic_utilization};
}

static clump_status simulate_phases(const scenario_point *point, const scenario_setup *setup,
                                    const clump_simulation_options *options,
                                    clump_simulation *simulation, clump_error *error)
{
    clump_phase *phases = scenario_setup_phases(setup, point);
    if (phases == NULL)
        return clump_fail_memory(error, "the phases");
    const clump_status status = clump_simulate_phases(
        &setup->node, phases, setup->phased->phase_count, options, simulation, error);
    free(phases);
    return status;
}

/* Run it; what is wrong with the schedule says so by the name of its file, or the end of that. */
static clump_status run_schedule(const clump_scenario_options *options,
                                 const clump_cluster *machine, clump_schedule_result *result,
                                 clump_error *error)
{
    enum { SHOWN = 40 };
    const char *name = options->schedule_name;
    const clump_schedule *schedule = options->schedule;
    clump_error found;
    clump_status status = CLUMP_OK;
    if (options->schedule_for != NULL)
        status = options->schedule_for(options->schedule_context, machine->node.processors,
                                       &schedule, &found);
    if (status == CLUMP_OK)
        status = clump_schedule_run(schedule, machine, options->schedule_rules, result, &found);
    if (status == CLUMP_OK)
        return status;
    const size_t length = strlen(name), cut = length > SHOWN ? length - SHOWN : 0;
    return clump_fail(error, status, "%s%s: %s", cut > 0 ? "..." : "", name + cut, found.message);
}

/* The run in hand is half of the work, or all of it. */
typedef struct half {
    const clump_watch *watch;
    double before, share;
} half;

static int look(double share, void *context)
{
    const half *h = context;
    return clump_watch_stops(h->watch, h->before + share * h->share);
}

/* Whether to a schedule the machine is its NOW. */
static bool is_now(const clump_cluster *m)
{
    const clump_placement *place = &m->node.placement;
    return m->node.processors == 1 && m->node.nics == 1 && m->memory_penalty == 1 &&
           m->node.max_nics_per_processor == 0 && m->node.efficiency.table_length == 0 &&
           m->node.efficiency.function == NULL && place->domains <= 1 &&
           (place->near == 0 || place->near == 1) && place->slots.bandwidth == 0;
}

/* A schedule on the platform, and with a node and a NIC for each rank. */
static clump_status simulate_schedule(const scenario_row_place *place, const scenario_point *point,
                                      const scenario_setup *setup, clump_simulation *simulation,
                                      clump_message_result *messages, clump_error *error)
{
    const double none = CLUMP_RESULT_NONE;
    const clump_scenario_options *options = place->sandbox->options;
    clump_schedule_result clump = {.time_us = 0}, now;
    clump_cluster machine;
    clump_status status = make_machine(point, setup, &machine, error);
    if (status == CLUMP_OK && clump_memory_is_station(&machine.node.memory))
        status =
            clump_fail(error, CLUMP_BAD_ARGUMENT,
                       "memory_share: expected none where schedules are simulated; memory that "
                       "processors share is simulated without --schedule");
    if (status != CLUMP_OK)
        return status;
    const bool once = is_now(&machine);
    half work = {machine.node.watch, 0, once ? 1 : 0.5};
    const clump_watch watch = {.look = look, .context = &work};
    machine.node.watch = &watch;
    const clump_cluster apart = clump_cluster_now(&machine);
    status = run_schedule(options, &machine, &clump, error);
    work.before = 0.5;
    now = clump;
    if (status == CLUMP_OK && !once)
        status = run_schedule(options, &apart, &now, error);
    if (status != CLUMP_OK)
        return status;
    *messages = (clump_message_result){.time_us = clump.time_us,
                                       .waiting = none,
                                       .longest_queue = none,
                                       .messages = clump.messages};
    const double X = now.time_us > 0 ? clump.time_us / now.time_us : 1;
    *simulation = (clump_simulation){
        .prediction = slowdown_only(X, clump.nic_utilization),
        .events = clump.events + now.events,
        .replications = 1,
        .reached = true,
    };
    return CLUMP_OK;
}

/* ---- collectives, each message by itself */

/* Some 3 GB, where --max-memory allows as much, and a minute. */
static const uint64_t most_operations = 20000000;
static const double bytes_an_operation = 90, bytes_a_rank = 200;

/* Operations of a call for which there is memory. */
static clump_status find_most(const scenario_sandbox *s, double ranks, uint64_t *most,
                              clump_error *error)
{
    const double left = (double)s->memory_limit - (double)s->arena->size;
    if (ranks > (double)CLUMP_SCHEDULE_MOST_RANKS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "ranks: found %.0f, expected 1 to %zu where messages are simulated",
                          ranks, (size_t)CLUMP_SCHEDULE_MOST_RANKS);
    const double affordable = fmax(left - bytes_a_rank * ranks, 0) / bytes_an_operation;
    *most = affordable < (double)most_operations ? (uint64_t)affordable : most_operations;
    return CLUMP_OK;
}

typedef struct simulated_calls {
    scenario_collectives_time time;
    double events, messages;
} simulated_calls;

/* A call of each; what they take is added up. */
static clump_status simulate_calls(const scenario_setup *setup, const clump_cluster *machine,
                                   const clump_collective_clump *clump, double ranks, uint64_t most,
                                   simulated_calls *calls, clump_error *error)
{
    const bool stripes =
        machine->node.mapping == CLUMP_MAPPING_POOLED && machine->node.max_nics_per_processor == 0;
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    *calls = (simulated_calls){.events = 0};
    if (stripes &&
        machine->node.nics > 1) { /* each message goes over all NICs, as the formulas have it */
        rules.nic_turns = 1;
        rules.stripe_above = 0;
    }
    for (size_t i = 0; i < setup->collectives->count; i++) {
        const scenario_collective *c = &setup->collectives->items[i];
        clump_collective_request request;
        clump_schedule *schedule = NULL;
        clump_schedule_result result;
        clump_status status = scenario_collective_choose(c, clump, ranks, &request, error);
        const double count =
            c->sends && request.size > 1 ? c->count / (request.size - 1) : c->count;
        if (status == CLUMP_OK)
            status = clump_schedule_collective(&request, machine->node.processors, most, &schedule,
                                               error);
        if (status == CLUMP_BAD_ARGUMENT && most < most_operations &&
            strstr(error->message, "more than") != NULL) {
            const size_t used = strlen(error->message);
            snprintf(error->message + used, sizeof error->message - used,
                     " within the memory allowed (--max-memory)");
        }
        if (status == CLUMP_OK && clump_schedule_operations(schedule) > 0)
            status = clump_schedule_run(schedule, machine, &rules, &result, error);
        else
            result = (clump_schedule_result){.time_us = 0};
        clump_schedule_free(schedule);
        if (status != CLUMP_OK)
            return status;
        calls->time.us += count * result.time_us;
        calls->time.hidden_us += c->overlap * count * result.time_us;
        calls->time.nic_us +=
            count * result.nic_utilization * result.time_us * (double)machine->node.nics;
        calls->events += result.events;
        calls->messages += result.messages;
    }
    return CLUMP_OK;
}

static clump_status simulate_collectives(const scenario_sandbox *sandbox,
                                         const scenario_point *point, const scenario_setup *setup,
                                         clump_simulation *simulation,
                                         clump_message_result *messages, clump_error *error)
{
    const double none = CLUMP_RESULT_NONE;
    const scenario_platform *platform = point->profile->platform;
    const double ranks =
        scenario_collectives_ranks(setup->collectives, platform->nodes, setup->node.processors);
    const clump_node alone = {.processors = 1, .nics = 1};
    clump_cluster machine = {
        .nodes = (size_t)fmax(ranks / (double)setup->node.processors, 1),
        .node = setup->node,
        .network = platform->network.loggp,
        .shared_memory =
            platform->shared_memory.known ? platform->shared_memory.loggp : platform->network.loggp,
        .memory_penalty = 1,
        .half_duplex_bus = platform->half_duplex,
    };
    machine.node.memory = (clump_memory){.share = 0}; /* of which collectives know nothing */
    clump_collective_clump on = {&setup->node, platform->network.loggp,
                                 platform->shared_memory.loggp, platform->half_duplex,
                                 platform->nccl};
    clump_cluster apart = clump_cluster_now(&machine);
    simulated_calls clump, now;
    uint64_t most = 0;
    clump_status status = find_most(sandbox, ranks, &most, error);
    if (status == CLUMP_OK)
        status = simulate_calls(setup, &machine, &on, ranks, most, &clump, error);
    on.node = &alone;
    if (platform->now_network.known)
        on.network = apart.network = platform->now_network.loggp;
    if (status == CLUMP_OK)
        status = simulate_calls(setup, &apart, &on, ranks, most, &now, error);
    if (status != CLUMP_OK)
        return status;
    const double total = scenario_collectives_total_us(
        &clump.time, setup->load.coupling.memory_penalty * setup->computation_us);
    const double before = scenario_collectives_total_us(&now.time, setup->computation_us);
    *messages = (clump_message_result){
        .time_us = total, .waiting = none, .longest_queue = none, .messages = clump.messages};
    *simulation = (clump_simulation){
        .prediction =
            slowdown_only(before > 0 ? total / before : 1,
                          total > 0 ? clump.time.nic_us / ((double)machine.node.nics * total) : 0),
        .events = clump.events + now.events,
        .replications = 1,
        .reached = true,
    };
    return CLUMP_OK;
}

static bool can_simulate(const scenario_row_place *place, const scenario_point *point,
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
    message_result found;
    const clump_status status = simulate_messages(point, setup, options, &found, error);
    if (status != CLUMP_OK)
        return status;
    *messages = found.clump;
    messages->time_us = 1e6 * found.now_time * found.slowdown.value; /* of the whole run */
    *simulation = (clump_simulation){
        .prediction = slowdown_only(found.slowdown.value, found.clump.nic_utilization),
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
    if (!can_simulate(place, point, setup)) {
        const double none = CLUMP_RESULT_NONE;
        *simulation = (clump_simulation){.prediction = slowdown_only(none, none)};
        for (size_t i = 0; details != NULL && i < setup->utilizations.count; i++)
            details->slowdowns[i] = details->half_widths[i] = none;
        return CLUMP_OK;
    }
    options.stream = place->row;
    options.computation = point->computation->time;
    options.communication = point->communication->time;
    options.spread_start = point->plan->spread_start;
    options.progress = place->sandbox->options->simulating != NULL ? forward : NULL;
    options.context = (void *)place;
    if (place->sandbox->options->schedule != NULL)
        return simulate_schedule(place, point, setup, simulation, messages, error);
    if (setup->collectives != NULL)
        return simulate_collectives(place->sandbox, point, setup, simulation, messages, error);
    if (place->sandbox->options->by_message)
        return simulate_by_message(point, setup, &options, simulation, messages, error);
    if (setup->recorded.schedule != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "it was recorded: what is simulated of a recording are its calls, "
                          "simulate --schedule");
    if (setup->phased != NULL)
        return simulate_phases(point, setup, &options, simulation, error);
    return clump_simulate(&setup->node, &setup->load, &options, simulation, details, error);
}

void scenario_simulated_row(const scenario_row_place *place, const scenario_point *point,
                            const clump_simulation *simulation,
                            const clump_message_result *messages, clump_result *row)
{
    /* Of a NOW with another network it is not that of the simulation. */
    const double factor =
        isnan(point->values[SCENARIO_UTILIZATION]) ? point->profile->now_factor : 1;
    row->half_width = simulation->half_width * factor;
    row->slowest_half_width = simulation->slowest_half_width * factor;
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
        row->by_schedule = true;
    }
    row->computation_times = point->computation->name;
    row->communication_times = point->communication->name;
    if (place->sandbox->options->by_message && !point->plan->has_communication_times)
        row->communication_times = NULL; /* they follow from the sizes of messages */
}
