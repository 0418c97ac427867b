/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/loggp_tables.h"

#include <math.h>
#include <stdlib.h>

/* The fit keeps sizes in bytes as doubles. */
static void make_whole(const table_column *column, const void *record, table_cell *cell)
{
    cell_rounded(cell, *(const double *)((const char *)record + column->offset));
}

/* ---- parameters */

typedef struct parameter {
    const char *platform, *transport, *variant, *symbol, *quantity, *unit;
    const clump_loggp_value *value;
} parameter;

static const void *value_of(const void *record)
{
    return ((const parameter *)record)->value;
}

static bool is_known(const void *record)
{
    return ((const parameter *)record)->value->known;
}

static void make_shown_value(const void *record, table_cell *cell)
{
    const clump_loggp_value *v = record;
    if (v->known)
        cell_print(cell, "%.4g", v->value);
    else if (!isnan(v->most))
        cell_print(cell, "<= %.4g", v->most);
    else
        cell_text(cell, "?");
}

static void make_method(const void *record, table_cell *cell)
{
    static const char *const names[] = {[CLUMP_INTERVAL_RUNS] = "runs",
                                        [CLUMP_INTERVAL_RESIDUALS] = "residuals",
                                        [CLUMP_INTERVAL_SPAN] = "span of runs"};
    const clump_interval *interval = &((const clump_loggp_value *)record)->interval;
    if (interval->source != CLUMP_INTERVAL_NONE)
        cell_text(cell, names[interval->source]);
    else if (!isnan(interval->low))
        cell_text(cell, "rounding");
}

#define VALUE(member) FIELD(clump_loggp_value, member), .of = value_of

static const table_column parameter_columns[] = {
    {"platform", "Platform", FIELD(parameter, platform), .folding = FOLD_ALWAYS},
    {"transport", "Transport", FIELD(parameter, transport), .folding = FOLD_ALWAYS},
    {"variant", "Variant", FIELD(parameter, variant), .folding = FOLD_ALWAYS},
    {"parameter", "Parameter", FIELD(parameter, symbol)},
    {"quantity", NULL, FIELD(parameter, quantity)},
    {NULL, "Value", .of = value_of, .make = make_shown_value, .layout = COLUMN_RIGHT},
    {"value", NULL, VALUE(value)},
    {"unit", "Unit", FIELD(parameter, unit)},
    {"low", "From", VALUE(interval.low)},
    {"high", "To", VALUE(interval.high)},
    {"confidence", "Confidence", NUMBER_PERCENT, VALUE(interval.confidence)},
    {"interval", "Interval", .of = value_of, .make = make_method, .layout = COLUMN_LEFT},
    {"at_most", NULL, VALUE(most)},
    {"samples", "Samples", VALUE(samples), .applies = is_known},
    {"runs", "Runs", VALUE(runs), .applies = is_known},
    {"from", "What it is from", FIELD_ARRAY(clump_loggp_value, reason), .of = value_of},
    {"to_do", NULL, FIELD_ARRAY(clump_loggp_value, remedy), .of = value_of},
};

/* ---- pieces of lines, and the breaks between them */

typedef struct piece {
    const char *curve;
    const clump_piece *piece;
} piece;

static const void *piece_of(const void *record)
{
    return ((const piece *)record)->piece;
}

static bool has_slope(const void *record)
{
    return ((const piece *)record)->piece->parameters > 1;
}

static void make_first_time(const void *record, table_cell *cell)
{
    const clump_piece *p = record;
    const double slope = p->parameters > 1 ? p->theta[1] : 0;
    cell_real(cell, p->theta[0] + slope * clump_curve_extra_bytes(p->first_size));
}

#define PIECE(member) FIELD(clump_piece, member), .of = piece_of
#define PIECE_SIZE(member)                                                                         \
    .offset = offsetof(clump_piece, member), .of = piece_of, .make_with = make_whole,              \
    .layout = COLUMN_RIGHT

