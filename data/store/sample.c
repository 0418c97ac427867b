/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series and their samples. */
#include "data/store/handle.h"
#include "data/store/records.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- writing */

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
        clump_store_bind_id(statement, i + 1, ids[i]);
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
    return isnan(value) || (value >= 0 && value <= CLUMP_STORE_MOST_SPREAD);
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
    const bool wide = !is_spread(measured->half_width);
    if (wide || !is_spread(measured->std_dev)) {
        return clump_store_fail(
            store, CLUMP_STORE_BAD_INPUT, "a sample has %s %g; expected a number from 0 to %g",
            wide ? "half-width" : "standard deviation",
            wide ? measured->half_width : measured->std_dev, CLUMP_STORE_MOST_SPREAD);
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

/* A statement costs about as much as the rows it adds, so that many are added by one. Columns stand in
 * the order of the table: else SQLite copies each value once more. */
enum { ROWS = 64, ROW_VALUES = 10, PLAIN_VALUES = 6 };

/* Values of a row and their order, after the series; what a plain one does not have is said in the statement. */
static const char any_row[] = ",(?1,?,?,?,?,?,?,?,?,?,?)"; /* numbered from ?2 on */
static const char plain_row[] = ",(?1,?,?,?,?,?,?,NULL,NULL,0,NULL)";

static bool is_plain(const clump_store_measurement *measured)
{
    return isnan(measured->half_width) && isnan(measured->std_dev) && !measured->doubtful &&
           measured->note == NULL;
}

static clump_store_status prepare_rows(clump_store *store, clump_store_cached which, int rows)
{
    static const char head[] =
        "INSERT INTO main.sample (series_id, ordinal, run, size_bytes, value, iterations, delay,"
        " half_width, std_dev, doubtful, note) VALUES ";
    char sql[sizeof head + ROWS * sizeof plain_row];
    char *to = sql + strlen(strcpy(sql, head));
    const char *row = which == CLUMP_CACHED_ADD_PLAIN_SAMPLES ? plain_row : any_row;
    for (int i = 0; store->cached[which] == NULL && i < rows; i++)
        to += strlen(strcpy(to, row + (i == 0)));
    return cached(store, which, sql);
}

static void bind_row(sqlite3_stmt *statement, int at, int64_t ordinal,
                     const clump_store_measurement *measured, bool plain)
{
    sqlite3_bind_int64(statement, at, ordinal);
    sqlite3_bind_int64(statement, at + 1, measured->run);
    if (measured->size_bytes < 0)
        sqlite3_bind_null(statement, at + 2);
    else
        sqlite3_bind_int64(statement, at + 2, measured->size_bytes);
    sqlite3_bind_double(statement, at + 3, measured->value);
    sqlite3_bind_int64(statement, at + 4, measured->iterations);
    sqlite3_bind_double(statement, at + 5, measured->delay_us);
    if (plain)
        return;
    clump_store_bind_real(statement, at + 6, measured->half_width);
    clump_store_bind_real(statement, at + 7, measured->std_dev);
    sqlite3_bind_int(statement, at + 8, measured->doubtful ? 1 : 0);
    clump_store_bind(statement, at + 9, measured->note);
}

/* Rows that passed check_sample(), of the series turned to: `count` is 1 or ROWS. */
static clump_store_status insert_rows(clump_store *store, const clump_store_measurement *measured,
                                      int count)
{
    bool plain = count == ROWS;
    for (int i = 0; i < count && plain; i++)
        plain = is_plain(&measured[i]);
    const clump_store_cached which = plain        ? CLUMP_CACHED_ADD_PLAIN_SAMPLES
                                     : count == 1 ? CLUMP_CACHED_ADD_SAMPLE
                                                  : CLUMP_CACHED_ADD_SAMPLES;
    clump_store_status status = prepare_rows(store, which, count);
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_stmt *statement = store->cached[which];
    sqlite3_bind_int64(statement, 1, store->series);
    for (int i = 0; i < count; i++)
        bind_row(statement, 2 + (plain ? PLAIN_VALUES : ROW_VALUES) * i, store->ordinal + 1 + i,
                 &measured[i], plain);
    if (sqlite3_step(statement) == SQLITE_DONE)
        store->ordinal += count;
    else
        status = clump_store_fail_sqlite(store, "add a sample");
    sqlite3_reset(statement);
    return status;
}

clump_store_status clump_store_add_samples(clump_store *store, int64_t series,
                                           const clump_store_measurement *measured, size_t count,
                                           size_t *added)
{
    *added = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = turn_to(store, series);
    while (status == CLUMP_STORE_OK && *added < count) {
        int good = 0;
        while (good < ROWS && *added + (size_t)good < count &&
               (status = check_sample(store, measured + *added + good)) == CLUMP_STORE_OK)
            good++;
        /* What is before a bad one gets in; its message stays, unless that fails. */
        const int rows = good == ROWS ? ROWS : 1;
        for (int i = 0; i < good; i += rows) {
            const clump_store_status inserted = insert_rows(store, measured + *added, rows);
            if (inserted != CLUMP_STORE_OK)
                return inserted;
            *added += (size_t)rows;
        }
    }
    return status;
}

clump_store_status clump_store_add_sample(clump_store *store, int64_t series,
                                          const clump_store_measurement *measured)
{
    size_t added;
    return clump_store_add_samples(store, series, measured, 1, &added);
}

/* ---- reading */

/* What a series points to that does not exist, NULL if all does: such series pass every filter that
 * they might pass, to be complained about. Inner joins would lose them in silence. */
#define LOST_PLATFORM "(s.platform_id IS NOT NULL AND p.id IS NULL)"
#define LOST_APPLICATION "(s.application_id IS NOT NULL AND a.id IS NULL)"
#define LOST                                                                                       \
    "CASE WHEN o.id IS NULL THEN 'a source' WHEN q.id IS NULL THEN 'a quantity' "                  \
    "WHEN " LOST_PLATFORM " THEN 'a platform' WHEN " LOST_APPLICATION " THEN 'an application' END"

/* Series in order, then their samples in order: CROSS JOIN keeps SQLite from other orders, so that
 * nothing is sorted and the first sample comes at once. */
#define QUERY(schema, index, key, visible)                                                         \
    "SELECT s.id, v.ordinal, v.size_bytes, v.value, v.half_width, v.std_dev, v.doubtful, v.note,"  \
    " ifnull(p.name, ''), ifnull(a.name, ''), q.name, q.unit, s.transport, s.variant,"             \
    " s.statistic, s.benchmark, s.window, s.processes, v.run, v.iterations, "                      \
    "v.delay, " CLUMP_SOURCE_COLUMNS ", " LOST " FROM " schema ".series s" index                   \
    " LEFT JOIN " schema ".platform p ON p.id = s.platform_id"                                     \
    " LEFT JOIN " schema ".application a ON a.id = s.application_id"                               \
    " LEFT JOIN " schema ".quantity q ON q.id = s.quantity_id"                                     \
    " LEFT JOIN " schema ".source o ON o.id = s.source_id"                                         \
    " CROSS JOIN " schema ".sample v ON v.series_id = s.id"                                        \
    " WHERE " key " AND (?3 IS NULL OR s.transport = ?3)"                                          \
    " AND (?5 IS NULL OR s.statistic = ?5) AND (?6 IS NULL OR s.variant = ?6)"                     \
    " AND (?7 IS NULL OR o.name = ?7 OR o.id IS NULL)"                                             \
    " AND (?8 IS NULL OR s.benchmark = ?8)" visible " ORDER BY s.id, v.ordinal"

/* Samples of a reference platform or application whose name the user's database has taken are
 * about something else. */
#define HIDDEN(table, id)                                                                          \
    " AND NOT EXISTS (SELECT 1 FROM main." table " m WHERE m.name = " id ".name AND NOT "          \
    "m.adopted)"

#define SHOWN HIDDEN("platform", "p") HIDDEN("application", "a")

#define ANY_KEY                                                                                    \
    "(?1 IS NULL OR ifnull(p.name, '') = ?1 OR " LOST_PLATFORM ")"                                 \
    " AND (?2 IS NULL OR ifnull(a.name, '') = ?2 OR " LOST_APPLICATION ")"                         \
    " AND (?4 IS NULL OR q.name = ?4 OR q.id IS NULL)"
/* A scenario asks for thousands of numbers, each by these three names. In the data that ship nothing is lost, so that
 * the index of the series finds them. '' is the name of none. */
#define ID_OF(table, name)                                                                         \
    " = coalesce((SELECT n.id FROM reference." table " n WHERE n.name = " name "), CASE " name     \
    " WHEN '' THEN 0 END)"
#define THIS_KEY                                                                                   \
    "ifnull(s.platform_id, 0)" ID_OF("platform", "?1") " AND ifnull(s.application_id, 0)" ID_OF(   \
        "application", "?2") " AND s.quantity_id" ID_OF("quantity", "?4")

static const char of_user[] = QUERY("main", "", ANY_KEY, "");
static const char of_reference[] = QUERY("reference", "", ANY_KEY, SHOWN);
static const char of_reference_key[] =
    QUERY("reference", " INDEXED BY series_identity", THIS_KEY, SHOWN);

enum {
    FIRST_TEXT = 8,
    FIRST_NUMBER = 16,
    FIRST_OF_SOURCE = 21,
    LOST_COLUMN = 21 + CLUMP_SOURCE_FIELDS
};

static clump_store_status read_sample(clump_store *store, sqlite3_stmt *statement,
                                      clump_store_sample *sample, clump_store_source *source)
{
    bool bad = false;
    sample->series = sqlite3_column_int64(statement, 0);
    const char *lost = (const char *)sqlite3_column_text(statement, LOST_COLUMN);
    if (lost != NULL) {
        char what[40];
        snprintf(what, sizeof what, "series %lld", (long long)sample->series);
        return clump_store_fail_dangling(store, what, lost);
    }
    sample->ordinal = sqlite3_column_int64(statement, 1);
    clump_store_measurement *measured = &sample->measured;
    const bool sized = sqlite3_column_type(statement, 2) != SQLITE_NULL;
    measured->size_bytes = sized ? sqlite3_column_int64(statement, 2) : -1;
    measured->value = clump_store_column_real(statement, 3);
    measured->half_width = clump_store_column_real(statement, 4);
    measured->std_dev = clump_store_column_real(statement, 5);
    measured->doubtful = sqlite3_column_int(statement, 6) != 0;
    measured->note = clump_store_column(statement, 7, &bad);
    const char **fields[] = {&sample->platform,  &sample->application, &sample->quantity,
                             &sample->unit,      &sample->transport,   &sample->variant,
                             &sample->statistic, &sample->benchmark};
    for (int i = 0; i < (int)(sizeof fields / sizeof *fields); i++) {
        *fields[i] = clump_store_column(statement, FIRST_TEXT + i, &bad);
        bad = bad || *fields[i] == NULL;
    }
    sample->window = sqlite3_column_int64(statement, FIRST_NUMBER);
    sample->processes = sqlite3_column_int64(statement, FIRST_NUMBER + 1);
    measured->run = sqlite3_column_int64(statement, FIRST_NUMBER + 2);
    measured->iterations = sqlite3_column_int64(statement, FIRST_NUMBER + 3);
    measured->delay_us = sqlite3_column_double(statement, FIRST_NUMBER + 4);
    clump_store_read_source(statement, FIRST_OF_SOURCE, source, &bad);
    if (bad)
        return clump_store_fail_text(store, "series, sample or source");
    if (!isfinite(measured->value) || !is_spread(measured->half_width) ||
        !is_spread(measured->std_dev) || measured->size_bytes < -1 ||
        !isfinite(measured->delay_us)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "sample %lld of series %lld in the database is out of range (%g, "
                                "half-width %g, standard deviation %g, size %lld); restore the "
                                "database from a copy",
                                (long long)sample->ordinal, (long long)sample->series,
                                measured->value, measured->half_width, measured->std_dev,
                                (long long)measured->size_bytes);
    }
    return CLUMP_STORE_OK;
}

