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
    uint64_t checked_ns; /**< when the slow part of polling ran last */
    uint64_t lively_ns;  /**< when peers were asked for life last */
    unsigned polls;
    unsigned handling;    /**< handlers on the stack */
    bool sending_request; /**< a request waits in a full queue further up the stack */
    char message[CLUMP_MESSAGE_BYTES];
};

struct clump_token {
    struct clump_endpoint *endpoint;
    uint64_t word; /**< of the packet: the sender's place and generation */
    bool remote;   /**< came over the network: `session` and `place` name the request instead */
    unsigned session, place;
    bool replied;
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
clump_protocol_status
clump_endpoint_fail(struct clump_endpoint *endpoint, clump_protocol_status status,
                    const char *format, ...);

/** What every call checks first. */
clump_protocol_status clump_endpoint_check_open(struct clump_endpoint *endpoint);
clump_protocol_status clump_endpoint_check_poll(struct clump_endpoint *endpoint);

/** Views of all parts of a block of these lengths. */
void clump_block_attach(struct clump_block *block, struct clump_block_header *header, size_t size,
                        const struct clump_queue_algorithm *algorithm, uint32_t length,
                        uint32_t bulk_length);

/** The peer of that name, mapped and joined now or before; counts one use. */
clump_protocol_status clump_peer_get(struct clump_endpoint *endpoint, const char *name,
                                     struct clump_peer **peer);
/** One use less; unmaps after the last. */
void clump_peer_put(struct clump_endpoint *endpoint, struct clump_peer *peer);
/** Ask the system whether peers that we have sent to still live; what was seen before is stale. */
void clump_peers_check(struct clump_endpoint *endpoint);
/** Whether its process still owns the block; remembers a death and removes the segment. */
bool clump_peer_alive(struct clump_peer *peer);

/**
 * Call the handler of a message. @return OK, or why there was none to call: BAD_TAG, NO_HANDLER;
 * then it has been counted as refused
 */
clump_protocol_status clump_endpoint_dispatch(struct clump_endpoint *endpoint,
                                              struct clump_token *token, bool request, uint64_t tag,
                                              unsigned handler, const clump_message *message);

/** Accept messages of both protocols, of shared memory at most `most`. @return how many */
unsigned clump_endpoint_accept(struct clump_endpoint *endpoint, bool requests, unsigned most);

/** A message that goes out, checked. */
struct clump_outgoing {
    uint64_t tag;
    const uint32_t *arguments;
    const void *data; /**< NULL: a short message */
    size_t size;
    unsigned count;
    uint8_t handler, reason, returned_handler;
};

clump_protocol_status clump_endpoint_check_message(struct clump_endpoint *endpoint,
                                                   unsigned handler, const uint32_t *arguments,
                                                   unsigned count, bool bulk, const void *data,
                                                   size_t size);

/** Claim a packet of a queue of that peer, fill it, publish it; accepts messages while it waits. */
clump_protocol_status clump_endpoint_insert(struct clump_endpoint *endpoint,
                                            struct clump_peer *peer, unsigned which,
                                            const struct clump_outgoing *out);

/** What need not be done at every poll: at most every tenth of recovery_ms. */
void clump_endpoint_look_around(struct clump_endpoint *endpoint, bool requests);

/** Send a message of shared memory back to where it came from, handler 0. Best effort. */
void clump_endpoint_send_back(struct clump_endpoint *endpoint, uint64_t word, unsigned handler,
                              const uint32_t *arguments, unsigned count,
                              clump_protocol_status reason);

/** Measure what a look costs, and poll as the options say; look_cost.c. */
clump_protocol_status clump_endpoint_fit_polling(struct clump_endpoint *endpoint);

/* ---- endpoint_remote.c and remote_messages.c: the network side */

clump_protocol_status clump_remote_open(struct clump_endpoint *endpoint);
void clump_remote_close(struct clump_endpoint *endpoint);
void clump_remote_set_tag(struct clump_endpoint *endpoint, uint64_t tag);
/** Begin a session with the endpoint at `where`, and wait for its answer. */
clump_protocol_status clump_remote_map(struct clump_endpoint *endpoint, const char *where,
                                       uint64_t tag, unsigned *session, bool *same_machine);
void clump_remote_unmap(struct clump_endpoint *endpoint, unsigned session);
/** @return OK, BLOCKED (every credit is in use: poll, and try again), or PEER_DEAD */
clump_protocol_status clump_remote_request(struct clump_endpoint *endpoint,
                                           const struct clump_destination *destination,
                                           unsigned handler, const uint32_t *arguments,
                                           unsigned count, const void *data, size_t size);
clump_protocol_status clump_remote_reply(struct clump_token *token, unsigned handler,
                                         const uint32_t *arguments, unsigned count,
                                         const void *data, size_t size);
/** Look at the network, and accept at most so many messages. @return how many */
uint32_t clump_remote_look(struct clump_endpoint *endpoint, bool requests, uint32_t most);

/* ---- endpoint_polling.c: when to look */

/** The network's part of a poll that accepted `local` messages. @return how many of the network */
unsigned clump_remote_poll(struct clump_endpoint *endpoint, bool requests, unsigned local);

/** The next poll looks at the network, whatever the strategy would do. */
void clump_remote_hurry(struct clump_endpoint *endpoint);
/* ---- endpoint_remote.c and event.c: asleep */

/** Sleep until a datagram comes or a packet is due to be sent, at most `timeout_ns`. */
void clump_remote_sleep(struct clump_endpoint *endpoint, uint64_t timeout_ns);

/** Wake a receiver that sleeps on its socket: an empty datagram. In another network namespace it
 *  does not arrive, and the receiver looks after a hundredth of a second. */
void clump_event_ring(struct clump_endpoint *endpoint, const struct clump_doorbell *doorbell);

/** The same without a strategy and without shared memory: the network protocol on its own. */
unsigned clump_remote_poll_alone(struct clump_endpoint *endpoint, bool requests, unsigned most);

/**
 * For measuring what each protocol costs alone: poll only those that are named, as an endpoint does
 * that has no other. The network may be left alone for as long as its peers are patient.
 */
void clump_endpoint_isolate(struct clump_endpoint *endpoint, bool local, bool network);

/** Sleep until `*word` is no longer `value`, at most `timeout_ns`; and wake all sleepers. */
void clump_event_sleep(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void clump_event_wake(_Atomic uint32_t *word);

#endif
