/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DATA_SAMPLES_H
#define DATA_SAMPLES_H

/*
 * Samples with their provenance as rows.
 */

#include "cli/output/cells.h"
#include "data/store/store.h"

/** A place that owns texts. */
typedef struct html_block html_block;

typedef struct sample_list {
    clump_store_sample *items; /**< `source` points into `sources` only after reading is done */
    size_t *source_of;         /**< index of the source of each sample */
    size_t count, room;
    clump_store_source *sources; /**< those of the samples, in order of appearance */
    size_t source_count;
    html_block *texts;
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
