/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/prediction.h"
#include "model/workload/answering.h"
#include "model/workload/traffic.h"
#include "tests/unit/golden.h"

/* Table 7.6, multi-protocol columns. */
static const clump_loggp myrinet = {12.56, 3.463, 8.93, 14.51, 0.031208};
static const clump_loggp memory = {-0.52, 2.135, 1.73, 3.251, 0.00630};

TEST(test_message_times)
{
    assert_close(clump_loggp_round_trip_us(&myrinet), 49.912, 2e-4); /* table 7.6: RTT */
    assert_close(clump_loggp_round_trip_us(&memory), 6.675, 3e-3);
    /* 8.5.3: g/(o_s + o_r) = 14.51/12.39 = 1.17 */
    assert_close(clump_loggp_max_nics(&myrinet), 1, 0);
    assert_close(clump_loggp_max_nics_bulk(&myrinet, 8192),
                 floor((14.51 + 8191 * 0.031208) / 12.393), 0);
}

static clump_workload workload(double waited, double time_us)
{
    return (clump_workload){.remote = {60000, 0, 0},
                            .local = {20000, 0, 0},
                            .waited_share = waited,
                            .memory_penalty = 1,
                            .time_us = time_us};
}

/* 60,000 messages to other nodes and 20,000 within one, waited for by processors that answer meanwhile. */
TEST(test_exchange)
{
    clump_workload w = workload(1, 6e6), streaming = workload(0, 6e6);
    clump_demand_profile profile, same;
    w.exchange = streaming.exchange = 1;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    const double far = clump_answering_round_trip_us(&myrinet) / 2;
    const double near = clump_answering_round_trip_us(&memory) / 2;
    assert_close(far, 54.848138074164346 / 2,
                 1e-12); /* both by damped iteration, in another program */
    assert_close(near, 9.270027796055796 / 2, 1e-12);
    assert_close(profile.utilization, 80000 * far / 6e6, 1e-13);
    assert_close(profile.coupling.cost_ratio, near / far, 1e-13);
    assert_close(profile.coupling.waiting_fraction, (far - 14.51) / far, 1e-13);
    assert_int_equal(clump_traffic_profile(&streaming, &myrinet, &memory, &profile, NULL),
                     CLUMP_OK);
    streaming.exchange = 0; /* who streams waits for nobody */
    assert_int_equal(clump_traffic_profile(&streaming, &myrinet, &memory, &same, NULL), CLUMP_OK);
    assert_memory_equal(&profile, &same, sizeof same);
}

TEST(test_streaming_profile)
{
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
TEST(test_blocking_profile)
{
    const clump_workload w = workload(1, 4e6);
    clump_demand_profile profile;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    assert_close(profile.utilization, 80000 * 24.953 / 4e6, 1e-14);
    assert_close(profile.coupling.waiting_fraction, 1 - 14.51 / 24.953, 1e-14);
    assert_close(profile.coupling.cost_ratio, 3.345 / 24.953, 1e-14);
}

TEST(test_bulk_profile)
{
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

/* Through a bus that moves one direction at a time, what arrives counts like what leaves. */
TEST(test_half_duplex)
{
    const clump_traffic t = {1000, 100, 100 * 2048.0};
    const clump_communication_time once = clump_traffic_time(&t, &myrinet, 0.25);
    const clump_communication_time twice = clump_traffic_time_half_duplex(&t, &myrinet, 0.25);
    assert_close(twice.occupancy_us - once.occupancy_us, 100 * 2047 * 0.031208, 1e-12);
    assert_close(twice.waiting_us, once.waiting_us, 0);
    /* Only the network has such a bus, also where it carries what is local on the Clump. */
    clump_workload w = workload(0, 4e6);
    w.remote = t;
    w.local = (clump_traffic){0, 50, 50 * 1024.0};
    w.half_duplex = 1;
    clump_demand_profile profile;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    const double remote = 1100 * 14.51 + 2 * 100 * 2047 * 0.031208;
    const double local_as_remote = 50 * (14.51 + 2 * 1023 * 0.031208);
    assert_close(profile.utilization, (remote + local_as_remote) / 4e6, 1e-14);
    assert_close(profile.coupling.cost_ratio, 50 * (3.251 + 1023 * 0.0063) / local_as_remote,
                 1e-14);
    w = workload(0.5, 4e6); /* short messages: no difference */
    clump_demand_profile other;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    w.half_duplex = 1;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &other, NULL), CLUMP_OK);
    assert_memory_equal(&profile, &other, sizeof profile);
}

