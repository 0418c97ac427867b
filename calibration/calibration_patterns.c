/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The traffic of the thesis's applications, in small: how long it takes with polls that look at the
 * network more or less often (tables 7.2 to 7.5, figures 7.1 to 7.3).
 *
 * Which of both protocols a message takes is settled by its number: of four, so many go over the
 * network. The shares are those of the applications on the Clump (section 7.3): SAMPLE sorts with
 * short messages to all, 77% of them remote; EM3D exchanges with neighbours, 25 to 38%; CON asks
 * and waits for answers, 50 to 57%; 3-D FFT transposes with bulk data. One SMP has no remote
 * messages, a NOW no others.
 */
#include "calibration/calibration_multi.h"
#include "calibration/calibration_multi_stage.h"
#include "protocols/endpoint/endpoint_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void all_to_all_short(struct clump_team_member *m, const void *of);
static void neighbour(struct clump_team_member *m, const void *of);
static void many_to_one(struct clump_team_member *m, const void *of);
static void all_to_all_bulk(struct clump_team_member *m, const void *of);
static void ask_in_pairs(struct clump_team_member *m, const void *of);

static const struct pattern {
    const char *name;
    void (*exchange)(struct clump_team_member *m, const void *of);
    unsigned remote;   /* messages of four */
    unsigned messages; /* that a process sends, at effort 1 */
} patterns[CLUMP_MULTI_PATTERNS] = {
    {"all-to-all short", all_to_all_short, 3, 320}, {"neighbour", neighbour, 1, 320},
    {"many-to-one", many_to_one, 2, 160},           {"all-to-all bulk", all_to_all_bulk, 3, 64},
    {"shared memory", ask_in_pairs, 0, 2048},       {"network", ask_in_pairs, 4, 160},
};

enum { AT_ONCE = 4 }; /* messages to neighbours before it waits */

const char *clump_multi_pattern_name(unsigned pattern)
{
    return pattern < CLUMP_MULTI_PATTERNS ? patterns[pattern].name : NULL;
}

unsigned clump_multi_pattern_remote(unsigned pattern)
{
    return pattern < CLUMP_MULTI_PATTERNS ? patterns[pattern].remote : 0;
}

struct work {
    unsigned runs, effort, count;
    clump_multi_strategy strategies[CLUMP_MULTI_STRATEGIES];
};

struct setup {
    const struct pattern *pattern;
    unsigned messages;
};

/** Message number n to rank `to`: every fourth part of them over the network, spread evenly. */
static void send(struct clump_team_member *m, const struct setup *s, unsigned n, unsigned to,
                 bool bulk)
{
    static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    const bool remote = (n + 1) * s->pattern->remote / 4 != n * s->pattern->remote / 4;
    const unsigned destination = to + (remote ? CLUMP_MULTI_REMOTE : 0);
    clump_team_require(m, bulk ? clump_endpoint_request_bulk(m->endpoint, destination,
                                                             CLUMP_TEAM_ACKNOWLEDGE, NULL, 0,
                                                             m->memory, CLUMP_MESSAGE_BULK_BYTES)
                               : clump_endpoint_request(m->endpoint, destination, CLUMP_TEAM_ECHO,
                                                        arguments, CLUMP_CALIBRATION_ARGUMENTS));
}

static unsigned other(const struct clump_team_member *m, unsigned n)
{
    return (m->rank + 1 + n % (m->count - 1)) % m->count;
}

static void all_to_all(struct clump_team_member *m, const struct setup *s, bool bulk)
{
    const uint64_t before = m->replies;
    for (unsigned n = 0; n < s->messages; n++)
        send(m, s, n, other(m, n / 4), bulk);
    clump_team_poll_until(m, &m->replies, before + s->messages);
}

static void all_to_all_short(struct clump_team_member *m, const void *of)
{
    all_to_all(m, of, false);
}

static void all_to_all_bulk(struct clump_team_member *m, const void *of)
{
    all_to_all(m, of, true);
}

/** A few messages to each side, and on when all are answered. */
static void neighbour(struct clump_team_member *m, const void *of)
{
    const struct setup *s = of;
    for (unsigned n = 0; n < s->messages; n += AT_ONCE) {
        const uint64_t before = m->replies;
        const unsigned side = n / AT_ONCE % 2 == 0 ? 0 : m->count - 2;
        for (unsigned i = 0; i < AT_ONCE; i++)
            send(m, s, n + i, other(m, side), false);
        clump_team_poll_until(m, &m->replies, before + AT_ONCE);
    }
}

