/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removing and renaming what the user has stored, with all that hangs on it. */
#include "data/store/handle.h"

#include <stdio.h>
#include <string.h>

static const char *const tables[] = {"platform", "application", "source"};
static const char *const with_article[] = {"a platform", "an application", "a source"};

/* What goes on until all is removed. */
typedef struct removal {
    clump_store *store;
    bool force;
    clump_store_removed_fn *fn;
    void *context;
} removal;

/* The first row of a query with one number: its first column, and its name if there is a second. 0 and
 * "" if there is no row. `name` may be NULL. */
static clump_store_status first(clump_store *store, const char *sql, int64_t id, int64_t *number,
                                char name[CLUMP_STORE_NAME + 1])
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    *number = 0;
    if (name != NULL)
        name[0] = '\0';
    if (status == CLUMP_STORE_OK) {
        sqlite3_bind_int64(statement, 1, id);
        status = clump_store_step(store, statement, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        *number = sqlite3_column_int64(statement, 0);
        if (name != NULL) {
            bool bad = false;
            const char *text = clump_store_column(statement, 1, &bad);
            snprintf(name, CLUMP_STORE_NAME + 1, "%s", text != NULL && !bad ? text : "?");
        }
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- which row */

/* The user's own row of that name; what ships, or only is a copy of it, is not the user's. */
static clump_store_status find_own(clump_store *store, clump_store_kind kind, const char *name,
                                   int64_t *id)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "name", name);
    if (status == CLUMP_STORE_OK && kind == CLUMP_STORE_QUANTITY)
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "quantities can be neither removed nor renamed");
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_known(store, tables[kind], name);
    if (status != CLUMP_STORE_OK)
        return status;
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT id FROM main.%s WHERE name = ?1 AND NOT adopted",
             tables[kind]);
    status = clump_store_find_id(store, sql, name, id);
    if (status == CLUMP_STORE_OK && *id == 0) {
        status =
            clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                             "the %s '%s' ships with the program, and stays as it is; what you "
                             "measured of it goes with the source that it is from",
                             tables[kind], name);
    }
    return status;
}

/* ---- what is removed */

