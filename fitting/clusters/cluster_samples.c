/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_samples.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures, memory, texts */

static void fail_memory(clump_cluster_work *work, const char *what)
{
    if (work->status == CLUMP_OK)
        work->status = clump_fail_memory(work->error, what);
}

static void fail_store(clump_cluster_work *work)
{
    if (work->status == CLUMP_OK)
        work->status =
            clump_fail(work->error, CLUMP_INCONSISTENT, "%.250s", clump_store_message(work->store));
}

void *clump_cluster_take(clump_cluster_work *work, size_t size)
{
    void *taken = work->status == CLUMP_OK ? clump_arena_take(work->arena, size) : NULL;
    if (taken == NULL)
        fail_memory(work, "samples");
    return taken;
}

const char *clump_cluster_text(clump_cluster_work *work, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = clump_cluster_take(work, strlen(text) + 1);
    return copy != NULL ? strcpy(copy, text) : "";
}

/* ---- samples */

typedef struct loading {
    clump_cluster_work *work;
    clump_cluster_samples *samples;
} loading;

/* Neighbours mostly say the same: one copy for all of them. */
static const char *keep(clump_cluster_work *work, const char *before, const char *text)
{
    if (before != NULL && strcmp(before, text) == 0)
        return before;
    char *copy = clump_cluster_take(work, strlen(text) + 1);
    return copy != NULL ? strcpy(copy, text) : "";
}

/* More than any machine will have: numbers of processes are multiplied, and factors of them sought. */
#define MOST_PROCESSES (INT64_C(1) << 32)

static int add_sample(const clump_store_sample *sample, void *context)
{
    const loading *l = context;
    clump_cluster_work *work = l->work;
    clump_cluster_samples *all = l->samples;
    if (sample->processes > MOST_PROCESSES)
        return 0;
    clump_cluster_sample *items =
        clump_arena_more(work->arena, all->items, all->count, sizeof *items);
    if (items == NULL) {
        fail_memory(work, "samples");
        return 1;
    }
    static const clump_cluster_sample none;
    const clump_cluster_sample *last = all->count > 0 ? &items[all->count - 1] : &none;
    const clump_cluster_sample made = {
        .platform = keep(work, last->platform, sample->platform),
        .application = keep(work, last->application, sample->application),
        .transport = keep(work, last->transport, sample->transport),
        .variant = keep(work, last->variant, sample->variant),
        .quantity = keep(work, last->quantity, sample->quantity),
        .statistic = keep(work, last->statistic, sample->statistic),
        .benchmark = keep(work, last->benchmark, sample->benchmark),
        .source = keep(work, last->source, sample->source->name),
        .window = sample->window,
        .processes = sample->processes,
        .size_bytes = sample->measured.size_bytes,
        .run = sample->measured.run,
        .value = sample->measured.value,
        .half_width = sample->measured.half_width,
        .std_dev = sample->measured.std_dev,
        .delay_us = sample->measured.delay_us,
        .doubtful = sample->measured.doubtful,
    };
    all->items = items;
    all->items[all->count++] = made;
    return work->status != CLUMP_OK;
}

clump_store_status clump_cluster_samples_load(clump_cluster_work *work,
                                              const clump_store_filter *filter,
                                              clump_cluster_samples *samples)
{
    loading l = {work, samples};
    if (work->status != CLUMP_OK)
        return CLUMP_STORE_FAILED;
    const clump_store_status status = clump_store_each_sample(work->store, filter, add_sample, &l);
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND)
        fail_store(work);
    return status;
}

void clump_cluster_samples_keep(clump_cluster_samples *samples,
                                bool (*wanted)(const clump_cluster_sample *sample))
{
    size_t kept = 0;
    for (size_t i = 0; i < samples->count; i++)
        if (wanted(&samples->items[i]))
            samples->items[kept++] = samples->items[i];
    samples->count = kept;
}

