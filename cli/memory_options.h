/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_MEMORY_OPTIONS_H
#define CLUMP_CLI_MEMORY_OPTIONS_H

/* Memory that the processors of a node share, as options of `slowdown` and `recommend`. */

#include "cli/command.h"
#include "model/memory.h"

typedef struct memory_settings {
    clump_memory memory;
} memory_settings;

/** --memory-share and --memory-feeds, into a memory_settings. */
extern const option_entry memory_options[];

/** What goes together only; complains itself. @return exit code */
int memory_options_check(const command_line *line, memory_settings *settings);

#endif
