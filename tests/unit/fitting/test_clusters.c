/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters of today: predictions from samples that are made up here, with results by hand, and every
 * allocation that fails. tests/cli/test_validate_clusters.sh judges by the measured ones. */
#include "tests/unit/unit.h"

#include "fitting/clusters/clusters.h"
#include "fitting/clusters/collective_samples.h"
#include "fitting/clusters/collectives.h"
#include "fitting/clusters/nic_exchange.h"
#include "fitting/clusters/node_rates.h"
#include "fitting/node/node_samples.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/golden.h"

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
    const clump_store_application program = {
        .name = "program", .title = "a program", .source = "made up"};
    GOOD(clump_store_add_application(store, &program));
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

static clump_cluster_sample of_pairs(const char *quantity, int64_t processes, int64_t size,
                                     double value)
{
    return (clump_cluster_sample){.quantity = quantity,
                                  .transport = "mpi",
                                  .processes = processes,
                                  .size_bytes = size,
                                  .value = value};
}

TEST(test_node_of_windows)
{
    static const char rate[] = "transfer_rate";
    clump_cluster_sample table[] = {
        of_pairs(rate, 2, 8, 10),         of_pairs(rate, 2, 128, 150),
        of_pairs(rate, 2, 4096, 1000),    of_pairs(rate, 2, 8192, 1040),
        of_pairs(rate, 2, 1048576, 2000), of_pairs(rate, 8, 8, 20),
        of_pairs(rate, 8, 128, 160),      of_pairs(rate, 8, 4096, 1234),
        of_pairs(rate, 8, 1048576, 4000),
    };
    clump_node_rates node;
    const char *limit;
    assert_false(clump_node_rates_make(table + 5, 4, CLUMP_NODE_ALL_SIZES, 2000, &node));
    assert_true(clump_node_rates_make(table, 9, CLUMP_NODE_THREE_SIZES, 2000, &node));
    assert_close(node.most, 4, 0);
    assert_close(node.lanes, 2, 1e-12);
    assert_close(clump_node_rates_total(&node), 4000, 1e-9);
    /* At the sizes that are read, with the most pairs: what was measured. */
    assert_true(clump_node_rates_reads(&node, 8) && clump_node_rates_reads(&node, 128) &&
                clump_node_rates_reads(&node, 1048576) && !clump_node_rates_reads(&node, 4096));
    assert_close(clump_node_rates_at(&node, 4, 8, &limit), 20, 1e-12);
    assert_string_equal(limit, "NIC");
    /* Between them a message costs what lies on a line: 0.8 us at 128 B, 262.144 at 1 MiB. */
    const double cost = 0.8 + (4096 - 128.0) / (1048576 - 128) * (262.144 - 0.8);
    assert_close(clump_node_rates_at(&node, 4, 4096, &limit), 4096 / cost, 1e-9);
    assert_close(clump_node_rates_at(&node, 1, 4096, &limit), 1000, 1e-12);
    assert_string_equal(limit, "processes");
    assert_true(isnan(clump_node_rates_at(&node, 2, 4, NULL)));
    /* All sizes: what the most pairs reached at each. */
    assert_true(clump_node_rates_make(table, 9, CLUMP_NODE_ALL_SIZES, 2000, &node));
    assert_close(clump_node_rates_at(&node, 4, 4096, &limit), 1234, 1e-9);
    /* Memory of GPUs: 8192 B take 3.78 us more than 4096, 1083.4 B/us on each of two paths. */
    for (size_t i = 0; i < 9; i++)
        table[i].transport = "mpi-gpu";
    assert_true(clump_node_rates_make(table, 9, CLUMP_NODE_THREE_SIZES, 2000, &node));
    const double path = 2 * 4096 / (8192 / 1040.0 - 4096 / 1000.0);
    assert_close(clump_node_rates_at(&node, 4, 4096, &limit), path, 1e-9);
    assert_string_equal(limit, "GPU path");
}

/* A round of k pairs over one NIC. */
static double round_by_means(size_t pairs, double alone, double cost)
{
    /* Mean value analysis: exact for the closed network, and no recursion of Erlang's. */
    double queue = 0, cycle = alone;
    for (size_t k = 1; k <= pairs; k++) {
        const double wait = cost * (1 + queue);
        cycle = alone - cost + wait;
        queue = (double)k / cycle * wait;
    }
    return cycle;
}

