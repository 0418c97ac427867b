/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a fit; CHECK constraints of its tables see to the ranges. */
#include "data/store/handle.h"

#include <math.h>
#include <string.h>

static void bind_number(sqlite3_stmt *statement, int index, double value)
{
    (void)(isnan(value) ? sqlite3_bind_null(statement, index)
                        : sqlite3_bind_double(statement, index, value));
}

static clump_store_status check_texts(clump_store *store, const clump_store_fit *fit)
{
    clump_store_status status =
        clump_store_check_name(store, "the application of a fit", fit->application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "what a fit is from", fit->fitted_from, true);
    for (size_t i = 0; i < fit->parameter_count && status == CLUMP_STORE_OK; i++)
        status = clump_store_check_name(store, "a parameter of a fit", fit->parameters[i].name);
    for (size_t i = 0; i < fit->run_count && status == CLUMP_STORE_OK; i++) {
        const clump_store_fit_run *run = &fit->runs[i];
        const char *const texts[] = {run->platform, run->source, run->base};
        for (size_t j = 0; j < 3 && status == CLUMP_STORE_OK; j++) {
            status = texts[j][0] == '\0'
                         ? CLUMP_STORE_OK
                         : clump_store_check_text(store, "a field of a fit", texts[j], false);
        }
    }
    return status;
}

static clump_store_status run_checked(clump_store *store, sqlite3_stmt *statement)
{
    const int rc = sqlite3_step(statement);
    clump_store_status status = CLUMP_STORE_OK;
    if (rc == SQLITE_CONSTRAINT) {
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "a number of the fit is out of "
                                  "range, or it is there already");
    } else if (rc != SQLITE_DONE) {
        status = clump_store_fail_sqlite(store, "add a fit");
    }
    sqlite3_finalize(statement);
    return status;
}

static clump_store_status add_head(clump_store *store, const clump_store_fit *fit, int64_t id)
{
    sqlite3_stmt *statement = NULL;
    const clump_store_status status =
        clump_store_prepare(store,
                            "INSERT INTO main.fit (application_id, fitted_from, demand, efficiency,"
                            " confidence, chi_square, freedom, rms_error)"
                            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                            &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_bind_int64(statement, 1, id);
    clump_store_bind(statement, 2, fit->fitted_from);
    clump_store_bind(statement, 3, fit->demand);
    clump_store_bind(statement, 4, fit->efficiency);
    sqlite3_bind_double(statement, 5, fit->confidence);
    sqlite3_bind_double(statement, 6, fit->chi_square);
    sqlite3_bind_double(statement, 7, fit->freedom);
    sqlite3_bind_double(statement, 8, fit->rms_error);
    return run_checked(store, statement);
}

static clump_store_status add_parameter(clump_store *store, const clump_store_fit_parameter *p,
                                        int64_t id)
{
    sqlite3_stmt *statement = NULL;
    const clump_store_status status =
        clump_store_prepare(store,
                            "INSERT INTO main.fit_parameter (application_id, name, value, low,"
                            " high, free) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                            &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_bind_int64(statement, 1, id);
    clump_store_bind(statement, 2, p->name);
    sqlite3_bind_double(statement, 3, p->value);
    bind_number(statement, 4, p->low);
    bind_number(statement, 5, p->high);
    sqlite3_bind_int(statement, 6, p->free);
    return run_checked(store, statement);
}

static clump_store_status add_run(clump_store *store, const clump_store_fit_run *run, int64_t id,
                                  int64_t ordinal)
{
    sqlite3_stmt *statement = NULL;
    const clump_store_status status = clump_store_prepare(
        store,
        "INSERT INTO main.fit_run (application_id, ordinal, platform, source, base, processors,"
        " nics, mapping, max_nics, utilization, remote_fraction, cost_ratio, waiting_fraction,"
        " base_time, time, relative_error, fitted_time)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_int64(statement, 2, ordinal);
    clump_store_bind(statement, 3, run->platform);
    clump_store_bind(statement, 4, run->source);
    clump_store_bind(statement, 5, run->base);
    sqlite3_bind_int64(statement, 6, run->processors);
    sqlite3_bind_int64(statement, 7, run->nics);
    clump_store_bind(statement, 8, run->mapping);
    const double numbers[] = {run->max_nics,   run->utilization,      run->remote_fraction,
                              run->cost_ratio, run->waiting_fraction, run->base_time_s,
                              run->time_s,     run->relative_error,   run->fitted_s};
    for (int i = 0; i < 9; i++)
        bind_number(statement, 9 + i, numbers[i]);
    return run_checked(store, statement);
}

static clump_store_status find_application(clump_store *store, const char *name, int64_t *id)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(
        store, "SELECT id FROM main.application WHERE name = ?1 AND NOT adopted", &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = clump_store_step(store, statement, &row);
    }
    if (status == CLUMP_STORE_OK && row)
        *id = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status == CLUMP_STORE_OK && !row
               ? clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "there is no application '%.200s' of the user to be described by "
                                  "a fit",
                                  name)
               : status;
}

/* All or nothing of it within the transaction. */
static clump_store_status add_all(clump_store *store, const clump_store_fit *fit, int64_t id)
{
    clump_store_status status = add_head(store, fit, id);
    for (size_t i = 0; i < fit->parameter_count && status == CLUMP_STORE_OK; i++)
        status = add_parameter(store, &fit->parameters[i], id);
    for (size_t i = 0; i < fit->run_count && status == CLUMP_STORE_OK; i++)
        status = add_run(store, &fit->runs[i], id, (int64_t)i + 1);
    return status;
}

clump_store_status clump_store_add_fit(clump_store *store, const clump_store_fit *fit)
{
    int64_t id = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check_texts(store, fit);
    if (status == CLUMP_STORE_OK)
        status = find_application(store, fit->application, &id);
    if (status != CLUMP_STORE_OK)
        return status;
    if (sqlite3_exec(store->db, "SAVEPOINT fit", NULL, NULL, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "add a fit");
    status = add_all(store, fit, id);
    /* The message of a failure stays. */
    sqlite3_exec(store->db,
                 status == CLUMP_STORE_OK ? "RELEASE fit" : "ROLLBACK TO fit; RELEASE fit", NULL,
                 NULL, NULL);
    return status;
}
