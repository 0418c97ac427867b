/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/sandbox.h"
#include "data/hash.h"

#include <lauxlib.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    INTERVAL = 1000,      /* instructions between two looks */
    SLOW_INTERVAL = 10,   /* the same while instructions are expensive */
    SLOW_NS = 5000000,    /* an interval that takes longer is slow */
    ASKING_NS = 20000000, /* between two questions to the watch */
    COMMON_SIZE = 65536,  /* up to so many bytes the largest block makes no more looks necessary */
    NS_PER_STEP = 100,    /* processor time that counts as one step */
    BYTES_PER_STEP = 16,  /* memory that counts as one step */
    PIECE = 128,          /* bytes of source between two looks: each can cost the compiler time in
                          * proportion to all before it */
};

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

scenario_sandbox *scenario_sandbox_of(lua_State *L)
{
    scenario_sandbox *sandbox;
    memcpy(&sandbox, lua_getextraspace(L), sizeof sandbox);
    return sandbox;
}

/* Line of the innermost function of the script; allocates nothing. */
static int current_line(lua_State *L)
{
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++)
        if (lua_getinfo(L, "l", &frame) && frame.currentline > 0)
            return frame.currentline;
    return 0;
}

static void on_count(lua_State *L, lua_Debug *ar);

bool scenario_charge_quietly(scenario_sandbox *s, double steps)
{
    if (!s->armed)
        return true;
    const double room = (double)(s->step_limit - s->steps);
    if (s->steps_exhausted || !(steps <= room)) {
        s->steps = s->step_limit;
        if (!s->steps_exhausted && s->L != NULL) {
            s->limit_line = current_line(s->L);
            lua_sethook(s->L, on_count, LUA_MASKCOUNT, 1);
        }
        s->steps_exhausted = true;
        return false;
    }
    s->steps += (uint64_t)steps;
    return true;
}

void scenario_charge(lua_State *L, double steps)
{
    if (!scenario_charge_quietly(scenario_sandbox_of(L), steps)) {
        lua_pushliteral(L, "the steps are used up");
        lua_error(L);
    }
}

/* Processor time since the last look, ns. */
static uint64_t look(scenario_sandbox *s)
{
    const uint64_t now = nanoseconds(CLOCK_THREAD_CPUTIME_ID), spent = now - s->clock;
    s->clock = now;
    s->wall_clock = nanoseconds(CLOCK_MONOTONIC);
    s->counted = 0;
    return spent;
}

/* Look more often the larger the largest block is: one instruction may go through all of it. */
static void set_interval(scenario_sandbox *s)
{
    const size_t by_size =
        s->largest > COMMON_SIZE ? (size_t)INTERVAL * COMMON_SIZE / s->largest + 1 : INTERVAL;
    const int most = s->slow ? SLOW_INTERVAL : INTERVAL;
    const int interval = by_size < (size_t)most ? (int)by_size : most;
    if (interval == s->interval)
        return;
    s->interval = interval;
    if (s->L != NULL && s->armed && !s->steps_exhausted)
        lua_sethook(s->L, on_count, LUA_MASKCOUNT, interval);
}

void scenario_sandbox_stop(scenario_sandbox *s)
{
    s->stopped = true;
    scenario_charge_quietly(s, HUGE_VAL);
}

/* Tell who waits how far the script is, and ask whether to go on. */
static void ask(scenario_sandbox *s, uint64_t now)
{
    const clump_scenario_options *options = s->options;
    const locale_t ours = uselocale(s->caller_locale);
    s->asked = now;
    if (options->running != NULL)
        options->running((double)s->steps / (double)s->step_limit, options->context);
    const bool stop = clump_watch_stops(options->watch, NAN);
    uselocale(ours);
    if (stop)
        scenario_sandbox_stop(s);
}

static void on_count(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    scenario_sandbox *s = scenario_sandbox_of(L);
    const uint64_t now = nanoseconds(CLOCK_MONOTONIC);
    if (!s->steps_exhausted && now - s->asked > ASKING_NS)
        ask(s, now);
    if (s->steps_exhausted)
        scenario_charge(L, 1);
    const uint64_t charged = (uint64_t)s->interval, before = s->counted;
    s->counted += charged;
    /* Processor time is dear to ask for, and cannot be more than the time that has passed. */
    if (now - s->wall_clock <= s->counted * NS_PER_STEP) {
        scenario_charge(L, (double)charged);
        return;
    }
    const uint64_t spent = look(s), by_time = spent / NS_PER_STEP;
    s->slow = spent > SLOW_NS;
    set_interval(s);
    scenario_charge(L, (double)(by_time > before + charged ? by_time - before : charged));
}

