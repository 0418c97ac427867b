/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/curve.h"

#include "model/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

clump_status clump_curve_add(clump_curve *curve, const clump_curve_point *point, clump_error *error)
{
    if (curve->count == curve->room) {
        const size_t room = curve->room > 0 ? 2 * curve->room : 64;
        clump_curve_point *points =
            room < SIZE_MAX / sizeof *points ? realloc(curve->points, room * sizeof *points) : NULL;
        if (points == NULL)
            return clump_fail_memory(error, "a curve");
        curve->points = points;
        curve->room = room;
    }
    curve->points[curve->count++] = *point;
    return CLUMP_OK;
}

void clump_curve_free(clump_curve *curve)
{
    free(curve->points);
    *curve = (clump_curve){.kind = curve->kind};
}

static int compare_points(const void *a, const void *b)
{
    const clump_curve_point *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? -1 : 1;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

void clump_curve_sort(clump_curve *curve)
{
    if (curve->count > 0)
        qsort(curve->points, curve->count, sizeof *curve->points, compare_points);
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static size_t find(const size_t *sorted, size_t count, size_t wanted)
{
    size_t low = 0, high = count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

clump_status clump_curve_number_runs(clump_curve *curve, clump_error *error)
{
    size_t *numbers = malloc((curve->count + 1) * sizeof *numbers), count = 0;
    if (numbers == NULL)
        return clump_fail_memory(error, "the runs of a curve");
    for (size_t i = 0; i < curve->count; i++)
        numbers[i] = curve->points[i].run;
    qsort(numbers, curve->count, sizeof *numbers, compare_sizes);
    for (size_t i = 0; i < curve->count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            numbers[count++] = numbers[i];
    for (size_t i = 0; i < curve->count; i++)
        curve->points[i].run = find(numbers, count, curve->points[i].run);
    curve->runs = count;
    free(numbers);
    return CLUMP_OK;
}

double clump_curve_extra_bytes(double size_bytes)
{
    return fmax(size_bytes - 1, 0);
}

/* The runs count the same, however many samples each has of this size. */
static double median_of_runs(const clump_curve_point *points, size_t count, double *scratch)
{
    double *const medians = scratch, *const of_run = scratch + count;
    size_t runs = 0;
    for (size_t i = 0, end; i < count; i = end) {
        size_t n = 0;
        for (end = i; end < count && points[end].run == points[i].run; end++)
            of_run[n++] = log(points[end].time_us);
        medians[runs++] = clump_median(of_run, n);
    }
    return exp(clump_median(medians, runs));
}

clump_status clump_curve_group(const clump_curve *curve, clump_curve_size **sizes, size_t *count,
                               clump_error *error)
{
    const clump_curve_point *p = curve->points;
    const size_t room = curve->count + 1;
    double *scratch = malloc(2 * room * sizeof *scratch);
    *sizes = malloc(room * sizeof **sizes);
    *count = 0;
    for (size_t i = 0, end; i < curve->count && scratch != NULL && *sizes != NULL; i = end) {
        clump_curve_size *size = &(*sizes)[(*count)++];
        for (end = i; end < curve->count && !(p[end].size_bytes > p[i].size_bytes); end++)
            scratch[end - i] = p[end].resolution_us / p[end].time_us;
        size->size_bytes = p[i].size_bytes;
        size->resolution = clump_median(scratch, end - i);
        size->time_us = median_of_runs(p + i, end - i, scratch);
    }
    const bool good = scratch != NULL && *sizes != NULL;
    free(scratch);
    return good ? CLUMP_OK : clump_fail_memory(error, "the sizes of a curve");
}
