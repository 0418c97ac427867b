/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_COLUMNS_H
#define CLUMP_CLI_EXPLORE_COLUMNS_H

/* The values of a row by name: for tables, JSON and CSV, and in expressions. */

#include "exploring/expression.h"
#include "exploring/rows.h"

/** A column's number: one of these, or EXPLORE_COLUMNS + i for sweep i. */
enum {
    EXPLORE_SCENARIO,
    EXPLORE_APPLICATION,
    EXPLORE_PLATFORM,
    EXPLORE_PROCESSORS,
    EXPLORE_NICS,
    EXPLORE_MAPPING,
    EXPLORE_DEMAND,
    EXPLORE_UTILIZATION,
    EXPLORE_MAX_NICS,
    EXPLORE_REMOTE_FRACTION,
    EXPLORE_COST_RATIO,
    EXPLORE_MEMORY_PENALTY,
    EXPLORE_WAITING_FRACTION,
    EXPLORE_PHASE_CYCLES,
    EXPLORE_PROTOCOL,
    EXPLORE_LOSS,
    EXPLORE_LOSS_FACTOR,
    EXPLORE_NIC_UTILIZATION,
    EXPLORE_SLOWDOWN,
    EXPLORE_WORST,
    EXPLORE_WORST_APPLICATION,
    EXPLORE_MEDIAN,
    EXPLORE_LOW,
    EXPLORE_HIGH,
    EXPLORE_AT_PERCENTILE,
    EXPLORE_NOW_TIME,
    EXPLORE_PREDICTED_TIME,
    EXPLORE_PRICE,
    EXPLORE_WORK_PRICE,
    EXPLORE_LEAST_NICS,
    EXPLORE_LEAST_REAL,
    EXPLORE_PARETO,
    EXPLORE_COLUMNS
};

typedef enum explore_kind {
    EXPLORE_TEXT, /**< may be NULL */
    EXPLORE_REAL, /**< NAN: does not apply */
    EXPLORE_WHOLE,
    EXPLORE_TRUTH
} explore_kind;

/** A value as it is to be shown; whatever is no text is a number as well. */
typedef struct explore_value {
    explore_kind kind;
    double number;
    const char *text;
} explore_value;

/** A fixed column's name in JSON and CSV, and in expressions. */
const char *explore_key(size_t column);

/** @param buffer  the text may point to it */
explore_value explore_value_of(const clump_explore_row *row, size_t column,
                               char buffer[CLUMP_DEMAND_NAME_SIZE]);

/** For expressions: keys, names of swept variables, and U, N, P, f, V, m, cost, worst, min_nics. */
clump_expression_names explore_names(const clump_explorer *explorer);
clump_expression_value explore_operand(int column, const void *row);

#endif
