/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store_handle.h"

#include "units.h"

#include <stddef.h>
#include <string.h>

#define COLUMNS "q.name, q.unit, q.meaning, q.may_be_negative"
static const char all[] = "SELECT * FROM ("
                          "SELECT " COLUMNS ", 0 FROM main.quantity q WHERE NOT (q.adopted AND"
                          " EXISTS (SELECT 1 FROM reference.quantity r WHERE r.name = q.name)) "
                          "UNION ALL "
                          "SELECT " COLUMNS ", 1 FROM reference.quantity q WHERE NOT EXISTS"
                          " (SELECT 1 FROM main.quantity m WHERE m.name = q.name AND NOT m.adopted)"
                          ") WHERE ?1 IS NULL OR name = ?1 ORDER BY name";

static const size_t texts[] = {
    offsetof(clump_store_quantity, name),
    offsetof(clump_store_quantity, unit),
    offsetof(clump_store_quantity, meaning),
};

static clump_store_status next(clump_store *store, sqlite3_stmt *statement,
                               clump_store_quantity *quantity, bool *row)
{
    clump_store_status status = clump_store_step(store, statement, row);
    if (status != CLUMP_STORE_OK || !*row) {
        return status;
    }
    bool bad = false;
    quantity->name = clump_store_column(statement, 0, &bad);
    quantity->unit = clump_store_column(statement, 1, &bad);
    quantity->meaning = clump_store_column(statement, 2, &bad);
    quantity->may_be_negative = sqlite3_column_int(statement, 3) != 0;
    quantity->reference = sqlite3_column_int(statement, 4) != 0;
    bad = bad || quantity->name == NULL || quantity->unit == NULL || quantity->meaning == NULL;
    return bad ? clump_store_fail_text(store, "quantity") : CLUMP_STORE_OK;
}

clump_store_status clump_store_each_quantity(clump_store *store, clump_store_quantity_fn *fn,
                                             void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_quantity quantity;
    clump_store_status status = clump_store_prepare(store, all, &statement);
    while (status == CLUMP_STORE_OK) {
        status = next(store, statement, &quantity, &row);
        if (status != CLUMP_STORE_OK || !row) {
            break;
        }
        status = fn(&quantity, context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
    }
    (void)sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_find_quantity(clump_store *store, const char *name,
                                             clump_store_quantity **quantity)
{
    clump_store_status status = clump_store_check_name(store, "the name of a quantity", name);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_quantity found;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store, all, &statement);
    }
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = next(store, statement, &found, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        clump_store_quantity *copy =
            clump_store_pack(&found, sizeof found, texts, sizeof texts / sizeof *texts);
        if (copy == NULL) {
            status = clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
        } else {
            *quantity = copy;
        }
    }
    (void)sqlite3_finalize(statement);
    return status == CLUMP_STORE_OK && !row ? clump_store_check_known(store, "quantity", name)
                                            : status;
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
    (void)sqlite3_finalize(statement);
    return status;
}

static clump_store_status check(clump_store *store, const clump_store_quantity *quantity)
{
    clump_store_status status = clump_store_check_new(store, "quantity", quantity->name);
    if (status == CLUMP_STORE_OK) {
        status =
            clump_store_check_text(store, "the meaning of a quantity", quantity->meaning, false);
    }
    if (status == CLUMP_STORE_OK) {
        status = clump_store_check_text(store, "the unit of a quantity", quantity->unit, false);
    }
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
    if (status == CLUMP_STORE_OK) {
        status = check(store, quantity);
    }
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.quantity (name, unit, meaning,"
                                     " may_be_negative) VALUES (?1, ?2, ?3, ?4)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK) {
        return status;
    }
    clump_store_bind(statement, 1, quantity->name);
    clump_store_bind(statement, 2, quantity->unit);
    clump_store_bind(statement, 3, quantity->meaning);
    (void)sqlite3_bind_int(statement, 4, quantity->may_be_negative ? 1 : 0);
    return clump_store_run(store, statement, "add a quantity");
}
