/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Facts of recordings that were exported, on their way into the store. Internal to data/. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_FACTS_H
#define CLUMP_DATA_IMPORT_IMPORT_FACTS_H

#include "data/import/import_log.h"

/** Whether the row is of a recording: its kind is "recording", or the table of one of its parts after that. */
bool clump_import_is_facts(const char *kind);

/**
 * Adds it to the facts of the log; false with a message.
 * @param application  of "recording"; the others belong to the last one
 * @param values       "name=value", with blanks between; in texts, %20 stands for a blank
 */
bool clump_import_facts_add(clump_import_log *log, size_t line, const char *kind,
                            const char *application, const char *values);

#endif
