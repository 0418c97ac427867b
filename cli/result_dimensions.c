/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/result_dimensions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double clump_cli_dimension_number(const clump_result *r, clump_cli_dimension dimension)
{
    switch (dimension) {
    case CLUMP_CLI_DIMENSION_UTILIZATION:
        return r->utilization;
    case CLUMP_CLI_DIMENSION_NICS:
        return (double)r->nics;
    case CLUMP_CLI_DIMENSION_PROCESSORS:
        return (double)r->processors;
    case CLUMP_CLI_DIMENSION_MAX_NICS:
        return r->max_nics_per_processor > 0 ? r->max_nics_per_processor : NAN;
    case CLUMP_CLI_DIMENSION_GANG_SIZE:
        return r->demand == CLUMP_DEMAND_GANG ? r->gang_size : NAN;
    case CLUMP_CLI_DIMENSION_REMOTE_FRACTION:
        return r->remote_fraction;
    case CLUMP_CLI_DIMENSION_COST_RATIO:
        return r->cost_ratio;
    case CLUMP_CLI_DIMENSION_MEMORY_PENALTY:
        return r->memory_penalty;
    case CLUMP_CLI_DIMENSION_WAITING_FRACTION:
        return r->waiting_fraction;
    case CLUMP_CLI_DIMENSION_PHASE_CYCLES:
        return r->phase_cycles > 0 ? r->phase_cycles : NAN;
    case CLUMP_CLI_DIMENSION_PROCESSOR:
        return r->processor > 0 ? (double)r->processor : NAN;
    default:
        return NAN;
    }
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool clump_cli_dimension_is_equal(const clump_result *a, const clump_result *b,
                                  clump_cli_dimension dimension)
{
    switch (dimension) {
    case CLUMP_CLI_DIMENSION_APPLICATION:
        return is_same_text(a->application, b->application);
    case CLUMP_CLI_DIMENSION_PLATFORM:
        return is_same_text(a->platform, b->platform);
    case CLUMP_CLI_DIMENSION_MAPPING:
        return a->mapping == b->mapping;
    case CLUMP_CLI_DIMENSION_DEMAND:
        return a->demand == b->demand;
    default:
        break;
    }
    const double x = clump_cli_dimension_number(a, dimension);
    const double y = clump_cli_dimension_number(b, dimension);
    return isnan(x) ? isnan(y) : !(x < y) && !(x > y) && !isnan(y);
}

static const char *const labels[CLUMP_CLI_DIMENSION_COUNT] = {
    [CLUMP_CLI_DIMENSION_UTILIZATION] = "Utilization U on the NOW",
    [CLUMP_CLI_DIMENSION_NICS] = "NICs N in a node",
    [CLUMP_CLI_DIMENSION_PROCESSORS] = "Processors P in a node",
    [CLUMP_CLI_DIMENSION_MAX_NICS] = "NICs that one processor can keep busy",
    [CLUMP_CLI_DIMENSION_GANG_SIZE] = "Gang size s (processors)",
    [CLUMP_CLI_DIMENSION_REMOTE_FRACTION] = "Remote fraction f of the communication",
    [CLUMP_CLI_DIMENSION_COST_RATIO] = "Cost ratio V of local to remote communication",
    [CLUMP_CLI_DIMENSION_MEMORY_PENALTY] = "Memory penalty c",
    [CLUMP_CLI_DIMENSION_WAITING_FRACTION] = "Waiting fraction h",
    [CLUMP_CLI_DIMENSION_PHASE_CYCLES] = "Length of a phase (cycles)",
    [CLUMP_CLI_DIMENSION_PROCESSOR] = "Processor",
    [CLUMP_CLI_DIMENSION_APPLICATION] = "Application",
    [CLUMP_CLI_DIMENSION_PLATFORM] = "Platform",
    [CLUMP_CLI_DIMENSION_MAPPING] = "Mapping",
    [CLUMP_CLI_DIMENSION_DEMAND] = "Demand",
};

const char *clump_cli_dimension_label(clump_cli_dimension dimension)
{
    return labels[dimension];
}

bool clump_cli_dimension_is_whole(clump_cli_dimension dimension)
{
    return dimension == CLUMP_CLI_DIMENSION_NICS || dimension == CLUMP_CLI_DIMENSION_PROCESSORS ||
           dimension == CLUMP_CLI_DIMENSION_PROCESSOR;
}

/* Numbers of which nothing is said where they do not apply. */
static int describe_number(double value, const char *format, char *text, size_t size)
{
    if (!isnan(value))
        return snprintf(text, size, format, value); /* NOLINT: one of the formats below */
    return snprintf(text, size, "-");
}

int clump_cli_dimension_describe(const clump_result *r, clump_cli_dimension dimension, char *text,
                                 size_t size)
{
    static const char *const formats[CLUMP_CLI_DIMENSION_NUMBERS] = {
        [CLUMP_CLI_DIMENSION_UTILIZATION] = "U = %.4g",
        [CLUMP_CLI_DIMENSION_MAX_NICS] = "%.4g NICs/processor",
        [CLUMP_CLI_DIMENSION_GANG_SIZE] = "gangs of %.4g",
        [CLUMP_CLI_DIMENSION_REMOTE_FRACTION] = "f = %.4g",
        [CLUMP_CLI_DIMENSION_COST_RATIO] = "V = %.4g",
        [CLUMP_CLI_DIMENSION_MEMORY_PENALTY] = "c = %.4g",
        [CLUMP_CLI_DIMENSION_WAITING_FRACTION] = "h = %.4g",
        [CLUMP_CLI_DIMENSION_PHASE_CYCLES] = "%.4g cycles",
        [CLUMP_CLI_DIMENSION_PROCESSOR] = "processor %.0f",
    };
    static const char *const demands[] = {"independent", "correlated", "scheduled", "gang"};
    const char *name = "-";
    switch (dimension) {
    case CLUMP_CLI_DIMENSION_NICS:
        return snprintf(text, size, "%zu NIC%s", r->nics, r->nics == 1 ? "" : "s");
    case CLUMP_CLI_DIMENSION_PROCESSORS:
        return snprintf(text, size, "%zu processor%s", r->processors,
                        r->processors == 1 ? "" : "s");
    case CLUMP_CLI_DIMENSION_APPLICATION:
        name = r->application != NULL ? r->application : "-";
        break;
    case CLUMP_CLI_DIMENSION_PLATFORM:
        name = r->platform != NULL ? r->platform : "-";
        break;
    case CLUMP_CLI_DIMENSION_MAPPING:
        name = clump_mapping_name(r->mapping);
        break;
    case CLUMP_CLI_DIMENSION_DEMAND:
        name = demands[r->demand];
        break;
    default:
        return describe_number(clump_cli_dimension_number(r, dimension), formats[dimension], text,
                               size);
    }
    return snprintf(text, size, "%s", name);
}

/* Combinations of application and platform whose rows are compared; more make no picture. */
enum { MOST_PAIRS = 256 };

void clump_cli_dimensions_free(const clump_result *results, size_t count,
                               bool varies[CLUMP_CLI_DIMENSION_COUNT])
{
    const clump_result *pairs[MOST_PAIRS];
    size_t pair_count = 0;
    memset(varies, 0, CLUMP_CLI_DIMENSION_COUNT * sizeof *varies);
    for (size_t i = 0; i < count; i++) {
        const clump_result *r = &results[i];
        size_t p = 0;
        while (p < pair_count &&
               !(clump_cli_dimension_is_equal(pairs[p], r, CLUMP_CLI_DIMENSION_APPLICATION) &&
                 clump_cli_dimension_is_equal(pairs[p], r, CLUMP_CLI_DIMENSION_PLATFORM)))
            p++;
        if (p == pair_count && pair_count < MOST_PAIRS)
            pairs[pair_count++] = r;
        for (int d = 0; d < CLUMP_CLI_DIMENSION_COUNT; d++) {
            const bool names =
                d == CLUMP_CLI_DIMENSION_APPLICATION || d == CLUMP_CLI_DIMENSION_PLATFORM;
            const clump_result *first = names || p == MOST_PAIRS ? results : pairs[p];
            varies[d] =
                varies[d] || !clump_cli_dimension_is_equal(first, r, (clump_cli_dimension)d);
        }
    }
}
