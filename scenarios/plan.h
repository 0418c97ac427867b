/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_PLAN_H
#define CLUMP_SCENARIOS_PLAN_H

/* scenario { ... }, read into a plan. */

#include "scenarios/point.h"

/** scenario { ... }: returns an object. */
int scenario_plan_new(lua_State *L);
void scenario_plan_register(lua_State *L);

/** Turn what the script returned, at `index`, into the sandbox's list of plans. */
void scenario_plan_collect(lua_State *L, int index);

#endif
