/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host's translation table, the master of the two. */
#include "protocols/reliability/translation_private.h"

#include <stdlib.h>

clump_protocol_status clump_host_table_open(uint32_t entries, const clump_pinning *pinning,
                                            clump_host_table **host)
{
    if (entries < 1 || entries > CLUMP_TRANSLATION_ENTRIES_MOST || pinning->pin == NULL ||
        pinning->unpin == NULL)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_host_table *h = malloc(sizeof *h);
    clump_host_entry *all = calloc(entries, sizeof *all);
    if (h == NULL || all == NULL) {
        free(h);
        free(all);
        return CLUMP_PROTOCOL_FAILED;
    }
    *h = (clump_host_table){
        .pinning = *pinning, .count = entries, .first_ready = CLUMP_NO_ENTRY, .entries = all};
    *host = h;
    return CLUMP_PROTOCOL_OK;
}

static void unpin(clump_host_table *h, const clump_page_mapping *mapping)
{
    h->pinning.unpin(h->pinning.context, mapping->page);
    h->pinned--;
}

static bool pin(clump_host_table *h, uint64_t page, clump_page_mapping *mapping)
{
    clump_page_mapping m = {.page = page};
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
    clump_host_entry *e = &h->entries[page % h->count];
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
static void replace(clump_host_table *h, clump_host_entry *e)
{
    clump_page_mapping fresh;
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
    e->next_ready = CLUMP_NO_ENTRY;
    if (h->first_ready == CLUMP_NO_ENTRY)
        h->first_ready = index;
    else
        h->entries[h->last_ready].next_ready = index;
    h->last_ready = index;
}

clump_protocol_status clump_host_table_completed(clump_host_table *h,
                                                 const clump_copy_completion *c)
{
    clump_host_entry *e = &h->entries[c->page % h->count];
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
    clump_host_entry *e = &h->entries[n->page % h->count];
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
    if (index == CLUMP_NO_ENTRY)
        return false;
    clump_host_entry *e = &h->entries[index];
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
