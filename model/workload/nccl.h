/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_NCCL_H
#define CLUMP_MODEL_WORKLOAD_NCCL_H

/*
 * What NCCL does with a collective operation of GPUs, and how long that takes (new; MODEL.md 33, "NCCL"):
 *
 *     a node of GPUs, kind, bytes -> clump_nccl_time -> ring or tree, protocol, channels, us
 *
 * NCCL chooses by a model of its own, whose latencies and bandwidths stand in its public source
 * (src/graph/tuning.cc of version 2.8.4, BSD licence). The choice is made here as there; the time is NCCL's own
 * estimate too, but for the protocol LL, where a message is followed from GPU to GPU.
 */

#include "model/status.h"
#include "model/workload/collective.h"

/** Of GPUs: which of NCCL's constants. */
typedef enum clump_nccl_gpu {
    CLUMP_NCCL_VOLTA, /**< compute capability 7.0 */
    CLUMP_NCCL_AMPERE /**< 8.0 */
} clump_nccl_gpu;

typedef enum clump_nccl_protocol {
    CLUMP_NCCL_LL,    /**< every 4 bytes with a flag of 4 */
    CLUMP_NCCL_LL128, /**< 120 of 128 bytes are data */
    CLUMP_NCCL_SIMPLE /**< pieces, and a flag for each */
} clump_nccl_protocol;

/** "tree LL", "ring Simple"; by hops along the one or the other. */
const char *clump_nccl_way_name(bool tree, clump_nccl_protocol protocol);

/** Nodes, all alike. Bandwidths as NCCL counts them, GB/s (1e9 bytes) one way. */
typedef struct clump_nccl_node {
    clump_nccl_gpu gpu;
    double nodes, gpus;  /**< GPUs of a node that take part; whole numbers, >= 1 */
    double inside_gb;    /**< of one GPU to the others of its node; > 0 */
    bool nvlink;         /**< by NVLink, else by PCIe */
    bool nvswitch;       /**< by a switch, so that all rings may be the same */
    double nics, nic_gb; /**< of a node, and of one of them; not read with one node */
    /** GPUs and NICs are behind the same PCIe switches: LL128 between nodes, too (if NVLink joins the GPUs of a
     *  node, or there is one). */
    bool near;
    bool amd; /**< processors of the host */
    /** GB/s one way that all NICs of a node were measured to carry together: NCCL chooses by links, and takes as long
     *  as this lets it. 0: not measured. */
    double measured_gb;
} clump_nccl_node;

/** What NCCL counts of one NVLink, GB/s one way. */
#define CLUMP_NCCL_LINK_GB 21.0

typedef struct clump_nccl_call {
    clump_collective_kind kind; /**< allreduce, allgather, reduce-scatter, broadcast */
    double bytes;               /**< as in clump_collective_operation; real, >= 0 */
    /** Such calls follow each other without waiting for their end (nccl-tests): the time between
     *  them. */
    bool in_a_row;
} clump_nccl_call;

typedef struct clump_nccl_time {
    bool tree; /**< else a ring */
    clump_nccl_protocol protocol;
    double channels;    /**< that work on it */
    double estimate_us; /**< NCCL's own */
    double us;
} clump_nccl_time;

/** Errors: CLUMP_BAD_ARGUMENT for other kinds, and a node that is none. Cost: constant. */
clump_status clump_nccl_time_of(const clump_nccl_node *node, const clump_nccl_call *call,
                                clump_nccl_time *time, clump_error *error);

#endif
