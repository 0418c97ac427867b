/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chains of messages by algorithm. R ranks, p of them on a node, n nodes. Sources as in collective.h; what of
 * them crosses between nodes is that of ranks placed in blocks (MODEL.md 33).
 */
#include "model/workload/collective_time.h"

#include "model/station.h"
#include "model/workload/collective_chain.h"

#include <math.h>

/* ---- steps */

/* Everybody has a partner at the distance. Aligned: numbers that differ in one bit. */
static void step(chain_builder *b, double distance, double bytes, bool aligned)
{
    if (b->n < 1.5 || (aligned && distance < b->p && chain_divides(2 * distance, b->p)))
        chain_local(b, bytes, 1);
    else
        chain_remote(b, fmin(distance, b->p), bytes, 1);
}

/* From each to the next, `laps` times around: of each step as many messages leave a node as there are communicators. */
static void ring(chain_builder *b, double laps, double bytes)
{
    const double hops = laps * (b->R - 1), crossing = b->n < 1.5 ? 0 : hops / b->p;
    chain_let_drift(b); /* what comes before the ring */
    b->apart = b->p > 1.5 && b->groups < 1.5;
    if (crossing > 0) {
        b->chain.busy_us = b->chain.us + hops * chain_busy_us(b, b->groups, 1, bytes);
        b->chain.us += (crossing - 1) * chain_message_us(b, 1, 1, bytes) +
                       chain_message_us(b, b->groups, 1, bytes); /* others are waited for once */
        chain_count(b, b->groups, bytes, hops);
        b->alone_us = b->steps_busy_us = HUGE_VAL;
    }
    chain_local(b, bytes, hops - crossing);
    b->apart = false;
}

/* In turns with the neighbour on either side, each step after the first passing on the two parts that the last one
 * brought. Both wait for each other. Those at the two ends of a node have every second exchange with another
 * node; those in between have none. */
static void neighbours(chain_builder *b, double part)
{
    const double p = b->p, steps = b->R / 2;
    const bool alone = p<1.5, first = fmod(p, 2)> 0.5; /* some ends meet in the first step */
    double crossing = alone ? steps : first ? ceil(steps / 2) : floor(steps / 2);
    if (b->n < 1.5)
        crossing = 0;
    const double ends = (alone ? 1 : 2) * b->groups;
    const double bytes = crossing > 0 ? 2 * part * crossing - (first ? part : 0) : 0;
    const double size = crossing > 0 ? bytes / crossing : 0;
    if (crossing > 0) {
        const double together = chain_message_us(b, ends, alone ? 1 : 2, size);
        const double own = chain_message_us(b, 1, 1, size), busy = chain_busy_us(b, 1, 1, size);
        b->chain.us = crossing * together;
        b->chain.busy_us = crossing * chain_busy_us(b, ends, alone ? 1 : 2, size);
        b->alone_us = crossing * own;
        b->most_wait_us = together - own;
        b->steps_busy_us = b->chain.busy_us;
        b->last_us = fmax(own - busy, 0);
        chain_count(b, ends, size, crossing);
    }
    b->chain.local_hops = steps - crossing;
    b->chain.local_bytes = 2 * part * steps - part - bytes;
    if (p > 2.5 && b->n > 1.5) {
        b->chain.inner_hops = steps;
        b->chain.inner_bytes = 2 * part * steps - part;
    }
}

/* All messages at once: those to other nodes, beside those in the node. */
static void exchange(chain_builder *b, double bytes)
{
    const clump_collective_between *t = b->between;
    const double flows = b->p * b->groups, messages = b->R - b->p;
    if (messages > 0) {
        b->chain.busy_us = t->exchange_us(t->context, flows, messages, bytes);
        chain_count(b, flows, bytes, messages);
    }
    chain_local(b, bytes, b->p - 1);
    b->chain.at_once = true;
}

/* In step k to rank + k. Of a node's messages as many cross as ranks lie beyond its end. */
static void pairwise(chain_builder *b, double bytes)
{
    const double p = b->p, R = b->R;
    if (b->n < 1.5) {
        chain_local(b, bytes, R - 1);
        return;
    }
    for (double k = 1; k < p; k++)
        chain_remote(b, k, bytes, 2);
    chain_remote(b, p, bytes, R - 2 * p + 1);
}

static void reduce_pairwise(chain_builder *b, double part)
{
    pairwise(b, part);
    b->chain.combined_bytes += part * (b->R - 1);
}

/* ---- algorithms */

static void doubling_gather(chain_builder *b, double part, bool aligned)
{
    for (double distance = 1; distance < b->R; distance *= 2)
        step(b, distance, part * fmin(distance, b->R - distance), aligned);
}

