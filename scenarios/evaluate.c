/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/evaluate.h"

#include "scenarios/compare.h"
#include "scenarios/guard.h"
#include "scenarios/pace.h"
#include "scenarios/refusals.h"
#include "scenarios/row_cost.h"
#include "scenarios/setup.h"
#include "scenarios/simulate.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows beyond what their application was fitted to */

enum { WATCHED = 16, LINE = 400 };

typedef struct fitted_watch {
    const scenario_application *applications[WATCHED];
    size_t outside[WATCHED];
    size_t count;
} fitted_watch;

typedef struct range {
    size_t least_processors, most_processors, least_nics, most_nics;
    bool pooled, fixed;
} range;

static range find_range(const scenario_fitted *f)
{
    range r = {.least_processors = SIZE_MAX, .least_nics = SIZE_MAX};
    for (size_t i = 0; i < f->run_count; i++) {
        const scenario_fitted_run *run = &f->runs[i];
        r.least_processors =
            run->processors < r.least_processors ? run->processors : r.least_processors;
        r.most_processors =
            run->processors > r.most_processors ? run->processors : r.most_processors;
        r.least_nics = run->nics < r.least_nics ? run->nics : r.least_nics;
        r.most_nics = run->nics > r.most_nics ? run->nics : r.most_nics;
        r.pooled = r.pooled || (run->processors > 1 && run->mapping == CLUMP_MAPPING_POOLED);
        r.fixed = r.fixed || (run->processors > 1 && run->mapping == CLUMP_MAPPING_STATIC);
    }
    return r;
}

static bool is_outside(const range *r, const clump_node *node, size_t nics)
{
    if (node->processors < r->least_processors || node->processors > r->most_processors ||
        nics < r->least_nics || nics > r->most_nics)
        return true;
    return node->processors > 1 && !(node->mapping == CLUMP_MAPPING_STATIC ? r->fixed : r->pooled);
}

static void note_fitted(fitted_watch *watch, const scenario_point *point,
                        const scenario_setup *setup)
{
    const scenario_application *a = point->profile->application;
    size_t i = 0;
    if (a == NULL || a->kind != SCENARIO_BY_FIT)
        return;
    const range r = find_range(a->fitted);
    if (!is_outside(&r, &setup->node, setup->nics))
        return;
    /* The same application comes as a copy for each platform. */
    while (i < watch->count && watch->applications[i]->fitted != a->fitted)
        i++;
    if (i == WATCHED)
        return;
    if (i == watch->count) {
        watch->applications[watch->count++] = a;
        watch->outside[i] = 0;
    }
    watch->outside[i]++;
}

static void tell_fitted(const fitted_watch *watch, size_t i, char line[LINE])
{
    const scenario_application *a = watch->applications[i];
    const range r = find_range(a->fitted);
    const size_t count = watch->outside[i];
    snprintf(line, LINE,
             "application \"%.100s\" was fitted to %zu to %zu processors and %zu to %zu "
             "NICs%s; %zu row%s outside that range: expect larger errors",
             a->name, r.least_processors, r.most_processors, r.least_nics, r.most_nics,
             r.pooled && r.fixed ? ", pooled and static"
             : r.fixed           ? ", static"
             : r.pooled          ? ", pooled"
                                 : "",
             count, count == 1 ? " is" : "s are");
}

/* ---- rows */

/* Steps between two reports of progress: some milliseconds. */
static const double report_interval = 2e5;

typedef struct evaluation {
    scenario_sandbox *sandbox;
    clump_result *rows;
    size_t count, total;
    double *slowdowns; /* of the processors of a mix; their intervals follow */
    size_t slowdown_room;
    double unreported;
    fitted_watch fitted;
    bool limited; /* what failed is a limit of the run, not the row */
    scenario_refusals refusals;
    size_t refused;
    char first_refusal[512];
} evaluation;

static void report(evaluation *e, double cost)
{
    const clump_scenario_options *options = e->sandbox->options;
    e->unreported += cost;
    if (options->progress == NULL || (e->unreported < report_interval && e->count < e->total))
        return;
    e->unreported = 0;
    const locale_t ours = uselocale(e->sandbox->caller_locale);
    options->progress(e->count, e->total, options->context);
    uselocale(ours);
}

