/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Active Messages between processes: over shared memory on one machine (chapters 2 and 3), over UDP
 * to others (protocols/network/network.h), with one interface for both (chapters 2.3 and 4).
 *
 * An endpoint has a name, a tag, a table of handlers, a table of destinations, and a queue block in
 * shared memory into which other endpoints put requests and replies. With `listen` it has a socket
 * beside it. Which protocol a destination uses is settled when it is mapped; handlers cannot tell.
 * Legal order:
 *
 *   clump_endpoint_open
 *   { clump_endpoint_set_handler | clump_endpoint_set_tag | clump_endpoint_map
 *     | clump_endpoint_request | clump_endpoint_poll | clump_endpoint_wait }*
 *   clump_endpoint_close
 *   in a handler of requests, at most once: clump_endpoint_reply; nothing else that sends or polls
 *
 * Sending accepts messages, so handlers can run in every request; a reply accepts replies only
 * (theorem 3.6). One thread uses an endpoint at a time. After fork the child must not use it.
 *
 * Errors: functions return a status; the message stays in the endpoint until the next call that
 * fails. Nothing prints or exits. A send to a process that has died gives PEER_DEAD, at the
 * latest `recovery_ms` (plus 64 idle or 1,024 busy polls) after its death; a send never lasts
 * longer than `send_timeout_ms`. What a process leaves half done when it is killed is taken back by
 * the receiver within two times `recovery_ms` while it polls. A process that is stopped, not dead,
 * holds up those behind it, and their sends end with TIMED_OUT.
 *
 * Over the network a request waits for one of 16 credits for each destination, which its answer
 * brings back. A destination that owes an answer and has not polled for `silence_ms` counts as
 * dead, since nobody can see whether it computes or is gone; its requests come back to handler 0.
 * Polls look at the network as often as `polling` says (protocols/endpoint/adaptive_polling.h).
 */
#ifndef CLUMP_PROTOCOLS_ENDPOINT_ENDPOINT_H
#define CLUMP_PROTOCOLS_ENDPOINT_ENDPOINT_H

#include "protocols/endpoint/adaptive_polling.h"
#include "protocols/message.h"
#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct clump_endpoint clump_endpoint;

/** Stands for the sender of the request that is being handled; valid until the handler returns. */
typedef struct clump_token clump_token;

enum {
    CLUMP_HANDLERS = 256,
    CLUMP_DESTINATIONS = 256,
    CLUMP_ENDPOINT_CREDITS =
        16, /**< requests without answer for each destination over the network */
    /** After so many polls in a row that found nothing senders can have every free packet. Until then up to a quarter of
     *  a queue may be held back, to be given back in one batch; a sender that waits for a packet gets it with the next poll. */
    CLUMP_ENDPOINT_IDLE_POLLS = 1024
};

/** `token` is NULL where no reply is possible: for replies and returned messages. */
typedef void (*clump_handler)(clump_token *token, const clump_message *message, void *context);

/** How an endpoint is made. Zero members take their defaults. */
typedef struct clump_endpoint_options {
    const char *algorithm;     /**< "lock-free" (default), see clump_endpoint_algorithm() */
    uint32_t length;           /**< packets in each queue, a power of two from 2; default 4096 */
    uint32_t bulk_length;      /**< bulk data blocks in each queue, a power of two; default 16 */
    unsigned mode;             /**< permissions of the segment; default 0600 */
    uint32_t backoff_first_us; /**< default 1 */
    uint32_t backoff_limit_us; /**< default 15, see docs; the thesis: 255 (6.2.1) */
    uint32_t send_timeout_ms;  /**< default 5000; UINT32_MAX: wait for ever */
    uint32_t recovery_ms;      /**< how often the dead are looked for; default 100 */
    bool events;               /**< whoever waits for a message, or for a credit, sleeps; costs each
                                    sender a full fence */
    const char *listen;        /**< HOST:PORT of a UDP socket, port 0 for any; NULL: none */
    const unsigned *interfaces; /**< datagrams leave through these network interfaces, by turn
                                     (if_nametoindex(); IPv4 on Linux); copied. With
                                     several at both ends, packets may overtake each other */
    unsigned interface_count;   /**< at most 16; 0: where the system routes them */
    uint32_t resend_ms;         /**< until a packet without acknowledgement is sent again, the first
                                     time; default 5. An acknowledgement goes by itself after an
                                     eighth of it */
    const char *transport;      /**< of sessions that we begin: "am2" (default), "l-hrx", "ssam" */
    const char *polling;        /**< "measured", "adaptive", "adaptive:NAME=NUMBER,...", "always",
                                    "fractional:K"; see clump_endpoint_set_polling() */
    const clump_polling_parameters *polling_parameters; /**< NULL: table 4.1 */
    uint32_t patience_us; /**< after 64 skipped polls, the longest time without a look at the
                               network; default 20 */
    uint32_t silence_ms;  /**< default 5000 */
} clump_endpoint_options;

