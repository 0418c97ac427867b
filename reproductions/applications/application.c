/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/applications/application.h"

#include "reproductions/virtual/splitmix.h"

size_t clump_application_count_sizes(const clump_application *application)
{
    size_t count = 0;
    while (application->sizes[count].name != NULL)
        count++;
    return count;
}

clump_application_input clump_application_input_of(const clump_application *application,
                                                   uint32_t workers, uint32_t per_node)
{
    clump_application_input input = {
        .application = application, .workers = workers, .per_node = per_node, .seed = 1};
    for (size_t i = 0; application->sizes[i].name != NULL; i++)
        input.sizes[i] = application->sizes[i].preset;
    return input;
}

uint64_t clump_application_mix(uint64_t place, uint64_t value)
{
    uint64_t state = place;
    state = clump_splitmix_next(&state) ^ value;
    return clump_splitmix_next(&state);
}

uint32_t clump_application_share(uint32_t items, uint32_t workers, uint32_t rank)
{
    return (uint32_t)((uint64_t)items * rank / workers);
}

uint64_t clump_application_seed(uint64_t seed, uint64_t stream, uint64_t index)
{
    return clump_application_mix(clump_application_mix(seed, stream), index);
}
