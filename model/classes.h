/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_CLASSES_H
#define CLUMP_MODEL_CLASSES_H

#include "model/status.h"

#include <stddef.h>

/** A class of processors with equal utilization. */
typedef struct clump_class {
    double utilization; /**< U, 0 to 1 */
    size_t processors;  /**< may be 0 */
} clump_class;

/** Processors sorted into classes of equal utilization, in ascending order. */
typedef struct clump_classes {
    clump_class *classes;
    size_t count;
    size_t *class_of; /**< for every processor, in the order given, the index of its class */
} clump_classes;

/**
 * Sort `processors` utilizations into classes. Release with clump_classes_free.
 *
 * Errors: CLUMP_BAD_ARGUMENT for a utilization outside 0 to 1, naming the processor.
 * Cost: O(P log P).
 */
clump_status clump_classes_make(const double *utilizations, size_t processors,
                                clump_classes *classes, clump_error *error);

/** Release what clump_classes_make has filled in; harmless on a zeroed struct. */
void clump_classes_free(clump_classes *classes);

/**
 * Check classes and count their processors.
 *
 * Errors: CLUMP_BAD_ARGUMENT for a utilization outside 0 to 1, or a total outside 1 to
 *         CLUMP_MAX_PROCESSORS.
 */
clump_status clump_classes_check(const clump_class *classes, size_t count, size_t *processors,
                                 clump_error *error);

#endif
