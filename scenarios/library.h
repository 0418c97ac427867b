/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_LIBRARY_H
#define CLUMP_SCENARIOS_LIBRARY_H

#include <lua.h>

/** Put what a script may call of Lua's own library into the globals; may raise errors. */
void scenario_library_open(lua_State *L);

/** The functions of library_table.c and library_string.c that replace Lua's. */
void scenario_library_open_table(lua_State *L);
void scenario_library_open_string(lua_State *L);

#endif
