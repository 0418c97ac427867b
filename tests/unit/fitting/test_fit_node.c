/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NICs of a node from rates of pairs. Truth: messages of k processes through N NICs, one event after the other, in
 * a simulation of this file that knows nothing of the laws that are fitted.
 */
#include "fitting/node/node_curve.h"
#include "fitting/node/node_fit.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { MOST_PROCESSES = 32, MOST_NICS = 8, WINDOW = 64, MESSAGES = 400 };

/* ---- a node, and its messages */

typedef enum assignment { ANY, IN_TURNS, DRAWN } assignment;
typedef enum account { STEADY, MEAN, LONGEST } account;

typedef struct node {
    assignment assignment;
    size_t nics, at_once;            /* NICs that a process has messages at, if it may take any */
    double process_us, process_byte; /* that a process needs for a message, and for a byte */
    double nic_us, nic_byte;         /* the same of a NIC */
    double both;                     /* total of both ways over one way */
    double loss;                     /* by which all takes longer for each further process */
} node;

static const node in_turns_2 = {IN_TURNS, 2, 1, 0.25, 1e-5, 0.02, 1e-4, 2, 0.01};
static const node limited = {ANY, 1, 1, 0.30, 1.3e-4, 0.05, 8e-5, 1.66, 0.005};
static const node filled = {ANY, 1, 1, 0.30, 1e-5, 0.05, 8e-5, 2, 0.005};
static const node striping = {ANY, 4, 2, 0.10, 1e-5, 0.08, 1e-4, 2, 0.02};
static const node half_duplex = {IN_TURNS, 3, 1, 0.40, 1e-5, 0.05, 2e-4, 1, 0.003};
static const node drawn_3 = {DRAWN, 3, 1, 0.20, 1e-5, 0.05, 1e-4, 2, 0.01};

typedef struct process {
    double posted, done[WINDOW]; /* when its last message was, and its last ones were */
    size_t sent, nic;
} process;

/*
 * B/us of k processes that send messages of n bytes each. A process needs its time for one after the other, up to
 * WINDOW ahead, and has at most `at_once` of them at NICs, if these are not its own; a NIC takes them as they come.
 */
static double simulate(const node *p, account how, size_t k, double n, const size_t *chosen)
{
    static process all[MOST_PROCESSES];
    double nic_free[MOST_NICS] = {0};
    const size_t at_nics = p->assignment == ANY ? p->at_once : WINDOW;
    const double longer = 1 + p->loss * ((double)k - 1);
    const double post = longer * (p->process_us + n * p->process_byte);
    const double carry = longer * (p->nic_us + n * p->nic_byte);
    static double ends[MOST_PROCESSES][MESSAGES];
    const size_t messages = MESSAGES, last = MESSAGES - 1;
    size_t finished = 0;
    memset(all, 0, sizeof all);
    for (size_t i = 0; i < k; i++)
        all[i].nic = p->assignment == DRAWN ? chosen[i] : i % p->nics;
    while (finished < k) {
        size_t next = k;
        double ready = HUGE_VAL, posted = 0;
        for (size_t i = 0; i < k; i++) {
            const process *q = &all[i];
            if (q->sent == messages)
                continue;
            const double room = q->sent >= WINDOW ? q->done[q->sent % WINDOW] : 0;
            const double at = fmax(q->posted, room) + post;
            const double turn = q->sent >= at_nics ? q->done[(q->sent - at_nics) % WINDOW] : 0;
            if (fmax(at, turn) < ready) {
                ready = fmax(at, turn);
                posted = at;
                next = i;
            }
        }
        process *q = &all[next];
        size_t nic = q->nic;
        for (size_t i = 0; p->assignment == ANY && i < p->nics; i++)
            nic = nic_free[i] < nic_free[nic] ? i : nic;
        const double done = fmax(ready, nic_free[nic]) + carry;
        nic_free[nic] = done;
        q->posted = posted;
        q->done[q->sent % WINDOW] = done;
        ends[next][q->sent++] = done;
        finished += q->sent == messages;
    }
    double sum = 0, longest = 0, shortest = HUGE_VAL, by_then = 0;
    for (size_t i = 0; i < k; i++) {
        sum += ends[i][last];
        longest = fmax(longest, ends[i][last]);
        shortest = fmin(shortest, ends[i][last]);
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < messages; j++)
            by_then += ends[i][j] <= shortest;
    return how == STEADY ? n * by_then / shortest
                         : n * (double)(messages * k) / (how == MEAN ? sum / (double)k : longest);
}

