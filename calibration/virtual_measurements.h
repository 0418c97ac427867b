/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VIRTUAL_MEASUREMENTS_H
#define VIRTUAL_MEASUREMENTS_H

/*
 * What `calibrate virtual` measures, one after the other.
 */

#include "calibration/virtual_hardware.h"
#include "cli/output/progress.h"
#include "protocols/virtual/virtual_cluster.h"

#include <stdbool.h>
#include <stdint.h>

enum { CLUMP_VIRTUAL_MOST = 64 };

typedef struct virtual_request {
    const char *command, *hardware_name, *protocol_name;
    clump_virtual_cluster_options machine; /**< nodes, window, faults, protocol of LCI */
    bool cells;                            /**< ssam */
    uint16_t size;                         /**< of short messages */
    uint32_t rounds;
    double compute_us; /**< 0: do not measure a host that computes */
} virtual_request;

typedef struct clump_virtual_row {
    const char *quantity, *unit;
    int64_t size_bytes, processes;
    double value;
} clump_virtual_row;

typedef struct clump_virtual_rows {
    clump_virtual_row rows[CLUMP_VIRTUAL_MOST];
    size_t count;
} clump_virtual_rows;

/** Measure all; complains itself and returns the exit code. */
int clump_virtual_measure(const virtual_request *request, const clump_virtual_hardware *hardware,
                          progress_bar *progress, clump_virtual_rows *rows);

#endif