static clump_status too_many_steps(evaluation *e, clump_error *error)
{
    e->limited = true;
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "the scenario needs more than the %llu steps allowed; ask for fewer or "
                      "smaller rows, or raise the limit with --max-steps",
                      (unsigned long long)e->sandbox->step_limit);
}

static clump_status charge(evaluation *e, double cost, clump_error *error)
{
    return scenario_charge_quietly(e->sandbox, cost) ? CLUMP_OK : too_many_steps(e, error);
}

/* Bytes that are left of the limit, which is that of everything together. */
static double memory_left(const evaluation *e)
{
    const scenario_sandbox *s = e->sandbox;
    return (double)s->memory_limit - (double)s->memory - (double)s->arena->size -
           (double)e->total * sizeof *e->rows;
}

static clump_status make_room(evaluation *e, size_t processors, clump_error *error)
{
    if (processors <= e->slowdown_room)
        return CLUMP_OK;
    double *larger = realloc(e->slowdowns, 2 * processors * sizeof *larger);
    if (larger == NULL)
        return clump_fail_memory(error, "the processors of a row");
    e->slowdowns = larger;
    e->slowdown_room = processors;
    return CLUMP_OK;
}

static double phases_utilization(const scenario_application *a)
{
    double time = 0, communication = 0;
    for (size_t i = 0; i < a->phase_count; i++) {
        time += a->phases[i].time;
        communication += a->phases[i].time * a->phases[i].utilization;
    }
    return communication / time;
}

static clump_result common_row(const scenario_point *point, const scenario_setup *setup,
                               const clump_prediction *prediction)
{
    const scenario_profile *profile = point->profile;
    const clump_load *load = &setup->load;
    const bool phased = setup->phased != NULL;
    const bool recorded = setup->recorded != NULL;
    const bool plain = !phased && !recorded && setup->collectives == NULL;
    /* A utilization that the scenario gives is not about messages. */
    const bool raw = !isnan(point->values[SCENARIO_UTILIZATION]);
    const double factor = raw ? 1 : profile->now_factor; /* of a NOW with another network */
    return (clump_result){
        .scenario = point->plan->title,
        .application = profile->application != NULL ? profile->application->name : NULL,
        .platform = profile->platform != NULL ? profile->platform->name : NULL,
        .processors = setup->node.processors,
        .nics = setup->nics,
        .utilization = phased                            ? phases_utilization(setup->phased)
                       : profile->now_factor == 1 || raw ? setup->utilization
                                                         : profile->now_utilization,
        .demand = load->demand,
        .by_schedule = recorded,
        .gang_size = load->gang_size,
        .mapping = setup->node.mapping,
        .max_nics_per_processor = setup->node.max_nics_per_processor,
        .remote_fraction = plain || recorded ? load->coupling.remote_fraction : CLUMP_RESULT_NONE,
        .cost_ratio = plain ? load->coupling.cost_ratio : CLUMP_RESULT_NONE,
        .memory_penalty = load->coupling.memory_penalty,
        .waiting_fraction = plain ? load->coupling.waiting_fraction : CLUMP_RESULT_NONE,
        .phase_cycles = load->phase_cycles,
        .memory_law = clump_memory_is_station(&setup->node.memory)
                          ? clump_memory_law_name(setup->node.memory.law)
                          : NULL,
        .memory_share = setup->node.memory.share,
        .memory_feeds = CLUMP_RESULT_NONE,
        .memory_utilization = CLUMP_RESULT_NONE,
        .slowdown = prediction->slowdown * factor,
        .slowest_slowdown = prediction->slowest * factor,
        .adjusted_utilization = prediction->adjusted_utilization,
        .mean_active = prediction->mean_active,
        .nic_utilization = setup->nics > 0 ? prediction->nic_utilization : CLUMP_RESULT_NONE,
        .now_time = setup->now_time / profile->now_factor,
        .predicted_time = prediction->slowdown * factor * setup->now_time / profile->now_factor,
        .protocol = profile->platform != NULL ? profile->platform->reliability.protocol : NULL,
        .loss = profile->platform != NULL ? profile->platform->reliability.network.loss : 0,
        .loss_factor = profile->loss_factor,
        .network = profile->platform != NULL ? profile->platform->explained : NULL,
        .measured_time = CLUMP_RESULT_NONE,
        .measured_slowdown = CLUMP_RESULT_NONE,
        .measured_half_width = CLUMP_RESULT_NONE,
        .error = CLUMP_RESULT_NONE,
        .compared_utilization = CLUMP_RESULT_NONE,
        .communication_ratio = CLUMP_RESULT_NONE,
        .compared_slowdown = CLUMP_RESULT_NONE,
        .compared_time = CLUMP_RESULT_NONE,
        .ratio = CLUMP_RESULT_NONE,
        .measured_ratio = CLUMP_RESULT_NONE,
    };
}