/* ---- into a store */

static const double sizes[] = {8, 16, 1024, 65536, 1048576, 2097152, 4194304};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct plan {
    const node *node;
    account how;
    size_t most, runs; /* pairs 1 to `most`, each so often */
    bool doubling;     /* only 1, 2, 4... of them */
} plan;

static bool is_measured(const plan *p, size_t k)
{
    return !p->doubling || (k & (k - 1)) == 0;
}

/* What was simulated: a random assignment has another result each time. */
static double exact[MOST_PROCESSES + 1][SIZES];

static void simulate_all(const plan *p)
{
    for (size_t k = 1; k <= p->most; k++)
        for (size_t s = 0; s < SIZES && is_measured(p, k) && p->node->assignment != DRAWN; s++)
            exact[k][s] = simulate(p->node, p->how, k, sizes[s], NULL);
}

/* A run is off by a percent or two, and each of its sizes by half a percent more. */
static void add_runs(clump_store *store, const plan *p, bool both, double noise, gsl_rng *random)
{
    static const char *const benchmarks[] = {
        [STEADY] = "clumpmodel-mpi-bench", [MEAN] = "osu_mbw_mr", [LONGEST] = "IMB Uniband"};
    int64_t id;
    for (size_t k = 1; k <= p->most; k++) {
        if (!is_measured(p, k))
            continue;
        char source[40];
        /* IMB with many processes in one log also measures with few of them, which are not used. */
        snprintf(source, sizeof source, "made up %zu%s", k, both ? " both ways" : "");
        assert_int_equal(
            clump_store_add_source(
                store, &(clump_store_source){.name = source, .kind = "inline", .title = source}),
            CLUMP_STORE_OK);
        const clump_store_series series = {.platform = "p",
                                           .quantity =
                                               both ? "transfer_rate_both_ways" : "transfer_rate",
                                           .transport = "network",
                                           .statistic = "single",
                                           .benchmark = benchmarks[p->how],
                                           .source = source,
                                           .processes = (int64_t)(2 * k)};
        assert_int_equal(clump_store_add_series(store, &series, &id), CLUMP_STORE_OK);
        for (size_t run = 1; run <= p->runs; run++) {
            const double of_run = exp(gsl_ran_gaussian(random, noise));
            size_t chosen[MOST_PROCESSES];
            for (size_t i = 0; i < k; i++)
                chosen[i] = gsl_rng_uniform_int(random, p->node->nics);
            for (size_t s = 0; s < SIZES; s++) {
                const double rate = p->node->assignment == DRAWN
                                        ? simulate(p->node, p->how, k, sizes[s], chosen)
                                        : exact[k][s];
                const clump_store_measurement m = {.value =
                                                       rate * (both ? p->node->both : 1) * of_run *
                                                       exp(gsl_ran_gaussian(random, noise / 3)),
                                                   .half_width = NAN,
                                                   .std_dev = NAN,
                                                   .size_bytes = (int64_t)sizes[s],
                                                   .run = (int64_t)run};
                assert_int_equal(clump_store_add_sample(store, id, &m), CLUMP_STORE_OK);
            }
        }
    }
}

static clump_store *open_store(int64_t nics)
{
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    const clump_store_source source = {.name = "made up", .kind = "inline", .title = "made up"};
    const clump_store_platform platform = {.name = "p",
                                           .title = "p",
                                           .nodes = 2,
                                           .processors = 8,
                                           .nics = nics,
                                           .mapping = "pooled",
                                           .source = "made up"};
    assert_int_equal(clump_store_add_source(store, &source), CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_platform(store, &platform), CLUMP_STORE_OK);
    return store;
}

