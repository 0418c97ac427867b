/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_FITTED_RECORD_H
#define CLUMP_FITTING_FITTED_RECORD_H

/* How what was fitted to samples of a platform is kept. */

#include "data/store/store.h"
#include "model/status.h"

/** Where fitted parameters go. */
typedef struct clump_fitted_record {
    const char *platform; /**< that was fitted */
    const char *name;     /**< platform that gets them */
    const char *
        transport; /**< of LogGP: "network" or "shared-memory", what scenarios look for; else NULL */
    const char *command; /**< for the source; may be NULL */
    const char *version; /**< of this program; may be NULL */
} clump_fitted_record;

/* ---- internal to fitting/ */

/** Of names of sources and titles: what is longer is cut. */
enum { FITTED_NAME = 180, FITTED_NOTE = 300 };

/** A parameter, with its 95% interval; one that is wider than the store takes is kept as not known. */
typedef struct fitted_value {
    const char *quantity;
    double value, low, high; /**< NAN: not known; without a value nothing is kept */
    char note[FITTED_NOTE];
} fitted_value;

typedef struct fitted_platform {
    const clump_fitted_record *record;
    const char *tool;           /**< "clumpmodel fit loggp" */
    const char *source;         /**< its name */
    const char *title;          /**< of the source */
    const char *what;           /**< the platform's title says that this was fitted */
    const char *const *samples; /**< names of the samples' own sources */
    size_t sample_count;
    int64_t nics;        /**< 0: as measured */
    const char *mapping; /**< NULL: as measured */
    const fitted_value *values;
    size_t value_count;
    bool
        may_exist; /**< a platform of that name gets them, too, if it has none of these quantities, own or inherited */
} fitted_platform;

/**
 * Keep all of it or nothing, in one transaction: a source that names the samples' own, a platform as the measured one and part
 * of it, so that it has its LogGP parameters and its memory, and the values.
 * @param made  receives whether the platform is new; may be NULL
 * Errors: those of the store, whose message is handed on; BAD_INPUT if the name is taken.
 */
clump_store_status fitted_store(clump_store *store, const fitted_platform *fitted, bool *made,
                                clump_error *error);

#endif
