/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/closed_network.h"
#include "model/transient.h"
#include "tests/unit/golden.h"

#include "tests/unit/watcher.h"

TEST(test_golden_phases)
{
    golden_table table = golden_read("transient.csv");
    for (size_t i = 0; i < table.count; i++) {
        const double *r = table.rows[i];
        double slope = r[3], X;
        clump_station station = {.nics = r[1], .max_nics_per_processor = r[2]};
        if (slope > 0)
            station.efficiency =
                (clump_efficiency){.function = golden_efficiency, .context = &slope};
        clump_error error = {CLUMP_OK, ""};
        if (clump_transient_slowdown((size_t)r[0], r[4], &station, r[5], NULL, &X, &error) !=
            CLUMP_OK)
            fail_msg("row %zu: %s", i, error.message);
        assert_close(X, r[6], 1e-11);
    }
    free(table.rows);
}

/* Long phases reach the equilibrium of the closed network, short ones run undisturbed. */
TEST(test_limits)
{
    const clump_station station = {.nics = 4, .max_nics_per_processor = 2};
    const clump_class all = {0.6, 8};
    double X, Y;
    assert_int_equal(clump_network_solve(&all, 1, &station, NULL, &Y, NULL, NULL, NULL), CLUMP_OK);
    assert_int_equal(clump_transient_slowdown(8, 0.6, &station, 1e12, NULL, &X, NULL), CLUMP_OK);
    assert_close(X, Y, 1e-11);
    assert_int_equal(clump_transient_slowdown(8, 0.6, &station, 1e-9, NULL, &X, NULL), CLUMP_OK);
    assert_close(X, 1, 1e-7);
    assert_int_equal(clump_transient_slowdown(8, 0, &station, 3, NULL, &X, NULL), CLUMP_OK);
    assert_close(X, 1, 0);
    assert_int_equal(clump_transient_slowdown(8, 1, &station, 3, NULL, &X, NULL), CLUMP_OK);
    assert_close(X, 2, 1e-15);
}

typedef struct run {
    size_t processors;
    double nics;
    int limited; /* to one NIC a processor */
    double utilization, end;
} run;

/* A(end) by classical Runge-Kutta on the chain itself, with steps far below its rates. */
static double integrate(const run *c, int steps)
{
    enum { MOST = 1000 };
    static double p[MOST + 1], k[4][MOST + 1], y[MOST + 1], rate[MOST + 1];
    const size_t P = c->processors;
    const double R = 1 - c->utilization, S = c->utilization, h = c->end / steps;
    double served = 0;
    memset(p, 0, sizeof p);
    p[0] = 1;
    for (size_t q = 0; q <= P; q++)
        rate[q] = c->limited ? fmin((double)q, c->nics) : q > 0 ? c->nics : 0;
    for (int step = 0; step < steps; step++) {
        double service[4] = {0, 0, 0, 0};
        for (int stage = 0; stage < 4; stage++) {
            const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (size_t q = 0; q <= P; q++)
                y[q] = p[q] + (stage > 0 ? part * k[stage - 1][q] : 0);
            for (size_t q = 0; q <= P; q++) {
                k[stage][q] = -((double)(P - q) / R + rate[q] / S) * y[q] +
                              (q > 0 ? y[q - 1] * (double)(P - q + 1) / R : 0) +
                              (q < P ? y[q + 1] * rate[q + 1] / S : 0);
                service[stage] += y[q] * ((double)(P - q) + rate[q]) / (double)P;
            }
        }
        for (size_t q = 0; q <= P; q++)
            p[q] += h / 6 * (k[0][q] + 2 * k[1][q] + 2 * k[2][q] + k[3][q]);
        served += h / 6 * (service[0] + 2 * service[1] + 2 * service[2] + service[3]);
    }
    return served;
}

/* Another method. The cases with a bend in r(t), where waiting begins, are those in which the
   transform alone fails. */
TEST(test_against_integration)
{
    const run runs[] = {{1000, 300, 0, 0.4, 0.8},  {300, 90, 1, 0.6, 0.1},   {200, 60, 1, 0.6, 0.1},
                        {1000, 100, 0, 0.6, 0.25}, {700, 350, 0, 0.6, 0.15}, {1000, 4, 0, 0.5, 0.4},
                        {900, 4, 1, 0.5, 0.4}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        const double served = integrate(&runs[i], 20000);
        const clump_station station = {.nics = runs[i].nics,
                                       .max_nics_per_processor = runs[i].limited};
        double X;
        clump_error error = {CLUMP_OK, ""};
        if (clump_transient_slowdown(runs[i].processors, runs[i].utilization, &station, served,
                                     NULL, &X, &error) != CLUMP_OK)
            fail_msg("%s", error.message);
        assert_close(X, runs[i].end / served, 1e-10);
    }
}

/*
 * Long phases: A(t) = r t + D once the beginning is forgotten, with r in equilibrium and D from
 * Poisson's equation: Q h = r - rho, D = h_0 - sum pi h. With F_q the sum of pi (r - rho) up to q,
 * up_q pi_q (h_{q+1} - h_q) = F_q, and D = -sum (h_{q+1} - h_q) P(more than q).
 */