TEST(test_node_of_ping_pongs)
{
    static const char trip[] = "half_round_trip";
    const clump_cluster_sample table[] = {
        of_pairs(trip, 2, 8, 2),  of_pairs(trip, 2, 128, 2.5), of_pairs(trip, 2, 1048576, 100),
        of_pairs(trip, 16, 8, 3), of_pairs(trip, 16, 128, 5),  of_pairs(trip, 16, 1048576, 700),
    };
    clump_node_rates node;
    assert_true(clump_node_rates_make(table, 6, CLUMP_NODE_THREE_SIZES, NAN, &node));
    assert_close(node.company, 0.5, 1e-12);
    for (size_t i = 3; i < 6; i++)
        assert_close(clump_node_rates_at(&node, 8, (double)table[i].size_bytes, NULL),
                     table[i].value, 1e-9);
    for (size_t k = 2; k < 40; k++)
        assert_close(clump_node_rates_at(&node, (double)k, 128, NULL),
                     round_by_means(k, 3.75, node.costs[1].us), 1e-9);
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

/* One value of a log. */
static void add_log_value(const clump_store_series *like, int64_t processes, int64_t size,
                          double value)
{
    clump_store_series series = *like;
    series.source = "made up";
    series.processes = processes;
    if (series.statistic == NULL)
        series.statistic = "mean";
    int64_t id = 0;
    GOOD(clump_store_add_series(store, &series, &id));
    const clump_store_measurement measured = {
        .value = value, .half_width = NAN, .std_dev = NAN, .size_bytes = size};
    GOOD(clump_store_add_sample(store, id, &measured));
}

/* IMB with 8 processes on two nodes: its first 2 and 4 are of one, and each row tells bytes and messages. */
TEST_WITH(test_pairs_of_one_node, open_store, close_store)
{
    static const char *const names[] = {"IMB Uniband", "IMB Biband"};
    GOOD(clump_store_begin(store));
    for (size_t both = 0; both < 2; both++) {
        const clump_store_series rate = {.platform = "pooled",
                                         .benchmark = names[both],
                                         .transport = "tcp",
                                         .variant = "",
                                         .quantity =
                                             both ? "transfer_rate_both_ways" : "transfer_rate"};
        clump_store_series messages = rate;
        messages.quantity = "message_rate";
        for (int64_t p = 2; p <= 8; p *= 2) {
            const double inside = 1e4 * (double)p, across = both ? 2000 : 1000;
            add_log_value(&rate, p, 4096, p == 8 ? across : inside);
            add_log_value(&messages, p, 4096, (p == 8 ? across : inside) / 4096);
        }
    }
    GOOD(clump_store_commit(store));
    const clump_node_filter filter = {.platform = "pooled"};
    clump_node_samples samples = {.arena = NULL};
    clump_error error;
    assert_int_equal(clump_node_samples_read(store, &filter, &samples, &error), CLUMP_OK);
    assert_int_equal(samples.one_way.count, 1);
    assert_string_equal(samples.one_way.benchmark, "IMB Uniband");
    assert_close(samples.one_way.items[0].pairs, 4, 0);
    for (size_t i = 0; i < samples.one_way.items[0].count; i++)
        assert_close(samples.one_way.items[0].items[i].value, 1000, 0);
    assert_int_equal(samples.both_ways.count, 1);
    assert_close(samples.both_ways.items[0].items[0].value, 2000, 0);
    clump_node_samples_free(&samples);
}

/* Messages alone, as a CSV file may have them, are rates of bytes. */
TEST_WITH(test_pairs_of_message_rates, open_store, close_store)
{
    const clump_store_series messages = {.platform = "pooled",
                                         .benchmark = "mine",
                                         .transport = "tcp",
                                         .variant = "",
                                         .quantity = "message_rate"};
    GOOD(clump_store_begin(store));
    add_log_value(&messages, 2, 8, 3);
    add_log_value(&messages, 8, 8, 5);
    GOOD(clump_store_commit(store));
    const clump_node_filter filter = {.platform = "pooled"};
    clump_node_samples samples = {.arena = NULL};
    clump_error error;
    assert_int_equal(clump_node_samples_read(store, &filter, &samples, &error), CLUMP_OK);
    assert_int_equal(samples.one_way.count, 2);
    assert_close(samples.one_way.items[0].items[0].value, 24, 1e-15);
    clump_node_samples_free(&samples);
}

/* OSU with -f on memory of GPUs: average, least and greatest are one measurement; the title's CUDA is a transport. */
TEST_WITH(test_one_measurement, open_store, close_store)
{
    static const char *const statistics[] = {"min", "mean", "max"};
    GOOD(clump_store_begin(store));
    for (size_t k = 0; k < 3; k++) {
        const clump_store_series gpu = {.platform = "pooled",
                                        .benchmark = "osu_allreduce",
                                        .transport = "openmpi",
                                        .variant = "CUDA",
                                        .quantity = "operation_time",
                                        .statistic = statistics[k]};
        add_log_value(&gpu, 16, 8, 10 + (double)k);
    }
    GOOD(clump_store_commit(store));
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_COLLECTIVES};
    clump_cluster_judgement j = judge(&request);
    assert_int_equal(j.count, 1);
    assert_string_equal(j.rows[0].set, "pooled, openmpi-gpu");
    assert_non_null(j.rows[0].problem); /* there are no pairs */
    clump_clusters_free(&j);
}

/* What leaves a node at least: 8 processes on 2 nodes of 100 B/us. */
TEST(test_least_time)
{
    clump_collective_call call = {CLUMP_ALLTOALL, 1000, 8, 2, false, false, false};
    assert_close(clump_collective_least_us(&call, 100), 160, 1e-12);
    call.operation = CLUMP_ALLGATHER;
    assert_close(clump_collective_least_us(&call, 100), 40, 1e-12);
    call.operation = CLUMP_ALLREDUCE;
    assert_close(clump_collective_least_us(&call, 100), 5, 1e-12);
    assert_close(clump_collective_least_us(&call, 0), 0, 0);
}

/* Reductions of a step come from one source: two would count twice. */
TEST_WITH(test_reductions_of_two_sources, open_store, close_store)
{
    static const char *const sources[] = {"made up", "again"};
    const clump_store_source again = {.name = "again", .kind = "inline", .title = "again"};
    GOOD(clump_store_begin(store));
    GOOD(clump_store_add_source(store, &again));
    for (size_t i = 0; i < 2; i++) {
        const clump_store_series series = {.application = "program",
                                           .quantity = "reduction_count",
                                           .statistic = "single",
                                           .source = sources[i]};
        int64_t id = 0;
        GOOD(clump_store_add_series(store, &series, &id));
        const clump_store_measurement measured = {
            .value = 5, .half_width = NAN, .std_dev = NAN, .size_bytes = 4096};
        GOOD(clump_store_add_sample(store, id, &measured));
    }
    GOOD(clump_store_commit(store));
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_TRAINING};
    clump_cluster_judgement j;
    clump_error error;
    assert_int_equal(clump_clusters_judge(store, &request, &j, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "'again'"));
}

TEST_WITH(test_pairs, open_store, close_store)
{
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
    /* One platform alone: the interval is that of the facts that are shipped, whatever its own errors are. */
    const double reach = log(row->high / row->predicted);
    assert_true(reach > 0.05 && reach < 1);
    for (size_t i = 0; i < j.count; i++) {
        assert_close(log(j.rows[i].high / j.rows[i].predicted), reach, 1e-12);
        assert_close(log(j.rows[i].low / j.rows[i].predicted), -reach, 1e-12);
    }
    const clump_cluster_summary all = clump_clusters_summarize(j.rows, j.count);
    assert_int_equal(all.count, 4); /* three of 4 pairs, one of 8 */
    assert_int_equal(all.alone, 10);
    size_t first = 0, count = 0;
    while (strcmp(j.rows[first].part, "4 pairs") != 0)
        first++;
    while (first + count < j.count && strcmp(j.rows[first + count].part, "4 pairs") == 0)
        count++;
    const clump_cluster_summary four = clump_clusters_summarize(&j.rows[first], count);
    assert_int_equal(four.count, 3);
    assert_close(four.mean_absolute, (0.2 + 0.2 + (1 - 4000.0 / 9500)) / 3, 1e-12);
    assert_int_equal(four.greatest_size, 65536);
    clump_clusters_free(&j);
}

/* More processes than any machine has are left out, before they are doubled beyond all numbers. */
TEST_WITH(test_many_processes, open_store, close_store)
{
    static const double one[] = {8, 64, 4096}, most[] = {40, 320, 9500};
    static const int64_t three[] = {8, 64, 4096};
    GOOD(clump_store_begin(store));
    add_rates("pooled", "slow", 2, three, one, 3);
    add_rates("pooled", "slow", INT64_C(1) << 32, three, most, 3);
    add_rates("pooled", "slow", INT64_MAX - 1, three, most, 3);
    GOOD(clump_store_commit(store));
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_PAIRS};
    clump_cluster_judgement j = judge(&request);
    /* 4, 8... 2^31 processes, and the most but for 8 and 4096 bytes */
    assert_int_equal(j.count, 30 * 3 + 1);
    clump_clusters_free(&j);
}

/* ---- the same program behind other NICs */

