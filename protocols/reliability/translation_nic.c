/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The NIC's translation table, and what must hold between it and the host's. */
#include "protocols/reliability/translation_private.h"

#include <stdlib.h>

clump_protocol_status clump_nic_table_open(uint32_t entries, uint32_t anonymous,
                                           clump_nic_table **nic)
{
    if (entries < 1 || entries > CLUMP_TRANSLATION_ENTRIES_MOST || anonymous < 1 ||
        anonymous > CLUMP_ANONYMOUS_PAGES_MOST)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_nic_table *n = calloc(1, sizeof *n);
    if (n == NULL)
        return CLUMP_PROTOCOL_FAILED;
    n->count = entries;
    n->anonymous = n->free_count = anonymous;
    n->entries = calloc(entries, sizeof *n->entries);
    n->free = calloc(anonymous, sizeof *n->free);
    n->taken_by = calloc(anonymous, sizeof *n->taken_by);
    if (n->entries == NULL || n->free == NULL || n->taken_by == NULL) {
        clump_nic_table_close(n);
        return CLUMP_PROTOCOL_FAILED;
    }
    for (uint32_t i = 0; i < anonymous; i++) {
        n->free[i] = anonymous - 1 - i;
        n->taken_by[i] = CLUMP_NO_ENTRY;
    }
    *nic = n;
    return CLUMP_PROTOCOL_OK;
}

void clump_nic_table_close(clump_nic_table *nic)
{
    if (nic == NULL)
        return;
    free(nic->entries);
    free(nic->free);
    free(nic->taken_by);
    free(nic);
}

clump_protocol_status clump_nic_table_source(clump_nic_table *n, const clump_copy_source *s,
                                             uint64_t *frame, clump_copy_completion *completion)
{
    clump_nic_entry *e = &n->entries[s->page % n->count];
    clump_copy_completion c = {.kind = s->kind, .page = s->page};
    if (s->kind == CLUMP_COPY_HIT) {
        if (!e->valid || e->now.page != s->page)
            return CLUMP_PROTOCOL_BAD_INPUT;
        n->counters.hits++;
        *frame = e->now.frame;
    } else {
        n->counters.misses++;
        if (s->kind == CLUMP_COPY_MISS && !e->locked) {
            e->now = (clump_page_mapping){s->page, s->frame};
            e->valid = c.installed = true;
            n->counters.replaced++;
        }
    }
    *completion = c;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_nic_table_destination(clump_nic_table *n, uint64_t page,
                                                  uint64_t *frame, clump_copy_notice *notice)
{
    clump_nic_entry *e = &n->entries[page % n->count];
    const bool there = e->valid && !e->locked && e->now.page == page;
    if (there && e->redirected == 0) {
        n->counters.destination_hits++;
        *frame = e->now.frame;
        return CLUMP_PROTOCOL_OK;
    }
    /* What came before and was redirected must not overwrite this: the host copies it first. */
    if (there || n->free_count == 0) {
        n->counters.waited++;
        return CLUMP_PROTOCOL_BLOCKED;
    }
    const uint32_t anonymous = n->free[--n->free_count];
    n->taken_by[anonymous] = (uint32_t)(page % n->count);
    n->counters.destination_misses++;
    e->redirected++;
    *notice = (clump_copy_notice){.page = page, .anonymous = anonymous, .replace = !e->locked};
    e->locked = true;
    return CLUMP_PROTOCOL_NOT_FOUND;
}

clump_protocol_status clump_nic_table_update(clump_nic_table *n, const clump_copy_update *u)
{
    if (u->entry >= n->count || !n->entries[u->entry].locked ||
        (u->valid && u->page % n->count != u->entry))
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_nic_entry *e = &n->entries[u->entry];
    e->now = (clump_page_mapping){u->page, u->frame};
    e->valid = u->valid;
    e->locked = false;
    n->counters.replaced++;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_nic_table_give(clump_nic_table *n, uint32_t anonymous)
{
    if (anonymous >= n->anonymous || n->taken_by[anonymous] == CLUMP_NO_ENTRY)
        return CLUMP_PROTOCOL_BAD_INPUT;
    n->entries[n->taken_by[anonymous]].redirected--;
    n->taken_by[anonymous] = CLUMP_NO_ENTRY;
    n->free[n->free_count++] = anonymous;
    return CLUMP_PROTOCOL_OK;
}

clump_translation_counters clump_nic_table_count(const clump_nic_table *n)
{
    return n->counters;
}

void clump_copy_address_encode(uint64_t address, unsigned char bytes[CLUMP_COPY_ADDRESS_BYTES])
{
    for (int i = 0; i < CLUMP_COPY_ADDRESS_BYTES; i++)
        bytes[i] = (unsigned char)(address >> (56 - 8 * i));
}

bool clump_copy_address_decode(const unsigned char *bytes, size_t size, uint64_t *page,
                               uint32_t *offset)
{
    uint64_t address = 0;
    if (size < CLUMP_COPY_ADDRESS_BYTES)
        return false;
    for (int i = 0; i < CLUMP_COPY_ADDRESS_BYTES; i++)
        address = address << 8 | bytes[i];
    const uint32_t at = (uint32_t)(address % CLUMP_PAGE_SIZE);
    if (at % 4 != 0 || size - CLUMP_COPY_ADDRESS_BYTES > CLUMP_PAGE_SIZE - at)
        return false;
    *page = address / CLUMP_PAGE_SIZE;
    *offset = at;
    return true;
}

static bool same(const clump_page_mapping *a, const clump_page_mapping *b)
{
    return a->page == b->page && a->frame == b->frame;
}

const char *clump_translation_check(const clump_host_table *h, const clump_nic_table *n)
{
    uint32_t pinned = 0, free_count = 0, redirected = 0;
    for (uint32_t i = 0; i < h->count && i < n->count; i++) {
        const clump_host_entry *host = &h->entries[i];
        const clump_nic_entry *nic = &n->entries[i];
        const bool as_now = host->valid && nic->valid && same(&nic->now, &host->now),
                   as_next = host->changing && nic->valid && same(&nic->now, &host->next);
        pinned += host->valid + host->changing;
        redirected += nic->redirected;
        if (nic->valid && !nic->locked && !as_now && !as_next)
            return "what the NIC may write to is pinned, and where the host says";
        if (host->pending > 0 && !as_now && !as_next) /* as_next: completions are on their way */
            return "the NIC has the source of every hit that is posted";
        if (host->locked && !nic->locked)
            return "what the host believes locked is locked";
        if (host->ready && (host->changing || host->pending > 0 || !host->locked))
            return "an entry is replaced when nothing needs the old one";
    }
    if (pinned != h->pinned)
        return "pages that are pinned are counted";
    for (uint32_t i = 0; i < n->anonymous; i++)
        free_count += n->taken_by[i] == CLUMP_NO_ENTRY;
    if (free_count != n->free_count || redirected != n->anonymous - free_count)
        return "every anonymous page is free or counted with an entry";
    return NULL;
}
