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
    const char *database; /**< of --db, or NULL */
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
    int (*run)(const command_invocation *invocation); /**< returns the exit code */
    const command_entry *const *subcommands;          /**< ends with NULL; NULL: none */
};

extern const command_entry command_slowdown;
extern const command_entry command_recommend;
extern const command_entry command_predict;
extern const command_entry command_explore;
extern const command_entry command_simulate;
extern const command_entry command_import;
extern const command_entry command_validate;
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
