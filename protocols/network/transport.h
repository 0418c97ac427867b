/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What carries packets between the two ends of a session, exactly once, over a link that may lose,
 * repeat and reorder: one of the reliability protocols of protocols/reliability/, behind one
 * interface.
 *
 *   am2     go-back-N that asks again for what it dropped, in packets of up to 4 kB
 *   l-hrx   go-back-N on the host with delayed acknowledgements (cluster-protocols.txt, 5.1)
 *   ssam    single cells of 40 bytes, selective repeat (ssam.txt, 3.3.1)
 */
#ifndef CLUMP_PROTOCOLS_NETWORK_TRANSPORT_H
#define CLUMP_PROTOCOLS_NETWORK_TRANSPORT_H

#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLUMP_TRANSPORT_BYTES_MOST = 4200 /**< that transmit() may write */ };

struct clump_transport_options {
    unsigned side;            /**< 0: the end that opened the session, 1: the other */
    uint16_t mtu;             /**< payload of a packet, 64 to 4096; ssam has 40 */
    uint16_t window;          /**< packets without acknowledgement, 2 to 128 */
    uint64_t timeout_ns;      /**< until a packet is sent again, the first time */
    uint64_t timeout_most_ns; /**< and at most */
    uint64_t acknowledge_ns;  /**< until an acknowledgement goes by itself */
    bool
        any_order; /**< what arrives before its turn is kept until then, not sent again (ssam always
                         does that) */
};

/** One end. `protocol` and `state` are private; call through the functions of the protocol. */
struct clump_transport {
    const struct clump_transport_protocol *protocol;
    void *state;
    size_t payload; /**< most bytes of a packet */
};

/** Takes a packet that has arrived. @return false: it is not what an honest end sends */
typedef bool clump_transport_sink(void *context, const unsigned char *bytes, size_t size);

struct clump_transport_protocol {
    clump_protocol_status (*open)(const struct clump_transport_options *options,
                                  struct clump_transport *transport);
    void (*close)(struct clump_transport *transport);
    /** Take a packet over. @return false: no room now */
    bool (*send)(struct clump_transport *transport, const unsigned char *bytes, size_t size);
    /** Bytes from the link. Damaged ones are dropped. */
    void (*receive)(struct clump_transport *transport, uint64_t now_ns, const unsigned char *bytes,
                    size_t size);
    /** Hand what has arrived to `sink`. @return false: the sink refused */
    bool (*deliver)(struct clump_transport *transport, uint64_t now_ns, clump_transport_sink *sink,
                    void *context);
    /** The next bytes for the link. @return their number, 0: none */
    size_t (*transmit)(struct clump_transport *transport, uint64_t now_ns, unsigned char *bytes);
    /** When transmit() has to be asked again at the latest; UINT64_MAX: after an event only. */
    uint64_t (*deadline)(const struct clump_transport *transport);
    /** Whether all that was sent has been acknowledged. */
    bool (*idle)(const struct clump_transport *transport);
    /** Packets sent again so far: the losses of the link as far as this end knows. */
    uint64_t (*resent)(const struct clump_transport *transport);
};

/** All of them, with their names. Their place here is their number, which goes over the wire. A new
 *  one: a file with its definition, and a line at the end. */
#define CLUMP_TRANSPORTS(EACH)                                                                     \
    EACH(am2, "am2")                                                                               \
    EACH(l_hrx, "l-hrx")                                                                           \
    EACH(ssam, "ssam")

#define CLUMP_DECLARE_TRANSPORT(id, name)                                                          \
    extern const struct clump_transport_protocol clump_transport_##id;
CLUMP_TRANSPORTS(CLUMP_DECLARE_TRANSPORT)
#undef CLUMP_DECLARE_TRANSPORT

/** "am2|l-hrx|ssam". */
#define CLUMP_TRANSPORT_WORD(id, name) "|" name
#define CLUMP_TRANSPORT_WORDS (&(CLUMP_TRANSPORTS(CLUMP_TRANSPORT_WORD))[1])

#endif
