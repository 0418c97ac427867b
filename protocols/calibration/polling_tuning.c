/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/polling_tuning.h"
#include "model/statistics.h"

#include <math.h>
#include <stdlib.h>

const double clump_tuning_as_good = 1.05;

static const struct {
    const char *symbol, *name;
    uint32_t least, most;
} scans[CLUMP_TUNING_SCANS] = {
    [CLUMP_TUNING_S_MAX] = {"s_max", "Maximum skip", 1, 4096},
    [CLUMP_TUNING_S_MIN] = {"s_min", "Minimum skip", 1, 128},
    [CLUMP_TUNING_EQUALITY] = {"k", "Equality", 1, 64},
    [CLUMP_TUNING_DAMPING] = {"d", "Damping", 64, 4096},
};

static uint32_t *parameter(clump_tuning_parameter which, clump_polling_parameters *p)
{
    switch (which) {
    case CLUMP_TUNING_S_MAX:
        return &p->maximum_skip;
    case CLUMP_TUNING_S_MIN:
        return &p->minimum_skip;
    case CLUMP_TUNING_EQUALITY:
        return &p->equality;
    default:
        return &p->damping;
    }
}

/* With another value; s_min <= s_max <= d, and a is 16 d at least, as in table 4.1. */
static clump_polling_parameters with(clump_tuning_parameter which,
                                     const clump_polling_parameters *tuned, uint32_t value)
{
    clump_polling_parameters p = *tuned;
    *parameter(which, &p) = value;
    if (p.minimum_skip > p.maximum_skip)
        p.minimum_skip = p.maximum_skip;
    if (p.damping < p.maximum_skip)
        p.damping = p.maximum_skip;
    if (p.accuracy < 16 * p.damping)
        p.accuracy = 16 * p.damping;
    return p;
}

void clump_tuning_scan_plan(clump_tuning_parameter which, const clump_polling_parameters *tuned,
                            bool few, clump_tuning_scan *scan)
{
    clump_polling_parameters thesis = clump_polling_defaults();
    uint32_t least = scans[which].least, most = scans[which].most;
    *scan = (clump_tuning_scan){.symbol = scans[which].symbol,
                                .name = scans[which].name,
                                .thesis = *parameter(which, &thesis)};
    if (which == CLUMP_TUNING_S_MIN && most > tuned->maximum_skip)
        most = tuned->maximum_skip;
    if (which == CLUMP_TUNING_DAMPING && tuned->maximum_skip > least) {
        least = tuned->maximum_skip; /* not below s_max */
        most = 16 * least;
    }
    /* Powers of 4 include table 4.1's values: 4, 64 and 256. */
    for (uint32_t value = least; value <= most && scan->count < CLUMP_TUNING_VALUES;
         value *= few ? 4 : 2) {
        clump_multi_strategy *s = &scan->strategies[scan->count];
        s->parameters = with(which, tuned, value);
        clump_polling_write(&s->parameters, s->name);
        scan->values[scan->count++] = value;
    }
}

/* From table 4.1, in factors of two. */
static double distance(const clump_tuning_scan *scan, unsigned v)
{
    return fabs(log2((double)scan->values[v] / scan->thesis));
}

/* Medians of all values and patterns: `worst`, and how much they are uncertain. */
static void compare(clump_tuning_scan *scan, const clump_calibration_samples *samples,
                    double *values)
{
    double uncertain[CLUMP_MULTI_PATTERNS * CLUMP_TUNING_VALUES];
    size_t known = 0;
    for (unsigned v = 0; v < scan->count; v++)
        scan->worst[v] = 1;
    for (unsigned k = 0; k < CLUMP_MULTI_PATTERNS; k++) {
        double times[CLUMP_TUNING_VALUES], least = INFINITY, half_width;
        for (unsigned v = 0; v < scan->count; v++) {
            times[v] = clump_calibration_median(
                samples, scan->first, scan->end,
                &(clump_calibration_sample){.variant = scan->strategies[v].name,
                                            .benchmark =
                                                (clump_benchmark)(CLUMP_MULTI_FIRST_PATTERN + k),
                                            .quantity = CLUMP_QUANTITY_OPERATION_TIME},
                values, &half_width);
            least = fmin(least, times[v]);
            if (!isnan(half_width))
                uncertain[known++] = half_width / times[v];
        }
        for (unsigned v = 0; v < scan->count; v++)
            scan->worst[v] = isnan(times[v]) || isnan(scan->worst[v])
                                 ? NAN
                                 : fmax(scan->worst[v], times[v] / least);
    }
    scan->uncertainty = sqrt(2) * clump_median(uncertain, known);
}

/* Where there is nothing to judge by. */
static unsigned nearest(const clump_tuning_scan *scan)
{
    unsigned found = 0;
    for (unsigned v = 1; v < scan->count; v++)
        if (distance(scan, v) < distance(scan, found))
            found = v;
    return found;
}

bool clump_tuning_scan_judge(clump_tuning_scan *scan, const clump_calibration_samples *samples,
                             clump_polling_parameters *tuned)
{
    double *values = malloc((scan->end - scan->first + 1) * sizeof *values);
    if (values == NULL)
        return false;
    compare(scan, samples, values);
    free(values);
    scan->best = 0;
    scan->unsure = isnan(scan->worst[0]);
    for (unsigned v = 1; v < scan->count; v++) {
        scan->unsure = scan->unsure || isnan(scan->worst[v]);
        if (scan->worst[v] < scan->worst[scan->best] || isnan(scan->worst[scan->best]))
            scan->best = v;
    }
    scan->low = scan->high = scan->chosen = scan->best;
    /* One run says nothing of how much it may be off by. */
    const double least = clump_tuning_as_good * scan->worst[scan->best],
                 limit = fmax(least, (1 + scan->uncertainty) * scan->worst[scan->best]);
    bool more = false;
    for (unsigned v = 0; v < scan->count; v++)
        more = more || scan->worst[v] > limit;
    scan->unsure = scan->unsure || isnan(scan->uncertainty) || (!more && limit > least);
    if (scan->unsure) {
        scan->chosen = nearest(scan);
        return true;
    }
    while (scan->low > 0 && scan->worst[scan->low - 1] <= limit)
        scan->low--;
    while (scan->high + 1 < scan->count && scan->worst[scan->high + 1] <= limit)
        scan->high++;
    for (unsigned v = scan->low; v <= scan->high; v++)
        if (distance(scan, v) < distance(scan, scan->chosen))
            scan->chosen = v;
    *tuned = scan->strategies[scan->chosen].parameters;
    return true;
}
