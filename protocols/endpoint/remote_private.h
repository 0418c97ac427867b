/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The network side of an endpoint: a socket and its sessions. */
#ifndef CLUMP_PROTOCOLS_ENDPOINT_REMOTE_PRIVATE_H
#define CLUMP_PROTOCOLS_ENDPOINT_REMOTE_PRIVATE_H

#include "protocols/endpoint/endpoint_private.h"
#include "protocols/network/network.h"
#include "protocols/network/udp.h"

struct clump_remote {
    clump_udp *udp;
    clump_network *network;
    char address[CLUMP_UDP_TEXT];
};

#endif
