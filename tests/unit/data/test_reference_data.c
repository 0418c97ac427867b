/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference data against what can be checked: identities between the printed numbers, and the
 * numbers typed once more from the document. */
#include "tests/unit/unit.h"

#include "data/store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clump_store *store;

static int open_store(void **state)
{
    (void)state;
    return clump_store_open(NULL, CLUMP_STORE_READ, &store) != CLUMP_STORE_OK;
}

static int close_store(void **state)
{
    (void)state;
    clump_store_close(store);
    return 0;
}

static clump_store_measurement get(clump_store_filter filter)
{
    clump_store_measurement measured;
    const clump_store_status status = clump_store_value(store, &filter, &measured);
    if (status != CLUMP_STORE_OK)
        fail_msg("%s", clump_store_message(store));
    return measured;
}

/* Equal but for the rounding of unit conversions. */
static void assert_same(double a, double b)
{
    if (!(fabs(a - b) <= 4e-16 * fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

/* ---- LogGP ---- */

static const char *const loggp_names[] = {
    "latency",      "send_overhead", "receive_overhead", "gap",
    "gap_per_byte", "bandwidth",     "round_trip_time"};

/* Rows: L, o_s, o_r, g, G (nsec/B), 1/G (MB/sec), RTT. Units in the last place of each. */
typedef struct loggp {
    const char *source;
    const char *platform;
    const char *transport;
    const char *variant;
    double printed[7];
    double ulp[7];
} loggp;

static const loggp sets[] = {
    {"thesis-table-6.3",
     "e5000-smp",
     "shared-memory",
     "test-and-set",
     {-.59, 1.824, 1.49, 2.953, 5.991, 159.2, 5.439},
     {.01, .001, .01, .001, .001, .1, .001}},
    {"thesis-table-6.3",
     "e5000-smp",
     "shared-memory",
     "test-and-test-and-set",
     {-.53, 1.714, 1.52, 2.937, 5.992, 159.2, 5.412},
     {.01, .001, .01, .001, .001, .1, .001}},
    {"thesis-table-6.3",
     "e5000-smp",
     "shared-memory",
     "ticket-lock",
     {-.58, 1.764, 1.68, 3.122, 5.986, 159.3, 5.737},
     {.01, .001, .01, .001, .001, .1, .001}},
    {"thesis-table-6.3",
     "e5000-smp",
     "shared-memory",
     "anderson-lock",
     {-.61, 1.884, 1.49, 2.988, 6.20, 153.7, 5.510},
     {.01, .001, .01, .001, .01, .1, .001}},
    {"thesis-table-6.3",
     "e5000-smp",
     "shared-memory",
     "lock-free",
     {-.50, 1.819, 1.47, 3.005, 6.035, 158.0, 5.588},
     {.01, .001, .01, .001, .001, .1, .001}},
    {"thesis-table-6.3",
     "e5000-smp",
     "shared-memory",
     "lock-free-fifo",
     {-.60, 1.883, 1.49, 3.240, 5.98, 159.5, 5.542},
     {.01, .001, .01, .001, .01, .1, .001}},
    {"thesis-table-6.3",
     "e5000-smp",
     "shared-memory",
     "posix-mutex",
     {-.42, 2.160, 1.57, 3.418, 6.044, 157.8, 6.634},
     {.01, .001, .01, .001, .001, .1, .001}},
    {"thesis-table-7.6",
     "e5000-clump",
     "shared-memory",
     "single-protocol",
     {-.50, 1.819, 1.47, 3.005, 6.035, 158.0, 5.588},
     {.01, .001, .01, .001, .001, .1, .001}},
    {"thesis-table-7.6",
     "e5000-clump",
     "shared-memory",
     "multi-protocol",
     {-.52, 2.135, 1.73, 3.251, 6.30, 151.3, 6.675},
     {.01, .001, .01, .001, .01, .1, .001}},
    {"thesis-table-7.6",
     "e5000-clump",
     "network",
     "multi-protocol",
     {12.56, 3.463, 8.93, 14.51, 31.208, 30.558, 49.912},
     {.01, .001, .01, .01, .001, .001, .001}},
    {"thesis-table-7.6",
     "e5000-clump",
     "network",
     "single-protocol",
     {8.16, 5.424, 10.51, 14.802, 30.962, 30.801, 48.2},
     {.01, .001, .01, .001, .001, .001, .1}},
};

TEST(loggp_is_as_printed)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        for (size_t j = 0; j < 7; j++) {
            const clump_store_measurement m =
                get((clump_store_filter){.source = sets[i].source,
                                         .platform = sets[i].platform,
                                         .transport = sets[i].transport,
                                         .variant = sets[i].variant,
                                         .quantity = loggp_names[j],
                                         .statistic = "mean"});
            const double unit = j == 4 ? 1e-3 : j == 5 ? 1.048576 : 1;
            assert_same(m.value, sets[i].printed[j] * unit);
            /* An interval has one significant digit, in the place of the last digit printed. */
            const double digits = m.half_width / unit / sets[i].ulp[j];
            assert_true(fabs(digits - rint(digits)) < 1e-9 && digits > 0.5 && digits < 9.5);
        }
    }
}

TEST(loggp_obeys_its_identities)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        double v[7];
        double half[7]; /* of the last digit */
        for (size_t j = 0; j < 7; j++) {
            v[j] = get((clump_store_filter){.source = sets[i].source,
                                            .platform = sets[i].platform,
                                            .transport = sets[i].transport,
                                            .variant = sets[i].variant,
                                            .quantity = loggp_names[j]})
                       .value;
            half[j] = sets[i].ulp[j] / 2;
        }
        const double sum = 2 * (v[1] + v[0] + v[2]);
        assert_true(fabs(v[6] - sum) <= 2 * (half[0] + half[1] + half[2]) + half[6]);
        /* 1/G in 2^20 bytes a second; G in us/B. The document rounds the mean of B and the mean of
         * G, which differ by the square of the relative spread (1e-5 here) and by the rounding. */
        const double bandwidth = 1 / v[4] / 1.048576;
        const double error = half[5] + bandwidth * (half[4] * 1e-3 / v[4] + 1e-5);
        assert_true(fabs(v[5] / 1.048576 - bandwidth) <= error);
        assert_true(v[3] > 0.9 * fmax(v[1], v[2])); /* section 5.3.1: at least the larger one */
    }
}

