/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_TOOL_OUTPUT_H
#define CLUMP_CLI_TOOL_OUTPUT_H

/* Another program that is run for what it says. */

#include <stdio.h>
#include <sys/types.h>

typedef struct tool_output {
    FILE *stream; /**< what it says */
    pid_t child;
} tool_output;

/**
 * Start it, with nothing to read.
 * @param words   its path (looked for in PATH if it has no slash) and arguments, ended by NULL
 * @param heard   1: its standard output is listened to, 2: its errors. The other one: see `silent`
 * @param silent  the other one goes nowhere; else where ours goes
 * @return 0, or errno: it could not be started. Else end it with tool_end().
 */
int tool_start(tool_output *tool, char *const words[], int heard, int silent);

/** The rest of what it says, from the beginning, as far as there is room. */
void tool_listen(tool_output *tool, char *text, size_t size);

/** Wait until it ends. @return as waitpid() has it */
int tool_end(tool_output *tool);

#endif
