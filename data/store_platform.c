/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store_handle.h"

#include <stddef.h>
#include <string.h>

/* Each branch with its own copies of the tables that are joined; see COLUMNS for the letters. */
#define COLUMNS                                                                                    \
    "p.name, p.title, p.mapping, w.name, c.name, o.name, p.note, p.nodes, p.processors, p.nics"
#define JOINED(schema)                                                                             \
    schema ".platform p JOIN " schema ".source o ON o.id = p.source_id LEFT JOIN " schema          \
           ".platform w ON w.id = p.part_of_id LEFT JOIN " schema                                  \
           ".platform c ON c.id = p.counterpart_id"
static const char all[] =
    "SELECT * FROM ("
    "SELECT " COLUMNS
    ", 0 FROM " JOINED("main") " WHERE NOT (p.adopted AND EXISTS"
                               " (SELECT 1 FROM reference.platform r WHERE r.name = p.name)) "
                               "UNION ALL "
                               "SELECT " COLUMNS ", 1 FROM " JOINED(
                                   "reference") " WHERE NOT EXISTS"
                                                " (SELECT 1 FROM main.platform m WHERE m.name = "
                                                "p.name AND NOT m.adopted)"
                                                ") WHERE ?1 IS NULL OR name = ?1 ORDER BY name";

static const size_t texts[] = {
    offsetof(clump_store_platform, name),        offsetof(clump_store_platform, title),
    offsetof(clump_store_platform, mapping),     offsetof(clump_store_platform, part_of),
    offsetof(clump_store_platform, counterpart), offsetof(clump_store_platform, source),
    offsetof(clump_store_platform, note),
};

static clump_store_status next(clump_store *store, sqlite3_stmt *statement,
                               clump_store_platform *platform, bool *row)
{
    clump_store_status status = clump_store_step(store, statement, row);
    if (status != CLUMP_STORE_OK || !*row) {
        return status;
    }
    bool bad = false;
    platform->name = clump_store_column(statement, 0, &bad);
    platform->title = clump_store_column(statement, 1, &bad);
    platform->mapping = clump_store_column(statement, 2, &bad);
    platform->part_of = clump_store_column(statement, 3, &bad);
    platform->counterpart = clump_store_column(statement, 4, &bad);
    platform->source = clump_store_column(statement, 5, &bad);
    platform->note = clump_store_column(statement, 6, &bad);
    platform->nodes = sqlite3_column_int64(statement, 7);
    platform->processors = sqlite3_column_int64(statement, 8);
    platform->nics = sqlite3_column_int64(statement, 9);
    platform->reference = sqlite3_column_int(statement, 10) != 0;
    if (bad || platform->name == NULL || platform->title == NULL || platform->source == NULL) {
        return clump_store_fail_text(store, "platform");
    }
    if (platform->nodes < 1 || platform->processors < 1 || platform->nics < 0) {
        return clump_store_fail(store, CLUMP_STORE_FAILED,
                                "the data base says that platform '%s' has no node or processor; "
                                "restore it from a copy",
                                platform->name);
    }
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_each_platform(clump_store *store, clump_store_platform_fn *fn,
                                             void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_platform platform;
    clump_store_status status = clump_store_prepare(store, all, &statement);
    while (status == CLUMP_STORE_OK) {
        status = next(store, statement, &platform, &row);
        if (status != CLUMP_STORE_OK || !row) {
            break;
        }
        status = fn(&platform, context) == 0 ? CLUMP_STORE_OK : CLUMP_STORE_STOPPED;
    }
    (void)sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_find_platform(clump_store *store, const char *name,
                                             clump_store_platform **platform)
{
    clump_store_status status = clump_store_check_name(store, "the name of a platform", name);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_platform found;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store, all, &statement);
    }
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = next(store, statement, &found, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        clump_store_platform *copy =
            clump_store_pack(&found, sizeof found, texts, sizeof texts / sizeof *texts);
        if (copy == NULL) {
            status = clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
        } else {
            *platform = copy;
        }
    }
    (void)sqlite3_finalize(statement);
    return status == CLUMP_STORE_OK && !row ? clump_store_check_known(store, "platform", name)
                                            : status;
}

static clump_store_status check(clump_store *store, const clump_store_platform *platform)
{
    clump_store_status status = clump_store_check_new(store, "platform", platform->name);
    if (status == CLUMP_STORE_OK) {
        status = clump_store_check_text(store, "the title of a platform", platform->title, false);
    }
    if (status == CLUMP_STORE_OK) {
        status = clump_store_check_text(store, "the note of a platform", platform->note, true);
    }
    if (status != CLUMP_STORE_OK) {
        return status;
    }
    if (platform->nodes < 1 || platform->processors < 1 || platform->nics < 0) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "platform '%s' has %lld nodes of %lld processors and %lld NICs; "
                                "expected at least one node, one processor and no NIC",
                                platform->name, (long long)platform->nodes,
                                (long long)platform->processors, (long long)platform->nics);
    }
    const char *mapping = platform->mapping;
    if (mapping != NULL && strcmp(mapping, "pooled") != 0 && strcmp(mapping, "static") != 0) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "platform '%s' has a mapping that is neither pooled nor static",
                                platform->name);
    }
    const char *const others[] = {platform->part_of, platform->counterpart};
    for (size_t i = 0; i < 2; i++) {
        if (others[i] != NULL && strcmp(others[i], platform->name) == 0) {
            return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                    "platform '%s' is said to be part or counterpart of itself",
                                    platform->name);
        }
    }
    return clump_store_check_name(store, "the source of a platform", platform->source);
}

static void bind_id(sqlite3_stmt *statement, int index, int64_t id)
{
    if (id != 0) {
        (void)sqlite3_bind_int64(statement, index, id);
    }
}

clump_store_status clump_store_add_platform(clump_store *store,
                                            const clump_store_platform *platform)
{
    int64_t part_of = 0;
    int64_t counterpart = 0;
    int64_t source = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK) {
        status = check(store, platform);
    }
    if (status == CLUMP_STORE_OK) {
        status = clump_store_adopt(store, "platform", platform->part_of, &part_of);
    }
    if (status == CLUMP_STORE_OK) {
        status = clump_store_adopt(store, "platform", platform->counterpart, &counterpart);
    }
    if (status == CLUMP_STORE_OK) {
        status = clump_store_adopt(store, "source", platform->source, &source);
    }
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.platform (name, title, nodes, processors,"
                                     " nics, mapping, part_of_id, counterpart_id, source_id, note)"
                                     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK) {
        return status;
    }
    clump_store_bind(statement, 1, platform->name);
    clump_store_bind(statement, 2, platform->title);
    (void)sqlite3_bind_int64(statement, 3, platform->nodes);
    (void)sqlite3_bind_int64(statement, 4, platform->processors);
    (void)sqlite3_bind_int64(statement, 5, platform->nics);
    clump_store_bind(statement, 6, platform->mapping);
    bind_id(statement, 7, part_of);
    bind_id(statement, 8, counterpart);
    bind_id(statement, 9, source);
    clump_store_bind(statement, 10, platform->note);
    return clump_store_run(store, statement, "add a platform");
}
