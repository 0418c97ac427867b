/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_STORED_H
#define CLUMP_SCENARIOS_STORED_H

/* Platforms of the store. Raises Lua errors with the store's message; the
 * memory of a stored platform is in bandwidth.h. */

#include "scenarios/objects.h"

/** Nodes, mapping, LogGP of both protocols and the counterpart of a stored platform. */
void scenario_stored_platform(lua_State *L, const char *name, scenario_platform *platform);

#endif
