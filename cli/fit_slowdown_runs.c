/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configurations of a fit: measured, fitted, residual. */
#include "cli/fit_slowdown_output.h"
#include "scenarios/result.h"

#include <math.h>

enum {
    PLATFORM,
    PROCESSORS,
    NICS,
    MAPPING,
    NOW,
    UTILIZATION,
    REMOTE,
    COST_RATIO,
    WAITING,
    COUNT,
    MEASURED,
    SPREAD,
    FITTED,
    RESIDUAL,
    STANDARDIZED,
    SLOWDOWN,
    RUN_COLUMNS
};

static const clump_cli_column run_columns[RUN_COLUMNS] = {
    [PLATFORM] = {"platform", "Platform", 0, 0, CLUMP_CLI_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, 0, CLUMP_CLI_RIGHT},
    [NICS] = {"nics", "NICs", 0, 0, CLUMP_CLI_RIGHT},
    [MAPPING] = {"mapping", "Mapping", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_LEFT},
    [NOW] = {"now", NULL, 0, 0, CLUMP_CLI_LEFT},
    [UTILIZATION] = {"utilization", "U", 0, 0, CLUMP_CLI_RIGHT},
    [REMOTE] = {"remote_fraction", "f", 0, 0, CLUMP_CLI_RIGHT},
    [COST_RATIO] = {"cost_ratio", "V", 0, 0, CLUMP_CLI_RIGHT},
    [WAITING] = {"waiting_fraction", "h", 0, 0, CLUMP_CLI_RIGHT},
    [COUNT] = {"times", "Times", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_RIGHT},
    [MEASURED] = {"measured_s", "Measured s", 0, 0, CLUMP_CLI_RIGHT},
    [SPREAD] = {"relative_error", "Error of it", CLUMP_CLI_PERCENT, 0, CLUMP_CLI_RIGHT},
    [FITTED] = {"fitted_s", "Fitted s", 0, 0, CLUMP_CLI_RIGHT},
    [RESIDUAL] = {"residual", "Residual", CLUMP_CLI_SIGNED, 0, CLUMP_CLI_RIGHT},
    [STANDARDIZED] = {"standardized_residual", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [SLOWDOWN] = {"slowdown", "Slowdown", CLUMP_CLI_RATIO, 0, CLUMP_CLI_RIGHT},
};

static double run_number(const clump_cli_fit_slowdown_answer *a, size_t row, size_t column)
{
    const clump_slowdown_question *q = &a->asked->question;
    const clump_slowdown_run *r = &q->runs[row];
    switch (column) {
    case UTILIZATION:
        return q->free[CLUMP_SLOWDOWN_UTILIZATION] ? NAN : r->utilization;
    case REMOTE:
        return q->free[CLUMP_SLOWDOWN_REMOTE] ? NAN : r->nics == 0 ? 0 : r->remote_fraction;
    case COST_RATIO:
        return q->free[CLUMP_SLOWDOWN_COST_RATIO] ? NAN : r->cost_ratio;
    case WAITING:
        return q->free[CLUMP_SLOWDOWN_WAITING] ? NAN : r->waiting_fraction;
    case MEASURED:
        return r->time_s;
    case SPREAD:
        return r->relative_error;
    case FITTED:
        return a->fit->fitted_s[row];
    case RESIDUAL: /* as in `predict`: of the model, against what was measured */
        return a->fit->fitted_s[row] / r->time_s - 1;
    case STANDARDIZED:
        return log(a->fit->fitted_s[row] / r->time_s) / r->relative_error;
    default:
        return a->fit->slowdowns[row];
    }
}

static void run_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_cli_fit_slowdown_answer *a = context;
    const clump_slowdown_runs *runs = &a->asked->runs;
    const clump_slowdown_record *record = &runs->records[runs->record_of[row]];
    switch (column) {
    case PLATFORM:
        clump_cli_cell_text(cell, record->platform);
        break;
    case PROCESSORS:
        clump_cli_cell_size(cell, record->run.processors);
        break;
    case NICS:
        clump_cli_cell_size(cell, record->run.nics);
        break;
    case MAPPING:
        if (record->run.processors > 1)
            clump_cli_cell_text(cell, clump_mapping_name(record->run.mapping));
        break;
    case NOW:
        clump_cli_cell_text(cell, record->base);
        break;
    case COUNT:
        clump_cli_cell_size(cell, runs->repetitions[row]);
        break;
    default:
        clump_cli_cell_real(cell, run_number(a, row, column));
        break;
    }
}

/* How many times were merged matters only where some were. */
static bool run_worth(const void *context, size_t row, size_t column)
{
    const clump_cli_fit_slowdown_answer *a = context;
    return column != COUNT || a->asked->runs.repetitions[row] > 1;
}

clump_cli_rows clump_cli_fit_slowdown_run_rows(const clump_cli_fit_slowdown_answer *answer)
{
    return (clump_cli_rows){.key = "configurations",
                            .columns = run_columns,
                            .column_count = RUN_COLUMNS,
                            .row_count = answer->asked->question.run_count,
                            .cell = run_cell,
                            .worth = run_worth,
                            .context = answer};
}
