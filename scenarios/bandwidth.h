/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_BANDWIDTH_H
#define CLUMP_SCENARIOS_BANDWIDTH_H

/* The memory of a platform as a station that its processors share (model/memory.h), and what a program demands of it. */

#include "model/memory.h"
#include "model/status.h"
#include "scenarios/field.h"

typedef struct scenario_bandwidth {
    bool known;
    clump_memory memory; /**< but for the share */
    double one;          /**< bytes a second that one process draws; 0: not known */
    const char *problem; /**< why the store has no curve; NULL: nobody asked */
} scenario_bandwidth;

/** What an application wants. NAN: it does not say. */
typedef struct scenario_memory_demand {
    double share;   /**< m */
    double traffic; /**< bytes a second */
} scenario_memory_demand;

#define SCENARIO_NO_MEMORY_DEMAND ((scenario_memory_demand){NAN, NAN})

scenario_memory_demand scenario_memory_demand_read(scenario_table application);

/** The field of a platform; `like` if it is absent. */
scenario_bandwidth scenario_bandwidth_read(scenario_table platform, const char *key,
                                           const scenario_bandwidth *like);

/** That of a stored platform; not known if the store has none. */
scenario_bandwidth scenario_stored_bandwidth(lua_State *L, const char *platform);

/**
 * The station that a node has: none (all zero) where nobody wants memory, or a processor is alone.
 *
 * @param share  m, instead of what the application says; NAN: none
 * @param feeds  instead of what the platform says; NAN: none
 * Errors: CLUMP_BAD_ARGUMENT if something is wanted of a memory of which nothing is known, or more
 *         than it gives to one process.
 */
clump_status scenario_memory_station(const scenario_bandwidth *bandwidth,
                                     const scenario_memory_demand *memory_demand, double share,
                                     double feeds, size_t processors, const char *platform,
                                     clump_memory *memory, clump_error *error);

#endif
