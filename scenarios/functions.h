/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_FUNCTIONS_H
#define CLUMP_SCENARIOS_FUNCTIONS_H

#include <lua.h>

/** range(first, last [, step]) */
int scenario_range_new(lua_State *L);

/** clump.slowdown { ... } */
int scenario_model_slowdown(lua_State *L);

/** uncertain { ... }: returns a number. */
int scenario_uncertain_new(lua_State *L);

#endif
