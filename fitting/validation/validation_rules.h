/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_RULES_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_RULES_H

/*
 * The rules by which a run is predicted from what is known of it: their terms, variants of them that
 * leave terms out, and their constants. What the terms do is
 * in validation_terms.c. To exchange a term or a constant, these three files are all there is to
 * change; then `make model-error`.
 */

#include "model/demand.h"

#include <stdbool.h>
#include <stddef.h>

/** Raised whenever the terms below, or how they are computed, change: frozen predictions keep it. */
#define CLUMP_RULES_VERSION 4

/** The terms of the model, and variants of it that leave some of them out. */
typedef struct clump_validation_variant {
    const char *name;
    const char *meaning; /**< one line */
    clump_demand demand;
    bool waiting;   /**< latency that is waited for takes time and loads no NIC */
    bool answering; /**< ... and receivers that are busy themselves make it longer, where all ask at
                         once */
    bool memory;    /**< computation waits for misses, which take longer in the node */
    bool bandwidth; /**< ... and for those of others */
    /** ... as far as a run in one node shows it to be computation, where there is one, and not all
     *  that is not communication */
    bool computation;
    bool slowest;  /**< processors differ, and wait for the last one */
    bool lockstep; /**< barriers between the steps of an exchange: what is local saves nothing */
    bool bus;      /**< bulk data cross a half-duplex bus twice: out and in */
} clump_validation_variant;

/** The last index is that of the outcome of a simulation (validation_simulation.h). */
enum { CLUMP_VALIDATION_VARIANTS = 12, CLUMP_VALIDATION_SIMULATED = CLUMP_VALIDATION_VARIANTS };

/** The first one is the full model. */
extern const clump_validation_variant clump_validation_variants[CLUMP_VALIDATION_VARIANTS];

/** Index of the variant of that name, or CLUMP_VALIDATION_VARIANTS. */
size_t clump_validation_variant_find(const char *name);

/** A number in the rules that is the same for all programs and machines. */
typedef struct clump_rule_constant {
    const char *name;
    const char *meaning;
    const char *source; /**< of the value; "fitted" */
    double value;       /**< unless it is fitted */
    double least,
        most;    /**< between which it has a meaning; all of it is equally likely before a fit */
    bool fitted; /**< unless the user says otherwise */
} clump_rule_constant;

typedef enum clump_rule_constants {
    CLUMP_RULE_MEMORY, /**< share of its time that a processor waits for misses while it computes on
                             the NOW */
    CLUMP_RULE_WAITING, /**< share of a round trip's waiting that a message that is waited for has */
    CLUMP_RULE_LOCAL,   /**< cost of a message within a node over that of its LogGP parameters */
    CLUMP_RULE_CONSTANTS
} clump_rule_constants;

extern const clump_rule_constant clump_rule_constant_table[CLUMP_RULE_CONSTANTS];

enum { CLUMP_RULES_TEXT = 40 };

/** The version of the rules and a digest of the constants, fitted or not: "1/3f2a90b1c4d5". */
void clump_rules_describe(const double constants[CLUMP_RULE_CONSTANTS],
                          char text[CLUMP_RULES_TEXT]);

/** Index of the constant of that name, or CLUMP_RULE_CONSTANTS. */
size_t clump_rule_constant_find(const char *name);

#endif
