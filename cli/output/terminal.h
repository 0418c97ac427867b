/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_TERMINAL_H
#define CLUMP_CLI_OUTPUT_TERMINAL_H

/*
 * What can be shown where the output goes.
 */

#include <stdbool.h>
#include <stdio.h>

/** Colours: only on a terminal that knows them, and never with NO_COLOR (https://no-color.org). */
bool terminal_has_colours(FILE *file);

/** How a piece of text stands out. */
typedef enum text_style {
    STYLE_PLAIN = 0, /**< ends the others */
    STYLE_BOLD,      /**< headings */
    STYLE_ALARM      /**< what went wrong */
} text_style;

/** Begin a style: prints nothing where there are no colours. */
void terminal_begin(FILE *file, text_style style);

/** Whether text is encoded in UTF-8. */
bool terminal_has_utf8(void);

/** Columns: of COLUMNS, or of the terminal, or 80; 40 to 200. */
int terminal_width(FILE *file);

#endif