/* ---- traffic ---- */

typedef struct traffic {
    const char *source;
    const char *application;
    double mean, min, max, bulk, size, share;
} traffic;

static const traffic volumes[] = {
    {"thesis-table-5.6", "SAMPLE", 76517, 72749, 81063, 5, 29, 0},
    {"thesis-table-5.6", "CON/comp", 11900, 11518, 12383, 18, 16, 0},
    {"thesis-table-5.6", "CON/comm", 106925, 102511, 127227, 365, 16, 0},
    {"thesis-table-5.6", "3-D FFT", 3647, 3620, 3692, 3584, 2048, 0},
    {"thesis-table-5.6", "EM3D", 141448, 140940, 142120, 0, 0, 0},
    {"thesis-table-5.7", "SAMPLE", 65608, 52852, 76458, 4, 96, .77},
    {"thesis-table-5.7", "CON/comp", 5991, 5601, 6500, 10, 16, .50},
    {"thesis-table-5.7", "CON/comm", 67588, 52491, 199747, 290, 16, .57},
    {"thesis-table-5.7", "3-D FFT", 966, 768, 1164, 768, 2048, .77},
    {"thesis-table-5.7", "EM3D/naive", 60856, 40380, 81580, 0, 0, .38},
    {"thesis-table-5.7", "EM3D/good", 40560, 0, 81750, 0, 0, .25},
    {"thesis-table-5.8", "SAMPLE", 19119, 15622, 21591, 3, 29, .23},
    {"thesis-table-5.8", "CON/comp", 5889, 5351, 6410, 6, 16, .50},
    {"thesis-table-5.8", "CON/comm", 50677, 43856, 80666, 130, 16, .43},
    {"thesis-table-5.8", "3-D FFT", 282, 224, 620, 224, 2048, .23},
    {"thesis-table-5.8", "EM3D/naive", 101220, 79198, 122670, 0, 0, .62},
    {"thesis-table-5.8", "EM3D/good", 121432, 120170, 122210, 0, 0, .75},
};

static double volume(const char *source, const char *application, const char *quantity,
                     const char *statistic)
{
    return get((clump_store_filter){.source = source,
                                    .application = application,
                                    .quantity = quantity,
                                    .statistic = statistic})
        .value;
}

TEST(traffic_is_as_printed)
{
    for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++) {
        const traffic *t = &volumes[i];
        assert_same(volume(t->source, t->application, "short_messages", "mean"), t->mean);
        assert_same(volume(t->source, t->application, "short_messages", "min"), t->min);
        assert_same(volume(t->source, t->application, "short_messages", "max"), t->max);
        assert_true(t->min <= t->mean && t->mean <= t->max);
        assert_same(volume(t->source, t->application, "bulk_messages", "mean"), t->bulk);
        if (t->size > 0)
            assert_same(volume(t->source, t->application, "bulk_message_size", "mean"), t->size);
    }
}

TEST(shares_follow_from_the_means)
{
    static const char *const names[] = {"SAMPLE",  "CON/comp",   "CON/comm",
                                        "3-D FFT", "EM3D/naive", "EM3D/good"};
    for (size_t i = 0; i < 6; i++) {
        const double remote = volume("thesis-table-5.7", names[i], "short_messages", "mean");
        const double local = volume("thesis-table-5.8", names[i], "short_messages", "mean");
        const double r = volume("thesis-table-5.7", names[i], "remote_share", "mean");
        const double l = volume("thesis-table-5.8", names[i], "local_share", "mean");
        assert_true(fabs(r - remote / (remote + local)) <= 0.005);
        assert_true(fabs(l - local / (remote + local)) <= 0.005);
        assert_true(fabs(r + l - 1) < 1e-12);
    }
}

/* Section 5.3.3: on one SMP all processors send within 6% of the mean, but for CON/comm, where one
 * sends 19% more. 3-D FFT transposes 128^3 complex numbers of 16 bytes twice, all but what stays on
 * the processor; on the Clump that splits 24 : 7 between other SMPs and the own one. */
