/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_records.h"
#include "cli/output/escape.h"

#include <stdio.h>
#include <string.h>

#define ROWS FOLD_ROWS

static const table_column platform_columns[] = {
    {"name", "Platform", 0, 0, COLUMN_LEFT},
    {"nodes", "Nodes", 0, 0, COLUMN_RIGHT},
    {"processors", "Processors", 0, 0, COLUMN_RIGHT},
    {"nics", "NICs", 0, 0, COLUMN_RIGHT},
    {"mapping", "Mapping", 0, 0, COLUMN_LEFT},
    {"part_of", "Part of", 0, 0, COLUMN_DETAIL},
    {"counterpart", "Compare with", 0, 0, COLUMN_DETAIL},
    {"title", "Title", 0, 0, COLUMN_PROSE},
    {"source", "Source", 0, ROWS, COLUMN_DETAIL},
    {"note", "Note", 0, 0, COLUMN_DETAIL},
    {"reference", "Reference data", 0, ROWS, COLUMN_LEFT},
};

static void platform_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_store_platform *p = ((const record_list *)context)->items[row];
    const char *const texts[] = {p->name,    NULL,           NULL,     NULL,      p->mapping,
                                 p->part_of, p->counterpart, p->title, p->source, p->note};
    const int64_t numbers[] = {0, p->nodes, p->processors, p->nics};
    if (column == sizeof texts / sizeof *texts)
        cell_truth(cell, p->reference);
    else if (column >= 1 && column <= 3)
        cell_whole(cell, numbers[column]);
    else
        cell_text(cell, texts[column]);
}

static const table_column application_columns[] = {
    {"name", "Application", 0, 0, COLUMN_LEFT},
    {"style", "Style", 0, 0, COLUMN_LEFT},
    {"title", "Title", 0, 0, COLUMN_PROSE},
    {"source", "Source", 0, ROWS, COLUMN_DETAIL},
    {"note", "Note", 0, 0, COLUMN_DETAIL},
    {"reference", "Reference data", 0, ROWS, COLUMN_LEFT},
};

static void application_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_store_application *a = ((const record_list *)context)->items[row];
    const char *const texts[] = {a->name, a->style, a->title, a->source, a->note};
    if (column == sizeof texts / sizeof *texts)
        cell_truth(cell, a->reference);
    else
        cell_text(cell, texts[column]);
}

static const table_column quantity_columns[] = {
    {"name", "Quantity", 0, 0, COLUMN_LEFT},
    {"unit", "Unit", 0, 0, COLUMN_LEFT},
    {"meaning", "Meaning", 0, 0, COLUMN_PROSE},
    {"may_be_negative", "May be negative", 0, ROWS, COLUMN_LEFT},
    {"reference", "Reference data", 0, ROWS, COLUMN_LEFT},
};

static void quantity_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_store_quantity *q = ((const record_list *)context)->items[row];
    const char *const texts[] = {q->name, q->unit, q->meaning};
    if (column >= sizeof texts / sizeof *texts)
        cell_truth(cell, column == 3 ? q->may_be_negative : q->reference);
    else
        cell_text(cell, texts[column]);
}

static const table_column source_columns[] = {
    {"name", "Source", 0, 0, COLUMN_LEFT},
    {"kind", "Kind", 0, ROWS, COLUMN_LEFT},
    {"title", "Title", 0, ROWS, COLUMN_PROSE},
    {"table", "Table", 0, 0, COLUMN_LEFT},
    {"section", "Section", 0, 0, COLUMN_LEFT},
    {"page", "Page", 0, 0, COLUMN_LEFT},
    {"file", "File", 0, 0, COLUMN_LEFT},
    {"sha256", "SHA-256", 0, 0, COLUMN_DETAIL},
    {"tool", "Tool", 0, 0, COLUMN_DETAIL},
    {"tool_version", "Tool version", 0, 0, COLUMN_DETAIL},
    {"command", "Command", 0, 0, COLUMN_DETAIL},
    {"note", "Note", 0, 0, COLUMN_DETAIL},
    {"reference", "Reference data", 0, ROWS, COLUMN_LEFT},
};

static void source_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_store_source *s = ((const record_list *)context)->items[row];
    const char *const texts[] = {s->name,    s->kind,         s->title,   s->table_label,
                                 s->section, s->page,         s->file,    s->sha256,
                                 s->tool,    s->tool_version, s->command, s->note};
    if (column == sizeof texts / sizeof *texts)
        cell_truth(cell, s->reference);
    else
        cell_text(cell, texts[column]);
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

table_rows record_rows(const record_list *records)
{
    static const struct {
        const table_column *columns;
        size_t count;
        void (*cell)(const void *, size_t, size_t, table_cell *);
    } kinds[RECORD_KIND_COUNT] = {
        [RECORD_PLATFORM] = {platform_columns, LENGTH(platform_columns), platform_cell},
        [RECORD_APPLICATION] = {application_columns, LENGTH(application_columns), application_cell},
        [RECORD_QUANTITY] = {quantity_columns, LENGTH(quantity_columns), quantity_cell},
        [RECORD_SOURCE] = {source_columns, LENGTH(source_columns), source_cell},
    };
    return (table_rows){.key = record_kind_plurals[records->kind],
                        .columns = kinds[records->kind].columns,
                        .column_count = kinds[records->kind].count,
                        .row_count = records->count,
                        .cell = kinds[records->kind].cell,
                        .context = records};
}

void record_print(const table_rows *rows, size_t row)
{
    for (size_t c = 0; c < rows->column_count; c++) {
        char text[SHOWN_SIZE];
        table_cell cell = {0};
        cell_read(rows, row, c, &cell);
        if (cell.kind == CELL_NONE || rows->columns[c].heading == NULL)
            continue;
        printf("%-16s", rows->columns[c].heading);
        escape_print(cell_show(&cell, rows->columns[c].notation, text), stdout);
        putchar('\n');
    }
}
