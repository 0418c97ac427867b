/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store_handle.h"

#include "store_source.h"

#include <string.h>

#define COLUMNS CLUMP_SOURCE_COLUMNS
static const char all[] = "SELECT * FROM ("
                          "SELECT " COLUMNS ", 0 FROM main.source o WHERE NOT (o.adopted AND EXISTS"
                          " (SELECT 1 FROM reference.source r WHERE r.name = o.name)) "
                          "UNION ALL "
                          "SELECT " COLUMNS ", 1 FROM reference.source o WHERE NOT EXISTS"
                          " (SELECT 1 FROM main.source m WHERE m.name = o.name AND NOT m.adopted)"
                          ") WHERE ?1 IS NULL OR name = ?1 ORDER BY name";

void clump_store_read_source(sqlite3_stmt *statement, int first, clump_store_source *source,
                             bool *bad)
{
    const char **fields[] = {&source->name,         &source->kind,    &source->title,
                             &source->table_label,  &source->section, &source->page,
                             &source->file,         &source->sha256,  &source->tool,
                             &source->tool_version, &source->command, &source->note};
    _Static_assert(sizeof fields / sizeof *fields == CLUMP_SOURCE_FIELDS, "one each");
    for (int i = 0; i < CLUMP_SOURCE_FIELDS; i++) {
        *fields[i] = clump_store_column(statement, first + i, bad);
    }
    *bad = *bad || source->name == NULL || source->kind == NULL || source->title == NULL;
}

static const size_t texts[] = {
    offsetof(clump_store_source, name),    offsetof(clump_store_source, kind),
    offsetof(clump_store_source, title),   offsetof(clump_store_source, table_label),
    offsetof(clump_store_source, section), offsetof(clump_store_source, page),
    offsetof(clump_store_source, file),    offsetof(clump_store_source, sha256),
    offsetof(clump_store_source, tool),    offsetof(clump_store_source, tool_version),
    offsetof(clump_store_source, command), offsetof(clump_store_source, note),
};

/* One step of an iteration: *row says whether `source` was filled. */
static clump_store_status next(clump_store *store, sqlite3_stmt *statement,
                               clump_store_source *source, bool *row)
{
    clump_store_status status = clump_store_step(store, statement, row);
    bool bad = false;
    if (status == CLUMP_STORE_OK && *row) {
        clump_store_read_source(statement, 0, source, &bad);
        source->reference = sqlite3_column_int(statement, CLUMP_SOURCE_FIELDS) != 0;
    }
    return bad ? clump_store_fail_text(store, "source") : status;
}

clump_store_status clump_store_each_source(clump_store *store, clump_store_source_fn *fn,
                                           void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_source source;
    clump_store_status status = clump_store_prepare(store, all, &statement);
    while (status == CLUMP_STORE_OK) {
        status = next(store, statement, &source, &row);
        if (status != CLUMP_STORE_OK || !row) {
            break;
        }
        status = fn(&source, context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
    }
    (void)sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_find_source(clump_store *store, const char *name,
                                           clump_store_source **source)
{
    clump_store_status status = clump_store_check_name(store, "the name of a source", name);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_source found;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store, all, &statement);
    }
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = next(store, statement, &found, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        clump_store_source *copy =
            clump_store_pack(&found, sizeof found, texts, sizeof texts / sizeof *texts);
        if (copy == NULL) {
            status = clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
        } else {
            *source = copy;
        }
    }
    (void)sqlite3_finalize(statement);
    return status == CLUMP_STORE_OK && !row ? clump_store_check_known(store, "source", name)
                                            : status;
}

static clump_store_status check(clump_store *store, const clump_store_source *source)
{
    clump_store_status status = clump_store_check_new(store, "source", source->name);
    if (status == CLUMP_STORE_OK) {
        status = clump_store_check_text(store, "the title of a source", source->title, false);
    }
    if (status == CLUMP_STORE_OK) {
        status = clump_store_check_text(store, "the kind of a source", source->kind, false);
    }
    const char *const optional[] = {source->table_label,  source->section, source->page,
                                    source->file,         source->sha256,  source->tool,
                                    source->tool_version, source->command, source->note};
    for (size_t i = 0; i < sizeof optional / sizeof *optional && status == CLUMP_STORE_OK; i++) {
        status = clump_store_check_text(store, "a field of a source", optional[i], true);
    }
    if (status != CLUMP_STORE_OK) {
        return status;
    }
    static const char *const kinds[] = {"document", "log", "calibration", "inline"};
    size_t kind = 0;
    while (kind < 4 && strcmp(kinds[kind], source->kind) != 0) {
        kind++;
    }
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
    if (status == CLUMP_STORE_OK) {
        status = check(store, source);
    }
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.source (name, kind, title, table_label,"
                                     " section, page, file, sha256, tool, tool_version, command,"
                                     " note) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
                                     " ?12)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK) {
        return status;
    }
    for (int i = 0; i < CLUMP_SOURCE_FIELDS; i++) {
        const char *text = NULL;
        memcpy(&text, (const char *)source + texts[i], sizeof text);
        clump_store_bind(statement, i + 1, text);
    }
    return clump_store_run(store, statement, "add a source");
}
