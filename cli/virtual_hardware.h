/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VIRTUAL_HARDWARE_H
#define CLUMP_CLI_VIRTUAL_HARDWARE_H

/*
 * Descriptions of hardware for virtual time, and what documents measured on it, from the store: the
 * samples of a platform whose quantities begin with "hardware_", and its other reference samples.
 */

#include "data/store.h"
#include "protocols/virtual/hardware.h"

enum { CLUMP_CLI_PRINTED_MOST = 256 };

typedef struct clump_cli_printed {
    char variant[32], quantity[40];
    double value;
} clump_cli_printed;

typedef struct clump_cli_virtual_hardware {
    clump_hardware node;                               /**< of LCI */
    clump_cell_hardware cells;                         /**< of SSAM */
    size_t node_known, cells_known;                    /**< fields that the store has */
    int64_t nodes;                                     /**< of the platform */
    clump_cli_printed printed[CLUMP_CLI_PRINTED_MOST]; /**< by documents */
    size_t printed_count;
} clump_cli_virtual_hardware;

/** Read it; complains itself and returns the exit code. */
int clump_cli_virtual_hardware_read(const char *command, clump_store *store, const char *platform,
                                    clump_cli_virtual_hardware *hardware);

/** What a document printed, NAN if nothing. */
double clump_cli_virtual_printed(const clump_cli_virtual_hardware *hardware, const char *variant,
                                 const char *quantity);

#endif
