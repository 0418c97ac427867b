/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Messages that are larger than a packet: cut into parts, and put together again in memory of the
 * caller, in any order.
 *
 * All parts of a message but the last have one size, and say where they belong and how large the
 * whole is. Each must come once: a second one, or one that does not fit to the others, is refused,
 * whoever sent it, so that no byte of a whole message is left from an earlier one.
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_FRAGMENTS_H
#define CLUMP_PROTOCOLS_RELIABILITY_FRAGMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { CLUMP_FRAGMENTS_MOST = 512 /**< parts of a message */ };

/** Size of the next part of a message of `whole` bytes of which `done` are cut off; 0: none. */
static inline uint32_t clump_fragment_size(uint32_t whole, uint32_t done, uint32_t most)
{
    return whole - done < most ? whole - done : most;
}

typedef enum clump_assembly_step {
    CLUMP_ASSEMBLY_REFUSED = 0, /**< nothing has changed */
    CLUMP_ASSEMBLY_MORE,
    CLUMP_ASSEMBLY_WHOLE
} clump_assembly_step;

/** A message on its way; all 0: none. */
typedef struct clump_assembly {
    uint32_t whole, done; /**< bytes; done is 0 before the first part, whole after the last */
    uint32_t part;        /**< bytes of a part that is not the last; 0: not known yet */
    uint32_t last;        /**< where the last part begins; 0: it is not there */
    uint64_t seen[CLUMP_FRAGMENTS_MOST / 64]; /**< parts that are there */
} clump_assembly;

/** Forget what is there. */
static inline void clump_assembly_restart(clump_assembly *assembly)
{
    assembly->done = 0;
}

/**
 * Put in a part of `size` bytes (1 or more) that begins at `offset` of a message of `whole` bytes.
 * @param bytes  room for the message  @param room  bytes of it
 */
clump_assembly_step clump_assembly_add(clump_assembly *assembly, unsigned char *bytes,
                                       uint32_t room, uint32_t offset, uint32_t whole,
                                       const unsigned char *part, uint32_t size);

#endif
