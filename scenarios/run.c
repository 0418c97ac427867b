/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a script to its rows (scenario.h), on one page:
 *
 *   clump_scenario_prepare    script.c     scenario_script_run runs the file in a sandbox (sandbox.c) with what it may call
 *                                          (language.c, library/library.lua); it returns scenarios
 *     platform { ... }        platform.c   a node and its network, or what the database has of them (stored.c)
 *     application { ... }     application.c, and for each way to describe one kind_NAME.c (kind.h)
 *     scenario { ... }        plan.c       lists of values to vary; each application on each platform is a profile
 *                             profile.c    what follows from both whatever else is varied
 *   clump_scenario_run        evaluate.c   scenario_evaluate: a row for every combination of the lists, which is a
 *   clump_scenario_compute                 point (point.c); scenario_row_make makes one:
 *     scenario_setup_make     setup.c      the point in terms of the model, a node and its load
 *     scenario_compare_set_up compare.c    the same, beside another platform
 *     scenario_setup_predict  setup.c      its slowdown, by the model; or scenario_simulate (simulate.c)
 *     scenario_slowest        slowest_group.c   processors that wait for each other
 *     common_row              evaluate.c   what is told of it
 */
#include "scenarios/scenario.h"

#include "data/text.h"
#include "model/least_nics.h"
#include "scenarios/compare.h"
#include "scenarios/evaluate.h"
#include "scenarios/kind.h"
#include "scenarios/point.h"
#include "scenarios/script.h"
#include "scenarios/setup.h"
#include "scenarios/slowest_group.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct clump_scenario {
    scenario_sandbox sandbox; /* without Lua: plans, and all that they point to */
    scenario_reasons reasons;
    const clump_watch *watch; /* or NULL */
    size_t configurations, most_applications;
};

/* Where a configuration is: its plan, and its number there. */
typedef struct place {
    const scenario_plan *plan;
    size_t index;
} place;

static size_t configurations_of(const scenario_plan *plan)
{
    return plan->values[SCENARIO_PROFILES].count / plan->application_count *
           scenario_plan_variants(plan);
}

static place find_place(const clump_scenario *s, size_t configuration)
{
    const scenario_plan *plan = s->sandbox.first_plan;
    for (size_t count; plan->next != NULL; plan = plan->next) {
        count = configurations_of(plan);
        if (configuration < count)
            break;
        configuration -= count;
    }
    return (place){plan, configuration};
}

/* The point of one application of a configuration. */
static scenario_point find_point(place p, size_t application)
{
    return scenario_plan_point(p.plan, application * configurations_of(p.plan) + p.index);
}

static scenario_point changed(scenario_point point, const clump_scenario_change *change)
{
    if (change->nics > 0)
        point.values[SCENARIO_NICS] = (double)change->nics;
    if (!isnan(change->utilization))
        point.values[SCENARIO_UTILIZATION] = change->utilization;
    return point;
}

clump_scenario_status clump_scenario_prepare(const clump_scenario_options *options,
                                             clump_scenario **scenario, char *message,
                                             size_t message_size)
{
    clump_scenario *s = calloc(1, sizeof *s);
    if (s == NULL) {
        snprintf(message, message_size, "out of memory");
        return CLUMP_SCENARIO_NO_MEMORY;
    }
    s->watch = options->watch;
    s->sandbox =
        (scenario_sandbox){.options = options, .message = message, .message_size = message_size};
    scenario_reasons_open(&s->reasons);
    const clump_scenario_status status = scenario_script_run(&s->sandbox);
    if (status != CLUMP_SCENARIO_OK) {
        clump_scenario_free(s);
        return status;
    }
    s->reasons.arena = s->sandbox.arena;
    for (const scenario_plan *plan = s->sandbox.first_plan; plan != NULL; plan = plan->next) {
        s->configurations += configurations_of(plan);
        if (plan->application_count > s->most_applications)
            s->most_applications = plan->application_count;
    }
    *scenario = s;
    return CLUMP_SCENARIO_OK;
}

void clump_scenario_free(clump_scenario *scenario)
{
    if (scenario == NULL)
        return;
    scenario_reasons_close(&scenario->reasons);
    scenario_sandbox_release(&scenario->sandbox);
    free(scenario);
}

/* ---- all rows */

