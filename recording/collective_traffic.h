/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COLLECTIVE_TRAFFIC_H
#define CLUMP_RECORDING_COLLECTIVE_TRAFFIC_H

#include "recording/run.h"

/**
 * Adds what ranks send to each other: their own messages, collectives as they were called, and these taken apart into
 * messages by the algorithms that the MPI library chooses (model/workload/collective.h). Collectives that would be
 * CLUMP_TRAFFIC_MOST messages or more are not taken apart; a note says so. False without memory.
 */
bool clump_collective_traffic_add(const clump_run *run, clump_facts *facts);

enum { CLUMP_TRAFFIC_MOST = 20000000 };

#endif
