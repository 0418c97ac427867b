/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/record.h"

#include "data/units.h"

#include <stddef.h>
#include <string.h>

#define COLUMNS "q.name, q.unit, q.meaning, q.may_be_negative"
#define FROM(schema) schema ".quantity q"
#define DANGLING "NULL"

static const clump_store_field fields[] = {
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_quantity, name)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_quantity, unit)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_quantity, meaning)},
    {CLUMP_STORE_FIELD_TRUTH, offsetof(clump_store_quantity, may_be_negative)},
    {CLUMP_STORE_FIELD_TRUTH, offsetof(clump_store_quantity, reference)},
};

static int call(clump_store_any_fn *fn, const void *record, void *context)
{
    return ((clump_store_quantity_fn *)fn)(record, context);
}

static const clump_store_table table = {
    .name = "quantity",
    .key = "the name of a quantity",
    .all = CLUMP_STORE_RECORDS("quantity", "q", COLUMNS, DANGLING, FROM, CLUMP_STORE_ANY),
    .one = CLUMP_STORE_RECORDS("quantity", "q", COLUMNS, DANGLING, FROM, CLUMP_STORE_NAMED),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .record_size = sizeof(clump_store_quantity),
    .call = call,
};

clump_store_status clump_store_each_quantity(clump_store *store, clump_store_quantity_fn *fn,
                                             void *context)
{
    return clump_store_each_record(store, &table, (clump_store_any_fn *)fn, context);
}

clump_store_status clump_store_find_quantity(clump_store *store, const char *name,
                                             clump_store_quantity **quantity)
{
    void *found = NULL;
    *quantity = NULL;
    const clump_store_status status = clump_store_find_record(store, &table, name, &found);
    if (status == CLUMP_STORE_OK)
        *quantity = found;
    return status;
}

clump_store_quantity *clump_store_copy_quantity(const clump_store_quantity *quantity)
{
    return clump_store_copy_record(&table, quantity);
}

/* A quantity of ours keeps its unit: otherwise samples of one name could not be compared. */
static clump_store_status check_reference_unit(clump_store *store,
                                               const clump_store_quantity *quantity)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(
        store, "SELECT unit FROM reference.quantity WHERE name = ?1 AND unit <> ?2", &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, quantity->name);
        clump_store_bind(statement, 2, quantity->unit);
        status = clump_store_step(store, statement, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        const char *unit = (const char *)sqlite3_column_text(statement, 0);
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "quantity '%s' is known in %s, not in %s; choose another name",
                                  quantity->name, unit != NULL ? unit : "?", quantity->unit);
    }
    sqlite3_finalize(statement);
    return status;
}

static clump_store_status check(clump_store *store, const clump_store_quantity *quantity)
{
    clump_store_status status = clump_store_check_new(store, "quantity", quantity->name);
    if (status == CLUMP_STORE_OK) {
        status =
            clump_store_check_text(store, "the meaning of a quantity", quantity->meaning, false);
    }
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the unit of a quantity", quantity->unit, false);
    if (status == CLUMP_STORE_OK && !clump_unit_is_canonical(quantity->unit)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "quantity '%s' cannot be kept in '%s'; expected us, s, us/B, B, "
                                "B/us, count, MHz, cycles or ratio",
                                quantity->name, quantity->unit);
    }
    return status == CLUMP_STORE_OK ? check_reference_unit(store, quantity) : status;
}

clump_store_status clump_store_add_quantity(clump_store *store,
                                            const clump_store_quantity *quantity)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check(store, quantity);
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.quantity (name, unit, meaning,"
                                     " may_be_negative) VALUES (?1, ?2, ?3, ?4)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_bind(statement, 1, quantity->name);
    clump_store_bind(statement, 2, quantity->unit);
    clump_store_bind(statement, 3, quantity->meaning);
    sqlite3_bind_int(statement, 4, quantity->may_be_negative ? 1 : 0);
    return clump_store_run(store, statement, "add a quantity");
}
