/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_COMPANION_H
#define CLUMP_CLI_COMPANION_H

/* Commands that other programs have, as git has them (companions.h). */

#include "cli/command.h"

/** The command line as it came, which the other program takes whole; it must stay. */
void companion_take_line(char **words);

/** Become the program that has the command; returns, with the exit code, only if it cannot be started. */
int companion_become(const command_entry *command);

#endif
