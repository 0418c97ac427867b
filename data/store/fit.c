/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications that were fitted: what describes them, and the times it was found from. */
#include "data/store/handle.h"

#include <math.h>
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

static double number_or_nan(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
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
        .low = number_or_nan(statement, 2),
        .high = number_or_nan(statement, 3),
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
        .utilization = number_or_nan(statement, 7),
        .remote_fraction = number_or_nan(statement, 8),
        .cost_ratio = number_or_nan(statement, 9),
        .waiting_fraction = number_or_nan(statement, 10),
        .base_time_s = sqlite3_column_double(statement, 11),
        .time_s = sqlite3_column_double(statement, 12),
        .relative_error = number_or_nan(statement, 13),
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

static clump_store_status find_row(clump_store *store, const char *name, int64_t *id)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status =
        clump_store_prepare(store,
                            "SELECT a.id FROM main.application a JOIN main.fit f"
                            " ON f.application_id = a.id WHERE a.name = ?1",
                            &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = clump_store_step(store, statement, &row);
    }
    if (status == CLUMP_STORE_OK)
        *id = row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
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
        status = find_row(store, application, &r.application);
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
        return clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
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
