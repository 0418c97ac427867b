/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/message_poll.h"

#include <math.h>

static bool is_power_of_two(uint32_t x, uint32_t most)
{
    return x != 0 && (x & (x - 1)) == 0 && x <= most;
}

static const char *wrong_parameter(const clump_message_polling *p)
{
    if (p->acceptance > 1024)
        return "acceptance count, expected 1 to 1024";
    if (!is_power_of_two(p->accuracy, UINT32_C(1) << 20))
        return "accuracy a, expected a power of two to 1048576";
    if (!is_power_of_two(p->damping, UINT32_C(1) << 16) || p->damping >= p->accuracy)
        return "damping d, expected a power of two to 65536 that is below the accuracy";
    if (!is_power_of_two(p->equality, UINT32_C(1) << 12))
        return "equality k, expected a power of two to 4096";
    if (p->minimum_skip < 1 || p->minimum_skip > p->maximum_skip)
        return "minimum skip, expected 1 to the maximum skip";
    if (p->maximum_skip > p->damping)
        return "maximum skip, expected the minimum skip to the damping";
    return NULL;
}

clump_status clump_message_polling_check(const clump_message_polling *p, const char *name,
                                         clump_error *error)
{
    const clump_poll_costs *c = &p->costs;
    const double costs[] = {c->local_us, c->network_us, c->strategy_us};
    if (p->acceptance == 0)
        return CLUMP_OK;
    const char *wrong = wrong_parameter(p);
    if (wrong != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: %s", name, wrong);
    for (size_t i = 0; i < 3; i++)
        if (!(costs[i] >= 0 && costs[i] <= 1e9))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s: a poll costs %g us, expected 0 to 1e9", name, costs[i]);
    if (!(c->local_us + c->strategy_us >= 1e-6)) /* who waits polls without end */
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: a poll of shared memory takes %g us, expected "
                          "1e-6 or more",
                          name, c->local_us + c->strategy_us);
    return CLUMP_OK;
}

void message_poll_start(message_poll *poll)
{
    *poll = (message_poll){.remote = 1, .skip = 1, .left = 1, .due = true};
}

static double next_cost(const message_poll *poll, const clump_message_polling *rule)
{
    const clump_poll_costs *c = &rule->costs;
    return c->local_us + c->strategy_us + (poll->left == 1 ? c->network_us : 0);
}

double message_poll_open(message_poll *poll, const clump_message_polling *rule)
{
    const double cost = next_cost(poll, rule);
    const bool looks = --poll->left == 0;
    poll->open = true;
    poll->due = false;
    poll->may[MESSAGE_LOCAL] = rule->acceptance;
    poll->may[MESSAGE_REMOTE] = looks ? rule->acceptance * poll->skip : 0;
    poll->got[MESSAGE_LOCAL] = poll->got[MESSAGE_REMOTE] = 0;
    return cost;
}

void message_poll_close(message_poll *poll, const clump_message_polling *rule)
{
    const uint64_t d = rule->damping, a = rule->accuracy;
    poll->open = false;
    /* (4.8) */
    poll->local = ((d - 1) * poll->local + rule->equality * a * poll->got[MESSAGE_LOCAL]) / d;
    if (poll->left != 0)
        return;
    /* (4.6), then (4.7) within its bounds */
    const uint64_t s = poll->skip;
    poll->remote = ((2 * d - s) * poll->remote + s + a * poll->got[MESSAGE_REMOTE]) / (2 * d);
    const uint64_t next = poll->local / poll->remote;
    poll->skip = next < rule->minimum_skip   ? rule->minimum_skip
                 : next > rule->maximum_skip ? rule->maximum_skip
                                             : (uint32_t)next;
    poll->left = poll->skip;
}

double message_poll_idle(message_poll *poll, const clump_message_polling *rule, double now,
                         uint64_t *made)
{
    double t = poll->idle_since;
    poll->idle = false;
    for (double end; (end = t + next_cost(poll, rule)) <= now; t = end) {
        const uint64_t local = poll->local, remote = poll->remote;
        const uint32_t skip = poll->skip;
        message_poll_open(poll, rule);
        const bool looked = poll->left == 0;
        message_poll_close(poll, rule);
        ++*made;
        if (looked && local == 0 && poll->remote == remote && poll->skip == skip) {
            /* From one look at the network to the next all is the same again. */
            const double period =
                skip * (rule->costs.local_us + rule->costs.strategy_us) + rule->costs.network_us;
            end += fmax(floor((now - end) / period), 0) * period;
        }
    }
    return t + message_poll_open(poll, rule);
}
