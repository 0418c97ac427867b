/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "model/traffic.h"

/* Table 7.6, multi-protocol columns. */
static const clump_loggp myrinet = {12.56, 3.463, 8.93, 14.51, 0.031208};
static const clump_loggp memory = {-0.52, 2.135, 1.73, 3.251, 0.00630};

static void test_message_times(void **state)
{
    (void)state;
    assert_close(clump_loggp_round_trip_us(&myrinet), 49.912, 2e-4); /* table 7.6: RTT */
    assert_close(clump_loggp_round_trip_us(&memory), 6.675, 3e-3);
    assert_close(clump_loggp_one_way_us(&myrinet, 1), 24.953, 1e-12);
    assert_close(clump_loggp_one_way_us(&myrinet, 1001), 24.953 + 31.208, 1e-12);
    assert_close(clump_loggp_burst_us(&myrinet, 100), 99 * 14.51 + 24.953, 1e-12);
    /* 8.5.3: g/(o_s + o_r) = 14.51/12.39 = 1.17 */
    assert_close(clump_loggp_max_nics(&myrinet), 1, 0);
    assert_close(clump_loggp_max_nics_bulk(&myrinet, 8192),
                 floor((14.51 + 8191 * 0.031208) / 12.393), 0);
}

/* 6.3.2: half of the limit is reached at (min + t_c)/max fragments. */
static void test_fragments(void **state)
{
    (void)state;
    const clump_fragment f = {8192, 50, 30, 10};
    assert_close(clump_fragmented_bandwidth(&f, 1), 8192.0 / 90, 1e-15);
    assert_close(clump_fragmented_bandwidth(&f, 1e9), 8192.0 / 50, 1e-8);
    assert_close(clump_fragmented_half_power(&f), 0.8, 1e-15);
    assert_close(clump_fragmented_bandwidth(&f, 0.8), 8192.0 / 100, 1e-14);
}

static clump_workload workload(double waited, double time_us)
{
    return (clump_workload){.remote = {60000, 0, 0},
                            .local = {20000, 0, 0},
                            .waited_share = waited,
                            .memory_penalty = 1,
                            .time_us = time_us};
}

static void test_streaming_profile(void **state)
{
    (void)state;
    const clump_workload w = workload(0, 2e6);
    clump_demand_profile profile;
    clump_error error = {CLUMP_OK, ""};
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, &error), CLUMP_OK);
    assert_close(profile.utilization, 80000 * 14.51 / 2e6, 1e-14);
    assert_close(profile.coupling.remote_fraction, 0.75, 1e-14);
    assert_close(profile.coupling.cost_ratio, 3.251 / 14.51, 1e-14);
    assert_close(profile.coupling.waiting_fraction, 0, 0);
}

/* A processor that waits for each answer: RTT/2 a message, of which only g loads the NIC. */
static void test_blocking_profile(void **state)
{
    (void)state;
    const clump_workload w = workload(1, 4e6);
    clump_demand_profile profile;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    assert_close(profile.utilization, 80000 * 24.953 / 4e6, 1e-14);
    assert_close(profile.coupling.waiting_fraction, 1 - 14.51 / 24.953, 1e-14);
    assert_close(profile.coupling.cost_ratio, 3.345 / 24.953, 1e-14);
}

static void test_bulk_profile(void **state)
{
    (void)state;
    clump_workload w = workload(0, 0);
    w.remote = (clump_traffic){0, 100, 100 * 2048.0};
    w.local = (clump_traffic){0, 0, 0};
    w.computation_us = 50000;
    clump_demand_profile profile;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    const double communication = 100 * (14.51 + 2047 * 0.031208);
    assert_close(profile.time_us, 50000 + communication, 1e-14);
    assert_close(profile.utilization, communication / (50000 + communication), 1e-14);
    assert_close(profile.coupling.cost_ratio, 1, 0); /* nothing local */
}

static void test_refusals(void **state)
{
    (void)state;
    clump_demand_profile profile;
    clump_error error;
    clump_workload w = workload(0, 1e6); /* 1.16 s of messages in 1 s */
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "more than the 1 s given"));
    w = workload(2, 2e6);
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    w = workload(0, NAN);
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    w = workload(0, 2e6);
    w.local.short_messages = -1;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "local traffic: short messages"));
    w = workload(0, 2e6);
    w.remote.bulk_bytes = 5;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    w = workload(0, 2e6);
    w.memory_penalty = NAN;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    w = workload(0, 0);
    w.remote.short_messages = 1e308;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    clump_loggp bad = myrinet;
    bad.gap_us = 0;
    w = workload(0, 2e6);
    assert_int_equal(clump_traffic_profile(&w, &bad, &memory, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "network: g"));
    bad = memory;
    bad.latency_us = -10;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &bad, &profile, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "round trip"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_times),     cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_streaming_profile), cmocka_unit_test(test_blocking_profile),
        cmocka_unit_test(test_bulk_profile),      cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
