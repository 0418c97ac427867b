/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_COLUMNS_H
#define CLUMP_EXPLORING_COLUMNS_H

/* The values of a row by name: for tables, JSON and CSV, and in expressions. */

#include "exploring/expression.h"
#include "exploring/rows.h"

/** A column's number: one of these, or CLUMP_EXPLORE_COLUMNS + i for sweep i. */
enum {
    CLUMP_EXPLORE_SCENARIO,
    CLUMP_EXPLORE_APPLICATION,
    CLUMP_EXPLORE_PLATFORM,
    CLUMP_EXPLORE_PROCESSORS,
    CLUMP_EXPLORE_NICS,
    CLUMP_EXPLORE_MAPPING,
    CLUMP_EXPLORE_DEMAND,
    CLUMP_EXPLORE_UTILIZATION,
    CLUMP_EXPLORE_MAX_NICS,
    CLUMP_EXPLORE_REMOTE_FRACTION,
    CLUMP_EXPLORE_COST_RATIO,
    CLUMP_EXPLORE_MEMORY_PENALTY,
    CLUMP_EXPLORE_WAITING_FRACTION,
    CLUMP_EXPLORE_PHASE_CYCLES,
    CLUMP_EXPLORE_PROTOCOL,
    CLUMP_EXPLORE_LOSS,
    CLUMP_EXPLORE_LOSS_FACTOR,
    CLUMP_EXPLORE_NIC_UTILIZATION,
    CLUMP_EXPLORE_SLOWDOWN,
    CLUMP_EXPLORE_WORST,
    CLUMP_EXPLORE_WORST_APPLICATION,
    CLUMP_EXPLORE_MEDIAN,
    CLUMP_EXPLORE_LOW,
    CLUMP_EXPLORE_HIGH,
    CLUMP_EXPLORE_AT_PERCENTILE,
    CLUMP_EXPLORE_NOW_TIME,
    CLUMP_EXPLORE_PREDICTED_TIME,
    CLUMP_EXPLORE_PRICE,
    CLUMP_EXPLORE_WORK_PRICE,
    CLUMP_EXPLORE_LEAST_NICS,
    CLUMP_EXPLORE_LEAST_REAL,
    CLUMP_EXPLORE_PARETO,
    CLUMP_EXPLORE_COLUMNS
};

typedef enum clump_explore_kind {
    CLUMP_EXPLORE_TEXT, /**< may be NULL */
    CLUMP_EXPLORE_REAL, /**< NAN: does not apply */
    CLUMP_EXPLORE_WHOLE,
    CLUMP_EXPLORE_TRUTH
} clump_explore_kind;

/** A value as it is to be shown; whatever is no text is a number as well. */
typedef struct clump_explore_value {
    clump_explore_kind kind;
    double number;
    const char *text;
} clump_explore_value;

/** A fixed column's name in JSON and CSV, and in expressions. */
const char *clump_explore_key(size_t column);

/** @param buffer  the text may point to it */
clump_explore_value clump_explore_value_of(const clump_explore_row *row, size_t column,
                                           char buffer[CLUMP_DEMAND_NAME_SIZE]);

/** For expressions: keys, names of swept variables, and U, N, P, f, V, m, cost, worst, min_nics. */
clump_expression_names clump_explore_names(const clump_explorer *explorer);
clump_expression_value clump_explore_operand(int column, const void *row);

#endif
