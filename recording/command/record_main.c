/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clumpmodel-record: MPI programs recorded, and run on emulated Clumps. */
#include "cli/program_main.h"
#include "recording/command/recording_read.h"

#include <string.h>

static const command_entry *const commands[] = {&command_record, &command_emulate, &command_help,
                                                &command_completion, NULL};

int main(int argc, char **argv)
{
    /* What `clumpmodel` asks for: no command of users. */
    if (argc == RUN_STREAM_WORDS && strcmp(argv[1], RUN_STREAM_COMMAND) == 0)
        return recording_give_run(argv);
    static const command_entry program = {.operands = "a COMMAND", .subcommands = commands};
    return program_main(&program, argc, argv);
}
