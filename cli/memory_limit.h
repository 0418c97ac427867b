/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_MEMORY_LIMIT_H
#define CLUMP_CLI_MEMORY_LIMIT_H

/*
 * --max-memory as the limit of the whole command. What a script and its rows hold is counted, and refused with a place; this
 * is for all that nobody counts: the system refuses memory beyond what the program has now and the limit.
 */

#include <stdbool.h>
#include <stddef.h>

/** From now on; `threads` may yet be started. 0 bytes, where nobody said how many: 2 GiB. Does nothing where sanitizers need
 *  memory of their own. */
void memory_limit_begin(size_t bytes, int threads);

/** No limit any more: what is started then (gnuplot) has nothing to do with it. */
void memory_limit_end(void);

/** Complain about a failure of the command, by the limit if it is for want of memory and there is one.
 *  @return exit code */
int memory_limit_told(const char *command, bool no_memory, const char *message);

#endif
