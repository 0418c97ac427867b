/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_STORE_ANSWERS_H
#define CLUMP_SCENARIOS_STORE_ANSWERS_H

/*
 * What scenarios read from the store. Answers are kept from one run of a script to the next, where the caller has a
 * clump_scenario_cache (scenario.h): a look into the store can cost a millisecond, and sweeps and intervals run a script thousands
 * of times (predict clump-vs-now: 1.9 s without, 0.1 s with it). Values are drawn from their intervals where the caller draws.
 * All of these raise Lua errors with the store's message.
 */

#include "data/store/related.h"
#include "model/uncertain.h"
#include "model/workload/misses.h"
#include "scenarios/field.h"
#include "scenarios/recorded/recorded.h"

/** The store, if there is time for a look into it. */
clump_store *scenario_store_of(lua_State *L);

/** Raise the error for a status of the store; `what` was looked for. */
_Noreturn void scenario_store_fail(lua_State *L, clump_store_status status, const char *what);

/** Free a record and raise an error about it. What the store promises of its records is checked again: a file that somebody
 *  damaged would be counted wrongly in silence. */
_Noreturn void scenario_store_invalid(lua_State *L, void *record, const char *what,
                                      const char *name, const char *reason);

/** The run within one node from which it is known what a program computes. */
typedef struct scenario_computation_source {
    char platform[CLUMP_STORE_RELATED_NAME]; /**< "": there is none */
    char application[CLUMP_STORE_RELATED_NAME];
    double share; /**< of that computation which a processor has where the run is predicted */
} scenario_computation_source;

/** Which members are set follows from what was asked. */
typedef struct scenario_answer {
    struct scenario_answer *next;
    bool known; /**< else all zero: it is to be filled in, and marked */
    clump_store_status status;
    clump_store_measurement measured;
    char *why; /**< the store's message where there is no measurement; NULL: no memory for it */
    clump_recorded_kept *recording;
    clump_misses misses;
    scenario_computation_source computation;
    char key[]; /**< "": it is not kept, and lives as long as the results */
} scenario_answer;

/** The answer to a question about one thing, or about two (`other` is "" otherwise). */
scenario_answer *scenario_answer_of(lua_State *L, const char *kind, const char *name,
                                    const char *other);

/** That to the question of a filter, whose source and benchmark must be NULL. */
scenario_answer *scenario_answer_to(lua_State *L, const clump_store_filter *filter);

/** Bytes of recordings in a cache, all together. */
#define SCENARIO_RECORDING_BYTES 128e6

/** The list for a recording of so many bytes that is read now: that of the answer, or of the sandbox if the cache would have more
 *  than SCENARIO_RECORDING_BYTES with it; then it is read again for each run of the script. */
clump_recorded_kept **scenario_answer_recordings(lua_State *L, scenario_answer *answer,
                                                 double bytes);

/** A number from a normal distribution that is cut off at `least` and `most`, or its median where nobody draws.
 *  @param name  of what is drawn, as printf has it */
__attribute__((format(printf, 6, 7))) double scenario_draw_normal(lua_State *L, double median,
                                                                  double deviation, double least,
                                                                  double most, const char *name,
                                                                  ...);

/** A number that was measured, with the half width of its 95% interval (NAN: not known): as it is, or
 *  drawn. It stays 0 or above. */
#define scenario_draw_measured(L, value, half_width, ...)                                          \
    scenario_draw_normal(L, value, (half_width) / CLUMP_UNCERTAIN_95,                              \
                         (value) >= 0 ? 0 : -HUGE_VAL, HUGE_VAL, __VA_ARGS__)

/** Half of the 95% interval; for a mean without one, from the deviation of single values. NAN: not known. */
double scenario_half_width(const clump_store_measurement *measured);

/**
 * A measurement, of the preferred variant or else of the only one.
 * @param why  receives the reason if there is none, as long as the answer; NULL: nobody wants to know
 */
clump_store_status scenario_store_value(lua_State *L, const clump_store_filter *filter,
                                        const char **why, clump_store_measurement *measured);

/** Whether anything was measured of a transport of the platform, or of what it is part of: where nothing was, no quantity
 *  need be asked for. True also where the database cannot tell: the question about a quantity says why. */
bool scenario_store_has_transport(lua_State *L, const char *platform, const char *transport);

/** The number alone, drawn if it has an interval; false if there is none. */
bool scenario_store_number(lua_State *L, const clump_store_filter *filter, double *value);

/** The record of a platform, to be freed with clump_store_free(). */
clump_store_platform *scenario_store_platform(lua_State *L, const char *name);

#endif
