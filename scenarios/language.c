/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a script may call and read: Lua 5.4 without what is left out here, and
 *
 *   range                              library/library.lua
 *   uncertain, clump.slowdown          functions.c
 *   platform                           platform.c
 *   application                        application.c
 *   collective                         collective_calls.c
 *   training_step                      library/library.lua, training_object.c
 *   scenario                           plan.c
 *
 * A script returns a scenario or a list of them. `-D name=value` sets a global before it runs;
 * scripts give it a default by `name = name or 8`. Of Lua's own library library.lua leaves:
 *
 *   assert error getmetatable ipairs next pairs pcall print rawequal rawget rawlen rawset select
 *   setmetatable tonumber tostring type _G _VERSION
 *   math      all of it; the random numbers are the same in every run
 *   table     concat insert move pack remove sort unpack
 *   string    byte char format len lower rep reverse sub upper
 *
 * Nothing that reaches files, processes or bytecode, nothing that runs where the hook does not
 * see it: no pattern matching (exponential time in C), no coroutines (the limits are those of one
 * thread), no __gc (finalizers run without hooks), no __close (each handler raises again once
 * time is up, and Lua unwinds what is left of the stack for each), no __mode (chains of weak
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

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

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

/* ---- what library.lua is handed */

/* Of a definition: a number, "48%" being 0.48, true or false, or else a text. */
static int value(lua_State *L)
{
    const char *text = luaL_checkstring(L, 1);
    const size_t length = strlen(text);
    double share;
    if (length > 0 && text[length - 1] == '%' && clump_number_read_share(text, length, &share))
        lua_pushnumber(L, share);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        lua_pushboolean(L, text[0] == 't');
    else if (lua_stringtonumber(L, text) == 0)
        lua_pushstring(L, text);
    return 1;
}

static int fail(lua_State *L)
{
    scenario_fail(L, "%s", luaL_checkstring(L, 1));
}

static int call(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static int closure(lua_State *L)
{
    lua_pushcclosure(L, call, 1);
    return 1;
}

static int describe(lua_State *L)
{
    scenario_describe(L, 1);
    return 1;
}

static int metafield(lua_State *L)
{
    return luaL_getmetafield(L, 1, luaL_checkstring(L, 2)) != LUA_TNIL;
}

static int number(lua_State *L)
{
    static const scenario_range any = {-HUGE_VAL, HUGE_VAL, false, false, NULL};
    const char *name = luaL_checkstring(L, 2);
    lua_pushvalue(L, 1);
    lua_pushnumber(L, scenario_number_at(L, "range", name, &any));
    return 1;
}

static int is_less(lua_State *L)
{
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
}

static int new_list(lua_State *L)
{
    const lua_Integer count = luaL_checkinteger(L, 1);
    lua_createtable(L, count < INT32_MAX ? (int)count : 0, 0);
    return 1;
}

static const char read_key[] =
    "scenario.read"; /* registry: name of a definition that the script reads -> true */

static void push_overrides(lua_State *L, const clump_scenario_options *options)
{
    lua_newtable(L);
    for (size_t k = 0; k < options->override_count; k++) {
        const clump_scenario_override *o = &options->overrides[k];
        lua_createtable(L, o->count < INT_MAX ? (int)o->count : 0, 1);
        lua_pushstring(L, o->field);
        lua_setfield(L, -2, "field");
        for (size_t i = 0; i < o->count; i++) {
            lua_pushstring(L, o->values[i]);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
}

static void push_core(lua_State *L)
{
    static const luaL_Reg functions[] = {{"value", value},
                                         {"fail", fail},
                                         {"closure", closure},
                                         {"describe", describe},
                                         {"metafield", metafield},
                                         {"number", number},
                                         {"is_less", is_less},
                                         {"training_work", scenario_training_work},
                                         {"platform_exists", scenario_platform_exists},
                                         {"new_list", new_list},
                                         {NULL, NULL}};
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    luaL_newlib(L, functions);
    lua_pushinteger(L, (lua_Integer)scenario_sandbox_of(L)->result_limit);
    lua_setfield(L, -2, "limit");
    luaL_getsubtable(L, LUA_REGISTRYINDEX, read_key);
    lua_setfield(L, -2, "read");
    lua_newtable(L);
    for (size_t i = 0; i < options->definition_count; i++) {
        lua_newtable(L);
        lua_pushstring(L, options->definitions[i].name);
        lua_rawseti(L, -2, 1);
        lua_pushstring(L, options->definitions[i].value);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "definitions");
    push_overrides(L, options);
    lua_setfield(L, -2, "overrides");
}

static void check_definitions(lua_State *L)
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

static const char finish_key[] = "scenario.finish"; /* registry: what library.lua returned */

void scenario_language_finish(lua_State *L)
{
    check_definitions(L);
    lua_getfield(L, LUA_REGISTRYINDEX, finish_key);
    lua_call(L, 0, 0);
}

/* ---- all of it */

__asm__(".pushsection .rodata\n"
        ".globl scenario_library\n"
        ".hidden scenario_library\n"
        ".type scenario_library, %object\n"
        "scenario_library:\n"
        ".incbin \"scenarios/library/library.lua\"\n"
        ".byte 0\n"
        ".size scenario_library, . - scenario_library\n"
        ".popsection\n");
extern const char scenario_library[] __attribute__((visibility("hidden")));

static void open_library(lua_State *L)
{
    static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},
                                         {LUA_MATHLIBNAME, luaopen_math},
                                         {LUA_TABLIBNAME, luaopen_table},
                                         {LUA_STRLIBNAME, luaopen_string}};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
    lua_settop(L, 0);
}

/* library.lua as bytecode, without its lines, which are none of a script's: compiled once, since intervals and sweeps run a
 * script thousands of times. */
static struct {
    pthread_mutex_t lock;
    size_t size; /* 0: not yet */
    char bytes[1 << 15];
} compiled = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Nothing raises errors while it is locked. */
static size_t compiled_size(const char *bytes, size_t size)
{
    pthread_mutex_lock(&compiled.lock);
    if (compiled.size == 0 && size > 0 && size <= sizeof compiled.bytes) {
        memcpy(compiled.bytes, bytes, size);
        compiled.size = size;
    }
    const size_t found = compiled.size;
    pthread_mutex_unlock(&compiled.lock);
    return found;
}

static void push_library(lua_State *L)
{
    size_t size = compiled_size(NULL, 0);
    const char *bytes = compiled.bytes;
    if (size == 0) {
        lua_getglobal(L, LUA_STRLIBNAME);
        lua_getfield(L, -1, "dump");
        if (luaL_loadstring(L, scenario_library) != LUA_OK)
            lua_error(L);
        lua_pushboolean(L, 1);
        lua_call(L, 2, 1);
        bytes = lua_tolstring(L, -1, &size);
        compiled_size(bytes, size);
    }
    if (luaL_loadbufferx(L, bytes, size, "=?", "b") != LUA_OK)
        lua_error(L);
    lua_insert(L, 1);
    lua_settop(L, 1); /* the first run keeps no more than the others */
}

void scenario_language_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"print", print},
                                         {"uncertain", scenario_uncertain_new},
                                         {"platform", scenario_platform_new},
                                         {"application", scenario_application_new},
                                         {"collective", scenario_collective_new},
                                         {"scenario", scenario_plan_new}};
    open_library(L);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        lua_register(L, functions[i].name, functions[i].func);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, scenario_model_slowdown);
    lua_setfield(L, -2, "slowdown");
    lua_setglobal(L, "clump");
    push_library(L);
    push_core(L);
    lua_call(L, 1, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, finish_key);
}
