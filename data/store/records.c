/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of named records (platform, application, quantity, source): one description a table, and
 * what finds, lists and copies the records of any.
 */
#include "data/store/records.h"

#include "data/store/handle.h"
#include "data/units.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a column holds, and so what type the field of the record has. */
typedef enum field_type {
    FIELD_TEXT,     /* const char *, never NULL */
    FIELD_OPTIONAL, /* const char *, may be NULL */
    FIELD_COUNT,    /* int64_t */
    FIELD_TRUTH     /* bool */
} field_type;

typedef struct record_field {
    field_type type;
    size_t offset; /* in the record */
} record_field;

/* Stands for the clump_store_<thing>_fn of any table. */
typedef void any_fn(void);

typedef struct record_table {
    const char *name;           /* "platform" */
    clump_store_cached kept;    /* where `one` stays prepared */
    const char *key;            /* for messages: "the name of a platform" */
    const char *all;            /* RECORDS with ANY */
    const char *one;            /* the same with NAMED */
    const record_field *fields; /* one for each column of the query but the last */
    size_t field_count;
    size_t record_size;
    /* What else a record must fulfil; NULL: nothing. Leaves a message. */
    clump_store_status (*check)(clump_store *store, const void *record);
    /* Calls `fn`, which is the table's own type of function. */
    int (*call)(any_fn *fn, const void *record, void *context);
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

#define FIELDS(list) .fields = list, .field_count = sizeof(list) / sizeof *(list)

/* Both queries of a table. */
#define QUERIES(table, letter, columns, dangling, from)                                            \
    .all = RECORDS(table, letter, columns, dangling, from, ANY),                                   \
    .one = RECORDS(table, letter, columns, dangling, from, NAMED)

/* Fills the fields of a record from columns `first` and following; false if one of the texts is
 * not printable or missing. The texts last until the next step of the statement. */
static bool read_fields(sqlite3_stmt *statement, int first, const record_field *fields,
                        size_t count, void *record)
{
    bool bad = false;
    for (size_t i = 0; i < count; i++) {
        char *field = (char *)record + fields[i].offset;
        const int column = first + (int)i;
        switch (fields[i].type) {
        case FIELD_TEXT:
        case FIELD_OPTIONAL: {
            const char *text = clump_store_column(statement, column, &bad);
            bad = bad || (text == NULL && fields[i].type == FIELD_TEXT);
            memcpy(field, &text, sizeof text);
            break;
        }
        case FIELD_COUNT: {
            const int64_t number = sqlite3_column_int64(statement, column);
            memcpy(field, &number, sizeof number);
            break;
        }
        case FIELD_TRUTH: {
            const bool truth = sqlite3_column_int(statement, column) != 0;
            memcpy(field, &truth, sizeof truth);
            break;
        }
        }
    }
    return !bad;
}

/* One step: *row says whether `record` was filled. */
static clump_store_status next(clump_store *store, const record_table *table,
                               sqlite3_stmt *statement, any_record *record, bool *row)
{
    clump_store_status status = clump_store_step(store, statement, row);
    if (status != CLUMP_STORE_OK || !*row)
        return status;
    const char *target = (const char *)sqlite3_column_text(statement, (int)table->field_count);
    if (target != NULL) {
        bool bad = false;
        const char *name = clump_store_column(statement, 0, &bad);
        char what[CLUMP_STORE_NAME + 100];
        snprintf(what, sizeof what, "%s '%.200s'", table->name, bad ? "?" : name);
        return clump_store_fail_dangling(store, what, target);
    }
    if (!read_fields(statement, 0, table->fields, table->field_count, record))
        return clump_store_fail_text(store, table->name);
    return table->check != NULL ? table->check(store, record) : CLUMP_STORE_OK;
}

/* Calls `fn` for each record, in order of name. */
static clump_store_status each_record(clump_store *store, const record_table *table, any_fn *fn,
                                      void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    any_record record;
    clump_store_status status = clump_store_prepare(store, table->all, &statement);
    while (status == CLUMP_STORE_OK) {
        status = next(store, table, statement, &record, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        if (fn != NULL && table->call(fn, &record, context) != 0)
            status = CLUMP_STORE_STOPPED;
    }
    sqlite3_finalize(statement);
    return status;
}

/* The next text of a record, from field *at on; NULL after the last. */
static const char *next_text(const record_table *table, const void *record, size_t *at)
{
    for (; *at < table->field_count; ++*at) {
        const record_field *field = &table->fields[*at];
        if (field->type != FIELD_TEXT && field->type != FIELD_OPTIONAL)
            continue;
        const char *text = NULL;
        memcpy(&text, (const char *)record + field->offset, sizeof text);
        if (text != NULL)
            return text;
    }
    return NULL;
}

/* A copy of a record in one block on the heap; NULL: out of memory. */
static void *copy_record(const record_table *table, const void *record)
{
    size_t total = table->record_size;
    const char *text = NULL;
    for (size_t i = 0; (text = next_text(table, record, &i)) != NULL; i++)
        total += strlen(text) + 1;
    char *block = malloc(total);
    if (block == NULL)
        return NULL;
    memcpy(block, record, table->record_size);
    char *free_space = block + table->record_size;
    for (size_t i = 0; (text = next_text(table, record, &i)) != NULL; i++) {
        const size_t size = strlen(text) + 1;
        memcpy(free_space, text, size);
        memcpy(block + table->fields[i].offset, &free_space, sizeof free_space);
        free_space += size;
    }
    return block;
}

/* A copy of the record of that name, in one block on the heap, if the status is OK; else NULL. */
static void *find_record(clump_store *store, const record_table *table, const char *name,
                         clump_store_status *result)
{
    clump_store_status status = clump_store_check_name(store, table->key, name);
    sqlite3_stmt **const kept = &store->cached[table->kept];
    bool row = false;
    any_record found;
    void *copy = NULL;
    store->work = 0;
    if (status == CLUMP_STORE_OK && *kept == NULL)
        status = clump_store_prepare(store, table->one, kept);
    sqlite3_stmt *const statement = *kept;
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = next(store, table, statement, &found, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        copy = copy_record(table, &found);
        if (copy == NULL)
            status = clump_store_fail_memory(store);
    }
    if (statement != NULL) {
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
    }
    if (status == CLUMP_STORE_OK && !row) {
        status = clump_store_check_known(store, table->name, name);
        if (status == CLUMP_STORE_OK) {
            status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                      "the database is damaged: %s '%s' is in it and cannot be "
                                      "read; restore it from a copy",
                                      table->name, name);
        }
    }
    *result = status;
    return copy;
}

/* ---- quantities */

#define QUANTITY_COLUMNS "q.name, q.unit, q.meaning, q.may_be_negative"
#define QUANTITY_FROM(schema) schema ".quantity q"
#define QUANTITY_DANGLING "NULL"

static const record_field quantity_fields[] = {
    {FIELD_TEXT, offsetof(clump_store_quantity, name)},
    {FIELD_TEXT, offsetof(clump_store_quantity, unit)},
    {FIELD_TEXT, offsetof(clump_store_quantity, meaning)},
    {FIELD_TRUTH, offsetof(clump_store_quantity, may_be_negative)},
    {FIELD_TRUTH, offsetof(clump_store_quantity, reference)},
};

static int call_quantity(any_fn *fn, const void *record, void *context)
{
    return ((clump_store_quantity_fn *)fn)(record, context);
}

static const record_table quantity_table = {
    .name = "quantity",
    .kept = CLUMP_CACHED_FIND + 2,
    .key = "the name of a quantity",
    QUERIES("quantity", "q", QUANTITY_COLUMNS, QUANTITY_DANGLING, QUANTITY_FROM),
    FIELDS(quantity_fields),
    .record_size = sizeof(clump_store_quantity),
    .call = call_quantity,
};

clump_store_status clump_store_each_quantity(clump_store *store, clump_store_quantity_fn *fn,
                                             void *context)
{
    return each_record(store, &quantity_table, (any_fn *)fn, context);
}

clump_store_status clump_store_find_quantity(clump_store *store, const char *name,
                                             clump_store_quantity **quantity)
{
    clump_store_status status;
    *quantity = find_record(store, &quantity_table, name, &status);
    return status;
}

clump_store_quantity *clump_store_copy_quantity(const clump_store_quantity *quantity)
{
    return copy_record(&quantity_table, quantity);
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

static clump_store_status check_quantity(clump_store *store, const clump_store_quantity *quantity)
{
    clump_store_status status = clump_store_check_new(store, "quantity", quantity->name);
    if (status == CLUMP_STORE_OK) {
        status =
            clump_store_check_text(store, "the meaning of a quantity", quantity->meaning, false);
    }
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the unit of a quantity", quantity->unit, false);
    if (status == CLUMP_STORE_OK && !clump_unit_is_canonical(quantity->unit)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "quantity '%s' cannot be kept in '%s'; expected us, s, us/B, B, "
                                "B/us, count, 1/us, MHz, cycles, ratio or ns/day",
                                quantity->name, quantity->unit);
    }
    return status == CLUMP_STORE_OK ? check_reference_unit(store, quantity) : status;
}

clump_store_status clump_store_add_quantity(clump_store *store,
                                            const clump_store_quantity *quantity)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check_quantity(store, quantity);
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.quantity (name, unit, meaning,"
                                     " may_be_negative) VALUES (?1, ?2, ?3, ?4)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_bind(statement, 1, quantity->name);
    clump_store_bind(statement, 2, quantity->unit);
    clump_store_bind(statement, 3, quantity->meaning);
    sqlite3_bind_int(statement, 4, quantity->may_be_negative ? 1 : 0);
    return clump_store_run(store, statement, "add a quantity");
}

/* ---- sources */

#define SOURCE_FROM(schema) schema ".source o"
#define SOURCE_DANGLING "NULL"

static const record_field source_fields[] = {
    {FIELD_TEXT, offsetof(clump_store_source, name)},
    {FIELD_TEXT, offsetof(clump_store_source, kind)},
    {FIELD_TEXT, offsetof(clump_store_source, title)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, table_label)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, section)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, page)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, file)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, sha256)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, tool)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, tool_version)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, command)},
    {FIELD_OPTIONAL, offsetof(clump_store_source, note)},
    {FIELD_TRUTH, offsetof(clump_store_source, reference)},
};

