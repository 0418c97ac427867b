/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The window stands still while its oldest packet is repeated, once a timeout. State before a
 * repetition: how many of the w - 1 packets behind it have been sent once, how many twice; those in
 * front of them, longer under way, count as sent three times. Nothing else is known of a packet
 * behind the oldest: after n sendings it is unanswered with probability q^n.
 */
#include "model/lossy_stream.h"

#include "model/constants.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- without loss */

static clump_status require(const char *what, double value, double least, bool above,
                            clump_error *error)
{
    if (isfinite(value) && (above ? value > least : value >= least))
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s is %g, expected %s %g", what, value,
                      above ? "more than" : "at least", least);
}

clump_status clump_window_rate(double gap_us, double burst_gap_us, double round_trip_us,
                               size_t window, size_t per_acknowledgement, double *rate_per_us,
                               clump_error *error)
{
    clump_status status = require("the gap", gap_us, 0, true, error);
    if (status == CLUMP_OK)
        status = require("the round trip", round_trip_us, 0, false, error);
    if (status != CLUMP_OK)
        return status;
    if (!(burst_gap_us >= 0 && burst_gap_us <= gap_us))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the gap in a burst is %g, expected from 0 to the gap, %g", burst_gap_us,
                          gap_us);
    if (window < 1 || per_acknowledgement < 1 || per_acknowledgement > window)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "%zu packets an acknowledgement in a window of %zu, expected from 1 to the "
            "window",
            per_acknowledgement, window);
    /* Only whole groups are acknowledged: what is left of the window goes ahead of the next one. */
    const size_t left = window % per_acknowledgement;
    const double wait = (double)(per_acknowledgement - 1) - (double)left;
    const double turn = fmax(round_trip_us + wait * burst_gap_us, 0);
    const double most = 1 / gap_us, windowed = (double)(window - left) / turn;
    *rate_per_us = turn > 0 && windowed < most ? windowed : most;
    return CLUMP_OK;
}

/* ---- a window whose packets have a timer each */

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

/*
 * Time per packet, by a Markov chain over timeouts (MODEL.md, section "Protocols").
 * @param gap_us  between packets that nothing keeps; the stream's loss is above 0
 * Errors: CLUMP_NO_MEMORY, CLUMP_NO_CONVERGENCE.
 */
static clump_status selective_window(const clump_lossy_stream *s, double gap_us, double *packet_us,
                                     clump_error *error)
{
    const size_t w = s->window;
    chain c = {.behind = w - 1, .both = w <= MODEL_BOTH_COUNTS, .q = s->loss * (2 - s->loss)};
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
    for (int i = 0; i < MODEL_CHAIN_STEPS && change > 1e-13; i++)
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

/* ---- streams */

static clump_status check(const clump_lossy_stream *s, clump_error *error)
{
    if (!(s->loss >= 0 && s->loss < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "loss is %g, expected from 0 to less than 1",
                          s->loss);
    if (s->recovery == CLUMP_RECOVERY_NONE && s->loss > 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "loss is %g, expected 0 because nothing sends lost packets again",
                          s->loss);
    if (s->window < 1 || s->window > 65536)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the window is %zu, expected 1 to 65536",
                          s->window);
    if (s->recovery == CLUMP_RECOVERY_SELECTIVE && s->window > CLUMP_SELECTIVE_WINDOW_MOST)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the window is %zu, expected at most %d where each packet has a timer",
                          s->window, CLUMP_SELECTIVE_WINDOW_MOST);
    if (!(s->timeout_us >= s->round_trip_us && s->timeout_us <= 1e15))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the timeout is %g us, expected at least the round trip, %g us, or all "
                          "packets are sent twice",
                          s->timeout_us, s->round_trip_us);
    if (!(s->burst_gap_us >= 0 && s->burst_gap_us <= s->gap_us))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the gap in a burst is %g, expected from 0 to the gap, %g",
                          s->burst_gap_us, s->gap_us);
    if (!(s->burst_packets >= 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%g packets ready, expected 0 or more",
                          s->burst_packets);
    if (!(s->acknowledgement_us >= 0 && s->acknowledgement_us <= 1e15))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "an acknowledgement takes %g us, expected 0 or more",
                          s->acknowledgement_us);
    if (!(s->acknowledge_us >= 0 && s->acknowledge_us <= 1e15))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the delay of acknowledgements is %g us, expected 0 or more",
                          s->acknowledge_us);
    return CLUMP_OK; /* gap and round trip: clump_window_rate() */
}

/* A walk from the last acknowledgement on, until the next one arrives or a timer runs out. */
typedef struct walk {
    double delivered, time, sent; /* means */
} walk;

