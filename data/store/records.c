/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of named records (platform, application, quantity, source): one description a table, and
 * what finds, lists and copies the records of any.
 */
#include "data/store/records.h"

#include "data/units.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct record_table {
    clump_row_form form;           /* the columns of the query but the last two; reading */
    clump_store_cached kept;       /* where `one` stays prepared */
    const char *all;               /* RECORDS with ANY */
    const char *one;               /* the same with NAMED */
    size_t record_size, reference; /* offset of what says that it ships */
    /* What else a record must fulfil; NULL: nothing. Leaves a message. */
    clump_store_status (*check)(clump_store *store, const void *record);
} record_table;

/*
 * The query of a table: the user's rows, then the reference ones whose name no row of the user's
 * has taken; an adopted copy does not count while there is the original.
 * @param table  its name
 * @param letter that stands for it in `columns`, `dangling` and `from`
 * @param columns the first is the name; the query adds whether the row is a reference row
 * @param dangling what the row points to that does not exist, NULL if all does; the last column.
 *               Outer joins and this column, not inner joins: those would lose the row in silence
 * @param from   a macro that makes what follows FROM for a schema
 * @param which  ANY or NAMED. Two queries, because one for both could not
 *               use the index of the names
 */
#define ANY(letter) ""
#define NAMED(letter) " AND " letter ".name = ?1"
/* clang-format off */
#define RECORDS(table, letter, columns, dangling, from, which)                                     \
    "SELECT * FROM ("                                                                              \
    "SELECT " columns ", 0, " dangling " FROM " from("main")                                       \
    " WHERE NOT (" letter ".adopted AND EXISTS"                                                    \
    " (SELECT 1 FROM reference." table " r WHERE r.name = " letter ".name))" which(letter)         \
    " UNION ALL "                                                                                  \
    "SELECT " columns ", 1, " dangling " FROM " from("reference")                                  \
    " WHERE NOT EXISTS"                                                                            \
    " (SELECT 1 FROM main." table " m WHERE m.name = " letter ".name AND NOT m.adopted)"           \
    which(letter) ") ORDER BY name"
/* clang-format on */

/* Room for one record of any table. */
typedef union any_record {
    clump_store_platform platform;
    clump_store_application application;
    clump_store_quantity quantity;
    clump_store_source source;
} any_record;

/* Both queries of a table. */
#define QUERIES(table, letter, columns, dangling, from)                                            \
    .all = RECORDS(table, letter, columns, dangling, from, ANY),                                   \
    .one = RECORDS(table, letter, columns, dangling, from, NAMED)

/* One step: *row says whether `record` was filled. */
static clump_store_status next(clump_store *store, const record_table *table,
                               sqlite3_stmt *statement, any_record *record, bool *row)
{
    const int columns = (int)table->form.count;
    clump_store_status status = clump_store_step(store, statement, row);
    if (status != CLUMP_STORE_OK || !*row)
        return status;
    const char *target = (const char *)sqlite3_column_text(statement, columns + 1);
    if (target != NULL) {
        bool bad = false;
        const char *name = clump_store_column(statement, 0, &bad);
        char what[CLUMP_STORE_NAME + 100];
        snprintf(what, sizeof what, "%s '%.200s'", table->form.table, bad ? "?" : name);
        return clump_store_fail_dangling(store, what, target);
    }
    if (!clump_row_read(statement, 0, &table->form, record))
        return clump_store_fail_text(store, table->form.table);
    const bool reference = sqlite3_column_int(statement, columns) != 0;
    memcpy((char *)record + table->reference, &reference, sizeof reference);
    return table->check != NULL ? table->check(store, record) : CLUMP_STORE_OK;
}

/* ---- quantities */

#define QUANTITY_COLUMNS "q.name, q.unit, q.meaning, q.may_be_negative"
#define QUANTITY_FROM(schema) schema ".quantity q"

static const clump_row_field quantity_fields[] = {
    {"name", CLUMP_ROW_NAME, offsetof(clump_store_quantity, name)},
    {"unit", CLUMP_ROW_TEXT, offsetof(clump_store_quantity, unit)},
    {"meaning", CLUMP_ROW_TEXT, offsetof(clump_store_quantity, meaning)},
    {"may_be_negative", CLUMP_ROW_TRUTH, offsetof(clump_store_quantity, may_be_negative)},
};

static const clump_row_form quantity_form = {.table = "quantity",
                                             CLUMP_ROW_FIELDS(quantity_fields)};

