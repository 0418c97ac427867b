/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/prediction.h"
#include "tests/unit/golden.h"

/*
 * Brute force: every set of communicating processors is a state of a Markov chain, and each NIC on
 * its own divides its time equally among them. Nothing is shared with the engine: the capacity of
 * slots, the domains and the equilibrium are worked out here in another way.
 */
enum { MOST = 6, STATES = 1 << MOST };

typedef struct machine {
    size_t P, N, D, ports;
    double near, far, b, m; /* m 0: no limit */
    int packed;
} machine;

static int bits(unsigned set)
{
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

/* What `use` NICs move: they are taken one by one, each time in the slot that gains most (or, when
 * packed, in the first slot with a free port). */
static double moved(const machine *a, size_t use)
{
    size_t used[16] = {0}, slots = (a->N + a->ports - 1) / a->ports;
    for (size_t k = 0; k < use; k++) {
        size_t best = 0;
        double gain = -1;
        for (size_t j = 0; j < slots; j++) {
            const size_t room = j + 1 < slots || a->N % a->ports == 0 ? a->ports : a->N % a->ports;
            const double g = fmin((double)used[j] + 1, a->b) - fmin((double)used[j], a->b);
            if (used[j] >= room || (a->packed && gain >= 0) || g <= gain + 1e-12)
                continue;
            gain = g;
            best = j;
        }
        used[best]++;
    }
    double sum = 0;
    for (size_t j = 0; j < slots; j++)
        sum += fmin((double)used[j], a->b);
    return sum;
}

static double capacity(const machine *a, double use)
{
    const size_t low = (size_t)use;
    const double part = use - (double)low;
    return part > 0 ? (1 - part) * moved(a, low) + part * moved(a, low + 1) : moved(a, low);
}

/* Bandwidth that processor p receives while `q` communicate. */
static double received(const machine *a, size_t p, int q)
{
    const double use = a->m > 0 ? fmin(q * a->m, (double)a->N) : (double)a->N;
    double speed = 0, all = 0;
    for (size_t i = 0; i < a->N; i++) {
        const size_t slot = i / a->ports, first = slot * a->ports;
        const size_t there = a->N - first < a->ports ? a->N - first : a->ports;
        const double share = fmin((double)there, a->b) / (double)there;
        speed += share * (p * a->D / a->P == i * a->D / a->N ? a->near : a->far);
        all += share;
    }
    return capacity(a, use) * (speed / all) / q;
}

/* X_p = time per cycle on the Clump over R + S, from the chain's equilibrium by Gauss-Jordan. */
static void brute_force(const machine *a, const double *U, double *X)
{
    static double A[STATES][STATES + 1];
    const unsigned n = 1u << a->P;
    memset(A, 0, sizeof A);
    for (unsigned s = 0; s < n; s++)
        for (size_t p = 0; p < a->P; p++) {
            const unsigned other = s ^ (1u << p);
            const double rate = s & (1u << p) ? received(a, p, bits(s)) / U[p] : 1 / (1 - U[p]);
            A[other][s] += rate;
            A[s][s] -= rate;
        }
    for (unsigned s = 0; s < n; s++)
        A[0][s] = 1;
    A[0][n] = 1;
    for (unsigned c = 0; c < n; c++) {
        unsigned pivot = c;
        for (unsigned r = c + 1; r < n; r++)
            if (fabs(A[r][c]) > fabs(A[pivot][c]))
                pivot = r;
        for (unsigned k = 0; k <= n; k++) {
            const double t = A[c][k];
            A[c][k] = A[pivot][k];
            A[pivot][k] = t;
        }
        for (unsigned r = 0; r < n; r++) {
            const double f = A[r][c] / A[c][c];
            for (unsigned k = c; k <= n && r != c; k++)
                A[r][k] -= f * A[c][k];
        }
    }
    for (size_t p = 0; p < a->P; p++) {
        double computes = 0;
        for (unsigned s = 0; s < n; s++)
            if (!(s & (1u << p)))
                computes += A[s][n] / A[s][s];
        X[p] = (1 - U[p]) / computes;
    }
}

static void compare(const machine *a, const double *U, size_t count)
{
    double mix[MOST], expected[MOST], found[MOST];
    for (size_t p = 0; p < a->P; p++)
        mix[p] = U[count > 1 ? p : 0];
    brute_force(a, mix, expected);
    const clump_node node = {
        .processors = a->P,
        .nics = a->N,
        .max_nics_per_processor = a->m,
        .placement = {a->D, a->near, a->far, {a->ports, a->b, a->packed}},
    };
    const clump_load load = {
        .utilizations = U, .utilization_count = count, .coupling = CLUMP_COUPLING_NONE};
    const clump_prediction_details details = {.slowdowns = found};
    clump_prediction prediction;
    clump_error error = {CLUMP_OK, ""};
    if (clump_predict(&node, &load, &prediction, &details, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    for (size_t p = 0; p < a->P; p++)
        assert_close(found[p], expected[p], 1e-10);
}

TEST(test_brute_force)
{
    static const double mix[MOST] = {0.1, 0.45, 0.3, 0.8, 0.62, 0.2};
    size_t cases = 0;
    for (size_t P = 1; P <= MOST; P += 1 + (P >= 4))
        for (size_t N = 1; N <= 5; N++)
            for (size_t ports = 1; ports <= 2; ports++)
                for (size_t D = 1; D <= 2; D++)
                    for (int m = 0; m <= 3; m++) {
                        machine a = {.P = P,
                                     .N = N,
                                     .D = D,
                                     .ports = ports,
                                     .near = 1,
                                     .far = 0.6,
                                     .b = ports == 2 ? 1.25 : 1,
                                     .m = m == 3 ? 1.5 : m,
                                     .packed = ports == 2 && (P + N) % 2};
                        const double U = 0.15 + 0.12 * (double)N;
                        compare(&a, &U, 1);
                        if (P > 1)
                            compare(&a, mix, P);
                        cases++;
                    }
    assert_true(cases > 300);
}

static double correlated(const clump_node *node, double U)
{
    const clump_load load = {.utilizations = &U,
                             .utilization_count = 1,
                             .demand = CLUMP_DEMAND_CORRELATED,
                             .coupling = CLUMP_COUPLING_NONE};
    clump_prediction prediction;
    assert_int_equal(clump_predict(node, &load, &prediction, NULL, NULL), CLUMP_OK);
    return prediction.slowdown;
}

/*
 * openucx/ucx issue 9520: one rail 11.8 GB/s, two rails of one adapter 13.1, two adapters 23.6. One
 * number gives the slot's bandwidth, b = 13.1/11.8; the other must come out.
 */
TEST(test_two_rails)
{
    const double rail = 11.8, b = 13.1 / rail;
    const clump_slots together = {2, b, 1}, apart = {2, b, 0};
    assert_close(rail * clump_slots_capacity(&together, 4, 2), 13.1, 1e-12);
    assert_close(rail * clump_slots_capacity(&apart, 4, 2), 23.6, 1e-12);
    assert_close(rail * clump_slots_capacity(&apart, 4, 1), 11.8, 1e-12);
    /* All four rails of both adapters: the slots are full, however they are filled. */
    assert_close(rail * clump_slots_capacity(&apart, 4, 4), 26.2, 1e-12);
    assert_close(rail * clump_slots_capacity(&together, 4, 4), 26.2, 1e-12);
    /* One process that only sends, on two rails: X is the time of its bytes. */
    clump_node node = {
        .processors = 1, .nics = 4, .max_nics_per_processor = 2, .placement = {.slots = together}};
    assert_close(rail / correlated(&node, 1), 13.1, 1e-12);
    node.placement.slots = apart;
    assert_close(rail / correlated(&node, 1), 23.6, 1e-12);
}

/*
 * openucx/ucx issue 11680: eight ranks with equal traffic, all of it through four of eight
 * adapters. The busiest adapter of the report moved 249.0 GB where pinned ranks moved 137.6 at
 * most; with all on four of them it is twice as much, and the phase takes twice as long.
 */
TEST(test_funnelled)
{
    static const size_t funnelled[8] = {2, 0, 2, 0, 2, 0, 2, 0};
    clump_node node = {.processors = 8, .nics = 8, .mapping = CLUMP_MAPPING_STATIC};
    assert_close(correlated(&node, 1), 1, 1e-14);
    assert_close(correlated(&node, 0.4), 1, 1e-14);
    node.group_sizes = funnelled;
    assert_close(correlated(&node, 1), 2, 1e-14);
    assert_close(correlated(&node, 0.4), 1.4, 1e-14);
}

/*
 * Each processor has a NIC to itself and sends all the time: X_p is 1 over what its port moves and over
 * how near it is. Ports that nobody has take nothing from their neighbours.
 */
TEST(test_idle_ports)
{
    const double U = 1, b = 1.3, far = 0.5;
    for (size_t P = 1; P <= 7; P++)
        for (size_t N = P; N <= 12; N++)
            for (size_t ports = 1; ports <= 4; ports++)
                for (int packed = 0; packed < 2; packed++) {
                    size_t taken[12] = {0}, in_slot[12] = {0}, given = 0;
                    for (size_t level = 0; level < ports && !packed; level++)
                        for (size_t i = level; i < N && given < P; i += ports, given++)
                            taken[i] = 1;
                    for (size_t i = 0; i < N && packed && given < P; i++, given++)
                        taken[i] = 1;
                    for (size_t i = 0; i < N; i++)
                        in_slot[i / ports] += taken[i];
                    const double width = ports > 1 ? b : 1;
                    double expected[7], found[7], mean = 0;
                    for (size_t i = 0, p = 0; i < N; i++)
                        if (taken[i]) {
                            const double share = fmin(1, width / (double)in_slot[i / ports]);
                            const double speed = p * 2 / P == i * 2 / N ? 1 : far;
                            expected[p] = 1 / share / speed;
                            mean += expected[p++] / (double)P;
                        }
                    clump_node node = {.processors = P,
                                       .nics = N,
                                       .mapping = CLUMP_MAPPING_STATIC,
                                       .placement = {2, 1, far, {ports, width, packed}}};
                    const clump_load load = {.utilizations = &U,
                                             .utilization_count = 1,
                                             .coupling = CLUMP_COUPLING_NONE};
                    const clump_prediction_details details = {.slowdowns = found};
                    clump_prediction prediction;
                    for (int groups = 0; groups < 2; groups++) {
                        node.group_sizes = groups ? taken : NULL;
                        assert_int_equal(clump_predict(&node, &load, &prediction, &details, NULL),
                                         CLUMP_OK);
                        assert_close(prediction.slowdown, mean, 1e-12);
                        for (size_t p = 0; p < P; p++)
                            assert_close(found[p], expected[p], 1e-12);
                    }
                }
}

/* Domains with as many NICs see the same double, so that their processors are solved as equal. */
TEST(test_equal_speeds)
{
    for (size_t D = 2; D <= 9; D++)
        for (size_t each = 1; each <= 40; each++)
            for (size_t ports = 1; ports <= 2; ports++) {
                const clump_placement placement = {D, 0.9, 0.3, {ports, ports > 1 ? 1.3 : 1, 0}};
                const double first = model_placement_speed(&placement, 0, each * D);
                if (ports == 2 && each % 2 == 1)
                    continue; /* a slot lies in two domains */
                assert_close(first, (0.9 + 0.3 * (double)(D - 1)) / (double)D, 1e-14);
                for (size_t d = 1; d < D; d++)
                    assert_memory_equal(&first,
                                        &(double){model_placement_speed(&placement, d, each * D)},
                                        sizeof first);
            }
    const clump_placement three = {3, 1, 0.5, {1, 0, 0}}; /* 8 NICs: 3 + 3 + 2 */
    assert_close(model_placement_speed(&three, 0, 8), (3 + 5 * 0.5) / 8, 1e-15);
    assert_close(model_placement_speed(&three, 1, 8), (3 + 5 * 0.5) / 8, 1e-15);
    assert_close(model_placement_speed(&three, 2, 8), (2 + 6 * 0.5) / 8, 1e-15);
    assert_close(model_placement_speed(&three, 2, 1), 0.5, 1e-15);
}

/* NIC by NIC: what each moves while all are in use, near or far. And of very many at once. */
TEST(test_speeds_of_shared_slots)
{
    for (size_t D = 2; D <= 4; D++)
        for (size_t ports = 1; ports <= 5; ports++)
            for (size_t N = 1; N <= 23; N++) {
                const clump_placement placement = {.domains = D,
                                                   .near = 0.9,
                                                   .far = 0.4,
                                                   .slots = {.ports = ports, .bandwidth = 1.3}};
                for (size_t d = 0; d < D; d++) {
                    double moved = 0, all = 0;
                    for (size_t nic = 0; nic < N; nic++) {
                        const size_t begin = nic / ports * ports,
                                     in_slot = N - begin < ports ? N - begin : ports;
                        const double share = fmin((double)in_slot, 1.3) / (double)in_slot;
                        moved += share * (nic * D / N == d ? 0.9 : 0.4);
                        all += share;
                    }
                    assert_close(model_placement_speed(&placement, d, N), moved / all, 1e-14);
                }
            }
    const clump_placement many = {
        .domains = 1024, .near = 1, .far = 0.5, .slots = {.ports = 4, .bandwidth = 2}};
    for (size_t d = 0; d < 1024; d++)
        assert_close(model_placement_speed(&many, d, 8192000), 0.5 + 0.5 / 1024, 1e-12);
}

/* Slots that are wide enough, and NICs that are all near, change no bit. */
TEST(test_neutral)
{
    static const clump_demand demands[] = {CLUMP_DEMAND_INDEPENDENT, CLUMP_DEMAND_CORRELATED,
                                           CLUMP_DEMAND_SCHEDULED, CLUMP_DEMAND_GANG};
    for (size_t d = 0; d < 4; d++)
        for (int mapping = 0; mapping < 2; mapping++) {
            const double U = 0.37;
            clump_node node = {.processors = 9, .nics = 4, .mapping = (clump_mapping)mapping};
            const clump_load load = {.utilizations = &U,
                                     .utilization_count = 1,
                                     .gang_size = 2.5,
                                     .demand = demands[d],
                                     .coupling = CLUMP_COUPLING_NONE};
            clump_prediction plain, placed;
            assert_int_equal(clump_predict(&node, &load, &plain, NULL, NULL), CLUMP_OK);
            node.placement = (clump_placement){3, 1, 1, {2, 2, 1}};
            assert_int_equal(clump_predict(&node, &load, &placed, NULL, NULL), CLUMP_OK);
            assert_true(plain.slowdown == placed.slowdown);
            assert_true(plain.nic_utilization == placed.nic_utilization);
        }
}

TEST(test_refusals)
{
    static const clump_placement bad[] = {{2, 0, 1.5, {0, 0, 0}}, {2, -1, 0, {0, 0, 0}},
                                          {1, 0, NAN, {0, 0, 0}}, {1, 0, 0, {2, 2.5, 0}},
                                          {1, 0, 0, {1, NAN, 0}}, {5000, 0, 0.5, {0, 0, 0}}};
    const double U = 0.5;
    const clump_load load = {
        .utilizations = &U, .utilization_count = 1, .coupling = CLUMP_COUPLING_NONE};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const clump_node node = {.processors = 4, .nics = 2, .placement = bad[i]};
        clump_prediction prediction;
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(clump_predict(&node, &load, &prediction, NULL, &error),
                         CLUMP_BAD_ARGUMENT);
        assert_true(strlen(error.message) > 10);
    }
    /* One NIC on one of two sockets: gangs would mix near and far processors. */
    const clump_node node = {.processors = 4, .nics = 1, .placement = {2, 1, 0.5, {0, 0, 0}}};
    clump_load gangs = load;
    gangs.demand = CLUMP_DEMAND_GANG;
    gangs.gang_size = 2;
    clump_prediction prediction;
    assert_int_equal(clump_predict(&node, &gangs, &prediction, NULL, NULL), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_predict(&node, &load, &prediction, NULL, NULL), CLUMP_OK);
}

UNIT_MAIN(NULL, NULL)
