/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/two_protocols.h"
#include "protocols/calibration/pair.h"
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

#include <stdio.h>

enum {
    REMOTE = 64, /* destination 64 + r is rank r over the network, r through memory */
    LENGTH = 1024,
    SHORT = CLUMP_CALIBRATION_SHORT_BYTES
};

/* ---- a team joined by both protocols */

/** What a poll looks at: one protocol as if there were no other, or both by a strategy. */
struct mode {
    bool local, network;
    clump_polling_parameters parameters;
};

/* What is measured with. */
struct work {
    unsigned count;
    const clump_multi_strategy *strategies; /* the caller's: samples name them */
};

/** Map all others over the network, too. All members call it first. */
static void join_both(struct clump_team_member *m)
{
    for (unsigned r = 0; r < m->count; r++)
        if (r != m->rank) {
            char where[1 + CLUMP_TEAM_ADDRESS];
            snprintf(where, sizeof where, "@%s", m->board->addresses[r]);
            clump_team_require(m,
                               clump_endpoint_map(m->endpoint, REMOTE + r, where, CLUMP_TEAM_TAG));
        }
    clump_team_meet(m, true);
}

/** From now on poll so; the estimates begin anew. */
static void poll_as(struct clump_team_member *m, const struct mode *mode)
{
    clump_endpoint_isolate(m->endpoint, mode->local, mode->network);
    if (mode->local && mode->network)
        clump_team_require(m, clump_endpoint_set_polling(m->endpoint, NULL, &mode->parameters));
}

/** Check, run a team, and end. */
static clump_protocol_status run(const clump_calibration_plan *plan, clump_stage_team team,
                                 char *message)
{
    clump_stage stage = {.plan = plan, .message = message};
    const struct work *work = team.work;
    if (!clump_stage_is_good(plan, message))
        return CLUMP_PROTOCOL_BAD_INPUT;
    if (work != NULL && (work->count == 0 || work->count > CLUMP_MULTI_STRATEGIES)) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%u strategies: expected 1 to %d",
                 work->count, (int)CLUMP_MULTI_STRATEGIES);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    team.endpoint = (clump_endpoint_options){
        .length = LENGTH,
        .listen = "127.0.0.1:0",
        .polling = "adaptive",
        .patience_us = CLUMP_MULTI_PATIENCE_US,
        .silence_ms = 600000}; /* one protocol rests while the other works */
    return clump_stage_end(&stage, clump_stage_run(&stage, &team));
}

/* ---- polls (table 7.1) */

enum {
    EMPTY_LOCAL,
    EMPTY_NETWORK,
    EMPTY_BOTH,
    FULL_LOCAL,
    FULL_NETWORK,
    AGAIN,
    FULL_BOTH,
    POLL_KINDS
};
enum { POLLS = 20000, LOOKS = 1000, MESSAGES = 512, SINGLE = 64 };

static void send_sink(struct clump_team_member *m, unsigned destination)
{
    static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    clump_team_require(m, clump_endpoint_request(m->endpoint, destination, CLUMP_TEAM_SINK,
                                                 arguments, CLUMP_CALIBRATION_ARGUMENTS));
}

/** Each poll finds one of the messages that wait. */
static double full_local_polls(struct clump_team_member *m, const void *of)
{
    const double clock_ns = *(const double *)of;
    double time = 0;
    clump_team_meet(m, false);
    for (unsigned n = 0; n < MESSAGES && m->rank == 1; n++)
        send_sink(m, 0);
    clump_team_meet(m, false);
    if (m->rank == 0) {
        const uint64_t began = clump_time_ns();
        for (unsigned n = 0; n < MESSAGES; n++)
            clump_endpoint_poll(m->endpoint, 1, NULL);
        time = clump_calibration_per_message(began, clock_ns, MESSAGES);
        clump_team_serve(m, MESSAGES);
    }
    clump_team_meet(m, false);
    return time;
}

struct looks {
    double clock_ns;
    double *again; /**< a second result */
};

