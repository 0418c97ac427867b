/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VIRTUAL_HARDWARE_H
#define VIRTUAL_HARDWARE_H

/*
 * Descriptions of hardware for virtual time, and what documents measured on it, from the store: the
 * samples of a platform whose quantities begin with "hardware_", and its other reference samples.
 */

#include "data/store/store.h"
#include "protocols/virtual/hardware.h"

enum { PRINTED_MOST = 256 };

typedef struct printed_names {
    char variant[32], quantity[40];
    double value;
} printed_names;

typedef struct clump_virtual_hardware {
    clump_hardware node;                 /**< of LCI */
    clump_cell_hardware cells;           /**< of SSAM */
    size_t node_known, cells_known;      /**< fields that the store has */
    int64_t nodes;                       /**< of the platform */
    printed_names printed[PRINTED_MOST]; /**< by documents */
    size_t printed_count;
} clump_virtual_hardware;

/** Read it; complains itself and returns the exit code. */
int virtual_hardware_read(const char *command, clump_store *store, const char *platform,
                          clump_virtual_hardware *hardware);

/** What a document printed, NAN if nothing. */
double virtual_printed(const clump_virtual_hardware *hardware, const char *variant,
                       const char *quantity);

#endif