/* Where processors wait for each other the slowest ones tell the time. */
static void set_pace(clump_result *row, const scenario_point *point, const scenario_setup *setup,
                     const scenario_comparison *comparison)
{
    const bool differs = fabs(row->slowest_slowdown - row->slowdown) > 1e-12 * row->slowdown;
    if (scenario_has_slowest(point, setup) ||
        (differs && scenario_synchronizes(point, setup)))
        row->paced_group =
            setup->paced_group > 0 ? setup->paced_group : scenario_largest_group(&setup->node);
    if (comparison != NULL && comparison->of_slowest)
        row->paced_group = scenario_largest_group(&setup->node);
    if (row->paced_group > 0)
        row->predicted_time = row->slowest_slowdown * row->now_time;
}

static void add_measured(clump_result *row, const scenario_profile *profile)
{
    row->measured_time = profile->measured_time;
    row->measured_slowdown = profile->measured_slowdown;
    row->measured_half_width = profile->measured_half_width;
    if (isnan(row->measured_slowdown)) /* the time on the NOW is that of the row */
        row->measured_slowdown = row->measured_time / row->now_time;
    if (row->paced_group > 0) /* the NOW's time is that of its slowest processor */
        row->measured_slowdown = row->measured_time / row->now_time;
    row->error = (clump_result_pace(row) - row->measured_slowdown) / row->measured_slowdown;
}

static clump_status add_processors(evaluation *e, const clump_result *common,
                                   const scenario_setup *setup, clump_error *error)
{
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < setup->utilizations.count && status == CLUMP_OK; i++) {
        clump_result *row = &e->rows[e->count++];
        double factor;
        *row = *common;
        row->processor = i + 1;
        row->utilization = setup->utilizations.values[i];
        row->slowdown = e->slowdowns[i];
        if (row->events > 0)
            row->half_width = e->slowdowns[setup->utilizations.count + i];
        row->predicted_time = row->slowdown * row->now_time;
        status = clump_coupling_apply(&setup->load.coupling, row->utilization,
                                      &row->adjusted_utilization, &factor, error);
    }
    return status;
}

/* By the exact engine, with what processors wait for beyond their own group: the NIC that has most to do, and the
 * slowest processors. A comparison has taken these into account already. */
static clump_status predict_exactly(const scenario_point *point, scenario_setup *setup,
                                    bool compared, double memory, bool *limited,
                                    clump_prediction *prediction, double *slowdowns,
                                    clump_error *error)
{
    const clump_status status = scenario_setup_predict(setup, point, prediction, slowdowns, error);
    if (status != CLUMP_OK)
        return status;
    scenario_wait_for_busiest(point, setup, prediction);
    return !compared && scenario_has_slowest(point, setup)
               ? scenario_slowest(point, memory, limited, setup, prediction, error)
               : CLUMP_OK;
}

static clump_result exact_row(const scenario_point *point, const scenario_setup *setup,
                              const scenario_comparison *comparison,
                              const clump_prediction *prediction)
{
    clump_result row = common_row(point, setup, prediction);
    if (setup->phased == NULL)
        scenario_result_memory(&row, &setup->node, &setup->load);
    set_pace(&row, point, setup, comparison);
    return row;
}

