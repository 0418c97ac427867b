/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/source.h"

#include "data/store/record.h"

#include <stddef.h>
#include <string.h>

#define FROM(schema) schema ".source o"
#define DANGLING "NULL"

static const clump_store_field fields[] = {
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_source, name)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_source, kind)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_source, title)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, table_label)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, section)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, page)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, file)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, sha256)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, tool)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, tool_version)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, command)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_source, note)},
    {CLUMP_STORE_FIELD_TRUTH, offsetof(clump_store_source, reference)},
};

void clump_store_read_source(sqlite3_stmt *statement, int first, clump_store_source *source,
                             bool *bad)
{
    _Static_assert(sizeof fields / sizeof *fields == CLUMP_SOURCE_FIELDS + 1, "and reference");
    *bad = !clump_store_read_fields(statement, first, fields, CLUMP_SOURCE_FIELDS, source) || *bad;
}

static int call(clump_store_any_fn *fn, const void *record, void *context)
{
    return ((clump_store_source_fn *)fn)(record, context);
}

static const clump_store_table table = {
    .name = "source",
    .key = "the name of a source",
    .all =
        CLUMP_STORE_RECORDS("source", "o", CLUMP_SOURCE_COLUMNS, DANGLING, FROM, CLUMP_STORE_ANY),
    .one =
        CLUMP_STORE_RECORDS("source", "o", CLUMP_SOURCE_COLUMNS, DANGLING, FROM, CLUMP_STORE_NAMED),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .record_size = sizeof(clump_store_source),
    .call = call,
};

clump_store_status clump_store_each_source(clump_store *store, clump_store_source_fn *fn,
                                           void *context)
{
    return clump_store_each_record(store, &table, (clump_store_any_fn *)fn, context);
}

clump_store_status clump_store_find_source(clump_store *store, const char *name,
                                           clump_store_source **source)
{
    void *found = NULL;
    *source = NULL;
    const clump_store_status status = clump_store_find_record(store, &table, name, &found);
    if (status == CLUMP_STORE_OK)
        *source = found;
    return status;
}

clump_store_source *clump_store_copy_source(const clump_store_source *source)
{
    return clump_store_copy_record(&table, source);
}

static clump_store_status check(clump_store *store, const clump_store_source *source)
{
    clump_store_status status = clump_store_check_new(store, "source", source->name);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the title of a source", source->title, false);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the kind of a source", source->kind, false);
    const char *const optional[] = {source->table_label,  source->section, source->page,
                                    source->file,         source->sha256,  source->tool,
                                    source->tool_version, source->command, source->note};
    for (size_t i = 0; i < sizeof optional / sizeof *optional && status == CLUMP_STORE_OK; i++)
        status = clump_store_check_text(store, "a field of a source", optional[i], true);
    if (status != CLUMP_STORE_OK)
        return status;
    static const char *const kinds[] = {"document", "log", "calibration", "inline"};
    size_t kind = 0;
    while (kind < 4 && strcmp(kinds[kind], source->kind) != 0)
        kind++;
    if (kind == 4) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "source '%s' has kind '%s'; expected document, log, calibration "
                                "or inline",
                                source->name, source->kind);
    }
    if (kind == 1 && (source->file == NULL || source->sha256 == NULL)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "source '%s' is a log: it needs the file and its sha256",
                                source->name);
    }
    if (source->sha256 != NULL &&
        (strlen(source->sha256) != 64 || strspn(source->sha256, "0123456789abcdef") != 64)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "source '%s': sha256 is not 64 lower-case hex digits",
                                source->name);
    }
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_add_source(clump_store *store, const clump_store_source *source)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check(store, source);
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.source (name, kind, title, table_label,"
                                     " section, page, file, sha256, tool, tool_version, command,"
                                     " note) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
                                     " ?12)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    for (int i = 0; i < CLUMP_SOURCE_FIELDS; i++) {
        const char *text = NULL;
        memcpy(&text, (const char *)source + fields[i].offset, sizeof text);
        clump_store_bind(statement, i + 1, text);
    }
    return clump_store_run(store, statement, "add a source");
}
