/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_reader.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more; NULL without memory. */
void *schedule_add(schedule_reader *r, schedule_list *l, size_t size)
{
    if (l->count == l->room) {
        const size_t room = l->room > 0 ? 2 * l->room : 64;
        void *larger = realloc(l->items, room * size);
        if (larger == NULL) {
            r->status = clump_fail_memory(r->error, "the schedule");
            return NULL;
        }
        l->items = larger;
        l->room = room;
    }
    return (char *)l->items + size * l->count++;
}

/* What stands at the cursor, for messages. */
static void describe(const schedule_reader *r, char text[SCHEDULE_SHOWN + 16])
{
    size_t n = 0;
    if (r->at == r->end) {
        memcpy(text, "the end of the file", 20);
        return;
    }
    if (*r->at == '\n' || *r->at == '\r') {
        memcpy(text, "the end of the line", 20);
        return;
    }
    text[n++] = '\'';
    for (const char *c = r->at; c < r->end && n <= SCHEDULE_SHOWN; c++) {
        const bool separates = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        if (separates && c > r->at)
            break;
        text[n++] = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    text[n++] = '\'';
    text[n] = '\0';
}

bool schedule_complain(schedule_reader *r, const char *expected)
{
    char found[SCHEDULE_SHOWN + 16];
    describe(r, found);
    if (r->status == CLUMP_OK)
        r->status = clump_fail(r->error, CLUMP_BAD_ARGUMENT, "line %u: found %s, expected %s",
                               (unsigned)r->line, found, expected);
    return false;
}

/* Blanks and comments that stay within the line. */
void schedule_skip_blanks(schedule_reader *r)
{
    while (r->at < r->end) {
        if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') {
            r->at++;
        } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '/') {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '*') {
            const char *c = r->at + 2;
            uint32_t lines = 0;
            while (r->end - c >= 2 && !(c[0] == '*' && c[1] == '/'))
                lines += *c++ == '\n';
            if (r->end - c < 2)
                return; /* complained about as what it begins with */
            r->line += lines;
            r->at = c + 2;
        } else {
            return;
        }
    }
}

void schedule_skip_lines(schedule_reader *r)
{
    for (schedule_skip_blanks(r); r->at < r->end && *r->at == '\n'; schedule_skip_blanks(r)) {
        r->line++;
        r->at++;
    }
}

bool schedule_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

schedule_word schedule_read_word(schedule_reader *r)
{
    schedule_skip_blanks(r);
    schedule_word w = {r->at, 0};
    if (r->at < r->end && is_letter(*r->at))
        while (r->at < r->end && (is_letter(*r->at) || schedule_is_digit(*r->at) || *r->at == '_'))
            r->at++;
    w.size = (size_t)(r->at - w.text);
    return w;
}

bool schedule_is(schedule_word w, const char *text)
{
    return w.size == strlen(text) && memcmp(w.text, text, w.size) == 0;
}

bool schedule_accept(schedule_reader *r, const char *text)
{
    const char *before = r->at;
    if (schedule_is(schedule_read_word(r), text))
        return true;
    r->at = before;
    return false;
}

bool schedule_accept_sign(schedule_reader *r, char sign)
{
    schedule_skip_blanks(r);
    if (r->at == r->end || *r->at != sign)
        return false;
    r->at++;
    return true;
}

bool schedule_read_number(schedule_reader *r, uint64_t most, const char *expected, uint64_t *number)
{
    schedule_skip_blanks(r);
    const char *start = r->at;
    uint64_t n = 0;
    while (r->at < r->end && schedule_is_digit(*r->at) && n <= most)
        n = 10 * n + (uint64_t)(*r->at++ - '0');
    if (r->at == start || n > most) {
        r->at = start;
        return schedule_complain(r, expected);
    }
    *number = n;
    return true;
}