/* Where the computation is known beside the time, the rest is waiting for others. */
TEST(test_stalls)
{
    clump_demand_profile profile;
    clump_workload w = workload(0, 2e6); /* 80,000 messages: 1.1608 s */
    w.memory_penalty = 1.2;
    w.computation_us = 0.5e6;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    assert_close(profile.time_us, 2e6, 0);
    assert_close(profile.stalled_fraction, 1 - 0.5e6 / (2e6 - 80000 * 14.51), 1e-14);
    w.computation_us = 0.9e6; /* more than fits: it overlaps, and nothing is a stall */
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    assert_close(profile.stalled_fraction, 0, 0);
    w.computation_us = 0;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    assert_close(profile.stalled_fraction, 0, 0);
    w.time_us = 0; /* the sum: no room for stalls */
    w.computation_us = 0.5e6;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    assert_close(profile.stalled_fraction, 0, 0);
}

/* Barriers between steps that all have remote partners: local traffic takes as long as remote. */
TEST(test_lockstep)
{
    clump_workload w = workload(0.3, 4e6), all_remote = w;
    clump_demand_profile profile, expected;
    w.lockstep = 1;
    all_remote.remote.short_messages = 80000;
    all_remote.local.short_messages = 0;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    assert_int_equal(clump_traffic_profile(&all_remote, &myrinet, &memory, &expected, NULL),
                     CLUMP_OK);
    assert_memory_equal(&profile, &expected, sizeof profile);
    assert_close(profile.coupling.remote_fraction, 1, 0);
    w.remote.short_messages = 0; /* nothing leaves the node: no effect */
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &profile, NULL), CLUMP_OK);
    w.lockstep = 0;
    assert_int_equal(clump_traffic_profile(&w, &myrinet, &memory, &expected, NULL), CLUMP_OK);
    assert_memory_equal(&profile, &expected, sizeof profile);
    assert_close(profile.coupling.remote_fraction, 0, 0);
}

/* Seconds of one message kind after the other, as a stopwatch would add them up. */
static double stopwatch(const clump_workload *w, double sharing)
{
    const double half_trip[2] = {24.953, 3.345}, gap[2] = {14.51, 3.251},
                 per_byte[2] = {0.031208, 0.0063};
    double nic = 0, now = 0, clump = 0;
    for (int local = 0; local < 2; local++) {
        const clump_traffic *t = local ? &w->local : &w->remote;
        const int to_network = w->lockstep && w->remote.short_messages > 0;
        for (int clumped = 0; clumped < 2; clumped++) {
            const int p = local && clumped && !to_network; /* the protocol */
            const double bytes = t->bulk_bytes - t->bulk_messages;
            const double busy = (t->short_messages + t->bulk_messages) * gap[p] +
                                bytes * per_byte[p] * (p == 0 && w->half_duplex ? 2 : 1);
            const double idle = t->short_messages * w->waited_share * (half_trip[p] - gap[p]);
            *(clumped ? &clump : &now) += busy + idle;
            if (clumped && p == 0)
                nic += busy;
        }
    }
    const double rest = w->time_us - now;
    const double computing = w->computation_us > 0 ? fmin(w->computation_us, rest) : rest;
    return rest + computing * (w->memory_penalty - 1) + clump + (sharing - 1) * nic;
}

/* All terms together, against that: correlated demand, 2 to 8 processors a NIC. */
TEST(test_all_terms)
{
    unsigned long long seed = 20261121;
    for (int i = 0; i < 2000; i++) {
        const double n = 1 + floor(7 * golden_random(&seed));
        clump_workload w = {
            .remote = {floor(1e4 * golden_random(&seed)) + 1, 10, 1e5 * golden_random(&seed) + 10},
            .local = {floor(1e4 * golden_random(&seed)), 7, 1e5 * golden_random(&seed) + 7},
            .waited_share = golden_random(&seed),
            .memory_penalty = 0.8 + golden_random(&seed),
            .time_us = 6e5 + 1e6 * golden_random(&seed),
            .computation_us = i % 3 ? 1e6 * golden_random(&seed) : 0,
            .half_duplex = i % 2,
            .lockstep = i % 5 == 0,
        };
        clump_demand_profile profile;
        clump_error error;
        if (clump_traffic_profile(&w, &myrinet, &memory, &profile, &error) != CLUMP_OK)
            fail_msg("%s", error.message);
        const clump_node node = {
            .processors = (size_t)(4 * n), .nics = 4, .mapping = CLUMP_MAPPING_STATIC};
        const clump_load load = {.utilizations = &profile.utilization,
                                 .utilization_count = 1,
                                 .demand = CLUMP_DEMAND_CORRELATED,
                                 .coupling = profile.coupling};
        clump_prediction prediction;
        assert_int_equal(clump_predict(&node, &load, &prediction, NULL, NULL), CLUMP_OK);
        assert_close(prediction.slowdown * w.time_us, stopwatch(&w, n), 1e-12);
    }
}

TEST(test_refusals)
{
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

UNIT_MAIN(NULL, NULL)
