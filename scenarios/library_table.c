/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table functions. Lua's own trust lengths and elements that metatables invent, and would run
 * for ever outside the instruction limit: here lists are plain, and every element costs a step.
 */
#include "scenarios/library.h"
#include "scenarios/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>

#include <math.h>

static void check_plain(lua_State *L, int index)
{
    static const char *const invented[] = {"__index", "__newindex", "__len"};
    luaL_checktype(L, index, LUA_TTABLE);
    for (size_t i = 0; i < sizeof invented / sizeof invented[0]; i++)
        if (luaL_getmetafield(L, index, invented[i]) != LUA_TNIL)
            luaL_error(L,
                       "table functions: found a list whose metatable has %s, expected a plain "
                       "list",
                       invented[i]);
}

/* Charge one step for each of first..last. */
static void charge_span(lua_State *L, lua_Integer first, lua_Integer last)
{
    if (last >= first)
        scenario_charge(L, (double)last - (double)first + 1);
}

/* Call Lua's own function, kept as an upvalue, with the same arguments. */
static int call_original(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* Stops at the first element that cannot be concatenated, as Lua's does. */
static int concat(lua_State *L)
{
    check_plain(L, 1);
    size_t separator_size;
    const char *separator = luaL_optlstring(L, 2, "", &separator_size);
    const lua_Integer first = luaL_optinteger(L, 3, 1);
    const lua_Integer last = luaL_optinteger(L, 4, (lua_Integer)lua_rawlen(L, 1));
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (lua_Integer i = first; i <= last; i++) {
        scenario_charge(L, 1);
        const int type = lua_rawgeti(L, 1, i);
        if (type != LUA_TSTRING && type != LUA_TNUMBER)
            return luaL_error(L, "table.concat: element %I is a %s, expected a string or number", i,
                              lua_typename(L, type));
        luaL_addvalue(&buffer);
        if (i == last)
            break; /* last may be the greatest integer */
        luaL_addlstring(&buffer, separator, separator_size);
    }
    luaL_pushresult(&buffer);
    return 1;
}

static int insert(lua_State *L)
{
    check_plain(L, 1);
    const lua_Integer size = (lua_Integer)lua_rawlen(L, 1);
    const lua_Integer place = lua_gettop(L) > 2 ? luaL_checkinteger(L, 2) : size;
    charge_span(L, place < 1 ? 1 : place, size);
    return call_original(L);
}

static int remove_element(lua_State *L)
{
    check_plain(L, 1);
    const lua_Integer size = (lua_Integer)lua_rawlen(L, 1);
    const lua_Integer place = luaL_optinteger(L, 2, size);
    charge_span(L, place < 1 ? 1 : place, size);
    return call_original(L);
}

static int move(lua_State *L)
{
    check_plain(L, 1);
    if (!lua_isnoneornil(L, 5))
        check_plain(L, 5);
    charge_span(L, luaL_checkinteger(L, 2), luaL_checkinteger(L, 3));
    return call_original(L);
}

static int unpack(lua_State *L)
{
    check_plain(L, 1);
    const lua_Integer first = luaL_optinteger(L, 2, 1);
    const lua_Integer last = luaL_optinteger(L, 3, (lua_Integer)lua_rawlen(L, 1));
    charge_span(L, first, last);
    return call_original(L);
}

/* Comparing strings takes time in proportion to their length. */
static int sort(lua_State *L)
{
    check_plain(L, 1);
    const size_t size = lua_rawlen(L, 1);
    size_t longest = 0;
    scenario_charge(L, (double)size);
    for (size_t i = 1; i <= size; i++) {
        if (lua_rawgeti(L, 1, (lua_Integer)i) == LUA_TSTRING && lua_rawlen(L, -1) > longest)
            longest = lua_rawlen(L, -1);
        lua_pop(L, 1);
    }
    scenario_charge(L, (double)size * log2((double)size + 2) * (1 + (double)longest / 16));
    return call_original(L);
}

void scenario_library_open_table(lua_State *L)
{
    static const luaL_Reg wrapped[] = {{"insert", insert}, {"remove", remove_element},
                                       {"move", move},     {"unpack", unpack},
                                       {"sort", sort},     {"concat", concat}};
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    for (size_t i = 0; i < sizeof wrapped / sizeof wrapped[0]; i++) {
        lua_getfield(L, -1, wrapped[i].name);
        lua_pushcclosure(L, wrapped[i].func, 1);
        lua_setfield(L, -2, wrapped[i].name);
    }
    lua_pop(L, 1);
}
