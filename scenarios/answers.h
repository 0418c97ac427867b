/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_ANSWERS_H
#define CLUMP_SCENARIOS_ANSWERS_H

/*
 * What a store answered, kept from one run of a script to the next (clump_scenario_answers in
 * scenario.h): a look into the store can cost a millisecond, and sweeps and draws run a script thousands
 * of times. The store must not change meanwhile. Answers belong to one store and serve one thread.
 *
 *     const scenario_question q = scenario_question_of(L, "platform", name, "");
 *     const scenario_answer *known = scenario_answer_find(&q);
 *     if (known == NULL) {
 *         ... ask the store ...
 *         scenario_answer *kept = scenario_answer_add(&q);
 *         if (kept != NULL) ... fill it in ...
 *     }
 */

#include "data/store/memory_curve.h"
#include "data/store/related.h"
#include "model/workload/misses.h"
#include "scenarios/recorded/recorded_kept.h"
#include "scenarios/scenario.h"

#include <lua.h>

/** The run within one node from which it is known what a program computes. */
typedef struct scenario_computation_source {
    char platform[CLUMP_STORE_RELATED_NAME]; /**< "": there is none */
    char application[CLUMP_STORE_RELATED_NAME];
    double share; /**< of that computation which a processor has where the run is predicted */
} scenario_computation_source;

enum { SCENARIO_QUESTION_BYTES = 400 };

typedef struct scenario_question {
    clump_scenario_answers *answers; /**< NULL: none are kept, or the names are too long for them */
    char key[SCENARIO_QUESTION_BYTES];
} scenario_question;

/** Which members are set follows from the question; pointers belong to the answer. */
typedef struct scenario_answer {
    struct scenario_answer *next;
    clump_store_status status; /**< of a measurement: OK, or NOT_FOUND */
    clump_store_measurement measured;
    char *why; /**< the store's message where there is no measurement; may be NULL */
    clump_store_platform *platform;
    clump_store_memory_curve *curve;
    clump_recorded_kept *recording;
    clump_misses misses;
    scenario_computation_source computation;
    bool waits, lockstep, exchange; /**< of an application */
    char key[];
} scenario_answer;

/** A question about one thing, or about two (`other` is "" otherwise). */
scenario_question scenario_question_of(lua_State *L, const char *kind, const char *name,
                                       const char *other);

/** For the measurement that a filter asks for; its source and benchmark must be NULL. */
scenario_question scenario_question_of_measurement(lua_State *L, const clump_store_filter *filter);

/** NULL: it was not asked before. */
const scenario_answer *scenario_answer_find(const scenario_question *question);

/** An empty answer to a question that has none. NULL: none are kept, there are enough of them, or no memory. */
scenario_answer *scenario_answer_add(const scenario_question *question);

/** Keep what the store answered to a question of a measurement that has no answer yet.
 *  @param why  its message, where it found nothing */
void scenario_answer_keep_measurement(const scenario_question *question, clump_store_status status,
                                      const clump_store_measurement *measured, const char *why);

/** Bytes of recordings that answers keep, all together. Sweeps have answers of their own for each thread. */
#define SCENARIO_RECORDING_BYTES 128e6

/** Take the first recording of a list for a question that has no answer yet. It stays where it is if answers would keep more
 *  than SCENARIO_RECORDING_BYTES with it, or none are kept: then it is read again for each run of the script. */
void scenario_answer_take_recording(const scenario_question *question, clump_recorded_kept **list);

#endif