void clump_store_read_source(sqlite3_stmt *statement, int first, clump_store_source *source,
                             bool *bad)
{
    _Static_assert(sizeof source_fields / sizeof *source_fields == CLUMP_SOURCE_FIELDS + 1,
                   "and reference");
    *bad = !read_fields(statement, first, source_fields, CLUMP_SOURCE_FIELDS, source) || *bad;
}

static int call_source(any_fn *fn, const void *record, void *context)
{
    return ((clump_store_source_fn *)fn)(record, context);
}

static const record_table source_table = {
    .name = "source",
    .kept = CLUMP_CACHED_FIND + 3,
    .key = "the name of a source",
    QUERIES("source", "o", CLUMP_SOURCE_COLUMNS, SOURCE_DANGLING, SOURCE_FROM),
    FIELDS(source_fields),
    .record_size = sizeof(clump_store_source),
    .call = call_source,
};

clump_store_status clump_store_each_source(clump_store *store, clump_store_source_fn *fn,
                                           void *context)
{
    return each_record(store, &source_table, (any_fn *)fn, context);
}

clump_store_status clump_store_find_source(clump_store *store, const char *name,
                                           clump_store_source **source)
{
    clump_store_status status;
    *source = find_record(store, &source_table, name, &status);
    return status;
}

