/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/prediction.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/golden.h"

static clump_status predict(const clump_node *node, const clump_load *load, clump_error *error)
{
    double slowdowns[9], distribution[10];
    const clump_prediction_details details = {
        slowdowns,
        load->demand == CLUMP_DEMAND_INDEPENDENT && load->phase_cycles == 0 ? distribution : NULL};
    clump_prediction result;
    return clump_predict(node, load, &result, &details, error);
}

TEST(test_every_allocation_may_fail)
{
    const double mix[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}, half = 0.5;
    static const double table[] = {1, 0.9};
    const clump_coupling none = CLUMP_COUPLING_NONE;
    const clump_node nodes[] = {{.processors = 8, .nics = 3, .efficiency = {table, 2, NULL, NULL}},
                                {.processors = 8, .nics = 3, .mapping = CLUMP_MAPPING_STATIC},
                                {.processors = 8, .nics = 4, .max_nics_per_processor = 2},
                                {.processors = 8, .nics = 3, .memory = {.share = 0.5, .feeds = 2}},
                                {.processors = 8,
                                 .nics = 2,
                                 .mapping = CLUMP_MAPPING_STATIC,
                                 .memory = {.share = 0.5, .feeds = 2}}};
    const clump_load loads[] = {{mix, 8, CLUMP_DEMAND_INDEPENDENT, 0, none, 0},
                                {mix, 8, CLUMP_DEMAND_CORRELATED, 0, none, 0},
                                {mix, 8, CLUMP_DEMAND_SCHEDULED, 0, none, 0},
                                {&half, 1, CLUMP_DEMAND_GANG, 2.5, none, 0},
                                {&half, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 5},
                                {&half, 1, CLUMP_DEMAND_SCHEDULED, 0, none, 0}};
    int failures = 0;
    for (size_t n = 0; n < 5; n++)
        for (size_t l = 0; l < 6; l++)
            /* With memory a schedule needs equal processors, and a phase pooled NICs. */
            for (long fail_at = 0; n < 3 || (l != 2 && (l != 4 || n == 3)); fail_at++) {
                clump_error error = {CLUMP_OK, ""};
                allocations_fail_from(fail_at);
                const clump_status status = predict(&nodes[n], &loads[l], &error);
                if (allocations_succeed() == 0) {
                    assert_int_equal(status, CLUMP_OK);
                    break;
                }
                assert_int_equal(status, CLUMP_NO_MEMORY);
                assert_non_null(strstr(error.message, "out of memory"));
                failures++;
            }
    assert_true(failures > 120); /* the wrapper did take effect */
}

UNIT_MAIN(NULL, NULL)
