/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Messages and tags, the same whatever protocol carries them. */
#ifndef CLUMP_PROTOCOLS_MESSAGE_H
#define CLUMP_PROTOCOLS_MESSAGE_H

#include "protocols/protocol_status.h"

#include <stddef.h>
#include <stdint.h>

#define CLUMP_TAG_REJECT_ALL UINT64_C(0)
#define CLUMP_TAG_ACCEPT_ALL UINT64_MAX

enum { CLUMP_MESSAGE_ARGUMENTS = 8, CLUMP_MESSAGE_BULK_BYTES = 8192 };

/** A message as a handler sees it; all pointers are valid until the handler returns. */
typedef struct clump_message {
    const uint32_t *arguments;
    unsigned count;   /**< of arguments, 0 to 8 */
    const void *data; /**< bulk data, which may lie in shared memory (a hostile sender could still
                           change them);
                           NULL for a short message */
    size_t size;      /**< of the data, 1 to 8192; 0 for a short message */
    unsigned handler; /**< for whom the message is or, in handler 0, for whom it was */
    clump_protocol_status returned; /**< handler 0: why it came back; else CLUMP_PROTOCOL_OK */
} clump_message;

#endif
