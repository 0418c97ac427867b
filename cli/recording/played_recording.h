/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_PLAYED_RECORDING_H
#define CLUMP_CLI_RECORDING_PLAYED_RECORDING_H

/* The calls of a recording's folder, to be played on nodes, or as many of them as may be. */

#include "recording/recorded_schedule.h"
#include "scenarios/recorded/recorded_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct played_recording {
    clump_recorded_play play; /**< its `processors` are 0 if it is not played */
    clump_schedule *now, *on_nodes;
    clump_recorded_schedule_report report;
    double operations;              /**< of one play */
    double run_s;                   /**< between MPI_Init and MPI_Finalize, all of it */
    bool shortened;                 /**< because it would have been more operations */
    char why[CLUMP_RECORDING_TEXT]; /**< why it is not played, or "" */
} played_recording;

/**
 * Read it, and play it on the NOW.
 * @param program     what was made of its facts, with the platform; must outlive it
 * @param processors  of the nodes on which it will be played
 * @param most        operations of one play; of a longer recording a sample of its run is played (recording/stretch.h)
 * @param watch       may stop it; or NULL
 * Where it cannot be played `why` says so, and play.processors is 0. Close it in any case.
 * Cost: reads the folder once for its accounts and, mostly once or twice, twice for its calls.
 */
void played_recording_open(const char *folder, const clump_recorded *program, size_t processors,
                           uint64_t most, const clump_watch *watch, played_recording *p);
/** The same of the calls that facts of the store have; there must be some (program->calls_now_us). */
void played_recording_of_facts(const clump_recorded *program, size_t processors,
                               played_recording *p);

void played_recording_close(played_recording *p);

/** Share of the program's time that is played, 0 to 1. */
double played_recording_share(const played_recording *p);

#endif
