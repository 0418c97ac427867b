/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/simulation/kept_calls.h"
#include "model/simulation/schedule.h"
#include "model/simulation/traffic_program.h"
#include "tests/unit/failing_memory.h"

#include <stdlib.h>
#include <string.h>

/* From the n-th allocation on all fail, for every n. Threads: one, so that n means something. */

static const clump_coupling none = {.remote_fraction = 1, .cost_ratio = 1, .memory_penalty = 1};

static clump_simulation_options options_of_test(void)
{
    clump_simulation_options o = CLUMP_SIMULATION_DEFAULTS;
    o.threads = 1;
    o.precision = 0.5;
    return o;
}

static clump_status simulate(int which, clump_error *error)
{
    static const double half = 0.5, mix[] = {0.1, 0.5, 0.9};
    const clump_simulation_options o = options_of_test();
    clump_node node = {.processors = 3, .nics = 2, .mapping = CLUMP_MAPPING_STATIC};
    const clump_load loads[] = {
        {.utilizations = &half, .utilization_count = 1, .coupling = none},
        {.utilizations = mix, .utilization_count = 3, .coupling = none},
        {.utilizations = &half, .utilization_count = 1, .coupling = none, .phase_cycles = 2},
        {.utilizations = mix,
         .utilization_count = 3,
         .coupling = none,
         .demand = CLUMP_DEMAND_CORRELATED}};
    clump_simulation result;
    if (which >= 4) {
        node.memory = (clump_memory){.share = 0.5, .feeds = 1};
        node.mapping = which == 6 ? CLUMP_MAPPING_POOLED : CLUMP_MAPPING_STATIC;
    }
    return clump_simulate(&node, &loads[which % 4], &o, &result, NULL, error);
}

static clump_cluster machine_of_test(void)
{
    return (clump_cluster){.nodes = 2,
                           .node = {.processors = 2, .nics = 1},
                           .network = {5, 1, 1.5, 4, 0.01},
                           .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                           .send_queue = 4,
                           .receive_queue = 4,
                           .memory_penalty = 1};
}

static clump_status simulate_messages(int which, clump_error *error)
{
    static const double matrix[16] = {0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0};
    const clump_simulation_options o = options_of_test();
    const clump_cluster machine = machine_of_test();
    const clump_program program = {.pattern =
                                       which == 0 ? CLUMP_PATTERN_ALL_TO_ALL : CLUMP_PATTERN_MATRIX,
                                   .matrix = matrix,
                                   .messages = 300,
                                   .phases = 1,
                                   .burst = 1};
    clump_message_result result, other;
    clump_ratio ratio;
    return clump_simulate_messages(&machine, &machine, &program, &o, &result, &other, &ratio,
                                   error);
}

/* All that takes memory of its own: polls, common computations, efficiency, NICs at once. */
static clump_status simulate_traffic(int which, clump_error *error)
{
    static const double table[] = {1, 0.9};
    const clump_simulation_options o = options_of_test();
    clump_cluster machine = machine_of_test();
    clump_program program = {.phases = 1, .burst = 1, .together = 2};
    const clump_traffic remote = {20, 10, 10000}, local = {10, 0, 0};
    clump_message_result result;
    (void)which;
    machine.node.nics = 3;
    machine.node.max_nics_per_processor = 2;
    machine.node.efficiency = (clump_efficiency){.table = table, .table_length = 2};
    machine.node.memory = (clump_memory){.share = 0.5, .feeds = 1};
    machine.polling = CLUMP_MESSAGE_POLLING_DEFAULTS;
    machine.polling.costs = (clump_poll_costs){0.2, 2, 0.1};
    clump_program_set_traffic(&program, &remote, &local, 0.5, true);
    program.computation_us = 100;
    return clump_simulate_messages(&machine, NULL, &program, &o, &result, NULL, NULL, error);
}

enum { BY_PACKETS = CLUMP_SCHEDULE_LOGGOPSIM + 1, BY_STEPS };

static clump_status run_schedule(int which, clump_error *error)
{
    static const char text[] =
        "num_ranks 3\nrank 0 {\na: send 1b to 1\nb: recv 1b from -1\nb requires a\n}\n"
        "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n";
    const clump_cluster machine = machine_of_test();
    clump_schedule *schedule = NULL;
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    static const char farm[] = "rs1.1t1r1.1t2ns1.1t1r1.1t2n\nrr1.0t1c5s1.0t2r1.0t1c5s1.0t2\n";
    const clump_mpi_transports transports = clump_mpi_transports_of(NULL);
    const clump_kept_machine kept = {.most_operations = 100};
    rules.conventions =
        which >= BY_PACKETS ? CLUMP_SCHEDULE_QUEUED : (clump_schedule_conventions)which;
    rules.rendezvous_above = 0;
    rules.transports = which == BY_STEPS ? &transports : NULL;
    rules.window_bytes = which == BY_PACKETS;
    clump_schedule_result result;
    clump_status status = which == BY_STEPS
                              ? clump_kept_schedule(farm, 2, &kept, &schedule, NULL, error)
                              : clump_schedule_parse(text, sizeof text - 1, &schedule, error);
    if (status == CLUMP_OK)
        status = clump_schedule_run(schedule, &machine, &rules, &result, error);
    clump_schedule_free(schedule);
    return status;
}

static int fail_each(clump_status (*run)(int, clump_error *), int which)
{
    int failures = 0;
    for (long at = 0;; at++) {
        clump_error error = {CLUMP_OK, ""};
        allocations_fail_from(at);
        const clump_status status = run(which, &error);
        if (allocations_succeed() == 0) {
            assert_int_equal(status, CLUMP_OK);
            return failures;
        }
        assert_int_equal(status, CLUMP_NO_MEMORY);
        assert_non_null(strstr(error.message, "out of memory"));
        failures++;
    }
}

TEST(test_every_allocation_may_fail)
{
    int failures = 0;
    for (int which = 0; which < 8; which++) /* from 4 on with memory */
        failures += fail_each(simulate, which);
    for (int which = 0; which < 2; which++)
        failures += fail_each(simulate_messages, which);
    failures += fail_each(simulate_traffic, 0);
    failures += fail_each(run_schedule, CLUMP_SCHEDULE_QUEUED);
    failures += fail_each(run_schedule, CLUMP_SCHEDULE_LOGGOPSIM);
    failures += fail_each(run_schedule, BY_PACKETS);
    failures += fail_each(run_schedule, BY_STEPS);
    assert_true(failures > 300); /* the wrapper did take effect */
}

UNIT_MAIN(NULL, NULL)
