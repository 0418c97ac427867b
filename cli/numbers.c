/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text)
{
    size_t n = 0;
    while (is_digit(text[n]))
        n++;
    return n;
}

/* Whether all of the text is one decimal number. */
static bool is_decimal(const char *text)
{
    if (*text == '+' || *text == '-')
        text++;
    size_t digits = count_digits(text);
    text += digits;
    if (*text == '.') {
        const size_t decimals = count_digits(++text);
        digits += decimals;
        text += decimals;
    }
    if (digits == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        if (*text == '+' || *text == '-')
            text++;
        const size_t exponent = count_digits(text);
        if (exponent == 0)
            return false;
        text += exponent;
    }
    return *text == '\0';
}

bool clump_cli_real_parse(const char *text, double *value)
{
    if (!is_decimal(text))
        return false;
    /* The program never sets LC_NUMERIC, so the decimal point is a point. */
    const double number = strtod(text, NULL);
    if (!isfinite(number))
        return false;
    *value = number;
    return true;
}

/* Leading digits; returns how many, 0 also when the number does not fit. */
static size_t read_digits(const char *text, uint64_t *value)
{
    const size_t digits = count_digits(text);
    uint64_t number = 0;
    for (size_t i = 0; i < digits; i++) {
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return 0;
        number = 10 * number + digit;
    }
    *value = number;
    return digits;
}

bool clump_cli_whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    uint64_t number;
    const size_t digits = read_digits(text, &number);
    if (digits == 0 || text[digits] != '\0' || number < least || number > most)
        return false;
    *value = number;
    return true;
}

bool clump_cli_bytes_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    static const char units[] = "KMGT", lower[] = "kmgt";
    uint64_t number;
    const size_t digits = read_digits(text, &number);
    if (digits == 0)
        return false;
    const char *rest = text + digits;
    if (*rest != '\0' && *rest != 'B') {
        const char *unit = strchr(units, *rest);
        if (unit == NULL && (unit = strchr(lower, *rest)) != NULL)
            unit = units + (unit - lower);
        if (unit == NULL)
            return false;
        for (const char *u = units; u <= unit; u++) {
            if (number > UINT64_MAX / 1024)
                return false;
            number *= 1024;
        }
        rest++;
        if (*rest == 'i' && rest[1] == 'B')
            rest++;
    }
    if (*rest == 'B')
        rest++;
    if (*rest != '\0' || number < least || number > most)
        return false;
    *value = number;
    return true;
}

size_t clump_cli_list_length(const char *text)
{
    size_t items = 1;
    for (; *text != '\0'; text++)
        items += *text == ',';
    return items;
}

const char *clump_cli_list_next(const char *text, char *item, size_t size)
{
    const size_t length = strcspn(text, ",");
    const size_t copied = length < size ? length : size - 1;
    memcpy(item, text, copied);
    item[copied] = '\0';
    return text[length] == ',' ? text + length + 1 : NULL;
}
