/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PROGRAM_MAIN_H
#define CLUMP_CLI_PROGRAM_MAIN_H

#include "cli/command.h"

/** What main() of each program does with its commands: `clumpmodel`, and the programs of other components, which take the
 *  same command lines. Where it is called "clumpmodel-NAME", NAME is the first word. Returns the exit status. */
int program_main(const command_entry *program, int argc, char **argv);

#endif
