/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_STRETCH_H
#define CLUMP_RECORDING_STRETCH_H

/* The calls of a recording as a schedule, or of so much of it as may be: a sample, a stretch of each of up to 32 equal parts of the run. */

#include "data/store/recorded_facts.h"
#include "recording/recorded_schedule.h"
#include "recording/run.h"

/**
 * As clump_recorded_schedule(), but where there are more than options->most_operations it becomes a sample.
 * @param options  `from`, `until`, `share` and `parts` receive which
 * @param whole    receives whether all was taken that there is
 * Cost: some two or three times that of clump_recorded_schedule() where it is shortened.
 */
clump_recording_status clump_recorded_stretch(clump_recording *recording,
                                              clump_recorded_schedule_options *options,
                                              clump_schedule **schedule,
                                              clump_recorded_schedule_report *report, bool *whole,
                                              char message[CLUMP_RECORDING_TEXT]);

/** Seconds between MPI_Init and MPI_Finalize of the rank that was longest in it, of which the stretch is a part; where traces end before, until the
 *  recording does. */
double clump_recorded_stretch_run(const clump_recording *recording,
                                  const clump_recorded_schedule_report *report);

/** Whether more operations were left out, as they wait for what is not in the recording, than there are: what is left is not the program then,
 *  but what comes before the first message of a rank that is missing. */
bool clump_recorded_stretch_is_remnant(const clump_schedule *schedule,
                                       const clump_recorded_schedule_report *report);

/**
 * Add such calls to its facts, with which programs are predicted message by message; none where a rank would have too
 * few of them, where they are a remnant, where there are no messages, and where MPICH's collectives depend on the nodes that there are.
 * Errors: CLUMP_FACTS_FAILED without memory. What cannot be read is in the message of clump_facts_of_recording() already.
 */
clump_facts_status clump_recorded_stretch_add(clump_recording *recording, clump_facts *facts,
                                              char message[CLUMP_FACTS_MESSAGE]);

/** The same of a schedule, of which all is kept, or nothing: where it is too long, or has wildcards. Its seconds are 0. */
clump_facts_status clump_recorded_stretch_of_schedule(const clump_schedule *schedule,
                                                      clump_facts *facts,
                                                      char message[CLUMP_FACTS_MESSAGE]);

#endif
