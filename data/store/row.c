/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_text(clump_row_type type)
{
    return type <= CLUMP_ROW_LINES;
}

static const char *text_of(const clump_row_field *field, const void *record)
{
    const char *text;
    memcpy(&text, (const char *)record + field->offset, sizeof text);
    return text;
}

/* ---- reading */

bool clump_row_read(sqlite3_stmt *statement, int first, const clump_row_form *form, void *record)
{
    bool bad = false;
    for (size_t i = 0; i < form->count; i++) {
        const clump_row_type type = form->fields[i].type;
        char *field = (char *)record + form->fields[i].offset;
        const int column = first + (int)i;
        if (is_text(type)) {
            const char *text = type == CLUMP_ROW_LINES
                                   ? (const char *)sqlite3_column_text(statement, column)
                                   : clump_store_column(statement, column, &bad);
            bad = bad || (text == NULL && type != CLUMP_ROW_OPTIONAL && type != CLUMP_ROW_LINES);
            memcpy(field, &text, sizeof text);
        } else if (type == CLUMP_ROW_WHOLE) {
            const int64_t number = sqlite3_column_int64(statement, column);
            memcpy(field, &number, sizeof number);
        } else if (type == CLUMP_ROW_REAL) {
            const double number = clump_store_column_real(statement, column);
            /* Checks may have been switched off. */
            bad = bad || fabs(number) > CLUMP_STORE_MOST_NUMBER;
            memcpy(field, &number, sizeof number);
        } else {
            const bool truth = sqlite3_column_int(statement, column) != 0;
            memcpy(field, &truth, sizeof truth);
        }
    }
    return !bad;
}

size_t clump_row_texts(const clump_row_form *form, const void *record)
{
    size_t size = 0;
    for (size_t i = 0; i < form->count; i++) {
        const char *text = is_text(form->fields[i].type) ? text_of(&form->fields[i], record) : NULL;
        size += text != NULL ? strlen(text) + 1 : 0;
    }
    return size;
}

void clump_row_move_texts(const clump_row_form *form, void *record, char *to)
{
    for (size_t i = 0; i < form->count; i++) {
        const char *text = is_text(form->fields[i].type) ? text_of(&form->fields[i], record) : NULL;
        if (text == NULL)
            continue;
        memcpy((char *)record + form->fields[i].offset, &to, sizeof to);
        to += strlen(strcpy(to, text)) + 1;
    }
}

static clump_store_status keep_texts(clump_store *store, const clump_row_form *form, void *record,
                                     clump_arena *arena)
{
    char *texts = clump_arena_take(arena, clump_row_texts(form, record) + 1);
    if (texts == NULL)
        return clump_store_fail_memory(store);
    clump_row_move_texts(form, record, texts);
    return CLUMP_STORE_OK;
}

clump_store_status clump_row_read_all(clump_store *store, const char *sql, int64_t id,
                                      const clump_row_form *form, size_t size, clump_arena *arena,
                                      void **rows, size_t *count)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    char *all = NULL;
    size_t used = 0;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    if (status == CLUMP_STORE_OK && sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_int64(statement, 1, id);
    while (status == CLUMP_STORE_OK) {
        status = clump_store_step(store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        all = clump_arena_more(arena, all, used, size);
        if (all == NULL)
            status = clump_store_fail_memory(store);
        else if (!clump_row_read(statement, 0, form, all + used * size))
            status = clump_store_fail_text(store, form->table);
        else
            status = keep_texts(store, form, all + used++ * size, arena);
    }
    sqlite3_finalize(statement);
    *rows = all;
    *count = used;
    return status;
}

/* ---- writing */

static const char *article(const char *noun)
{
    return strchr("aeiou", noun[0]) != NULL ? "an" : "a";
}

static clump_store_status check_texts(clump_store *store, const clump_row_form *form,
                                      const void *record)
{
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < form->count && status == CLUMP_STORE_OK; i++) {
        const clump_row_field *field = &form->fields[i];
        const char *text = is_text(field->type) ? text_of(field, record) : NULL;
        char what[100];
        snprintf(what, sizeof what, "the %s of %s %s", field->column, article(form->table),
                 form->table);
        if (field->type == CLUMP_ROW_NAME ||
            (field->type == CLUMP_ROW_LABEL && text != NULL && *text != '\0'))
            status = clump_store_check_name(store, what, text);
        else if (field->type == CLUMP_ROW_TEXT || field->type == CLUMP_ROW_OPTIONAL)
            status = clump_store_check_text(store, what, text, field->type == CLUMP_ROW_OPTIONAL);
    }
    return status;
}

static void bind(sqlite3_stmt *statement, int index, const clump_row_field *field,
                 const void *record)
{
    const char *at = (const char *)record + field->offset;
    if (is_text(field->type)) {
        const char *text = text_of(field, record);
        clump_store_bind(statement, index,
                         text == NULL && field->type == CLUMP_ROW_LABEL ? "" : text);
    } else if (field->type == CLUMP_ROW_WHOLE) {
        int64_t number;
        memcpy(&number, at, sizeof number);
        sqlite3_bind_int64(statement, index, number);
    } else if (field->type == CLUMP_ROW_REAL) {
        double number;
        memcpy(&number, at, sizeof number);
        clump_store_bind_real(statement, index, number);
    } else {
        bool truth;
        memcpy(&truth, at, sizeof truth);
        sqlite3_bind_int(statement, index, truth);
    }
}

void clump_row_bind(sqlite3_stmt *statement, int first, const clump_row_form *form,
                    const void *record)
{
    for (size_t i = 0; i < form->count; i++)
        bind(statement, first + (int)i, &form->fields[i], record);
}

static bool make_insert(const clump_row_form *form, const char *id_columns, char *sql, size_t room,
                        int *ids)
{
    size_t used = (size_t)snprintf(sql, room, "INSERT INTO main.%s (%s", form->table, id_columns);
    *ids = 0;
    for (const char *at = id_columns; *at != '\0'; at++)
        *ids += *at == ',';
    for (size_t i = 0; i < form->count && used < room; i++)
        used += (size_t)snprintf(sql + used, room - used, "%s%s", i > 0 ? ", " : "",
                                 form->fields[i].column);
    for (size_t i = 0; i < form->count + (size_t)*ids && used < room; i++)
        used += (size_t)snprintf(sql + used, room - used, "%s", i > 0 ? ", ?" : ") VALUES (?");
    used += used < room ? (size_t)snprintf(sql + used, room - used, ")") : 0;
    return used < room;
}

clump_store_status clump_row_insert(clump_store *store, const clump_row_form *form,
                                    const char *id_columns, const int64_t *ids, const void *record)
{
    sqlite3_stmt *statement = NULL;
    char sql[600], doing[CLUMP_STORE_NAME + 60];
    int id_count;
    if (!make_insert(form, id_columns, sql, sizeof sql, &id_count))
        return clump_store_fail_memory(store);
    clump_store_status status = check_texts(store, form, record);
    if (status == CLUMP_STORE_OK)
        status = clump_store_prepare(store, sql, &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    for (int i = 0; i < id_count; i++)
        clump_store_bind_id(statement, i + 1, ids[i]);
    clump_row_bind(statement, id_count + 1, form, record);
    if (form->fields[0].type == CLUMP_ROW_NAME)
        snprintf(doing, sizeof doing, "add the %s '%s'", form->table,
                 text_of(&form->fields[0], record));
    else
        snprintf(doing, sizeof doing, "add %s %s", article(form->table), form->table);
    return clump_store_run(store, statement, doing);
}