static bool is_power(double ranks)
{
    return !(chain_power_below(ranks) < ranks);
}

/* The most ones that a binary number below `count` has. */
static double most_ones(double count)
{
    double ones = 0, most = 0;
    for (double bit = 0x1p30, left = count; bit >= 1; bit /= 2)
        if (left >= bit) { /* a zero here, and ones behind it */
            most = fmax(most, ones + log2(bit));
            left -= bit;
            ones++;
        }
    return most;
}

/* A child of each that starts a message on its level: the first one, or the second one, which hears later. */
static void binary_level(chain_builder *b, double width, bool second, bool inside, double bytes)
{
    if (inside && second)
        chain_local_behind(b, 1, bytes, bytes);
    else if (inside)
        chain_local(b, bytes, 1);
    else if (second) {
        chain_remote_behind(b, fmin(width, b->p), 1, bytes, bytes);
        chain_count(b, fmin(width, b->p) * b->groups, bytes, 2);
    } else
        chain_remote(b, fmin(width, b->p), bytes, 1);
}

/*
 * Each of a level has two children, of which the second one hears later. The last to hear are second children all the
 * way down, or in a last level that is not full: there come first children of all parents first, in the order in
 * which parents are numbered, whose binary digits are first and second children.
 */
static void binary(chain_builder *b, double bytes)
{
    const double full = floor(log2(b->R + 1.5)) - 1, parents = exp2(full);
    const double last = b->R - (2 * parents - 1); /* that the last level has */
    const double seconds = last >= parents ? full : most_ones(last);
    chain_builder deeper = *b;
    const double others_busy_us = b->steps_busy_us;
    const double others_messages = b->chain.remote_messages, others_bytes = b->chain.remote_bytes;
    double width = 1;
    for (double level = 0; level < full; level++, width *= 2) {
        const bool inside = b->n < 1.5 || 4 * width - 1 <= b->p;
        binary_level(b, width, true, inside, bytes);
        binary_level(&deeper, width, level < seconds, inside, bytes);
    }
    /* a processor sends twice, on whatever level it is */
    const double most = 2 * b->p * b->groups;
    if (b->n > 1.5 && b->chain.remote_messages - others_messages > most) {
        b->chain.remote_messages = others_messages + most;
        b->chain.remote_bytes = others_bytes + most * bytes;
        b->steps_busy_us = fmin(b->steps_busy_us,
                                others_busy_us + 2 * chain_busy_us(b, b->p * b->groups, 1, bytes));
    }
    if (last < 0.5)
        return;
    /* whoever the last one is, NICs carry what all send */
    deeper.chain.remote_messages = b->chain.remote_messages;
    deeper.chain.remote_bytes = b->chain.remote_bytes;
    deeper.steps_busy_us = b->steps_busy_us;
    binary_level(&deeper, width, false, b->n < 1.5, bytes);
    if (seconds >= full - 1 ||
        (b->n > 1.5 && deeper.alone_us + deeper.most_wait_us > b->alone_us + b->most_wait_us)) {
        *b = deeper;
    } else if (b->n < 1.5) { /* what the two take is not known here: the longer one counts */
        b->chain.inner_hops = deeper.chain.local_hops;
        b->chain.inner_bytes = deeper.chain.local_bytes;
    }
}

/* Messages within a node for each piece, of the processor that is busiest with them. Of two halves each number has the
 * pieces of one, which it gets and passes on to those that are 2 and 4 further on, or more; the root sends both. */
static double busiest_of_pieces(const chain_builder *b, bool chain)
{
    const double sender = b->sender > 0 ? b->sender : 1, receiver = 1 - sender;
    const double children = b->p > 5.5 ? 2 : b->p > 3.5 ? 1 : 0;
    if (chain || !b->halves)
        return 1;
    return fmax((b->p > 2.5 ? 2 : 1) * sender, receiver + children * sender) / 2;
}

/* Pieces follow each other through the same links: all but the first one in step with the busiest NIC or processor. */
static void follow(chain_builder *b, bool chain, double bytes)
{
    /* in a tree each processor of a node passes a piece on to two others, half of it to each or one after the other */
    const double pieces = bytes / b->segment - 1, flows = (chain ? 1 : b->p) * b->groups;
    if (b->n > 1.5) {
        b->chain.follow_us = pieces * (b->arrive ? chain_message_us(b, flows, 1, b->segment)
                                                 : chain_busy_us(b, flows, 1, b->segment));
        chain_count(b, flows, b->segment, pieces);
    }
    if (b->p > 1.5) {
        b->chain.follow_hops = pieces * busiest_of_pieces(b, chain);
        b->chain.follow_bytes = b->chain.follow_hops * b->segment;
    }
}

