/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages ask of NICs where ranks share nodes: against times that were added up by hand, and against
 * another way of counting. */
#include "model/workload/placed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const clump_loggp network = {.latency_us = 5,
                                    .send_overhead_us = 1,
                                    .receive_overhead_us = 2,
                                    .gap_us = 3,
                                    .gap_us_per_byte = 0.01};
static const clump_loggp memory = {.latency_us = 0.5,
                                   .send_overhead_us = 0.2,
                                   .receive_overhead_us = 0.3,
                                   .gap_us = 0.6,
                                   .gap_us_per_byte = 0.001};

static void near(double found, double expected)
{
    assert_true(fabs(found - expected) < 1e-9 * fmax(fabs(expected), 1));
}

/* A chain of four ranks on two nodes: 100 messages of 1001 bytes each way between neighbours. */
static void test_chain(void **state)
{
    (void)state;
    clump_placed_messages m[6];
    clump_placed_style styles[4] = {{0, 0}};
    clump_placed_rank p[4];
    size_t n = 0;
    for (uint32_t i = 0; i < 3; i++) {
        m[n++] = (clump_placed_messages){i, i + 1, 100, 100100};
        m[n++] = (clump_placed_messages){i + 1, i, 100, 100100};
    }
    assert_int_equal(clump_placed_compute(m, n, 4, 2, &network, &memory, styles, p, NULL),
                     CLUMP_OK);
    /* a message: 3 + 1000 x 0.01 = 13 us; by memory 0.6 + 1 = 1.6 us; both directions at once */
    near(p[0].now_us, 1300);
    near(p[1].now_us, 2600);
    near(p[0].remote_us, 0);
    near(p[1].remote_us, 1300);
    near(p[1].nic_us, 1300);
    near(p[0].local_us, 160);
    near(p[1].local_us, 160);
    near(p[1].remote_messages, 100);
    near(p[2].remote_bytes, 100100);
    /* one after the other, each waited for: 13 + 13 + (1 + 5 + 2 - 3) */
    for (size_t i = 0; i < 4; i++)
        styles[i] = (clump_placed_style){1, 1};
    assert_int_equal(clump_placed_compute(m, n, 4, 2, &network, &memory, styles, p, NULL),
                     CLUMP_OK);
    near(p[0].now_us, 100 * (13 + 13 + 5));
    near(p[1].remote_us, 100 * (13 + 13 + 5));
    near(p[1].nic_us, 2600);
    near(p[1].local_us, 100 * (1.6 + 1.6 + 0.4));
}

/* One that gathers: its NIC is busy with what it receives, or its processor with taking it. */
static void test_gather(void **state)
{
    (void)state;
    clump_placed_messages m[3];
    const clump_placed_style styles[4] = {{0, 0}};
    clump_placed_rank p[4];
    for (uint32_t i = 0; i < 3; i++)
        m[i] = (clump_placed_messages){i + 1, 0, 10, 10};
    assert_int_equal(clump_placed_compute(m, 3, 4, 1, &network, NULL, styles, p, NULL), CLUMP_OK);
    near(p[0].remote_us, 90); /* 30 g */
    near(p[0].received_us, 90);
    near(p[0].sent_us, 0);
    near(p[1].remote_us, 30);
    clump_loggp slow = network;
    slow.receive_overhead_us = 20;
    assert_int_equal(clump_placed_compute(m, 3, 4, 1, &slow, NULL, styles, p, NULL), CLUMP_OK);
    near(p[0].remote_us, 600); /* 30 o_r */
    near(p[0].nic_us, 90);
}

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* All messages one by one, of random pairs and sizes; on nodes of any size. */
static void test_random(void **state)
{
    (void)state;
    enum { RANKS = 12, MESSAGES = 400 };
    uint64_t seed = 11;
    clump_placed_messages m[MESSAGES];
    clump_placed_style styles[RANKS];
    for (size_t i = 0; i < MESSAGES; i++) {
        m[i].from = (uint32_t)(RANKS * uniform(&seed));
        m[i].to = (uint32_t)(RANKS * uniform(&seed));
        m[i].messages = 1;
        m[i].bytes = 1 + floor(5000 * uniform(&seed));
    }
    for (size_t i = 0; i < RANKS; i++)
        styles[i] = (clump_placed_style){uniform(&seed), uniform(&seed)};
    for (size_t P = 1; P <= RANKS; P++) {
        clump_placed_rank p[RANKS];
        assert_int_equal(
            clump_placed_compute(m, MESSAGES, RANKS, P, &network, &memory, styles, p, NULL),
            CLUMP_OK);
        for (uint32_t r = 0; r < RANKS; r++) {
            double out = 0, in = 0, received = 0, sent = 0;
            for (size_t i = 0; i < MESSAGES; i++) {
                const double t = clump_loggp_one_way_us(&network, m[i].bytes) - 8 + 3;
                if (m[i].from == r && m[i].to / P != r / P) {
                    out += t;
                    sent++;
                }
                if (m[i].to == r && m[i].from / P != r / P) {
                    in += t;
                    received++;
                }
            }
            const double both =
                out > in ? out + styles[r].serial_share * in : in + styles[r].serial_share * out;
            const double all = both + styles[r].waited_share * received * 5;
            near(p[r].nic_us, both);
            near(p[r].remote_us, all > sent + 2 * received ? all : sent + 2 * received);
            assert_true(p[r].remote_us <= p[r].now_us + 1e-9);
            if (P == 1)
                near(p[r].now_us, p[r].remote_us);
            if (P == RANKS)
                near(p[r].remote_us, 0);
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    clump_placed_messages m = {0, 1, 1, 1};
    const clump_placed_style styles[2] = {{0, 0}};
    clump_placed_rank p[2];
    clump_error error;
    assert_true(clump_placed_is_local(&m, 1, 2));
    assert_int_equal(clump_placed_compute(&m, 1, 2, 2, &network, NULL, styles, p, &error),
                     CLUMP_BAD_ARGUMENT);
    m.to = 2;
    assert_int_equal(clump_placed_compute(&m, 1, 2, 1, &network, NULL, styles, p, &error),
                     CLUMP_BAD_ARGUMENT);
    m = (clump_placed_messages){0, 1, -1, 1};
    assert_int_equal(clump_placed_compute(&m, 1, 2, 1, &network, NULL, styles, p, &error),
                     CLUMP_BAD_ARGUMENT);
    m = (clump_placed_messages){0, 1, 1, INFINITY};
    assert_int_equal(clump_placed_compute(&m, 1, 2, 1, &network, NULL, styles, p, &error),
                     CLUMP_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
