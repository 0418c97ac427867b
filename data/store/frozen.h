/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Predictions that are kept in the user's database before the times are measured. */
#ifndef CLUMP_DATA_STORE_FROZEN_H
#define CLUMP_DATA_STORE_FROZEN_H

#include "data/arena.h"
#include "data/store/store.h"

/** Predictions that were kept together, before the times were measured. */
typedef struct clump_store_frozen {
    const char *name;    /**< unique among them */
    const char *made;    /**< when: UTC, "2026-11-22T14:30:00Z" */
    const char *program; /**< version of the program */
    const char *rules;   /**< version of the rules, and of their constants */
    double level;        /**< of the intervals, between 0 and 1 */
    const char *note;    /**< may be NULL */
    int64_t count;       /**< predictions (output only) */
} clump_store_frozen;

/** One of them. Names need not be of records that still exist. */
typedef struct clump_store_prediction {
    const char *platform, *application;
    const char *base;   /**< the NOW it is compared with */
    const char *change; /**< kind of change, such as "shared-nics" */
    const char *inputs; /**< SHA-256 of all that it was predicted from, 64 lower-case hex digits */
    double now_time_s;  /**< on the NOW */
    double predicted_s;
    double low_s, high_s; /**< interval; NAN: none */
} clump_store_prediction;

/** All of them in order of name, in the arena. */
clump_store_status clump_store_read_frozen(clump_store *store, clump_arena *arena,
                                           clump_store_frozen **frozen, size_t *count);

/** The predictions of one, in the order in which they were kept; NOT_FOUND if there is none of that name. */
clump_store_status clump_store_read_predictions(clump_store *store, const char *frozen,
                                                clump_arena *arena,
                                                clump_store_prediction **predictions,
                                                size_t *count);

/** Between begin and commit. All of them or, whatever happens, none. IN_USE if the name is taken: what is frozen stays. */
clump_store_status clump_store_add_frozen(clump_store *store, const clump_store_frozen *frozen,
                                          const clump_store_prediction *predictions, size_t count);

/** NOT_FOUND if there are none of that name. */
clump_store_status clump_store_remove_frozen(clump_store *store, const char *name);

#endif
