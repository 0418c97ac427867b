/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_ESCAPE_H
#define CLUMP_CLI_OUTPUT_ESCAPE_H

/*
 * Text of strangers (names, titles, messages) on its way to a terminal: control characters, what
 * changes the direction of writing, and bytes that are not UTF-8 become "\xNN".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Whether stdout is a terminal: then text of strangers is escaped in every format. */
bool escape_is_wanted(void);

/** Bytes that `length` bytes of text can become, with the final NUL. */
#define ESCAPED_SIZE(length) (4 * (length) + 1)

/** A copy on the heap; NULL if there is no memory. */
char *escape_copy(const char *text);

void escape_print(const char *text, FILE *file);

/** The first character only, of a text that is not empty. @return its length in bytes */
size_t escape_print_one(const char *text, FILE *file);

/**
 * Length in bytes of the character that `text` begins with if it can be shown as it is, else 0.
 * The empty text has none.
 */
size_t escape_plain(const char *text);

#endif
