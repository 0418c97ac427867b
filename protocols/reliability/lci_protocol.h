/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The implementations of LCI by name (cluster-protocols.txt, table II and section 5). A name is "l"
 * and words that change the base implementation, l-sdma, in any order:
 *
 *   sdma pio rcpy    data reach the NIC by DMA, by programmed I/O; or go by remote copy
 *   nirx hrx         the NIC, or the host, retransmits; neither: credits, links lose nothing
 *   hmc              the host forwards multicasts (so it does with hrx)
 *   1k 2k 4k         MTU (default 2k)
 *   binary binomial  multicast tree (default binary)
 *
 * l-nirx, l-pio-1k, l-pio-hmc-binomial. Not rcpy with hrx: the NIC would write to memory before the
 * host knows whether it is the packet's turn.
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_LCI_PROTOCOL_H
#define CLUMP_PROTOCOLS_RELIABILITY_LCI_PROTOCOL_H

#include "protocols/reliability/lci.h"

typedef enum clump_lci_transfer {
    CLUMP_TRANSFER_DMA = 0,
    CLUMP_TRANSFER_PIO,
    CLUMP_TRANSFER_COPY
} clump_lci_transfer;

typedef enum clump_lci_reliability {
    CLUMP_RELIABILITY_CREDITS = 0,
    CLUMP_RELIABILITY_NIC,
    CLUMP_RELIABILITY_HOST
} clump_lci_reliability;

typedef struct clump_lci_protocol {
    clump_lci_transfer transfer;
    clump_lci_reliability reliability;
    bool host_multicast;
    uint16_t mtu;
    clump_tree tree;
} clump_lci_protocol;

enum { CLUMP_LCI_WORDS_BYTES = 96 };

/** For messages: the words, of which at most one each can follow "l-": "sdma|pio|rcpy, ...". */
void clump_lci_protocol_words(char text[CLUMP_LCI_WORDS_BYTES]);

/** @return OK, or BAD_INPUT: no such name; then *wrong (may be NULL) points to the word that is not
 *  known or contradicts an earlier one. */
clump_protocol_status clump_lci_protocol_parse(const char *name, clump_lci_protocol *protocol,
                                               const char **wrong);

#endif
