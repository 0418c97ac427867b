/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processors that differ in more than utilization: what each needs is given in amounts of time. Against all
 * subsets of processors, against an example of MODEL.md 5. */
#include <math.h>
#include <stdbool.h>

#include "tests/unit/unit.h"

#include "model/prediction.h"
#include "tests/unit/golden.h"

enum { P = 5 };

static const clump_need needs[P] = {
    {0.7, 0.2, 1}, {0.1, 0.9, 1}, {0.8, 0, 1}, {0, 0.5, 1}, {1.3, 0.4, 1}};

static void solve(const clump_node *node, const clump_load *load, const clump_need *of, size_t n,
                  double *X)
{
    const clump_prediction_details details = {.slowdowns = X};
    clump_prediction prediction;
    clump_error error = {CLUMP_OK, ""};
    if ((of != NULL ? clump_predict_needs(node, load, of, n, &prediction, &details, &error)
                    : clump_predict(node, load, &prediction, &details, &error)) != CLUMP_OK)
        fail_msg("%s", error.message);
}

/* pi(sigma) = q!/M(q) prod D_p C_others: the cycles of p are its time over C_p, or its service over D_p. */
TEST(test_all_subsets)
{
    for (size_t N = 1; N <= P; N++) {
        const clump_node node = {.processors = P, .nics = N};
        const clump_load load = {.coupling = CLUMP_COUPLING_NONE};
        double X[P], sum = 0, cycles[P] = {0};
        for (unsigned sigma = 0; sigma < 1u << P; sigma++) {
            double weight = 1;
            size_t q = 0;
            for (size_t p = 0; p < P; p++) {
                const bool active = (sigma >> p & 1) != 0;
                weight *= active ? needs[p].communication : needs[p].computation;
                if (active)
                    weight *= (double)++q / (double)N;
            }
            sum += weight;
            for (size_t p = 0; p < P; p++)
                if (needs[p].computation > 0)
                    cycles[p] += (sigma >> p & 1) ? 0 : weight / needs[p].computation;
                else
                    cycles[p] += (sigma >> p & 1)
                                     ? weight * (double)N / (double)q / needs[p].communication
                                     : 0;
        }
        solve(&node, &load, needs, P, X);
        for (size_t p = 0; p < P; p++)
            assert_close(X[p], sum / cycles[p], 1e-12);
    }
}

/* What a common coupling says, said as amounts, is the same for every demand. */
TEST(test_as_coupling)
{
    static const double mix[P] = {0.1, 0.5, 0.9, 0.3, 0.3};
    static const clump_coupling coupling = {0.6, 0.3, 1.2, 0.1};
    clump_need same[P];
    for (size_t p = 0; p < P; p++) {
        assert_int_equal(clump_coupling_needs(&coupling, mix[p], &same[p].computation,
                                              &same[p].communication, NULL),
                         CLUMP_OK);
        same[p].processors = 0;
    }
    for (int d = CLUMP_DEMAND_INDEPENDENT; d < CLUMP_DEMAND_GANG; d++)
        for (size_t N = 1; N <= P; N++)
            for (int mapping = 0; mapping < 2; mapping++) {
                const clump_node node = {
                    .processors = P, .nics = N, .mapping = (clump_mapping)mapping};
                const clump_load load = {.utilizations = mix,
                                         .utilization_count = P,
                                         .demand = (clump_demand)d,
                                         .coupling = coupling};
                double X[P], Y[P];
                solve(&node, &load, NULL, 0, X);
                solve(&node, &load, same, P, Y);
                for (size_t p = 0; p < P; p++)
                    assert_close(X[p], Y[p], 1e-6); /* of schedules; others agree to 1e-12 */
            }
    /* and equal processors need it once */
    const clump_node node = {.processors = P, .nics = 2};
    const clump_load load = {.utilizations = mix,
                             .utilization_count = 1,
                             .demand = CLUMP_DEMAND_GANG,
                             .gang_size = 2.5,
                             .coupling = coupling};
    double X[P], Y[P];
    solve(&node, &load, NULL, 0, X);
    solve(&node, &load, same, 1, Y);
    assert_close(X[0], Y[0], 1e-12);
}

/* U = .2 and .8 on one NIC, whose computation takes twice as long: X = 2 and 1.4. */
TEST(test_correlated)
{
    static const clump_need two[2] = {{1.6, 0.2, 1}, {0.4, 0.8, 1}};
    const clump_node node = {.processors = 2, .nics = 1};
    const clump_load load = {.demand = CLUMP_DEMAND_CORRELATED, .coupling = CLUMP_COUPLING_NONE};
    double X[2];
    solve(&node, &load, two, 2, X);
    assert_close(X[0], 2, 1e-12);
    assert_close(X[1], 1.4, 1e-12);
}

TEST(test_refused)
{
    const clump_node node = {.processors = 2, .nics = 1};
    clump_need bad[2] = {{1, 0, 1}, {0, 0, 1}};
    const clump_load load = {.coupling = CLUMP_COUPLING_NONE};
    clump_prediction prediction;
    assert_int_equal(clump_predict_needs(&node, &load, bad, 2, &prediction, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    bad[1] = (clump_need){NAN, 1, 1};
    assert_int_equal(clump_predict_needs(&node, &load, bad, 2, &prediction, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
}

UNIT_MAIN(NULL, NULL)
