/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/closed_network.h"
#include "model/erlang.h"
#include "tests/unit/golden.h"

#include <gsl/gsl_integration.h>

/* Equal processors: every row of homogeneous.csv by the general solver and, where mu is constant,
   by the recursion. */
TEST(test_golden_rows)
{
    golden_table table = golden_read("homogeneous.csv");
    for (size_t i = 0; i < table.count; i++) {
        const double *r = table.rows[i];
        double slope = r[3], U = r[4], X;
        clump_station station = {.nics = r[1], .max_nics_per_processor = r[2]};
        if (slope > 0)
            station.efficiency =
                (clump_efficiency){.function = golden_efficiency, .context = &slope};
        const clump_class all = {U, (size_t)r[0]};
        clump_network_totals totals;
        clump_error error = {CLUMP_OK, ""};
        if (clump_network_solve(&all, 1, &station, NULL, &X, NULL, &totals, &error) != CLUMP_OK)
            fail_msg("row %zu: %s", i, error.message);
        assert_close(X, r[5], 1e-12);
        assert_close(totals.mean_active, r[6], 1e-11);
        assert_close(totals.throughput / r[1], r[7], 1e-12);
        if (clump_station_is_constant(&station)) {
            assert_int_equal(clump_erlang_slowdown(r[0], r[1], U, &X, &error), CLUMP_OK);
            assert_close(X, r[5], 1e-12);
        }
    }
    free(table.rows);
}

TEST(test_golden_real_processors)
{
    golden_table table = golden_read("real_processors.csv");
    for (size_t i = 0; i < table.count; i++) {
        const double *r = table.rows[i];
        double X;
        clump_error error = {CLUMP_OK, ""};
        if (clump_erlang_slowdown(r[0], r[1], r[2], &X, &error) != CLUMP_OK)
            fail_msg("row %zu: %s", i, error.message);
        assert_close(X, r[3], 1e-12);
    }
    free(table.rows);
}

TEST(test_many_processors_with_a_nic_each_at_most)
{
    const struct {
        size_t processors;
        double slowdown;
    } cases[] = {{64, 1.0259494}, {1000, 1.0010277}, {10000, 1.00000004}};
    for (size_t i = 0; i < 3; i++) {
        const clump_class all = {0.48, cases[i].processors};
        const clump_station station = {.nics = (double)(cases[i].processors / 2),
                                       .max_nics_per_processor = 1};
        double X;
        assert_int_equal(clump_network_solve(&all, 1, &station, NULL, &X, NULL, NULL, NULL),
                         CLUMP_OK);
        if (fabs(X - cases[i].slowdown) > (i < 2 ? 5.1e-8 : 5.1e-9))
            fail_msg("P=%zu: %.10g", cases[i].processors, X);
    }
}

/* Up to 10^7 processors, whatever U and N: finite, and between the scheduled and the correlated. */
TEST(test_extremes_stay_finite)
{
    const double utilizations[] = {0,   5e-324, 1e-300, 1e-16, 1e-9,     1e-3,
                                   0.1, 0.5,    0.9,    0.999, 1 - 1e-9, 1 - 1.1102230246251565e-16,
                                   1};
    const double sizes[] = {1, 2, 3, 64, 1e4, 1e6, 1e7};
    for (size_t i = 0; i < sizeof utilizations / sizeof utilizations[0]; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++)
            for (double N = 1; N <= 2 * sizes[j]; N *= 37) {
                const double P = sizes[j], U = utilizations[i];
                double X = NAN;
                clump_error error = {CLUMP_OK, ""};
                if (clump_erlang_slowdown(P, N, U, &X, &error) != CLUMP_OK)
                    fail_msg("P=%g N=%g U=%g: %s", P, N, U, error.message);
                assert_true(isfinite(X) && X > 0);
                if (P > 1e4)
                    continue;
                const clump_class all = {U, (size_t)P};
                const clump_station station = {.nics = N};
                double Y = NAN;
                if (clump_network_solve(&all, 1, &station, NULL, &Y, NULL, NULL, &error) !=
                    CLUMP_OK)
                    fail_msg("P=%g N=%g U=%g: %s", P, N, U, error.message);
                assert_close(X, Y, 1e-12);
            }
}

