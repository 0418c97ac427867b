/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_REQUESTS_H
#define CLUMP_RECORDING_PRELOAD_REQUESTS_H

/* Requests of a rank that were started and are not completed yet, and persistent ones, by their handle. */

#include "recording/call.h"
#include "recording/open_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clump_members;

/** Messages of a collective among neighbours: to `sends` of them, then from `receives`. Ranks of the world. */
typedef struct clump_neighbour_message {
    int peer;
    uint64_t bytes;
} clump_neighbour_message;

typedef struct clump_neighbour_messages {
    size_t sends, receives;
    const clump_neighbour_message *each;
} clump_neighbour_messages;

/** A request that is followed. */
typedef struct clump_followed_request {
    uintptr_t handle;
    uint64_t number; /**< of its last start */
    clump_request_kind kind;
    int peer, tag;                  /**< as asked for, in ranks of the world */
    uint64_t bytes, bytes_received; /**< of a start of a persistent one */
    uint32_t communicator;
    struct clump_members *members; /**< of the communicator; NULL: unknown */
    bool persistent, active;
    bool in_parts;        /**< what comes is what was asked for: the status does not say */
    bool silent;          /**< a send to nobody, followed for its receive */
    uint64_t receive;     /**< number of the receive that is the same request; 0: none */
    clump_call_kind call; /**< that a start of a persistent one is */
    clump_neighbour_messages
        neighbours; /**< numbered from `number` + 1; `each` is its own, NULL: none */
    bool used;
    /** Others with the same handle, in order, and for the first one their last: some libraries give one handle to all sends that are
     *  done at once. CLUMP_TABLE_NONE: there are none. */
    uint32_t next, last;
} clump_followed_request;

/** More are not followed: some 70 MB. */
#define CLUMP_REQUESTS_MOST (1u << 20)

typedef struct clump_requests {
    clump_table by_handle; /**< the first of each */
    clump_pool all;
    size_t most_messages; /**< of one that is several: among neighbours */
} clump_requests;

/** The first request of that handle, or NULL. Valid until one is added or removed. */
clump_followed_request *clump_requests_find(const clump_requests *requests, uintptr_t handle);

/** The last one of that handle, or NULL: where the handle is in use it is the one that it stands for. Others have ended, and the
 *  threads that ended them have not come to say so. */
clump_followed_request *clump_requests_last(clump_requests *requests, uintptr_t handle);

/** The one of that handle and number; else the first. NULL: there is none. */
clump_followed_request *clump_requests_numbered(clump_requests *requests, uintptr_t handle,
                                                uint64_t number);

/** Follow a request. With `behind` it comes behind those of the same handle, else these are forgotten. NULL: too many, or no memory. */
clump_followed_request *clump_requests_add(clump_requests *requests, uintptr_t handle, bool behind);

/** Remove a request that was found. */
void clump_requests_remove(clump_requests *requests, clump_followed_request *request);
void clump_requests_free(clump_requests *requests);

/** Keep the messages that one request is. False: no memory. */
bool clump_requests_keep_messages(clump_requests *requests, clump_followed_request *request,
                                  const clump_neighbour_messages *messages);

#endif