clump_store_source *clump_store_copy_source(const clump_store_source *source)
{
    return copy_record(&source_table, source);
}

static clump_store_status check_source(clump_store *store, const clump_store_source *source)
{
    clump_store_status status = clump_store_check_new(store, "source", source->name);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the title of a source", source->title, false);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_text(store, "the kind of a source", source->kind, false);
    const char *const optional[] = {source->table_label,  source->section, source->page,
                                    source->file,         source->sha256,  source->tool,
                                    source->tool_version, source->command, source->note};
    for (size_t i = 0; i < sizeof optional / sizeof *optional && status == CLUMP_STORE_OK; i++)
        status = clump_store_check_text(store, "a field of a source", optional[i], true);
    if (status != CLUMP_STORE_OK)
        return status;
    static const char *const kinds[] = {"document", "log", "calibration", "inline"};
    size_t kind = 0;
    while (kind < 4 && strcmp(kinds[kind], source->kind) != 0)
        kind++;
    if (kind == 4) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "source '%s' has kind '%s'; expected document, log, calibration "
                                "or inline",
                                source->name, source->kind);
    }
    if (kind == 1 && (source->file == NULL || source->sha256 == NULL)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "source '%s' is a log: it needs the file and its sha256",
                                source->name);
    }
    if (source->sha256 != NULL &&
        (strlen(source->sha256) != 64 || strspn(source->sha256, "0123456789abcdef") != 64)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "source '%s': sha256 is not 64 lower-case hex digits",
                                source->name);
    }
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_add_source(clump_store *store, const clump_store_source *source)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check_source(store, source);
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.source (name, kind, title, table_label,"
                                     " section, page, file, sha256, tool, tool_version, command,"
                                     " note) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
                                     " ?12)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    for (int i = 0; i < CLUMP_SOURCE_FIELDS; i++) {
        const char *text = NULL;
        memcpy(&text, (const char *)source + source_fields[i].offset, sizeof text);
        clump_store_bind(statement, i + 1, text);
    }
    return clump_store_run(store, statement, "add a source");
}

