/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_COMMAND_H
#define CLUMP_CLI_COMMAND_H

/*
 * What a command is. main.c has the table of all of them, which gives dispatch, help and completion;
 * a command brings its options, its examples, and the function that runs it or its subcommands.
 */

#include "cli/options/options.h"
#include "cli/output/output.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct command_entry command_entry;

/** What the user asked for. */
typedef struct command_invocation {
    const command_entry *command;
    const command_entry *program; /**< its subcommands are all commands */
    command_line arguments;       /**< options of the command, and its operands */
    void *settings;               /**< the structure into which its options were read */
    output_format format;
    bool format_given;
    bool json;            /**< --json, which `format` has as well */
    const char *database; /**< of --db, or NULL */
    const char *output;   /**< of --output, or NULL */
    bool quiet;
} command_invocation;

struct command_entry {
    const char *name;           /**< in full: "data show"; NULL: the program itself */
    const char *operands;       /**< for the usage line: "SCENARIO.lua" */
    const char *summary;        /**< a few words, for lists of commands */
    const char *text;           /**< a paragraph or two for its help; may be NULL */
    const char *examples;       /**< lines that the user can type */
    const option_table *tables; /**< its options; NULL: none */
    size_t settings_size;       /**< of the structure that they are read into */
    const void *initial;        /**< what it holds before; NULL: zeroes */
    size_t least_operands, most_operands;
    bool creates_database; /**< --db may name a file that does not exist */
    /** Operands are a command line of somebody else, whose options are not ours; and --output is
     *  its own business. */
    bool takes_command;
    bool own_names; /**< NAME is in the user's database, not among what ships */
    int (*run)(const command_invocation *invocation); /**< returns the exit code */
    const command_entry *const *subcommands;          /**< ends with NULL; NULL: none */
    const char *companion; /**< the program that has this command, another one; NULL: this one */
};

/** All commands, in the order of the help: each is command_NAME, in a file of its own but for those
 *  that only have subcommands, or are other programs' (main.c). */
#define COMMANDS(EACH)                                                                             \
    EACH(slowdown)                                                                                 \
    EACH(recommend)                                                                                \
    EACH(predict)                                                                                  \
    EACH(explore)                                                                                  \
    EACH(simulate)                                                                                 \
    EACH(record)                                                                                   \
    EACH(import)                                                                                   \
    EACH(fit)                                                                                      \
    EACH(validate)                                                                                 \
    EACH(calibrate)                                                                                \
    EACH(emulate)                                                                                  \
    EACH(collective)                                                                               \
    EACH(run)                                                                                      \
    EACH(topology)                                                                                 \
    EACH(list)                                                                                     \
    EACH(data)                                                                                     \
    EACH(completion)                                                                               \
    EACH(help)
#define COMMANDS_OF_FIT(EACH) EACH(fit_loggp) EACH(fit_node) EACH(fit_slowdown)
#define COMMANDS_OF_DATA(EACH)                                                                     \
    EACH(data_list)                                                                                \
    EACH(data_show)                                                                                \
    EACH(data_export)                                                                              \
    EACH(data_merge)                                                                               \
    EACH(data_check)                                                                               \
    EACH(data_remove)                                                                              \
    EACH(data_rename)

#define COMMAND_DECLARE(name) extern const command_entry command_##name;
COMMANDS(COMMAND_DECLARE)
COMMANDS_OF_FIT(COMMAND_DECLARE)
COMMANDS_OF_DATA(COMMAND_DECLARE)

/** The subcommand of that name, or NULL. */
const command_entry *command_find(const command_entry *within, const char *name);

/** What follows its name: the operands, or "list|show" of its subcommands (in `text`), or "". */
#define COMMAND_OPERANDS_SIZE 128
const char *command_operands(const command_entry *command, char text[COMMAND_OPERANDS_SIZE]);

/** "show" of "data show". */
const char *command_last_word(const command_entry *command);

/** Complain about a name that is no subcommand, with a suggestion; returns the exit code. */
int command_unknown(const command_entry *within, const char *name);

/** Option `index` of a command, NULL after the last. */
const option_entry *command_option(const command_entry *command, size_t index);

/** Options that every command knows, before or after its name; read into a command_invocation. */
extern const option_table global_options[];

#endif
