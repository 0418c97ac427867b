/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/text.h"

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
    if (first < 0xC2 || first > 0xF4 || left < length)
        return 0;
    uint32_t value = first & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0u) != 0x80u)
            return 0;
        value = value << 6 | (at[i] & 0x3Fu);
    }
    if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *character = value;
    return length;
}

static bool shows_as_is(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7F && c <= 0x9F))
        return false;
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
        if (length == 0 || (printable && !shows_as_is(character)))
            return false;
        i += length;
    }
    return true;
}

size_t clump_text_character(const char *text, size_t size)
{
    uint32_t character = 0;
    return size > 0 ? decode((const unsigned char *)text, size, &character) : 0;
}

void clump_text_clean(char *text, size_t size)
{
    for (size_t i = 0, length; i < size; i += length) {
        uint32_t c = 0;
        length = decode((const unsigned char *)text + i, size - i, &c);
        const bool control = (c < 0x20 && c != '\t') || (c >= 0x7F && c <= 0x9F);
        if (length == 0 || control) {
            length = length > 0 ? length : 1;
            memset(text + i, '?', length);
        }
    }
}

bool clump_text_is_utf8(const char *text, size_t size)
{
    return every_character(text, size, false);
}

bool clump_text_is_printable(const char *text, size_t size)
{
    return every_character(text, size, true);
}
