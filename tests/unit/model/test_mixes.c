/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/closed_network.h"
#include "model/prediction.h"
#include "tests/unit/golden.h"

/* Slowdowns of P processors on one pool. */
static void solve(const double *U, size_t P, double N, double m, double slope, double *X)
{
    const clump_node node = {
        .processors = P,
        .nics = (size_t)N,
        .max_nics_per_processor = m,
        .efficiency = {.function = slope > 0 ? golden_efficiency : NULL, .context = &slope}};
    const clump_load load = {
        .utilizations = U, .utilization_count = P, .coupling = CLUMP_COUPLING_NONE};
    const clump_prediction_details details = {.slowdowns = X};
    clump_prediction prediction;
    clump_error error = {CLUMP_OK, ""};
    if (clump_predict(&node, &load, &prediction, &details, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
}

TEST(test_golden_mixes)
{
    golden_table table = golden_read("heterogeneous.csv");
    for (size_t i = 0; i < table.count;) {
        const double *r = table.rows[i];
        const size_t P = (size_t)r[1];
        double U[12], X[12];
        for (size_t p = 0; p < P; p++)
            U[p] = table.rows[i + p][6];
        solve(U, P, r[2], r[3], r[4], X);
        for (size_t p = 0; p < P; p++)
            assert_close(X[p], table.rows[i + p][7], 1e-12);
        i += P;
    }
    free(table.rows);
}

TEST(test_golden_large_mixes)
{
    golden_table table = golden_read("heterogeneous_large.csv");
    static double U[1000], X[1000];
    double solved_processors = 0, solved_limit = -1;
    for (size_t i = 0; i < table.count; i++) {
        const double *r = table.rows[i];
        const size_t P = (size_t)r[0], p = (size_t)r[3] - 1;
        if (r[0] != solved_processors || r[2] != solved_limit) {
            for (size_t k = 0; k < P; k++)
                U[k] = 0.3 + 0.4 * (double)k / (double)(P - 1);
            solve(U, P, r[1], r[2], 0, X);
            solved_processors = r[0];
            solved_limit = r[2];
        }
        assert_close(U[p], r[4], 1e-15);
        assert_close(X[p], r[5], 1e-12);
    }
    free(table.rows);
}

/* The definition itself: all 2^P subsets, in long double. */
static void enumerate(const double *U, size_t P, double N, double m, double slope, double *X)
{
    long double rate[13], M[13], Z = 0, idle[12] = {0}, served[12] = {0};
    M[0] = 1;
    for (size_t q = 1; q <= P; q++) {
        long double nics = m > 0 && m * (double)q < N ? m * (long double)q : (long double)N;
        rate[q] = nics / (1 + (long double)slope * (long double)(q - 1));
        M[q] = M[q - 1] * (long double)q / rate[q];
    }
    for (unsigned subset = 0; subset < 1u << P; subset++) {
        size_t q = 0;
        long double weight = 1;
        for (size_t p = 0; p < P; p++) {
            const int active = subset >> p & 1;
            q += (size_t)active;
            weight *= active ? (long double)U[p] : 1 - (long double)U[p];
        }
        weight *= M[q];
        Z += weight;
        for (size_t p = 0; p < P; p++)
            if (subset >> p & 1)
                served[p] += weight * rate[q] / (long double)q;
            else
                idle[p] += weight;
    }
    for (size_t p = 0; p < P; p++)
        X[p] = (double)(Z / (idle[p] + served[p]));
}

TEST(test_random_mixes_against_enumeration)
{
    unsigned long long seed = 20261121;
    for (int i = 0; i < 300; i++) {
        const size_t P = 1 + (size_t)(golden_random(&seed) * 12);
        const double N = 1 + floor(golden_random(&seed) * 14);
        const double m = i % 3 == 0 ? 0 : floor(1 + golden_random(&seed) * 3);
        const double slope = i % 2 == 0 ? 0 : golden_random(&seed);
        double U[12], X[12], expected[12];
        for (size_t p = 0; p < P; p++) {
            const double kind = golden_random(&seed);
            U[p] = kind < 0.05 ? 0 : kind < 0.1 ? 1 : kind < 0.2 ? 1e-9 : golden_random(&seed);
            if (p > 0 && kind > 0.8)
                U[p] = U[p - 1]; /* classes of several */
        }
        solve(U, P, N, m, slope, X);
        enumerate(U, P, N, m, slope, expected);
        for (size_t p = 0; p < P; p++)
            assert_close(X[p], expected[p], 1e-12);
    }
}

TEST(test_order_does_not_matter)
{
    enum { P = 100 };
    double U[P], X[P], shuffled[P], Y[P];
    size_t place[P];
    unsigned long long seed = 7;
    for (size_t p = 0; p < P; p++) {
        U[p] = golden_random(&seed);
        place[p] = p;
    }
    for (size_t p = P - 1; p > 0; p--) {
        const size_t other = (size_t)(golden_random(&seed) * (double)(p + 1));
        const size_t kept = place[p];
        place[p] = place[other];
        place[other] = kept;
    }
    for (size_t p = 0; p < P; p++)
        shuffled[place[p]] = U[p];
    solve(U, P, 30, 2, 0, X);
    solve(shuffled, P, 30, 2, 0, Y);
    for (size_t p = 0; p < P; p++)
        assert_close(Y[place[p]], X[p], 1e-14);
}

/* A mix whose members differ by nothing is the homogeneous case. */
TEST(test_nearly_equal_is_nearly_homogeneous)
{
    enum { P = 500 };
    static double U[P], X[P];
    for (size_t p = 0; p < P; p++)
        U[p] = 0.4 + 1e-15 * (double)p; /* distinct doubles: the general path */
    solve(U, P, 100, 0, 0, X);
    const clump_class all = {0.4, P};
    const clump_station station = {.nics = 100};
    double expected;
    assert_int_equal(clump_network_solve(&all, 1, &station, NULL, &expected, NULL, NULL, NULL),
                     CLUMP_OK);
    for (size_t p = 0; p < P; p++)
        assert_close(X[p], expected, 1e-12);
}

/* New identity of MODEL.md 4: the gradient. X_p (1-U_p)... checked as P(idle) by finite difference
   of log Z is too coarse; instead: sum of idle and served shares, which any wrong X_p breaks. */
TEST(test_conservation)
{
    enum { P = 300 };
    static double U[P], X[P], pi[P + 1];
    unsigned long long seed = 99;
    for (size_t p = 0; p < P; p++)
        U[p] = golden_random(&seed);
    const clump_node node = {.processors = P, .nics = 90};
    const clump_load load = {U, P, CLUMP_DEMAND_INDEPENDENT, 0, CLUMP_COUPLING_NONE, 0};
    const clump_prediction_details details = {X, pi};
    clump_prediction result;
    assert_int_equal(clump_predict(&node, &load, &result, &details, NULL), CLUMP_OK);
    double sum = 0, active = 0, busy = 0, idle = 0, served = 0;
    for (size_t q = 0; q <= P; q++) {
        sum += pi[q];
        active += pi[q] * (double)q;
        busy += q > 0 ? pi[q] * 90 : 0;
    }
    for (size_t p = 0; p < P; p++) {
        idle += (1 - U[p]) / X[p];
        served += U[p] / X[p];
    }
    assert_close(sum, 1, 1e-12);
    assert_close(idle, P - active, 1e-11);
    assert_close(served, busy, 1e-12);
    assert_close(result.mean_active, active, 1e-11);
    assert_close(result.nic_utilization, busy / 90, 1e-12);
}

TEST(test_ten_thousand_distinct)
{
    enum { P = 10000 };
    static double U[P], X[P];
    for (size_t p = 0; p < P; p++)
        U[p] = 0.3 + 0.4 * (double)p / (P - 1);
    solve(U, P, P / 2, 1, 0, X);
    /* Large systems approach the fluid limit: nobody waits while sum U < N; X -> 1 like 1/sqrt P,
       and a processor that uses the NICs more suffers more. */
    for (size_t p = 0; p < P; p++) {
        assert_true(X[p] > 1 && X[p] < 1.02);
        assert_true(p == 0 || X[p] >= X[p - 1]);
    }
}

TEST(test_extreme_mix)
{
    enum { P = 3000 };
    static double U[P], X[P];
    for (size_t p = 0; p < P; p++)
        U[p] = p % 5 == 0   ? 0
               : p % 5 == 1 ? 1
               : p % 5 == 2 ? 1e-300 * (double)p
                            : 1 - 1e-12 * (double)p;
    for (double N = 1; N < 1e5; N *= 11) {
        solve(U, P, N, 0, 0, X);
        for (size_t p = 0; p < P; p++)
            assert_true(isfinite(X[p]) && X[p] > 0);
        assert_close(X[0], 1, 1e-12); /* U = 0 */
    }
}

UNIT_MAIN(NULL, NULL)
