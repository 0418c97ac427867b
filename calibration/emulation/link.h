/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The sockets of one processor: near ends that it sends from, far ends where it sees what has
 * arrived. It holds both, and so needs nobody to tell it that its message is there.
 */
#ifndef CLUMP_CALIBRATION_EMULATION_LINK_H
#define CLUMP_CALIBRATION_EMULATION_LINK_H

#include "calibration/emulation/board.h"

#include <poll.h>

struct clump_emulation_link {
    const clump_emulation_plan *plan;
    struct clump_emulation_nic *nics[CLUMP_EMULATION_MOST_NICS]; /**< those it uses */
    unsigned nic_count;
    struct pollfd near[CLUMP_EMULATION_MOST_NICS + 1]; /**< a socket a NIC, then the far markers */
    struct sockaddr_in data_to[CLUMP_EMULATION_MOST_NICS], marker_to[CLUMP_EMULATION_MOST_NICS];
    uint64_t left[CLUMP_EMULATION_MOST_NICS]; /**< bytes of the message that are still to be sent */
    bool marked[CLUMP_EMULATION_MOST_NICS];   /**< and the marker, too */
    int data;                                 /**< far socket where all but markers arrive */
    int drain_ms;                             /**< within which that one cannot overflow */
    uint64_t packets, received, bytes, starved;
};

/** Leaves the process in the far namespace. False: `message` says why. */
bool clump_emulation_link_open(struct clump_emulation_link *link,
                               const struct clump_emulation_place *place, char *message);

/** Send a message at `begin_ns` and wait; `end_ns` receives when all of it had arrived. */
bool clump_emulation_link_send(struct clump_emulation_link *link, double message_us,
                               int64_t begin_ns, int64_t *end_ns, char *message);

#endif
