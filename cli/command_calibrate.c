/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

/* One line for each command_calibrate_*.c. */
static const command_entry *const subcommands[] = {
    &command_calibrate_shm,   &command_calibrate_udp,     &command_calibrate_multi,
    &command_calibrate_clump, &command_calibrate_virtual, NULL,
};

const command_entry command_calibrate = {
    .name = "calibrate",
    .operands = "shm|udp|multi|clump|virtual",
    .summary = "Measure communication and keep every sample",
    .examples = "clumpmodel calibrate shm\n"
                "clumpmodel calibrate udp --quick\n"
                "clumpmodel calibrate clump --processors 8 --nics 4 --utilization 0.5",
    .subcommands = subcommands,
};
