/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Totally ordered broadcast in virtual time (cluster-protocols.txt, section 6.1): a number by
 * fetch-and-add from node 1, a multicast that carries it, and receivers that put into order what
 * comes (virtual/ordered.h). As tables V and VI have it at the level of LCI: what Panda does
 * with a message costs nothing here.
 */
#include "reproductions/measure/measure.h"

#include "reproductions/virtual/ordered.h"

#include <stdlib.h>

enum { SEQUENCER = 1, PLACES = 4096, STREAMED = 65536 };

/* APART: node 0, when all have the one before. STREAM: node 0, at once, messages of many packets with
 * one number each. TOGETHER: every node, when it has those of all others. */
enum pattern { APART, STREAM, TOGETHER };

typedef struct member {
    clump_ordered *ordered;
    uint32_t number; /* fetched, of the next broadcast */
    uint32_t parts;  /* of that, sent or received so far */
    bool asking, numbered;
    uint32_t passed; /* broadcasts in their order, also its own */
    uint64_t sent;
} member;

typedef struct bench {
    enum pattern pattern;
    uint16_t nodes, size;
    uint32_t parts; /* packets of a message */
    member *members;
    uint32_t outstanding; /* apart: nodes that do not have it yet */
    uint64_t warm, rounds, counted;
    uint64_t asked_ps, begin_ps, end_ps, total_ps;
    bool measured, failed;
} bench;

/* A round is over: of the slowest node, or of the last one, or of node 0. */
static void count(bench *b, clump_virtual_cluster *c)
{
    b->counted++;
    if (b->counted == b->warm) {
        b->begin_ps = clump_virtual_cluster_now_ps(c);
        b->total_ps = 0;
    } else if (b->counted == b->warm + b->rounds) {
        b->end_ps = clump_virtual_cluster_now_ps(c);
        b->measured = true;
        clump_virtual_cluster_stop(c);
    }
}

static void pass(bench *b, clump_virtual_cluster *c, uint16_t node)
{
    member *m = &b->members[node];
    m->passed++;
    if (b->pattern == APART && node != 0 && --b->outstanding == 0) {
        b->total_ps += clump_virtual_cluster_now_ps(c) - b->asked_ps;
        count(b, c);
        if (!b->measured)
            clump_virtual_cluster_stop(c); /* the next one when all is quiet */
    } else if (b->pattern == STREAM && node == b->nodes - 1) {
        count(b, c);
    } else if (b->pattern == TOGETHER && node == 0 && m->passed % b->nodes == 0) {
        count(b, c);
    }
}

static void put(bench *b, clump_virtual_cluster *c, uint16_t node, uint32_t number)
{
    clump_ordered *o = b->members[node].ordered;
    const unsigned char *data;
    size_t size;
    b->failed |= clump_ordered_put(o, number, NULL, 0) != CLUMP_PROTOCOL_OK;
    while (!b->measured && clump_ordered_next(o, &data, &size))
        pass(b, c, node);
}

static bool may_begin(bench *b, clump_virtual_cluster *c, uint16_t node)
{
    const member *m = &b->members[node];
    if (b->pattern == TOGETHER)
        return m->passed >= m->sent * b->nodes;
    if (node != 0 || (b->pattern == APART && b->outstanding > 0))
        return false;
    if (b->pattern == APART) {
        b->outstanding = b->nodes - 1u;
        b->asked_ps = clump_virtual_cluster_now_ps(c);
    }
    return true;
}

static bool want(void *context, clump_virtual_cluster *c, uint16_t node,
                 clump_virtual_cluster_order *order)
{
    bench *b = context;
    member *m = &b->members[node];
    if (b->measured || m->asking || (!m->numbered && !may_begin(b, c, node)))
        return false;
    if (!m->numbered && node != SEQUENCER) {
        *order = (clump_virtual_cluster_order){.kind = CLUMP_VIRTUAL_FETCH_ADD, .to = SEQUENCER};
        m->asking = true;
        return true;
    }
    if (!m->numbered) {
        m->number = clump_virtual_cluster_fetch_add_here(c, node);
        m->numbered = true;
    }
    *order = (clump_virtual_cluster_order){
        .kind = CLUMP_VIRTUAL_MULTICAST, .tag = (uint16_t)m->number, .size = b->size};
    if (++m->parts < b->parts)
        return true;
    m->numbered = false;
    m->parts = 0;
    m->sent++;
    put(b, c, node, m->number);
    return true;
}