static clump_store_status tell(const removal *r, const clump_store_removed *removed)
{
    return r->fn == NULL || r->fn(removed, r->context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
}

/* Removes a row after its series, and says so. */
static clump_store_status remove_row(removal *r, clump_store_kind kind, int64_t id)
{
    char sql[160], name[CLUMP_STORE_NAME + 1];
    int64_t unused, samples = 0;
    snprintf(sql, sizeof sql, "SELECT id, name FROM main.%s WHERE id = ?1", tables[kind]);
    clump_store_status status = first(r->store, sql, id, &unused, name);
    if (status == CLUMP_STORE_OK) {
        snprintf(sql, sizeof sql,
                 "DELETE FROM main.sample WHERE series_id IN"
                 " (SELECT id FROM main.series WHERE %s_id = ?1)",
                 tables[kind]);
        status = clump_store_run_sql(r->store, sql, id, 0, &samples);
    }
    if (status == CLUMP_STORE_OK) {
        snprintf(sql, sizeof sql, "DELETE FROM main.series WHERE %s_id = ?1", tables[kind]);
        status = clump_store_run_sql(r->store, sql, id, 0, NULL);
    }
    if (status == CLUMP_STORE_OK) {
        snprintf(sql, sizeof sql, "DELETE FROM main.%s WHERE id = ?1", tables[kind]);
        status = clump_store_run_sql(r->store, sql, id, 0, NULL);
    }
    const clump_store_removed removed = {.kind = kind, .name = name, .samples = samples};
    return status == CLUMP_STORE_OK ? tell(r, &removed) : status;
}

/* ---- platforms */

#define REFERS_TO_PLATFORM "FROM main.platform WHERE part_of_id = ?1 OR counterpart_id = ?1"
#define MEASURED_ON                                                                                \
    "FROM main.series s JOIN main.application a ON a.id = s.application_id"                        \
    " JOIN main.sample v ON v.series_id = s.id WHERE s.platform_id = ?1"

static clump_store_status check_platform_is_free(const removal *r, int64_t id, const char *name)
{
    char other[CLUMP_STORE_NAME + 1];
    int64_t platforms = 0, samples = 0;
    clump_store_status status =
        first(r->store, "SELECT count(*), min(name) " REFERS_TO_PLATFORM, id, &platforms, other);
    if (status != CLUMP_STORE_OK || r->force)
        return status;
    if (platforms > 0) {
        return clump_store_fail(r->store, CLUMP_STORE_IN_USE,
                                "the platform '%s' is in use: %lld platform%s part of it or "
                                "compared with it, such as '%s'",
                                name, (long long)platforms, platforms == 1 ? " is" : "s are",
                                other);
    }
    status = first(r->store, "SELECT count(*), min(a.name) " MEASURED_ON, id, &samples, other);
    if (status == CLUMP_STORE_OK && samples > 0) {
        return clump_store_fail(
            r->store, CLUMP_STORE_IN_USE,
            "the platform '%s' is in use: %lld sample%s of applications such as "
            "'%s' %s measured on it",
            name, (long long)samples, samples == 1 ? "" : "s", other,
            samples == 1 ? "was" : "were");
    }
    return status;
}

/* Platforms that refer to it no longer do. */
static clump_store_status detach_platforms(const removal *r, int64_t id)
{
    char name[CLUMP_STORE_NAME + 1];
    for (;;) {
        int64_t other = 0;
        clump_store_status status =
            first(r->store, "SELECT id, name " REFERS_TO_PLATFORM " ORDER BY name LIMIT 1", id,
                  &other, name);
        if (status != CLUMP_STORE_OK || other == 0)
            return status;
        status = clump_store_run_sql(r->store,
                                     "UPDATE main.platform SET part_of_id = nullif(part_of_id, ?1),"
                                     " counterpart_id = nullif(counterpart_id, ?1) WHERE id = ?2",
                                     id, other, NULL);
        const clump_store_removed changed = {
            .kind = CLUMP_STORE_PLATFORM, .name = name, .stays = true};
        if (status == CLUMP_STORE_OK)
            status = tell(r, &changed);
        if (status != CLUMP_STORE_OK)
            return status;
    }
}

static clump_store_status remove_platform(removal *r, int64_t id, const char *name)
{
    clump_store_status status = check_platform_is_free(r, id, name);
    if (status == CLUMP_STORE_OK)
        status = detach_platforms(r, id);
    return status == CLUMP_STORE_OK ? remove_row(r, CLUMP_STORE_PLATFORM, id) : status;
}

/* ---- applications */

static clump_store_status remove_application(removal *r, int64_t id)
{
    static const char *const of_it[] = {
        "DELETE FROM main.fit_run WHERE application_id = ?1",
        "DELETE FROM main.fit_parameter WHERE application_id = ?1",
        "DELETE FROM main.fit WHERE application_id = ?1",
        "DELETE FROM main.recording WHERE application_id = ?1",
    };
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < sizeof of_it / sizeof *of_it && status == CLUMP_STORE_OK; i++)
        status = clump_store_run_sql(r->store, of_it[i], id, 0, NULL);
    return status == CLUMP_STORE_OK ? remove_row(r, CLUMP_STORE_APPLICATION, id) : status;
}

/* ---- sources */

/* Platforms and applications are from the first log that was imported for them. Without it they are from
 * the next one; where there is none they go, too, if told. */