static double end_of_long_phase(size_t P, double N, double limit, double U, double T)
{
    static double pi[30001], rate[30001];
    const double R = 1 - U, S = U;
    double most = 0, logarithm = 0, all = 0, r = 0, d = 0, D = 0, tail = 0, G = 0;
    size_t mode = 0;
    for (size_t q = 0; q <= P; q++)
        rate[q] = q > 0 ? fmin((double)q * limit, N) : 0;
    for (size_t q = 0; q < P; q++) {
        logarithm += log((double)(P - q) / R * S / rate[q + 1]);
        if (logarithm > most) {
            most = logarithm;
            mode = q + 1;
        }
    }
    pi[mode] = 1;
    for (size_t q = mode; q < P; q++)
        pi[q + 1] = pi[q] * ((double)(P - q) / R) * S / rate[q + 1];
    for (size_t q = mode; q > 0; q--)
        pi[q - 1] = pi[q] * rate[q] / S * R / (double)(P - q + 1);
    for (size_t q = 0; q <= P; q++)
        all += pi[q];
    for (size_t q = 0; q <= P; q++) {
        pi[q] /= all;
        r += pi[q] * ((double)(P - q) + rate[q]) / (double)P;
    }
    /* Up to the mode F_q/pi_q from below, beyond it F_q/pi_{q+1} from above. */
    tail = 1;
    for (size_t q = 0; q < mode; q++) {
        const double up = (double)(P - q) / R;
        G = r - ((double)(P - q) + rate[q]) / (double)P +
            (q > 0 ? G * rate[q] / S * R / (double)(P - q + 1) : 0);
        d = G / up;
        tail -= pi[q];
        D -= d * tail;
    }
    tail = G = 0;
    for (size_t q = P; q-- > mode;) {
        G = -(r - ((double)(P - q - 1) + rate[q + 1]) / (double)P) +
            (q + 1 < P ? G * ((double)(P - q - 1) / R) * S / rate[q + 2] : 0);
        d = G / (rate[q + 1] / S);
        tail += pi[q + 1];
        D -= d * tail;
    }
    return (T - D) / r;
}

TEST(test_long_phases)
{
    static const struct {
        size_t processors;
        double nics, limit, utilization, cycles;
    } phases[] = {{30000, 4, 0, 0.5, 3},      {30000, 4, 0, 0.5, 0.88}, {30000, 4, 1, 0.5, 2},
                  {30000, 9000, 1, 0.6, 100}, {20000, 40, 2, 0.3, 5},   {200, 4, 0, 0.5, 5},
                  {1000, 30, 1, 0.6, 10}};
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        const double nics = phases[i].nics, limit = phases[i].limit, T = phases[i].cycles;
        const clump_station station = {.nics = nics, .max_nics_per_processor = limit};
        const double end = end_of_long_phase(phases[i].processors, nics, limit > 0 ? limit : nics,
                                             phases[i].utilization, T);
        double X;
        clump_error error = {CLUMP_OK, ""};
        if (clump_transient_slowdown(phases[i].processors, phases[i].utilization, &station, T, NULL,
                                     &X, &error) != CLUMP_OK)
            fail_msg("%s", error.message);
        assert_close(X, end / T, 1e-10);
    }
}

TEST(test_watch)
{
    const clump_station station = {.nics = 4};
    double X = 7;
    clump_error error = {CLUMP_OK, ""};
    for (int patience = 0; patience < 60; patience += 12) {
        watcher short_of_time = {.patience = patience};
        const clump_watch stops = {count_looks, &short_of_time};
        assert_int_equal(clump_transient_slowdown(30000, 0.5, &station, 0.885, &stops, &X, &error),
                         CLUMP_STOPPED);
        assert_true(X == 7 && short_of_time.looks <= patience + 2);
    }
}

/* Before anybody has to wait a processor with a NIC of its own is not slowed down. */
TEST(test_nobody_waits_yet)
{
    const clump_station station = {.nics = 3000, .max_nics_per_processor = 1};
    double X;
    assert_int_equal(clump_transient_slowdown(10000, 0.6, &station, 0.1, NULL, &X, NULL), CLUMP_OK);
    assert_close(X, 1, 1e-12);
}

/* Lengths and utilizations at the ends of their ranges. */
TEST(test_extreme_phases)
{
    const clump_station station = {.nics = 4};
    const clump_class all = {0.3, 8};
    double X, Y;
    assert_int_equal(clump_network_solve(&all, 1, &station, NULL, &Y, NULL, NULL, NULL), CLUMP_OK);
    assert_int_equal(clump_transient_slowdown(8, 0.3, &station, 1e100, NULL, &X, NULL), CLUMP_OK);
    assert_close(X, Y, 1e-11);
    assert_int_equal(clump_transient_slowdown(8, 0.3, &station, 1e-100, NULL, &X, NULL), CLUMP_OK);
    assert_close(X, 1, 1e-11);
    for (double U = 5e-324; U < 1e-15; U *= 1e20) {
        assert_int_equal(clump_transient_slowdown(8, U, &station, 1, NULL, &X, NULL), CLUMP_OK);
        assert_close(X, 1, 1e-11);
    }
}

TEST(test_ten_thousand_processors)
{
    const clump_station station = {.nics = 5000};
    const clump_class all = {0.48, 10000};
    double X, Y;
    assert_int_equal(clump_transient_slowdown(10000, 0.48, &station, 1e6, NULL, &X, NULL),
                     CLUMP_OK);
    assert_int_equal(clump_network_solve(&all, 1, &station, NULL, &Y, NULL, NULL, NULL), CLUMP_OK);
    assert_close(X, Y, 1e-6); /* the deviation falls like the relaxation time over T */
}

UNIT_MAIN(NULL, NULL)
