/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The window stands still while its oldest packet is repeated, once a timeout. State before a
 * repetition: how many of the w - 1 packets behind it have been sent once, how many twice; those in
 * front of them, longer under way, count as sent three times. Nothing else is known of a packet
 * behind the oldest: after n sendings it is unanswered with probability q^n.
 */
#include "model/selective_window.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Up to this window both counts are kept; beyond it those sent twice count as all older ones. */
enum { BOTH_COUNTS = 64, STEPS = 20000 };

typedef struct chain {
    size_t behind; /* w - 1 */
    bool both;
    double q;
    double *now, *next;   /* probability of (once, twice) */
    double advance, full; /* means of a repetition: packets; whether all were answered */
} chain;

static size_t state(const chain *c, size_t once, size_t twice)
{
    return c->both ? once * (c->behind + 1) + twice : once;
}

static void arrive(chain *c, size_t once, size_t twice, double probability)
{
    c->next[state(c, once, c->both ? twice : 0)] += probability;
}

/* What a repetition makes of one state: the window moves on to the first that is unanswered. */
static void leave(chain *c, size_t once, size_t twice, double probability)
{
    const double q = c->q, unanswered[] = {c->both ? q * q * q * q : q * q * q, q * q * q, q * q};
    const size_t counts[] = {c->behind - once - twice, twice, once};
    /* The oldest again: all others have been sent once more, so that none counts as new. */
    arrive(c, 0, once, probability * q);
    double pass = probability * (1 - q);
    size_t position = 0; /* how many behind the oldest have passed */
    for (int age = 0; age < 3; age++)
        for (size_t i = 0; i < counts[age]; i++) {
            const double stop = pass * unanswered[age];
            const size_t moved = ++position, left = c->behind - moved;
            c->advance += stop * (double)moved;
            arrive(c, moved, once < left ? once : left, stop);
            pass -= stop;
        }
    /* All answered: new ones follow until one is lost. */
    c->full += pass;
    c->advance += pass * ((double)(c->behind + 1) + (1 - q) / q);
    arrive(c, c->behind, 0, pass);
}

/* One repetition. Returns how far the distribution moved. */
static double step(chain *c, size_t states)
{
    double change = 0;
    memset(c->next, 0, states * sizeof *c->next);
    c->advance = c->full = 0;
    for (size_t once = 0; once <= c->behind; once++)
        for (size_t twice = 0; twice <= (c->both ? c->behind - once : 0); twice++) {
            const double probability = c->now[state(c, once, twice)];
            if (probability > 0)
                leave(c, once, twice, probability);
        }
    for (size_t i = 0; i < states; i++)
        change += fabs(c->next[i] - c->now[i]);
    double *old = c->now;
    c->now = c->next;
    c->next = old;
    return change;
}

clump_status clump_selective_window(const clump_lossy_stream *s, double gap_us, double *packet_us,
                                    clump_error *error)
{
    const size_t w = s->window;
    chain c = {.behind = w - 1, .both = w <= BOTH_COUNTS, .q = s->loss * (2 - s->loss)};
    const size_t states = c.both ? w * w : w;
    double change = 1;
    c.now = calloc(states, sizeof *c.now);
    c.next = calloc(states, sizeof *c.next);
    if (c.now == NULL || c.next == NULL) {
        free(c.now);
        free(c.next);
        return clump_fail_memory(error, "the states of a window");
    }
    c.now[state(&c, c.behind, 0)] = 1;
    for (int i = 0; i < STEPS && change > 1e-13; i++)
        change = step(&c, states);
    free(c.now);
    free(c.next);
    if (change > 1e-13)
        return clump_fail(error, CLUMP_NO_CONVERGENCE, "a window of %zu at a loss of %g", w,
                          s->loss);
    /* Where the window limits, new packets leave w at a time, a round trip apart. */
    const double passed = pow(1 - c.q, (double)w), turns = passed / (1 - passed);
    double more = (1 - c.q) / c.q * gap_us;
    if ((double)w * gap_us < s->round_trip_us)
        more += turns * (s->round_trip_us - (double)w * gap_us);
    *packet_us = (s->timeout_us + c.full * (s->round_trip_us + more)) / c.advance;
    return CLUMP_OK;
}
