/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Queue blocks as named POSIX shared memory: made, mapped, and removed when their owner is dead.
 *
 * The segment of endpoint NAME is /clump-NAME. Messages go into `message`, CLUMP_MESSAGE_BYTES
 * long. All functions that look at the segment of somebody else check its size first.
 */
#ifndef CLUMP_PROTOCOLS_QUEUE_SEGMENT_H
#define CLUMP_PROTOCOLS_QUEUE_SEGMENT_H

#include "protocols/protocol_status.h"
#include "protocols/queue/layout.h"

#include <stdbool.h>

enum { CLUMP_MESSAGE_BYTES = 256 };

/** 1 to CLUMP_NAME_BYTES - 1 letters, digits, '.', '_' or '-', ended within that many bytes. */
bool clump_segment_name_is_good(const char *name);

/** Bytes of a block; 0 if the lengths are not powers of two in range. */
size_t clump_block_bytes(uint32_t length, uint32_t bulk_length);

/**
 * Create and map a zeroed block. A segment whose owner is dead, or that nobody completed within a
 * minute, is replaced; IN_USE if its owner lives.
 */
clump_protocol_status clump_segment_create(const char *name, size_t size, unsigned mode,
                                           struct clump_block_header **block, char *message);

/**
 * Map the block of an endpoint that is complete and whose lengths fit its size. NOT_FOUND when it
 * is not there or not complete; PEER_DEAD when its owner has ended, and then it is removed.
 */
clump_protocol_status clump_segment_map(const char *name, struct clump_block_header **block,
                                        size_t *size, char *message);

/** Remove the name if it still stands for this block; memory stays while it is mapped. */
void clump_segment_unlink_own(const char *name, const struct clump_block_header *block);

/** Remove the segment if its owner is dead. True if it was removed. */
bool clump_segment_remove_stale(const char *name);

#endif
