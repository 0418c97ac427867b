/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_TERMINAL_H
#define CLUMP_CLI_TERMINAL_H

/*
 * What can be shown where the output goes.
 */

#include <stdbool.h>
#include <stdio.h>

/** Colours: only on a terminal that knows them, and never with NO_COLOR (https://no-color.org). */
bool clump_cli_terminal_has_colours(FILE *file);

/** How a piece of text stands out. */
typedef enum clump_cli_style {
    CLUMP_CLI_PLAIN = 0, /**< ends the others */
    CLUMP_CLI_BOLD,      /**< headings */
    CLUMP_CLI_ALARM      /**< what went wrong */
} clump_cli_style;

/** Begin a style: prints nothing where there are no colours. */
void clump_cli_terminal_begin(FILE *file, clump_cli_style style);

/** Whether text is encoded in UTF-8. */
bool clump_cli_terminal_has_utf8(void);

/** Columns: of COLUMNS, or of the terminal, or 80; 40 to 200. */
int clump_cli_terminal_width(FILE *file);

#endif
