/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Loads the reference data: sources.csv, quantities.csv, platforms.csv, applications.csv, and any
 * number of other CSV files with samples. Each has a header line with exactly the columns of its
 * kind, in any order; an empty field is "not known". Lines that begin with '#' are comments.
 */
#ifndef CLUMP_DATA_STORE_REFERENCE_H
#define CLUMP_DATA_STORE_REFERENCE_H

#include "data/store/store.h"

typedef struct clump_reference_text {
    const char *name; /**< file name; what stands before the last '/' does not matter */
    const char *bytes;
    size_t size;
} clump_reference_text;

/** One line for each error: "file:line: what is wrong". */
typedef void clump_reference_report_fn(const char *message, void *context);

/**
 * Adds all files in one transaction; if there is any error, nothing. The order of `files` does not
 * matter. Samples are converted to the canonical unit of their quantity.
 */
clump_store_status clump_reference_load(clump_store *store, const clump_reference_text *files,
                                        size_t count, clump_reference_report_fn *report,
                                        void *context);

#endif
