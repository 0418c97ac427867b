/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HTML_H
#define HTML_H

/*
 * Text of strangers and results on their way into a page. Failed writes are found by ferror(file).
 */

#include "cli/output/cells.h"
#include "cli/pictures/plot.h"

#include <stdio.h>

/** Text between tags or in an attribute within double quotes: markup and what terminals do not show
 *  either (escape.h) is escaped; ends of lines stay. NULL is no text. */
void html_text(const char *text, FILE *file);

/** A string of JSON that can stand in a script element: no '<', '>' or '&' is left in it. */
void html_json_text(const char *text, FILE *file);

/** A number of JSON with up to `digits` digits; null if it is not finite. */
void html_json_number(double value, int digits, FILE *file);

/** A picture as JSON, as web/page.js reads it. */
void html_json_plot(const plot_picture *plot, FILE *file);

void html_base64(const unsigned char *bytes, size_t size, FILE *file);

/** Rows as a table, the first `most` of them; what they all say the same stands above it. */
void html_table(const table_rows *rows, size_t most, const char *label, FILE *file);

#endif
