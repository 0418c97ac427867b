/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The translation tables of remote copy (l-rcpy; cluster-protocols.txt, section 5.2.3): which
 * virtual pages are pinned, and where they are. The host and the NIC have one each, direct-mapped,
 * with the same entries; the host is the master. Neither waits for the other.
 *
 *   host  source()      -> what the send descriptor says: hit, miss with the new mapping, or stored
 *   NIC   source()      -> the frame to read, or the new mapping installed; and the completion
 *   host  completed()      a replaced page is unpinned once the NIC cannot be reading it any more
 *
 *   NIC   destination() -> the frame to write, or an anonymous page and a notice for the host
 *   host  notified()       the host copies the data, pins the page, and
 *   host  next()        -> updates the NIC's entry and unlocks it
 *   NIC   update(), give()
 *
 * A miss at the source: the host stores the data in NIC memory itself, and the descriptor says that
 * the entry can be replaced; all hits on the old one are in front of it in the queue. A miss at the
 * destination: the NIC redirects the data to an anonymous page, invalidates and locks its entry,
 * and asks the host for a replacement.
 *
 * Where the document is silent, this is ours. A locked entry still translates the sources of
 * descriptors that the host had posted before it knew; the host replaces it when they are done. Of
 * two misses that meet in one entry the destination's wins; the source's mapping is dropped. A page
 * that cannot be pinned, because it does not belong to the process, leaves the entry as it was.
 * Data for one page arrive in order: they wait on the NIC while the host has not emptied the
 * anonymous pages of before.
 *
 * What the NIC has for the host (completions and notices) must reach it in order, behind the
 * transfers that were begun before; descriptors reach the NIC in order; updates may overtake them.
 *
 * Memory: 24 bytes an entry on the NIC, 56 on the host. Not more than two pages an entry are
 * pinned.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_TRANSLATION_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_TRANSLATION_H

#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CLUMP_PAGE_SIZE = 4096,
    CLUMP_TRANSLATION_ENTRIES = 1024, /**< as in the document */
    CLUMP_TRANSLATION_ENTRIES_MOST = 1 << 20,
    CLUMP_ANONYMOUS_PAGES = 32, /**< default; the document has no number */
    CLUMP_ANONYMOUS_PAGES_MOST = 4096
};

typedef struct clump_host_table clump_host_table;
typedef struct clump_nic_table clump_nic_table;

/** How the data of one page transfer reach the NIC. */
typedef enum clump_copy_kind {
    CLUMP_COPY_HIT = 0, /**< the NIC fetches them: its table has the page */
    CLUMP_COPY_MISS,    /**< the host stores them; the entry is to be replaced */
    CLUMP_COPY_STORED   /**< the host stores them; the entry is changing already */
} clump_copy_kind;

/** What a send descriptor says about its source. */
typedef struct clump_copy_source {
    clump_copy_kind kind;
    uint64_t page, frame; /**< frame: of a miss, where the page is */
} clump_copy_source;

/** What the NIC tells when it is done with a descriptor. */
typedef struct clump_copy_completion {
    clump_copy_kind kind;
    bool installed; /**< of a miss: the NIC's entry has the new mapping */
    uint64_t page;
} clump_copy_completion;

/** A miss at the destination. */
typedef struct clump_copy_notice {
    uint64_t page;
    uint32_t anonymous; /**< number of the page that holds the data */
    bool replace;       /**< the entry is locked for this; else it had been locked before */
} clump_copy_notice;

/** A new entry for the NIC, which also unlocks it. */
typedef struct clump_copy_update {
    uint64_t page, frame;
    uint32_t entry;
    bool valid;
} clump_copy_update;

typedef struct clump_translation_counters {
    uint64_t hits, misses; /**< of sources; misses: all transfers that were no hits */
    uint64_t destination_hits, destination_misses; /**< NIC */
    uint64_t replaced; /**< entries; on the host with a page pinned for each */
    uint64_t refused;  /**< pages that could not be pinned */
    uint64_t waited;   /**< NIC: no anonymous page was free */
} clump_translation_counters;

