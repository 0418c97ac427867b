/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SCENARIO_FILES_H
#define CLUMP_CLI_SCENARIO_FILES_H

/*
 * The files of a scenario on the command line: its script, which is a file of the user, standard
 * input ("-"), or one of the scenarios that ship with the program, by bare name; and a schedule.
 */

#include "model/simulation/schedule.h"
#include "scenarios/source.h"

/**
 * @param path  receives the path on the heap
 * @return exit code; complains itself, with the names that there are
 */
int scenario_find(const char *command, const char *name, char **path);

/** A script that may run more than once: it is read once, since it may be standard input. */
typedef struct scenario_file {
    char *path;
    scenario_source source;
} scenario_file;

/** Find and read it, and put its path and text into the options; complains itself. Close in any case.
 *  @return exit code */
int scenario_open(const char *command, const char *name, clump_scenario_options *options,
                  scenario_file *file);
void scenario_close(scenario_file *file);

/** Hand over the names of the shipped scenarios, sorted, without ".lua"; none if their folder cannot
 *  be read. */
void list_shipped_scenarios(void (*take)(const char *name, void *context), void *context);

/** Where that of the shipped scenarios with this name, with or without ".lua", would be; on the heap;
 *  NULL: no memory. */
char *scenario_shipped_path(const char *name);

/** Complain that none was found where they should be; returns the exit code. */
int scenario_none_shipped(const char *command);

/**
 * Read a file with a schedule in GOAL.
 *
 * @param scenario  its limit of memory is that of the file; the file becomes one of its inputs
 * @param schedule  to be freed; set only on success
 * @return exit code; complains itself, with file and line
 */
int schedule_read(const char *command, const char *path, const clump_scenario_options *scenario,
                  clump_schedule **schedule);

#endif