static clump_store_status give_up_source(removal *r, clump_store_kind kind, int64_t source,
                                         const char *source_name)
{
    char sql[400], name[CLUMP_STORE_NAME + 1];
    int64_t id = 0;
    snprintf(sql, sizeof sql,
             "UPDATE main.%s AS t SET source_id = ifnull((SELECT s.source_id FROM main.series s"
             " WHERE s.%s_id = t.id AND s.source_id <> ?1 ORDER BY s.id LIMIT 1), ?1)"
             " WHERE source_id = ?1",
             tables[kind], tables[kind]);
    clump_store_status status = clump_store_run_sql(r->store, sql, source, 0, NULL);
    snprintf(sql, sizeof sql, "SELECT id, name FROM main.%s WHERE source_id = ?1 LIMIT 1",
             tables[kind]);
    while (status == CLUMP_STORE_OK) {
        status = first(r->store, sql, source, &id, name);
        if (status != CLUMP_STORE_OK || id == 0)
            break;
        if (!r->force)
            return clump_store_fail(
                r->store, CLUMP_STORE_IN_USE,
                "the source '%s' is in use: all that is known of %s '%s' is "
                "from it",
                source_name, kind == CLUMP_STORE_PLATFORM ? "platform" : "application", name);
        status =
            kind == CLUMP_STORE_PLATFORM ? remove_platform(r, id, name) : remove_application(r, id);
    }
    return status;
}

static clump_store_status remove_source(removal *r, int64_t id, const char *name)
{
    clump_store_status status = give_up_source(r, CLUMP_STORE_PLATFORM, id, name);
    if (status == CLUMP_STORE_OK)
        status = give_up_source(r, CLUMP_STORE_APPLICATION, id, name);
    return status == CLUMP_STORE_OK ? remove_row(r, CLUMP_STORE_SOURCE, id) : status;
}

/* ---- what nobody needs any more */

static clump_store_status sweep_sources(removal *r)
{
    for (;;) {
        int64_t id = 0;
        clump_store_status status =
            first(r->store,
                  "SELECT id FROM main.source o WHERE ?1 = 0 AND NOT adopted"
                  " AND NOT EXISTS (SELECT 1 FROM main.series WHERE source_id = o.id)"
                  " AND NOT EXISTS (SELECT 1 FROM main.platform WHERE source_id = o.id)"
                  " AND NOT EXISTS (SELECT 1 FROM main.application WHERE source_id = o.id)"
                  " ORDER BY id LIMIT 1",
                  0, &id, NULL);
        if (status == CLUMP_STORE_OK && id != 0)
            status = remove_row(r, CLUMP_STORE_SOURCE, id);
        if (status != CLUMP_STORE_OK || id == 0)
            return status;
    }
}

/* Copies of reference rows are there to be pointed to. Their sources last: the others point to them. */
static clump_store_status sweep_copies(clump_store *store)
{
    static const char *const sweeps[] = {
        "DELETE FROM main.platform WHERE adopted AND id NOT IN (SELECT platform_id FROM main.series"
        " WHERE platform_id IS NOT NULL UNION SELECT part_of_id FROM main.platform WHERE part_of_id"
        " IS NOT NULL UNION SELECT counterpart_id FROM main.platform WHERE counterpart_id IS NOT"
        " NULL)",
        "DELETE FROM main.application WHERE adopted AND id NOT IN (SELECT application_id FROM"
        " main.series WHERE application_id IS NOT NULL)",
        "DELETE FROM main.quantity WHERE adopted AND id NOT IN (SELECT quantity_id FROM "
        "main.series)",
        "DELETE FROM main.source WHERE adopted AND id NOT IN (SELECT source_id FROM main.series"
        " UNION SELECT source_id FROM main.platform UNION SELECT source_id FROM main.application)",
    };
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps && status == CLUMP_STORE_OK; i++)
        status = clump_store_run_sql(store, sweeps[i], 0, 0, NULL);
    return status;
}

/* ---- */

