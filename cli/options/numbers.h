/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OPTIONS_NUMBERS_H
#define CLUMP_CLI_OPTIONS_NUMBERS_H

/*
 * Options that are numbers and lists of numbers. Internal to cli/options/.
 *
 *   number   0.48, or 48% where the number is a share
 *   range    1:8 or 1:8:2, in lists: first, last and the step (1)
 *   list     numbers and ranges with commas between, or @FILE: the same with commas, blanks or ends of
 *            line between; what follows a # on its line is a comment; @- is standard input
 *
 * All complain themselves and return the exit code; what is wrong in a file is told with its name and
 * line.
 */

#include "cli/options/options.h"

int number_read_real(command_line *line, const option_entry *option, const char *text,
                     double *value);
int number_read_reals(command_line *line, const option_entry *option, const char *text,
                      option_reals *list);
/** OPTION_WHOLE and OPTION_BYTES. */
int number_read_whole(command_line *line, const option_entry *option, const char *text,
                      uint64_t *value);
int number_read_wholes(command_line *line, const option_entry *option, const char *text,
                       option_wholes *list);

#endif
