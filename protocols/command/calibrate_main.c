/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clumpmodel-calibrate: what measures with the reference protocols. */
#include "cli/companions.h"
#include "cli/program_main.h"
#include "protocols/command/commands.h"

#define ADDRESS(name) &command_##name,

static const command_entry calibrate_virtual = COMPANION_ENTRY(CALIBRATE_VIRTUAL);
static const command_entry *const calibrate_commands[] = {
    COMMANDS_OF_CALIBRATE(ADDRESS) & calibrate_virtual, NULL};

const command_entry command_calibrate = {
    .name = CALIBRATE_NAME,
    .summary = CALIBRATE_SUMMARY,
    .examples = "clumpmodel calibrate shm\n"
                "clumpmodel calibrate udp --quick\n"
                "clumpmodel calibrate clump --processors 8 --nics 4 --utilization 0.5",
    .subcommands = calibrate_commands,
};

static const command_entry *const commands[] = {&command_calibrate, &command_help,
                                                &command_completion, NULL};

int main(int argc, char **argv)
{
    static const command_entry program = {.operands = "a COMMAND", .subcommands = commands};
    return program_main(&program, argc, argv);
}
