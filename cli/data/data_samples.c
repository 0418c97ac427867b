/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data/data_samples.h"

#include <math.h>
#include <stdio.h>

clump_store_status sample_list_read(clump_store *store, const clump_store_filter *filter,
                                    sample_list *list)
{
    clump_store_samples *all = &list->all;
    if (list->arena == NULL && (list->arena = clump_arena_new()) == NULL)
        return CLUMP_STORE_STOPPED;
    const clump_store_status status = clump_store_read_samples(store, filter, list->arena, all);
    list->items = clump_arena_take(list->arena, (all->count + 1) * sizeof *list->items);
    if (list->items == NULL)
        return CLUMP_STORE_STOPPED;
    list->count = all->count;
    for (size_t i = 0, source = 0; i < all->count; i++) {
        while (all->sources[source] != all->items[i].source)
            source = (source + 1) % all->source_count;
        list->items[i] = (listed_sample){all->items[i], source};
    }
    return status;
}

void sample_list_free(sample_list *list)
{
    clump_arena_free(list->arena);
    *list = (sample_list){.arena = NULL};
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
