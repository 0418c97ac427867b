/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PLATFORM,
    APPLICATION,
    QUANTITY,
    TRANSPORT,
    VARIANT,
    BENCHMARK,
    WINDOW,
    PROCESSES,
    RUN,
    SIZE,
    ITERATIONS,
    DELAY,
    STATISTIC,
    SHOWN_VALUE, /* with its interval, in tables */
    VALUE,
    HALF_WIDTH,
    STD_DEV,
    UNIT,
    SHOWN_SOURCE, /* number in the list below the table */
    SOURCE,
    SOURCE_TITLE,
    SOURCE_TABLE,
    SOURCE_SECTION,
    SOURCE_PAGE,
    DOUBTFUL,
    SHOWN_DOUBT,
    NOTE,
    REFERENCE,
    COLUMN_COUNT
};

#define ROWS FOLD_ROWS

static const table_column columns[COLUMN_COUNT] = {
    [PLATFORM] = {"platform", "Platform", 0, ROWS, COLUMN_LEFT},
    [APPLICATION] = {"application", "Application", 0, ROWS, COLUMN_LEFT},
    [QUANTITY] = {"quantity", "Quantity", 0, 0, COLUMN_LEFT},
    [TRANSPORT] = {"transport", "Transport", 0, ROWS, COLUMN_LEFT},
    [VARIANT] = {"variant", "Variant", 0, ROWS, COLUMN_LEFT},
    [BENCHMARK] = {"benchmark", "Benchmark", 0, ROWS, COLUMN_LEFT},
    [WINDOW] = {"window", "Window", 0, ROWS, COLUMN_RIGHT},
    [PROCESSES] = {"processes", "Processes", 0, ROWS, COLUMN_RIGHT},
    [RUN] = {"run", "Run", 0, ROWS, COLUMN_RIGHT},
    [SIZE] = {"size_bytes", "Bytes", 0, 0, COLUMN_RIGHT},
    [ITERATIONS] = {"iterations", NULL, 0, 0, COLUMN_RIGHT},
    [DELAY] = {"delay_us", "Delay (us)", NUMBER_EXACT, 0, COLUMN_RIGHT},
    [STATISTIC] = {"statistic", "Statistic", 0, ROWS, COLUMN_LEFT},
    [SHOWN_VALUE] = {NULL, "Value", 0, 0, COLUMN_RIGHT},
    [VALUE] = {"value", NULL, 0, 0, COLUMN_RIGHT},
    [HALF_WIDTH] = {"half_width", NULL, 0, 0, COLUMN_RIGHT},
    [STD_DEV] = {"std_dev", "Std dev", NUMBER_EXACT, 0, COLUMN_RIGHT},
    [UNIT] = {"unit", "Unit", 0, 0, COLUMN_LEFT},
    [SHOWN_SOURCE] = {NULL, "Source", 0, 0, COLUMN_LEFT},
    [SOURCE] = {"source", NULL, 0, 0, COLUMN_LEFT},
    [SOURCE_TITLE] = {"source_title", NULL, 0, 0, COLUMN_LEFT},
    [SOURCE_TABLE] = {"source_table", NULL, 0, 0, COLUMN_LEFT},
    [SOURCE_SECTION] = {"source_section", NULL, 0, 0, COLUMN_LEFT},
    [SOURCE_PAGE] = {"source_page", NULL, 0, 0, COLUMN_LEFT},
    [DOUBTFUL] = {"doubtful", NULL, 0, 0, COLUMN_LEFT},
    [SHOWN_DOUBT] = {NULL, "Doubtful", 0, 0, COLUMN_LEFT},
    [NOTE] = {"note", "Note", 0, 0, COLUMN_PROSE},
    [REFERENCE] = {"reference", "Reference data", 0, ROWS, COLUMN_LEFT},
};

static void set_value(table_cell *cell, const clump_store_measurement *m)
{
    if (isnan(m->half_width))
        snprintf(cell->buffer, sizeof cell->buffer, "%.9g", m->value);
    else
        snprintf(cell->buffer, sizeof cell->buffer, "%.9g %s %.3g", m->value, plus_minus(),
                 m->half_width);
    cell_text(cell, cell->buffer);
}

static const char *text_of(const clump_store_sample *s, size_t column)
{
    switch (column) {
    case PLATFORM:
        return s->platform;
    case APPLICATION:
        return s->application;
    case QUANTITY:
        return s->quantity;
    case TRANSPORT:
        return s->transport;
    case VARIANT:
        return s->variant;
    case BENCHMARK:
        return s->benchmark;
    case STATISTIC:
        return s->statistic;
    case UNIT:
        return s->unit;
    case SOURCE:
        return s->source->name;
    case SOURCE_TITLE:
        return s->source->title;
    case SOURCE_TABLE:
        return s->source->table_label;
    case SOURCE_SECTION:
        return s->source->section;
    case SOURCE_PAGE:
        return s->source->page;
    case NOTE:
        return s->measured.note;
    case SHOWN_DOUBT:
        return s->measured.doubtful ? "yes" : NULL;
    default:
        return NULL;
    }
}

/* 0 stands for "not known" or "none". */
static void set_known(table_cell *cell, int64_t number)
{
    if (number > 0)
        cell_whole(cell, number);
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const sample_list *set = context;
    const clump_store_sample *s = &set->items[row];
    switch (column) {
    case WINDOW:
        set_known(cell, s->window);
        break;
    case PROCESSES:
        set_known(cell, s->processes);
        break;
    case RUN:
        set_known(cell, s->measured.run);
        break;
    case ITERATIONS:
        set_known(cell, s->measured.iterations);
        break;
    case DELAY:
        if (s->measured.delay_us > 0)
            cell_real(cell, s->measured.delay_us);
        break;
    case SIZE:
        if (s->measured.size_bytes >= 0)
            cell_whole(cell, s->measured.size_bytes);
        break;
    case SHOWN_VALUE:
        set_value(cell, &s->measured);
        break;
    case VALUE:
        cell_real(cell, s->measured.value);
        break;
    case HALF_WIDTH:
        cell_real(cell, s->measured.half_width);
        break;
    case STD_DEV:
        cell_real(cell, s->measured.std_dev);
        break;
    case SHOWN_SOURCE:
        snprintf(cell->buffer, sizeof cell->buffer, "[%zu]", set->source_of[row] + 1);
        cell_text(cell, cell->buffer);
        break;
    case DOUBTFUL:
        cell_truth(cell, s->measured.doubtful);
        break;
    case REFERENCE:
        cell_truth(cell, s->reference);
        break;
    default:
        cell_text(cell, text_of(s, column));
        break;
    }
}

table_rows sample_rows(const sample_list *samples)
{
    return (table_rows){.key = "samples",
                        .columns = columns,
                        .column_count = COLUMN_COUNT,
                        .row_count = samples->count,
                        .cell = set_cell,
                        .context = samples};
}

void source_cite(const clump_store_source *source, char *text, size_t size)
{
    const struct {
        const char *before, *value;
    } parts[] = {
        {"", source->title},
        {", table ", source->table_label},
        {", section ", source->section},
        {", page ", source->page},
        {", file ", source->file},
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++)
        if (parts[i].value != NULL && *parts[i].value != '\0')
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", parts[i].before, parts[i].value);
}