/** What the network did; all counted since the endpoint was opened. */
typedef struct clump_endpoint_traffic {
    uint64_t sent, arrived; /**< datagrams */
    uint64_t resent;        /**< packets sent again */
    uint64_t dropped;       /**< datagrams that were malformed, too large, or a stranger's */
    uint64_t looks;         /**< polls that looked at the network */
    uint64_t rung;          /**< empty datagrams: somebody here woke us, or a stranger */
    uint64_t skip;          /**< every how many-th poll does so now */
    uint64_t maximum_skip;  /**< s_max in use */
} clump_endpoint_traffic;

/** One session with another endpoint over the network. */
typedef struct clump_endpoint_session {
    uint64_t number; /**< stands for it: no other of this endpoint has had it; 0: shared memory */
    bool open;
    uint64_t sent, arrived; /**< datagrams since it began: what is lost is the difference between
                                 what one end sent and what arrived at the other */
    uint64_t resent;        /**< packets that were sent again */
} clump_endpoint_session;

typedef struct clump_endpoint_statistics {
    uint64_t received;  /**< messages that were handed to a handler */
    uint64_t rejected;  /**< messages or states that no honest sender writes */
    uint64_t refused;   /**< messages with a wrong tag or without a handler */
    uint64_t recovered; /**< packets, blocks and tickets taken back from dead senders */
} clump_endpoint_statistics;

/** Name of the algorithm number `index`, from 0; NULL past the last. */
const char *clump_endpoint_algorithm(unsigned index);

/**
 * Make an endpoint; its tag rejects all until it is set. `options` may be NULL. On failure
 * `*endpoint` is an endpoint that can only tell its message and be closed, or NULL without memory.
 * BAD_INPUT, IN_USE (a living process has that name), FAILED. Removes what dead processes left.
 */
clump_protocol_status clump_endpoint_open(const char *name, const clump_endpoint_options *options,
                                          clump_endpoint **endpoint);

/** Remove the endpoint and its name. Senders learn it as PEER_DEAD. NULL is allowed. */
void clump_endpoint_close(clump_endpoint *endpoint);

/** What went wrong last; "" if nothing did. Never NULL. */
const char *clump_endpoint_message(const clump_endpoint *endpoint);

/** Who may send: owners of destinations with this tag. */
clump_protocol_status clump_endpoint_set_tag(clump_endpoint *endpoint, uint64_t tag);

/** Handler 0 to 255; NULL removes it. Handler 0 gets the messages that come back. */
clump_protocol_status clump_endpoint_set_handler(clump_endpoint *endpoint, unsigned index,
                                                 clump_handler handler, void *context);

/**
 * How often polls look at the network, from now on; as `polling` and `polling_parameters` of the
 * options. The estimates begin anew. "adaptive" is table 4.1 of the thesis, or the parameters. It
 * suits a look that costs 8 polls of shared memory; where it is a system call it costs 100, and
 * round trips through shared memory take twice as long. "measured", or both NULL, is table 4.1
 * with an s_max for what a look cost when the endpoint was opened (clump_polling_for). What suits a
 * machine best, `clumpmodel calibrate multi` finds, as such a text. BAD_INPUT: nothing is changed.
 *
 * A poll looks at the network at the latest when s_max polls have passed since the last look; and
 * when 64 have passed, within the next 64 after `patience_us`.
 */
clump_protocol_status clump_endpoint_set_polling(clump_endpoint *endpoint, const char *strategy,
                                                 const clump_polling_parameters *parameters);

