/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef OPTIONS_H
#define OPTIONS_H

/*
 * Options by table: the same rows are parsed, printed as help, and named in messages.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct option_entry {
    const char *name;     /**< long name without "--"; NULL if there is only a letter */
    char letter;          /**< short form, or 0 */
    const char *argument; /**< what stands for the argument in help; NULL: takes none */
    const char *help;     /**< may have several lines */
    const char *values;   /**< for completion, where `argument` does not say it: "a|b", or
                               "@platforms", "@applications", "@quantities", "@sources" */
    bool required;
    bool repeated; /**< may be given more than once */
} option_entry;

/** An option as it was given. */
typedef struct given_option {
    size_t option;     /**< index in the table */
    const char *value; /**< "" for one without argument */
} given_option;

/** All that was given; texts are those of argv. */
typedef struct command_line {
    const char *command; /**< for messages; NULL: the program itself */
    const option_entry *table;
    size_t table_length;
    given_option *given;
    size_t given_count;
    const char **operands;
    size_t operand_count;
} command_line;

/** One of two tables that are parsed together. */
typedef struct option_parser {
    command_line *own;    /**< of the command; table may be empty */
    command_line *shared; /**< of the program; `given` may be filled in already */
    bool stop_at_operand; /**< the first operand ends the options */
} option_parser;

/**
 * Parse argv[1..argc-1]; messages go to stderr.
 *
 * @param end  receives the index after the last word read; with stop_at_operand that of the first
 *             operand, else argc
 * @return exit code; release the arguments in any case
 */
int options_parse(const option_parser *parser, int argc, char **argv, int *end);

void command_line_free(command_line *arguments);

/** The value of an option that is given at most once, NULL if it is not. */
const char *option_value(const command_line *arguments, size_t option);

/** Whether it was given. */
bool option_given(const command_line *arguments, size_t option);

/** Complain if a required option is missing; returns the exit code. */
int options_require(const command_line *arguments);

/** "--name" or "-x" for messages. */
#define OPTION_LABEL_SIZE 48
const char *option_label(const option_entry *option, char label[OPTION_LABEL_SIZE]);

/** Complain about the value of an option: found ..., expected ...; returns the exit code. */
int option_refuse(const command_line *arguments, size_t option, const char *found,
                  const char *expected);

/**
 * Complain if the file that an option names, to be written, is an operand or that of another
 * option: it would destroy what was read, or what was written before it. Nothing happens if the
 * option was not given. Returns the exit code.
 */
int option_own_file(const command_line *arguments, size_t option);

/** Numbers that an option accepts. */
typedef struct number_range {
    double least, most;
    bool above;           /**< `least` itself is not allowed */
    const char *expected; /**< in words */
} number_range;

/**
 * What somebody probably meant who gave `text`, a number or a list, of which `item` is refused ("":
 * the list as a whole): "; 48% is 0.48", "; a decimal point, not a comma: 0.48". Returns `hint`,
 * which is "" if there is nothing to guess.
 */
#define OPTION_HINT_SIZE 80
const char *option_meant(const char *text, const char *item, const number_range *range,
                         char hint[OPTION_HINT_SIZE]);

/** Read the value of an option; nothing happens if it was not given. Returns the exit code. */
int option_real(const command_line *arguments, size_t option, const number_range *range,
                double *value);
int option_whole(const command_line *arguments, size_t option, uint64_t least, uint64_t most,
                 const char *expected, uint64_t *value);
int option_bytes(const command_line *arguments, size_t option, uint64_t least, uint64_t most,
                 const char *expected, uint64_t *value);

/** Read a list of numbers with commas; the list is on the heap. */
int option_reals(const command_line *arguments, size_t option, const number_range *range,
                 double **values, size_t *count);

#endif
