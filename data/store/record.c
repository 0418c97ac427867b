/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one record of any table. */
typedef union any_record {
    clump_store_platform platform;
    clump_store_application application;
    clump_store_quantity quantity;
    clump_store_source source;
} any_record;

bool clump_store_read_fields(sqlite3_stmt *statement, int first, const clump_store_field *fields,
                             size_t count, void *record)
{
    bool bad = false;
    for (size_t i = 0; i < count; i++) {
        char *field = (char *)record + fields[i].offset;
        const int column = first + (int)i;
        switch (fields[i].type) {
        case CLUMP_STORE_FIELD_TEXT:
        case CLUMP_STORE_FIELD_OPTIONAL: {
            const char *text = clump_store_column(statement, column, &bad);
            bad = bad || (text == NULL && fields[i].type == CLUMP_STORE_FIELD_TEXT);
            memcpy(field, &text, sizeof text);
            break;
        }
        case CLUMP_STORE_FIELD_COUNT: {
            const int64_t number = sqlite3_column_int64(statement, column);
            memcpy(field, &number, sizeof number);
            break;
        }
        case CLUMP_STORE_FIELD_TRUTH: {
            const bool truth = sqlite3_column_int(statement, column) != 0;
            memcpy(field, &truth, sizeof truth);
            break;
        }
        }
    }
    return !bad;
}

/* One step: *row says whether `record` was filled. */
static clump_store_status next(clump_store *store, const clump_store_table *table,
                               sqlite3_stmt *statement, any_record *record, bool *row)
{
    clump_store_status status = clump_store_step(store, statement, row);
    if (status != CLUMP_STORE_OK || !*row)
        return status;
    const char *target = (const char *)sqlite3_column_text(statement, (int)table->field_count);
    if (target != NULL) {
        bool bad = false;
        const char *name = clump_store_column(statement, 0, &bad);
        char what[CLUMP_STORE_NAME + 100];
        snprintf(what, sizeof what, "%s '%.200s'", table->name, bad ? "?" : name);
        return clump_store_fail_dangling(store, what, target);
    }
    if (!clump_store_read_fields(statement, 0, table->fields, table->field_count, record))
        return clump_store_fail_text(store, table->name);
    return table->check != NULL ? table->check(store, record) : CLUMP_STORE_OK;
}

clump_store_status clump_store_each_record(clump_store *store, const clump_store_table *table,
                                           clump_store_any_fn *fn, void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    any_record record;
    clump_store_status status = clump_store_prepare(store, table->all, &statement);
    while (status == CLUMP_STORE_OK) {
        status = next(store, table, statement, &record, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        status = table->call(fn, &record, context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
    }
    sqlite3_finalize(statement);
    return status;
}

/* The next text of a record, from field *at on; NULL after the last. */
static const char *next_text(const clump_store_table *table, const void *record, size_t *at)
{
    for (; *at < table->field_count; ++*at) {
        const clump_store_field *field = &table->fields[*at];
        if (field->type != CLUMP_STORE_FIELD_TEXT && field->type != CLUMP_STORE_FIELD_OPTIONAL)
            continue;
        const char *text = NULL;
        memcpy(&text, (const char *)record + field->offset, sizeof text);
        if (text != NULL)
            return text;
    }
    return NULL;
}

void *clump_store_copy_record(const clump_store_table *table, const void *record)
{
    size_t total = table->record_size;
    const char *text = NULL;
    for (size_t i = 0; (text = next_text(table, record, &i)) != NULL; i++)
        total += strlen(text) + 1;
    char *block = malloc(total);
    if (block == NULL)
        return NULL;
    memcpy(block, record, table->record_size);
    char *free_space = block + table->record_size;
    for (size_t i = 0; (text = next_text(table, record, &i)) != NULL; i++) {
        const size_t size = strlen(text) + 1;
        memcpy(free_space, text, size);
        memcpy(block + table->fields[i].offset, &free_space, sizeof free_space);
        free_space += size;
    }
    return block;
}

clump_store_status clump_store_find_record(clump_store *store, const clump_store_table *table,
                                           const char *name, void **record)
{
    clump_store_status status = clump_store_check_name(store, table->key, name);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    any_record found;
    if (status == CLUMP_STORE_OK)
        status = clump_store_prepare(store, table->one, &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = next(store, table, statement, &found, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        void *copy = clump_store_copy_record(table, &found);
        if (copy == NULL)
            status = clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
        else
            *record = copy;
    }
    sqlite3_finalize(statement);
    if (status == CLUMP_STORE_OK && !row) {
        status = clump_store_check_known(store, table->name, name);
        if (status == CLUMP_STORE_OK) {
            status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                      "the database is damaged: %s '%s' is in it and cannot be "
                                      "read; restore it from a copy",
                                      table->name, name);
        }
    }
    return status;
}
