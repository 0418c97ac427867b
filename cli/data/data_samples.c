/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data/data_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    sample_list *samples;
    bool no_memory;
} reader;

/* A copy that the set owns; `last` is used again if it says the same, as in a series it does. */
static const char *keep(reader *r, const char *text, const char *last)
{
    if (text == NULL || (last != NULL && strcmp(text, last) == 0))
        return text == NULL ? NULL : last;
    char *copy = clump_arena_take(r->samples->texts, strlen(text) + 1);
    r->no_memory |= copy == NULL;
    return copy != NULL ? strcpy(copy, text) : NULL;
}

/* Index of the source in the set, where it is added if it is new. */
static size_t keep_source(reader *r, const clump_store_source *source)
{
    sample_list *set = r->samples;
    for (size_t i = set->source_count; i-- > 0;)
        if (set->sources[i]->reference == source->reference &&
            strcmp(set->sources[i]->name, source->name) == 0)
            return i;
    clump_store_source **sources = realloc(set->sources, (set->source_count + 1) * sizeof *sources);
    set->sources = sources != NULL ? sources : set->sources;
    clump_store_source *copy =
        sources != NULL ? clump_store_copy_record(CLUMP_STORE_SOURCE, source) : NULL;
    if (copy == NULL) {
        r->no_memory = true;
        return 0;
    }
    sources[set->source_count] = copy;
    return set->source_count++;
}

static bool make_room(sample_list *set)
{
    if (set->count < set->room)
        return true;
    const size_t room = set->room > 0 ? 2 * set->room : 64;
    listed_sample *items = realloc(set->items, room * sizeof *items);
    if (items == NULL)
        return false;
    set->items = items;
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
    const clump_store_sample *last = set->count > 0 ? &set->items[set->count - 1].sample : &none;
    clump_store_sample *copy = &set->items[set->count].sample;
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
    set->items[set->count].source = keep_source(r, sample->source);
    if (r->no_memory)
        return 1;
    copy->source = set->sources[set->items[set->count++].source];
    return 0;
}

clump_store_status sample_list_read(clump_store *store, const clump_store_filter *filter,
                                    sample_list *samples)
{
    reader r = {samples, false};
    if (samples->texts == NULL)
        samples->texts = clump_arena_new();
    return samples->texts != NULL ? clump_store_each_sample(store, filter, add, &r)
                                  : CLUMP_STORE_STOPPED;
}

void sample_list_free(sample_list *samples)
{
    for (size_t i = 0; i < samples->source_count; i++)
        clump_store_free(samples->sources[i]);
    clump_arena_free(samples->texts);
    free(samples->items);
    free(samples->sources);
    *samples = (sample_list){.items = NULL};
}

/* ---- rows */

static const void *source_of(const void *listed)
{
    return ((const listed_sample *)listed)->sample.source;
}

static bool has_size(const void *listed)
{
    return ((const listed_sample *)listed)->sample.measured.size_bytes >= 0;
}

/* With its interval. */
static void make_value(const void *listed, table_cell *cell)
{
    const clump_store_measurement *m = &((const listed_sample *)listed)->sample.measured;
    if (isnan(m->half_width))
        cell_print(cell, "%.9g", m->value);
    else
        cell_print(cell, "%.9g %s %.3g", m->value, plus_minus(), m->half_width);
}

/* Its number in the list below the table. */
static void make_source(const void *listed, table_cell *cell)
{
    cell_print(cell, "[%zu]", ((const listed_sample *)listed)->source + 1);
}

static void make_doubt(const void *listed, table_cell *cell)
{
    cell_text(cell, ((const listed_sample *)listed)->sample.measured.doubtful ? "yes" : NULL);
}

#define OF(member) FIELD(listed_sample, sample.member)
#define OF_SOURCE(member) FIELD(clump_store_source, member), .of = source_of

static const table_column columns[] = {
    {"platform", "Platform", OF(platform), .folding = FOLD_ROWS},
    {"application", "Application", OF(application), .folding = FOLD_ROWS},
    {"quantity", "Quantity", OF(quantity)},
    {"transport", "Transport", OF(transport), .folding = FOLD_ROWS},
    {"variant", "Variant", OF(variant), .folding = FOLD_ROWS},
    {"benchmark", "Benchmark", OF(benchmark), .folding = FOLD_ROWS},
    {"window", "Window", OF(window), .positive = true, .folding = FOLD_ROWS},
    {"processes", "Processes", OF(processes), .positive = true, .folding = FOLD_ROWS},
    {"run", "Run", OF(measured.run), .positive = true, .folding = FOLD_ROWS},
    {"size_bytes", "Bytes", OF(measured.size_bytes), .applies = has_size},
    {"iterations", NULL, OF(measured.iterations), .positive = true},
    {"delay_us", "Delay (us)", NUMBER_EXACT, OF(measured.delay_us), .positive = true},
    {"statistic", "Statistic", OF(statistic), .folding = FOLD_ROWS},
    {NULL, "Value", .make = make_value},
    {"value", NULL, OF(measured.value)},
    {"half_width", NULL, OF(measured.half_width)},
    {"std_dev", "Std dev", NUMBER_EXACT, OF(measured.std_dev)},
    {"unit", "Unit", OF(unit)},
    {NULL, "Source", .make = make_source, .layout = COLUMN_LEFT},
    {"source", NULL, OF_SOURCE(name)},
    {"source_title", NULL, OF_SOURCE(title)},
    {"source_table", NULL, OF_SOURCE(table_label)},
    {"source_section", NULL, OF_SOURCE(section)},
    {"source_page", NULL, OF_SOURCE(page)},
    {"doubtful", NULL, OF(measured.doubtful)},
    {NULL, "Doubtful", .make = make_doubt, .layout = COLUMN_LEFT},
    {"note", "Note", OF(measured.note), .layout = COLUMN_PROSE},
    {"reference", "Reference data", OF(reference), .folding = FOLD_ROWS},
};

table_rows sample_rows(const sample_list *samples)
{
    return (table_rows){
        .key = "samples", COLUMNS(columns), RECORDS(samples->items, samples->count)};
}

void source_cite(const clump_store_source *source, char *text, size_t size)
{
    const struct {
        const char *before, *value;
    } parts[] = {
        {"", source->title},
        {", table ", source->table_label},
        {", section ", source->section},
        {", page ", source->page},
        {", file ", source->file},
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++)
        if (parts[i].value != NULL && *parts[i].value != '\0')
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", parts[i].before, parts[i].value);
}
