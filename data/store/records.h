/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_STORE_RECORDS_H
#define CLUMP_DATA_STORE_RECORDS_H

#include "data/store/row.h"

/** Reading a source as part of another query. Internal to data/. */

/** The columns of the source table `o`, in the order of the fields of clump_store_source. */
#define CLUMP_SOURCE_COLUMNS                                                                       \
    "o.name, o.kind, o.title, o.table_label, o.section, o.page, o.file, o.sha256, o.tool, "        \
    "o.tool_version, o.command, o.note"

/** Reads all but `reference`. */
extern const clump_row_form clump_store_source_form;

#endif