TEST(test_ten_million_by_the_general_solver)
{
    const clump_class all = {0.2, 10000000};
    const clump_station station = {.nics = 2500000};
    double X, Y;
    clump_error error = {CLUMP_OK, ""};
    if (clump_network_solve(&all, 1, &station, NULL, &X, NULL, NULL, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    assert_int_equal(clump_erlang_slowdown(1e7, 2500000, 0.2, &Y, NULL), CLUMP_OK);
    assert_close(X, Y, 1e-11);
}

typedef struct integrand {
    double processors, c, peak;
} integrand;

static double integrand_value(double t, void *context)
{
    const integrand *i = context;
    return exp(i->processors * log1p(i->c * t) - t - i->peak);
}

/* log of Z_p = integral exp(-t) (1+ct)^p, by adaptive quadrature around the peak of the integrand.
 */
static double log_normalization(double p, double c, gsl_integration_workspace *space)
{
    const double top = fmax(p - 1 / c, 0);
    integrand i = {p, c, p * log1p(c * top) - top};
    gsl_function f = {integrand_value, &i};
    const double width = sqrt(p) + 40;
    double sum = 0, part, estimate;
    for (double from = fmax(top - 12 * width, 0); from < top + 12 * width; from += width) {
        gsl_integration_qag(&f, from, from + width, 0, 1e-13, 1000, GSL_INTEG_GAUSS61, space, &part,
                            &estimate);
        sum += part;
    }
    return i.peak + log(sum);
}

/* The recursion against the integral it solves, by GSL's quadrature: another method, other code. */
TEST(test_integral_representation)
{
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    const double cases[][3] = {{8, 4, 0.48}, {8.5, 4.25, 0.3}, {64, 16, 0.7}, {333.25, 100, 0.2}};
    for (size_t i = 0; i < 4; i++) {
        const double P = cases[i][0], N = cases[i][1], U = cases[i][2], c = U / (1 - U) / N;
        double X;
        assert_int_equal(clump_erlang_slowdown(P, N, U, &X, NULL), CLUMP_OK);
        const double ratio =
            exp(log_normalization(P, c, space) - log_normalization(P - 1, c, space));
        assert_close(X, (1 - U) * ratio, 1e-11);
    }
    gsl_integration_workspace_free(space);
}

/* X of two peaks far apart: efficiency that collapses makes the node metastable. */
TEST(test_two_peaks_keep_their_weights)
{
    enum { P = 400 };
    static double table[P], distribution[P + 1];
    for (size_t q = 0; q < P; q++)
        table[q] = q < 150 ? 1 : 0.02;
    const clump_station station = {.nics = P, .efficiency = {.table = table, .table_length = P}};
    const clump_class all = {0.2, P};
    double X;
    clump_error error = {CLUMP_OK, ""};
    if (clump_network_solve(&all, 1, &station, NULL, &X, distribution, NULL, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    /* Independent: logarithms summed over all q, in long double. */
    long double log_weight = 0, greatest = 0, sum = 0, rate = 0;
    for (int pass = 0; pass < 2; pass++) {
        log_weight = 0;
        for (size_t q = 0; q <= P; q++) {
            if (q > 0)
                log_weight +=
                    logl((long double)(P - q + 1) * 0.25L / (P * (long double)table[q - 1]));
            if (pass == 0 && log_weight > greatest)
                greatest = log_weight;
            if (pass == 1) {
                const long double w = expl(log_weight - greatest);
                sum += w;
                rate += w * ((P - q) + (q > 0 ? P * (long double)table[q - 1] : 0)) / P;
            }
        }
    }
    assert_close(X, (double)(sum / rate), 1e-11);
}

/* Real P with next to nothing to send: the continued fraction must end. */
TEST(test_real_processors_with_little_to_send)
{
    for (double U = 1e-320; U < 1e-3; U *= 3.7)
        for (double P = 1.1; P < 60; P *= 1.7) {
            double X;
            clump_error error = {CLUMP_OK, ""};
            if (clump_erlang_slowdown(P, 4, U, &X, &error) != CLUMP_OK)
                fail_msg("P=%g U=%g: %s", P, U, error.message);
            assert_close(X, 1, U < 1e-14 ? 2e-14 : 20 * U);
        }
}

/* All states equally likely: whatever all ratios have wrong in common would add up over them. */
static double falling_efficiency(double active, void *processors)
{
    const double P = *(double *)processors;
    return (P - active + 1) / P;
}

TEST(test_flat_distribution)
{
    double P = 1e5;
    const double U = 0.3;
    const clump_class all = {U, (size_t)P};
    /* mu(q) = N (P-q+1)/P with N = P w: every ratio is 1, up to the rounding of N. */
    const clump_station station = {.nics = P * (U / (1 - U)),
                                   .efficiency = {.function = falling_efficiency, .context = &P}};
    double X;
    clump_error error = {CLUMP_OK, ""};
    if (clump_network_solve(&all, 1, &station, NULL, &X, NULL, NULL, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    /* The same sum in long double, with w and the rates as given, in exact order of the states. */
    long double weight = 1, sum = 0, rate = 0;
    for (size_t q = 0; q <= (size_t)P; q++) {
        const long double mu =
            q > 0 ? (long double)station.nics * (long double)falling_efficiency((double)q, &P) : 0;
        if (q > 0)
            weight *=
                (long double)((size_t)P - q + 1) * ((long double)U / (1 - (long double)U)) / mu;
        sum += weight;
        rate += weight * ((long double)((size_t)P - q) + mu) / (long double)P;
    }
    assert_close(X, (double)(sum / rate), 1e-12);
}

UNIT_MAIN(NULL, NULL)
