/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_PARAGRAPH_H
#define CLUMP_CLI_OUTPUT_PARAGRAPH_H

/*
 * Text in lines that are not too long.
 */

#include <stddef.h>

/** Places that the first `length` bytes take on a terminal. */
int text_places(const char *text, size_t length);

/** Where a text is broken into lines. */
typedef enum text_breaking {
    TEXT_WORDS, /**< at blanks; a word that is too wide is a line of its own */
    TEXT_CUT    /**< at blanks; a word that is too wide is cut */
} text_breaking;

/** Length of the first line of a text in which no line is wider than `width`. */
size_t text_line(const char *text, int width, text_breaking breaking);

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

/** Print a sentence that belongs to the results, in lines of paragraph_width. */
__attribute__((format(printf, 1, 2))) void paragraph_say(const char *format, ...);

/** Print a sentence as one of a list: two places in, and its further lines four, up to the 80th. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void paragraph_item(const char *format, ...);

#endif
