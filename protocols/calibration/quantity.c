/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/quantity.h"

#define NAME_AND_UNIT(id, name, unit) [CLUMP_QUANTITY_##id] = {name, unit},
#define NAME(id, name) [CLUMP_BENCHMARK_##id] = name,

static const struct {
    const char *name, *unit;
} quantities[CLUMP_QUANTITIES] = {{"", ""}, CLUMP_EACH_QUANTITY(NAME_AND_UNIT)};

static const char *const benchmarks[CLUMP_BENCHMARKS] = {"", CLUMP_EACH_BENCHMARK(NAME)};

const char *clump_quantity_name(clump_quantity quantity)
{
    return quantities[quantity].name;
}

const char *clump_quantity_unit(clump_quantity quantity)
{
    return quantities[quantity].unit;
}

const char *clump_benchmark_name(clump_benchmark benchmark)
{
    return benchmarks[benchmark];
}
