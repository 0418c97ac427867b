/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What the MPI programs of this folder share: options, computation, and how they end.
 *
 *   struct settings settings = {.size = 64, .most = 1000, .iterations = 20};
 *   program_begin(&argc, &argv, "what it does", &settings);      MPI_Init, options
 *   double seconds = program_timer_start();
 *   ...
 *   seconds = program_timer_stop(seconds);                       of the slowest rank
 *   return program_end(seconds, result_is_right);                prints, MPI_Finalize
 */
#ifndef CLUMP_RECORDING_PROGRAMS_PROGRAM_H
#define CLUMP_RECORDING_PROGRAMS_PROGRAM_H

#include <stdbool.h>

struct settings {
    long size;       /**< --size, each program says of what; at least 1 */
    long most;       /**< the greatest size that the program's arithmetic can take */
    long iterations; /**< --iterations, at least 1 */
    /** --compute, ms of computation in each step besides what the program does anyway. */
    double compute;
    bool random; /**< --random: these are exponentially distributed, with this mean */
};

/**
 * MPI_Init, and the options. A mistake is told by rank 0 and ends the program with status 2.
 *
 * @param about     what the program does and what its size is, for --help
 * @param settings  holds the defaults; receives what was asked for
 */
void program_begin(int *argc, char ***argv, const char *about, struct settings *settings);

/** Compute for a step: keeps the processor busy for the processor time that --compute asks for. */
void program_compute(const struct settings *settings);

/** All ranks begin the timed part together; marks it for tools that listen to MPI_Pcontrol. */
double program_timer_start(void);

/** Seconds since the start until the last rank is here; the same on all ranks. */
double program_timer_stop(double start);

/** `condition` on every rank, for the check. */
bool program_all(bool condition);

/**
 * Rank 0 prints one line, "NAME: ranks 4, seconds 1.234, check passed". MPI_Finalize.
 *
 * @return the program's exit status: 0, or 1 if the check failed
 */
int program_end(double seconds, bool right);

#endif
