/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

/* One line for each command_calibrate_*.c. */
static const clump_cli_command *const subcommands[] = {
    &clump_cli_command_calibrate_shm,     &clump_cli_command_calibrate_udp,
    &clump_cli_command_calibrate_multi,   &clump_cli_command_calibrate_clump,
    &clump_cli_command_calibrate_virtual, NULL,
};

const clump_cli_command clump_cli_command_calibrate = {
    .name = "calibrate",
    .operands = "shm|udp|multi|clump|virtual",
    .summary = "Measure communication and keep every sample",
    .examples = "clumpmodel calibrate shm\n"
                "clumpmodel calibrate udp --quick\n"
                "clumpmodel calibrate clump --processors 8 --nics 4 --utilization 0.5",
    .subcommands = subcommands,
};
