/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/record.h"

#include <stddef.h>
#include <string.h>

#define COLUMNS "a.name, a.title, a.style, o.name, a.note"
#define JOINED(schema) schema ".application a LEFT JOIN " schema ".source o ON o.id = a.source_id"
#define DANGLING "CASE WHEN o.id IS NULL THEN 'a source' END"

static const clump_store_field fields[] = {
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_application, name)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_application, title)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_application, style)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_application, source)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_application, note)},
    {CLUMP_STORE_FIELD_TRUTH, offsetof(clump_store_application, reference)},
};

static bool is_style(const char *text)
{
    return text == NULL || strcmp(text, "streaming") == 0 || strcmp(text, "blocking") == 0;
}

static clump_store_status check_read(clump_store *store, const void *record)
{
    const clump_store_application *application = record;
    return is_style(application->style)
               ? CLUMP_STORE_OK
               : clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "the database says that application '%.200s' has style '%.40s', "
                                  "which is neither streaming nor blocking; restore it from a copy",
                                  application->name, application->style);
}

static int call(clump_store_any_fn *fn, const void *record, void *context)
{
    return ((clump_store_application_fn *)fn)(record, context);
}

static const clump_store_table table = {
    .name = "application",
    .key = "the name of an application",
    .all = CLUMP_STORE_RECORDS("application", "a", COLUMNS, DANGLING, JOINED, CLUMP_STORE_ANY),
    .one = CLUMP_STORE_RECORDS("application", "a", COLUMNS, DANGLING, JOINED, CLUMP_STORE_NAMED),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .record_size = sizeof(clump_store_application),
    .check = check_read,
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
    *application = NULL;
    const clump_store_status status = clump_store_find_record(store, &table, name, &found);
    if (status == CLUMP_STORE_OK)
        *application = found;
    return status;
}

clump_store_application *clump_store_copy_application(const clump_store_application *application)
{
    return clump_store_copy_record(&table, application);
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
    if (status == CLUMP_STORE_OK && !is_style(application->style)) {
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
    if (status == CLUMP_STORE_OK)
        status = check(store, application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_adopt(store, "source", application->source, &source);
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.application (name, title, style, source_id,"
                                     " note) VALUES (?1, ?2, ?3, ?4, ?5)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_bind(statement, 1, application->name);
    clump_store_bind(statement, 2, application->title);
    clump_store_bind(statement, 3, application->style);
    sqlite3_bind_int64(statement, 4, source);
    clump_store_bind(statement, 5, application->note);
    return clump_store_run(store, statement, "add an application");
}
