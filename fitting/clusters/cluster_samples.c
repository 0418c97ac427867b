/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_samples.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples */

typedef struct loading {
    clump_cluster_work *work;
    clump_cluster_samples *samples;
    bool no_memory;
} loading;

/* Neighbours mostly say the same: one copy for all of them. */
static const char *keep(loading *l, const char *before, const char *text)
{
    if (before != NULL && strcmp(before, text) == 0)
        return before;
    const size_t size = strlen(text) + 1;
    char *copy = clump_arena_take(l->work->arena, size);
    if (copy == NULL)
        l->no_memory = true;
    else
        memcpy(copy, text, size);
    return copy;
}

/* More than any machine will have: numbers of processes are multiplied, and factors of them sought. */
#define MOST_PROCESSES (INT64_C(1) << 32)

static int add_sample(const clump_store_sample *sample, void *context)
{
    loading *l = context;
    clump_cluster_samples *all = l->samples;
    if (sample->processes > MOST_PROCESSES)
        return 0;
    if (all->count == all->room) {
        const size_t room = all->room > 0 ? 2 * all->room : 256;
        clump_cluster_sample *grown = realloc(all->items, room * sizeof *grown);
        if (grown == NULL) {
            l->no_memory = true;
            return 1;
        }
        all->items = grown;
        all->room = room;
    }
    static const clump_cluster_sample none;
    const clump_cluster_sample *last = all->count > 0 ? &all->items[all->count - 1] : &none;
    const clump_cluster_sample made = {
        .platform = keep(l, last->platform, sample->platform),
        .application = keep(l, last->application, sample->application),
        .transport = keep(l, last->transport, sample->transport),
        .variant = keep(l, last->variant, sample->variant),
        .quantity = keep(l, last->quantity, sample->quantity),
        .statistic = keep(l, last->statistic, sample->statistic),
        .benchmark = keep(l, last->benchmark, sample->benchmark),
        .source = keep(l, last->source, sample->source->name),
        .window = sample->window,
        .processes = sample->processes,
        .size_bytes = sample->measured.size_bytes,
        .run = sample->measured.run,
        .value = sample->measured.value,
        .delay_us = sample->measured.delay_us,
        .doubtful = sample->measured.doubtful,
    };
    all->items[all->count++] = made;
    return l->no_memory;
}

clump_status clump_cluster_samples_load(clump_cluster_work *work, const clump_store_filter *filter,
                                        clump_cluster_samples *samples)
{
    loading l = {.work = work, .samples = samples};
    const clump_store_status status = clump_store_each_sample(work->store, filter, add_sample, &l);
    if (l.no_memory)
        return clump_fail_memory(work->error, "samples");
    if (status == CLUMP_STORE_OK || status == CLUMP_STORE_NOT_FOUND)
        return CLUMP_OK;
    return clump_fail(work->error, CLUMP_INCONSISTENT, "%.250s", clump_store_message(work->store));
}

void clump_cluster_samples_free(clump_cluster_samples *samples)
{
    free(samples->items);
    *samples = (clump_cluster_samples){0};
}

int clump_cluster_compare_tables(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = strcmp(a->platform, b->platform);
    order = order != 0 ? order : strcmp(a->transport, b->transport);
    order = order != 0 ? order : strcmp(a->variant, b->variant);
    order = order != 0 ? order : strcmp(a->benchmark, b->benchmark);
    order = order != 0 ? order : strcmp(a->quantity, b->quantity);
    order = order != 0 ? order : strcmp(a->statistic, b->statistic);
    return order != 0 ? order : (a->window > b->window) - (a->window < b->window);
}

int clump_cluster_compare(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    int order = clump_cluster_compare_tables(a, b);
    order = order != 0 ? order : (a->processes > b->processes) - (a->processes < b->processes);
    return order != 0 ? order : (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

size_t clump_cluster_table_length(const clump_cluster_sample *first, size_t count,
                                  bool of_processes)
{
    size_t length = 0;
    while (length < count && clump_cluster_compare_tables(first, &first[length]) == 0 &&
           (!of_processes || first->processes == first[length].processes))
        length++;
    return length;
}

const clump_cluster_sample *clump_cluster_find(const clump_cluster_sample *samples, size_t count,
                                               const clump_cluster_sample *wanted)
{
    return count > 0 ? bsearch(wanted, samples, count, sizeof *samples, clump_cluster_compare)
                     : NULL;
}

void clump_cluster_samples_merge(clump_cluster_samples *samples,
                                 int (*compare)(const void *, const void *))
{
    clump_cluster_sample *items = samples->items;
    size_t kept = 0, same;
    if (samples->count > 0)
        qsort(items, samples->count, sizeof *items, compare);
    for (size_t i = 0; i < samples->count; i += same) {
        clump_cluster_sample mean = items[i];
        for (same = 1; i + same < samples->count && compare(&mean, &items[i + same]) == 0; same++)
            mean.value += items[i + same].value;
        mean.value /= (double)same;
        items[kept++] = mean;
    }
    samples->count = kept;
}

static int compare_texts(const void *first, const void *second)
{
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

size_t clump_cluster_unique(const char **texts, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(texts, count, sizeof *texts, compare_texts);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(texts[kept - 1], texts[i]) != 0)
            texts[kept++] = texts[i];
    return kept;
}

double clump_cluster_between(const clump_cluster_sample *low, const clump_cluster_sample *high,
                             double size_bytes)
{
    const double weight = log(size_bytes / (double)low->size_bytes) /
                          log((double)high->size_bytes / (double)low->size_bytes);
    return low->value * pow(high->value / low->value, weight);
}

double clump_cluster_time_at(const clump_cluster_sample *samples, size_t count, double size_bytes)
{
    size_t above = 0;
    while (above < count && (double)samples[above].size_bytes < size_bytes)
        above++;
    if (above == 0)
        return samples[0].value;
    const clump_cluster_sample *low = &samples[above - 1];
    return above < count ? clump_cluster_between(low, &samples[above], size_bytes)
                         : low->value * size_bytes / (double)low->size_bytes;
}

clump_status clump_cluster_platform(clump_cluster_work *work, const char *name,
                                    clump_store_platform **platform)
{
    const clump_store_status status = clump_store_find_platform(work->store, name, platform);
    if (status == CLUMP_STORE_OK || status == CLUMP_STORE_NOT_FOUND)
        return CLUMP_OK;
    return clump_fail(work->error, CLUMP_INCONSISTENT, "%.250s", clump_store_message(work->store));
}

/* ---- rows */

const char *clump_cluster_text(clump_cluster_work *work, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t size = length < 0                     ? 1
                        : (size_t)length < sizeof text ? (size_t)length + 1
                                                       : sizeof text;
    char *copy = clump_arena_take(work->arena, size);
    if (copy == NULL) {
        clump_fail_memory(work->error, "names");
        return NULL;
    }
    memcpy(copy, text, size - 1); /* the arena is zeroed */
    return copy;
}

clump_status clump_cluster_add(clump_cluster_work *work, const clump_cluster_row *row)
{
    if (work->count == work->room) {
        const size_t room = work->room > 0 ? 2 * work->room : 64;
        clump_cluster_row *grown = realloc(work->rows, room * sizeof *grown);
        if (grown == NULL)
            return clump_fail_memory(work->error, "predictions");
        work->rows = grown;
        work->room = room;
    }
    work->rows[work->count] = *row;
    const double error = row->measured > 0 ? row->predicted / row->measured - 1 : NAN;
    work->rows[work->count++].error = isfinite(error) ? error : NAN;
    return CLUMP_OK;
}
