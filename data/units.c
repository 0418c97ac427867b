/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/units.h"

#include <stddef.h>
#include <string.h>

typedef enum dimension {
    TIME,
    TIME_PER_BYTE,
    BYTES,
    BANDWIDTH,
    COUNT,
    RATE,
    FREQUENCY,
    CYCLES,
    RATIO,
    PROGRESS
} dimension;

/* One unit is numerator/denominator base units of its dimension. Both are exact in a double, so
 * that 5.991 nsec/B becomes the double next to 0.005991 and not 5.991 times a rounded 0.001. */
typedef struct unit {
    const char *name;
    dimension dimension;
    double numerator;
    double denominator;
    bool canonical;
} unit;

#define KI 1024.0
#define MI (1024.0 * 1024.0)
#define GI (1024.0 * 1024.0 * 1024.0)

static const unit units[] = {
    {"us", TIME, 1, 1, true},
    {"usec", TIME, 1, 1, false},
    {"ns", TIME, 1, 1e3, false},
    {"nsec", TIME, 1, 1e3, false},
    {"ms", TIME, 1e3, 1, false},
    {"msec", TIME, 1e3, 1, false},
    {"s", TIME, 1e6, 1, true},
    {"sec", TIME, 1e6, 1, false},
    {"us/B", TIME_PER_BYTE, 1, 1, true},
    {"usec/B", TIME_PER_BYTE, 1, 1, false},
    {"ns/B", TIME_PER_BYTE, 1, 1e3, false},
    {"nsec/B", TIME_PER_BYTE, 1, 1e3, false},
    {"B", BYTES, 1, 1, true},
    {"KiB", BYTES, KI, 1, false},
    {"MiB", BYTES, MI, 1, false},
    {"GiB", BYTES, GI, 1, false},
    {"kB", BYTES, 1e3, 1, false},
    {"MB", BYTES, 1e6, 1, false},
    {"GB", BYTES, 1e9, 1, false},
    {"B/us", BANDWIDTH, 1, 1, true},
    {"B/s", BANDWIDTH, 1, 1e6, false},
    {"KiB/s", BANDWIDTH, KI, 1e6, false},
    {"MiB/s", BANDWIDTH, MI, 1e6, false},
    {"GiB/s", BANDWIDTH, GI, 1e6, false},
    {"kB/s", BANDWIDTH, 1, 1e3, false},
    {"MB/s", BANDWIDTH, 1, 1, false},
    {"GB/s", BANDWIDTH, 1e3, 1, false},
    {"TB/s", BANDWIDTH, 1e6, 1, false},
    {"Mbit/s", BANDWIDTH, 1, 8, false},
    {"Gbit/s", BANDWIDTH, 1e3, 8, false},
    {"Mb/s", BANDWIDTH, 1, 8, false},
    {"Gb/s", BANDWIDTH, 1e3, 8, false},
    {"Tb/s", BANDWIDTH, 1e6, 8, false},
    {"count", COUNT, 1, 1, true},
    {"1/us", RATE, 1, 1, true},
    {"1/s", RATE, 1, 1e6, false},
    {"msg/s", RATE, 1, 1e6, false},
    {"MHz", FREQUENCY, 1, 1, true},
    {"GHz", FREQUENCY, 1e3, 1, false},
    {"cycles", CYCLES, 1, 1, true},
    {"ratio", RATIO, 1, 1, true},
    {"%", RATIO, 1, 100, false},
    {"ns/day", PROGRESS, 1, 1, true}, /* simulated time per wall time */
};

static const unit *find(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

clump_unit_status clump_unit_convert(double value, const char *from, const char *to, double *result)
{
    const unit *source = find(from);
    const unit *target = find(to);
    if (source == NULL)
        return CLUMP_UNIT_UNKNOWN_FROM;
    if (target == NULL)
        return CLUMP_UNIT_UNKNOWN_TO;
    if (source->dimension != target->dimension)
        return CLUMP_UNIT_MISMATCH;
    double numerator = source->numerator * target->denominator;
    double denominator = source->denominator * target->numerator;
    /* ms to s is 1e3/1e6: divide by 1e3 only, which stays exact for large values too. */
    if (numerator >= denominator) {
        numerator /= denominator;
        denominator = 1;
    } else if (denominator / numerator * numerator == denominator) {
        denominator /= numerator;
        numerator = 1;
    }
    *result = value * numerator / denominator;
    return CLUMP_UNIT_OK;
}

bool clump_unit_is_canonical(const char *name)
{
    const unit *found = find(name);
    return found != NULL && found->canonical;
}

const char *clump_unit_names(void)
{
    return "us, ns, ms, s (also usec, nsec, msec, sec), us/B, ns/B, B, KiB, MiB, GiB, kB, MB, GB, "
           "B/us, B/s, KiB/s, MiB/s, GiB/s, kB/s, MB/s, GB/s, TB/s, Mbit/s, Gbit/s (also Mb/s, "
           "Gb/s, Tb/s), count, 1/us, 1/s, "
           "msg/s, MHz, GHz, cycles, ratio, %, ns/day";
}
