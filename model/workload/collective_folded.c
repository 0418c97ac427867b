/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Partners at distances that double or halve, of powers of two and of other numbers: ranks beyond a power of two are folded,
 * a neighbour acts for them (MODEL.md 29, 33).
 */
#include "model/workload/collective_chain.h"

#include "model/constants.h"

#include <math.h>

/* Ranks beyond a power of two: each has a neighbour that acts for it, and is in another node if a node ends between them. */
static bool fold_crosses(const chain_builder *b)
{
    const double extra = b->R - chain_power_below(b->R);
    return b->n > 1.5 && !chain_divides(2, b->p) && 2 * extra > b->p;
}

static void fold(chain_builder *b, double bytes, bool back)
{
    if (chain_power_below(b->R) < b->R) {
        b->one_way = true;
        b->fresh = !back;
        if (fold_crosses(b))
            chain_remote(b, 1, bytes, 1);
        else if (back)
            chain_local_steps(b, bytes, 1);
        else
            chain_local(b, bytes, 1);
        b->one_way = b->fresh = false;
    }
}

/* Of two neighbours of which one acts for the other the second does; by halves the first. */
typedef enum acting { SECOND_ACTS, FIRST_ACTS } acting;

/* Of those that are left, numbered among themselves: the most of a node whose partners at the distance are in others. */
static double folded_flows(const chain_builder *b, double distance, acting who)
{
    const double power = chain_power_below(b->R), extra = b->R - power;
    if (b->n < 1.5)
        return 0;
    if (b->R > MODEL_MOST_COUNTED || !(extra > 0))
        return distance < b->p && chain_divides((extra > 0 ? 4 : 2) * distance, b->p)
                   ? 0
                   : fmin(distance, b->p);
    const uint32_t each = (uint32_t)b->p, e = (uint32_t)extra, other = (uint32_t)distance;
    const uint32_t odd = who == SECOND_ACTS;
    uint32_t most = 0, count = 0, node = 0;
    for (uint32_t v = 0; v < (uint32_t)power; v++) {
        const uint32_t q = v ^ other;
        const uint32_t mine = (v < e ? 2 * v + odd : v + e) / each;
        count = mine == node ? count : 0;
        node = mine;
        count += (q < e ? 2 * q + odd : q + e) / each != mine;
        most = count > most ? count : most;
    }
    return most;
}

static void folded_step(chain_builder *b, double distance, acting who, double bytes)
{
    const double flows = folded_flows(b, distance, who);
    if (flows > 0)
        chain_remote(b, flows, bytes, 1);
    else
        chain_local_steps(b, bytes, 1);
}

/*
 * Ranks that are folded begin later than the others, whose messages are there before they are asked for. In `apart` steps,
 * those of the lowest bits of their numbers, two that are late can meet.
 */
static int steps_apart(const chain_builder *b)
{
    const double extra = b->R - chain_power_below(b->R);
    return extra > 1 ? (int)ceil(log2(extra) - MODEL_ROUNDED) : 0;
}

/* A message that somebody waits for, or one that is there already and only keeps the NIC. Within nodes of unknown costs: less
 * than any between them. */
static double hop_us(const chain_builder *b, double flows, double bytes, bool waits)
{
    const clump_collective_between *t = b->between;
    const double all = flows * b->groups;
    if (flows > 0)
        return waits ? chain_message_us(b, all, 1, bytes) : chain_busy_us(b, all, 1, bytes);
    if (t->local_us == NULL)
        return waits ? 1e-9 : 0;
    return waits ? t->local_us(t->context, 0, 0, bytes)
                 : t->local_us(t->context, 1, bytes, bytes) - t->local_us(t->context, 0, 0, bytes);
}

/* Of the step of each distance, 1, 2, 4... */
typedef struct folded_steps {
    double bytes[32], flows[32];
    int count;
} folded_steps;

static void add_step(chain_builder *b, folded_steps *s, double distance, double bytes)
{
    const int k = (int)rint(log2(distance));
    s->bytes[k] = bytes;
    s->flows[k] = folded_flows(b, distance, SECOND_ACTS);
    s->count = k >= s->count ? k + 1 : s->count;
    b->chain.combined_bytes += bytes;
    folded_step(b, distance, SECOND_ACTS, bytes);
}

