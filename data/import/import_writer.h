/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_IMPORT_IMPORT_WRITER_H
#define CLUMP_DATA_IMPORT_IMPORT_WRITER_H

/* What everything that goes from memory into the store has in common: series with their samples, and the store's
 * complaints with the file that they are about. */

#include "data/import/import_private.h"

typedef struct clump_import_writer {
    clump_import *import;
    clump_store *store;
    clump_import_file *file;        /**< NULL: none in particular */
    clump_import_platform platform; /**< that was added, other than from an export */
    size_t added;                   /**< platforms and applications of an export */
} clump_import_writer;

/** Leave the store's message, with the file's name, and return `status`. */
clump_store_status clump_import_writer_fail(clump_import_writer *to, clump_store_status status);

/** The same unless the status is OK. */
clump_store_status clump_import_writer_check(clump_import_writer *to, clump_store_status status);

/** Add a series and its samples, in the unit of the quantity, and tell the caller how far that is. */
clump_store_status clump_import_writer_add(clump_import_writer *to,
                                           const clump_import_series *series,
                                           const clump_store_series *as);

/** Tell the caller of the import how many samples are done. */
void clump_import_writer_tell(const clump_import_writer *to);

/**
 * Put a file that was exported back: each series with the platform, application and source that it had. What is there already is left out, so that the same file can be
 * imported again; what is there and differs is an error.
 */
clump_store_status clump_import_restore(clump_import_writer *to);

/** The store has NULL where logs have "". */
const char *clump_import_or_null(const char *text);

#endif