TEST(test_exchange)
{
    /* 8 columns of 8, 4 rows a node: of those across rows a quarter leaves, of those along none. */
    assert_close(clump_nic_exchange_torus_share(64, 32), 0.125, 1e-15);
    assert_close(clump_nic_exchange_torus_share(128, 32), 0.125, 1e-15);
    assert_close(clump_nic_exchange_torus_share(512, 32), 0.25, 1e-15);
    /* A row is longer than a node. */
    assert_close(clump_nic_exchange_torus_share(64, 4), 0.625, 1e-15);
    assert_close(clump_nic_exchange_torus_share(7, 7), 0.5 / 7, 1e-15);
    assert_close(clump_mean_positive_part(0, 1), 0.3989422804014327, 1e-15);
    assert_close(clump_mean_positive_part(-3, 0), 0, 1e-15);
    assert_close(clump_mean_positive_part(5, 1e-9), 5, 1e-12);
    for (double mean = -40; mean <= 40; mean += 8) {
        const double part = clump_mean_positive_part(mean, 10);
        assert_close(clump_std_dev_of_positive_part(mean, part), 10, 1e-6);
    }
    assert_close(clump_std_dev_of_positive_part(5, 4), 0, 1e-15);
    assert_close(clump_std_dev_of_positive_part(-5, 0), 0, 1e-15);
}

/* Samples of both directions at 1 and 4 pairs: 100 and 400 B/us on one NIC, 50 and 100 on the other. */
TEST(test_nic_rates)
{
    clump_cluster_sample fast[] = {
        {.processes = 2, .size_bytes = 10, .value = 100},
        {.processes = 8, .size_bytes = 10, .value = 100},
        {.processes = 8, .size_bytes = 1000, .value = 400},
    };
    clump_cluster_sample slow[] = {{.processes = 8, .size_bytes = 10, .value = 100}};
    const clump_nic_rates from = {.samples = {fast, 3}, .share = 0.5};
    const clump_nic_rates to = {.samples = {slow, 1}, .share = 0.5};
    assert_close(clump_nic_rate(&from, 1, 10), 50, 1e-15);
    assert_close(clump_nic_rate(&from, 2, 1), 5, 1e-15);
    assert_close(clump_nic_rate(&from, 2, 100), 100, 1e-12);
    assert_close(clump_nic_rate(&from, 99, 1e6), 200, 1e-15);
    assert_close(clump_nic_rates_best(&from), 200, 1e-15);
    /* Half of what they carry one way they carry both ways. */
    const clump_nic_rates floored = {.samples = {slow, 1}, .share = 0.5, .one_way = {fast, 3}};
    assert_close(clump_nic_rate(&floored, 4, 10), 50, 1e-15);
    assert_close(clump_nic_rate(&floored, 4, 1000), 200, 1e-15);
    const clump_nic_change nics = {.from = &from, .to = &to};
    /* 1e9 bytes are 5 s of 8, and become 20. */
    clump_nic_exchange x = {.seconds = 8, .local_seconds = 2, .bytes = 1e9, .message_bytes = 1000};
    x.sharing = 4;
    assert_close(clump_nic_exchange_change(&x, &nics), 15, 1e-12);
    x.local_seconds = 5; /* there is not more than 3 s of it */
    assert_close(clump_nic_exchange_change(&x, &nics), 9, 1e-12);
    x.bytes = NAN;
    x.local_seconds = 9;
    assert_close(clump_nic_exchange_change(&x, &nics), 0, 1e-12);
}

static void add_value(const char *platform, const char *quantity, const char *variant,
                      int64_t processes, double value)
{
    const clump_store_series series = {.platform = platform,
                                       .application = "program",
                                       .quantity = quantity,
                                       .transport = "mpi",
                                       .variant = variant,
                                       .statistic = "single",
                                       .source = "made up",
                                       .benchmark = "mdrun",
                                       .processes = processes};
    const clump_store_measurement measured = {
        .value = value, .half_width = NAN, .std_dev = NAN, .size_bytes = -1};
    int64_t id = 0;
    GOOD(clump_store_add_series(store, &series, &id));
    GOOD(clump_store_add_sample(store, id, &measured));
}

/* GROMACS on two nodes, each process for particles and grid in turn: nothing overlaps. */
static void add_phases(void)
{
    add_value("pooled", "execution_time", "", 16, 100);
    add_value("pooled", "nodes_used", "", 16, 2);
    add_value("pooled", "phase_calls", "PME mesh", 16, 1000);
    add_value("pooled", "phase_calls", "PME 3D-FFT Comm.", 16, 2000);
    add_value("pooled", "phase_time", "PME mesh", 16, 40);
    add_value("pooled", "phase_time", "Force", 16, 50);
    add_value("pooled", "phase_time", "PME 3D-FFT Comm.", 16, 6);
}

static void add_program(void)
{
    static const double fast[] = {100, 100, 100, 4000, 4000}, slow[] = {50, 50, 50, 1000, 1000};
    GOOD(clump_store_begin(store));
    add_rates("pooled", "mpi", 16, sizes, fast, 5);
    add_rates("static", "mpi", 16, sizes, slow, 5);
    add_phases();
    add_value("pooled", "grid_points", "", 16, 1e6);
    GOOD(clump_store_commit(store));
}

/* A step of training, of `platform`, on so many processes; samples of a step. */
static void add_step(const char *platform, int64_t processes, double nodes, double time_us,
                     double batch)
{
    const struct {
        const char *quantity;
        double value;
        int64_t size;
    } samples[] = {{"step_time", time_us, -1},
                   {"nodes_used", nodes, -1},
                   {"samples_per_step", batch, -1},
                   {"reduction_count", 2, 25000000}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const clump_store_series series = {.platform = platform,
                                           .application = "program",
                                           .quantity = samples[i].quantity,
                                           .statistic = "single",
                                           .source = "made up",
                                           .benchmark = "MLPerf",
                                           .processes = processes};
        const clump_store_measurement measured = {.value = samples[i].value,
                                                  .half_width = NAN,
                                                  .std_dev = NAN,
                                                  .size_bytes = samples[i].size};
        int64_t id = 0;
        GOOD(clump_store_add_series(store, &series, &id));
        GOOD(clump_store_add_sample(store, id, &measured));
    }
}

static void add_description(const char *platform, const char *quantity, const char *kind,
                            double value)
{
    const clump_store_series series = {.platform = platform,
                                       .quantity = quantity,
                                       .variant = kind,
                                       .statistic = "max",
                                       .source = "made up"};
    const clump_store_measurement measured = {
        .value = value, .half_width = NAN, .std_dev = NAN, .size_bytes = -1};
    int64_t id = 0;
    GOOD(clump_store_add_series(store, &series, &id));
    GOOD(clump_store_add_sample(store, id, &measured));
}

