/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clumpmodel-run: the documents' programs, and calibrations on the documents' hardware. */
#include "cli/companions.h"
#include "cli/program_main.h"
#include "reproductions/command/run_commands.h"

static const command_entry *const calibrate_commands[] = {&command_calibrate_virtual, NULL};

const command_entry command_calibrate = {
    .name = CALIBRATE_NAME,
    .summary = CALIBRATE_SUMMARY,
    .examples = "clumpmodel calibrate virtual",
    .subcommands = calibrate_commands,
};

static const command_entry *const commands[] = {&command_run, &command_calibrate, &command_help,
                                                &command_completion, NULL};

int main(int argc, char **argv)
{
    static const command_entry program = {.operands = "a COMMAND", .subcommands = commands};
    return program_main(&program, argc, argv);
}
