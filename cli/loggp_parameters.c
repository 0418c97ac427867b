/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/loggp_tables.h"

#include <math.h>
#include <stdio.h>

enum {
    PLATFORM,
    TRANSPORT,
    VARIANT,
    PARAMETER,
    QUANTITY,
    SHOWN_VALUE,
    VALUE,
    UNIT,
    LOW,
    HIGH,
    CONFIDENCE,
    METHOD,
    AT_MOST,
    SAMPLES,
    RUNS,
    FROM,
    TO_DO,
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [PLATFORM] = {"platform", "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [TRANSPORT] = {"transport", "Transport", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [VARIANT] = {"variant", "Variant", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PARAMETER] = {"parameter", "Parameter", 0, 0, COLUMN_LEFT},
    [QUANTITY] = {"quantity", NULL, 0, 0, COLUMN_LEFT},
    [SHOWN_VALUE] = {NULL, "Value", 0, 0, COLUMN_RIGHT},
    [VALUE] = {"value", NULL, 0, 0, COLUMN_RIGHT},
    [UNIT] = {"unit", "Unit", 0, 0, COLUMN_LEFT},
    [LOW] = {"low", "From", 0, 0, COLUMN_RIGHT},
    [HIGH] = {"high", "To", 0, 0, COLUMN_RIGHT},
    [CONFIDENCE] = {"confidence", "Confidence", NUMBER_PERCENT, 0, COLUMN_RIGHT},
    [METHOD] = {"interval", "Interval", 0, 0, COLUMN_LEFT},
    [AT_MOST] = {"at_most", NULL, 0, 0, COLUMN_RIGHT},
    [SAMPLES] = {"samples", "Samples", 0, 0, COLUMN_RIGHT},
    [RUNS] = {"runs", "Runs", 0, 0, COLUMN_RIGHT},
    [FROM] = {"from", "What it is from", 0, 0, COLUMN_LEFT},
    [TO_DO] = {"to_do", NULL, 0, 0, COLUMN_LEFT},
};

static const char *method_of(const clump_interval *interval)
{
    switch (interval->source) {
    case CLUMP_INTERVAL_RUNS:
        return "runs";
    case CLUMP_INTERVAL_RESIDUALS:
        return "residuals";
    case CLUMP_INTERVAL_SPAN:
        return "span of runs";
    case CLUMP_INTERVAL_NONE:
        break;
    }
    return isnan(interval->low) ? NULL : "rounding";
}

static void show_value(table_cell *cell, const clump_loggp_value *v)
{
    if (v->known)
        snprintf(cell->buffer, sizeof cell->buffer, "%.4g", v->value);
    else if (!isnan(v->most))
        snprintf(cell->buffer, sizeof cell->buffer, "<= %.4g", v->most);
    else
        snprintf(cell->buffer, sizeof cell->buffer, "?");
    cell_text(cell, cell->buffer);
}

static void set_number(table_cell *cell, const clump_loggp_value *v, size_t column)
{
    switch (column) {
    case VALUE:
        cell_real(cell, v->value);
        break;
    case LOW:
        cell_real(cell, v->interval.low);
        break;
    case HIGH:
        cell_real(cell, v->interval.high);
        break;
    case CONFIDENCE:
        cell_real(cell, v->interval.confidence);
        break;
    case AT_MOST:
        cell_real(cell, v->most);
        break;
    case SAMPLES:
        if (v->known)
            cell_size(cell, v->samples);
        break;
    case RUNS:
        if (v->known)
            cell_size(cell, v->runs);
        break;
    default:
        break;
    }
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const loggp_answer *f = context;
    const clump_loggp_name name = (clump_loggp_name)row;
    const clump_loggp_value *v = &f->fit->values[name];
    switch (column) {
    case PLATFORM:
        cell_text(cell, f->platform);
        break;
    case TRANSPORT:
        cell_text(cell, f->fit->samples.transport);
        break;
    case VARIANT:
        cell_text(cell, f->fit->samples.variant);
        break;
    case PARAMETER:
        cell_text(cell, clump_loggp_symbol(name));
        break;
    case QUANTITY:
        cell_text(cell, clump_loggp_quantity(name));
        break;
    case SHOWN_VALUE:
        show_value(cell, v);
        break;
    case UNIT:
        cell_text(cell, name == CLUMP_LOGGP_GAP_PER_BYTE ? "us/B" : "us");
        break;
    case METHOD:
        cell_text(cell, method_of(&v->interval));
        break;
    case FROM:
        cell_text(cell, v->reason);
        break;
    case TO_DO:
        cell_text(cell, v->remedy);
        break;
    default:
        set_number(cell, v, column);
        break;
    }
}

table_rows loggp_parameters(const loggp_answer *fit)
{
    return (table_rows){.key = "parameters",
                        .columns = columns,
                        .column_count = COLUMN_COUNT,
                        .row_count = CLUMP_LOGGP_NAMES,
                        .cell = set_cell,
                        .context = fit};
}

enum { FIRST_NAME, SECOND_NAME, CORRELATION, CORRELATION_COLUMNS };

static const table_column correlation_columns[CORRELATION_COLUMNS] = {
    [FIRST_NAME] = {"parameter", "Parameter", 0, 0, COLUMN_LEFT},
    [SECOND_NAME] = {"with", "With", 0, 0, COLUMN_LEFT},
    [CORRELATION] = {"correlation", "Correlation", 0, 0, COLUMN_RIGHT},
};

/* Pairs i < j, one after the other. */
static void set_correlation(const void *context, size_t row, size_t column, table_cell *cell)
{
    const loggp_answer *f = context;
    size_t i = 0, j = 1;
    for (size_t k = 0; k < row; k++)
        if (++j == CLUMP_LOGGP_NAMES)
            j = ++i + 1;
    if (column == FIRST_NAME)
        cell_text(cell, clump_loggp_symbol((clump_loggp_name)i));
    else if (column == SECOND_NAME)
        cell_text(cell, clump_loggp_symbol((clump_loggp_name)j));
    else
        cell_real(cell, f->fit->correlation[i][j]);
}

table_rows loggp_correlations(const loggp_answer *fit)
{
    return (table_rows){.key = "correlations",
                        .columns = correlation_columns,
                        .column_count = CORRELATION_COLUMNS,
                        .row_count = (size_t)CLUMP_LOGGP_NAMES * (CLUMP_LOGGP_NAMES - 1) / 2,
                        .cell = set_correlation,
                        .context = fit};
}
