/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATA_RECORDS_H
#define CLUMP_CLI_DATA_RECORDS_H

/*
 * Platforms, applications, quantities and sources of a store as rows.
 */

#include "cli/cells.h"
#include "data/store.h"

typedef enum clump_cli_kind {
    CLUMP_CLI_PLATFORM = 0,
    CLUMP_CLI_APPLICATION,
    CLUMP_CLI_QUANTITY,
    CLUMP_CLI_SOURCE,
    CLUMP_CLI_KIND_COUNT
} clump_cli_kind;

/** "platform" and "platforms", and so on. */
extern const char *const clump_cli_kind_names[CLUMP_CLI_KIND_COUNT];
extern const char *const clump_cli_kind_plurals[CLUMP_CLI_KIND_COUNT];

/** Records of one kind, each a block of clump_store_find_. */
typedef struct clump_cli_records {
    clump_cli_kind kind;
    void **items;
    size_t count;
} clump_cli_records;

/** All of a kind; STOPPED: out of memory. Free them in any case. */
clump_store_status clump_cli_records_read(clump_store *store, clump_cli_kind kind,
                                          clump_cli_records *records);

/** The one of that name; NOT_FOUND if there is none, STOPPED: out of memory. */
clump_store_status clump_cli_records_find(clump_store *store, clump_cli_kind kind, const char *name,
                                          clump_cli_records *records);

void clump_cli_records_free(clump_cli_records *records);

const char *clump_cli_record_name(clump_cli_kind kind, const void *record);
const char *clump_cli_record_title(clump_cli_kind kind, const void *record);
bool clump_cli_record_is_reference(clump_cli_kind kind, const void *record);

/** The records must outlive the rows. */
clump_cli_rows clump_cli_record_rows(const clump_cli_records *records);

/** One row as lines "heading   value", without the cells that do not apply. */
void clump_cli_record_print(const clump_cli_rows *rows, size_t row);

#endif
