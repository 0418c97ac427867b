/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_FACTS_H
#define CLUMP_RECORDING_FACTS_H

/*
 * The facts of a whole run: accounts of its ranks, and what follows from its traced calls together.
 * data/store/recorded_facts.h says what they are; MODEL.md 32 how they are found.
 */

#include "recording/run.h"

/**
 * The facts of a recording, to be freed with clump_facts_free(); NULL unless OK. They have no `application`.
 * @param digests  what is kept with them: also the files with their SHA-256, which reads them once more, and a stretch of the calls
 *                 (stretch.h), which reads these twice or more often
 * @param message  receives what went wrong
 * Cost: reads the files twice (three times if there are several nodes); the traced calls take some 100 ns each. Memory: accounts,
 * and what is open while calls are matched (matching.h).
 */
clump_facts_status clump_facts_of_recording(const char *folder, bool digests, clump_facts **facts,
                                            char message[CLUMP_FACTS_MESSAGE]);

/** The facts of a GOAL schedule (model/simulation/schedule.h): computation and messages; it has no times inside of MPI. */
clump_facts_status clump_facts_of_goal(const char *path, bool digests, clump_facts **facts,
                                       char message[CLUMP_FACTS_MESSAGE]);

/** The facts of a run. Notes about what its source cannot know are added by its reader, with clump_facts_say(). */
clump_facts_status clump_facts_of_run(const clump_run *run, clump_facts **facts,
                                      char message[CLUMP_FACTS_MESSAGE]);

#endif