/* By simulation. What there is of a row that was stopped is a row, with its wide interval. */
static clump_status simulated_row(const scenario_row_place *place, const scenario_point *point,
                                  scenario_setup *setup, const clump_simulation_details *details,
                                  clump_result *row, bool *complete, clump_error *error)
{
    const clump_scenario_options *options = place->sandbox->options;
    clump_simulation simulation;
    clump_message_result messages = {.messages = 0};
    const clump_status status =
        scenario_simulate(place, point, setup, &simulation, details, &messages, error);
    if (status != CLUMP_OK)
        return status;
    /* Events are those of processors with the mean; waiting for the busiest NIC comes on top. */
    const bool adds_busiest =
        !options->by_message && options->schedule == NULL && scenario_has_busiest(point, setup);
    clump_prediction prediction = simulation.prediction;
    if (adds_busiest)
        scenario_wait_for_busiest(point, setup, &prediction);
    *row = common_row(point, setup, &prediction);
    if (setup->phased == NULL)
        scenario_result_memory(row, &setup->node, &setup->load);
    if (adds_busiest)
        set_pace(row, point, setup, NULL);
    scenario_simulated_row(place, point, &simulation, &messages, row);
    *complete = simulation.replications == 0 || simulation.reached;
    return CLUMP_OK;
}

/* `comparison` or NULL; none where rows are simulated. */
static clump_status add_point(evaluation *e, const scenario_point *point, scenario_setup *setup,
                              const scenario_comparison *comparison, clump_error *error)
{
    const bool mixed = setup->utilizations.count > 1;
    const double cost = scenario_setup_cost(setup, point);
    const bool simulated = e->sandbox->options->simulation != NULL;
    bool complete = true;
    clump_result row;
    clump_status status = charge(e, cost, error);
    if (status == CLUMP_OK)
        status = scenario_check_memory(simulated ? scenario_simulation_bytes(setup)
                                                 : scenario_setup_bytes(setup, point),
                                       memory_left(e), error);
    e->limited = status != CLUMP_OK;
    if (status == CLUMP_OK && mixed)
        status = make_room(e, setup->utilizations.count, error);
    if (status != CLUMP_OK)
        return status;
    if (simulated) {
        const scenario_row_place place = {e->sandbox, e->count, e->total};
        const clump_simulation_details details = {
            e->slowdowns, mixed ? e->slowdowns + setup->utilizations.count : NULL};
        status =
            simulated_row(&place, point, setup, mixed ? &details : NULL, &row, &complete, error);
    } else {
        clump_prediction prediction;
        status = predict_exactly(point, setup, comparison != NULL, memory_left(e), &e->limited,
                                 &prediction, e->slowdowns, error);
        if (status == CLUMP_OK)
            row = exact_row(point, setup, comparison, &prediction);
    }
    if (status != CLUMP_OK)
        return status;
    if (!mixed && setup->as_measured)
        add_measured(&row, point->profile);
    if (comparison != NULL)
        scenario_compare_row(comparison, setup, &row);
    if (mixed) {
        status = add_processors(e, &row, setup, error);
    } else {
        /* A list of one utilization is still about that processor. */
        row.processor = scenario_plan_mix(point->plan, point->profile).count;
        e->rows[e->count++] = row;
    }
    report(e, cost);
    return status == CLUMP_OK && !complete ? clump_watch_ask(setup->node.watch, NAN, error)
                                           : status;
}

static void explain(const scenario_point *point, const scenario_setup *setup,
                    const clump_error *error, char *message, size_t message_size)
{
    char demand[CLUMP_DEMAND_NAME_SIZE];
    const scenario_application *application = point->profile->application;
    if (point->profile->refused != NULL) { /* whatever the row */
        snprintf(message, message_size, "%s%s", point->plan->where, point->profile->refused);
        return;
    }
    clump_demand_name(point->demand.demand, point->demand.gang_size, demand);
    snprintf(message, message_size,
             "%sscenario, row with %s%s%sprocessors = %zu, nics = %zu, mapping = %s, demand = %s: "
             "%s",
             point->plan->where,
             application != NULL && application->name != NULL ? "application " : "",
             application != NULL && application->name != NULL ? application->name : "",
             application != NULL && application->name != NULL ? ", " : "", setup->node.processors,
             setup->nics, clump_mapping_name(setup->node.mapping), demand, error->message);
}

