/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/result_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SCENARIO,
    APPLICATION,
    PLATFORM,
    PROCESSORS,
    NICS,
    PROCESSOR,
    UTILIZATION,
    DEMAND,
    DEMAND_SHOWN, /* with few digits of a gang size that was fitted */
    GANG_SIZE,
    MAPPING,
    MAX_NICS,
    REMOTE_FRACTION,
    COST_RATIO,
    MEMORY_PENALTY,
    WAITING_FRACTION,
    PHASE_CYCLES,
    PROTOCOL,
    LOSS,
    LOSS_FACTOR,
    ADJUSTED_UTILIZATION,
    MEAN_ACTIVE,
    NIC_UTILIZATION,
    SLOWDOWN,
    HALF_WIDTH,
    INTERVAL, /* only in tables */
    SLOWEST,
    SLOWEST_HALF_WIDTH,
    CONFIDENCE,
    COMPUTATION_TIMES,
    COMMUNICATION_TIMES,
    REPLICATIONS,
    WARM_UP,
    IDLE,
    LONGEST_QUEUE,
    MESSAGES,
    EVENTS,
    MEASURED, /* with its interval, in tables */
    MEASURED_SLOWDOWN,
    MEASURED_HALF_WIDTH,
    ERROR,
    NOW_TIME,
    PREDICTED_TIME,
    MEASURED_TIME,
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [SCENARIO] = {"scenario", "Scenario", 0, FOLD_ALWAYS, COLUMN_PROSE},
    [APPLICATION] = {"application", "Application", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PLATFORM] = {"platform", "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, FOLD_ROWS, COLUMN_RIGHT},
    [NICS] = {"nics", "NICs", 0, FOLD_ROWS, COLUMN_RIGHT},
    [PROCESSOR] = {"processor", "Processor", 0, FOLD_NEVER, COLUMN_RIGHT},
    [UTILIZATION] = {"utilization", "Utilization", 0, FOLD_ROWS, COLUMN_RIGHT},
    [DEMAND] = {"demand", NULL, 0, 0, COLUMN_LEFT},
    [DEMAND_SHOWN] = {NULL, "Demand", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [GANG_SIZE] = {"gang_size", NULL, 0, 0, COLUMN_RIGHT}, /* in tables the demand names it */
    [MAPPING] = {"mapping", "Mapping", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [MAX_NICS] = {"max_nics_per_processor", "NICs/processor", 0, FOLD_ROWS, COLUMN_RIGHT},
    [REMOTE_FRACTION] = {"remote_fraction", "Remote", 0, FOLD_ROWS, COLUMN_RIGHT},
    [COST_RATIO] = {"cost_ratio", "Cost ratio", 0, FOLD_ROWS, COLUMN_RIGHT},
    [MEMORY_PENALTY] = {"memory_penalty", "Memory penalty", 0, FOLD_ROWS, COLUMN_RIGHT},
    [WAITING_FRACTION] = {"waiting_fraction", "Waiting", 0, FOLD_ROWS, COLUMN_RIGHT},
    [PHASE_CYCLES] = {"phase_cycles", "Phase", 0, FOLD_ROWS, COLUMN_RIGHT},
    [PROTOCOL] = {"protocol", "Protocol", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [LOSS] = {"loss", "Loss", 0, FOLD_ALWAYS, COLUMN_RIGHT},
    [LOSS_FACTOR] = {"loss_factor", "Loss factor", 0, FOLD_NEVER, COLUMN_RIGHT},
    [ADJUSTED_UTILIZATION] = {"adjusted_utilization", NULL, 0, 0, COLUMN_RIGHT},
    [MEAN_ACTIVE] = {"mean_active", "Communicating", 0, FOLD_ROWS, COLUMN_DETAIL},
    [NIC_UTILIZATION] = {"nic_utilization", "NICs used", NUMBER_PERCENT, FOLD_ROWS, COLUMN_RIGHT},
    [SLOWDOWN] = {"slowdown", "Slowdown", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [HALF_WIDTH] = {"half_width", NULL, 0, 0, COLUMN_RIGHT},
    [INTERVAL] = {NULL, "Interval", 0, FOLD_NEVER, COLUMN_RIGHT},
    [SLOWEST] = {"slowest_slowdown", "Slowest", NUMBER_RATIO, FOLD_ROWS, COLUMN_RIGHT},
    [SLOWEST_HALF_WIDTH] = {"slowest_half_width", NULL, 0, 0, COLUMN_RIGHT},
    [CONFIDENCE] = {"confidence", "Confidence", NUMBER_PERCENT, FOLD_ALWAYS, COLUMN_RIGHT},
    [COMPUTATION_TIMES] = {"computation_times", "Computations", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [COMMUNICATION_TIMES] = {"communication_times", "Communications", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [REPLICATIONS] = {"replications", "Replications", 0, FOLD_ALWAYS, COLUMN_RIGHT},
    [WARM_UP] = {"warm_up_cycles", "Warm-up", 0, FOLD_ROWS, COLUMN_DETAIL},
    [IDLE] = {"idle_fraction", "Idle", NUMBER_PERCENT, FOLD_NEVER, COLUMN_RIGHT},
    [LONGEST_QUEUE] = {"longest_queue", "Queue", 0, FOLD_NEVER, COLUMN_RIGHT},
    [MESSAGES] = {"messages", "Messages", 0, FOLD_NEVER, COLUMN_DETAIL},
    [EVENTS] = {"events", "Events", 0, FOLD_NEVER, COLUMN_RIGHT},
    [MEASURED] = {NULL, "Measured", 0, FOLD_NEVER, COLUMN_RIGHT},
    [MEASURED_SLOWDOWN] = {"measured_slowdown", NULL, 0, 0, COLUMN_RIGHT},
    [MEASURED_HALF_WIDTH] = {"measured_half_width", NULL, 0, 0, COLUMN_RIGHT},
    [ERROR] = {"error", "Error", NUMBER_SIGNED, FOLD_NEVER, COLUMN_RIGHT},
    [NOW_TIME] = {"now_time_s", "NOW s", 0, FOLD_ROWS, COLUMN_DETAIL},
    [PREDICTED_TIME] = {"predicted_time_s", "Predicted s", 0, FOLD_NEVER, COLUMN_RIGHT},
    [MEASURED_TIME] = {"measured_time_s", "Measured s", 0, FOLD_NEVER, COLUMN_DETAIL},
};

/* "1.354 ± 0.030"; the digits of the interval decide how many are worth showing. */
static void set_measured(table_cell *cell, const clump_result *r)
{
    if (!isfinite(r->measured_slowdown))
        return;
    if (isfinite(r->measured_half_width))
        snprintf(cell->buffer, sizeof cell->buffer, "%.3f %s %.3f", r->measured_slowdown,
                 plus_minus(), r->measured_half_width);
    else
        snprintf(cell->buffer, sizeof cell->buffer, "%.3f", r->measured_slowdown);
    cell_text(cell, cell->buffer);
}

/* "± 0.0031" */
static void set_interval(table_cell *cell, const clump_result *r)
{
    if (!(r->events > 0) || !isfinite(r->half_width))
        return;
    snprintf(cell->buffer, sizeof cell->buffer, "%s %.4f", plus_minus(), r->half_width);
    cell_text(cell, cell->buffer);
}

static void set_text_cell(const clump_result *r, size_t column, table_cell *cell)
{
    char name[CLUMP_DEMAND_NAME_SIZE];
    switch (column) {
    case SCENARIO:
        cell_text(cell, r->scenario);
        break;
    case APPLICATION:
        cell_text(cell, r->application);
        break;
    case PLATFORM:
        cell_text(cell, r->platform);
        break;
    case DEMAND:
    case DEMAND_SHOWN:
        clump_demand_name(r->demand, r->gang_size, name);
        snprintf(cell->buffer, sizeof cell->buffer, "%s", name);
        if (column == DEMAND_SHOWN && r->demand == CLUMP_DEMAND_GANG)
            snprintf(cell->buffer, sizeof cell->buffer, "gang:%.4g", r->gang_size);
        cell_text(cell, cell->buffer);
        break;
    case MAPPING:
        cell_text(cell, clump_mapping_name(r->mapping));
        break;
    case PROTOCOL:
        cell_text(cell, r->protocol);
        break;
    case MEASURED:
        set_measured(cell, r);
        break;
    case INTERVAL:
        set_interval(cell, r);
        break;
    case COMPUTATION_TIMES:
        cell_text(cell, r->computation_times);
        break;
    case COMMUNICATION_TIMES:
        cell_text(cell, r->communication_times);
        break;
    default:
        break;
    }
}

static double real_of(const clump_result *r, size_t column)
{
    switch (column) {
    case UTILIZATION:
        return r->utilization;
    case GANG_SIZE:
        return r->demand == CLUMP_DEMAND_GANG ? r->gang_size : NAN;
    case MAX_NICS:
        return r->max_nics_per_processor > 0 ? r->max_nics_per_processor : NAN;
    case REMOTE_FRACTION:
        return r->remote_fraction;
    case COST_RATIO:
        return r->cost_ratio;
    case MEMORY_PENALTY:
        return r->memory_penalty;
    case WAITING_FRACTION:
        return r->waiting_fraction;
    case PHASE_CYCLES:
        return r->phase_cycles > 0 ? r->phase_cycles : NAN;
    case LOSS:
        return r->protocol != NULL ? r->loss : NAN;
    case LOSS_FACTOR:
        return r->protocol != NULL ? r->loss_factor : NAN;
    case ADJUSTED_UTILIZATION:
        return r->adjusted_utilization;
    case MEAN_ACTIVE:
        return r->mean_active;
    case NIC_UTILIZATION:
        return r->nic_utilization;
    case SLOWDOWN:
        return r->slowdown;
    case SLOWEST:
        return r->slowest_slowdown;
    case HALF_WIDTH:
        return r->events > 0 ? r->half_width : NAN;
    case SLOWEST_HALF_WIDTH:
        return r->events > 0 ? r->slowest_half_width : NAN;
    case CONFIDENCE:
        return r->events > 0 ? r->confidence : NAN;
    case IDLE:
        return r->messages > 0 ? r->idle_fraction : NAN;
    case LONGEST_QUEUE:
        return r->messages > 0 ? r->longest_queue : NAN;
    case MESSAGES:
        return r->messages > 0 ? r->messages : NAN;
    case WARM_UP:
        return r->events > 0 ? r->warm_up : NAN;
    case EVENTS:
        return r->events > 0 ? r->events : NAN;
    case MEASURED_SLOWDOWN:
        return r->measured_slowdown;
    case MEASURED_HALF_WIDTH:
        return r->measured_half_width;
    case ERROR:
        return r->error;
    case NOW_TIME:
        return r->now_time;
    case PREDICTED_TIME:
        return r->predicted_time;
    case MEASURED_TIME:
        return r->measured_time;
    default:
        return NAN;
    }
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_result *r = (const clump_result *)context + row;
    switch (column) {
    case SCENARIO:
    case APPLICATION:
    case PLATFORM:
    case DEMAND:
    case DEMAND_SHOWN:
    case MAPPING:
    case PROTOCOL:
    case MEASURED:
    case INTERVAL:
    case COMPUTATION_TIMES:
    case COMMUNICATION_TIMES:
        set_text_cell(r, column, cell);
        break;
    case PROCESSORS:
        cell_size(cell, r->processors);
        break;
    case NICS:
        cell_size(cell, r->nics);
        break;
    case REPLICATIONS:
        if (r->events > 0)
            cell_size(cell, r->replications);
        break;
    case PROCESSOR:
        if (r->processor > 0)
            cell_size(cell, r->processor);
        break;
    default:
        cell_real(cell, real_of(r, column));
        break;
    }
}

static bool is_other(const char *times)
{
    return times != NULL && strcmp(times, "exponential") != 0;
}

static bool differs(double value, double neutral)
{
    return isfinite(value) && fabs(value - neutral) > 1e-9 * fmax(1, fabs(neutral));
}

/* Tables leave out what changes nothing. */
static bool is_worth(const void *context, size_t row, size_t column)
{
    const clump_result *r = (const clump_result *)context + row;
    switch (column) {
    case REMOTE_FRACTION:
        return differs(r->remote_fraction, 1);
    case COST_RATIO: /* of a platform it follows from LogGP, and only makes the table wider */
        return differs(r->remote_fraction, 1) && r->platform == NULL;
    case MEMORY_PENALTY:
        return differs(r->memory_penalty, 1);
    case WAITING_FRACTION:
        return differs(r->waiting_fraction, 0) && r->platform == NULL;
    case COMPUTATION_TIMES: /* by themselves the times are what the model assumes */
    case COMMUNICATION_TIMES:
        return is_other(r->computation_times) || is_other(r->communication_times);
    case PROTOCOL:
        return r->protocol != NULL;
    case LOSS:
    case LOSS_FACTOR:
        return r->protocol != NULL && r->loss > 0;
    case SLOWEST:
        return differs(r->slowest_slowdown, r->slowdown);
    default:
        return true;
    }
}

static bool is_simulated(size_t column)
{
    return column == HALF_WIDTH || column == INTERVAL ||
           (column >= SLOWEST_HALF_WIDTH && column <= EVENTS);
}

static bool is_of_loss(size_t column)
{
    return column == PROTOCOL || column == LOSS || column == LOSS_FACTOR;
}

/* Columns that have something to say: those of simulations, and of networks whose protocol is
 * named, only where there are such rows. */
static table_column shown_columns[COLUMN_COUNT];
static size_t shown_order[COLUMN_COUNT];

static void set_shown_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    set_cell(context, row, shown_order[column], cell);
}

static bool is_shown_worth(const void *context, size_t row, size_t column)
{
    return is_worth(context, row, shown_order[column]);
}

table_rows result_rows(const clump_result *results, size_t count)
{
    bool simulated = false, named = false;
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        simulated = simulated || results[i].events > 0;
        named = named || results[i].protocol != NULL;
    }
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if ((simulated || !is_simulated(i)) && (named || !is_of_loss(i))) {
            shown_order[shown] = i;
            shown_columns[shown++] = columns[i];
        }
    return (table_rows){.key = "results",
                        .columns = shown_columns,
                        .column_count = shown,
                        .row_count = count,
                        .cell = set_shown_cell,
                        .worth = is_shown_worth,
                        .context = results};
}

const char *result_verdict(double slowdown, char text[VERDICT_SIZE])
{
    const double percent = 100 * (slowdown - 1);
    if (slowdown >= 2)
        snprintf(text, VERDICT_SIZE, "%.3g times as long as the NOW", slowdown);
    else if (fabs(percent) < 0.05)
        snprintf(text, VERDICT_SIZE, "as long as the NOW");
    else
        snprintf(text, VERDICT_SIZE, "%.1f%% %s the NOW", fabs(percent),
                 percent > 0 ? "longer than" : "less time than");
    return text;
}
