/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEFINITIONS_H
#define DEFINITIONS_H

/* -D NAME=VALUE of the commands that run scenarios. */

#include "cli/scenario_options.h"
#include "scenarios/scenario.h"

/** Read all of that option; complains itself. One call of free() releases them. */
int read_definitions(const command_line *arguments, size_t option,
                     clump_scenario_definition **definitions, size_t *count);

#endif
