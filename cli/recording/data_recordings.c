/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/data_recordings.h"

#include "cli/output/errors.h"
#include "data/arena.h"
#include "data/store/recorded_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct recording_list {
    clump_store_recording *items;
    size_t count, room;
    clump_arena *texts;
    bool no_memory;
} recording_list;

static const char *keep(recording_list *all, const char *text)
{
    if (text == NULL)
        return NULL;
    char *copy = clump_arena_take(all->texts, strlen(text) + 1);
    all->no_memory = all->no_memory || copy == NULL;
    return copy != NULL ? strcpy(copy, text) : "";
}

static int add(const clump_store_recording *recording, void *context)
{
    recording_list *all = context;
    if (all->count == all->room) {
        const size_t room = 2 * all->room + 8;
        clump_store_recording *larger = realloc(all->items, room * sizeof *larger);
        all->no_memory = larger == NULL;
        if (larger == NULL)
            return 1;
        all->items = larger;
        all->room = room;
    }
    clump_store_recording *r = &all->items[all->count++];
    *r = *recording;
    r->application = keep(all, recording->application);
    r->origin = keep(all, recording->origin);
    r->program = keep(all, recording->program);
    r->started = keep(all, recording->started);
    return all->no_memory;
}

#define RECORDING(member) FIELD(clump_store_recording, member)

static const table_column columns[] = {
    {"application", "Application", RECORDING(application)},
    {"origin", "From", RECORDING(origin)},
    {"program", "Program", RECORDING(program)},
    {"started", "Started", RECORDING(started)},
    {"ranks", "Ranks", RECORDING(ranks)},
    {"nodes", "Nodes", RECORDING(nodes)},
    {"wall_s", "Wall time s", RECORDING(wall)},
};

int data_recordings_list(const command_invocation *invocation, clump_store *store)
{
    recording_list all = {.texts = clump_arena_new()};
    clump_store_status read = CLUMP_STORE_STOPPED;
    int status;
    if (all.texts != NULL)
        read = clump_store_each_recording(store, add, &all);
    if (read == CLUMP_STORE_STOPPED) {
        status = error_memory(invocation->arguments.command);
    } else if (read != CLUMP_STORE_OK) {
        status = error_store(invocation->arguments.command, store, read);
    } else {
        const table_rows rows = {
            .key = "recordings", COLUMNS(columns), RECORDS(all.items, all.count)};
        status = output_print(invocation->format, &rows, NULL, 0);
        if (all.count == 0 && invocation->format == FORMAT_TABLE)
            puts("No recordings.");
    }
    free(all.items);
    clump_arena_free(all.texts);
    return status;
}
