/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the n-th allocation on all fail, for every n, while LogGP parameters and a node are fitted. */
#include "fitting/loggp/loggp_fit.h"
#include "fitting/node/node_fit.h"
#include "tests/unit/failing_memory.h"

#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "tests/unit/unit.h"

static void add_series(clump_store *store, const char *quantity, int64_t window)
{
    int64_t id;
    assert_int_equal(clump_store_add_series(store,
                                            &(clump_store_series){.platform = "p",
                                                                  .quantity = quantity,
                                                                  .statistic = "mean",
                                                                  .source = "made up",
                                                                  .window = window},
                                            &id),
                     CLUMP_STORE_OK);
    for (int64_t run = 1; run <= 2; run++)
        for (int64_t size = 1; size <= 65536; size *= 4) {
            const double time = (size < 1024 ? 3 : 8) + 0.001 * (double)size;
            assert_int_equal(clump_store_add_sample(
                                 store, id,
                                 &(clump_store_measurement){.value = time * (double)(50 + run),
                                                            .half_width = NAN,
                                                            .std_dev = NAN,
                                                            .size_bytes = size,
                                                            .run = run}),
                             CLUMP_STORE_OK);
        }
}

static clump_store *make_store(void)
{
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    assert_int_equal(
        clump_store_add_source(
            store, &(clump_store_source){.name = "made up", .kind = "inline", .title = "made up"}),
        CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_platform(store, &(clump_store_platform){.name = "p",
                                                                             .title = "p",
                                                                             .nodes = 1,
                                                                             .processors = 1,
                                                                             .nics = 1,
                                                                             .source = "made up"}),
                     CLUMP_STORE_OK);
    add_series(store, "half_round_trip", 0);
    add_series(store, "message_gap", 16);
    add_series(store, "send_time", 0);
    add_series(store, "receive_time", 0);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    return store;
}

TEST(test_every_allocation_may_fail)
{
    static const clump_loggp_filter filter = {.platform = "p"};
    static const clump_fit_options options = {100, 1};
    clump_store *store = make_store();
    long failures = 0;
    for (long fail_at = 0;; fail_at++) {
        clump_loggp_fit fit;
        clump_error error = {CLUMP_OK, ""};
        memset(&fit, 0x5a, sizeof fit);
        allocations_fail_from(fail_at);
        const clump_status status = clump_loggp_fit_run(store, &filter, &options, &fit, &error);
        const bool failed = allocations_succeed() > 0;
        if (status == CLUMP_OK) {
            assert_true(fit.values[CLUMP_LOGGP_L].known);
            clump_loggp_fit_free(&fit);
            if (!failed)
                break;
            continue; /* a library that it rests on did without */
        }
        assert_true(failed);
        assert_true(status == CLUMP_NO_MEMORY || strstr(error.message, "memory") != NULL);
        for (size_t i = 0; i < sizeof fit; i++) /* nothing was written */
            assert_int_equal(((const unsigned char *)&fit)[i], 0x5a);
        failures++;
    }
    assert_true(failures > 60); /* the wrapper did take effect */
    clump_store_close(store);
}

/* Rates of 1, 2, 4 and 8 pairs, which four of them fill. */
static void add_pairs(clump_store *store)
{
    int64_t id;
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    for (int64_t pairs = 1; pairs <= 8; pairs *= 2)
        for (int both = 0; both < 2; both++) {
            const clump_store_series series = {.platform = "p",
                                               .quantity = both ? "transfer_rate_both_ways"
                                                                : "transfer_rate",
                                               .statistic = "mean",
                                               .source = "made up",
                                               .benchmark = "mine",
                                               .processes = 2 * pairs};
            assert_int_equal(clump_store_add_series(store, &series, &id), CLUMP_STORE_OK);
            for (int64_t size = 8; size <= 1 << 20; size *= 32) {
                const double rate =
                    (double)(pairs < 4 ? pairs : 4) * (1 + both) * 1000 / (1 + 1000 / (double)size);
                const clump_store_measurement m = {
                    .value = rate, .half_width = NAN, .std_dev = NAN, .size_bytes = size};
                assert_int_equal(clump_store_add_sample(store, id, &m), CLUMP_STORE_OK);
            }
        }
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
}

TEST(test_every_allocation_of_a_node_may_fail)
{
    static const clump_node_filter filter = {.platform = "p"};
    static const clump_node_known known = {.nics = 4};
    clump_store *store = make_store();
    long failures = 0;
    add_pairs(store);
    for (long fail_at = 0;; fail_at++) {
        clump_node_fit fit;
        clump_error error = {CLUMP_OK, ""};
        memset(&fit, 0x5a, sizeof fit);
        allocations_fail_from(fail_at);
        const clump_status status = clump_node_fit_run(store, &filter, &known, &fit, &error);
        const bool failed = allocations_succeed() > 0;
        if (status == CLUMP_OK) {
            assert_true(fit.values[CLUMP_NODE_PER_PROCESS].known);
            assert_true(fabs(fit.values[CLUMP_NODE_PER_PROCESS].value - 1) < 0.01);
            assert_true(fabs(fit.values[CLUMP_NODE_DUPLEX].value - 2) < 0.01);
            clump_node_fit_free(&fit);
            if (!failed)
                break;
            continue;
        }
        assert_true(failed);
        assert_true(status == CLUMP_NO_MEMORY || strstr(error.message, "memory") != NULL);
        for (size_t i = 0; i < sizeof fit; i++)
            assert_int_equal(((const unsigned char *)&fit)[i], 0x5a);
        failures++;
    }
    assert_true(failures > 25);
    clump_store_close(store);
}

UNIT_MAIN(NULL, NULL)
