/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model of two protocols under one endpoint beside what was measured. */
#include "calibration/multi_results.h"
#include "model/polling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* All samples, and room for those of one kind. */
typedef struct view {
    const clump_multi_measured *measured;
    double *values;
    clump_multi_results *results;
} view;

static double take(const view *v, size_t first, const char *variant, const char *transport,
                   const char *benchmark, const char *quantity)
{
    const clump_calibration_samples *s = v->measured->samples;
    return clump_calibration_median(s, first, s->count,
                                    &(clump_measured_sample){.variant = variant,
                                                             .transport = transport,
                                                             .benchmark = benchmark,
                                                             .quantity = quantity},
                                    v->values);
}

/* Of the measurements of LogGP: what belongs together was measured in the same runs. */
static double loggp(const view *v, const char *variant, const char *transport,
                    const char *benchmark, const char *quantity)
{
    return take(v, v->measured->loggp_first, variant, transport, benchmark, quantity);
}

static clump_loggp read_alone(const view *v, const char *transport)
{
    const char *alone = CLUMP_MULTI_ALONE;
    const double send = loggp(v, alone, transport, "send burst", "send_time"),
                 receive = loggp(v, alone, transport, "send and receive apart", "receive_time"),
                 half = loggp(v, alone, transport, "round trip", "half_round_trip");
    return (clump_loggp){.latency_us = half - send - receive,
                         .send_overhead_us = send,
                         .receive_overhead_us = receive,
                         .gap_us = loggp(v, alone, transport, "long burst", "message_gap")};
}

/* Of the polls: the strategy is what is left of a poll that looks in every 1,024th. */
static double read_strategy(const view *v, const char *benchmark, double look)
{
    const double with = take(v, 0, CLUMP_MULTI_SELDOM, NULL, benchmark, "poll_cost"),
                 without = take(v, 0, CLUMP_MULTI_ALONE, NULL, benchmark, "poll_cost");
    const double b = with - without - look / CLUMP_MULTI_SKIP;
    return b < 0 ? 0 : b; /* NAN stays */
}

/* How long the processes pause between a send and its receive. */
static double read_delay(const view *v)
{
    const clump_calibration_samples *s = v->measured->samples;
    for (size_t i = v->measured->loggp_first; i < s->count; i++)
        if (s->items[i].delay_us > 0 && s->items[i].transport == NULL)
            return s->items[i].delay_us;
    return NAN;
}

static void add(const view *v, const char *transport, const char *overhead, unsigned strategy,
                double predicted)
{
    static const char table[] = "Overheads predicted from polls and single protocols";
    const bool sends = overhead[2] == 's';
    char row[CLUMP_POLLING_TEXT];
    const double measured = loggp(v, v->measured->strategies[strategy].name, transport,
                                  sends ? "send burst" : "send and receive apart",
                                  sends ? "send_time" : "receive_time");
    snprintf(row, sizeof row, "%s, %s, %.80s", transport == NULL ? "shared memory" : "network",
             overhead, v->measured->labels[strategy]);
    if (isnan(measured))
        return;
    clump_multi_add(v->results, table, row, "Predicted", "us", predicted, NAN);
    clump_multi_add(v->results, table, row, "Measured", "us", measured, NAN);
    clump_multi_add(v->results, table, row, "Error", "error", predicted / measured - 1, NAN);
}

/* What of the model does not depend on the strategy. */
typedef struct given {
    clump_loggp local, network;
    clump_poll_costs costs;
    double message_strategy_us, delay_us, again_us;
} given;

static bool predict(const view *v, const given *g, const clump_polling_parameters *p, bool apart,
                    clump_poll_effect *effect)
{
    const clump_poll_strategy strategy = {p->accuracy, p->equality, p->minimum_skip,
                                          p->maximum_skip};
    const clump_poll_conditions conditions = {
        .message_strategy_us = g->message_strategy_us,
        .again_us = g->again_us,
        .patience_us = v->measured->patience_us,
        /* Only the network: s = s_min, and the poll that looks is the last of s. */
        .receive_polls = fmax(p->minimum_skip - 1.0, 1)};
    /* A burst polls once a send, its estimate held high. With a pause between, one message in two
     * polls keeps it there. */
    const clump_poll_traffic traffic = {
        apart ? 0.5 : 1, 0,
        apart ? (g->delay_us + g->local.send_overhead_us + g->local.receive_overhead_us) / 2
              : g->local.send_overhead_us};
    clump_poll_effect remote;
    if (clump_polling_effect_under(&conditions, &g->local, &g->network, &g->costs, &strategy,
                                   &traffic, effect, NULL) != CLUMP_OK ||
        clump_polling_effect_under(&conditions, &g->local, &g->network, &g->costs, &strategy,
                                   &(clump_poll_traffic){0, 1, 0}, &remote, NULL) != CLUMP_OK)
        return false;
    effect->network = remote.network;
    return true;
}

static void predict_all(const view *v)
{
    const clump_multi_measured *m = v->measured;
    const char *alone = CLUMP_MULTI_ALONE;
    const double look = loggp(v, alone, "udp", "empty poll", "poll_cost");
    const given g = {.local = read_alone(v, NULL),
                     .network = read_alone(v, "udp"),
                     .costs = {.local_us = loggp(v, alone, NULL, "empty poll", "poll_cost"),
                               .network_us = look,
                               .strategy_us = read_strategy(v, "empty poll", look)},
                     .message_strategy_us = read_strategy(v, "poll with a message", look),
                     .delay_us = read_delay(v),
                     .again_us =
                         take(v, 0, alone, "udp", "empty poll after a message", "poll_cost")};
    for (unsigned i = 0; i < m->strategy_count; i++) {
        clump_poll_effect burst, apart;
        /* Refuses what is NAN, because it was not measured. */
        if (!predict(v, &g, &m->strategies[i].parameters, false, &burst) ||
            !predict(v, &g, &m->strategies[i].parameters, true, &apart))
            continue;
        add(v, NULL, "o_s", i, burst.local.send_overhead_us);
        /* o_r = S - D - o_s, where the sends of S look as often as its receives, but those of the
         * burst, which are much closer to each other, do not. */
        add(v, NULL, "o_r", i,
            apart.local.receive_overhead_us + apart.local.send_overhead_us -
                burst.local.send_overhead_us);
        add(v, "udp", "o_s", i, burst.network.send_overhead_us);
        add(v, "udp", "o_r", i, apart.network.receive_overhead_us);
    }
}

void clump_multi_predict(const clump_multi_measured *measured, clump_multi_results *results)
{
    const view v = {measured, malloc((measured->samples->count + 1) * sizeof(double)), results};
    if (v.values != NULL)
        predict_all(&v);
    results->failed = results->failed || v.values == NULL;
    free(v.values);
}
