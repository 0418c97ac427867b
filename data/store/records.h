/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_STORE_RECORDS_H
#define CLUMP_DATA_STORE_RECORDS_H

#include "data/store/handle.h"

/** Reading a source as part of another query. Internal to data/. */

/** The columns of the source table `o`, in the order of the fields of clump_store_source. */
#define CLUMP_SOURCE_COLUMNS                                                                       \
    "o.name, o.kind, o.title, o.table_label, o.section, o.page, o.file, o.sha256, o.tool, "        \
    "o.tool_version, o.command, o.note"
enum { CLUMP_SOURCE_FIELDS = 12 };

/** Fills all but `reference` from columns `first` and following; see clump_store_column(). */
void clump_store_read_source(sqlite3_stmt *statement, int first, clump_store_source *source,
                             bool *bad);

#endif
