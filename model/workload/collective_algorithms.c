/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chains of messages by algorithm. R ranks, p of them on a node, n nodes. Sources as in collective.h; what of
 * them crosses between nodes is that of ranks placed in blocks (MODEL.md 33).
 */
#include "model/workload/collective_algorithms.h"
#include "model/constants.h"

#include "model/workload/collective_chain.h"
#include "model/workload/collective_plan.h"

#include <math.h>

/* ---- steps */

/* Everybody has a partner at the distance. Aligned: numbers that differ in one bit. */
static void step(chain_builder *b, double distance, double bytes, bool aligned)
{
    if (b->n < 1.5 || (aligned && distance < b->p && chain_divides(2 * distance, b->p)))
        chain_local_steps(b, bytes, 1);
    else
        chain_remote(b, fmin(distance, b->p), bytes, 1);
}

/* From each to the next, `laps` times around: of each step as many messages leave a node as there are communicators. A way of a part
 * goes on in each step or stays with a link that is busy: the longest begins and ends with hops of the slower kind, or is all on one
 * link. */
static void ring(chain_builder *b, double laps, double bytes)
{
    const clump_collective_between *t = b->between;
    const double hops = laps * (b->R - 1);
    double crossing = b->n < 1.5 ? 0 : hops / b->p;
    chain_let_drift(b); /* what comes before the ring */
    b->apart = b->p > 1.5 && b->groups < 1.5;
    if (crossing > 0) {
        const double own = chain_message_us(b, 1, 1, bytes), busy = chain_busy_us(b, 1, 1, bytes);
        /* measured costs were fitted without the way of the last message */
        const double last = t->local_us != NULL ? own - busy : 0;
        b->chain.busy_us = fmax(b->chain.us + b->rest_us, b->steps_busy_us) +
                           hops * chain_busy_us(b, b->groups, 1, bytes) + last;
        if (t->local_us != NULL && b->p > 1.5) {
            const double inside = t->local_us(t->context, 0, 0, bytes);
            const double next = t->local_us(t->context, 1, bytes, bytes) - inside;
            crossing = own > inside ? 1 + floor((hops - 1) / b->p) : floor(hops / b->p);
            const double stays = fmod(hops - 1, b->p), rounds = (hops - 1 - stays) / b->p;
            b->chain.busy_us = fmax(b->chain.busy_us, b->chain.us + (hops - 1) * next + inside);
            b->chain.busy_us =
                fmax(b->chain.busy_us,
                     b->chain.us + stays * busy + rounds * (own + (b->p - 1) * inside) + own);
        }
        b->chain.us += (crossing - 1) * own +
                       chain_message_us(b, b->groups, 1, bytes); /* others are waited for once */
        b->rest_us = 0;
        chain_count(b, b->groups, bytes, hops);
        b->alone_us = b->steps_busy_us = HUGE_VAL;
    }
    if (crossing > 0)
        chain_local(b, bytes, hops - crossing);
    else
        chain_local_steps(b, bytes, hops);
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
    /* of an odd number one end crosses in each step, of an even one both do or none */
    const double ends = (first ? 1 : 2) * b->groups, both = (alone ? 1 : 2) * b->groups;
    const double sent = first && !alone ? steps / 2 : crossing; /* by each end */
    const double bytes = crossing > 0 ? 2 * part * crossing - (first ? part : 0) : 0;
    const double size = first ? (2 - 1 / steps) * part : 2 * part;
    if (crossing > 0) {
        const double together = chain_message_us(b, ends, first ? 1 : 2, size);
        const double own = chain_message_us(b, 1, 1, size), busy = chain_busy_us(b, 1, 1, size);
        b->chain.us = crossing * together;
        b->steps_busy_us = sent * chain_busy_us(b, both, alone ? 1 : 2, size);
        b->chain.busy_us = b->steps_busy_us + (b->between->local_us != NULL ? own - busy : 0);
        b->alone_us = crossing * own;
        b->most_wait_us = together - own;
        b->last_us = own - busy;
        chain_count(b, both, size, sent);
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
        chain_local_steps(b, bytes, R - 1);
        return;
    }
    for (double k = 1; k < p; k++)
        chain_remote(b, k, bytes, 2);
    chain_remote(b, p, bytes, R - 2 * p + 1);
}

