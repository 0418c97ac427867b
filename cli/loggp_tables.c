/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/loggp_tables.h"

#include <math.h>
#include <stdio.h>

enum {
    PIECE_CURVE,
    PIECE_FIRST,
    PIECE_LAST,
    PIECE_FIRST_TIME,
    PIECE_TIME,
    PIECE_TIME_LOW,
    PIECE_TIME_HIGH,
    PIECE_PER_BYTE,
    PIECE_PER_BYTE_LOW,
    PIECE_PER_BYTE_HIGH,
    PIECE_ROUND_TRIP,
    PIECE_SCATTER,
    PIECE_SAMPLES,
    PIECE_RUNS,
    PIECE_OUTLIERS,
    PIECE_COLUMNS
};

static const table_column piece_columns[PIECE_COLUMNS] = {
    [PIECE_CURVE] = {"curve", "Curve", 0, 0, COLUMN_LEFT},
    [PIECE_FIRST] = {"from_bytes", "From B", 0, 0, COLUMN_RIGHT},
    [PIECE_LAST] = {"to_bytes", "To B", 0, 0, COLUMN_RIGHT},
    [PIECE_FIRST_TIME] = {"first_us", "First takes (us)", 0, 0, COLUMN_RIGHT},
    [PIECE_TIME] = {"at_one_byte_us", NULL, 0, 0, COLUMN_RIGHT},
    [PIECE_TIME_LOW] = {"at_one_byte_low", NULL, 0, 0, COLUMN_RIGHT},
    [PIECE_TIME_HIGH] = {"at_one_byte_high", NULL, 0, 0, COLUMN_RIGHT},
    [PIECE_PER_BYTE] = {"per_byte_us", "Per byte (us)", 0, 0, COLUMN_RIGHT},
    [PIECE_PER_BYTE_LOW] = {"per_byte_low", NULL, 0, 0, COLUMN_RIGHT},
    [PIECE_PER_BYTE_HIGH] = {"per_byte_high", NULL, 0, 0, COLUMN_RIGHT},
    [PIECE_ROUND_TRIP] = {"round_trip_us", NULL, 0, 0, COLUMN_RIGHT},
    [PIECE_SCATTER] = {"scatter", "Scatter", NUMBER_PERCENT, 0, COLUMN_RIGHT},
    [PIECE_SAMPLES] = {"samples", "Samples", 0, 0, COLUMN_RIGHT},
    [PIECE_RUNS] = {"runs", "Runs", 0, 0, COLUMN_RIGHT},
    [PIECE_OUTLIERS] = {"outliers", "Outliers", 0, 0, COLUMN_RIGHT},
};

/* The row-th piece or break of all curves; NULL past the end. `less` for breaks: one less. */
static const clump_curve_fit *find_row(const clump_loggp_fit *fit, size_t less, size_t *row,
                                       clump_curve_kind *kind)
{
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++) {
        const size_t pieces = fit->curves[k].piece_count;
        const size_t count = pieces > less ? pieces - less : 0;
        *kind = (clump_curve_kind)k;
        if (*row < count)
            return &fit->curves[k];
        *row -= count;
    }
    return NULL;
}

static size_t count_rows(const clump_loggp_fit *fit, size_t less)
{
    size_t count = 0;
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        count += fit->curves[k].piece_count > less ? fit->curves[k].piece_count - less : 0;
    return count;
}

static double number_of_piece(const clump_piece *p, size_t column)
{
    switch (column) {
    case PIECE_FIRST_TIME:
        return p->theta[0] +
               (p->parameters > 1 ? p->theta[1] * clump_curve_extra_bytes(p->first_size) : 0);
    case PIECE_TIME:
        return p->theta[0];
    case PIECE_TIME_LOW:
        return p->interval[0].low;
    case PIECE_TIME_HIGH:
        return p->interval[0].high;
    case PIECE_PER_BYTE:
        return p->theta[1];
    case PIECE_PER_BYTE_LOW:
        return p->parameters > 1 ? p->interval[1].low : NAN;
    case PIECE_PER_BYTE_HIGH:
        return p->parameters > 1 ? p->interval[1].high : NAN;
    case PIECE_ROUND_TRIP:
        return p->theta[2];
    case PIECE_SCATTER:
        return p->scatter;
    case PIECE_FIRST:
        return p->first_size;
    case PIECE_LAST:
        return p->last_size;
    default:
        return NAN;
    }
}