/** All ask the first, and wait for each answer. */
static void many_to_one(struct clump_team_member *m, const void *of)
{
    const struct setup *s = of;
    for (unsigned n = 0; n < s->messages && m->rank != 0; n++) {
        const uint64_t before = m->replies;
        send(m, s, n, 0, false);
        clump_team_poll_until(m, &m->replies, before + 1);
    }
}

/** Every second process asks the one before it, and waits for each answer. */
static void ask_in_pairs(struct clump_team_member *m, const void *of)
{
    const struct setup *s = of;
    for (unsigned n = 0; n < s->messages && m->rank % 2 == 1; n++) {
        const uint64_t before = m->replies;
        send(m, s, n, m->rank - 1, false);
        clump_team_poll_until(m, &m->replies, before + 1);
    }
}

/** us a message that a process sends, until the last one has all answers. */
static double exchange(struct clump_team_member *m, const void *of)
{
    const struct setup *s = of;
    clump_team_meet(m, true);
    const uint64_t began = clump_time_ns();
    s->pattern->exchange(m, s);
    clump_team_meet(m, true);
    return clump_calibration_per_message(began, 0, s->messages);
}

static size_t numbers(const struct work *work)
{
    return 2 + (size_t)work->count * CLUMP_MULTI_PATTERNS;
}

static void measure(struct clump_team_member *m)
{
    const struct work *work = m->work;
    clump_multi_join(m);
    for (unsigned run = 0; run <= work->runs; run++) { /* the first one only warms up */
        double *r = m->board->results + (size_t)(run > 0 ? run - 1 : 0) * numbers(work);
        m->disturbed = false;
        const double line = clump_team_line(m);
        for (unsigned k = 0; k < CLUMP_MULTI_PATTERNS; k++)
            for (unsigned i = 0; i < work->count; i++) {
                const struct setup s = {&patterns[k], patterns[k].messages * work->effort};
                const struct clump_multi_mode mode = {true, true, work->strategies[i].parameters};
                clump_team_meet(m, true);
                clump_multi_poll_as(m, &mode);
                const double time = clump_team_steady(m, exchange, &s);
                if (m->rank == 0)
                    r[2 + (size_t)i * CLUMP_MULTI_PATTERNS + k] = time;
            }
        if (m->rank == 0) {
            r[0] = line;
            r[1] = m->disturbed;
            atomic_fetch_add(&m->board->steps, 1);
        }
    }
}

clump_protocol_status clump_multi_scan(const clump_calibration_plan *plan,
                                       const clump_multi_strategy *strategies, unsigned count,
                                       char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    struct clump_calibration c = {.plan = plan, .message = message};
    struct work work = {plan->runs, plan->effort, count, {{"", {0}}}};
    double *results;
    if (count == 0 || count > CLUMP_MULTI_STRATEGIES) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%u strategies: expected 1 to %d", count,
                 (int)CLUMP_MULTI_STRATEGIES);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    for (unsigned i = 0; i < count; i++)
        work.strategies[i] = strategies[i];
    const clump_protocol_status status =
        clump_multi_run(plan, plan->runs * numbers(&work), &work, plan->runs + 1u, plan->processes,
                        measure, &c, &results);
    for (unsigned run = 0; run < plan->runs && status == CLUMP_PROTOCOL_OK; run++) {
        const double *r = results + (size_t)run * numbers(&work);
        for (unsigned i = 0; i < count; i++)
            for (unsigned k = 0; k < CLUMP_MULTI_PATTERNS; k++)
                clump_calibration_give(
                    &c, (clump_calibration_sample){
                            .benchmark = patterns[k].name,
                            .quantity = "operation_time",
                            .variant = strategies[i].name,
                            .value = r[2 + (size_t)i * CLUMP_MULTI_PATTERNS + k],
                            .size_bytes = patterns[k].exchange == all_to_all_bulk
                                              ? CLUMP_MESSAGE_BULK_BYTES
                                              : CLUMP_CALIBRATION_SHORT_BYTES,
                            .run = run + 1,
                            .iterations = (int64_t)patterns[k].messages * plan->effort,
                            .processes = plan->processes,
                            .disturbed = r[1] != 0,
                            .line_us = r[0]});
    }
    return clump_multi_end(&c, status, results);
}

double clump_multi_scan_seconds(const clump_calibration_plan *plan, unsigned strategies)
{
    return 0.2 + 0.012 * strategies * plan->effort * plan->runs;
}
