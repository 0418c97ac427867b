/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The inside of a network (network.h): its sessions, and their datagrams. */
#ifndef CLUMP_PROTOCOLS_NETWORK_SESSION_H
#define CLUMP_PROTOCOLS_NETWORK_SESSION_H

#include "protocols/network/network.h"
#include "protocols/network/transport.h"

#include <string.h>

enum { CLUMP_BATCH = 32 };

/** What both ends of a session agree on. */
struct clump_terms {
    uint8_t transport, credits;
    uint16_t mtu, window;
};

struct clump_session {
    clump_session_state state;
    clump_protocol_status reason;
    bool ours;    /**< we began it, and it stays until we disconnect */
    bool dropped; /**< disconnected: free it when nothing refers to it any more */
    bool same_machine;
    clump_address address;
    uint64_t serial;    /**< sessions made before it, and itself */
    uint64_t my_key;    /**< in what we receive; its low byte is the place in the table */
    uint64_t their_key; /**< in what we send */
    uint64_t tag, cookie;
    struct clump_terms terms;
    struct clump_transport transport; /**< protocol NULL: none yet */
    clump_exchange *exchange;
    unsigned handling; /**< deliveries that are not finished */
    bool owed;         /**< it owed us something at the last flush */
    uint64_t owed_ns;  /**< since when */
    uint64_t heard_ns; /**< when anything last came */
    uint64_t asked_ns; /**< handshake or ping sent last */
    uint64_t doubt_ns; /**< first ping since it was heard or owed us nothing; 0: none */
    uint64_t began_ns;
    uint32_t unanswered;    /**< pings since it was heard */
    uint32_t asked;         /**< handshakes sent */
    uint64_t sent, arrived; /**< datagrams but for those that begin and end it */
    uint64_t resent;        /**< packets, as of its end */
    size_t waiting;         /**< bytes of a packet for which the transport has no room yet */
    unsigned char packet[CLUMP_TRANSPORT_BYTES_MOST];
};

struct clump_network {
    clump_network_options options;
    struct clump_terms terms; /**< of sessions that we begin */
    uint64_t tag, keys_made;
    struct clump_session *sessions[CLUMP_SESSIONS];
    unsigned places; /**< of the table, up to the last one in use */
    unsigned turn;   /**< session that next() looks at first */
    bool stirred;    /**< something happened since the last flush */
    uint64_t due_ns; /**< when the next flush has something to do although nothing happened */
    clump_network_counters counters;
    uint64_t resent_before; /**< in sessions that are gone */
    uint64_t looked_ns;     /**< when poll() was called last */
    unsigned out_count;
    clump_datagram in[CLUMP_BATCH], out[CLUMP_BATCH];
};

/* ---- datagrams on the wire (session.c) */

enum { CLUMP_WIRE_MAGIC = 0xA2, CLUMP_WIRE_VERSION = 1 };

enum clump_datagram_kind {
    CLUMP_HELLO = 1,
    CLUMP_COOKIE,
    CLUMP_WELCOME,
    CLUMP_DATA,
    CLUMP_PING,
    CLUMP_PONG,
    CLUMP_BYE,
    CLUMP_RESET,  /**< its key is the one that was not known */
    CLUMP_VERSION /**< answer to a HELLO of another version: header only, the same in all versions
                   */
};

enum {
    CLUMP_DATAGRAM_HEADER = 12, /**< magic, version, kind, 0, key */
    CLUMP_HELLO_BYTES = 64,     /**< padded: no answer is larger */
    CLUMP_COOKIE_BYTES = 20,
    CLUMP_WELCOME_BYTES = 44
};

/** An empty datagram at the end of the outgoing batch, with its header. */
clump_datagram *clump_datagram_begin(clump_network *network, const clump_address *address,
                                     enum clump_datagram_kind kind, uint64_t key);
/** The same for the other end of a session. */
clump_datagram *clump_session_datagram(clump_network *network, const struct clump_session *session,
                                       enum clump_datagram_kind kind);
/** The datagram is complete. */
void clump_datagram_end(clump_network *network, size_t size);
void clump_datagrams_send(clump_network *network);

/** Whether magic, version, kind and size are right. */
bool clump_datagram_is_good(const clump_datagram *datagram);

/* ---- the handshake that begins a session (handshake.c) */

/** Whether it is a HELLO of another version, which has been told ours. */
bool clump_handshake_is_foreign(clump_network *network, const clump_datagram *datagram);

/** Whether it says that the other end of a session that we want speaks another version; then that
 *  session has ended. */
bool clump_handshake_refused(clump_network *network, const clump_datagram *datagram);

void clump_handshake_send(clump_network *network, struct clump_session *session, uint64_t now_ns);
/** Greet again, or give up. */
void clump_handshake_flush(clump_network *network, struct clump_session *session, uint64_t now_ns);
uint64_t clump_handshake_deadline(const struct clump_session *session);
void clump_handshake_arrives(clump_network *network, const clump_datagram *datagram,
                             uint64_t now_ns);
void clump_handshake_cookie(clump_network *network, struct clump_session *session,
                            const clump_datagram *datagram, uint64_t now_ns);
void clump_handshake_welcome(clump_network *network, struct clump_session *session,
                             const clump_datagram *datagram, uint64_t now_ns);

/* ---- sessions */

/** A new session in a free place; NULL without place or memory. */
struct clump_session *clump_session_make(clump_network *network, const clump_address *address,
                                         uint64_t now_ns);
/** Open its transport and exchange. OK, BAD_INPUT or FAILED. */
clump_protocol_status clump_session_start(clump_network *network, struct clump_session *session,
                                          const struct clump_terms *terms, unsigned side);
void clump_session_end(clump_network *network, struct clump_session *session,
                       clump_protocol_status reason);
/** Free it if nobody needs it any more. */
void clump_session_retire(clump_network *network, struct clump_session *session);
void clump_session_free(clump_network *network, struct clump_session *session);
void clump_session_data(clump_network *network, struct clump_session *session,
                        const clump_datagram *datagram, uint64_t now_ns);
void clump_session_flush(clump_network *network, struct clump_session *session, uint64_t now_ns);
/** When flush() has to be called again if nothing happens; right only after a flush. */
uint64_t clump_session_deadline(const clump_network *network, const struct clump_session *session);
/** Whether the other end owes us anything. */
bool clump_session_waits(const struct clump_session *session);

static inline bool clump_address_is(const clump_address *a, const clump_address *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

#endif
