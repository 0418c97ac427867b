/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_OVERRIDE_H
#define CLUMP_SCENARIOS_OVERRIDE_H

#include <lua.h>

/** Put the overrides of the options into the table at `index`, the argument of scenario { ... }. */
void scenario_overrides_apply(lua_State *L, int index);

#endif
