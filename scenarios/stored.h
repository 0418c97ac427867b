/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_STORED_H
#define CLUMP_SCENARIOS_STORED_H

/* Platforms and applications of the store. All of these raise Lua errors with the store's message; the
 * memory of a stored platform is in bandwidth.h. */

#include "scenarios/objects.h"

/** Nodes, mapping, LogGP of both protocols and the counterpart of a stored platform. */
void scenario_stored_platform(lua_State *L, const char *name, scenario_platform *platform);

/** Name and style of a stored application. */
void scenario_stored_application(lua_State *L, const char *name, scenario_application *application);

/** What was recorded of a stored application, for one of the script's own that names it. */
void scenario_stored_run(lua_State *L, const char *recording, scenario_application *application);

#endif
