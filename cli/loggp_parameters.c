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

static const clump_cli_column columns[COLUMN_COUNT] = {
    [PLATFORM] = {"platform", "Platform", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [TRANSPORT] = {"transport", "Transport", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [VARIANT] = {"variant", "Variant", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [PARAMETER] = {"parameter", "Parameter", 0, 0, CLUMP_CLI_LEFT},
    [QUANTITY] = {"quantity", NULL, 0, 0, CLUMP_CLI_LEFT},
    [SHOWN_VALUE] = {NULL, "Value", 0, 0, CLUMP_CLI_RIGHT},
    [VALUE] = {"value", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [UNIT] = {"unit", "Unit", 0, 0, CLUMP_CLI_LEFT},
    [LOW] = {"low", "From", 0, 0, CLUMP_CLI_RIGHT},
    [HIGH] = {"high", "To", 0, 0, CLUMP_CLI_RIGHT},
    [CONFIDENCE] = {"confidence", "Confidence", CLUMP_CLI_PERCENT, 0, CLUMP_CLI_RIGHT},
    [METHOD] = {"interval", "Interval", 0, 0, CLUMP_CLI_LEFT},
    [AT_MOST] = {"at_most", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [SAMPLES] = {"samples", "Samples", 0, 0, CLUMP_CLI_RIGHT},
    [RUNS] = {"runs", "Runs", 0, 0, CLUMP_CLI_RIGHT},
    [FROM] = {"from", "What it is from", 0, 0, CLUMP_CLI_LEFT},
    [TO_DO] = {"to_do", NULL, 0, 0, CLUMP_CLI_LEFT},
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

static void show_value(clump_cli_cell *cell, const clump_loggp_value *v)
{
    if (v->known)
        (void)snprintf(cell->buffer, sizeof cell->buffer, "%.4g", v->value);
    else if (!isnan(v->most))
        (void)snprintf(cell->buffer, sizeof cell->buffer, "<= %.4g", v->most);
    else
        (void)snprintf(cell->buffer, sizeof cell->buffer, "?");
    clump_cli_cell_text(cell, cell->buffer);
}

static void set_number(clump_cli_cell *cell, const clump_loggp_value *v, size_t column)
{
    switch (column) {
    case VALUE:
        clump_cli_cell_real(cell, v->value);
        break;
    case LOW:
        clump_cli_cell_real(cell, v->interval.low);
        break;
    case HIGH:
        clump_cli_cell_real(cell, v->interval.high);
        break;
    case CONFIDENCE:
        clump_cli_cell_real(cell, v->interval.confidence);
        break;
    case AT_MOST:
        clump_cli_cell_real(cell, v->most);
        break;
    case SAMPLES:
        if (v->known)
            clump_cli_cell_size(cell, v->samples);
        break;
    case RUNS:
        if (v->known)
            clump_cli_cell_size(cell, v->runs);
        break;
    default:
        break;
    }
}

static void set_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_cli_loggp *f = context;
    const clump_loggp_name name = (clump_loggp_name)row;
    const clump_loggp_value *v = &f->fit->values[name];
    switch (column) {
    case PLATFORM:
        clump_cli_cell_text(cell, f->platform);
        break;
    case TRANSPORT:
        clump_cli_cell_text(cell, f->fit->samples.transport);
        break;
    case VARIANT:
        clump_cli_cell_text(cell, f->fit->samples.variant);
        break;
    case PARAMETER:
        clump_cli_cell_text(cell, clump_loggp_symbol(name));
        break;
    case QUANTITY:
        clump_cli_cell_text(cell, clump_loggp_quantity(name));
        break;
    case SHOWN_VALUE:
        show_value(cell, v);
        break;
    case UNIT:
        clump_cli_cell_text(cell, name == CLUMP_LOGGP_GAP_PER_BYTE ? "us/B" : "us");
        break;
    case METHOD:
        clump_cli_cell_text(cell, method_of(&v->interval));
        break;
    case FROM:
        clump_cli_cell_text(cell, v->reason);
        break;
    case TO_DO:
        clump_cli_cell_text(cell, v->remedy);
        break;
    default:
        set_number(cell, v, column);
        break;
    }
}

clump_cli_rows clump_cli_loggp_parameters(const clump_cli_loggp *fit)
{
    return (clump_cli_rows){.key = "parameters",
                            .columns = columns,
                            .column_count = COLUMN_COUNT,
                            .row_count = CLUMP_LOGGP_NAMES,
                            .cell = set_cell,
                            .context = fit};
}

enum { FIRST_NAME, SECOND_NAME, CORRELATION, CORRELATION_COLUMNS };

static const clump_cli_column correlation_columns[CORRELATION_COLUMNS] = {
    [FIRST_NAME] = {"parameter", "Parameter", 0, 0, CLUMP_CLI_LEFT},
    [SECOND_NAME] = {"with", "With", 0, 0, CLUMP_CLI_LEFT},
    [CORRELATION] = {"correlation", "Correlation", 0, 0, CLUMP_CLI_RIGHT},
};

/* Pairs i < j, one after the other. */
static void set_correlation(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_cli_loggp *f = context;
    size_t i = 0, j = 1;
    for (size_t k = 0; k < row; k++)
        if (++j == CLUMP_LOGGP_NAMES)
            j = ++i + 1;
    if (column == FIRST_NAME)
        clump_cli_cell_text(cell, clump_loggp_symbol((clump_loggp_name)i));
    else if (column == SECOND_NAME)
        clump_cli_cell_text(cell, clump_loggp_symbol((clump_loggp_name)j));
    else
        clump_cli_cell_real(cell, f->fit->correlation[i][j]);
}

clump_cli_rows clump_cli_loggp_correlations(const clump_cli_loggp *fit)
{
    return (clump_cli_rows){.key = "correlations",
                            .columns = correlation_columns,
                            .column_count = CORRELATION_COLUMNS,
                            .row_count = (size_t)CLUMP_LOGGP_NAMES * (CLUMP_LOGGP_NAMES - 1) / 2,
                            .cell = set_correlation,
                            .context = fit};
}
