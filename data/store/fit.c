/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications that were fitted: what describes them, and the times it was found from. */
#include "data/store/handle.h"

#include <stdlib.h>
#include <string.h>

/* Texts in one block of memory, filled twice: first counted, then written. Another program may
 * write in between: never beyond what was counted. */
typedef struct block {
    char *bytes; /* NULL while counting */
    size_t used, room;
} block;

static const char *keep(block *b, const char *text)
{
    const size_t size = strlen(text) + 1;
    const size_t at = b->used;
    b->used += size;
    return b->bytes != NULL && b->used <= b->room ? memcpy(b->bytes + at, text, size) : "";
}

typedef struct reading {
    clump_store *store;
    int64_t application; /* its row in the user's database */
    clump_store_fit fit;
    clump_store_fit_parameter *parameters; /* NULL while counting */
    clump_store_fit_run *runs;
    size_t parameter_room, run_room;
    block texts;
} reading;

typedef clump_store_status row_fn(reading *r, sqlite3_stmt *statement);

/* A text column that must be there. */
static const char *column(reading *r, sqlite3_stmt *statement, int index, bool *bad)
{
    const char *text = clump_store_column(statement, index, bad);
    *bad = *bad || text == NULL;
    return *bad ? "" : keep(&r->texts, text);
}

static clump_store_status read_head(reading *r, sqlite3_stmt *statement)
{
    bool bad = false;
    clump_store_fit *f = &r->fit;
    const char *from = clump_store_column(statement, 1, &bad);
    f->application = column(r, statement, 0, &bad);
    f->fitted_from = from != NULL && !bad ? keep(&r->texts, from) : NULL;
    f->demand = column(r, statement, 2, &bad);
    f->efficiency = column(r, statement, 3, &bad);
    f->confidence = sqlite3_column_double(statement, 4);
    f->chi_square = sqlite3_column_double(statement, 5);
    f->freedom = sqlite3_column_double(statement, 6);
    f->rms_error = sqlite3_column_double(statement, 7);
    return bad ? clump_store_fail_text(r->store, "fit") : CLUMP_STORE_OK;
}

static clump_store_status read_parameter(reading *r, sqlite3_stmt *statement)
{
    bool bad = false;
    const clump_store_fit_parameter found = {
        .name = column(r, statement, 0, &bad),
        .value = sqlite3_column_double(statement, 1),
        .low = clump_store_column_real(statement, 2),
        .high = clump_store_column_real(statement, 3),
        .free = sqlite3_column_int(statement, 4) != 0,
    };
    if (r->fit.parameter_count < r->parameter_room)
        r->parameters[r->fit.parameter_count] = found;
    r->fit.parameter_count++;
    return bad ? clump_store_fail_text(r->store, "fit_parameter") : CLUMP_STORE_OK;
}

static clump_store_status read_run(reading *r, sqlite3_stmt *statement)
{
    bool bad = false;
    const clump_store_fit_run found = {
        .platform = column(r, statement, 0, &bad),
        .source = column(r, statement, 1, &bad),
        .base = column(r, statement, 2, &bad),
        .mapping = column(r, statement, 3, &bad),
        .processors = sqlite3_column_int64(statement, 4),
        .nics = sqlite3_column_int64(statement, 5),
        .max_nics = sqlite3_column_double(statement, 6),
        .utilization = clump_store_column_real(statement, 7),
        .remote_fraction = clump_store_column_real(statement, 8),
        .cost_ratio = clump_store_column_real(statement, 9),
        .waiting_fraction = clump_store_column_real(statement, 10),
        .base_time_s = sqlite3_column_double(statement, 11),
        .time_s = sqlite3_column_double(statement, 12),
        .relative_error = clump_store_column_real(statement, 13),
        .fitted_s = sqlite3_column_double(statement, 14),
    };
    if (r->fit.run_count < r->run_room)
        r->runs[r->fit.run_count] = found;
    r->fit.run_count++;
    return bad ? clump_store_fail_text(r->store, "fit_run") : CLUMP_STORE_OK;
}

