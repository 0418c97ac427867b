/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data/data_records.h"

#include "cli/output/escape.h"
#include "cli/output/paragraph.h"
#include "data/store/frozen.h"
#include "data/store/recorded_run.h"

#include <stdio.h>
#include <stdlib.h>

const char *const record_kind_names[] = {"platform", "application", "quantity",
                                         "source",   "recording",   "frozen"};
const char *const record_kind_plurals[] = {"platforms", "applications", "quantities",
                                           "sources",   "recordings",   "frozen"};

/* ---- reading */

static const clump_store_kind stored_as[] = {CLUMP_STORE_PLATFORM, CLUMP_STORE_APPLICATION,
                                             CLUMP_STORE_QUANTITY, CLUMP_STORE_SOURCE};

/* Keeps a copy of what the store lends. Returns 0 to go on. */
static int add(const void *record, void *context)
{
    record_list *records = context;
    if ((records->count & (records->count - 1)) == 0) { /* room for twice as many */
        void **items = realloc(records->items, (2 * records->count + 1) * sizeof *items);
        if (items == NULL)
            return 1;
        records->items = items;
    }
    void *copy = clump_store_copy_record(stored_as[records->kind], record);
    if (copy != NULL)
        records->items[records->count++] = copy;
    return copy == NULL;
}

/* Recordings or frozen predictions: rows in the arena. */
static clump_store_status read_rows(clump_store *store, record_list *records)
{
    clump_recorded_run *runs = NULL;
    clump_store_frozen *frozen = NULL;
    size_t count = 0;
    records->arena = clump_arena_new();
    if (records->arena == NULL)
        return CLUMP_STORE_STOPPED;
    const clump_store_status status =
        records->kind == RECORD_FROZEN
            ? clump_store_read_frozen(store, records->arena, &frozen, &count)
            : clump_store_read_runs(store, records->arena, &runs, &count);
    records->items = malloc((count + 1) * sizeof *records->items);
    if (records->items == NULL)
        return CLUMP_STORE_STOPPED;
    for (; status == CLUMP_STORE_OK && records->count < count; records->count++)
        records->items[records->count] = records->kind == RECORD_FROZEN
                                             ? (void *)&frozen[records->count]
                                             : (void *)&runs[records->count];
    return status;
}

clump_store_status records_read(clump_store *store, record_kind kind, record_list *records)
{
    *records = (record_list){.kind = kind};
    return kind < RECORD_KIND_COUNT ? clump_store_each_record(store, stored_as[kind], add, records)
                                    : read_rows(store, records);
}

clump_store_status records_find(clump_store *store, record_kind kind, const char *name,
                                record_list *records)
{
    *records = (record_list){.kind = kind};
    records->items = calloc(1, sizeof *records->items);
    if (records->items == NULL)
        return CLUMP_STORE_STOPPED;
    const clump_store_status status =
        clump_store_find_record(store, stored_as[kind], name, &records->items[0]);
    records->count = status == CLUMP_STORE_OK;
    return status;
}

void records_free(record_list *records)
{
    for (size_t i = 0; i < records->count && records->arena == NULL; i++)
        clump_store_free(records->items[i]);
    free(records->items);
    clump_arena_free(records->arena);
    *records = (record_list){.kind = records->kind};
}

/* ---- rows */

#define PLATFORM(member) FIELD(clump_store_platform, member)
#define APPLICATION(member) FIELD(clump_store_application, member)
#define QUANTITY(member) FIELD(clump_store_quantity, member)
#define SOURCE(member) FIELD(clump_store_source, member)

static const table_column platform_columns[] = {
    {"name", "Platform", PLATFORM(name)},
    {"nodes", "Nodes", PLATFORM(nodes)},
    {"processors", "Processors", PLATFORM(processors)},
    {"nics", "NICs", PLATFORM(nics)},
    {"mapping", "Mapping", PLATFORM(mapping)},
    {"part_of", "Part of", PLATFORM(part_of), .layout = COLUMN_DETAIL},
    {"counterpart", "Compare with", PLATFORM(counterpart), .layout = COLUMN_DETAIL},
    {"title", "Title", PLATFORM(title), .layout = COLUMN_PROSE},
    {"source", "Source", PLATFORM(source), .layout = COLUMN_DETAIL},
    {"note", "Note", PLATFORM(note), .layout = COLUMN_DETAIL},
    {"reference", "Reference data", PLATFORM(reference), .folding = FOLD_ROWS},
};

static const table_column application_columns[] = {
    {"name", "Application", APPLICATION(name)},
    {"style", "Style", APPLICATION(style)},
    {"title", "Title", APPLICATION(title), .layout = COLUMN_PROSE},
    {"source", "Source", APPLICATION(source), .layout = COLUMN_DETAIL},
    {"note", "Note", APPLICATION(note), .layout = COLUMN_DETAIL},
    {"reference", "Reference data", APPLICATION(reference), .folding = FOLD_ROWS},
};