static clump_store_status check_unit(clump_store *store, const void *record)
{
    const clump_store_quantity *quantity = record;
    return clump_unit_is_canonical(quantity->unit)
               ? CLUMP_STORE_OK
               : clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "quantity '%s' cannot be kept in '%s'; expected us, s, us/B, B, "
                                  "B/us, count, 1/us, MHz, cycles, ratio or ns/day",
                                  quantity->name, quantity->unit);
}

/* A quantity of the reference data keeps its unit: otherwise samples of one name could not be compared. */
static clump_store_status check_reference_unit(clump_store *store,
                                               const clump_store_quantity *quantity)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(
        store, "SELECT unit FROM reference.quantity WHERE name = ?1 AND unit <> ?2", &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, quantity->name);
        clump_store_bind(statement, 2, quantity->unit);
        status = clump_store_step(store, statement, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        const char *unit = (const char *)sqlite3_column_text(statement, 0);
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "quantity '%s' is known in %s, not in %s; choose another name",
                                  quantity->name, unit != NULL ? unit : "?", quantity->unit);
    }
    sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_add_quantity(clump_store *store,
                                            const clump_store_quantity *quantity)
{
    clump_store_status status = clump_store_check_new(store, "quantity", quantity->name);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the unit of a quantity", quantity->unit, false);
    if (status == CLUMP_STORE_OK)
        status = check_unit(store, quantity);
    if (status == CLUMP_STORE_OK)
        status = check_reference_unit(store, quantity);
    return status == CLUMP_STORE_OK ? clump_row_insert(store, &quantity_form, "", NULL, quantity)
                                    : status;
}

/* ---- sources */

#define SOURCE_FROM(schema) schema ".source o"

#define SOURCE_FIELD(column, type, member) CLUMP_ROW_FIELD(clump_store_source, column, type, member)

static const clump_row_field source_fields[] = {
    SOURCE_FIELD("name", NAME, name),
    SOURCE_FIELD("kind", TEXT, kind),
    SOURCE_FIELD("title", TEXT, title),
    SOURCE_FIELD("table_label", OPTIONAL, table_label),
    SOURCE_FIELD("section", OPTIONAL, section),
    SOURCE_FIELD("page", OPTIONAL, page),
    SOURCE_FIELD("file", OPTIONAL, file),
    SOURCE_FIELD("sha256", OPTIONAL, sha256),
    SOURCE_FIELD("tool", OPTIONAL, tool),
    SOURCE_FIELD("tool_version", OPTIONAL, tool_version),
    SOURCE_FIELD("command", OPTIONAL, command),
    SOURCE_FIELD("note", OPTIONAL, note),
};
const clump_row_form clump_store_source_form = {.table = "source", CLUMP_ROW_FIELDS(source_fields)};

clump_store_status clump_store_add_source(clump_store *store, const clump_store_source *source)
{
    const clump_store_status status = clump_store_check_new(store, "source", source->name);
    return status == CLUMP_STORE_OK
               ? clump_row_insert(store, &clump_store_source_form, "", NULL, source)
               : status;
}

/* ---- platforms */

/* Each branch with its own copies of the tables that are joined; see PLATFORM_COLUMNS for the letters. */
#define PLATFORM_COLUMNS                                                                           \
    "p.name, p.title, p.nodes, p.processors, p.nics, p.mapping, p.note, w.name, c.name, o.name"
#define PLATFORM_JOINED(schema)                                                                    \
    schema ".platform p LEFT JOIN " schema ".source o ON o.id = p.source_id LEFT JOIN " schema     \
           ".platform w ON w.id = p.part_of_id LEFT JOIN " schema                                  \
           ".platform c ON c.id = p.counterpart_id"
#define PLATFORM_DANGLING                                                                          \
    "CASE WHEN o.id IS NULL THEN 'a source' WHEN (p.part_of_id IS NOT NULL AND w.id IS NULL)"      \
    " OR (p.counterpart_id IS NOT NULL AND c.id IS NULL) THEN 'a platform' END"

#define PLATFORM_FIELD(column, type, member)                                                       \
    CLUMP_ROW_FIELD(clump_store_platform, column, type, member)
enum { NAMED_BY_PLATFORM = 3 };

/* What a platform refers to, last: the table has ids. */
static const clump_row_field platform_fields[] = {
    PLATFORM_FIELD("name", NAME, name),
    PLATFORM_FIELD("title", TEXT, title),
    PLATFORM_FIELD("nodes", WHOLE, nodes),
    PLATFORM_FIELD("processors", WHOLE, processors),
    PLATFORM_FIELD("nics", WHOLE, nics),
    PLATFORM_FIELD("mapping", OPTIONAL, mapping),
    PLATFORM_FIELD("note", OPTIONAL, note),
    PLATFORM_FIELD("part_of", OPTIONAL, part_of),
    PLATFORM_FIELD("counterpart", OPTIONAL, counterpart),
    PLATFORM_FIELD("source", NAME, source),
};

