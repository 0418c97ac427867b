/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_FREEZE_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_FREEZE_H

/*
 * Predictions that are kept before the times are measured, and judged after: nobody can choose the
 * rules by them.
 */

#include "data/arena.h"
#include "fitting/validation/validation.h"

/** One prediction; texts stay as long as the list. */
typedef struct clump_frozen_run {
    const char *platform, *application;
    const char *base;    /**< the NOW it is compared with; "" if there is none any more */
    const char *change;  /**< kind of change; "" where nothing is predicted */
    const char *problem; /**< why it is not predicted, or not judged; NULL: it is */
    const char *inputs;  /**< digest; "" where nothing is predicted */
    double now_time, predicted, low, high; /**< s; low and high NAN if there is no interval */
    double measured, half_width, error;    /**< NAN: not judged */
    bool inputs_changed, rules_changed;    /**< since it was frozen */
} clump_frozen_run;

typedef struct clump_frozen_list {
    clump_frozen_run *runs;
    size_t count;
    const char *made, *program, *rules; /**< when and by what */
    const char *rules_now;              /**< as they are */
    double level;                       /**< of the intervals */
    clump_arena *texts;
} clump_frozen_list;

void clump_frozen_list_free(clump_frozen_list *list);

/**
 * Predict and keep every time that is not measured yet: of each platform with a NOW to compare with
 * and each application that has a time on that NOW, but none on the platform; one of the two is the
 * user's. What cannot be predicted has a problem, and is not kept. Constants are fitted to, and
 * intervals follow from, all that is measured. One transaction.
 *
 * @param store    opened for writing
 * @param made     when, UTC, as in clump_store_frozen
 * @param program  version of the program
 * @param fitted   as in clump_validation_request
 * Errors: CLUMP_BAD_ARGUMENT if there is nothing to predict or the name is taken, CLUMP_INCONSISTENT
 *         if the store fails, CLUMP_NO_MEMORY.
 */
clump_status clump_validation_freeze(clump_store *store, const char *name, const char *made,
                                     const char *program, const bool *fitted,
                                     clump_frozen_list *list, clump_error *error);

/**
 * Judge frozen predictions by the times that are measured now. Errors as above: BAD_ARGUMENT if
 * there are none of that name.
 */
clump_status clump_validation_judge_frozen(clump_store *store, const char *name, const bool *fitted,
                                           clump_frozen_list *list, clump_error *error);

#endif
