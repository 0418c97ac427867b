/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the polls of an endpoint look at its network (chapter 4). */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

#include <string.h>

clump_protocol_status clump_endpoint_set_polling(clump_endpoint *e, const char *strategy,
                                                 const clump_polling_parameters *wanted)
{
    if (e->block.header == NULL || e->remote == NULL)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "this endpoint has no network to poll: it was opened without "
                                   "`listen`");
    const bool measured = strategy != NULL ? strcmp(strategy, "measured") == 0 : wanted == NULL;
    clump_polling_parameters p = measured         ? clump_polling_for(e->looks.cost)
                                 : wanted != NULL ? *wanted
                                                  : clump_polling_defaults();
    const char *wrong = clump_polling_check(&p);
    if (wrong == NULL && strategy != NULL && !measured &&
        clump_polling_parse(strategy, &p) != CLUMP_PROTOCOL_OK)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "polling \"%.60s\": expected measured, adaptive, always, "
                                   "fractional:K with K from 1 to %u, or adaptive:NAME=NUMBER,... "
                                   "with acceptance, a, d, k, s_min or s_max",
                                   strategy, p.damping);
    if (wrong == NULL)
        wrong = clump_polling_check(&p);
    if (wrong != NULL)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "polling: %s", wrong);
    clump_polling_start(&e->looks.polling, &p);
    return CLUMP_PROTOCOL_OK;
}

/* Skips beyond table 4.1 suit a process that polls all the time. One that computes between its
 * polls would leave others without an answer: whenever so many polls were skipped, the clock is
 * asked. */
enum { POLLS_BY_THE_CLOCK = 64 };

static bool is_late(const struct clump_endpoint *e)
{
    return clump_time_ns() - e->looks.last_ns >= (uint64_t)e->options.patience_us * 1000u;
}

unsigned clump_remote_poll(struct clump_endpoint *e, bool requests, unsigned local)
{
    clump_polling *p = &e->looks.polling;
    uint32_t most = clump_polling_begin(p);
    if (most == 0 && p->left % POLLS_BY_THE_CLOCK == 0 && is_late(e))
        most = clump_polling_hasten(p);
    const uint32_t accepted = most > 0 ? clump_remote_look(e, requests, most) : 0;
    clump_polling_end(p, local, accepted);
    return accepted;
}

void clump_remote_hurry(struct clump_endpoint *e)
{
    clump_polling_hurry(&e->looks.polling);
}

unsigned clump_remote_poll_alone(struct clump_endpoint *e, bool requests, unsigned most)
{
    e->polls++;
    return clump_remote_look(e, requests, most);
}

void clump_endpoint_isolate(struct clump_endpoint *e, bool local, bool network)
{
    if (!network && e->remote != NULL) {
        e->set_aside = e->remote;
        e->remote = NULL;
    } else if (network && e->set_aside != NULL) {
        e->remote = e->set_aside;
        e->set_aside = NULL;
    }
    e->network_only = !local && e->remote != NULL;
}
