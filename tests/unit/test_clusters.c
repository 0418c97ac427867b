/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters of today: predictions from samples that are made up here, with results by hand, and every
 * allocation that fails. tests/cli/test_validate_clusters.sh judges by the measured ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fitting/clusters/clusters.h"
#include "fitting/clusters/pairs.h"
#include "golden.h"

/* Linked with --wrap=malloc and realloc: the n-th allocation of ours fails, for every n. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);

static long countdown = -1; /* allocations until one fails; negative: none fails */

static bool fails_now(void)
{
    if (countdown > 0)
        countdown--;
    else if (countdown == 0)
        return true;
    return false;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return fails_now() ? NULL : __real_realloc(block, size);
}

static clump_store *store;

#define GOOD(call)                                                                                 \
    do                                                                                             \
        if ((call) != CLUMP_STORE_OK)                                                              \
            fail_msg("%s", clump_store_message(store));                                            \
    while (0)

static int open_store(void **state)
{
    (void)state;
    if (clump_store_open(NULL, CLUMP_STORE_WRITE, &store) != CLUMP_STORE_OK)
        return 1;
    const clump_store_source source = {.name = "made up", .kind = "inline", .title = "made up"};
    const clump_store_platform pooled = {.name = "pooled",
                                         .title = "one NIC",
                                         .nodes = 8,
                                         .processors = 8,
                                         .nics = 1,
                                         .mapping = "pooled",
                                         .source = "made up"};
    clump_store_platform several = pooled;
    several.name = "static";
    several.nics = 2;
    several.mapping = "static";
    GOOD(clump_store_begin(store));
    GOOD(clump_store_add_source(store, &source));
    GOOD(clump_store_add_platform(store, &pooled));
    GOOD(clump_store_add_platform(store, &several));
    GOOD(clump_store_commit(store));
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    clump_store_close(store);
    return 0;
}

/* Rates in B/us of messages of these sizes; 0: none. */
static void add_rates(const char *platform, const char *transport, int64_t processes,
                      const int64_t *sizes, const double *rates, size_t count)
{
    const clump_store_series series = {.platform = platform,
                                       .quantity = "transfer_rate",
                                       .transport = transport,
                                       .statistic = "mean",
                                       .source = "made up",
                                       .benchmark = "one",
                                       .window = 64,
                                       .processes = processes};
    int64_t id = 0;
    GOOD(clump_store_add_series(store, &series, &id));
    for (size_t i = 0; i < count; i++) {
        const clump_store_measurement measured = {
            .value = rates[i], .half_width = NAN, .std_dev = NAN, .size_bytes = sizes[i]};
        if (rates[i] > 0)
            GOOD(clump_store_add_sample(store, id, &measured));
    }
}

static clump_cluster_judgement judge(const clump_cluster_request *request)
{
    clump_cluster_judgement judgement;
    clump_error error;
    if (clump_clusters_judge(store, request, &judgement, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return judgement;
}

static const clump_cluster_row *find(const clump_cluster_judgement *j, int64_t processes,
                                     int64_t size)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->rows[i].processes == processes && j->rows[i].size_bytes == size)
            return &j->rows[i];
    return NULL;
}

static void test_station(void **state)
{
    (void)state;
    /* 8 bytes at 160 B/us: 0.05 us a message, of which 8/1000 are the bytes'. */
    const clump_nic_station station = clump_nic_station_of(1000, 8, 160, 1);
    assert_close(station.gap_us, 0.042, 1e-15);
    assert_close(station.gap_us_per_byte, 0.001, 1e-15);
    assert_close(clump_nic_station_rate(&station, 58, 5), 10, 1e-15);
    /* Two NICs of 1000 B/us, with 4 processes on them: 0.1 us a message at each. */
    const clump_nic_station two = clump_nic_station_of(1000, 8, 160, 2);
    assert_close(two.gap_us, 0.092, 1e-15);
    assert_close(clump_nic_station_rate(&two, 8, 1), 10, 1e-15);
    assert_close(clump_nic_station_rate(&two, 8, 2), 20, 1e-15);
    assert_close(clump_nic_station_rate(&two, 8, 7), 20, 1e-15);
    /* What the most pairs reach the NIC can do, even if one pair did not. */
    const clump_nic_station more = clump_nic_station_of(1000, 1e6, 1250, 1);
    assert_close(more.gap_us, 0, 1e-12);
    assert_close(more.gap_us_per_byte, 0.0008, 1e-15);
}

