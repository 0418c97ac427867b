/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COMMAND_H
#define COMMAND_H

/*
 * The commands. One table, command_table, gives dispatch and help; a command brings its
 * options, its examples, and the function that runs it or its subcommands.
 */

#include "cli/options/options.h"
#include "cli/output/output.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct command_entry command_entry;

/** What the user asked for. */
typedef struct command_invocation {
    const command_entry *command;
    command_line arguments; /**< options of the command, and its operands */
    output_format format;
    bool format_given;
    const char *database; /**< of --db, or NULL */
    bool quiet;
} command_invocation;

struct command_entry {
    const char *name;     /**< in full: "data show" */
    const char *operands; /**< for the usage line: "SCENARIO.lua" */
    const char *summary;  /**< a few words, for lists of commands */
    const char *text;     /**< a paragraph or two for its help; may be NULL */
    const char *examples; /**< lines that the user can type */
    const option_entry *options;
    size_t option_count;
    size_t least_operands, most_operands;
    bool creates_database; /**< --db may name a file that does not exist */
    int (*run)(const command_invocation *invocation); /**< returns the exit code */
    const command_entry *const *subcommands;          /**< ends with NULL; NULL: none */
};

/** All commands, in the order of the help; ends with NULL. */
extern const command_entry *const command_table[];

extern const command_entry command_slowdown;
extern const command_entry command_recommend;
extern const command_entry command_predict;
extern const command_entry command_explore;
extern const command_entry command_simulate;
extern const command_entry command_import;
extern const command_entry command_fit;
extern const command_entry command_validate;
extern const command_entry command_calibrate;
extern const command_entry command_data;
extern const command_entry command_completion;
extern const command_entry command_help;
extern const command_entry command_calibrate_clump;
extern const command_entry command_calibrate_shm;
extern const command_entry command_calibrate_multi;
extern const command_entry command_calibrate_udp;
extern const command_entry command_calibrate_virtual;
extern const command_entry command_fit_loggp;
extern const command_entry command_fit_slowdown;
extern const command_entry command_data_check;
extern const command_entry command_data_export;
extern const command_entry command_data_list;
extern const command_entry command_data_show;

/** The command of that name, or NULL. `within`: look among its subcommands. */
const command_entry *command_find(const command_entry *within, const char *name);

/** Complain about a name that is no command, with a suggestion; returns the exit code. */
int command_unknown(const command_entry *within, const char *name);

/** Options that every command knows, before or after its name. */
enum { GLOBAL_FORMAT, GLOBAL_DATABASE, GLOBAL_QUIET, GLOBAL_HELP, GLOBAL_VERSION, GLOBAL_COUNT };
extern const option_entry global_options[GLOBAL_COUNT];

/** Help on stdout: for a command, or for the program if NULL. */
void help_print(const command_entry *command);

#endif
