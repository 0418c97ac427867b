/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of links: rates worked out by hand, the definition of max-min fairness on random trees, the best
 * assignment against all there are, times against the closed form of section 3. */
#include "model/prediction.h"
#include "topology/assignment.h"
#include "topology/fair_share.h"
#include "topology/fewer_nics.h"
#include "topology/pcie.h"
#include "topology/run_time.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

static void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fmax(fabs(expected), 1e-300)))
        print_error("found %.17g, expected %.17g\n", found, expected);
    assert_true(fabs(found - expected) <= 1e-9 * fmax(fabs(expected), 1e-300));
}

/* ---- capacities */

TEST(test_pcie)
{
    /* As tables of PCIe have them: 16 lanes of every generation, in bytes a second. */
    near(clump_pcie_rate(2.5e9, 16), 4e9);
    near(clump_pcie_rate(5e9, 16), 8e9);
    near(clump_pcie_rate(8e9, 16), 15753846153.846153);
    near(clump_pcie_rate(16e9, 16), 31507692307.692307);
    near(clump_pcie_rate(32e9, 16), 63015384615.384613);
    near(clump_pcie_rate(64e9, 16), 118e9);
    near(clump_pcie_rate_read("16.0 GT/s PCIe", "8"), 15753846153.846153);
    near(clump_pcie_rate_read("2.5 GT/s", "1"), 250e6);
    assert_true(clump_pcie_rate_read("", "16") == 0 && clump_pcie_rate_read("fast", "16") == 0);
    assert_true(clump_pcie_rate(8e9, 0) == 0 && clump_pcie_rate(NAN, 16) == 0);
    assert_true(clump_pcie_rate(8e9, 33) == 0 && clump_pcie_rate(1e300, 16) == 0);
    near(clump_pcie_generation(4), 16e9);
    assert_true(clump_pcie_generation(0) == 0 && clump_pcie_generation(99) == 0);
    near(clump_pcie_efficiency(256), 57.88 / 62.96 * 256 / 280);
    near(clump_wire_efficiency(4096, false), 4096.0 / 4178);
    near(clump_wire_efficiency(1024, true), 1024.0 / 1054);
}

/* ---- max-min by hand */

TEST(test_fair_by_hand)
{
    /* Data Networks, 6.5.2: five sessions, links of 1; here three flows over two links. */
    const double capacity[] = {1, 2, INFINITY};
    const size_t links[] = {0, 2, 0, 1, 1, 2};
    const size_t start[] = {0, 2, 4, 5, 6};
    double rates[4];
    const clump_routes routes = {capacity, 3, links, start, 4};
    assert_int_equal(clump_fair_share(&routes, rates, NULL), CLUMP_OK);
    near(rates[0], 0.5);
    near(rates[1], 0.5);
    near(rates[2], 1.5);
    assert_true(isinf(rates[3])); /* nothing in its way */
    near(clump_route_alone(&routes, 1), 1);
    near(clump_route_alone(&routes, 2), 2);
}

/* ---- random trees */

static uint64_t seed = 20261122;

static double uniform(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) / 9007199254740992.0;
}

static size_t below(size_t n)
{
    return (size_t)(uniform() * (double)n);
}

static void set_lists(clump_topology *t)
{
    t->gpus = true;
    t->processors = malloc(t->part_count * sizeof *t->processors);
    t->nics = malloc(t->part_count * sizeof *t->nics);
    for (size_t i = 0; i < t->part_count; i++)
        if (t->parts[i].kind == CLUMP_PART_GPU)
            t->processors[t->processor_count++] = i;
        else if (t->parts[i].kind == CLUMP_PART_NIC)
            t->nics[t->nic_count++] = i;
}

