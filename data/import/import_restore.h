/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_IMPORT_IMPORT_RESTORE_H
#define CLUMP_DATA_IMPORT_IMPORT_RESTORE_H

#include "data/import/import_writer.h"

/**
 * Put a file that was exported back: each series with the platform, application and source that it had. What is there already is left out, so that the same file can be
 * imported again; what is there and differs is an error.
 */
clump_store_status clump_import_restore(clump_import_writer *to);

#endif
