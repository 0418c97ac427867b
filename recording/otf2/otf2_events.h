/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_OTF2_OTF2_EVENTS_H
#define CLUMP_RECORDING_OTF2_OTF2_EVENTS_H

/*
 * Events of the locations of a rank become its calls: an outermost region of MPI, with what happened in it, is one (Startall: several).
 */

#include "recording/otf2/otf2_definitions.h"

/** Receives a call; false: stop. */
typedef bool otf2_call_fn(const clump_recorded_call *call, void *context);

/** What a rank did. */
typedef struct otf2_rank_report {
    bool finalized;
    bool no_memory; /**< that is what is wrong */
} otf2_rank_report;

/**
 * All calls of a rank, in order. Events are read twice: what a non-blocking receive received is known at its end only.
 * NULL, or what is wrong: a constant text.
 */
const char *otf2_events_read(OTF2_Reader *reader, const otf2_definitions *definitions,
                             uint32_t rank, otf2_call_fn *fn, void *context,
                             otf2_rank_report *report);

#endif
