/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_WORKLOAD_H
#define CLUMP_EXPLORING_WORKLOAD_H

/*
 * Several programs that share one machine: what the year's work takes, and costs, with other numbers of NICs a node. Each
 * program counts by its share of the node hours that were measured; times with other NICs are those of
 * model/workload/measured_share.h, added up.
 */

#include "model/workload/measured_share.h"

#include <stdbool.h>

typedef struct clump_workload_program {
    const char *name, *source; /**< "": not said */
    double hours;              /**< of nodes, in any unit, above 0 */
    clump_measured_share share;
    clump_share_loads loads; /**< found by clump_workload_compute */
} clump_workload_program;

typedef struct clump_workload_row {
    size_t nics;
    double least,
        most; /**< time over that with the NICs that were measured, between both ends of the demand */
    double low, high; /**< its 90% interval: that of each program, all at their ends together */
    double price;     /**< of a node; NAN: no prices */
    double cost_least, cost_most, cost_low,
        cost_high; /**< of nodes that do the work of one as measured, in as many hours */
    bool
        best; /**< no other number is both as fast and as cheap, by `most` and `cost_most`; all, without prices */
} clump_workload_row;

/**
 * @param programs  at least one; `changes` receives for program p and number n the element p * nic_count + n, or NULL
 * @param nics      numbers to compare, at least 1 each
 * @param rows      receives nic_count of them
 * @param prices    of a node without NICs, and of a NIC with its switch port; NAN and NAN: none
 * Errors: those of clump_measured_share_loads, which name the program. Cost: some 50 times clump_predict a program, and three
 * times for each number.
 */
clump_status clump_workload_compute(clump_workload_program *programs, size_t count,
                                    const size_t *nics, size_t nic_count, const double prices[2],
                                    clump_workload_row *rows, clump_share_change *changes,
                                    clump_error *error);

#endif
