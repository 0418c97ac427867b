/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "exploring/sensitivity.h"
#include "model/random.h"
#include "model/uncertain.h"
#include "tests/unit/golden.h"

/* Mean and variance of the quantile function by the midpoint rule, against closed forms. */
static void moments_of(const clump_uncertain *d, double *mean, double *variance)
{
    enum { STEPS = 200000 };
    double sum = 0, squares = 0;
    for (int i = 0; i < STEPS; i++) {
        const double x = clump_uncertain_quantile(d, (i + 0.5) / STEPS);
        sum += x;
        squares += x * x;
    }
    *mean = sum / STEPS;
    *variance = squares / STEPS - *mean * *mean;
}

TEST(test_quantiles)
{
    static const struct {
        clump_uncertain d;
        double mean, variance;
    } cases[] = {
        {{CLUMP_UNCERTAIN_UNIFORM, 2, 5, 0, 0, 0}, 3.5, 9.0 / 12},
        {{CLUMP_UNCERTAIN_NORMAL, 3, 0.5, 0, -HUGE_VAL, HUGE_VAL}, 3, 0.25},
        /* (a^2 + b^2 + c^2 - ab - ac - bc)/18 */
        {{CLUMP_UNCERTAIN_TRIANGULAR, 1, 4, 2, 0, 0}, 7.0 / 3, 7.0 / 18},
        /* 2 exp(.045), 4 expm1(.09) exp(.09) */
        {{CLUMP_UNCERTAIN_LOGNORMAL, 2, 0.3, 0, 0, 0},
         2.0 * 1.0460278599087169,
         4 * 0.094174283705210358 * 1.0941742837052104},
    };
    for (size_t i = 0; i < 4; i++) {
        double mean, variance;
        assert_int_equal(clump_uncertain_check(&cases[i].d, NULL), CLUMP_OK);
        moments_of(&cases[i].d, &mean, &variance);
        assert_close(mean, cases[i].mean, 1e-5);
        assert_close(variance, cases[i].variance, 1e-3);
    }
    /* The normal distribution at 0: erfc. */
    const clump_uncertain half = {CLUMP_UNCERTAIN_NORMAL, 0, 1, 0, 0, HUGE_VAL};
    for (double u = 0.05; u < 1; u += 0.1) { /* half normal: P(|x| < q) = erf(q/sqrt 2) */
        const double q = clump_uncertain_quantile(&half, u);
        assert_close(erf(q / sqrt(2)), u, 1e-12);
    }
    const clump_uncertain tail = {CLUMP_UNCERTAIN_NORMAL, 0, 1, 0, 5, HUGE_VAL};
    const double q = clump_uncertain_quantile(&tail, 0.5);
    assert_close(erfc(q / sqrt(2)) / erfc(5 / sqrt(2)), 0.5, 1e-9);
    const clump_uncertain bad[] = {
        {CLUMP_UNCERTAIN_UNIFORM, 2, 2, 0, 0, 0},    {CLUMP_UNCERTAIN_NORMAL, 2, 0, 0, 0, 9},
        {CLUMP_UNCERTAIN_NORMAL, 99, 1, 0, 0, 9},    {CLUMP_UNCERTAIN_LOGNORMAL, -1, 1, 0, 0, 0},
        {CLUMP_UNCERTAIN_TRIANGULAR, 0, 1, 2, 0, 0}, {CLUMP_UNCERTAIN_UNIFORM, NAN, 2, 0, 0, 0}};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(clump_uncertain_check(&bad[i], NULL), CLUMP_BAD_ARGUMENT);
}

