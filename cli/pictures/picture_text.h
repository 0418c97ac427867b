/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PICTURE_TEXT_H
#define CLUMP_CLI_PICTURES_PICTURE_TEXT_H

/*
 * How much room texts take in a picture, and their lines. Which font a viewer has for "sans-serif"
 * is not known: widths are those of DejaVu Sans, which is wider than the others that are usual, so
 * that no text is cut off.
 */

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_MOST_LINES = 4, TEXT_SIZE = 13, TEXT_LINE = 15 }; /* pixels: of the font, of a line */

typedef struct text_line {
    const char *start; /* in the text, which must outlive it */
    size_t length;     /* bytes */
} text_line;

typedef struct text_lines {
    text_line lines[TEXT_MOST_LINES];
    size_t count;
    bool cut; /**< there is more than the lines hold; an ellipsis has room behind the last */
} text_lines;

/** In pixels; what cannot be shown counts as the escape that stands for it. */
double text_width(const char *text, size_t length);

/** Into lines of at most `most` pixels, broken at blanks where there are some. NULL is no text. */
text_lines text_wrap(const char *text, double most);

/**
 * One line of at most `most` pixels: the whole text, or, with `cut`, two pieces with an ellipsis between
 * them, since names often differ at their ends.
 */
text_lines text_shorten(const char *text, double most);

/** Of the widest line. */
double text_lines_width(const text_lines *text);

#endif
