/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Bulk data of a message: how a sender puts it into the block that it has claimed. */
#ifndef CLUMP_PROTOCOLS_QUEUE_BULK_DATA_H
#define CLUMP_PROTOCOLS_QUEUE_BULK_DATA_H

#include "protocols/queue/queue.h"

/** Before a block is claimed for `size` bytes: a trial may have to begin its round here. */
void clump_bulk_begin(struct clump_queue *queue, size_t size);

/** After a message with so many bytes was published. */
void clump_bulk_end(struct clump_queue *queue, size_t size);

/**
 * A sender writes its data to the block that it has claimed. All stores are ordered before a release
 * store that follows. Past the caches, the line of `packet` is asked for towards the end, which is
 * to be written next, and not before: stores leave a processor in order, and those of the data would
 * wait behind it.
 */
void clump_bulk_write(struct clump_queue *queue, uint32_t block, uint32_t packet, const void *data,
                      size_t size);

#endif
