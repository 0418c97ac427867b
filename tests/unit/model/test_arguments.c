/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/closed_network.h"
#include "model/demand_solvers.h"
#include "model/erlang.h"
#include "model/prediction.h"
#include "model/transient.h"
#include "tests/unit/golden.h"

/* Every bad argument is an error value whose message names the argument; outputs stay untouched. */

typedef struct question {
    clump_node node;
    clump_load load;
    const char *expected; /* part of the message */
} question;

static double bad_efficiency(double active, void *context)
{
    (void)context;
    return active > 5 ? -1 : 1;
}

TEST(test_predictions_refused)
{
    static const double half = 0.5, above = 1.01, below = -0.01, not_a_number = NAN,
                        infinite = INFINITY;
    static const double mix[] = {0.1, 0.2, 2, 0.3, 0.1, 0.1, 0.1, 0.1};
    static const double zero_table[] = {1, 0}, low_table[] = {0.9, 0.8}, nan_table[] = {1, NAN};
    static const size_t few[] = {3, 3}, many[] = {5, 5};
    const clump_coupling none = CLUMP_COUPLING_NONE;
    const clump_node good = {.processors = 8, .nics = 4};
    const clump_load plain = {&half, 1, CLUMP_DEMAND_INDEPENDENT, 0, none, 0};
    question questions[] = {
        {{.processors = 0, .nics = 4}, plain, "processors"},
        {{.processors = (size_t)1 << 40, .nics = 4}, plain, "processors"},
        {{.processors = 8, .nics = 0}, plain, "nics"},
        {{.processors = 8, .nics = 4, .max_nics_per_processor = 0.5}, plain, "max"},
        {{.processors = 8, .nics = 4, .max_nics_per_processor = NAN}, plain, "max"},
        {{.processors = 8, .nics = 2, .mapping = CLUMP_MAPPING_STATIC, .group_sizes = few},
         plain,
         "group sizes"},
        {{.processors = 8, .nics = 2, .mapping = CLUMP_MAPPING_STATIC, .group_sizes = many},
         plain,
         "group sizes"},
        {{.processors = 8, .nics = 2, .mapping = CLUMP_MAPPING_POOLED, .group_sizes = few},
         plain,
         "group sizes"},
        {{.processors = 8, .nics = 4, .efficiency = {zero_table, 2, NULL, NULL}}, plain, "E(2)"},
        {{.processors = 8, .nics = 4, .efficiency = {low_table, 2, NULL, NULL}}, plain, "E(1)"},
        {{.processors = 8, .nics = 4, .efficiency = {nan_table, 2, NULL, NULL}}, plain, "E(2)"},
        {{.processors = 8, .nics = 4, .efficiency = {NULL, 2, NULL, NULL}}, plain, "efficiency"},
        {{.processors = 8, .nics = 4, .efficiency = {NULL, 0, bad_efficiency, NULL}},
         plain,
         "E(6)"},
        {good, {&above, 1, 0, 0, none, 0}, "utilization"},
        {good, {&below, 1, 0, 0, none, 0}, "utilization"},
        {good, {&not_a_number, 1, 0, 0, none, 0}, "utilization"},
        {good, {&infinite, 1, 0, 0, none, 0}, "utilization"},
        {good, {mix, 8, 0, 0, none, 0}, "utilization of processor 3"},
        {good, {mix, 3, 0, 0, none, 0}, "utilization: 3 values"},
        {good, {NULL, 1, 0, 0, none, 0}, "utilization"},
        {good, {mix, 8, (clump_demand)99, 0, none, 0}, "demand"},
        {{.processors = 8, .nics = 4, .mapping = (clump_mapping)7}, plain, "mapping"},
        {good, {&half, 1, 0, 0, {1, 1e300, 1, 0}, 0}, "cost ratio"},
        {good, {&half, 1, 0, 0, {1, 1, 1e300, 0}, 0}, "memory penalty"},
        {good, {&half, 1, 0, 0, none, 1e200}, "phase length"},
        {good, {&half, 1, CLUMP_DEMAND_GANG, 0.5, none, 0}, "gang size"},
        {good, {&half, 1, CLUMP_DEMAND_GANG, 9, none, 0}, "gang size"},
        {good, {&half, 1, CLUMP_DEMAND_GANG, NAN, none, 0}, "gang size"},
        {good, {mix, 8, CLUMP_DEMAND_GANG, 2, none, 0}, "gang demand"},
        {good, {&half, 1, (clump_demand)77, 0, none, 0}, "demand"},
        {good, {&half, 1, 0, 0, {2, 1, 1, 0}, 0}, "remote fraction"},
        {good, {&half, 1, 0, 0, {1, -1, 1, 0}, 0}, "cost ratio"},
        {good, {&half, 1, 0, 0, {1, 1, 0, 0}, 0}, "memory penalty"},
        {good, {&half, 1, 0, 0, {1, 1, 1, 1.5}, 0}, "waiting fraction"},
        {good, {&half, 1, 0, 0, none, -1}, "phase length"},
        {good, {&half, 1, 0, 0, none, INFINITY}, "phase length"},
        {good, {&half, 1, CLUMP_DEMAND_CORRELATED, 0, none, 1}, "phase length"},
    };
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        clump_prediction result = {.slowdown = -7};
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(
            clump_predict(&questions[i].node, &questions[i].load, &result, NULL, &error),
            CLUMP_BAD_ARGUMENT);
        assert_int_equal(error.status, CLUMP_BAD_ARGUMENT);
        if (strstr(error.message, questions[i].expected) == NULL)
            fail_msg("question %zu: '%s' does not name '%s'", i, error.message,
                     questions[i].expected);
        assert_true(result.slowdown == -7);
        /* The message is optional. */
        assert_int_equal(clump_predict(&questions[i].node, &questions[i].load, &result, NULL, NULL),
                         CLUMP_BAD_ARGUMENT);
    }
}

