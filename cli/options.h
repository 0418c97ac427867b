/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OPTIONS_H
#define CLUMP_CLI_OPTIONS_H

/*
 * Options by table: the same rows are parsed, printed as help, and named in messages.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clump_cli_option {
    const char *name;     /**< long name without "--"; NULL if there is only a letter */
    char letter;          /**< short form, or 0 */
    const char *argument; /**< what stands for the argument in help; NULL: takes none */
    const char *help;     /**< may have several lines */
    const char *values;   /**< for completion, where `argument` does not say it: "a|b", or
                               "@platforms", "@applications", "@quantities", "@sources" */
    bool required;
    bool repeated; /**< may be given more than once */
} clump_cli_option;

/** An option as it was given. */
typedef struct clump_cli_given {
    size_t option;     /**< index in the table */
    const char *value; /**< "" for one without argument */
} clump_cli_given;

/** All that was given; texts are those of argv. */
typedef struct clump_cli_arguments {
    const char *command; /**< for messages; NULL: the program itself */
    const clump_cli_option *table;
    size_t table_length;
    clump_cli_given *given;
    size_t given_count;
    const char **operands;
    size_t operand_count;
} clump_cli_arguments;

/** One of two tables that are parsed together. */
typedef struct clump_cli_parser {
    clump_cli_arguments *own;    /**< of the command; table may be empty */
    clump_cli_arguments *shared; /**< of the program; `given` may be filled in already */
    bool stop_at_operand;        /**< the first operand ends the options */
} clump_cli_parser;

/**
 * Parse argv[1..argc-1]; messages go to stderr.
 *
 * @param end  receives the index after the last word read; with stop_at_operand that of the first
 *             operand, else argc
 * @return exit code; release the arguments in any case
 */
int clump_cli_options_parse(const clump_cli_parser *parser, int argc, char **argv, int *end);

void clump_cli_arguments_free(clump_cli_arguments *arguments);

/** The value of an option that is given at most once, NULL if it is not. */
const char *clump_cli_option_value(const clump_cli_arguments *arguments, size_t option);

/** Whether it was given. */
bool clump_cli_option_given(const clump_cli_arguments *arguments, size_t option);

/** Complain if a required option is missing; returns the exit code. */
int clump_cli_options_require(const clump_cli_arguments *arguments);

/** "--name" or "-x" for messages. */
#define CLUMP_CLI_OPTION_LABEL_SIZE 48
const char *clump_cli_option_label(const clump_cli_option *option,
                                   char label[CLUMP_CLI_OPTION_LABEL_SIZE]);

/** Complain about the value of an option: found ..., expected ...; returns the exit code. */
int clump_cli_option_refuse(const clump_cli_arguments *arguments, size_t option, const char *found,
                            const char *expected);

/**
 * Complain if the file that an option names, to be written, is an operand or that of another
 * option: it would destroy what was read, or what was written before it. Nothing happens if the
 * option was not given. Returns the exit code.
 */
int clump_cli_option_own_file(const clump_cli_arguments *arguments, size_t option);

/** Numbers that an option accepts. */
typedef struct clump_cli_range {
    double least, most;
    bool above;           /**< `least` itself is not allowed */
    const char *expected; /**< in words */
} clump_cli_range;

/**
 * What somebody probably meant who gave `text`, a number or a list, of which `item` is refused ("":
 * the list as a whole): "; 48% is 0.48", "; a decimal point, not a comma: 0.48". Returns `hint`,
 * which is "" if there is nothing to guess.
 */
#define CLUMP_CLI_OPTION_HINT_SIZE 80
const char *clump_cli_option_meant(const char *text, const char *item, const clump_cli_range *range,
                                   char hint[CLUMP_CLI_OPTION_HINT_SIZE]);

/** Read the value of an option; nothing happens if it was not given. Returns the exit code. */
int clump_cli_option_real(const clump_cli_arguments *arguments, size_t option,
                          const clump_cli_range *range, double *value);
int clump_cli_option_whole(const clump_cli_arguments *arguments, size_t option, uint64_t least,
                           uint64_t most, const char *expected, uint64_t *value);
int clump_cli_option_bytes(const clump_cli_arguments *arguments, size_t option, uint64_t least,
                           uint64_t most, const char *expected, uint64_t *value);

/** Read a list of numbers with commas; the list is on the heap. */
int clump_cli_option_reals(const clump_cli_arguments *arguments, size_t option,
                           const clump_cli_range *range, double **values, size_t *count);

#endif