static const int64_t sizes[] = {1, 8, 64, 4096, 65536};

static void add_pairs(void)
{
    static const double one[] = {1, 8, 64, 3000, 1000}, other[] = {2, 16, 128, 5000, 9000},
                        four[] = {5, 40, 0, 0, 9500}, eight[] = {4, 40, 0, 0, 0};
    GOOD(clump_store_begin(store));
    add_rates("pooled", "slow", 2, sizes, one, 5);
    add_rates("pooled", "slow", 8, sizes, four, 5);
    add_rates("pooled", "slow", 16, sizes, eight, 5);
    add_rates("pooled", "fast", 2, sizes, other, 5);
    add_rates("pooled", "shared-memory", 2, sizes, other, 5);
    GOOD(clump_store_commit(store));
}

static void test_pairs(void **state)
{
    (void)state;
    add_pairs();
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_PAIRS};
    clump_cluster_judgement j = judge(&request);
    assert_int_equal(j.count, 14); /* 2, 4 and 8 pairs, without 8 bytes of the last */
    assert_null(find(&j, 16, 8));
    /* 40 B/us of 8 bytes are 0.2 us a message; G = 1/9000 of the faster transport. */
    const double G = 1.0 / 9000, g = 0.2 - 8 * G;
    const clump_cluster_row *row = find(&j, 8, 8);
    assert_close(row->predicted, 32, 1e-15);
    assert_close(row->error, -0.2, 1e-12);
    assert_string_equal(row->limit, "processes");
    assert_string_equal(row->part, "4 pairs");
    assert_string_equal(row->set, "pooled, slow, one");
    row = find(&j, 16, 64);
    assert_close(row->predicted, 64 / (g + 64 * G), 1e-12);
    assert_string_equal(row->limit, "NIC");
    assert_true(isnan(row->measured) && isnan(row->error));
    assert_close(row->rivals[0], 512, 1e-15);
    assert_close(row->rivals[1], 512, 1e-15);
    row = find(&j, 16, 65536);
    assert_close(row->predicted, 8000, 1e-15);
    row = find(&j, 16, 4096);
    assert_close(row->predicted, 4096 / (g + 4096 * G), 1e-12);
    assert_close(row->rivals[1], 9000, 1e-15);
    const clump_cluster_summary all = clump_clusters_summarize(&j, NULL, NULL);
    assert_int_equal(all.count, 4); /* three of 4 pairs, one of 8 */
    assert_int_equal(all.alone, 10);
    const clump_cluster_summary four = clump_clusters_summarize(&j, NULL, "4 pairs");
    assert_int_equal(four.count, 3);
    assert_close(four.mean_absolute, (0.2 + 0.2 + (1 - 4000.0 / 9500)) / 3, 1e-12);
    assert_int_equal(four.greatest_size, 65536);
    clump_clusters_free(&j);
}

/* Any allocation may fail: a message, nothing lost, and nothing given back. */
static void test_no_memory(void **state)
{
    (void)state;
    add_pairs();
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_PAIRS};
    clump_status status = CLUMP_NO_MEMORY;
    for (long n = 0; status != CLUMP_OK && n < 100000; n++) {
        clump_cluster_judgement j;
        clump_error error;
        countdown = n;
        status = clump_clusters_judge(store, &request, &j, &error);
        countdown = -1;
        if (status == CLUMP_OK)
            clump_clusters_free(&j);
        else
            assert_true(status == CLUMP_NO_MEMORY || status == CLUMP_INCONSISTENT);
    }
    assert_int_equal(status, CLUMP_OK);
}

static void test_refused(void **state)
{
    (void)state;
    clump_cluster_judgement j;
    clump_error error;
    clump_cluster_request request = {.kind = CLUMP_CLUSTER_PAIRS};
    assert_int_equal(clump_clusters_judge(store, &request, &j, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "expected osu_mbw_mr"));
    request.platform = "nowhere";
    assert_int_equal(clump_clusters_judge(store, &request, &j, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "nowhere"));
    assert_int_equal(clump_cluster_kind_find("pairs"), CLUMP_CLUSTER_PAIRS);
    assert_int_equal(clump_cluster_kind_find("pair"), CLUMP_CLUSTER_KINDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_station),
        cmocka_unit_test_setup_teardown(test_pairs, open_store, close_store),
        cmocka_unit_test_setup_teardown(test_no_memory, open_store, close_store),
        cmocka_unit_test_setup_teardown(test_refused, open_store, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
