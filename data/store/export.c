/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/number.h"
#include "data/store/export_columns.h"
#include "data/store/handle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME(called, name) #name,
static const char *const names[] = {CLUMP_EXPORT_COLUMNS(NAME)};
enum { COLUMNS = sizeof names / sizeof *names };

typedef struct writer {
    clump_store *store;
    clump_store_platform *platform;       /* of the last sample */
    clump_store_application *application; /* the same */
    FILE *file;
    clump_store_status status; /* of reading these */
} writer;

static void put(writer *to, const char *text)
{
    fwrite(text, 1, strlen(text), to->file);
}

/* A field and what follows it. */
static void put_text(writer *to, const char *text, char after)
{
    if (text != NULL && strpbrk(text, "\",\r\n") == NULL && text[0] != '#') {
        put(to, text);
    } else if (text != NULL) {
        putc('"', to->file);
        for (const char *at = text; *at != '\0'; at++) {
            putc(*at, to->file);
            if (*at == '"')
                putc(*at, to->file);
        }
        putc('"', to->file);
    }
    putc(after, to->file);
}

static void put_number(writer *to, double value)
{
    char text[CLUMP_NUMBER_TEXT] = "";
    if (!isnan(value))
        clump_number_print(value, text);
    put_text(to, text, ',');
}

static void put_whole(writer *to, int64_t value)
{
    char text[32] = "";
    if (value >= 0)
        snprintf(text, sizeof text, "%lld", (long long)value);
    put_text(to, text, ',');
}

/* 0 stands for "not known" or "none". */
static void put_known(writer *to, int64_t value)
{
    put_whole(to, value > 0 ? value : -1);
}

/* Samples of one platform mostly follow each other. False if it cannot be read. */
static bool put_platform(writer *to, const char *name)
{
    if (name[0] == '\0') {
        put(to, ",,,,,,,,,");
        return true;
    }
    if (to->platform == NULL || strcmp(to->platform->name, name) != 0) {
        clump_store_free(to->platform);
        to->platform = NULL;
        to->status = clump_store_find_platform(to->store, name, &to->platform);
        if (to->status != CLUMP_STORE_OK)
            return false;
    }
    const clump_store_platform *p = to->platform;
    put_whole(to, p->nodes);
    put_whole(to, p->processors);
    put_whole(to, p->nics);
    const char *const texts[] = {p->mapping, p->counterpart, p->title,
                                 p->part_of, p->note,        p->source};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(to, texts[i], ',');
    return true;
}

/* The same of applications. */
static bool put_application(writer *to, const char *name)
{
    if (name[0] == '\0') {
        put(to, ",,,\n");
        return true;
    }
    if (to->application == NULL || strcmp(to->application->name, name) != 0) {
        clump_store_free(to->application);
        to->application = NULL;
        to->status = clump_store_find_application(to->store, name, &to->application);
        if (to->status != CLUMP_STORE_OK)
            return false;
    }
    const clump_store_application *a = to->application;
    put_text(to, a->title, ',');
    put_text(to, a->style, ',');
    put_text(to, a->note, ',');
    put_text(to, a->source, '\n');
    return true;
}

static void put_source(writer *to, const clump_store_source *from)
{
    const char *const provenance[] = {
        from->name, from->kind,   from->title, from->table_label,  from->section, from->page,
        from->file, from->sha256, from->tool,  from->tool_version, from->command, from->note};
    for (size_t i = 0; i < sizeof provenance / sizeof *provenance; i++)
        put_text(to, provenance[i], ',');
}

static int write_sample(const clump_store_sample *sample, void *context)
{
    writer *to = context;
    const clump_store_measurement *measured = &sample->measured;
    const char *const texts[] = {sample->platform, sample->application, sample->transport,
                                 sample->variant,  sample->quantity,    sample->statistic,
                                 sample->benchmark};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(to, texts[i], ',');
    put_known(to, sample->window);
    put_known(to, sample->processes);
    put_known(to, measured->run);
    put_whole(to, sample->ordinal);
    put_whole(to, measured->size_bytes);
    put_number(to, measured->value);
    put_known(to, measured->iterations);
    put_number(to, measured->delay_us > 0 ? measured->delay_us : NAN);
    put_number(to, measured->half_width);
    put_number(to, measured->std_dev);
    put_text(to, sample->unit, ',');
    put_whole(to, measured->doubtful ? 1 : 0);
    put_text(to, measured->note, ',');
    put_whole(to, sample->reference ? 1 : 0);
    put_source(to, sample->source);
    return !put_platform(to, sample->platform) || !put_application(to, sample->application) ||
           ferror(to->file);
}

clump_store_status clump_store_export(clump_store *store, const clump_store_filter *filter,
                                      FILE *file)
{
    writer to = {.store = store, .file = file};
    if (store->db == NULL)
        return clump_store_fail(store, CLUMP_STORE_FAILED, "the database did not open");
    const bool locks = sqlite3_get_autocommit(store->db) != 0;
    if (locks && sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "read the database");
    /* Both readings under one lock, so that they see the same. */
    clump_store_status status = clump_store_each_sample(store, filter, NULL, NULL);
    if (status == CLUMP_STORE_OK)
        status = clump_store_each_record(store, CLUMP_STORE_PLATFORM, NULL, NULL);
    if (status == CLUMP_STORE_OK)
        status = clump_store_each_record(store, CLUMP_STORE_APPLICATION, NULL, NULL);
    if (status == CLUMP_STORE_OK) {
        for (size_t i = 0; i < COLUMNS; i++)
            put_text(&to, names[i], i + 1 < COLUMNS ? ',' : '\n');
        status = clump_store_each_sample(store, filter, write_sample, &to);
    }
    clump_store_free(to.platform);
    clump_store_free(to.application);
    if (to.status != CLUMP_STORE_OK)
        status = to.status;
    if (locks)
        sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    return status;
}
