/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/polling.h"

#include <math.h>
#include <stddef.h>

static clump_status check(const clump_poll_costs *costs, const clump_poll_strategy *strategy,
                          const clump_poll_traffic *traffic, clump_error *error)
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

static double mean_skip(const clump_poll_strategy *p, const clump_poll_traffic *traffic)
{
    const double local = p->equality * p->accuracy * traffic->local;
    const double network = 1 + p->accuracy * traffic->network;
    return fmin(fmax(local / network, p->minimum_skip), p->maximum_skip);
}

clump_status clump_polling_effect(const clump_loggp *local_alone, const clump_loggp *network_alone,
                                  const clump_poll_costs *costs,
                                  const clump_poll_strategy *strategy,
                                  const clump_poll_traffic *traffic, clump_poll_effect *effect,
                                  clump_error *error)
{
    clump_status status = check(costs, strategy, traffic, error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(local_alone, "shared memory", error);
    if (status == CLUMP_OK)
        status = clump_loggp_check(network_alone, "network", error);
    if (status != CLUMP_OK)
        return status;

    const double s = mean_skip(strategy, traffic);
    const double to_local = costs->strategy_us + costs->network_us / s;
    const double to_network =
        costs->local_us + costs->strategy_us - costs->network_us * (1 - 1 / s);
    clump_loggp local = *local_alone, network = *network_alone;
    local.send_overhead_us += to_local;
    local.receive_overhead_us += to_local;
    local.gap_us += to_local;
    network.send_overhead_us = fmax(network.send_overhead_us + to_network, 0);
    network.receive_overhead_us = fmax(network.receive_overhead_us + to_network, 0);
    network.latency_us += (s - 1) / 2 * traffic->interval_us;
    *effect = (clump_poll_effect){.skip = s, .local = local, .network = network};
    return CLUMP_OK;
}
