/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMPPROTOCOLS_H
#define CLUMPPROTOCOLS_H

/*
 * libclumpprotocols: Active Messages, and the protocols that carry them. A library on its own, which needs nothing but zlib and
 * the C library. What is promised are the headers below and those that they include. Link with
 * `-lclumpprotocols -pthread -lz -lm`.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Active Messages between processes: over shared memory on one machine, over UDP to others. */
#include "protocols/endpoint/adaptive_polling.h" /* when to look at the network */
#include "protocols/endpoint/endpoint.h"
#include "protocols/message.h"
#include "protocols/protocol_status.h"

/* Protocols for networks that lose packets, as state machines: no I/O, no clock. */
#include "protocols/reliability/fragments.h"    /* messages larger than a packet */
#include "protocols/reliability/lci.h"          /* the packet layer of the LCI family */
#include "protocols/reliability/lci_protocol.h" /* its implementations by name */
#include "protocols/reliability/ssam.h"         /* single-cell Active Messages */

#ifdef __cplusplus
}
#endif

#endif
