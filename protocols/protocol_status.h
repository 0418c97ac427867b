/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What the functions of protocols/ return. */
#ifndef CLUMP_PROTOCOLS_PROTOCOL_STATUS_H
#define CLUMP_PROTOCOLS_PROTOCOL_STATUS_H

typedef enum clump_protocol_status {
    CLUMP_PROTOCOL_OK = 0,
    CLUMP_PROTOCOL_BAD_INPUT, /**< an argument that cannot be used, or a call that its place forbids
                               */
    CLUMP_PROTOCOL_NOT_FOUND, /**< no endpoint of that name, or it is still being made: try again */
    CLUMP_PROTOCOL_IN_USE,    /**< a living process has that name, or every sender place is taken */
    CLUMP_PROTOCOL_BAD_TAG,   /**< the receiver's tag refuses this destination's tag */
    CLUMP_PROTOCOL_NO_HANDLER, /**< the receiver has no handler of that number (handler 0 only) */
    CLUMP_PROTOCOL_TIMED_OUT,  /**< the queue stayed full for the send timeout */
    CLUMP_PROTOCOL_PEER_DEAD,  /**< the process that owns the other endpoint has ended */
    CLUMP_PROTOCOL_FAILED,     /**< the system refused: out of memory, no shared memory... */
    CLUMP_PROTOCOL_BLOCKED,    /**< the window is full or no buffer is free: try again later */
    CLUMP_PROTOCOL_BAD_PACKET, /**< a packet that was refused: damaged, stale, or no room for it */
    CLUMP_PROTOCOL_BAD_VERSION /**< the other end speaks another version of the protocol */
} clump_protocol_status;

/** One or two words for a status; never NULL. */
const char *clump_protocol_status_text(clump_protocol_status status);

#endif
