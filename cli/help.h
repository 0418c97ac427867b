/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_HELP_H
#define CLUMP_CLI_HELP_H

#include "cli/command.h"

/** Help on stdout: for a command, or for the program. */
void help_print(const command_entry *command);

#endif
