/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATA_NAMES_H
#define CLUMP_CLI_DATA_NAMES_H

/*
 * What a NAME on the command line stands for: a platform, an application, a quantity, a source, or
 * several of these at once.
 */

#include "cli/data_records.h"
#include "data/store.h"

typedef struct clump_cli_named {
    const char *name;
    clump_cli_records records[CLUMP_CLI_KIND_COUNT]; /**< none or one of each kind */
} clump_cli_named;

/** Look `named->name` up; complains itself, with a suggestion. Free it in any case. */
int clump_cli_named_find(const char *command, clump_store *store, clump_cli_named *named);

void clump_cli_named_free(clump_cli_named *named);

/** The samples of that name, taken as one of a kind. */
clump_store_filter clump_cli_named_filter(const clump_cli_named *named, clump_cli_kind kind);

#endif
