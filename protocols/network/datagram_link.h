/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What carries datagrams: a UDP socket, or a test that loses, repeats and delays them. */
#ifndef CLUMP_PROTOCOLS_NETWORK_DATAGRAM_LINK_H
#define CLUMP_PROTOCOLS_NETWORK_DATAGRAM_LINK_H

#include <stddef.h>
#include <stdint.h>

enum { CLUMP_DATAGRAM_MOST = 4352 };

/** Where a datagram comes from or goes to; compared byte by byte, so unused bytes are 0. */
typedef struct clump_address {
    uint32_t size;
    unsigned char bytes[28];
} clump_address;

typedef struct clump_datagram {
    clump_address address;
    size_t size;
    unsigned char bytes[CLUMP_DATAGRAM_MOST];
} clump_datagram;

typedef struct clump_datagram_link {
    void *context;
    /** What has arrived, without waiting. @return how many, 0 to `most` */
    unsigned (*receive)(void *context, clump_datagram *datagrams, unsigned most);
    /** Send; what the link cannot take now is lost. */
    void (*send)(void *context, const clump_datagram *datagrams, unsigned count);
} clump_datagram_link;

#endif
