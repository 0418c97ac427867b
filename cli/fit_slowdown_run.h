/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FIT_SLOWDOWN_RUN_H
#define FIT_SLOWDOWN_RUN_H

/* Runs from the command line: one an option, or a file of them. */

#include "cli/options/options.h"
#include "fitting/slowdown/slowdown_runs.h"

/** "P,N,SECONDS[,static][,sd=..]..."; complains itself and returns the exit code. */
int fit_slowdown_run_read(const command_line *arguments, const char *text, clump_mapping mapping,
                          clump_slowdown_runs *runs);

/** The records of a CSV file, "-" for standard input. @param sha256 receives 64 digits and NUL */
int fit_slowdown_file_read(const command_line *arguments, const char *path, clump_mapping mapping,
                           clump_slowdown_runs *runs, char *sha256);

#endif
