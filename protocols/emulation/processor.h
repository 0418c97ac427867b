/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A processor of an emulation, and what all of them share, in memory that was mapped before they
 * were made.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_PROCESSOR_H
#define CLUMP_PROTOCOLS_EMULATION_PROCESSOR_H

#include "protocols/emulation/emulation_plan.h"
#include "protocols/emulation/testbed.h"

#include <pthread.h>
#include <stdatomic.h>

/** One NIC, for those who send through it. */
struct clump_emulation_nic {
    _Alignas(64) _Atomic int users; /**< messages that it has not yet carried */
    _Atomic int64_t idle_since_ns;  /**< when the last of them had arrived */
};

/** One process; written by it alone. */
struct clump_emulation_seat {
    _Alignas(64) _Atomic uint64_t done; /**< cycles */
    uint64_t packets, received, bytes, starved, lost_markers;
    double processor_us;
};

struct clump_emulation_side_board {
    struct clump_emulation_nic nics[CLUMP_EMULATION_MOST_NICS]; /**< or one a processor */
    struct clump_emulation_seat seats[CLUMP_EMULATION_MOST_PROCESSORS];
    pthread_barrier_t barrier;
};

enum { CLUMP_EMULATION_CLUMP, CLUMP_EMULATION_NOW, CLUMP_EMULATION_SIDES };

struct clump_emulation_board {
    struct clump_emulation_side_board sides[CLUMP_EMULATION_SIDES];
    _Atomic unsigned ready;          /**< processes that may begin */
    _Atomic int64_t start_ns;        /**< when all begin; 0: not yet */
    _Atomic int failed;              /**< a clump_protocol_status */
    _Atomic bool finished, ordinary; /**< all is done; a process got no real-time priority */
    double seconds, machine_busy, machine_taken;
    char message[CLUMP_EMULATION_MESSAGE_BYTES];
    clump_emulation_record records[]; /**< sides x P x cycles */
};

/** What a process is. */
struct clump_emulation_place {
    const clump_emulation_plan *plan;
    const struct clump_emulation_testbed *testbed;
    struct clump_emulation_board *board;
    int side;
    unsigned processor;
};

/** Be a processor until somebody ends the process; returns only if it fails, and says why. */
void clump_emulation_processor(const struct clump_emulation_place *place, char *message);

#endif
