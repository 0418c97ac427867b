/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of the NIC: a loop that looks at all sources of work and takes one thing a turn. DMA
 * engine and link work on while it does something else. Here: what the host has posted.
 */
#include "protocols/virtual/machine_nic.h"

#include <stdlib.h>

/* A packet of the host is on the NIC: hand it to the protocol. False: no send buffer is free. */
static bool submit(nic_turn *t, const machine_item *post)
{
    clump_lci *lci = t->n->lci;
    const uint8_t content = t->m->options.protocol.transfer == CLUMP_TRANSFER_COPY
                                ? CLUMP_CONTENT_COPY
                                : CLUMP_CONTENT_USER;
    const clump_lci_message message = {
        .content = post->order == CLUMP_VIRTUAL_SEND ? content : (uint8_t)CLUMP_CONTENT_USER,
        .tag = post->tag,
        .size = post->size,
        .data = post->bytes};
    clump_protocol_status status;
    if (post->order == CLUMP_VIRTUAL_FETCH_ADD)
        status = clump_lci_fetch_add(lci, post->to, post->tag);
    else if (post->order == CLUMP_VIRTUAL_MULTICAST)
        status = clump_lci_multicast(lci, &message);
    else
        status = clump_lci_send(lci, post->to, &message);
    clump_nic_protocol(t);
    return status != CLUMP_PROTOCOL_BLOCKED;
}

static bool by_dma(const nic_turn *t, const machine_item *post)
{
    return t->m->options.protocol.transfer != CLUMP_TRANSFER_PIO && !post->no_data &&
           post->order != CLUMP_VIRTUAL_FETCH_ADD &&
           !(post->copy && post->source.kind != CLUMP_COPY_HIT);
}

/* What the host has to know: it may change its data, and what has become of a translation. */
static void complete(nic_turn *t, machine_item *post)
{
    const bool told = post->copy && post->source.kind != CLUMP_COPY_STORED;
    if (post->told || !(told || by_dma(t, post)))
        return;
    post->told = true;
    clump_nic_words(t, NIC_COMPLETION);
    clump_nic_transfer(
        t, &(machine_item){.kind = ITEM_COMPLETION, .completion = post->completion, .told = told},
        STAGE_REPORTED, 4);
}

/* The host may post another packet. */
static void finish_post(nic_turn *t, machine_item *post)
{
    complete(t, post);
    free(post->bytes);
    t->n->posts--;
    clump_virtual_cluster_wake_host(t->m, t->node, t->at);
}

/* Remote copy: where the source is, or that it is somewhere else from now on. */
static void translate(nic_turn *t, machine_item *post)
{
    uint64_t frame;
    t->m->failed |= clump_nic_table_source(t->n->nic_table, &post->source, &frame,
                                           &post->completion) != CLUMP_PROTOCOL_OK;
    if (post->source.kind == CLUMP_COPY_HIT)
        clump_nic_words(t, NIC_COPY_SEND);
    else if (post->source.kind == CLUMP_COPY_MISS)
        clump_nic_words(t, NIC_INSTALL);
}

/* The data of a post are on the NIC. */
static void fetched(nic_turn *t, machine_item *post)
{
    if (post->forward) {
        clump_lci_forward(t->n->lci, post->value);
        clump_lci_release(t->n->lci, t->at / 1000, post->value);
    } else if (post->raw) {
        clump_nic_to_link(t, post->to, post->bytes, (size_t)post->value);
        clump_nic_words(t, NIC_LINK_DONE);
    } else if (!submit(t, post)) {
        if (post->copy) /* the data are here: another page may take the place of their page */
            complete(t, post);
        if (!clump_virtual_cluster_push(&t->n->blocked, post))
            t->m->failed = true;
        return;
    }
    clump_nic_pump(t);
    finish_post(t, post);
}

static void post_turn(nic_turn *t, machine_item *post)
{
    clump_nic_words(t, NIC_FETCH);
    if (post->copy)
        translate(t, post);
    if (by_dma(t, post))
        clump_nic_transfer(t, post, STAGE_FETCHED, post->size);
    else if (t->n->fetching > 0) /* packets stay in order (section 2) */
        clump_nic_transfer(t, post, STAGE_PASSED, 0);
    else
        fetched(t, post);
}

/* Posts that found no send buffer, once there may be one. */
static void retry_blocked(nic_turn *t)
{
    machine_item post;
    while (t->n->blocked.count > 0 && submit(t, &t->n->blocked.items[t->n->blocked.first])) {
        clump_virtual_cluster_pop(&t->n->blocked, &post);
        clump_nic_pump(t);
        finish_post(t, &post);
    }
}

static void turn_of(nic_turn *t)
{
    machine_item item;
    if (clump_nic_transferred(t, &item)) {
        if (item.stage <= STAGE_PASSED)
            fetched(t, &item);
        else if (item.stage == STAGE_DELIVERED)
            clump_nic_delivered(t, &item);
    } else if (clump_virtual_cluster_pop(&t->n->nic, &item)) {
        if (item.kind == ITEM_POST)
            post_turn(t, &item);
        else if (item.kind == ITEM_RAW)
            clump_nic_arrival(t, &item);
        else if (item.kind == ITEM_COMPLETION)
            clump_nic_retry_waiting(t);
        else
            clump_nic_pump(t);
    }
}

/* The engine comes first: it never waits for more than one packet. */
void clump_virtual_cluster_nic_turn(clump_virtual_cluster *m, uint16_t node)
{
    nic_turn t = {.m = m, .n = &m->nodes[node], .node = node, .at = m->now_ps};
    turn_of(&t);
    retry_blocked(&t);
    clump_nic_words(&t, clump_nic_loop_words(m));
    t.n->use.nic_ps += t.at - m->now_ps;
    t.n->nic_free_ps = t.at;
    if (!clump_virtual_cluster_on_host(m))
        clump_virtual_cluster_set_alarm(m, node);
    if (t.n->transferred)
        clump_virtual_cluster_wake_nic(m, node, t.at);
    else if (t.n->nic.count > 0)
        clump_virtual_cluster_wake_nic(m, node, t.n->nic.items[t.n->nic.first].ready_ps);
}
