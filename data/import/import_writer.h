/* SPDX-License-Identifier: GPL-3.0-or-later */
/** From a log in memory to the store. Internal to data/. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_WRITER_H
#define CLUMP_DATA_IMPORT_IMPORT_WRITER_H

#include "data/import/import_handle.h"

typedef struct clump_import_writer {
    clump_import *import;
    clump_store *store;
    clump_import_file *file; /* NULL: none in particular */
    bool made;               /* the platform */
} clump_import_writer;

/* Passes OK on; else the message of the store becomes that of the import, with the file. */
clump_store_status clump_import_writer_check(clump_import_writer *to, clump_store_status status);

/* Adds a series and its samples, in the unit of the quantity. */
clump_store_status clump_import_writer_add(clump_import_writer *to,
                                           const clump_import_series *series,
                                           const clump_store_series *as);

/* All of a file that says itself what its samples are of and come from. */
clump_store_status clump_import_restore(clump_import_writer *to);

#endif
