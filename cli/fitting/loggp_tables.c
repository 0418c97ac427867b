/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/loggp_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_whole(const table_column *column, const void *record, table_cell *cell)
{
    cell_rounded(cell, *(const double *)((const char *)record + column->offset));
}

/* ---- parameters */

typedef struct parameter {
    const char *platform, *transport, *variant, *symbol, *quantity, *unit, *method;
    char shown[32];
    clump_loggp_value value;
} parameter;

static void show_value(const clump_loggp_value *v, parameter *p)
{
    static const char *const names[] = {[CLUMP_INTERVAL_RUNS] = "runs",
                                        [CLUMP_INTERVAL_RESIDUALS] = "residuals",
                                        [CLUMP_INTERVAL_SPAN] = "span of runs"};
    const bool bounded = !v->known && !isnan(v->most);
    snprintf(p->shown, sizeof p->shown, "%s%.4g", bounded ? "<= " : "",
             bounded ? v->most : v->value);
    if (!v->known && !bounded)
        strcpy(p->shown, "?");
    if (v->interval.source != CLUMP_INTERVAL_NONE)
        p->method = names[v->interval.source];
    else if (!isnan(v->interval.low))
        p->method = "rounding";
}

#define PARAMETER(member) FIELD(parameter, member)

static const table_column parameter_columns[] = {
    {"platform", "Platform", PARAMETER(platform), .folding = FOLD_ALWAYS},
    {"transport", "Transport", PARAMETER(transport), .folding = FOLD_ALWAYS},
    {"variant", "Variant", PARAMETER(variant), .folding = FOLD_ALWAYS},
    {"parameter", "Parameter", PARAMETER(symbol)},
    {"quantity", NULL, PARAMETER(quantity)},
    {NULL, "Value", FIELD_ARRAY(parameter, shown), .layout = COLUMN_RIGHT},
    {"value", NULL, PARAMETER(value.value)},
    {"unit", "Unit", PARAMETER(unit)},
    {"low", "From", PARAMETER(value.interval.low)},
    {"high", "To", PARAMETER(value.interval.high)},
    {"confidence", "Confidence", NUMBER_PERCENT, PARAMETER(value.interval.confidence)},
    {"interval", "Interval", PARAMETER(method)},
    {"at_most", NULL, PARAMETER(value.most)},
    {"samples", "Samples", PARAMETER(value.samples), .positive = true},
    {"runs", "Runs", PARAMETER(value.runs), .positive = true},
    {"from", "What it is from", FIELD_ARRAY(parameter, value.reason)},
    {"to_do", NULL, FIELD_ARRAY(parameter, value.remedy)},
};

/* ---- pieces of lines, and the breaks between them */

typedef struct piece {
    const char *curve;
    clump_piece piece;
    double first_us; /* time of its shortest message */
} piece;

#define PIECE(member) FIELD(piece, piece.member)
/* Sizes in bytes, which the fit keeps as doubles. */
#define WHOLE(record, member)                                                                      \
    .offset = offsetof(record, member), .make_with = make_whole, .layout = COLUMN_RIGHT

static const table_column piece_columns[] = {
    {"curve", "Curve", FIELD(piece, curve)},
    {"from_bytes", "From B", WHOLE(piece, piece.first_size)},
    {"to_bytes", "To B", WHOLE(piece, piece.last_size)},
    {"first_us", "First takes (us)", FIELD(piece, first_us)},
    {"at_one_byte_us", NULL, PIECE(theta[0])},
    {"at_one_byte_low", NULL, PIECE(interval[0].low)},
    {"at_one_byte_high", NULL, PIECE(interval[0].high)},
    {"per_byte_us", "Per byte (us)", PIECE(theta[1])},
    {"per_byte_low", NULL, PIECE(interval[1].low)},
    {"per_byte_high", NULL, PIECE(interval[1].high)},
    {"round_trip_us", NULL, PIECE(theta[2])},
    {"scatter", "Scatter", NUMBER_PERCENT, PIECE(scatter)},
    {"samples", "Samples", PIECE(count)},
    {"runs", "Runs", PIECE(runs)},
    {"outliers", "Outliers", PIECE(outliers)},
};

