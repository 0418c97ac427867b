/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Decimal numbers in text, whatever the locale says. */
#ifndef CLUMP_DATA_NUMBER_H
#define CLUMP_DATA_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum clump_number_status {
    CLUMP_NUMBER_OK = 0,
    CLUMP_NUMBER_MALFORMED, /**< not [+-]digits[.digits][e[+-]digits]: also inf, nan, hexadecimal */
    CLUMP_NUMBER_RANGE,     /**< too large */
    CLUMP_NUMBER_TINY       /**< not zero, but nearer to it than any double */
} clump_number_status;

/** Reads all `size` bytes as one number, correctly rounded. Without a locale-dependent call for
 *  numbers of up to 15 digits and small exponents. Text of more than 400 bytes is malformed. */
clump_number_status clump_number_parse(const char *text, size_t size, double *value);

/** Reads all `size` bytes as a number that a user gives: what is too near to 0 for a double is 0. */
bool clump_number_read(const char *text, size_t size, double *value);

/** The same, or a percentage: "48%" is 0.48, to the last bit. */
bool clump_number_read_share(const char *text, size_t size, double *value);

/** Reads all `size` bytes as a whole number; "12.0" and "1e3" are malformed. */
clump_number_status clump_number_parse_whole(const char *text, size_t size, int64_t *value);

/** The same, digits only. */
clump_number_status clump_number_parse_digits(const char *text, size_t size, uint64_t *value);

enum { CLUMP_NUMBER_TEXT = 32 };

/** Writes a finite number with as few digits (at least 15 significant ones are tried) as read back
 *  to the same double, with a point. @return length */
size_t clump_number_print(double value, char text[CLUMP_NUMBER_TEXT]);

/** The reason, for messages: "not a number"... */
const char *clump_number_reason(clump_number_status status);

#endif