/*
 * Go-back-N. The walk goes group by group (one acknowledgement each). In a group the first packet
 * lost ends it: what follows is thrown away, and a timeout after it was sent it is sent again. If
 * none is lost the acknowledgement may be; then the walk goes on, but at the end of the window the
 * sender stands still until the timer of its oldest packet runs out, though nothing is missing.
 */
static walk go_back_n(const clump_lossy_stream *s, double clean)
{
    const double p = s->loss, q = p * (2 - p), gap = s->gap_us;
    const size_t w = s->window, half = w > 1 ? w / 2 : 1, groups = (w + half - 1) / half;
    /* Sent from a loss, or in vain, until the timer runs out: the rest of the window, if there is
     * the time for it. */
    const double wasted = fmin((double)w, 1 + floor(s->timeout_us / gap));
    const double again = fmin((double)w, 1 + floor(s->round_trip_us / gap));
    const double unheard = pow(q, (double)w); /* no packet of the window brought an answer */
    const double stuck = (s->timeout_us + gap * q / (1 - q)) / (1 - unheard) - (double)w * clean +
                         (w > 1 ? s->round_trip_us : clean);
    walk next = {.time = fmax(stuck, 0), .sent = again};
    if (w == 1) /* all of it is repetition */
        next = (walk){.time = s->timeout_us / (1 - q), .sent = 1 / (1 - q)};
    for (size_t i = groups; i-- > 0;) {
        const bool last = i + 1 == groups;
        const size_t size = last ? w - half * (groups - 1) : half;
        walk here = {0, 0, 0};
        double whole = 1; /* that none was lost so far */
        for (size_t j = 0; j < size; j++, whole *= 1 - p) {
            here.delivered += whole * p * (double)j;
            here.time += whole * p * ((double)j * clean + s->timeout_us);
            here.sent += whole * p * ((double)j + wasted);
        }
        const double late = size < half ? s->acknowledge_us : 0;
        here.delivered += whole * ((double)size + p * next.delivered);
        here.time += whole * ((double)size * clean + late + p * next.time);
        here.sent += whole * ((double)size + p * next.sent);
        next = here;
    }
    return next;
}

/*
 * By how much less a packet takes because, after a loss, a window of packets goes out at once and
 * waits for no acknowledgement: those before the next loss, if it is among them, are so much
 * earlier each.
 */
static double head_start(double p, double w, double each)
{
    const double before = -expm1(w * log1p(-p)) * (1 - p) / p - w * exp(w * log1p(-p));
    return p / (1 - p) * fmax(before, 0) * each;
}

clump_status clump_lossy_stream_cost(const clump_lossy_stream *s, clump_lossy_cost *cost,
                                     clump_error *error)
{
    /* Packets that one acknowledgement speaks of. */
    const bool alone = s->recovery == CLUMP_RECOVERY_SELECTIVE || s->window < 2;
    const size_t half = alone ? 1 : s->window / 2;
    const double gap = s->gap_us + s->acknowledgement_us / (double)half;
    const double burst = s->burst_gap_us > 0 ? s->burst_gap_us : gap;
    double rate, ready; /* of new packets; of those that are there already */
    clump_status status = check(s, error);
    if (status == CLUMP_OK)
        status = clump_window_rate(gap, burst, s->round_trip_us, s->window, half, &rate, error);
    if (status == CLUMP_OK)
        status = clump_window_rate(burst, burst, s->round_trip_us, s->window, half, &ready, error);
    if (status != CLUMP_OK)
        return status;
    const double p = s->loss, q = p * (2 - p);
    clump_lossy_cost found = {1 / rate, 1 / rate, 1, 0, 1};
    if (p > 0 && s->recovery == CLUMP_RECOVERY_GO_BACK_N) {
        /* What limits g goes on meanwhile, so that packets are ready, as long as there is room. */
        const walk mean = go_back_n(s, 1 / ready);
        const double made_up = s->burst_packets / (1 - burst / gap);
        const double late = s->burst_packets > 0 && burst < gap ? pow(1 - p, made_up) : 0;
        found.packet_us =
            fmax(mean.time / mean.delivered - head_start(p, (double)s->window, 1 / ready - burst) +
                     late * (found.clean_us - 1 / ready),
                 found.clean_us);
        found.transmissions = mean.sent / mean.delivered;
        found.delay_us = s->timeout_us * p / (1 - p);
        found.lone_transmissions = 1 / (1 - q);
    } else if (p > 0) {
        status = selective_window(s, gap, &found.packet_us, error);
        if (status != CLUMP_OK)
            return status;
        found.transmissions = found.lone_transmissions = 1 / (1 - q);
        /* A window that is longer than the timeout never stands still; then each sending counts. */
        found.packet_us = fmax(found.packet_us, gap * found.transmissions);
        found.delay_us = s->timeout_us * q / (1 - q) / 2;
    }
    *cost = found;
    return CLUMP_OK;
}
