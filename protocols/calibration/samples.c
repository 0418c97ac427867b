/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/samples.h"
#include "model/statistics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool clump_calibration_add(clump_calibration_samples *samples,
                           const clump_calibration_sample *sample)
{
    if (samples->count == samples->room) {
        const size_t room = samples->room > 0 ? 2 * samples->room : 1024;
        clump_calibration_sample *items = realloc(samples->items, room * sizeof *items);
        if (items == NULL)
            return false;
        samples->items = items;
        samples->room = room;
    }
    samples->items[samples->count++] = *sample;
    return true;
}

void clump_calibration_free(clump_calibration_samples *samples)
{
    free(samples->items);
    *samples = (clump_calibration_samples){.items = NULL};
}

/* ---- two speeds */

static bool is_other(double line, double usual)
{
    return line < usual / 2 || line > usual * 2;
}

void clump_calibration_doubt(clump_calibration_samples *samples, size_t first,
                             clump_calibration_speed *speed)
{
    *speed = (clump_calibration_speed){.usual_us = NAN, .other_us = NAN};
    double *lines = malloc((samples->count + 1) * sizeof *lines), last = 0;
    if (lines == NULL)
        return; /* nothing is doubtful then */
    /* Samples of one run follow each other with the same line. */
    for (size_t i = 0; i < samples->count; i++) {
        if (samples->items[i].line_us > 0 && samples->items[i].line_us != last)
            lines[speed->runs++] = samples->items[i].line_us;
        last = samples->items[i].line_us;
    }
    speed->usual_us = clump_median(lines, speed->runs);
    last = 0;
    for (size_t i = 0; i < samples->count; i++) {
        clump_calibration_sample *s = &samples->items[i];
        if (i >= first) {
            s->other_speed = s->line_us > 0 && is_other(s->line_us, speed->usual_us);
            s->doubtful |= s->disturbed || s->other_speed;
        }
        speed->disturbed += s->disturbed;
        speed->doubtful += s->doubtful;
        if (s->other_speed && s->line_us != last)
            lines[speed->other++] = s->line_us;
        last = s->line_us;
    }
    speed->other_us = clump_median(lines, speed->other);
    free(lines);
}

/* ---- means */

static bool same_kind(const clump_calibration_sample *a, const clump_calibration_sample *b)
{
    return a->quantity == b->quantity && a->benchmark == b->benchmark && a->network == b->network &&
           strcmp(a->variant, b->variant) == 0;
}

bool clump_calibration_same_series(const clump_calibration_sample *a,
                                   const clump_calibration_sample *b)
{
    return same_kind(a, b) && a->window == b->window && a->processes == b->processes &&
           strcmp(a->setting, b->setting) == 0;
}

static bool same(const clump_calibration_sample *a, const clump_calibration_sample *b)
{
    return a->size_bytes == b->size_bytes && clump_calibration_same_series(a, b);
}

/* Mean and squares of the samples like `of`. */
static void accumulate(const clump_calibration_samples *samples, size_t first,
                       clump_calibration_mean *mean)
{
    double squares = 0;
    mean->runs = mean->doubtful = 0;
    mean->mean = 0;
    for (size_t i = first; i < samples->count; i++) {
        const clump_calibration_sample *s = &samples->items[i];
        if (!same(s, &mean->of))
            continue;
        if (s->doubtful) {
            mean->doubtful++;
            continue;
        }
        const double difference = s->value - mean->mean;
        mean->mean += difference / (double)++mean->runs;
        squares += difference * (s->value - mean->mean);
    }
    mean->std_dev = mean->half_width = NAN;
    if (mean->runs == 0)
        mean->mean = NAN;
    if (mean->runs < 2)
        return;
    const double runs = (double)mean->runs;
    mean->std_dev = sqrt(squares / (runs - 1));
    /* Equation (5.1), with Student's multiplier for so many runs instead of 2: 2.01 for 50. */
    mean->half_width = gsl_cdf_tdist_Pinv(0.975, runs - 1) * mean->std_dev / sqrt(runs);
}

clump_calibration_mean *clump_calibration_means(const clump_calibration_samples *samples,
                                                size_t *count)
{
    *count = 0;
    if (samples->count == 0)
        return NULL;
    clump_calibration_mean *means = malloc(samples->count * sizeof *means);
    for (size_t i = 0; means != NULL && i < samples->count; i++) {
        size_t m = 0;
        while (m < *count && !same(&means[m].of, &samples->items[i]))
            m++;
        if (m < *count)
            continue;
        clump_calibration_mean *mean = &means[(*count)++];
        mean->of = samples->items[i];
        accumulate(samples, i, mean);
    }
    return means;
}

const clump_calibration_mean *clump_calibration_find(const clump_calibration_mean *means,
                                                     size_t count, const char *variant,
                                                     bool network, clump_benchmark benchmark,
                                                     clump_quantity quantity)
{
    const clump_calibration_sample of = {
        .variant = variant, .network = network, .benchmark = benchmark, .quantity = quantity};
    for (size_t i = 0; i < count; i++)
        if (same_kind(&means[i].of, &of))
            return &means[i];
    return NULL;
}

/*
 * Half of the 95% interval of the median of normal samples, over the median distance from it: of many the standard
 * deviation is 1.4826 such distances, and the median scatters 1.2533 times as much as the mean. Of few the distance is known
 * badly itself, and is too short, by more than Student's t makes up for. By 10^6 draws for each number of samples.
 */
static double median_multiplier(size_t count)
{
    static const double of_few[] = {NAN,   NAN,   12.706, 18.59, 4.760, 4.218,  2.660,
                                    2.486, 1.933, 1.861,  1.574, 1.525, 1.354,  1.325,
                                    1.199, 1.185, 1.090,  1.077, 1.006, 0.9967, 0.9365};
    const double n = (double)count;
    return count < sizeof of_few / sizeof *of_few
               ? of_few[count]
               : 1.95996 * 1.2533 * 1.4826 * (1 + 3.1 / n) / sqrt(n); /* within 1.5% */
}

/* Changes the values. */
static double median_half_width(double *values, size_t count, double median)
{
    if (count < 2)
        return NAN;
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - median);
    return median_multiplier(count) * clump_median(values, count);
}

double clump_calibration_median(const clump_calibration_samples *samples, size_t first, size_t end,
                                const clump_calibration_sample *of, double *values,
                                double *half_width)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        if (!samples->items[i].doubtful && same_kind(&samples->items[i], of))
            values[count++] = samples->items[i].value;
    const double median = count > 0 ? clump_median(values, count) : NAN;
    if (half_width != NULL)
        *half_width = median_half_width(values, count, median);
    return median;
}
