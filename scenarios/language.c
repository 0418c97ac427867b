/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a script may call and read: Lua 5.4 without what is left out here, and
 *
 *   range, uncertain, clump.slowdown   functions.c
 *   platform                           platform.c
 *   application                        application.c
 *   collective                         collective_calls.c
 *   training_step                      training_object.c
 *   scenario                           plan.c
 *
 * A script returns a scenario or a list of them. `-D name=value` sets a global before it runs;
 * scripts give it a default by `name = name or 8`. Of Lua's own library there are:
 *
 *   assert error getmetatable ipairs next pairs pcall print rawequal rawget rawlen rawset select
 *   setmetatable tonumber tostring type _G _VERSION
 *   math      all of it; the random numbers are the same in every run
 *   table     concat insert move pack remove sort unpack
 *   string    byte char format len lower rep reverse sub upper
 *
 * Nothing that reaches files, processes or bytecode, nothing that runs outside the instruction
 * limit: no pattern matching (exponential time in C), no coroutines (the limits are those of one
 * thread), no __gc (finalizers run without hooks), no __close (each handler raises again once the
 * steps are used up, and Lua unwinds what is left of the stack for each), no __mode (chains of weak
 * tables take the collector quadratic time), no __call that is called itself (Lua follows such a
 * chain within one instruction, and it has no end). A metatable is taken as it is when it is set.
 * Without __close there is nothing that `local x <close>` or the fourth value of a generic `for`
 * accepts but nil and false.
 */
#include "scenarios/language.h"

#include "data/number.h"
#include "data/suggest.h"
#include "data/text.h"
#include "scenarios/collective_calls.h"
#include "scenarios/objects.h"

#include <lauxlib.h>
#include <lualib.h>

#include <math.h>
#include <string.h>

/* Fields of a metatable that would make the collector, or an error on its way out, work outside the
 * limits. */
static const char *const left_out[] = {"__gc", "__close", "__mode"};

/* The object gets a copy: what is left out cannot be added afterwards. getmetatable shows the
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
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        lua_pushstring(L, left_out[i]);
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "setmetatable: found %s, which scenarios do not have",
                              left_out[i]);
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
    clump_text_clean(line, size);
    const locale_t ours = uselocale(s->caller_locale);
    s->options->print(line, s->options->context);
    uselocale(ours);
}

static int print(lua_State *L)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    const int count = lua_gettop(L);
    luaL_Buffer buffer;
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

/* ---- table */

/*
 * The table functions. Lua's own trust lengths and elements that metatables invent, and would run
 * for ever without an instruction for the hook: here lists are plain, and no longer than memory allows.
 */

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

/* Call Lua's own function, kept as an upvalue, with the same arguments. */
static int call_original(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* insert, remove, unpack, concat: of a list that is one. */
static int call_with_list(lua_State *L)
{
    check_plain(L, 1);
    return call_original(L);
}

static int move(lua_State *L)
{
    enum { MOST = 1 << 26 }; /* elements for which a state has memory */
    check_plain(L, 1);
    if (!lua_isnoneornil(L, 5))
        check_plain(L, 5);
    if ((lua_Number)luaL_checkinteger(L, 3) - (lua_Number)luaL_checkinteger(L, 2) > MOST)
        return luaL_error(L, "table.move: expected at most %d elements", MOST);
    return call_original(L);
}

/* The order of a sort, of the elements themselves or as upvalue 1 says: strings can be long, and what is a function in
 * C runs no instruction. */
static int is_before(lua_State *L)
{
    lua_settop(L, 2);
    scenario_check_time(L);
    if (lua_isnil(L, lua_upvalueindex(1))) {
        lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
        return 1;
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

static int sort(lua_State *L)
{
    check_plain(L, 1);
    if (!lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_pushcclosure(L, is_before, 1);
    return call_original(L);
}

static void open_table(lua_State *L)
{
    static const luaL_Reg wrapped[] = {{"insert", call_with_list},
                                       {"remove", call_with_list},
                                       {"unpack", call_with_list},
                                       {"concat", call_with_list},
                                       {"move", move},
                                       {"sort", sort}};
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    for (size_t i = 0; i < sizeof wrapped / sizeof wrapped[0]; i++) {
        lua_getfield(L, -1, wrapped[i].name);
        lua_pushcclosure(L, wrapped[i].func, 1);
        lua_setfield(L, -2, wrapped[i].name);
    }
    lua_pop(L, 1);
}

/* ---- string */

/* Lua's own counts to n even if there is nothing to repeat. */
static int repeat(lua_State *L)
{
    size_t size, separator_size;
    luaL_checklstring(L, 1, &size);
    luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &separator_size);
    if (size + separator_size > 0)
        return call_original(L);
    lua_pushliteral(L, "");
    return 1;
}

static void open_string(lua_State *L)
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

/* ---- definitions */

/*
 * `-D name=value`. Definitions are not in the table of globals but behind it, in a table that is
 * asked for what the globals do not have. So it shows which ones the script reads, and what it
 * reads that nobody defined.
 */

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

/* A number, "48%" being 0.48, true or false, or else a text. */
static void push_value(lua_State *L, const char *text)
{
    const size_t length = strlen(text);
    double share;
    if (length > 0 && text[length - 1] == '%' && clump_number_read_share(text, length, &share))
        lua_pushnumber(L, share);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
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

static void open_definitions(lua_State *L)
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

/* ---- all of it */

static void open_library(lua_State *L)
{
    open_base(L);
    open_math(L);
    open_table(L);
    open_string(L);
}

void scenario_language_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"range", scenario_range_new},           {"uncertain", scenario_uncertain_new},
        {"platform", scenario_platform_new},     {"application", scenario_application_new},
        {"collective", scenario_collective_new}, {"training_step", scenario_training_new},
        {"scenario", scenario_plan_new}};
    open_library(L);
    scenario_platform_register(L);
    scenario_application_register(L);
    scenario_collective_register(L);
    scenario_plan_register(L);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        lua_register(L, functions[i].name, functions[i].func);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, scenario_model_slowdown);
    lua_setfield(L, -2, "slowdown");
    lua_setglobal(L, "clump");
    open_definitions(L);
}
