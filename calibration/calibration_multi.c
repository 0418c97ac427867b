/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the measurements of two protocols share: a team joined by both, and one poll at a time. */
#include "calibration/calibration_multi.h"
#include "calibration/calibration_multi_stage.h"
#include "protocols/endpoint/endpoint_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a team joined by both protocols */

void clump_multi_join(struct clump_team_member *m)
{
    for (unsigned r = 0; r < m->count; r++)
        if (r != m->rank) {
            char where[1 + CLUMP_TEAM_ADDRESS];
            snprintf(where, sizeof where, "@%s", m->board->addresses[r]);
            clump_team_require(
                m, clump_endpoint_map(m->endpoint, CLUMP_MULTI_REMOTE + r, where, CLUMP_TEAM_TAG));
        }
    clump_team_meet(m, true);
}

void clump_multi_poll_as(struct clump_team_member *m, const struct clump_multi_mode *mode)
{
    clump_endpoint_isolate(m->endpoint, mode->local, mode->network);
    if (mode->local && mode->network)
        clump_team_require(m, clump_endpoint_set_polling(m->endpoint, NULL, &mode->parameters));
}

clump_protocol_status clump_multi_run(const clump_calibration_plan *plan, size_t numbers,
                                      const void *work, uint64_t steps, unsigned processes,
                                      void (*function)(struct clump_team_member *member),
                                      struct clump_calibration *c, double **results)
{
    *results = NULL;
    c->message[0] = '\0';
    if (plan->runs < 2 || plan->runs > 1000 || plan->effort < 1 || plan->effort > 100 ||
        plan->sample == NULL || processes < 2 || processes > CLUMP_TEAM_MOST) {
        snprintf(c->message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                 "%u processes, %u runs, effort %u: expected 2 to %d processes, 2 to 1000 runs, an "
                 "effort of 1 to 100, and a callback",
                 processes, plan->runs, plan->effort, (int)CLUMP_TEAM_MOST);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    struct clump_team_options options = {
        .endpoint = {.length = CLUMP_MULTI_LENGTH,
                     .listen = "127.0.0.1:0",
                     .polling = "adaptive",
                     .patience_us = CLUMP_MULTI_PATIENCE_US,
                     .no_bell = plan->no_bell,
                     .silence_ms = 600000}, /* one protocol rests while the other is measured */
        .count = processes,
        .work = work,
        .results = numbers,
        .steps = steps};
    *results = calloc(options.results, sizeof **results);
    if (*results == NULL) {
        snprintf(c->message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for results");
        return CLUMP_PROTOCOL_FAILED;
    }
    return clump_calibration_team(c, &options, 1, function, *results);
}

clump_protocol_status clump_multi_end(struct clump_calibration *c, clump_protocol_status status,
                                      double *results)
{
    free(results);
    if (status != CLUMP_PROTOCOL_OK || !c->stopped)
        return status;
    snprintf(c->message, CLUMP_CALIBRATION_MESSAGE_BYTES, "stopped");
    return CLUMP_PROTOCOL_TIMED_OUT;
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
    LINE,
    DISTURBED,
    COUNT
};
enum { POLLS = 20000, LOOKS = 1000, MESSAGES = 512, SINGLE = 64 };

struct work {
    unsigned runs, effort;
};

double clump_multi_empty_polls(struct clump_team_member *m, const void *of)
{
    const struct clump_multi_polls *setup = of;
    double time = 0;
    clump_team_meet(m, false);
    if (m->rank == 0) {
        const uint64_t began = clump_time_ns();
        for (unsigned n = 0; n < setup->polls; n++)
            clump_endpoint_poll(m->endpoint, 1, NULL);
        time = clump_calibration_per_message(began, setup->clock_ns, setup->polls);
    }
    clump_team_meet(m, false);
    return time;
}

static void send_sink(struct clump_team_member *m, unsigned destination)
{
    static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    clump_team_require(m, clump_endpoint_request(m->endpoint, destination, CLUMP_TEAM_SINK,
                                                 arguments, CLUMP_CALIBRATION_ARGUMENTS));
}

/** Each poll finds one of the messages that wait. */
static double full_local_polls(struct clump_team_member *m, const void *of)
{
    const struct clump_multi_polls *setup = of;
    double time = 0;
    clump_team_meet(m, false);
    for (unsigned n = 0; n < MESSAGES && m->rank == 1; n++)
        send_sink(m, 0);
    clump_team_meet(m, false);
    if (m->rank == 0) {
        const uint64_t began = clump_time_ns();
        for (unsigned n = 0; n < MESSAGES; n++)
            clump_endpoint_poll(m->endpoint, 1, NULL);
        time = clump_calibration_per_message(began, setup->clock_ns, MESSAGES);
        clump_team_serve(m, MESSAGES);
    }
    clump_team_meet(m, false);
    return time;
}

struct pair {
    double clock_ns;
    double *again; /**< a second result */
};

/** One message at a time: a look takes all that are there. And a poll right after it, which finds
 *  nothing, but cannot know. */
static double full_network_polls(struct clump_team_member *m, const void *of)
{
    const struct pair *setup = of;
    double time = 0;
    *setup->again = 0;
    for (unsigned n = 0; n < SINGLE; n++) {
        clump_team_meet(m, m->rank == 1); /* the answer to the last one */
        if (m->rank == 1)
            send_sink(m, CLUMP_MULTI_REMOTE);
        clump_team_meet(m, false);
        if (m->rank == 0) {
            const uint64_t began = clump_time_ns();
            clump_endpoint_poll(m->endpoint, 1, NULL);
            time += clump_calibration_per_message(began, setup->clock_ns, SINGLE);
            const uint64_t next = clump_time_ns();
            clump_endpoint_poll(m->endpoint, 1, NULL);
            *setup->again += clump_calibration_per_message(next, setup->clock_ns, SINGLE);
            clump_team_serve(m, 1); /* if it was later than that */
        }
    }
    clump_team_meet(m, true);
    return time;
}

static void measure_polls(struct clump_team_member *m)
{
    const struct work *work = m->work;
    const clump_polling_parameters seldom = {4, 1 << 20,          1 << 16,
                                             4, CLUMP_MULTI_SKIP, CLUMP_MULTI_SKIP};
    const struct clump_multi_mode local = {.local = true}, network = {.network = true},
                                  both = {true, true, seldom};
    const double clock_ns = clump_calibration_clock_ns();
    const struct clump_multi_polls polls = {POLLS * work->effort, clock_ns},
                                   looks = {LOOKS * work->effort, clock_ns};
    clump_multi_join(m);
    for (unsigned run = 0; run <= work->runs; run++) { /* the first one only warms up */
        double r[COUNT] = {0};
        m->disturbed = false;
        clump_multi_poll_as(m, &local);
        r[LINE] = clump_team_line(m);
        r[EMPTY_LOCAL] = clump_team_steady(m, clump_multi_empty_polls, &polls);
        clump_multi_poll_as(m, &both);
        r[EMPTY_BOTH] = clump_team_steady(m, clump_multi_empty_polls, &polls);
        for (unsigned i = 0; i < work->effort; i++) {
            clump_multi_poll_as(m, &local);
            r[FULL_LOCAL] += clump_team_steady(m, full_local_polls, &looks) / work->effort;
            clump_multi_poll_as(m, &both);
            r[FULL_BOTH] += clump_team_steady(m, full_local_polls, &looks) / work->effort;
        }
        clump_team_meet(m, true);
        clump_multi_poll_as(m, &network);
        r[EMPTY_NETWORK] = clump_team_steady(m, clump_multi_empty_polls, &looks);
        double again;
        const struct pair singles = {clock_ns, &again};
        for (unsigned i = 0; i < work->effort; i++) {
            r[FULL_NETWORK] += clump_team_steady(m, full_network_polls, &singles) / work->effort;
            r[AGAIN] += again / work->effort;
        }
        r[DISTURBED] = m->disturbed;
        if (m->rank == 0) {
            for (unsigned k = 0; k < COUNT && run > 0; k++)
                m->board->results[(size_t)(run - 1) * COUNT + k] = r[k];
            atomic_fetch_add(&m->board->steps, 1);
        }
    }
    clump_endpoint_isolate(m->endpoint, true, true);
}

clump_protocol_status clump_multi_polls(const clump_calibration_plan *plan,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    static const struct {
        int which;
        const char *benchmark, *variant, *transport;
        int64_t size;
        unsigned polls;
    } kinds[] = {{EMPTY_LOCAL, "empty poll", CLUMP_MULTI_ALONE, NULL, -1, POLLS},
                 {EMPTY_NETWORK, "empty poll", CLUMP_MULTI_ALONE, "udp", -1, LOOKS},
                 {EMPTY_BOTH, "empty poll", CLUMP_MULTI_SELDOM, NULL, -1, POLLS},
                 {AGAIN, "empty poll after a message", CLUMP_MULTI_ALONE, "udp", -1, SINGLE},
                 {FULL_LOCAL, "poll with a message", CLUMP_MULTI_ALONE, NULL,
                  CLUMP_CALIBRATION_SHORT_BYTES, MESSAGES},
                 {FULL_BOTH, "poll with a message", CLUMP_MULTI_SELDOM, NULL,
                  CLUMP_CALIBRATION_SHORT_BYTES, MESSAGES},
                 {FULL_NETWORK, "poll with a message", CLUMP_MULTI_ALONE, "udp",
                  CLUMP_CALIBRATION_SHORT_BYTES, SINGLE}};
    struct clump_calibration c = {.plan = plan, .message = message};
    const struct work work = {plan->runs, plan->effort};
    double *results;
    const clump_protocol_status status = clump_multi_run(
        plan, (size_t)plan->runs * COUNT, &work, plan->runs + 1u, 2, measure_polls, &c, &results);
    for (unsigned run = 0; run < plan->runs && status == CLUMP_PROTOCOL_OK; run++) {
        const double *r = results + (size_t)run * COUNT;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            clump_calibration_give(
                &c, (clump_calibration_sample){.benchmark = kinds[i].benchmark,
                                               .quantity = "poll_cost",
                                               .variant = kinds[i].variant,
                                               .transport = kinds[i].transport,
                                               .value = r[kinds[i].which],
                                               .size_bytes = kinds[i].size,
                                               .run = run + 1,
                                               .iterations = (int64_t)kinds[i].polls * plan->effort,
                                               .processes = 2,
                                               .disturbed = r[DISTURBED] != 0,
                                               .line_us = r[LINE]});
    }
    return clump_multi_end(&c, status, results);
}

double clump_multi_polls_seconds(const clump_calibration_plan *plan)
{
    return 0.2 + 0.004 * plan->effort * plan->runs;
}