/* Numbers 1 and 2, 3 and 4 ... exchange halves, the last one gets the root's: of nodes with an even number of ranks both
 * ends do so with other nodes, else one. */
static void exchange_halves(chain_builder *b, double bytes)
{
    const double ends = chain_divides(2, b->p) ? 2 : 1;
    if (b->n > 1.5) {
        b->chain.exchange_us = chain_message_us(b, ends * b->groups, ends, bytes / 2);
        chain_count(b, ends * b->groups, bytes / 2, 1);
    }
    if (b->n < 1.5 || b->p > 2.5)
        b->chain.exchange_bytes = bytes / 2;
}

/* Between the first ranks of all nodes. */
static void tree_of_nodes(chain_builder *b, double bytes)
{
    chain_builder among = *b;
    among.R = b->n;
    among.p = 1;
    if (b->n > 1.5)
        chain_tree(&among, 2, bytes);
    b->chain = among.chain;
    b->alone_us = among.alone_us;
    b->most_wait_us = among.most_wait_us;
    b->steps_busy_us = among.steps_busy_us;
    b->last_us = among.last_us;
}

static void broadcast_whole(chain_builder *b, clump_collective_algorithm algorithm, double bytes)
{
    b->one_way = true;
    switch (algorithm) {
    case CLUMP_COLLECTIVE_LINEAR: /* all at once, by one processor of a node */
        if (b->R > b->p) {
            const double others = b->R - b->p - 1;
            b->chain.busy_us = chain_message_us(b, b->groups, 1, bytes) +
                               others * chain_busy_us(b, b->groups, 1, bytes);
            chain_count(b, b->groups, bytes, others + 1);
        }
        chain_local(b, bytes, b->p - 1);
        b->chain.at_once = true;
        break;
    case CLUMP_COLLECTIVE_CHAIN:
        if (b->n > 1.5)
            chain_pass_on(b, bytes, b->n - 1);
        chain_local(b, bytes, b->R - b->n);
        break;
    case CLUMP_COLLECTIVE_BINOMIAL:
        chain_tree(b, 2, bytes);
        break;
    case CLUMP_COLLECTIVE_BINOMIAL_DOUBLING:
        chain_doubling_tree(b, bytes);
        break;
    case CLUMP_COLLECTIVE_KNOMIAL:
        chain_tree(b, 4, bytes);
        break;
    case CLUMP_COLLECTIVE_BINARY:
        binary(b, bytes);
        break;
    case CLUMP_COLLECTIVE_HIERARCHICAL:
        tree_of_nodes(b, bytes);
        chain_tree_inside(b, b->p, bytes);
        break;
    case CLUMP_COLLECTIVE_SCATTER_ALLGATHER:
        chain_tree_of_parts(b, bytes);
        b->one_way = false;
        if (is_power(b->R))
            doubling_gather(b, bytes / b->R, true);
        else
            ring(b, 1, bytes / b->R);
        break;
    default: /* CLUMP_COLLECTIVE_SCATTER_RING */
        chain_tree_of_parts(b, bytes);
        b->one_way = false;
        ring(b, 1, bytes / b->R);
    }
    b->one_way = false;
}

static void broadcast(chain_builder *b, clump_collective_algorithm algorithm, double bytes)
{
    const bool chain = algorithm == CLUMP_COLLECTIVE_CHAIN;
    if ((!chain && algorithm != CLUMP_COLLECTIVE_BINARY) ||
        !(b->segment > 0 && bytes > b->segment)) {
        broadcast_whole(b, algorithm, bytes);
        return;
    }
    broadcast_whole(b, algorithm, b->segment);
    follow(b, chain, bytes);
    if (b->halves && !chain)
        exchange_halves(b, bytes);
}

/* Between the first ranks of all nodes as MPICH chooses, within them trees. */
static void hierarchical_allreduce(chain_builder *b, double bytes)
{
    chain_builder among = *b;
    const clump_collective_operation leaders = {.kind = CLUMP_COLLECTIVE_ALLREDUCE,
                                                .ranks = (uint32_t)b->n,
                                                .bytes = (uint64_t)fmin(bytes, 0x1p53)};
    chain_tree_inside(b, b->p, bytes);
    chain_tree_inside(b, b->p, bytes);
    b->chain.combined_bytes += bytes * ceil(log2(b->p) - 1e-9);
    if (b->n < 1.5)
        return;
    among.chain = b->chain;
    among.R = b->n;
    among.p = 1;
    if (clump_collective_choose(CLUMP_MPI_MPICH, &leaders) == CLUMP_COLLECTIVE_RABENSEIFNER)
        chain_rabenseifner(&among, bytes);
    else
        chain_doubling(&among, bytes);
    *b = among;
}

