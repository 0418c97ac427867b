/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checking the user's database as a whole: what SQLite finds wrong, and what we do. */
#include "data/store/handle.h"
#include "data/store/recorded_facts.h"
#include "data/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- what SQLite checks, some of it only in a writable copy */

/* As for the database itself: its tree of pages may look endless. */
static int keep_pace(void *context)
{
    clump_store *store = context;
    return ++store->work > store->work_allowed;
}

/* Copies page by page, whatever is in them. The copy is a temporary file without a name. */
static int copy_main(clump_store *store, sqlite3 **copy)
{
    int rc = sqlite3_open_v2("", copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_db_config(*copy, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(*copy, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(*copy, SQLITE_LIMIT_LENGTH, 1 << 20);
    rc = sqlite3_exec(*copy, "PRAGMA journal_mode = off; PRAGMA cache_size = -32768", NULL, NULL,
                      NULL);
    sqlite3_backup *backup =
        rc == SQLITE_OK ? sqlite3_backup_init(*copy, "main", store->db, "main") : NULL;
    if (backup == NULL)
        return rc != SQLITE_OK ? rc : sqlite3_errcode(*copy);
    sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup);
}

static int each_finding(clump_store *store, sqlite3 *copy,
                        int (*fn)(const char *finding, void *context), void *context)
{
    sqlite3_stmt *statement = NULL;
    store->work = 0;
    sqlite3_progress_handler(copy, CLUMP_STORE_PACE, keep_pace, store);
    int rc = sqlite3_prepare_v2(copy, "PRAGMA integrity_check(20)", -1, &statement, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *finding = (const char *)sqlite3_column_text(statement, 0);
        rc = finding == NULL ? SQLITE_NOMEM : fn(finding, context) == 0 ? SQLITE_OK : SQLITE_ABORT;
    }
    sqlite3_finalize(statement);
    return rc;
}

static bool is_damage(int rc)
{
    rc &= 0xFF;
    return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB || rc == SQLITE_TOOBIG ||
           rc == SQLITE_INTERRUPT;
}

static clump_store_status check_copy(clump_store *store,
                                     int (*fn)(const char *finding, void *context), void *context,
                                     bool *damaged)
{
    sqlite3 *copy = NULL;
    int rc = copy_main(store, &copy);
    if (rc == SQLITE_OK)
        rc = each_finding(store, copy, fn, context);
    sqlite3_close(copy);
    *damaged = is_damage(rc);
    if (rc == SQLITE_OK || rc == SQLITE_DONE || *damaged)
        return CLUMP_STORE_OK;
    return rc == SQLITE_ABORT
               ? CLUMP_STORE_STOPPED
               : clump_store_fail(store, CLUMP_STORE_FAILED,
                                  "cannot copy the database to check it: %s%s", sqlite3_errstr(rc),
                                  (rc & 0xFF) == SQLITE_BUSY
                                      ? "; another program is writing to it; try again when it is "
                                        "done"
                                      : "");
}

/* ---- what we check */

typedef struct checker {
    clump_store *store;
    clump_store_finding_fn *fn;
    void *context;
    size_t findings;
    const char *schema; /* main or reference */
    char last[200];     /* finding about pages and constraints */
} checker;

__attribute__((format(printf, 2, 3))) static clump_store_status found(checker *at,
                                                                      const char *format, ...)
{
    char text[900];
    char line[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "%s: %s",
             strcmp(at->schema, "main") == 0 ? "database" : "reference data", text);
    for (char *c = line; *c != '\0'; c++)
        *c = (unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c;
    at->findings++;
    return at->fn == NULL || at->fn(line, at->context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
}

typedef clump_store_status row_fn(checker *at, sqlite3_stmt *statement);

/* Runs a query whose %s all stand for the schema, and `fn` on each row. */
static clump_store_status each_row(checker *at, const char *pattern, row_fn *fn)
{
    char sql[2000];
    size_t used = 0;
    for (const char *from = pattern; *from != '\0' && used + 16 < sizeof sql; from++) {
        if (from[0] == '%' && from[1] == 's') {
            used += (size_t)snprintf(sql + used, sizeof sql - used, "%s", at->schema);
            from++;
        } else {
            sql[used++] = *from;
        }
    }
    sql[used] = '\0';
    sqlite3_stmt *statement = NULL;
    clump_store_status status = clump_store_prepare(at->store, sql, &statement);
    for (bool row = true; status == CLUMP_STORE_OK;) {
        status = clump_store_step(at->store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        status = fn(at, statement);
    }
    sqlite3_finalize(statement);
    return status;
}

static const char *text_of(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text != NULL ? text : "";
}

/* Constraints have no names, and so SQLite says the same for each row that breaks one. */
static clump_store_status report_finding(checker *at, const char *text)
{
    static const char constraint[] = "CHECK constraint failed in ";
    if (strcmp(text, "ok") == 0 || strcmp(text, at->last) == 0)
        return CLUMP_STORE_OK;
    snprintf(at->last, sizeof at->last, "%s", text);
    return strncmp(text, constraint, sizeof constraint - 1) == 0
               ? found(at, "a row of table '%.100s' has a value that the schema does not allow",
                       text + sizeof constraint - 1)
               : found(at, "%s", text);
}

static int report_copy(const char *text, void *context)
{
    return report_finding(context, text) != CLUMP_STORE_OK;
}

static clump_store_status report_integrity(checker *at, sqlite3_stmt *statement)
{
    return report_finding(at, text_of(statement, 0));
}

static clump_store_status report_value(checker *at, sqlite3_stmt *statement)
{
    return found(at, "%.40s '%.100s' has %.40s '%.40s', which is not allowed",
                 text_of(statement, 0), text_of(statement, 1), text_of(statement, 2),
                 text_of(statement, 3));
}

static clump_store_status report_key(checker *at, sqlite3_stmt *statement)
{
    return found(at, "a row of table %.100s points to a row of %.100s that does not exist",
                 text_of(statement, 0), text_of(statement, 2));
}

static clump_store_status report_quantity(checker *at, sqlite3_stmt *statement)
{
    const char *unit = text_of(statement, 1);
    return clump_unit_is_canonical(unit)
               ? CLUMP_STORE_OK
               : found(at, "quantity '%.100s' is kept in '%.40s', which is not a canonical unit",
                       text_of(statement, 0), unit);
}

static clump_store_status report_platform(checker *at, sqlite3_stmt *statement)
{
    return found(at, "platform '%.100s' has no node, no processor or a negative number of NICs",
                 text_of(statement, 0));
}

static clump_store_status report_sample(checker *at, sqlite3_stmt *statement)
{
    return found(at, "sample %lld of series %lld (%.100s) is %g, or its spread is out of range",
                 sqlite3_column_int64(statement, 1), sqlite3_column_int64(statement, 0),
                 text_of(statement, 2), sqlite3_column_double(statement, 3));
}

static clump_store_status report_order(checker *at, sqlite3_stmt *statement)
{
    return found(at, "series %lld and %lld (%.100s): %.10s %g exceeds %.10s %g",
                 sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                 text_of(statement, 2), text_of(statement, 3), sqlite3_column_double(statement, 4),
                 text_of(statement, 5), sqlite3_column_double(statement, 6));
}

static clump_store_status report_circle(checker *at, sqlite3_stmt *statement)
{
    return found(at, "platform '%.100s' is part of '%.100s', and so on in a circle",
                 text_of(statement, 0), text_of(statement, 1));
}

/* One parameter of a LogGP set with what it may be off by. */
typedef struct parameter {
    double value;
    double error;
    bool known;
} parameter;

static parameter read_parameter(sqlite3_stmt *statement, int column)
{
    parameter read = {0};
    read.known = sqlite3_column_type(statement, column) != SQLITE_NULL;
    read.value = sqlite3_column_double(statement, column);
    /* A printed interval is at least twice the rounding of its last digit, so it covers both. */
    read.error = sqlite3_column_type(statement, column + 1) != SQLITE_NULL
                     ? sqlite3_column_double(statement, column + 1)
                     : 0.01 * fabs(read.value);
    return read;
}

static clump_store_status report_loggp(checker *at, sqlite3_stmt *statement)
{
    char set[400];
    snprintf(set, sizeof set, "platform '%.80s', transport '%.40s', variant '%.60s', '%.80s'",
             text_of(statement, 0), text_of(statement, 1), text_of(statement, 2),
             text_of(statement, 3));
    const parameter latency = read_parameter(statement, 4);
    const parameter send = read_parameter(statement, 6);
    const parameter receive = read_parameter(statement, 8);
    const parameter round_trip = read_parameter(statement, 10);
    const parameter per_byte = read_parameter(statement, 12);
    const parameter bandwidth = read_parameter(statement, 14);
    clump_store_status status = CLUMP_STORE_OK;
    if (latency.known && send.known && receive.known && round_trip.known) {
        const double sum = 2 * (send.value + latency.value + receive.value);
        const double error = 2 * (send.error + latency.error + receive.error) + round_trip.error;
        if (!(fabs(round_trip.value - sum) <= error)) {
            status = found(at, "%s: round-trip time %g us, but 2(o_s + L + o_r) = %g us", set,
                           round_trip.value, sum);
        }
    }
    if (status == CLUMP_STORE_OK && per_byte.known && bandwidth.known) {
        const double product = per_byte.value * bandwidth.value;
        const double error =
            per_byte.error * bandwidth.value + per_byte.value * bandwidth.error + 1e-9;
        if (!(fabs(product - 1) <= error)) {
            status = found(at, "%s: bandwidth %g B/us, but 1/G = %g B/us", set, bandwidth.value,
                           1 / per_byte.value);
        }
    }
    return status;
}

#define PICK(name)                                                                                 \
    "max(CASE q.name WHEN '" name "' THEN v.value END),"                                           \
    " max(CASE q.name WHEN '" name "' THEN v.half_width END)"

static const struct {
    const char *sql;
    row_fn *fn;
} checks[] = {
    {"PRAGMA %s.foreign_key_check", report_key},
    {"SELECT name, unit FROM %s.quantity", report_quantity},
    /* The copy's CHECK constraints find all that follows, but not which row it is. */
    {"SELECT 'platform', name, 'mapping', mapping FROM %s.platform"
     " WHERE mapping NOT IN ('pooled', 'static') UNION ALL "
     "SELECT 'application', name, 'style', style FROM %s.application"
     " WHERE style NOT IN ('streaming', 'blocking') UNION ALL "
     "SELECT 'source', name, 'kind', kind FROM %s.source"
     " WHERE kind NOT IN ('document', 'log', 'calibration', 'inline') UNION ALL "
     "SELECT 'quantity', name, 'may_be_negative', may_be_negative FROM %s.quantity"
     " WHERE may_be_negative NOT IN (0, 1) UNION ALL "
     "SELECT 'series', id, 'statistic', statistic FROM %s.series"
     " WHERE statistic NOT IN ('single', 'mean', 'median', 'min', 'max', 'percentile') UNION ALL "
     "SELECT 'fit', application_id, 'demand', demand FROM %s.fit"
     " WHERE demand NOT IN ('independent', 'correlated', 'scheduled', 'gang') UNION ALL "
     "SELECT 'fit', application_id, 'efficiency', efficiency FROM %s.fit"
     " WHERE efficiency NOT IN ('inverse', 'power', 'exponential') LIMIT 100",
     report_value},
    {"SELECT name FROM %s.platform WHERE nodes < 1 OR processors < 1 OR nics < 0 LIMIT 100",
     report_platform},
    /* All are part of one that is part of nothing; what cannot be reached from there is in a circle
     * or below one. */
    {"WITH RECURSIVE rooted (id) AS (SELECT id FROM %s.platform WHERE part_of_id IS NULL"
     " OR part_of_id NOT IN (SELECT id FROM %s.platform) UNION ALL "
     "SELECT p.id FROM rooted r JOIN %s.platform p ON p.part_of_id = r.id)"
     " SELECT p.name, w.name FROM %s.platform p JOIN %s.platform w ON w.id = p.part_of_id"
     " WHERE p.id NOT IN (SELECT id FROM rooted) LIMIT 100",
     report_circle},
    {"SELECT v.series_id, v.ordinal, q.name, v.value FROM %s.sample v"
     " JOIN %s.series s ON s.id = v.series_id JOIN %s.quantity q ON q.id = s.quantity_id"
     " WHERE typeof(v.value) <> 'real' OR abs(v.value) > 1.7976931348623157e308"
     " OR (v.value < 0 AND NOT q.may_be_negative)"
     " OR NOT ifnull(v.half_width BETWEEN 0 AND 1e150, 1)"
     " OR NOT ifnull(v.std_dev BETWEEN 0 AND 1e150, 1) LIMIT 100",
     report_sample},
    {"SELECT s.id, t.id, q.name, s.statistic, v.value, t.statistic, w.value"
     " FROM %s.series s JOIN %s.series t ON ifnull(t.platform_id, 0) = ifnull(s.platform_id, 0)"
     " AND ifnull(t.application_id, 0) = ifnull(s.application_id, 0)"
     " AND t.quantity_id = s.quantity_id AND t.transport = s.transport AND t.variant = s.variant"
     " AND t.source_id = s.source_id AND t.benchmark = s.benchmark AND t.window = s.window"
     " AND t.processes = s.processes JOIN %s.quantity q ON q.id = s.quantity_id"
     " JOIN %s.sample v ON v.series_id = s.id"
     " JOIN %s.sample w ON w.series_id = t.id AND w.ordinal = v.ordinal"
     " WHERE ((s.statistic = 'min' AND t.statistic IN ('mean', 'max'))"
     " OR (s.statistic = 'mean' AND t.statistic = 'max')) AND v.value > w.value LIMIT 100",
     report_order},
    /* clang-format off */
    {"SELECT ifnull(p.name, ''), s.transport, s.variant, o.name, "
     PICK("latency") ", " PICK("send_overhead") ", " PICK("receive_overhead") ", "
     PICK("round_trip_time") ", " PICK("gap_per_byte") ", " PICK("bandwidth")
     " FROM %s.series s JOIN %s.quantity q ON q.id = s.quantity_id"
     " JOIN %s.source o ON o.id = s.source_id LEFT JOIN %s.platform p ON p.id = s.platform_id"
     " JOIN %s.sample v ON v.series_id = s.id AND v.ordinal = 1"
     " WHERE s.application_id IS NULL AND s.statistic IN ('single', 'mean')"
     " AND NOT EXISTS (SELECT 1 FROM %s.sample x WHERE x.series_id = s.id AND x.ordinal = 2)"
     " GROUP BY s.platform_id, s.transport, s.variant, s.source_id, s.statistic",
     report_loggp},
    /* clang-format on */
};

/* Pages, indexes and constraints. What cannot be copied is read where it is. */
static clump_store_status check_integrity(checker *at)
{
    bool whole = strcmp(at->schema, "main") != 0;
    clump_store_status status = CLUMP_STORE_OK;
    if (!whole)
        status = check_copy(at->store, report_copy, at, &whole);
    return status == CLUMP_STORE_OK && whole
               ? each_row(at, "PRAGMA %s.integrity_check(20)", report_integrity)
               : status;
}

/* Damage is what is looked for; the other checks may still tell more. */
static clump_store_status go_on(checker *at, clump_store_status status)
{
    return status == CLUMP_STORE_BAD_INPUT ? found(at, "%s", at->store->message) : status;
}

typedef struct recordings {
    checker *at;
    clump_store_status status;
} recordings;

static int read_facts(const clump_store_recording *recording, void *context)
{
    recordings *r = context;
    clump_facts *facts = NULL;
    r->status = go_on(r->at, clump_store_find_facts(r->at->store, recording->application, &facts));
    clump_facts_free(facts);
    return r->status != CLUMP_STORE_OK;
}

static clump_store_status read_recordings(checker *at)
{
    recordings r = {.at = at};
    const clump_store_status status = clump_store_each_recording(at->store, read_facts, &r);
    return status == CLUMP_STORE_STOPPED ? r.status : go_on(at, status);
}

/* What passes everything else must also be readable: text may not be text, or too long. */
static clump_store_status read_all(checker *at)
{
    static const clump_store_filter any = {.platform = NULL};
    clump_store *store = at->store;
    clump_store_status status = go_on(at, clump_store_each_platform(store, NULL, NULL));
    if (status == CLUMP_STORE_OK)
        status = go_on(at, clump_store_each_application(store, NULL, NULL));
    if (status == CLUMP_STORE_OK)
        status = go_on(at, clump_store_each_quantity(store, NULL, NULL));
    if (status == CLUMP_STORE_OK)
        status = go_on(at, clump_store_each_source(store, NULL, NULL));
    if (status == CLUMP_STORE_OK)
        status = read_recordings(at);
    return status == CLUMP_STORE_OK ? go_on(at, clump_store_each_sample(store, &any, NULL, NULL))
                                    : status;
}

clump_store_status clump_store_check(clump_store *store, clump_store_finding_fn *fn, void *context,
                                     size_t *findings)
{
    checker at = {.store = store, .fn = fn, .context = context, .schema = "main"};
    clump_store_status status = go_on(&at, clump_store_check_schema(store, "the database"));
    static const char *const schemas[] = {"main", "reference"};
    for (size_t i = 0; i < 2; i++) {
        at.schema = schemas[i];
        if (status == CLUMP_STORE_OK)
            status = go_on(&at, check_integrity(&at));
        for (size_t j = 0; j < sizeof checks / sizeof *checks && status == CLUMP_STORE_OK; j++)
            status = go_on(&at, each_row(&at, checks[j].sql, checks[j].fn));
    }
    if (status == CLUMP_STORE_OK && at.findings == 0) {
        at.schema = "main";
        status = read_all(&at);
    }
    if (status == CLUMP_STORE_OK && findings != NULL)
        *findings = at.findings;
    return status;
}
