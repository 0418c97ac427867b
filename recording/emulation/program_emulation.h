/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * An MPI program on emulated Clumps and on their NOW: slowdowns, intervals, and whether to believe them.
 */
#ifndef CLUMP_RECORDING_EMULATION_PROGRAM_EMULATION_H
#define CLUMP_RECORDING_EMULATION_PROGRAM_EMULATION_H

#include "recording/emulation/program_run.h"

#include <stddef.h>

/** Whether to believe the emulation of this program: what `check` of the question asks for. */
typedef struct clump_mpi_emulation_checks {
    double rate;        /**< of a NIC, over that which was set */
    double now_twice;   /**< time on the NOW with 2 D over that with D, less 1 */
    double clump_twice; /**< the same on the first Clump */
    /** Two ranks on two nodes: time with D over that without dilation, less 1; NAN: the program
     *  does not run so. */
    double two_dilated;
    double two_late; /**< share of the time by which computations ended late without dilation */
} clump_mpi_emulation_checks;

#define CLUMP_MPI_EMULATION_MOST_OFF_RATE 0.02
#define CLUMP_MPI_EMULATION_MOST_OFF_TWICE 0.03

typedef struct clump_mpi_emulation_question {
    clump_mpi_emulation_plan plan; /**< of the Clumps; `nics` is not looked at */
    size_t repetitions;
    clump_emulated_result *results; /**< `nics` of each is set by the caller */
    size_t result_count;
    clump_emulated_runs now;
    bool check;
    clump_mpi_emulation_checks checks;
    const char *recorder; /**< preloaded in runs of their own, which are not counted; or NULL */
    const char *folder;   /**< for what it writes: in FOLDER/now, FOLDER/n1... */
    /** Told before each run; true: stop. May be NULL. */
    bool (*watch)(size_t done, size_t total, const char *what, void *context);
    void *context;
} clump_mpi_emulation_question;

/**
 * Run all: a repetition has one run of the NOW and one of each Clump, so that what changes with time
 * changes both.
 */
clump_protocol_status clump_mpi_emulate(clump_mpi_emulation_question *question,
                                        char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES]);

#endif