/* ---- platforms */

/* Each branch with its own copies of the tables that are joined; see PLATFORM_COLUMNS for the letters. */
#define PLATFORM_COLUMNS                                                                           \
    "p.name, p.title, p.mapping, w.name, c.name, o.name, p.note, p.nodes, p.processors, p.nics"
#define PLATFORM_JOINED(schema)                                                                    \
    schema ".platform p LEFT JOIN " schema ".source o ON o.id = p.source_id LEFT JOIN " schema     \
           ".platform w ON w.id = p.part_of_id LEFT JOIN " schema                                  \
           ".platform c ON c.id = p.counterpart_id"
#define PLATFORM_DANGLING                                                                          \
    "CASE WHEN o.id IS NULL THEN 'a source' WHEN (p.part_of_id IS NOT NULL AND w.id IS NULL)"      \
    " OR (p.counterpart_id IS NOT NULL AND c.id IS NULL) THEN 'a platform' END"

static const record_field platform_fields[] = {
    {FIELD_TEXT, offsetof(clump_store_platform, name)},
    {FIELD_TEXT, offsetof(clump_store_platform, title)},
    {FIELD_OPTIONAL, offsetof(clump_store_platform, mapping)},
    {FIELD_OPTIONAL, offsetof(clump_store_platform, part_of)},
    {FIELD_OPTIONAL, offsetof(clump_store_platform, counterpart)},
    {FIELD_TEXT, offsetof(clump_store_platform, source)},
    {FIELD_OPTIONAL, offsetof(clump_store_platform, note)},
    {FIELD_COUNT, offsetof(clump_store_platform, nodes)},
    {FIELD_COUNT, offsetof(clump_store_platform, processors)},
    {FIELD_COUNT, offsetof(clump_store_platform, nics)},
    {FIELD_TRUTH, offsetof(clump_store_platform, reference)},
};

static bool is_mapping(const char *text)
{
    return text == NULL || strcmp(text, "pooled") == 0 || strcmp(text, "static") == 0;
}

static clump_store_status check_read_platform(clump_store *store, const void *record)
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

static int call_platform(any_fn *fn, const void *record, void *context)
{
    return ((clump_store_platform_fn *)fn)(record, context);
}

static const record_table platform_table = {
    .name = "platform",
    .kept = CLUMP_CACHED_FIND,
    .key = "the name of a platform",
    QUERIES("platform", "p", PLATFORM_COLUMNS, PLATFORM_DANGLING, PLATFORM_JOINED),
    FIELDS(platform_fields),
    .record_size = sizeof(clump_store_platform),
    .check = check_read_platform,
    .call = call_platform,
};

clump_store_status clump_store_each_platform(clump_store *store, clump_store_platform_fn *fn,
                                             void *context)
{
    return each_record(store, &platform_table, (any_fn *)fn, context);
}

