/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_UNCERTAIN_BINDING_H
#define CLUMP_SCENARIOS_UNCERTAIN_BINDING_H

#include "model/uncertain.h"

#include <lua.h>

/** uncertain { ... }: returns a number. */
int scenario_uncertain_new(lua_State *L);

/**
 * A number that was measured, with the half width of its 95% interval (NAN: not known): as it is,
 * or drawn where the caller of the scenario asks for that. It stays 0 or above.
 */
double scenario_measured_draw(lua_State *L, const char *platform, const char *quantity,
                              double value, double half_width);

#endif
