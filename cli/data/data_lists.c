/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data/data_lists.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "data/store/frozen.h"
#include "data/store/recorded_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies of the records that a store lends, with all texts that a column shows. */
typedef struct copies {
    const table_rows *shape;
    unsigned char *records;
    size_t count, room;
    clump_arena *texts;
} copies;

struct data_list_kind {
    const char *name, *plural;
    const char *none; /* the sentence instead of an empty table */
    table_rows shape; /* without records */
    clump_store_status (*read)(clump_store *store, copies *all);
};

/* Returns 0 to go on, 1 for want of memory. */
static int copy(copies *all, const void *record)
{
    const size_t size = all->shape->record_size;
    if (all->count == all->room) {
        const size_t room = 2 * all->room + 8;
        unsigned char *larger = realloc(all->records, room * size);
        if (larger == NULL)
            return 1;
        all->records = larger;
        all->room = room;
    }
    unsigned char *kept = all->records + all->count * size;
    memcpy(kept, record, size);
    for (size_t c = 0; c < all->shape->column_count; c++) {
        const table_column *column = &all->shape->columns[c];
        const char *text = NULL;
        if (column->type == FIELD_TEXT)
            memcpy(&text, kept + column->offset, sizeof text);
        if (text == NULL)
            continue;
        char *own = clump_arena_take(all->texts, strlen(text) + 1);
        if (own == NULL)
            return 1;
        text = strcpy(own, text);
        memcpy(kept + column->offset, &text, sizeof text);
    }
    all->count++;
    return 0;
}

/* ---- recordings */

#define RECORDING(member) FIELD(clump_recorded_run, member)

static const table_column recording_columns[] = {
    {"application", "Application", RECORDING(application)},
    {"origin", "From", RECORDING(origin)},
    {"program", "Program", RECORDING(program)},
    {"started", "Started", RECORDING(started)},
    {"ranks", "Ranks", RECORDING(ranks)},
    {"nodes", "Nodes", RECORDING(nodes)},
    {"wall_s", "Wall time s", RECORDING(wall)},
};

static int copy_recording(const clump_recorded_run *recording, void *context)
{
    return copy(context, recording);
}

static clump_store_status read_recordings(clump_store *store, copies *all)
{
    return clump_store_each_recorded(store, copy_recording, all);
}

/* ---- frozen predictions */

#define FROZEN(member) FIELD(clump_store_frozen, member)

static const table_column frozen_columns[] = {
    {"name", "Frozen predictions", FROZEN(name)},
    {"made", "Made", FROZEN(made)},
    {"count", "Predictions", FROZEN(count)},
    {"program", "Program", FROZEN(program)},
    {"rules", "Rules", FROZEN(rules)},
    {"level", NULL, FROZEN(level)},
    {"note", "Note", FROZEN(note), .layout = COLUMN_PROSE},
};

static clump_store_status read_frozen(clump_store *store, copies *all)
{
    clump_store_frozen *frozen;
    size_t count;
    clump_store_status status = clump_store_read_frozen(store, all->texts, &frozen, &count);
    for (size_t i = 0; status == CLUMP_STORE_OK && i < count; i++)
        if (copy(all, &frozen[i]) != 0)
            status = CLUMP_STORE_STOPPED;
    return status;
}

/* ---- all kinds */

static const data_list_kind kinds[] = {
    {"recording",
     "recordings",
     "No recordings.",
     {.key = "recordings",
      COLUMNS(recording_columns),
      .record_size = sizeof(clump_recorded_run)},
     read_recordings},
    {"frozen",
     "frozen",
     "No frozen predictions.",
     {.key = "frozen", COLUMNS(frozen_columns), .record_size = sizeof(clump_store_frozen)},
     read_frozen},
};

const char *data_list_name(size_t kind)
{
    return kind < sizeof kinds / sizeof *kinds ? kinds[kind].plural : NULL;
}

const data_list_kind *data_list_find(const char *name)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(name, kinds[k].name) == 0 || strcmp(name, kinds[k].plural) == 0)
            return &kinds[k];
    return NULL;
}

int data_list_print(const data_list_kind *kind, const command_invocation *invocation,
                    clump_store *store)
{
    copies all = {.shape = &kind->shape, .texts = clump_arena_new()};
    const clump_store_status read =
        all.texts != NULL ? kind->read(store, &all) : CLUMP_STORE_STOPPED;
    int status;
    if (read != CLUMP_STORE_OK) {
        status = error_store(invocation->arguments.command, store, read);
    } else {
        table_rows rows = kind->shape;
        rows.records = all.records;
        rows.row_count = all.count;
        status = output_print(invocation->format, &rows, NULL, 0);
        if (all.count == 0 && invocation->format == FORMAT_TABLE)
            puts(kind->none);
    }
    free(all.records);
    clump_arena_free(all.texts);
    return status;
}
