/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/emulation_rows.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PROCESSORS,
    NICS,
    PROCESSOR,
    UTILIZATION,
    DEMAND,
    MAPPING,
    QUEUE,
    COMPUTATION,
    COMMUNICATION,
    NOW_UTILIZATION,
    PREDICTED,
    MEASURED,
    HALF_WIDTH,
    ERROR,
    CYCLES,
    CLUMP_CYCLE,
    NOW_CYCLE,
    MESSAGE_RATIO,
    LINK_RATE,
    LATE,
    LATEST,
    STARVED,
    PROCESSOR_USE,
    MACHINE_BUSY,
    MACHINE_TAKEN,
    REAL_TIME,
    SECONDS,
    NIC_BOUND,
    DOUBT,
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [PROCESSORS] = {"processors", "Processors", 0, FOLD_ROWS, COLUMN_RIGHT},
    [NICS] = {"nics", "NICs", 0, FOLD_ROWS, COLUMN_RIGHT},
    [PROCESSOR] = {"processor", "Processor", 0, 0, COLUMN_RIGHT},
    [UTILIZATION] = {"utilization", "U", NUMBER_EXACT, FOLD_ROWS, COLUMN_RIGHT},
    [DEMAND] = {"demand", "Demand", 0, FOLD_ROWS, COLUMN_LEFT},
    [MAPPING] = {"mapping", "Mapping", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [QUEUE] = {"queue", "Queue", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [COMPUTATION] = {"computation_times", "Computations", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [COMMUNICATION] = {"communication_times", "Messages", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [NOW_UTILIZATION] = {"now_utilization", "U of NOW", NUMBER_RATIO, 0, COLUMN_RIGHT},
    [PREDICTED] = {"predicted", "Predicted", NUMBER_RATIO, 0, COLUMN_RIGHT},
    [MEASURED] = {"measured", "Measured", NUMBER_RATIO, 0, COLUMN_RIGHT},
    [HALF_WIDTH] = {"half_width", "95%", NUMBER_RATIO, 0, COLUMN_RIGHT},
    [ERROR] = {"error", "Error", NUMBER_SIGNED, 0, COLUMN_RIGHT},
    [CYCLES] = {"cycles", "Cycles", 0, FOLD_ROWS, COLUMN_DETAIL},
    [CLUMP_CYCLE] = {"clump_cycle_us", "Clump cycle us", 0, 0, COLUMN_DETAIL},
    [NOW_CYCLE] = {"now_cycle_us", "NOW cycle us", 0, 0, COLUMN_DETAIL},
    [MESSAGE_RATIO] = {"message_ratio", "Message/set", NUMBER_RATIO, 0, COLUMN_DETAIL},
    [LINK_RATE] = {"link_rate", "NIC rate", NUMBER_RATIO, 0, COLUMN_RIGHT},
    [LATE] = {"late_us", "Late us", 0, 0, COLUMN_RIGHT},
    [LATEST] = {"latest_us", "Latest us", 0, 0, COLUMN_DETAIL},
    [STARVED] = {"starved", "Starved", NUMBER_PERCENT, 0, COLUMN_DETAIL},
    [PROCESSOR_USE] = {"processor_use", "Processors used", 0, 0, COLUMN_DETAIL},
    [MACHINE_BUSY] = {"machine_busy", "Machine busy", NUMBER_PERCENT, 0, COLUMN_DETAIL},
    [MACHINE_TAKEN] = {"machine_taken", "Taken by host", NUMBER_PERCENT, 0, COLUMN_DETAIL},
    [REAL_TIME] = {"real_time", NULL, 0, 0, COLUMN_LEFT},
    [SECONDS] = {"seconds", "Seconds", 0, 0, COLUMN_DETAIL},
    [NIC_BOUND] = {"nic_bound", "NIC-bound", 0, FOLD_ROWS, COLUMN_LEFT},
    [DOUBT] = {"doubt", NULL, 0, 0, COLUMN_LEFT},
};

static double mean_of(const double *values, const size_t *weights)
{
    double sum = 0, all = 0;
    for (size_t b = 0; b < CLUMP_EMULATION_BATCHES; b++) {
        sum += values[b] * (double)weights[b];
        all += (double)weights[b];
    }
    return sum / all;
}

static void set_text(table_cell *cell, const char *text)
{
    snprintf(cell->buffer, sizeof cell->buffer, "%s", text);
    cell_text(cell, cell->buffer);
}

/* What was asked for. */
static void set_question(const clump_emulation_question *q, const clump_emulation_point *point,
                         size_t processor, size_t column, table_cell *cell)
{
    char name[CLUMP_SERVICE_TIME_NAME_SIZE];
    switch (column) {
    case PROCESSORS:
        cell_size(cell, point->processors);
        break;
    case NICS:
        cell_size(cell, point->nics);
        break;
    case PROCESSOR:
        if (q->mix_count > 0)
            cell_size(cell, processor + 1);
        break;
    case UTILIZATION:
        cell_real(cell, q->mix_count > 0 ? q->mix[processor] : point->utilization);
        break;
    case DEMAND:
        cell_text(cell, clump_demand_kind_name(point->demand));
        break;
    case MAPPING:
        cell_text(cell, clump_mapping_name(q->mapping));
        break;
    case QUEUE:
        cell_text(cell, q->fifo ? "fifo" : "fair");
        break;
    default:
        clump_service_time_name(column == COMPUTATION ? &q->computation : &q->communication, name);
        set_text(cell, name);
        break;
    }
}

/* A row: a result, or with a mix one processor of the only one. */
static const clump_emulation_ratio *ratio_of(const clump_emulation_results *results, size_t row)
{
    return results->question->mix_count > 0 ? &results->items->summary.each[row]
                                            : &results->items[row].summary.all;
}

static size_t count_rows(const clump_emulation_results *results)
{
    const size_t mix = results->question->mix_count;
    return mix > 0 && results->count > 0 ? mix : results->count;
}

static const clump_emulation_result *result_of(const clump_emulation_results *results, size_t row)
{
    return &results->items[results->question->mix_count > 0 ? 0 : row];
}

static double predicted_of(const clump_emulation_results *results, size_t row)
{
    return results->question->mix_count > 0 ? results->items->each[row]
                                            : results->items[row].predicted;
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_emulation_results *results = context;
    const clump_emulation_result *r = result_of(results, row);
    const clump_emulation_ratio *ratio = ratio_of(results, row);
    const clump_emulation_summary *s = &r->summary;
    const double predicted = predicted_of(results, row);
    const double numbers[COLUMN_COUNT] = {[NOW_UTILIZATION] = ratio->utilization,
                                          [PREDICTED] = predicted,
                                          [MEASURED] = ratio->slowdown,
                                          [HALF_WIDTH] = clump_emulation_half_width(ratio),
                                          [ERROR] = clump_emulation_error(predicted, ratio),
                                          [CLUMP_CYCLE] =
                                              mean_of(ratio->clump_us, ratio->batch_cycles),
                                          [NOW_CYCLE] = mean_of(ratio->now_us, ratio->batch_cycles),
                                          [MESSAGE_RATIO] = s->message_ratio,
                                          [LINK_RATE] = s->clump_rate,
                                          [LATE] = s->late_us,
                                          [LATEST] = s->latest_us,
                                          [STARVED] = s->starved,
                                          [PROCESSOR_USE] = s->processor_use,
                                          [MACHINE_BUSY] = r->machine_busy,
                                          [MACHINE_TAKEN] = r->machine_taken,
                                          [SECONDS] = r->seconds};
    if (column < NOW_UTILIZATION)
        set_question(results->question, &r->point, row, column, cell);
    else if (column == CYCLES)
        cell_size(cell, r->cycles);
    else if (column == REAL_TIME)
        cell_truth(cell, r->real_time);
    else if (column == NIC_BOUND)
        cell_truth(cell, r->doubt[0] == '\0');
    else if (column == DOUBT)
        cell_text(cell, r->doubt);
    else
        cell_real(cell, numbers[column]);
}

clump_emulation_errors clump_emulation_errors_of(const clump_emulation_results *results)
{
    clump_emulation_errors e = {.count = count_rows(results)};
    for (size_t i = 0; i < e.count; i++) {
        const clump_emulation_ratio *ratio = ratio_of(results, i);
        const double predicted = predicted_of(results, i);
        const double size = fabs(clump_emulation_error(predicted, ratio));
        e.mean += size / (double)e.count;
        e.within += fabs(predicted - ratio->slowdown) <= clump_emulation_half_width(ratio);
        e.doubtful += result_of(results, i)->doubt[0] != '\0';
        if (size >= e.worst) {
            e.worst = size;
            e.worst_row = i;
        }
    }
    return e;
}

int emulation_print(output_format format, const clump_emulation_results *results,
                    const output_field *fields, size_t field_count)
{
    const table_rows rows = {.key = "results",
                             .columns = columns,
                             .column_count = COLUMN_COUNT,
                             .row_count = count_rows(results),
                             .cell = set_cell,
                             .context = results};
    return output_print(format, &rows, fields, field_count);
}

/* ---- a picture */

/* The rows of one demand, as points; `numbers` has room for four of each. */
static plot_series gather(const clump_emulation_results *results, clump_demand demand,
                          double *numbers)
{
    const size_t rows = count_rows(results);
    double *x = numbers, *y = x + rows, *low = y + rows, *high = low + rows;
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        const clump_emulation_ratio *ratio = ratio_of(results, i);
        if (result_of(results, i)->point.demand != demand)
            continue;
        x[count] = predicted_of(results, i);
        y[count] = ratio->slowdown;
        low[count] = ratio->slowdown - clump_emulation_half_width(ratio);
        high[count++] = ratio->slowdown + clump_emulation_half_width(ratio);
    }
    return (plot_series){.name = clump_demand_kind_name(demand),
                         .mark = PLOT_POINTS,
                         .colour = demand == CLUMP_DEMAND_CORRELATED,
                         .x = x,
                         .y = y,
                         .low = low,
                         .high = high,
                         .count = count};
}

int emulation_draw(output_format format, const clump_emulation_results *results,
                   const char *machine)
{
    const plot_request *request = &results->question->plot;
    char title[160];
    const size_t room = 4 * count_rows(results);
    double *numbers = malloc(2 * room * sizeof *numbers);
    if (numbers == NULL)
        return error_memory(request->command);
    const plot_series series[] = {gather(results, CLUMP_DEMAND_INDEPENDENT, numbers),
                                  gather(results, CLUMP_DEMAND_CORRELATED, numbers + room)};
    snprintf(title, sizeof title, "Slowdown of emulated Clumps, %.100s", machine);
    const plot_picture plot = {.title = title,
                               .x = {.label = "Predicted slowdown"},
                               .y = {.label = "Measured slowdown"},
                               .diagonal = true,
                               .series = series,
                               .series_count = 2};
    const int status = plot_request_draw(request, &plot, 1, format);
    free(numbers);
    return status;
}
