/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_TRAINING_OBJECT_H
#define CLUMP_SCENARIOS_TRAINING_OBJECT_H

#include <lua.h>

/** training_step { ... }: returns an application, and what follows for a processor as a table. */
int scenario_training_new(lua_State *L);

#endif
