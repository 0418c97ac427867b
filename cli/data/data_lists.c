/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data/data_lists.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "data/store/frozen.h"
#include "data/store/recorded_run.h"

#include <stdio.h>
#include <string.h>

struct data_list_kind {
    const char *name, *plural;
    const char *none; /* the sentence instead of an empty table */
    table_rows shape; /* without records */
    clump_store_status (*read)(clump_store *store, clump_arena *arena, table_rows *rows);
};

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

static clump_store_status read_recordings(clump_store *store, clump_arena *arena, table_rows *rows)
{
    clump_recorded_run *runs = NULL;
    const clump_store_status status = clump_store_read_runs(store, arena, &runs, &rows->row_count);
    rows->records = runs;
    return status;
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

static clump_store_status read_frozen(clump_store *store, clump_arena *arena, table_rows *rows)
{
    clump_store_frozen *frozen = NULL;
    const clump_store_status status =
        clump_store_read_frozen(store, arena, &frozen, &rows->row_count);
    rows->records = frozen;
    return status;
}

/* ---- all kinds */

static const data_list_kind kinds[] = {
    {"recording",
     "recordings",
     "No recordings.",
     {.key = "recordings", COLUMNS(recording_columns), .record_size = sizeof(clump_recorded_run)},
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
    table_rows rows = kind->shape;
    clump_arena *arena = clump_arena_new();
    const clump_store_status read =
        arena != NULL ? kind->read(store, arena, &rows) : CLUMP_STORE_STOPPED;
    int status;
    if (read != CLUMP_STORE_OK) {
        status = error_store(invocation->arguments.command, store, read);
    } else {
        status = output_print(invocation->format, &rows, NULL, 0);
        if (rows.row_count == 0 && invocation->format == FORMAT_TABLE)
            puts(kind->none);
    }
    clump_arena_free(arena);
    return status;
}
