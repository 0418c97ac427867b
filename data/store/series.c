/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing: series and their samples. */
#include "data/store/handle.h"

#include <math.h>
#include <string.h>

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static clump_store_status check_label(clump_store *store, const char *what, const char *text)
{
    return text == NULL || text[0] == '\0' ? CLUMP_STORE_OK
                                           : clump_store_check_name(store, what, text);
}

static clump_store_status check_series(clump_store *store, const clump_store_series *series)
{
    if (series->platform == NULL && series->application == NULL) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "a series needs a platform, an application or both");
    }
    clump_store_status status = check_label(store, "the transport of a series", series->transport);
    if (status == CLUMP_STORE_OK)
        status = check_label(store, "the variant of a series", series->variant);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the quantity of a series", series->quantity);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the source of a series", series->source);
    if (status != CLUMP_STORE_OK)
        return status;
    status = check_label(store, "the benchmark of a series", series->benchmark);
    if (status == CLUMP_STORE_OK && (series->window < 0 || series->processes < 0)) {
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "a series has a window of %lld and %lld processes",
                                  (long long)series->window, (long long)series->processes);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    static const char *const statistics[] = {"single", "mean", "median",
                                             "min",    "max",  "percentile"};
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (series->statistic != NULL && strcmp(series->statistic, statistics[i]) == 0)
            return CLUMP_STORE_OK;
    return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                            "the statistic of a series is '%.50s'; expected single, mean, median, "
                            "min, max or percentile",
                            or_empty(series->statistic));
}

static void bind_id(sqlite3_stmt *statement, int index, int64_t id)
{
    if (id != 0)
        sqlite3_bind_int64(statement, index, id);
}

static clump_store_status insert_series(clump_store *store, const clump_store_series *series,
                                        const int64_t ids[4])
{
    sqlite3_stmt *statement = NULL;
    clump_store_status status =
        clump_store_prepare(store,
                            "INSERT INTO main.series (platform_id, application_id, quantity_id,"
                            " source_id, transport, variant, statistic, benchmark, window,"
                            " processes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                            &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    for (int i = 0; i < 4; i++)
        bind_id(statement, i + 1, ids[i]);
    clump_store_bind(statement, 5, or_empty(series->transport));
    clump_store_bind(statement, 6, or_empty(series->variant));
    clump_store_bind(statement, 7, series->statistic);
    clump_store_bind(statement, 8, or_empty(series->benchmark));
    sqlite3_bind_int64(statement, 9, series->window);
    sqlite3_bind_int64(statement, 10, series->processes);
    const int rc = sqlite3_step(statement);
    if (rc == SQLITE_CONSTRAINT &&
        sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_UNIQUE) {
        status = clump_store_fail(
            store, CLUMP_STORE_BAD_INPUT,
            "there already is a series of %s '%s' of platform '%s', application '%s', transport "
            "'%s', variant '%s' from source '%s'",
            series->statistic, series->quantity, or_empty(series->platform),
            or_empty(series->application), or_empty(series->transport), or_empty(series->variant),
            series->source);
    } else if (rc != SQLITE_DONE) {
        status = clump_store_fail_sqlite(store, "add a series");
    }
    sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_add_series(clump_store *store, const clump_store_series *series,
                                          int64_t *id)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check_series(store, series);
    static const char *const tables[] = {"platform", "application", "quantity", "source"};
    const char *const names[] = {series->platform, series->application, series->quantity,
                                 series->source};
    int64_t ids[4] = {0};
    for (int i = 0; i < 4 && status == CLUMP_STORE_OK; i++)
        status = clump_store_adopt(store, tables[i], names[i], &ids[i]);
    if (status == CLUMP_STORE_OK)
        status = insert_series(store, series, ids);
    if (status == CLUMP_STORE_OK)
        *id = sqlite3_last_insert_rowid(store->db);
    return status;
}

static clump_store_status cached(clump_store *store, clump_store_cached which, const char *sql)
{
    if (store->cached[which] != NULL)
        return CLUMP_STORE_OK;
    return sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &store->cached[which],
                              NULL) == SQLITE_OK
               ? CLUMP_STORE_OK
               : clump_store_fail_sqlite(store, "write");
}

