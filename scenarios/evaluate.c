/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/evaluate.h"

#include "scenarios/compare.h"
#include "scenarios/kind.h"
#include "scenarios/slowest_group.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a row */

static clump_result common_row(const scenario_point *point, const scenario_setup *setup,
                               const clump_prediction *prediction)
{
    const scenario_profile *profile = point->profile;
    const scenario_platform *platform = profile->platform;
    /* A utilization that the scenario gives is not about messages. */
    const bool raw = !isnan(point->values[SCENARIO_UTILIZATION]);
    const double factor = raw ? 1 : profile->now_factor; /* of a NOW with another network */
    clump_prediction p = *prediction;
    p.slowdown *= factor;
    p.slowest *= factor;
    clump_result row = clump_result_make(&setup->node, &setup->load, &p);
    row.scenario = point->plan->title;
    row.application = profile->application != NULL ? profile->application->name : NULL;
    row.nics = setup->nics;
    row.utilization =
        profile->now_factor == 1 || raw ? setup->utilization : profile->now_utilization;
    if (setup->nics == 0)
        row.nic_utilization = CLUMP_RESULT_NONE;
    row.now_time = setup->now_time / profile->now_factor;
    row.predicted_time = row.slowdown * row.now_time;
    row.loss_factor = profile->loss_factor;
    if (platform != NULL) {
        row.platform = platform->name;
        row.protocol = platform->reliability.protocol;
        row.loss = platform->reliability.network.loss;
        row.network = platform->explained;
    }
    if (profile->application != NULL && profile->application->kind->describe != NULL)
        profile->application->kind->describe(setup, point, &row);
    return row;
}

/* Where processors wait for each other the slowest ones tell the time. */
static void set_slowest(clump_result *row, const scenario_point *point, const scenario_setup *setup)
{
    const bool differs = fabs(row->slowest_slowdown - row->slowdown) > 1e-12 * row->slowdown;
    if (!scenario_has_slowest(point, setup) && !(differs && scenario_synchronizes(point, setup)))
        return;
    row->slowest_group =
        setup->slowest_group > 0 ? setup->slowest_group : scenario_largest_group(&setup->node);
    row->last_processor = setup->last_processor;
    row->predicted_time = row->slowest_slowdown * row->now_time;
}

static void add_measured(clump_result *row, const scenario_profile *profile)
{
    row->measured_time = profile->measured_time;
    row->measured_slowdown = profile->measured_slowdown;
    row->measured_half_width = profile->measured_half_width;
    if (isnan(row->measured_slowdown)) /* the time on the NOW is that of the row */
        row->measured_slowdown = row->measured_time / row->now_time;
    if (row->slowest_group > 0) /* the NOW's time is that of its slowest processor */
        row->measured_slowdown = row->measured_time / row->now_time;
    row->error =
        (clump_result_relative_time(row) - row->measured_slowdown) / row->measured_slowdown;
}

/* By the exact engine. */
static clump_status exact_row(const scenario_point *point, scenario_setup *setup,
                              const scenario_comparison *comparison, double *slowdowns,
                              clump_result *row, clump_error *error)
{
    clump_prediction prediction;
    clump_status status = scenario_setup_predict(setup, point, &prediction, slowdowns, error);
    if (status == CLUMP_OK)
        status = scenario_slowest(point, comparison != NULL ? comparison->rest : NAN, setup,
                                  &prediction, error);
    if (status != CLUMP_OK)
        return status;
    *row = common_row(point, setup, &prediction);
    set_slowest(row, point, setup);
    clump_result_put_bounds(row,
                            row->slowest_group > 0 ? prediction.slowest_bounds : prediction.bounds,
                            row->slowdown / prediction.slowdown);
    return CLUMP_OK;
}

/* By simulation. What there is of a row that was stopped is a row, with its wide interval. */
static clump_status simulated_row(const scenario_row_place *place, const scenario_point *point,
                                  scenario_setup *setup, const clump_simulation_details *details,
                                  clump_result *row, clump_error *error)
{
    clump_simulation simulation;
    clump_message_result messages = {.messages = 0};
    const clump_status status =
        scenario_simulate(place, point, setup, &simulation, details, &messages, error);
    if (status != CLUMP_OK)
        return status;
    *row = common_row(point, setup, &simulation.prediction);
    scenario_simulated_row(place, point, &simulation, &messages, row);
    return CLUMP_OK;
}

