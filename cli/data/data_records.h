/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATA_DATA_RECORDS_H
#define CLUMP_CLI_DATA_DATA_RECORDS_H

/*
 * Platforms, applications, quantities and sources of a store as rows; recordings and frozen predictions, which have
 * neither a source nor samples.
 */

#include "cli/output/cells.h"
#include "data/arena.h"
#include "data/store/store.h"
#include "data/suggest.h"

typedef enum record_kind {
    RECORD_PLATFORM = 0,
    RECORD_APPLICATION,
    RECORD_QUANTITY,
    RECORD_SOURCE,
    RECORD_KIND_COUNT, /**< of those that have samples */
    RECORD_RECORDING = RECORD_KIND_COUNT,
    RECORD_FROZEN,
    RECORD_LISTS
} record_kind;

/** "platform" and "platforms", and so on. */
extern const char *const record_kind_names[RECORD_LISTS];
extern const char *const record_kind_plurals[RECORD_LISTS];

/** Records of one kind, each a block of clump_store_find_, or all in the arena. */
typedef struct record_list {
    record_kind kind;
    void **items;
    size_t count;
    clump_arena *arena;
} record_list;

/** All of a kind; STOPPED: out of memory. Free them in any case. */
clump_store_status records_read(clump_store *store, record_kind kind, record_list *records);

/** The one of that name, of a kind that has samples; NOT_FOUND if there is none, STOPPED: out of memory. */
clump_store_status records_find(clump_store *store, record_kind kind, const char *name,
                                record_list *records);

void records_free(record_list *records);

/** What records have that have samples. */
typedef struct record_head {
    const char *kind, *name, *title; /**< of a quantity, the title is its meaning */
    bool reference;
} record_head;

record_head record_head_of(record_kind kind, const void *record);

/** Offer the names of a kind that has samples, `own`: only what is the user's. What cannot be read is not suggested. */
void records_suggest(clump_store *store, record_kind kind, bool own, clump_suggestion *suggestion);

/** The records must outlive the rows. */
table_rows record_rows(const record_list *records);

/** One row as lines "heading   value", without the cells that do not apply. */
void record_print(const table_rows *rows, size_t row);

#endif
