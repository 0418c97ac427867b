/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every allocation of ours in reading a node and assigning its NICs fails in turn: refused for lack of memory, nothing
 * left behind (the sanitizers look). */
#include "data/file.h"
#include "tests/unit/failing_memory.h"
#include "topology/fewer_nics.h"
#include "topology/read_topology.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

/* All there is to do with a file, its allocation `nth` failing; false: it had not so many. */
static bool work(const char *bytes, size_t size, long nth)
{
    const clump_topology_rules rules = {
        .max_payload = 256, .packet = 4096, .nic_speed = 100e9, .slot = 16e9};
    const clump_topology_choice choice = {false, NULL, 0};
    clump_nic_count counts[CLUMP_MOST_COUNTED_NICS];
    clump_topology t;
    clump_error error = {CLUMP_OK, ""};
    allocation_fails(nth);
    clump_status status = clump_topology_read(bytes, size, &rules, &choice, &t, &error);
    if (status == CLUMP_OK) {
        for (int way = 0; way < CLUMP_ASSIGN_WAYS && status == CLUMP_OK; way++) {
            clump_assignment a;
            clump_topology_run_time time;
            status = clump_assign(&t, &rules, (clump_assignment_way)way, &a, &error);
            if (status != CLUMP_OK)
                break;
            status = clump_topology_time(&t, &rules, &a, 0.3, &time, &error);
            clump_assignment_free(&a);
        }
        if (status == CLUMP_OK)
            status = clump_count_nics(&t, &rules, 0.3, counts, &error);
        clump_topology_free(&t);
    }
    const bool all = allocations_succeed() == 0;
    assert_true(status == CLUMP_OK || (status == CLUMP_NO_MEMORY && *error.message != '\0'));
    assert_true(all == (status == CLUMP_OK));
    return !all;
}

TEST(test_files)
{
    static const char *const names[] = {"topologies/rccl-topo_3p_pcie_1.xml",
                                        "topologies/rccl-topo_8p_rome_n2_2.xml",
                                        "topologies/24em64t-2n6c2t-pci.xml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512], *bytes;
        size_t size;
        long nth = 0;
        const char *folder = getenv("CLUMP_TEST_DIR");
        snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "tests", names[i]);
        assert_int_equal(clump_file_read(path, 1 << 24, &bytes, &size), CLUMP_FILE_OK);
        while (work(bytes, size, nth))
            nth++;
        assert_true(nth > 20);
        free(bytes);
    }
}

TEST(test_matrix)
{
    static const char text[] = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\tX\tNV1\tPIX\t0\n"
                               "GPU1\tNV1\tX\tPXB\t0\nNIC0\tPIX\tPXB\tX\n";
    long nth = 0;
    while (work(text, sizeof text - 1, nth))
        nth++;
    assert_true(nth > 20);
}

UNIT_MAIN(NULL, NULL)