/* Sockets, switches, then processors and NICs anywhere. */
static clump_topology random_tree(size_t processors, size_t nics)
{
    clump_topology t = {.format = "random"};
    const size_t inner = 1 + below(5);
    size_t part;
    assert_int_equal(clump_topology_add(&t, CLUMP_PART_MACHINE, CLUMP_NO_PART, "", "", NULL, NULL),
                     CLUMP_OK);
    for (size_t i = 0; i < inner; i++)
        clump_topology_add(&t, i < 2 ? CLUMP_PART_SOCKET : CLUMP_PART_SWITCH,
                           i < 2 ? 0 : below(t.part_count), "", "", NULL, NULL);
    for (size_t i = 0; i < processors + nics; i++) {
        clump_topology_add(&t, i < processors ? CLUMP_PART_GPU : CLUMP_PART_NIC, below(inner + 1),
                           "", "", &part, NULL);
        t.parts[part].port = i >= processors && uniform() < 0.7 ? 1 + (double)below(8) : INFINITY;
    }
    for (size_t i = 1; i < t.part_count; i++)
        t.parts[i].link = uniform() < 0.75 ? 1 + (double)below(10) : INFINITY;
    t.parts[t.part_count - 1].port = 4; /* a limit somewhere */
    set_lists(&t);
    return t;
}

/* Every flow has a full lane on which nobody has more than it: that is max-min fair. */
static void check_fair(const clump_topology *t, const clump_topology_rules *rules,
                       const clump_assignment *a)
{
    const size_t count = clump_assignment_lane_count(t);
    double *capacity = malloc(count * sizeof *capacity), *load = calloc(count, sizeof *load);
    double *most = calloc(count, sizeof *most);
    size_t lanes[CLUMP_MOST_LANES];
    clump_assignment_capacities(t, capacity);
    for (size_t p = 0; p < t->processor_count; p++) {
        const size_t n = clump_assignment_route(t, rules, p, a->nics[p], lanes);
        for (size_t i = 0; i < n; i++) {
            load[lanes[i]] += a->rates[p];
            most[lanes[i]] = fmax(most[lanes[i]], a->rates[p]);
        }
    }
    for (size_t l = 0; l < count; l++)
        assert_true(!isfinite(capacity[l]) || load[l] <= capacity[l] * (1 + 1e-9));
    for (size_t p = 0; p < t->processor_count; p++) {
        bool stopped = isinf(a->rates[p]);
        const size_t n = clump_assignment_route(t, rules, p, a->nics[p], lanes);
        for (size_t i = 0; i < n; i++)
            stopped = stopped || (load[lanes[i]] >= capacity[lanes[i]] * (1 - 1e-9) &&
                                  a->rates[p] >= most[lanes[i]] * (1 - 1e-9));
        assert_true(stopped);
    }
    free(capacity);
    free(load);
    free(most);
}

/* Links on the way of each, those above a socket 33 times: by walking up from both ends. */
static size_t walk(const clump_topology *t, const clump_topology_rules *rules, const size_t *nics)
{
    size_t sum = 0;
    for (size_t p = 0; p < t->processor_count; p++) {
        const size_t from = t->processors[p], to = t->nics[nics[p]];
        const size_t memory = clump_topology_socket(t, from);
        size_t top = clump_topology_meet(t, from, to);
        if (rules->through_memory && clump_topology_is_above(t, memory, top))
            top = memory;
        for (int end = 0; end < 2; end++)
            for (size_t i = end == 0 ? from : to; i != top; i = t->parts[i].parent)
                sum += t->parts[i].kind == CLUMP_PART_SOCKET ? 33 : 1;
        sum++; /* the port */
    }
    return sum;
}