TEST(traffic_fits_the_text)
{
    for (size_t i = 0; i < 5; i++) {
        const double high = volumes[i].max / volumes[i].mean;
        if (i == 2)
            assert_true(fabs(high - 1.19) <= 0.005);
        else
            assert_true(high <= 1.06 && volumes[i].min / volumes[i].mean >= 0.94);
    }
    const double all = 2.0 * 128 * 128 * 128 * 16;
    const double smp = volume("thesis-table-5.6", "3-D FFT", "bulk_messages", "mean");
    const double remote = volume("thesis-table-5.7", "3-D FFT", "bulk_messages", "mean");
    const double local = volume("thesis-table-5.8", "3-D FFT", "bulk_messages", "mean");
    assert_same(smp * 2048, all / 8 * 7 / 8);
    assert_same(remote * 2048, all / 32 * 24 / 32);
    assert_same(local * 2048, all / 32 * 7 / 32);
}

/* ---- cycles and times ---- */

static void check_cycles(const char *platform, const char *transport, const char *time)
{
    char cycles[80];
    snprintf(cycles, sizeof cycles, "%s_cycles", time);
    const clump_store_filter filter = {
        .platform = platform, .transport = transport, .quantity = time};
    clump_store_filter counted = filter;
    counted.quantity = cycles;
    const double us = get(filter).value;
    const double count = get(counted).value;
    /* 166.67 MHz, printed as 167; times are printed to the nanosecond. */
    assert_true(fabs(us * 1000 - count * 6) <= 0.5001);
    const double clock = get((clump_store_filter){.platform = platform, .quantity = "clock"}).value;
    assert_true(fabs(clock - 1000.0 / 6) <= 0.5);
}

TEST(cycles_and_times_agree)
{
    static const char *const names[] = {"test_and_set_completion",
                                        "test_and_set_stall",
                                        "swap_completion",
                                        "swap_stall",
                                        "compare_and_swap_success_completion",
                                        "compare_and_swap_success_stall",
                                        "compare_and_swap_failure_completion",
                                        "compare_and_swap_failure_stall",
                                        "nic_read_32bit",
                                        "nic_write_32bit",
                                        "nic_read_64bit",
                                        "nic_write_64bit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_cycles("e5000-clump", "", names[i]);
        check_cycles("ultra170-now", "", names[i]);
    }
    check_cycles("e5000-clump", "shared-memory", "poll_cost");
    check_cycles("e5000-clump", "network", "poll_cost");
}

typedef struct machine {
    const char *quantity;
    double e5000, ultra170; /* 0: not applicable */
} machine;

