/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of recordings in the database: each part is a table, and its columns are the fields of a row. */
#include "data/store/handle.h"
#include "data/store/recorded_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SQL = 800 };

/* "SELECT a, b FROM main.t WHERE application_id = ?1 ORDER BY ordinal" */
static void make_select(char sql[SQL], clump_facts_part part)
{
    const clump_facts_form *form = clump_facts_form_of(part);
    size_t used = (size_t)snprintf(sql, SQL, "SELECT ");
    for (size_t i = 0; i < form->field_count; i++)
        used += (size_t)snprintf(sql + used, SQL - used, "%s%s", i > 0 ? ", " : "",
                                 form->fields[i].name);
    snprintf(sql + used, SQL - used, " FROM main.%s WHERE application_id = ?1%s", form->table,
             part != CLUMP_FACTS_HEAD ? " ORDER BY ordinal" : "");
}

/* "INSERT INTO main.t (application_id, ordinal, a, b) VALUES (?1, ?2, ?3, ?4)"; the head has no ordinal */
static void make_insert(char sql[SQL], clump_facts_part part)
{
    const clump_facts_form *form = clump_facts_form_of(part);
    const size_t first = part != CLUMP_FACTS_HEAD ? 2 : 1;
    size_t used = (size_t)snprintf(sql, SQL, "INSERT INTO main.%s (application_id%s", form->table,
                                   first == 2 ? ", ordinal" : "");
    for (size_t i = 0; i < form->field_count; i++)
        used += (size_t)snprintf(sql + used, SQL - used, ", %s", form->fields[i].name);
    used += (size_t)snprintf(sql + used, SQL - used, ") VALUES (");
    for (size_t i = 0; i < form->field_count + first; i++)
        used += (size_t)snprintf(sql + used, SQL - used, "%s?%zu", i > 0 ? ", " : "", i + 1);
    snprintf(sql + used, SQL - used, ")");
}

/* ---- reading */

static double read_real(sqlite3_stmt *statement, int column)
{
    return clump_store_column_real(statement, column);
}

/* Fills in a row; the texts are those of the statement. */
static bool read_row(sqlite3_stmt *statement, const clump_facts_form *form, unsigned char *row)
{
    bool bad = false;
    for (size_t i = 0; i < form->field_count; i++) {
        const clump_facts_field *field = &form->fields[i];
        const int column = (int)i;
        const bool none = sqlite3_column_type(statement, column) == SQLITE_NULL;
        bad = bad || (none && !field->may_lack);
        switch (field->type) {
        case CLUMP_FACTS_TEXT: {
            const char *text = clump_store_column(statement, column, &bad);
            memcpy(row + field->offset, &text, sizeof text);
            break;
        }
        case CLUMP_FACTS_WHOLE: {
            const int64_t whole = none ? -1 : sqlite3_column_int64(statement, column);
            memcpy(row + field->offset, &whole, sizeof whole);
            break;
        }
        case CLUMP_FACTS_REAL: {
            const double real = read_real(statement, column);
            memcpy(row + field->offset, &real, sizeof real);
            break;
        }
        case CLUMP_FACTS_TRUTH: {
            const bool truth = sqlite3_column_int64(statement, column) != 0;
            memcpy(row + field->offset, &truth, sizeof truth);
            break;
        }
        }
    }
    return !bad;
}

