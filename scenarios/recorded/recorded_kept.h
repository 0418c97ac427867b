/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_KEPT_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_KEPT_H

/*
 * The facts of a recording with the calls in them, unpacked once they are needed: for whoever makes programs of it again and
 * again, or predicts many rows of one.
 *
 * Programs are made of it (recorded.h) by one thread at a time; those that were made may be predicted by several, also meanwhile.
 * It outlives them.
 */

#include "data/store/recorded_facts.h"
#include "model/simulation/schedule.h"

typedef struct clump_recorded_kept {
    struct clump_recorded_kept *next;
    clump_facts *facts;    /**< are its own */
    clump_schedule *calls; /**< NULL: not unpacked yet, or there are none */
} clump_recorded_kept;

/** Put them before the others of a list, which may be empty. NULL: no memory; the facts are freed. */
clump_recorded_kept *clump_recorded_kept_add(clump_recorded_kept **list, clump_facts *facts);

/** All of a list; NULL is allowed. */
void clump_recorded_kept_free(clump_recorded_kept *list);

/** Bytes that it takes with its calls unpacked, about. */
double clump_recorded_kept_bytes(const clump_facts *facts);

#endif
