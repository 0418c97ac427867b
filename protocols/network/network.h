/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Sessions of one endpoint with others over a link that may lose, repeat, reorder and forge
 * datagrams. No clock and, but for the link, no I/O: the caller brings the time.
 *
 *   open -> { connect | request | poll | next -> (reply | give_back)? -> finish | flush
 *             | disconnect }* -> close
 *
 * A session begins with a handshake of four datagrams, none answered by a larger one:
 *
 *   HELLO with the key of the one who calls -> COOKIE -> HELLO with the cookie -> WELCOME with the
 *   key of the one who is called
 *
 * The called end keeps nothing before the cookie has come back from the address it was sent to.
 * From then on every datagram bears the 64-bit key that its receiver chose; without it, it is
 * counted as a stranger's and dropped. That keeps out whoever cannot read the traffic, not those
 * who can: there is no encryption.
 *
 * A handshake is given up when nobody has answered for 2 s.
 *
 * A session ends when the other end says so, when an end that lost it says so, when the other end
 * sends what no honest one does, or when it owes an answer, is silent for `silence_ns`, and does
 * not answer a ping for which we looked. Then all requests without an answer come back
 * (clump_network_next). Whoever returns is a new session.
 * A session that the other end began is forgotten, too, when nothing is owed but twelve pings, a
 * `silence_ns` each, stay without answer.
 */
#ifndef CLUMP_PROTOCOLS_NETWORK_NETWORK_H
#define CLUMP_PROTOCOLS_NETWORK_NETWORK_H

#include "protocols/network/datagram_link.h"
#include "protocols/network/exchange.h"
#include "protocols/protocol_status.h"

enum { CLUMP_SESSIONS = 256 };

typedef struct clump_network clump_network;

typedef struct clump_network_options {
    clump_datagram_link link;
    unsigned char secret[16];  /**< random */
    unsigned char machine[16]; /**< the same for all endpoints of a machine, told to others */
    const char *transport;     /**< of sessions that we begin: am2 (NULL), l-hrx, ssam */
    unsigned credits;          /**< requests without answer, 1 to 128; 0: 16 */
    uint16_t mtu;              /**< payload of a packet, 64 to 4096; 0: 1408, for Ethernet */
    uint16_t window;           /**< packets without acknowledgement, 2 to 128; 0: 32 */
    uint64_t timeout_ns;       /**< until a packet is sent again; 0: 5 ms, doubling to 80 ms */
    uint64_t silence_ns;       /**< after which a session is given up; 0: 5 s */
    bool any_order; /**< datagrams overtake each other, on their ways through several NICs:
                                    those that are early are kept, not sent again */
} clump_network_options;

typedef enum clump_session_state {
    CLUMP_SESSION_NONE = 0,
    CLUMP_SESSION_HANDSHAKE, /**< connect() has not been answered */
    CLUMP_SESSION_OPEN,
    CLUMP_SESSION_ENDED /**< requests may still come back */
} clump_session_state;

typedef struct clump_network_counters {
    uint64_t sent, arrived; /**< datagrams */
    uint64_t resent;        /**< packets, in all sessions */
    uint64_t malformed;     /**< wrong magic, version, kind or size */
    uint64_t strangers;     /**< a key that no session has, or from another address */
    uint64_t handshakes;    /**< HELLO with a good cookie, and none: counted apart */
    uint64_t cookies;       /**< HELLO without, or with one that is wrong or too old */
    uint64_t hostile;       /**< sessions ended because of what the other end sent */
} clump_network_counters;

/** What is known of one session. */
typedef struct clump_session_view {
    uint64_t serial; /**< from 1; no other session of this network has it */
    clump_address address;
    bool open;
    uint64_t sent, arrived; /**< datagrams, without those that begin and end it: what the other end
                                 counts as well, less what was lost */
    uint64_t resent;        /**< packets */
} clump_session_view;

/** Name of transport `number`, from 0; NULL past the last. */
const char *clump_network_transport(unsigned number);

enum { CLUMP_TRANSPORTS_BYTES = 80 };

/** For messages: "am2, l-hrx or ssam". */
void clump_network_transports(char text[CLUMP_TRANSPORTS_BYTES]);

/** @return OK, BAD_INPUT or FAILED (no memory); *network is written only if OK */
clump_protocol_status clump_network_open(const clump_network_options *options,
                                         clump_network **network);
/** Tells the other ends. */
void clump_network_close(clump_network *network);

/** Who may begin a session with us. */
void clump_network_set_tag(clump_network *network, uint64_t tag);

/** Begin a session. OK: it is HANDSHAKE; IN_USE: there are 256 already; FAILED: no memory. */
clump_protocol_status clump_network_connect(clump_network *network, const clump_address *address,
                                            uint64_t tag, uint64_t now_ns, unsigned *session);

/** @param reason  of an ENDED session: NOT_FOUND (no answer to the handshake), BAD_TAG, IN_USE,
 *  BAD_VERSION, PEER_DEAD or FAILED; may be NULL */
clump_session_state clump_network_state(const clump_network *network, unsigned session,
                                        clump_protocol_status *reason);

/** Whether the other end said that it is on this machine. */
bool clump_network_same_machine(const clump_network *network, unsigned session);

/** @return false if there is none of this number */
bool clump_network_view(const clump_network *network, unsigned session, clump_session_view *view);

/** We need this session of ours no more. */
void clump_network_disconnect(clump_network *network, unsigned session);

/** Take in what has arrived, at most 32 datagrams. @return how many */
unsigned clump_network_poll(clump_network *network, uint64_t now_ns);

/** The next message, of whatever session; as clump_exchange_next(). */
bool clump_network_next(clump_network *network, bool requests, unsigned *session,
                        clump_exchange_delivery *delivery);
/** Whether there may be one. */
bool clump_network_has_messages(const clump_network *network);
void clump_network_finish(clump_network *network, unsigned session,
                          const clump_exchange_delivery *delivery);

/** @return OK, BLOCKED (every credit is in use), or PEER_DEAD */
clump_protocol_status clump_network_request(clump_network *network, unsigned session,
                                            const clump_exchange_message *message);
void clump_network_reply(clump_network *network, unsigned session, unsigned place,
                         const clump_exchange_message *message);
void clump_network_give_back(clump_network *network, unsigned session, unsigned place,
                             clump_protocol_status reason);

/** Send what is due; nothing to do before the deadline, and cheap. */
void clump_network_flush(clump_network *network, uint64_t now_ns);

/** When flush() has to be called again at the latest; 0: now, UINT64_MAX: after an event only. */
uint64_t clump_network_deadline(const clump_network *network);

/** Whether all our answers have arrived at open sessions. */
bool clump_network_sent(const clump_network *network);

/** Whether all that we have sent has arrived, and no request waits for its answer. */
bool clump_network_idle(const clump_network *network);

clump_network_counters clump_network_count(const clump_network *network);

#endif
