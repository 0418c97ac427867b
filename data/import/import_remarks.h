/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_IMPORT_IMPORT_REMARKS_H
#define CLUMP_DATA_IMPORT_IMPORT_REMARKS_H

/* What a job's output has between the lines of a benchmark: of mpirun, libraries, the shell and the script. */

#include "data/import/import_log.h"
#include "data/import/import_text.h"

#include <stdbool.h>

/**
 * Whether `line`, which was just read from `text`, is a remark that can be skipped: it begins with no number,
 * and tells of no crash, nor does the block between dashes that it begins. Warnings tell of none. Cost: O(block).
 */
bool clump_import_is_remark(const clump_import_text *text, const char *line);

/** Notices the first remark of a log, of which `*told` remembers that it was. False without memory. */
bool clump_import_skip_remark(clump_import_log *log, const char *shown, bool *told);

#endif
