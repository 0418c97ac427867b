/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/virtual/translation.h"

#include <stdlib.h>

/** A place in memory that a page is pinned at, or is to be. */
typedef struct page_mapping {
    uint64_t page, frame;
} page_mapping;

typedef struct host_entry {
    page_mapping now;  /**< what the NIC has, if `valid`; pinned */
    page_mapping next; /**< if `changing`: what it is to have; pinned, too */
    uint64_t wanted;   /**< if `locked`: the page that the NIC asks for */
    uint32_t pending;  /**< hits that the NIC has not completed */
    uint32_t next_ready;
    bool valid, changing, locked, ready;
} host_entry;

typedef struct nic_entry {
    page_mapping now;
    uint32_t redirected; /**< anonymous pages with data for it that the host has not emptied */
    bool valid;          /**< there is a mapping */
    bool locked;         /**< nothing may be written there any more; sources are still read */
} nic_entry;

struct clump_host_table {
    clump_pinning pinning;
    clump_translation_counters counters;
    uint32_t count, pinned;
    uint32_t first_ready, last_ready; /**< entries that the NIC is to be told */
    host_entry *entries;
};

struct clump_nic_table {
    clump_translation_counters counters;
    uint32_t count, anonymous, free_count;
    nic_entry *entries;
    uint32_t *free;     /**< stack of anonymous pages */
    uint32_t *taken_by; /**< by anonymous page: the entry, or NO_ENTRY: free */
};

#define NO_ENTRY UINT32_MAX

/* ---- addresses in packets */

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

/* ---- the host's table, the master of the two */

clump_protocol_status clump_host_table_open(uint32_t entries, const clump_pinning *pinning,
                                            clump_host_table **host)
{
    if (entries < 1 || entries > CLUMP_TRANSLATION_ENTRIES_MOST || pinning->pin == NULL ||
        pinning->unpin == NULL)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_host_table *h = malloc(sizeof *h);
    host_entry *all = calloc(entries, sizeof *all);
    if (h == NULL || all == NULL) {
        free(h);
        free(all);
        return CLUMP_PROTOCOL_FAILED;
    }
    *h = (clump_host_table){
        .pinning = *pinning, .count = entries, .first_ready = NO_ENTRY, .entries = all};
    *host = h;
    return CLUMP_PROTOCOL_OK;
}

static void unpin(clump_host_table *h, const page_mapping *mapping)
{
    h->pinning.unpin(h->pinning.context, mapping->page);
    h->pinned--;
}

static bool pin(clump_host_table *h, uint64_t page, page_mapping *mapping)
{
    page_mapping m = {.page = page};
    if (!h->pinning.pin(h->pinning.context, page, &m.frame)) {
        h->counters.refused++;
        return false;
    }
    h->pinned++;
    *mapping = m;
    return true;
}

void clump_host_table_close(clump_host_table *h)
{
    if (h == NULL)
        return;
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->entries[i].valid)
            unpin(h, &h->entries[i].now);
        if (h->entries[i].changing)
            unpin(h, &h->entries[i].next);
    }
    free(h->entries);
    free(h);
}

clump_protocol_status clump_host_table_source(clump_host_table *h, uint64_t page,
                                              clump_copy_source *source)
{
    host_entry *e = &h->entries[page % h->count];
    clump_copy_source s = {.kind = CLUMP_COPY_HIT, .page = page};
    if (e->valid && e->now.page == page && !e->changing && !e->locked) {
        e->pending++;
        h->counters.hits++;
        *source = s;
        return CLUMP_PROTOCOL_OK;
    }
    s.kind = CLUMP_COPY_STORED;
    if (!e->changing && !e->locked) {
        if (!pin(h, page, &e->next))
            return CLUMP_PROTOCOL_NOT_FOUND;
        e->changing = true;
        s.kind = CLUMP_COPY_MISS;
        s.frame = e->next.frame;
    }
    h->counters.misses++;
    *source = s;
    return CLUMP_PROTOCOL_OK;
}

/* The NIC has asked for an entry, and nothing that it may still have to do needs the old one. */
static void replace(clump_host_table *h, host_entry *e)
{
    page_mapping fresh;
    if (!e->locked || e->ready || e->changing || e->pending > 0)
        return;
    const bool there = e->valid && e->now.page == e->wanted;
    if (!there && pin(h, e->wanted, &fresh)) {
        if (e->valid)
            unpin(h, &e->now);
        e->now = fresh;
        e->valid = true;
        h->counters.replaced++;
    }
    const uint32_t index = (uint32_t)(e - h->entries);
    e->ready = true;
    e->next_ready = NO_ENTRY;
    if (h->first_ready == NO_ENTRY)
        h->first_ready = index;
    else
        h->entries[h->last_ready].next_ready = index;
    h->last_ready = index;
}

