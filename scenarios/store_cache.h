/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_STORE_CACHE_H
#define CLUMP_SCENARIOS_STORE_CACHE_H

/*
 * What a store told, kept from one run of a script to the next (clump_scenario_cache in scenario.h): a look into the store can
 * cost a millisecond, and sweeps and intervals run a script thousands of times (predict clump-vs-now: 1.9 s without, 0.1 s
 * with it). The store must not change meanwhile. A cache belongs to one store and serves one thread.
 *
 *     const scenario_cache_key key = scenario_cache_key_of(L, "misses", name, "");
 *     const scenario_cached *known = scenario_cache_find(&key);
 *     if (known == NULL) {
 *         ... ask the store ...
 *         scenario_cached *kept = scenario_cache_add(&key);
 *         if (kept != NULL) ... fill it in ...
 *     }
 */

#include "data/store/related.h"
#include "model/workload/misses.h"
#include "scenarios/recorded/recorded.h"
#include "scenarios/scenario.h"

#include <lua.h>

/** The run within one node from which it is known what a program computes. */
typedef struct scenario_computation_source {
    char platform[CLUMP_STORE_RELATED_NAME]; /**< "": there is none */
    char application[CLUMP_STORE_RELATED_NAME];
    double share; /**< of that computation which a processor has where the run is predicted */
} scenario_computation_source;

typedef struct scenario_cache_key {
    clump_scenario_cache *cache; /**< NULL: nothing is kept, or the names are too long */
    char text[400];
} scenario_cache_key;

/** Which members are set follows from the key; pointers belong to the cache. */
typedef struct scenario_cached {
    struct scenario_cached *next;
    clump_store_status status; /**< of a measurement: OK, or NOT_FOUND */
    clump_store_measurement measured;
    char *why; /**< the store's message where there is no measurement; may be NULL */
    clump_recorded_kept *recording;
    clump_misses misses;
    scenario_computation_source computation;
    char key[];
} scenario_cached;

/** A look for one thing, or for two (`other` is "" otherwise). */
scenario_cache_key scenario_cache_key_of(lua_State *L, const char *kind, const char *name,
                                         const char *other);

/** For the measurement that a filter asks for; its source and benchmark must be NULL. */
scenario_cache_key scenario_cache_key_of_measurement(lua_State *L,
                                                     const clump_store_filter *filter);

/** NULL: it is not there. */
const scenario_cached *scenario_cache_find(const scenario_cache_key *key);

/** An empty entry for a key that has none. NULL: none are kept, there are enough of them, or no memory. */
scenario_cached *scenario_cache_add(const scenario_cache_key *key);

/** Keep what the store said of a measurement that has no entry yet.
 *  @param why  its message, where it found nothing */
void scenario_cache_keep_measurement(const scenario_cache_key *key, clump_store_status status,
                                     const clump_store_measurement *measured, const char *why);

/** Bytes of recordings in a cache, all together. */
#define SCENARIO_RECORDING_BYTES 128e6

/** Take the first recording of a list for a key that has no entry yet. It stays where it is if the cache would have more than
 *  SCENARIO_RECORDING_BYTES with it: then it is read again for each run of the script. */
void scenario_cache_take_recording(const scenario_cache_key *key, clump_recorded_kept **list);

#endif