TEST(test_random_trees)
{
    size_t different = 0;
    for (int round = 0; round < 400; round++) {
        clump_topology t = random_tree(1 + below(5), 1 + below(3));
        const clump_topology_rules rules = {.through_memory = round % 3 == 0};
        const size_t P = t.processor_count, N = t.nic_count;
        size_t nics[8] = {0}, all = 1;
        double best_least = 0, best_total = 0;
        size_t nearest = 0;
        clump_assignment best, own;
        for (size_t p = 0; p < P; p++)
            all *= N;
        for (size_t k = 0; k < all; k++) {
            for (size_t p = 0, rest = k; p < P; p++, rest /= N)
                nics[p] = rest % N;
            assert_int_equal(clump_assign_given(&t, &rules, nics, &own, NULL), CLUMP_OK);
            check_fair(&t, &rules, &own);
            const size_t distance = walk(&t, &rules, nics);
            assert_int_equal(own.distance, distance);
            if (own.least > best_least * (1 + 1e-9) ||
                (own.least >= best_least * (1 - 1e-9) && own.total > best_total * (1 + 1e-9))) {
                best_least = own.least;
                best_total = own.total;
                nearest = distance;
            } else if (own.least >= best_least * (1 - 1e-9) &&
                       own.total >= best_total * (1 - 1e-9) && distance < nearest)
                nearest = distance;
            clump_assignment_free(&own);
        }
        assert_int_equal(clump_assign(&t, &rules, CLUMP_ASSIGN_BEST, &best, NULL), CLUMP_OK);
        if (isfinite(best_least))
            near(best.least, best_least);
        else
            assert_true(isinf(best.least));
        assert_true(!(best.total > best_total * (1 + 1e-9)));
        assert_true(best.most_total >= best_total * (1 - 1e-9)); /* few: it is proven */
        assert_true(best.most_total <= best.total * (1 + 1e-9) || !isfinite(best.total));
        different += best.total < best_total * (1 - 1e-9);
        if (isfinite(best_total)) /* bandwidth first, then who is near */
            assert_int_equal(best.distance, nearest);
        for (int way = CLUMP_ASSIGN_NEAREST; way < CLUMP_ASSIGN_WAYS; way++) {
            assert_int_equal(clump_assign(&t, &rules, (clump_assignment_way)way, &own, NULL),
                             CLUMP_OK);
            assert_true(own.least <= best.least * (1 + 1e-9));
            clump_assignment_free(&own);
        }
        clump_assignment_free(&best);
        clump_topology_free(&t);
    }
    /* Few assignments are all tried, so that the sum of all rates is the greatest, too. */
    assert_int_equal(different, 0);
}

/* Two to four switches, each with processors and NICs that are alike, as nodes have them. */
static clump_topology node_of_switches(size_t processors, size_t nics)
{
    clump_topology t = {.format = "switches"};
    const size_t switches = 2 + below(3);
    const double port = 1 + (double)below(4), link = 1 + (double)below(8);
    size_t part;
    clump_topology_add(&t, CLUMP_PART_MACHINE, CLUMP_NO_PART, "", "", NULL, NULL);
    for (size_t i = 0; i < switches; i++)
        clump_topology_add(&t, CLUMP_PART_SWITCH, 0, "", "", NULL, NULL);
    for (size_t i = 0; i < processors + nics; i++) {
        const size_t n = i < processors ? i : i - processors;
        clump_topology_add(&t, i < processors ? CLUMP_PART_GPU : CLUMP_PART_NIC, 1 + n % switches,
                           "", "", &part, NULL);
        t.parts[part].port = i < processors              ? INFINITY
                             : n == 0 && uniform() < 0.5 ? 2 * port
                                                         : port;
    }
    for (size_t i = 1; i < t.part_count; i++)
        t.parts[i].link = i <= switches ? link : 6;
    set_lists(&t);
    return t;
}

