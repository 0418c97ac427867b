/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * One run of an MPI program on emulated nodes, with its time dilated.
 */
#ifndef CLUMP_RECORDING_EMULATION_PROGRAM_RUN_H
#define CLUMP_RECORDING_EMULATION_PROGRAM_RUN_H

#include "protocols/protocol_status.h"
#include "recording/emulation/program_plan.h"

#include <stdbool.h>

typedef struct clump_mpi_emulation_outcome {
    double seconds; /**< from MPI_Init to MPI_Finalize, by the program's clock */
    double work;    /**< processor time of computation, mean of the ranks */
    double wait;    /**< asleep inside MPI, mean */
    /** Share of the time by which computations ended late, of the rank with the most. */
    double late;
    double latest;        /**< by which one did, at most */
    double processor_use; /**< processors of this machine that the ranks used, mean */
    double calls;         /**< of MPI, a rank */
    double nic_use;       /**< share of the time in which a NIC sent, mean of all */
    double busiest_nic;   /**< the same of the one that sent most */
    double bytes;         /**< that NICs sent, headers not counted, all nodes */
    double retransmitted; /**< share of packets that TCP sent again */
    double real_seconds;  /**< with everything around it */
    double machine_busy;  /**< share of the machine's processors in use meanwhile, by anybody */
    double machine_taken; /**< share that the host of a virtual machine took away */
    int exit_status;      /**< of the launcher */
    bool finalized;       /**< all ranks came to MPI_Finalize */
} clump_mpi_emulation_outcome;

/** Whether this system lets its user make what is needed; `message` says what is missing. */
clump_protocol_status clump_mpi_emulation_probe(char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES]);

/**
 * Make two such nodes, send over the first NIC of one to the other for half a second, and measure.
 *
 * @param share  receives the rate that was found over the one that was set
 */
clump_protocol_status clump_mpi_emulation_rate(const clump_mpi_emulation_plan *plan, double *share,
                                               char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES]);

/**
 * Make the nodes, run the program, and remove everything. Whatever happens to the caller, kill -9
 * included, nothing remains: all is in namespaces that end with it.
 */
clump_protocol_status clump_mpi_emulation_run(const clump_mpi_emulation_plan *plan,
                                              clump_mpi_emulation_outcome *outcome,
                                              char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES]);

#endif
