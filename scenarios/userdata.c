/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/userdata.h"

#include "data/suggest.h"
#include "scenarios/field.h"

#include <lauxlib.h>

#include <string.h>

void scenario_userdata_register(lua_State *L, const char *type, lua_CFunction read_field)
{
    luaL_newmetatable(L, type);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    if (read_field != NULL) {
        lua_pushcfunction(L, read_field);
        lua_setfield(L, -2, "__index");
    }
    lua_pop(L, 1);
}

void *scenario_userdata_new(lua_State *L, size_t size, int user_values, const char *type)
{
    void *object = lua_newuserdatauv(L, size, user_values);
    memset(object, 0, size);
    luaL_setmetatable(L, type);
    return object;
}

void scenario_userdata_no_field(lua_State *L, const char *type, const char *key,
                                const char *const *keys)
{
    const char *near = clump_suggest_among(CLUMP_SUGGEST_FIELD, key, keys);
    scenario_fail(L, "%s: there is no field \"%s\"%s%s%s", type, key,
                  near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                  near != NULL ? "\"?" : "");
}
