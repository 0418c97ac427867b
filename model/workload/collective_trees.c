/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trees of messages. The last number to hear is that whose way from the root is longest: a way has hops, and waits of
 * a parent that serves others first. A parent does not wait until a message has arrived before it sends the next one, so that a
 * wait is shorter than a hop, and the longest ways have the most hops: behind some digits of the number of ranks, one
 * that is less by one, and then the greatest digits (MODEL.md 33).
 */
#include "model/workload/collective_chain.h"

#include "model/constants.h"

#include <math.h>

enum { MOST_DIGITS = 32 };

typedef struct hop {
    bool crosses;
    double flows; /* that leave the node in the same step */
    double bytes, waits, waits_bytes;
} hop;

typedef struct way {
    hop hops[MOST_DIGITS];
    size_t count;
    double us; /* as far as it is known */
} way;

typedef struct tree_shape {
    uint32_t ranks, each, radix;
    bool highest_first; /* else from the lowest digit */
    bool parts;         /* each gets what is for it and its children */
    double bytes;
} tree_shape;

static double bytes_of(const tree_shape *t, uint32_t child, uint32_t reach)
{
    const uint32_t left = t->ranks - child;
    return t->parts ? t->bytes * (reach < left ? reach : left) / t->ranks : t->bytes;
}

static void add_hop(const chain_builder *b, way *w, hop h)
{
    const clump_collective_between *between = b->between;
    const double flows = h.flows * b->groups;
    if (h.crosses)
        w->us += chain_message_us(b, flows, 1, h.bytes) +
                 (h.waits > 0 ? h.waits * chain_busy_us(b, flows, 1, h.waits_bytes / h.waits) : 0);
    else /* a way with more of them is longer, whatever they take */
        w->us += between->local_us != NULL
                     ? between->local_us(between->context, h.waits, h.waits_bytes, h.bytes)
                     : 1e-9 * (1 + 0.5 * h.waits);
    w->hops[w->count++] = h;
}

/* The distance of a number from its parent is a digit times this. */
static uint32_t unit_of(const tree_shape *t, uint32_t number)
{
    uint32_t unit = 1;
    if (t->highest_first)
        while (2 * (uint64_t)unit <= number)
            unit *= 2;
    else
        while (number / unit % t->radix == 0)
            unit *= t->radix;
    return unit;
}

static uint32_t parent_of(const tree_shape *t, uint32_t child)
{
    const uint32_t unit = unit_of(t, child);
    return child - child / unit % t->radix * unit;
}

/* In a step of bits from the lowest to the highest all that have heard send, of a node those whose children are in another. */
static double flows_with(const tree_shape *t, uint32_t parent, uint32_t unit)
{
    const uint32_t begin = parent / t->each * t->each, end = begin + t->each;
    const uint32_t left = t->ranks - unit, first = t->each > unit ? end - unit : begin;
    uint32_t behind = unit < left ? unit : left;
    behind = end < behind ? end : behind;
    return t->highest_first && behind > first ? behind - first : 1;
}

/* A parent serves digits from the highest to the lowest, or bits from the lowest to the highest, those above its own. */
static uint32_t first_unit(const tree_shape *t, uint32_t parent)
{
    uint32_t unit = 1;
    if (t->highest_first)
        return parent > 0 ? 2 * unit_of(t, parent) : 1;
    if (parent > 0)
        return unit_of(t, parent) / t->radix;
    while ((uint64_t)unit * t->radix < t->ranks)
        unit *= t->radix;
    return unit;
}

/* The hop from a parent to its child, behind the others that it serves before. */
static void add_child(const chain_builder *b, const tree_shape *t, uint32_t parent, uint32_t child,
                      way *w)
{
    hop remote = {.crosses = true, .flows = 1}, local = {.crosses = false};
    for (uint64_t unit = first_unit(t, parent);;
         unit = t->highest_first ? 2 * unit : unit / t->radix)
        for (uint32_t i = 1; i < t->radix && parent + i * unit < t->ranks; i++) {
            const uint32_t served = (uint32_t)(parent + i * unit);
            hop *h = served / t->each != parent / t->each ? &remote : &local;
            h->bytes = bytes_of(t, served, (uint32_t)unit);
            if (served == child) {
                h->flows = flows_with(t, parent, (uint32_t)unit);
                add_hop(b, w, *h);
                return;
            }
            h->waits++;
            h->waits_bytes += h->bytes;
        }
}

