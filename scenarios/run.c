/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scenario from file to rows.
 *
 * The language: Lua 5.4 without what library.c leaves out, and
 *
 *   range, clump.slowdown   model_binding.c
 *   uncertain               uncertain_binding.c
 *   platform                platform_binding.c
 *   application             application_binding.c
 *   scenario                scenario_binding.c
 *
 * The script returns a scenario or a list of them. `-D name=value` sets a global before it runs;
 * scripts give it a default by `name = name or 8`.
 */
#include "scenarios/scenario.h"

#include "data/suggest.h"
#include "scenarios/definition.h"
#include "scenarios/evaluate.h"
#include "scenarios/library.h"
#include "scenarios/model_binding.h"
#include "scenarios/plan.h"
#include "scenarios/prepare.h"
#include "scenarios/source.h"
#include "scenarios/uncertain_binding.h"
#include "scenarios/utf8.h"

#include <lauxlib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    const clump_scenario_options *options;
    scenario_sandbox sandbox;
    scenario_source source;
    bool compiled;
    locale_t caller_locale;
    char *message;
    size_t message_size;
} run;

static void open_language(lua_State *L)
{
    static const luaL_Reg functions[] = {{"range", scenario_range_new},
                                         {"uncertain", scenario_uncertain_new},
                                         {"platform", scenario_platform_new},
                                         {"application", scenario_application_new},
                                         {"scenario", scenario_plan_new}};
    scenario_library_open(L);
    scenario_platform_register(L);
    scenario_application_register(L);
    scenario_plan_register(L);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        lua_register(L, functions[i].name, functions[i].func);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, scenario_model_slowdown);
    lua_setfield(L, -2, "slowdown");
    lua_setglobal(L, "clump");
}

/* Everything that can raise a Lua error happens in here. */
static int run_script(lua_State *L)
{
    run *r = lua_touserdata(L, 1);
    lua_Debug info;
    open_language(L);
    scenario_definitions_open(L);
    const char *name = lua_pushfstring(L, strcmp(r->options->path, "-") == 0 ? "=%s" : "@%s",
                                       scenario_source_name(r->options->path));
    scenario_sandbox_arm(&r->sandbox);
    scenario_sandbox_compile(L, r->source.bytes + r->source.start, r->source.size - r->source.start,
                             name);
    r->compiled = true;
    lua_pushvalue(L, -1);
    if (lua_getinfo(L, ">S", &info))
        snprintf(r->sandbox.chunk, sizeof r->sandbox.chunk, "%s", info.short_src);
    lua_call(L, 0, 1);
    scenario_plan_collect(L, lua_gettop(L));
    scenario_definitions_check(L);
    return 0;
}

/* Turns what was raised into text with a place. */
static int on_error(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING) {
        const char *text = lua_tostring(L, 1), *chunk = scenario_sandbox_of(L)->chunk;
        if (strncmp(text, chunk, strlen(chunk)) == 0)
            return 1;
        scenario_push_where(L);
        lua_pushvalue(L, 1);
        lua_concat(L, 2);
        return 1;
    }
    const char *found = scenario_describe(L, 1);
    if (luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL)
        found = luaL_tolstring(L, 1, NULL);
    scenario_push_where(L);
    lua_pushfstring(L, "%sthe script raised %s", lua_tostring(L, -1), found);
    return 1;
}

/* "attempt to call a nil value (global 'platfrom')": what was meant? */
static void add_suggestion(char *text, size_t size)
{
    static const char *const names[] = {"platform", "application", "scenario", "range", "uncertain",
                                        "clump",    "ipairs",      "pairs",    "print", "math",
                                        "table",    "string",      NULL};
    static const char *const removed[] = {
        "require", "dofile",  "load",   "loadfile",       "io", "os", "debug", "coroutine",
        "utf8",    "package", "xpcall", "collectgarbage", NULL};
    char name[64];
    const char *start = strstr(text, "(global '");
    const size_t used = strlen(text);
    if (start == NULL || sscanf(start, "(global '%63[A-Za-z0-9_]')", name) != 1)
        return;
    for (size_t i = 0; removed[i] != NULL; i++)
        if (strcmp(name, removed[i]) == 0) {
            snprintf(text + used, size - used, "; scenarios do not have it");
            return;
        }
    const char *near = clump_suggest_among(CLUMP_SUGGEST_FIELD, name, names);
    if (near != NULL && strcmp(near, name) != 0)
        snprintf(text + used, size - used, "; did you mean \"%s\"?", near);
}

