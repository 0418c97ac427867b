/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

static const command_entry *const subcommands[] = {
    &command_data_list, &command_data_show, &command_data_export, &command_data_check, NULL,
};

const command_entry command_data = {
    .name = "data",
    .operands = "list|show|export|check",
    .summary = "Look at measured data and where they come from",
    .examples = "clumpmodel data list platforms\n"
                "clumpmodel data show e5000-clump\n"
                "clumpmodel data check --db lab.db",
    .subcommands = subcommands,
};
