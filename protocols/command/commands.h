/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_PROTOCOLS_COMMAND_COMMANDS_H
#define CLUMP_PROTOCOLS_COMMAND_COMMANDS_H

#include "cli/command.h"

/** The commands of clumpmodel-calibrate, each in a file of its own. */
#define COMMANDS_OF_CALIBRATE(EACH)                                                                \
    EACH(calibrate_shm)                                                                            \
    EACH(calibrate_udp)                                                                            \
    EACH(calibrate_multi)                                                                          \
    EACH(calibrate_memory)                                                                         \
    EACH(calibrate_mpi)                                                                            \
    EACH(calibrate_clump)

COMMANDS_OF_CALIBRATE(COMMAND_DECLARE)

#endif
