/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_LIST_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_LIST_H

/* Which programs `clumpmodel run` has, and what their inputs are. All return the exit code. */

#include "cli/command.h"
#include "reproductions/applications/application.h"

/** Print all programs. */
int run_list_show(const command_invocation *invocation);

/** Print what the program does, and the sizes of its input. */
int run_list_describe(const command_invocation *invocation, const clump_application *application);

/** Complain that no program has this name, with those that there are. */
int run_list_refuse(const command_line *line, const char *name);

#endif