clump_scenario_status clump_scenario_run(const clump_scenario_options *options,
                                         clump_scenario_results *results, char *message,
                                         size_t message_size)
{
    clump_scenario_results found = {0};
    clump_scenario *s;
    char text[1024];
    clump_scenario_status status = clump_scenario_prepare(options, &s, message, message_size);
    if (status == CLUMP_SCENARIO_STOPPED)
        *results = found;
    if (status != CLUMP_SCENARIO_OK)
        return status;
    const locale_t before = scenario_enter_plain_locale();
    status = scenario_evaluate(&s->sandbox, &s->reasons, &found, text, sizeof text);
    if (status != CLUMP_SCENARIO_OK)
        scenario_script_fail(&s->sandbox, text);
    scenario_leave_plain_locale(before);
    if (options->seconds != NULL)
        *options->seconds = scenario_deadline_taken(&s->sandbox.deadline);
    found.uncertain = s->sandbox.uncertain;
    if (found.rows != NULL) {
        found.title = (char *)(uintptr_t)clump_scenario_title(s);
        found.strings = s->sandbox.arena;
        s->sandbox.arena = NULL;
    }
    if (status == CLUMP_SCENARIO_OK || status == CLUMP_SCENARIO_STOPPED)
        *results = found;
    clump_scenario_free(s);
    return status;
}

void clump_scenario_results_free(clump_scenario_results *results)
{
    free(results->rows);
    clump_arena_free(results->strings);
    *results = (clump_scenario_results){0};
}

/* ---- configuration by configuration */

const char *clump_scenario_title(const clump_scenario *scenario)
{
    return scenario->sandbox.first_plan->title;
}

bool clump_scenario_is_uncertain(const clump_scenario *scenario)
{
    return scenario->sandbox.uncertain;
}

size_t clump_scenario_configurations(const clump_scenario *scenario)
{
    return scenario->configurations;
}

size_t clump_scenario_most_applications(const clump_scenario *scenario)
{
    return scenario->most_applications;
}

size_t clump_scenario_applications(const clump_scenario *scenario, size_t configuration)
{
    return find_place(scenario, configuration).plan->application_count;
}

size_t clump_scenario_row_place(const clump_scenario *scenario, size_t configuration,
                                size_t application)
{
    const place p = find_place(scenario, configuration);
    const size_t configurations = configurations_of(p.plan);
    size_t before = 0;
    for (const scenario_plan *plan = scenario->sandbox.first_plan; plan != p.plan;
         plan = plan->next)
        before += (size_t)scenario_plan_rows(plan);
    return (size_t)scenario_plan_rows(p.plan) == configurations * p.plan->application_count
               ? before + application * configurations + p.index
               : SIZE_MAX;
}

const double *clump_scenario_weights(const clump_scenario *scenario, size_t configuration)
{
    return find_place(scenario, configuration).plan->weights;
}

clump_prices clump_scenario_prices(const clump_scenario *scenario, size_t configuration)
{
    return find_place(scenario, configuration).plan->prices;
}

clump_scenario_status clump_scenario_compute(const clump_scenario *scenario, size_t configuration,
                                             const clump_scenario_change *change,
                                             clump_result *rows, char *message, size_t message_size)
{
    const place p = find_place(scenario, configuration);
    clump_scenario_status all = CLUMP_SCENARIO_OK;
    for (size_t a = 0; a < p.plan->application_count; a++) {
        const scenario_point point = changed(find_point(p, a), change);
        scenario_setup setup;
        scenario_deadline deadline;
        scenario_deadline_start(&deadline, scenario->sandbox.deadline.seconds, scenario->watch,
                                true);
        const scenario_row_context context = {
            .deadline = &deadline,
            .timed = "this row alone needs more than the %g s allowed; make it smaller, or raise "
                     "the limit with --max-seconds",
            .reasons = (scenario_reasons *)(uintptr_t)&scenario->reasons};
        const clump_scenario_status status =
            scenario_row_make(&point, &context, &setup, &rows[a], message, message_size);
        if (status == CLUMP_SCENARIO_INVALID)
            all = status;
        else if (status != CLUMP_SCENARIO_OK)
            return status;
    }
    return all;
}

enum { TIMED = 8 }; /* configurations */

