/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a script may call of Lua's own library:
 *
 *   assert error getmetatable ipairs next pairs pcall print rawequal rawget rawlen rawset select
 *   setmetatable tonumber tostring type _G _VERSION
 *   math      all of it; the random numbers are the same in every run
 *   table     concat insert move pack remove sort unpack
 *   string    byte char format len lower rep reverse sub upper
 *
 * Nothing that reaches files, processes or bytecode, nothing that runs outside the instruction
 * limit: no pattern matching (exponential time in C), no coroutines (the limits are those of one
 * thread), no __gc (finalizers run without hooks), no __mode (chains of weak tables take the
 * collector quadratic time), no __call that is called itself (Lua follows such a chain within one
 * instruction, and it has no end). A metatable is taken as it is when it is set.
 */
#include "scenarios/library.h"

#include "scenarios/field.h"
#include "scenarios/utf8.h"

#include <lauxlib.h>
#include <lualib.h>

#include <string.h>

/* Fields of a metatable that would make the collector work outside the limits. */
static const char *const refused[] = {"__gc", "__mode"};

/* The object gets a copy: what is refused cannot be added afterwards. getmetatable shows the
 * original. */
static int set_metatable(lua_State *L)
{
    const int type = lua_type(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
    lua_settop(L, 2);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "cannot change a protected metatable");
    if (type == LUA_TNIL) {
        lua_setmetatable(L, 1);
        return 1;
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        lua_pushstring(L, refused[i]);
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "setmetatable: found %s, which scenarios do not have", refused[i]);
        lua_pop(L, 1);
    }
    lua_pushliteral(L, "__call");
    const int call = lua_rawget(L, 2);
    if (call != LUA_TNIL && call != LUA_TFUNCTION)
        return luaL_error(L, "setmetatable: __call is %s, expected a function",
                          scenario_describe(L, -1));
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushliteral(L, "__metatable");
    lua_pushvalue(L, 2);
    lua_rawset(L, 3);
    lua_pushnil(L);
    while (lua_next(L, 2) != 0) {
        scenario_charge(L, 1);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, 3);
    }
    lua_setmetatable(L, 1);
    lua_settop(L, 1);
    return 1;
}

/* Hand one line to the caller, without what could steer a terminal. */
static void print_line(scenario_sandbox *s, char *line, size_t size)
{
    scenario_utf8_clean(line, size);
    const locale_t ours = uselocale(s->caller_locale);
    s->options->print(line, s->options->context);
    uselocale(ours);
}

static int print(lua_State *L)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    const int count = lua_gettop(L);
    luaL_Buffer buffer;
    scenario_charge(L, 100);
    luaL_buffinit(L, &buffer);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&buffer, '\t');
        luaL_tolstring(L, i, NULL);
        luaL_addvalue(&buffer);
    }
    luaL_addchar(&buffer, '\n');
    luaL_pushresult(&buffer);
    size_t size;
    const char *text = lua_tolstring(L, -1, &size);
    scenario_charge(L, (double)size);
    if (s->options->print == NULL)
        return 0;
    char *copy = lua_newuserdatauv(L, size, 0);
    memcpy(copy, text, size);
    for (char *line = copy, *end; line < copy + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(copy + size - line));
        *end = '\0';
        print_line(s, line, (size_t)(end - line));
    }
    return 0;
}

static const luaL_Reg replaced[] = {{"setmetatable", set_metatable}, {"print", print}};

static void remove_fields(lua_State *L, const char *const *names)
{
    for (; *names != NULL; names++) {
        lua_pushnil(L);
        lua_setfield(L, -2, *names);
    }
}

static void open_base(lua_State *L)
{
    static const char *const removed[] = {"collectgarbage", "dofile", "load",   "loadfile",
                                          "require",        "warn",   "xpcall", NULL};
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    remove_fields(L, removed);
    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++) {
        lua_pushcfunction(L, replaced[i].func);
        lua_setfield(L, -2, replaced[i].name);
    }
    lua_pop(L, 1);
}

static void open_math(lua_State *L)
{
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, 1);
    lua_call(L, 1, 0);
    lua_pop(L, 1);
}

void scenario_library_open(lua_State *L)
{
    open_base(L);
    open_math(L);
    scenario_library_open_table(L);
    scenario_library_open_string(L);
}
