/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_COMMAND_H
#define CLUMP_CLI_EXPLORE_COMMAND_H

/* The parts of `clumpmodel explore`. */

#include "cli/command.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/result_show.h"
#include "exploring/break_even.h"
#include "exploring/part.h"
#include "exploring/selection.h"
#include "exploring/sensitivity.h"

/* The answers of `clumpmodel explore` in tables, JSON and CSV, and what conditions call their
 * columns. */

/** Columns of rows: those of every sweep, and one for each swept variable of the script. Behind
 *  them stand all others of a result, which conditions know as well. */
typedef struct explore_columns {
    table_column *list;
    size_t count, known; /**< that are shown, and all */
    const clump_explorer *explorer;
} explore_columns;

/** false: no memory. Release in any case. */
bool explore_columns_make(const clump_explorer *explorer, explore_columns *columns);
void explore_columns_release(explore_columns *columns);

/** Rows to print; they and the columns must outlive what is returned. */
table_rows explore_rows(const explore_columns *columns, const clump_explore_row *rows,
                        size_t count);

/** The columns in conditions and sort keys: by their keys, and by symbols such as U. */
clump_formula_columns explore_conditions(const explore_columns *columns);

/** @param compared  or NULL: with the NOW. @return exit code */
int explore_print_break_even(output_format format, const clump_break_even *answer,
                             const clump_explore_variable *compared);

/** @return exit code */
int explore_print_sensitivity(output_format format, const clump_explorer *explorer,
                              const clump_sensitivity *answer);

/* `clumpmodel explore` on several machines: --shard computes a part of a sweep into a file, --merge
 * takes all parts instead of computing. */

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
 *  they were not asked for. `inputs` has those of the first case. Returns the exit code. */
int parts_open(const command_line *line, const part_options *options, clump_provenance *inputs,
               clump_explore_parts **parts);

/** Compute the share and write its file; complains itself. Returns the exit code. */
int part_compute(const command_invocation *invocation, const part_options *options,
                 clump_explorer *explorer, progress_bar *bar);

/* Pictures and pages of `clumpmodel explore`: curves of what was kept, with the bands of uncertain
 * numbers, or heat maps; and, with prices, slowdown over price with the Pareto set. */

/** Draw and write what was asked for, if anything; complains itself. @return exit code */
int explore_show(const command_invocation *invocation, const explore_columns *columns,
                 const clump_selection *selection, const show_options *show);

#endif
