/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clumpmodel-record: MPI programs recorded, and run on emulated Clumps. */
#include "cli/program_main.h"

static const command_entry *const commands[] = {&command_record, &command_emulate, &command_help,
                                                &command_completion, NULL};

int main(int argc, char **argv)
{
    static const command_entry program = {.operands = "a COMMAND", .subcommands = commands};
    return program_main(&program, argc, argv);
}