static const table_column piece_columns[] = {
    {"curve", "Curve", FIELD(piece, curve)},
    {"from_bytes", "From B", PIECE_SIZE(first_size)},
    {"to_bytes", "To B", PIECE_SIZE(last_size)},
    {"first_us", "First takes (us)", .of = piece_of, .make = make_first_time,
     .layout = COLUMN_RIGHT},
    {"at_one_byte_us", NULL, PIECE(theta[0])},
    {"at_one_byte_low", NULL, PIECE(interval[0].low)},
    {"at_one_byte_high", NULL, PIECE(interval[0].high)},
    {"per_byte_us", "Per byte (us)", PIECE(theta[1])},
    {"per_byte_low", NULL, PIECE(interval[1].low), .applies = has_slope},
    {"per_byte_high", NULL, PIECE(interval[1].high), .applies = has_slope},
    {"round_trip_us", NULL, PIECE(theta[2])},
    {"scatter", "Scatter", NUMBER_PERCENT, PIECE(scatter)},
    {"samples", "Samples", PIECE(count)},
    {"runs", "Runs", PIECE(runs)},
    {"outliers", "Outliers", PIECE(outliers)},
};

typedef struct break_row {
    const char *curve, *kind;
    const clump_break *at;
} break_row;

static const void *break_of(const void *record)
{
    return ((const break_row *)record)->at;
}

#define BREAK(member) FIELD(clump_break, member), .of = break_of
#define BREAK_SIZE(member)                                                                         \
    .offset = offsetof(clump_break, member), .of = break_of, .make_with = make_whole,              \
    .layout = COLUMN_RIGHT

static const table_column break_columns[] = {
    {"curve", "Break of", FIELD(break_row, curve)},   {"after_bytes", "Last B", BREAK_SIZE(below)},
    {"by_bytes", "Next B", BREAK_SIZE(above)},        {"low_bytes", "95% from B", BREAK_SIZE(low)},
    {"high_bytes", "To B", BREAK_SIZE(high)},         {"step", "Step", BREAK(step)},
    {"runs_showing", "Seen in runs", BREAK(showing)}, {"runs_covering", "Of", BREAK(covering)},
    {"kind", "Taken for", FIELD(break_row, kind)},
};

/* ---- points, measured and fitted */

typedef struct point {
    const char *curve;
    const clump_curve_point *point;
    const clump_loggp_sample *sample;
} point;

static const void *point_of(const void *record)
{
    return ((const point *)record)->point;
}

static const void *sample_of(const void *record)
{
    return ((const point *)record)->sample;
}

static void make_residual(const void *record, table_cell *cell)
{
    const clump_curve_point *p = record;
    cell_real(cell, p->time_us / p->fitted_us - 1);
}

static void make_piece_number(const void *record, table_cell *cell)
{
    cell_size(cell, ((const clump_curve_point *)record)->piece + 1);
}

#define POINT(member) FIELD(clump_curve_point, member), .of = point_of
#define SAMPLE(member) FIELD(clump_loggp_sample, member), .of = sample_of

static const table_column point_columns[] = {
    {"curve", "Curve", FIELD(point, curve)},
    {"size_bytes", "Bytes", .offset = offsetof(clump_curve_point, size_bytes), .of = point_of,
     .make_with = make_whole, .layout = COLUMN_RIGHT},
    {"measured_us", "Measured us", POINT(time_us)},
    {"fitted_us", "Fitted us", POINT(fitted_us)},
    {"residual", "Off by", NUMBER_SIGNED, .of = point_of, .make = make_residual,
     .layout = COLUMN_RIGHT},
    {"piece", "Piece", .of = point_of, .make = make_piece_number, .layout = COLUMN_RIGHT},
    {"outlier", "Outlier", POINT(outlier)},
    {"quantity", "Quantity", SAMPLE(quantity)},
    {"value", "Value", SAMPLE(value)},
    {"benchmark", "Benchmark", SAMPLE(benchmark)},
    {"window", "Window", SAMPLE(window), .positive = true},
    {"delay_us", "Delay us", SAMPLE(delay_us), .positive = true},
    {"run", "Run", SAMPLE(run), .positive = true},
    {"source", "Source", SAMPLE(source)},
};

/* ---- the rest */

typedef struct correlation {
    const char *parameter, *with;
    double value;
} correlation;