/* More than 1,024 assignments: with parts that are alike most of them need not be tried. What is not proven is bounded. */
TEST(test_many_assignments)
{
    const int rounds = getenv("CLUMP_TEST_LONG") != NULL ? 400 : 12;
    size_t proven = 0, best_found = 0, nearest_found = 0;
    for (int round = 0; round < rounds; round++) {
        clump_topology t = round % 3 == 0 ? random_tree(6, 4) : node_of_switches(6 + round % 2, 4);
        const clump_topology_rules rules = {.through_memory = round % 4 == 0};
        const size_t P = t.processor_count, N = t.nic_count;
        size_t nics[8] = {0}, turn = 0, nearest = 0;
        double least = 0, total = 0;
        clump_assignment best, own;
        while (turn < P) {
            assert_int_equal(clump_assign_given(&t, &rules, nics, &own, NULL), CLUMP_OK);
            if (own.least > least * (1 + 1e-9) ||
                (own.least >= least * (1 - 1e-9) && own.total > total * (1 + 1e-9))) {
                least = own.least;
                total = own.total;
                nearest = own.distance;
            } else if (own.least >= least * (1 - 1e-9) && own.total >= total * (1 - 1e-9) &&
                       own.distance < nearest)
                nearest = own.distance;
            clump_assignment_free(&own);
            for (turn = 0; turn < P && ++nics[turn] == N; turn++)
                nics[turn] = 0;
        }
        assert_int_equal(clump_assign(&t, &rules, CLUMP_ASSIGN_BEST, &best, NULL), CLUMP_OK);
        if (isfinite(total)) {
            near(best.least, least);
            assert_true(best.total <= total * (1 + 1e-9));
            assert_true(best.most_total >= total * (1 - 1e-9));
            const bool is_proven = best.most_total <= best.total * (1 + 1e-9);
            proven += is_proven;
            best_found += best.total >= total * (1 - 1e-9);
            nearest_found += best.total < total * (1 - 1e-9) || best.distance == nearest;
            assert_true(!is_proven || best.total >= total * (1 - 1e-9));
        } else {
            proven++;
            best_found++;
            nearest_found++;
        }
        clump_assignment_free(&best);
        clump_topology_free(&t);
    }
    if (proven < (size_t)rounds * 9 / 10 || best_found < (size_t)rounds * 95 / 100 ||
        nearest_found < (size_t)rounds * 95 / 100)
        fail_msg("%zu of %d proven, %zu found, %zu the nearest", proven, rounds, best_found,
                 nearest_found);
}

/* Nothing is known but who is near whom: as many on each NIC, and of such assignments the nearest (all are tried). */
TEST(test_without_speeds)
{
    for (int round = 0; round < 100; round++) {
        clump_topology t = random_tree(1 + below(5), 1 + below(3));
        const clump_topology_rules rules = {.through_memory = round % 3 == 0};
        const size_t P = t.processor_count, N = t.nic_count;
        size_t all = 1, least_hops = (size_t)-1, hops = 0, used[4] = {0};
        clump_assignment best;
        for (size_t i = 0; i < t.part_count; i++)
            t.parts[i].link = t.parts[i].port = INFINITY;
        for (size_t p = 0; p < P; p++)
            all *= N;
        for (size_t k = 0; k < all; k++) {
            size_t own[4] = {0}, most = 0, nics[8];
            for (size_t p = 0, rest = k; p < P; p++, rest /= N) {
                nics[p] = rest % N;
                most = ++own[rest % N] > most ? own[rest % N] : most;
            }
            const size_t sum = walk(&t, &rules, nics);
            if (most == (P + N - 1) / N && sum < least_hops)
                least_hops = sum;
        }
        assert_int_equal(clump_assign(&t, &rules, CLUMP_ASSIGN_BEST, &best, NULL), CLUMP_OK);
        hops = walk(&t, &rules, best.nics);
        for (size_t p = 0; p < P; p++)
            assert_true(++used[best.nics[p]] <= (P + N - 1) / N);
        assert_true(rules.through_memory || hops == least_hops);
        clump_assignment_free(&best);
        if (N > 1) { /* one of known speed is slower than one without limit */
            t.parts[t.nics[0]].port = 1e9;
            assert_int_equal(clump_assign(&t, &rules, CLUMP_ASSIGN_BEST, &best, NULL), CLUMP_OK);
            for (size_t p = 0; p < P; p++)
                assert_true(best.nics[p] > 0);
            clump_assignment_free(&best);
        }
        clump_topology_free(&t);
    }
}

/* ---- times */

static clump_topology star(size_t processors, size_t nics)
{
    clump_topology t = {.format = "star"};
    size_t part;
    clump_topology_add(&t, CLUMP_PART_MACHINE, CLUMP_NO_PART, "", "", NULL, NULL);
    for (size_t i = 0; i < processors + nics; i++) {
        clump_topology_add(&t, i < processors ? CLUMP_PART_GPU : CLUMP_PART_NIC, 0, "", "", &part,
                           NULL);
        t.parts[part].port = i >= processors ? 5e9 : INFINITY;
    }
    set_lists(&t);
    return t;
}

