/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATA_SAMPLES_H
#define CLUMP_CLI_DATA_SAMPLES_H

/*
 * Samples with their provenance as rows.
 */

#include "cli/cells.h"
#include "data/store.h"

/** A place that owns texts. */
typedef struct clump_cli_text_block clump_cli_text_block;

typedef struct clump_cli_samples {
    clump_store_sample *items; /**< `source` points into `sources` only after reading is done */
    size_t *source_of;         /**< index of the source of each sample */
    size_t count, room;
    clump_store_source *sources; /**< those of the samples, in order of appearance */
    size_t source_count;
    clump_cli_text_block *texts;
} clump_cli_samples;

/** Add what passes the filter. Start with an empty set; free it in any case. */
clump_store_status clump_cli_samples_read(clump_store *store, const clump_store_filter *filter,
                                          clump_cli_samples *samples);

void clump_cli_samples_free(clump_cli_samples *samples);

/** Rows with key "samples"; the samples must outlive them. */
clump_cli_rows clump_cli_sample_rows(const clump_cli_samples *samples);

/** "title, table, section ..., page ..." of a source, unescaped, cut to `size`. */
void clump_cli_source_cite(const clump_store_source *source, char *text, size_t size);

#endif
