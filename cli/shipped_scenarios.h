/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SHIPPED_SCENARIOS_H
#define CLUMP_CLI_SHIPPED_SCENARIOS_H

/*
 * The scenarios that ship with the program, and what each is about.
 */

#include "cli/command.h"
#include "data/store/store.h"

typedef struct shipped_scenario {
    char *name;
    char *title; /**< NULL: its script does not run */
} shipped_scenario;

typedef struct shipped_scenarios {
    shipped_scenario *items;
    size_t count;
} shipped_scenarios;

/** Run the script of each, which computes nothing yet. Complains itself and returns the exit code; free
 *  the list in any case. */
int shipped_scenarios_read(const char *command, clump_store *store, shipped_scenarios *list);

void shipped_scenarios_free(shipped_scenarios *list);

/** What a command does that was given no scenario: print names and titles, or complain if it was given
 *  options, since then a scenario was meant. Returns the exit code. */
int shipped_scenarios_answer(const command_invocation *invocation);

#endif
