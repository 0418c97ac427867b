/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/escape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool escape_is_wanted(void)
{
    return isatty(STDOUT_FILENO) != 0;
}

/* Decodes one character of UTF-8; returns its length, 0 if it is not well formed. */
static size_t decode(const unsigned char *s, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length;
    uint32_t c = s[0];
    if (c < 0x80)
        length = 1;
    else if (c >= 0xC2 && c < 0xE0)
        length = 2, c &= 0x1F;
    else if (c >= 0xE0 && c < 0xF0)
        length = 3, c &= 0x0F;
    else if (c >= 0xF0 && c < 0xF5)
        length = 4, c &= 0x07;
    else
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    if (c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return 0;
    *character = c;
    return length;
}

static int is_shown(uint32_t c)
{
    return !(c < 0x20 || (c >= 0x7F && c < 0xA0) /* C0, DEL, C1 */
             || c == 0x061C || c == 0x200E || c == 0x200F || c == 0xFEFF ||
             (c >= 0x2028 && c <= 0x202E)        /* separators, embeddings, overrides */
             || (c >= 0x2066 && c <= 0x2069)     /* isolates */
             || (c >= 0xE0000 && c <= 0xE007F)); /* invisible tags */
}

size_t escape_plain(const char *text)
{
    uint32_t c;
    const size_t length = decode((const unsigned char *)text, &c);
    return length > 0 && is_shown(c) ? length : 0;
}

/*
 * Escape `text` into `escaped`, cut after a whole character if `size` is too small.
 * @return the length written
 */
static size_t escape_text(const char *text, char *escaped, size_t size)
{
    size_t used = 0;
    while (*text != '\0') {
        const size_t length = escape_plain(text);
        if (used + (length > 0 ? length : 4) >= size)
            break;
        if (length > 0) {
            memcpy(escaped + used, text, length);
            used += length;
            text += length;
        } else {
            used += (size_t)snprintf(escaped + used, size - used, "\\x%02x", (unsigned char)*text);
            text++;
        }
    }
    escaped[used] = '\0';
    return used;
}

char *escape_copy(const char *text)
{
    const size_t size = ESCAPED_SIZE(strlen(text));
    char *escaped = malloc(size);
    if (escaped != NULL)
        escape_text(text, escaped, size);
    return escaped;
}

size_t escape_print_one(const char *text, FILE *file)
{
    const size_t length = escape_plain(text);
    if (length > 0)
        fwrite(text, 1, length, file);
    else
        fprintf(file, "\\x%02x", (unsigned char)*text);
    return length > 0 ? length : 1;
}

void escape_print(const char *text, FILE *file)
{
    while (*text != '\0')
        text += escape_print_one(text, file);
}
