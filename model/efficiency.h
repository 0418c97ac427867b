/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_EFFICIENCY_H
#define CLUMP_MODEL_EFFICIENCY_H

/*
 * Service efficiency with one number (8.2.4 leaves its form open): E(q) with q processors active
 * falls from E(1) = 1 by a coefficient e >= 0; e = 0 is E = 1.
 */

#include "model/station.h"

typedef enum clump_efficiency_form {
    CLUMP_EFFICIENCY_INVERSE = 0, /**< 1/(1 + e (q-1)): each further one costs the same time */
    CLUMP_EFFICIENCY_POWER,       /**< q^-e */
    CLUMP_EFFICIENCY_EXPONENTIAL  /**< exp(-e (q-1)): each further one costs the same share */
} clump_efficiency_form;

/** E(q). @param coefficient e >= 0  @param active q; below 1 counts as 1 */
double clump_efficiency_at(clump_efficiency_form form, double coefficient, double active);

/** "inverse", "power", "exponential". */
const char *clump_efficiency_form_name(clump_efficiency_form form);

/** By name; 0 if it is none of these. */
int clump_efficiency_form_parse(const char *name, clump_efficiency_form *form);

/** What a station needs to know of it. */
typedef struct clump_efficiency_law {
    clump_efficiency_form form;
    double coefficient;
} clump_efficiency_law;

/** The efficiency of a station by a law, which must stay as long as the station is used. */
clump_efficiency clump_efficiency_by_law(clump_efficiency_law *law);

#endif
