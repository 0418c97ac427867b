/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/picture_text.h"

#include "cli/output/escape.h"

#include <math.h>
#include <string.h>

/* Advance widths of DejaVu Sans from the blank to '~', in hundredths of the font's size. */
static const unsigned char widths[] = {
    32, 40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};

/* Of the character at the beginning of the text, whose length in bytes is returned. */
static size_t measure(const char *text, double *width)
{
    enum { ESCAPE = 255 /* "\xNN" */, LATIN = 80, WIDEST = 145 };
    const unsigned char first = (unsigned char)*text;
    const size_t length = escape_plain(text);
    const unsigned hundredths = length == 0                    ? ESCAPE
                                : first >= ' ' && first <= '~' ? widths[first - ' ']
                                : length == 2 && first <= 0xC9 ? LATIN
                                                               : WIDEST;
    *width = hundredths * (TEXT_SIZE / 100.0);
    return length > 0 ? length : 1;
}

double text_width(const char *text, size_t length)
{
    double sum = 0, width;
    for (size_t at = 0; at < length;) {
        at += measure(text + at, &width);
        sum += width;
    }
    return sum;
}

/* The bytes of the first line: up to the last blank that leaves it short enough, or, in a long
 * word, as many characters as there is room for, at least one. */
static size_t break_line(const char *text, double most)
{
    size_t at = 0, blank = 0;
    double sum = 0, width;
    while (text[at] != '\0') {
        const size_t length = measure(text + at, &width);
        if (text[at] == ' ')
            blank = at;
        if (sum + width > most && at > 0)
            return blank > 0 ? blank : at;
        sum += width;
        at += length;
    }
    return at;
}

text_lines text_wrap(const char *text, double most)
{
    const double ellipsis = TEXT_SIZE;
    text_lines made = {.count = 0};
    while (text != NULL && *text != '\0' && made.count < TEXT_MOST_LINES) {
        size_t length = break_line(text, most);
        if (made.count + 1 == TEXT_MOST_LINES && text[length] != '\0') {
            length = break_line(text, fmax(most - ellipsis, TEXT_SIZE));
            made.cut = true;
        }
        made.lines[made.count++] = (text_line){text, length};
        text += length;
        text += strspn(text, " ");
    }
    return made;
}

text_lines text_shorten(const char *text, double most)
{
    const size_t length = strlen(text);
    if (text_width(text, length) <= most)
        return (text_lines){.lines = {{text, length}}, .count = 1};
    const double each = (most - TEXT_SIZE) / 2;
    double sum = 0, width;
    size_t head = 0, tail = 0;
    for (size_t size; sum <= each; head += size) {
        size = measure(text + head, &width);
        sum += width;
        if (sum > each)
            break;
    }
    while (text_width(text + tail, length - tail) > each)
        tail += measure(text + tail, &width);
    return (text_lines){
        .lines = {{text, head}, {text + tail, length - tail}}, .count = 2, .cut = true};
}

double text_lines_width(const text_lines *text)
{
    double most = 0;
    for (size_t i = 0; i < text->count; i++)
        most = fmax(most, text_width(text->lines[i].start, text->lines[i].length));
    return text->cut ? most + TEXT_SIZE : most;
}