/**
 * Make destination `index` (0 to 255) stand for the endpoint `name`: "NAME" on this machine,
 * "NAME@HOST:PORT" where an endpoint listens; if it is on this machine and its segment can be
 * mapped, shared memory is used. "@HOST:PORT" always uses the network. Asking there takes up to 2 s
 * when nobody answers, whatever the timeouts of the endpoint. NOT_FOUND: not there yet,
 * try again. BAD_TAG: its tag does not accept `tag` (now). IN_USE: 64 endpoints send to it already.
 * PEER_DEAD: its process has ended; the stale segment has been removed.
 */
clump_protocol_status clump_endpoint_map(clump_endpoint *endpoint, unsigned index, const char *name,
                                         uint64_t tag);
clump_protocol_status clump_endpoint_unmap(clump_endpoint *endpoint, unsigned index);

/**
 * Send a request with `count` (0 to 8) arguments to handler 1 to 255 of a destination. Accepts
 * messages first. BAD_TAG: it was returned to handler 0 of this endpoint. BAD_INPUT in a handler.
 */
clump_protocol_status clump_endpoint_request(clump_endpoint *endpoint, unsigned destination,
                                             unsigned handler, const uint32_t *arguments,
                                             unsigned count);

/** The same with 1 to 8192 bytes of data, copied. */
clump_protocol_status clump_endpoint_request_bulk(clump_endpoint *endpoint, unsigned destination,
                                                  unsigned handler, const uint32_t *arguments,
                                                  unsigned count, const void *data, size_t size);

/** Answer the request that is being handled, once. Accepts only replies while it waits. */
clump_protocol_status clump_endpoint_reply(clump_token *token, unsigned handler,
                                           const uint32_t *arguments, unsigned count);
clump_protocol_status clump_endpoint_reply_bulk(clump_token *token, unsigned handler,
                                                const uint32_t *arguments, unsigned count,
                                                const void *data, size_t size);

/**
 * Accept at most `most` messages (at least 1) from shared memory, replies first; and, in a poll
 * that looks at the network, as many from there as the polls that it stands for may accept
 * (acceptance count times skip, see adaptive_polling.h). `*accepted` counts both and may be NULL.
 */
clump_protocol_status clump_endpoint_poll(clump_endpoint *endpoint, unsigned most,
                                          unsigned *accepted);

/**
 * Accept at least one message or wait `timeout_us` for it: polls with the exponential backoff, then
 * yields or, with `events`, sleeps until a sender wakes it. TIMED_OUT when nothing came.
 */
clump_protocol_status clump_endpoint_wait(clump_endpoint *endpoint, uint64_t timeout_us);

void clump_endpoint_count(const clump_endpoint *endpoint, clump_endpoint_statistics *statistics);

/** Zeros without `listen`. */
void clump_endpoint_count_traffic(const clump_endpoint *endpoint, clump_endpoint_traffic *traffic);

/** The session with a destination; zeros if it is not reached over the network. */
void clump_endpoint_view(const clump_endpoint *endpoint, unsigned destination,
                         clump_endpoint_session *session);
/** The session through which the request came that is being handled; zeros for shared memory. */
void clump_token_view(const clump_token *token, clump_endpoint_session *session);
/** The number of that session alone; cheaper than clump_token_view(). */
uint64_t clump_token_session(const clump_token *token);
enum { CLUMP_ADDRESS_TEXT = 64 };
/** HOST:PORT of the other end of that session; "" for shared memory. */
void clump_token_address(const clump_token *token, char text[CLUMP_ADDRESS_TEXT]);
/** Whether the session of that number is still open. */
bool clump_endpoint_has_session(const clump_endpoint *endpoint, uint64_t number);

/** HOST:PORT where it listens; "" without `listen`. Valid until it is closed. */
const char *clump_endpoint_address(const clump_endpoint *endpoint);

/** Whether a mapped destination is reached through shared memory. */
bool clump_endpoint_is_local(const clump_endpoint *endpoint, unsigned destination);

/**
 * Remove the segments of all endpoints whose processes are dead (all that this user may).
 * Returns how many.
 */
unsigned clump_endpoint_remove_stale(void);

#endif