static double mean_of(scenario_numbers numbers)
{
    double sum = 0;
    for (size_t i = 0; i < numbers.count; i++)
        sum += numbers.values[i];
    return sum / (double)numbers.count;
}

/* @param root   of those that explain a time measured on a platform that is compared with
 * @param roots  receives how many there are */
static clump_status compute_root(const scenario_point *asked, const scenario_row_context *context,
                                 size_t root, size_t *roots, scenario_setup *setup,
                                 clump_result *row, clump_error *error)
{
    const clump_watch *watch = &context->deadline->watch;
    scenario_comparison comparison;
    const scenario_comparison *compared = scenario_is_compared(asked) ? &comparison : NULL;
    const scenario_point *point = compared != NULL ? &comparison.point : asked;
    clump_status status =
        compared != NULL ? scenario_compare_set_up(asked, watch, root, &comparison, setup, error)
                         : scenario_setup_make(asked, setup, error);
    setup->node.watch = watch;
    const size_t processors = setup->utilizations.count; /* that differ */
    double *slowdowns = processors > 1 ? context->slowdowns : NULL;
    const clump_simulation_details details = {slowdowns,
                                              slowdowns != NULL ? slowdowns + processors : NULL};
    if (status == CLUMP_OK && compared != NULL && context->place != NULL)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "compare_with: two platforms are compared by the exact engine only, "
                            "which 'predict' uses");
    if (status == CLUMP_OK)
        status = clump_watch_ask(watch, NAN, error);
    if (status == CLUMP_OK)
        status = context->place != NULL
                     ? simulated_row(context->place, point, setup,
                                     slowdowns != NULL ? &details : NULL, row, error)
                     : exact_row(point, setup, compared, slowdowns, row, error);
    if (status != CLUMP_OK)
        return status;
    if (processors > 1)
        row->utilization = mean_of(setup->utilizations);
    else if (setup->as_measured)
        add_measured(row, point->profile);
    if (compared != NULL)
        scenario_compare_row(compared, setup, row);
    *roots = compared != NULL ? compared->roots : 1;
    return clump_result_check(row, error);
}

/* Where several computations explain the time on the platform that is compared with, the row is that of the greatest ratio
 * and names the least. */
static clump_status compute_row(const scenario_point *point, const scenario_row_context *context,
                                scenario_setup *setup, clump_result *row, clump_error *error)
{
    size_t roots = 1, greatest = 0;
    clump_status status = compute_root(point, context, 0, &roots, setup, row, error);
    if (status != CLUMP_OK || roots == 1)
        return status;
    double least_ratio = row->ratio, most_ratio = row->ratio;
    for (size_t root = 1; root < roots && status == CLUMP_OK; root++) {
        status = compute_root(point, context, root, &roots, setup, row, error);
        if (status == CLUMP_OK && row->ratio > most_ratio) {
            most_ratio = row->ratio;
            greatest = root;
        }
        if (status == CLUMP_OK)
            least_ratio = fmin(least_ratio, row->ratio);
    }
    if (status == CLUMP_OK && greatest + 1 < roots)
        status = compute_root(point, context, greatest, &roots, setup, row, error);
    if (status == CLUMP_OK && least_ratio < row->ratio * (1 - 1e-9)) {
        row->explanations = roots;
        row->least_ratio = least_ratio;
    }
    return status;
}

/* ---- or why there is none */

