/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_sizes.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* Of its best: where a rate has no longer to do with the size. */
#define CLOSE 0.95
/* Shorter messages are not of other cost for a NIC, and the first sizes of a run also pay for connections. */
#define SHORTEST 8
/* A message above it is more than a line of a cache and its header. */
#define SHORT 256

/* What a run measured at a size. */
typedef struct rate {
    int64_t size_bytes;
    size_t run;
    double value;
} rate;

/* By size, and then by run. */
static int compare_rates(const void *first, const void *second)
{
    const rate *a = first, *b = second;
    const int order = (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
    return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

/* Of one size: mean logarithms of each number of pairs, and the greatest of them. */
static void fill_in(const clump_node_runs *runs, const rate *rates, size_t count,
                    clump_node_size_row *row)
{
    const double least = runs->items[0].pairs;
    size_t end;
    row->size_bytes = rates[0].size_bytes;
    row->best = row->process = row->filling = row->per_process = NAN;
    for (size_t first = 0; first < count; first = end) {
        double sum = 0;
        const double pairs = runs->items[rates[first].run].pairs;
        for (end = first; end < count && runs->items[rates[end].run].pairs == pairs; end++)
            sum += log(rates[end].value);
        const double mean = exp(sum / (double)(end - first));
        if (pairs == least)
            row->process = mean / pairs;
        if (!(mean <= row->best)) {
            row->best = mean;
            row->pairs = pairs;
        }
    }
    row->filling = row->best / row->process;
}

static bool is_close(double value, double best)
{
    return value >= CLOSE * best;
}

/* From the greatest size down, those measured with the fewest pairs; others between them, too. */
static void mark_long(clump_node_size_row *rows, size_t count)
{
    double process = 0, best = 0;
    size_t last = count;
    for (size_t i = 0; i < count; i++) {
        if (isnan(rows[i].process))
            continue;
        process = fmax(process, rows[i].process);
        best = fmax(best, rows[i].best);
        last = i;
    }
    if (last == count)
        last = count - 1;
    for (size_t i = last + 1; i > 0; i--) {
        clump_node_size_row *r = &rows[i - 1];
        if (i - 1 != last && !isnan(r->process) &&
            !(is_close(r->process, process) && is_close(r->best, best)))
            break;
        r->is_long = !isnan(r->process) || i - 1 == last;
    }
}

/* From the shortest up, as long as a message takes as long as that. */
static void mark_short(clump_node_size_row *rows, size_t count)
{
    size_t first = 0;
    while (first < count && (rows[first].size_bytes < SHORTEST || isnan(rows[first].process)))
        first++;
    if (first == count || rows[first].size_bytes > SHORT)
        return;
    const double size = (double)rows[first].size_bytes;
    for (size_t i = first; i < count && !rows[i].is_long; i++) {
        const double share = size / (double)rows[i].size_bytes;
        if (!isnan(rows[i].process) && !(is_close(rows[i].process * share, rows[first].process) &&
                                         is_close(rows[i].best * share, rows[first].best)))
            break;
        rows[i].is_short = !isnan(rows[i].process);
    }
}

clump_status clump_node_sizes_make(const clump_node_samples *samples, clump_node_size_row **rows,
                                   size_t *count, clump_error *error)
{
    const clump_node_runs *runs = &samples->one_way;
    size_t all = 0, kept = 0;
    for (size_t i = 0; i < runs->count; i++)
        all += runs->items[i].count;
    clump_node_size_row *made = clump_arena_take(samples->arena, all * sizeof *made);
    rate *rates = malloc((all + 1) * sizeof *rates);
    if (made == NULL || rates == NULL) {
        free(rates);
        return clump_fail_memory(error, "sizes");
    }
    for (size_t i = 0, used = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->items[i].count; k++)
            rates[used++] =
                (rate){runs->items[i].items[k].size_bytes, i, runs->items[i].items[k].value};
    qsort(rates, all, sizeof *rates, compare_rates);
    for (size_t first = 0, end; first < all; first = end) {
        for (end = first; end < all && rates[end].size_bytes == rates[first].size_bytes; end++)
            ;
        fill_in(runs, rates + first, end - first, &made[kept++]);
    }
    free(rates);
    mark_long(made, kept);
    mark_short(made, kept);
    *rows = made;
    *count = kept;
    return CLUMP_OK;
}

clump_node_range clump_node_sizes_range(const clump_node_size_row *rows, size_t count, bool is_long)
{
    clump_node_range range = {0, 0};
    for (size_t i = 0; i < count; i++)
        if (is_long ? rows[i].is_long : rows[i].is_short) {
            range.from = range.from > 0 ? range.from : rows[i].size_bytes;
            range.to = rows[i].size_bytes;
        }
    return range;
}

/* ---- points */

/* Logarithms in the range, sorted. */
static size_t read_run(const clump_node_run *run, clump_node_range range, bool messages,
                       double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const clump_cluster_sample *s = &run->items[i];
        if (s->size_bytes >= range.from && s->size_bytes <= range.to)
            values[count++] = log(messages ? s->value / (double)s->size_bytes : s->value);
    }
    gsl_sort(values, 1, count);
    return count;
}

clump_status clump_node_sizes_points(const clump_node_runs *runs, clump_node_range range,
                                     bool messages, clump_node_point **points, size_t *count,
                                     double *scatter, double *freedom, clump_error *error)
{
    size_t most = 0, made = 0;
    for (size_t i = 0; i < runs->count; i++)
        most = runs->items[i].count > most ? runs->items[i].count : most;
    clump_node_point *p = malloc((runs->count + 1) * sizeof *p);
    double *values = malloc((most + 1) * sizeof *values);
    double squares = 0, free_ones = 0;
    if (p == NULL || values == NULL) {
        free(p);
        free(values);
        return clump_fail_memory(error, "points");
    }
    for (size_t i = 0; i < runs->count; i++) {
        const size_t n = read_run(&runs->items[i], range, messages, values);
        if (n == 0)
            continue;
        const double middle = (values[(n - 1) / 2] + values[n / 2]) / 2;
        for (size_t k = 0; k < n; k++)
            squares += pow(values[k] - middle, 2);
        free_ones += (double)n - 1;
        p[made++] = (clump_node_point){runs->items[i].pairs, middle};
    }
    free(values);
    *points = p;
    *count = made;
    if (scatter != NULL)
        *scatter = free_ones > 0 ? sqrt(squares / free_ones) : NAN;
    if (freedom != NULL)
        *freedom = free_ones;
    return CLUMP_OK;
}