/*
 * Who goes to partners at all distances once and was folded can be late by its neighbour's message of `first` bytes and by
 * others that were folded; in all other steps the partners' messages are there. Or it is late by
 * those who were not folded, of whom some differ in all bits. The longer way counts, and not all steps after the fold.
 */
static void take_longer_way(chain_builder *b, const folded_steps *s, double first)
{
    const bool crosses = fold_crosses(b);
    b->one_way = true;
    const double fold_us = hop_us(b, crosses, first, true);
    b->one_way = false;
    double saved_us = 0, local = 0;
    if (!(chain_power_below(b->R) < b->R))
        return;
    for (int k = steps_apart(b); k < s->count; k++) {
        saved_us += fmax(hop_us(b, s->flows[k], s->bytes[k], true) -
                             hop_us(b, s->flows[k], s->bytes[k], false),
                         0);
        local += !(s->flows[k] > 0);
    }
    if (saved_us > fold_us && !crosses) {
        b->chain.local_hops--;
        b->chain.local_bytes -= first;
    } else if (b->n < 1.5) {
        b->chain.local_hops -= local;
        b->chain.local_more += local;
    } else {
        saved_us = fmin(saved_us, fold_us);
        b->chain.us -= saved_us;
        b->alone_us -= saved_us;
    }
}

void chain_doubling(chain_builder *b, double bytes)
{
    folded_steps s = {.count = 0};
    fold(b, bytes, false);
    b->rest_us = 0; /* who goes on has sent nothing yet */
    b->chain.combined_bytes += chain_power_below(b->R) < b->R ? bytes : 0;
    for (double distance = 1; 2 * distance <= b->R; distance *= 2)
        add_step(b, &s, distance, bytes);
    fold(b, bytes, true);
    take_longer_way(b, &s, bytes);
}

/* Who was folded has two parts: the half with them is the greater one. */
void chain_halving(chain_builder *b, double bytes)
{
    const double power = chain_power_below(b->R), extra = b->R - power;
    folded_steps s = {.count = 0};
    fold(b, bytes, false);
    b->rest_us = 0; /* who goes on has sent nothing yet */
    b->chain.combined_bytes += chain_power_below(b->R) < b->R ? bytes : 0;
    for (double half = power / 2; half >= 1; half /= 2)
        add_step(b, &s, half, bytes * (half + fmin(extra, half)) / b->R);
    fold(b, bytes / b->R, true);
    take_longer_way(b, &s, bytes);
}

/*
 * Messages of those that were not folded are there while neighbours still exchange their halves, and keep the receiver's NIC:
 * that of the lowest bit of the number of extra ranks, and those of higher bits that it does not have. With an odd number
 * the first two at most: the others come behind the last half. On nodes of several processors neighbours do not use it.
 */
static void add_early(chain_builder *b, double bytes)
{
    const double extra = b->R - chain_power_below(b->R);
    const bool odd = fmod(extra, 2) > 0.5;
    bool met = false;
    double bit = 1;
    for (int k = 0; extra > 0 && 2 * bit <= b->R && (b->p < 1.5 || b->n < 1.5); k++, bit *= 2) {
        const bool has = fmod(floor(extra / bit), 2) > 0.5, counts = met ? !has : has;
        const double part = bytes / (2 * bit);
        met = met || has;
        if (!counts || (odd && k > 1))
            continue;
        if (b->n > 1.5) {
            b->one_way = true;
            const double us = chain_busy_us(b, b->groups, 1, part);
            b->one_way = false;
            b->chain.us += us;
            b->alone_us += us;
            b->steps_busy_us += us;
        } else {
            b->chain.local_more++;
            b->chain.local_bytes += part;
        }
    }
}

void chain_rabenseifner(chain_builder *b, double bytes)
{
    fold(b, bytes / 2, false);
    fold(b, bytes / 2, true);
    b->rest_us = 0;
    b->chain.combined_bytes += chain_power_below(b->R) < b->R ? bytes / 2 : 0;
    for (double distance = 1, part = bytes / 2; 2 * distance <= b->R; distance *= 2, part /= 2) {
        folded_step(b, distance, FIRST_ACTS, part); /* down, and up again */
        folded_step(b, distance, FIRST_ACTS, part);
        b->chain.combined_bytes += part;
    }
    fold(b, bytes, true);
    add_early(b, bytes);
}