TEST(test_solvers_refuse)
{
    double X = -7;
    const clump_station station = {.nics = 4}, none = {.nics = 0},
                        gang = {.nics = 4, .gang_size = 0.5};
    const clump_class empty = {0.5, 0}, huge[] = {{0.5, 90000000}, {0.4, 90000000}}, one = {0.5, 8};
    assert_int_equal(clump_network_solve(&empty, 1, &station, NULL, &X, NULL, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_network_solve(&one, 0, &station, NULL, &X, NULL, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_network_solve(huge, 2, &station, NULL, &X, NULL, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_network_solve(&one, 1, &none, NULL, &X, NULL, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_network_solve(&one, 1, &gang, NULL, &X, NULL, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_erlang_slowdown(0.5, 1, 0.5, &X, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_erlang_slowdown(NAN, 1, 0.5, &X, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_erlang_slowdown(2, 0, 0.5, &X, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_erlang_slowdown(2, 1, 1.5, &X, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_transient_slowdown(8, 0.5, &station, 0, NULL, &X, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_transient_slowdown(8, NAN, &station, 1, NULL, &X, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_transient_slowdown(0, 0.5, &station, 1, NULL, &X, NULL),
                     CLUMP_BAD_ARGUMENT);
    const clump_station tiny = {.nics = 1e-320}, vast = {.nics = 1e300};
    assert_int_equal(clump_network_solve(&one, 1, &tiny, NULL, &X, NULL, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_network_solve(&one, 1, &vast, NULL, &X, NULL, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_erlang_slowdown(2, 1e-305, 0.5, &X, NULL), CLUMP_BAD_ARGUMENT);
    const clump_need descending[] = {{0.5, 0.5, 1}, {0.6, 0.4, 1}}, nothing = {0, 0, 1},
                     nobody = {0.5, 0.5, 0}, endless = {INFINITY, 0.5, 1}, wrong = {0.5, NAN, 1};
    assert_int_equal(clump_correlated_slowdown(descending, 2, &station, &X, NULL),
                     CLUMP_BAD_ARGUMENT);
    const clump_need *const refused[] = {&nothing, &nobody, &endless, &wrong};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(clump_correlated_slowdown(refused[i], 1, &station, &X, NULL),
                         CLUMP_BAD_ARGUMENT);
        assert_int_equal(clump_scheduled_slowdown(refused[i], 1, &station, &X, NULL),
                         CLUMP_BAD_ARGUMENT);
    }
    assert_true(X == -7);
}

UNIT_MAIN(NULL, NULL)
