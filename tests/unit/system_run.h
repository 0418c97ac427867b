/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function on several workers, for tests of systems over packets (reproductions/systems/packets.h): by
 * processes of this machine, by processors whose messages cost what LogGP says, or on nodes with an
 * LCI protocol.
 */
#ifndef CLUMP_TESTS_SYSTEM_RUN_H
#define CLUMP_TESTS_SYSTEM_RUN_H

#include "reproductions/runs/application_run.h"
#include "tests/unit/shipped_hardware.h"

#include <sys/mman.h>

enum { SYSTEM_WORKERS = 64 };

typedef struct system_way {
    const char *protocol; /* NULL: "live" processes; "": LogGP */
    uint32_t workers, per_node;
    double loss;
    bool live, interrupts;
} system_way;

static clump_application_worker system_workers[SYSTEM_WORKERS];

static const clump_application_size system_no_sizes[] = {{.name = NULL}};

/* The same bytes in all processes, zeroed. */
static inline void *system_share(size_t bytes)
{
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    return shared;
}

typedef void system_work(clump_worker *worker, const clump_application_input *input,
                         clump_application_result *result);

static inline clump_protocol_status system_try(const system_way *way, system_work *work,
                                               uint64_t seed, clump_application_run *run,
                                               char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    static const clump_virtual_team_options costs = {
        .nics = 2,
        .network = {12.56, 3.463, 8.93, 14.51, 0.031208},
        .memory = {-0.52, 2.135, 1.73, 3.251, 0.0063}};
    const clump_application application = {.name = "test",
                                           .sizes = system_no_sizes,
                                           .operation_us = 0.1,
                                           .work = work,
                                           .system = "test",
                                           .threads = way->interrupts};
    const clump_application_input input = {.application = &application,
                                           .workers = way->workers,
                                           .per_node = way->per_node,
                                           .seed = seed};
    clump_protocol_status status;
    *run = (clump_application_run){.input = &input, .workers = system_workers};
    if (way->live) {
        status = clump_application_run_live(run, message);
    } else if (way->protocol[0] == '\0') {
        status = clump_application_run_virtual(run, &costs, 0, message);
    } else {
        clump_virtual_cluster_options o = {.hardware = virtual_hardware("ppro-myrinet"),
                                           .timeout_us = way->loss > 0 ? 1000 : 0,
                                           .faults = {.loss = way->loss,
                                                      .duplication = way->loss,
                                                      .reordering = way->loss,
                                                      .jitter_ps = 100000000,
                                                      .seed = seed}};
        assert_int_equal(clump_lci_protocol_parse(way->protocol, &o.protocol, NULL),
                         CLUMP_PROTOCOL_OK);
        status = clump_application_run_cluster(run, &o, 0.1, message);
    }
    run->input = NULL; /* ours */
    return status;
}

static inline clump_application_run system_run(const system_way *way, system_work *work,
                                               uint64_t seed)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_application_run run;
    if (system_try(way, work, seed, &run, message) != CLUMP_PROTOCOL_OK)
        fail_msg("%s, %u workers: %s", way->live ? "live" : way->protocol, way->workers, message);
    return run;
}

#endif