static const table_column quantity_columns[] = {
    {"name", "Quantity", QUANTITY(name)},
    {"unit", "Unit", QUANTITY(unit)},
    {"meaning", "Meaning", QUANTITY(meaning), .layout = COLUMN_PROSE},
    {"may_be_negative", "May be negative", QUANTITY(may_be_negative), .folding = FOLD_ROWS},
    {"reference", "Reference data", QUANTITY(reference), .folding = FOLD_ROWS},
};

static const table_column source_columns[] = {
    {"name", "Source", SOURCE(name)},
    {"kind", "Kind", SOURCE(kind), .folding = FOLD_ROWS},
    {"title", "Title", SOURCE(title), .folding = FOLD_ROWS, .layout = COLUMN_PROSE},
    {"table", "Table", SOURCE(table_label)},
    {"section", "Section", SOURCE(section)},
    {"page", "Page", SOURCE(page)},
    {"file", "File", SOURCE(file)},
    {"sha256", "SHA-256", SOURCE(sha256), .layout = COLUMN_DETAIL},
    {"tool", "Tool", SOURCE(tool), .layout = COLUMN_DETAIL},
    {"tool_version", "Tool version", SOURCE(tool_version), .layout = COLUMN_DETAIL},
    {"command", "Command", SOURCE(command), .layout = COLUMN_DETAIL},
    {"note", "Note", SOURCE(note), .layout = COLUMN_DETAIL},
    {"reference", "Reference data", SOURCE(reference), .folding = FOLD_ROWS},
};

#define RECORDING(member) FIELD(clump_recorded_run, member)

static const table_column recording_columns[] = {
    {"application", "Application", RECORDING(application)},
    {"origin", "From", RECORDING(origin)},
    {"program", "Program", RECORDING(program)},
    {"started", "Started", RECORDING(started)},
    {"ranks", "Ranks", RECORDING(ranks)},
    {"nodes", "Nodes", RECORDING(nodes)},
    {"wall_s", "Wall time s", RECORDING(wall)},
};

#define FROZEN(member) FIELD(clump_store_frozen, member)

static const table_column frozen_columns[] = {
    {"name", "Frozen predictions", FROZEN(name)},
    {"made", "Made", FROZEN(made)},
    {"count", "Predictions", FROZEN(count)},
    {"program", "Program", FROZEN(program)},
    {"rules", "Rules", FROZEN(rules)},
    {"level", NULL, FROZEN(level)},
    {"note", "Note", FROZEN(note), .layout = COLUMN_PROSE},
};

table_rows record_rows(const record_list *records)
{
    static const table_rows kinds[RECORD_LISTS] = {
        [RECORD_PLATFORM] = {COLUMNS(platform_columns)},
        [RECORD_APPLICATION] = {COLUMNS(application_columns)},
        [RECORD_QUANTITY] = {COLUMNS(quantity_columns)},
        [RECORD_SOURCE] = {COLUMNS(source_columns)},
        [RECORD_RECORDING] = {COLUMNS(recording_columns)},
        [RECORD_FROZEN] = {COLUMNS(frozen_columns)},
    };
    table_rows rows = kinds[records->kind];
    rows.key = record_kind_plurals[records->kind];
    rows.records = records->items;
    rows.row_count = records->count;
    return rows;
}

record_head record_head_of(record_kind kind, const void *record)
{
    const clump_store_platform *p = record;
    const clump_store_application *a = record;
    const clump_store_quantity *q = record;
    const clump_store_source *s = record;
    const char *name = record_kind_names[kind];
    return kind == RECORD_PLATFORM      ? (record_head){name, p->name, p->title, p->reference}
           : kind == RECORD_APPLICATION ? (record_head){name, a->name, a->title, a->reference}
           : kind == RECORD_QUANTITY    ? (record_head){name, q->name, q->meaning, q->reference}
                                        : (record_head){name, s->name, s->title, s->reference};
}

void records_suggest(clump_store *store, record_kind kind, bool own, clump_suggestion *suggestion)
{
    record_list all;
    records_read(store, kind, &all);
    for (size_t i = 0; i < all.count; i++) {
        const record_head head = record_head_of(kind, all.items[i]);
        if (!own || !head.reference)
            clump_suggest_offer(suggestion, head.name);
    }
    records_free(&all);
}

enum { RECORD_COLUMN = 16 };

void record_print(const table_rows *rows, size_t row)
{
    for (size_t c = 0; c < rows->column_count; c++) {
        char text[SHOWN_SIZE];
        table_cell cell = {0};
        cell_read(rows, row, c, &cell);
        if (cell.kind == CELL_NONE || rows->columns[c].heading == NULL)
            continue;
        char *escaped = escape_copy(cell_show(&cell, rows->columns[c].notation, text));
        const int column = printf("%-*s", RECORD_COLUMN, rows->columns[c].heading);
        paragraph_print(escaped != NULL ? escaped : "", column, RECORD_COLUMN, paragraph_width());
        free(escaped);
    }
}
