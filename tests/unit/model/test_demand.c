/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/closed_network.h"
#include "model/demand_solvers.h"
#include "model/erlang.h"
#include "tests/unit/golden.h"

/* From the second number of a row on: NICs, m, and the slope of the efficiency. */
static clump_station station_of(const double *row, double *slope)
{
    clump_station station = {.nics = row[1], .max_nics_per_processor = row[2]};
    if (*slope > 0)
        station.efficiency = (clump_efficiency){.function = golden_efficiency, .context = slope};
    return station;
}

TEST(test_scheduled_is_the_linear_programme)
{
    golden_table table = golden_read("scheduled.csv");
    for (size_t i = 0; i < table.count; i++) {
        const double *r = table.rows[i];
        double slope = r[3], X;
        const clump_station station = station_of(r, &slope);
        const clump_need all = {1 - r[4], r[4], (size_t)r[0]};
        clump_error error = {CLUMP_OK, ""};
        if (clump_scheduled_slowdown(&all, 1, &station, &X, &error) != CLUMP_OK)
            fail_msg("row %zu: %s", i, error.message);
        assert_close(X, r[5], 1e-12);
    }
    free(table.rows);
}

TEST(test_correlated_mixes)
{
    golden_table table = golden_read("correlated_mix.csv");
    for (size_t i = 0; i < table.count;) {
        const double *r = table.rows[i];
        const size_t P = (size_t)r[1];
        double slope = r[4], computation[16], communication[16], X[16];
        const clump_station station = station_of(r + 1, &slope);
        for (size_t p = 0; p < P; p++) {
            communication[p] = table.rows[i + p][6];
            computation[p] = 1 - communication[p];
        }
        clump_needs needs;
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(model_needs_make(computation, communication, P, &needs, &error), CLUMP_OK);
        if (clump_correlated_slowdown(needs.needs, needs.count, &station, X, &error) != CLUMP_OK)
            fail_msg("case %g: %s", r[0], error.message);
        for (size_t p = 0; p < P; p++)
            assert_close(X[needs.need_of[p]], table.rows[i + p][7], 1e-13);
        model_needs_free(&needs);
        i += P;
    }
    free(table.rows);
}

TEST(test_scheduled_mixes)
{
    golden_table table = golden_read("scheduled_mix.csv");
    for (size_t i = 0; i < table.count;) {
        const double *r = table.rows[i];
        const size_t P = (size_t)r[1];
        double slope = r[4], computation[16], communication[16], X[16], sum = 0;
        const clump_station station = station_of(r + 1, &slope);
        for (size_t p = 0; p < P; p++) {
            computation[p] = table.rows[i + p][6];
            communication[p] = table.rows[i + p][7];
        }
        clump_needs needs;
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(model_needs_make(computation, communication, P, &needs, &error), CLUMP_OK);
        if (clump_scheduled_slowdown(needs.needs, needs.count, &station, X, &error) != CLUMP_OK)
            fail_msg("case %g: %s", r[0], error.message);
        for (size_t p = 0; p < P; p++)
            sum += X[needs.need_of[p]];
        assert_close(sum / (double)P, r[8], 2e-9); /* the reference is good to 1e-9 */
        model_needs_free(&needs);
        i += P;
    }
    free(table.rows);
}

/* Large mixes have no reference; but independent demand is a schedule, and what each processor needs
   alone cannot be had for less. NICs are real here, as gangs see them. */
TEST(test_scheduled_is_between)
{
    unsigned long long seed = 7;
    enum { MOST = 200 };
    static double U[MOST], computation[MOST], communication[MOST], X[MOST], Y[MOST];
    for (int i = 0; i < 60; i++) {
        const size_t P = 2 + (size_t)(golden_random(&seed) * (MOST - 2));
        /* a pool, which an efficiency may take from, or N/m whole */
        const double m = i % 3 == 0 ? 0 : 1 + 6 * golden_random(&seed);
        double slope = m > 0 ? 0 : 0.1 * golden_random(&seed), least = 0, scheduled = 0, own = 0;
        const double row[3] = {0,
                               m > 0 ? m * ceil(golden_random(&seed) * (double)P)
                                     : 1 + golden_random(&seed) * (double)P,
                               m};
        const clump_station station = station_of(row, &slope);
        for (size_t p = 0; p < P; p++) {
            communication[p] = U[p] = golden_random(&seed);
            computation[p] = 1 - U[p];
            least += computation[p] + U[p] / clump_station_rate(&station, 1);
        }
        clump_needs needs;
        clump_needs by_share;
        clump_class classes[MOST];
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(model_needs_make(computation, communication, P, &needs, NULL), CLUMP_OK);
        assert_int_equal(model_needs_make(NULL, U, P, &by_share, NULL), CLUMP_OK);
        for (size_t k = 0; k < by_share.count; k++)
            classes[k] =
                (clump_class){by_share.needs[k].communication, by_share.needs[k].processors};
        if (clump_scheduled_slowdown(needs.needs, needs.count, &station, X, &error) != CLUMP_OK)
            fail_msg("case %d: %s", i, error.message);
        assert_int_equal(
            clump_network_solve(classes, by_share.count, &station, NULL, Y, NULL, NULL, NULL),
            CLUMP_OK);
        for (size_t p = 0; p < P; p++) {
            scheduled += X[needs.need_of[p]];
            own += Y[by_share.need_of[p]];
        }
        assert_true(scheduled <= own * (1 + 1e-9) && scheduled >= least * (1 - 1e-9));
        model_needs_free(&needs);
        model_needs_free(&by_share);
    }
}

