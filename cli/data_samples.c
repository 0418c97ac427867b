/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_samples.h"

#include <stdlib.h>
#include <string.h>

struct html_block {
    html_block *next;
    char text[];
};

typedef struct reader {
    sample_list *samples;
    bool no_memory;
} reader;

/* A copy that the set owns; `last` is used again if it says the same, as in a series it does. */
static const char *keep(reader *r, const char *text, const char *last)
{
    if (text == NULL || (last != NULL && strcmp(text, last) == 0))
        return text == NULL ? NULL : last;
    const size_t size = strlen(text) + 1;
    html_block *block = malloc(sizeof *block + size);
    if (block == NULL) {
        r->no_memory = true;
        return NULL;
    }
    memcpy(block->text, text, size);
    block->next = r->samples->texts;
    r->samples->texts = block;
    return block->text;
}

/* Index of the source in the set, where it is added if it is new. */
static size_t keep_source(reader *r, const clump_store_source *source)
{
    sample_list *set = r->samples;
    for (size_t i = set->source_count; i-- > 0;)
        if (set->sources[i].reference == source->reference &&
            strcmp(set->sources[i].name, source->name) == 0)
            return i;
    clump_store_source *sources = realloc(set->sources, (set->source_count + 1) * sizeof *sources);
    if (sources == NULL) {
        r->no_memory = true;
        return 0;
    }
    set->sources = sources;
    sources[set->source_count] = (clump_store_source){
        .name = keep(r, source->name, NULL),
        .kind = keep(r, source->kind, NULL),
        .title = keep(r, source->title, NULL),
        .table_label = keep(r, source->table_label, NULL),
        .section = keep(r, source->section, NULL),
        .page = keep(r, source->page, NULL),
        .file = keep(r, source->file, NULL),
        .sha256 = keep(r, source->sha256, NULL),
        .tool = keep(r, source->tool, NULL),
        .tool_version = keep(r, source->tool_version, NULL),
        .command = keep(r, source->command, NULL),
        .note = keep(r, source->note, NULL),
        .reference = source->reference,
    };
    return set->source_count++;
}

static bool make_room(sample_list *set)
{
    if (set->count < set->room)
        return true;
    const size_t room = set->room > 0 ? 2 * set->room : 64;
    clump_store_sample *items = realloc(set->items, room * sizeof *items);
    if (items != NULL)
        set->items = items;
    size_t *source_of = realloc(set->source_of, room * sizeof *source_of);
    if (source_of != NULL)
        set->source_of = source_of;
    if (items == NULL || source_of == NULL)
        return false;
    set->room = room;
    return true;
}

static int add(const clump_store_sample *sample, void *context)
{
    reader *r = context;
    sample_list *set = r->samples;
    static const clump_store_sample none;
    if (!make_room(set)) {
        r->no_memory = true;
        return 1;
    }
    const clump_store_sample *last = set->count > 0 ? &set->items[set->count - 1] : &none;
    clump_store_sample *copy = &set->items[set->count];
    *copy = *sample;
    copy->platform = keep(r, sample->platform, last->platform);
    copy->application = keep(r, sample->application, last->application);
    copy->quantity = keep(r, sample->quantity, last->quantity);
    copy->unit = keep(r, sample->unit, last->unit);
    copy->transport = keep(r, sample->transport, last->transport);
    copy->variant = keep(r, sample->variant, last->variant);
    copy->statistic = keep(r, sample->statistic, last->statistic);
    copy->benchmark = keep(r, sample->benchmark, last->benchmark);
    copy->measured.note = keep(r, sample->measured.note, last->measured.note);
    set->source_of[set->count] = keep_source(r, sample->source);
    if (r->no_memory)
        return 1;
    set->count++;
    return 0;
}

clump_store_status sample_list_read(clump_store *store, const clump_store_filter *filter,
                                    sample_list *samples)
{
    reader r = {samples, false};
    const clump_store_status status = clump_store_each_sample(store, filter, add, &r);
    for (size_t i = 0; i < samples->count; i++)
        samples->items[i].source = &samples->sources[samples->source_of[i]];
    return status;
}

void sample_list_free(sample_list *samples)
{
    while (samples->texts != NULL) {
        html_block *block = samples->texts;
        samples->texts = block->next;
        free(block);
    }
    free(samples->items);
    free(samples->source_of);
    free(samples->sources);
    *samples = (sample_list){.items = NULL};
}
