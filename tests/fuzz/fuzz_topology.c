/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any bytes as a description of a node: refused with a reason, or a tree with finite shares. */

#include "topology/fewer_nics.h"
#include "topology/read_topology.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const clump_topology_rules rules = {.max_payload = 256,
                                        .packet = 4096,
                                        .nic_speed = 100e9,
                                        .slot = 16e9,
                                        .through_memory = size % 2 == 0};
    const clump_topology_choice choice = {size % 3 == 0, NULL, 0};
    clump_topology topology;
    clump_error error = {CLUMP_OK, ""};
    char *bytes = malloc(size + 1); /* a copy of its own, so that reading beyond it is seen */
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    char *exact = realloc(bytes, size > 0 ? size : 1);
    const clump_status status =
        clump_topology_read(exact, size, &rules, &choice, &topology, &error);
    free(exact);
    if (status != CLUMP_OK && (error.message[0] == '\0' || topology.parts != NULL))
        abort();
    if (status != CLUMP_OK)
        return 0;
    for (size_t i = 1; i < topology.part_count; i++)
        if (topology.parts[i].parent >= i || !(topology.parts[i].link > 0))
            abort();
    for (int way = 0; way < CLUMP_ASSIGN_WAYS && topology.processor_count <= 16; way++) {
        clump_assignment a;
        clump_topology_run_time time;
        if (clump_assign(&topology, &rules, (clump_assignment_way)way, &a, &error) != CLUMP_OK)
            abort();
        if (!(a.least > 0))
            abort();
        if (topology.processor_count <= 8 &&
            clump_topology_time(&topology, &rules, &a, 0.5, &time, &error) == CLUMP_OK &&
            !(time.at_once > 0.999 && time.at_random > 0.999))
            abort();
        clump_assignment_free(&a);
    }
    clump_nic_count counts[CLUMP_MOST_COUNTED_NICS];
    if (topology.nic_count <= 4 && topology.processor_count <= 8 &&
        clump_count_nics(&topology, &rules, NAN, counts, &error) != CLUMP_OK)
        abort();
    clump_topology_free(&topology);
    return 0;
}
