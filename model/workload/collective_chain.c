/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/collective_chain.h"

#include <math.h>

void chain_count(chain_builder *b, double flows, double bytes, double times)
{
    b->chain.remote_messages += times * flows;
    b->chain.remote_bytes += times * flows * bytes;
    b->chain.both_bytes += b->one_way ? 0 : times * flows * fmax(bytes - 1, 0);
}

static const void *context_of(const chain_builder *b)
{
    const void *other = b->one_way ? b->between->one_way : b->apart ? b->between->apart : NULL;
    return other != NULL ? other : b->between->context;
}

double chain_message_us(const chain_builder *b, double flows, double runs, double bytes)
{
    return b->between->message_us(context_of(b), flows, runs, bytes);
}

double chain_busy_us(const chain_builder *b, double flows, double runs, double bytes)
{
    return b->between->busy_us(context_of(b), flows, runs, bytes);
}

static void pass(chain_builder *b, double flows, double waits, double wait_bytes, double bytes,
                 double times)
{
    const double all = flows * b->groups;
    const double behind = waits > 0 ? waits * chain_busy_us(b, all, 1, wait_bytes) : 0;
    const double behind_alone = waits > 0 ? waits * chain_busy_us(b, 1, 1, wait_bytes) : 0;
    /* in a step that crosses in part the others' messages stay in the node */
    const bool stays = !b->one_way && flows < b->p && b->between->local_us != NULL;
    const double inside = stays ? b->between->local_us(b->between->context, 0, 0, bytes) : 0;
    const double together = fmax(chain_message_us(b, all, 1, bytes), inside) + behind;
    const double own = fmax(chain_message_us(b, 1, 1, bytes), inside), alone = own + behind_alone;
    const double rest =
        b->between->rest_us != NULL ? b->between->rest_us(context_of(b), all, bytes) : 0;
    const double before = b->fresh ? 0 : b->rest_us;
    b->chain.us += before + times * together + (times - 1) * rest;
    b->alone_us += before + times * alone + (times - 1) * rest;
    b->most_wait_us = fmax(b->most_wait_us, together - alone);
    b->steps_busy_us += times * (chain_busy_us(b, all, 1, bytes) + behind);
    b->last_us = own - chain_busy_us(b, 1, 1, bytes);
    b->rest_us = rest;
}

void chain_remote(chain_builder *b, double flows, double bytes, double times)
{
    pass(b, flows, 0, 0, bytes, times);
    chain_count(b, flows * b->groups, bytes, times);
}

void chain_remote_behind(chain_builder *b, double flows, double waits, double wait_bytes,
                         double bytes)
{
    pass(b, flows, waits, wait_bytes, bytes, 1);
}

void chain_pass_on(chain_builder *b, double bytes, double times)
{
    const bool tree = b->one_way;
    const double own = chain_message_us(b, 1, 1, bytes);
    double wait = chain_message_us(b, b->groups, 1, bytes) - own;
    double busy = chain_busy_us(b, b->groups, 1, bytes);
    if (tree && b->groups > 1.5 &&
        times > 1.5) { /* while one of several passes on, another one arrives */
        b->one_way = false;
        const double both = chain_busy_us(b, b->groups, 1, bytes);
        b->one_way = tree;
        wait += both - busy;
        busy = both;
    }
    b->chain.us += times * own + wait; /* who has waited once is behind the others from then on */
    b->alone_us += times * own;
    b->most_wait_us = fmax(b->most_wait_us, wait);
    b->steps_busy_us += busy;
    b->last_us = fmax(own - chain_busy_us(b, 1, 1, bytes), 0);
    chain_count(b, b->groups, bytes, 1);
}

void chain_let_drift(chain_builder *b)
{
    b->chain.us =
        fmin(b->chain.us, fmax(b->alone_us + b->most_wait_us, b->steps_busy_us + b->last_us));
}

void chain_local(chain_builder *b, double bytes, double times)
{
    b->chain.local_hops += times;
    b->chain.local_bytes += times * bytes;
}

void chain_local_behind(chain_builder *b, double waits, double waits_bytes, double bytes)
{
    chain_local(b, bytes, 1);
    b->chain.local_more += waits;
    b->chain.local_bytes += waits_bytes;
}

void chain_local_steps(chain_builder *b, double bytes, double times)
{
    b->chain.local_again += times - (b->chain.local_again > 0 || b->chain.local_hops > 0 ? 0 : 1);
    chain_local(b, bytes, times);
}

bool chain_divides(double a, double b)
{
    return fmod(b, a) < 0.5;
}

double chain_power_below(double ranks)
{
    double power = 1;
    while (2 * power <= ranks)
        power *= 2;
    return power;
}
