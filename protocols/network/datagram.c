/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Datagrams as bytes, and the batch of those that go out. All numbers in network order.
 *
 *   every datagram   0 magic 0xA2   1 version   2 kind   3 0   4 key of the receiver
 *   HELLO            12 key of the caller   20 cookie   28 tag   36 carrier   37 credits
 *                    38 MTU   40 window   42 machine   58 zeros to 64
 *   COOKIE           12 cookie
 *   WELCOME          12 key of the called   20 status   21 credits   22 MTU   24 window   26 0
 *                    28 machine
 *   DATA             12 bytes of the carrier
 *   VERSION          12: only the header, with the version of who sends it
 *
 * In any version a HELLO has at least 20 bytes with magic, version and kind where they are and the
 * key of the caller at 12, and is answered by VERSION, which each version understands, if it is of
 * another. The rest may change.
 */
#include "protocols/network/network_private.h"

uint64_t clump_wire_get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

void clump_wire_put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0; value >>= 8)
        at[i] = (unsigned char)value;
}

void clump_datagrams_send(clump_network *n)
{
    if (n->out_count > 0)
        n->options.link.send(n->options.link.context, n->out, n->out_count);
    n->counters.sent += n->out_count;
    n->out_count = 0;
}

clump_datagram *clump_datagram_begin(clump_network *n, const clump_address *address,
                                     enum clump_datagram_kind kind, uint64_t key)
{
    if (n->out_count == CLUMP_BATCH)
        clump_datagrams_send(n);
    clump_datagram *d = &n->out[n->out_count];
    d->address = *address;
    d->bytes[0] = CLUMP_WIRE_MAGIC;
    d->bytes[1] = CLUMP_WIRE_VERSION;
    d->bytes[2] = (unsigned char)kind;
    d->bytes[3] = 0;
    clump_wire_put(d->bytes + 4, key, 8);
    return d;
}

void clump_datagram_end(clump_network *n, size_t size)
{
    n->out[n->out_count++].size = size;
}

bool clump_datagram_is_good(const clump_datagram *d)
{
    static const struct {
        size_t least, most;
    } sizes[] = {[CLUMP_HELLO] = {CLUMP_HELLO_BYTES, CLUMP_HELLO_BYTES},
                 [CLUMP_COOKIE] = {CLUMP_COOKIE_BYTES, CLUMP_COOKIE_BYTES},
                 [CLUMP_WELCOME] = {CLUMP_WELCOME_BYTES, CLUMP_WELCOME_BYTES},
                 [CLUMP_DATA] = {CLUMP_DATAGRAM_HEADER + 1, CLUMP_DATAGRAM_MOST},
                 [CLUMP_PING] = {CLUMP_DATAGRAM_HEADER, CLUMP_DATAGRAM_HEADER},
                 [CLUMP_PONG] = {CLUMP_DATAGRAM_HEADER, CLUMP_DATAGRAM_HEADER},
                 [CLUMP_BYE] = {CLUMP_DATAGRAM_HEADER, CLUMP_DATAGRAM_HEADER},
                 [CLUMP_RESET] = {CLUMP_DATAGRAM_HEADER, CLUMP_DATAGRAM_HEADER}};
    if (d->size < CLUMP_DATAGRAM_HEADER || d->bytes[0] != CLUMP_WIRE_MAGIC ||
        d->bytes[1] != CLUMP_WIRE_VERSION || d->bytes[2] < CLUMP_HELLO ||
        d->bytes[2] > CLUMP_RESET || d->bytes[3] != 0)
        return false;
    return d->size >= sizes[d->bytes[2]].least && d->size <= sizes[d->bytes[2]].most;
}