static clump_store_status read_part(clump_store *store, int64_t id, clump_facts_part part,
                                    clump_facts *facts)
{
    char sql[SQL];
    const clump_facts_form *form = clump_facts_form_of(part);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    make_select(sql, part);
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    if (status == CLUMP_STORE_OK)
        sqlite3_bind_int64(statement, 1, id);
    while (status == CLUMP_STORE_OK) {
        status = clump_store_step(store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        clump_facts_any_row found;
        memset(&found, 0, sizeof found);
        if (part == CLUMP_FACTS_HEAD)
            found.head.application = facts->application;
        if (!read_row(statement, form, (unsigned char *)&found))
            status = clump_store_fail_text(store, form->table);
        else if (!clump_facts_add(facts, part, &found))
            status = clump_store_fail_memory(store);
    }
    sqlite3_finalize(statement);
    return status;
}

/* What others rely on when they use ranks and nodes as indexes. */
static clump_store_status check_indexes(clump_store *store, const clump_facts *f)
{
    const int64_t ranks = (int64_t)f->rank_count, nodes = (int64_t)f->node_count;
    bool good = ranks > 0 && nodes > 0;
    for (size_t i = 0; i < f->rank_count; i++)
        good = good && f->ranks[i].node >= 0 && f->ranks[i].node < nodes;
    for (size_t i = 0; i < f->call_count; i++)
        good = good && f->calls[i].rank >= 0 && f->calls[i].rank < ranks;
    for (size_t i = 0; i < f->traffic_count; i++)
        good = good && f->traffic[i].sender >= 0 && f->traffic[i].sender < ranks &&
               f->traffic[i].receiver >= 0 && f->traffic[i].receiver < ranks;
    for (size_t i = 0; i < f->collective_count; i++)
        good = good && f->collectives[i].members >= 1 && f->collectives[i].members <= ranks;
    for (size_t i = 0; i < f->overlap_count; i++)
        good = good && f->overlaps[i].processors >= 2 && f->overlaps[i].processors <= ranks;
    for (size_t i = 0; i < f->step_count; i++)
        good = good && f->steps[i].rank >= 0 && f->steps[i].rank < ranks && f->steps[i].steps >= 0;
    for (size_t i = 0; i < f->collision_count; i++)
        good = good && f->collisions[i].node >= 0 && f->collisions[i].node < nodes &&
               f->collisions[i].q >= 0 && f->collisions[i].q <= ranks;
    return good ? CLUMP_STORE_OK
                : clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                   "the recording of application '%.200s' names ranks or nodes "
                                   "that it does not have",
                                   f->application != NULL ? f->application : "?");
}

