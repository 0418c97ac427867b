/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/script.h"

#include "data/number.h"
#include "data/store/digest.h"
#include "data/suggest.h"
#include "data/text.h"
#include "scenarios/language.h"
#include "scenarios/point.h"

#include <lauxlib.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Everything that can raise a Lua error happens in here. */
static int run_script(lua_State *L)
{
    const scenario_source *source = lua_touserdata(L, 1);
    scenario_sandbox *s = scenario_sandbox_of(L);
    lua_Debug info;
    scenario_language_open(L);
    const char *name = lua_pushfstring(L, strcmp(s->options->path, "-") == 0 ? "=%s" : "@%s",
                                       scenario_source_name(s->options->path));
    scenario_sandbox_start(s);
    if (luaL_loadbufferx(L, source->bytes + source->start, source->size - source->start, name,
                         "t") != LUA_OK)
        lua_error(L);
    lua_pushvalue(L, -1);
    if (lua_getinfo(L, ">S", &info))
        snprintf(s->chunk, sizeof s->chunk, "%s", info.short_src);
    lua_call(L, 0, 1);
    scenario_plan_collect(L, lua_gettop(L));
    scenario_language_finish(L);
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
    static const char *const names[] = {"platform",  "application", "scenario",   "range",
                                        "uncertain", "clump",       "collective", "training_step",
                                        "ipairs",    "pairs",       "print",      "math",
                                        "table",     "string",      NULL};
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

/* A number that was mistyped, as "25Gb" or "1,5", is a text to Lua, which counts with it in vain; so are nan and inf. */
static bool is_almost_number(const char *text)
{
    static const char *const others[] = {"nan", "inf", "infinity"};
    const char *digits = text + strspn(text, "+-");
    double value;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(digits, others[i]) == 0)
            return true;
    digits += *digits == '.';
    return *digits >= '0' && *digits <= '9' && strncasecmp(digits, "0x", 2) != 0 &&
           !clump_number_read_share(text, strlen(text), &value);
}

/* "attempt to mul a 'number' with a 'string'": whose? */
static void add_definition(const scenario_sandbox *s, char *text, size_t size)
{
    const size_t used = strlen(text);
    if (strstr(text, "attempt to") == NULL || strstr(text, "string") == NULL)
        return;
    for (size_t i = 0; i < s->options->definition_count; i++) {
        const clump_scenario_definition *d = &s->options->definitions[i];
        if (is_almost_number(d->value)) {
            snprintf(text + used, size - used, "; -D %.60s=%.60s: found a text, expected a number",
                     d->name, d->value);
            return;
        }
    }
}

/* Lua shortens long file names in messages. */
void scenario_script_fail(const scenario_sandbox *s, const char *text)
{
    const char *name = scenario_source_name(s->options->path), *chunk = s->chunk;
    const size_t length = strlen(chunk);
    const char *rest = text;
    if (length > 0 && strncmp(text, chunk, length) == 0 && text[length] == ':')
        rest = text + length + 1;
    else if (strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':')
        rest = text + strlen(name) + 1;
    snprintf(s->message, s->message_size, "%s:%s%s", name, rest == text ? " " : "", rest);
    add_suggestion(s->message, s->message_size);
    add_definition(s, s->message, s->message_size);
    clump_text_clean(s->message, strlen(s->message));
}

static void write_limit(const scenario_sandbox *s, const char *what)
{
    char text[320];
    if (s->limit_line > 0)
        snprintf(text, sizeof text, "%s:%d: %s", s->chunk, s->limit_line, what);
    else
        snprintf(text, sizeof text, "%s", what);
    scenario_script_fail(s, text);
}

/* Whether memory was wanting and the script ends for it. It may have caught the error and raised it
 * again as its own; but the words alone, which any script can say, are no want of memory. */
static bool is_out_of_memory(const scenario_sandbox *s, int status)
{
    static const char end[] = "not enough memory";
    size_t size;
    const char *text = lua_type(s->L, -1) == LUA_TSTRING ? lua_tolstring(s->L, -1, &size) : NULL;
    return status == LUA_ERRMEM ||
           ((s->failed || s->memory_exceeded) && text != NULL && size >= strlen(end) &&
            strcmp(text + size - strlen(end), end) == 0);
}

