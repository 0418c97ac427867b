/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the Lua of a format is given: the lines of the file, its words as numbers, and a log to add samples to. The scripts are the
 * program's own; what they read may be anybody's. Whatever they raise ends the reading of the file.
 */
#include "data/import/import_format.h"

#include "data/number.h"

#include <lauxlib.h>
#include <lualib.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static clump_import_text *text_of(lua_State *L)
{
    clump_import_text *text;
    memcpy(&text, lua_getextraspace(L), sizeof text);
    return text;
}

static clump_import_log *log_of(lua_State *L)
{
    return text_of(L)->log;
}

/* Why it ends is in the log. */
static void stop_unless(lua_State *L, bool good)
{
    if (!good)
        luaL_error(L, "stopped");
}

/* ---- lines */

/* next_line(): without its end and blanks before that; nil: no more. */
static int next_line(lua_State *L)
{
    lua_pushstring(L, clump_import_text_next(text_of(L)));
    return 1;
}

/* peek(_, place): the place after the line at `place`, nil for the one that is read next, and this line; for loops */
static int peek(lua_State *L)
{
    const clump_import_text *text = text_of(L);
    const size_t at = lua_isnil(L, 2) ? text->at : (size_t)lua_tointeger(L, 2);
    if (at >= text->size)
        return 0;
    const size_t size = strcspn(text->bytes + at, "\n");
    lua_pushinteger(L, (lua_Integer)(at + size + 1));
    lua_pushlstring(L, text->bytes + at, size);
    return 2;
}

/* at(): the number of the line that was read last */
static int at(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)log_of(L)->at);
    return 1;
}

/* is_cut(): whether that line is one at the end of the file that does not end as a line does */
static int is_cut(lua_State *L)
{
    lua_pushboolean(L, text_of(L)->at > text_of(L)->size);
    return 1;
}

/* check_end(): raises if the file stops in the middle of a line */
static int check_end(lua_State *L)
{
    stop_unless(L, clump_import_text_is_whole(text_of(L), log_of(L)));
    return 0;
}

/* ---- words */

/* words(line): cut at its blanks; what follows the 63rd is left together */
static int words(lua_State *L)
{
    enum { MOST = 64 };
    const char *from = luaL_checkstring(L, 1);
    lua_newtable(L);
    from += strspn(from, " \t");
    for (int i = 1; *from != '\0'; i++) {
        const size_t size = i < MOST ? strcspn(from, " \t") : strlen(from);
        lua_pushlstring(L, from, size);
        lua_rawseti(L, -2, i);
        from += size + strspn(from + size, " \t");
    }
    return 1;
}

/* copy(text, most): see clump_import_copy(); as many bytes at most */
static int copy(lua_State *L)
{
    char text[1024];
    const size_t room = (size_t)luaL_checkinteger(L, 2) + 1;
    luaL_argcheck(L, room <= sizeof text, 2, "too long");
    clump_import_copy(text, room, luaL_checkstring(L, 1));
    lua_pushstring(L, text);
    return 1;
}

/* parse(word): the number that it is; nil: none */
static int parse(lua_State *L)
{
    size_t size = 0;
    double value = 0;
    const char *word = luaL_checklstring(L, 1, &size);
    if (clump_number_parse(word, size, &value) != CLUMP_NUMBER_OK)
        return 0;
    lua_pushnumber(L, value);
    return 1;
}

/* number(word, what), amount(word, what), whole(word, what): see import_text.h; `what` was expected */
static int number(lua_State *L)
{
    double value = 0;
    stop_unless(
        L, clump_import_number(log_of(L), luaL_checkstring(L, 1), luaL_checkstring(L, 2), &value));
    lua_pushnumber(L, value);
    return 1;
}

static int amount(lua_State *L)
{
    double value = 0;
    stop_unless(
        L, clump_import_amount(log_of(L), luaL_checkstring(L, 1), luaL_checkstring(L, 2), &value));
    lua_pushnumber(L, value);
    return 1;
}