/** One message at a time: a look takes all that are there. And a poll right after it, which finds
 *  nothing, but cannot know. */
static double full_network_polls(struct clump_team_member *m, const void *of)
{
    const struct looks *looks = of;
    double time = 0;
    *looks->again = 0;
    for (unsigned n = 0; n < SINGLE; n++) {
        clump_team_meet(m, m->rank == 1); /* the answer to the last one */
        if (m->rank == 1)
            send_sink(m, REMOTE);
        clump_team_meet(m, false);
        if (m->rank == 0) {
            const uint64_t began = clump_time_ns();
            clump_endpoint_poll(m->endpoint, 1, NULL);
            time += clump_calibration_per_message(began, looks->clock_ns, SINGLE);
            const uint64_t next = clump_time_ns();
            clump_endpoint_poll(m->endpoint, 1, NULL);
            *looks->again += clump_calibration_per_message(next, looks->clock_ns, SINGLE);
            clump_team_serve(m, 1); /* if it was later than that */
        }
    }
    clump_team_meet(m, true);
    return time;
}

static void measure_polls(struct clump_team_member *m, void *state, double *r)
{
    static const struct mode local = {.local = true}, network = {.network = true},
                             both = {true,
                                     true,
                                     {4, 1 << 20, 1 << 16, 4, CLUMP_MULTI_SKIP, CLUMP_MULTI_SKIP}};
    const unsigned effort = clump_stage_effort(m);
    const double clock_ns = *(const double *)state;
    const clump_pair polls = {.messages = POLLS * effort, .clock_ns = clock_ns},
                     looks = {.messages = LOOKS * effort, .clock_ns = clock_ns};
    poll_as(m, &local);
    r[EMPTY_LOCAL] = clump_team_steady(m, clump_pair_empty_polls, &polls);
    poll_as(m, &both);
    r[EMPTY_BOTH] = clump_team_steady(m, clump_pair_empty_polls, &polls);
    for (unsigned i = 0; i < effort; i++) {
        poll_as(m, &local);
        r[FULL_LOCAL] += clump_team_steady(m, full_local_polls, &clock_ns) / effort;
        poll_as(m, &both);
        r[FULL_BOTH] += clump_team_steady(m, full_local_polls, &clock_ns) / effort;
    }
    clump_team_meet(m, true);
    poll_as(m, &network);
    r[EMPTY_NETWORK] = clump_team_steady(m, clump_pair_empty_polls, &looks);
    for (unsigned i = 0; i < effort; i++) {
        double again;
        const struct looks singles = {clock_ns, &again};
        r[FULL_NETWORK] += clump_team_steady(m, full_network_polls, &singles) / effort;
        r[AGAIN] += again / effort;
    }
}

static void join_polls(struct clump_team_member *m, void *shared, const void *work)
{
    double clock_ns = clump_calibration_clock_ns();
    (void)shared, (void)work;
    join_both(m);
    clump_stage_runs(m, &clock_ns, measure_polls);
    clump_endpoint_isolate(m->endpoint, true, true);
}

static void give_polls(clump_stage *stage, const void *work, const double *r,
                       clump_calibration_sample s)
{
    static const struct {
        int which;
        clump_benchmark benchmark;
        const char *variant;
        bool network;
        int64_t size;
        unsigned polls;
    } kinds[POLL_KINDS] = {
        {EMPTY_LOCAL, CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_MULTI_ALONE, false, -1, POLLS},
        {EMPTY_NETWORK, CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_MULTI_ALONE, true, -1, LOOKS},
        {EMPTY_BOTH, CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_MULTI_SELDOM, false, -1, POLLS},
        {AGAIN, CLUMP_BENCHMARK_EMPTY_POLL_AGAIN, CLUMP_MULTI_ALONE, true, -1, SINGLE},
        {FULL_LOCAL, CLUMP_BENCHMARK_FULL_POLL, CLUMP_MULTI_ALONE, false, SHORT, MESSAGES},
        {FULL_BOTH, CLUMP_BENCHMARK_FULL_POLL, CLUMP_MULTI_SELDOM, false, SHORT, MESSAGES},
        {FULL_NETWORK, CLUMP_BENCHMARK_FULL_POLL, CLUMP_MULTI_ALONE, true, SHORT, SINGLE}};
    (void)work;
    s.quantity = CLUMP_QUANTITY_POLL_COST;
    for (size_t i = 0; i < POLL_KINDS; i++) {
        s.benchmark = kinds[i].benchmark;
        s.variant = kinds[i].variant;
        s.network = kinds[i].network;
        s.value = r[kinds[i].which];
        s.size_bytes = kinds[i].size;
        s.iterations = (int64_t)kinds[i].polls * stage->plan->effort;
        if (s.value > 0) /* a single one that the clock drowns is none */
            clump_stage_give(stage, s);
    }
}