static void set_piece(const void *context, size_t row, size_t column, table_cell *cell)
{
    const loggp_answer *f = context;
    clump_curve_kind kind;
    const clump_curve_fit *curve = find_row(f->fit, 0, &row, &kind);
    if (curve == NULL)
        return;
    const clump_piece *p = &curve->pieces[row];
    switch (column) {
    case PIECE_CURVE:
        cell_text(cell, clump_curve_name(kind));
        break;
    case PIECE_FIRST:
    case PIECE_LAST:
        cell_whole(cell, (int64_t)number_of_piece(p, column));
        break;
    case PIECE_SAMPLES:
        cell_size(cell, p->count);
        break;
    case PIECE_RUNS:
        cell_size(cell, p->runs);
        break;
    case PIECE_OUTLIERS:
        cell_size(cell, p->outliers);
        break;
    default:
        cell_real(cell, number_of_piece(p, column));
        break;
    }
}

table_rows loggp_pieces(const loggp_answer *fit)
{
    return (table_rows){.key = "pieces",
                        .columns = piece_columns,
                        .column_count = PIECE_COLUMNS,
                        .row_count = count_rows(fit->fit, 0),
                        .cell = set_piece,
                        .context = fit};
}

enum {
    BREAK_CURVE,
    BREAK_BELOW,
    BREAK_ABOVE,
    BREAK_LOW,
    BREAK_HIGH,
    BREAK_STEP,
    BREAK_SHOWING,
    BREAK_COVERING,
    BREAK_KIND,
    BREAK_COLUMNS
};

static const table_column break_columns[BREAK_COLUMNS] = {
    [BREAK_CURVE] = {"curve", "Break of", 0, 0, COLUMN_LEFT},
    [BREAK_BELOW] = {"after_bytes", "Last B", 0, 0, COLUMN_RIGHT},
    [BREAK_ABOVE] = {"by_bytes", "Next B", 0, 0, COLUMN_RIGHT},
    [BREAK_LOW] = {"low_bytes", "95% from B", 0, 0, COLUMN_RIGHT},
    [BREAK_HIGH] = {"high_bytes", "To B", 0, 0, COLUMN_RIGHT},
    [BREAK_STEP] = {"step", "Step", 0, 0, COLUMN_RIGHT},
    [BREAK_SHOWING] = {"runs_showing", "Seen in runs", 0, 0, COLUMN_RIGHT},
    [BREAK_COVERING] = {"runs_covering", "Of", 0, 0, COLUMN_RIGHT},
    [BREAK_KIND] = {"kind", "Taken for", 0, 0, COLUMN_LEFT},
};

static void set_break(const void *context, size_t row, size_t column, table_cell *cell)
{
    const loggp_answer *f = context;
    clump_curve_kind kind;
    const clump_curve_fit *curve = find_row(f->fit, 1, &row, &kind);
    if (curve == NULL)
        return;
    const clump_break *b = &curve->breaks[row];
    switch (column) {
    case BREAK_CURVE:
        cell_text(cell, clump_curve_name(kind));
        break;
    case BREAK_BELOW:
        cell_whole(cell, (int64_t)b->below);
        break;
    case BREAK_ABOVE:
        cell_whole(cell, (int64_t)b->above);
        break;
    case BREAK_LOW:
        cell_whole(cell, (int64_t)b->low);
        break;
    case BREAK_HIGH:
        cell_whole(cell, (int64_t)b->high);
        break;
    case BREAK_STEP:
        cell_real(cell, b->step);
        break;
    case BREAK_SHOWING:
        cell_size(cell, b->showing);
        break;
    case BREAK_COVERING:
        cell_size(cell, b->covering);
        break;
    default:
        cell_text(cell, b->confirmed ? "protocol change" : "not confirmed");
        break;
    }
}

table_rows loggp_breaks(const loggp_answer *fit)
{
    return (table_rows){.key = "breaks",
                        .columns = break_columns,
                        .column_count = BREAK_COLUMNS,
                        .row_count = count_rows(fit->fit, 1),
                        .cell = set_break,
                        .context = fit};
}
