/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_LOSSY_BINDING_H
#define CLUMP_SCENARIOS_LOSSY_BINDING_H

#include "scenarios/platform.h"

/** protocol, loss, window, timeout and acknowledge of a network table. */
scenario_reliability scenario_reliability_read(scenario_table network);

/** What a scenario asks for instead: none (NULL, count 1), one, or a list of each. */
typedef struct scenario_reliabilities {
    const scenario_reliability *protocols; /**< by name; only protocol and network.protocol */
    size_t protocol_count;
    scenario_numbers losses;
} scenario_reliabilities;
scenario_reliabilities scenario_reliabilities_read(scenario_table scenario);

/** Variants of a platform: protocols times losses. */
size_t scenario_reliability_count(const scenario_reliabilities *wanted);

/** Put variant `i` into the platform, and what it does to LogGP parameters; raises an error if it
 *  cannot be. */
void scenario_reliability_apply(lua_State *L, const scenario_reliabilities *wanted, size_t i,
                                scenario_platform *platform);

/** Charge the script for computing what a loss costs. */
void scenario_reliability_charge(lua_State *L, const clump_lossy_network *network);

#endif