/* Reduce-scatter in each node, a ring between the ranks of the same number of all nodes, allgather in each node. */
static void rails(chain_builder *b, double bytes)
{
    chain_local(b, bytes / b->p, 2 * (b->p - 1));
    b->chain.combined_bytes += bytes * (b->p - 1) / b->p + bytes / b->p * (b->n - 1) / b->n;
    if (b->n > 1.5)
        chain_remote(b, b->p, bytes / b->R, 2 * (b->n - 1));
}

static void allreduce(chain_builder *b, clump_collective_algorithm algorithm, double bytes)
{
    switch (algorithm) {
    case CLUMP_COLLECTIVE_RING:
        ring(b, 2, bytes / b->R);
        b->chain.combined_bytes += bytes * (b->R - 1) / b->R;
        break;
    case CLUMP_COLLECTIVE_RECURSIVE_DOUBLING:
        chain_doubling(b, bytes);
        break;
    case CLUMP_COLLECTIVE_RABENSEIFNER:
        chain_rabenseifner(b, bytes);
        break;
    case CLUMP_COLLECTIVE_HIERARCHICAL:
        hierarchical_allreduce(b, bytes);
        break;
    case CLUMP_COLLECTIVE_RAILS:
        rails(b, bytes);
        break;
    default: /* CLUMP_COLLECTIVE_REDUCE_FIRST */
        b->chain.combined_bytes += bytes * ceil(log2(b->R) - 1e-9);
        chain_up_and_down(b, bytes, false, false);
    }
}

/* What MPICH takes between the first ranks of all nodes. */
static clump_collective_algorithm among_nodes(const chain_builder *b, clump_collective_kind kind,
                                              double bytes)
{
    const clump_collective_operation nodes = {
        .kind = kind, .ranks = (uint32_t)b->n, .bytes = (uint64_t)fmin(bytes, 0x1p53 / b->n)};
    return clump_collective_choose(CLUMP_MPI_MPICH, &nodes);
}

/* A tree gathers the parts of a node, and another one takes all to each. */
static void hierarchical_allgather(chain_builder *b, double part)
{
    const double p = b->p, all = b->R * part;
    chain_tree_of_parts_inside(b, p, p * part);
    if (b->n > 1.5) {
        chain_builder among = *b;
        among.R = b->n;
        among.p = 1;
        const clump_collective_algorithm a =
            among_nodes(b, CLUMP_COLLECTIVE_ALLGATHER, floor(all / b->n));
        if (a == CLUMP_COLLECTIVE_RECURSIVE_DOUBLING || a == CLUMP_COLLECTIVE_BRUCK)
            doubling_gather(&among, p * part, a == CLUMP_COLLECTIVE_RECURSIVE_DOUBLING);
        else
            ring(&among, 1, p * part);
        *b = among;
    }
    chain_tree_inside(b, p, all);
}

static void allgather(chain_builder *b, clump_collective_algorithm algorithm, double part)
{
    if (algorithm == CLUMP_COLLECTIVE_LINEAR)
        exchange(b, part);
    else if (algorithm == CLUMP_COLLECTIVE_HIERARCHICAL)
        hierarchical_allgather(b, part);
    else if (algorithm == CLUMP_COLLECTIVE_GATHER_FIRST)
        chain_up_and_down(b, part * b->R, true, false);
    else if (algorithm == CLUMP_COLLECTIVE_NEIGHBOUR && chain_divides(2, b->R))
        neighbours(b, part);
    else if (algorithm == CLUMP_COLLECTIVE_RECURSIVE_DOUBLING ||
             algorithm == CLUMP_COLLECTIVE_BRUCK)
        doubling_gather(b, part,
                        algorithm == CLUMP_COLLECTIVE_RECURSIVE_DOUBLING && is_power(b->R));
    else
        ring(b, 1, part);
}

/* How many numbers below `ranks` have the bit of that value set. */
static double with_bit(double ranks, double bit)
{
    return floor(ranks / (2 * bit)) * bit + fmax(fmod(ranks, 2 * bit) - bit, 0);
}

static void alltoall(chain_builder *b, clump_collective_algorithm algorithm, double bytes)
{
    if (algorithm == CLUMP_COLLECTIVE_BRUCK)
        for (double bit = 1; bit < b->R; bit *= 2)
            step(b, bit, with_bit(b->R, bit) * bytes, false);
    else if (algorithm == CLUMP_COLLECTIVE_PAIRWISE)
        pairwise(b, bytes);
    else
        exchange(b, bytes);
}

