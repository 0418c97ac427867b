/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The documents' programs (reproductions/applications/), run: by processes of this machine, or by
 * processors in virtual time. What came of it is described alike.
 */
#ifndef CLUMP_REPRODUCTIONS_RUNS_APPLICATION_RUN_H
#define CLUMP_REPRODUCTIONS_RUNS_APPLICATION_RUN_H

#include "protocols/calibration/workers.h"
#include "reproductions/applications/application.h"
#include "reproductions/virtual/cluster_team.h"
#include "reproductions/virtual/virtual_team.h"

/** What one worker did between the beginning and the end of what is timed. */
typedef struct clump_application_worker {
    double time_us;
    double phase_us; /**< of this, in communication phases; 0: the program does not tell */
    clump_time_parts parts;
    uint64_t memory_bytes;  /**< that it has allocated at most; virtual time, else 0 */
    uint64_t longest_queue; /**< messages that waited for it at most; virtual time, LogGP, else 0 */
    clump_worker_traffic traffic;
    clump_application_result result;
} clump_application_worker;

typedef struct clump_application_run {
    const clump_application_input *input;
    clump_application_worker *workers; /**< room for input->workers of each job, the caller's */
    uint32_t jobs; /**< copies that run at the same time: those of machine->sharing; 0: one */

    double cache_bytes; /**< of a processor whose misses machine->misses costs; 0: none */

    double time_us;                  /**< of the slowest worker; of several jobs the mean */
    clump_application_result result; /**< of all; of several jobs the first */
    double nic_utilization;          /**< virtual time: of the busier direction, mean; else 0 */
    uint64_t events;                 /**< virtual time, else 0 */
    clump_lci_counters counters;     /**< of all packets, with an LCI protocol */
    double packets_us;               /**< virtual time in which they were sent, else 0 */

    /** Called now and then with the share that is done; true: stop. May be NULL. */
    bool (*watch)(double share, void *context);
    void *context;
} clump_application_run;

/** Workers of all jobs. */
uint32_t clump_application_run_workers(const clump_application_run *run);

/** For those below: time and result of the run, from those of its workers. @return whether all jobs
 *  found the same */
bool clump_application_run_add(clump_application_run *run);

/**
 * With processes that share memory within a node (input->per_node), and reach others over UDP on this
 * machine's loopback.
 * @return as clump_team_run()
 */
clump_protocol_status clump_application_run_live(clump_application_run *run,
                                                 char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/**
 * In virtual time. `machine` says what messages cost, and what the NICs are like; nodes and processors
 * are those of the input.
 *
 * @param operation_us  what an operation costs; 0: as the application has it
 * @return as clump_virtual_team_run(); FAILED also if jobs found different results
 */
clump_protocol_status clump_application_run_virtual(clump_application_run *run,
                                                    const clump_virtual_team_options *machine,
                                                    double operation_us,
                                                    char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/**
 * In virtual time on nodes with a programmable NIC: packets pass through the code of an LCI protocol.
 * For programs over packets (their system is Panda, or above it).
 *
 * @param machine       nodes, and whether the NIC interrupts, are the input's and the program's
 * @param operation_us  what an operation costs
 * @return as clump_cluster_team_run(); BAD_INPUT: a node has more than one processor
 */
clump_protocol_status clump_application_run_cluster(clump_application_run *run,
                                                    const clump_virtual_cluster_options *machine,
                                                    double operation_us,
                                                    char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

#endif
