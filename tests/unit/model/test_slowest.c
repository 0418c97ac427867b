/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expected greatest of several, against closed forms, another integral and counting. */
#include "tests/unit/unit.h"

#include "model/slowest.h"
#include "tests/unit/golden.h"

static const double pi = 3.14159265358979323846;

TEST(test_closed_forms)
{
    assert_true(clump_slowest_normal(0) == 0);
    assert_true(clump_slowest_normal(1) == 0);
    assert_close(clump_slowest_normal(2), 1 / sqrt(pi), 1e-14);
    assert_close(clump_slowest_normal(3), 1.5 / sqrt(pi), 1e-14);
    assert_close(clump_slowest_normal(4), 6 * atan(sqrt(2)) / pow(pi, 1.5), 1e-14);
    assert_close(clump_slowest_normal(5), 1.25 / sqrt(pi) + 7.5 * asin(1.0 / 3) / pow(pi, 1.5),
                 1e-14);
}

/* The mean as an integral of the distribution, by Simpson's rule. */
static double by_distribution(double k)
{
    const int steps = 40000;
    const double h = 40.0 / steps;
    double sum = 0;
    for (int i = 0; i <= steps; i++) {
        const double x = i * h, above = erfc(x / sqrt(2)) / 2;
        const double value = -expm1(k * log1p(-above)) - pow(above, k);
        sum += value * (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2);
    }
    return sum * h / 3;
}

TEST(test_another_integral)
{
    static const double counts[] = {2, 7, 16, 32, 100, 1000, 1e6, 1e9, 1e12, 1e18};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_close(clump_slowest_normal((size_t)counts[i]), by_distribution(counts[i]), 1e-12);
    /* Harter's table. */
    assert_close(clump_slowest_normal(10), 1.53875, 5e-6);
    assert_close(clump_slowest_normal(100), 2.50759, 5e-6);
}

/* All of the table, and beyond it the integral, against 60 digits. */
TEST(test_high_precision)
{
    const golden_table golden = golden_read("slowest.csv");
    assert_int_equal(golden.count, 99);
    for (size_t i = 0; i < golden.count; i++) {
        const size_t count = (size_t)golden.rows[i][0];
        assert_int_equal(count, i + 2);
        assert_close(clump_slowest_normal(count), golden.rows[i][1], 1e-14);
    }
    free(golden.rows);
}

/* Normal numbers, from two uniform ones. */
static double normal(unsigned long long *seed)
{
    const double u = 1 - golden_random(seed), v = golden_random(seed);
    return sqrt(-2 * log(u)) * cos(2 * pi * v);
}

TEST(test_groups)
{
    enum { RUNS = 4000, PROCESSORS = 32, GROUP = 2 };
    unsigned long long seed = 7;
    double sum = 0, squares = 0;
    for (int run = 0; run < RUNS; run++) {
        double greatest = -INFINITY;
        for (int g = 0; g < PROCESSORS / GROUP; g++) {
            double mean = 0;
            for (int p = 0; p < GROUP; p++)
                mean += 10 * normal(&seed) / GROUP;
            greatest = fmax(greatest, mean);
        }
        sum += greatest;
        squares += greatest * greatest;
    }
    const double mean = sum / RUNS, error = sqrt((squares / RUNS - mean * mean) / RUNS);
    const double range = 10 * clump_slowest_normal(PROCESSORS);
    const clump_uneven u = {1000, 1000 - range, 1000 + range, PROCESSORS};
    assert_close(clump_uneven_deviation(&u), 10, 1e-14);
    if (fabs(clump_uneven_excess(&u, GROUP) - mean) > 4 * error)
        fail_msg("%g, counted %g +- %g", clump_uneven_excess(&u, GROUP), mean, error);
    /* Single processors: the greatest itself. */
    assert_close(clump_uneven_excess(&u, 1), range, 1e-14);
}

TEST(test_bounds)
{
    const clump_uneven skewed = {60, 0, 61, 32}, one = {5, 4, 6, 1}, wrong = {7, 4, 6, 8};
    assert_true(clump_uneven_excess(&skewed, 1) == 1); /* no more than the greatest has */
    assert_true(clump_uneven_excess(&skewed, 32) == 0);
    assert_true(clump_uneven_excess(&skewed, 0) == 0);
    assert_true(clump_uneven_excess(&one, 1) == 0);
    assert_true(isnan(clump_uneven_excess(&wrong, 2)));
}

UNIT_MAIN(NULL, NULL)
