/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clean write misses (cluster-protocols.txt, section 6.3, table V): a small message to a region's home,
 * which nobody else has a copy of, and an answer with the data. The last processor writes regions
 * of the first one, one after the other, each once.
 */
#include "reproductions/applications/application.h"

#include "reproductions/systems/regions.h"

#include <stdio.h>
#include <string.h>

enum { MISSES, BYTES };

static const clump_application_size sizes[] = {
    {"misses", "one after the other", 1000, 1, 1e6, true},
    {"bytes", "of a region, a multiple of 8", 8, 8, 1 << 20, true},
    {NULL, NULL, 0, 0, 0, false}};

static uint64_t value_of(const clump_application_input *input, uint32_t region)
{
    return clump_application_seed(input->seed, 1, region);
}

static bool check(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE])
{
    const uint32_t bytes = (uint32_t)input->sizes[BYTES];
    if (bytes % 8 != 0)
        snprintf(message, CLUMP_APPLICATION_MESSAGE,
                 "found regions of %u bytes, expected a multiple of 8", bytes);
    else if (input->workers > 1024)
        snprintf(message, CLUMP_APPLICATION_MESSAGE,
                 "found %u processors, expected at most 1024, which share regions", input->workers);
    else
        return true;
    return false;
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    const uint32_t misses = (uint32_t)input->sizes[MISSES], bytes = (uint32_t)input->sizes[BYTES];
    clump_regions *s = clump_regions_open(w);
    for (uint32_t i = 0; w->rank == 0 && i < misses; i++)
        clump_regions_create(s, bytes);
    clump_regions_barrier(s);
    clump_worker_begin(w);
    for (uint32_t i = 0; w->rank == w->count - 1 && i < misses; i++) {
        const uint64_t value = value_of(input, i);
        clump_region *r = clump_regions_map(s, (clump_region_name){0, i}, bytes);
        unsigned char *data = clump_region_start_write(r);
        memcpy(data + bytes - sizeof value, &value, sizeof value);
        clump_region_end_write(r);
        clump_worker_progress(w, (i + 1.0) / misses);
    }
    clump_worker_end(w);
    clump_regions_barrier(s);
    for (uint32_t i = 0; w->rank == 0 && i < misses; i++) {
        uint64_t value;
        clump_region *r = clump_regions_map(s, (clump_region_name){0, i}, bytes);
        const unsigned char *data = clump_region_start_read(r);
        memcpy(&value, data + bytes - sizeof value, sizeof value);
        result->digest += clump_application_mix(i, value);
        result->items++;
        clump_region_end_read(r);
    }
    clump_regions_barrier(s);
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    *result = (clump_application_result){.items = 0};
    for (uint32_t i = 0; i < (uint32_t)input->sizes[MISSES]; i++) {
        result->digest += clump_application_mix(i, value_of(input, i));
        result->items++;
    }
    return true;
}

const clump_application clump_application_write_miss = {
    .name = "write-miss",
    .run = "clean write miss",
    .title = "Benchmark of shared regions: write misses, one after the other",
    .text = "The last processor writes regions of the first one, of which nobody has a copy:\n"
            "a request and an answer with the data each. Time over misses is the latency of\n"
            "table V; with large regions, bytes over that time are its throughput.",
    .operation = "nothing: messages alone take time",
    .sizes = sizes,
    .system = "CRL",
    .threads = true,
    .check = check,
    .work = work,
    .expect = expect,
};
