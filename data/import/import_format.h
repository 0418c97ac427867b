/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The formats. Each has a file of its own, data/import_<name>.c. Internal to data/. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_FORMAT_H
#define CLUMP_DATA_IMPORT_IMPORT_FORMAT_H

#include "data/import/import_text.h"

typedef struct clump_import_format {
    const char *name; /**< as the user types it */
    const char *tool; /**< for messages: "OSU Micro-Benchmarks" */
    /** Could the text be of this format? A look at its first lines; nothing is changed. */
    bool (*recognize)(const clump_import_text *text);
    /** Reads all of it; false with a message in the log. */
    bool (*parse)(clump_import_text *text, clump_import_log *log);
} clump_import_format;

extern const clump_import_format clump_import_osu, clump_import_imb, clump_import_netpipe,
    clump_import_netgauge, clump_import_logp_mpi, clump_import_ucx_perftest,
    clump_import_fi_pingpong, clump_import_mpip, clump_import_own, clump_import_csv;

/** All of them, in the order in which they are tried; ends with NULL. */
extern const clump_import_format *const clump_import_formats[];

/** By name; NULL if there is none. */
const clump_import_format *clump_import_format_find(const char *name);

/** By what is in the text; NULL if none fits. */
const clump_import_format *clump_import_format_guess(const clump_import_text *text);

/**
 * The whole way from bytes to a log; `format` NULL: guess. `bytes` must have room for one more
 * and is changed. False with a message in the log.
 */
bool clump_import_parse(const clump_import_format *format, char *bytes, size_t size,
                        const clump_import_hints *hints, clump_import_log *log);

#endif