static clump_store_status each_row(reading *r, const char *sql, row_fn *fn)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(r->store, sql, &statement);
    if (status == CLUMP_STORE_OK)
        sqlite3_bind_int64(statement, 1, r->application);
    while (status == CLUMP_STORE_OK) {
        status = clump_store_step(r->store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        status = fn(r, statement);
    }
    sqlite3_finalize(statement);
    return status;
}

static clump_store_status read_all(reading *r)
{
    r->fit = (clump_store_fit){.application = NULL};
    r->texts.used = 0;
    clump_store_status status =
        each_row(r,
                 "SELECT a.name, f.fitted_from, f.demand, f.efficiency, f.confidence,"
                 " f.chi_square, f.freedom, f.rms_error FROM main.fit f"
                 " JOIN main.application a ON a.id = f.application_id WHERE f.application_id = ?1",
                 read_head);
    if (status == CLUMP_STORE_OK) {
        status = each_row(r,
                          "SELECT name, value, low, high, free FROM main.fit_parameter"
                          " WHERE application_id = ?1 ORDER BY name",
                          read_parameter);
    }
    if (status == CLUMP_STORE_OK) {
        status = each_row(r,
                          "SELECT platform, source, base, mapping, processors, nics, max_nics,"
                          " utilization, remote_fraction, cost_ratio, waiting_fraction, base_time,"
                          " time, relative_error, fitted_time FROM main.fit_run"
                          " WHERE application_id = ?1 ORDER BY ordinal",
                          read_run);
    }
    return status;
}

clump_store_status clump_store_find_fit(clump_store *store, const char *application,
                                        clump_store_fit **fit)
{
    reading r = {.store = store};
    *fit = NULL;
    clump_store_status status =
        clump_store_check_name(store, "the name of an application", application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(store,
                                     "SELECT a.id FROM main.application a JOIN main.fit f"
                                     " ON f.application_id = a.id WHERE a.name = ?1",
                                     application, &r.application);
    if (status == CLUMP_STORE_OK && r.application != 0)
        status = read_all(&r);
    if (status != CLUMP_STORE_OK || r.application == 0)
        return status;
    const size_t run_count = r.fit.run_count;
    const size_t parameter_count = r.fit.parameter_count;
    const size_t at_parameters = sizeof r.fit + run_count * sizeof *r.runs;
    const size_t at_texts = at_parameters + parameter_count * sizeof *r.parameters;
    const size_t texts = r.texts.used;
    char *bytes = malloc(at_texts + texts);
    if (bytes == NULL)
        return clump_store_fail_memory(store);
    void *place = bytes + sizeof r.fit;
    r.runs = place;
    place = bytes + at_parameters;
    r.parameters = place;
    r.run_room = run_count;
    r.parameter_room = parameter_count;
    r.texts = (block){.bytes = bytes + at_texts, .room = texts};
    status = read_all(&r);
    if (status == CLUMP_STORE_OK &&
        (r.texts.used != texts || r.fit.run_count != run_count ||
         r.fit.parameter_count != parameter_count || r.fit.application == NULL)) {
        status = clump_store_fail(store, CLUMP_STORE_FAILED,
                                  "another program changed the fit while it was read; try again");
    }
    if (status != CLUMP_STORE_OK) {
        free(bytes);
        return status;
    }
    r.fit.runs = r.runs;
    r.fit.parameters = r.parameters;
    memcpy(bytes, &r.fit, sizeof r.fit);
    place = bytes;
    *fit = place;
    return CLUMP_STORE_OK;
}

/* ---- writing a fit; CHECK constraints of its tables see to the ranges */

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
    return clump_store_run_checked(store, statement,
                                   "a number of the fit is out of range, or it is there already",
                                   "add a fit");
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
    clump_store_bind_real(statement, 4, p->low);
    clump_store_bind_real(statement, 5, p->high);
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
        clump_store_bind_real(statement, 9 + i, numbers[i]);
    return run_checked(store, statement);
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
        status = clump_store_find_id(
            store, "SELECT id FROM main.application WHERE name = ?1 AND NOT adopted",
            fit->application, &id);
    if (status == CLUMP_STORE_OK && id == 0)
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "there is no application '%.200s' of the user to be described by "
                                  "a fit",
                                  fit->application);
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