/* 50 MB, 16 processes on 2 nodes: 2 * 15/16 * 50 MB are 93.75 MB each way, 9.375 ms at 10 GB/s, half of it with two NICs. */
TEST_WITH(test_number_of_nics, open_store, close_store)
{
    const clump_cluster_request request = {
        .kind = CLUMP_CLUSTER_NICS, .platform = "static", .from = "pooled"};
    GOOD(clump_store_begin(store));
    add_step("pooled", 16, 2, 40000, 160);
    GOOD(clump_store_commit(store));
    clump_cluster_judgement j = judge(&request);
    assert_int_equal(j.count, 1);
    assert_non_null(strstr(j.rows[0].problem, "nic_bandwidth"));
    clump_clusters_free(&j);
    GOOD(clump_store_begin(store));
    add_description("pooled", "nic_bandwidth", "card", 10000);
    add_description("static", "nic_bandwidth", "card", 10000);
    add_step("static", 16, 2, 36000, 320); /* of other work */
    GOOD(clump_store_commit(store));
    j = judge(&request);
    assert_null(j.rows[0].problem);
    assert_string_equal(j.rows[0].set, "training, 2 NICs from 1");
    assert_close(j.rows[0].predicted, 0.04 - 0.009375 / 2, 1e-12);
    assert_close(j.rows[0].rivals[0], 0.04, 1e-12);
    assert_close(j.rows[0].rivals[1], 0.04 - 0.005 / 2, 1e-12); /* 2 * 1/2 * 50 MB */
    assert_true(isnan(j.rows[0].measured));
    clump_clusters_free(&j);
    /* On one node, as many samples a process: 3 ms less is all that can have been waited for. */
    GOOD(clump_store_begin(store));
    add_step("static", 8, 1, 37000, 80);
    GOOD(clump_store_commit(store));
    j = judge(&request);
    assert_close(j.rows[0].predicted, 0.04 - 0.003 / 2, 1e-12);
    assert_non_null(strstr(j.rows[0].note, "some of it overlaps"));
    clump_clusters_free(&j);
    /* Other processors: other nodes, of which nothing follows. */
    GOOD(clump_store_begin(store));
    add_description("pooled", "processors_per_node", "a GPU", 8);
    add_description("static", "processors_per_node", "another GPU", 8);
    GOOD(clump_store_commit(store));
    clump_error error;
    clump_cluster_judgement none;
    assert_int_equal(clump_clusters_judge(store, &request, &none, &error), CLUMP_BAD_ARGUMENT);
}

TEST_WITH(test_other_nics, open_store, close_store)
{
    add_program();
    const clump_cluster_request request = {
        .kind = CLUMP_CLUSTER_NICS, .platform = "static", .from = "pooled"};
    clump_cluster_judgement j = judge(&request);
    assert_int_equal(j.count, 1);
    assert_null(j.rows[0].problem);
    /* 1000 steps, there and back, 4 MB, half of them leave each of two nodes: 2e9 bytes, in messages of
     * 4e6/16^2 = 15625 bytes: 0.5 s become 2 s. */
    assert_close(j.rows[0].predicted, 101.5, 1e-12);
    assert_close(j.rows[0].rivals[0], 100, 1e-12);
    assert_close(j.rows[0].rivals[1], 118, 1e-12);
    assert_true(isnan(j.rows[0].measured));
    assert_null(j.rows[0].note);
    clump_clusters_free(&j);
}

/* Rates that only one platform has say nothing of the change. */
TEST_WITH(test_other_pairs, open_store, close_store)
{
    static const double two[] = {60, 60, 60, 2000, 2000}, both[] = {30, 30, 30, 1000, 1000};
    GOOD(clump_store_begin(store));
    add_rates("pooled", "mpi", 4, sizes, two, 5);
    add_rates("static", "mpi", 4, sizes, both, 5);
    GOOD(clump_store_commit(store));
    add_program();
    GOOD(clump_store_begin(store));
    static const double many[] = {1, 1, 1, 1, 1};
    add_rates("static", "mpi", 32, sizes, many, 5);
    GOOD(clump_store_commit(store));
    const clump_cluster_request request = {
        .kind = CLUMP_CLUSTER_NICS, .platform = "static", .from = "pooled"};
    clump_cluster_judgement j = judge(&request);
    assert_close(j.rows[0].predicted, 101.5, 1e-12);
    clump_clusters_free(&j);
}

TEST_WITH(test_few_pairs, open_store, close_store)
{
    static const double fast[] = {60, 60, 60, 2000, 2000}, slow[] = {30, 30, 30, 500, 500};
    GOOD(clump_store_begin(store));
    add_rates("pooled", "mpi", 8, sizes, fast, 5);
    add_rates("static", "mpi", 8, sizes, slow, 5);
    add_phases();
    GOOD(clump_store_commit(store));
    const clump_cluster_request request = {
        .kind = CLUMP_CLUSTER_NICS, .platform = "static", .from = "pooled"};
    clump_cluster_judgement j = judge(&request);
    /* Nothing says how much is sent in the 6 s: that is not nothing. */
    assert_non_null(strstr(j.rows[0].problem, "PME 3D-FFT Comm."));
    assert_true(isnan(j.rows[0].predicted));
    clump_clusters_free(&j);
    GOOD(clump_store_begin(store));
    add_value("pooled", "grid_points", "", 16, 1e6);
    GOOD(clump_store_commit(store));
    j = judge(&request);
    assert_null(j.rows[0].problem);
    assert_string_equal(j.rows[0].note, "rates of 4 pairs");
    /* 2e9 bytes at 2000 B/us are 1 s, and become 4. */
    assert_close(j.rows[0].predicted, 103, 1e-12);
    clump_clusters_free(&j);
}

/* ---- collective operations */

/* An exchange with both neighbours in turns, step by step and process by process: who has more to wait for
 * decides. Two ends of a node share its NIC of 100 B/us; a message within takes `latency` + `gap` a byte. */
static double exchange_by_hand(size_t processes, size_t nodes, double size, double latency,
                               double gap)
{
    double at[64] = {0};
    const size_t each = processes / nodes;
    for (size_t step = 0; step < processes / 2; step++) {
        double next[64];
        const double bytes = step == 0 ? size : 2 * size;
        for (size_t r = 0; r < processes; r++) {
            const bool up = r % 2 == step % 2;
            const size_t partner = (r + (up ? 1 : processes - 1)) % processes;
            const double takes =
                r / each != partner / each ? fmax(10, 2 * bytes / 100) : latency + gap * bytes;
            next[r] = fmax(at[r], at[partner]) + takes;
        }
        memcpy(at, next, processes * sizeof *at);
    }
    double last = 0;
    for (size_t r = 0; r < processes; r++)
        last = fmax(last, at[r]);
    return last;
}

