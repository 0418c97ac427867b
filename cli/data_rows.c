/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_records.h"
#include "cli/escape.h"

#include <stdio.h>
#include <string.h>

#define ROWS CLUMP_CLI_FOLD_ROWS

static const clump_cli_column platform_columns[] = {
    {"name", "Platform", 0, 0, CLUMP_CLI_LEFT},
    {"nodes", "Nodes", 0, 0, CLUMP_CLI_RIGHT},
    {"processors", "Processors", 0, 0, CLUMP_CLI_RIGHT},
    {"nics", "NICs", 0, 0, CLUMP_CLI_RIGHT},
    {"mapping", "Mapping", 0, 0, CLUMP_CLI_LEFT},
    {"part_of", "Part of", 0, 0, CLUMP_CLI_DETAIL},
    {"counterpart", "Compare with", 0, 0, CLUMP_CLI_DETAIL},
    {"title", "Title", 0, 0, CLUMP_CLI_PROSE},
    {"source", "Source", 0, ROWS, CLUMP_CLI_DETAIL},
    {"note", "Note", 0, 0, CLUMP_CLI_DETAIL},
    {"reference", "Reference data", 0, ROWS, CLUMP_CLI_LEFT},
};

static void platform_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_store_platform *p = ((const clump_cli_records *)context)->items[row];
    const char *const texts[] = {p->name,    NULL,           NULL,     NULL,      p->mapping,
                                 p->part_of, p->counterpart, p->title, p->source, p->note};
    const int64_t numbers[] = {0, p->nodes, p->processors, p->nics};
    if (column == sizeof texts / sizeof *texts)
        clump_cli_cell_truth(cell, p->reference);
    else if (column >= 1 && column <= 3)
        clump_cli_cell_whole(cell, numbers[column]);
    else
        clump_cli_cell_text(cell, texts[column]);
}

static const clump_cli_column application_columns[] = {
    {"name", "Application", 0, 0, CLUMP_CLI_LEFT},
    {"style", "Style", 0, 0, CLUMP_CLI_LEFT},
    {"title", "Title", 0, 0, CLUMP_CLI_PROSE},
    {"source", "Source", 0, ROWS, CLUMP_CLI_DETAIL},
    {"note", "Note", 0, 0, CLUMP_CLI_DETAIL},
    {"reference", "Reference data", 0, ROWS, CLUMP_CLI_LEFT},
};

static void application_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_store_application *a = ((const clump_cli_records *)context)->items[row];
    const char *const texts[] = {a->name, a->style, a->title, a->source, a->note};
    if (column == sizeof texts / sizeof *texts)
        clump_cli_cell_truth(cell, a->reference);
    else
        clump_cli_cell_text(cell, texts[column]);
}

static const clump_cli_column quantity_columns[] = {
    {"name", "Quantity", 0, 0, CLUMP_CLI_LEFT},
    {"unit", "Unit", 0, 0, CLUMP_CLI_LEFT},
    {"meaning", "Meaning", 0, 0, CLUMP_CLI_PROSE},
    {"may_be_negative", "May be negative", 0, ROWS, CLUMP_CLI_LEFT},
    {"reference", "Reference data", 0, ROWS, CLUMP_CLI_LEFT},
};

static void quantity_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_store_quantity *q = ((const clump_cli_records *)context)->items[row];
    const char *const texts[] = {q->name, q->unit, q->meaning};
    if (column >= sizeof texts / sizeof *texts)
        clump_cli_cell_truth(cell, column == 3 ? q->may_be_negative : q->reference);
    else
        clump_cli_cell_text(cell, texts[column]);
}

static const clump_cli_column source_columns[] = {
    {"name", "Source", 0, 0, CLUMP_CLI_LEFT},
    {"kind", "Kind", 0, ROWS, CLUMP_CLI_LEFT},
    {"title", "Title", 0, ROWS, CLUMP_CLI_PROSE},
    {"table", "Table", 0, 0, CLUMP_CLI_LEFT},
    {"section", "Section", 0, 0, CLUMP_CLI_LEFT},
    {"page", "Page", 0, 0, CLUMP_CLI_LEFT},
    {"file", "File", 0, 0, CLUMP_CLI_LEFT},
    {"sha256", "SHA-256", 0, 0, CLUMP_CLI_DETAIL},
    {"tool", "Tool", 0, 0, CLUMP_CLI_DETAIL},
    {"tool_version", "Tool version", 0, 0, CLUMP_CLI_DETAIL},
    {"command", "Command", 0, 0, CLUMP_CLI_DETAIL},
    {"note", "Note", 0, 0, CLUMP_CLI_DETAIL},
    {"reference", "Reference data", 0, ROWS, CLUMP_CLI_LEFT},
};

static void source_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_store_source *s = ((const clump_cli_records *)context)->items[row];
    const char *const texts[] = {s->name,    s->kind,         s->title,   s->table_label,
                                 s->section, s->page,         s->file,    s->sha256,
                                 s->tool,    s->tool_version, s->command, s->note};
    if (column == sizeof texts / sizeof *texts)
        clump_cli_cell_truth(cell, s->reference);
    else
        clump_cli_cell_text(cell, texts[column]);
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

clump_cli_rows clump_cli_record_rows(const clump_cli_records *records)
{
    static const struct {
        const clump_cli_column *columns;
        size_t count;
        void (*cell)(const void *, size_t, size_t, clump_cli_cell *);
    } kinds[CLUMP_CLI_KIND_COUNT] = {
        [CLUMP_CLI_PLATFORM] = {platform_columns, LENGTH(platform_columns), platform_cell},
        [CLUMP_CLI_APPLICATION] = {application_columns, LENGTH(application_columns),
                                   application_cell},
        [CLUMP_CLI_QUANTITY] = {quantity_columns, LENGTH(quantity_columns), quantity_cell},
        [CLUMP_CLI_SOURCE] = {source_columns, LENGTH(source_columns), source_cell},
    };
    return (clump_cli_rows){.key = clump_cli_kind_plurals[records->kind],
                            .columns = kinds[records->kind].columns,
                            .column_count = kinds[records->kind].count,
                            .row_count = records->count,
                            .cell = kinds[records->kind].cell,
                            .context = records};
}

void clump_cli_record_print(const clump_cli_rows *rows, size_t row)
{
    for (size_t c = 0; c < rows->column_count; c++) {
        char text[CLUMP_CLI_SHOWN_SIZE];
        clump_cli_cell cell = {0};
        rows->cell(rows->context, row, c, &cell);
        if (cell.kind == CLUMP_CLI_CELL_NONE || rows->columns[c].heading == NULL)
            continue;
        (void)printf("%-16s", rows->columns[c].heading);
        clump_cli_escape_print(clump_cli_cell_show(&cell, rows->columns[c].notation, text), stdout);
        (void)putchar('\n');
    }
}
