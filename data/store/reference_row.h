/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The kinds of reference files, and how a record of each enters the store. Internal to data/. */
#ifndef CLUMP_DATA_STORE_REFERENCE_ROW_H
#define CLUMP_DATA_STORE_REFERENCE_ROW_H

#include "data/store/store.h"

enum { CLUMP_REFERENCE_COLUMNS = 13 };

/** A record: the values of the columns of its kind, in that order; NULL where it is empty. */
typedef struct clump_reference_row {
    clump_store *store;
    const char *value[CLUMP_REFERENCE_COLUMNS];
} clump_reference_row;

typedef struct clump_reference_kind {
    const char *file; /**< name of the file; NULL: any other name, with samples */
    const char *columns[CLUMP_REFERENCE_COLUMNS];              /**< NULL after the last */
    clump_store_status (*add)(const clump_reference_row *row); /**< message in the store */
} clump_reference_kind;

/** The kind of a file by its name. @param rank kinds of lower rank must be loaded before */
const clump_reference_kind *clump_reference_kind_of(const char *file, size_t *rank);

/** What stands after the last '/'. */
const char *clump_reference_base_name(const char *path);

#endif
