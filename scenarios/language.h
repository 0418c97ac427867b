/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_LANGUAGE_H
#define CLUMP_SCENARIOS_LANGUAGE_H

#include <lua.h>

/** Put what a script may call and read into the globals: what is left of Lua's own library, the
 *  functions of scenarios, and the definitions of the options. Raises errors. */
void scenario_language_open(lua_State *L);

/** After the script: raise an error if it has not read one of the definitions (or tell which it has read), or names a platform
 *  that is none. */
void scenario_language_finish(lua_State *L);

#endif
