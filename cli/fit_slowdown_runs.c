/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configurations of a fit: measured, fitted, residual. */
#include "cli/fit_slowdown_output.h"
#include "model/prediction.h"

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

static const table_column run_columns[RUN_COLUMNS] = {
    [PLATFORM] = {"platform", "Platform", 0, 0, COLUMN_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, 0, COLUMN_RIGHT},
    [NICS] = {"nics", "NICs", 0, 0, COLUMN_RIGHT},
    [MAPPING] = {"mapping", "Mapping", 0, FOLD_ROWS, COLUMN_LEFT},
    [NOW] = {"now", NULL, 0, 0, COLUMN_LEFT},
    [UTILIZATION] = {"utilization", "U", 0, 0, COLUMN_RIGHT},
    [REMOTE] = {"remote_fraction", "f", 0, 0, COLUMN_RIGHT},
    [COST_RATIO] = {"cost_ratio", "V", 0, 0, COLUMN_RIGHT},
    [WAITING] = {"waiting_fraction", "h", 0, 0, COLUMN_RIGHT},
    [COUNT] = {"times", "Times", 0, FOLD_ROWS, COLUMN_RIGHT},
    [MEASURED] = {"measured_s", "Measured s", 0, 0, COLUMN_RIGHT},
    [SPREAD] = {"relative_error", "Error of it", NUMBER_PERCENT, 0, COLUMN_RIGHT},
    [FITTED] = {"fitted_s", "Fitted s", 0, 0, COLUMN_RIGHT},
    [RESIDUAL] = {"residual", "Residual", NUMBER_SIGNED, 0, COLUMN_RIGHT},
    [STANDARDIZED] = {"standardized_residual", NULL, 0, 0, COLUMN_RIGHT},
    [SLOWDOWN] = {"slowdown", "Slowdown", NUMBER_RATIO, 0, COLUMN_RIGHT},
};

static double run_number(const fit_slowdown_answer *a, size_t row, size_t column)
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

static void run_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const fit_slowdown_answer *a = context;
    const clump_slowdown_runs *runs = &a->asked->runs;
    const clump_slowdown_record *record = &runs->records[runs->record_of[row]];
    switch (column) {
    case PLATFORM:
        cell_text(cell, record->platform);
        break;
    case PROCESSORS:
        cell_size(cell, record->run.processors);
        break;
    case NICS:
        cell_size(cell, record->run.nics);
        break;
    case MAPPING:
        if (record->run.processors > 1)
            cell_text(cell, clump_mapping_name(record->run.mapping));
        break;
    case NOW:
        cell_text(cell, record->base);
        break;
    case COUNT:
        cell_size(cell, runs->repetitions[row]);
        break;
    default:
        cell_real(cell, run_number(a, row, column));
        break;
    }
}

/* How many times were merged matters only where some were. */
static bool run_worth(const void *context, size_t row, size_t column)
{
    const fit_slowdown_answer *a = context;
    return column != COUNT || a->asked->runs.repetitions[row] > 1;
}

table_rows fit_slowdown_run_rows(const fit_slowdown_answer *answer)
{
    return (table_rows){.key = "configurations",
                        .columns = run_columns,
                        .column_count = RUN_COLUMNS,
                        .row_count = answer->asked->question.run_count,
                        .cell = run_cell,
                        .worth = run_worth,
                        .context = answer};
}
