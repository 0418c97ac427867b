/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SCENARIO_PATH_H
#define SCENARIO_PATH_H

/*
 * Which file a scenario on the command line is: a file of the user, standard input ("-"), or one
 * of the scenarios that ship with the program, by bare name.
 */

/**
 * @param path  receives the path on the heap
 * @return exit code; complains itself, with the names that there are
 */
int scenario_find(const char *command, const char *name, char **path);

/** Hand over the names of the shipped scenarios, sorted, without ".lua"; none if their folder cannot
 *  be read. */
void list_shipped_scenarios(void (*take)(const char *name, void *context), void *context);

#endif