/* Lua shortens long file names in messages: put the whole name there. */
static void write_message(const run *r, const char *text)
{
    const char *name = scenario_source_name(r->options->path), *chunk = r->sandbox.chunk;
    const size_t length = strlen(chunk);
    const char *rest = text;
    if (length > 0 && strncmp(text, chunk, length) == 0 && text[length] == ':')
        rest = text + length + 1;
    else if (strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':')
        rest = text + strlen(name) + 1;
    snprintf(r->message, r->message_size, "%s:%s%s", name, rest == text ? " " : "", rest);
    add_suggestion(r->message, r->message_size);
    scenario_utf8_clean(r->message, strlen(r->message));
}

static void write_limit(const run *r, const char *what)
{
    const scenario_sandbox *s = &r->sandbox;
    char text[320];
    if (s->limit_line > 0)
        snprintf(text, sizeof text, "%s:%d: %s", s->chunk, s->limit_line, what);
    else
        snprintf(text, sizeof text, "%s", what);
    write_message(r, text);
}

static bool is_out_of_memory(lua_State *L, int status)
{
    static const char end[] = "not enough memory";
    size_t size;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : NULL;
    return status == LUA_ERRMEM ||
           (text != NULL && size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0);
}

static clump_scenario_status explain(run *r, int status)
{
    scenario_sandbox *s = &r->sandbox;
    lua_State *L = s->L;
    char what[160];
    if (s->steps_exhausted) {
        snprintf(what, sizeof what,
                 "%s more than the %llu steps allowed; make it %s, or raise the limit with "
                 "--max-steps",
                 r->compiled ? "the script needs" : "compiling the script takes",
                 (unsigned long long)s->step_limit, r->compiled ? "do less" : "simpler");
        write_limit(r, what);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    if (is_out_of_memory(L, status) && !s->failed && s->memory_refused) {
        snprintf(what, sizeof what,
                 "the script needs more than the %zu bytes of memory allowed; make it need less, "
                 "or raise the limit with --max-memory",
                 s->memory_limit);
        write_limit(r, what);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    if (is_out_of_memory(L, status))
        write_message(r, "out of memory");
    else if (lua_type(L, -1) == LUA_TSTRING)
        write_message(r, lua_tostring(L, -1));
    else
        write_message(r, "the script raised an error that cannot be shown, expected a message");
    return s->failed || is_out_of_memory(L, status) ? CLUMP_SCENARIO_FAILED
                                                    : CLUMP_SCENARIO_BAD_INPUT;
}

static clump_scenario_status run_sandbox(run *r, scenario_arena *arena)
{
    scenario_sandbox *s = &r->sandbox;
    if (!scenario_sandbox_open(s, r->options, arena, r->caller_locale)) {
        char what[160];
        snprintf(what, sizeof what,
                 s->failed ? "out of memory"
                           : "%zu bytes of memory are too few to start with; raise the limit with "
                             "--max-memory",
                 s->memory_limit);
        write_message(r, what);
        return s->failed ? CLUMP_SCENARIO_FAILED : CLUMP_SCENARIO_BAD_INPUT;
    }
    lua_State *L = s->L;
    lua_pushcfunction(L, on_error); /* light functions: these allocate nothing */
    lua_pushcfunction(L, run_script);
    lua_pushlightuserdata(L, r);
    const int status = lua_pcall(L, 1, 0, 1);
    if (status != LUA_OK || s->steps_exhausted)
        return explain(r, status);
    return CLUMP_SCENARIO_OK;
}

/* Scenarios without a title are called by their file: "dir/figure-8.2.lua" is "figure-8.2". */
static bool add_titles(run *r, scenario_arena *arena)
{
    const char *path = scenario_source_name(r->options->path);
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t size = strlen(name);
    if (size > 4 && strcmp(name + size - 4, ".lua") == 0)
        size -= 4;
    char *title = scenario_arena_take(arena, size + 1);
    if (title == NULL)
        return false;
    memcpy(title, name, size);
    scenario_utf8_clean(title, size);
    for (scenario_plan *plan = r->sandbox.first_plan; plan != NULL; plan = plan->next)
        if (plan->title == NULL)
            plan->title = title;
    return true;
}

/* Runs the script; what it returned stays in the sandbox, which the caller closes. */
static clump_scenario_status run_to_plans(run *r, scenario_arena *arena)
{
    clump_scenario_status status = run_sandbox(r, arena);
    if (status == CLUMP_SCENARIO_OK && !add_titles(r, arena)) {
        write_message(r, "out of memory");
        status = CLUMP_SCENARIO_FAILED;
    }
    return status;
}

static clump_scenario_status run_all(run *r, scenario_arena *arena, void *results)
{
    clump_scenario_results found = {.strings = arena};
    clump_scenario_status status = run_to_plans(r, arena);
    if (status == CLUMP_SCENARIO_OK) {
        char text[1024];
        status = scenario_evaluate(&r->sandbox, &found.rows, &found.count, text, sizeof text);
        if (status != CLUMP_SCENARIO_OK)
            write_message(r, text);
    }
    if (status == CLUMP_SCENARIO_OK) {
        found.title = (char *)r->sandbox.first_plan->title;
        *(clump_scenario_results *)results = found;
    }
    scenario_sandbox_close(&r->sandbox);
    return status;
}

static clump_scenario_status run_only(run *r, scenario_arena *arena, void *scenario)
{
    const clump_scenario_status status = run_to_plans(r, arena);
    if (status == CLUMP_SCENARIO_OK)
        *(struct clump_scenario *)scenario = (struct clump_scenario){
            .arena = arena,
            .first_plan = r->sandbox.first_plan,
            .step_limit = r->sandbox.step_limit,
        };
    scenario_sandbox_close(&r->sandbox);
    return status;
}

static clump_scenario_status read_source(run *r)
{
    const clump_scenario_options *options = r->options;
    if (options->text == NULL)
        return scenario_source_read(options->path, &r->source, r->message, r->message_size);
    r->source = (scenario_source){.size = options->text_size};
    r->source.bytes = malloc(options->text_size + 1);
    if (r->source.bytes == NULL) {
        snprintf(r->message, r->message_size, "out of memory");
        return CLUMP_SCENARIO_FAILED;
    }
    memcpy(r->source.bytes, options->text, options->text_size);
    return CLUMP_SCENARIO_OK;
}

/* Run the script in the C locale: numbers are written with '.' and names compared byte by byte,
 * whatever the locale is. `go` leaves its results in `out`, which own the arena from then on. */
static clump_scenario_status run_in_arena(const clump_scenario_options *options,
                                          clump_scenario_status (*go)(run *, scenario_arena *,
                                                                      void *),
                                          void *out, char *message, size_t message_size)
{
    run r = {.options = options, .message = message, .message_size = message_size};
    message[0] = '\0';
    clump_scenario_status status = read_source(&r);
    if (status != CLUMP_SCENARIO_OK) {
        scenario_utf8_clean(message, strlen(message));
        return status;
    }
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    scenario_arena *arena = scenario_arena_new();
    if (plain == (locale_t)0 || arena == NULL) {
        write_message(&r, "out of memory");
        status = CLUMP_SCENARIO_FAILED;
    } else {
        r.caller_locale = uselocale(plain);
        status = go(&r, arena, out);
        uselocale(r.caller_locale);
    }
    if (plain != (locale_t)0)
        freelocale(plain);
    if (status != CLUMP_SCENARIO_OK)
        scenario_arena_free(arena);
    free(r.source.bytes);
    return status;
}

clump_scenario_status clump_scenario_run(const clump_scenario_options *options,
                                         clump_scenario_results *results, char *message,
                                         size_t message_size)
{
    return run_in_arena(options, run_all, results, message, message_size);
}

clump_scenario_status scenario_prepare(const clump_scenario_options *options,
                                       struct clump_scenario *scenario, char *message,
                                       size_t message_size)
{
    return run_in_arena(options, run_only, scenario, message, message_size);
}

void clump_scenario_results_free(clump_scenario_results *results)
{
    free(results->rows);
    scenario_arena_free(results->strings);
    *results = (clump_scenario_results){0};
}
