/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Fits of applications and frozen predictions that were exported, on their way into the store.
 *  Internal to data/. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_FIT_H
#define CLUMP_DATA_IMPORT_IMPORT_FIT_H

#include "data/import/import_log.h"

/** What a row of an export says of a fit; texts are "" where nothing is said. */
typedef struct clump_import_fit_row {
    const char *application;
    const char *kind;                     /**< "fit", then any number of "parameter" and "run" */
    const char *name;                     /**< of the parameter; what the fit is from */
    const char *values;                   /**< "value=0.3 low=0.2", with blanks between */
    const char *platform, *source, *base; /**< of a run */
} clump_import_fit_row;

/** Whether the row is about frozen predictions: its kind is "frozen", or "prediction" after that. */
bool clump_import_is_frozen(const char *kind);

/**
 * Adds it to the frozen predictions of the log; false with a message. In a row of kind "frozen" the
 * name is theirs, and platform, source and base are when they were made, by which version of the
 * program and by which rules; in one of kind "prediction" the name is the kind of change, and the
 * source the application.
 * @param note  of "frozen"; "": none
 */
bool clump_import_frozen_add(clump_import_log *log, size_t line, const clump_import_fit_row *row,
                             const char *note);

/** Adds it to the fits of the log; false with a message. */
bool clump_import_fit_add(clump_import_log *log, size_t line, const clump_import_fit_row *row);

#endif
