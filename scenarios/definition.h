/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_DEFINITION_H
#define CLUMP_SCENARIOS_DEFINITION_H

#include <lua.h>

/**
 * Make the definitions of the options readable as globals, and note which globals are read. The
 * names of the library must be there already. Raises an error for a name that cannot be used.
 */
void scenario_definitions_open(lua_State *L);

/** Raise an error if the script has not read one of them. */
void scenario_definitions_check(lua_State *L);

#endif
