/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series and their samples. */
#include "data/store/handle.h"
#include "data/store/records.h"
#include "data/store/sample_list.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- writing */

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

#define SERIES_FIELD(type, member) CLUMP_ROW_FIELD(clump_store_series, #member, type, member)
static const clump_row_field new_fields[] = {
    SERIES_FIELD(LABEL, transport), SERIES_FIELD(LABEL, variant), SERIES_FIELD(TEXT, statistic),
    SERIES_FIELD(LABEL, benchmark), SERIES_FIELD(WHOLE, window),  SERIES_FIELD(WHOLE, processes)};
static const clump_row_form new_form = {.table = "series", CLUMP_ROW_FIELDS(new_fields)};

static clump_store_status insert_series(clump_store *store, const clump_store_series *series,
                                        const int64_t ids[4])
{
    const clump_store_status status = clump_row_insert(
        store, &new_form, "platform_id, application_id, quantity_id, source_id,", ids, series);
    return status == CLUMP_STORE_BAD_INPUT &&
                   sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_UNIQUE
               ? clump_store_fail(store, status,
                                  "there already is a series of %s '%s' of platform '%s', "
                                  "application '%s', transport '%s', variant '%s' from source '%s'",
                                  series->statistic, series->quantity, or_empty(series->platform),
                                  or_empty(series->application), or_empty(series->transport),
                                  or_empty(series->variant), series->source)
               : status;
}

clump_store_status clump_store_add_series(clump_store *store, const clump_store_series *series,
                                          int64_t *id)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK && series->platform == NULL && series->application == NULL)
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "a series needs a platform, an application or both");
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the quantity of a series", series->quantity);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the source of a series", series->source);
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
    if (!(fabs(value) <= CLUMP_STORE_MOST_NUMBER))
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "a sample is %g, expected a finite number, at most %g", value,
                                CLUMP_STORE_MOST_NUMBER);
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
    if (measured->run < 0 || measured->iterations < 0 ||
        !(measured->delay_us >= 0 && measured->delay_us <= CLUMP_STORE_MOST_NUMBER)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "a sample is of run %lld with %lld iterations and a delay of %g us",
                                (long long)measured->run, (long long)measured->iterations,
                                measured->delay_us);
    }
    return measured->note == NULL
               ? CLUMP_STORE_OK
               : clump_store_check_text(store, "the note of a sample", measured->note, true);
}

/* Columns stand in the order of the table: else SQLite copies each value once more. */
static const clump_row_field sample_fields[] = {
    {"run", CLUMP_ROW_WHOLE, offsetof(clump_store_measurement, run)},
    {"size_bytes", CLUMP_ROW_WHOLE, offsetof(clump_store_measurement, size_bytes)},
    {"value", CLUMP_ROW_REAL, offsetof(clump_store_measurement, value)},
    {"iterations", CLUMP_ROW_WHOLE, offsetof(clump_store_measurement, iterations)},
    {"delay", CLUMP_ROW_REAL, offsetof(clump_store_measurement, delay_us)},
    {"half_width", CLUMP_ROW_REAL, offsetof(clump_store_measurement, half_width)},
    {"std_dev", CLUMP_ROW_REAL, offsetof(clump_store_measurement, std_dev)},
    {"doubtful", CLUMP_ROW_TRUTH, offsetof(clump_store_measurement, doubtful)},
    {"note", CLUMP_ROW_OPTIONAL, offsetof(clump_store_measurement, note)},
};
static const clump_row_form sample_form = {.table = "sample", CLUMP_ROW_FIELDS(sample_fields)};

clump_store_status clump_store_add_sample(clump_store *store, int64_t series,
                                          const clump_store_measurement *measured)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = turn_to(store, series);
    if (status == CLUMP_STORE_OK)
        status = check_sample(store, measured);
    if (status == CLUMP_STORE_OK)
        status = cached(store, CLUMP_CACHED_ADD_SAMPLE,
                        "INSERT INTO main.sample (series_id, ordinal, run, size_bytes, value,"
                        " iterations, delay, half_width, std_dev, doubtful, note)"
                        " VALUES (?, ?, ?, nullif(?, -1), ?, ?, ?, ?, ?, ?, ?)");
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_stmt *statement = store->cached[CLUMP_CACHED_ADD_SAMPLE];
    sqlite3_bind_int64(statement, 1, series);
    sqlite3_bind_int64(statement, 2, store->ordinal + 1);
    clump_row_bind(statement, 3, &sample_form, measured);
    if (sqlite3_step(statement) == SQLITE_DONE)
        store->ordinal++;
    else
        status = clump_store_fail_sqlite(store, "add a sample");
    sqlite3_reset(statement);
    return status;
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
    "SELECT s.id, v.ordinal, v.run, ifnull(v.size_bytes, -1), v.value, v.iterations, v.delay,"     \
    " v.half_width, v.std_dev, v.doubtful, v.note,"                                                \
    " ifnull(p.name, ''), ifnull(a.name, ''), q.name, q.unit, s.transport, s.variant,"             \
    " s.statistic, s.benchmark, s.window, s.processes, " CLUMP_SOURCE_COLUMNS ", " LOST            \
    " FROM " schema ".series s" index " LEFT JOIN " schema ".platform p ON p.id = s.platform_id"   \
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