static void hierarchical_reduce_scatter(chain_builder *b, double bytes)
{
    const double p = b->p, n = b->n;
    chain_tree_inside(b, p, bytes);
    b->chain.combined_bytes += bytes * ceil(log2(p) - 1e-9);
    if (n > 1.5) {
        chain_builder among = *b;
        among.R = n;
        among.p = 1;
        if (among_nodes(b, CLUMP_COLLECTIVE_REDUCE_SCATTER, bytes) == CLUMP_COLLECTIVE_PAIRWISE)
            reduce_pairwise(&among, bytes / n);
        else
            chain_halving(&among, bytes);
        *b = among;
    }
    chain_tree_of_parts_inside(b, p, bytes / n);
}

static void reduce_scatter(chain_builder *b, clump_collective_algorithm algorithm, double bytes)
{
    if (algorithm == CLUMP_COLLECTIVE_RING) {
        ring(b, 1, bytes / b->R);
        b->chain.combined_bytes += bytes * (b->R - 1) / b->R;
    } else if (algorithm == CLUMP_COLLECTIVE_PAIRWISE)
        reduce_pairwise(b, bytes / b->R);
    else if (algorithm == CLUMP_COLLECTIVE_HIERARCHICAL)
        hierarchical_reduce_scatter(b, bytes);
    else if (algorithm == CLUMP_COLLECTIVE_RECURSIVE_HALVING)
        chain_halving(b, bytes);
    else { /* CLUMP_COLLECTIVE_REDUCE_FIRST */
        b->chain.combined_bytes += bytes * ceil(log2(b->R) - 1e-9);
        chain_up_and_down(b, bytes, false, true);
    }
}

bool clump_collective_is_timed(clump_collective_kind kind, clump_collective_algorithm algorithm)
{
    return clump_collective_has(kind, algorithm) &&
           (kind == CLUMP_COLLECTIVE_ALLREDUCE || kind == CLUMP_COLLECTIVE_ALLGATHER ||
            kind == CLUMP_COLLECTIVE_ALLTOALL || kind == CLUMP_COLLECTIVE_REDUCE_SCATTER ||
            kind == CLUMP_COLLECTIVE_BROADCAST);
}

clump_status clump_collective_chain_make(clump_collective_kind kind,
                                         clump_collective_algorithm algorithm, double bytes,
                                         const clump_collective_layout *layout,
                                         const clump_collective_between *between,
                                         clump_collective_chain *chain, clump_error *error)
{
    chain_builder b = {.between = between,
                       .R = layout->ranks,
                       .p = layout->each,
                       .n = layout->ranks / layout->each,
                       .groups = layout->groups,
                       .segment = layout->segment,
                       .arrive = layout->arrive,
                       .halves = layout->halves,
                       .sender = layout->sender};
    if (!clump_collective_is_timed(kind, algorithm)) {
        const char *name = clump_collective_kind_name(kind);
        const char *way = clump_collective_algorithm_name(algorithm);
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: there is no time of an algorithm '%s'",
                          name != NULL ? name : "?", way != NULL ? way : "?");
    }
    if (!(b.R >= 1) || !(b.p >= 1) || !(b.groups >= 1) || fabs(b.n - rint(b.n)) > 1e-9 * b.n ||
        !(b.R <= 0x1p30) || !(bytes >= 0) || !isfinite(bytes) || !(b.segment >= 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s of %g bytes: found %g ranks, %g on a node, expected as many on each "
                          "node, 1 to 2^30 in all, and 0 bytes or more",
                          clump_collective_kind_name(kind), bytes, b.R, b.p);
    if (b.R > 1.5)
        switch (kind) {
        case CLUMP_COLLECTIVE_BROADCAST:
            broadcast(&b, algorithm, bytes);
            break;
        case CLUMP_COLLECTIVE_ALLREDUCE:
            allreduce(&b, algorithm, bytes);
            break;
        case CLUMP_COLLECTIVE_ALLGATHER:
            allgather(&b, algorithm, bytes);
            break;
        case CLUMP_COLLECTIVE_ALLTOALL:
            alltoall(&b, algorithm, bytes);
            break;
        default:
            reduce_scatter(&b, algorithm, bytes);
        }
    chain_let_drift(&b);
    *chain = b.chain;
    return CLUMP_OK;
}

/* ---- times */