enum { CLUMP_COPY_ADDRESS_BYTES = 8 /**< in front of the data of a packet, in network order */ };

void clump_copy_address_encode(uint64_t address, unsigned char bytes[CLUMP_COPY_ADDRESS_BYTES]);

/** Where the data of a packet of `size` bytes belong, address and all. The sender may be wrong
 * about everything. @return false, and nothing written, if the address is not a multiple of 4, or
 * the data would leave the page */
bool clump_copy_address_decode(const unsigned char *bytes, size_t size, uint64_t *page,
                               uint32_t *offset);

/** How the host pins pages. */
typedef struct clump_pinning {
    /** Keep a page in memory. @return whether it is one of this process; *frame is where it is */
    bool (*pin)(void *context, uint64_t page, uint64_t *frame);
    void (*unpin)(void *context, uint64_t page);
    void *context;
} clump_pinning;

/** @param entries  1 to 2^20  @return OK, BAD_INPUT or FAILED (no memory) */
clump_protocol_status clump_host_table_open(uint32_t entries, const clump_pinning *pinning,
                                            clump_host_table **host);
/** Unpins what is pinned. */
void clump_host_table_close(clump_host_table *host);

/** A page transfer is to be sent. @return OK, or NOT_FOUND: the page cannot be pinned */
clump_protocol_status clump_host_table_source(clump_host_table *host, uint64_t page,
                                              clump_copy_source *source);

/** A completion has come. @return OK, or BAD_PACKET: no such transfer is under way */
clump_protocol_status clump_host_table_completed(clump_host_table *host,
                                                 const clump_copy_completion *completion);

/** A notice has come, and the data were copied from the anonymous page.
 *  @return OK, or BAD_PACKET: the entry is locked already */
clump_protocol_status clump_host_table_notified(clump_host_table *host,
                                                const clump_copy_notice *notice);

/** The next update for the NIC, if any; ask after completed() and notified(). */
bool clump_host_table_next(clump_host_table *host, clump_copy_update *update);

clump_translation_counters clump_host_table_count(const clump_host_table *host);
/** Pages pinned now. */
uint32_t clump_host_table_pinned(const clump_host_table *host);

/** @param anonymous  pages that misses are redirected to, 1 to 4096 */
clump_protocol_status clump_nic_table_open(uint32_t entries, uint32_t anonymous,
                                           clump_nic_table **nic);
void clump_nic_table_close(clump_nic_table *nic);

/** A descriptor's turn has come. *frame is where to read (hits only).
 *  @return OK, or BAD_INPUT: it says hit, and the table does not have it */
clump_protocol_status clump_nic_table_source(clump_nic_table *nic, const clump_copy_source *source,
                                             uint64_t *frame, clump_copy_completion *completion);

/** Data for a page have come. @return OK (hit: *frame is where to write), NOT_FOUND (a miss: write
 *  to the anonymous page, and tell the host), or BLOCKED: try again when the host has
 *  given anonymous pages back; none is free, or earlier data for this page are in one */
clump_protocol_status clump_nic_table_destination(clump_nic_table *nic, uint64_t page,
                                                  uint64_t *frame, clump_copy_notice *notice);

/** @return OK, or BAD_INPUT: not locked, or not the page's entry; nothing changed */
clump_protocol_status clump_nic_table_update(clump_nic_table *nic, const clump_copy_update *update);

/** The host has emptied an anonymous page. @return OK, or BAD_INPUT: it is free */
clump_protocol_status clump_nic_table_give(clump_nic_table *nic, uint32_t anonymous);

clump_translation_counters clump_nic_table_count(const clump_nic_table *nic);

/** What must hold between any two calls, for the two tables of one node; for tests. NULL, or what
 *  does not hold. */
const char *clump_translation_check(const clump_host_table *host, const clump_nic_table *nic);

#endif
