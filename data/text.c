/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text.h"

#include <stdint.h>
#include <string.h>

/* Reads one character; returns its length, 0 if it is malformed. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *character)
{
    const unsigned char first = at[0];
    if (first < 0x80) {
        *character = first;
        return 1;
    }
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (first < 0xC2 || first > 0xF4 || left < length) {
        return 0;
    }
    uint32_t value = first & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0u) != 0x80u) {
            return 0;
        }
        value = value << 6 | (at[i] & 0x3Fu);
    }
    if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        return 0;
    }
    *character = value;
    return length;
}

static bool shows_as_is(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) {
        return false;
    }
    return !(c == 0x061C || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
             (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c & 0xFFFE) == 0xFFFE ||
             (c >= 0xE0000 && c <= 0xE0FFF));
}

static bool every_character(const char *text, size_t size, bool printable)
{
    const unsigned char *at = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        uint32_t character = 0;
        const size_t length = decode(at + i, size - i, &character);
        if (length == 0 || (printable && !shows_as_is(character))) {
            return false;
        }
        i += length;
    }
    return true;
}

bool clump_text_is_utf8(const char *text, size_t size)
{
    return every_character(text, size, false);
}

bool clump_text_is_printable(const char *text, size_t size)
{
    return every_character(text, size, true);
}

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum { LONGEST = 63 };

size_t clump_text_distance(const char *a, const char *b)
{
    const size_t rows = least_of(strlen(a), LONGEST);
    const size_t columns = least_of(strlen(b), LONGEST);
    size_t before[LONGEST + 1] = {0}; /* two rows above */
    size_t above[LONGEST + 1];
    size_t current[LONGEST + 1];
    for (size_t j = 0; j <= columns; j++) {
        above[j] = j;
    }
    for (size_t i = 1; i <= rows; i++) {
        current[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            size_t best = least_of(above[j], current[j - 1]) + 1;
            best = least_of(best, above[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                best = least_of(best, before[j - 2] + 1);
            }
            current[j] = best;
        }
        memcpy(before, above, sizeof above);
        memcpy(above, current, sizeof current);
    }
    return above[columns];
}

bool clump_text_is_similar(const char *wanted, const char *name)
{
    const size_t length = strlen(wanted);
    if (length == 0) {
        return false;
    }
    const size_t common = least_of(length, strlen(name));
    if (common >= 3) {
        size_t same = 0;
        while (same < common && lower(wanted[same]) == lower(name[same])) {
            same++;
        }
        if (same == common) { /* one begins with the other */
            return true;
        }
    }
    const size_t allowed = length < 3 ? 1 : 1 + length / 4;
    return clump_text_distance(wanted, name) <= allowed;
}
