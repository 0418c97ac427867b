/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATA_DATA_SAMPLES_H
#define CLUMP_CLI_DATA_DATA_SAMPLES_H

/*
 * Samples with their provenance as rows.
 */

#include "cli/output/cells.h"
#include "data/store/sample_list.h"

typedef struct listed_sample {
    clump_store_sample sample;
    size_t source; /**< index of its source */
} listed_sample;

typedef struct sample_list {
    listed_sample *items;
    size_t count;
    clump_store_samples all;
    clump_arena *arena;
} sample_list;

/** Add what passes the filter. Start with an empty set; free it in any case. */
clump_store_status sample_list_read(clump_store *store, const clump_store_filter *filter,
                                    sample_list *samples);

void sample_list_free(sample_list *samples);

/** Rows with key "samples"; the samples must outlive them. */
table_rows sample_rows(const sample_list *samples);

/** "title, table, section ..., page ..." of a source, unescaped, cut to `size`. */
void source_cite(const clump_store_source *source, char *text, size_t size);

#endif
