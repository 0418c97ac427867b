/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/placed.h"

#include <math.h>
#include <stdlib.h>

/* What a rank sends and receives through one protocol. */
typedef struct side {
    double sent, received;           /* messages */
    double sending_us, receiving_us; /* of NICs */
} side;

typedef struct rank_sides {
    side now, remote, local;
} rank_sides;

static int is_remote(const clump_placed_messages *m, size_t processors)
{
    return m->from / processors != m->to / processors;
}

int clump_placed_is_local(const clump_placed_messages *messages, size_t count, size_t processors)
{
    for (size_t i = 0; i < count; i++)
        if (messages[i].messages > 0 && messages[i].from != messages[i].to &&
            !is_remote(&messages[i], processors))
            return 1;
    return 0;
}

static double occupancy(const clump_placed_messages *m, const clump_loggp *protocol)
{
    return m->messages * protocol->gap_us +
           fmax(m->bytes - m->messages, 0) * protocol->gap_us_per_byte;
}

static void add(const clump_placed_messages *m, const clump_loggp *protocol, side *from, side *to)
{
    const double time = occupancy(m, protocol);
    from->sent += m->messages;
    from->sending_us += time;
    to->received += m->messages;
    to->receiving_us += time;
}

static double transfer_us(const side *s, const clump_placed_style *style)
{
    return fmax(s->sending_us, s->receiving_us) +
           style->serial_share * fmin(s->sending_us, s->receiving_us);
}

/* With the waiting for latency, and not below what its own overheads take. */
static double time_us(const side *s, const clump_placed_style *style, const clump_loggp *p)
{
    const double late =
        fmax(p->send_overhead_us + p->latency_us + p->receive_overhead_us - p->gap_us, 0);
    const double overheads = s->sent * p->send_overhead_us + s->received * p->receive_overhead_us;
    return fmax(transfer_us(s, style) + style->waited_share * s->received * late, overheads);
}

static clump_status check(const clump_placed_messages *messages, size_t count, size_t ranks,
                          size_t processors, const clump_loggp *shared_memory, clump_error *error)
{
    if (processors < 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "nodes of 0 processors, expected at least 1");
    for (size_t i = 0; i < count; i++) {
        const clump_placed_messages *m = &messages[i];
        if (m->from >= ranks || m->to >= ranks || !(m->messages >= 0) || !isfinite(m->messages) ||
            !(m->bytes >= 0) || !isfinite(m->bytes))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%g messages of %g bytes from rank %lu to rank %lu: expected two of "
                              "%zu ranks, and numbers of 0 or more",
                              m->messages, m->bytes, (unsigned long)m->from, (unsigned long)m->to,
                              ranks);
    }
    if (shared_memory == NULL && clump_placed_is_local(messages, count, processors))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "on nodes of %zu processors some messages stay within a node, expected "
                          "the LogGP parameters of shared memory",
                          processors);
    return CLUMP_OK;
}

clump_status clump_placed_compute(const clump_placed_messages *messages, size_t count, size_t ranks,
                                  size_t processors, const clump_loggp *network,
                                  const clump_loggp *shared_memory,
                                  const clump_placed_style *styles, clump_placed_rank *placed,
                                  clump_error *error)
{
    clump_status status = check(messages, count, ranks, processors, shared_memory, error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(network, "network", error);
    if (status == CLUMP_OK && shared_memory != NULL)
        status = clump_loggp_check(shared_memory, "shared memory", error);
    if (status != CLUMP_OK)
        return status;
    rank_sides *sides = calloc(ranks + 1, sizeof *sides);
    if (sides == NULL)
        return clump_fail_memory(error, "the ranks");
    for (size_t i = 0; i < ranks; i++)
        placed[i] = (clump_placed_rank){0};
    for (size_t i = 0; i < count; i++) {
        const clump_placed_messages *m = &messages[i];
        if (m->from == m->to)
            continue;
        add(m, network, &sides[m->from].now, &sides[m->to].now);
        if (is_remote(m, processors)) {
            add(m, network, &sides[m->from].remote, &sides[m->to].remote);
            placed[m->from].remote_messages += m->messages;
            placed[m->from].remote_bytes += m->bytes;
        } else if (m->messages > 0) {
            add(m, shared_memory, &sides[m->from].local, &sides[m->to].local);
        }
    }
    for (size_t i = 0; i < ranks; i++) {
        const rank_sides *s = &sides[i];
        clump_placed_rank *p = &placed[i];
        p->now_us = time_us(&s->now, &styles[i], network);
        p->remote_us = time_us(&s->remote, &styles[i], network);
        p->nic_us = transfer_us(&s->remote, &styles[i]);
        p->sent_us = s->remote.sending_us;
        p->received_us = s->remote.receiving_us;
        p->local_sent_us = s->local.sending_us;
        p->local_received_us = s->local.receiving_us;
        if (shared_memory != NULL)
            p->local_us = time_us(&s->local, &styles[i], shared_memory);
    }
    free(sides);
    return CLUMP_OK;
}
