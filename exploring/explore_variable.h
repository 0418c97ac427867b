/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORE_VARIABLE_H
#define EXPLORE_VARIABLE_H

/*
 * NAME=VALUES of --sweep and --break-even, NAME=DISTRIBUTION of --uncertain.
 *
 * A name is that of a variable of the script if the script reads it, and else that of a field of
 * its scenarios; which of them is found out when the script has run once.
 */

#include "cli/options/options.h"
#include "model/uncertain.h"

typedef struct clump_explorer_variable {
    char name[64];
    const char *field; /**< that the name can stand for, or NULL */
    bool is_field;     /**< decided by the first run */
    char **values;     /**< as texts */
    size_t count;
    clump_uncertain distribution; /**< of --uncertain, which has one value, drawn anew each time */
} clump_explorer_variable;

/** The field that a name means: itself, or "utilization" of "U"; NULL: none. */
const char *clump_explorer_variable_field(const char *name);

/** The field whose name is spelt alike, or NULL. */
const char *clump_explorer_variable_similar_field(const char *name);

/** Whether values of the field are numbers. */
bool clump_explorer_variable_is_numeric(const char *field);

/** Read one option's text; complains itself. Free in any case. */
int clump_explorer_variable_read(const command_line *arguments, size_t option, const char *text,
                                 clump_explorer_variable *variable);

/** The same for NAME=DISTRIBUTION. */
int clump_explorer_variable_read_uncertain(const command_line *arguments, size_t option,
                                           const char *text, clump_explorer_variable *variable);

void clump_explorer_variable_free(clump_explorer_variable *variable);

#endif
