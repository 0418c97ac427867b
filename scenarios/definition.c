/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `-D name=value`. Definitions are not in the table of globals but behind it, in a table that is
 * asked for what the globals do not have. So it shows which ones the script reads, and what it
 * reads that nobody defined.
 */
#include "scenarios/definition.h"

#include "data/suggest.h"
#include "scenarios/field.h"

#include <lauxlib.h>

#include <string.h>

static const char values_key[] = "scenario.definitions"; /* registry: name -> value */
static const char read_key[] = "scenario.read";          /* registry: name -> true */

static bool is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    static const char *const reserved[] = {
        "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
        "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
        "repeat",   "return", "then", "true", "until",  "while", NULL};
    for (size_t i = 0; reserved[i] != NULL; i++)
        if (strcmp(name, reserved[i]) == 0)
            return false;
    return name[0] != '\0' && strchr(letters, name[0]) != NULL &&
           strspn(name, others) == strlen(name) && strlen(name) <= 60;
}

/* __index of the globals */
static int read_global(lua_State *L)
{
    lua_settop(L, 2);
    if (lua_type(L, 2) != LUA_TSTRING) {
        lua_pushnil(L);
        return 1;
    }
    lua_getfield(L, LUA_REGISTRYINDEX, read_key);
    lua_pushvalue(L, 2);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    lua_getfield(L, LUA_REGISTRYINDEX, values_key);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    return 1;
}

static void push_value(lua_State *L, const char *text)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        lua_pushboolean(L, text[0] == 't');
    else if (lua_stringtonumber(L, text) == 0)
        lua_pushstring(L, text);
}

static void define(lua_State *L, int values, const clump_scenario_definition *d)
{
    if (!is_identifier(d->name))
        luaL_error(L, "-D %s=%s: the name is \"%s\", expected letters, digits and '_'", d->name,
                   d->value, d->name);
    lua_pushglobaltable(L);
    lua_pushstring(L, d->name);
    if (lua_rawget(L, -2) != LUA_TNIL)
        luaL_error(L, "-D %s=%s: the name belongs to the language of scenarios, expected another",
                   d->name, d->value);
    lua_pop(L, 2);
    lua_pushstring(L, d->name);
    if (lua_rawget(L, values) != LUA_TNIL)
        luaL_error(L, "-D %s=%s: found a second definition of the name", d->name, d->value);
    lua_pop(L, 1);
    lua_pushstring(L, d->name);
    push_value(L, d->value);
    lua_rawset(L, values);
}

void scenario_definitions_open(lua_State *L)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, read_key);
    lua_newtable(L);
    const int values = lua_gettop(L);
    for (size_t i = 0; i < options->definition_count; i++)
        define(L, values, &options->definitions[i]);
    lua_setfield(L, LUA_REGISTRYINDEX, values_key);
    lua_pushglobaltable(L);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, read_global);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void scenario_definitions_check(lua_State *L)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    lua_getfield(L, LUA_REGISTRYINDEX, read_key);
    const int read = lua_gettop(L);
    for (size_t i = 0; i < options->definition_count && options->definitions_read != NULL; i++) {
        lua_pushstring(L, options->definitions[i].name);
        options->definitions_read[i] = lua_rawget(L, read) != LUA_TNIL;
        lua_pop(L, 1);
    }
    for (size_t i = 0; i < options->definition_count; i++) {
        const clump_scenario_definition *d = &options->definitions[i];
        lua_pushstring(L, d->name);
        const bool was_read = lua_rawget(L, read) != LUA_TNIL;
        lua_pop(L, 1);
        if (was_read || options->definitions_read != NULL)
            continue;
        clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_FIELD, d->name);
        lua_pushnil(L);
        while (lua_next(L, read) != 0) {
            lua_pop(L, 1);
            clump_suggest_offer(&suggestion, lua_tostring(L, -1));
        }
        if (suggestion.count > 0)
            luaL_error(L, "-D %s=%s: the scenario never reads \"%s\"; did you mean \"%s\"?",
                       d->name, d->value, d->name, suggestion.similar[0].name);
        luaL_error(L, "-D %s=%s: the scenario never reads \"%s\"", d->name, d->value, d->name);
    }
    lua_pop(L, 1);
}
