/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wcwidth is of X/Open. */
#define _XOPEN_SOURCE 700
#include "cli/output/paragraph.h"

#include "cli/output/escape.h"
#include "cli/output/terminal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

int text_places(const char *text, size_t length)
{
    const char *end = text + length;
    int width = 0;
    mbstate_t state = {0};
    while (text < end) {
        wchar_t character;
        const size_t bytes = mbrtowc(&character, text, (size_t)(end - text), &state);
        if (bytes == 0 || bytes > (size_t)(end - text)) /* not text in this locale */
            return width + (int)(end - text);
        const int places = wcwidth(character);
        width += places > 0 ? places : 0;
        text += bytes;
    }
    return width;
}

size_t text_line(const char *text, int width, text_breaking breaking)
{
    size_t fits = 0, end = 0;
    while (text[end] != '\0') {
        end += strspn(text + end, " ");
        end += strcspn(text + end, " ");
        if (fits > 0 && text_places(text, end) > width)
            return fits;
        fits = end;
    }
    while (breaking == TEXT_CUT && fits > 1 && text_places(text, fits) > width)
        for (fits--; fits > 1 && ((unsigned char)text[fits] & 0xc0) == 0x80;)
            fits--;
    return fits;
}

int paragraph_width(void)
{
    return isatty(STDOUT_FILENO) ? terminal_width(stdout) : INT_MAX;
}

/* Texts hold names and notes of strangers. */
static void say(const char *format, va_list values, int column, int indent, int width)
{
    char text[1200];
    vsnprintf(text, sizeof text, format, values);
    const size_t length = strlen(text);
    const bool empty_line =
        length > 0 && text[length - 1] == '\n'; /* behind it, wanted by the caller */
    if (empty_line)
        text[length - 1] = '\0';
    char *escaped = escape_copy(text);
    paragraph_print(escaped != NULL ? escaped : "", column, indent, width);
    if (empty_line)
        putchar('\n');
    free(escaped);
}

void paragraph_say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(format, values, 0, 0, paragraph_width());
    va_end(values);
}

void paragraph_item(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    printf("  ");
    say(format, values, 2, 4, 80);
    va_end(values);
}

void paragraph_print(const char *text, int column, int indent, int width)
{
    for (;;) {
        const size_t length = text_line(text, width > column ? width - column : 1, TEXT_WORDS);
        printf("%.*s\n", (int)length, text);
        text += length;
        text += strspn(text, " ");
        if (*text == '\0')
            break;
        printf("%*s", indent, "");
        column = indent;
    }
}