TEST(machines_are_as_printed)
{
    static const machine rows[] = {
        {"l2_size", 524288, 524288},
        {"l2_line_size", 64, 64},
        {"l2_miss_memory_cycles", 51, 44},
        {"l2_miss_other_l2_cycles", 84, 0},
        {"memory_copy_bandwidth", 184 * 1.048576, 168 * 1.048576},
        {"test_and_set_completion_cycles", 15, 15},
        {"test_and_set_stall_cycles", 2, 2},
        {"swap_completion_cycles", 15, 15},
        {"swap_stall_cycles", 2, 2},
        {"compare_and_swap_success_completion_cycles", 16, 16},
        {"compare_and_swap_success_stall_cycles", 3, 3},
        {"compare_and_swap_failure_completion_cycles", 14, 14},
        {"compare_and_swap_failure_stall_cycles", 3, 3},
        {"compare_and_swap_cycles", 15, 15},
        {"nic_read_32bit_cycles", 153, 114},
        {"nic_write_32bit_cycles", 53, 33},
        {"nic_read_64bit_cycles", 160, 122},
        {"nic_write_64bit_cycles", 62, 40},
        {"io_bus_bandwidth", 31 * 1.048576, 31 * 1.048576},
        {"io_buses", 4, 0},
        {"processors_per_node", 8, 1},
        {"clock", 167, 167},
        {"sustained_memory_bandwidth", 2500, 0},
        {"poll_acceptance", 4, 0},
        {"poll_accuracy", 4096, 0},
        {"poll_damping", 256, 0},
        {"poll_equality", 4, 0},
        {"poll_minimum_skip", 4, 0},
        {"poll_maximum_skip", 64, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        /* Unfiltered by source: where tables repeat each other, they agree. */
        assert_same(
            get((clump_store_filter){.platform = "e5000-clump", .quantity = rows[i].quantity})
                .value,
            rows[i].e5000);
        if (rows[i].ultra170 > 0) {
            assert_same(
                get((clump_store_filter){.platform = "ultra170-now", .quantity = rows[i].quantity})
                    .value,
                rows[i].ultra170);
        }
    }
    const clump_store_measurement poll =
        get((clump_store_filter){.platform = "e5000-smp", /* inherited */
                                 .transport = "network",
                                 .quantity = "poll_cost"});
    assert_same(poll.value, 2.604);
    assert_same(poll.half_width, 0.002);
    assert_same(get((clump_store_filter){.platform = "e5000-clump",
                                         .transport = "shared-memory",
                                         .quantity = "poll_cost"})
                    .value,
                0.306);
    assert_true(
        get((clump_store_filter){.platform = "e5000-clump", .quantity = "compare_and_swap_cycles"})
            .doubtful);
}

/* ---- execution times ---- */

typedef struct timing {
    const char *source, *platform, *variant, *application;
    double mean, half_width, std_dev;
} timing;

static const timing timings[] = {
    {"thesis-table-7.7", "e5000-smp", "no-yield", "SAMPLE", .697, .007, .032},
    {"thesis-table-7.7", "e5000-smp", "no-yield", "CON/comp", 1.086, .006, .026},
    {"thesis-table-7.7", "e5000-smp", "no-yield", "CON/comm", 1.660, .006, .025},
    {"thesis-table-7.7", "e5000-smp", "no-yield", "3-D FFT", .676, .005, .023},
    {"thesis-table-7.7", "e5000-smp", "no-yield", "EM3D", .643, .005, .021},
    {"thesis-table-7.7", "e5000-smp", "sleep-yield", "SAMPLE", .762, .004, .017},
    {"thesis-table-7.7", "e5000-smp", "sleep-yield", "CON/comp", 1.11, .02, .05},
    {"thesis-table-7.7", "e5000-smp", "sleep-yield", "CON/comm", 1.89, .04, .19},
    {"thesis-table-7.7", "e5000-smp", "sleep-yield", "3-D FFT", .677, .008, .037},
    {"thesis-table-7.7", "e5000-smp", "sleep-yield", "EM3D", .682, .009, .043},
    {"thesis-table-7.7", "e5000-smp", "multi-protocol", "SAMPLE", .773, .005, .023},
    {"thesis-table-7.7", "e5000-smp", "multi-protocol", "CON/comp", 1.073, .007, .030},
    {"thesis-table-7.7", "e5000-smp", "multi-protocol", "CON/comm", 1.74, .01, .05},
    {"thesis-table-7.7", "e5000-smp", "multi-protocol", "3-D FFT", .666, .006, .027},
    {"thesis-table-7.7", "e5000-smp", "multi-protocol", "EM3D", .667, .007, .030},
    {"thesis-table-7.7", "ultra170-now-8", "multi-protocol", "SAMPLE", 1.50, .02, .06},
    {"thesis-table-7.7", "ultra170-now-8", "multi-protocol", "CON/comp", 1.095, .003, .014},
    {"thesis-table-7.7", "ultra170-now-8", "multi-protocol", "CON/comm", 3.755, .006, .029},
    {"thesis-table-7.7", "ultra170-now-8", "multi-protocol", "3-D FFT", .770, .003, .013},
    {"thesis-table-7.7", "ultra170-now-8", "multi-protocol", "EM3D", 4.01, .02, .10},
    {"thesis-table-7.8", "e5000-clump", "multi-protocol", "SAMPLE", 3.33, .07, .31},
    {"thesis-table-7.8", "e5000-clump", "multi-protocol", "CON/comp", 1.416, .007, .033},
    {"thesis-table-7.8", "e5000-clump", "multi-protocol", "CON/comm", 7.19, .03, .14},
    {"thesis-table-7.8", "e5000-clump", "multi-protocol", "3-D FFT", .481, .006, .025},
    {"thesis-table-7.8", "e5000-clump", "multi-protocol", "EM3D/naive", 3.654, .008, .039},
    {"thesis-table-7.8", "e5000-clump", "multi-protocol", "EM3D/good", 3.402, .007, .033},
    {"thesis-table-7.8", "ultra170-now", "multi-protocol", "SAMPLE", 2.46, .02, .07},
    {"thesis-table-7.8", "ultra170-now", "multi-protocol", "CON/comp", 1.22, .06, .25},
    {"thesis-table-7.8", "ultra170-now", "multi-protocol", "CON/comm", 6.72, .08, .38},
    {"thesis-table-7.8", "ultra170-now", "multi-protocol", "3-D FFT", .31, .02, .07},
    {"thesis-table-7.8", "ultra170-now", "multi-protocol", "EM3D/naive", 4.93, .03, .10},
    {"thesis-table-7.8", "ultra170-now", "multi-protocol", "EM3D/good", 5.39, .03, .14},
    {"thesis-table-7.9", "e5000-clump-4x4", "multi-protocol", "SAMPLE", 1.76, .02, .08},
    {"thesis-table-7.9", "e5000-clump-4x4", "multi-protocol", "CON/comp", 1.128, .002, .009},
    {"thesis-table-7.9", "e5000-clump-4x4", "multi-protocol", "CON/comm", 4.18, .02, .07},
    {"thesis-table-7.9", "e5000-clump-4x4", "multi-protocol", "3-D FFT", .504, .002, .006},
    {"thesis-table-7.9", "ultra170-now-16", "multi-protocol", "SAMPLE", 2.01, .02, .06},
    {"thesis-table-7.9", "ultra170-now-16", "multi-protocol", "CON/comp", 1.110, .004, .015},
    {"thesis-table-7.9", "ultra170-now-16", "multi-protocol", "CON/comm", 4.76, .02, .09},
    {"thesis-table-7.9", "ultra170-now-16", "multi-protocol", "3-D FFT", .518, .003, .013},
    {"thesis-table-6.6", "e5000-smp", "sleep-yield", "3-D FFT", .677, .008, .036},
    {"thesis-table-6.5", "e5000-smp", "lock-free", "3-D FFT", .677, .008, .037},
    {"thesis-table-6.5", "e5000-smp", "lock-free-fifo", "SAMPLE", .791, .007, .032},
    {"thesis-table-6.5", "e5000-smp", "posix-mutex", "EM3D", 1.284, .009, .042},
    {"thesis-table-6.5", "e5000-smp", "anderson-lock", "CON/comm", 2.08, .05, .20},
    {"thesis-table-6.5", "e5000-smp", "ticket-lock", "CON/comp", 1.12, .02, .06},
    {"thesis-table-6.5", "e5000-smp", "test-and-set", "EM3D", .79, .02, .06},
    {"thesis-table-6.5", "e5000-smp", "test-and-test-and-set", "CON/comp", 1.078, .008, .039},
};

static clump_store_measurement time_of(const timing *t)
{
    return get((clump_store_filter){.source = t->source,
                                    .platform = t->platform,
                                    .variant = t->variant,
                                    .application = t->application,
                                    .quantity = "execution_time"});
}

TEST(times_are_as_printed)
{
    for (size_t i = 0; i < sizeof timings / sizeof *timings; i++) {
        const clump_store_measurement m = time_of(&timings[i]);
        assert_same(m.value, timings[i].mean);
        assert_same(m.half_width, timings[i].half_width);
        assert_same(m.std_dev, timings[i].std_dev);
    }
}

/* Tables 6.5 and 6.6 repeat columns of 7.7. */
TEST(repeated_times_agree)
{
    for (size_t i = 5; i < 20; i++) {
        const bool smp = i < 10;
        if (i >= 10 && i < 15)
            continue;
        timing again = timings[i];
        again.source = "thesis-table-6.6";
        const clump_store_measurement a = time_of(&timings[i]);
        const clump_store_measurement b = time_of(&again);
        assert_same(a.value, b.value);
        assert_same(a.half_width, b.half_width);
        const bool differs = smp && strcmp(again.application, "3-D FFT") == 0;
        assert_same(a.std_dev, b.std_dev + (differs ? 0.001 : 0));
        if (smp) {
            again.source = "thesis-table-6.5";
            again.variant = "lock-free";
            assert_same(time_of(&again).value, a.value);
            assert_same(time_of(&again).std_dev, a.std_dev);
        }
    }
}

/* Every mean of a hundred runs: half-width = 2 sigma/sqrt(100), rounded up to one digit, and sigma is rounded to the
 * place of that digit (5.1). */
static int check_spread(const clump_store_sample *sample, void *context)
{
    const clump_store_measurement *m = &sample->measured;
    const double place = pow(10, floor(log10(m->half_width) + 1e-9));
    size_t *count = context;
    if (strcmp(sample->source->name, "thesis-table-7.11") == 0) { /* which has none */
        assert_true(isnan(m->half_width) && isnan(m->std_dev));
        return 0;
    }
    ++*count;
    if (!(0.2 * (m->std_dev + place / 2) > m->half_width - place &&
          0.2 * (m->std_dev - place / 2) <= m->half_width))
        fail_msg("%s %s %s: half-width %g, sigma %g", sample->source->name, sample->application,
                 sample->variant, m->half_width, m->std_dev);
    return 0;
}

TEST(spreads_follow_from_deviations)
{
    static const struct {
        const char *quantity;
        size_t count;
    } kinds[] = {
        {"execution_time", 35 + 10 + 20 + 12 + 8}, {"stress_gap", 49}, {"load_imbalance", 4}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t count = 0;
        const clump_store_filter filter = {.quantity = kinds[i].quantity};
        assert_int_equal(clump_store_each_sample(store, &filter, check_spread, &count),
                         CLUMP_STORE_OK);
        assert_int_equal(count, kinds[i].count);
    }
}

/* Ratios that the text states in percent. */
TEST(times_fit_the_text)
{
    static const struct {
        const char *application, *platform;
        double percent;
    } stated[] = {
        {"SAMPLE", "e5000-clump", 135},     {"CON/comp", "e5000-clump", 116},
        {"CON/comm", "e5000-clump", 107},   {"3-D FFT", "e5000-clump", 155},
        {"EM3D/naive", "e5000-clump", 74},  {"EM3D/good", "e5000-clump", 63},
        {"SAMPLE", "e5000-clump-4x4", 88},  {"CON/comm", "e5000-clump-4x4", 88},
        {"3-D FFT", "e5000-clump-4x4", 97}, {"CON/comp", "e5000-clump-4x4", 102},
    };
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        clump_store_platform *platform = NULL;
        assert_int_equal(clump_store_find_platform(store, stated[i].platform, &platform),
                         CLUMP_STORE_OK);
        clump_store_platform *now = NULL;
        assert_int_equal(clump_store_find_platform(store, platform->counterpart, &now),
                         CLUMP_STORE_OK);
        assert_int_equal(now->nodes * now->processors, platform->nodes * platform->processors);
        clump_store_filter filter = {.platform = platform->name,
                                     .application = stated[i].application,
                                     .variant = "multi-protocol",
                                     .quantity = "execution_time"};
        const double clump = get(filter).value;
        filter.platform = now->name;
        const double percent = 100 * clump / get(filter).value;
        assert_true(fabs(percent - stated[i].percent) <= 0.51);
        clump_store_free(platform);
        clump_store_free(now);
    }
}

