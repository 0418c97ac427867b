/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SANDBOX_H
#define CLUMP_SCENARIOS_SANDBOX_H

/*
 * The Lua state in which somebody else's program runs, and its limits.
 *
 * Steps. A count hook charges one step an instruction. Single instructions can be made arbitrarily
 * expensive (comparing long strings, passing many arguments), so the hook also charges a step for
 * every 100 ns of processor time, ten times and more what an ordinary instruction takes. It comes
 * every 1000 instructions, and more often the larger the largest block of memory is, since that is
 * what the dearest instruction can go through. Memory that grows, and calls of the model, are
 * charged by size. Once the steps are used up the hook fires at every instruction and raises again,
 * so that pcall cannot go on. Compiling the script has no hook: there the time is charged with
 * every piece of it that is read.
 *
 * Memory. The allocator refuses to go beyond the limit; what the run keeps outside Lua counts.
 */

#include "data/arena.h"
#include "scenarios/recorded/recorded_kept.h"
#include "scenarios/scenario.h"

#include <lua.h>

#include <locale.h>
#include <stdbool.h>

struct scenario_plan;

typedef struct scenario_sandbox {
    lua_State *L;
    clump_arena *arena;
    const clump_scenario_options *options;
    uint64_t steps, step_limit;
    size_t memory, memory_limit; /* bytes of Lua */
    size_t result_limit;
    uint64_t clock;       /* processor time at the last look, ns */
    uint64_t wall_clock;  /* a clock on the wall then, ns */
    uint64_t counted;     /* instructions since */
    size_t largest;       /* block of memory so far, bytes */
    int interval;         /* instructions from one call of the hook to the next */
    bool slow;            /* they are expensive now */
    uint64_t asked;       /* the watch, by the clock on the wall */
    bool stopped;         /* by the watch; the steps are used up then, too */
    bool armed;           /* limits hold: the script runs, not its preparation */
    bool steps_exhausted; /* sticky */
    bool memory_refused;  /* by the limit, at least once */
    bool uncertain;       /* something was met that draws might move */
    bool failed;          /* the system ran out of memory, the store or the model failed */
    bool no_memory;       /* the store or the model, for want of it */
    int limit_line;       /* where a limit was hit first; 0: not known */
    char chunk[80];       /* the file, as Lua shows it in messages */
    locale_t caller_locale;
    struct scenario_plan *first_plan; /* what the script returned */
    clump_recorded_kept *recordings;  /* that answers (answers.h) do not keep */
    uint64_t told[64]; /* lines that are told once, as hashes; the first told_count */
    size_t told_count;
} scenario_sandbox;

/**
 * Make the state and fill in what belongs to it. `options` and `arena` must outlive it; the
 * callbacks of the options run in `caller_locale`.
 * @return false if there was no memory for it (failed or memory_refused tells why)
 */
bool scenario_sandbox_open(scenario_sandbox *sandbox, const clump_scenario_options *options,
                           clump_arena *arena, locale_t caller_locale);
void scenario_sandbox_close(scenario_sandbox *sandbox);

/** From now on the limits hold; the steps start at 0. */
void scenario_sandbox_arm(scenario_sandbox *sandbox);

/** Push the function that the source makes, within the limits; raises a Lua error. `name` is the
 *  chunk name. */
void scenario_sandbox_compile(lua_State *L, const char *bytes, size_t size, const char *name);

scenario_sandbox *scenario_sandbox_of(lua_State *L);

/** Charge steps; raises a Lua error when they are used up. */
void scenario_charge(lua_State *L, double steps);

/** The same where there is no Lua to raise an error in; false when they are used up. */
bool scenario_charge_quietly(scenario_sandbox *sandbox, double steps);

/** The watch said stop: the script ends. */
void scenario_sandbox_stop(scenario_sandbox *sandbox);

/** Whether so many bytes are there for something that needs them for a moment; raises a Lua error. */
void scenario_need_memory(lua_State *L, double bytes);

/** Whether this line has not been told before (and from now on it has). */
bool scenario_tell_once(scenario_sandbox *sandbox, const char *line);

/** Tell the caller a line, once. */
void scenario_tell(lua_State *L, const char *line);

/** Memory that lives as long as the results, zeroed; raises a Lua error. */
void *scenario_allocate(lua_State *L, size_t count, size_t size);

/** The same, but NULL instead of an error. */
void *scenario_allocate_quietly(lua_State *L, size_t count, size_t size);

/** A copy that lives as long as the results. `text` may be NULL. NULL also without memory. */
const char *scenario_copy_quietly(lua_State *L, const char *text);

/** Raise "not enough memory". */
_Noreturn void scenario_fail_memory(lua_State *L);

#endif