clump_store_status clump_store_find_facts(clump_store *store, const char *application,
                                          clump_facts **facts)
{
    int64_t id = 0;
    *facts = NULL;
    clump_store_status status =
        clump_store_check_name(store, "the name of an application", application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(
            store,
            "SELECT r.application_id FROM main.recording r JOIN main.application a"
            " ON a.id = r.application_id WHERE a.name = ?1",
            application, &id);
    if (status != CLUMP_STORE_OK || id == 0)
        return status;
    clump_facts *found = clump_facts_new();
    if (found == NULL)
        return clump_store_fail_memory(store);
    found->application = application;
    for (size_t i = 0; i < CLUMP_FACTS_PARTS && status == CLUMP_STORE_OK; i++)
        status = read_part(store, id, (clump_facts_part)i, found);
    if (status == CLUMP_STORE_OK)
        status = check_indexes(store, found);
    if (status == CLUMP_STORE_OK)
        *facts = found;
    else
        clump_facts_free(found);
    return status;
}

clump_store_status clump_store_each_recording(clump_store *store, clump_store_recording_fn *fn,
                                              void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(
        store,
        "SELECT a.name, r.origin, r.program, r.started, r.wall,"
        " (SELECT count(*) FROM main.recording_rank k WHERE k.application_id = a.id),"
        " (SELECT count(*) FROM main.recording_node n WHERE n.application_id = a.id)"
        " FROM main.recording r JOIN main.application a ON a.id = r.application_id ORDER BY a.name",
        &statement);
    while (status == CLUMP_STORE_OK) {
        bool bad = false;
        status = clump_store_step(store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        const clump_store_recording found = {
            .application = clump_store_column(statement, 0, &bad),
            .origin = clump_store_column(statement, 1, &bad),
            .program = clump_store_column(statement, 2, &bad),
            .started = clump_store_column(statement, 3, &bad),
            .wall = sqlite3_column_double(statement, 4),
            .ranks = sqlite3_column_int64(statement, 5),
            .nodes = sqlite3_column_int64(statement, 6),
        };
        if (bad || found.application == NULL || found.origin == NULL)
            status = clump_store_fail_text(store, "recording");
        else if (fn != NULL && fn(&found, context) != 0)
            status = CLUMP_STORE_STOPPED;
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- writing; CHECK constraints of the tables see to the ranges */

static clump_store_status bind_row(clump_store *store, sqlite3_stmt *statement, int first,
                                   const clump_facts_form *form, const unsigned char *row)
{
    for (size_t i = 0; i < form->field_count; i++) {
        const clump_facts_field *field = &form->fields[i];
        const int index = first + (int)i;
        switch (field->type) {
        case CLUMP_FACTS_TEXT: {
            const char *text;
            memcpy(&text, row + field->offset, sizeof text);
            const clump_store_status status =
                clump_store_check_text(store, "a field of a recording", text, field->may_lack);
            if (status != CLUMP_STORE_OK)
                return status;
            clump_store_bind(statement, index, text);
            break;
        }
        case CLUMP_FACTS_WHOLE: {
            int64_t whole;
            memcpy(&whole, row + field->offset, sizeof whole);
            if (whole < 0 && field->may_lack)
                sqlite3_bind_null(statement, index);
            else
                sqlite3_bind_int64(statement, index, whole);
            break;
        }
        case CLUMP_FACTS_REAL: {
            double real;
            memcpy(&real, row + field->offset, sizeof real);
            clump_store_bind_real(statement, index, real);
            break;
        }
        case CLUMP_FACTS_TRUTH: {
            bool truth;
            memcpy(&truth, row + field->offset, sizeof truth);
            sqlite3_bind_int(statement, index, truth);
            break;
        }
        }
    }
    return CLUMP_STORE_OK;
}

static clump_store_status add_part(clump_store *store, int64_t id, const clump_facts *facts,
                                   clump_facts_part part)
{
    char sql[SQL];
    const clump_facts_form *form = clump_facts_form_of(part);
    const int first = part != CLUMP_FACTS_HEAD ? 3 : 2;
    sqlite3_stmt *statement = NULL;
    make_insert(sql, part);
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    for (size_t i = 0; i < clump_facts_rows(facts, part) && status == CLUMP_STORE_OK; i++) {
        /* Only read: facts that are written are not changed. */
        const unsigned char *row = clump_facts_row((clump_facts *)(uintptr_t)facts, part, i);
        sqlite3_bind_int64(statement, 1, id);
        if (part != CLUMP_FACTS_HEAD)
            sqlite3_bind_int64(statement, 2, (int64_t)i + 1);
        status = bind_row(store, statement, first, form, row);
        if (status != CLUMP_STORE_OK)
            break;
        const int rc = sqlite3_step(statement);
        if (rc == SQLITE_CONSTRAINT)
            status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                      "row %zu of %s has a number that is out of range", i + 1,
                                      form->table);
        else if (rc != SQLITE_DONE)
            status = clump_store_fail_sqlite(store, "keep a recording");
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_add_facts(clump_store *store, const clump_facts *facts)
{
    int64_t id = 0, there = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status =
            clump_store_check_name(store, "the application of a recording", facts->application);
    if (status == CLUMP_STORE_OK)
        status = check_indexes(store, facts);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(store, "SELECT id FROM main.application WHERE name = ?1",
                                     facts->application, &id);
    if (status == CLUMP_STORE_OK && id == 0)
        status = clump_store_fail(store, CLUMP_STORE_NOT_FOUND,
                                  "there is no application '%.200s' to keep a recording of",
                                  facts->application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(
            store,
            "SELECT r.application_id FROM main.recording r JOIN main.application a"
            " ON a.id = r.application_id WHERE a.name = ?1",
            facts->application, &there);
    if (status == CLUMP_STORE_OK && there != 0)
        status = clump_store_fail(store, CLUMP_STORE_IN_USE,
                                  "there is a recording of application '%.200s' already",
                                  facts->application);
    if (status != CLUMP_STORE_OK)
        return status;
    if (sqlite3_exec(store->db, "SAVEPOINT recording", NULL, NULL, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "keep a recording");
    for (size_t i = 0; i < CLUMP_FACTS_PARTS && status == CLUMP_STORE_OK; i++)
        status = add_part(store, id, facts, (clump_facts_part)i);
    /* The message of a failure stays. */
    sqlite3_exec(store->db,
                 status == CLUMP_STORE_OK ? "RELEASE recording"
                                          : "ROLLBACK TO recording; RELEASE recording",
                 NULL, NULL, NULL);
    return status;
}