static bool is_mapping(const char *text)
{
    return text == NULL || strcmp(text, "pooled") == 0 || strcmp(text, "static") == 0;
}

static clump_store_status check_counts(clump_store *store, const clump_store_platform *platform)
{
    enum { MOST = 100000000 };
    if (platform->nodes >= 1 && platform->processors >= 1 && platform->nics >= 0 &&
        platform->nodes <= MOST && platform->processors <= MOST && platform->nics <= MOST)
        return CLUMP_STORE_OK;
    return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                            "platform '%.200s' has %lld nodes of %lld processors and %lld NICs, "
                            "expected 1 to %d (NICs: 0)",
                            platform->name, (long long)platform->nodes,
                            (long long)platform->processors, (long long)platform->nics, MOST);
}

static clump_store_status check_read_platform(clump_store *store, const void *record)
{
    const clump_store_platform *platform = record;
    if (!is_mapping(platform->mapping)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "the database says that platform '%.200s' has mapping '%.40s', "
                                "which is neither pooled nor static; restore it from a copy",
                                platform->name, platform->mapping);
    }
    return check_counts(store, platform);
}

clump_store_status clump_store_add_platform(clump_store *store,
                                            const clump_store_platform *platform)
{
    const clump_row_form own = {"platform", platform_fields,
                                sizeof platform_fields / sizeof *platform_fields -
                                    NAMED_BY_PLATFORM};
    const char *const tables[] = {"platform", "platform", "source"};
    const char *const names[] = {platform->part_of, platform->counterpart, platform->source};
    int64_t ids[NAMED_BY_PLATFORM];
    clump_store_status status = clump_store_check_new(store, "platform", platform->name);
    for (size_t i = 0; i < 2 && status == CLUMP_STORE_OK; i++)
        if (names[i] != NULL && strcmp(names[i], platform->name) == 0)
            status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                      "platform '%s' is said to be part or counterpart of itself",
                                      platform->name);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the source of a platform", platform->source);
    if (status == CLUMP_STORE_OK)
        status = check_counts(store, platform);
    for (size_t i = 0; i < NAMED_BY_PLATFORM && status == CLUMP_STORE_OK; i++)
        status = clump_store_adopt(store, tables[i], names[i], &ids[i]);
    return status == CLUMP_STORE_OK
               ? clump_row_insert(store, &own, "part_of_id, counterpart_id, source_id,", ids,
                                  platform)
               : status;
}

/* ---- applications */

#define APPLICATION_COLUMNS "a.name, a.title, a.style, a.note, o.name"
#define APPLICATION_JOINED(schema)                                                                 \
    schema ".application a LEFT JOIN " schema ".source o ON o.id = a.source_id"
#define APPLICATION_DANGLING "CASE WHEN o.id IS NULL THEN 'a source' END"

static const clump_row_field application_fields[] = {
    {"name", CLUMP_ROW_NAME, offsetof(clump_store_application, name)},
    {"title", CLUMP_ROW_TEXT, offsetof(clump_store_application, title)},
    {"style", CLUMP_ROW_OPTIONAL, offsetof(clump_store_application, style)},
    {"note", CLUMP_ROW_OPTIONAL, offsetof(clump_store_application, note)},
    {"source", CLUMP_ROW_NAME, offsetof(clump_store_application, source)},
};

static bool is_style(const char *text)
{
    return text == NULL || strcmp(text, "streaming") == 0 || strcmp(text, "blocking") == 0;
}

static clump_store_status check_read_application(clump_store *store, const void *record)
{
    const clump_store_application *application = record;
    return is_style(application->style)
               ? CLUMP_STORE_OK
               : clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "the database says that application '%.200s' has style '%.40s', "
                                  "which is neither streaming nor blocking; restore it from a copy",
                                  application->name, application->style);
}

clump_store_status clump_store_add_application(clump_store *store,
                                               const clump_store_application *application)
{
    const clump_row_form own = {"application", application_fields,
                                sizeof application_fields / sizeof *application_fields - 1};
    int64_t source = 0;
    clump_store_status status = clump_store_check_new(store, "application", application->name);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the source of an application", application->source);
    if (status == CLUMP_STORE_OK)
        status = clump_store_adopt(store, "source", application->source, &source);
    return status == CLUMP_STORE_OK
               ? clump_row_insert(store, &own, "source_id,", &source, application)
               : status;
}

