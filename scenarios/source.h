/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SOURCE_H
#define CLUMP_SCENARIOS_SOURCE_H

#include "scenarios/scenario.h"

/** The text of a scenario. */
typedef struct scenario_source {
    char *bytes; /**< to be freed */
    size_t size;
    size_t start; /**< after a byte order mark and the text of a "#!" line */
} scenario_source;

/** Long chains of operators take the compiler time that is quadratic in their length. */
#define SCENARIO_SOURCE_LIMIT ((size_t)256 << 10)

/** How messages call the file: its path, or "stdin" for "-". */
const char *scenario_source_name(const char *path);

/** Read a file, or standard input for "-"; must be UTF-8 text. */
clump_scenario_status scenario_source_read(const char *path, scenario_source *source, char *message,
                                           size_t message_size);

#endif