typedef struct break_row {
    const char *curve, *kind;
    clump_break at;
} break_row;

#define BREAK(member) FIELD(break_row, at.member)

static const table_column break_columns[] = {
    {"curve", "Break of", FIELD(break_row, curve)},
    {"after_bytes", "Last B", WHOLE(break_row, at.below)},
    {"by_bytes", "Next B", WHOLE(break_row, at.above)},
    {"low_bytes", "95% from B", WHOLE(break_row, at.low)},
    {"high_bytes", "To B", WHOLE(break_row, at.high)},
    {"step", "Step", BREAK(step)},
    {"runs_showing", "Seen in runs", BREAK(showing)},
    {"runs_covering", "Of", BREAK(covering)},
    {"kind", "Taken for", FIELD(break_row, kind)},
};

/* ---- points, measured and fitted */

typedef struct point {
    const char *curve;
    clump_curve_point point;
    clump_cluster_sample sample;
    double residual; /* of what was measured, against the model */
    size_t piece;
} point;

#define POINT(member) FIELD(point, point.member)
#define SAMPLE(member) FIELD(point, sample.member)

static const table_column point_columns[] = {
    {"curve", "Curve", FIELD(point, curve)},
    {"size_bytes", "Bytes", WHOLE(point, point.size_bytes)},
    {"measured_us", "Measured us", POINT(time_us)},
    {"fitted_us", "Fitted us", POINT(fitted_us)},
    {"residual", "Off by", NUMBER_SIGNED, FIELD(point, residual)},
    {"piece", "Piece", FIELD(point, piece)},
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
                                       .value = fit->values[i]};
        show_value(&fit->values[i], &r->parameters[i]);
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
    for (size_t i = 0; i < fitted->piece_count; i++) {
        const clump_piece *p = &fitted->pieces[i];
        r->pieces[r->piece_count++] =
            (piece){name, *p,
                    p->theta[0] + (p->parameters > 1 ? p->theta[1] : 0) *
                                      clump_curve_extra_bytes(p->first_size)};
    }
    for (size_t i = 0; i + 1 < fitted->piece_count; i++)
        r->breaks[r->break_count++] =
            (break_row){name, fitted->breaks[i].confirmed ? "protocol change" : "not confirmed",
                        fitted->breaks[i]};
    for (size_t i = 0; i < curve->count; i++) {
        const clump_curve_point *p = &curve->points[i];
        r->points[r->point_count++] = (point){name, *p, fit->samples.used.items[p->sample],
                                              p->time_us / p->fitted_us - 1, p->piece + 1};
    }
}

fit_tables loggp_tables_make(const clump_loggp_fit *fit, const char *platform)
{
    size_t points = 0;
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        points += fit->samples.curves[k].count;
    records *r = calloc(1, sizeof *r + points * sizeof *r->points);
    if (r == NULL)
        return (fit_tables){.records = NULL};
    add_parameters(fit, platform, r);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        add_curve(fit, k, r);
    fit_tables tables = {
        .all = {[LOGGP_PARAMETERS] = {"parameters", COLUMNS(parameter_columns),
                                      RECORDS(r->parameters, CLUMP_LOGGP_NAMES)},
                [LOGGP_CORRELATIONS] = {"correlations", COLUMNS(correlation_columns),
                                        RECORDS(r->correlations, PAIRS)},
                [LOGGP_PIECES] = {"pieces", COLUMNS(piece_columns),
                                  RECORDS(r->pieces, r->piece_count)},
                [LOGGP_BREAKS] = {"breaks", COLUMNS(break_columns),
                                  RECORDS(r->breaks, r->break_count)},
                [LOGGP_POINTS] = {"points", COLUMNS(point_columns),
                                  RECORDS(r->points, r->point_count)}},
        .count = LOGGP_POINTS + 1,
        .records = r};
    fit_tables_add_lists(&tables, fit->samples.sources, fit->samples.source_count, &fit->notes);
    return tables;
}
