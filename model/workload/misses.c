/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/misses.h"

static clump_status check(const clump_misses *m, clump_error *error)
{
    const struct {
        const char *name;
        double value, least, most;
        const char *expected;
    } rules[] = {
        {"share of the time", m->share, 0, 1, "0 to 1"},
        {"time of a miss on the NOW, us", m->now_us, 1e-9, 1e9, "1e-9 to 1e9"},
        {"time of a miss in the node, us", m->node_us, 0, 1e9, "0 to 1e9"},
        {"bytes of a line", m->line_bytes, 0, 1e12, "0 to 1e12"},
        {"memory bandwidth, bytes/us", m->bytes_per_us, 0, 1e15, "0 (not known) to 1e15"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!(rules[i].value >= rules[i].least && rules[i].value <= rules[i].most))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "misses: %s is %g, expected %s",
                              rules[i].name, rules[i].value, rules[i].expected);
    if (m->share == 1 && m->node_us == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "misses: share 1 of misses that take 0 us in the node: computation would "
                          "take no time");
    return CLUMP_OK;
}

/* a, and the station that memory is (misses.h). */
static clump_status memory_of(const clump_misses *m, double *latency_factor, clump_memory *memory,
                              clump_error *error)
{
    const clump_status status = check(m, error);
    if (status != CLUMP_OK)
        return status;
    const double a = 1 + m->share * (m->node_us / m->now_us - 1);
    const double busy_us = m->bytes_per_us > 0 ? m->line_bytes / m->bytes_per_us : 0;
    const double share = m->share * busy_us / (m->now_us * a);
    if (!(share <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "misses: one processor would use %.4g of the memory's time, expected at "
                          "most 1: a line occupies it for %.4g us of the %.4g us that a miss takes",
                          share, busy_us, m->node_us);
    *latency_factor = a;
    *memory = (clump_memory){.share = share, .feeds = 1, .law = CLUMP_MEMORY_QUEUE};
    return CLUMP_OK;
}

clump_status clump_misses_penalty(const clump_misses *misses, size_t processors, double *penalty,
                                  clump_error *error)
{
    double a = 1, rate;
    clump_memory memory;
    clump_status status = memory_of(misses, &a, &memory, error);
    if (status == CLUMP_OK && processors == 0)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT, "misses: 0 processors, expected 1 or more");
    if (status == CLUMP_OK)
        status = clump_memory_rate(&memory, processors, &rate, error);
    if (status == CLUMP_OK)
        *penalty = a * (double)processors / rate;
    return status;
}
