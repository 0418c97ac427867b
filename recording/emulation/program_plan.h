/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What runs on emulated nodes, and how.
 */
#ifndef CLUMP_RECORDING_EMULATION_PROGRAM_PLAN_H
#define CLUMP_RECORDING_EMULATION_PROGRAM_PLAN_H

#include "protocols/emulation/nodes.h"

#include <stdbool.h>

enum { CLUMP_MPI_EMULATION_MESSAGE_BYTES = 256 };

/** Times and rates are those that the program knows: one second of it lasts `dilation` seconds. */
typedef struct clump_mpi_emulation_plan {
    unsigned nodes;       /**< 1 to 64 */
    unsigned processors;  /**< ranks of a node; 1024 in all */
    unsigned nics;        /**< of a node, 1 to 16 */
    double rate_mbit;     /**< of a NIC in each direction, headers not counted */
    double dilation;      /**< D, 1 to 10,000 */
    bool mpich;           /**< the program is linked with MPICH; else with Open MPI */
    const char *launcher; /**< mpirun of the library */
    const char *preloads; /**< what is preloaded: libclumpdilate.so first, separated by colons */
    const char *record;   /**< folder for a recorder among them, or NULL */
    char *const *command; /**< program and its arguments, ends with NULL */
    int log;              /**< descriptor that receives what the program prints */
    double limit_seconds; /**< of real time: then it is stopped */
} clump_mpi_emulation_plan;

#endif