clump_protocol_status clump_host_table_completed(clump_host_table *h,
                                                 const clump_copy_completion *c)
{
    host_entry *e = &h->entries[c->page % h->count];
    if (c->kind == CLUMP_COPY_HIT) {
        if (e->pending == 0 || e->now.page != c->page)
            return CLUMP_PROTOCOL_BAD_PACKET;
        e->pending--;
    } else if (c->kind == CLUMP_COPY_MISS) {
        if (!e->changing || e->next.page != c->page)
            return CLUMP_PROTOCOL_BAD_PACKET;
        e->changing = false;
        if (c->installed) { /* behind all hits on the old page, which nothing reads any more */
            if (e->valid)
                unpin(h, &e->now);
            e->now = e->next;
            e->valid = true;
            h->counters.replaced++;
        } else {
            unpin(h, &e->next);
        }
    }
    replace(h, e);
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_host_table_notified(clump_host_table *h, const clump_copy_notice *n)
{
    host_entry *e = &h->entries[n->page % h->count];
    if (!n->replace)
        return CLUMP_PROTOCOL_OK;
    if (e->locked)
        return CLUMP_PROTOCOL_BAD_PACKET;
    e->locked = true;
    e->wanted = n->page;
    replace(h, e);
    return CLUMP_PROTOCOL_OK;
}

bool clump_host_table_next(clump_host_table *h, clump_copy_update *update)
{
    const uint32_t index = h->first_ready;
    if (index == NO_ENTRY)
        return false;
    host_entry *e = &h->entries[index];
    h->first_ready = e->next_ready;
    e->ready = e->locked = false;
    *update = (clump_copy_update){
        .entry = index, .valid = e->valid, .page = e->now.page, .frame = e->now.frame};
    return true;
}

clump_translation_counters clump_host_table_count(const clump_host_table *h)
{
    return h->counters;
}

uint32_t clump_host_table_pinned(const clump_host_table *h)
{
    return h->pinned;
}

/* ---- the NIC's table */

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
        n->taken_by[i] = NO_ENTRY;
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
    nic_entry *e = &n->entries[s->page % n->count];
    clump_copy_completion c = {.kind = s->kind, .page = s->page};
    if (s->kind == CLUMP_COPY_HIT) {
        if (!e->valid || e->now.page != s->page)
            return CLUMP_PROTOCOL_BAD_INPUT;
        n->counters.hits++;
        *frame = e->now.frame;
    } else {
        n->counters.misses++;
        if (s->kind == CLUMP_COPY_MISS && !e->locked) {
            e->now = (page_mapping){s->page, s->frame};
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
    nic_entry *e = &n->entries[page % n->count];
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
    nic_entry *e = &n->entries[u->entry];
    e->now = (page_mapping){u->page, u->frame};
    e->valid = u->valid;
    e->locked = false;
    n->counters.replaced++;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_nic_table_give(clump_nic_table *n, uint32_t anonymous)
{
    if (anonymous >= n->anonymous || n->taken_by[anonymous] == NO_ENTRY)
        return CLUMP_PROTOCOL_BAD_INPUT;
    n->entries[n->taken_by[anonymous]].redirected--;
    n->taken_by[anonymous] = NO_ENTRY;
    n->free[n->free_count++] = anonymous;
    return CLUMP_PROTOCOL_OK;
}

clump_translation_counters clump_nic_table_count(const clump_nic_table *n)
{
    return n->counters;
}

/* ---- what must hold between the two */

static bool same(const page_mapping *a, const page_mapping *b)
{
    return a->page == b->page && a->frame == b->frame;
}

const char *clump_translation_check(const clump_host_table *h, const clump_nic_table *n)
{
    uint32_t pinned = 0, free_count = 0, redirected = 0;
    for (uint32_t i = 0; i < h->count && i < n->count; i++) {
        const host_entry *host = &h->entries[i];
        const nic_entry *nic = &n->entries[i];
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
        free_count += n->taken_by[i] == NO_ENTRY;
    if (free_count != n->free_count || redirected != n->anonymous - free_count)
        return "every anonymous page is free or counted with an entry";
    return NULL;
}
