/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * How Open MPI and MPICH are told about emulated nodes.
 */
#ifndef CLUMP_RECORDING_EMULATION_PROGRAM_START_H
#define CLUMP_RECORDING_EMULATION_PROGRAM_START_H

#include "protocols/protocol_status.h"
#include "recording/emulation/program_plan.h"

/**
 * Start the launcher as a child; its ranks are on the nodes. Called by the first process of a PID
 * namespace whose /dev/shm is its own. `board_file` is its descriptor of the dilation's board.
 */
clump_protocol_status clump_mpi_emulation_start(const clump_mpi_emulation_plan *plan,
                                                const struct clump_nodes *nodes, int board_file,
                                                pid_t *launcher, char *message);

#endif