/* Messages of one size, as far as is known. */
static double within_us(const clump_collective_chain *chain, const clump_collective_local *local,
                        double hops, double bytes)
{
    const double from = chain->fetched_from > 0 ? chain->fetched_from : local->long_from;
    const bool fetched = local->long_from > 0 && hops > 0 && bytes >= hops * from;
    return fetched ? hops * local->long_latency_us + bytes * local->long_gap_us_per_byte
                   : hops * local->latency_us + bytes * local->gap_us_per_byte;
}

double clump_collective_us(const clump_collective_chain *chain, const clump_collective_local *local)
{
    const double inner = within_us(chain, local, chain->inner_hops, chain->inner_bytes);
    const double first = chain->us +
                         within_us(chain, local, chain->local_hops, chain->local_bytes) +
                         chain->combined_bytes * local->combine_us_per_byte;
    const double followed = within_us(chain, local, chain->follow_hops, chain->follow_bytes);
    const double exchanged =
        chain->exchange_bytes > 0 ? within_us(chain, local, 1, chain->exchange_bytes) : 0;
    return fmax(chain->busy_us, fmax(inner, first) + fmax(chain->follow_us, followed)) +
           fmax(chain->exchange_us, exchanged);
}

/* The first byte of a message is in its overheads and its latency. */
static double hops_us(double hops, double bytes, const clump_loggp *p)
{
    return hops * (p->send_overhead_us + p->latency_us + p->receive_overhead_us) +
           fmax(bytes - hops, 0) * p->gap_us_per_byte;
}

static double one_after_the_other_us(double messages, double bytes, const clump_loggp *p)
{
    const double busy = messages * p->gap_us + fmax(bytes - messages, 0) * p->gap_us_per_byte;
    const double overheads = messages * (p->send_overhead_us + p->receive_overhead_us);
    return messages > 0
               ? fmax(busy - p->gap_us + p->send_overhead_us + p->receive_overhead_us, overheads) +
                     p->latency_us
               : 0;
}

double clump_collective_loggp_us(const clump_collective_chain *c, const clump_loggp *p)
{
    if (c->at_once)
        return fmax(c->busy_us, one_after_the_other_us(c->local_hops, c->local_bytes, p));
    const double first = c->us + hops_us(c->local_hops, c->local_bytes - c->local_more, p) +
                         c->local_more * fmax(p->gap_us, p->send_overhead_us);
    const double followed = hops_us(c->follow_hops, c->follow_bytes, p);
    const double exchanged = c->exchange_bytes > 0 ? hops_us(1, c->exchange_bytes, p) : 0;
    return fmax(c->busy_us, fmax(hops_us(c->inner_hops, c->inner_bytes, p), first) +
                                fmax(c->follow_us, followed)) +
           fmax(c->exchange_us, exchanged);
}

/* ---- LogGP between nodes, and NICs that are shared */

/* What the NICs serve while messages of so many processors are there, in NICs that work for all of them. */
static double shared_rate(const clump_node *node, double flows, double runs)
{
    const double most = (double)node->processors, all = fmax(ceil(flows - 1e-9), 1);
    const double senders = fmin(all, most);
    if (node->mapping == CLUMP_MAPPING_POOLED) {
        const clump_station station = {.nics = (double)node->nics,
                                       .max_nics_per_processor = node->max_nics_per_processor,
                                       .efficiency = node->efficiency,
                                       .gang_size = 1,
                                       .slots = node->placement.slots};
        const double rate = clump_station_rate(&station, (size_t)senders);
        if (!(all > senders))
            return rate;
        clump_station lossless = station;
        lossless.efficiency = (clump_efficiency){.table = NULL};
        /* What is lost, is lost by processors, however many messages they have. */
        return clump_station_rate(&lossless, (size_t)fmin(all, 2 * most)) * rate /
               clump_station_rate(&lossless, (size_t)senders);
    }
    /* neighbours share a NIC: of few that send, those of one NIC are last */
    const double group = ceil(most / (double)node->nics);
    const double busy = node->nics > 1 ? fmin(ceil(senders / runs), group) : senders;
    const clump_station own = {.nics = 1, .efficiency = node->efficiency, .gang_size = 1};
    return senders / busy * clump_station_rate(&own, (size_t)busy);
}

/* For a gap and the bytes of what leaves. */
static double leaving_us(const clump_collective_clump *c, double flows, double runs, double gaps,
                         double bytes)
{
    return flows * (gaps * c->network.gap_us + fmax(bytes - 1, 0) * c->network.gap_us_per_byte) /
           shared_rate(c->node, flows, runs);
}

/* Through a bus that moves one direction at a time as many bytes arrive: messages like others to pooled NICs, which may have one that
 * is free; statically mapped processors have the same NIC for them. */