static way find_way(const chain_builder *b, const tree_shape *t, uint32_t last)
{
    way w = {.count = 0};
    uint32_t ancestors[MOST_DIGITS + 1], count = 0;
    for (uint32_t v = last; v > 0; v = parent_of(t, v))
        ancestors[count++] = v;
    ancestors[count] = 0;
    for (; count > 0; count--)
        add_child(b, t, ancestors[count], ancestors[count - 1], &w);
    return w;
}

static void try_way(const chain_builder *b, const tree_shape *t, uint32_t last, way *longest)
{
    const way w = find_way(b, t, last);
    if (w.us > longest->us)
        *longest = w;
}

/* All ways of few ranks: with nodes that end anywhere in the tree hops between them are not where most hops are. */
static way find_longest(const chain_builder *b, const tree_shape *t)
{
    way longest = {.count = 0};
    const bool aligned = t->radix == 2 && !t->highest_first && (t->each & (t->each - 1)) == 0;
    if (t->ranks <= MODEL_MOST_COUNTED && t->each > 1 && t->each < t->ranks && !aligned)
        for (uint32_t last = 1; last < t->ranks; last++)
            try_way(b, t, last, &longest);
    for (uint64_t unit = 1; unit <= t->ranks; unit *= t->radix) {
        const uint64_t digit = t->ranks / unit % t->radix;
        const uint64_t above = t->ranks - t->ranks % unit;
        for (uint64_t i = 0; i < digit; i++)
            try_way(b, t, (uint32_t)(above - i * unit - 1), &longest);
        for (uint64_t i = 1; i < t->radix && i * unit < t->ranks;
             i++) /* behind all of the root's */
            try_way(b, t, (uint32_t)(i * unit), &longest);
    }
    return longest;
}

/* Messages that leave the node of the root, which sends the most. */
typedef struct crossings {
    double messages, senders, bytes, last_bytes;
} crossings;

/* Of a step with this distance. */
static double flows_of(const tree_shape *t, uint64_t distance)
{
    double flows = 0;
    if (t->ranks > MODEL_MOST_COUNTED && t->highest_first)
        return 2 * distance <= t->each ? 0
               : t->each > distance    ? (double)(2 * distance - t->each)
                                       : t->each;
    if (t->ranks > MODEL_MOST_COUNTED)
        return distance >= t->each || t->each % (t->radix * distance) != 0;
    for (uint32_t child = t->each; child < t->ranks; child++) {
        const uint32_t parent = parent_of(t, child);
        flows += parent < t->each && child - parent == distance;
    }
    return flows;
}

static crossings count_crossings(chain_builder *b, const tree_shape *t)
{
    crossings all = {.messages = 0};
    for (uint64_t unit = 1; unit < t->ranks; unit *= t->radix)
        for (uint64_t i = 1; i < t->radix && i * unit < t->ranks; i++) {
            const double flows = flows_of(t, i * unit);
            const double bytes = bytes_of(t, (uint32_t)(i * unit), (uint32_t)unit);
            if (!(flows > 0))
                continue;
            chain_count(b, flows * b->groups, bytes, 1);
            all.messages += flows;
            all.bytes += flows * bytes;
            all.last_bytes = bytes;
            all.senders = fmax(all.senders, flows);
        }
    return all;
}

static void add_ways(chain_builder *b, const tree_shape *t)
{
    const way w = find_longest(b, t);
    const double before = b->steps_busy_us;
    for (size_t i = 0; i < w.count; i++) {
        const hop *h = &w.hops[i];
        if (h->crosses)
            chain_remote_behind(b, h->flows, h->waits, h->waits > 0 ? h->waits_bytes / h->waits : 0,
                                h->bytes);
        else
            chain_local_behind(b, h->waits, h->waits_bytes, h->bytes);
    }
    if (t->each >= t->ranks)
        return;
    /* no sooner than the NICs have sent all, where it is known whose NICs they are */
    const crossings all = count_crossings(b, t);
    const double senders = t->each % t->radix == 0 ? all.senders : fmin(all.messages, t->each);
    if (!(all.messages > 0))
        return;
    const double busy =
        all.messages / senders * chain_busy_us(b, senders * b->groups, 1, all.bytes / all.messages);
    const double rest =
        chain_message_us(b, 1, 1, all.last_bytes) - chain_busy_us(b, 1, 1, all.last_bytes);
    const double longer = fmax(busy + rest - w.us, 0);
    b->chain.us += longer;
    b->steps_busy_us += fmax(busy - (b->steps_busy_us - before), 0);
}

