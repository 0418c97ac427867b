/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * One run of an MPI program on emulated nodes, with its time dilated.
 */
#ifndef CLUMP_RECORDING_EMULATION_PROGRAM_RUN_H
#define CLUMP_RECORDING_EMULATION_PROGRAM_RUN_H

#include "protocols/emulation/emulated_trust.h"
#include "protocols/protocol_status.h"
#include "recording/emulation/program_plan.h"

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
                                              clump_emulated_outcome *outcome,
                                              char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES]);

#endif
