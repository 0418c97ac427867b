/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/message_poll.h"

#include <math.h>

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