static double arriving_us(const clump_collective_clump *c, double flows, double runs, double bytes)
{
    const double one_way = leaving_us(c, flows, runs, 0, bytes);
    if (!c->half_duplex)
        return 0;
    return c->node->mapping == CLUMP_MAPPING_POOLED
               ? fmax(leaving_us(c, 2 * flows, runs, 0, bytes) - one_way, 0)
               : one_way;
}

static double loggp_busy_us(const void *context, double flows, double runs, double bytes)
{
    const clump_collective_clump *c = context;
    return leaving_us(c, flows, runs, 1, bytes) + arriving_us(c, flows, runs, bytes);
}

/* Messages of which each takes one NIC are whole: of four on three NICs the last one is alone behind another. */
static double last_us(const clump_collective_clump *c, double flows, double runs, double bytes)
{
    const clump_node *node = c->node;
    const double nics = (double)node->nics, most = node->max_nics_per_processor;
    const double busy = leaving_us(c, flows, runs, 1, bytes);
    return node->mapping == CLUMP_MAPPING_POOLED && most > 0 && most <= 1 && flows > nics
               ? busy * ceil(flows / nics - 1e-9) * nics / flows
               : busy;
}

/* The last of them leaves when the others have; its own gap is beside its latency. What arrives through the same bus waits until
 * all has left. */
static double loggp_message_us(const void *context, double flows, double runs, double bytes)
{
    const clump_collective_clump *c = context;
    const clump_loggp *p = &c->network;
    const double behind = arriving_us(c, flows, runs, bytes);
    return p->send_overhead_us + p->latency_us + p->receive_overhead_us +
           fmax(last_us(c, flows, runs, bytes) - p->gap_us, 0) +
           fmax(behind - fmax(p->latency_us, 0), 0);
}

static double loggp_local_us(const void *context, double waits, double waits_bytes, double bytes)
{
    const clump_collective_clump *c = context;
    const clump_loggp *p = &c->shared_memory;
    return p->send_overhead_us + p->latency_us + p->receive_overhead_us +
           fmax(bytes + waits_bytes - waits - 1, 0) * p->gap_us_per_byte +
           waits * fmax(p->gap_us, p->send_overhead_us);
}

static double loggp_exchange_us(const void *context, double flows, double messages, double bytes)
{
    const clump_collective_clump *c = context;
    const clump_loggp *p = &c->network;
    const double overheads = p->send_overhead_us + p->receive_overhead_us;
    return p->latency_us +
           fmax(messages * loggp_busy_us(c, flows, 1, bytes) - p->gap_us + overheads,
                messages * overheads);
}

static clump_status misfit(const clump_collective_request *call, size_t processors,
                           clump_error *error)
{
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "%s: %lu of %lu ranks, %lu apart, on nodes of %zu processors: expected "
                      "numbers that divide each other, so that all nodes have as many of them",
                      clump_collective_kind_name(call->kind), (unsigned long)call->size,
                      (unsigned long)call->ranks, (unsigned long)call->stride, processors);
}

clump_status clump_collective_lay_out(const clump_collective_request *call, size_t processors,
                                      clump_collective_layout *layout, clump_error *error)
{
    const uint64_t P = processors, size = call->size, stride = call->stride, span = size * stride;
    if (P < 1 || size < 1 || stride < 1 || span > call->ranks || call->ranks % span != 0 ||
        call->ranks % P != 0)
        return misfit(call, processors, error);
    uint64_t each = 1;
    if (span <= P)
        each = P % span == 0 ? size : 0;
    else if (stride >= P)
        each = stride % P == 0 || size == 1 ? 1 : 0;
    else
        each = P % stride == 0 && span % P == 0 ? P / stride : 0;
    if (each == 0)
        return misfit(call, processors, error);
    *layout = (clump_collective_layout){
        .ranks = (double)size, .each = (double)each, .groups = (double)(P / each)};
    return CLUMP_OK;
}

