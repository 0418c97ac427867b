/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OPTIONS_PARSE_H
#define CLUMP_CLI_OPTIONS_PARSE_H

/*
 * From the words of the command line to the options of tables and operands.
 */

#include "cli/options/options.h"

/** Two command lines that are parsed together. */
typedef struct option_parser {
    command_line *own;    /**< of the command */
    command_line *shared; /**< of the program; `given` may be filled in already */
    bool stop_at_operand; /**< the first operand ends the options */
} option_parser;

/**
 * Parse argv[1..argc-1]; messages go to stderr.
 *
 * @param end  receives the index after the last word read; with stop_at_operand that of the first
 *             operand, else argc
 * @return exit code; release the command lines in any case
 */
int options_parse(const option_parser *parser, int argc, char **argv, int *end);

#endif
