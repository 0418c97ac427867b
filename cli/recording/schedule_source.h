/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_SCHEDULE_SOURCE_H
#define CLUMP_CLI_RECORDING_SCHEDULE_SOURCE_H

/* A recording in place of a schedule's file. */

#include "scenarios/recorded/recorded.h"

#include <stdbool.h>
#include <stddef.h>

/** Values of --gaps, and of --collectives. */
enum { GAPS_PROCESSOR, GAPS_WALL };
enum { COLLECTIVES_RECORDED, COLLECTIVES_OPEN_MPI, COLLECTIVES_MPICH };

/** What options say about a recording as a schedule. */
typedef struct recorded_choices {
    int gaps;
    int collectives; /* of whose library */
    int rank_order;  /* clump_rank_order */
} recorded_choices;

typedef struct recorded_schedules {
    clump_recorded_kept *kept; /**< NULL: there is no recording */
    const clump_recorded_schedule *now;
    clump_rank_order order;
    clump_mpi_transports transports; /**< of the library that ran */
} recorded_schedules;

/** Read a recording and make its schedule for nodes of one rank; complains itself and returns the exit code. Close it in any case. */
int recorded_schedules_open(const char *command, const char *folder,
                            const recorded_choices *choices, recorded_schedules *all);
void recorded_schedules_close(recorded_schedules *all);

/** The schedule for nodes of so many ranks: the same for all but where the library looks at nodes. */
clump_status recorded_schedules_for(void *all, size_t processors, const clump_schedule **schedule,
                                    clump_error *error);

/** Notes about what was left out, and how far it goes. */
void recorded_schedules_tell(const char *command, const char *folder,
                             const recorded_schedules *all);

#endif