TEST(test_neighbours)
{
    clump_cluster_sample rate[] = {{.processes = 64, .size_bytes = 1, .value = 100},
                                   {.processes = 64, .size_bytes = 1000000, .value = 100}};
    clump_cluster_sample latency[] = {{.size_bytes = 1, .value = 10},
                                      {.size_bytes = 1000000, .value = 10}};
    const clump_nic_rates rates = {.samples = {rate, 2}, .share = 1};
    const clump_collective_nics nics = {.rates = &rates, .latencies = latency, .latency_count = 2};
    static const size_t shapes[][2] = {{64, 2}, {64, 4}, {48, 2}, {8, 2}, {16, 8}};
    static const double locals[][2] = {{1, 0.0001}, {5, 0.01}, {1, 0.05}, {30, 0.1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; k < sizeof locals / sizeof *locals; k++) {
            const clump_collective_call call = {
                CLUMP_ALLGATHER, 20000, (double)shapes[i][0], (double)shapes[i][1], false,
                false,           false};
            const clump_collective_local local = {.latency_us = locals[k][0],
                                                  .gap_us_per_byte = locals[k][1]};
            const clump_collective_chain chain = clump_collective_chain_of(&call, &nics);
            assert_close(clump_collective_us(&chain, &local),
                         exchange_by_hand(shapes[i][0], shapes[i][1], 20000, local.latency_us,
                                          local.gap_us_per_byte),
                         1e-12);
        }
}

/* 8 processes on 2 nodes; a NIC carries 100 B/us of anybody's, a message is there after 10 us. */
TEST(test_collectives)
{
    clump_cluster_sample rate[] = {{.processes = 8, .size_bytes = 1, .value = 100},
                                   {.processes = 8, .size_bytes = 1000000, .value = 100}};
    clump_cluster_sample latency[] = {{.size_bytes = 1, .value = 10},
                                      {.size_bytes = 1000000, .value = 10}};
    const clump_nic_rates rates = {.samples = {rate, 2}, .share = 1};
    const clump_collective_nics nics = {.rates = &rates, .latencies = latency, .latency_count = 2};
    assert_close(clump_collective_message_us(&nics, 4, 50), 10, 1e-12);
    assert_close(clump_collective_message_us(&nics, 4, 1000), 40, 1e-12);
    clump_collective_call call = {CLUMP_ALLREDUCE, 1000, 8, 2, false, false, false};
    clump_collective_chain chain = clump_collective_chain_of(&call, &nics);
    const clump_collective_local local = {.latency_us = 1, .gap_us_per_byte = 0.01};
    /* Two rounds within nodes, one between them. */
    assert_close(clump_collective_us(&chain, &local), 40 + 2 * (1 + 10), 1e-12);
    call.size_bytes =
        80000; /* a ring: 14 steps of 10,000 bytes, 2/8 of them between nodes, 100 us */
    chain = clump_collective_chain_of(&call, &nics);
    assert_close(clump_collective_us(&chain, &local), 3.5 * 100 + 10.5 * (1 + 100), 1e-12);
    const clump_collective_local fast = {.latency_us = 1,
                                         .gap_us_per_byte = 0.0001}; /* the NIC passes all 14 on */
    assert_close(clump_collective_us(&chain, &fast), 1400, 1e-12);
    const clump_collective_local slow = {.latency_us = 1000, .gap_us_per_byte = 0.1};
    assert_close(clump_collective_us(&chain, &slow), 3.5 * 100 + 10.5 * (1000 + 1000), 1e-12);
    call = (clump_collective_call){CLUMP_ALLGATHER, 100, 8, 2, false, false, false};
    chain = clump_collective_chain_of(&call, &nics); /* 100 and 200 within, 4 x 400 between */
    assert_close(clump_collective_us(&chain, &local), 16 + 2 + 3, 1e-12);
    call.size_bytes = 10000; /* a ring: 7 steps, 2/8 of them between nodes */
    call.in_rings = true;
    chain = clump_collective_chain_of(&call, &nics);
    assert_close(clump_collective_us(&chain, &slow), 1.75 * 100 + 5.25 * (1000 + 1000), 1e-12);
    call.in_rings = false;
    call.size_bytes = 100;
    call.operation = CLUMP_ALLTOALL; /* 16 messages of 100 bytes; three of each process within */
    chain = clump_collective_chain_of(&call, &nics);
    assert_close(clump_collective_us(&chain, &local), 16, 1e-12);
    assert_close(clump_collective_us(&chain, &slow), 3 * (1000 + 10), 1e-12);
    assert_close(clump_collective_behind(&call, 20, &nics, &nics), 20, 1e-12);
}

/* Pieces go down a chain of processes, `each` on a node: a process sends one when it has it and the one before is away, after
 * `busy` us between nodes, and within one when it has arrived. */
static double chain_by_hand(size_t processes, size_t each, size_t pieces, double between,
                            double busy, double within)
{
    static double had[64][256];
    memset(had, 0, sizeof had);
    for (size_t r = 1; r < processes; r++) {
        const bool crosses = r / each != (r - 1) / each;
        double away = 0;
        for (size_t k = 0; k < pieces; k++) {
            const double begun = fmax(had[r - 1][k], away);
            had[r][k] = begun + (crosses ? between : within);
            away = begun + (crosses ? busy : within);
        }
    }
    return had[processes - 1][pieces - 1];
}

/* 10,000 B/us. MPI_Send copies up to 262,144 bytes, and needs more time for 131,072 than for these. */
TEST(test_broadcasts)
{
    clump_cluster_sample rate[] = {{.processes = 8, .size_bytes = 1, .value = 10000},
                                   {.processes = 8, .size_bytes = 4194304, .value = 10000}};
    clump_cluster_sample latency[] = {
        {.size_bytes = 1, .value = 4},       {.size_bytes = 8192, .value = 8},
        {.size_bytes = 65536, .value = 100}, {.size_bytes = 131072, .value = 200},
        {.size_bytes = 262144, .value = 70}, {.size_bytes = 4194304, .value = 500}};
    const clump_nic_rates rates = {.samples = {rate, 2}, .share = 1};
    clump_collective_nics nics = {.rates = &rates, .latencies = latency, .latency_count = 6};
    const clump_collective_local local = {.latency_us = 1,
                                          .gap_us_per_byte = 0.001,
                                          .long_from = 100000, /* what is known counts */
                                          .long_latency_us = 5,
                                          .long_gap_us_per_byte = 0.0001};
    /* MPI_Isend asks from 32,768 bytes on; memory of GPUs goes to the host first, by a link as fast */
    for (int gpus = 0; gpus < 2; gpus++) {
        const double between = 70 - (gpus ? 2 : 1) * 131072 / 10000.0;
        clump_collective_call call = {.operation = CLUMP_BROADCAST,
                                      .size_bytes = 4194304,
                                      .processes = 8,
                                      .nodes = 2,
                                      .in_gpus = gpus};
        clump_collective_chain chain = clump_collective_chain_of(&call, &nics);
        assert_close(clump_collective_us(&chain, &local),
                     chain_by_hand(8, 4, 32, between, between, 5 + 13.1072), 1e-12);
        const clump_collective_local slow = {.latency_us = 100}; /* nothing is fetched */
        assert_close(clump_collective_us(&chain, &slow),
                     chain_by_hand(8, 4, 32, between, between, 100), 1e-12);
        call.processes = 32; /* 206 pieces of 65,536 */
        call.nodes = 8;
        call.size_bytes = 13500416;
        chain = clump_collective_chain_of(&call, &nics);
        const double shorter = 70 - (gpus ? 2 : 1) * (262144 - 65536) / 10000.0;
        assert_close(clump_collective_us(&chain, &local),
                     chain_by_hand(32, 4, 206, shorter, shorter, 5 + 6.5536), 1e-12);
        call.processes =
            16; /* 64 pieces of 8,192, which are copied between nodes, and fetched within one */
        call.nodes = 4;
        call.size_bytes = 524288;
        chain = clump_collective_chain_of(&call, &nics);
        assert_close(clump_collective_us(&chain, &local),
                     chain_by_hand(16, 4, 64, 8, 0.8192, 5 + 0.8192), 1e-12);
    }
    /* and where half round trips of so long messages are not known they are as they are */
    nics.latency_count = 4;
    clump_collective_call call = {
        .operation = CLUMP_BROADCAST, .size_bytes = 4194304, .processes = 8, .nodes = 2};
    assert_close(clump_collective_chain_of(&call, &nics).follow_us, 31 * 200, 1e-12);
}

/* Who exchanges halves with whom in Open MPI's split tree: odd numbers with the next one, the last one with the root. */
static double crossing_halves(size_t processes, size_t each)
{
    size_t most = 0;
    for (size_t node = 0; node < processes / each; node++) {
        size_t crossing = 0;
        for (size_t r = node * each; r < (node + 1) * each; r++) {
            const size_t pair = r % 2 == 1 ? (r + 1) % processes : (r + processes - 1) % processes;
            const bool alone = processes % 2 == 1 && r == 0;
            crossing += !alone && pair / each != node;
        }
        most = crossing > most ? crossing : most;
    }
    return (double)most;
}

TEST(test_split_tree)
{
    clump_cluster_sample rate[] = {{.processes = 64, .size_bytes = 1, .value = 100},
                                   {.processes = 64, .size_bytes = 4194304, .value = 100}};
    clump_cluster_sample latency[] = {{.size_bytes = 1, .value = 1},
                                      {.size_bytes = 4194304, .value = 1}};
    const clump_nic_rates rates = {.samples = {rate, 2}, .share = 1};
    const clump_collective_nics nics = {.rates = &rates, .latencies = latency, .latency_count = 2};
    const clump_collective_local local = {.latency_us = 1,
                                          .gap_us_per_byte = 0.1,
                                          .long_from = 100,
                                          .long_latency_us = 7,
                                          .long_gap_us_per_byte = 0.01};
    for (size_t each = 1; each <= 9; each++)
        for (size_t nodes = 1; nodes <= 6; nodes++) {
            clump_collective_call call = {.operation = CLUMP_BROADCAST,
                                          .size_bytes = 20480,
                                          .processes = (double)(each * nodes),
                                          .nodes = (double)nodes};
            if (each * nodes < 2)
                continue;
            clump_collective_chain chain = clump_collective_chain_of(&call, &nics);
            const double flows = nodes > 1 ? crossing_halves(each * nodes, each) : 0;
            assert_close(chain.exchange_us, flows * 10240 / 100, 1e-12);
            const bool within = nodes == 1 || each > 2;
            assert_close(chain.exchange_bytes, within ? 10240 : 0, 1e-12);
            clump_collective_chain tree = chain;
            tree.exchange_us = tree.exchange_bytes = 0;
            assert_close(clump_collective_us(&chain, &local),
                         clump_collective_us(&tree, &local) +
                             fmax(chain.exchange_us, within ? 1 + 1024 : 0),
                         1e-12);
        }
    /* of 524,288 bytes halves are fetched where that is known, and pieces of 8,192 are not: 64, of which each processor
     * copies half as many in or out as the root */
    const clump_collective_call call = {
        .operation = CLUMP_BROADCAST, .size_bytes = 524288, .processes = 4, .nodes = 1};
    const clump_collective_chain chain = clump_collective_chain_of(&call, &nics);
    const double piece = 1 + 819.2, first = chain.local_hops * 1 + chain.local_bytes * 0.1;
    assert_close(clump_collective_us(&chain, &local),
                 fmax(first, chain.inner_hops + chain.inner_bytes * 0.1) + 63 * piece / 2 + 7 +
                     2621.44,
                 1e-12);
}

/* Messages within its node in which the busiest processor has a part, for each piece of a half: Open MPI's tree, number by number
 * (ompi_coll_base_topo_build_tree: children are 2^level and twice that behind, where level l begins at 2^l - 1). */
static double busiest_by_hand(size_t processes, size_t each, double sender)
{
    double busiest = 0;
    for (size_t r = 0; r < processes; r++) {
        size_t distance = 1, parent = 0;
        double work = 0;
        while (2 * distance - 1 <= r)
            distance *= 2;
        for (size_t child = r + distance; child <= r + 2 * distance && child < processes;
             child += distance)
            work += child / each == r / each ? sender : 0;
        for (size_t p = 0, d = 1; p < r; p++) {
            while (2 * d - 1 <= p)
                d *= 2;
            if (p + d == r || p + 2 * d == r)
                parent = p;
        }
        work += r > 0 && parent / each == r / each ? 1 - sender : 0;
        busiest = fmax(busiest, work);
    }
    return busiest;
}

TEST(test_busiest_of_pieces)
{
    clump_cluster_sample rate[] = {{.processes = 64, .size_bytes = 1, .value = 100},
                                   {.processes = 64, .size_bytes = 4194304, .value = 100}};
    clump_cluster_sample latency[] = {{.size_bytes = 1, .value = 1},
                                      {.size_bytes = 4194304, .value = 1}};
    const clump_nic_rates rates = {.samples = {rate, 2}, .share = 1};
    const clump_collective_nics nics = {.rates = &rates, .latencies = latency, .latency_count = 2};
    for (size_t each = 1; each <= 9; each++)
        for (size_t nodes = 1; nodes <= 6; nodes++)
            for (int gpus = 0; gpus < 2 && each * nodes > 1; gpus++) {
                const clump_collective_call call = {.operation = CLUMP_BROADCAST,
                                                    .size_bytes = 20480,
                                                    .processes = (double)(each * nodes),
                                                    .nodes = (double)nodes,
                                                    .in_gpus = gpus};
                const clump_collective_chain chain = clump_collective_chain_of(&call, &nics);
                const double busiest = busiest_by_hand(each * nodes, each, gpus ? 0.92 : 0.5);
                assert_close(chain.follow_hops, 19 * busiest / 2, 1e-12);
                assert_close(chain.follow_bytes, 1024 * chain.follow_hops, 1e-12);
            }
}

/* Times of 20 sizes, of which the last 10 also add up what comes, made by known costs. */
static void make_points(clump_collective_point *points, const clump_collective_local *truth)
{
    for (size_t i = 0; i < 40; i++) {
        const double bytes = pow(2, (double)(i % 20));
        points[i].chain = (clump_collective_chain){.us = 1,
                                                   .local_hops = i < 20 ? 5 : 2,
                                                   .local_bytes = bytes,
                                                   .combined_bytes = i < 20 ? 0 : bytes};
        points[i].us = clump_collective_us(&points[i].chain, truth) * (i == 7 ? 3 : 1);
        points[i].weight = 0.05;
    }
}

TEST(test_collective_fit)
{
    clump_collective_point points[40];
    make_points(points, &(clump_collective_local){.latency_us = 0.7, .gap_us_per_byte = 0.002});
    clump_collective_local found = clump_collective_fit(points, 20, 0);
    assert_close(found.latency_us, 0.7, 1e-4);
    assert_close(found.gap_us_per_byte, 0.002, 1e-4);
    assert_true(found.combine_us_per_byte == 0 && found.long_from == 0);
    make_points(points, &(clump_collective_local){.latency_us = 0.7,
                                                  .gap_us_per_byte = 0.002,
                                                  .combine_us_per_byte = 0.0005});
    found = clump_collective_fit(points, 40, 0);
    assert_close(found.gap_us_per_byte, 0.002, 1e-3);
    assert_close(found.combine_us_per_byte, 0.0005, 1e-3);
    assert_true(found.long_from == 0);
    /* from 8,000 bytes on messages are fetched, which costs more once and less for each byte */
    make_points(points, &(clump_collective_local){.latency_us = 0.7,
                                                  .gap_us_per_byte = 0.002,
                                                  .long_from = 8000,
                                                  .long_latency_us = 10,
                                                  .long_gap_us_per_byte = 0.0002});
    found = clump_collective_fit(points, 40, 0);
    assert_close(found.latency_us, 0.7, 1e-3);
    assert_close(found.gap_us_per_byte, 0.002, 1e-3);
    assert_close(found.long_latency_us, 10, 1e-3);
    assert_close(found.long_gap_us_per_byte, 0.0002, 1e-3);
    assert_true(found.long_from > 6553 && found.long_from <= 13108); /* between sizes of messages */
    /* where half of them are known to be fetched from 32,768 bytes on, and the others to be copied, so that sizes do not tell */
    const clump_collective_local truth = {.latency_us = 0.7,
                                          .gap_us_per_byte = 0.002,
                                          .long_from = 1,
                                          .long_latency_us = 10,
                                          .long_gap_us_per_byte = 0.0002};
    for (size_t i = 0; i < 40; i++) {
        const double bytes = pow(2, (double)(i % 20));
        points[i].chain = (clump_collective_chain){.us = 1,
                                                   .local_hops = i < 20 ? 1 : 2,
                                                   .local_bytes = (i < 20 ? 1 : 2) * bytes,
                                                   .fetched_from = i < 20 ? 32768 : 1048576};
        points[i].us = clump_collective_us(&points[i].chain, &truth);
        points[i].weight = 0.025;
    }
    assert_close(points[15].us, 11 + 0.0002 * 32768, 1e-12);
    assert_close(points[35].us, 1 + 2 * (0.7 + 0.002 * 32768), 1e-12);
    for (int known = 0; known < 2; known++) {
        found = clump_collective_fit(points, 40, known ? 0.0002 : 0);
        assert_close(found.latency_us, 0.7, 1e-3);
        assert_close(found.gap_us_per_byte, 0.002, 1e-3);
        assert_close(found.long_latency_us, 10, 1e-3);
        assert_close(found.long_gap_us_per_byte, 0.0002, known ? 1e-12 : 1e-3);
    }
}

/* ---- training */

static void add_number(const char *platform, const char *application, const char *quantity,
                       const char *variant, int64_t processes, int64_t size, double value)
{
    const clump_store_series series = {.platform = platform,
                                       .application = application,
                                       .quantity = quantity,
                                       .transport = application != NULL ? "" : "net",
                                       .variant = variant,
                                       .statistic = "single",
                                       .source = "made up",
                                       .benchmark = application != NULL ? "" : "osu_allreduce",
                                       .processes = processes};
    const clump_store_measurement measured = {
        .value = value, .half_width = NAN, .std_dev = NAN, .size_bytes = size};
    int64_t id = 0;
    GOOD(clump_store_add_series(store, &series, &id));
    GOOD(clump_store_add_sample(store, id, &measured));
}

/* 1000 steps on one node of 8 processes, each with two reductions of 100 bytes and one of 1000. */
static void add_training(void)
{
    GOOD(clump_store_begin(store));
    add_number("pooled", "program", "execution_time", "", 8, -1, 10);
    add_number("pooled", "program", "phase_calls", "step", 8, -1, 1000);
    add_number("pooled", "program", "execution_time", "", 32, -1, 4);
    const clump_store_series reductions = {.application = "program",
                                           .quantity = "reduction_count",
                                           .statistic = "single",
                                           .source = "made up"};
    clump_store_measurement count = {
        .value = 2, .half_width = NAN, .std_dev = NAN, .size_bytes = 100};
    int64_t id = 0;
    GOOD(clump_store_add_series(store, &reductions, &id));
    GOOD(clump_store_add_sample(store, id, &count));
    count.value = 1;
    count.size_bytes = 1000;
    GOOD(clump_store_add_sample(store, id, &count));
    add_number("pooled", NULL, "operation_time", "", 8, 100, 10);
    add_number("pooled", NULL, "operation_time", "", 32, 100, 500);
    add_number("pooled", NULL, "operation_time", "in place", 32, 100, 1);
    add_number("static", NULL, "operation_time", "", 64, 100, 500);
    GOOD(clump_store_commit(store));
}

TEST_WITH(test_training, open_store, close_store)
{
    add_training();
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_TRAINING};
    clump_cluster_judgement j = judge(&request);
    /* Not on "static": those are other nodes. */
    assert_int_equal(j.count, 1);
    assert_null(j.rows[0].problem);
    assert_int_equal(j.rows[0].nodes, 4);
    /* 250 steps, each (2 + 10) x 490 us longer: beyond 100 bytes the time grows with them. */
    assert_close(j.rows[0].predicted, 2.5 + 250 * 12 * 490e-6, 1e-12);
    assert_close(j.rows[0].error, 3.97 / 4 - 1, 1e-12);
    assert_close(j.rows[0].rivals[0], 2.5, 1e-12);
    assert_close(j.rows[0].rivals[1], 2.5 + 250 * 12 * 490e-6, 1e-12);
    clump_clusters_free(&j);
}

