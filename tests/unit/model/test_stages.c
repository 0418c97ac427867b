/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processors that differ, with barriers (MODEL.md 25): a table worked out in fractions, all subsets one by one, and what
 * has to hold for any of them. */
#include "tests/unit/unit.h"

#include "model/stages.h"
#include "tests/unit/golden.h"

enum { MOST = 7 };

static clump_status solve(const clump_node *node, clump_demand demand, double gang,
                          const clump_need *needs, clump_last *last, clump_error *error)
{
    const double none = 0;
    const clump_load load = {.utilizations = &none,
                             .utilization_count = 1,
                             .demand = demand,
                             .gang_size = gang,
                             .coupling = CLUMP_COUPLING_NONE};
    return clump_stages_solve(node, &load, needs, NULL, last, error);
}

static double time_of(const clump_node *node, clump_demand demand, double gang,
                      const clump_need *needs)
{
    clump_last last;
    clump_error error = {CLUMP_OK, ""};
    if (solve(node, demand, gang, needs, &last, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return last.time;
}

TEST(test_table)
{
    static const struct {
        size_t P, N;
        double m, R[4], S[4], independent, correlated;
        size_t last; /* who paces */
    } rows[] = {
        {2, 2, 1, {5, 5}, {5, 20}, 25, 25, 1},
        {4, 1, 0, {5, 5, 5, 5}, {5, 5, 5, 20}, 38.469387755102, 40, 3},
        {4, 2, 1, {5, 5, 5, 5}, {1, 2, 3, 8}, 13.4238952536825, 14.5, 3},
        {4, 2, 0, {5, 5, 5, 5}, {1, 2, 3, 8}, 10.5319785856764, 12, 3},
        {4, 3, 1.5, {2, 4, 6, 8}, {8, 6, 4, 2}, 9.72431915910177, NAN, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clump_need needs[4];
        clump_last last;
        const clump_node node = {
            .processors = rows[i].P, .nics = rows[i].N, .max_nics_per_processor = rows[i].m};
        for (size_t p = 0; p < rows[i].P; p++)
            needs[p] = (clump_need){rows[i].R[p], rows[i].S[p], 1};
        assert_int_equal(solve(&node, CLUMP_DEMAND_INDEPENDENT, 1, needs, &last, NULL), CLUMP_OK);
        assert_close(last.time, rows[i].independent, 1e-14);
        assert_int_equal(last.processor, rows[i].last);
        assert_int_equal(last.group, rows[i].P);
        if (!isnan(rows[i].correlated))
            assert_close(time_of(&node, CLUMP_DEMAND_CORRELATED, 1, needs), rows[i].correlated,
                         1e-14);
    }
}

/* ---- all subsets */

/* Rates 1/X_p of those in `set`, each with its group; mu(q) = min(q m, N) of a group, nu(k) = min(k, feeds). */
static void rates_of(unsigned set, size_t P, const clump_need *needs, const size_t *group, double m,
                     double N, double feeds, double *rates)
{
    double total = 0, served[MOST] = {0};
    for (unsigned active = set;; active = (active - 1) & set) {
        size_t q[MOST] = {0}, k = 0;
        double weight = 1;
        for (size_t p = 0; p < P; p++)
            if (active >> p & 1) {
                const double g = (double)++q[group[p]];
                weight *= needs[p].communication * g / fmin(g * m, N);
            } else if (set >> p & 1) {
                k++;
                weight *= needs[p].computation * (double)k / fmin((double)k, feeds);
            }
        total += weight;
        for (size_t p = 0; p < P; p++)
            if (active >> p & 1) {
                const double g = (double)q[group[p]];
                served[p] += weight * fmin(g * m, N) / g;
            }
        if (active == 0)
            break;
    }
    for (size_t p = 0; p < P; p++)
        rates[p] = set >> p & 1 ? served[p] / total / needs[p].communication : 0;
}

static double by_subsets(size_t P, const clump_need *needs, const size_t *group, double m, double N,
                         double feeds)
{
    double left[MOST], rates[MOST], time = 0;
    unsigned set = (1u << P) - 1;
    for (size_t p = 0; p < P; p++)
        left[p] = 1;
    while (set != 0) {
        double stage = HUGE_VAL;
        rates_of(set, P, needs, group, m, N, feeds, rates);
        for (size_t p = 0; p < P; p++)
            if (set >> p & 1)
                stage = fmin(stage, left[p] / rates[p]);
        time += stage;
        for (size_t p = 0; p < P; p++) {
            left[p] -= stage * rates[p];
            if (set >> p & 1 && left[p] < 1e-13)
                set &= ~(1u << p);
        }
    }
    return time;
}

/* Lists, NICs, m, mapping and memory at random. */
typedef struct trial {
    size_t P, N, sizes[MOST], group[MOST];
    clump_need needs[MOST];
    clump_node node;
    double m, feeds;
} trial;

static void make(trial *t, unsigned long long *seed)
{
    *t = (trial){.P = 1 + (size_t)(golden_random(seed) * MOST)};
    t->N = 1 + (size_t)(golden_random(seed) * (double)t->P);
    const bool mapped = golden_random(seed) < 0.4;
    t->m = mapped || golden_random(seed) < 0.3 ? (double)t->N : 1 + 2 * golden_random(seed);
    t->feeds = golden_random(seed) < 0.5 ? 1 + 3 * golden_random(seed) : HUGE_VAL;
    for (size_t p = 0; p < t->P; p++)
        t->needs[p] =
            (clump_need){0.01 + 9 * golden_random(seed), 0.01 + 9 * golden_random(seed), 1};
    for (size_t p = 0, nic = 0; p < t->P && mapped; p++) {
        while (nic + 1 < t->N && golden_random(seed) < 0.5)
            nic++;
        t->sizes[nic]++;
        t->group[p] = nic;
    }
    t->node = (clump_node){.processors = t->P,
                           .nics = t->N,
                           .mapping = mapped ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED,
                           .group_sizes = mapped ? t->sizes : NULL,
                           .max_nics_per_processor = mapped ? 0 : t->m};
    if (isfinite(t->feeds))
        t->node.memory =
            (clump_memory){.share = 1, .feeds = t->feeds, .law = CLUMP_MEMORY_ROOFLINE};
}

enum { QUICK = 400, LONG = 20000 };

static int trials(void)
{
    return getenv("CLUMP_TEST_LONG") != NULL ? LONG : QUICK;
}

TEST(test_all_subsets)
{
    unsigned long long seed = 3;
    for (int i = 0; i < trials() / 2; i++) {
        trial t;
        make(&t, &seed);
        const bool mapped = t.node.mapping == CLUMP_MAPPING_STATIC;
        const double N = mapped ? 1 : (double)t.N, m = mapped ? 1 : t.m;
        assert_close(time_of(&t.node, CLUMP_DEMAND_INDEPENDENT, 1, t.needs),
                     by_subsets(t.P, t.needs, t.group, m, N, t.feeds), 1e-10);
    }
}

/* ---- what has to hold */

TEST(test_properties)
{
    static const clump_demand demands[] = {CLUMP_DEMAND_INDEPENDENT, CLUMP_DEMAND_CORRELATED,
                                           CLUMP_DEMAND_GANG, CLUMP_DEMAND_SCHEDULED};
    unsigned long long seed = 5;
    for (int i = 0; i < trials(); i++) {
        trial t;
        make(&t, &seed);
        const clump_demand demand = demands[i % 4];
        const bool mapped = t.node.mapping == CLUMP_MAPPING_STATIC;
        const double gang = 1 + golden_random(&seed) * (double)(t.P - 1);
        const double alone = mapped ? 1 : fmin(t.m, (double)t.N);
        double sum = 0, bound = 0, now = 0;
        clump_last last;
        clump_need scaled[MOST];
        for (size_t p = 0; p < t.P; p++) {
            const clump_need *n = &t.needs[p];
            sum += n->communication;
            bound = fmax(bound, n->computation + n->communication / alone);
            now = fmax(now, n->computation + n->communication);
            scaled[p] = (clump_need){n->computation * 1e-6, n->communication * 1e-6, 1};
        }
        if (solve(&t.node, demand, gang, t.needs, &last, NULL) != CLUMP_OK) {
            assert_true(demand == CLUMP_DEMAND_SCHEDULED || isfinite(t.feeds));
            continue;
        }
        /* No time is below what a processor needs alone, nor below the NICs' work; the unit does not matter. */
        assert_true(last.time >= fmax(bound, sum / (double)t.N) * (1 - 1e-12));
        if (last.bounds.greatest > 0)
            assert_true(last.bounds.least >= bound * (1 - 1e-12) &&
                        last.bounds.greatest >= last.time * (1 - 1e-12));
        else
            assert_int_equal(demand, CLUMP_DEMAND_GANG);
        assert_close(time_of(&t.node, demand, gang, scaled), last.time * 1e-6, 1e-11);
        /* A gang of all is correlated demand. */
        assert_close(time_of(&t.node, CLUMP_DEMAND_GANG, (double)t.P, t.needs),
                     time_of(&t.node, CLUMP_DEMAND_CORRELATED, 1, t.needs), 0);
        clump_node other = t.node;
        other.memory = (clump_memory){0};
        if (!mapped && demand != CLUMP_DEMAND_SCHEDULED) { /* more NICs */
            const double before = time_of(&other, demand, gang, t.needs);
            other.nics++;
            assert_true(time_of(&other, demand, gang, t.needs) <= before * (1 + 1e-12));
        }
        /* A NIC each, of which nobody drives more: the NOW. */
        other = (clump_node){.processors = t.P,
                             .nics = t.P,
                             .mapping = t.node.mapping,
                             .max_nics_per_processor = mapped ? 0 : 1};
        assert_close(time_of(&other, demand, gang, t.needs), now, 1e-12);
    }
}

/* ---- event by event */

/* Small cycles of exponential times, until each processor has gone through all of its own. */
static double by_events(const clump_need *needs, size_t P, double N, double m, double cycles,
                        unsigned long long *seed)
{
    double left[MOST], done[MOST] = {0}, time = 0;
    bool sends[MOST] = {false};
    size_t working = P, q = 0;
    for (size_t p = 0; p < P; p++)
        left[p] = -log(1 - golden_random(seed)) * needs[p].computation / cycles;
    while (working > 0) {
        const double speed = q > 0 ? fmin((double)q * m, N) / (double)q : 0;
        size_t next = P;
        double step = HUGE_VAL;
        for (size_t p = 0; p < P; p++)
            if (done[p] < cycles && left[p] / (sends[p] ? speed : 1) < step) {
                step = left[p] / (sends[p] ? speed : 1);
                next = p;
            }
        for (size_t p = 0; p < P; p++)
            left[p] -= done[p] < cycles ? step * (sends[p] ? speed : 1) : 0;
        time += step;
        q += sends[next] ? -(size_t)1 : 1;
        done[next] += sends[next] ? 1 : 0;
        sends[next] = !sends[next];
        working -= !(done[next] < cycles);
        q -= !(done[next] < cycles) && sends[next];
        const clump_need *n = &needs[next];
        left[next] = -log(1 - golden_random(seed)) *
                     (sends[next] ? n->communication : n->computation) / cycles;
    }
    return time;
}

TEST(test_events)
{
    static const clump_need needs[] = {{5, 1, 1}, {5, 2, 1}, {5, 3, 1}, {5, 8, 1}};
    const clump_node node = {.processors = 4, .nics = 2, .max_nics_per_processor = 1};
    unsigned long long seed = 9;
    double sum = 0;
    for (int run = 0; run < 10; run++)
        sum += by_events(needs, 4, 2, 1, 4000, &seed) / 10;
    assert_close(sum, time_of(&node, CLUMP_DEMAND_INDEPENDENT, 1, needs), 0.02);
}

UNIT_MAIN(NULL, NULL)
