/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>

#include "tests/unit/unit.h"

#include "model/least_nics.h"
#include "model/limit.h"
#include "model/random.h"
#include "model/root.h"
#include "tests/unit/golden.h"

static clump_load load_of(const double *U, clump_demand demand)
{
    return (clump_load){.utilizations = U,
                        .utilization_count = 1,
                        .demand = demand,
                        .gang_size = 2,
                        .coupling = CLUMP_COUPLING_NONE};
}

static double slowdown(const clump_node *node, const clump_load *load)
{
    clump_prediction prediction;
    clump_error error = {CLUMP_OK, ""};
    if (clump_predict(node, load, &prediction, NULL, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return prediction.slowdown;
}

/* By trying 1, 2, 3, ... */
static size_t least_by_trial(clump_node node, const clump_load *load, double limit, size_t most)
{
    for (node.nics = 1; node.nics <= most; node.nics++)
        if (slowdown(&node, load) <= limit * (1 + 1e-13))
            return node.nics;
    return 0;
}

TEST(test_against_trial)
{
    static const size_t processors[] = {1, 2, 7, 8, 30};
    static const double limits[] = {0.7, 0.95, 1.0, 1.1, 1.5, 4};
    size_t none = 0, found = 0;
    for (size_t i = 0; i < 5; i++)
        for (int mapping = 0; mapping < 2; mapping++)
            for (int m = 0; m < 3; m++)
                for (int demand = 0; demand < 4; demand++)
                    for (size_t u = 0; u < 5; u++)
                        for (size_t l = 0; l < 6; l++) {
                            const double U = 0.05 + 0.22 * (double)u;
                            clump_node node = {.processors = processors[i],
                                               .mapping = (clump_mapping)mapping,
                                               .max_nics_per_processor = m};
                            if (m == 2 && mapping == 0)
                                node.placement = (clump_placement){2, 1, 0.5, {2, 1.2, 0}};
                            clump_load load = load_of(&U, (clump_demand)demand);
                            if (load.demand == CLUMP_DEMAND_GANG && (m == 2 || processors[i] < 2))
                                continue;
                            if (load.demand == CLUMP_DEMAND_SCHEDULED && m == 2 && mapping == 0)
                                continue; /* processors that differ: not answered for an odd N */
                            clump_least_nics least;
                            clump_error error = {CLUMP_OK, ""};
                            if (clump_least_nics_find(&node, &load, limits[l], 40, &least,
                                                      &error) != CLUMP_OK)
                                fail_msg("%s", error.message);
                            const size_t expected = least_by_trial(node, &load, limits[l], 40);
                            if (least.nics != expected)
                                fail_msg("P %zu mapping %d m %d demand %d U %g limit %g: %zu, "
                                         "expected %zu (real %g)",
                                         processors[i], mapping, m, demand, U, limits[l],
                                         least.nics, expected, least.real);
                            if (least.nics > 0)
                                found++;
                            else
                                none++;
                            if (least.nics > 0 && isfinite(least.real))
                                assert_int_equal(least.nics,
                                                 ceil(fmax(least.real, 1) * (1 - 1e-12)));
                        }
    assert_true(none > 100 && found > 100);
}

/* With as many NICs as processors, one of which each keeps busy, nobody ever waits: X is 1. */
TEST(test_limit_met_exactly)
{
    static const struct {
        size_t processors;
        double utilization;
    } cases[] = {{8, 0.9}, {8, 0.11}, {26, 0.11}, {32, 0.2}, {64, 0.2}};
    for (size_t P = 1; P <= 100; P += 1 + P / 8)
        for (int i = 0; i <= 100; i++) {
            const size_t c = (size_t)i;
            const double U = c < 5 ? cases[c].utilization : 0.01 * i;
            const clump_node node = {.processors = c < 5 ? cases[c].processors : P,
                                     .max_nics_per_processor = 1};
            const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
            clump_least_nics least;
            assert_int_equal(
                clump_least_nics_find(&node, &load, 1, 4 * node.processors, &least, NULL),
                CLUMP_OK);
            const bool seen = pow(U, (double)node.processors) > 1e-9; /* that all communicate */
            if (least.nics == 0 || (seen && least.nics != node.processors))
                fail_msg("P %zu U %g: %zu", node.processors, U, least.nics);
            double within[2 * CLUMP_MOST_RANGES];
            size_t ranges;
            clump_node full = node;
            full.nics = node.processors;
            assert_int_equal(clump_utilizations_within(&full, &load, 1, within, &ranges, NULL),
                             CLUMP_OK);
            assert_true(ranges == 1 && within[0] <= 0 && within[1] >= 1);
        }
    /* What is above the limit by more than rounding is above it. */
    assert_true(clump_is_within(1 + 1e-14, 1, clump_slowdown_accuracy(8, 0)));
    assert_false(clump_is_within(1 + 1e-12, 1, clump_slowdown_accuracy(8, 0)));
    assert_true(clump_is_within(1 + 4e-12, 1, clump_slowdown_accuracy(8, 2)));
    assert_false(clump_is_within(NAN, 1, 1e-9));
    assert_true(clump_slowdown_accuracy(CLUMP_MAX_PROCESSORS, 0) <= 1e-9);
}

/* Against trial of every N, where more NICs may make it worse. */
TEST(test_not_monotonic)
{
    static const double mix[8] = {0, 0, 0.9, 0.9, 0, 0, 0.3, 0.6}, limits[] = {0.9, 1, 1.2, 1.4, 2};
    static const double rising[] = {1, 2.5, 2.6, 2.7, 5};
    size_t worse = 0;
    for (size_t P = 1; P <= 8; P++)
        for (int kind = 0; kind < 12; kind++)
            for (int demand = 0; demand < 3; demand++) {
                const double U = 0.5;
                const double *const used = kind >= 8 ? mix : &U;
                clump_load load = load_of(used, (clump_demand)demand);
                clump_node node = {.processors = P, .mapping = CLUMP_MAPPING_STATIC};
                load.utilization_count = kind >= 8 ? P : 1;
                if (kind == 8 && load.demand == CLUMP_DEMAND_SCHEDULED)
                    continue; /* differ, and an efficiency that rises */
                node.placement.slots =
                    (clump_slots){1 + (size_t)kind % 4, kind % 4 == 0 ? 0 : 1, kind % 2};
                if (kind % 4 == 2)
                    node.placement.slots.bandwidth = 1.5;
                if (kind >= 4 && kind < 8)
                    node.placement.domains = 2, node.placement.far = 0.4;
                if (kind == 8) {
                    node.efficiency.table = rising;
                    node.efficiency.table_length = 5;
                }
                for (size_t l = 0; l < 5; l++) {
                    clump_least_nics least;
                    clump_error error = {CLUMP_OK, ""};
                    if (clump_least_nics_find(&node, &load, limits[l], 40, &least, &error) !=
                        CLUMP_OK)
                        fail_msg("%s", error.message);
                    const size_t expected = least_by_trial(node, &load, limits[l], 40);
                    if (least.nics != expected)
                        fail_msg("P %zu kind %d demand %d limit %g: %zu, expected %zu", P, kind,
                                 demand, limits[l], least.nics, expected);
                    size_t but_not = 0;
                    clump_node more = node;
                    for (more.nics = least.nics + 1;
                         least.nics > 0 && but_not == 0 && more.nics <= P; more.nics++)
                        if (slowdown(&more, &load) > limits[l] * (1 + 1e-9))
                            but_not = more.nics;
                    if (least.but_not != but_not)
                        fail_msg("P %zu kind %d demand %d limit %g: %zu but not %zu, expected %zu",
                                 P, kind, demand, limits[l], least.nics, least.but_not, but_not);
                    worse += but_not > 0;
                }
            }
    assert_true(worse > 10); /* it does happen */
    /* P = 3, two ports a slot that carries one: 3 + 0 has 1.875, 2 + 1 at half speed each is worse. */
    const double U = 0.5;
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    const clump_node three = {
        .processors = 3, .mapping = CLUMP_MAPPING_STATIC, .placement = {.slots = {2, 1, 0}}};
    clump_least_nics least;
    assert_int_equal(clump_least_nics_find(&three, &load, 1.4, 100, &least, NULL), CLUMP_OK);
    assert_int_equal(least.nics, 3);
}

static double draw(uint64_t *stream)
{
    return clump_random_uniform(7, 1, (*stream)++);
}

static size_t draw_below(uint64_t *stream, size_t count)
{
    return (size_t)(draw(stream) * (double)count);
}

/* Any combination of what a node and a load may have. */
static void draw_question(uint64_t *at, clump_node *node, clump_load *load, double U[8],
                          double E[6])
{
    const size_t P = 1 + draw_below(at, 8), kind = draw_below(at, 4);
    *node = (clump_node){.processors = P, .mapping = (clump_mapping)draw_below(at, 2)};
    *load = load_of(U, (clump_demand)draw_below(at, 4));
    for (size_t i = 0; i < 8; i++)
        U[i] = draw(at) < 0.25 ? 0.5 * (double)draw_below(at, 3) : draw(at);
    E[0] = 1;
    for (size_t i = 1; i < 6; i++)
        E[i] = kind == 0   ? E[i - 1] * (0.5 + 0.5 * draw(at))
               : kind == 1 ? E[i - 1] * (1 + draw(at))
                           : 0.2 + 2 * draw(at);
    if (draw(at) < 0.3) {
        node->efficiency.table = E;
        node->efficiency.table_length = 6;
    }
    if (node->mapping == CLUMP_MAPPING_POOLED && draw(at) < 0.5)
        node->max_nics_per_processor = 1 + 0.7 * (double)draw_below(at, 3);
    if (draw(at) < 0.4) {
        node->placement.domains = 1 + draw_below(at, 4);
        node->placement.near = draw(at) < 0.5 ? 1 : 0.8;
        node->placement.far = 0.01 + 0.99 * draw(at);
    }
    if (draw(at) < 0.5)
        node->placement.slots =
            (clump_slots){1 + draw_below(at, 4), 0.3 + 0.7 * draw(at), draw(at) < 0.5};
    if (load->demand == CLUMP_DEMAND_GANG)
        load->gang_size = 1 + draw(at) * (double)(P - 1);
    else if (draw(at) < 0.4)
        load->utilization_count = P;
    if (draw(at) < 0.3)
        load->coupling.memory_penalty = 0.5 + 2 * draw(at);
    if (load->demand == CLUMP_DEMAND_INDEPENDENT && load->utilization_count == 1 && draw(at) < 0.2)
        load->phase_cycles = 0.1 + 10 * draw(at);
}

static clump_memory draw_memory(uint64_t *at, double curve[6])
{
    clump_memory m = {.share = draw(at), .feeds = 1 + 4 * draw(at)};
    const bool falls = draw(at) < 0.2;
    m.law = (clump_memory_law)(3 * draw(at));
    curve[0] = 1;
    for (int j = 1; j < 6; j++)
        curve[j] = curve[j - 1] * (falls ? 0.7 + 0.6 * draw(at) : 1 + draw(at) / j);
    m.curve = curve;
    if (m.law == CLUMP_MEMORY_MEASURED || draw(at) < 0.5)
        m.curve_length = 6;
    return m;
}

/* Every number of NICs is tried for any question; what is claimed to fall, falls. */
static void ask_questions(int count, bool with_memory, size_t *compared, size_t *rising,
                          size_t *claimed)
{
    uint64_t at = 0;
    *compared = *rising = *claimed = 0;
    for (int i = 0; i < count; i++) {
        double U[8], E[6], curve[6], before = HUGE_VAL;
        clump_node node;
        clump_load load;
        clump_least_nics least;
        draw_question(&at, &node, &load, U, E);
        if (with_memory)
            node.memory = draw_memory(&at, curve);
        const double limit = draw(&at) < 0.5 ? 1 : 0.6 + 2 * draw(&at);
        const double accuracy = clump_slowdown_accuracy(node.processors, load.phase_cycles);
        const size_t most = 4 * node.processors;
        size_t expected = 0;
        bool rises = false;
        clump_status status = clump_least_nics_find(&node, &load, limit, most, &least, NULL);
        for (node.nics = 1; node.nics <= most && status == CLUMP_OK; node.nics++) {
            clump_prediction prediction;
            status = clump_predict(&node, &load, &prediction, NULL, NULL);
            const double X = prediction.slowdown;
            if (status == CLUMP_OK && expected == 0 && clump_is_within(X, limit, accuracy))
                expected = node.nics;
            rises = rises || X > before * (1 + 1e-10);
            before = X;
        }
        if (status != CLUMP_OK) /* gangs that are not equally near; schedules, gangs with memory */
            continue;
        ++*compared;
        *rising += rises;
        *claimed += clump_least_nics_is_monotonic(&node, &load) != 0;
        if (least.nics != expected || least.tried < least.nics)
            fail_msg("question %d: %zu, expected %zu", i, least.nics, expected);
        assert_false(rises && clump_least_nics_is_monotonic(&node, &load));
    }
}

TEST(test_any_question)
{
    size_t compared, rising, claimed;
    ask_questions(1500, false, &compared, &rising, &claimed);
    assert_true(compared > 1200 && rising > 200);
}

TEST(test_with_memory)
{
    size_t compared, rising, claimed;
    ask_questions(1500, true, &compared, &rising, &claimed);
    assert_true(compared > 800 && rising > 100 && claimed > 150);
}

/* Claims of clump_least_nics_is_monotonic, against X(N) for N = 1, 2, 3, ... */
TEST(test_monotonic_claims)
{
    static const double falling[] = {1, 0.9, 0.4, 0.35, 0.3}, rising[] = {1, 2.5, 2.6, 2.7, 5},
                        slow[] = {1, 1.5, 1.9, 2.2, 2.4}, mix[] = {0, 0, 0.9, 0.9, 0, 0.7, 0.1};
    static const double *const tables[] = {NULL, falling, rising, slow};
    size_t claimed = 0, broken = 0;
    for (size_t P = 1; P <= 7; P++)
        for (int mapping = 0; mapping < 2; mapping++)
            for (int table = 0; table < 4; table++)
                for (int ports = 1; ports <= 3; ports++)
                    for (int m = 0; m < 4; m++)
                        for (int demand = 0; demand < 6; demand++) {
                            const double U = 0.1 + 0.08 * ((int)P + m);
                            const bool mixed = demand == 4;
                            clump_node node = {.processors = P,
                                               .mapping = (clump_mapping)mapping,
                                               .max_nics_per_processor = m == 3 ? 1.3 : m};
                            clump_load load =
                                load_of(mixed ? mix : &U, (clump_demand)(demand < 4 ? demand : 0));
                            node.efficiency.table = tables[table];
                            node.efficiency.table_length = tables[table] != NULL ? 5 : 0;
                            node.placement.slots =
                                (clump_slots){(size_t)ports, ports > 1 ? 1.3 : 0, m % 2};
                            load.utilization_count = mixed ? P : 1;
                            load.phase_cycles = demand == 5 ? 3 : 0;
                            if (load.demand == CLUMP_DEMAND_GANG && P < 2)
                                continue;
                            bool rises = false;
                            double before = HUGE_VAL;
                            for (node.nics = 1; node.nics <= 3 * P; node.nics++) {
                                const double X = slowdown(&node, &load);
                                rises = rises || X > before * (1 + 1e-10);
                                before = X;
                            }
                            const int claim = clump_least_nics_is_monotonic(&node, &load);
                            if (claim && rises)
                                fail_msg("P %zu mapping %d table %d ports %d m %d demand %d", P,
                                         mapping, table, ports, m, demand);
                            claimed += claim != 0;
                            broken += rises;
                        }
    assert_true(claimed > 1000 && broken > 100);
}

/* The real N solves (8.8) with N between the counts on either side. */
TEST(test_real_root)
{
    const double U = 0.48;
    const clump_node node = {.processors = 8};
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    clump_least_nics least;
    assert_int_equal(clump_least_nics_find(&node, &load, 1.00193123733961, 100, &least, NULL),
                     CLUMP_OK);
    assert_close(least.real, 4, 1e-11); /* THEORY: P = 8, N = 4, U = 0.48 */
    /* P = 2: X = (1-U) (1 + 2c + 2c^2)/(1 + c), c = U/(N (1-U)); U = 0.5, X = 1: c = sqrt(1/2),
       N = 1/c. */
    const double half = 0.5;
    const clump_node two = {.processors = 2};
    const clump_load even = load_of(&half, CLUMP_DEMAND_INDEPENDENT);
    assert_int_equal(clump_least_nics_find(&two, &even, 1, 100, &least, NULL), CLUMP_OK);
    assert_close(least.real, sqrt(2), 1e-12);
    assert_int_equal(least.nics, 2);
}

TEST(test_large)
{
    const double U = 0.3;
    const clump_node node = {.processors = 100000};
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    clump_least_nics least;
    assert_int_equal(clump_least_nics_find(&node, &load, 1.05, 200000, &least, NULL), CLUMP_OK);
    clump_node with = node;
    with.nics = least.nics;
    assert_true(slowdown(&with, &load) <= 1.05);
    with.nics--;
    assert_true(slowdown(&with, &load) > 1.05);
}

/* The end of the only range, which begins at 0. */
static double highest_within(const clump_node *node, const clump_load *load, double limit)
{
    double within[2 * CLUMP_MOST_RANGES];
    size_t ranges;
    assert_int_equal(clump_utilizations_within(node, load, limit, within, &ranges, NULL), CLUMP_OK);
    assert_int_equal(ranges, 1);
    assert_close(within[0], 0, 0);
    return within[1];
}

TEST(test_utilizations_within)
{
    const double unread = NAN;
    const clump_load load = load_of(&unread, CLUMP_DEMAND_INDEPENDENT);
    clump_node node = {.processors = 8, .nics = 4};
    double within[2 * CLUMP_MOST_RANGES];
    size_t ranges;
    const double highest = highest_within(&node, &load, 1);
    assert_close(highest, 0.4786, 1e-4); /* 8.3.3: "less than 48%" */
    assert_close(slowdown(&node, &(clump_load){.utilizations = &highest,
                                               .utilization_count = 1,
                                               .coupling = CLUMP_COUPLING_NONE}),
                 1, 1e-12);
    /* Correlated: X = 1 + U (P-N)/N, so that X = 1.3 at U = 0.3. */
    const clump_load correlated = load_of(&unread, CLUMP_DEMAND_CORRELATED);
    assert_close(highest_within(&node, &correlated, 1.3), 0.3, 1e-12);
    assert_close(highest_within(&node, &load, 5), 1, 0);
    /* Scheduled: 1 - U (N-1)/N below U = N/(N+P-1), U P/N above: 0.9 from 2/15 to 0.45. */
    const clump_load scheduled = load_of(&unread, CLUMP_DEMAND_SCHEDULED);
    assert_int_equal(clump_utilizations_within(&node, &scheduled, 0.9, within, &ranges, NULL),
                     CLUMP_OK);
    assert_int_equal(ranges, 1);
    assert_close(within[0], 2. / 15, 1e-12);
    assert_close(within[1], 0.45, 1e-12);
    assert_int_equal(clump_utilizations_within(&node, &scheduled, 0.7, within, &ranges, NULL),
                     CLUMP_OK);
    assert_int_equal(ranges, 0);
    /* Penalized memory, and communication within the node that is cheaper: X(0) = 1.2, X(1) < 1. */
    clump_load local = load_of(&unread, CLUMP_DEMAND_CORRELATED);
    local.coupling = (clump_coupling){
        .remote_fraction = 0.2, .cost_ratio = 0.1, .memory_penalty = 1.2, .waiting_fraction = 0};
    assert_int_equal(clump_utilizations_within(&node, &local, 1, within, &ranges, NULL), CLUMP_OK);
    assert_int_equal(ranges, 1);
    assert_close(within[0], 0.2 / (1.2 - 0.48), 1e-12); /* 1.2 (1-U) + 0.08 U + 0.4 U = 1 */
    assert_close(within[1], 1, 0);
}

/* Product of (x - root). */
typedef struct polynomial {
    double roots[6];
    size_t count;
} polynomial;

static clump_status polynomial_at(double x, double *value, void *context, clump_error *error)
{
    const polynomial *p = context;
    (void)error;
    *value = 1;
    for (size_t i = 0; i < p->count; i++)
        *value *= x - p->roots[i];
    return CLUMP_OK;
}

/* Polynomials whose zeros are known, pairs within one step of the grid and double ones included. */
TEST(test_all_roots)
{
    unsigned long long random = 5;
    for (int i = 0; i < 3000; i++) {
        polynomial p = {.count = 2 * (size_t)(1 + 2.999 * golden_random(&random))};
        const bool touches = i % 5 == 0;
        clump_root found[CLUMP_MOST_ROOTS];
        size_t count, expected = p.count;
        double at = 0.02 + 0.02 * golden_random(&random);
        for (size_t k = 0; k < p.count; k += 2) { /* pairs, well apart from the others */
            p.roots[k] = at;
            p.roots[k + 1] = at + pow(10, -1 - 5 * golden_random(&random));
            at = p.roots[k + 1] + 0.05 + 0.1 * golden_random(&random);
        }
        if (touches)
            p.roots[1] = p.roots[0] = 0.015625; /* on the grid, where it is exactly 0 */
        assert_int_equal(clump_roots_find(polynomial_at, &p, 0, 1, 128, 1e-13, found, &count, NULL),
                         CLUMP_OK);
        assert_int_equal(count, expected - touches);
        for (size_t k = 0; k < count; k++) {
            assert_true(fabs(found[k].x - p.roots[k + touches]) < 1e-12);
            assert_true((found[k].before * found[k].after > 0) == (touches && k == 0));
        }
    }
}

static clump_status cubic(double x, double *value, void *context, clump_error *error)
{
    (void)error;
    *value = x * x * x - *(const double *)context;
    return CLUMP_OK;
}

static clump_status steep(double x, double *value, void *context, clump_error *error)
{
    (void)context;
    (void)error;
    *value = atan(1e6 * (x - 0.7310585786300049)) + 1e-9 * x;
    return CLUMP_OK;
}

static clump_status exponential(double x, double *value, void *context, clump_error *error)
{
    (void)context;
    if (x < 0 || x > 2)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "outside");
    *value = exp(x);
    return CLUMP_OK;
}

static clump_status kinked(double x, double *value, void *context, clump_error *error)
{
    (void)context;
    (void)error;
    *value = x < 1 ? 1.5 - 0.5 * x : 5.5 * x - 4.5;
    return CLUMP_OK;
}

TEST(test_root_and_derivative)
{
    double root, sides[2], uncertainty, two = 2;
    assert_int_equal(clump_root_find(cubic, &two, -10, 30, 0, &root, NULL), CLUMP_OK);
    assert_close(root, cbrt(2), 1e-15);
    assert_int_equal(clump_root_find(cubic, &two, 30, -10, 0, &root, NULL), CLUMP_OK);
    assert_close(root, cbrt(2), 1e-15);
    assert_int_equal(clump_root_find(cubic, &two, 2, 3, 0, &root, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_root_find(steep, NULL, 0, 1, 0, &root, NULL), CLUMP_OK);
    assert_close(root, 0.7310585786300049, 1e-12);
    static const double points[] = {0, 1e-9, 0.3, 1, 1.999999, 2};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(
            clump_derivative(exponential, NULL, points[i], 0, 2, 0.2, sides, &uncertainty, NULL),
            CLUMP_OK);
        assert_close(sides[0], exp(points[i]), 5e-8); /* GSL's one-sided differences */
        assert_close(sides[1], sides[0], 0);
        assert_true(fabs(sides[0] - exp(points[i])) <= 10 * uncertainty + 1e-13);
    }
    assert_int_equal(clump_derivative(exponential, NULL, 3, 0, 2, 0.2, sides, &uncertainty, NULL),
                     CLUMP_BAD_ARGUMENT);
    /* At a kink, beside it, and far from it. */
    for (int i = -40; i <= 40; i++) {
        const double x = 1 + i * 0.0025;
        assert_int_equal(clump_derivative(kinked, NULL, x, 0, 2, 0.2, sides, &uncertainty, NULL),
                         CLUMP_OK);
        assert_close(sides[0], i <= 0 ? -0.5 : 5.5, 1e-6);
        assert_close(sides[1], i < 0 ? -0.5 : 5.5, 1e-6);
    }
}

static clump_status slowdown_over_utilization(double U, double *value, void *context,
                                              clump_error *error)
{
    const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
    clump_prediction prediction;
    const clump_status status = clump_predict(context, &load, &prediction, NULL, error);
    *value = prediction.slowdown;
    return status;
}

/*
 * X = P (1-U)/(P - E[q]) and dE[q]/d ln w = Var[q], so that
 * X' = X (Var[q]/(U (1-U) (P - E[q])) - 1/(1-U)): from the distribution, with no difference taken.
 */
TEST(test_derivative_is_a_variance)
{
    for (int m = 0; m < 3; m++)
        for (size_t i = 1; i < 10; i++) {
            double U = 0.1 * (double)i, p[9], mean = 0, variance = 0, sides[2], uncertainty;
            clump_node node = {.processors = 8, .nics = 3, .max_nics_per_processor = m};
            const clump_load load = load_of(&U, CLUMP_DEMAND_INDEPENDENT);
            const clump_prediction_details details = {.distribution = p};
            clump_prediction prediction;
            assert_int_equal(clump_predict(&node, &load, &prediction, &details, NULL), CLUMP_OK);
            for (int q = 0; q <= 8; q++)
                mean += q * p[q];
            for (int q = 0; q <= 8; q++)
                variance += (q - mean) * (q - mean) * p[q];
            const double expected =
                prediction.slowdown * (variance / (U * (1 - U) * (8 - mean)) - 1 / (1 - U));
            assert_int_equal(clump_derivative(slowdown_over_utilization, &node, U, 0, 1, 0.05,
                                              sides, &uncertainty, NULL),
                             CLUMP_OK);
            assert_true(fabs(sides[0] - expected) < 1e-9 && fabs(sides[1] - expected) < 1e-9);
        }
}

UNIT_MAIN(NULL, NULL)
