/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model of two protocols under one endpoint beside what was measured. */
#include "cli/multi_results.h"
#include "model/polling.h"

#include <math.h>
#include <stdio.h>

typedef struct side {
    clump_loggp alone;
    double shadow_us, delay_us; /* of a send; and between send and receive in the measurement */
} side;

static const char *const transports[] = {NULL, "udp"};

static double mean_of(const clump_cli_calibration_mean *means, size_t count, const char *variant,
                      const char *transport, const char *benchmark, const char *quantity)
{
    const clump_cli_calibration_mean *m =
        clump_cli_multi_find(means, count, variant, transport, benchmark, quantity);
    return m != NULL ? m->mean : NAN;
}

/* Each protocol alone. A send with a pause after it is shorter by what ran in its shadow. */
static side read_side(const clump_cli_calibration_mean *means, size_t count, const char *transport)
{
    const char *alone = CLUMP_MULTI_ALONE;
    const double send = mean_of(means, count, alone, transport, "send burst", "send_time");
    const double receive =
        mean_of(means, count, alone, transport, "send and receive apart", "receive_time");
    const double half = mean_of(means, count, alone, transport, "round trip", "half_round_trip");
    const double paused =
        mean_of(means, count, alone, transport, "send burst with pauses", "send_time");
    const clump_cli_calibration_mean *apart = clump_cli_multi_find(
        means, count, alone, transport, "send and receive apart", "receive_time");
    return (side){
        .alone = {.latency_us = half - send - receive,
                  .send_overhead_us = send,
                  .receive_overhead_us = receive,
                  .gap_us = mean_of(means, count, alone, transport, "long burst", "message_gap")},
        .shadow_us = fmax(send - paused, 0),
        .delay_us = apart != NULL ? apart->of.delay_us : NAN};
}

static void add(clump_cli_multi_results *r, const char *protocol, const char *overhead,
                const char *strategy, double predicted, double measured)
{
    static const char table[] = "Overheads predicted from polls and single protocols";
    char row[CLUMP_POLLING_TEXT];
    (void)snprintf(row, sizeof row, "%s, %s, %.80s", protocol, overhead, strategy);
    if (isnan(predicted) || isnan(measured))
        return;
    (void)clump_cli_multi_add(r, table, row, "Predicted", "us", predicted, NAN);
    (void)clump_cli_multi_add(r, table, row, "Measured", "us", measured, NAN);
    (void)clump_cli_multi_add(r, table, row, "Error", "error", predicted / measured - 1, NAN);
}

void clump_cli_multi_predict(const clump_cli_multi_measured *m,
                             const clump_cli_calibration_mean *means, size_t count,
                             clump_cli_multi_results *r)
{
    const side local = read_side(means, count, NULL), network = read_side(means, count, "udp");
    const double empty_local =
        mean_of(means, count, CLUMP_MULTI_ALONE, NULL, "empty poll", "poll_cost");
    const double look = mean_of(means, count, CLUMP_MULTI_ALONE, "udp", "empty poll", "poll_cost");
    const double full_local =
        mean_of(means, count, CLUMP_MULTI_ALONE, NULL, "poll with a message", "poll_cost");
    const double share = look / CLUMP_MULTI_SKIP;
    const clump_poll_costs costs = {.local_us = empty_local,
                                    .network_us = look,
                                    .strategy_us = fmax(mean_of(means, count, CLUMP_MULTI_SELDOM,
                                                                NULL, "empty poll", "poll_cost") -
                                                            empty_local - share,
                                                        0)};
    const double with_message =
        mean_of(means, count, CLUMP_MULTI_SELDOM, NULL, "poll with a message", "poll_cost") -
        full_local - share;
    if (isnan(look) || isnan(empty_local) || isnan(with_message))
        return;
    for (unsigned i = 0; i < m->strategy_count; i++) {
        const clump_polling_parameters *p = &m->strategies[i].parameters;
        const clump_poll_strategy strategy = {p->accuracy, p->equality, p->minimum_skip,
                                              p->maximum_skip};
        clump_poll_conditions conditions = {.message_strategy_us = fmax(with_message, 0),
                                            .local_shadow_us = local.shadow_us,
                                            .network_shadow_us = network.shadow_us,
                                            .patience_us = m->patience_us};
        clump_poll_effect sends, receives, remote;
        /* Sends one after the other; a send and a receive in each pause. The local estimate is held
         * high in the former, and one message in two polls keeps it there in the latter. */
        const clump_poll_traffic burst = {1, 0, local.alone.send_overhead_us},
                                 apart = {0.5, 0,
                                          (local.delay_us + local.alone.send_overhead_us +
                                           local.alone.receive_overhead_us) /
                                              2};
        if (clump_polling_effect_under(&conditions, &local.alone, &network.alone, &costs, &strategy,
                                       &burst, &sends, NULL) != CLUMP_OK ||
            clump_polling_effect_under(&conditions, &local.alone, &network.alone, &costs, &strategy,
                                       &apart, &receives, NULL) != CLUMP_OK)
            continue;
        /* Only the network: s = s_min, and the poll that looks is the last of s. */
        conditions.receive_polls = fmax(p->minimum_skip - 1.0, 1);
        if (clump_polling_effect_under(&conditions, &local.alone, &network.alone, &costs, &strategy,
                                       &(clump_poll_traffic){0, 1, 0}, &remote, NULL) != CLUMP_OK)
            continue;
        const char *name = m->strategies[i].name;
        const double predicted[2][2] = {
            {sends.local.send_overhead_us, receives.local.receive_overhead_us},
            {remote.network.send_overhead_us, remote.network.receive_overhead_us}};
        for (size_t k = 0; k < 2; k++) {
            const char *protocol = k == 0 ? "shared memory" : "network";
            add(r, protocol, "o_s", m->labels[i], predicted[k][0],
                mean_of(means, count, name, transports[k], "send burst", "send_time"));
            add(r, protocol, "o_r", m->labels[i], predicted[k][1],
                mean_of(means, count, name, transports[k], "send and receive apart",
                        "receive_time"));
        }
    }
}
