/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_FIELD_H
#define CLUMP_SCENARIOS_FIELD_H

#include "model/simulation/service_time.h"
#include "scenarios/sandbox.h"

#include <lua.h>

#include <stddef.h>
#include <stdint.h>

/*
 * Reading the tables of a script. What does not fit raises a Lua error with the place of the call,
 * the field, what was found and what was expected.
 */

/** A table argument, as in platform { ... }. */
typedef struct scenario_table {
    lua_State *L;
    int index;        /**< absolute */
    const char *what; /**< for messages: "platform" */
} scenario_table;

/** Numbers that a field may have. */
typedef struct scenario_range {
    double least, greatest;
    bool above;       /**< more than `least`, not equal to it */
    bool whole;       /**< no fraction */
    const char *word; /**< that stands for SCENARIO_AUTOMATIC; NULL: none */
} scenario_range;

/** What a word in place of a number means: max_nics_per_processor = "auto". */
#define SCENARIO_AUTOMATIC (-1.0)

extern const scenario_range scenario_share;           /**< 0 to 1 */
extern const scenario_range scenario_positive;        /**< above 0 */
extern const scenario_range scenario_not_negative;    /**< 0 or more */
extern const scenario_range scenario_processor_count; /**< what the engine accepts */
extern const scenario_range scenario_nic_count;
extern const scenario_range scenario_nics_per_processor;

/** For messages. */
static inline const char *scenario_name_of(const char *name)
{
    return name != NULL ? name : "(without a name)";
}

/** Raise an error at the place of the call in the script; formats as lua_pushfstring does. */
_Noreturn void scenario_fail(lua_State *L, const char *format, ...);

/** The same for what is not the script's fault. */
_Noreturn void scenario_fail_hard(lua_State *L, bool no_memory, const char *message);

/** Push "FILE:LINE: " of the call in the script, or "". */
void scenario_push_where(lua_State *L);

/** Push words for the value at `index`, such as "'x'", 0.5, a table. */
const char *scenario_describe(lua_State *L, int index);

/** The string at `index`; NULL if it is something else, or has a NUL, which no name has. */
const char *scenario_name_at(lua_State *L, int index);

/** Check that the argument is a table that has no other keys than `keys`, words with a space between. */
scenario_table scenario_table_check(lua_State *L, int index, const char *what, const char *keys);

/** The next of such words, cut off; false: there is none. */
enum { SCENARIO_WORD = 64 };
bool scenario_word_next(const char **words, char word[SCENARIO_WORD]);

/** Open the table that a field is: it is at the top of the stack, its name for messages above it; both are to be popped. false: the
 *  field is absent, and nothing was pushed. */
bool scenario_table_open(scenario_table outer, const char *key, const char *keys,
                         scenario_table *inner);

/** Raise an error about the name at the top of the stack, with the one of `names` that was probably meant.
 *  @param expected  NULL: one of the names */
_Noreturn void scenario_fail_name(scenario_table table, const char *key, const char *expected,
                                  const char *names);

/** Push the field and return its type. Metatables are passed by: what was read stays true. */
int scenario_get(scenario_table table, const char *key);

bool scenario_has(scenario_table table, const char *key);

/** The value at the top of the stack must be a number in the range. */
double scenario_number_at(lua_State *L, const char *what, const char *key,
                          const scenario_range *range);

double scenario_number(scenario_table table, const char *key, const scenario_range *range,
                       double absent);

/** One that must be there. */
double scenario_number_needed(scenario_table table, const char *key, const scenario_range *range);

typedef struct scenario_numbers {
    const double *values;
    size_t count;
} scenario_numbers;

/** A list of numbers, or one; count 0 if the key is absent. Memory as scenario_allocate. */
scenario_numbers scenario_number_list(scenario_table table, const char *key,
                                      const scenario_range *range);

/** true or false; false if absent. */
bool scenario_truth(scenario_table table, const char *key);

/** The greatest of a list; 0: there are none. */
double scenario_greatest(scenario_numbers numbers);

/** A copy, or NULL if absent: UTF-8, one line. */
const char *scenario_text(scenario_table table, const char *key);

/**
 * A value that may be one thing or a list of them: pushes it and tells how many there are (0:
 * absent, nothing is pushed). scenario_item pushes one of them.
 */
typedef struct scenario_list {
    lua_State *L;
    size_t count;
    int index;
    bool single;
} scenario_list;
scenario_list scenario_list_open(scenario_table table, const char *key, const char *expected);
void scenario_item(scenario_list list, size_t i);
void scenario_list_close(scenario_list list);

typedef struct scenario_demand {
    clump_demand demand;
    double gang_size;
    bool absent; /**< the script does not say: that of the application, if it has one */
} scenario_demand;
typedef struct scenario_demands {
    const scenario_demand *values;
    size_t count;
} scenario_demands;

/** Demands and mappings by name, one or several; count 0 if absent. */
scenario_demands scenario_demand_list(scenario_table table, const char *key);
scenario_numbers scenario_mapping_list(scenario_table table, const char *key);

/** Read { domains =, near =, ... }; false if it is absent. */
bool scenario_placement_field(scenario_table table, const char *key, clump_placement *placement);

typedef struct scenario_service_time {
    clump_service_time time;
    const char *name;
} scenario_service_time;
typedef struct scenario_service_times {
    const scenario_service_time *values;
    size_t count;
} scenario_service_times;

/** Distributions by name or { samples = { ... } }, one or several; the exponential one if absent. */
scenario_service_times scenario_service_time_list(scenario_table table, const char *key);

/** One of these names; its index, or `absent`. */
size_t scenario_choice(scenario_table table, const char *key, const char *names, size_t absent);

/** E(1), E(2)...: no table (length 0) stands for E = 1. */
typedef struct scenario_efficiency {
    const double *table;
    size_t length;
} scenario_efficiency;

/** Read a list, or ask the function at the key for 1..processors; length 0 if absent. */
scenario_efficiency scenario_efficiency_field(scenario_table table, const char *key,
                                              double processors);

/** Ask the function at the top of the stack for 1..processors. */
scenario_efficiency scenario_efficiency_call(lua_State *L, const char *what, double processors);

/* The objects that scripts hold: platforms, applications, scenarios. Scripts cannot change them. */

/** Push a zeroed object of a type, with what `object.field` reads (NULL: nothing). */
void *scenario_userdata_new(lua_State *L, size_t size, int user_values, const char *type,
                            lua_CFunction read_field);

/** The name of the field that is read (argument 2), one of `keys`; or raise an error. */
const char *scenario_userdata_field(lua_State *L, const char *type, const char *keys);

#endif
