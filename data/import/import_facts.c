/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_facts.h"

#include "data/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool find_part(const char *kind, clump_facts_part *part)
{
    for (size_t i = 0; i < CLUMP_FACTS_PARTS; i++)
        if (strcmp(clump_facts_form_of((clump_facts_part)i)->table, kind) == 0) {
            *part = (clump_facts_part)i;
            return true;
        }
    return false;
}

bool clump_import_is_facts(const char *kind)
{
    clump_facts_part part;
    return find_part(kind, &part);
}

/* ---- values */

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* %20 and the like become what they stand for. */
static const char *decode(clump_import_log *log, const char *text, size_t size)
{
    if (log->texts == NULL)
        log->texts = clump_arena_new();
    char *made = log->texts != NULL ? clump_arena_take(log->texts, size + 1) : NULL;
    char *to = made;
    if (made == NULL) {
        clump_import_fail_memory(log);
        return NULL;
    }
    for (size_t i = 0; i < size; i++) {
        const int high = text[i] == '%' && i + 2 < size ? digit(text[i + 1]) : -1;
        const int low = high >= 0 ? digit(text[i + 2]) : -1;
        if (low >= 0)
            i += 2;
        *to++ = low >= 0 ? (char)(16 * high + low) : text[i];
    }
    *to = '\0';
    return made;
}

static bool read_value(clump_import_log *log, size_t line, const clump_facts_field *field,
                       const char *text, size_t size, unsigned char *row)
{
    double real = NAN;
    int64_t whole = -1;
    bool good = true;
    switch (field->type) {
    case CLUMP_FACTS_TEXT: {
        const char *made = decode(log, text, size);
        if (made == NULL)
            return false;
        memcpy(row + field->offset, &made, sizeof made);
        return true;
    }
    case CLUMP_FACTS_REAL:
        good = clump_number_parse(text, size, &real) == CLUMP_NUMBER_OK &&
               (real >= 0 || field->below_0);
        memcpy(row + field->offset, &real, sizeof real);
        break;
    case CLUMP_FACTS_WHOLE:
        good = clump_number_parse_whole(text, size, &whole) == CLUMP_NUMBER_OK && whole >= 0;
        memcpy(row + field->offset, &whole, sizeof whole);
        break;
    case CLUMP_FACTS_TRUTH: {
        good = size == 1 && (text[0] == '0' || text[0] == '1');
        const bool truth = good && text[0] == '1';
        memcpy(row + field->offset, &truth, sizeof truth);
        break;
    }
    }
    return good ||
           clump_import_fail(log, line, "found %.40s '%.*s' of a recording, expected a number",
                             field->name, (int)(size < 40 ? size : 40), text);
}

/* What is not said is not known. */
static void clear(const clump_facts_form *form, unsigned char *row)
{
    const double real = NAN;
    const int64_t whole = -1;
    memset(row, 0, form->row_size);
    for (size_t i = 0; i < form->field_count; i++) {
        if (form->fields[i].type == CLUMP_FACTS_REAL)
            memcpy(row + form->fields[i].offset, &real, sizeof real);
        if (form->fields[i].type == CLUMP_FACTS_WHOLE)
            memcpy(row + form->fields[i].offset, &whole, sizeof whole);
    }
}

enum { MOST_FIELDS = 32 };

static bool read_values(clump_import_log *log, size_t line, const clump_facts_form *form,
                        const char *text, unsigned char *row)
{
    bool seen[MOST_FIELDS] = {false};
    clear(form, row);
    while (*(text += strspn(text, " ")) != '\0') {
        const size_t size = strcspn(text, " "), name = strcspn(text, "= ");
        size_t i = 0;
        while (i < form->field_count && (strlen(form->fields[i].name) != name ||
                                         strncmp(form->fields[i].name, text, name) != 0 || seen[i]))
            i++;
        if (i == form->field_count || name >= size)
            return clump_import_fail(
                log, line,
                "found '%.*s' of a recording, expected values as 'data export' "
                "writes them, each once",
                (int)(size < 60 ? size : 60), text);
        seen[i] = true;
        if (!read_value(log, line, &form->fields[i], text + name + 1, size - name - 1, row))
            return false;
        text += size;
    }
    for (size_t i = 0; i < form->field_count; i++)
        if (!form->fields[i].may_lack && !seen[i])
            return clump_import_fail(log, line, "found no %s of a recording, expected it",
                                     form->fields[i].name);
    return true;
}

/* ---- rows */

static bool begin(clump_import_log *log, size_t line, const char *application)
{
    for (size_t i = 0; i < log->facts_count; i++)
        if (strcmp(log->facts[i]->application, application) == 0)
            return clump_import_fail(log, line, "found a recording of application '%.60s' twice",
                                     application);
    clump_facts **larger = realloc(log->facts, (log->facts_count + 1) * sizeof *larger);
    if (larger == NULL)
        return clump_import_fail_memory(log);
    log->facts = larger;
    clump_facts *made = clump_facts_new();
    if (made == NULL)
        return clump_import_fail_memory(log);
    log->facts[log->facts_count++] = made;
    return true;
}

bool clump_import_facts_add(clump_import_log *log, size_t line, const char *kind,
                            const char *application, const char *values)
{
    clump_facts_any_row row;
    clump_facts_part part = CLUMP_FACTS_HEAD;
    if (!find_part(kind, &part) || (part != CLUMP_FACTS_HEAD && log->facts_count == 0))
        return clump_import_fail(log, line, "found '%.40s', expected recording before it", kind);
    if (part == CLUMP_FACTS_HEAD && application[0] == '\0')
        return clump_import_fail(log, line,
                                 "found a recording of no application, expected its name");
    if (!read_values(log, line, clump_facts_form_of(part), values, (unsigned char *)&row))
        return false;
    if (part == CLUMP_FACTS_HEAD) {
        row.head.application = application;
        if (!begin(log, line, application))
            return false;
    }
    return clump_facts_add(log->facts[log->facts_count - 1], part, &row) ||
           clump_import_fail_memory(log);
}
