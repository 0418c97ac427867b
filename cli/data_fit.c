/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_fit.h"

#include <stdio.h>
#include <string.h>

enum { NAME, VALUE, LOW, HIGH, FREE, PARAMETER_COLUMNS };

static const table_column parameter_columns[PARAMETER_COLUMNS] = {
    [NAME] = {"parameter", "Parameter", 0, 0, COLUMN_LEFT},
    [VALUE] = {"value", "Value", 0, 0, COLUMN_RIGHT},
    [LOW] = {"low", "Low", 0, 0, COLUMN_RIGHT},
    [HIGH] = {"high", "High", 0, 0, COLUMN_RIGHT},
    [FREE] = {"free", "Fitted", 0, 0, COLUMN_LEFT},
};

static void parameter_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_store_fit_parameter *p = &((const clump_store_fit *)context)->parameters[row];
    switch (column) {
    case NAME:
        cell_text(cell, p->name);
        break;
    case VALUE:
        cell_real(cell, p->value);
        break;
    case LOW:
        cell_real(cell, p->low);
        break;
    case HIGH:
        cell_real(cell, p->high);
        break;
    default:
        cell_truth(cell, p->free);
        break;
    }
}

table_rows fit_parameter_rows(const clump_store_fit *fit)
{
    return (table_rows){.key = "parameters",
                        .columns = parameter_columns,
                        .column_count = PARAMETER_COLUMNS,
                        .row_count = fit->parameter_count,
                        .cell = parameter_cell,
                        .context = fit};
}

enum { PLATFORM, PROCESSORS, NICS, MAPPING, TIME, ERROR, FITTED, RESIDUAL, SOURCE, TIME_COLUMNS };

static const table_column time_columns[TIME_COLUMNS] = {
    [PLATFORM] = {"platform", "Platform", 0, 0, COLUMN_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, 0, COLUMN_RIGHT},
    [NICS] = {"nics", "NICs", 0, 0, COLUMN_RIGHT},
    [MAPPING] = {"mapping", "Mapping", 0, FOLD_ROWS, COLUMN_LEFT},
    [TIME] = {"measured_s", "Measured s", 0, 0, COLUMN_RIGHT},
    [ERROR] = {"relative_error", "Error of it", NUMBER_PERCENT, 0, COLUMN_RIGHT},
    [FITTED] = {"fitted_s", "Fitted s", 0, 0, COLUMN_RIGHT},
    [RESIDUAL] = {"residual", "Residual", NUMBER_SIGNED, 0, COLUMN_RIGHT},
    [SOURCE] = {"source", "Source", 0, FOLD_ROWS, COLUMN_LEFT},
};

static void time_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_store_fit_run *r = &((const clump_store_fit *)context)->runs[row];
    switch (column) {
    case PLATFORM:
        cell_text(cell, r->platform);
        break;
    case PROCESSORS:
        cell_whole(cell, r->processors);
        break;
    case NICS:
        cell_whole(cell, r->nics);
        break;
    case MAPPING:
        if (r->processors > 1)
            cell_text(cell, r->mapping);
        break;
    case TIME:
        cell_real(cell, r->time_s);
        break;
    case ERROR:
        cell_real(cell, r->relative_error);
        break;
    case FITTED:
        cell_real(cell, r->fitted_s);
        break;
    case RESIDUAL:
        cell_real(cell, r->fitted_s / r->time_s - 1);
        break;
    default:
        cell_text(cell, r->source);
        break;
    }
}

table_rows fit_time_rows(const clump_store_fit *fit)
{
    return (table_rows){.key = "fitted_times",
                        .columns = time_columns,
                        .column_count = TIME_COLUMNS,
                        .row_count = fit->run_count,
                        .cell = time_cell,
                        .context = fit};
}