TEST(test_random)
{
    enum { N = 100000, BINS = 64 };
    for (uint64_t stream = 0; stream < 4; stream++) {
        double chi = 0, lag = 0, across = 0;
        int bins[BINS] = {0};
        for (uint64_t i = 0; i < N; i++) {
            const double x = clump_random_uniform(42, stream, i);
            assert_true(x > 0 && x < 1);
            bins[(int)(x * BINS)]++;
            lag += (x - 0.5) * (clump_random_uniform(42, stream, i + 1) - 0.5);
            across += (x - 0.5) * (clump_random_uniform(42, stream + 1, i) - 0.5);
        }
        for (int b = 0; b < BINS; b++)
            chi += (bins[b] - N / (double)BINS) * (bins[b] - N / (double)BINS) / (N / (double)BINS);
        assert_true(chi < 120); /* 63 degrees of freedom: 120 is beyond 5 standard deviations */
        assert_true(fabs(lag / N * 12) < 5 / sqrt(N));
        assert_true(fabs(across / N * 12) < 5 / sqrt(N));
    }
    assert_true(clump_random_uniform(1, 2, 3) == clump_random_uniform(1, 2, 3));
    assert_true(clump_random_uniform(1, 2, 3) != clump_random_uniform(2, 2, 3));
}

static double ishigami(const double *u)
{
    const double pi = acos(-1), x = pi * (2 * u[0] - 1), y = pi * (2 * u[1] - 1),
                 z = pi * (2 * u[2] - 1);
    return sin(x) + 7 * sin(y) * sin(y) + 0.1 * z * z * z * z * sin(x);
}

/* T. Ishigami and T. Homma, ISUMA 1990: the indices are known in closed form. */
TEST(test_ishigami)
{
    enum { N = 20000 };
    const double a = 7, b = 0.1, pi = acos(-1);
    const double V = a * a / 8 + b * pow(pi, 4) / 5 + b * b * pow(pi, 8) / 18 + 0.5;
    const double V1 = 0.5 * pow(1 + b * pow(pi, 4) / 5, 2), V2 = a * a / 8;
    const double V13 = b * b * pow(pi, 8) * (1.0 / 18 - 1.0 / 50);
    const double first[] = {V1 / V, V2 / V, 0}, total[] = {(V1 + V13) / V, V2 / V, V13 / V};
    static double f[5][N];
    for (uint64_t k = 0; k < N; k++) {
        double A[3], B[3];
        for (uint64_t i = 0; i < 3; i++) {
            A[i] = clump_random_uniform(7, i, k);
            B[i] = clump_random_uniform(7, 3 + i, k);
        }
        f[3][k] = ishigami(A);
        f[4][k] = ishigami(B);
        for (int i = 0; i < 3; i++) {
            double mixed[3] = {A[0], A[1], A[2]};
            mixed[i] = B[i];
            f[i][k] = ishigami(mixed);
        }
    }
    for (int i = 0; i < 3; i++) {
        clump_variance_index index;
        assert_int_equal(clump_variance_index_estimate(f[3], f[4], f[i], N, &index, NULL),
                         CLUMP_OK);
        assert_true(fabs(index.first - first[i]) <= 4 * index.first_error);
        assert_true(fabs(index.total - total[i]) <= 4 * index.total_error + 1e-12);
        assert_true(index.first_error > 0 && index.first_error < 0.03);
    }
}

/* Standard errors are as large as the scatter of independent estimates says. */
TEST(test_errors_of_indices)
{
    enum { N = 200, RUNS = 400 };
    double sum = 0, squares = 0, told = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        double f_a[N], f_b[N], f_ai[N];
        for (uint64_t k = 0; k < N; k++) {
            const double a0 = clump_random_uniform(run, 0, k), a1 = clump_random_uniform(run, 1, k);
            const double b0 = clump_random_uniform(run, 2, k), b1 = clump_random_uniform(run, 3, k);
            f_a[k] = a0 + 0.5 * a1;
            f_b[k] = b0 + 0.5 * b1;
            f_ai[k] = b0 + 0.5 * a1;
        }
        clump_variance_index index;
        assert_int_equal(clump_variance_index_estimate(f_a, f_b, f_ai, N, &index, NULL), CLUMP_OK);
        sum += index.first;
        squares += index.first * index.first;
        told += index.first_error;
    }
    const double mean = sum / RUNS, scatter = sqrt(squares / RUNS - mean * mean);
    assert_true(fabs(mean - 0.8) < 0.02); /* 1/(1 + 1/4) */
    assert_close(told / RUNS, scatter, 0.15);
}

UNIT_MAIN(NULL, NULL)
