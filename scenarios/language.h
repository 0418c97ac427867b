/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_LANGUAGE_H
#define CLUMP_SCENARIOS_LANGUAGE_H

#include <lua.h>

/** Put what a script may call and read into the globals: what is left of Lua's own library, the
 *  functions of scenarios, and the definitions of the options. Raises errors. */
void scenario_language_open(lua_State *L);

/** Raise an error if the script has not read one of the definitions; or tell which it has read. */
void scenario_definitions_check(lua_State *L);

#endif
