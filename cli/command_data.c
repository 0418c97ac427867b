/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

static const clump_cli_command *const subcommands[] = {
    &clump_cli_command_data_list,
    &clump_cli_command_data_show,
    &clump_cli_command_data_export,
    &clump_cli_command_data_check,
    NULL,
};

const clump_cli_command clump_cli_command_data = {
    .name = "data",
    .operands = "list|show|export|check",
    .summary = "Look at measured data and where they come from",
    .examples = "clumpmodel data list platforms\n"
                "clumpmodel data show e5000-clump\n"
                "clumpmodel data check --db lab.db",
    .subcommands = subcommands,
};
