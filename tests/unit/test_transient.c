/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "model/closed_network.h"
#include "model/transient.h"

static void test_golden_phases(void **state)
{
    (void)state;
    golden_table table = golden_read("transient.csv");
    for (size_t i = 0; i < table.count; i++) {
        const double *r = table.rows[i];
        double slope = r[3], X;
        clump_station station = {.nics = r[1], .max_nics_per_processor = r[2]};
        if (slope > 0)
            station.efficiency =
                (clump_efficiency){.function = golden_efficiency, .context = &slope};
        clump_error error = {CLUMP_OK, ""};
        if (clump_transient_slowdown((size_t)r[0], r[4], &station, r[5], &X, &error) != CLUMP_OK)
            fail_msg("row %zu: %s", i, error.message);
        assert_close(X, r[6], 1e-11);
    }
    free(table.rows);
}

static void test_golden_relaxation(void **state)
{
    (void)state;
    golden_table table = golden_read("relaxation.csv");
    for (size_t i = 0; i < table.count; i++) {
        const double *r = table.rows[i];
        double slope = r[3], cycles;
        clump_station station = {.nics = r[1], .max_nics_per_processor = r[2]};
        if (slope > 0)
            station.efficiency =
                (clump_efficiency){.function = golden_efficiency, .context = &slope};
        clump_error error = {CLUMP_OK, ""};
        if (clump_relaxation_time((size_t)r[0], r[4], &station, &cycles, &error) != CLUMP_OK)
            fail_msg("row %zu: %s", i, error.message);
        assert_close(cycles, r[5], 1e-11);
    }
    free(table.rows);
}

/* Long phases reach the equilibrium of the closed network, short ones run undisturbed. */
static void test_limits(void **state)
{
    (void)state;
    const clump_station station = {.nics = 4, .max_nics_per_processor = 2};
    const clump_class all = {0.6, 8};
    double X, Y;
    assert_int_equal(clump_network_solve(&all, 1, &station, &Y, NULL, NULL, NULL), CLUMP_OK);
    assert_int_equal(clump_transient_slowdown(8, 0.6, &station, 1e12, &X, NULL), CLUMP_OK);
    assert_close(X, Y, 1e-11);
    assert_int_equal(clump_transient_slowdown(8, 0.6, &station, 1e-9, &X, NULL), CLUMP_OK);
    assert_close(X, 1, 1e-7);
    assert_int_equal(clump_transient_slowdown(8, 0, &station, 3, &X, NULL), CLUMP_OK);
    assert_close(X, 1, 0);
    assert_int_equal(clump_transient_slowdown(8, 1, &station, 3, &X, NULL), CLUMP_OK);
    assert_close(X, 2, 1e-15);
}

/*
 * P = 10^4 against another method: classical Runge-Kutta on the chain itself, restricted to
 * nothing, with a step so small that its error is below what is asked for.
 */
static void test_thousand_processors_against_integration(void **state)
{
    (void)state;
    enum { P = 1000, STEPS = 40000 };
    static double p[P + 1], k[4][P + 1], y[P + 1];
    const double N = 300, U = 0.4, R = 1 - U, S = U, end = 1.5, h = end / STEPS;
    double served = 0, before = 0;
    memset(p, 0, sizeof p);
    p[0] = 1;
    for (int step = 0; step < STEPS; step++) {
        double rates[4] = {0, 0, 0, 0};
        for (int stage = 0; stage < 4; stage++) {
            const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (size_t q = 0; q <= P; q++)
                y[q] = p[q] + (stage > 0 ? part * k[stage - 1][q] : 0);
            for (size_t q = 0; q <= P; q++) {
                const double out = (double)(P - q) / R + (q > 0 ? N / S : 0);
                k[stage][q] = -out * y[q] + (q > 0 ? y[q - 1] * (double)(P - q + 1) / R : 0) +
                              (q < P ? y[q + 1] * N / S : 0);
                rates[stage] += y[q] * ((double)(P - q) + (q > 0 ? N : 0)) / P;
            }
        }
        for (size_t q = 0; q <= P; q++)
            p[q] += h / 6 * (k[0][q] + 2 * k[1][q] + 2 * k[2][q] + k[3][q]);
        before = served;
        served += h / 6 * (rates[0] + 2 * rates[1] + 2 * rates[2] + rates[3]);
    }
    assert_true(served > before);
    const clump_station station = {.nics = N};
    double X;
    assert_int_equal(clump_transient_slowdown(P, U, &station, served, &X, NULL), CLUMP_OK);
    assert_close(X, end / served, 1e-10);
}

static void test_ten_thousand_processors(void **state)
{
    (void)state;
    const clump_station station = {.nics = 5000};
    const clump_class all = {0.48, 10000};
    double X, Y, cycles;
    assert_int_equal(clump_transient_slowdown(10000, 0.48, &station, 1e6, &X, NULL), CLUMP_OK);
    assert_int_equal(clump_network_solve(&all, 1, &station, &Y, NULL, NULL, NULL), CLUMP_OK);
    assert_close(X, Y, 1e-6); /* the deviation falls like the relaxation time over T */
    assert_int_equal(clump_relaxation_time(10000, 0.48, &station, &cycles, NULL), CLUMP_OK);
    assert_true(cycles > 0 && cycles < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_phases),
        cmocka_unit_test(test_golden_relaxation),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_thousand_processors_against_integration),
        cmocka_unit_test(test_ten_thousand_processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
