/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SANDBOX_H
#define CLUMP_SCENARIOS_SANDBOX_H

/*
 * The Lua state in which somebody else's program runs, and its limits.
 *
 * Time. A count hook looks at the clock every 100 instructions: the dearest of them go through all memory that the
 * script has, so that it may take some seconds more. Once time is up the hook comes at every instruction and raises
 * again, so that pcall cannot go on. Compiling has no hook: its time is limited by the size of the source.
 *
 * Memory. The allocator refuses to go beyond the limit; what the run keeps outside Lua counts. What the model takes for a
 * moment is limited by the process (RLIMIT_DATA, cli/memory_limit.h).
 */

#include "data/arena.h"
#include "model/watch.h"
#include "scenarios/recorded/recorded.h"
#include "scenarios/scenario.h"

#include <lua.h>

#include <locale.h>
#include <stdbool.h>

/**
 * The processor time that a script and its rows may take on their thread (--max-seconds), as a watch of the model
 * (model/watch.h). The hook asks the same watch. Processor time, so that a busy machine changes no result.
 */
typedef struct scenario_deadline {
    clump_watch watch;        /**< says stop once time is up, or `outer` says so */
    const clump_watch *outer; /**< who else watches over the run; may be NULL */
    double seconds;           /**< that may be taken */
    double begin_wall;        /**< the clock on the wall at the start, s */
    double begin;             /**< that of the processor; NAN: not looked at yet */
    size_t done,
        total;       /**< rows, for the progress that `outer` hears of; total 0: nothing is told */
    bool is_over;    /**< time was up at least once */
    bool is_stopped; /**< by `outer` */
} scenario_deadline;

/**
 * From now on. It must stay where it is while its watch is used.
 *
 * @param is_short  it is mostly over within microseconds: the clock of the processor, which is dear to read, is left alone
 *                  before it has taken a millisecond by the wall, and the time that was taken is not asked for
 */
void scenario_deadline_start(scenario_deadline *deadline, double seconds, const clump_watch *outer,
                             bool is_short);

/** Processor time since the start, s. */
double scenario_deadline_taken(const scenario_deadline *deadline);

struct scenario_plan;

typedef struct scenario_sandbox {
    lua_State *L;
    clump_arena *arena;
    const clump_scenario_options *options;
    char *message; /* receives a sentence when something fails; never NULL */
    size_t message_size;
    scenario_deadline deadline;
    size_t memory, memory_limit; /* bytes of Lua */
    size_t result_limit;
    bool memory_exceeded; /* by the limit, at least once */
    bool uncertain;       /* something was met that draws might move */
    bool failed;          /* the system ran out of memory, the store or the model failed */
    bool no_memory;       /* the store or the model, for want of it */
    int limit_line;       /* where a limit was hit first; 0: not known */
    char chunk[80];       /* the file, as Lua shows it in messages */
    locale_t caller_locale;
    struct scenario_plan *first_plan; /* what the script returned */
    clump_recorded_kept *recordings;  /* that the cache does not keep */
    uint64_t told[64]; /* lines that are told once, as hashes; the first told_count */
    size_t told_count;
} scenario_sandbox;

/** Make the state, with the limits of the options. The callbacks of these run in caller_locale.
 *  @return false if there was no memory for it (failed or memory_exceeded tells why) */
bool scenario_sandbox_open(scenario_sandbox *sandbox);

/** The state only. */
void scenario_sandbox_close(scenario_sandbox *sandbox);

/** What the plans consist of. */
void scenario_sandbox_release(scenario_sandbox *sandbox);

/** The innermost function of the script that has a line; false: none is running. */
bool scenario_find_line(lua_State *L, lua_Debug *frame);

/** From now on time is limited. */
void scenario_sandbox_start(scenario_sandbox *sandbox);

scenario_sandbox *scenario_sandbox_of(lua_State *L);

/** Raise a Lua error if time is up, or somebody wants the script to stop. For loops in C, which the hook does not see. */
void scenario_check_time(lua_State *L);

/** Whether the script ran out of time, or was stopped: nothing can be done with it any more. */
static inline bool scenario_is_over(const scenario_sandbox *sandbox)
{
    return sandbox->deadline.is_over || sandbox->deadline.is_stopped;
}

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
