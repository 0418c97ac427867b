/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/polling.h"

#include <math.h>
#include <stddef.h>

static clump_status check(const clump_poll_conditions *conditions, const clump_poll_costs *costs,
                          const clump_poll_strategy *strategy, const clump_poll_traffic *traffic,
                          clump_error *error)
{
    const struct {
        const char *name;
        double value, least;
    } rules[] = {
        {"cost of a local poll (us)", costs->local_us, 0},
        {"cost of a network poll (us)", costs->network_us, 0},
        {"cost of the strategy (us)", costs->strategy_us, 0},
        {"minimum skip", strategy->minimum_skip, 1},
        {"maximum skip", strategy->maximum_skip, strategy->minimum_skip},
        {"local messages a poll", traffic->local, 0},
        {"network messages a poll", traffic->network, 0},
        {"time between polls (us)", traffic->interval_us, 0},
        {"cost of the strategy with a message (us)", conditions->message_strategy_us, 0},
        {"shadow of a send to the network (us)", conditions->network_shadow_us, 0},
        {"polls to receive a message", conditions->receive_polls, 0},
        {"cost of a look after a message (us)", conditions->again_us, 0},
        {"patience (us)", conditions->patience_us, 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!isfinite(rules[i].value) || rules[i].value < rules[i].least)
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s is %g, expected a number from %g",
                              rules[i].name, rules[i].value, rules[i].least);
    if (!(strategy->accuracy > 0) || !isfinite(strategy->accuracy))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "accuracy is %g, expected more than 0",
                          strategy->accuracy);
    if (!(strategy->equality > 0) || !isfinite(strategy->equality))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "equality is %g, expected more than 0",
                          strategy->equality);
    return CLUMP_OK;
}

/* Polls between two readings of the clock, where skips are longer (protocols/endpoint/endpoint_remote.c). */
static const double polls_by_the_clock = 64;

static double mean_skip(const clump_poll_conditions *conditions, const clump_poll_strategy *p,
                        const clump_poll_traffic *traffic)
{
    const double local = p->equality * p->accuracy * traffic->local;
    const double network = 1 + p->accuracy * traffic->network;
    const double skip = fmin(fmax(local / network, p->minimum_skip), p->maximum_skip);
    if (conditions->patience_us == 0 || traffic->interval_us == 0 || skip <= polls_by_the_clock)
        return skip;
    /* Then the clock is read in the middle of so many polls, on average. */
    const double hastened = conditions->patience_us / traffic->interval_us + polls_by_the_clock / 2;
    return fmin(skip, fmax(hastened, polls_by_the_clock));
}

clump_status clump_polling_effect(const clump_poll_conditions *conditions,
                                  const clump_loggp *local_alone, const clump_loggp *network_alone,
                                  const clump_poll_costs *costs,
                                  const clump_poll_strategy *strategy,
                                  const clump_poll_traffic *traffic, clump_poll_effect *effect,
                                  clump_error *error)
{
    static const clump_poll_conditions none = {.receive_polls = 1};
    if (conditions == NULL)
        conditions = &none;
    clump_status status = check(conditions, costs, strategy, traffic, error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(local_alone, "shared memory", error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(network_alone, "network", error);
    if (status != CLUMP_OK)
        return status;

    const double s = mean_skip(conditions, strategy, traffic);
    const double b = costs->strategy_us;
    const double b_message =
        conditions->message_strategy_us > 0 ? conditions->message_strategy_us : b;
    const double polls = conditions->receive_polls > 0 ? conditions->receive_polls : 1;
    clump_loggp local = *local_alone, network = *network_alone;
    local.send_overhead_us += b + costs->network_us / s;
    local.receive_overhead_us += b_message + costs->network_us / s;
    local.gap_us += b + costs->network_us / s;
    const double send = network.send_overhead_us - costs->network_us * (1 - 1 / s) +
                        fmax(costs->local_us + b - conditions->network_shadow_us, 0);
    const double again = conditions->again_us > 0 ? conditions->again_us - costs->network_us : 0;
    /* One look a message, where that is waited for: none of them is empty. */
    const double spared = polls > 1 ? again : again * (1 - 1 / s);
    const double receive = network.receive_overhead_us - costs->network_us - spared +
                           polls * (costs->local_us + b + costs->network_us / s);
    network.send_overhead_us = fmax(send, 0);
    network.receive_overhead_us = fmax(receive, 0);
    network.latency_us += (s - 1) / 2 * traffic->interval_us;
    *effect = (clump_poll_effect){.skip = s, .local = local, .network = network};
    return CLUMP_OK;
}
