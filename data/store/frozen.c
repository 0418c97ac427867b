/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions that were kept before the times were measured. */
#include "data/store/frozen.h"

#include "data/store/row.h"

#include <stddef.h>

#define HEAD(column, type, member) CLUMP_ROW_FIELD(clump_store_frozen, column, type, member)
#define PREDICTION(column, type, member)                                                           \
    CLUMP_ROW_FIELD(clump_store_prediction, column, type, member)

static const clump_row_field head_fields[] = {
    HEAD("name", NAME, name),    HEAD("made", TEXT, made),   HEAD("program", TEXT, program),
    HEAD("rules", TEXT, rules),  HEAD("level", REAL, level), HEAD("note", OPTIONAL, note),
    HEAD("count", WHOLE, count), /* not a column */
};
static const clump_row_field prediction_fields[] = {
    PREDICTION("platform", NAME, platform),
    PREDICTION("application", NAME, application),
    PREDICTION("base", NAME, base),
    PREDICTION("change", NAME, change),
    PREDICTION("inputs", TEXT, inputs),
    PREDICTION("now_time", REAL, now_time_s),
    PREDICTION("predicted", REAL, predicted_s),
    PREDICTION("low", REAL, low_s),
    PREDICTION("high", REAL, high_s),
};
static const clump_row_form read_form = {.table = "frozen", CLUMP_ROW_FIELDS(head_fields)},
                            head_form = {"frozen", head_fields,
                                         sizeof head_fields / sizeof *head_fields - 1},
                            prediction_form = {.table = "frozen_prediction",
                                               CLUMP_ROW_FIELDS(prediction_fields)};

clump_store_status clump_store_read_frozen(clump_store *store, clump_arena *arena,
                                           clump_store_frozen **frozen, size_t *count)
{
    void *rows;
    const clump_store_status status = clump_row_read_all(
        store,
        "SELECT name, made, program, rules, level, note, (SELECT count(*) FROM"
        " main.frozen_prediction p WHERE p.frozen_id = f.id) FROM main.frozen f ORDER BY name",
        0, &read_form, sizeof **frozen, arena, &rows, count);
    *frozen = rows;
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

clump_store_status clump_store_read_predictions(clump_store *store, const char *frozen,
                                                clump_arena *arena,
                                                clump_store_prediction **predictions, size_t *count)
{
    int64_t id = 0;
    void *rows = NULL;
    clump_store_status status = find_known(store, frozen, &id);
    if (status == CLUMP_STORE_OK)
        status = clump_row_read_all(
            store,
            "SELECT platform, application, base, change, inputs, now_time, predicted, low, high"
            " FROM main.frozen_prediction WHERE frozen_id = ?1 ORDER BY ordinal",
            id, &prediction_form, sizeof **predictions, arena, &rows, count);
    *predictions = rows;
    return status;
}

static clump_store_status add_all(clump_store *store, const clump_store_frozen *frozen,
                                  const clump_store_prediction *predictions, size_t count)
{
    clump_store_status status = clump_row_insert(store, &head_form, "", NULL, frozen);
    const int64_t id = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; i < count && status == CLUMP_STORE_OK; i++)
        status = clump_row_insert(store, &prediction_form, "frozen_id, ordinal,",
                                  (const int64_t[]){id, (int64_t)i + 1}, &predictions[i]);
    return status;
}

clump_store_status clump_store_add_frozen(clump_store *store, const clump_store_frozen *frozen,
                                          const clump_store_prediction *predictions, size_t count)
{
    int64_t id = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the name of frozen predictions", frozen->name);
    if (status == CLUMP_STORE_OK)
        status = find_row(store, frozen->name, &id);
    if (status == CLUMP_STORE_OK && id != 0)
        status = clump_store_fail(store, CLUMP_STORE_IN_USE,
                                  "there are frozen predictions '%.200s' already, and what is "
                                  "frozen does not change; choose another name",
                                  frozen->name);
    if (status == CLUMP_STORE_OK)
        status = clump_store_begin_change(store);
    return status == CLUMP_STORE_OK
               ? clump_store_end_change(store, add_all(store, frozen, predictions, count))
               : status;
}

clump_store_status clump_store_remove_frozen(clump_store *store, const char *name)
{
    static const char *const parts[] = {"DELETE FROM main.frozen_prediction WHERE frozen_id = ?1",
                                        "DELETE FROM main.frozen WHERE id = ?1"};
    int64_t id = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = find_known(store, name, &id);
    for (size_t i = 0; i < 2 && status == CLUMP_STORE_OK; i++)
        status = clump_store_run_sql(store, parts[i], id, 0, NULL);
    return status;
}