static void got(void *context, clump_virtual_cluster *c, uint16_t node, const clump_lci_delivery *d)
{
    bench *b = context;
    member *m = &b->members[node];
    if (b->measured)
        return;
    if (d->content == CLUMP_CONTENT_FETCHED) {
        m->number = (uint32_t)d->data[0] << 24 | (uint32_t)d->data[1] << 16 |
                    (uint32_t)d->data[2] << 8 | d->data[3];
        m->asking = false;
        m->numbered = true;
        return;
    }
    if (++m->parts < b->parts) /* one node streams, and its packets come in order */
        return;
    m->parts = 0;
    /* The tag has the lower half of the number, which is not far from the next one. */
    put(b, c, node, m->passed + (uint32_t)(int16_t)(uint16_t)(d->tag - (uint16_t)m->passed));
}

static clump_protocol_status open_members(bench *b)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    b->members = calloc(b->nodes, sizeof *b->members);
    if (b->members == NULL)
        return CLUMP_PROTOCOL_FAILED;
    for (uint16_t i = 0; i < b->nodes && status == CLUMP_PROTOCOL_OK; i++)
        status = clump_ordered_open(PLACES, 1, 0, &b->members[i].ordered);
    return status;
}

static clump_protocol_status run(const clump_virtual_cluster_options *options, bench *b,
                                 double copy_us_per_byte)
{
    const clump_virtual_cluster_program program = {
        .want = want, .got = got, .context = b, .copy_us_per_byte = copy_us_per_byte};
    clump_virtual_cluster *c = NULL;
    if (options->nodes < 2 || b->rounds == 0 || b->rounds > 1000000 ||
        b->size > options->protocol.mtu)
        return CLUMP_PROTOCOL_BAD_INPUT;
    b->nodes = options->nodes;
    const double limit_us = 1e5 * (double)(b->rounds + b->warm) * b->nodes;
    clump_protocol_status status = open_members(b);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_virtual_cluster_open(options, &program, &c);
    while (status == CLUMP_PROTOCOL_OK && !b->measured) {
        const uint64_t before = b->counted;
        status = clump_virtual_cluster_run(c, limit_us < 1e12 ? limit_us : 1e12);
        if (b->failed)
            status = CLUMP_PROTOCOL_FAILED;
        else if (status == CLUMP_PROTOCOL_OK && !b->measured && b->counted == before)
            status = CLUMP_PROTOCOL_TIMED_OUT; /* nothing happens any more */
    }
    clump_virtual_cluster_close(c);
    for (uint16_t i = 0; b->members != NULL && i < b->nodes; i++)
        clump_ordered_close(b->members[i].ordered);
    free(b->members);
    b->members = NULL;
    return status;
}

static double us(uint64_t ps)
{
    return (double)ps * 1e-6;
}

clump_protocol_status clump_measure_ordered(const clump_virtual_cluster_options *options,
                                            uint16_t size, uint32_t rounds,
                                            clump_ordered_measured *measured)
{
    enum { WARM = 4, STREAM_LEAST = 16 };
    const uint16_t mtu = options->protocol.mtu;
    const uint32_t streamed = rounds > STREAM_LEAST || rounds == 0 ? rounds : STREAM_LEAST,
                   parts = mtu > 0 ? STREAMED / mtu : 1;
    bench apart = {.pattern = APART, .size = size, .parts = 1, .warm = WARM, .rounds = rounds},
          together = {.pattern = TOGETHER,
                      .size = size,
                      .parts = 1,
                      .warm = WARM,
                      .rounds = rounds},
          stream = {.pattern = STREAM,
                    .size = mtu,
                    .parts = parts,
                    .warm = STREAM_LEAST,
                    .rounds = streamed};
    clump_protocol_status status = run(options, &apart, 0);
    if (status == CLUMP_PROTOCOL_OK)
        status = run(options, &stream, options->hardware.host_copy_us);
    if (status == CLUMP_PROTOCOL_OK)
        status = run(options, &together, 0);
    if (status == CLUMP_PROTOCOL_OK)
        *measured = (clump_ordered_measured){
            .latency_us = us(apart.total_ps) / rounds,
            .bytes_per_us = (double)mtu * parts * streamed / us(stream.end_ps - stream.begin_ps),
            .together_us = us(together.end_ps - together.begin_ps) / rounds};
    return status;
}
