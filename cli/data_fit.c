/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_fit.h"

#include <stdio.h>
#include <string.h>

enum { NAME, VALUE, LOW, HIGH, FREE, PARAMETER_COLUMNS };

static const clump_cli_column parameter_columns[PARAMETER_COLUMNS] = {
    [NAME] = {"parameter", "Parameter", 0, 0, CLUMP_CLI_LEFT},
    [VALUE] = {"value", "Value", 0, 0, CLUMP_CLI_RIGHT},
    [LOW] = {"low", "Low", 0, 0, CLUMP_CLI_RIGHT},
    [HIGH] = {"high", "High", 0, 0, CLUMP_CLI_RIGHT},
    [FREE] = {"free", "Fitted", 0, 0, CLUMP_CLI_LEFT},
};

static void parameter_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_store_fit_parameter *p = &((const clump_store_fit *)context)->parameters[row];
    switch (column) {
    case NAME:
        clump_cli_cell_text(cell, p->name);
        break;
    case VALUE:
        clump_cli_cell_real(cell, p->value);
        break;
    case LOW:
        clump_cli_cell_real(cell, p->low);
        break;
    case HIGH:
        clump_cli_cell_real(cell, p->high);
        break;
    default:
        clump_cli_cell_truth(cell, p->free);
        break;
    }
}

clump_cli_rows clump_cli_fit_parameter_rows(const clump_store_fit *fit)
{
    return (clump_cli_rows){.key = "parameters",
                            .columns = parameter_columns,
                            .column_count = PARAMETER_COLUMNS,
                            .row_count = fit->parameter_count,
                            .cell = parameter_cell,
                            .context = fit};
}

enum { PLATFORM, PROCESSORS, NICS, MAPPING, TIME, ERROR, FITTED, RESIDUAL, SOURCE, TIME_COLUMNS };

static const clump_cli_column time_columns[TIME_COLUMNS] = {
    [PLATFORM] = {"platform", "Platform", 0, 0, CLUMP_CLI_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, 0, CLUMP_CLI_RIGHT},
    [NICS] = {"nics", "NICs", 0, 0, CLUMP_CLI_RIGHT},
    [MAPPING] = {"mapping", "Mapping", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_LEFT},
    [TIME] = {"measured_s", "Measured s", 0, 0, CLUMP_CLI_RIGHT},
    [ERROR] = {"relative_error", "Error of it", CLUMP_CLI_PERCENT, 0, CLUMP_CLI_RIGHT},
    [FITTED] = {"fitted_s", "Fitted s", 0, 0, CLUMP_CLI_RIGHT},
    [RESIDUAL] = {"residual", "Residual", CLUMP_CLI_SIGNED, 0, CLUMP_CLI_RIGHT},
    [SOURCE] = {"source", "Source", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_LEFT},
};

static void time_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_store_fit_run *r = &((const clump_store_fit *)context)->runs[row];
    switch (column) {
    case PLATFORM:
        clump_cli_cell_text(cell, r->platform);
        break;
    case PROCESSORS:
        clump_cli_cell_whole(cell, r->processors);
        break;
    case NICS:
        clump_cli_cell_whole(cell, r->nics);
        break;
    case MAPPING:
        if (r->processors > 1)
            clump_cli_cell_text(cell, r->mapping);
        break;
    case TIME:
        clump_cli_cell_real(cell, r->time_s);
        break;
    case ERROR:
        clump_cli_cell_real(cell, r->relative_error);
        break;
    case FITTED:
        clump_cli_cell_real(cell, r->fitted_s);
        break;
    case RESIDUAL:
        clump_cli_cell_real(cell, r->fitted_s / r->time_s - 1);
        break;
    default:
        clump_cli_cell_text(cell, r->source);
        break;
    }
}

clump_cli_rows clump_cli_fit_time_rows(const clump_store_fit *fit)
{
    return (clump_cli_rows){.key = "fitted_times",
                            .columns = time_columns,
                            .column_count = TIME_COLUMNS,
                            .row_count = fit->run_count,
                            .cell = time_cell,
                            .context = fit};
}
