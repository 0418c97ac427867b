/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_COLLECTIVE_ALGORITHMS_H
#define CLUMP_MODEL_WORKLOAD_COLLECTIVE_ALGORITHMS_H

/*
 * Algorithms of collective operations as chains of messages: what follows what until the last rank is done, and shares NICs on the way
 * (new; MODEL.md 33).
 *
 *     kind, algorithm, bytes, layout, costs between nodes -> clump_collective_chain_make -> a chain (collective_between.h)
 *
 * Ranks are placed on nodes block by block. In one step of an algorithm as many messages leave a node as the
 * distance of partners allows, and share its NICs.
 */

#include "model/workload/collective.h"
#include "model/workload/collective_between.h"

/** The ranks of a communicator, on nodes. */
typedef struct clump_collective_layout {
    double ranks; /**< >= 1 */
    double each;  /**< of them on a node; ranks/each nodes are a whole number */
    /** Such communicators on a node, which call the operation at the same time; >= 1. */
    double groups;
    /** Bytes of the pieces in which broadcasts go down chains and binary trees; 0: whole. */
    double segment;
    /** A piece is sent when the one before has arrived, else as soon as the NIC has sent that. */
    bool arrive;
    /** Half of a broadcast goes down each side of a binary tree in pieces, and neighbours exchange halves at the end. */
    bool halves;
    /** Share of a message within a node that takes its sender's time, of those halves; 0: all of
     *  it. */
    double sender;
} clump_collective_layout;

/**
 * @param bytes  as in clump_collective_operation; real, >= 0
 * Errors: CLUMP_BAD_ARGUMENT for an algorithm that the kind does not have or whose time is not known, and a layout
 *         that is none. Cost: O(log ranks + each).
 */
clump_status clump_collective_chain_make(clump_collective_kind kind,
                                         clump_collective_algorithm algorithm, double bytes,
                                         const clump_collective_layout *layout,
                                         const clump_collective_between *between,
                                         clump_collective_chain *chain, clump_error *error);

/** Whether the time of the algorithm is known. */
bool clump_collective_is_timed(clump_collective_kind kind, clump_collective_algorithm algorithm);

#endif
