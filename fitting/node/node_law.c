/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_law.h"

#include <gsl/gsl_randist.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *clump_node_sharing_name(clump_node_sharing sharing)
{
    static const char *const names[] = {
        [CLUMP_NODE_POOLED] = "pooled",
        [CLUMP_NODE_IN_TURNS] = "in turns",
        [CLUMP_NODE_AT_RANDOM] = "at random",
    };
    return names[sharing];
}

/* ---- companies */

static void in_turns(clump_node_crowd *c)
{
    const double less = floor(c->pairs / c->nics), over = c->pairs - less * c->nics;
    const double share = c->account == CLUMP_NODE_MEAN_TIME ? over * (less + 1) / c->pairs
                         : c->account == CLUMP_NODE_STEADY  ? over / c->nics
                                                            : (over > 0 ? 1 : 0);
    c->least = (size_t)less;
    c->count = 2;
    c->probabilities[0] = 1 - share;
    c->probabilities[1] = share;
}

/* Of a NIC; and with `beside` one process there already, of the others. */
static void draw(clump_node_crowd *c, unsigned beside)
{
    const unsigned others = (unsigned)c->pairs - beside;
    c->least = beside;
    c->count = others + 1;
    for (unsigned j = 0; j <= others; j++)
        c->probabilities[j] = gsl_ran_binomial_pdf(j, 1 / c->nics, others);
}

/*
 * The fullest NIC has at most `most`: NIC by NIC, ways[x] is the probability that those so far have x of
 * all processes, none more than `most`, if each process chooses among those that are left.
 */
static double none_above(size_t pairs, size_t nics, size_t most, double *ways, double *next)
{
    memset(ways, 0, (pairs + 1) * sizeof *ways);
    ways[0] = 1;
    for (size_t left = nics; left > 0; left--) {
        memset(next, 0, (pairs + 1) * sizeof *next);
        for (size_t x = 0; x <= pairs; x++)
            for (size_t j = 0; j <= most && x + j <= pairs && ways[x] > 0; j++)
                next[x + j] += ways[x] * gsl_ran_binomial_pdf((unsigned)j, 1 / (double)left,
                                                              (unsigned)(pairs - x));
        memcpy(ways, next, (pairs + 1) * sizeof *ways);
    }
    return ways[pairs];
}

static void draw_fullest(clump_node_crowd *c)
{
    const size_t pairs = (size_t)c->pairs, nics = (size_t)c->nics;
    double ways[CLUMP_NODE_MOST_DRAWN + 1], next[CLUMP_NODE_MOST_DRAWN + 1];
    double before = 0;
    c->least = 1;
    c->count = pairs;
    for (size_t most = 1; most <= pairs; most++) {
        const double now = most * nics < pairs ? 0
                           : before > 1 - 1e-9 ? 1 /* the rest goes on for long */
                                               : none_above(pairs, nics, most, ways, next);
        c->probabilities[most - 1] = now - before;
        before = now;
    }
}

clump_status clump_node_crowd_make(clump_node_sharing sharing, clump_node_account account,
                                   double nics, double pairs, clump_node_crowd *crowd,
                                   clump_error *error)
{
    clump_node_crowd c = {.sharing = sharing, .account = account, .nics = nics, .pairs = pairs};
    const bool random = sharing == CLUMP_NODE_AT_RANDOM;
    if (!(pairs >= 1) || pairs > CLUMP_NODE_MOST_PAIRS || !(nics >= 1) ||
        (sharing != CLUMP_NODE_POOLED && nics > CLUMP_NODE_MOST_NICS) ||
        (random && (pairs > CLUMP_NODE_MOST_DRAWN || nics > CLUMP_NODE_MOST_RANDOM)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found %g pairs over %g NICs, expected fewer",
                          pairs, nics);
    if (sharing == CLUMP_NODE_IN_TURNS)
        in_turns(&c);
    else if (random && account == CLUMP_NODE_LONGEST_TIME)
        draw_fullest(&c);
    else if (random)
        draw(&c, account == CLUMP_NODE_MEAN_TIME);
    *crowd = c;
    return CLUMP_OK;
}

double clump_node_law(const clump_node_crowd *crowd, double ratio)
{
    if (crowd->sharing == CLUMP_NODE_POOLED)
        return fmin(crowd->pairs / ratio, 1);
    /* Of a NIC or a process: what it carries, or how long it takes. */
    double sum = 0;
    for (size_t i = 0; i < crowd->count; i++) {
        const double company = (double)(crowd->least + i), p = crowd->probabilities[i];
        if (p > 0 && crowd->account == CLUMP_NODE_STEADY)
            sum += p * fmin(company * crowd->nics / ratio, 1);
        else if (p > 0)
            sum += p * fmax(ratio, company * crowd->nics);
    }
    return crowd->account == CLUMP_NODE_STEADY ? sum : crowd->pairs / sum;
}
