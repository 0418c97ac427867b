/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/utf8.h"

#include <stdint.h>

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t scenario_utf8_length(const char *text, size_t size)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    if (size == 0)
        return 0;
    if (bytes[0] < 0x80)
        return 1;
    const size_t length = bytes[0] >= 0xF0 && bytes[0] <= 0xF4   ? 4
                          : bytes[0] >= 0xE0 && bytes[0] <= 0xEF ? 3
                          : bytes[0] >= 0xC2 && bytes[0] <= 0xDF ? 2
                                                                 : 0;
    if (length == 0 || length > size)
        return 0;
    uint32_t code = bytes[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3F);
    }
    const int good =
        code >= least[length] && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    return good ? length : 0;
}

/* U+0080 to U+009F steer terminals as well. */
static int is_control(const char *text, size_t length)
{
    const unsigned char first = (unsigned char)text[0];
    if (length == 1)
        return (first < 0x20 && first != '\t') || first == 0x7F;
    return length == 2 && first == 0xC2 && (unsigned char)text[1] < 0xA0;
}

void scenario_utf8_clean(char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        const size_t length = scenario_utf8_length(text + i, size - i);
        if (length == 0 || is_control(text + i, length)) {
            const size_t bad = length == 0 ? 1 : length;
            for (size_t k = 0; k < bad; k++)
                text[i + k] = '?';
            i += bad;
        } else {
            i += length;
        }
    }
}
