/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Copying bulk data into shared memory. */
#ifndef CLUMP_PROTOCOLS_QUEUE_COPY_H
#define CLUMP_PROTOCOLS_QUEUE_COPY_H

#include <stddef.h>

/**
 * Copy `size` bytes to a bulk block, past the caches where that is faster: the receiver has the old
 * content in its cache, and fetching a line from there only to overwrite it costs more than the
 * line. All stores are ordered before a release store that follows.
 */
void clump_copy_to_block(void *block, const void *data, size_t size);

#endif