clump_protocol_status clump_multi_polls(const clump_calibration_plan *plan,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    clump_calibration_plan two = *plan;
    two.processes = 2;
    return run(&two,
               (clump_stage_team){
                   .processes = 2, .numbers = POLL_KINDS, .join = join_polls, .give = give_polls},
               message);
}

double clump_multi_polls_seconds(const clump_calibration_plan *plan)
{
    return 0.2 + 0.004 * plan->effort * plan->runs;
}

/* ---- LogGP of each protocol alone and beside the other (table 7.6) */

/* How much of each: over the network 16 requests are on their way at most. */
static const clump_pair_amounts amounts[2] = {
    {.warm = 256, .trips = 1024, .burst = LENGTH - 1, .bursts = 1, .apart = 512, .stream = 4096},
    {.warm = 256, .trips = 256, .burst = 16, .bursts = 16, .apart = 64, .stream = 1024}};

/* One protocol with a strategy. */
struct one {
    struct mode mode;
    bool network;
};

/** The estimates begin anew; for o_s over shared memory with the local one held high. */
static void prepare(struct clump_team_member *m, const void *context, bool held_high)
{
    const struct one *one = context;
    struct mode mode = one->mode;
    if (held_high && !one->network && mode.network)
        mode.parameters.minimum_skip = mode.parameters.maximum_skip;
    poll_as(m, &mode);
}

struct all {
    const struct work *work;
    double clock_ns;
};

static void measure_loggp(struct clump_team_member *m, void *state, double *r)
{
    const struct all *all = state;
    clump_endpoint_isolate(m->endpoint, true, true);
    for (unsigned k = 0; k < 2 * (1 + all->work->count); k++) {
        const bool network = k % 2 == 1;
        const struct one one = {
            k < 2 ? (struct mode){.local = !network, .network = network}
                  : (struct mode){true, true, all->work->strategies[k / 2 - 1].parameters},
            network};
        clump_pair_amounts own = amounts[network];
        /* One that finds nothing, of a protocol alone: the cost of a look drifts with what else the machine
         * does. */
        own.polls = k < 2 ? own.stream : 0;
        clump_pair_loggp(m, &own, network ? REMOTE : 0, all->clock_ns, prepare, &one,
                         r + (size_t)k * CLUMP_PAIR_NUMBERS);
    }
}

static void join_loggp(struct clump_team_member *m, void *shared, const void *work)
{
    struct all all = {work, clump_calibration_clock_ns()};
    (void)shared;
    join_both(m);
    clump_stage_runs(m, &all, measure_loggp);
    clump_team_meet(m, true);
    clump_endpoint_isolate(m->endpoint, true, true);
}

static void give_loggp(clump_stage *stage, const void *of, const double *r,
                       clump_calibration_sample s)
{
    const struct work *work = of;
    for (unsigned k = 0; k < 2 * (1 + work->count); k++) {
        clump_pair_amounts own = amounts[k % 2];
        own.polls = own.stream;
        s.variant = k < 2 ? CLUMP_MULTI_ALONE : work->strategies[k / 2 - 1].name;
        s.network = k % 2 == 1;
        clump_pair_give(stage, s, &own, r + (size_t)k * CLUMP_PAIR_NUMBERS);
    }
}

