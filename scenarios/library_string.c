/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/library.h"
#include "scenarios/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>

/* Lua's own counts to n even if there is nothing to repeat. */
static int repeat(lua_State *L)
{
    size_t size, separator_size;
    luaL_checklstring(L, 1, &size);
    const lua_Integer count = luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &separator_size);
    if (count > 0)
        scenario_charge(L, (double)count * (1 + ((double)size + (double)separator_size) / 16));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

void scenario_library_open_string(lua_State *L)
{
    static const char *const kept[] = {"byte",  "char", "format",  "len", "lower",
                                       "upper", "rep",  "reverse", "sub"};
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    lua_createtable(L, 0, sizeof kept / sizeof kept[0]);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        lua_getfield(L, -2, kept[i]);
        lua_setfield(L, -2, kept[i]);
    }
    lua_getfield(L, -1, "rep");
    lua_pushcclosure(L, repeat, 1);
    lua_setfield(L, -2, "rep");
    /* Methods of strings, as in ("x"):rep(3), come from the same table. */
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
    lua_setglobal(L, LUA_STRLIBNAME);
    lua_pop(L, 1);
}
