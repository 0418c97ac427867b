/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_STEPS_H
#define CLUMP_RECORDING_STEPS_H

/*
 * What a rank computes between a message that it received and those that it sends then (MODEL.md 28).
 * data/store/recorded_facts.h has the rows.
 *
 *     clump_steps_new, { clump_steps_add }, clump_steps_add_facts, clump_steps_free
 *
 * Cost: a constant a call. Memory: some 80 bytes for each class of gaps that a rank has, of which there are at most 66.
 */

#include "data/store/recorded_facts.h"
#include "recording/call.h"

typedef struct clump_steps clump_steps;

/** NULL without memory. */
clump_steps *clump_steps_new(size_t ranks);
void clump_steps_free(clump_steps *steps);

/** A traced call; those of a rank in their order. Only those of its first thread count. */
void clump_steps_add(clump_steps *steps, size_t rank, const clump_recorded_call *call);

/** Appends the rows, in the order of ranks and classes. False: no memory, then or before. */
bool clump_steps_add_facts(clump_steps *steps, clump_facts *facts);

#endif
