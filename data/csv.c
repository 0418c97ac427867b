/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/csv.h"

#include "data/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void clump_csv_start(clump_csv *csv, const char *bytes, size_t size, bool comments)
{
    csv->fields = 0;
    csv->line = 1;
    csv->message[0] = '\0';
    csv->at = bytes;
    csv->end = bytes + size;
    csv->next_line = 1;
    csv->expected = 0;
    csv->used = 0;
    csv->comments = comments;
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        csv->at += 3;
}

__attribute__((format(printf, 3, 4))) static bool bad(clump_csv *csv, size_t line,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(csv->message, sizeof csv->message, format, arguments);
    va_end(arguments);
    csv->line = line;
    csv->fields = 0;
    csv->at = csv->end;
    return false;
}

static bool put(clump_csv *csv, char c)
{
    if (csv->used + 1 >= sizeof csv->text)
        return bad(csv, csv->line, "record is longer than %d bytes", CLUMP_CSV_RECORD);
    csv->text[csv->used++] = c;
    return true;
}

/* After the opening quote; stops after the closing one. */
static bool read_quoted(clump_csv *csv)
{
    for (;;) {
        if (csv->at == csv->end)
            return bad(csv, csv->line, "a field begins with a quote that is never closed");
        const char c = *csv->at++;
        if (c == '"') {
            if (csv->at == csv->end || *csv->at != '"')
                return true;
            csv->at++;
        } else if (c == '\0') {
            return bad(csv, csv->next_line, "NUL byte: this is not text");
        } else if (c == '\n') {
            csv->next_line++;
        }
        if (!put(csv, c))
            return false;
    }
}

/* Most of every file goes through here: to the end of the field first, then all of it at once. */
static bool read_plain(clump_csv *csv, bool *ascii)
{
    static const bool ends[256] = {
        ['\0'] = true, ['\n'] = true, ['\r'] = true, ['"'] = true, [','] = true};
    const char *at = csv->at;
    unsigned char all = 0;
    while (at != csv->end && !ends[(unsigned char)*at])
        all |= (unsigned char)*at++;
    const size_t size = (size_t)(at - csv->at);
    if (size > 0 && csv->used + size >= sizeof csv->text)
        return bad(csv, csv->line, "record is longer than %d bytes", CLUMP_CSV_RECORD);
    memcpy(csv->text + csv->used, csv->at, size);
    csv->used += size;
    csv->at = at;
    *ascii = all < 0x80;
    if (at == csv->end || (*at != '"' && *at != '\0'))
        return true;
    return bad(csv, csv->next_line,
               *at == '"' ? "quote inside an unquoted field (put the whole field in quotes and "
                            "double this one)"
                          : "NUL byte: this is not text");
}

static bool read_field(clump_csv *csv)
{
    if (csv->fields == CLUMP_CSV_FIELDS)
        return bad(csv, csv->line, "more than %d fields", CLUMP_CSV_FIELDS);
    const size_t begin = csv->used;
    const bool quoted = csv->at != csv->end && *csv->at == '"';
    if (quoted)
        csv->at++;
    bool ascii = false;
    if (!(quoted ? read_quoted(csv) : read_plain(csv, &ascii)))
        return false;
    if (quoted && csv->at != csv->end && *csv->at != ',' && *csv->at != '\n' && *csv->at != '\r')
        return bad(csv, csv->next_line, "text after a closing quote");
    const size_t size = csv->used - begin;
    if (!ascii && !clump_text_is_utf8(csv->text + begin, size))
        return bad(csv, csv->line, "field %zu is not UTF-8", csv->fields + 1);
    csv->field[csv->fields++] = (clump_csv_field){csv->text + begin, size};
    return put(csv, '\0');
}

/* At the end of a record: LF, CR LF or the end of the text. */
static bool end_line(clump_csv *csv)
{
    if (csv->at != csv->end && *csv->at == '\r') {
        csv->at++;
        if (csv->at == csv->end || *csv->at != '\n')
            return bad(csv, csv->next_line, "carriage return without line feed");
    }
    if (csv->at != csv->end) {
        csv->at++;
        csv->next_line++;
    }
    return true;
}

static bool skip_line(clump_csv *csv)
{
    const char *feed = memchr(csv->at, '\n', (size_t)(csv->end - csv->at));
    const char *stop = feed != NULL ? feed : csv->end;
    if (memchr(csv->at, '\0', (size_t)(stop - csv->at)) != NULL)
        return bad(csv, csv->next_line, "NUL byte: this is not text");
    csv->at = feed != NULL ? feed + 1 : csv->end;
    csv->next_line += feed != NULL ? 1 : 0;
    return true;
}

static bool is_empty_line(const clump_csv *csv)
{
    const size_t left = (size_t)(csv->end - csv->at);
    return *csv->at == '\n' || (left >= 2 && csv->at[0] == '\r' && csv->at[1] == '\n');
}

clump_csv_status clump_csv_next(clump_csv *csv)
{
    if (csv->message[0] != '\0')
        return CLUMP_CSV_BAD;
    csv->fields = 0;
    csv->used = 0;
    while (csv->at != csv->end && (is_empty_line(csv) || (csv->comments && *csv->at == '#')))
        if (!skip_line(csv))
            return CLUMP_CSV_BAD;
    csv->line = csv->next_line;
    if (csv->at == csv->end)
        return CLUMP_CSV_END;
    for (;;) {
        if (!read_field(csv))
            return CLUMP_CSV_BAD;
        if (csv->at == csv->end || *csv->at != ',')
            break;
        csv->at++;
    }
    if (!end_line(csv))
        return CLUMP_CSV_BAD;
    if (csv->expected == 0) {
        csv->expected = csv->fields;
    } else if (csv->fields != csv->expected) {
        bad(csv, csv->line, "%zu fields, expected %zu as in the first record", csv->fields,
            csv->expected);
        return CLUMP_CSV_BAD;
    }
    return CLUMP_CSV_ROW;
}

int clump_csv_find(const clump_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->fields; i++)
        if (strcmp(csv->field[i].text, name) == 0)
            return (int)i;
    return -1;
}

clump_csv_naming clump_csv_name_columns(const clump_csv *csv, const clump_csv_name *names,
                                        int *column, size_t *next)
{
    while (*next < csv->fields) {
        const int field = (int)(*next)++;
        size_t i = 0;
        while (names[i].name != NULL && strcmp(names[i].name, csv->field[field].text) != 0)
            i++;
        if (names[i].name == NULL)
            return CLUMP_CSV_UNKNOWN;
        if (column[names[i].place] >= 0)
            return CLUMP_CSV_TWICE;
        column[names[i].place] = field;
    }
    return CLUMP_CSV_NAMED;
}

const char *clump_csv_value(const clump_csv *csv, int column)
{
    return column >= 0 && csv->field[column].size > 0 ? csv->field[column].text : NULL;
}
