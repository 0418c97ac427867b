/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_PARTS_H
#define CLUMP_CLI_EXPLORE_PARTS_H

/* `clumpmodel explore` on several machines: --shard computes a part of a sweep into a file, --merge
 * takes all parts instead of computing. */

#include "cli/command.h"
#include "cli/output/progress.h"
#include "exploring/part.h"

typedef struct part_options {
    clump_explore_share share; /* of --shard; count 0: not given */
    const char *file;          /* of --part; NULL: named after the scenario and the share */
    bool merge;
} part_options;

/** --shard, --part and --merge, into part_options. */
extern const option_entry part_entries[];

/** What goes together only, and how many operands there are; returns the exit code. */
int part_options_check(const command_line *line, const part_options *options);

/** What became of an explorer; says `stopped` where it was interrupted. Returns the exit code. */
int explore_complain(const command_invocation *invocation, clump_explore_status status,
                     const clump_explorer *explorer, const char *stopped);

/** Open the parts that are the operands behind the scenario; complains itself. `parts` is NULL if
 *  they were not asked for. Returns the exit code. */
int parts_open(const command_line *line, const part_options *options,
               const clump_scenario_options *scenario, clump_store *store,
               clump_explore_parts **parts);

/** Compute the share and write its file; complains itself. Returns the exit code. */
int part_compute(const command_invocation *invocation, const part_options *options,
                 clump_explorer *explorer, progress_bar *bar);

#endif