/* Table 7.11, typed again: SMP with shared memory alone and multi-protocol, NOW multi-protocol and
 * with the network alone. The thesis says of it that the second protocol makes no difference to a
 * NOW (7.2.2), and that the missing memory makes the SMP slower (7.4.1): against the NOW it is slower
 * than in table 7.7, and so much that 3-D FFT and CON/comp lose. */
TEST(times_of_sc97_are_as_printed_and_fit_the_text)
{
    static const struct {
        const char *application, *of_thesis;
        double times[4];
        bool loses;
    } rows[] = {
        {"SC97/3-D FFT", "3-D FFT", {8.7, 9.0, 7.0, 6.76}, true},
        {"SC97/CON/comm", "CON/comm", {1.96, 2.1, 4.01, 4.01}, false},
        {"SC97/CON/comp", "CON/comp", {1.40, 1.44, 1.18, 1.19}, true},
        {"SC97/EM3D", "EM3D", {7.7, 8.6, 33.9, 33.8}, false},
    };
    static const char *const variants[] = {"single-protocol", "multi-protocol", "multi-protocol",
                                           "single-protocol"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double found[4];
        for (int k = 0; k < 4; k++) {
            found[k] =
                get((clump_store_filter){.source = "thesis-table-7.11",
                                         .platform = k < 2 ? "e5000-smp-2-banks" : "ultra170-now-8",
                                         .application = rows[i].application,
                                         .variant = variants[k],
                                         .quantity = "execution_time"})
                    .value;
            assert_same(found[k], rows[i].times[k]);
        }
        clump_store_filter filter = {.source = "thesis-table-7.7",
                                     .platform = "e5000-smp",
                                     .application = rows[i].of_thesis,
                                     .variant = "multi-protocol",
                                     .quantity = "execution_time"};
        const double smp = get(filter).value;
        filter.platform = "ultra170-now-8";
        const double now = get(filter).value;
        assert_true(fabs(found[2] / found[3] - 1) < 0.04);
        assert_true(found[1] > found[0] && found[1] / found[0] < 1.15);
        assert_true(found[1] / found[2] > smp / now);
        assert_true((found[1] > found[2]) == rows[i].loses);
    }
}