/* ---- all of them */

#define TABLE(name, letter, columns, dangling, from, cached, reads, also)                          \
    {                                                                                              \
        .form = {#name, reads, sizeof(reads) / sizeof *(reads)},                                   \
        .kept = CLUMP_CACHED_FIND + cached, QUERIES(#name, letter, columns, dangling, from),       \
        .record_size = sizeof(clump_store_##name),                                                 \
        .reference = offsetof(clump_store_##name, reference), .check = also                        \
    }

static const record_table tables[] = {
    [CLUMP_STORE_PLATFORM] = TABLE(platform, "p", PLATFORM_COLUMNS, PLATFORM_DANGLING,
                                   PLATFORM_JOINED, 0, platform_fields, check_read_platform),
    [CLUMP_STORE_APPLICATION] =
        TABLE(application, "a", APPLICATION_COLUMNS, APPLICATION_DANGLING, APPLICATION_JOINED, 1,
              application_fields, check_read_application),
    [CLUMP_STORE_QUANTITY] = TABLE(quantity, "q", QUANTITY_COLUMNS, "NULL", QUANTITY_FROM, 2,
                                   quantity_fields, check_unit),
    [CLUMP_STORE_SOURCE] =
        TABLE(source, "o", CLUMP_SOURCE_COLUMNS, "NULL", SOURCE_FROM, 3, source_fields, NULL),
};

clump_store_status clump_store_each_record(clump_store *store, clump_store_kind kind,
                                           clump_store_record_fn *fn, void *context)
{
    const record_table *table = &tables[kind];
    sqlite3_stmt *statement = NULL;
    bool row = false;
    any_record record;
    clump_store_status status = clump_store_prepare(store, table->all, &statement);
    while (status == CLUMP_STORE_OK) {
        status = next(store, table, statement, &record, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        if (fn != NULL && fn(&record, context) != 0)
            status = CLUMP_STORE_STOPPED;
    }
    sqlite3_finalize(statement);
    return status;
}

void *clump_store_copy_record(clump_store_kind kind, const void *record)
{
    const record_table *table = &tables[kind];
    const size_t size = table->record_size + clump_row_texts(&table->form, record);
    char *block = malloc(size);
    if (block != NULL) {
        memcpy(block, record, table->record_size);
        clump_row_move_texts(&table->form, block, block + table->record_size);
    }
    return block;
}

static clump_store_status fail_unknown(clump_store *store, const char *table, const char *name)
{
    const clump_store_status status = clump_store_check_known(store, table, name);
    return status != CLUMP_STORE_OK
               ? status
               : clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "the database is damaged: %s '%s' is in it and cannot be "
                                  "read; restore it from a copy",
                                  table, name);
}

clump_store_status clump_store_find_record(clump_store *store, clump_store_kind kind,
                                           const char *name, void **record)
{
    const record_table *table = &tables[kind];
    sqlite3_stmt **const kept = &store->cached[table->kept];
    char what[60];
    bool row = false;
    any_record found;
    *record = NULL;
    store->work = 0;
    snprintf(what, sizeof what, "the name of %s %s", strchr("a", table->form.table[0]) ? "an" : "a",
             table->form.table);
    clump_store_status status = clump_store_check_name(store, what, name);
    if (status == CLUMP_STORE_OK && *kept == NULL)
        status = clump_store_prepare(store, table->one, kept);
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_bind(*kept, 1, name);
    status = next(store, table, *kept, &found, &row);
    if (status == CLUMP_STORE_OK && row) {
        *record = clump_store_copy_record(kind, &found);
        if (*record == NULL)
            status = clump_store_fail_memory(store);
    }
    sqlite3_reset(*kept);
    sqlite3_clear_bindings(*kept);
    return status == CLUMP_STORE_OK && !row ? fail_unknown(store, table->form.table, name) : status;
}

#define FIND(thing, kind)                                                                          \
    clump_store_status clump_store_find_##thing(clump_store *store, const char *name,              \
                                                clump_store_##thing **thing)                       \
    {                                                                                              \
        void *record;                                                                              \
        const clump_store_status status = clump_store_find_record(store, kind, name, &record);     \
        *thing = record;                                                                           \
        return status;                                                                             \
    }
FIND(platform, CLUMP_STORE_PLATFORM)
FIND(application, CLUMP_STORE_APPLICATION)
FIND(quantity, CLUMP_STORE_QUANTITY)
FIND(source, CLUMP_STORE_SOURCE)