static const table_column correlation_columns[] = {
    {"parameter", "Parameter", FIELD(correlation, parameter)},
    {"with", "With", FIELD(correlation, with)},
    {"correlation", "Correlation", FIELD(correlation, value)},
};

static const table_column source_columns[] = {{"source", "Sources", .type = FIELD_TEXT}};
static const table_column note_columns[] = {
    {"note", "Notes", .type = FIELD_TEXT, .layout = COLUMN_PROSE}};

/* ---- */

enum {
    PAIRS = CLUMP_LOGGP_NAMES * (CLUMP_LOGGP_NAMES - 1) / 2,
    PIECES = CLUMP_CURVE_KINDS * CLUMP_PIECES_MOST
};

typedef struct records {
    parameter parameters[CLUMP_LOGGP_NAMES];
    correlation correlations[PAIRS];
    piece pieces[PIECES];
    break_row breaks[PIECES];
    size_t piece_count, break_count, point_count;
    point points[];
} records;

static void add_parameters(const clump_loggp_fit *fit, const char *platform, records *r)
{
    size_t pair = 0;
    for (size_t i = 0; i < CLUMP_LOGGP_NAMES; i++) {
        const clump_loggp_name name = (clump_loggp_name)i;
        r->parameters[i] = (parameter){.platform = platform,
                                       .transport = fit->samples.transport,
                                       .variant = fit->samples.variant,
                                       .symbol = clump_loggp_symbol(name),
                                       .quantity = clump_loggp_quantity(name),
                                       .unit = name == CLUMP_LOGGP_GAP_PER_BYTE ? "us/B" : "us",
                                       .value = &fit->values[i]};
        for (size_t j = i + 1; j < CLUMP_LOGGP_NAMES; j++)
            r->correlations[pair++] =
                (correlation){clump_loggp_symbol(name), clump_loggp_symbol((clump_loggp_name)j),
                              fit->correlation[i][j]};
    }
}

static void add_curve(const clump_loggp_fit *fit, size_t k, records *r)
{
    const char *name = clump_curve_name((clump_curve_kind)k);
    const clump_curve *curve = &fit->samples.curves[k];
    const clump_curve_fit *fitted = &fit->curves[k];
    for (size_t i = 0; i < fitted->piece_count; i++)
        r->pieces[r->piece_count++] = (piece){name, &fitted->pieces[i]};
    for (size_t i = 0; i + 1 < fitted->piece_count; i++)
        r->breaks[r->break_count++] =
            (break_row){name, fitted->breaks[i].confirmed ? "protocol change" : "not confirmed",
                        &fitted->breaks[i]};
    for (size_t i = 0; i < curve->count; i++)
        r->points[r->point_count++] =
            (point){name, &curve->points[i], &fit->samples.items[curve->points[i].sample]};
}

bool loggp_tables_make(const clump_loggp_fit *fit, const char *platform, loggp_tables *tables)
{
    size_t points = 0;
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        points += fit->samples.curves[k].count;
    records *r = calloc(1, sizeof *r + points * sizeof *r->points);
    *tables = (loggp_tables){.records = r};
    if (r == NULL)
        return false;
    add_parameters(fit, platform, r);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        add_curve(fit, k, r);
    *tables = (loggp_tables){
        .parameters = {"parameters", COLUMNS(parameter_columns),
                       RECORDS(r->parameters, CLUMP_LOGGP_NAMES)},
        .correlations = {"correlations", COLUMNS(correlation_columns),
                         RECORDS(r->correlations, PAIRS)},
        .pieces = {"pieces", COLUMNS(piece_columns), RECORDS(r->pieces, r->piece_count)},
        .breaks = {"breaks", COLUMNS(break_columns), RECORDS(r->breaks, r->break_count)},
        .points = {"points", COLUMNS(point_columns), RECORDS(r->points, r->point_count)},
        .sources = {"sources", COLUMNS(source_columns),
                    RECORDS(fit->samples.sources, fit->samples.source_count)},
        .notes = {"notes", COLUMNS(note_columns), RECORDS(fit->notes, fit->note_count)},
        .records = r};
    return true;
}

void loggp_tables_free(loggp_tables *tables)
{
    free(tables->records);
}
