/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store_record.h"

#include <stddef.h>
#include <string.h>

#define COLUMNS "a.name, a.title, a.style, o.name, a.note"
#define JOINED(schema) schema ".application a JOIN " schema ".source o ON o.id = a.source_id"

static const clump_store_field fields[] = {
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_application, name)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_application, title)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_application, style)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_application, source)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_application, note)},
    {CLUMP_STORE_FIELD_TRUTH, offsetof(clump_store_application, reference)},
};

static int call(clump_store_any_fn *fn, const void *record, void *context)
{
    return ((clump_store_application_fn *)fn)(record, context);
}

static const clump_store_table table = {
    .name = "application",
    .key = "the name of an application",
    .query = CLUMP_STORE_RECORDS("application", "a", COLUMNS, JOINED),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .record_size = sizeof(clump_store_application),
    .call = call,
};

clump_store_status clump_store_each_application(clump_store *store, clump_store_application_fn *fn,
                                                void *context)
{
    return clump_store_each_record(store, &table, (clump_store_any_fn *)fn, context);
}

clump_store_status clump_store_find_application(clump_store *store, const char *name,
                                                clump_store_application **application)
{
    void *found = NULL;
    const clump_store_status status = clump_store_find_record(store, &table, name, &found);
    if (status == CLUMP_STORE_OK) {
        *application = found;
    }
    return status;
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
