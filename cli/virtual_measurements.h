/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VIRTUAL_MEASUREMENTS_H
#define CLUMP_CLI_VIRTUAL_MEASUREMENTS_H

/*
 * What `calibrate virtual` measures, one after the other.
 */

#include "cli/progress.h"
#include "cli/virtual_hardware.h"
#include "protocols/virtual/machine.h"

#include <stdbool.h>
#include <stdint.h>

enum { CLUMP_CLI_VIRTUAL_MOST = 64 };

typedef struct clump_cli_virtual_request {
    const char *command, *hardware_name, *protocol_name;
    clump_machine_options machine; /**< nodes, window, faults, protocol of LCI */
    bool cells;                    /**< ssam */
    uint16_t size;                 /**< of short messages */
    uint32_t rounds;
    double compute_us; /**< 0: do not measure a host that computes */
} clump_cli_virtual_request;

typedef struct clump_cli_virtual_row {
    const char *quantity, *unit;
    int64_t size_bytes, processes;
    double value;
} clump_cli_virtual_row;

typedef struct clump_cli_virtual_rows {
    clump_cli_virtual_row rows[CLUMP_CLI_VIRTUAL_MOST];
    size_t count;
} clump_cli_virtual_rows;

/** Measure all; complains itself and returns the exit code. */
int clump_cli_virtual_measure(const clump_cli_virtual_request *request,
                              const clump_cli_virtual_hardware *hardware,
                              clump_cli_progress *progress, clump_cli_virtual_rows *rows);

#endif