/* Where a series ends and what its quantity allows; kept until another series is written to. */
static clump_store_status turn_to(clump_store *store, int64_t series)
{
    if (store->series == series)
        return CLUMP_STORE_OK;
    clump_store_status status =
        cached(store, CLUMP_CACHED_SERIES_STATE,
               "SELECT q.may_be_negative, (SELECT max(v.ordinal) FROM main.sample v"
               " WHERE v.series_id = s.id) FROM main.series s JOIN main.quantity q"
               " ON q.id = s.quantity_id WHERE s.id = ?1");
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_stmt *statement = store->cached[CLUMP_CACHED_SERIES_STATE];
    sqlite3_bind_int64(statement, 1, series);
    bool row = false;
    status = clump_store_step(store, statement, &row);
    if (status == CLUMP_STORE_OK && row) {
        store->may_be_negative = sqlite3_column_int(statement, 0) != 0;
        store->ordinal = sqlite3_column_int64(statement, 1);
        store->series = series;
    } else if (status == CLUMP_STORE_OK) {
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "there is no series %lld",
                                  (long long)series);
    }
    sqlite3_reset(statement);
    return status;
}

/* Not a number is how the caller says "not known". */
static bool is_spread(double value)
{
    return isnan(value) || (isfinite(value) && value >= 0);
}

static clump_store_status check_sample(clump_store *store, const clump_store_measurement *measured)
{
    const double value = measured->value;
    if (!isfinite(value))
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "a sample is not a finite number");
    if (value < 0 && !store->may_be_negative) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "a sample is %g; its quantity cannot be negative", value);
    }
    if (!is_spread(measured->half_width) || !is_spread(measured->std_dev)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "a sample has half-width %g and standard deviation %g; expected "
                                "finite numbers that are not negative",
                                measured->half_width, measured->std_dev);
    }
    if (measured->size_bytes < -1) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "a sample has a message size of %lld bytes",
                                (long long)measured->size_bytes);
    }
    if (measured->run < 0 || measured->iterations < 0 || !isfinite(measured->delay_us) ||
        measured->delay_us < 0) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "a sample is of run %lld with %lld iterations and a delay of %g us",
                                (long long)measured->run, (long long)measured->iterations,
                                measured->delay_us);
    }
    return measured->note == NULL
               ? CLUMP_STORE_OK
               : clump_store_check_text(store, "the note of a sample", measured->note, true);
}

static void bind_spread(sqlite3_stmt *statement, int index, double value)
{
    (void)(isnan(value) ? sqlite3_bind_null(statement, index)
                        : sqlite3_bind_double(statement, index, value));
}

clump_store_status clump_store_add_sample(clump_store *store, int64_t series,
                                          const clump_store_measurement *measured)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = turn_to(store, series);
    if (status == CLUMP_STORE_OK)
        status = check_sample(store, measured);
    if (status == CLUMP_STORE_OK) {
        status = cached(store, CLUMP_CACHED_ADD_SAMPLE,
                        "INSERT INTO main.sample (series_id, ordinal, size_bytes, value,"
                        " half_width, std_dev, doubtful, note, run, iterations, delay)"
                        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
    }
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_stmt *statement = store->cached[CLUMP_CACHED_ADD_SAMPLE];
    sqlite3_bind_int64(statement, 1, series);
    sqlite3_bind_int64(statement, 2, store->ordinal + 1);
    (void)(measured->size_bytes < 0 ? sqlite3_bind_null(statement, 3)
                                    : sqlite3_bind_int64(statement, 3, measured->size_bytes));
    sqlite3_bind_double(statement, 4, measured->value);
    bind_spread(statement, 5, measured->half_width);
    bind_spread(statement, 6, measured->std_dev);
    sqlite3_bind_int(statement, 7, measured->doubtful ? 1 : 0);
    clump_store_bind(statement, 8, measured->note);
    sqlite3_bind_int64(statement, 9, measured->run);
    sqlite3_bind_int64(statement, 10, measured->iterations);
    sqlite3_bind_double(statement, 11, measured->delay_us);
    if (sqlite3_step(statement) == SQLITE_DONE)
        store->ordinal++;
    else
        status = clump_store_fail_sqlite(store, "add a sample");
    sqlite3_reset(statement);
    return status;
}
