/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400 };

/* What the digits of a number say: mantissa * 10^exponent, if there are few enough digits. */
typedef struct decimal {
    uint64_t mantissa;
    int digits; /* significant ones */
    long exponent;
    bool negative;
    bool zero;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t scan_digits(const char *text, size_t size, size_t at, bool fraction, decimal *out)
{
    for (; at < size && is_digit(text[at]); at++) {
        const unsigned digit = (unsigned)(text[at] - '0');
        if (digit != 0 || out->digits > 0) {
            out->digits++;
            out->zero = out->zero && digit == 0;
            out->mantissa = out->digits <= 19 ? out->mantissa * 10 + digit : out->mantissa;
        }
        out->exponent -= fraction ? 1 : 0;
    }
    return at;
}

static bool scan(const char *text, size_t size, decimal *out)
{
    *out = (decimal){.zero = true};
    size_t at = 0;
    if (at < size && (text[at] == '+' || text[at] == '-'))
        out->negative = text[at++] == '-';
    const size_t start = at;
    at = scan_digits(text, size, at, false, out);
    size_t count = at - start;
    if (at < size && text[at] == '.') {
        const size_t point = ++at;
        at = scan_digits(text, size, at, true, out);
        count += at - point;
    }
    if (count == 0)
        return false;
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        bool negative = false;
        if (at < size && (text[at] == '+' || text[at] == '-'))
            negative = text[at++] == '-';
        const size_t first = at;
        long exponent = 0;
        for (; at < size && is_digit(text[at]); at++)
            exponent = exponent > 100000 ? exponent : exponent * 10 + (text[at] - '0');
        if (at == first)
            return false;
        out->exponent += negative ? -exponent : exponent;
    }
    return at == size;
}

/* strtod reads the locale's decimal point: hand it one. */
static bool convert(const char *text, size_t size, double *value)
{
    char copy[LONGEST + 16];
    const char *point = localeconv()->decimal_point;
    const size_t width = strlen(point);
    if (size > LONGEST || width == 0 || width > 8)
        return false;
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.') {
            memcpy(copy + length, point, width);
            length += width;
        } else {
            copy[length++] = text[i];
        }
    }
    copy[length] = '\0';
    char *end = NULL;
    *value = strtod(copy, &end);
    return end == copy + length;
}

clump_number_status clump_number_parse(const char *text, size_t size, double *value)
{
    decimal found;
    if (size > LONGEST || !scan(text, size, &found))
        return CLUMP_NUMBER_MALFORMED;
    double result = 0.0;
    if (found.zero) {
        result = found.negative ? -0.0 : 0.0;
    } else if (FLT_EVAL_METHOD == 0 && found.digits <= 15 && found.exponent >= -22 &&
               found.exponent <= 22) {
        /* Both factors are exact, so the one operation rounds correctly. */
        static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
        const double mantissa = (double)found.mantissa;
        result = found.exponent < 0 ? mantissa / powers[-found.exponent]
                                    : mantissa * powers[found.exponent];
        result = found.negative ? -result : result;
    } else if (!convert(text, size, &result)) {
        return CLUMP_NUMBER_MALFORMED;
    } else if (!isfinite(result)) {
        return CLUMP_NUMBER_RANGE;
    } else if (result == 0.0) {
        return CLUMP_NUMBER_TINY;
    }
    *value = result;
    return CLUMP_NUMBER_OK;
}

static clump_number_status parse_digits(const char *text, size_t size, uint64_t most,
                                        uint64_t *value)
{
    uint64_t result = 0;
    for (size_t i = 0; i < size; i++) {
        if (!is_digit(text[i]))
            return CLUMP_NUMBER_MALFORMED;
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (result > (most - digit) / 10)
            return CLUMP_NUMBER_RANGE;
        result = result * 10 + digit;
    }
    if (size == 0)
        return CLUMP_NUMBER_MALFORMED;
    *value = result;
    return CLUMP_NUMBER_OK;
}

clump_number_status clump_number_parse_digits(const char *text, size_t size, uint64_t *value)
{
    return parse_digits(text, size, UINT64_MAX, value);
}

bool clump_number_read(const char *text, size_t size, double *value)
{
    const clump_number_status status = clump_number_parse(text, size, value);
    if (status == CLUMP_NUMBER_TINY)
        *value = *text == '-' ? -0.0 : 0.0;
    return status == CLUMP_NUMBER_OK || status == CLUMP_NUMBER_TINY;
}

bool clump_number_read_share(const char *text, size_t size, double *value)
{
    char number[64];
    if (size < 2 || text[size - 1] != '%')
        return clump_number_read(text, size, value);
    const int digits = (int)size - 1;
    if (size + 3 > sizeof number)
        return false;
    /* By its exponent: 2.842 divided by 100 would be rounded twice. */
    const bool exponent = memchr(text, 'e', size) != NULL || memchr(text, 'E', size) != NULL;
    memcpy(number, text, (size_t)digits);
    strcpy(number + digits, exponent ? "" : "e-2");
    if (!clump_number_read(number, strlen(number), value))
        return false;
    if (exponent)
        *value /= 100;
    return true;
}

clump_number_status clump_number_parse_whole(const char *text, size_t size, int64_t *value)
{
    const bool negative = size > 0 && text[0] == '-';
    const size_t sign = negative || (size > 0 && text[0] == '+') ? 1 : 0;
    const uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    uint64_t digits = 0;
    const clump_number_status status = parse_digits(text + sign, size - sign, most, &digits);
    if (status == CLUMP_NUMBER_OK) {
        /* through -1 - x: the negative side reaches further than the positive one */
        *value = negative && digits > 0 ? -1 - (int64_t)(digits - 1) : (int64_t)digits;
    }
    return status;
}

size_t clump_number_print(double value, char text[CLUMP_NUMBER_TEXT])
{
    const char *point = localeconv()->decimal_point;
    const size_t width = strlen(point);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, CLUMP_NUMBER_TEXT, "%.*g", digits, value);
        char *found = width > 0 ? strstr(text, point) : NULL;
        if (found != NULL) {
            *found = '.';
            memmove(found + 1, found + width, strlen(found + width) + 1);
        }
        double back = 0.0;
        if (clump_number_parse(text, strlen(text), &back) == CLUMP_NUMBER_OK && back == value)
            break;
    }
    return strlen(text);
}

const char *clump_number_reason(clump_number_status status)
{
    switch (status) {
    case CLUMP_NUMBER_OK:
        return "a number";
    case CLUMP_NUMBER_MALFORMED:
        return "not a number (expected digits with a decimal point, such as 5.588 or 1e-3)";
    case CLUMP_NUMBER_RANGE:
    case CLUMP_NUMBER_TINY:
        return "out of range";
    }
    return "not a number";
}
