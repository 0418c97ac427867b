/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_COMMANDS_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_COMMANDS_H

#include "cli/command.h"

/** Of clumpmodel-run, beside command_run. */
COMMAND_DECLARE(calibrate_virtual)

#endif