static clump_store_status each_in(clump_store *store, bool reference,
                                  const clump_store_filter *filter, clump_store_sample_fn *fn,
                                  void *context, size_t *count)
{
    const bool keyed = reference && filter->platform != NULL && filter->application != NULL &&
                       filter->quantity != NULL;
    sqlite3_stmt **const kept = &store->cached[keyed       ? CLUMP_CACHED_EACH_BY_KEY
                                               : reference ? CLUMP_CACHED_EACH_OF_REFERENCE
                                                           : CLUMP_CACHED_EACH_OF_USER];
    sqlite3_stmt *statement = *kept;
    clump_store_status status = CLUMP_STORE_OK;
    *kept = NULL; /* a callback that reads samples itself needs another one */
    store->work = 0;
    if (statement == NULL)
        status = clump_store_prepare(store,
                                     keyed       ? of_reference_key
                                     : reference ? of_reference
                                                 : of_user,
                                     &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    const char *const wanted[] = {filter->platform, filter->application, filter->transport,
                                  filter->quantity, filter->statistic,   filter->variant,
                                  filter->source,   filter->benchmark};
    for (int i = 0; i < (int)(sizeof wanted / sizeof *wanted); i++)
        clump_store_bind(statement, i + 1, wanted[i]);
    clump_store_source source = {.reference = reference};
    clump_store_sample sample = {.reference = reference, .source = &source};
    for (bool row = true; status == CLUMP_STORE_OK;) {
        status = clump_store_step(store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        status = read_sample(store, statement, &sample, &source);
        if (status == CLUMP_STORE_OK) {
            ++*count; /* what is doubtful, too: it hides what would be inherited */
            if (fn != NULL && !(filter->sure && sample.measured.doubtful))
                status = fn(&sample, context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
        }
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (*kept == NULL)
        *kept = statement;
    else
        sqlite3_finalize(statement);
    return status;
}

static clump_store_status check_filter(clump_store *store, const clump_store_filter *filter)
{
    static const char *const tables[] = {"platform", "application", "quantity", "source"};
    const char *const names[] = {filter->platform, filter->application, filter->quantity,
                                 filter->source};
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < 4 && status == CLUMP_STORE_OK; i++)
        if (names[i] != NULL && names[i][0] != '\0')
            status = clump_store_check_known(store, tables[i], names[i]);
    return status;
}

/* More than any sensible chain; a database made by others may hold a circle. */
enum { GENERATIONS = 8 };

/* Replaces the platform of the filter by the one it is part of; *more is false if there is none. */
static clump_store_status ascend(clump_store *store, clump_store_filter *filter,
                                 char name[CLUMP_STORE_NAME + 1], bool *more)
{
    *more = false;
    const bool named = filter->platform != NULL && filter->platform[0] != '\0';
    if (!named || (filter->application != NULL && filter->application[0] != '\0'))
        return CLUMP_STORE_OK;
    clump_store_platform *platform = NULL;
    clump_store_status status = clump_store_find_platform(store, filter->platform, &platform);
    if (status == CLUMP_STORE_OK && platform->part_of != NULL) {
        snprintf(name, CLUMP_STORE_NAME + 1, "%s", platform->part_of);
        filter->platform = name;
        filter->application = "";
        *more = true;
    }
    clump_store_free(platform);
    return status;
}

clump_store_status clump_store_each_sample(clump_store *store, const clump_store_filter *filter,
                                           clump_store_sample_fn *fn, void *context)
{
    clump_store_filter wanted = *filter;
    char name[CLUMP_STORE_NAME + 1];
    clump_store_status status = check_filter(store, filter);
    bool more = true;
    for (int i = 0; i < GENERATIONS && more && status == CLUMP_STORE_OK; i++) {
        size_t count = 0;
        status = each_in(store, false, &wanted, fn, context, &count);
        if (status == CLUMP_STORE_OK)
            status = each_in(store, true, &wanted, fn, context, &count);
        more = wanted.inherit && count == 0;
        if (status == CLUMP_STORE_OK && more)
            status = ascend(store, &wanted, name, &more);
    }
    return status;
}
