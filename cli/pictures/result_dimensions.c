/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_dimensions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double result_dimension_number(const clump_result *r, result_dimension dimension)
{
    switch (dimension) {
    case DIMENSION_UTILIZATION:
        return r->utilization;
    case DIMENSION_NICS:
        return (double)r->nics;
    case DIMENSION_PROCESSORS:
        return (double)r->processors;
    case DIMENSION_MAX_NICS:
        return r->max_nics_per_processor > 0 ? r->max_nics_per_processor : NAN;
    case DIMENSION_GANG_SIZE:
        return r->demand == CLUMP_DEMAND_GANG ? r->gang_size : NAN;
    case DIMENSION_REMOTE_FRACTION:
        return r->remote_fraction;
    case DIMENSION_COST_RATIO:
        return r->cost_ratio;
    case DIMENSION_MEMORY_PENALTY:
        return r->memory_penalty;
    case DIMENSION_WAITING_FRACTION:
        return r->waiting_fraction;
    case DIMENSION_PHASE_CYCLES:
        return r->phase_cycles > 0 ? r->phase_cycles : NAN;
    case DIMENSION_PROCESSOR:
        return r->processor > 0 ? (double)r->processor : NAN;
    default:
        return NAN;
    }
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool result_dimension_is_equal(const clump_result *a, const clump_result *b,
                               result_dimension dimension)
{
    switch (dimension) {
    case DIMENSION_APPLICATION:
        return is_same_text(a->application, b->application);
    case DIMENSION_PLATFORM:
        return is_same_text(a->platform, b->platform);
    case DIMENSION_MAPPING:
        return a->mapping == b->mapping;
    case DIMENSION_DEMAND:
        return a->demand == b->demand;
    default:
        break;
    }
    const double x = result_dimension_number(a, dimension);
    const double y = result_dimension_number(b, dimension);
    return isnan(x) ? isnan(y) : !(x < y) && !(x > y) && !isnan(y);
}

static const char *const labels[DIMENSION_COUNT] = {
    [DIMENSION_UTILIZATION] = "Utilization U on the NOW",
    [DIMENSION_NICS] = "NICs N in a node",
    [DIMENSION_PROCESSORS] = "Processors P in a node",
    [DIMENSION_MAX_NICS] = "NICs that one processor can keep busy",
    [DIMENSION_GANG_SIZE] = "Gang size s (processors)",
    [DIMENSION_REMOTE_FRACTION] = "Remote fraction f of the communication",
    [DIMENSION_COST_RATIO] = "Cost ratio V of local to remote communication",
    [DIMENSION_MEMORY_PENALTY] = "Memory penalty c",
    [DIMENSION_WAITING_FRACTION] = "Waiting fraction h",
    [DIMENSION_PHASE_CYCLES] = "Length of a phase (cycles)",
    [DIMENSION_PROCESSOR] = "Processor",
    [DIMENSION_APPLICATION] = "Application",
    [DIMENSION_PLATFORM] = "Platform",
    [DIMENSION_MAPPING] = "Mapping",
    [DIMENSION_DEMAND] = "Demand",
};

const char *result_dimension_label(result_dimension dimension)
{
    return labels[dimension];
}

bool result_dimension_is_whole(result_dimension dimension)
{
    return dimension == DIMENSION_NICS || dimension == DIMENSION_PROCESSORS ||
           dimension == DIMENSION_PROCESSOR;
}

/* Numbers of which nothing is said where they do not apply. */
static int describe_number(double value, const char *format, char *text, size_t size)
{
    if (!isnan(value))
        return snprintf(text, size, format, value); /* NOLINT: one of the formats below */
    return snprintf(text, size, "-");
}

int result_dimension_describe(const clump_result *r, result_dimension dimension, char *text,
                              size_t size)
{
    static const char *const formats[DIMENSION_NUMBERS] = {
        [DIMENSION_UTILIZATION] = "U = %.4g",      [DIMENSION_MAX_NICS] = "%.4g NICs/processor",
        [DIMENSION_GANG_SIZE] = "gangs of %.4g",   [DIMENSION_REMOTE_FRACTION] = "f = %.4g",
        [DIMENSION_COST_RATIO] = "V = %.4g",       [DIMENSION_MEMORY_PENALTY] = "c = %.4g",
        [DIMENSION_WAITING_FRACTION] = "h = %.4g", [DIMENSION_PHASE_CYCLES] = "%.4g cycles",
        [DIMENSION_PROCESSOR] = "processor %.0f",
    };
    const char *name = "-";
    switch (dimension) {
    case DIMENSION_NICS:
        return snprintf(text, size, "%zu NIC%s", r->nics, r->nics == 1 ? "" : "s");
    case DIMENSION_PROCESSORS:
        return snprintf(text, size, "%zu processor%s", r->processors,
                        r->processors == 1 ? "" : "s");
    case DIMENSION_APPLICATION:
        name = r->application != NULL ? r->application : "-";
        break;
    case DIMENSION_PLATFORM:
        name = r->platform != NULL ? r->platform : "-";
        break;
    case DIMENSION_MAPPING:
        name = clump_mapping_name(r->mapping);
        break;
    case DIMENSION_DEMAND:
        name = clump_demand_kind_name(r->demand);
        break;
    default:
        return describe_number(result_dimension_number(r, dimension), formats[dimension], text,
                               size);
    }
    return snprintf(text, size, "%s", name);
}

/* Combinations of application and platform whose rows are compared; more make no picture. */
enum { MOST_PAIRS = 256 };

void dimensions_free(const clump_result *results, size_t count, bool varies[DIMENSION_COUNT])
{
    const clump_result *pairs[MOST_PAIRS];
    size_t pair_count = 0;
    memset(varies, 0, DIMENSION_COUNT * sizeof *varies);
    for (size_t i = 0; i < count; i++) {
        const clump_result *r = &results[i];
        size_t p = 0;
        while (p < pair_count && !(result_dimension_is_equal(pairs[p], r, DIMENSION_APPLICATION) &&
                                   result_dimension_is_equal(pairs[p], r, DIMENSION_PLATFORM)))
            p++;
        if (p == pair_count && pair_count < MOST_PAIRS)
            pairs[pair_count++] = r;
        for (int d = 0; d < DIMENSION_COUNT; d++) {
            const bool names = d == DIMENSION_APPLICATION || d == DIMENSION_PLATFORM;
            const clump_result *first = names || p == MOST_PAIRS ? results : pairs[p];
            varies[d] = varies[d] || !result_dimension_is_equal(first, r, (result_dimension)d);
        }
    }
}
