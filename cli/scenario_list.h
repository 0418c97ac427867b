/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SCENARIO_LIST_H
#define CLUMP_CLI_SCENARIO_LIST_H

/*
 * The scenarios that ship with the program, and what each is about.
 */

#include "cli/command.h"
#include "data/store/store.h"

typedef struct scenario_head {
    char *name;
    char *title; /**< NULL: its script does not run */
} scenario_head;

typedef struct scenario_list {
    scenario_head *items;
    size_t count;
} scenario_list;

/** Run the script of each, which computes nothing yet. Complains itself and returns the exit code; free
 *  the list in any case. */
int scenario_list_read(const char *command, clump_store *store, scenario_list *list);

void scenario_list_free(scenario_list *list);

/** What a command does that was given no scenario: print names and titles, or complain if it was given
 *  options, since then a scenario was meant. Returns the exit code. */
int scenario_list_answer(const command_invocation *invocation);

#endif
