/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_PROFILE_H
#define CLUMP_SCENARIOS_PROFILE_H

#include "scenarios/application.h"
#include "scenarios/platform.h"

/** An application on a platform, in the terms of the model. NAN: not known. */
typedef struct scenario_profile {
    const scenario_application *application; /**< may be NULL */
    const scenario_platform *platform;       /**< may be NULL */
    scenario_numbers utilizations;           /**< none, one, or one a processor */
    double remote_fraction, cost_ratio, waiting_fraction;
    double stalled_fraction; /**< of the time without communication: waits, does not compute */
    bool has_traffic;        /**< these three hold */
    clump_traffic remote, local;
    double waited_share;
    double memory_penalty;
    double phase_cycles;            /**< 0: equilibrium */
    double automatic_nics;          /**< max_nics_per_processor = "auto"; 0: not known */
    size_t split_processors;        /**< remote_fraction holds for nodes of this size; 0: any */
    scenario_efficiency efficiency; /**< of the platform */
    double now_time, measured_time; /**< s */
    double measured_slowdown, measured_half_width;
} scenario_profile;

/**
 * Fill in the profile; raises an error if the two do not fit together. Both may be NULL.
 * @param has_utilization  the script gives a utilization of its own
 */
void scenario_profile_make(lua_State *L, const scenario_application *application,
                           const scenario_platform *platform, bool has_utilization,
                           scenario_profile *profile);

#endif
