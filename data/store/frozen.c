/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions that were kept before the times were measured. */
#include "data/store/handle.h"

#include <string.h>

/* ---- reading */

clump_store_status clump_store_each_frozen(clump_store *store, clump_store_frozen_fn *fn,
                                           void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(
        store,
        "SELECT f.name, f.made, f.program, f.rules, f.level, f.note, (SELECT count(*) FROM"
        " main.frozen_prediction p WHERE p.frozen_id = f.id) FROM main.frozen f ORDER BY f.name",
        &statement);
    while (status == CLUMP_STORE_OK) {
        bool bad = false;
        status = clump_store_step(store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        const clump_store_frozen found = {
            .name = clump_store_column(statement, 0, &bad),
            .made = clump_store_column(statement, 1, &bad),
            .program = clump_store_column(statement, 2, &bad),
            .rules = clump_store_column(statement, 3, &bad),
            .level = sqlite3_column_double(statement, 4),
            .note = clump_store_column(statement, 5, &bad),
            .count = sqlite3_column_int64(statement, 6),
        };
        if (bad || found.name == NULL || found.made == NULL || found.program == NULL ||
            found.rules == NULL)
            status = clump_store_fail_text(store, "frozen");
        else if (fn != NULL && fn(&found, context) != 0)
            status = CLUMP_STORE_STOPPED;
    }
    sqlite3_finalize(statement);
    return status;
}

/* The row of that name; 0: there is none. */
static clump_store_status find_row(clump_store *store, const char *name, int64_t *id)
{
    return clump_store_find_id(store, "SELECT id FROM main.frozen WHERE name = ?1", name, id);
}

static clump_store_status find_known(clump_store *store, const char *name, int64_t *id)
{
    clump_store_status status =
        clump_store_check_name(store, "the name of frozen predictions", name);
    if (status == CLUMP_STORE_OK)
        status = find_row(store, name, id);
    if (status == CLUMP_STORE_OK && *id == 0)
        status = clump_store_fail(store, CLUMP_STORE_NOT_FOUND,
                                  "there are no frozen predictions '%.200s'; 'clumpmodel data list "
                                  "frozen' lists what there is",
                                  name);
    return status;
}

clump_store_status clump_store_each_prediction(clump_store *store, const char *frozen,
                                               clump_store_prediction_fn *fn, void *context)
{
    sqlite3_stmt *statement = NULL;
    int64_t id = 0;
    bool row = false;
    clump_store_status status = find_known(store, frozen, &id);
    if (status == CLUMP_STORE_OK)
        status = clump_store_prepare(
            store,
            "SELECT platform, application, base, change, inputs, now_time, predicted, low, high"
            " FROM main.frozen_prediction WHERE frozen_id = ?1 ORDER BY ordinal",
            &statement);
    if (status == CLUMP_STORE_OK)
        sqlite3_bind_int64(statement, 1, id);
    while (status == CLUMP_STORE_OK) {
        bool bad = false;
        status = clump_store_step(store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        const char *texts[5];
        for (int i = 0; i < 5; i++) {
            texts[i] = clump_store_column(statement, i, &bad);
            bad = bad || texts[i] == NULL;
        }
        const clump_store_prediction found = {
            .platform = texts[0],
            .application = texts[1],
            .base = texts[2],
            .change = texts[3],
            .inputs = texts[4],
            .now_time_s = sqlite3_column_double(statement, 5),
            .predicted_s = sqlite3_column_double(statement, 6),
            .low_s = clump_store_column_real(statement, 7),
            .high_s = clump_store_column_real(statement, 8),
        };
        if (bad)
            status = clump_store_fail_text(store, "frozen_prediction");
        else if (fn != NULL && fn(&found, context) != 0)
            status = CLUMP_STORE_STOPPED;
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- writing; CHECK constraints of the tables see to the ranges */

static clump_store_status check_texts(clump_store *store, const clump_store_frozen *frozen,
                                      const clump_store_prediction *predictions, size_t count)
{
    clump_store_status status =
        clump_store_check_name(store, "the name of frozen predictions", frozen->name);
    const char *const texts[] = {frozen->made, frozen->program, frozen->rules};
    for (size_t i = 0; i < 3 && status == CLUMP_STORE_OK; i++)
        status = clump_store_check_text(store, "a field of frozen predictions", texts[i], false);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "a note", frozen->note, true);
    for (size_t i = 0; i < count && status == CLUMP_STORE_OK; i++) {
        const clump_store_prediction *p = &predictions[i];
        const char *const names[] = {p->platform, p->application, p->base, p->change};
        for (size_t j = 0; j < 4 && status == CLUMP_STORE_OK; j++)
            status = clump_store_check_name(store, "a field of a frozen prediction", names[j]);
        if (status == CLUMP_STORE_OK)
            status = clump_store_check_text(store, "the inputs of a frozen prediction", p->inputs,
                                            false);
    }
    return status;
}

static clump_store_status run_checked(clump_store *store, sqlite3_stmt *statement)
{
    return clump_store_run_checked(
        store, statement, "a number of a frozen prediction is out of range", "keep predictions");
}

static clump_store_status add_head(clump_store *store, const clump_store_frozen *frozen)
{
    sqlite3_stmt *statement = NULL;
    const clump_store_status status =
        clump_store_prepare(store,
                            "INSERT INTO main.frozen (name, made, program, rules, level, note)"
                            " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                            &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_bind(statement, 1, frozen->name);
    clump_store_bind(statement, 2, frozen->made);
    clump_store_bind(statement, 3, frozen->program);
    clump_store_bind(statement, 4, frozen->rules);
    sqlite3_bind_double(statement, 5, frozen->level);
    clump_store_bind(statement, 6, frozen->note);
    return run_checked(store, statement);
}

static clump_store_status add_prediction(clump_store *store, int64_t id, int64_t ordinal,
                                         const clump_store_prediction *p)
{
    sqlite3_stmt *statement = NULL;
    const clump_store_status status = clump_store_prepare(
        store,
        "INSERT INTO main.frozen_prediction (frozen_id, ordinal, platform, application, base,"
        " change, inputs, now_time, predicted, low, high)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_int64(statement, 2, ordinal);
    clump_store_bind(statement, 3, p->platform);
    clump_store_bind(statement, 4, p->application);
    clump_store_bind(statement, 5, p->base);
    clump_store_bind(statement, 6, p->change);
    clump_store_bind(statement, 7, p->inputs);
    sqlite3_bind_double(statement, 8, p->now_time_s);
    sqlite3_bind_double(statement, 9, p->predicted_s);
    clump_store_bind_real(statement, 10, p->low_s);
    clump_store_bind_real(statement, 11, p->high_s);
    return run_checked(store, statement);
}

clump_store_status clump_store_add_frozen(clump_store *store, const clump_store_frozen *frozen,
                                          const clump_store_prediction *predictions, size_t count)
{
    int64_t id = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check_texts(store, frozen, predictions, count);
    if (status == CLUMP_STORE_OK)
        status = find_row(store, frozen->name, &id);
    if (status == CLUMP_STORE_OK && id != 0)
        status = clump_store_fail(store, CLUMP_STORE_IN_USE,
                                  "there are frozen predictions '%.200s' already, and what is "
                                  "frozen does not change; choose another name",
                                  frozen->name);
    if (status != CLUMP_STORE_OK)
        return status;
    if (sqlite3_exec(store->db, "SAVEPOINT frozen", NULL, NULL, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "keep predictions");
    status = add_head(store, frozen);
    if (status == CLUMP_STORE_OK)
        status = find_row(store, frozen->name, &id);
    for (size_t i = 0; i < count && status == CLUMP_STORE_OK; i++)
        status = add_prediction(store, id, (int64_t)i + 1, &predictions[i]);
    /* The message of a failure stays. */
    sqlite3_exec(store->db,
                 status == CLUMP_STORE_OK ? "RELEASE frozen" : "ROLLBACK TO frozen; RELEASE frozen",
                 NULL, NULL, NULL);
    return status;
}

clump_store_status clump_store_remove_frozen(clump_store *store, const char *name)
{
    static const char *const parts[] = {"DELETE FROM main.frozen_prediction WHERE frozen_id = ?1",
                                        "DELETE FROM main.frozen WHERE id = ?1"};
    int64_t id = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = find_known(store, name, &id);
    for (size_t i = 0; i < 2 && status == CLUMP_STORE_OK; i++) {
        sqlite3_stmt *statement = NULL;
        status = clump_store_prepare(store, parts[i], &statement);
        if (status != CLUMP_STORE_OK)
            break;
        sqlite3_bind_int64(statement, 1, id);
        status = clump_store_run(store, statement, "remove");
    }
    return status;
}
