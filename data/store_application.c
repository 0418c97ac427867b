/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store_handle.h"

#include <stddef.h>
#include <string.h>

#define COLUMNS "a.name, a.title, a.style, o.name, a.note"
#define JOINED(schema) schema ".application a JOIN " schema ".source o ON o.id = a.source_id"
static const char all[] =
    "SELECT * FROM ("
    "SELECT " COLUMNS
    ", 0 FROM " JOINED("main") " WHERE NOT (a.adopted AND EXISTS"
                               " (SELECT 1 FROM reference.application r WHERE r.name = a.name)) "
                               "UNION ALL "
                               "SELECT " COLUMNS ", 1 FROM " JOINED(
                                   "reference") " WHERE NOT EXISTS"
                                                " (SELECT 1 FROM main.application m WHERE m.name = "
                                                "a.name AND NOT m.adopted)"
                                                ") WHERE ?1 IS NULL OR name = ?1 ORDER BY name";

static const size_t texts[] = {
    offsetof(clump_store_application, name),  offsetof(clump_store_application, title),
    offsetof(clump_store_application, style), offsetof(clump_store_application, source),
    offsetof(clump_store_application, note),
};

static clump_store_status next(clump_store *store, sqlite3_stmt *statement,
                               clump_store_application *application, bool *row)
{
    clump_store_status status = clump_store_step(store, statement, row);
    if (status != CLUMP_STORE_OK || !*row) {
        return status;
    }
    bool bad = false;
    application->name = clump_store_column(statement, 0, &bad);
    application->title = clump_store_column(statement, 1, &bad);
    application->style = clump_store_column(statement, 2, &bad);
    application->source = clump_store_column(statement, 3, &bad);
    application->note = clump_store_column(statement, 4, &bad);
    application->reference = sqlite3_column_int(statement, 5) != 0;
    bad = bad || application->name == NULL || application->title == NULL ||
          application->source == NULL;
    return bad ? clump_store_fail_text(store, "application") : CLUMP_STORE_OK;
}

clump_store_status clump_store_each_application(clump_store *store, clump_store_application_fn *fn,
                                                void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_application application;
    clump_store_status status = clump_store_prepare(store, all, &statement);
    while (status == CLUMP_STORE_OK) {
        status = next(store, statement, &application, &row);
        if (status != CLUMP_STORE_OK || !row) {
            break;
        }
        status = fn(&application, context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
    }
    (void)sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_find_application(clump_store *store, const char *name,
                                                clump_store_application **application)
{
    clump_store_status status = clump_store_check_name(store, "the name of an application", name);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_application found;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store, all, &statement);
    }
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = next(store, statement, &found, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        clump_store_application *copy =
            clump_store_pack(&found, sizeof found, texts, sizeof texts / sizeof *texts);
        if (copy == NULL) {
            status = clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
        } else {
            *application = copy;
        }
    }
    (void)sqlite3_finalize(statement);
    return status == CLUMP_STORE_OK && !row ? clump_store_check_known(store, "application", name)
                                            : status;
}

static clump_store_status check(clump_store *store, const clump_store_application *application)
{
    clump_store_status status = clump_store_check_new(store, "application", application->name);
    if (status == CLUMP_STORE_OK) {
        status =
            clump_store_check_text(store, "the title of an application", application->title, false);
    }
    if (status == CLUMP_STORE_OK) {
        status =
            clump_store_check_text(store, "the note of an application", application->note, true);
    }
    const char *style = application->style;
    if (status == CLUMP_STORE_OK && style != NULL && strcmp(style, "streaming") != 0 &&
        strcmp(style, "blocking") != 0) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "application '%s' has a style that is neither streaming nor "
                                "blocking",
                                application->name);
    }
    return status == CLUMP_STORE_OK
               ? clump_store_check_name(store, "the source of an application", application->source)
               : status;
}

clump_store_status clump_store_add_application(clump_store *store,
                                               const clump_store_application *application)
{
    int64_t source = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK) {
        status = check(store, application);
    }
    if (status == CLUMP_STORE_OK) {
        status = clump_store_adopt(store, "source", application->source, &source);
    }
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.application (name, title, style, source_id,"
                                     " note) VALUES (?1, ?2, ?3, ?4, ?5)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK) {
        return status;
    }
    clump_store_bind(statement, 1, application->name);
    clump_store_bind(statement, 2, application->title);
    clump_store_bind(statement, 3, application->style);
    (void)sqlite3_bind_int64(statement, 4, source);
    clump_store_bind(statement, 5, application->note);
    return clump_store_run(store, statement, "add an application");
}