TEST(imbalance_and_memory_are_as_printed)
{
    static const struct {
        const char *platform, *application, *quantity;
        double value;
    } rows[] = {
        {"e5000-clump", "EM3D/naive", "load_imbalance", 2.36},
        {"ultra170-now", "EM3D/naive", "load_imbalance", 1.73},
        {"e5000-clump", "EM3D/good", "load_imbalance", 7.74},
        {"ultra170-now", "EM3D/good", "load_imbalance", 1.64},
        {"e5000-smp", "SAMPLE", "memory_resident", 64 * 1048576.0},
        {"e5000-smp", "CON/comp", "memory_image", 356 * 1048576.0},
        {"e5000-clump", "CON/comp", "memory_resident", 1264 * 1048576.0},
        {"e5000-clump", "CON/comm", "memory_image", 1162 * 1048576.0},
        {"e5000-smp", "EM3D", "memory_image", 95 * 1048576.0},
        {"e5000-clump", "EM3D/good", "memory_image", 382 * 1048576.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_same(get((clump_store_filter){.platform = rows[i].platform,
                                             .application = rows[i].application,
                                             .quantity = rows[i].quantity})
                        .value,
                    rows[i].value);
    }
}

/* ---- hardware of virtual time ---- */

static double cost(const char *platform, const char *quantity)
{
    return get((clump_store_filter){.platform = platform, .quantity = quantity}).value;
}

/* SSAM, table 2: the parts of a system call are its total. What finds no cell is a little less than
 * that without the pull. */
TEST(system_calls_add_up)
{
    static const char *const machines[] = {"ss20-atm", "ss1-atm"};
    static const double totals[2][2] = {{28.2, 34.1}, {124, 137}};
    for (int i = 0; i < 2; i++) {
        const char *m = machines[i];
        const double sent = cost(m, "cell_write_call_kernel") + cost(m, "cell_write_call_check") +
                            cost(m, "cell_write_call_push"),
                     empty = cost(m, "cell_read_call_kernel") + cost(m, "cell_read_call_check"),
                     pull = cost(m, "cell_read_call_pull");
        assert_true(fabs(sent - totals[i][0]) < 1e-9);
        assert_same(cost(m, "cell_write_call"), totals[i][0]);
        assert_true(fabs(empty + pull - totals[i][1]) < 1e-9);
        assert_same(cost(m, "cell_read_call"), totals[i][1]);
        const double found = cost(m, "cell_read_call_empty") / empty;
        assert_true(found < 1 && found > 0.9);
        /* As costs of the path that runs in virtual time: the same totals. */
        assert_true(fabs(cost(m, "hardware_cell_call_write") + cost(m, "hardware_cell_call_check") +
                         cost(m, "hardware_cell_call_push") - totals[i][0]) < 1e-9);
        const double nothing =
            cost(m, "hardware_cell_call_read") + cost(m, "hardware_cell_call_ready");
        assert_true(fabs(nothing - cost(m, "cell_read_call_empty")) < 1e-9);
        assert_true(fabs(nothing + cost(m, "hardware_cell_call_pull") +
                         cost(m, "hardware_cell_call_move") - totals[i][1]) < 1e-9);
    }
}

static double of_program(const char *platform, const char *program, const char *quantity)
{
    return get((clump_store_filter){
                   .platform = platform, .application = program, .quantity = quantity})
        .value;
}

/* LCI, table VII, against what section 7 says of it. */
TEST(programs_are_as_described)
{
    static const char *const a = "ppro-myrinet", *const b = "p3-myrinet";
    static const struct {
        const char *name;
        bool memory_bound, latency_bound, lowest;
    } programs[] = {{"ASP", true, false, false},       {"Awari", false, true, false},
                    {"Barnes", false, true, true},     {"LEQ", true, false, false},
                    {"Puzzle-4", false, false, false}, {"Puzzle-64", false, false, false},
                    {"QR", true, false, false},        {"Radix", false, true, true},
                    {"SOR", true, false, false}};
    unsigned half[2] = {0, 0};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *name = programs[i].name;
        const double faster =
            of_program(a, name, "sequential_time") / of_program(b, name, "sequential_time");
        const double e[2] = {of_program(a, name, "parallel_efficiency"),
                             of_program(b, name, "parallel_efficiency")};
        /* "for most applications consistent with the factor five"; those bound by memory less */
        assert_true(programs[i].memory_bound ? faster > 2 && faster < 4
                                             : faster > 4.5 && faster < 5.5);
        assert_true(strcmp(name, "SOR") != 0 || faster < 2.1);  /* "only a factor of two" */
        assert_true(!programs[i].latency_bound || e[1] < e[0]); /* "indeed lower on the P3" */
        assert_true(!programs[i].memory_bound || e[1] > e[0] - 0.015); /* "almost sustained" */
        for (int k = 0; k < 2; k++) {
            half[k] += e[k] >= 0.5;
            assert_true(programs[i].lowest ? e[k] <= 0.25 : e[k] >= 0.25);
        }
    }
    assert_true(half[0] >= 5 && half[1] >= 5); /* "most achieve an efficiency of at least 50%" */
    assert_same(of_program(a, "Puzzle-4", "sequential_time"),
                of_program(a, "Puzzle-64", "sequential_time"));
    assert_same(of_program(b, "Puzzle-4", "sequential_time"),
                of_program(b, "Puzzle-64", "sequential_time"));
}

