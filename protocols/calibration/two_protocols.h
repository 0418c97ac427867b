/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Measuring what two protocols under one endpoint cost each other, as section 7.1 and table 7.6 of
 * the thesis do: shared memory beside UDP over loopback, between processes of this machine.
 *
 * Each pair of processes is joined by both protocols. Everything that is compared is measured in
 * turn within each run, so that a machine that changes its speed under way changes it for all.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_TWO_PROTOCOLS_H
#define CLUMP_PROTOCOLS_CALIBRATION_TWO_PROTOCOLS_H

#include "protocols/calibration/stage.h"

/** How polls look at the network, and what it is called among the samples: "adaptive". */
typedef struct clump_multi_strategy {
    char name[CLUMP_POLLING_TEXT];
    clump_polling_parameters parameters;
} clump_multi_strategy;

enum {
    CLUMP_MULTI_STRATEGIES = 64,
    CLUMP_MULTI_PATIENCE_US = 20 /**< of the endpoints, their default */
};

/** Variant of what is measured with one protocol alone: as in the reference data. */
#define CLUMP_MULTI_ALONE "single-protocol"

/**
 * The cost of a poll that finds nothing, and of one that finds a message (table 7.1), of each
 * protocol alone; and of a poll with the strategy that does not look at the network.
 * Of the plan all but algorithm and processes is used. As clump_shm_measure() otherwise.
 */
clump_protocol_status clump_multi_polls(const clump_calibration_plan *plan,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** The poll with the strategy in clump_multi_polls(). */
enum { CLUMP_MULTI_SKIP = 1024 };
#define CLUMP_MULTI_SELDOM "fractional:1024"

/**
 * Round trip, o_s, o_r and gap of short messages (5.3.1) of each protocol: alone, and with both
 * polled by each strategy. o_s over shared memory is measured with the local estimate held high, as
 * in section 6.4.1: else the benchmark lowers it, because the receiver is held back.
 */
clump_protocol_status clump_multi_loggp(const clump_calibration_plan *plan,
                                        const clump_multi_strategy *strategies, unsigned count,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** Patterns of traffic are benchmarks that follow each other. */
enum {
    CLUMP_MULTI_FIRST_PATTERN = CLUMP_BENCHMARK_ALL_TO_ALL_SHORT,
    CLUMP_MULTI_PATTERNS = CLUMP_BENCHMARK_NETWORK - CLUMP_BENCHMARK_ALL_TO_ALL_SHORT + 1
};

/** Time a message (operation_time) of each pattern of traffic with each strategy, which is the
 *  variant. */
clump_protocol_status clump_multi_scan(const clump_calibration_plan *plan,
                                       const clump_multi_strategy *strategies, unsigned count,
                                       char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** Seconds, about. */
double clump_multi_polls_seconds(const clump_calibration_plan *plan);
double clump_multi_loggp_seconds(const clump_calibration_plan *plan, unsigned strategies);
double clump_multi_scan_seconds(const clump_calibration_plan *plan, unsigned strategies);

#endif
