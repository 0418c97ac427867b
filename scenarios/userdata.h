/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_USERDATA_H
#define CLUMP_SCENARIOS_USERDATA_H

/* The objects that scripts hold: platforms, applications, scenarios. Scripts cannot change them. */

#include <lua.h>

#include <stddef.h>

/** Make the type, with what `object.field` reads (NULL: nothing). */
void scenario_userdata_register(lua_State *L, const char *type, lua_CFunction read_field);

/** Push a zeroed object of a registered type. */
void *scenario_userdata_new(lua_State *L, size_t size, int user_values, const char *type);

/** Raise the error for a field that does not exist. */
_Noreturn void scenario_userdata_no_field(lua_State *L, const char *type, const char *key,
                                          const char *const *keys);

#endif
