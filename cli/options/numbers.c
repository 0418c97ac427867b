/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/numbers.h"

#include "data/number.h"

#include <string.h>

bool real_parse(const char *text, double *value)
{
    return clump_number_read(text, strlen(text), value);
}

/* Leading digits; returns how many, 0 also when the number does not fit. */
static size_t read_digits(const char *text, uint64_t *value)
{
    const size_t digits = strspn(text, "0123456789");
    return clump_number_parse_digits(text, digits, value) == CLUMP_NUMBER_OK ? digits : 0;
}

bool whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    uint64_t number;
    const size_t digits = read_digits(text, &number);
    if (digits == 0 || text[digits] != '\0' || number < least || number > most)
        return false;
    *value = number;
    return true;
}

bool bytes_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value)
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

size_t list_length(const char *text)
{
    size_t items = 1;
    for (; *text != '\0'; text++)
        items += *text == ',';
    return items;
}

const char *list_next(const char *text, char *item, size_t size)
{
    const size_t length = strcspn(text, ",");
    const size_t copied = length < size ? length : size - 1;
    memcpy(item, text, copied);
    item[copied] = '\0';
    return text[length] == ',' ? text + length + 1 : NULL;
}