static clump_store *make_store(const plan *p, double noise, gsl_rng *random)
{
    clump_store *store = open_store(1);
    add_runs(store, p, false, noise, random);
    add_runs(store, p, true, noise, random);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    return store;
}

static void fit_store(clump_store *store, double nics, clump_node_fit *fit)
{
    const clump_node_filter filter = {.platform = "p"};
    const clump_node_known known = {.nics = nics};
    clump_error error = {.message = ""};
    if (clump_node_fit_run(store, &filter, &known, fit, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
}

/* ---- what should be found, of a node by its numbers alone */

typedef struct truth {
    double values[CLUMP_NODE_NAMES];
} truth;

static truth truth_of(const node *n, size_t most, double known)
{
    const double long_bytes = 2097152; /* the middle of the long ones */
    const double one = fmin(1 / (n->process_us / long_bytes + n->process_byte),
                            (n->assignment == ANY ? (double)n->at_once : 1) /
                                (n->nic_us / long_bytes + n->nic_byte));
    const double nics = (double)n->nics, nic = 1 / (n->nic_us / long_bytes + n->nic_byte);
    const double post = n->process_us + 8 * n->process_byte, carry = n->nic_us + 8 * n->nic_byte;
    truth t;
    for (size_t i = 0; i < CLUMP_NODE_NAMES; i++)
        t.values[i] = NAN;
    t.values[CLUMP_NODE_NICS] = nics;
    t.values[CLUMP_NODE_PROCESS_RATE] = one;
    t.values[CLUMP_NODE_FILLING] = nics * nic / one;
    t.values[CLUMP_NODE_NIC_RATE] = nic;
    t.values[CLUMP_NODE_GAP_PER_BYTE] = 1 / nic;
    t.values[CLUMP_NODE_LOSS] = n->loss;
    t.values[CLUMP_NODE_PER_PROCESS] = one / nic;
    t.values[CLUMP_NODE_DUPLEX] = n->both;
    t.values[CLUMP_NODE_PROCESS_MESSAGES] = 1 / fmax(post, carry);
    if ((double)most / post > 1.3 * nics / carry) {
        t.values[CLUMP_NODE_NIC_MESSAGES] = 1 / carry;
        t.values[CLUMP_NODE_GAP] = carry;
    }
    (void)known;
    return t;
}

/* ---- tests */

static const plan plans[] = {
    {&in_turns_2, STEADY, 8, 3, false}, {&limited, MEAN, 8, 1, false},
    {&striping, STEADY, 10, 2, false},  {&half_duplex, LONGEST, 16, 1, false},
    {&in_turns_2, MEAN, 16, 3, true},   {&filled, MEAN, 8, 1, false},
    {&limited, MEAN, 8, 1, true},
};
static const double given[] = {0, 0, 4, 0, 2, 0, 0};

/* Without noise everything is within 5%, and mostly much nearer. */
TEST(nodes_are_found)
{
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const plan *p = &plans[i];
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        simulate_all(p);
        clump_store *store = make_store(p, 0, random);
        clump_node_fit fit;
        fit_store(store, given[i], &fit);
        const truth t = truth_of(p->node, p->most, given[i]);
        for (size_t k = 0; k < CLUMP_NODE_NAMES; k++) {
            const clump_node_value *v = &fit.values[k];
            /* Of a small loss what counts is what it leaves, with the most pairs. */
            const double more = k == CLUMP_NODE_LOSS ? (double)p->most - 1 : 0;
            const double found = more > 0 ? 1 / (1 + v->value * more) : v->value;
            const double expected = more > 0 ? 1 / (1 + t.values[k] * more) : t.values[k];
            if (!isnan(t.values[k]) && !(v->known && fabs(found / expected - 1) < 0.05))
                fail_msg("node %zu: %s is %g (%s), expected %g", i,
                         clump_node_key((clump_node_name)k), v->value, v->reason, t.values[k]);
        }
        clump_node_fit_free(&fit);
        clump_store_close(store);
        gsl_rng_free(random);
    }
}

/* Laws of processes with a NIC each, against throwing them there many times. */
TEST(laws_are_means_of_draws)
{
    enum { DRAWS = 20000 };
    static const clump_node_account accounts[] = {CLUMP_NODE_STEADY, CLUMP_NODE_MEAN_TIME,
                                                  CLUMP_NODE_LONGEST_TIME};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t nics = 1; nics <= 5; nics += 2)
        for (size_t k = 1; k <= 12; k += k < 4 ? 1 : 4)
            for (size_t a = 0; a < 3; a++)
                for (int drawn = 0; drawn < 2; drawn++) {
                    const double ratio = 1.3 * (double)nics;
                    double sum = 0;
                    for (size_t d = 0; d < (drawn ? DRAWS : 1); d++) {
                        double on[8] = {0}, rate = 0, time = 0, longest = 0;
                        for (size_t i = 0; i < k; i++)
                            on[drawn ? gsl_rng_uniform_int(random, nics) : i % nics]++;
                        for (size_t i = 0; i < nics; i++) {
                            /* Each carries 1/nics of the total, a process alone 1/ratio. */
                            const double each = fmax(ratio, on[i] * (double)nics);
                            rate += on[i] / each;
                            time += on[i] * each;
                            longest = fmax(longest, on[i] > 0 ? each : 0);
                        }
                        sum += a == 0 ? rate : a == 1 ? time / (double)k : longest;
                    }
                    const double mean = sum / (drawn ? DRAWS : 1);
                    clump_node_crowd crowd;
                    assert_int_equal(
                        clump_node_crowd_make(drawn ? CLUMP_NODE_AT_RANDOM : CLUMP_NODE_IN_TURNS,
                                              accounts[a], (double)nics, (double)k, &crowd, NULL),
                        CLUMP_OK);
                    const double law = clump_node_law(&crowd, ratio);
                    const double expected = a == 0 ? mean : (double)k / mean;
                    if (!(fabs(law / expected - 1) < (drawn ? 0.02 : 1e-12)))
                        fail_msg("%zu NICs, %zu pairs, account %zu: %g, expected %g", nics, k, a,
                                 law, expected);
                }
    gsl_rng_free(random);
}