/* (8.9) and (8.10) as printed. */
TEST(test_closed_forms_of_the_thesis)
{
    for (size_t P = 1; P <= 12; P++)
        for (double N = 1; N <= 14; N++)
            for (int i = 0; i <= 20; i++) {
                const double U = i / 20.0, p = (double)P;
                const clump_need all = {1 - U, U, P};
                const clump_station station = {.nics = N};
                double correlated, scheduled;
                assert_int_equal(clump_correlated_slowdown(&all, 1, &station, &correlated, NULL),
                                 CLUMP_OK);
                assert_int_equal(clump_scheduled_slowdown(&all, 1, &station, &scheduled, NULL),
                                 CLUMP_OK);
                assert_close(correlated, 1 + (p - N) / N * U, 1e-14);
                const double Us = N / (N + p - 1);
                assert_close(scheduled, U <= Us ? 1 - (N - 1) / N * U : p * U / N, 1e-14);
            }
}

/* s = 1 is independent, s = P correlated, and every real s with constant mu is X(P/s, N/s). */
TEST(test_gangs_meet_their_ends)
{
    for (int limited = 0; limited < 2; limited++)
        for (double U = 0.05; U < 1; U += 0.1) {
            const clump_station station = {.nics = 4, .max_nics_per_processor = limited};
            const clump_class all = {U, 8};
            const clump_need together = {1 - U, U, 8};
            double independent, correlated, X;
            assert_int_equal(
                clump_network_solve(&all, 1, &station, NULL, &independent, NULL, NULL, NULL),
                CLUMP_OK);
            assert_int_equal(clump_correlated_slowdown(&together, 1, &station, &correlated, NULL),
                             CLUMP_OK);
            assert_int_equal(clump_gang_slowdown(8, U, &station, 1, &X, NULL, NULL), CLUMP_OK);
            assert_close(X, independent, 1e-13);
            assert_int_equal(clump_gang_slowdown(8, U, &station, 8, &X, NULL, NULL), CLUMP_OK);
            assert_close(X, correlated, 1e-13);
            double before = 0;
            for (double s = 1; s <= 8; s += 0.25) { /* X rises with s */
                assert_int_equal(clump_gang_slowdown(8, U, &station, s, &X, NULL, NULL), CLUMP_OK);
                assert_true(X >= before * (1 - 1e-13));
                before = X;
            }
        }
}

/* Two gangs of 4 on 4 NICs, one NIC a processor at most: 2 customers, mu = 1 and 1 in gang units;
   that is X(2, 1, U), known by hand: 1/X = 1 - ... computed from the three states. */
TEST(test_whole_gangs_by_hand)
{
    const double U = 0.3, w = U / (1 - U);
    const clump_station station = {.nics = 4, .max_nics_per_processor = 1};
    double X;
    assert_int_equal(clump_gang_slowdown(8, U, &station, 4, &X, NULL, NULL), CLUMP_OK);
    const double Z = 1 + 2 * w + 2 * w * w;
    const double rate = 1 + 2 * w * (0.5 + 0.5) + 2 * w * w * 0.5;
    assert_close(X, Z / rate, 1e-14);
}

/* What does not change mu does not change X: a table of ones, a limit that gangs never reach. */
TEST(test_gangs_on_a_constant_station)
{
    const double ones[] = {1, 1};
    const clump_station plain = {.nics = 4},
                        table = {.nics = 4, .efficiency = {ones, 2, NULL, NULL}},
                        limit = {.nics = 4, .max_nics_per_processor = 2};
    for (double s = 2; s <= 8; s += 0.3) {
        double X, Y;
        assert_int_equal(clump_gang_slowdown(8, 0.4, &plain, s, &X, NULL, NULL), CLUMP_OK);
        assert_int_equal(clump_gang_slowdown(8, 0.4, &table, s, &Y, NULL, NULL), CLUMP_OK);
        assert_close(Y, X, 1e-15);
        assert_int_equal(clump_gang_slowdown(8, 0.4, &limit, s, &Y, NULL, NULL), CLUMP_OK);
        assert_close(Y, X, 1e-15);
    }
}

TEST(test_order_of_demands)
{
    unsigned long long seed = 5;
    for (int i = 0; i < 2000; i++) {
        const size_t P = 1 + (size_t)(golden_random(&seed) * 40);
        double slope = i % 2 == 0 ? 0 : 0.3 * golden_random(&seed);
        double row[3] = {0, 1 + floor(golden_random(&seed) * 40),
                         i % 3 == 0 ? 0 : 1 + floor(golden_random(&seed) * 3)};
        const clump_station station = station_of(row, &slope);
        const double U = golden_random(&seed);
        const clump_class all = {U, P};
        const clump_need need = {1 - U, U, P};
        double scheduled, independent, correlated;
        assert_int_equal(clump_scheduled_slowdown(&need, 1, &station, &scheduled, NULL), CLUMP_OK);
        assert_int_equal(
            clump_network_solve(&all, 1, &station, NULL, &independent, NULL, NULL, NULL), CLUMP_OK);
        assert_int_equal(clump_correlated_slowdown(&need, 1, &station, &correlated, NULL),
                         CLUMP_OK);
        assert_true(scheduled <= independent * (1 + 1e-12));
        assert_true(independent <= correlated * (1 + 1e-12));
    }
}

UNIT_MAIN(NULL, NULL)
