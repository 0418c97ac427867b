/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OPTIONS_READ_H
#define CLUMP_CLI_OPTIONS_READ_H

/* From the texts of options to the structure of the command. */

#include "cli/options/options.h"

/**
 * Read all options into the structure of the command: what was given, else the preset, else the
 * field stays as it is. Lists live as long as the command line. Returns the exit code.
 */
int options_read(command_line *line, void *settings);

#endif
