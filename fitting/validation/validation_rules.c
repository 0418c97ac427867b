/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_rules.h"

#include "data/sha256.h"

#include <stdio.h>
#include <string.h>

/* ---- variants */

enum {
    WAITING = 1,
    ANSWERING = 2,
    MEMORY = 4,
    BANDWIDTH = 8,
    COMPUTATION = 16,
    SLOWEST = 32,
    LOCKSTEP = 64,
    BUS = 128,
    FULL = BUS - 1
};

#define TERMS(set)                                                                                 \
    .waiting = (set)&WAITING, .answering = (set)&ANSWERING, .memory = (set)&MEMORY,                \
    .bandwidth = (set)&BANDWIDTH, .computation = (set)&COMPUTATION, .slowest = (set)&SLOWEST,      \
    .lockstep = (set)&LOCKSTEP, .bus = (set)&BUS

const clump_validation_variant clump_validation_variants[CLUMP_VALIDATION_VARIANTS] = {
    {"full", "all terms, correlated demand", CLUMP_DEMAND_CORRELATED, TERMS(FULL)},
    {"no-waiting", "full, but no message is waited for", CLUMP_DEMAND_CORRELATED,
     TERMS(FULL & ~WAITING)},
    {"no-answering", "full, but receivers have nothing else to do", CLUMP_DEMAND_CORRELATED,
     TERMS(FULL & ~ANSWERING)},
    {"no-memory", "full, but computation is as fast as on the NOW", CLUMP_DEMAND_CORRELATED,
     TERMS(FULL & ~MEMORY)},
    {"no-bandwidth", "full, but nobody waits for the misses of others", CLUMP_DEMAND_CORRELATED,
     TERMS(FULL & ~BANDWIDTH)},
    {"no-computation", "full, but all that is not communication counts as computation",
     CLUMP_DEMAND_CORRELATED, TERMS(FULL & ~COMPUTATION)},
    {"no-slowest", "full, but all processors have the same to do", CLUMP_DEMAND_CORRELATED,
     TERMS(FULL & ~SLOWEST)},
    {"no-lockstep", "full, but local traffic saves time between barriers too",
     CLUMP_DEMAND_CORRELATED, TERMS(FULL & ~LOCKSTEP)},
    {"bus", "full, and the I/O bus moves one direction at a time", CLUMP_DEMAND_CORRELATED,
     TERMS(FULL | BUS)},
    {"independent", "full, but independent demand", CLUMP_DEMAND_INDEPENDENT, TERMS(FULL)},
    {"chapter-8", "the plain formulas: (8.9), (8.11), gap and gap per byte",
     CLUMP_DEMAND_CORRELATED, TERMS(0)},
    {"chapter-8-independent", "the same with independent demand, (8.8)", CLUMP_DEMAND_INDEPENDENT,
     TERMS(0)},
};
#undef TERMS

size_t clump_validation_variant_find(const char *name)
{
    size_t i = 0;
    while (i < CLUMP_VALIDATION_VARIANTS && strcmp(clump_validation_variants[i].name, name) != 0)
        i++;
    return i;
}

/* ---- constants */

const clump_rule_constant clump_rule_constant_table[CLUMP_RULE_CONSTANTS] = {
    [CLUMP_RULE_MEMORY] = {"memory", "share of its time that computation waits for cache misses",
                           "fitted", 0.5, 0, 1, true},
    [CLUMP_RULE_WAITING] = {"waiting", "share of the round trip that blocking messages wait for",
                            "LogGP: all of it", 1, 0, 1, false},
    [CLUMP_RULE_LOCAL] = {"local", "cost of a message in a node over its LogGP parameters",
                          "LogGP: once", 1, 0.25, 4, false},
};

size_t clump_rule_constant_find(const char *name)
{
    size_t i = 0;
    while (i < CLUMP_RULE_CONSTANTS && strcmp(clump_rule_constant_table[i].name, name) != 0)
        i++;
    return i;
}

void clump_rules_describe(const double constants[CLUMP_RULE_CONSTANTS], char text[CLUMP_RULES_TEXT])
{
    char values[32 * CLUMP_RULE_CONSTANTS] = "", digest[CLUMP_SHA256_TEXT];
    size_t used = 0;
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++)
        used += (size_t)snprintf(values + used, sizeof values - used, "%.9g\n", constants[i]);
    clump_sha256(values, used, digest);
    snprintf(text, CLUMP_RULES_TEXT, "%d/%.12s", CLUMP_RULES_VERSION, digest);
}