/* Assignments at random look like losses: N is right, or not told. */
TEST(draws_do_not_deceive)
{
    const plan p = {&drawn_3, STEADY, 8, 6, false};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    for (int trial = 0; trial < 3; trial++) {
        clump_store *store = make_store(&p, 0.01, random);
        clump_node_fit fit;
        fit_store(store, 0, &fit);
        const clump_node_value *v = &fit.values[CLUMP_NODE_NICS];
        assert_true(!v->known || (v->low <= 3 && !(v->high < 3)));
        clump_node_fit_free(&fit);
        clump_store_close(store);
    }
    gsl_rng_free(random);
}

/* Two numbers of pairs, once each: nothing tells how much runs differ, and intervals hold it all the same. */
TEST(single_runs_are_not_exact)
{
    const plan p = {&limited, MEAN, 2, 1, false};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    simulate_all(&p);
    clump_store *store = make_store(&p, 0, random);
    clump_node_fit fit;
    fit_store(store, 0, &fit);
    const clump_node_value *v = &fit.values[CLUMP_NODE_PROCESS_RATE];
    assert_true(v->known && v->low < v->value * 0.97 && v->high > v->value * 1.03);
    assert_true(v->low > v->value * 0.8 && v->high < v->value * 1.2);
    clump_node_fit_free(&fit);
    clump_store_close(store);
    gsl_rng_free(random);
}

/* With noise intervals hold the truth as often as they say. */
/* Five runs of each number of pairs from 1 on, which scatter by some thousandths. */
static void fit_rates(const double *rates, size_t count, clump_node_curve *curve)
{
    static const double scatter[] = {-0.004, -0.002, 0, 0.002, 0.004};
    const clump_node_curve_options options = {.account = CLUMP_NODE_STEADY,
                                              .only = true,
                                              .sharing = CLUMP_NODE_POOLED,
                                              .nics = 1,
                                              .scatter = NAN,
                                              .scatter_freedom = NAN};
    clump_node_point points[80];
    for (size_t i = 0; i < 5 * count; i++)
        points[i] = (clump_node_point){(double)(i / 5 + 1), log(rates[i / 5]) + scatter[i % 5]};
    assert_int_equal(clump_node_curve_fit(points, 5 * count, &options, curve, NULL), CLUMP_OK);
}

