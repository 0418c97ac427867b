/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/node_rates.h"
#include "model/erlang.h"

#include <math.h>
#include <string.h>

/* A NIC takes as long for messages below the first: the first sizes of a run also pay for connections that are made then. */
static const double inputs_from[] = {8, 128, 1048576};
enum { INPUTS = sizeof inputs_from / sizeof *inputs_from };

/* ---- one pair */

/* A value at a size, or NAN. */
static double one_at(const clump_node_rates *n, double bytes)
{
    const clump_cluster_sample *one = n->one;
    size_t above = 0;
    while (above < n->one_count && (double)one[above].size_bytes < bytes)
        above++;
    if (above == n->one_count)
        return NAN;
    if ((double)one[above].size_bytes == bytes)
        return one[above].value;
    return above > 0 ? clump_cluster_between(&one[above - 1], &one[above], bytes) : NAN;
}

static double gap_between(const clump_cluster_sample *low, const clump_cluster_sample *high)
{
    const double from = (double)low->size_bytes, to = (double)high->size_bytes;
    return (to / high->value - from / low->value) / (to - from);
}

/* us of a byte of a pair, from this size to the next one; to it from the one before where a protocol changes. */
static double one_us_per_byte(const clump_node_rates *n, double bytes)
{
    size_t i = 0;
    while (i + 1 < n->one_count && (double)n->one[i].size_bytes < bytes)
        i++;
    const double next = i + 1 < n->one_count ? gap_between(&n->one[i], &n->one[i + 1]) : NAN;
    return next > 0 || i == 0 ? next : gap_between(&n->one[i - 1], &n->one[i]);
}

/* ---- the NICs */

static double cost_us(const clump_node_rates *n, double bytes)
{
    const clump_node_cost *c = n->costs;
    size_t above = 0;
    while (above < n->cost_count && c[above].bytes < bytes)
        above++;
    if (above == 0)
        return c[0].us;
    if (above == n->cost_count)
        return c[above - 1].us * bytes / c[above - 1].bytes;
    const double share = (bytes - c[above - 1].bytes) / (c[above].bytes - c[above - 1].bytes);
    return c[above - 1].us + share * (c[above].us - c[above - 1].us);
}

/* So many wait for each other as a fluid does: the rest is some 1/sqrt(k). */
#define MANY_PAIRS 1e4

/* A round of k pairs: each is alone for `alone` us, of which `cost` are the NICs'. */
static double cycle_us(double pairs, double alone, double cost)
{
    double slowdown = 1;
    if (cost >= alone || pairs > MANY_PAIRS)
        return fmax(alone, pairs * cost);
    clump_erlang_slowdown(pairs, 1, cost / alone, &slowdown, NULL);
    return alone * slowdown;
}

/* What the NICs need for a message if that many pairs take so long. */
static double solve_cost(double pairs, double alone, double together)
{
    double low = 0, high = together / pairs;
    if (together <= alone)
        return 0;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (cycle_us(pairs, alone, middle) < together)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void add_cost(clump_node_rates *n, const clump_cluster_sample *most)
{
    const double bytes = (double)most->size_bytes, one = one_at(n, bytes);
    if (n->cost_count == CLUMP_NODE_COSTS || isnan(one))
        return;
    const double us = n->ping_pong ? solve_cost(n->most, one * (1 + n->company), most->value)
                                   : bytes / most->value;
    n->costs[n->cost_count++] = (clump_node_cost){.bytes = bytes, .us = us};
}

/* Of the most pairs; those that are wanted. */
static void find_costs(clump_node_rates *n, const clump_cluster_sample *most, size_t count,
                       clump_node_inputs inputs)
{
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const double bytes = (double)most[i].size_bytes;
        bool wanted = inputs == CLUMP_NODE_ALL_SIZES || (i + 1 == count && next == INPUTS - 1);
        while (inputs == CLUMP_NODE_THREE_SIZES && next < INPUTS && bytes >= inputs_from[next]) {
            wanted = true;
            next++;
        }
        if (wanted)
            add_cost(n, &most[i]);
    }
}

