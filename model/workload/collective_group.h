/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_COLLECTIVE_GROUP_H
#define CLUMP_MODEL_WORKLOAD_COLLECTIVE_GROUP_H

/* Internal to model/workload. Patterns of messages among the members of a group, seen from one of them. */

#include "model/workload/collective_plan.h"

/** Who visits. */
typedef struct collective_walk {
    clump_collective_visitor *visitor;
    void *context;
    int stopped; /**< what the visitor returned, if it was not 0 */
} collective_walk;

/** Ranks that exchange messages, numbered from 0: number v is `members[(v + shift) % count]`, or
 *  without members `first + (v + shift) % count * stride`. */
typedef struct collective_group {
    collective_walk *walk;
    const uint32_t *members;
    uint32_t first, stride;
    uint32_t count, shift;
    uint32_t me; /**< a number of the group */
} collective_group;

/** A vector in blocks of whole bytes, which differ by one at most; or in parts that are given. Some of a vector that
 * is divided in `of` blocks: `unit` of them are one here, and the first one is number `first` there. */
typedef struct collective_blocks {
    uint64_t begin, bytes; /**< of the vector, where the blocks begin, and all of them */
    uint32_t count;
    uint32_t shift;        /**< block b is the (b + shift) % count-th of the vector */
    const uint64_t *parts; /**< NULL: equal */
    uint32_t of;           /**< 0: count, and the next two are not read */
    uint32_t unit, first;
} collective_blocks;

/** Blocks of n bytes together. */
static inline collective_blocks collective_blocks_of(uint64_t begin, uint64_t n, uint32_t count)
{
    return (collective_blocks){.begin = begin, .bytes = n, .count = count};
}

/** What the members do with what: the vector [offset, offset + bytes), and in it a block for each number. */
typedef struct collective_content {
    uint64_t offset, bytes;
    collective_blocks blocks;
    const clump_collective_operation *operation; /**< for alltoall */
    collective_pattern pattern;
    bool up; /**< of trees: to number 0, else from it */
} collective_content;

/** What `me` sends and receives, with steps from `step` on.
 *  @return the step after the last, the same for all members */
uint32_t collective_visit_pattern(const collective_group *g, uint32_t step,
                                  const collective_content *content);

/** Bytes [offset, offset + bytes) from one number of the group to another, if one of them is `me`. */
void collective_pass(const collective_group *g, uint32_t step, uint32_t from, uint32_t to,
                     uint64_t offset, uint64_t bytes, bool combines);

#endif