/* One link: processor sharing, whose mean is that of a queue (MODEL.md, sections 2 and 3). */
TEST(test_time_of_one_link)
{
    for (size_t P = 1; P <= 12; P += P < 4 ? 1 : 4)
        for (double U = 0.1; U < 0.95; U += 0.2) {
            clump_topology t = star(P, 1);
            const clump_topology_rules rules = CLUMP_TOPOLOGY_RULES;
            const clump_node node = {.processors = P, .nics = 1};
            const clump_load load = {
                .coupling = CLUMP_COUPLING_NONE, .utilizations = &U, .utilization_count = 1};
            clump_prediction expected;
            clump_topology_run_time time;
            clump_assignment a;
            assert_int_equal(clump_assign(&t, &rules, CLUMP_ASSIGN_BEST, &a, NULL), CLUMP_OK);
            assert_int_equal(clump_topology_time(&t, &rules, &a, U, &time, NULL), CLUMP_OK);
            assert_int_equal(clump_predict(&node, &load, &expected, NULL, NULL), CLUMP_OK);
            near(time.at_random, expected.slowdown);
            near(time.at_once, 1 - U + U * (double)P);
            clump_assignment_free(&a);
            clump_topology_free(&t);
        }
}

/* Tied to NICs: groups of their own; those of one NIC each lose nothing. */
TEST(test_time_of_several)
{
    clump_topology t = star(3, 2);
    const clump_topology_rules rules = CLUMP_TOPOLOGY_RULES;
    const size_t nics[] = {0, 0, 1};
    clump_topology_run_time time;
    clump_assignment a;
    const double U = 0.4;
    assert_int_equal(clump_assign_given(&t, &rules, nics, &a, NULL), CLUMP_OK);
    assert_int_equal(clump_topology_time(&t, &rules, &a, U, &time, NULL), CLUMP_OK);
    /* two on one: weights 1, 2 U/(1-U), 2 (U/(1-U))^2; computing in the first and half of the second */
    const double r = U / (1 - U), all = 1 + 2 * r + 2 * r * r;
    const double two = (1 - U) * all / (1 + r);
    near(time.at_random, (two + two + 1) / 3);
    near(time.at_once, 1 - U + 2 * U);
    assert_int_equal(clump_topology_time(&t, &rules, &a, 1, &time, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_topology_time(&t, &rules, &a, NAN, &time, NULL), CLUMP_BAD_ARGUMENT);
    clump_assignment_free(&a);
    clump_topology_free(&t);
}

/* ---- fewer NICs */

TEST(test_fewer_by_hand)
{
    clump_topology t = star(4, 3); /* 5e9 each; then 2, 1, 0.5 */
    const clump_topology_rules rules = CLUMP_TOPOLOGY_RULES;
    clump_nic_count counts[CLUMP_MOST_COUNTED_NICS];
    t.parts[t.nics[1]].port = 2.5e9;
    t.parts[t.nics[2]].port = 1e9;
    assert_int_equal(clump_count_nics(&t, &rules, 0.2, counts, NULL), CLUMP_OK);
    /* 3: two on 5, one on 2.5, one on 1: the slowest has 1; or three on 5 and one on 2.5: 5/3 */
    near(counts[0].least, 5e9 / 3);
    near(counts[0].total, 7.5e9);
    assert_true(counts[0].count == 3 && counts[0].left_out == CLUMP_NO_PART);
    assert_true(counts[1].left_out == t.nics[2]);
    near(counts[1].least, 5e9 / 3);
    assert_true(counts[2].left_out == t.nics[1]);
    near(counts[2].least, 1.25e9);
    near(counts[2].time.at_once, 0.8 + 0.2 * 4); /* alone they had 5e9 */
    near(counts[0].time.at_once, 0.8 + 0.2 * 3);
    assert_int_equal(clump_count_nics(&t, &rules, NAN, counts, NULL), CLUMP_OK);
    assert_true(isnan(counts[0].time.at_once));
    clump_topology_free(&t);
}

/* Eight processors with a NIC beside each, and two NICs more, whose names come first, in the middle or last: these two go first. */
TEST(test_fewer_keeps_neighbours)
{
    for (size_t place = 0; place < 3; place++) {
        clump_topology t = {.format = "pairs"};
        const clump_topology_rules rules = CLUMP_TOPOLOGY_RULES;
        clump_nic_count counts[CLUMP_MOST_COUNTED_NICS];
        size_t spare[2], spares = 0, part;
        clump_topology_add(&t, CLUMP_PART_MACHINE, CLUMP_NO_PART, "", "", NULL, NULL);
        for (size_t i = 0; i < 2; i++)
            clump_topology_add(&t, CLUMP_PART_SOCKET, 0, "", "", NULL, NULL);
        for (size_t i = 0; i < 8; i++)
            clump_topology_add(&t, CLUMP_PART_SWITCH, 1 + i / 4, "", "", NULL, NULL);
        for (size_t i = 0; i < 8; i++) {
            if (i == 4 * place || (place == 2 && i == 7))
                for (; spares < 2; spares++) {
                    clump_topology_add(&t, CLUMP_PART_NIC, 1 + spares, "", "", &part, NULL);
                    spare[spares] = part;
                }
            clump_topology_add(&t, CLUMP_PART_GPU, 3 + i, "", "", NULL, NULL);
            clump_topology_add(&t, CLUMP_PART_NIC, 3 + i, "", "", NULL, NULL);
        }
        for (size_t i = 1; i < t.part_count; i++) {
            t.parts[i].link = 20;
            t.parts[i].port = t.parts[i].kind == CLUMP_PART_NIC ? 10 : INFINITY;
        }
        t.parts[1].link = t.parts[2].link = 100;
        set_lists(&t);
        assert_int_equal(t.nic_count, 10);
        assert_int_equal(clump_count_nics(&t, &rules, NAN, counts, NULL), CLUMP_OK);
        for (size_t row = 1; row < 3; row++) {
            assert_true(counts[row].left_out == spare[0] || counts[row].left_out == spare[1]);
            near(counts[row].least, 10);
        }
        clump_topology_free(&t);
    }
}

/* Each row against all assignments to the NICs that are left. */
TEST(test_fewer_on_random_trees)
{
    for (int round = 0; round < 60; round++) {
        clump_topology t = random_tree(1 + below(4), 2 + below(2));
        const clump_topology_rules rules = {.through_memory = false};
        const size_t P = t.processor_count, N = t.nic_count;
        clump_nic_count counts[CLUMP_MOST_COUNTED_NICS];
        bool out[8] = {false};
        assert_int_equal(clump_count_nics(&t, &rules, NAN, counts, NULL), CLUMP_OK);
        for (size_t row = 0; row < N; row++) {
            double best = 0;
            size_t all = 1;
            for (size_t k = 0; k < N; k++)
                out[k] = out[k] || t.nics[k] == counts[row].left_out;
            for (size_t p = 0; p < P; p++)
                all *= N;
            for (size_t code = 0; code < all; code++) {
                size_t nics[8], wrong = 0;
                clump_assignment a;
                for (size_t p = 0, rest = code; p < P; p++, rest /= N) {
                    nics[p] = rest % N;
                    wrong += out[nics[p]];
                }
                if (wrong > 0)
                    continue;
                assert_int_equal(clump_assign_given(&t, &rules, nics, &a, NULL), CLUMP_OK);
                best = fmax(best, a.least);
                clump_assignment_free(&a);
            }
            assert_int_equal(counts[row].count, N - row);
            assert_true(counts[row].least == best || fabs(counts[row].least - best) <= 1e-9 * best);
        }
        clump_topology_free(&t);
    }
}

UNIT_MAIN(NULL, NULL)
