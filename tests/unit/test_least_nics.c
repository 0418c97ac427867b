/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "model/least_nics.h"
#include "model/root.h"

static clump_load load_of(const double *U, clump_demand demand)
{
    return (clump_load){.utilizations = U,
                        .utilization_count = 1,
                        .demand = demand,
                        .gang_size = 2,
                        .coupling = CLUMP_COUPLING_NONE};
}

static double slowdown(const clump_node *node, const clump_load *load)
{
    clump_prediction prediction;
    clump_error error = {CLUMP_OK, ""};
    if (clump_predict(node, load, &prediction, NULL, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return prediction.slowdown;
}

/* By trying 1, 2, 3, ... */
static size_t least_by_trial(clump_node node, const clump_load *load, double limit, size_t most)
{
    for (node.nics = 1; node.nics <= most; node.nics++)
        if (slowdown(&node, load) <= limit)
            return node.nics;
    return 0;
}

static void test_against_trial(void **state)
{
    (void)state;
    static const size_t processors[] = {1, 2, 7, 8, 30};
    static const double limits[] = {0.7, 0.95, 1.0, 1.1, 1.5, 4};
    size_t none = 0, found = 0;
    for (size_t i = 0; i < 5; i++)
        for (int mapping = 0; mapping < 2; mapping++)
            for (int m = 0; m < 3; m++)
                for (int demand = 0; demand < 4; demand++)
                    for (size_t u = 0; u < 5; u++)
                        for (size_t l = 0; l < 6; l++) {
                            const double U = 0.05 + 0.22 * (double)u;
                            clump_node node = {.processors = processors[i],
                                               .mapping = (clump_mapping)mapping,
                                               .max_nics_per_processor = m};
                            if (m == 2 && mapping == 0)
                                node.placement = (clump_placement){2, 1, 0.5, {2, 1.2, 0}};
                            clump_load load = load_of(&U, (clump_demand)demand);
                            if (load.demand == CLUMP_DEMAND_GANG && (m == 2 || processors[i] < 2))
                                continue;
                            clump_least_nics least;
                            clump_error error = {CLUMP_OK, ""};
                            if (clump_least_nics_find(&node, &load, limits[l], 40, &least,
                                                      &error) != CLUMP_OK)
                                fail_msg("%s", error.message);
                            const size_t expected = least_by_trial(node, &load, limits[l], 40);
                            if (least.nics != expected)
                                fail_msg("P %zu mapping %d m %d demand %d U %g limit %g: %zu, "
                                         "expected %zu (real %g)",
                                         processors[i], mapping, m, demand, U, limits[l],
                                         least.nics, expected, least.real);
                            if (least.nics > 0)
                                found++;
                            else
                                none++;
                            if (least.nics > 0 && isfinite(least.real))
                                assert_int_equal(least.nics,
                                                 ceil(fmax(least.real, 1) * (1 - 1e-12)));
                        }
    assert_true(none > 100 && found > 100);
}

/* The real N solves (8.8) with N between the counts on either side. */
static void test_real_root(void **state)
{
    (void)state;
    const double U = 0.48;
    const clump_node node = {.processors = 8};
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    clump_least_nics least;
    assert_int_equal(clump_least_nics_find(&node, &load, 1.00193123733961, 100, &least, NULL),
                     CLUMP_OK);
    assert_close(least.real, 4, 1e-11); /* THEORY: P = 8, N = 4, U = 0.48 */
    /* P = 2: X = (1-U) (1 + 2c + 2c^2)/(1 + c), c = U/(N (1-U)); U = 0.5, X = 1: c = sqrt(1/2),
       N = 1/c. */
    const double half = 0.5;
    const clump_node two = {.processors = 2};
    const clump_load even = load_of(&half, CLUMP_DEMAND_INDEPENDENT);
    assert_int_equal(clump_least_nics_find(&two, &even, 1, 100, &least, NULL), CLUMP_OK);
    assert_close(least.real, sqrt(2), 1e-12);
    assert_int_equal(least.nics, 2);
}

static void test_large(void **state)
{
    (void)state;
    const double U = 0.3;
    const clump_node node = {.processors = 100000};
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    clump_least_nics least;
    assert_int_equal(clump_least_nics_find(&node, &load, 1.05, 200000, &least, NULL), CLUMP_OK);
    clump_node with = node;
    with.nics = least.nics;
    assert_true(slowdown(&with, &load) <= 1.05);
    with.nics--;
    assert_true(slowdown(&with, &load) > 1.05);
}

static void test_highest_utilization(void **state)
{
    (void)state;
    const double unread = NAN;
    const clump_load load = load_of(&unread, CLUMP_DEMAND_INDEPENDENT);
    clump_node node = {.processors = 8, .nics = 4};
    double highest;
    assert_int_equal(clump_highest_utilization(&node, &load, 1, 0.2, &highest, NULL), CLUMP_OK);
    assert_close(highest, 0.4786, 1e-4); /* 8.3.3: "less than 48%" */
    assert_close(slowdown(&node, &(clump_load){.utilizations = &highest,
                                               .utilization_count = 1,
                                               .coupling = CLUMP_COUPLING_NONE}),
                 1, 1e-12);
    /* Correlated: X = 1 + U (P-N)/N, so that X = 1.3 at U = 0.3. */
    const clump_load correlated = load_of(&unread, CLUMP_DEMAND_CORRELATED);
    assert_int_equal(clump_highest_utilization(&node, &correlated, 1.3, 0, &highest, NULL),
                     CLUMP_OK);
    assert_close(highest, 0.3, 1e-12);
    assert_int_equal(clump_highest_utilization(&node, &load, 5, 0, &highest, NULL), CLUMP_OK);
    assert_close(highest, 1, 0);
    assert_int_equal(clump_highest_utilization(&node, &load, 1, 0.9, &highest, NULL),
                     CLUMP_BAD_ARGUMENT);
}

static clump_status cubic(double x, double *value, void *context, clump_error *error)
{
    (void)error;
    *value = x * x * x - *(const double *)context;
    return CLUMP_OK;
}

static clump_status steep(double x, double *value, void *context, clump_error *error)
{
    (void)context;
    (void)error;
    *value = atan(1e6 * (x - 0.7310585786300049)) + 1e-9 * x;
    return CLUMP_OK;
}

static clump_status exponential(double x, double *value, void *context, clump_error *error)
{
    (void)context;
    if (x < 0 || x > 2)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "outside");
    *value = exp(x);
    return CLUMP_OK;
}

static void test_root_and_derivative(void **state)
{
    (void)state;
    double root, slope, uncertainty, two = 2;
    assert_int_equal(clump_root_find(cubic, &two, -10, 30, 0, &root, NULL), CLUMP_OK);
    assert_close(root, cbrt(2), 1e-15);
    assert_int_equal(clump_root_find(cubic, &two, 30, -10, 0, &root, NULL), CLUMP_OK);
    assert_close(root, cbrt(2), 1e-15);
    assert_int_equal(clump_root_find(cubic, &two, 2, 3, 0, &root, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_root_find(steep, NULL, 0, 1, 0, &root, NULL), CLUMP_OK);
    assert_close(root, 0.7310585786300049, 1e-12);
    static const double points[] = {0, 1e-9, 0.3, 1, 1.999999, 2};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(
            clump_derivative(exponential, NULL, points[i], 0, 2, 0.2, &slope, &uncertainty, NULL),
            CLUMP_OK);
        assert_close(slope, exp(points[i]), 1e-8);
        assert_true(fabs(slope - exp(points[i])) <= 10 * uncertainty + 1e-13);
    }
    assert_int_equal(clump_derivative(exponential, NULL, 3, 0, 2, 0.2, &slope, &uncertainty, NULL),
                     CLUMP_BAD_ARGUMENT);
}

static clump_status slowdown_over_utilization(double U, double *value, void *context,
                                              clump_error *error)
{
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    clump_prediction prediction;
    const clump_status status = clump_predict(context, &load, &prediction, NULL, error);
    *value = prediction.slowdown;
    return status;
}

/*
 * X = P (1-U)/(P - E[q]) and dE[q]/d ln w = Var[q], so that
 * X' = X (Var[q]/(U (1-U) (P - E[q])) - 1/(1-U)): from the distribution, with no difference taken.
 */
static void test_derivative_is_a_variance(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++)
        for (size_t i = 1; i < 10; i++) {
            double U = 0.1 * (double)i, p[9], mean = 0, variance = 0, slope, uncertainty;
            clump_node node = {.processors = 8, .nics = 3, .max_nics_per_processor = m};
            const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
            const clump_prediction_details details = {.distribution = p};
            clump_prediction prediction;
            assert_int_equal(clump_predict(&node, &load, &prediction, &details, NULL), CLUMP_OK);
            for (int q = 0; q <= 8; q++)
                mean += q * p[q];
            for (int q = 0; q <= 8; q++)
                variance += (q - mean) * (q - mean) * p[q];
            const double expected =
                prediction.slowdown * (variance / (U * (1 - U) * (8 - mean)) - 1 / (1 - U));
            assert_int_equal(clump_derivative(slowdown_over_utilization, &node, U, 0, 1, 0.05,
                                              &slope, &uncertainty, NULL),
                             CLUMP_OK);
            assert_true(fabs(slope - expected) < 1e-9);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_trial),
        cmocka_unit_test(test_real_root),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_highest_utilization),
        cmocka_unit_test(test_root_and_derivative),
        cmocka_unit_test(test_derivative_is_a_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