/* Where the most pairs have no messages so long that bytes are what counts, one pair's best tells what a byte needs. */
static void add_long_cost(clump_node_rates *n, double bandwidth)
{
    const double last = (double)n->one[n->one_count - 1].size_bytes;
    if (n->cost_count == 0 || n->cost_count == CLUMP_NODE_COSTS || n->ping_pong)
        return;
    const clump_node_cost known = n->costs[n->cost_count - 1];
    if (last > known.bytes && known.bytes / known.us < 0.5 * bandwidth)
        n->costs[n->cost_count++] =
            (clump_node_cost){last, known.us + (last - known.bytes) / bandwidth, true};
}

/* ---- all of it */

bool clump_node_rates_make(const clump_cluster_sample *table, size_t count,
                           clump_node_inputs inputs, double bandwidth, clump_node_rates *node)
{
    clump_node_rates n = {.one = table, .lanes = 1};
    size_t first = count;
    if (count == 0 || table[0].processes != 2)
        return false;
    n.ping_pong = strcmp(table[0].quantity, "half_round_trip") == 0;
    n.gpu = strstr(table[0].transport, "-gpu") != NULL;
    n.most = (double)table[count - 1].processes / 2;
    while (n.one_count < count && table[n.one_count].processes == 2)
        n.one_count++;
    while (first > 0 && table[first - 1].processes == table[count - 1].processes)
        first--;
    for (size_t i = first; n.ping_pong && n.most > 1 && i < count; i++)
        if ((double)table[i].size_bytes >= inputs_from[0]) {
            n.company = fmax(0, table[i].value / one_at(&n, (double)table[i].size_bytes) - 1);
            if (isnan(n.company))
                n.company = 0;
            break;
        }
    if (n.most > 1) {
        find_costs(&n, table + first, count - first, inputs);
        add_long_cost(&n, bandwidth);
    }
    if (n.cost_count > 0 && !n.ping_pong) {
        const clump_node_cost *last = &n.costs[n.cost_count - 1];
        n.lanes = fmax(1, last->bytes / last->us / one_at(&n, last->bytes));
    }
    *node = n;
    return true;
}

bool clump_node_rates_reads(const clump_node_rates *node, double bytes)
{
    for (size_t i = 0; i < node->cost_count; i++)
        if (node->costs[i].bytes == bytes && !node->costs[i].inferred)
            return true;
    return false;
}

/* A rate that no longer grows with the size of messages is that of a path from GPUs, which as many share as share
 * lanes. */
static double gpu_path(const clump_node_rates *n, double bytes, double one)
{
    const double gap = n->gpu ? one_us_per_byte(n, bytes) : NAN;
    return gap > 0 ? fmax(n->lanes / gap, one) : INFINITY;
}

double clump_node_rates_at(const clump_node_rates *node, double pairs, double bytes,
                           const char **limit)
{
    const char *unused, **says = limit != NULL ? limit : &unused;
    const double one = one_at(node, bytes);
    *says = "processes";
    if (isnan(one) || node->cost_count == 0 || pairs < 1.5)
        return node->ping_pong ? one : pairs * one;
    if (node->ping_pong) {
        const double alone = one * (1 + node->company), cost = cost_us(node, bytes);
        *says = pairs * cost > alone ? "NIC" : "processes";
        return cycle_us(pairs, alone, cost);
    }
    const double nics = bytes / cost_us(node, bytes), path = gpu_path(node, bytes, one);
    const double least = fmin(pairs * one, fmin(nics, path));
    *says = least == pairs * one ? "processes" : least == nics ? "NIC" : "GPU path";
    return least;
}

double clump_node_rates_total(const clump_node_rates *node)
{
    if (node->cost_count == 0)
        return NAN;
    const clump_node_cost *last = &node->costs[node->cost_count - 1];
    return last->bytes / last->us;
}