static clump_scenario_status explain_failure(scenario_sandbox *s, int status)
{
    lua_State *L = s->L;
    char what[160];
    if (s->deadline.is_stopped) {
        snprintf(s->message, s->message_size, "the script was running");
        return CLUMP_SCENARIO_STOPPED;
    }
    if (s->deadline.is_over) {
        snprintf(what, sizeof what,
                 "the script needs more than the %g s allowed; make it do less, or raise the limit "
                 "with --max-seconds",
                 s->deadline.seconds);
        write_limit(s, what);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    if (is_out_of_memory(s, status) && !s->failed && s->memory_exceeded) {
        snprintf(what, sizeof what,
                 "the script needs more than the %zu bytes of memory allowed; make it need less, "
                 "or raise the limit with --max-memory",
                 s->memory_limit);
        write_limit(s, what);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    if (is_out_of_memory(s, status))
        scenario_script_fail(s, "out of memory");
    else if (lua_type(L, -1) == LUA_TSTRING)
        scenario_script_fail(s, lua_tostring(L, -1));
    else
        scenario_script_fail(s,
                             "the script raised an error that cannot be shown, expected a message");
    return s->no_memory || is_out_of_memory(s, status) ? CLUMP_SCENARIO_NO_MEMORY
           : s->failed                                 ? CLUMP_SCENARIO_FAILED
                                                       : CLUMP_SCENARIO_BAD_INPUT;
}

/* ---- the walk: the file, its script, the plans that it returns */

/* Runs the script; what it returned stays in the sandbox. */
static clump_scenario_status run_in_sandbox(scenario_sandbox *s, scenario_source *source)
{
    if (!scenario_sandbox_open(s)) {
        char what[160];
        snprintf(what, sizeof what,
                 s->failed ? "out of memory"
                           : "%zu bytes of memory are too few to start with; raise the limit with "
                             "--max-memory",
                 s->memory_limit);
        scenario_script_fail(s, what);
        return s->failed ? CLUMP_SCENARIO_NO_MEMORY : CLUMP_SCENARIO_BAD_INPUT;
    }
    lua_State *L = s->L;
    lua_pushcfunction(L, on_error); /* light functions: these allocate nothing */
    lua_pushcfunction(L, run_script);
    lua_pushlightuserdata(L, source);
    const int status = lua_pcall(L, 1, 0, 1);
    if (status != LUA_OK || scenario_is_over(s))
        return explain_failure(s, status);
    return CLUMP_SCENARIO_OK;
}

/* Scenarios without a title are called by their file: "dir/figure-8.2.lua" is "figure-8.2". */
static clump_scenario_status add_titles(scenario_sandbox *s)
{
    const char *path = scenario_source_name(s->options->path);
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t size = strlen(name);
    if (size > 4 && strcmp(name + size - 4, ".lua") == 0)
        size -= 4;
    char *title = clump_arena_take(s->arena, size + 1);
    if (title == NULL) {
        scenario_script_fail(s, "out of memory");
        return CLUMP_SCENARIO_NO_MEMORY;
    }
    memcpy(title, name, size);
    clump_text_clean(title, size);
    for (scenario_plan *plan = s->first_plan; plan != NULL; plan = plan->next)
        if (plan->title == NULL)
            plan->title = title;
    return CLUMP_SCENARIO_OK;
}

static clump_scenario_status read_source(scenario_sandbox *s, scenario_source *source)
{
    const clump_scenario_options *options = s->options;
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    if (options->text != NULL)
        *source = (scenario_source){(char *)(uintptr_t)options->text, options->text_size, 0};
    else
        status = scenario_source_read(options->path, source, s->message, s->message_size);
    clump_text_clean(s->message, strlen(s->message));
    return status;
}

locale_t scenario_enter_plain_locale(void)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain != (locale_t)0 ? uselocale(plain) : plain;
}

void scenario_leave_plain_locale(locale_t before)
{
    if (before != (locale_t)0)
        freelocale(uselocale(before));
}

clump_scenario_status scenario_script_run(scenario_sandbox *s)
{
    const clump_scenario_options *options = s->options;
    scenario_source source = {.bytes = NULL};
    s->message[0] = '\0';
    clump_scenario_status status = read_source(s, &source);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    s->caller_locale = scenario_enter_plain_locale();
    s->arena = clump_arena_new();
    if (s->caller_locale == (locale_t)0 || s->arena == NULL) {
        scenario_script_fail(s, "out of memory");
        status = CLUMP_SCENARIO_NO_MEMORY;
    }
    clump_provenance_add(options->provenance, "scenario", source.bytes, source.size);
    if (options->store != NULL)
        clump_store_trace(options->store, options->provenance);
    if (status == CLUMP_SCENARIO_OK)
        status = run_in_sandbox(s, &source);
    if (options->store != NULL)
        clump_store_trace(options->store, NULL);
    if (status == CLUMP_SCENARIO_OK)
        status = add_titles(s);
    if (options->seconds != NULL && s->deadline.seconds > 0)
        *options->seconds = scenario_deadline_taken(&s->deadline);
    scenario_sandbox_close(s);
    scenario_leave_plain_locale(s->caller_locale);
    if (options->text == NULL)
        free(source.bytes);
    return status;
}