clump_store_status clump_store_find_platform(clump_store *store, const char *name,
                                             clump_store_platform **platform)
{
    clump_store_status status;
    *platform = find_record(store, &platform_table, name, &status);
    return status;
}

clump_store_platform *clump_store_copy_platform(const clump_store_platform *platform)
{
    return copy_record(&platform_table, platform);
}

static clump_store_status check_platform(clump_store *store, const clump_store_platform *platform)
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

clump_store_status clump_store_add_platform(clump_store *store,
                                            const clump_store_platform *platform)
{
    int64_t part_of = 0;
    int64_t counterpart = 0;
    int64_t source = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check_platform(store, platform);
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
    clump_store_bind_id(statement, 7, part_of);
    clump_store_bind_id(statement, 8, counterpart);
    clump_store_bind_id(statement, 9, source);
    clump_store_bind(statement, 10, platform->note);
    return clump_store_run(store, statement, "add a platform");
}

/* ---- applications */

#define APPLICATION_COLUMNS "a.name, a.title, a.style, o.name, a.note"
#define APPLICATION_JOINED(schema)                                                                 \
    schema ".application a LEFT JOIN " schema ".source o ON o.id = a.source_id"
#define APPLICATION_DANGLING "CASE WHEN o.id IS NULL THEN 'a source' END"

static const record_field application_fields[] = {
    {FIELD_TEXT, offsetof(clump_store_application, name)},
    {FIELD_TEXT, offsetof(clump_store_application, title)},
    {FIELD_OPTIONAL, offsetof(clump_store_application, style)},
    {FIELD_TEXT, offsetof(clump_store_application, source)},
    {FIELD_OPTIONAL, offsetof(clump_store_application, note)},
    {FIELD_TRUTH, offsetof(clump_store_application, reference)},
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

static int call_application(any_fn *fn, const void *record, void *context)
{
    return ((clump_store_application_fn *)fn)(record, context);
}

static const record_table application_table = {
    .name = "application",
    .kept = CLUMP_CACHED_FIND + 1,
    .key = "the name of an application",
    QUERIES("application", "a", APPLICATION_COLUMNS, APPLICATION_DANGLING, APPLICATION_JOINED),
    FIELDS(application_fields),
    .record_size = sizeof(clump_store_application),
    .check = check_read_application,
    .call = call_application,
};

clump_store_status clump_store_each_application(clump_store *store, clump_store_application_fn *fn,
                                                void *context)
{
    return each_record(store, &application_table, (any_fn *)fn, context);
}

clump_store_status clump_store_find_application(clump_store *store, const char *name,
                                                clump_store_application **application)
{
    clump_store_status status;
    *application = find_record(store, &application_table, name, &status);
    return status;
}

clump_store_application *clump_store_copy_application(const clump_store_application *application)
{
    return copy_record(&application_table, application);
}

static clump_store_status check_application(clump_store *store,
                                            const clump_store_application *application)
{
    clump_store_status status = clump_store_check_new(store, "application", application->name);
    if (status == CLUMP_STORE_OK) {
        status =
            clump_store_check_text(store, "the title of an application", application->title, false);
    }
    if (status == CLUMP_STORE_OK) {
        status =
            clump_store_check_text(store, "the note of an application", application->note, true);
    }
    if (status == CLUMP_STORE_OK && !is_style(application->style)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "application '%s' has a style that is neither streaming nor "
                                "blocking",
                                application->name);
    }
    return status == CLUMP_STORE_OK
               ? clump_store_check_name(store, "the source of an application", application->source)
               : status;
}

clump_store_status clump_store_add_application(clump_store *store,
                                               const clump_store_application *application)
{
    int64_t source = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = check_application(store, application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_adopt(store, "source", application->source, &source);
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK) {
        status = clump_store_prepare(store,
                                     "INSERT INTO main.application (name, title, style, source_id,"
                                     " note) VALUES (?1, ?2, ?3, ?4, ?5)",
                                     &statement);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_bind(statement, 1, application->name);
    clump_store_bind(statement, 2, application->title);
    clump_store_bind(statement, 3, application->style);
    sqlite3_bind_int64(statement, 4, source);
    clump_store_bind(statement, 5, application->note);
    return clump_store_run(store, statement, "add an application");
}