clump_protocol_status clump_multi_loggp(const clump_calibration_plan *plan,
                                        const clump_multi_strategy *strategies, unsigned count,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    clump_calibration_plan two = *plan;
    const struct work work = {count, strategies};
    two.processes = 2;
    return run(&two,
               (clump_stage_team){.processes = 2,
                                  .numbers = 2 * (1 + (size_t)work.count) * CLUMP_PAIR_NUMBERS,
                                  .work = &work,
                                  .join = join_loggp,
                                  .give = give_loggp},
               message);
}

double clump_multi_loggp_seconds(const clump_calibration_plan *plan, unsigned strategies)
{
    return 0.2 + 0.025 * (1 + strategies) * plan->effort * plan->runs;
}

/* ---- traffic */

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
struct traffic;
static void all_to_all(struct clump_team_member *m, const struct traffic *t);
static void neighbour(struct clump_team_member *m, const struct traffic *t);
static void many_to_one(struct clump_team_member *m, const struct traffic *t);
static void ask_in_pairs(struct clump_team_member *m, const struct traffic *t);

static const struct pattern {
    void (*exchange)(struct clump_team_member *m, const struct traffic *t);
    unsigned remote;   /* messages of four */
    unsigned messages; /* that a process sends, at effort 1 */
    unsigned size;
} patterns[CLUMP_MULTI_PATTERNS] = {
    [CLUMP_BENCHMARK_ALL_TO_ALL_SHORT - CLUMP_MULTI_FIRST_PATTERN] = {all_to_all, 3, 320, SHORT},
    [CLUMP_BENCHMARK_NEIGHBOUR - CLUMP_MULTI_FIRST_PATTERN] = {neighbour, 1, 320, SHORT},
    [CLUMP_BENCHMARK_MANY_TO_ONE - CLUMP_MULTI_FIRST_PATTERN] = {many_to_one, 2, 160, SHORT},
    [CLUMP_BENCHMARK_ALL_TO_ALL_BULK -
        CLUMP_MULTI_FIRST_PATTERN] = {all_to_all, 3, 64, CLUMP_MESSAGE_BULK_BYTES},
    [CLUMP_BENCHMARK_SHARED_MEMORY - CLUMP_MULTI_FIRST_PATTERN] = {ask_in_pairs, 0, 2048, SHORT},
    [CLUMP_BENCHMARK_NETWORK - CLUMP_MULTI_FIRST_PATTERN] = {ask_in_pairs, 4, 160, SHORT},
};

struct traffic {
    const struct pattern *pattern;
    unsigned messages;
};

/** Message number n to rank `to`: every fourth part of them over the network, spread evenly. */
static void send(struct clump_team_member *m, const struct traffic *t, unsigned n, unsigned to)
{
    static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    const bool remote = (n + 1) * t->pattern->remote / 4 != n * t->pattern->remote / 4;
    const unsigned destination = to + (remote ? REMOTE : 0);
    clump_team_require(m, t->pattern->size > SHORT
                              ? clump_endpoint_request_bulk(m->endpoint, destination,
                                                            CLUMP_TEAM_ACKNOWLEDGE, NULL, 0,
                                                            m->memory, t->pattern->size)
                              : clump_endpoint_request(m->endpoint, destination, CLUMP_TEAM_ECHO,
                                                       arguments, CLUMP_CALIBRATION_ARGUMENTS));
}

static unsigned other(const struct clump_team_member *m, unsigned n)
{
    return (m->rank + 1 + n % (m->count - 1)) % m->count;
}

static void all_to_all(struct clump_team_member *m, const struct traffic *t)
{
    const uint64_t before = m->replies;
    for (unsigned n = 0; n < t->messages; n++)
        send(m, t, n, other(m, n / 4));
    clump_team_poll_until(m, &m->replies, before + t->messages);
}

