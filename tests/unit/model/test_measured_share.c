/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A share of communication that was measured behind N NICs, against an own solver and against what must hold always. */
#include <stdbool.h>

#include "tests/unit/unit.h"

#include "model/random.h"
#include "model/workload/measured_share.h"

#include <math.h>

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("found %.15g, expected %.15g", value, expected);
}

static double uniform(uint64_t *random)
{
    return (double)(clump_splitmix(random) >> 11) * 0x1p-53;
}

/* X of equal processors at times of their own, as the sum over q of the equilibrium, in logarithms. */
static double own_independent(double P, double N, double m, double U)
{
    double Z = 0, idle = 0, log_term = 0;
    for (double q = 0; q <= P; q++) {
        if (q > 0)
            log_term += log((P - q + 1) * U / (1 - U) / fmin(N, q * m));
        Z += exp(log_term - 300);
        idle += exp(log_term - 300) * (P - q);
    }
    return P * (1 - U) * Z / idle;
}

/* Time of all at once: the first N/m of them in the rest's shadow. */
static double own_correlated(double P, double N, double m, double U)
{
    return 1 - U + U * P / fmin(N, P * m);
}

static double own_root(double P, double N, double m, double s,
                       double (*X)(double, double, double, double))
{
    double low = 0, high = 1;
    for (int i = 0; i < 200; i++) {
        const double U = (low + high) / 2;
        *((1 - U) / X(P, N, m, U) > 1 - s ? &low : &high) = U;
    }
    return low;
}

