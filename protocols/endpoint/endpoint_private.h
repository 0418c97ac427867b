/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The inside of an endpoint: its control block (section 3.1.1), in private memory. */
#ifndef CLUMP_PROTOCOLS_ENDPOINT_ENDPOINT_PRIVATE_H
#define CLUMP_PROTOCOLS_ENDPOINT_ENDPOINT_PRIVATE_H

#include "protocols/endpoint/endpoint.h"
#include "protocols/queue/queue.h"
#include "protocols/queue/segment.h"

enum { CLUMP_REQUESTS = 0, CLUMP_REPLIES = 1 };

/** The parts of a block, computed once from its lengths. */
struct clump_block {
    struct clump_block_header *header;
    size_t size;
    struct clump_sender_place *places;
    struct clump_queue queues[2];
};

/** The block of another endpoint, mapped, and our place as a sender in it. */
struct clump_peer {
    struct clump_peer *next;
    struct clump_block block;
    struct clump_sender sender;
    uint64_t owner; /**< identity of its process when it was mapped */
    bool dead, events;
    bool fresh;    /**< seen alive since clump_peers_check, and sent to */
    unsigned uses; /**< destinations and reply ways that refer to it */
    char name[CLUMP_NAME_BYTES];
};

struct clump_destination {
    struct clump_peer *peer; /**< NULL: not mapped, or reached over the network */
    bool remote;             /**< over the network, by `session` */
    unsigned session;
    uint64_t tag;
};

struct clump_remote;

/** When polls look at the network. */
struct clump_looks {
    clump_polling polling;
    uint64_t count, last_ns;
    bool fresh;  /**< one since the last request, that left nothing to accept */
    double cost; /**< of a look, in polls of shared memory; 0: not known yet */
};

/** The thesis's inverse mapping: where replies to a sender go, found by the sender's place. */
struct clump_return_way {
    struct clump_peer *peer; /**< NULL: not looked for yet */
    uint32_t generation;
};

struct clump_endpoint {
    char name[CLUMP_NAME_BYTES];
    struct clump_block block; /**< header NULL: never opened */
    uint64_t tag;             /**< of which the block holds a copy for senders */
    struct {
        clump_handler call;
        void *context;
    } handlers[CLUMP_HANDLERS];
    struct clump_destination destinations[CLUMP_DESTINATIONS];
    struct clump_return_way ways[CLUMP_SENDERS];
    struct clump_peer *peers;
    struct clump_remote *remote; /**< NULL: it does not listen */
    struct clump_looks looks;
    int doorbell;                   /**< the socket that rings at others; 0: not needed yet */
    struct clump_remote *set_aside; /**< by clump_endpoint_isolate() */
    bool network_only;              /**< likewise: shared memory is not polled */
    clump_endpoint_options options;
    uint64_t received, refused;
    uint64_t checked_ns;        /**< when the slow part of polling ran last */
    uint64_t lively_ns;         /**< when peers were asked for life last */
    unsigned polls, idle_polls; /**< in all; in vain, one after the other */
    unsigned handling;          /**< handlers on the stack */
    bool sending_request;       /**< a request waits in a full queue further up the stack */
    char message[CLUMP_MESSAGE_BYTES];
};

struct clump_token {
    struct clump_endpoint *endpoint;
    uint64_t word; /**< of the packet: the sender's place and generation */
    bool remote;   /**< came over the network: `session` and `place` name the request instead */
    unsigned session, place;
    bool replied;
};

/** A message that goes out, checked. */
struct clump_outgoing {
    uint64_t tag;
    const uint32_t *arguments;
    const void *data; /**< NULL: a short message */
    size_t size;
    unsigned count;
    uint8_t handler, reason, returned_handler;
};

__attribute__((format(printf, 3, 4))) clump_protocol_status
clump_endpoint_fail(struct clump_endpoint *endpoint, clump_protocol_status status,
                    const char *format, ...);

/* ---- endpoint_handlers.c */

/** What every call checks first. */
clump_protocol_status clump_endpoint_check_open(struct clump_endpoint *endpoint);

/**
 * Call the handler of a message. @return OK, or why there was none to call: BAD_TAG, NO_HANDLER;
 * then it has been counted as refused
 */
clump_protocol_status clump_endpoint_dispatch(struct clump_endpoint *endpoint,
                                              struct clump_token *token, bool request, uint64_t tag,
                                              unsigned handler, const clump_message *message);

/* ---- endpoint_peers.c */

/** Views of all parts of a block of these lengths. */
void clump_block_attach(struct clump_block *block, struct clump_block_header *header, size_t size,
                        const struct clump_queue_algorithm *algorithm, uint32_t length,
                        uint32_t bulk_length);

/** The peer of that name, mapped and joined now or before; counts one use. */
clump_protocol_status clump_peer_get(struct clump_endpoint *endpoint, const char *name,
                                     struct clump_peer **peer);
/** Take back one use of clump_peer_get; the last one unmaps the block. */
void clump_peer_put(struct clump_endpoint *endpoint, struct clump_peer *peer);
/** Ask the system whether peers that we have sent to still live; what was seen before is stale. */
void clump_peers_check(struct clump_endpoint *endpoint);
/** Whether the peer's process still owns its block. If it has died, that is remembered and its
 *  segment removed. */
bool clump_peer_alive(struct clump_peer *peer);

/* ---- endpoint_messages.c */

/** Accept messages of both protocols, of shared memory at most `most`. @return how many */
unsigned clump_endpoint_accept(struct clump_endpoint *endpoint, bool requests, unsigned most);

/* ---- endpoint_setup.c */

/**
 * For measuring what each protocol costs alone: poll only those that are named, as an endpoint does
 * that has no other. The network may be left alone for as long as its peers are patient.
 */
void clump_endpoint_isolate(struct clump_endpoint *endpoint, bool local, bool network);

/* ---- endpoint_remote.c: the network side */

clump_protocol_status clump_remote_open(struct clump_endpoint *endpoint);
void clump_remote_close(struct clump_endpoint *endpoint);
void clump_remote_set_tag(struct clump_endpoint *endpoint, uint64_t tag);
/** Begin a session with the endpoint at `where`, and wait for its answer. */
clump_protocol_status clump_remote_map(struct clump_endpoint *endpoint, const char *where,
                                       uint64_t tag, unsigned *session, bool *same_machine);
void clump_remote_unmap(struct clump_endpoint *endpoint, unsigned session);
/** @return OK, BLOCKED (every credit is in use: poll, and try again), or PEER_DEAD */
clump_protocol_status clump_remote_request(struct clump_endpoint *endpoint, unsigned session,
                                           const struct clump_outgoing *out);
clump_protocol_status clump_remote_reply(struct clump_token *token,
                                         const struct clump_outgoing *out);

/** The network's part of a poll that accepted `local` messages. @return how many of the network */
unsigned clump_remote_poll(struct clump_endpoint *endpoint, bool requests, unsigned local);
/** The same without a strategy and without shared memory: the network protocol on its own. */
unsigned clump_remote_poll_alone(struct clump_endpoint *endpoint, bool requests, unsigned most);
/** Whether a request need not look at the network first: a poll has, since the last one that went
 *  there, and left nothing. Each look counts for one request. */
bool clump_remote_has_looked(struct clump_endpoint *endpoint);
/** The next poll looks at the network, whatever the strategy would do. */
void clump_remote_hurry(struct clump_endpoint *endpoint);
/** Sleep until a datagram comes or a packet is due to be sent, at most `timeout_ns`. */
void clump_remote_sleep(struct clump_endpoint *endpoint, uint64_t timeout_ns);

#endif