static void explain_failure(const scenario_point *point, const scenario_setup *setup,
                            const clump_error *error, char *message, size_t message_size)
{
    char demand[CLUMP_DEMAND_NAME_SIZE];
    const scenario_application *application = point->profile->application;
    if (point->profile->invalid != NULL) { /* whatever the row */
        snprintf(message, message_size, "%s%s", point->plan->where, point->profile->invalid);
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

void scenario_reasons_open(scenario_reasons *r)
{
    pthread_mutex_init(&r->lock, NULL);
}

void scenario_reasons_close(scenario_reasons *r)
{
    pthread_mutex_destroy(&r->lock);
}

/* The text that stands for this one. The newest first: neighbours mostly say the same. */
static const char *keep_reason(scenario_reasons *r, const char *text)
{
    const size_t size = strlen(text) + 1;
    pthread_mutex_lock(&r->lock);
    size_t i = r->count;
    while (i > 0 && strcmp(r->texts[i - 1], text) != 0)
        i--;
    if (i == 0 && r->count < sizeof r->texts / sizeof *r->texts) {
        char *copy = clump_arena_take(r->arena, size);
        if (copy != NULL)
            r->texts[(i = ++r->count) - 1] = memcpy(copy, text, size);
    }
    const char *kept = i > 0 ? r->texts[i - 1]
                             : "refused for one of more reasons than are kept; ask for fewer rows "
                               "to read it";
    pthread_mutex_unlock(&r->lock);
    return kept;
}

/* What is known of a row that cannot be predicted. */
static clump_result invalid_row(const scenario_point *point, const scenario_setup *setup,
                                scenario_reasons *reasons, const clump_error *error)
{
    const double none = CLUMP_RESULT_NONE;
    const clump_prediction nothing = {.slowdown = none,
                                      .slowest = none,
                                      .adjusted_utilization = none,
                                      .mean_active = none,
                                      .nic_utilization = none};
    const char *why = point->profile->invalid;
    clump_result row = common_row(point, setup, &nothing);
    if (why != NULL || scenario_is_compared(point))
        row.utilization = row.remote_fraction = row.cost_ratio = row.waiting_fraction = none;
    row.memory_feeds = none;
    row.refused = why != NULL ? why : keep_reason(reasons, error->message);
    return row;
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

clump_scenario_status scenario_row_make(const scenario_point *point,
                                        const scenario_row_context *context, scenario_setup *setup,
                                        clump_result *row, char *message, size_t message_size)
{
    clump_error error;
    const clump_status status = compute_row(point, context, setup, row, &error);
    if (status == CLUMP_OK)
        return CLUMP_SCENARIO_OK;
    if (context->deadline->is_over)
        snprintf(error.message, sizeof error.message, context->timed, context->deadline->seconds);
    explain_failure(point, setup, &error, message, message_size);
    if (context->deadline->is_over)
        return CLUMP_SCENARIO_BAD_INPUT;
    if (status != CLUMP_BAD_ARGUMENT)
        return scenario_status_of(status);
    *row = invalid_row(point, setup, context->reasons, &error);
    return CLUMP_SCENARIO_INVALID;
}

/* ---- all rows */

enum { REPORT_EVERY = 256 }; /* rows between two reports of progress, besides the first ones */

typedef struct evaluation {
    scenario_sandbox *sandbox;
    scenario_row_context context;
    scenario_deadline deadline;
    clump_result *rows;
    size_t count, total, invalid;
    scenario_fitted_rows fitted;
    char *message; /* why a row, at first the first one, could not be predicted */
    size_t message_size;
} evaluation;

static void report_progress(const evaluation *e)
{
    const clump_scenario_options *options = e->sandbox->options;
    if (options->progress == NULL ||
        (e->count > REPORT_EVERY && e->count % REPORT_EVERY != 0 && e->count < e->total))
        return;
    const locale_t ours = uselocale(e->sandbox->caller_locale);
    options->progress(e->count, e->total, options->context);
    uselocale(ours);
}

/* A row, or one for each processor if these differ. */
static void add_rows(evaluation *e, const scenario_point *point, const scenario_setup *setup,
                     const clump_result *node)
{
    const size_t processors = setup->utilizations.count;
    const double *slowdowns = e->context.slowdowns;
    for (size_t i = 0; processors > 1 && i < processors; i++) {
        clump_result *row = &e->rows[e->count++];
        *row = clump_result_of_processor(node, &setup->load, i, slowdowns[i]);
        if (row->events > 0)
            row->half_width = slowdowns[processors + i];
    }
    if (processors > 1)
        return;
    e->rows[e->count] = *node;
    /* A list of one utilization is still about that processor. */
    e->rows[e->count++].processor = scenario_plan_mix(point->plan, point->profile).count;
}

static clump_scenario_status evaluate_point(evaluation *e, const scenario_point *point)
{
    const scenario_row_place place = {e->sandbox, e->count, e->total};
    char message[512];
    scenario_setup setup;
    clump_result row;
    if (e->sandbox->options->simulation != NULL)
        e->context.place = &place;
    e->deadline.done = e->count;
    clump_scenario_status status =
        scenario_row_make(point, &e->context, &setup, &row, message, sizeof message);
    if (status == CLUMP_SCENARIO_OK) {
        add_rows(e, point, &setup, &row);
        if (point->profile->application != NULL &&
            point->profile->application->kind == &scenario_by_fit)
            scenario_fitted_note(&e->fitted, point, &setup);
        /* What there is of a simulation that was stopped is a row; none comes after it. */
        if (row.replications > 0 && !row.reached && clump_watch_stops(&e->deadline.watch, NAN))
            status = CLUMP_SCENARIO_STOPPED;
    } else if (status == CLUMP_SCENARIO_INVALID) {
        e->rows[e->count++] = row;
    }
    if (status == CLUMP_SCENARIO_OK || status == CLUMP_SCENARIO_INVALID)
        report_progress(e);
    if (status != CLUMP_SCENARIO_OK && (status != CLUMP_SCENARIO_INVALID || e->invalid++ == 0))
        snprintf(e->message, e->message_size, "%s", message);
    return status == CLUMP_SCENARIO_INVALID ? CLUMP_SCENARIO_OK : status;
}

/* Rows, and room for the processors of one; false: no memory. */
static bool make_room(evaluation *e)
{
    size_t most = 0;
    for (const scenario_plan *plan = e->sandbox->first_plan; plan != NULL; plan = plan->next)
        for (size_t i = 0; i < plan->values[SCENARIO_PROFILES].count; i++) {
            const size_t mixed = scenario_plan_mix(plan, &plan->profiles[i]).count;
            most = mixed > most ? mixed : most;
        }
    e->rows = calloc(e->total, sizeof *e->rows);
    e->context.slowdowns = calloc(2 * most + 1, sizeof *e->context.slowdowns);
    return e->rows != NULL && e->context.slowdowns != NULL;
}

clump_scenario_status scenario_evaluate(scenario_sandbox *sandbox, scenario_reasons *reasons,
                                        clump_scenario_results *results, char *message,
                                        size_t message_size)
{
    evaluation e = {.sandbox = sandbox,
                    .deadline = sandbox->deadline,
                    .message = message,
                    .message_size = message_size};
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    for (const scenario_plan *plan = sandbox->first_plan; plan != NULL; plan = plan->next)
        e.total += (size_t)scenario_plan_rows(plan);
    e.deadline.watch.context = &e.deadline;
    e.deadline.total = e.total;
    if (sandbox->options->simulation != NULL) /* has a limit of events, and threads of its own */
        e.deadline.seconds = HUGE_VAL;
    e.context = (scenario_row_context){
        .deadline = &e.deadline,
        .timed = "the scenario needs more than the %g s allowed; ask for fewer or smaller rows, or "
                 "raise the limit with --max-seconds",
        .reasons = reasons};
    if ((double)e.total * sizeof *e.rows + (double)sandbox->arena->size >
        (double)sandbox->memory_limit) {
        snprintf(message, message_size,
                 "%sscenario: %zu rows take %.0f MiB, more than is left of the %zu bytes of memory "
                 "allowed; ask for fewer, or raise the limit with --max-memory",
                 sandbox->first_plan->where, e.total,
                 ceil((double)e.total * sizeof *e.rows / 0x1p20), sandbox->memory_limit);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    if (!make_room(&e)) {
        snprintf(message, message_size, "out of memory for %zu rows; ask for fewer", e.total);
        status = CLUMP_SCENARIO_NO_MEMORY;
    }
    for (const scenario_plan *plan = sandbox->first_plan;
         plan != NULL && status == CLUMP_SCENARIO_OK; plan = plan->next) {
        const size_t points = plan->values[SCENARIO_PROFILES].count * scenario_plan_variants(plan);
        for (size_t i = 0; i < points && status == CLUMP_SCENARIO_OK; i++) {
            const scenario_point point = scenario_plan_point(plan, i);
            status = evaluate_point(&e, &point);
        }
    }
    free(e.context.slowdowns);
    if (status == CLUMP_SCENARIO_OK && e.invalid == e.count)
        status = CLUMP_SCENARIO_BAD_INPUT;
    if (status != CLUMP_SCENARIO_OK && status != CLUMP_SCENARIO_STOPPED) {
        free(e.rows);
        return status;
    }
    scenario_fitted_tell(&e.fitted, sandbox);
    results->rows = e.rows;
    results->count = e.count;
    results->expected = status == CLUMP_SCENARIO_OK ? e.count : e.total;
    return status;
}