static clump_share_loads loads_of(const clump_measured_share *share)
{
    clump_share_loads loads;
    clump_error error = {CLUMP_OK, ""};
    if (clump_measured_share_loads(share, &loads, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return loads;
}

static clump_share_change change_of(const clump_measured_share *share,
                                    const clump_share_loads *loads, size_t nics)
{
    clump_share_change change;
    clump_error error = {CLUMP_OK, ""};
    if (clump_measured_share_change(share, loads, nics, &change, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return change;
}

/* An independent computation with more digits. */
TEST(test_known_values)
{
    static const struct {
        size_t P, N;
        double m, s, utilization, ratios[4];
        bool correlated;
    } rows[] = {
        {128, 2, 0, .35, .00834326579261, {1.35, 1, .825, .7375}, true},
        {128, 2, 0, .35, .0234741523049, {1.99999772292, 1, .664596525437, .653139996419}, false},
        {8, 4, 0, .2, .111111111111, {1.6, 1.2, 1, .9}, true},
        {8, 4, 0, .2, .307460483566, {2.84627044029, 1.49303975348, 1, .866954779886}, false},
        {8, 4, 1, .2, .198399667962, {1.63588435658, 1.08705340697, 1, .998003578624}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clump_measured_share share = {.node = {.processors = rows[i].P,
                                                     .nics = rows[i].N,
                                                     .max_nics_per_processor = rows[i].m},
                                            .communicating = rows[i].s,
                                            .busy = NAN};
        const clump_share_loads loads = loads_of(&share);
        const clump_share_load *load = rows[i].correlated ? &loads.correlated : &loads.independent;
        assert_int_equal(loads.timing, CLUMP_SHARE_UNKNOWN);
        assert_near(load->utilization, rows[i].utilization, 1e-11);
        for (size_t n = 0; n < 4; n++) {
            const clump_share_change change = change_of(&share, &loads, (size_t)1 << n);
            assert_near(rows[i].correlated ? change.correlated : change.independent,
                        rows[i].ratios[n], 1e-11);
        }
    }
}

static clump_measured_share random_share(uint64_t *random)
{
    const size_t P = 1 + (size_t)(60 * uniform(random));
    const size_t N = 1 + (size_t)((double)P * uniform(random));
    const double m = uniform(random) < 0.5 ? 0 : 1 + floor(3 * uniform(random));
    return (clump_measured_share){.node = {.processors = P, .nics = N, .max_nics_per_processor = m},
                                  .communicating = 0.01 + 0.97 * uniform(random),
                                  .busy = NAN};
}

TEST(test_against_own_solver)
{
    uint64_t random = 42;
    for (int i = 0; i < 500; i++) {
        const clump_measured_share share = random_share(&random);
        const double P = (double)share.node.processors, N = (double)share.node.nics;
        const double m =
            share.node.max_nics_per_processor > 0 ? share.node.max_nics_per_processor : N;
        const clump_share_loads loads = loads_of(&share);
        assert_near(loads.independent.utilization,
                    own_root(P, N, m, share.communicating, own_independent), 1e-8);
        assert_near(loads.correlated.utilization,
                    own_root(P, N, m, share.communicating, own_correlated), 1e-8);
        for (size_t n = 1; n <= share.node.processors; n = 2 * n + 1) {
            const double least = fmin(1, N / (double)n), most = fmax(1, N / (double)n);
            const clump_share_change c = change_of(&share, &loads, n);
            const double ratios[] = {c.independent, c.correlated};
            assert_true(c.low <= c.least * (1 + 1e-9) && c.high >= c.most * (1 - 1e-9));
            for (int d = 0; d < 2; d++)
                if (!(ratios[d] >= least * (1 - 1e-9) && ratios[d] <= most * (1 + 1e-9)))
                    fail_msg("P %g N %g m %g s %g n %zu demand %d: %.17g outside of %g and %g", P,
                             N, m, share.communicating, n, d, ratios[d], least, most);
        }
    }
}

/* What a load makes of share and busy NICs leads back to it. */
TEST(test_busy_tells_the_demand)
{
    uint64_t random = 43;
    int gangs = 0, late = 0, over = 0;
    for (int i = 0; i < 500; i++) {
        clump_measured_share share = random_share(&random);
        share.busy = 0.02 + 0.98 * uniform(&random);
        const clump_share_loads loads = loads_of(&share);
        const clump_share_load *f = &loads.fitted;
        const double s = share.communicating - loads.waiting;
        if (loads.timing != CLUMP_SHARE_OVER_BUSY) {
            assert_near((1 - f->utilization) / f->slowdown, 1 - s, 1e-9);
            assert_near(f->busy, share.busy, 1e-9);
            assert_near(change_of(&share, &loads, share.node.nics).fitted, 1, 1e-12);
        }
        switch (loads.timing) {
        case CLUMP_SHARE_GANGS:
            gangs++;
            assert_true(f->gang_size >= 1 && f->gang_size <= (double)share.node.processors);
            assert_true(loads.waiting == 0);
            break;
        case CLUMP_SHARE_LATE:
            late++;
            assert_true(share.busy <= loads.correlated.busy * (1 + 1e-9));
            assert_true(loads.waiting >= 0 && loads.waiting < share.communicating);
            break;
        case CLUMP_SHARE_OVER_BUSY:
            over++;
            assert_true(share.busy >= loads.independent.busy * (1 - 1e-9));
            break;
        case CLUMP_SHARE_UNKNOWN:
            fail_msg("nothing was told");
        }
    }
    assert_true(gangs > 20 && late > 20 && over > 20);
}

TEST(test_refused)
{
    clump_measured_share share = {
        .node = {.processors = 8, .nics = 2}, .communicating = 0.3, .busy = NAN};
    const clump_measured_share good = share;
    clump_share_loads loads;
    clump_error error;
    static const double shares[] = {-0.1, 1, 2, NAN}, busy[] = {0, -1, 1.01, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        share = good;
        share.communicating = shares[i];
        assert_int_equal(clump_measured_share_loads(&share, &loads, &error), CLUMP_BAD_ARGUMENT);
        share = good;
        share.busy = busy[i];
        assert_int_equal(clump_measured_share_loads(&share, &loads, &error), CLUMP_BAD_ARGUMENT);
    }
    share = good;
    share.node.mapping = CLUMP_MAPPING_STATIC;
    assert_int_equal(clump_measured_share_loads(&share, &loads, &error), CLUMP_BAD_ARGUMENT);
    share = good;
    share.node.memory = (clump_memory){.share = 0.5, .feeds = 2};
    assert_int_equal(clump_measured_share_loads(&share, &loads, &error), CLUMP_BAD_ARGUMENT);
    share = good;
    share.communicating = 0;
    assert_int_equal(clump_measured_share_loads(&share, &loads, &error), CLUMP_OK);
    assert_true(!(loads.independent.utilization > 0) && !(loads.correlated.utilization > 0));
}

UNIT_MAIN(NULL, NULL)