static int whole(lua_State *L)
{
    int64_t value = 0;
    stop_unless(
        L, clump_import_whole(log_of(L), luaL_checkstring(L, 1), luaL_checkstring(L, 2), &value));
    lua_pushinteger(L, value);
    return 1;
}

/* is_nan(word): see import_text.h */
static int is_nan(lua_State *L)
{
    lua_pushboolean(L, clump_import_is_nan(luaL_checkstring(L, 1)));
    return 1;
}

/* sharpen(printed, half, better, error): likewise */
static int sharpen(lua_State *L)
{
    double value = 0;
    stop_unless(L, clump_import_sharpen(log_of(L), luaL_checknumber(L, 1), luaL_checknumber(L, 2),
                                        luaL_checknumber(L, 3), luaL_checknumber(L, 4), &value));
    lua_pushnumber(L, value);
    return 1;
}

/* ---- into the log */

/* begin(): see clump_import_log_begin() */
static int begin(lua_State *L)
{
    clump_import_log_begin(log_of(L));
    return 0;
}

/* set(name, value): what the log says about itself, or how it is read */
static int set(lua_State *L)
{
    static const char *const names[] = {"version",   "command",    "application",
                                        "nodes",     "processors", "nics",
                                        "any_order", "repeats",    NULL};
    clump_import_log *log = log_of(L);
    char *const texts[] = {log->version, log->command, log->application};
    const size_t rooms[] = {sizeof log->version, sizeof log->command, sizeof log->application};
    const int which = luaL_checkoption(L, 1, NULL, names);
    if (which < 3)
        clump_import_copy(texts[which], rooms[which], luaL_checkstring(L, 2));
    else if (which < 6)
        *(int64_t *[]){&log->nodes, &log->processors, &log->nics}[which - 3] =
            luaL_checkinteger(L, 2);
    else
        *(which == 6 ? &log->any_order : &log->repeats) = lua_toboolean(L, 2);
    return 0;
}

/* What a table has under a name. It stays on the stack: a number that becomes a text lives nowhere else. */
static const char *text_field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    return lua_tostring(L, -1);
}

static int64_t whole_field(lua_State *L, const char *name, int64_t none)
{
    const bool there = lua_getfield(L, 1, name) != LUA_TNIL;
    const int64_t value = there ? luaL_checkinteger(L, -1) : none;
    lua_pop(L, 1);
    return value;
}

static double real_field(lua_State *L, const char *name, double none)
{
    const bool there = lua_getfield(L, 1, name) != LUA_TNIL;
    const double value = there ? luaL_checknumber(L, -1) : none;
    lua_pop(L, 1);
    return value;
}

static bool truth_field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    const bool truth = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return truth;
}

/* add{...}: a sample with what its series is of; see clump_import_key and clump_import_sample. `of_application` and `doubtful` are
 * truths. What is not there is not known. */
static int add(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    const clump_import_key key = {.quantity = text_field(L, "quantity"),
                                  .statistic = text_field(L, "statistic"),
                                  .benchmark = text_field(L, "benchmark"),
                                  .variant = text_field(L, "variant"),
                                  .transport = text_field(L, "transport"),
                                  .window = whole_field(L, "window", 0),
                                  .processes = whole_field(L, "processes", 0),
                                  .of_application = truth_field(L, "of_application")};
    const clump_import_sample sample = {.value = real_field(L, "value", NAN),
                                        .delay_us = real_field(L, "delay_us", 0),
                                        .half_width = real_field(L, "half_width", NAN),
                                        .std_dev = NAN,
                                        .size_bytes = whole_field(L, "size", -1),
                                        .iterations = whole_field(L, "iterations", 0),
                                        .run = whole_field(L, "run", 0),
                                        .task = whole_field(L, "task", -1),
                                        .doubtful = truth_field(L, "doubtful"),
                                        .line = (size_t)whole_field(L, "line", 0)};
    stop_unless(L, clump_import_log_add(log_of(L), &key, &sample));
    return 0;
}

/* refuse(line, text): ends with this message; line 0: about the file */
static int refuse(lua_State *L)
{
    clump_import_fail_at(log_of(L), (size_t)luaL_checkinteger(L, 1), "%s", luaL_checkstring(L, 2));
    stop_unless(L, false);
    return 0;
}

