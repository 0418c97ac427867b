/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting for messages: with delays, or asleep (section 3.3.1). */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

struct arrival {
    struct clump_endpoint *endpoint;
    bool came;
};

static bool poll_for_arrival(void *context)
{
    struct arrival *a = context;
    if (!a->came)
        a->came = clump_endpoint_accept(a->endpoint, true, 1) > 0;
    return a->came;
}

clump_protocol_status clump_endpoint_wait(clump_endpoint *e, uint64_t timeout_us)
{
    clump_protocol_status status = clump_endpoint_check_poll(e);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    struct arrival arrival = {e, false};
    struct clump_waiter waiter = {.first_us = e->options.backoff_first_us,
                                  .limit_us = e->options.backoff_limit_us,
                                  .recovery_ms = e->options.recovery_ms,
                                  .poll = poll_for_arrival,
                                  .context = &arrival};
    poll_for_arrival(&arrival);
    uint64_t until = arrival.came ? 0 : clump_time_ns() + timeout_us * 1000u;
    while (!arrival.came) {
        uint64_t now = clump_time_ns();
        if (now >= until)
            return clump_endpoint_fail(e, CLUMP_PROTOCOL_TIMED_OUT, "no message came");
        if (!e->options.events || waiter.delay_us < waiter.limit_us) {
            if ((until - now) / 1000u < waiter.limit_us)
                waiter.limit_us = (uint32_t)((until - now) / 1000u) + 1;
            clump_waiter_pause(&waiter);
            continue;
        }
        _Atomic uint32_t *asleep = &e->block.header->waiting;
        /* Sequentially consistent with the fence in insert(): either the sender sees that we wait,
         * or we see its message. */
        atomic_store_explicit(asleep, 1, memory_order_seq_cst);
        atomic_thread_fence(memory_order_seq_cst);
        if (e->remote != NULL)
            clump_remote_hurry(e); /* what has been taken in may not have been delivered */
        poll_for_arrival(&arrival);
        if (!arrival.came) {
            uint64_t nap = (uint64_t)e->options.recovery_ms * 100000u;
            nap = until - now < nap ? until - now : nap;
            if (e->remote != NULL)
                clump_remote_sleep(e, nap);
            else
                clump_event_sleep(asleep, 1, nap);
            clump_endpoint_look_around(e, true);
            poll_for_arrival(&arrival);
        }
        atomic_store_explicit(asleep, 0, memory_order_relaxed);
    }
    return CLUMP_PROTOCOL_OK;
}