/* What is known of a row that cannot be predicted. */
static clump_result refused_row(const scenario_point *point, const scenario_setup *setup,
                                scenario_refusals *refusals, const clump_error *error)
{
    const double none = CLUMP_RESULT_NONE;
    const clump_prediction nothing = {.slowdown = none,
                                      .slowest = none,
                                      .adjusted_utilization = none,
                                      .mean_active = none,
                                      .nic_utilization = none};
    const char *why = point->profile->refused;
    clump_result row = common_row(point, setup, &nothing);
    if (why != NULL || scenario_is_compared(point))
        row.utilization = row.remote_fraction = row.cost_ratio = row.waiting_fraction = none;
    row.refused = why != NULL ? why : scenario_refusals_keep(refusals, error->message);
    return row;
}

static clump_status compute_point(const scenario_point *asked, scenario_setup *setup,
                                  const scenario_bounds *bounds, clump_result *row, bool *limited,
                                  clump_error *error)
{
    const double memory = (double)bounds->memory;
    const scenario_point *point = asked;
    scenario_comparison comparison;
    clump_prediction prediction;
    scenario_guard guard;
    scenario_guard_make(&guard, bounds->watch, NULL, (double)bounds->steps);
    clump_status status =
        scenario_compare_set_up(&point, &guard.watch, memory, &comparison, setup, limited, error);
    setup->node.watch = &guard.watch;
    if (status == CLUMP_OK) {
        status = scenario_check_memory(scenario_setup_bytes(setup, point), memory, error);
        *limited = status != CLUMP_OK;
    }
    if (status == CLUMP_OK &&
        clump_watch_affords(&guard.watch, SCENARIO_NS_PER_STEP * scenario_setup_cost(setup, point)))
        status = predict_exactly(point, setup, point != asked, memory, limited, &prediction, NULL,
                                 error);
    *limited = *limited || guard.refused;
    if (guard.refused)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "this row alone needs more than the %llu steps allowed; make it smaller, "
                          "or raise the limit with --max-steps",
                          (unsigned long long)bounds->steps);
    if (status != CLUMP_OK)
        return status;
    *row = exact_row(point, setup, point != asked ? &comparison : NULL, &prediction);
    if (setup->utilizations.count > 1) {
        double sum = 0;
        for (size_t i = 0; i < setup->utilizations.count; i++)
            sum += setup->utilizations.values[i];
        row->utilization = sum / (double)setup->utilizations.count;
    } else if (setup->as_measured) {
        add_measured(row, point->profile);
    }
    if (point != asked)
        scenario_compare_row(&comparison, setup, row);
    return CLUMP_OK;
}

clump_scenario_status scenario_status_of(clump_status status)
{
    switch (status) {
    case CLUMP_OK:
        return CLUMP_SCENARIO_OK;
    case CLUMP_BAD_ARGUMENT:
        return CLUMP_SCENARIO_BAD_INPUT;
    case CLUMP_NO_MEMORY:
        return CLUMP_SCENARIO_NO_MEMORY;
    case CLUMP_STOPPED:
        return CLUMP_SCENARIO_STOPPED;
    default:
        return CLUMP_SCENARIO_FAILED;
    }
}

clump_scenario_status scenario_point_row(const scenario_point *point, const scenario_bounds *bounds,
                                         clump_result *row, char *message, size_t message_size)
{
    scenario_setup setup;
    clump_error error;
    bool limited = false;
    const clump_status status = compute_point(point, &setup, bounds, row, &limited, &error);
    if (status == CLUMP_OK)
        return CLUMP_SCENARIO_OK;
    explain(point, &setup, &error, message, message_size);
    if (status != CLUMP_BAD_ARGUMENT || limited)
        return scenario_status_of(status);
    *row = refused_row(point, &setup, bounds->refusals, &error);
    return CLUMP_SCENARIO_REFUSED;
}

/* Empty, and it says why. */
static void add_refused(evaluation *e, const scenario_point *point, const scenario_setup *setup,
                        const clump_error *error)
{
    if (e->refused++ == 0)
        explain(point, setup, error, e->first_refusal, sizeof e->first_refusal);
    e->rows[e->count++] = refused_row(point, setup, &e->refusals, error);
    report(e, 1);
}