/* tell(line, text): see clump_import_notice_at() */
static int tell(lua_State *L)
{
    stop_unless(L, clump_import_notice_at(log_of(L), (size_t)luaL_checkinteger(L, 1), "%s",
                                          luaL_checkstring(L, 2)));
    return 0;
}

/* ---- the state */

static void open_libraries(lua_State *L)
{
    static const luaL_Reg ours[] = {
        {"next_line", next_line}, {"peek", peek},     {"at", at},       {"is_cut", is_cut},
        {"check_end", check_end}, {"words", words},   {"copy", copy},   {"parse", parse},
        {"number", number},       {"amount", amount}, {"whole", whole}, {"is_nan", is_nan},
        {"sharpen", sharpen},     {"begin", begin},   {"set", set},     {"add", add},
        {"refuse", refuse},       {"tell", tell},     {NULL, NULL}};
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    lua_pushglobaltable(L);
    luaL_setfuncs(L, ours, 0);
}

/* A table of what the user knows beside the file; nil: nothing. */
static void push_hints(lua_State *L, const clump_import_hints *hints)
{
    lua_newtable(L);
    lua_pushinteger(L, hints->window);
    lua_setfield(L, -2, "window");
    lua_pushinteger(L, hints->processes);
    lua_setfield(L, -2, "processes");
    if (hints->size_bytes >= 0)
        lua_pushinteger(L, hints->size_bytes);
    else
        lua_pushnil(L);
    lua_setfield(L, -2, "size");
    lua_pushstring(L, hints->quantity);
    lua_setfield(L, -2, "quantity");
    lua_pushstring(L, hints->name != NULL ? hints->name : "");
    lua_setfield(L, -2, "name");
    lua_setglobal(L, "hints");
}

static void load(lua_State *L, const clump_import_script *script)
{
    if (luaL_loadbufferx(L, script->begin, (size_t)(script->end - script->begin), script->name,
                         "t") != LUA_OK)
        lua_error(L);
}

/* Everything that can raise an error happens in here. */
static int run(lua_State *L)
{
    const clump_import_script *script = lua_touserdata(L, 1);
    const lua_Integer mark = lua_tointeger(L, 2);
    open_libraries(L);
    push_hints(L, &text_of(L)->hints);
    load(L, clump_import_script_common());
    lua_call(L, 0, 0);
    load(L, script);
    lua_pushinteger(L, mark);
    lua_call(L, 1, 0);
    return 0;
}

static void *allocate(void *context, void *old, size_t old_size, size_t new_size)
{
    (void)context;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    void *block = realloc(old, new_size);
    const bool shrinks = old != NULL && new_size <= old_size;
    return block == NULL && shrinks ? old : block; /* Lua relies on it */
}

static bool run_in(lua_State *L, const clump_import_script *script, int mark,
                   clump_import_text *text)
{
    clump_import_log *log = text->log;
    memcpy(lua_getextraspace(L), &text, sizeof text);
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, (void *)(uintptr_t)script);
    lua_pushinteger(L, mark);
    const int status = lua_pcall(L, 2, 0, 0);
    if (status == LUA_ERRMEM)
        return clump_import_fail_memory(log);
    if (status != LUA_OK && log->message[0] == '\0')
        return clump_import_fail(log, "the importer itself failed: %.400s",
                                 lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "?");
    return status == LUA_OK;
}

bool clump_import_script_run(const clump_import_script *script, int mark, clump_import_text *text)
{
    /* What is a letter or a point depends on nobody's language. */
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    lua_State *L = lua_newstate(allocate, NULL);
    bool good = false;
    if (plain == (locale_t)0 || L == NULL) {
        clump_import_fail_memory(text->log);
    } else {
        const locale_t before = uselocale(plain);
        good = run_in(L, script, mark, text);
        uselocale(before);
    }
    if (L != NULL)
        lua_close(L);
    if (plain != (locale_t)0)
        freelocale(plain);
    return good;
}
