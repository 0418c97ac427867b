/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_COMMAND_H
#define CLUMP_CLI_COMMAND_H

/*
 * The commands. One table, clump_cli_commands, gives dispatch and help; a command brings its
 * options, its examples, and the function that runs it or its subcommands.
 */

#include "cli/options.h"
#include "cli/output.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct clump_cli_command clump_cli_command;

/** What the user asked for. */
typedef struct clump_cli_invocation {
    const clump_cli_command *command;
    clump_cli_arguments arguments; /**< options of the command, and its operands */
    clump_cli_format format;
    bool format_given;
    const char *database; /**< of --db, or NULL */
    bool quiet;
} clump_cli_invocation;

struct clump_cli_command {
    const char *name;     /**< in full: "data show" */
    const char *operands; /**< for the usage line: "SCENARIO.lua" */
    const char *summary;  /**< a few words, for lists of commands */
    const char *text;     /**< a paragraph or two for its help; may be NULL */
    const char *examples; /**< lines that the user can type */
    const clump_cli_option *options;
    size_t option_count;
    size_t least_operands, most_operands;
    bool creates_database; /**< --db may name a file that does not exist */
    int (*run)(const clump_cli_invocation *invocation); /**< returns the exit code */
    const clump_cli_command *const *subcommands;        /**< ends with NULL; NULL: none */
};

/** All commands, in the order of the help; ends with NULL. */
extern const clump_cli_command *const clump_cli_commands[];

extern const clump_cli_command clump_cli_command_slowdown;
extern const clump_cli_command clump_cli_command_recommend;
extern const clump_cli_command clump_cli_command_predict;
extern const clump_cli_command clump_cli_command_explore;
extern const clump_cli_command clump_cli_command_simulate;
extern const clump_cli_command clump_cli_command_import;
extern const clump_cli_command clump_cli_command_fit;
extern const clump_cli_command clump_cli_command_validate;
extern const clump_cli_command clump_cli_command_calibrate;
extern const clump_cli_command clump_cli_command_data;
extern const clump_cli_command clump_cli_command_completion;
extern const clump_cli_command clump_cli_command_help;
extern const clump_cli_command clump_cli_command_calibrate_clump;
extern const clump_cli_command clump_cli_command_calibrate_shm;
extern const clump_cli_command clump_cli_command_calibrate_multi;
extern const clump_cli_command clump_cli_command_calibrate_udp;
extern const clump_cli_command clump_cli_command_calibrate_virtual;
extern const clump_cli_command clump_cli_command_fit_loggp;
extern const clump_cli_command clump_cli_command_fit_slowdown;
extern const clump_cli_command clump_cli_command_data_check;
extern const clump_cli_command clump_cli_command_data_export;
extern const clump_cli_command clump_cli_command_data_list;
extern const clump_cli_command clump_cli_command_data_show;

/** The command of that name, or NULL. `within`: look among its subcommands. */
const clump_cli_command *clump_cli_command_find(const clump_cli_command *within, const char *name);

/** Complain about a name that is no command, with a suggestion; returns the exit code. */
int clump_cli_command_unknown(const clump_cli_command *within, const char *name);

/** Options that every command knows, before or after its name. */
enum {
    CLUMP_CLI_FORMAT,
    CLUMP_CLI_DATABASE,
    CLUMP_CLI_QUIET,
    CLUMP_CLI_HELP,
    CLUMP_CLI_VERSION,
    CLUMP_CLI_GLOBAL_COUNT
};
extern const clump_cli_option clump_cli_global_options[CLUMP_CLI_GLOBAL_COUNT];

/** Help on stdout: for a command, or for the program if NULL. */
void clump_cli_help_print(const clump_cli_command *command);

#endif
