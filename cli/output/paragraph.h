/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_PARAGRAPH_H
#define CLUMP_CLI_OUTPUT_PARAGRAPH_H

/*
 * Text in lines that are not too long.
 */

#include <stdbool.h>
#include <stddef.h>

/** Places that the first `length` bytes take on a terminal. */
int text_places(const char *text, size_t length);

/**
 * Length of the first line of a text in which no line is wider than `width`: up to a blank. A unit of a
 * letter or two stays with what it follows.
 *
 * @param cut  a word that is wider is cut; else it is a line of its own
 */
size_t text_line(const char *text, int width, bool cut);

/** Where a paragraph ends on standard output: at the edge of a terminal. In a file, or for another program,
 *  it is one line. */
int paragraph_width(void);

/**
 * Print a text in lines of `width` places, and end the last one. What is escaped must be so already.
 *
 * @param column  places that the first line has used already
 * @param indent  of the other lines
 */
void paragraph_print(const char *text, int column, int indent, int width);

#endif