static clump_scenario_status run_plan(evaluation *e, const scenario_plan *plan, char *message,
                                      size_t message_size)
{
    scenario_position position = {{0}};
    do {
        const scenario_point point = scenario_plan_point(plan, &position);
        scenario_setup setup;
        clump_error error;
        if (e->sandbox->options->schedule != NULL && position.at[SCENARIO_DEMAND] > 0)
            continue; /* demand is the schedule's: one row stands for all */
        scenario_comparison comparison;
        const scenario_point *computed = &point;
        scenario_guard guard;
        scenario_guard_make(&guard, e->sandbox->options->watch, e->sandbox, 0);
        guard.done = (double)e->count;
        guard.total = (double)e->total;
        e->limited = false;
        clump_status status = scenario_compare_set_up(&computed, &guard.watch, memory_left(e),
                                                      &comparison, &setup, &e->limited, &error);
        setup.node.watch = &guard.watch;
        if (status == CLUMP_OK && computed != &point && e->sandbox->options->simulation != NULL)
            status =
                clump_fail(&error, CLUMP_BAD_ARGUMENT,
                           "compare_with: two platforms are compared by the exact engine only, "
                           "which 'predict' uses");
        if (status == CLUMP_OK)
            status = clump_watch_ask(setup.node.watch, NAN, &error);
        if (status == CLUMP_OK)
            status =
                add_point(e, computed, &setup, computed != &point ? &comparison : NULL, &error);
        if (guard.refused)
            status = too_many_steps(e, &error);
        if (status == CLUMP_OK)
            note_fitted(&e->fitted, computed, &setup);
        if (status == CLUMP_BAD_ARGUMENT && !e->limited) {
            add_refused(e, &point, &setup, &error);
        } else if (status != CLUMP_OK) {
            explain(&point, &setup, &error, message, message_size);
            return scenario_status_of(status);
        }
    } while (scenario_plan_advance(plan, &position));
    return CLUMP_SCENARIO_OK;
}

/* What the rows go beyond, told as a script prints. */
static void tell_outside(const evaluation *e)
{
    const clump_scenario_options *options = e->sandbox->options;
    const locale_t ours = uselocale(e->sandbox->caller_locale);
    for (size_t i = 0; options->print != NULL && i < e->fitted.count; i++) {
        char line[LINE];
        tell_fitted(&e->fitted, i, line);
        options->print(line, options->context);
    }
    uselocale(ours);
}

clump_scenario_status scenario_evaluate(scenario_sandbox *sandbox, clump_scenario_results *results,
                                        char *message, size_t message_size)
{
    evaluation e = {.sandbox = sandbox};
    for (const scenario_plan *plan = sandbox->first_plan; plan != NULL; plan = plan->next)
        e.total += (size_t)scenario_plan_rows(plan);
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    if (memory_left(&e) < 0) {
        snprintf(message, message_size,
                 "%sscenario: %zu rows take %.0f MiB, more than is left of the %zu bytes of memory "
                 "allowed; ask for "
                 "fewer, or raise the limit with --max-memory",
                 sandbox->first_plan->where, e.total,
                 ceil((double)e.total * sizeof *e.rows / 0x1p20), sandbox->memory_limit);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    e.rows = calloc(e.total, sizeof *e.rows);
    if (e.rows == NULL) {
        snprintf(message, message_size, "out of memory for %zu rows; ask for fewer", e.total);
        status = CLUMP_SCENARIO_NO_MEMORY;
    }
    scenario_refusals_open(&e.refusals, sandbox->arena);
    for (const scenario_plan *plan = sandbox->first_plan;
         plan != NULL && status == CLUMP_SCENARIO_OK; plan = plan->next)
        status = run_plan(&e, plan, message, message_size);
    scenario_refusals_close(&e.refusals);
    free(e.slowdowns);
    if (status == CLUMP_SCENARIO_OK && e.refused == e.count) {
        snprintf(message, message_size, "%s", e.first_refusal);
        status = CLUMP_SCENARIO_BAD_INPUT;
    }
    if (status == CLUMP_SCENARIO_OK || status == CLUMP_SCENARIO_STOPPED) {
        tell_outside(&e);
        results->rows = e.rows;
        results->count = e.count;
        results->expected = status == CLUMP_SCENARIO_OK ? e.count : e.total;
    } else {
        free(e.rows);
    }
    return status;
}
