/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_FREEZE_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_FREEZE_H

/*
 * Predictions that are kept before the times are measured, and judged after: nobody can choose the
 * rules by them.
 */

#include "data/store/frozen.h"
#include "fitting/validation/validation.h"

/** One prediction; it stays as long as the list. */
typedef struct clump_frozen_run {
    clump_store_prediction
        kept;            /**< change and inputs "" and times NAN where nothing is predicted */
    const char *problem; /**< why it is not predicted, or not judged; NULL: it is */
    double measured, half_width, error; /**< NAN: not judged */
    /** Since it was frozen. The rules: their version, or a constant, fitted without the runs of the list. The answer: what is
     *  predicted now, whatever the reason. */
    bool inputs_changed, rules_changed, answer_changed;
} clump_frozen_run;

typedef struct clump_frozen_list {
    clump_store_frozen head;
    clump_frozen_run *runs;
    size_t count;
    const char *rules_now; /**< as they are */
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
