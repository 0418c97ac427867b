/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of the two translation tables. */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_TRANSLATION_PRIVATE_H
#define CLUMP_PROTOCOLS_RELIABILITY_TRANSLATION_PRIVATE_H

#include "protocols/reliability/translation.h"

/** A place in memory that a page is pinned at, or is to be. */
typedef struct clump_page_mapping {
    uint64_t page, frame;
} clump_page_mapping;

typedef struct clump_host_entry {
    clump_page_mapping now;  /**< what the NIC has, if `valid`; pinned */
    clump_page_mapping next; /**< if `changing`: what it is to have; pinned, too */
    uint64_t wanted;         /**< if `locked`: the page that the NIC asks for */
    uint32_t pending;        /**< hits that the NIC has not completed */
    uint32_t next_ready;
    bool valid, changing, locked, ready;
} clump_host_entry;

typedef struct clump_nic_entry {
    clump_page_mapping now;
    uint32_t redirected; /**< anonymous pages with data for it that the host has not emptied */
    bool valid;          /**< there is a mapping */
    bool locked;         /**< nothing may be written there any more; sources are still read */
} clump_nic_entry;

struct clump_host_table {
    clump_pinning pinning;
    clump_translation_counters counters;
    uint32_t count, pinned;
    uint32_t first_ready, last_ready; /**< entries that the NIC is to be told */
    clump_host_entry *entries;
};

struct clump_nic_table {
    clump_translation_counters counters;
    uint32_t count, anonymous, free_count;
    clump_nic_entry *entries;
    uint32_t *free;     /**< stack of anonymous pages */
    uint32_t *taken_by; /**< by anonymous page: the entry, or CLUMP_NO_ENTRY: free */
};

#define CLUMP_NO_ENTRY UINT32_MAX

#endif
