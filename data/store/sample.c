/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading samples. */
#include "data/store/handle.h"
#include "data/store/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a series points to that does not exist, NULL if all does: such series pass every filter that
 * they might pass, to be complained about. Inner joins would lose them in silence. */
#define LOST_PLATFORM "(s.platform_id IS NOT NULL AND p.id IS NULL)"
#define LOST_APPLICATION "(s.application_id IS NOT NULL AND a.id IS NULL)"
#define LOST                                                                                       \
    "CASE WHEN o.id IS NULL THEN 'a source' WHEN q.id IS NULL THEN 'a quantity' "                  \
    "WHEN " LOST_PLATFORM " THEN 'a platform' WHEN " LOST_APPLICATION " THEN 'an application' END"

/* Series in order, then their samples in order: CROSS JOIN keeps SQLite from other orders, so that
 * nothing is sorted and the first sample comes at once. */
#define QUERY(schema, visible)                                                                     \
    "SELECT s.id, v.ordinal, v.size_bytes, v.value, v.half_width, v.std_dev, v.doubtful, v.note,"  \
    " ifnull(p.name, ''), ifnull(a.name, ''), q.name, q.unit, s.transport, s.variant,"             \
    " s.statistic, s.benchmark, s.window, s.processes, v.run, v.iterations, "                      \
    "v.delay, " CLUMP_SOURCE_COLUMNS ", " LOST " FROM " schema ".series s"                         \
    " LEFT JOIN " schema ".platform p ON p.id = s.platform_id"                                     \
    " LEFT JOIN " schema ".application a ON a.id = s.application_id"                               \
    " LEFT JOIN " schema ".quantity q ON q.id = s.quantity_id"                                     \
    " LEFT JOIN " schema ".source o ON o.id = s.source_id"                                         \
    " CROSS JOIN " schema ".sample v ON v.series_id = s.id"                                        \
    " WHERE (?1 IS NULL OR ifnull(p.name, '') = ?1 OR " LOST_PLATFORM ")"                          \
    " AND (?2 IS NULL OR ifnull(a.name, '') = ?2 OR " LOST_APPLICATION ")"                         \
    " AND (?3 IS NULL OR s.transport = ?3) AND (?4 IS NULL OR q.name = ?4 OR q.id IS NULL)"        \
    " AND (?5 IS NULL OR s.statistic = ?5) AND (?6 IS NULL OR s.variant = ?6)"                     \
    " AND (?7 IS NULL OR o.name = ?7 OR o.id IS NULL)"                                             \
    " AND (?8 IS NULL OR s.benchmark = ?8)" visible " ORDER BY s.id, v.ordinal"

/* Samples of a reference platform or application whose name the user's database has taken are
 * about something else. */
#define HIDDEN(table, id)                                                                          \
    " AND NOT EXISTS (SELECT 1 FROM main." table " m WHERE m.name = " id ".name AND NOT "          \
    "m.adopted)"

static const char of_user[] = QUERY("main", "");
static const char of_reference[] =
    QUERY("reference", HIDDEN("platform", "p") HIDDEN("application", "a"));

enum {
    FIRST_TEXT = 8,
    FIRST_NUMBER = 16,
    FIRST_OF_SOURCE = 21,
    LOST_COLUMN = 21 + CLUMP_SOURCE_FIELDS
};

static double spread(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
}

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
    measured->value = spread(statement, 3);
    measured->half_width = spread(statement, 4);
    measured->std_dev = spread(statement, 5);
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
    if (!isfinite(measured->value) || isinf(measured->half_width) || isinf(measured->std_dev) ||
        measured->half_width < 0 || measured->std_dev < 0 || measured->size_bytes < -1 ||
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
    sqlite3_stmt *statement = NULL;
    clump_store_status status =
        clump_store_prepare(store, reference ? of_reference : of_user, &statement);
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
            ++*count;
            status = fn(&sample, context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
        }
    }
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
