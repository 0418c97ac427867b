/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

/* One line for each command_fit_*.c. */
static const command_entry *const subcommands[] = {
    &command_fit_loggp,
    &command_fit_slowdown,
    NULL,
};

const command_entry command_fit = {
    .name = "fit",
    .operands = "loggp|slowdown",
    .summary = "Find parameters from measurements, with intervals",
    .examples = "clumpmodel fit loggp --platform lab --transport tcp --db lab.db\n"
                "clumpmodel fit loggp --platform lab --format json --db lab.db",
    .subcommands = subcommands,
};
