/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/escape.h"

#include "data/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool escape_is_wanted(void)
{
    return isatty(STDOUT_FILENO) != 0;
}

size_t escape_plain(const char *text)
{
    const size_t length = clump_text_character(text, strnlen(text, 4));
    return length > 0 && clump_text_is_printable(text, length) ? length : 0;
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
