/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/sandbox.h"
#include "data/hash.h"

#include <lauxlib.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- time */

static double clock_seconds(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double scenario_deadline_taken(const scenario_deadline *d)
{
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID) - d->begin;
}

static const double short_time = 1e-3; /* s */

static int look(double share, void *context)
{
    scenario_deadline *d = context;
    const double whole = d->total > 0 ? ((double)d->done + share) / (double)d->total : NAN;
    const double elapsed = clock_seconds(CLOCK_MONOTONIC) - d->begin_wall;
    d->is_stopped = d->is_stopped || clump_watch_stops(d->outer, whole);
    if (isnan(d->begin) && elapsed > short_time)
        d->begin = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - elapsed;
    if (!d->is_over && elapsed >= d->seconds)
        d->is_over = scenario_deadline_taken(d) >= d->seconds;
    return d->is_over || d->is_stopped;
}

void scenario_deadline_start(scenario_deadline *d, double seconds, const clump_watch *outer,
                             bool is_short)
{
    *d = (scenario_deadline){.outer = outer,
                             .seconds = seconds,
                             .begin = is_short ? NAN : clock_seconds(CLOCK_THREAD_CPUTIME_ID),
                             .begin_wall = clock_seconds(CLOCK_MONOTONIC)};
    d->watch = (clump_watch){.look = look, .context = d};
}

enum { INTERVAL = 100 }; /* instructions between two looks at the clock */

scenario_sandbox *scenario_sandbox_of(lua_State *L)
{
    scenario_sandbox *sandbox;
    memcpy(&sandbox, lua_getextraspace(L), sizeof sandbox);
    return sandbox;
}

bool scenario_find_line(lua_State *L, lua_Debug *frame)
{
    for (int level = 0; lua_getstack(L, level, frame); level++)
        if (lua_getinfo(L, "Sl", frame) && frame->currentline > 0)
            return true;
    return false;
}

/* Of the script; 0: none. Allocates nothing. */
static int current_line(lua_State *L)
{
    lua_Debug frame;
    return scenario_find_line(L, &frame) ? frame.currentline : 0;
}

static void on_count(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    scenario_check_time(L);
}

void scenario_check_time(lua_State *L)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    if (!clump_watch_stops(&s->deadline.watch, NAN))
        return;
    if (lua_gethookcount(L) > 1) { /* the first time */
        s->limit_line = current_line(L);
        lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
    }
    lua_pushliteral(L, "time is up");
    lua_error(L);
}

static bool note_limit(scenario_sandbox *s)
{
    if (!s->memory_exceeded && s->L != NULL && !scenario_is_over(s))
        s->limit_line = current_line(s->L);
    s->memory_exceeded = true;
    return false;
}

/* May the run have `growth` more bytes? */
static bool may_grow(scenario_sandbox *s, size_t growth)
{
    const size_t used = s->memory + s->arena->size;
    if (used > s->memory_limit || growth > s->memory_limit - used)
        return note_limit(s);
    return true;
}

static void *allocate(void *context, void *old, size_t old_size, size_t new_size)
{
    scenario_sandbox *s = context;
    if (old == NULL)
        old_size = 0; /* Lua tells the kind of object there */
    if (new_size == 0) {
        free(old);
        s->memory -= old_size;
        return NULL;
    }
    if (new_size > old_size && !may_grow(s, new_size - old_size))
        return NULL;
    void *new = realloc(old, new_size);
    if (new == NULL) {
        if (new_size <= old_size)
            return old; /* Lua relies on shrinking */
        s->failed = true;
        return NULL;
    }
    s->memory = s->memory - old_size + new_size;
    return new;
}

bool scenario_sandbox_open(scenario_sandbox *s)
{
    const clump_scenario_options *o = s->options;
    s->memory_limit = o->memory_limit ? o->memory_limit : CLUMP_SCENARIO_DEFAULT_MEMORY;
    s->result_limit = o->result_limit ? o->result_limit : CLUMP_SCENARIO_DEFAULT_RESULTS;
    lua_State *L = lua_newstate(allocate, s);
    if (L == NULL)
        return false;
    memcpy(lua_getextraspace(L), &s, sizeof s);
    s->L = L;
    return true;
}

void scenario_sandbox_close(scenario_sandbox *s)
{
    if (s->L == NULL)
        return;
    lua_sethook(s->L, NULL, 0, 0);
    lua_close(s->L);
    s->L = NULL;
}

void scenario_sandbox_release(scenario_sandbox *s)
{
    clump_recorded_kept_free(s->recordings);
    if (s->arena != NULL)
        clump_arena_free(s->arena);
}

void scenario_sandbox_start(scenario_sandbox *s)
{
    const double seconds = s->options->seconds_limit;
    scenario_deadline_start(&s->deadline, seconds > 0 ? seconds : CLUMP_SCENARIO_DEFAULT_SECONDS,
                            s->options->watch, false);
    lua_sethook(s->L, on_count, LUA_MASKCOUNT, INTERVAL);
}

void scenario_fail_memory(lua_State *L)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    if (!s->memory_exceeded)
        s->failed = true;
    (void)luaL_error(L, "not enough memory");
    __builtin_unreachable();
}

void *scenario_allocate_quietly(lua_State *L, size_t count, size_t size)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    if (count == 0)
        count = 1;
    if (count > SIZE_MAX / 4 / size) {
        note_limit(s);
        return NULL;
    }
    const size_t need = clump_arena_need(s->arena, count * size);
    if (need > 0 && !may_grow(s, need))
        return NULL;
    void *taken = clump_arena_take(s->arena, count * size);
    if (taken == NULL)
        s->failed = true;
    return taken;
}

void *scenario_allocate(lua_State *L, size_t count, size_t size)
{
    void *taken = scenario_allocate_quietly(L, count, size);
    if (taken == NULL && !scenario_sandbox_of(L)->failed) {
        lua_gc(L, LUA_GCCOLLECT);
        taken = scenario_allocate_quietly(L, count, size);
    }
    if (taken == NULL)
        scenario_fail_memory(L);
    return taken;
}

const char *scenario_copy_quietly(lua_State *L, const char *text)
{
    if (text == NULL)
        return NULL;
    const size_t size = strlen(text) + 1;
    char *copy = scenario_allocate_quietly(L, size, 1);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

void scenario_tell(lua_State *L, const char *line)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    const uint64_t hash = clump_hash_bytes(CLUMP_HASH_START, line, strlen(line));
    for (size_t i = 0; i < s->told_count; i++)
        if (s->told[i] == hash)
            return;
    if (s->options->print == NULL || s->told_count == sizeof s->told / sizeof *s->told)
        return;
    s->told[s->told_count++] = hash;
    const locale_t ours = uselocale(s->caller_locale);
    s->options->print(line, s->options->context);
    uselocale(ours);
}
