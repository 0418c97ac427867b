/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/record.h"

#include <stddef.h>
#include <string.h>

/* Each branch with its own copies of the tables that are joined; see COLUMNS for the letters. */
#define COLUMNS                                                                                    \
    "p.name, p.title, p.mapping, w.name, c.name, o.name, p.note, p.nodes, p.processors, p.nics"
#define JOINED(schema)                                                                             \
    schema ".platform p LEFT JOIN " schema ".source o ON o.id = p.source_id LEFT JOIN " schema     \
           ".platform w ON w.id = p.part_of_id LEFT JOIN " schema                                  \
           ".platform c ON c.id = p.counterpart_id"
#define DANGLING                                                                                   \
    "CASE WHEN o.id IS NULL THEN 'a source' WHEN (p.part_of_id IS NOT NULL AND w.id IS NULL)"      \
    " OR (p.counterpart_id IS NOT NULL AND c.id IS NULL) THEN 'a platform' END"

static const clump_store_field fields[] = {
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_platform, name)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_platform, title)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_platform, mapping)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_platform, part_of)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_platform, counterpart)},
    {CLUMP_STORE_FIELD_TEXT, offsetof(clump_store_platform, source)},
    {CLUMP_STORE_FIELD_OPTIONAL, offsetof(clump_store_platform, note)},
    {CLUMP_STORE_FIELD_COUNT, offsetof(clump_store_platform, nodes)},
    {CLUMP_STORE_FIELD_COUNT, offsetof(clump_store_platform, processors)},
    {CLUMP_STORE_FIELD_COUNT, offsetof(clump_store_platform, nics)},
    {CLUMP_STORE_FIELD_TRUTH, offsetof(clump_store_platform, reference)},
};

static bool is_mapping(const char *text)
{
    return text == NULL || strcmp(text, "pooled") == 0 || strcmp(text, "static") == 0;
}

static clump_store_status check_read(clump_store *store, const void *record)
{
    const clump_store_platform *platform = record;
    if (platform->nodes < 1 || platform->processors < 1 || platform->nics < 0) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "the database says that platform '%.200s' has no node or "
                                "processor; restore it from a copy",
                                platform->name);
    }
    if (!is_mapping(platform->mapping)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "the database says that platform '%.200s' has mapping '%.40s', "
                                "which is neither pooled nor static; restore it from a copy",
                                platform->name, platform->mapping);
    }
    return CLUMP_STORE_OK;
}

static int call(clump_store_any_fn *fn, const void *record, void *context)
{
    return ((clump_store_platform_fn *)fn)(record, context);
}

static const clump_store_table table = {
    .name = "platform",
    .key = "the name of a platform",
    .all = CLUMP_STORE_RECORDS("platform", "p", COLUMNS, DANGLING, JOINED, CLUMP_STORE_ANY),
    .one = CLUMP_STORE_RECORDS("platform", "p", COLUMNS, DANGLING, JOINED, CLUMP_STORE_NAMED),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .record_size = sizeof(clump_store_platform),
    .check = check_read,
    .call = call,
};

clump_store_status clump_store_each_platform(clump_store *store, clump_store_platform_fn *fn,
                                             void *context)
{
    return clump_store_each_record(store, &table, (clump_store_any_fn *)fn, context);
}

clump_store_status clump_store_find_platform(clump_store *store, const char *name,
                                             clump_store_platform **platform)
{
    void *found = NULL;
    *platform = NULL;
    const clump_store_status status = clump_store_find_record(store, &table, name, &found);
    if (status == CLUMP_STORE_OK)
        *platform = found;
    return status;
}

clump_store_platform *clump_store_copy_platform(const clump_store_platform *platform)
{
    return clump_store_copy_record(&table, platform);
}

static clump_store_status check(clump_store *store, const clump_store_platform *platform)
{
    clump_store_status status = clump_store_check_new(store, "platform", platform->name);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the title of a platform", platform->title, false);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the note of a platform", platform->note, true);
    if (status != CLUMP_STORE_OK)
        return status;
    if (platform->nodes < 1 || platform->processors < 1 || platform->nics < 0) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "platform '%s' has %lld nodes of %lld processors and %lld NICs; "
                                "expected at least one node, one processor and no NIC",
                                platform->name, (long long)platform->nodes,
                                (long long)platform->processors, (long long)platform->nics);
    }
    if (!is_mapping(platform->mapping)) {
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
    if (id != 0)
        sqlite3_bind_int64(statement, index, id);
}

clump_store_status clump_store_add_platform(clump_store *store,
                                            const clump_store_platform *platform)
{
    int64_t part_of = 0;
    int64_t counterpart = 0;
    int64_t source = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check(store, platform);
    if (status == CLUMP_STORE_OK)
        status = clump_store_adopt(store, "platform", platform->part_of, &part_of);
    if (status == CLUMP_STORE_OK)
        status = clump_store_adopt(store, "platform", platform->counterpart, &counterpart);
    if (status == CLUMP_STORE_OK)
        status = clump_store_adopt(store, "source", platform->source, &source);
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.platform (name, title, nodes, processors,"
                                     " nics, mapping, part_of_id, counterpart_id, source_id, note)"
                                     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_bind(statement, 1, platform->name);
    clump_store_bind(statement, 2, platform->title);
    sqlite3_bind_int64(statement, 3, platform->nodes);
    sqlite3_bind_int64(statement, 4, platform->processors);
    sqlite3_bind_int64(statement, 5, platform->nics);
    clump_store_bind(statement, 6, platform->mapping);
    bind_id(statement, 7, part_of);
    bind_id(statement, 8, counterpart);
    bind_id(statement, 9, source);
    clump_store_bind(statement, 10, platform->note);
    return clump_store_run(store, statement, "add a platform");
}