/* Of statistics of the same measurement the one to be used comes first. */
static int statistic_rank(const clump_cluster_sample *s)
{
    static const char *const names[] = {"single", "median", "mean"};
    int rank = 0;
    while (rank < 3 && strcmp(s->statistic, names[rank]) != 0)
        rank++;
    return rank;
}

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Of what, and by what means. */
static int compare_names(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = strcmp(a->platform, b->platform);
    order = order != 0 ? order : strcmp(a->transport, b->transport);
    order = order != 0 ? order : strcmp(a->variant, b->variant);
    order = order != 0 ? order : strcmp(a->benchmark, b->benchmark);
    return order != 0 ? order : strcmp(a->quantity, b->quantity);
}

/* What one measurement is: all but the statistic. */
static int compare_measurements(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = compare_names(a, b);
    order = order != 0 ? order : strcmp(a->source, b->source);
    order = order != 0 ? order : by_number(a->window, b->window);
    order = order != 0 ? order : by_number(a->processes, b->processes);
    order = order != 0 ? order : by_number(a->size_bytes, b->size_bytes);
    return order != 0 ? order : by_number(a->run, b->run);
}

static int compare_statistics(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    const int order = compare_measurements(a, b);
    return order != 0 ? order : statistic_rank(a) - statistic_rank(b);
}

/* "CUDA", "device to device": what the benchmark's title says of where its buffers are. */
static bool is_gpu_memory(const char *variant)
{
    static const char *const names[] = {"CUDA", "ROCM", "OPENACC", "device to device"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(variant, names[i]) == 0)
            return true;
    return false;
}

/* Benchmarks in memory of GPUs have a transport of their own, "openmpi-gpu". */
static void name_gpu_memory(clump_cluster_work *work, clump_cluster_sample *s)
{
    if (!is_gpu_memory(s->variant))
        return;
    s->variant = "";
    if (strstr(s->transport, "-gpu") == NULL)
        s->transport = clump_cluster_text(work, "%s-gpu", s->transport);
}

void clump_cluster_samples_leave_central(clump_cluster_work *work, clump_cluster_samples *samples)
{
    clump_cluster_sample *items = samples->items, best = {.source = NULL};
    size_t kept = 0;
    if (samples->count > 0)
        qsort(items, samples->count, sizeof *items, compare_statistics);
    for (size_t i = 0; i < samples->count; i++) {
        clump_cluster_sample s = items[i];
        if (best.source == NULL || compare_measurements(&best, &s) != 0)
            best = s;
        if (strcmp(s.statistic, best.statistic) != 0)
            continue;
        name_gpu_memory(work, &s);
        items[kept++] = s;
    }
    samples->count = kept;
}

int clump_cluster_compare_tables(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = compare_names(a, b);
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

double clump_cluster_find(const clump_cluster_sample *samples, size_t count,
                          const clump_cluster_sample *wanted)
{
    const clump_cluster_sample *found =
        count > 0 ? bsearch(wanted, samples, count, sizeof *samples, clump_cluster_compare) : NULL;
    return found != NULL ? found->value : NAN;
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

clump_cluster_node clump_cluster_node_of(clump_cluster_work *work, const char *platform)
{
    clump_cluster_node node = {.processors = 0};
    clump_store_platform *found = NULL;
    const clump_store_status status = work->status == CLUMP_OK
                                          ? clump_store_find_platform(work->store, platform, &found)
                                          : CLUMP_STORE_NOT_FOUND;
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND)
        fail_store(work);
    if (found != NULL)
        node = (clump_cluster_node){.processors = (double)found->processors,
                                    .nics = (double)found->nics,
                                    .is_static = found->mapping != NULL &&
                                                 strcmp(found->mapping, "static") == 0};
    clump_store_free(found);
    return node;
}

/* ---- rows */

void clump_cluster_add(clump_cluster_work *work, const clump_cluster_row *row)
{
    clump_cluster_row *rows = work->status == CLUMP_OK ? clump_arena_more(work->arena, work->rows,
                                                                          work->count, sizeof *rows)
                                                       : NULL;
    if (rows == NULL) {
        fail_memory(work, "predictions");
        return;
    }
    const double error = row->measured > 0 ? row->predicted / row->measured - 1 : NAN;
    work->rows = rows;
    rows[work->count] = *row;
    rows[work->count++].error = isfinite(error) ? error : NAN;
}
