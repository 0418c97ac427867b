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

/* Mean, least and greatest of so many come out, whichever is farther from the mean. */
TEST(test_spread)
{
    static const double cases[][4] = {
        {1000, 900, 1100, 32}, {67588, 52491, 199747, 32}, {60, 40, 66, 16}, {50, 40, 61, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clump_spread s = {.mean = cases[i][0],
                          .deviation = NAN,
                          .least = cases[i][1],
                          .greatest = cases[i][2],
                          .processors = (size_t)cases[i][3]};
        const double n = cases[i][3];
        double mean = 0, least = 0, greatest = 0, step = 1.0 / 256;
        clump_spread_fit(&s);
        for (double z = -12; z <= 12; z += step) {
            const double density = exp(-z * z / 2) / sqrt(2 * pi) * step;
            const double below = erfc(-z / sqrt(2)) / 2, x = clump_spread_value(&s, z);
            mean += x * density;
            greatest += x * n * density * pow(below, n - 1);
            least += x * n * density * pow(1 - below, n - 1);
        }
        assert_close(mean, s.mean, 2e-3); /* no value is below 0 */
        assert_close(greatest, s.greatest, 2e-3);
        assert_close(least, s.least, 2e-2);
    }
    clump_spread bounded = {.mean = 5, .deviation = 2, .least = 4, .greatest = 6};
    assert_true(clump_spread_value(&bounded, -9) == 4 && clump_spread_value(&bounded, 9) == 6);
    assert_true(clump_spread_value(&bounded, 0.25) == 5.5);
}

/* ---- jobs, against plain draws of all processors */

typedef struct spread_job {
    size_t processors;
    clump_spread of;
} spread_job;

static clump_status spread_needs(void *context, size_t node, const double *z, clump_need *needs,
                                 double *waiting, double *alone, clump_error *error)
{
    const spread_job *j = context;
    (void)node;
    (void)error;
    *waiting = *alone = 0;
    for (size_t p = 0; p < j->processors; p++) {
        needs[p] = (clump_need){5, clump_spread_value(&j->of, z[p]), 1};
        *alone = fmax(*alone, 5 + needs[p].communication);
    }
    return CLUMP_OK;
}

TEST(test_jobs)
{
    static const struct {
        size_t P, N, nodes;
        clump_mapping mapping;
        double m;
        clump_demand demand;
    } cases[] = {{2, 1, 1, CLUMP_MAPPING_POOLED, 0, CLUMP_DEMAND_INDEPENDENT},
                 {8, 8, 4, CLUMP_MAPPING_POOLED, 1, CLUMP_DEMAND_CORRELATED},
                 {4, 2, 16, CLUMP_MAPPING_STATIC, 0, CLUMP_DEMAND_CORRELATED},
                 {4, 2, 4, CLUMP_MAPPING_POOLED, 1, CLUMP_DEMAND_INDEPENDENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum { RUNS = 1500 };
        const size_t P = cases[i].P;
        spread_job own = {P, {.mean = 5, .deviation = 1, .least = NAN, .greatest = NAN}};
        const clump_node node = {.processors = P,
                                 .nics = cases[i].N,
                                 .mapping = cases[i].mapping,
                                 .max_nics_per_processor = cases[i].m};
        const clump_job job = {.node = &node,
                               .nodes = cases[i].nodes,
                               .demand = cases[i].demand,
                               .gang_size = 1,
                               .drawn = true,
                               .needs = spread_needs,
                               .context = &own};
        const double none = 0;
        const clump_load load = {.utilizations = &none,
                                 .utilization_count = 1,
                                 .demand = cases[i].demand,
                                 .gang_size = 1,
                                 .coupling = CLUMP_COUPLING_NONE};
        unsigned long long seed = 11 + i;
        double sum = 0, squares = 0;
        for (int run = 0; run < RUNS; run++) {
            double last = 0;
            for (size_t n = 0; n < cases[i].nodes; n++) {
                double z[8], waiting, alone;
                clump_need needs[8];
                clump_last found;
                for (size_t p = 0; p < P; p++)
                    z[p] = normal(&seed);
                spread_needs(&own, n, z, needs, &waiting, &alone, NULL);
                assert_int_equal(clump_stages_solve(&node, &load, needs, NULL, &found, NULL),
                                 CLUMP_OK);
                last = fmax(last, found.time);
            }
            sum += last;
            squares += last * last;
        }
        const double mean = sum / RUNS, error = sqrt((squares / RUNS - mean * mean) / RUNS);
        clump_job_time found;
        assert_int_equal(clump_job_solve(&job, false, &found, NULL), CLUMP_OK);
        if (fabs(found.time - mean) > 4 * error + 3e-3 * mean) /* the draws' own error */
            fail_msg("job %zu: %g, counted %g +- %g", i, found.time, mean, error);
        assert_close(found.now_time, 10 + clump_slowest_normal(P * cases[i].nodes), 1e-3);
        if (cases[i].m == 1 && cases[i].N == P) /* that node is the NOW */
            assert_close(found.time, found.now_time, 1e-12);
    }
}

UNIT_MAIN(NULL, NULL)
