/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checking the user's database as a whole: what SQLite finds wrong, and measured numbers that contradict each other. */
#include "data/store/frozen.h"
#include "data/store/handle.h"
#include "data/store/recorded_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    clump_store *store;   /* that is read */
    clump_store *scratch; /* with its copy, and the reference data */
    clump_store_finding_fn *fn;
    void *context;
    size_t findings;
    const char *words; /* what is being checked */
} checker;

/* ---- queries: each row is a finding; %s stands for the schema. Only foreign_key_check has more than one
 * column: table, row, table that it points to. */

/* Constraints have no names, and so SQLite says the same for each row that breaks one. No limit is passed: as an argument it
 * is a text, which newer versions take for the name of a table. */
static const char *const sound[] = {
    "SELECT DISTINCT CASE WHEN integrity_check LIKE 'CHECK constraint failed in %%' THEN"
    " printf('a row of table ''%%s'' has a value that the schema does not allow',"
    " substr(integrity_check, 28)) ELSE integrity_check END"
    " FROM pragma_integrity_check(NULL, '%s') WHERE integrity_check <> 'ok' LIMIT 20",
    "PRAGMA %s.foreign_key_check",
};

#define SERIES                                                                                     \
    " FROM %s.series s JOIN %s.quantity q ON q.id = s.quantity_id"                                 \
    " JOIN %s.sample v ON v.series_id = s.id"

/* All are part of one that is part of nothing; what cannot be reached from there is in a circle or below one. */
static const char circles[] =
    "WITH RECURSIVE rooted (id) AS (SELECT id FROM %s.platform WHERE part_of_id IS NULL UNION ALL"
    " SELECT p.id FROM rooted r JOIN %s.platform p ON p.part_of_id = r.id)"
    " SELECT printf('platform ''%%s'' is part of ''%%s'', and so on in a circle', p.name, w.name)"
    " FROM %s.platform p JOIN %s.platform w ON w.id = p.part_of_id"
    " WHERE p.id NOT IN (SELECT id FROM rooted) LIMIT 100";

static const char negative[] =
    "SELECT printf('sample %%d of series %%d (%%s) is %%g', v.ordinal, s.id, q.name, "
    "v.value)" SERIES " WHERE v.value < 0 AND NOT q.may_be_negative LIMIT 100";

static const char disordered[] =
    "SELECT printf('series %%d and %%d (%%s): %%s %%g exceeds %%s %%g', s.id, t.id, q.name,"
    " s.statistic, v.value, t.statistic, w.value)" SERIES
    " JOIN %s.series t ON ifnull(t.platform_id, 0) = ifnull(s.platform_id, 0)"
    " AND ifnull(t.application_id, 0) = ifnull(s.application_id, 0)"
    " AND t.quantity_id = s.quantity_id AND t.transport = s.transport AND t.variant = s.variant"
    " AND t.source_id = s.source_id AND t.benchmark = s.benchmark AND t.window = s.window"
    " AND t.processes = s.processes"
    " JOIN %s.sample w ON w.series_id = t.id AND w.ordinal = v.ordinal"
    " WHERE ((s.statistic = 'min' AND t.statistic IN ('mean', 'max'))"
    " OR (s.statistic = 'mean' AND t.statistic = 'max')) AND v.value > w.value LIMIT 100";

/* Of each LogGP set the numbers, and what they may be off by. A printed interval is at least twice the rounding of its last
 * digit, so it covers both. */
#define VALUE(name) "max(value) FILTER (WHERE quantity = '" name "')"
#define ERROR(name) "max(error) FILTER (WHERE quantity = '" name "')"
#define ROUND_TRIP(of)                                                                             \
    "2 * (" of("latency") " + " of("send_overhead") " + " of("receive_overhead") ")"
/* clang-format off */
static const char contradicting[] =
    "WITH number AS (SELECT"
    " printf('platform ''%%s'', transport ''%%s'', variant ''%%s'', ''%%s''', ifnull(p.name, ''),"
    " s.transport, s.variant, o.name) AS words, s.platform_id, s.source_id, s.statistic,"
    " q.name AS quantity, v.value AS value, ifnull(v.half_width, 0.01 * abs(v.value)) AS error" SERIES
    " JOIN %s.source o ON o.id = s.source_id LEFT JOIN %s.platform p ON p.id = s.platform_id"
    " WHERE v.ordinal = 1 AND s.application_id IS NULL AND s.statistic IN ('single', 'mean')"
    " AND NOT EXISTS (SELECT 1 FROM %s.sample x WHERE x.series_id = s.id AND x.ordinal = 2)),"
    " loggp AS (SELECT words, "
    VALUE("round_trip_time") " AS trip, " ERROR("round_trip_time") " AS trip_error, "
    ROUND_TRIP(VALUE) " AS sum, " ROUND_TRIP(ERROR) " AS sum_error, "
    VALUE("bandwidth") " AS B, " ERROR("bandwidth") " AS B_error, "
    VALUE("gap_per_byte") " AS G, " ERROR("gap_per_byte") " AS G_error"
    " FROM number GROUP BY platform_id, words, source_id, statistic)"
    " SELECT printf('%%s: round-trip time %%g us, but 2(o_s + L + o_r) = %%g us', words, trip, sum)"
    " FROM loggp WHERE abs(trip - sum) > sum_error + trip_error"
    " UNION ALL SELECT printf('%%s: bandwidth %%g B/us, but 1/G = %%g B/us', words, B, 1 / G)"
    " FROM loggp WHERE abs(G * B - 1) > G_error * B + G * B_error + 1e-9";
/* clang-format on */

static const char *const consistent[] = {circles, negative, disordered, contradicting};

/* ---- findings */

