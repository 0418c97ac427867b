/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_FACTS_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_FACTS_H

/* Internal to fitting/validation/: what a prediction is made from, and how. */

#include "data/sha256.h"
#include "fitting/validation/validation.h"
#include "fitting/validation/validation_relatives.h"
#include "model/slowest.h"

/** Half of the 95% intervals of measured numbers; what is not above 0 is not known. That of L is of L
 *  itself, which is half a round trip without the overheads. */
typedef struct validation_half_widths {
    clump_loggp network, now_network, shared_memory;
    clump_traffic remote, local; /**< bulk_bytes: from the mean size alone */
    double computation;          /**< of computation.time */
    clump_loggp computed_with;   /**< of computation.shared_memory */
} validation_half_widths;

/** All that the model may know about a run. validation_facts_digest() has every member. */
typedef struct validation_facts {
    clump_node node;
    size_t nodes;
    clump_loggp network, shared_memory;
    clump_loggp now_network;     /**< that of the platform itself, unless the NOW has its own */
    bool other_network;          /**< the NOW has its own */
    clump_traffic remote, local; /**< of one processor, mean */
    double waited_share;
    clump_misses misses; /**< of the node against the NOW; times NAN if not known, share not set */
    bool half_duplex, lockstep, exchange;
    clump_spread uneven; /**< short messages of `remote`, fitted */
    bool differ;         /**< the least and the greatest of these are known */
    validation_computation computation;
    double now_time, now_half_width;
    validation_half_widths inexact;
    double measured; /**< only for the error */
    bool scaled_traffic;
} validation_facts;

/**
 * Read what a run on `platform` is predicted from, and its measured time. Also fills in the times
 * of `run`, as far as they are known.
 */
bool validation_read_facts(validation_reader *reader, clump_validation_run *run,
                           const clump_store_platform *platform, validation_facts *facts);

/** Digest of all that a prediction is made from, without the measured time. */
void validation_facts_digest(const validation_facts *facts, char text[CLUMP_SHA256_TEXT]);

#endif
