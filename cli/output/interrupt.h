/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_INTERRUPT_H
#define CLUMP_CLI_OUTPUT_INTERRUPT_H

/*
 * ^C and the like (SIGINT, SIGTERM, SIGHUP) while something takes long: they are noted, so that what
 * there is so far can be shown. Who has no patience sends a second one, which ends the program.
 */

#include <stdbool.h>
#include <stddef.h>

/** From now on one signal is noted. SIGHUP stays ignored if it was: that is nohup. */
void interrupt_catch(void);
void interrupt_release(void);

/** One was noted since interrupt_catch; from any thread. */
bool interrupt_wanted(void);

/** The exit code of an interrupted command, that of a shell: 128 and the signal, 130 after ^C. */
int interrupt_status(void);

/**
 * Tell that the command was interrupted.
 *
 * @param what  there is so far: "37 of 100 rows are complete"
 * @return the exit code
 */
int interrupt_told(const char *command, const char *what);

/** The same where some of the `things` of a table, such as "rows", are there. */
int interrupt_told_part(const char *command, const char *things, size_t complete, size_t expected);

/** The last line of such a table. */
void interrupt_mark_table(const char *things, size_t complete, size_t expected);

#endif