clump_status clump_collective_time(const clump_collective_request *call,
                                   const clump_collective_clump *clump, clump_collective_cost *cost,
                                   clump_error *error)
{
    clump_collective_clump one_way = *clump;
    one_way.half_duplex = false;
    const bool tied = clump->node->mapping == CLUMP_MAPPING_STATIC && clump->node->nics > 1;
    const clump_collective_between between = {.message_us = loggp_message_us,
                                              .busy_us = loggp_busy_us,
                                              .exchange_us = loggp_exchange_us,
                                              .context = clump,
                                              .local_us = loggp_local_us,
                                              .one_way = &one_way,
                                              .apart = tied ? &one_way : clump};
    clump_collective_layout layout;
    clump_collective_chain chain;
    clump_status status = clump_collective_lay_out(call, clump->node->processors, &layout, error);
    if (status == CLUMP_OK)
        status = clump_collective_chain_make(call->kind, call->algorithm, call->bytes, &layout,
                                             &between, &chain, error);
    if (status != CLUMP_OK)
        return status;
    *cost = (clump_collective_cost){
        .us = clump_collective_loggp_us(&chain, &clump->shared_memory),
        .nic_us = chain.remote_messages * clump->network.gap_us +
                  (fmax(chain.remote_bytes - chain.remote_messages, 0) +
                   (clump->half_duplex ? chain.both_bytes : 0)) *
                      clump->network.gap_us_per_byte,
        .remote_messages = chain.remote_messages,
        .remote_bytes = chain.remote_bytes,
    };
    return CLUMP_OK;
}

clump_status clump_collective_fastest(const clump_collective_request *call,
                                      const clump_collective_clump *clump,
                                      clump_collective_algorithm *algorithm,
                                      clump_collective_cost *cost, clump_error *error)
{
    bool any = false;
    for (int a = 0; a < CLUMP_COLLECTIVE_ALGORITHMS; a++) {
        clump_collective_request tried = *call;
        clump_collective_cost found;
        tried.algorithm = (clump_collective_algorithm)a;
        if (!clump_collective_is_timed(call->kind, tried.algorithm))
            continue;
        const clump_status status = clump_collective_time(&tried, clump, &found, error);
        if (status != CLUMP_OK)
            return status;
        if (!any || found.us < (1 - 1e-9) * cost->us) { /* of equal ones the first */
            *algorithm = tried.algorithm;
            *cost = found;
        }
        any = true;
    }
    return any ? CLUMP_OK
               : clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "found collective kind %d, whose time is "
                            "not known",
                            (int)call->kind);
}

/* ---- NCCL */

/* The part of a node that a communicator has. */
static clump_nccl_node part_of_node(const clump_collective_clump *c,
                                    const clump_collective_layout *layout)
{
    clump_nccl_node n = *c->nccl;
    const double all = n.gpus, nics = (double)c->node->nics / layout->groups;
    n.nodes = layout->ranks / layout->each;
    n.gpus = layout->each;
    n.nics = fmax(1, floor(nics + 1e-9));
    n.nic_gb *= nics / n.nics;
    if (n.nvlink && !n.nvswitch && all > 1)
        n.inside_gb *= fmin((n.gpus - 1) / (all - 1), 1);
    return n;
}

static clump_collective_algorithm nearest_way(clump_collective_kind kind, bool tree)
{
    if (tree)
        return CLUMP_COLLECTIVE_REDUCE_FIRST;
    return kind == CLUMP_COLLECTIVE_BROADCAST ? CLUMP_COLLECTIVE_CHAIN : CLUMP_COLLECTIVE_RING;
}

clump_status clump_collective_nccl(const clump_collective_request *call,
                                   const clump_collective_clump *clump,
                                   clump_collective_algorithm *algorithm,
                                   clump_collective_cost *cost, clump_error *error)
{
    const clump_nccl_call c = {call->kind, call->bytes, false};
    clump_collective_layout layout;
    clump_nccl_time time;
    if (clump->nccl == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "NCCL: found no links between GPUs, expected a platform with topology, "
                          "the file of a node of NVIDIA's GPUs");
    clump_status status = clump_collective_lay_out(call, clump->node->processors, &layout, error);
    if (status != CLUMP_OK)
        return status;
    const clump_nccl_node part = part_of_node(clump, &layout);
    status = clump_nccl_time_of(&part, &c, &time, error);
    if (status != CLUMP_OK)
        return status;
    /* each part of a ring leaves each node, on laps ways; of a tree what goes up and comes down */
    const double laps = call->kind == CLUMP_COLLECTIVE_ALLREDUCE ? 2 : 1;
    const double all =
        call->kind == CLUMP_COLLECTIVE_ALLGATHER ? layout.ranks * call->bytes : call->bytes;
    const double share = time.tree || call->kind == CLUMP_COLLECTIVE_BROADCAST
                             ? 1
                             : (layout.ranks - 1) / layout.ranks;
    *algorithm = nearest_way(call->kind, time.tree);
    *cost = (clump_collective_cost){.us = time.us,
                                    .way = clump_nccl_way_name(time.tree, time.protocol)};
    if (part.nodes > 1.5) {
        cost->remote_bytes = layout.groups * laps * share * all;
        cost->nic_us = cost->remote_bytes / (1000 * clump->nccl->nic_gb);
    }
    return CLUMP_OK;
}