/** A few messages to each side, and on when all are answered. */
static void neighbour(struct clump_team_member *m, const struct traffic *t)
{
    enum { AT_ONCE = 4 };
    for (unsigned n = 0; n < t->messages; n += AT_ONCE) {
        const uint64_t before = m->replies;
        const unsigned side = n / AT_ONCE % 2 == 0 ? 0 : m->count - 2;
        for (unsigned i = 0; i < AT_ONCE; i++)
            send(m, t, n + i, other(m, side));
        clump_team_poll_until(m, &m->replies, before + AT_ONCE);
    }
}

/** Ask, and wait for each answer. */
static void ask(struct clump_team_member *m, const struct traffic *t, unsigned whom)
{
    for (unsigned n = 0; n < t->messages; n++) {
        const uint64_t before = m->replies;
        send(m, t, n, whom);
        clump_team_poll_until(m, &m->replies, before + 1);
    }
}

/** All ask the first. */
static void many_to_one(struct clump_team_member *m, const struct traffic *t)
{
    if (m->rank != 0)
        ask(m, t, 0);
}

/** Every second process asks the one before it. */
static void ask_in_pairs(struct clump_team_member *m, const struct traffic *t)
{
    if (m->rank % 2 == 1)
        ask(m, t, m->rank - 1);
}

/** us a message that a process sends, until the last one has all answers. */
static double exchange(struct clump_team_member *m, const void *of)
{
    const struct traffic *t = of;
    clump_team_meet(m, true);
    const uint64_t began = clump_time_ns();
    t->pattern->exchange(m, t);
    clump_team_meet(m, true);
    return clump_calibration_per_message(began, 0, t->messages);
}

static void measure_scan(struct clump_team_member *m, void *state, double *r)
{
    const struct all *all = state;
    for (unsigned k = 0; k < CLUMP_MULTI_PATTERNS; k++)
        for (unsigned i = 0; i < all->work->count; i++) {
            const struct traffic t = {&patterns[k], patterns[k].messages * clump_stage_effort(m)};
            const struct mode mode = {true, true, all->work->strategies[i].parameters};
            clump_team_meet(m, true);
            poll_as(m, &mode);
            r[(size_t)i * CLUMP_MULTI_PATTERNS + k] = clump_team_steady(m, exchange, &t);
        }
}

static void join_scan(struct clump_team_member *m, void *shared, const void *work)
{
    struct all all = {.work = work};
    (void)shared;
    join_both(m);
    clump_stage_runs(m, &all, measure_scan);
}

static void give_scan(clump_stage *stage, const void *of, const double *r,
                      clump_calibration_sample s)
{
    const struct work *work = of;
    s.quantity = CLUMP_QUANTITY_OPERATION_TIME;
    for (unsigned i = 0; i < work->count; i++)
        for (unsigned k = 0; k < CLUMP_MULTI_PATTERNS; k++) {
            s.benchmark = (clump_benchmark)(CLUMP_MULTI_FIRST_PATTERN + k);
            s.variant = work->strategies[i].name;
            s.value = r[(size_t)i * CLUMP_MULTI_PATTERNS + k];
            s.size_bytes = patterns[k].size;
            s.iterations = (int64_t)patterns[k].messages * stage->plan->effort;
            clump_stage_give(stage, s);
        }
}

clump_protocol_status clump_multi_scan(const clump_calibration_plan *plan,
                                       const clump_multi_strategy *strategies, unsigned count,
                                       char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const struct work work = {count, strategies};
    return run(plan,
               (clump_stage_team){.processes = plan->processes,
                                  .numbers = (size_t)work.count * CLUMP_MULTI_PATTERNS,
                                  .work = &work,
                                  .join = join_scan,
                                  .give = give_scan},
               message);
}

double clump_multi_scan_seconds(const clump_calibration_plan *plan, unsigned strategies)
{
    return 0.2 + 0.012 * strategies * plan->effort * plan->runs;
}
