/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All commands: the table of command.h, those that only have others below them, and those of other programs. */
#include "cli/companions.h"
#include "cli/program_main.h"

#define ADDRESS(name) &command_##name,

static const command_entry *const fit_commands[] = {COMMANDS_OF_FIT(ADDRESS) NULL};

const command_entry command_fit = {
    .name = "fit",
    .summary = "Find parameters from measurements, with intervals",
    .examples = "clumpmodel fit loggp --platform lab --transport tcp --db lab.db\n"
                "clumpmodel fit loggp --platform lab --format json --db lab.db",
    .subcommands = fit_commands,
};

static const command_entry *const data_commands[] = {COMMANDS_OF_DATA(ADDRESS) NULL};

const command_entry command_data = {
    .name = "data",
    .summary = "Look at measured data and their sources, remove and rename them",
    .examples = "clumpmodel data list platforms\n"
                "clumpmodel data show e5000-clump\n"
                "clumpmodel data remove lab --db lab.db",
    .subcommands = data_commands,
};

const command_entry command_record = COMPANION_ENTRY(RECORD);
const command_entry command_emulate = COMPANION_ENTRY(EMULATE);
const command_entry command_calibrate = COMPANION_ENTRY(CALIBRATE);
const command_entry command_run = COMPANION_ENTRY(RUN);

static const command_entry *const commands[] = {COMMANDS(ADDRESS) NULL};

int main(int argc, char **argv)
{
    static const command_entry program = {.operands = "a COMMAND", .subcommands = commands};
    return program_main(&program, argc, argv);
}
