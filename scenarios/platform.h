/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_PLATFORM_H
#define CLUMP_SCENARIOS_PLATFORM_H

#include "model/loggp.h"
#include "model/lossy_network.h"
#include "scenarios/field.h"

/** LogGP parameters of one protocol, if they are known. */
typedef struct scenario_protocol {
    bool known;
    clump_loggp loggp;
    const char *problem; /**< why not; NULL if nobody gave them */
} scenario_protocol;

/** How the network between nodes keeps its messages, and what it loses. */
typedef struct scenario_reliability {
    const char *protocol; /**< NULL: not named; then nothing is lost */
    clump_lossy_network network;
} scenario_reliability;

typedef struct scenario_platform {
    const char *name; /**< may be NULL */
    bool stored;
    size_t nodes, processors, nics;
    bool has_mapping;
    clump_mapping mapping;
    scenario_protocol network, shared_memory;
    scenario_reliability reliability;             /**< of the network */
    const struct clump_result_network *explained; /**< the same; NULL: no protocol is named */
    double memory_penalty;                        /**< 1 unless given */
    double stored_penalty;         /**< what the store says, for applications with traffic */
    bool half_duplex;              /**< the I/O bus of a NIC moves one direction at a time */
    double max_nics_per_processor; /**< 0: no limit */
    clump_placement placement;
    scenario_efficiency efficiency;
    bool efficiency_function; /**< user value 1 holds the function */
    const char *counterpart;  /**< of a stored platform; may be NULL */
} scenario_platform;

/** platform "name" and platform { ... }: returns an object. */
int scenario_platform_new(lua_State *L);

/** Make the type of the object; once a state. */
void scenario_platform_register(lua_State *L);

/** The platform at `index`, or NULL if it is something else. */
const scenario_platform *scenario_platform_at(lua_State *L, int index);

#endif
