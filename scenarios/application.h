/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_APPLICATION_H
#define CLUMP_SCENARIOS_APPLICATION_H

#include "model/traffic.h"
#include "scenarios/field.h"

typedef enum scenario_application_kind {
    SCENARIO_BY_UTILIZATION,
    SCENARIO_BY_TRAFFIC,
    SCENARIO_BY_PHASES,
    SCENARIO_BY_STORE, /**< traffic and times come from the store, by platform */
    SCENARIO_BY_FIT    /**< fitted to times, in the store as well */
} scenario_application_kind;

/** NAN in a number: not given. */
typedef struct scenario_phase {
    double time; /**< on the NOW, any unit */
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double phase_cycles;
    bool has_demand;
    scenario_demand demand;
} scenario_phase;

typedef struct scenario_application {
    const char *name; /**< may be NULL */
    scenario_application_kind kind;
    scenario_numbers utilizations; /**< one, or one a processor */
    double remote_fraction, cost_ratio, waiting_fraction;
    clump_traffic remote, local;
    double waited_share;
    bool lockstep;      /**< barriers separate the steps of its exchange */
    double now_time;    /**< s; NAN if not given */
    double computation; /**< s; NAN if not given */
    const scenario_phase *phases;
    size_t phase_count;
    double memory_penalty;                /**< NAN: that of the platform */
    double phase_cycles;                  /**< 0: equilibrium */
    const struct scenario_fitted *fitted; /**< NULL unless by fit */
} scenario_application;

/** application "name" and application { ... }: returns an object. */
int scenario_application_new(lua_State *L);
void scenario_application_register(lua_State *L);

/** The application at `index`, or NULL if it is something else. */
const scenario_application *scenario_application_at(lua_State *L, int index);

#endif