clump_store_status clump_store_remove(clump_store *store, clump_store_kind kind, const char *name,
                                      bool force, clump_store_removed_fn *fn, void *context)
{
    removal r = {.store = store, .force = force, .fn = fn, .context = context};
    int64_t id = 0;
    clump_store_status status = find_own(store, kind, name, &id);
    if (status == CLUMP_STORE_OK)
        status = clump_store_begin_change(store);
    if (status != CLUMP_STORE_OK)
        return status;
    status = kind == CLUMP_STORE_PLATFORM      ? remove_platform(&r, id, name)
             : kind == CLUMP_STORE_APPLICATION ? remove_application(&r, id)
                                               : remove_source(&r, id, name);
    if (status == CLUMP_STORE_OK)
        status = sweep_sources(&r);
    if (status == CLUMP_STORE_OK)
        status = sweep_copies(store);
    return clump_store_end_change(store, status);
}

/* ---- renaming */

static clump_store_status check_new_name(clump_store *store, clump_store_kind kind,
                                         const char *name)
{
    char sql[100];
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_check_new(store, tables[kind], name);
    if (status != CLUMP_STORE_OK)
        return status;
    snprintf(sql, sizeof sql, "SELECT 1 FROM reference.%s WHERE name = ?1", tables[kind]);
    status = clump_store_prepare(store, sql, &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = clump_store_step(store, statement, &row);
    }
    sqlite3_finalize(statement);
    return status == CLUMP_STORE_OK && row
               ? clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "'%s' is the name of %s that ships with the program; choose "
                                  "another name",
                                  name, with_article[kind])
               : status;
}

clump_store_status clump_store_rename(clump_store *store, clump_store_kind kind, const char *name,
                                      const char *new_name)
{
    /* Fits and frozen predictions keep names, not rows: what they tell outlives the samples. */
    static const char *const statements[][6] = {
        [CLUMP_STORE_PLATFORM] = {"UPDATE main.platform SET name = ?2 WHERE name = ?1",
                                  "UPDATE main.fit_run SET platform = ?2 WHERE platform = ?1",
                                  "UPDATE main.fit_run SET base = ?2 WHERE base = ?1",
                                  "UPDATE main.frozen_prediction SET platform = ?2 WHERE"
                                  " platform = ?1",
                                  "UPDATE main.frozen_prediction SET base = ?2 WHERE base = ?1"},
        [CLUMP_STORE_APPLICATION] =
            {"UPDATE main.application SET name = ?2 WHERE name = ?1",
             "UPDATE main.fit SET fitted_from = ?2 WHERE fitted_from = ?1",
             "UPDATE main.frozen_prediction SET application = ?2 WHERE"
             " application = ?1",
             /* whose run it is that these two name */
             "UPDATE main.series SET variant = ?2 WHERE variant = ?1 AND"
             " quantity_id IN (SELECT id FROM main.quantity WHERE name IN"
             " ('computation_from', 'traffic_from', 'traffic_per_time_from'))"},
        [CLUMP_STORE_SOURCE] = {"UPDATE main.source SET name = ?2 WHERE name = ?1",
                                "UPDATE main.fit_run SET source = ?2 WHERE source = ?1"},
    };
    int64_t id = 0;
    clump_store_status status = find_own(store, kind, name, &id);
    if (status == CLUMP_STORE_OK)
        status = check_new_name(store, kind, new_name);
    if (status == CLUMP_STORE_OK)
        status = clump_store_begin_change(store);
    if (status != CLUMP_STORE_OK)
        return status;
    for (size_t i = 0; statements[kind][i] != NULL && status == CLUMP_STORE_OK; i++) {
        sqlite3_stmt *statement = NULL;
        status = clump_store_prepare(store, statements[kind][i], &statement);
        if (status != CLUMP_STORE_OK)
            break;
        clump_store_bind(statement, 1, name);
        clump_store_bind(statement, 2, new_name);
        status = clump_store_run(store, statement, "rename");
    }
    return clump_store_end_change(store, status);
}
