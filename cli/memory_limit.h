/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_MEMORY_LIMIT_H
#define CLUMP_CLI_MEMORY_LIMIT_H

/*
 * --max-memory as the limit of the whole command. What a script and its rows hold is counted, and refused with a place; this
 * is for all that nobody counts: the system refuses memory beyond what the program has now and the limit. --budget, of commands that read
 * files of others, is this and more: data/budget.h.
 */

#include "data/budget.h"

#include <stdbool.h>
#include <stddef.h>

/** From now on; `threads` may yet be started. 0 bytes, where nobody said how many: 2 GiB. Does nothing where sanitizers need
 *  memory of their own. */
void memory_limit_begin(size_t bytes, int threads);

/** No limit any more: what is started then (gnuplot) has nothing to do with it. */
void memory_limit_end(void);

/** Read what --budget says into the usual one, complaining, and begin it: memory also of helpers that are started, and time, after
 *  which the command ends with a message and all that it owns (data/owned.h). NULL: nobody said anything. @return exit code */
int budget_begin(const char *command, const char *said, clump_budget *budget);
void budget_end(void);

/** The option, for tables of options: `member` is a text. */
#define BUDGET_HELP                                                                                \
    "what reading the files may cost: memory and temporary\n"                                      \
    "files, time, ranks (default: memory=8G,disk=16G,\n"                                           \
    "seconds=3600,ranks=1024K)"

/** Complain about a failure of the command, by the limit if it is for want of memory and there is one.
 *  @return exit code */
int memory_limit_told(const char *command, bool no_memory, const char *message);

#endif
