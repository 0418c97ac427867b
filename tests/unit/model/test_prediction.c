/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/closed_network.h"
#include "model/prediction.h"
#include "tests/unit/golden.h"

static clump_load load_of(const double *U, clump_demand demand)
{
    return (clump_load){.utilizations = U,
                        .utilization_count = 1,
                        .demand = demand,
                        .coupling = CLUMP_COUPLING_NONE};
}

static clump_prediction predict(const clump_node *node, const clump_load *load)
{
    clump_prediction result;
    clump_error error = {CLUMP_OK, ""};
    if (clump_predict(node, load, &result, NULL, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return result;
}

static double slowdown(size_t P, size_t N, double U, clump_demand demand, clump_mapping mapping)
{
    const clump_node node = {.processors = P, .nics = N, .mapping = mapping};
    const clump_load load = load_of(&U, demand);
    return predict(&node, &load).slowdown;
}

/* What chapter 8 says of its figures, P = 8 and N = 4. */
TEST(test_statements_of_chapter_8)
{
    double least_scheduled = 9, least_independent = 9, crossing = 0, two_nics = 0;
    for (int i = 1; i < 1000; i++) {
        const double U = i / 1000.0;
        const double independent =
            slowdown(8, 4, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED);
        least_scheduled =
            fmin(least_scheduled, slowdown(8, 4, U, CLUMP_DEMAND_SCHEDULED, CLUMP_MAPPING_POOLED));
        least_independent = fmin(least_independent, independent);
        if (independent < 1)
            crossing = U;
        if (slowdown(8, 6, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED) <
            slowdown(1, 2, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED))
            two_nics = U;
        /* 8.4.2: a static mapping is never better than the NOW. */
        assert_true(slowdown(8, 4, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_STATIC) >= 1);
        /* "correlated demands on either system" */
        assert_close(slowdown(8, 4, U, CLUMP_DEMAND_CORRELATED, CLUMP_MAPPING_STATIC),
                     slowdown(8, 4, U, CLUMP_DEMAND_CORRELATED, CLUMP_MAPPING_POOLED), 1e-14);
    }
    assert_close(least_scheduled, 8.0 / 11, 1e-3); /* "less than 73%" */
    assert_close(least_independent, 0.86, 0.005);  /* "86% of NOW execution time" */
    assert_true(crossing == 0.478);                /* "under 0.48"; exactly 0.47863 */
    assert_true(two_nics == 0.488);                /* "below about 0.5"; exactly 0.48898 */
}

TEST(test_properties)
{
    for (size_t P = 1; P <= 24; P++)
        for (int i = 1; i < 20; i++) {
            const double U = i / 20.0;
            double before = INFINITY;
            for (size_t N = 1; N <= P + 2; N++) {
                const double X = slowdown(P, N, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED);
                assert_true(X < before); /* falls with N */
                before = X;
                if (P % N != 0 || N == 1)
                    continue;
                /* Pooled beats an even static map, until both are saturated (X = P U/N). */
                const double tied =
                    slowdown(P, N, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_STATIC);
                const double saturated = (double)P * U / (double)N;
                assert_true(tied > saturated * (1 + 1e-12) ? X < tied : X <= tied * (1 + 1e-14));
            }
        }
}

/* X(U) has one minimum: the differences change sign once. */
TEST(test_one_minimum)
{
    for (size_t P = 2; P <= 40; P += 3)
        for (size_t N = 1; N <= P; N += 2) {
            int turned = 0;
            double before = 1;
            for (int i = 1; i <= 200; i++) {
                const double X =
                    slowdown(P, N, i / 200.0, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED);
                if (X > before * (1 + 1e-12))
                    turned = 1;
                else if (turned)
                    assert_true(X >= before * (1 - 1e-12));
                before = X;
            }
        }
}

/* 3+3+2: three stations of their own. */
TEST(test_uneven_groups)
{
    const double U = 0.4;
    const size_t given[] = {2, 3, 3};
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    clump_node node = {.processors = 8, .nics = 3, .mapping = CLUMP_MAPPING_STATIC};
    const double three = slowdown(3, 1, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED);
    const double two = slowdown(2, 1, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED);
    clump_prediction result = predict(&node, &load);
    assert_close(result.slowdown, (6 * three + 2 * two) / 8, 1e-14);
    assert_close(result.slowest, three, 1e-14);
    assert_int_equal(result.slowest_processor, 0);
    node.group_sizes = given;
    result = predict(&node, &load);
    assert_close(result.slowdown, (6 * three + 2 * two) / 8, 1e-14);
    assert_int_equal(result.slowest_processor, 2);
    /* More NICs than processors: some stay idle, nobody shares. */
    node = (clump_node){.processors = 3, .nics = 5, .mapping = CLUMP_MAPPING_STATIC};
    assert_close(predict(&node, &load).slowdown, 1, 1e-14);
}

/* Static groups solved with one utilization each are the same as the whole node at once. */
TEST(test_mixed_groups)
{
    const double U[] = {0.1, 0.9, 0.5, 0.3, 0.7, 0.2};
    double X[6], pair[2];
    const clump_node node = {.processors = 6, .nics = 3, .mapping = CLUMP_MAPPING_STATIC};
    clump_load load = load_of(U, CLUMP_DEMAND_INDEPENDENT);
    load.utilization_count = 6;
    clump_prediction result;
    const clump_prediction_details all = {.slowdowns = X}, two = {.slowdowns = pair};
    assert_int_equal(clump_predict(&node, &load, &result, &all, NULL), CLUMP_OK);
    for (size_t i = 0; i < 3; i++) {
        const clump_node half = {.processors = 2, .nics = 1};
        load.utilizations = U + 2 * i;
        load.utilization_count = 2;
        assert_int_equal(clump_predict(&half, &load, &result, &two, NULL), CLUMP_OK);
        assert_close(X[2 * i], pair[0], 1e-14);
        assert_close(X[2 * i + 1], pair[1], 1e-14);
    }
}

TEST(test_distribution_of_static_groups)
{
    const double U = 0.3;
    double pi[5];
    const clump_node node = {.processors = 4, .nics = 2, .mapping = CLUMP_MAPPING_STATIC};
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    const clump_prediction_details details = {.distribution = pi};
    clump_prediction result;
    assert_int_equal(clump_predict(&node, &load, &result, &details, NULL), CLUMP_OK);
    const double w = U / (1 - U), Z = 1 + 2 * w + 2 * w * w;
    const double one[] = {1 / Z, 2 * w / Z, 2 * w * w / Z};
    for (size_t q = 0; q <= 4; q++) {
        double expected = 0;
        for (size_t a = 0; a <= 2; a++)
            if (q >= a && q - a <= 2)
                expected += one[a] * one[q - a];
        assert_close(pi[q], expected, 1e-14);
    }
}

TEST(test_gang_in_groups)
{
    const double U = 0.6;
    const clump_node node = {.processors = 8, .nics = 4, .mapping = CLUMP_MAPPING_STATIC};
    clump_load load = load_of(&U, CLUMP_DEMAND_GANG);
    load.gang_size = 8; /* as large as the node: every pair moves together */
    assert_close(predict(&node, &load).slowdown, 1.6, 1e-14);
    load.gang_size = 1;
    assert_close(predict(&node, &load).slowdown,
                 slowdown(2, 1, U, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED), 1e-14);
}

/* (8.11), and its extension by a memory penalty and by waiting. */
TEST(test_tight_coupling)
{
    const double U = 0.7, f = 0.4, V = 0.25;
    const clump_node node = {.processors = 8, .nics = 4};
    clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    load.coupling.remote_fraction = f;
    load.coupling.cost_ratio = V;
    const double k = 1 - U * (1 - f) * (1 - V);
    assert_close(predict(&node, &load).slowdown,
                 k * slowdown(8, 4, f * U / k, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED),
                 1e-14);
    assert_close(predict(&node, &load).adjusted_utilization, f * U / k, 1e-14);
    load.coupling.memory_penalty = 1.2;
    load.coupling.waiting_fraction = 0.5;
    const double longer = k + 0.2 * (1 - U);
    assert_close(predict(&node, &load).slowdown,
                 longer * slowdown(8, 4, 0.5 * f * U / longer, CLUMP_DEMAND_INDEPENDENT,
                                   CLUMP_MAPPING_POOLED),
                 1e-14);
    load.coupling.waiting_fraction = 1; /* all waiting: no contention at all */
    assert_close(predict(&node, &load).slowdown, longer, 1e-14);
}

/* 8.3.4 */
TEST(test_phases)
{
    const double U[] = {0.1, 0.9};
    const clump_node node = {.processors = 8, .nics = 4};
    clump_phase phases[] = {{load_of(&U[0], CLUMP_DEMAND_INDEPENDENT), 3},
                            {load_of(&U[1], CLUMP_DEMAND_CORRELATED), 1}};
    clump_prediction whole, parts[2];
    assert_int_equal(clump_predict_phases(&node, phases, 2, &whole, parts, NULL), CLUMP_OK);
    const double first = slowdown(8, 4, 0.1, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED);
    assert_close(parts[0].slowdown, first, 1e-15);
    assert_close(whole.slowdown, (3 * first + 1.9) / 4, 1e-14);
    phases[1].time = 0;
    assert_int_equal(clump_predict_phases(&node, phases, 2, &whole, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_predict_phases(&node, phases, 0, &whole, NULL, NULL),
                     CLUMP_BAD_ARGUMENT);
}

/* Ten million processors on five million NICs of their own pairs: sums must not lose digits. */
TEST(test_many_groups)
{
    const double pair = slowdown(2, 1, 0.2, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_POOLED);
    assert_close(slowdown(10000000, 5000000, 0.2, CLUMP_DEMAND_INDEPENDENT, CLUMP_MAPPING_STATIC),
                 pair, 1e-14);
}

/* Rates of use where 1 - (1-U)/X would have no digits left. */
TEST(test_little_communication)
{
    const clump_node node = {.processors = 8, .nics = 4};
    for (double U = 1e-15; U < 1e-2; U *= 10) {
        const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
        const clump_prediction result = predict(&node, &load);
        const clump_class all = {U, 8};
        const clump_station station = {.nics = 4};
        double X;
        clump_network_totals totals;
        assert_int_equal(clump_network_solve(&all, 1, &station, NULL, &X, NULL, &totals, NULL),
                         CLUMP_OK);
        assert_close(result.mean_active, totals.mean_active, 1e-12);
    }
}

/* Correlated: everybody waits for the slowest, so that no NIC is used for more than all the time.
 */
TEST(test_correlated_mix_waits)
{
    const double U[] = {0.1, 0.5, 1};
    const clump_node node = {.processors = 3, .nics = 1};
    clump_load load = load_of(U, CLUMP_DEMAND_CORRELATED);
    load.utilization_count = 3;
    const clump_prediction result = predict(&node, &load);
    assert_close(result.slowest, 1.6, 1e-14); /* all three works, one after the other */
    assert_close(result.nic_utilization, 1, 1e-14);
    assert_close(result.mean_active, (0.3 + 1.1 + 1.6) / 1.6, 1e-14);
}

UNIT_MAIN(NULL, NULL)
