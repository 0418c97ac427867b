/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory as a second station: nu(k), and nodes whose processors share memory and NICs. */
#include "tests/unit/unit.h"

#include "model/memory.h"
#include "model/prediction.h"
#include "tests/unit/golden.h"

static clump_load load_of(const double *utilizations, size_t count)
{
    return (clump_load){
        .utilizations = utilizations, .utilization_count = count, .coupling = CLUMP_COUPLING_NONE};
}

static clump_prediction predict(const clump_node *node, const clump_load *load, double *X)
{
    clump_prediction p;
    clump_error error = {CLUMP_OK, ""};
    const clump_prediction_details details = {X, NULL};
    if (clump_predict(node, load, &p, &details, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return p;
}

/* ---- nu */

TEST(test_queue)
{
    /* 14 digits that another program printed. */
    static const double expected[] = {1,
                                      2,
                                      2.82352941176471,
                                      3.4,
                                      3.73831775700935,
                                      3.90273556231003,
                                      3.96897888840711,
                                      3.99140154772141};
    const clump_memory memory = {.share = 0.5, .feeds = 2};
    double rates[9];
    assert_int_equal(clump_memory_rates(&memory, 0, 8, rates, NULL), CLUMP_OK);
    assert_true(rates[0] == 0);
    for (size_t k = 1; k <= 8; k++) {
        double one;
        assert_close(rates[k], expected[k - 1], 1e-12);
        assert_int_equal(clump_memory_rate(&memory, k, &one, NULL), CLUMP_OK);
        assert_true(one == rates[k]);
    }
}

/* ---- nodes */

TEST(test_known_values)
{
    const double curve[] = {1, 2, 3, 4}, two[] = {1, 2}, equal = 0.48;
    clump_node node = {.processors = 8, .nics = 4};
    const clump_load load = load_of(&equal, 1);
    assert_close(predict(&node, &load, NULL).slowdown, 1.00193123733961, 1e-14);
    node.memory = (clump_memory){.curve = curve, .curve_length = 4, .law = CLUMP_MEMORY_MEASURED};
    assert_close(predict(&node, &load, NULL).slowdown, 1.16489171626604, 1e-14);
    node.memory = (clump_memory){.share = 0.5, .feeds = 2, .law = CLUMP_MEMORY_ROOFLINE};
    assert_close(predict(&node, &load, NULL).slowdown, 1.16489171626604, 1e-14);
    node.memory.law = CLUMP_MEMORY_QUEUE;
    assert_close(predict(&node, &load, NULL).slowdown, 1.18749864230266, 1e-14);
    const double mixed[] = {0.2, 0.5, 0.7};
    const clump_load mix = load_of(mixed, 3);
    double X[3];
    node = (clump_node){.processors = 3, .nics = 2};
    node.memory = (clump_memory){.curve = two, .curve_length = 2, .law = CLUMP_MEMORY_MEASURED};
    predict(&node, &mix, X);
    assert_close(X[0], 1.10869565217391, 1e-14);
    assert_close(X[1], 1.02822580645161, 1e-14);
    assert_close(X[2], 0.910714285714286, 1e-14);
}

/* memory.csv: case, P, N, law, m, c, processor (0: all), U, X; the curve of law 2 has steps c m^i. */
TEST(test_golden)
{
    const golden_table t = golden_read("memory.csv");
    double curve[300], U[300], X[300];
    for (size_t first = 0, next; first < t.count; first = next) {
        const double *row = t.rows[first];
        const size_t P = (size_t)row[1];
        for (next = first; next < t.count && t.rows[next][0] == row[0]; next++)
            U[next - first] = t.rows[next][7];
        clump_node node = {
            .processors = P, .nics = (size_t)row[2], .memory = {.law = (clump_memory_law)row[3]}};
        node.memory.share = row[4];
        node.memory.feeds = row[5];
        curve[0] = 1;
        for (size_t k = 1; k < P; k++)
            curve[k] = curve[k - 1] + row[5] * pow(row[4], (double)(k - 1));
        if (node.memory.law == CLUMP_MEMORY_MEASURED) {
            node.memory.curve = curve;
            node.memory.curve_length = P;
        }
        const clump_load load = load_of(U, row[6] == 0 ? 1 : P);
        predict(&node, &load, X);
        for (size_t i = first; i < next; i++)
            assert_close(X[i - first], t.rows[i][8], 1e-12);
    }
    free(t.rows);
}

/* Memory that feeds everybody is none, to the last bit. */
TEST(test_no_effect)
{
    const double U[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8},
                 straight[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const clump_memory without[] = {
        {.share = 0.7, .feeds = 8},
        {.share = 0, .feeds = 1},
        {.share = 1, .feeds = 9.5, .law = CLUMP_MEMORY_ROOFLINE},
        {.curve = straight, .curve_length = 8, .law = CLUMP_MEMORY_MEASURED},
    };
    for (int demand = 0; demand < 4; demand++)
        for (int mapping = 0; mapping < 2; mapping++)
            for (int phase = 0; phase < 2; phase++)
                for (int i = 0; i < 4; i++) {
                    clump_node node = {
                        .processors = 8, .nics = 3, .mapping = (clump_mapping)mapping};
                    clump_load load = load_of(U, demand == CLUMP_DEMAND_GANG || phase ? 1 : 8);
                    load.demand = (clump_demand)demand;
                    load.gang_size = 1.7;
                    load.phase_cycles = phase && demand == CLUMP_DEMAND_INDEPENDENT ? 2.5 : 0;
                    double X[8], Y[8];
                    predict(&node, &load, X);
                    node.memory = without[i];
                    predict(&node, &load, Y);
                    for (int p = 0; p < 8; p++)
                        if (demand == CLUMP_DEMAND_CORRELATED)
                            assert_close(Y[p], X[p], 1e-14);
                        else
                            assert_true(Y[p] == X[p]);
                }
}

/* ---- phases */

/* The chain by Runge and Kutta in small steps: when has a processor done the work T on average? */
static double follow(size_t P, double N, const double *nu, double U, double T)
{
    double p[9] = {1}, t = 0, work = 0;
    const double step = 1e-3;
    for (;;) {
        double k[5][10] = {{0}}, x[9], gained;
        for (int stage = 1; stage <= 4; stage++) {
            for (size_t q = 0; q <= P; q++)
                x[q] = p[q] + k[stage - 1][q] * (stage == 1 ? 0 : stage == 4 ? step : step / 2);
            for (size_t q = 0; q <= P; q++) {
                const double up = nu[P - q] / (1 - U), down = q > 0 ? N / U : 0;
                k[stage][q] -= x[q] * (up + down);
                if (q < P)
                    k[stage][q + 1] += x[q] * up;
                if (q > 0)
                    k[stage][q - 1] += x[q] * down;
                k[stage][P + 1] += x[q] * (nu[P - q] + (q > 0 ? N : 0)) / (double)P;
            }
        }
        gained = step * (k[1][P + 1] + 2 * k[2][P + 1] + 2 * k[3][P + 1] + k[4][P + 1]) / 6;
        if (work + gained >= T) /* r hardly changes within a step */
            return t + step * (T - work) / gained;
        for (size_t q = 0; q <= P; q++)
            p[q] += step * (k[1][q] + 2 * k[2][q] + 2 * k[3][q] + k[4][q]) / 6;
        work += gained;
        t += step;
    }
}

TEST(test_phases)
{
    const clump_memory memories[] = {{.share = 0.5, .feeds = 2},
                                     {.share = 0.6, .feeds = 1.5, .law = CLUMP_MEMORY_ROOFLINE}};
    for (int i = 0; i < 2; i++)
        for (size_t P = 2; P <= 8; P += 3)
            for (double U = 0.2; U < 0.9; U += 0.3) {
                const clump_node node = {.processors = P, .nics = P / 2, .memory = memories[i]};
                clump_load load = load_of(&U, 1);
                double nu[9];
                assert_int_equal(clump_memory_rates(&memories[i], 0, P, nu, NULL), CLUMP_OK);
                const double equilibrium = predict(&node, &load, NULL).slowdown;
                for (int j = 0; j < 3; j++) {
                    load.phase_cycles = (const double[]){0.2, 1, 6}[j];
                    const double T = load.phase_cycles;
                    assert_close(predict(&node, &load, NULL).slowdown,
                                 follow(P, (double)(P / 2), nu, U, T) / T, 1e-6);
                }
                load.phase_cycles = 1e9;
                assert_close(predict(&node, &load, NULL).slowdown, equilibrium, 1e-8);
            }
    /* Who never communicates computes beside all others; who does nothing else never computes. */
    const double ends[] = {0, 1};
    const clump_node node = {.processors = 8, .nics = 4, .memory = {.share = 1, .feeds = 2}};
    for (int i = 0; i < 2; i++) {
        clump_load load = load_of(&ends[i], 1);
        load.phase_cycles = 3;
        assert_close(predict(&node, &load, NULL).slowdown, i == 0 ? 4 : 2, 1e-15);
    }
}

/* ---- far from small */

/* Many processors: three stations in the limit, where the busiest of them sets the pace. */
TEST(test_large)
{
    const double U = 0.4;
    const clump_load load = load_of(&U, 1);
    clump_node node = {
        .processors = 100000, .nics = 50000, .memory = {.share = 0.5, .feeds = 25000}};
    assert_close(predict(&node, &load, NULL).slowdown, 1.2, 1e-9); /* P C m/F */
    node.memory.law = CLUMP_MEMORY_ROOFLINE;
    assert_close(predict(&node, &load, NULL).slowdown, 1.2, 1e-9);
    node.nics = 30000; /* P U/N */
    assert_close(predict(&node, &load, NULL).slowdown, 4.0 / 3, 1e-9);
    node = (clump_node){.processors = 10000, .nics = 5000, .mapping = CLUMP_MAPPING_STATIC};
    node.memory = (clump_memory){.share = 0.5, .feeds = 2000};
    assert_close(predict(&node, &load, NULL).slowdown, 1.5, 1e-6);
}

/* A static mapping of one NIC is a pool of one, and of as many as there are processors one where each drives
 * one NIC at most. */
TEST(test_mappings)
{
    const double U[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    const clump_load load = load_of(U, 8);
    double X[8], Y[8];
    for (size_t nics = 1; nics <= 8; nics += 7) {
        clump_node node = {.processors = 8, .nics = nics, .memory = {.share = 0.6, .feeds = 1.5}};
        node.max_nics_per_processor = 1;
        predict(&node, &load, X);
        node.mapping = CLUMP_MAPPING_STATIC;
        predict(&node, &load, Y);
        for (int p = 0; p < 8; p++)
            assert_close(Y[p], X[p], 1e-13);
    }
}

/* For equal processors X = P (1-U)/E[nu(K)], K = P - q, and dE[f]/d ln w = Cov(f, q). */
TEST(test_derivative)
{
    const clump_node node = {.processors = 12, .nics = 4, .memory = {.share = 0.4, .feeds = 2}};
    double nu[13], pi[13];
    assert_int_equal(clump_memory_rates(&node.memory, 0, 12, nu, NULL), CLUMP_OK);
    for (double U = 0.1; U < 0.95; U += 0.2) {
        const double h = 1e-5, above = U + h, below = U - h;
        const clump_load high = load_of(&above, 1), low = load_of(&below, 1), load = load_of(&U, 1);
        const clump_prediction_details details = {NULL, pi};
        clump_prediction p;
        double computed = 0, active = 0, both = 0;
        assert_int_equal(clump_predict(&node, &load, &p, &details, NULL), CLUMP_OK);
        for (size_t q = 0; q <= 12; q++) {
            computed += pi[q] * nu[12 - q];
            active += pi[q] * (double)q;
            both += pi[q] * nu[12 - q] * (double)q;
        }
        assert_close(p.slowdown, 12 * (1 - U) / computed, 1e-13);
        assert_close(p.mean_active, active, 1e-13);
        const double slope =
            p.slowdown * ((computed * active - both) / computed / (U * (1 - U)) - 1 / (1 - U));
        const double found =
            (predict(&node, &high, NULL).slowdown - predict(&node, &low, NULL).slowdown) / (2 * h);
        assert_true(fabs(found - slope) < 1e-7);
    }
}

/* ---- what is refused */

static void refuse(const clump_memory *memory, size_t processors, double waiting, const char *why)
{
    static double rates[200002];
    clump_error error = {CLUMP_OK, ""};
    const clump_status status = clump_memory_rates(memory, waiting, processors, rates, &error);
    if (status != CLUMP_BAD_ARGUMENT || strstr(error.message, why) == NULL)
        fail_msg("'%s' does not speak of '%s'", error.message, why);
}

TEST(test_refused)
{
    const double curves[][3] = {{2, 1, 1}, {1, 0, 1}, {1, NAN, 1}, {1, 1e60, 1}, {1, 2, 1.5}};
    clump_memory m = {.share = 0.5, .feeds = 2};
    refuse(&m, 100001, 0, "100001 that share memory");
    refuse(&m, 8, -0.1, "waiting");
    refuse(&m, 8, NAN, "waiting");
    m.share = 1.5;
    refuse(&m, 8, 0, "share 1.5");
    m.share = NAN;
    refuse(&m, 8, 0, "share nan");
    m = (clump_memory){.share = 0.5, .feeds = 0.5};
    refuse(&m, 8, 0, "feeds 0.5");
    m = (clump_memory){.share = 0.5};
    refuse(&m, 8, 0, "feeds 0");
    m.law = (clump_memory_law)7;
    refuse(&m, 8, 0, "law 7");
    m.law = CLUMP_MEMORY_MEASURED;
    refuse(&m, 8, 0, "without a curve");
    m.curve_length = 3;
    refuse(&m, 8, 0, "NULL");
    for (int i = 0; i < 4; i++) {
        m.curve = curves[i];
        refuse(&m, 8, 0, i == 0 ? "begins with 2" : "the curve is");
    }
    m = (clump_memory){.share = 0.5, .curve = curves[4], .curve_length = 3};
    refuse(&m, 20000, 0, "where its curve falls");
}

TEST(test_refused_nodes)
{
    static const struct {
        clump_mapping mapping;
        clump_demand demand;
        double phase;
        size_t count;
        const char *why;
    } cases[] = {
        {CLUMP_MAPPING_STATIC, CLUMP_DEMAND_INDEPENDENT, 3, 1, "transient"},
        {CLUMP_MAPPING_STATIC, CLUMP_DEMAND_SCHEDULED, 0, 1, "groups of 3 and of 2"},
        {CLUMP_MAPPING_STATIC, CLUMP_DEMAND_GANG, 0, 1, "groups of 3 and of 2"},
        {CLUMP_MAPPING_POOLED, CLUMP_DEMAND_SCHEDULED, 0, 8, "8 kinds of processors"},
    };
    const double U[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clump_node node = {.processors = 8,
                                 .nics = 3,
                                 .mapping = cases[i].mapping,
                                 .memory = {.share = 0.5, .feeds = 2}};
        clump_load load = load_of(U, cases[i].count);
        clump_prediction p;
        clump_error error = {CLUMP_OK, ""};
        load.demand = cases[i].demand;
        load.phase_cycles = cases[i].phase;
        load.gang_size = 2;
        assert_int_equal(clump_predict(&node, &load, &p, NULL, &error), CLUMP_BAD_ARGUMENT);
        if (strstr(error.message, cases[i].why) == NULL)
            fail_msg("'%s' does not speak of '%s'", error.message, cases[i].why);
    }
}

UNIT_MAIN(NULL, NULL)
