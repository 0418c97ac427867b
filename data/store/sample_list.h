/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Samples as a list. */
#ifndef CLUMP_DATA_STORE_SAMPLE_LIST_H
#define CLUMP_DATA_STORE_SAMPLE_LIST_H

#include "data/arena.h"
#include "data/store/store.h"

typedef struct clump_store_samples {
    clump_store_sample *items;
    size_t count;
    clump_store_source **sources; /**< those of the samples, each once, in order of appearance */
    size_t source_count;
} clump_store_samples;

/** Adds what passes the filter, with all texts in the arena. Start with an empty list. */
clump_store_status clump_store_read_samples(clump_store *store, const clump_store_filter *filter,
                                            clump_arena *arena, clump_store_samples *samples);

#endif