/* Of two NICs, one for each process. That two pairs are slow is no loss, and takes nothing from what one reaches alone. */
TEST(slow_pairs_are_no_loss)
{
    static const double slow[] = {1, 1.90, 1.97, 1.98}, slower[] = {1, 1.72, 2.01, 1.99};
    clump_node_curve curve;
    fit_rates(slow, 4, &curve);
    assert_true(curve.full && curve.ratio.low < 2 && curve.ratio.high > 2);
    assert_true(curve.loss.value == 0 && curve.loss.low == 0);
    assert_true(fabs(curve.process.value - 1) < 1e-9 && fabs(curve.ratio.value / 2 - 1) < 0.05);
    fit_rates(slower, 4, &curve);
    assert_true(curve.loss.value == 0 && fabs(curve.process.value - 1) < 1e-9);
    assert_true(fabs(curve.ratio.value / 2 - 1) < 0.05 && fabs(curve.total.value / 2 - 1) < 0.05);
    /* one process that fills what there is */
    static const double flat[] = {1.01, 1, 0.99, 1};
    fit_rates(flat, 4, &curve);
    assert_true(curve.ratio.value == 1 && fabs(curve.process.value - 1.01) < 1e-9);
    /* a loss that all numbers of pairs tell of */
    double rates[8];
    for (size_t k = 1; k <= 8; k++)
        rates[k - 1] = fmin((double)k, 2) / (1 + 0.05 * (double)(k - 1));
    fit_rates(rates, 8, &curve);
    assert_true(fabs(curve.loss.value / 0.05 - 1) < 0.02);
    assert_true(fabs(curve.total.value / 2 - 1) < 0.005 && fabs(curve.ratio.value / 2 - 1) < 0.005);
}

TEST(intervals_cover)
{
    const bool is_long = getenv("CLUMP_TEST_LONG") != NULL;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const size_t trials = is_long ? 1000 : i < 5 ? 8 : 3;
        const plan *p = &plans[i];
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        truth t = truth_of(p->node, p->most, given[i]);
        size_t held[CLUMP_NODE_NAMES] = {0}, known[CLUMP_NODE_NAMES] = {0};
        simulate_all(p);
        /* What is found without noise, which the test above compares with the node: a simulation has edges. */
        clump_store *calm = make_store(p, 0, random);
        clump_node_fit found;
        fit_store(calm, given[i], &found);
        for (size_t k = 0; k < CLUMP_NODE_NAMES; k++)
            t.values[k] = isnan(t.values[k]) ? NAN : found.values[k].value;
        clump_node_fit_free(&found);
        clump_store_close(calm);
        for (size_t trial = 0; trial < trials; trial++) {
            clump_store *store = make_store(p, 0.01, random);
            clump_node_fit fit;
            fit_store(store, given[i], &fit);
            for (size_t k = 0; k < CLUMP_NODE_NAMES; k++) {
                const clump_node_value *v = &fit.values[k];
                known[k] += v->known;
                held[k] += v->known && (isnan(v->low) || v->low <= t.values[k]) &&
                           (isnan(v->high) || v->high >= t.values[k]);
            }
            clump_node_fit_free(&fit);
            clump_store_close(store);
        }
        gsl_rng_free(random);
        for (size_t k = 0; k < CLUMP_NODE_NAMES; k++) {
            if (isnan(t.values[k]) || known[k] == 0)
                continue;
            const double share = (double)held[k] / (double)known[k];
            if (getenv("SHOW") != NULL)
                printf("%zu %-24s %zu %.3f\n", i, clump_node_key((clump_node_name)k), known[k],
                       share);
            else if (share < (is_long ? 0.90 : 0.5))
                fail_msg("node %zu: %s is covered in %.1f%% of %zu", i,
                         clump_node_key((clump_node_name)k), 100 * share, known[k]);
        }
    }
}

UNIT_MAIN(NULL, NULL)