/* ---- algorithms */

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
    if (b->n < 1.5 ? seconds >= full - 1
                   : deeper.alone_us + deeper.most_wait_us > b->alone_us + b->most_wait_us) {
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

/* How many numbers below `ranks` have the bit of that value set. */
static double with_bit(double ranks, double bit)
{
    return floor(ranks / (2 * bit)) * bit + fmax(fmod(ranks, 2 * bit) - bit, 0);
}

/* All at once, by one processor of a node. */
static void star(chain_builder *b, double bytes)
{
    if (b->R > b->p) {
        const double others = b->R - b->p - 1;
        b->chain.busy_us = chain_message_us(b, b->groups, 1, bytes) +
                           others * chain_busy_us(b, b->groups, 1, bytes);
        chain_count(b, b->groups, bytes, others + 1);
    }
    chain_local(b, bytes, b->p - 1);
    b->chain.at_once = true;
}

static void pass_along(chain_builder *b, double bytes)
{
    if (b->n > 1.5)
        chain_pass_on(b, bytes, b->n - 1);
    chain_local(b, bytes, b->R - b->n);
}

/* What is shared in a phase: the vector, or all parts; and one part. */
typedef struct share {
    double whole, part;
} share;

/* Among all ranks of the builder. */
static void add_pattern(chain_builder *b, collective_pattern pattern, share of)
{
    b->one_way = b->fresh = pattern <= PATTERN_BINOMIAL_PARTS; /* trees */
    switch (pattern) {
    case PATTERN_STAR:
        star(b, of.whole);
        break;
    case PATTERN_CHAIN:
        pass_along(b, of.whole);
        break;
    case PATTERN_BINOMIAL:
        chain_tree(b, 2, of.whole);
        break;
    case PATTERN_KNOMIAL:
        chain_tree(b, 4, of.whole);
        break;
    case PATTERN_DOUBLING_TREE:
        chain_doubling_tree(b, of.whole);
        break;
    case PATTERN_BINARY:
        binary(b, of.whole);
        break;
    case PATTERN_BINOMIAL_PARTS:
        chain_tree_of_parts(b, of.whole);
        break;
    case PATTERN_DOUBLING:
        chain_doubling(b, of.whole);
        break;
    case PATTERN_RABENSEIFNER:
        chain_rabenseifner(b, of.whole);
        break;
    case PATTERN_HALVING:
        chain_halving(b, of.whole);
        break;
    case PATTERN_REDUCE_PAIRWISE:
        pairwise(b, of.part);
        b->chain.combined_bytes += of.part * (b->R - 1);
        break;
    case PATTERN_REDUCE_RING:
        ring(b, 1, of.part);
        b->chain.combined_bytes += of.whole * (b->R - 1) / b->R;
        break;
    case PATTERN_GATHER_RING:
        ring(b, 1, of.part);
        break;
    case PATTERN_GATHER_BRUCK:
    case PATTERN_GATHER_DOUBLING:
        for (double distance = 1; distance < b->R; distance *= 2)
            step(b, distance, of.part * fmin(distance, b->R - distance),
                 pattern == PATTERN_GATHER_DOUBLING);
        break;
    case PATTERN_GATHER_NEIGHBOURS:
        neighbours(b, of.part);
        break;
    case PATTERN_ALL_PAIRWISE:
        pairwise(b, of.part);
        break;
    case PATTERN_ALL_BRUCK:
        for (double bit = 1; bit < b->R; bit *= 2)
            step(b, bit, with_bit(b->R, bit) * of.part, false);
        break;
    default: /* PATTERN_GATHER_DIRECT, PATTERN_ALL_DIRECT */
        exchange(b, of.part);
    }
    b->one_way = b->fresh = false;
}

/* The same among `ranks`, `each` of them on a node. */
static void add_among(chain_builder *b, collective_pattern pattern, double ranks, double each,
                      share of)
{
    const double R = b->R, p = b->p, n = b->n;
    b->R = ranks;
    b->p = each;
    b->n = ranks / each;
    add_pattern(b, pattern, of);
    b->R = R;
    b->p = p;
    b->n = n;
}

static void add_phase(chain_builder *b, const collective_phase *phase, bool gathers, share of)
{
    const double p = b->p, n = b->n, members = phase->among == AMONG_NODE ? p : b->R;
    const share node = {phase->pattern != PATTERN_BINOMIAL_PARTS ? of.whole
                        : gathers                                ? p * of.part
                                                                 : of.whole / n,
                        of.whole / p},
                leaders = {of.whole, gathers ? p * of.part : of.whole / n};
    if (phase->up && phase->pattern == PATTERN_BINOMIAL)
        b->chain.combined_bytes += of.whole * ceil(log2(members) - MODEL_ROUNDED);
    switch (phase->among) {
    case AMONG_ALL:
        add_pattern(b, phase->pattern, of);
        break;
    case AMONG_NODE:
        if (phase->pattern != PATTERN_HAND_OVER) /* the root is the first of its node */
            add_among(b, phase->pattern, p, p, node);
        break;
    case AMONG_LEADERS:
        if (n > 1.5)
            add_among(b, phase->pattern, n, 1, leaders);
        break;
    case AMONG_RAIL: /* rings, of all rails at the same time */
        if (n > 1.5)
            chain_remote(b, p, of.whole / b->R, n - 1);
        if (phase->pattern == PATTERN_REDUCE_RING)
            b->chain.combined_bytes += of.whole / p * (n - 1) / n;
    }
}

static bool is_tree(const collective_phase *phase)
{
    return phase->pattern == PATTERN_BINOMIAL || phase->pattern == PATTERN_BINOMIAL_PARTS;
}

/* Two phases that run into each other: up a tree and down again, twice around a ring. */
static bool add_both(chain_builder *b, const collective_plan *plan, share of)
{
    const collective_phase *first = &plan->phases[0], *second = &plan->phases[1];
    if (plan->count != 2)
        return false;
    if (is_tree(first) && first->up && is_tree(second)) {
        if (first->pattern == PATTERN_BINOMIAL)
            b->chain.combined_bytes += of.whole * ceil(log2(b->R) - MODEL_ROUNDED);
        chain_up_and_down(b, of.whole, first->pattern == PATTERN_BINOMIAL_PARTS,
                          second->pattern == PATTERN_BINOMIAL_PARTS);
        return true;
    }
    if (first->pattern != PATTERN_REDUCE_RING)
        return false;
    ring(b, 2, of.part);
    b->chain.combined_bytes += of.whole * (b->R - 1) / b->R;
    return true;
}

static void add_plan(chain_builder *b, clump_collective_kind kind,
                     clump_collective_algorithm algorithm, double bytes)
{
    const bool gathers = kind == CLUMP_COLLECTIVE_ALLGATHER;
    const share of = {gathers ? b->R * bytes : bytes,
                      gathers || kind == CLUMP_COLLECTIVE_ALLTOALL ? bytes : bytes / b->R};
    const collective_plan plan = collective_plan_make(
        kind, algorithm, (uint32_t)b->R, (uint32_t)b->n, (uint64_t)fmin(of.whole, 0x1p53));
    const collective_pattern first = plan.phases[0].pattern;
    const bool chain = first == PATTERN_CHAIN;
    if ((chain || first == PATTERN_BINARY) && b->segment > 0 && bytes > b->segment) {
        add_pattern(b, first, (share){b->segment, b->segment / b->R});
        follow(b, chain, bytes);
        if (b->halves && !chain)
            exchange_halves(b, bytes);
        return;
    }
    if (add_both(b, &plan, of))
        return;
    for (uint32_t i = 0; i < plan.count; i++)
        add_phase(b, &plan.phases[i], gathers, of);
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
    if (!(b.R >= 1) || !(b.p >= 1) || !(b.groups >= 1) ||
        fabs(b.n - rint(b.n)) > MODEL_ROUNDED * b.n || !(b.R <= 0x1p30) || !(bytes >= 0) ||
        !isfinite(bytes) || !(b.segment >= 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s of %g bytes: found %g ranks, %g on a node, expected as many on each "
                          "node, 1 to 2^30 in all, and 0 bytes or more",
                          clump_collective_kind_name(kind), bytes, b.R, b.p);
    if (b.R > 1.5)
        add_plan(&b, kind, algorithm, bytes);
    chain_let_drift(&b);
    *chain = b.chain;
    return CLUMP_OK;
}