static bool refuse(scenario_sandbox *s)
{
    if (!s->memory_refused && s->L != NULL && !s->steps_exhausted)
        s->limit_line = current_line(s->L);
    s->memory_refused = true;
    /* Lua now collects all garbage and asks again: that costs as much as there is. */
    scenario_charge_quietly(s, (double)(s->memory / BYTES_PER_STEP));
    return false;
}

/* May the run have `growth` more bytes? */
static bool admit(scenario_sandbox *s, size_t growth)
{
    if (!scenario_charge_quietly(s, (double)(growth / BYTES_PER_STEP)))
        return false;
    const size_t used = s->memory + s->arena->size;
    if (used > s->memory_limit || growth > s->memory_limit - used)
        return refuse(s);
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
    if (new_size > old_size && !admit(s, new_size - old_size))
        return NULL;
    void *new = realloc(old, new_size);
    if (new == NULL) {
        if (new_size <= old_size)
            return old; /* Lua relies on shrinking */
        s->failed = true;
        return NULL;
    }
    s->memory = s->memory - old_size + new_size;
    if (new_size > s->largest) {
        s->largest = new_size;
        set_interval(s);
    }
    return new;
}

bool scenario_sandbox_open(scenario_sandbox *s, const clump_scenario_options *options,
                           clump_arena *arena, locale_t caller_locale)
{
    *s = (scenario_sandbox){
        .arena = arena,
        .options = options,
        .caller_locale = caller_locale,
        .step_limit = options->step_limit ? options->step_limit : CLUMP_SCENARIO_DEFAULT_STEPS,
        .memory_limit =
            options->memory_limit ? options->memory_limit : CLUMP_SCENARIO_DEFAULT_MEMORY,
        .result_limit =
            options->result_limit ? options->result_limit : CLUMP_SCENARIO_DEFAULT_RESULTS,
    };
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
    clump_recorded_kept_free(s->recordings);
    s->recordings = NULL;
}

void scenario_sandbox_arm(scenario_sandbox *s)
{
    s->armed = true;
    s->steps = 0;
    look(s);
    s->asked = s->wall_clock;
    set_interval(s);
    lua_sethook(s->L, on_count, LUA_MASKCOUNT, s->interval);
}

typedef struct pieces {
    const char *bytes;
    size_t left;
} pieces;

static const char *next_piece(lua_State *L, void *context, size_t *size)
{
    pieces *p = context;
    const char *piece = p->bytes;
    scenario_charge(L, (double)(look(scenario_sandbox_of(L)) / NS_PER_STEP));
    *size = p->left < PIECE ? p->left : PIECE;
    p->bytes += *size;
    p->left -= *size;
    return piece;
}

void scenario_sandbox_compile(lua_State *L, const char *bytes, size_t size, const char *name)
{
    pieces p = {bytes, size};
    if (lua_load(L, next_piece, &p, name, "t") != LUA_OK)
        lua_error(L);
}

void scenario_fail_memory(lua_State *L)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    if (!s->memory_refused)
        s->failed = true;
    (void)luaL_error(L, "not enough memory");
    __builtin_unreachable();
}

void scenario_need_memory(lua_State *L, double bytes)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    if (!admit(s, bytes < 0x1p60 ? (size_t)bytes : (size_t)1 << 60))
        scenario_fail_memory(L);
}

void *scenario_allocate_quietly(lua_State *L, size_t count, size_t size)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    if (count == 0)
        count = 1;
    if (count > SIZE_MAX / 4 / size) {
        refuse(s);
        return NULL;
    }
    const size_t need = clump_arena_need(s->arena, count * size);
    if (need > 0 && !admit(s, need))
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

bool scenario_tell_once(scenario_sandbox *s, const char *line)
{
    const uint64_t hash = clump_hash_bytes(CLUMP_HASH_START, line, strlen(line));
    for (size_t i = 0; i < s->told_count; i++)
        if (s->told[i] == hash)
            return false;
    if (s->told_count == sizeof s->told / sizeof *s->told)
        return false;
    s->told[s->told_count++] = hash;
    return true;
}

void scenario_tell(lua_State *L, const char *line)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    if (s->options->print == NULL || !scenario_tell_once(s, line))
        return;
    const locale_t ours = uselocale(s->caller_locale);
    s->options->print(line, s->options->context);
    uselocale(ours);
}
