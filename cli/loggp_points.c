/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/loggp_tables.h"

#include <math.h>

enum {
    CURVE,
    SIZE,
    MEASURED,
    FITTED,
    RESIDUAL,
    PIECE,
    OUTLIER,
    QUANTITY,
    VALUE,
    BENCHMARK,
    WINDOW,
    DELAY,
    RUN,
    SOURCE,
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [CURVE] = {"curve", "Curve", 0, 0, COLUMN_LEFT},
    [SIZE] = {"size_bytes", "Bytes", 0, 0, COLUMN_RIGHT},
    [MEASURED] = {"measured_us", "Measured us", 0, 0, COLUMN_RIGHT},
    [FITTED] = {"fitted_us", "Fitted us", 0, 0, COLUMN_RIGHT},
    [RESIDUAL] = {"residual", "Off by", NUMBER_SIGNED, 0, COLUMN_RIGHT},
    [PIECE] = {"piece", "Piece", 0, 0, COLUMN_RIGHT},
    [OUTLIER] = {"outlier", "Outlier", 0, 0, COLUMN_LEFT},
    [QUANTITY] = {"quantity", "Quantity", 0, 0, COLUMN_LEFT},
    [VALUE] = {"value", "Value", 0, 0, COLUMN_RIGHT},
    [BENCHMARK] = {"benchmark", "Benchmark", 0, 0, COLUMN_LEFT},
    [WINDOW] = {"window", "Window", 0, 0, COLUMN_RIGHT},
    [DELAY] = {"delay_us", "Delay us", 0, 0, COLUMN_RIGHT},
    [RUN] = {"run", "Run", 0, 0, COLUMN_RIGHT},
    [SOURCE] = {"source", "Source", 0, 0, COLUMN_LEFT},
};

static void set_sample(const clump_loggp_sample *s, size_t column, table_cell *cell)
{
    switch (column) {
    case QUANTITY:
        cell_text(cell, s->quantity);
        break;
    case VALUE:
        cell_real(cell, s->value);
        break;
    case BENCHMARK:
        cell_text(cell, s->benchmark);
        break;
    case WINDOW:
        if (s->window > 0)
            cell_whole(cell, s->window);
        break;
    case DELAY:
        if (s->delay_us > 0)
            cell_real(cell, s->delay_us);
        break;
    case RUN:
        if (s->run > 0)
            cell_whole(cell, s->run);
        break;
    default:
        cell_text(cell, s->source);
        break;
    }
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const loggp_answer *f = context;
    size_t k = 0;
    while (k + 1 < CLUMP_CURVE_KINDS && row >= f->fit->samples.curves[k].count)
        row -= f->fit->samples.curves[k++].count;
    const clump_curve_point *p = &f->fit->samples.curves[k].points[row];
    switch (column) {
    case CURVE:
        cell_text(cell, clump_curve_name((clump_curve_kind)k));
        break;
    case SIZE:
        cell_whole(cell, (int64_t)p->size_bytes);
        break;
    case MEASURED:
        cell_real(cell, p->time_us);
        break;
    case FITTED:
        cell_real(cell, p->fitted_us);
        break;
    case RESIDUAL:
        cell_real(cell, p->time_us / p->fitted_us - 1);
        break;
    case PIECE:
        cell_size(cell, p->piece + 1);
        break;
    case OUTLIER:
        cell_truth(cell, p->outlier);
        break;
    default:
        set_sample(&f->fit->samples.items[p->sample], column, cell);
        break;
    }
}

table_rows loggp_points(const loggp_answer *fit)
{
    size_t count = 0;
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        count += fit->fit->samples.curves[k].count;
    return (table_rows){.key = "points",
                        .columns = columns,
                        .column_count = COLUMN_COUNT,
                        .row_count = count,
                        .cell = set_cell,
                        .context = fit};
}

static const table_column source_columns[] = {{"source", "Sources", 0, 0, COLUMN_LEFT}};
static const table_column note_columns[] = {{"note", "Notes", 0, 0, COLUMN_PROSE}};

static void set_source(const void *context, size_t row, size_t column, table_cell *cell)
{
    const loggp_answer *f = context;
    (void)column;
    cell_text(cell, f->fit->samples.sources[row]);
}

static void set_note(const void *context, size_t row, size_t column, table_cell *cell)
{
    const loggp_answer *f = context;
    (void)column;
    cell_text(cell, f->fit->notes[row]);
}

table_rows loggp_sources(const loggp_answer *fit)
{
    return (table_rows){.key = "sources",
                        .columns = source_columns,
                        .column_count = 1,
                        .row_count = fit->fit->samples.source_count,
                        .cell = set_source,
                        .context = fit};
}

table_rows loggp_notes(const loggp_answer *fit)
{
    return (table_rows){.key = "notes",
                        .columns = note_columns,
                        .column_count = 1,
                        .row_count = fit->fit->note_count,
                        .cell = set_note,
                        .context = fit};
}