/* Any allocation may fail: a message, nothing lost, and nothing given back. */
static void fail_each(const clump_cluster_request *request)
{
    clump_status status = CLUMP_NO_MEMORY;
    long n = 0;
    for (; status != CLUMP_OK && n < 100000; n++) {
        clump_cluster_judgement j;
        clump_error error;
        allocations_fail_from(n);
        status = clump_clusters_judge(store, request, &j, &error);
        allocations_succeed();
        if (status == CLUMP_OK)
            clump_clusters_free(&j);
        else
            assert_true(status == CLUMP_NO_MEMORY || status == CLUMP_INCONSISTENT);
    }
    assert_int_equal(status, CLUMP_OK);
    assert_true(n > 2); /* the wrapper did take effect: the arena, and its first block */
}

static void add_operation(const char *platform, const char *benchmark, const char *quantity,
                          int64_t processes, double value)
{
    const clump_store_series series = {.platform = platform,
                                       .quantity = quantity,
                                       .transport = "mpi",
                                       .statistic = "mean",
                                       .source = "made up",
                                       .benchmark = benchmark,
                                       .processes = processes};
    int64_t id = 0;
    GOOD(clump_store_add_series(store, &series, &id));
    for (int64_t size = 8; size <= 8192; size *= 32) {
        const clump_store_measurement measured = {
            .value = value * (double)size, .half_width = NAN, .std_dev = NAN, .size_bytes = size};
        GOOD(clump_store_add_sample(store, id, &measured));
    }
}

