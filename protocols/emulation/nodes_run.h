/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Something that runs on emulated nodes, and of which nothing remains.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_NODES_RUN_H
#define CLUMP_PROTOCOLS_EMULATION_NODES_RUN_H

#include "protocols/emulation/nodes.h"

enum { CLUMP_NODES_MESSAGE = 256 };

/** For what runs: whether it may go on. */
struct clump_nodes_permit {
    int caller;        /**< readable once the calling process has ended */
    uint64_t limit_ns; /**< when time is up */
    double limit_seconds;
};

struct clump_nodes_run {
    struct clump_nodes_plan plan; /**< nodes 0: none, see `work` */
    double limit_seconds;         /**< of real time, with the making of the nodes */
    /** Called in a process of its own, when the nodes are there: the first process of a PID namespace
     *  with mounts of its own, whose /dev/shm is empty; without nodes in a network of its own, and nothing
     *  else. When it returns all that it started ends, too.
     *  What it wants to hand back it writes into memory that is shared. */
    clump_protocol_status (*work)(const struct clump_nodes *nodes,
                                  const struct clump_nodes_permit *permit, void *context,
                                  char *message);
    void *context;
    bool (*watch)(
        void *context); /**< called in between, 20 times a second; true: stop. May be NULL */

    struct clump_nodes_traffic traffic[CLUMP_NODES_MOST]; /**< since the nodes were made */
    double machine_busy;  /**< share of the machine's processors in use meanwhile, by anybody */
    double machine_taken; /**< share that the host of a virtual machine took away */
};

/** Whether this system lets its user make what is needed, for nodes or for a network only; `message` says what
 *  is missing. Cost: a process. */
clump_protocol_status clump_nodes_probe(bool nodes, char message[CLUMP_NODES_MESSAGE]);

/**
 * Make the nodes, do the work, and remove everything. Whatever happens to the caller, kill -9 included,
 * nothing remains: all is in namespaces that end with it.
 * @return that of `work`; TIMED_OUT: `watch` said stop
 */
clump_protocol_status clump_nodes_run(struct clump_nodes_run *run,
                                      char message[CLUMP_NODES_MESSAGE]);

/** For `work`: let that much time pass. TIMED_OUT: the limit is reached. Does not return if the caller
 *  has ended. */
clump_protocol_status clump_nodes_wait(const struct clump_nodes_permit *permit, int ms,
                                       char *message);

#endif
