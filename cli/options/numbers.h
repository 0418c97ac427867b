/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NUMBERS_H
#define NUMBERS_H

/*
 * Numbers on the command line: decimal, all of the text, whatever the locale says. Refused: the
 * empty text, blanks, nan, inf, hexadecimal, anything that follows the number.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** [+-]digits[.digits][e[+-]digits]; finite, what is too near to 0 for a double is 0. ".5" and "5."
 *  are numbers, "." is none. */
bool real_parse(const char *text, double *value);

/** Digits only, from `least` to `most`. */
bool whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/** Bytes: a whole number with K, M, G or T (powers of 1024, an "iB" or "B" may follow) or none. */
bool bytes_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/** Number of items in a list with commas between; 1 if there is no comma. */
size_t list_length(const char *text);

/**
 * One item of such a list: copies it to `item` (cut to `size`), returns where the next one begins,
 * NULL after the last.
 */
const char *list_next(const char *text, char *item, size_t size);

/** Room for one number of a list; what is longer cannot be one that anybody meant. */
#define ITEM_SIZE 64

#endif