static void add_operations(void)
{
    static const char *const platforms[] = {"pooled", "static"};
    GOOD(clump_store_begin(store));
    for (size_t i = 0; i < 2; i++) {
        add_operation(platforms[i], "osu_latency", "half_round_trip", 2, 0.01);
        add_operation(platforms[i], "osu_allreduce", "operation_time", 16, 0.1);
        add_operation(platforms[i], "osu_alltoall", "operation_time", 16, 1);
        add_operation(platforms[i], "osu_bcast", "operation_time", 16, 1);
        add_operation(platforms[i], "osu_scan", "operation_time", 16, 1);     /* not known */
        add_operation(platforms[i], "osu_allgather", "operation_time", 8, 1); /* one node */
    }
    GOOD(clump_store_commit(store));
}

TEST_WITH(test_operations, open_store, close_store)
{
    add_program(); /* with its rates of 8 pairs */
    add_operations();
    clump_cluster_request request = {.kind = CLUMP_CLUSTER_COLLECTIVES};
    clump_cluster_judgement j = judge(&request);
    assert_int_equal(j.count, 18); /* three operations, three sizes, two platforms */
    for (size_t i = 0; i < j.count; i++)
        assert_true(j.rows[i].problem == NULL && j.rows[i].predicted > 0);
    clump_clusters_free(&j);
    request.kind = CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS;
    request.from = "pooled";
    j = judge(&request);
    assert_int_equal(j.count, 9);
    /* 8 x 8 messages of 8192 bytes each way at 1000 B/us, 4000 before: less than what it took. */
    const clump_cluster_row *row = find(&j, 16, 8192);
    assert_string_equal(row->subject, "osu_allreduce");
    /* One of three rounds crosses: 8 x 8192 bytes, 16.384 us at 4000 B/us (that is less than 81.92 us of
     * one message), then 65.536. */
    assert_close(row->predicted, 819.2, 1e-9);
    assert_close(row->error, 0, 1e-9);
    clump_clusters_free(&j);
}