/* The columns of the query after those of the sample. */
#define SAMPLE_FIELD(type, member) CLUMP_ROW_FIELD(clump_store_sample, #member, type, member)
static const clump_row_field series_fields[] = {
    SAMPLE_FIELD(TEXT, platform),  SAMPLE_FIELD(TEXT, application), SAMPLE_FIELD(TEXT, quantity),
    SAMPLE_FIELD(TEXT, unit),      SAMPLE_FIELD(TEXT, transport),   SAMPLE_FIELD(TEXT, variant),
    SAMPLE_FIELD(TEXT, statistic), SAMPLE_FIELD(TEXT, benchmark),   SAMPLE_FIELD(WHOLE, window),
    SAMPLE_FIELD(WHOLE, processes)};
static const clump_row_form series_form = {.table = "series", CLUMP_ROW_FIELDS(series_fields)};

static clump_store_status read_sample(clump_store *store, sqlite3_stmt *statement,
                                      clump_store_sample *sample, clump_store_source *source)
{
    const int of_sample = 2, of_series = of_sample + (int)sample_form.count,
              of_source = of_series + (int)series_form.count,
              lost_column = of_source + (int)clump_store_source_form.count;
    sample->series = sqlite3_column_int64(statement, 0);
    const char *lost = (const char *)sqlite3_column_text(statement, lost_column);
    if (lost != NULL) {
        char what[40];
        snprintf(what, sizeof what, "series %lld", (long long)sample->series);
        return clump_store_fail_dangling(store, what, lost);
    }
    sample->ordinal = sqlite3_column_int64(statement, 1);
    clump_store_measurement *measured = &sample->measured;
    if (!clump_row_read(statement, of_sample, &sample_form, measured) ||
        !clump_row_read(statement, of_series, &series_form, sample) ||
        !clump_row_read(statement, of_source, &clump_store_source_form, source))
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

/* ---- as a list */

typedef struct keeper {
    clump_arena *arena;
    clump_store_samples *list;
} keeper;

static void *keep(const keeper *k, const clump_row_form *form, void *rows, size_t count,
                  const void *record, size_t size)
{
    char *more = clump_arena_more(k->arena, rows, count, size);
    char *texts =
        more != NULL ? clump_arena_take(k->arena, clump_row_texts(form, record) + 1) : NULL;
    if (texts == NULL)
        return NULL;
    memcpy(more + count * size, record, size);
    clump_row_move_texts(form, more + count * size, texts);
    return more;
}

/* The source of a sample, in the list; NULL without memory. */
static clump_store_source *keep_source(const keeper *k, const clump_store_source *source)
{
    clump_store_samples *list = k->list;
    for (size_t i = list->source_count; i-- > 0;)
        if (list->sources[i]->reference == source->reference &&
            strcmp(list->sources[i]->name, source->name) == 0)
            return list->sources[i];
    clump_store_source **sources =
        clump_arena_more(k->arena, list->sources, list->source_count, sizeof *sources);
    clump_store_source *copy = keep(k, &clump_store_source_form, NULL, 0, source, sizeof *source);
    if (sources == NULL || copy == NULL)
        return NULL;
    list->sources = sources;
    return sources[list->source_count++] = copy;
}

static int keep_sample(const clump_store_sample *sample, void *context)
{
    const keeper *k = context;
    clump_store_samples *list = k->list;
    clump_store_sample copy = *sample;
    copy.source = keep_source(k, sample->source);
    clump_store_sample *items = keep(k, &series_form, list->items, list->count, &copy, sizeof copy);
    if (copy.source == NULL || items == NULL)
        return 1;
    clump_store_measurement *measured = &items[list->count].measured;
    char *note = clump_arena_take(k->arena, clump_row_texts(&sample_form, measured) + 1);
    if (note == NULL)
        return 1;
    clump_row_move_texts(&sample_form, measured, note);
    list->items = items;
    list->count++;
    return 0;
}

clump_store_status clump_store_read_samples(clump_store *store, const clump_store_filter *filter,
                                            clump_arena *arena, clump_store_samples *samples)
{
    keeper k = {arena, samples};
    const clump_store_status status = clump_store_each_sample(store, filter, keep_sample, &k);
    return status == CLUMP_STORE_STOPPED ? clump_store_fail_memory(store) : status;
}