double clump_scenario_seconds(const clump_scenario *scenario, double most)
{
    const size_t step = (scenario->configurations - 1) / TIMED + 1;
    clump_result *rows = calloc(scenario->most_applications, sizeof *rows);
    scenario_deadline clock;
    char message[256];
    double seconds = 0;
    if (rows == NULL)
        return HUGE_VAL;
    scenario_deadline_start(&clock, HUGE_VAL, NULL, false);
    for (size_t c = 0; c < scenario->configurations && seconds <= most; c += step) {
        if (clump_scenario_compute(scenario, c, &CLUMP_SCENARIO_UNCHANGED, rows, message,
                                   sizeof message) == CLUMP_SCENARIO_STOPPED)
            break;
        seconds = scenario_deadline_taken(&clock) * (double)step;
    }
    free(rows);
    return seconds;
}

/* One application. */
static bool is_monotonic(const scenario_point *point)
{
    scenario_setup setup;
    scenario_comparison comparison;
    const bool compared = scenario_is_compared(point);
    if ((compared ? scenario_compare_set_up(point, NULL, &comparison, &setup, NULL)
                  : scenario_setup_make(point, &setup, NULL)) != CLUMP_OK)
        return false;
    if (compared)
        point = &comparison.point;
    const scenario_application *a = point->profile->application;
    if (a != NULL && a->kind->is_monotonic != NULL)
        return a->kind->is_monotonic(&setup, point);
    /* More NICs of a mapping are other neighbours. */
    return !(scenario_has_slowest(point, &setup) && setup.node.mapping == CLUMP_MAPPING_STATIC) &&
           clump_least_nics_is_monotonic(&setup.node, &setup.load);
}

int clump_scenario_is_monotonic(const clump_scenario *scenario, size_t configuration)
{
    const place p = find_place(scenario, configuration);
    for (size_t a = 0; a < p.plan->application_count; a++) {
        /* With one NIC groups are largest, and tables of efficiency longest. */
        const scenario_point point = changed(find_point(p, a), &(clump_scenario_change){1, NAN});
        if (!is_monotonic(&point))
            return 0;
    }
    return 1;
}

double clump_scenario_real_nics(const clump_scenario *scenario, size_t configuration, double limit)
{
    const place p = find_place(scenario, configuration);
    const scenario_point point = changed(find_point(p, 0), &(clump_scenario_change){1, NAN});
    scenario_setup setup;
    clump_least_nics least;
    if (p.plan->application_count != 1 || scenario_is_compared(&point) ||
        scenario_setup_make(&point, &setup, NULL) != CLUMP_OK || setup.phased != NULL ||
        setup.collectives != NULL || setup.node.group_sizes != NULL ||
        scenario_has_slowest(&point, &setup) ||
        clump_least_nics_find(&setup.node, &setup.load, limit / point.profile->now_factor, 1,
                              &least, NULL) != CLUMP_OK)
        return NAN;
    return least.real;
}

/* ---- calls of collectives: declared in collective_calls.h, which is not promised to other programs */

size_t clump_scenario_call_count(const clump_scenario *scenario, size_t configuration)
{
    const place p = find_place(scenario, configuration);
    size_t count = 0;
    for (size_t a = 0; a < p.plan->application_count; a++) {
        const scenario_application *application = find_point(p, a).profile->application;
        count += application != NULL ? application->collectives.count : 0;
    }
    return count;
}

clump_scenario_status clump_scenario_call_of(const clump_scenario *scenario, size_t configuration,
                                             size_t index, clump_scenario_call *call, char *message,
                                             size_t message_size)
{
    const place p = find_place(scenario, configuration);
    size_t a = 0;
    while (index >= find_point(p, a).profile->application->collectives.count)
        index -= find_point(p, a++).profile->application->collectives.count;
    const scenario_point point = find_point(p, a);
    const scenario_profile *profile = point.profile;
    const scenario_platform *platform = profile->platform;
    scenario_setup setup;
    clump_error error;
    const clump_status status = scenario_setup_make(&point, &setup, &error);
    if (status != CLUMP_OK) {
        snprintf(message, message_size, "%s%s", point.plan->where, error.message);
        return scenario_status_of(status);
    }
    *call = (clump_scenario_call){
        .application = profile->application->name,
        .platform = platform->name,
        .collective = profile->application->collectives.items[index],
        .ranks = scenario_collectives_ranks(&profile->application->collectives, platform->nodes,
                                            setup.node.processors),
        .node = setup.node,
        .clump = {NULL, platform->network.loggp, platform->shared_memory.loggp,
                  platform->half_duplex, platform->nccl},
    };
    return CLUMP_SCENARIO_OK;
}
