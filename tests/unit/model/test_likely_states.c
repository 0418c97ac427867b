/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over the likely states alone, against Erlang's recursion and the solution over all states. */
#include "tests/unit/unit.h"

#include "model/closed_network.h"
#include "model/erlang.h"
#include "model/likely_states.h"
#include "model/prediction.h"
#include "tests/unit/golden.h"

#include <math.h>

static const double utilizations[] = {1e-300, 1e-12, 1e-4, 0.1, 0.48, 0.9, 1 - 1e-4, 1 - 1e-9};

TEST(test_against_all_states)
{
    static const size_t processors[] = {1, 2, 3, 17, 300, 5000};
    for (size_t i = 0; i < 6; i++)
        for (size_t u = 0; u < 8; u++)
            for (int n = 0; n < 8; n++) {
                const size_t P = processors[i];
                const double U = utilizations[u], most[] = {0, 1, 1.5, 2.7};
                clump_station station = {.nics = 1 + floor((double)P * n / 6),
                                         .max_nics_per_processor = most[n % 4]};
                if (n % 3 == 1)
                    station.slots = (clump_slots){3, 1.4, n % 2};
                if (n % 4 == 2)
                    station.gang_size = 2.5;
                const clump_class all = {U, P};
                clump_network_totals totals;
                double X, expected, active;
                clump_error error = {CLUMP_OK, ""};
                assert_int_equal(
                    clump_network_solve(&all, 1, &station, NULL, &expected, NULL, &totals, NULL),
                    CLUMP_OK);
                if (model_likely_solve(P, U, &station, &X, &active, &error) != CLUMP_OK)
                    fail_msg("P %zu U %g: %s", P, U, error.message);
                assert_close(X, expected, 1e-13);
                assert_close(active, totals.mean_active, 1e-12);
            }
}

TEST(test_against_recursion)
{
    for (size_t u = 0; u < 8; u++)
        for (int n = 1; n < 8; n++) {
            const size_t P = 300000;
            const clump_station station = {.nics = 60000.5 * n};
            double X, expected, active;
            assert_int_equal(
                clump_erlang_slowdown((double)P, station.nics, utilizations[u], &expected, NULL),
                CLUMP_OK);
            assert_int_equal(model_likely_solve(P, utilizations[u], &station, &X, &active, NULL),
                             CLUMP_OK);
            assert_close(X, expected, 1e-12);
        }
}

/* Gangs of so many processors are as many customers less: few of their states are likely, too. */
TEST(test_many_gangs)
{
    const double U = 0.3;
    const clump_node node = {.processors = 80000000, .nics = 30000000, .max_nics_per_processor = 1};
    const clump_load load = {.utilizations = &U,
                             .utilization_count = 1,
                             .demand = CLUMP_DEMAND_GANG,
                             .gang_size = 8,
                             .coupling = CLUMP_COUPLING_NONE};
    clump_prediction prediction;
    assert_int_equal(clump_predict(&node, &load, &prediction, NULL, NULL), CLUMP_OK);
    assert_close(prediction.slowdown, 1, 1e-9);
}

/* A NIC each, of which each keeps one busy: nobody waits, and P U communicate. */
TEST(test_most_processors)
{
    const double U = 0.3;
    const clump_node node = {.processors = CLUMP_MAX_PROCESSORS,
                             .nics = CLUMP_MAX_PROCESSORS,
                             .max_nics_per_processor = 1};
    const clump_load load = {
        .utilizations = &U, .utilization_count = 1, .coupling = CLUMP_COUPLING_NONE};
    clump_prediction prediction;
    assert_int_equal(clump_predict(&node, &load, &prediction, NULL, NULL), CLUMP_OK);
    assert_close(prediction.slowdown, 1, 1e-13);
    assert_close(prediction.mean_active, 3e7, 1e-13);
    assert_close(prediction.nic_utilization, 0.3, 1e-13);
}

UNIT_MAIN(NULL, NULL)