static clump_store_status found(checker *at, const char *text)
{
    char line[1100];
    snprintf(line, sizeof line, "%s: %.1000s", at->words, text);
    for (char *c = line; *c != '\0'; c++)
        *c = (unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c;
    at->findings++;
    return at->fn == NULL || at->fn(line, at->context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
}

/* Damage is what is looked for; the other checks may still tell more. */
static clump_store_status go_on(checker *at, const clump_store *store, clump_store_status status)
{
    return status == CLUMP_STORE_BAD_INPUT ? found(at, store->message) : status;
}

static clump_store_status tell_row(checker *at, sqlite3_stmt *statement)
{
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    char key[300];
    if (text == NULL)
        return clump_store_fail_memory(at->scratch);
    if (sqlite3_column_count(statement) == 1)
        return found(at, text);
    snprintf(key, sizeof key, "a row of table %.100s points to a row of %.100s that does not exist",
             text, (const char *)sqlite3_column_text(statement, 2));
    return found(at, key);
}

static clump_store_status each_row(checker *at, const char *pattern, const char *schema)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    char *sql = sqlite3_mprintf(pattern, schema, schema, schema, schema, schema, schema);
    if (sql == NULL)
        return clump_store_fail_memory(at->scratch);
    clump_store_status status = clump_store_prepare(at->scratch, sql, &statement);
    sqlite3_free(sql);
    while (status == CLUMP_STORE_OK) {
        status = clump_store_step(at->scratch, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        status = tell_row(at, statement);
    }
    sqlite3_finalize(statement);
    return go_on(at, at->scratch, status);
}

static clump_store_status each_check(checker *at, const char *const *checks, size_t count,
                                     const char *schema)
{
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < count && status == CLUMP_STORE_OK; i++)
        status = each_row(at, checks[i], schema);
    return status;
}

#define EACH(at, checks, schema) each_check(at, checks, sizeof(checks) / sizeof *(checks), schema)

/* ---- what passes must also be readable: text may not be text, or too long */

static clump_store_status read_lists(clump_store *store)
{
    clump_store_frozen *frozen;
    clump_store_prediction *predictions;
    clump_recorded_run *runs, *run;
    size_t count, frozen_count = 0, run_count = 0;
    clump_arena *arena = clump_arena_new();
    clump_store_status status = arena != NULL
                                    ? clump_store_read_frozen(store, arena, &frozen, &frozen_count)
                                    : clump_store_fail_memory(store);
    for (size_t i = 0; i < frozen_count && status == CLUMP_STORE_OK; i++)
        status = clump_store_read_predictions(store, frozen[i].name, arena, &predictions, &count);
    if (status == CLUMP_STORE_OK)
        status = clump_store_read_runs(store, arena, &runs, &run_count);
    for (size_t i = 0; i < run_count && status == CLUMP_STORE_OK; i++) {
        status = clump_store_find_run(store, runs[i].application, &run);
        free(run);
    }
    clump_arena_free(arena);
    return status;
}

static clump_store_status read_all(checker *at)
{
    static const clump_store_filter any = {.platform = NULL};
    clump_store *store = at->store;
    clump_store_status status = CLUMP_STORE_OK;
    for (int kind = CLUMP_STORE_PLATFORM; kind <= CLUMP_STORE_QUANTITY; kind++)
        if (status == CLUMP_STORE_OK)
            status = go_on(at, store,
                           clump_store_each_record(store, (clump_store_kind)kind, NULL, NULL));
    if (status == CLUMP_STORE_OK)
        status = go_on(at, store, read_lists(store));
    return status == CLUMP_STORE_OK
               ? go_on(at, store, clump_store_each_sample(store, &any, NULL, NULL))
               : status;
}

/* ---- */

static clump_store_status check(checker *at, bool numbers)
{
    clump_store_status status =
        go_on(at, at->store, clump_store_check_schema(at->store, "the database"));
    if (status == CLUMP_STORE_OK)
        status = EACH(at, sound, "copy");
    if (status == CLUMP_STORE_OK && numbers)
        status = EACH(at, consistent, "copy");
    if (status == CLUMP_STORE_OK && numbers) {
        at->words = "reference data";
        status = EACH(at, sound, "reference");
        if (status == CLUMP_STORE_OK)
            status = EACH(at, consistent, "reference");
        at->words = "database";
    }
    return status == CLUMP_STORE_OK && at->findings == 0 ? read_all(at) : status;
}

static clump_store_status check_copy(checker *at, bool numbers, size_t *findings)
{
    clump_store_status status = clump_store_open(NULL, CLUMP_STORE_READ, &at->scratch);
    if (at->scratch == NULL)
        return clump_store_fail_memory(at->store);
    if (status == CLUMP_STORE_OK) {
        at->scratch->work_allowed = at->store->work_allowed;
        status = clump_store_attach_copy(at->scratch, at->store);
    }
    if (status == CLUMP_STORE_OK)
        status = check(at, numbers);
    if (status == CLUMP_STORE_OK && findings != NULL)
        *findings = at->findings;
    /* The message of a failure is in the one or the other. */
    if (status == CLUMP_STORE_FAILED && at->scratch->message[0] != '\0')
        clump_store_fail(at->store, status, "%s", at->scratch->message);
    at->store->no_memory = at->store->no_memory || at->scratch->no_memory;
    clump_store_close(at->scratch);
    return status;
}

clump_store_status clump_store_check(clump_store *store, clump_store_finding_fn *fn, void *context,
                                     size_t *findings)
{
    checker at = {.store = store, .fn = fn, .context = context, .words = "database"};
    return check_copy(&at, true, findings);
}

clump_store_status clump_store_check_sound(clump_store *store, size_t *findings)
{
    checker at = {.store = store, .words = "database"};
    return check_copy(&at, false, findings);
}