static void add_tree(chain_builder *b, const tree_shape *t)
{
    const bool before = b->one_way;
    b->one_way = b->fresh = true;
    add_ways(b, t);
    b->one_way = before;
    b->fresh = false;
}

static tree_shape shape_of(const chain_builder *b, uint32_t radix, double bytes)
{
    return (tree_shape){.ranks = (uint32_t)b->R,
                        .each = (uint32_t)(b->n < 1.5 ? b->R : b->p),
                        .radix = radix,
                        .bytes = bytes};
}

void chain_tree(chain_builder *b, uint32_t radix, double bytes)
{
    const tree_shape t = shape_of(b, radix, bytes);
    add_tree(b, &t);
}

void chain_tree_of_parts(chain_builder *b, double bytes)
{
    tree_shape t = shape_of(b, 2, bytes);
    t.parts = true;
    add_tree(b, &t);
}

void chain_doubling_tree(chain_builder *b, double bytes)
{
    tree_shape t = shape_of(b, 2, bytes);
    t.highest_first = true;
    add_tree(b, &t);
}

/* ---- up and down */

/* When the first message of each child is in, if a NIC takes messages as they come: of c communicators a child sends that of the first
 * one at begin[i], and those of the others behind it. In units of a message. */
static double first_served(const double *begin, const double *size, size_t children, double c)
{
    double latest = 0;
    for (size_t i = 0; i < children; i++) {
        const double there = begin[i] + size[i];
        double before = size[i];
        for (size_t j = 0; j < children; j++)
            if (j != i)
                before += fmin(c * size[j], fmax(there - begin[j], 0));
        latest = fmax(latest, fmax(there, before));
    }
    return latest;
}

/* When the first of c communicators has come up a binomial tree of so many nodes. The last child may have less below it than its
 * place allows. */
static double first_up(double nodes, double c, bool parts)
{
    double begin[MOST_DIGITS], size[MOST_DIGITS];
    size_t children = 0;
    for (double unit = 1; unit < nodes && children < MOST_DIGITS; unit *= 2) {
        const double below = fmin(unit, nodes - unit);
        begin[children] =
            below < unit ? first_up(below, c, parts) : first_served(begin, size, children, c);
        size[children++] = parts ? below : 1;
    }
    return first_served(begin, size, children, c);
}

static double busy_down_us(const chain_builder *b, double flows, double bytes)
{
    chain_builder tree = *b;
    tree.one_way = true;
    return chain_busy_us(&tree, flows, 1, bytes);
}

/* What the first of several communicators waits for on its way up, since NICs take messages of others before its own. */
static double wait_up_us(const chain_builder *b, double bytes, bool parts)
{
    const double size = parts ? bytes / b->n : bytes, one = busy_down_us(b, 1, size);
    const double c = one > 0 ? fmax(busy_down_us(b, b->groups, size) / one, 1) : 1;
    return one * (first_up(b->n, c, parts) - first_up(b->n, 1, parts));
}

/* Whether NICs have as much to do where all of them also receive. */
static bool moves_both_ways(const chain_builder *b)
{
    const double bytes = 0x1p20, down = busy_down_us(b, b->groups, bytes);
    return chain_busy_us(b, b->groups, 1, bytes) <= (1 + MODEL_ROUNDED) * down;
}

static void tree_of(chain_builder *b, double bytes, bool parts)
{
    if (parts)
        chain_tree_of_parts(b, bytes);
    else
        chain_tree(b, 2, bytes);
}

/*
 * The root's node receives what goes up and sends what comes down, so that NICs which move both directions at once have the work of
 * one tree in either. The last communicator is down when the first one was up and all have been sent down behind it, or when all
 * were up and it has come down alone. Through a bus that moves one direction at a time the two trees wait for each other.
 */
void chain_up_and_down(chain_builder *b, double bytes, bool parts_up, bool parts_down)
{
    tree_of(b, bytes, parts_up);
    const chain_builder up = *b;
    tree_of(b, bytes, parts_down);
    if (b->groups < 1.5 || b->n < 1.5 || !moves_both_ways(b))
        return;
    const double first_us = up.alone_us + wait_up_us(b, bytes, parts_up);
    const double all_us = up.steps_busy_us + up.last_us;
    const double down_us = b->alone_us - up.alone_us;
    const double all_down_us = b->steps_busy_us - up.steps_busy_us;
    b->steps_busy_us = fmax(first_us + all_down_us, all_us + down_us - b->last_us);
}