/* Steps of a machine of 1e14 operations/s, 3e11 B/s of activations, 1 ms a layer; t = d = 1 or data in parallel, by the formula of
 * MODEL.md 34 as written here: no vocabulary, nothing computed again. */
static double step_of(double d, double m, double h)
{
    const double layers = 4, s = 512, tokens = s; /* a sequence a micro-batch */
    const double work = tokens * (24 * h * h + 4 * s * h) / 1e14;
    const double moved = tokens * (34 * h + 5 * 8 * s) / 3e11, layer = fmax(work + moved, 1e-3);
    const double parameters = 12 * layers * h * h;
    const double rate = d <= 8 ? 1e11 : 1e10;
    return 3 * m * layers * layer + 28 * parameters / 1e12 +
           2 * (d - 1) / d * parameters * 2 / rate;
}

static void add_steps(void)
{
    static const struct {
        double d, m, h;
    } cases[] = {{1, 1, 256},  {1, 2, 1024}, {2, 2, 2048},  {4, 1, 4096},
                 {8, 4, 256},  {1, 4, 8192}, {8, 2, 4096},  {2, 8, 512},
                 {4, 2, 8192}, {8, 1, 1024}, {16, 2, 2048}, {16, 1, 8192}};
    GOOD(clump_store_begin(store));
    add_description("pooled", "nic_bandwidth", "", 10000);
    add_description("pooled", "processor_bandwidth", "", 100000);
    add_description("pooled", "memory_bandwidth", "", 1000000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char variant[100];
        snprintf(variant, sizeof variant, "t=1 p=1 d=%g B=%g m=%g h=%g a=8 l=4 s=512 V=0 r=0",
                 cases[i].d, cases[i].d * cases[i].m, cases[i].m, cases[i].h);
        const clump_store_series series = {.platform = "pooled",
                                           .application = "program",
                                           .quantity = "step_time",
                                           .variant = variant,
                                           .statistic = "single",
                                           .source = "made up",
                                           .processes = (int64_t)cases[i].d};
        const clump_store_measurement measured = {
            .value = 1e6 * step_of(cases[i].d, cases[i].m, cases[i].h),
            .half_width = NAN,
            .std_dev = NAN,
            .size_bytes = -1};
        int64_t id = 0;
        GOOD(clump_store_add_series(store, &series, &id));
        GOOD(clump_store_add_sample(store, id, &measured));
    }
    GOOD(clump_store_commit(store));
}

/* What one node tells is true of two. */
TEST_WITH(test_steps, open_store, close_store)
{
    add_steps();
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_STEPS};
    clump_cluster_judgement j = judge(&request);
    assert_int_equal(j.count, 12);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(j.rows[i].nodes, 2);
        assert_true(fabs(j.rows[i].error) < 0.01);
        assert_true(fabs(j.rows[i].rivals[0] / j.rows[i].measured - 1) > 0.01);
    }
    clump_clusters_free(&j);
    fail_each(&request);
}

TEST_WITH(test_no_memory, open_store, close_store)
{
    add_pairs();
    add_program();
    const clump_cluster_request pairs = {.kind = CLUMP_CLUSTER_PAIRS};
    const clump_cluster_request other = {
        .kind = CLUMP_CLUSTER_NICS, .platform = "static", .from = "pooled"};
    fail_each(&pairs);
    fail_each(&other);
    add_training();
    const clump_cluster_request training = {.kind = CLUMP_CLUSTER_TRAINING};
    fail_each(&training);
    add_operations();
    const clump_cluster_request collectives = {.kind = CLUMP_CLUSTER_COLLECTIVES};
    const clump_cluster_request behind = {.kind = CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS};
    fail_each(&collectives);
    fail_each(&behind);
}

TEST_WITH(test_refused, open_store, close_store)
{
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

UNIT_MAIN(NULL, NULL)