/* What docs/protocols.md says of the machines of LCI: clocks of table I, to five digits. */
TEST(machines_differ_by_their_clocks)
{
    static const char *const a = "ppro-myrinet", *const b = "p3-myrinet";
    const double host = cost(a, "hardware_host_word") / cost(b, "hardware_host_word"),
                 nic = cost(a, "hardware_nic_word") / cost(b, "hardware_nic_word");
    assert_true(fabs(host / (1000.0 / 200) - 1) < 5e-4);
    assert_true(fabs(nic / (133.0 / 33) - 1) < 5e-4);
    assert_same(cost(a, "hardware_dma_read"), cost(b, "hardware_dma_read"));
    assert_same(cost(a, "hardware_dma_write"), cost(b, "hardware_dma_write"));
    /* A grid of 4 x 4 x 4 switches: 10 at most, and on average over all pairs of nodes. */
    unsigned most = 0, sum = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            const unsigned way =
                (unsigned)(abs(i % 4 - j % 4) + abs(i / 4 % 4 - j / 4 % 4) + abs(i / 16 - j / 16)) +
                1;
            most = way > most ? way : most;
            sum += i != j ? way : 0;
        }
    assert_int_equal(most, 10);
    assert_true(fabs(cost(a, "hardware_hops") - sum / (64.0 * 63)) < 0.005);
}

/* ---- as a whole ---- */

static int print_finding(const char *finding, void *context)
{
    (void)context;
    print_error("%s\n", finding);
    return 0;
}

TEST(passes_its_own_check)
{
    size_t findings = 99;
    assert_int_equal(clump_store_check(store, print_finding, NULL, &findings), CLUMP_STORE_OK);
    assert_int_equal(findings, 0);
}

/* Misses of 51 and 44 cycles of 167 MHz, lines of 64 bytes; two banks feed two that copy 184 MiB/s. */
TEST(misses_are_as_printed)
{
    clump_store_misses m;
    static const struct {
        const char *platform, *now;
        double bandwidth;
    } rows[] = {{"e5000-clump", "ultra170-now", 2500},
                {"e5000-smp", "ultra170-now-8", 2500},
                {"e5000-smp-2-banks", "ultra170-now-8", 2 * 2 * 184 * 1.048576}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(clump_store_find_misses(store, rows[i].platform, rows[i].now, &m),
                         CLUMP_STORE_OK);
        assert_same(m.node_us, 51 / 167.0);
        assert_same(m.now_us, 44 / 167.0);
        assert_same(m.line_bytes, 64);
        assert_same(m.bytes_per_us, rows[i].bandwidth);
    }
    assert_int_equal(clump_store_find_misses(store, "ppro-myrinet", "ultra170-now", &m),
                     CLUMP_STORE_OK);
    assert_true(isnan(m.now_us) && isnan(m.node_us) && m.bytes_per_us == 0);
}

