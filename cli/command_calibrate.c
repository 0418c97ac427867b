/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

static const clump_cli_command *const subcommands[] = {
    &clump_cli_command_calibrate_shm,
    NULL,
};

const clump_cli_command clump_cli_command_calibrate = {
    .name = "calibrate",
    .operands = "shm",
    .summary = "Measure communication on this machine and keep every sample",
    .examples = "clumpmodel calibrate shm\n"
                "clumpmodel calibrate shm --queue all --compare thesis",
    .subcommands = subcommands,
};
