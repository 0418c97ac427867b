/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_VARIABLE_H
#define CLUMP_EXPLORING_VARIABLE_H

/*
 * What varies: NAME=VALUES of a sweep or a comparison, NAME=DISTRIBUTION of an uncertain number.
 *
 * A name is that of a variable of the script if the script reads it, and else that of a field of
 * its scenarios; which of them is found out when the script has run once.
 */

#include "model/uncertain.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct clump_explore_variable {
    char name[64];
    const char *field; /**< that the name can stand for, or NULL */
    bool is_field;     /**< which the first run has decided */
    bool is_decided;
    char **values; /**< as texts; NULL for an uncertain number */
    size_t count;
    clump_uncertain distribution;
} clump_explore_variable;

/** The field that a name means: itself, or "utilization" of "U"; NULL: none. */
const char *clump_explore_field(const char *name);

/** The field whose name is spelt alike, or NULL. */
const char *clump_explore_similar_field(const char *name);

/** Whether values of the field are numbers. */
bool clump_explore_field_is_numeric(const char *field);

/**
 * Read NAME=A,B,... or NAME=FIRST:LAST[:STEP] or NAME=FIRST:LAST/COUNT.
 *
 * @param variable  to be released in any case
 * @param expected  where false is returned: what was expected instead; NULL: there was no memory
 */
bool clump_explore_read_values(const char *text, clump_explore_variable *variable,
                               const char **expected);

/** Read NAME=FROM:TO, NAME=VALUE+-HALF or NAME=KIND(NUMBERS), within the bounds that a field has.
 *  Otherwise the same; clump_uncertain_check tells whether such a distribution exists. */
bool clump_explore_read_distribution(const char *text, clump_explore_variable *variable,
                                     const char **expected);

void clump_explore_variable_release(clump_explore_variable *variable);

#endif
