/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATA_NAMES_H
#define CLUMP_CLI_DATA_NAMES_H

/*
 * What a NAME on the command line stands for: a platform, an application, a quantity, a source, or
 * several of these at once.
 */

#include "cli/data_records.h"
#include "data/store/store.h"

typedef struct named_records {
    const char *name;
    record_list records[RECORD_KIND_COUNT]; /**< none or one of each kind */
} named_records;

/** Look `named->name` up; complains itself, with a suggestion. Free it in any case. */
int named_records_find(const char *command, clump_store *store, named_records *named);

void named_records_free(named_records *named);

/** The samples of that name, taken as one of a kind. */
clump_store_filter named_records_filter(const named_records *named, record_kind kind);

#endif
