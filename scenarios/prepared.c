/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/prepared.h"

#include "model/least_nics.h"
#include "model/prediction.h"
#include "scenarios/evaluate.h"
#include "scenarios/prepare.h"
#include "scenarios/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Where a configuration is: its plan, and its number there. */
typedef struct place {
    const scenario_plan *plan;
    size_t index;
} place;

static size_t platforms_of(const scenario_plan *plan)
{
    return plan->values[SCENARIO_PROFILES].count / plan->application_count;
}

static size_t configurations_of(const scenario_plan *plan)
{
    size_t count = platforms_of(plan);
    for (int d = SCENARIO_PROFILES + 1; d < SCENARIO_DIMENSIONS; d++)
        count *= plan->values[d].count;
    return count;
}

static place find_place(const clump_scenario *s, size_t configuration)
{
    place p = {s->first_plan, configuration};
    for (; p.plan->next != NULL; p.plan = p.plan->next) {
        const size_t here = configurations_of(p.plan);
        if (p.index < here)
            break;
        p.index -= here;
    }
    return p;
}

/* The point of one application of a configuration. */
static scenario_point find_point(place p, size_t application)
{
    scenario_position position = {{0}};
    size_t index = p.index;
    for (int d = SCENARIO_DIMENSIONS - 1; d > SCENARIO_PROFILES; d--) {
        position.at[d] = index % p.plan->values[d].count;
        index /= p.plan->values[d].count;
    }
    position.at[SCENARIO_PROFILES] = application * platforms_of(p.plan) + index;
    return scenario_plan_point(p.plan, &position);
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
        return CLUMP_SCENARIO_FAILED;
    }
    const clump_scenario_status status = scenario_prepare(options, s, message, message_size);
    if (status != CLUMP_SCENARIO_OK) {
        free(s);
        return status;
    }
    for (const scenario_plan *plan = s->first_plan; plan != NULL; plan = plan->next) {
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
    scenario_arena_free(scenario->arena);
    free(scenario);
}

const char *clump_scenario_title(const clump_scenario *scenario)
{
    return scenario->first_plan->title;
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
    for (size_t a = 0; a < p.plan->application_count; a++) {
        const scenario_point point = changed(find_point(p, a), change);
        const clump_scenario_status status = scenario_point_row(
            &point, (double)scenario->step_limit, &rows[a], message, message_size);
        if (status != CLUMP_SCENARIO_OK)
            return status;
    }
    return CLUMP_SCENARIO_OK;
}

int clump_scenario_is_monotonic(const clump_scenario *scenario, size_t configuration)
{
    const scenario_point point = find_point(find_place(scenario, configuration), 0);
    const scenario_platform *platform = point.profile->platform;
    const clump_placement *placement = point.plan->has_placement ? &point.plan->placement
                                       : platform != NULL        ? &platform->placement
                                                                 : NULL;
    return placement == NULL || placement->domains <= 1;
}

double clump_scenario_real_nics(const clump_scenario *scenario, size_t configuration, double limit)
{
    const place p = find_place(scenario, configuration);
    const scenario_point point = changed(find_point(p, 0), &(clump_scenario_change){1, NAN});
    scenario_setup setup;
    clump_least_nics least;
    if (p.plan->application_count != 1 || scenario_setup_make(&point, &setup, NULL) != CLUMP_OK ||
        setup.phased != NULL || setup.node.group_sizes != NULL ||
        clump_least_nics_find(&setup.node, &setup.load, limit, 1, &least, NULL) != CLUMP_OK)
        return NAN;
    return least.real;
}