/* Messages are answered by processors that ask themselves in EM3D only. */
TEST(exchanges_are_told_apart)
{
    static const char *const names[] = {"EM3D",   "EM3D/naive", "EM3D/good", "SC97/EM3D",
                                        "SAMPLE", "3-D FFT",    "CON/comm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool mutual;
        assert_int_equal(clump_store_mutual_exchange(store, names[i], &mutual), CLUMP_STORE_OK);
        assert_true(mutual == (i < 4));
    }
}

static int check_sample(const clump_store_sample *sample, void *context)
{
    size_t *count = context;
    ++*count;
    assert_true(sample->reference);
    assert_true(strstr(sample->source->title, "Lumetta") != NULL ||
                strstr(sample->source->title, "Verstoep") != NULL ||
                strstr(sample->source->title, "Eicken") != NULL);
    assert_string_equal(sample->source->kind, "document");
    assert_non_null(sample->source->section);
    assert_true(!sample->measured.doubtful || sample->measured.note != NULL);
    return 0;
}

/* Platform, application and quantity together are looked up by an index: as many, and the same, as going through all. */
enum { MOST_SAMPLES = 5000 };

typedef struct sample_list {
    struct {
        char key[3][201];
        int64_t series;
        double value;
    } samples[MOST_SAMPLES];
    size_t count;
} sample_list;

static int take_sample(const clump_store_sample *sample, void *context)
{
    sample_list *list = context;
    assert_true(list->count < MOST_SAMPLES);
    const char *const key[] = {sample->platform, sample->application, sample->quantity};
    for (int i = 0; i < 3; i++)
        snprintf(list->samples[list->count].key[i], 201, "%s", key[i]);
    list->samples[list->count].series = sample->series;
    list->samples[list->count++].value = sample->measured.value;
    return 0;
}

static bool has_key(const sample_list *list, size_t i, const char key[3][201])
{
    return memcmp(list->samples[i].key, key, sizeof list->samples[i].key) == 0;
}

TEST(samples_of_a_key_are_those_of_the_list)
{
    sample_list *const all = calloc(1, sizeof *all);
    sample_list *const some = calloc(1, sizeof *some);
    assert_true(all != NULL && some != NULL);
    assert_int_equal(clump_store_each_sample(store, &(clump_store_filter){0}, take_sample, all),
                     CLUMP_STORE_OK);
    for (size_t i = 0; i < all->count; i++) {
        const clump_store_filter filter = {.platform = all->samples[i].key[0],
                                           .application = all->samples[i].key[1],
                                           .quantity = all->samples[i].key[2]};
        some->count = 0;
        assert_int_equal(clump_store_each_sample(store, &filter, take_sample, some),
                         CLUMP_STORE_OK);
        size_t found = 0;
        for (size_t j = 0; j < all->count; j++) {
            if (!has_key(all, j, (const char(*)[201])all->samples[i].key))
                continue;
            assert_true(found < some->count);
            assert_int_equal(some->samples[found].series, all->samples[j].series);
            assert_float_equal(some->samples[found].value, all->samples[j].value, 0);
            found++;
        }
        assert_int_equal(found, some->count);
    }
    free(all);
    free(some);
}

TEST(every_sample_has_provenance)
{
    size_t count = 0;
    const clump_store_filter any = {.platform = NULL};
    assert_int_equal(clump_store_each_sample(store, &any, check_sample, &count), CLUMP_STORE_OK);
    /* Sections 5.2, 7.3, 5.3.3 and 7.4.1; by table: 4.1, 5.1, 5.2, 5.3, 5.4, 5.5, 5.6, 5.7, 5.8, 6.3, 6.4,
     * figures 6.20 and 6.27, 6.5, 6.6, 7.1, 7.6, ... 7.11. Then tables III (2 x (3 x 6 + 5)) and IV
     * (2 x 2 x 5) and section 5.4 with the crossovers (6 + 2) of LCI; hardware of LCI (2 x 19), of
     * the Enterprise 5000 (19), of SSAM (2 x 12); tables of SSAM: 1 (2 x 4), 2 (2 x 9), 3 (2 x 5),
     * 4 (3, and 4 of remote memory), and system calls as hardware (2 x 7). Tables VI
     * (2 x 3) and VII (2 x 9 x 2) of LCI. Section 6.3.3 (6). */
    const size_t cells[] = {2,  1,  23, 6,  6,  9,  32, 19, 22, 22, 24, 34, 34, 49,
                            49, 1,  9,  35, 10, 4,  38, 20, 12, 8,  4,  16, 46, 20,
                            8,  38, 19, 24, 8,  18, 10, 7,  14, 6,  36, 6};
    size_t expected = 0;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        expected += cells[i];
    assert_int_equal(count, expected);
}

UNIT_MAIN(open_store, close_store)
