/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* syscall */
#include "protocols/queue/backoff.h"
#include "protocols/queue/process.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** Timeout and liveness, at time `now`. */
static clump_protocol_status check(struct clump_waiter *w, uint64_t now, bool *suspect)
{
    if (w->started_ns == 0)
        w->started_ns = w->checked_ns = now;
    if (now - w->checked_ns >= (uint64_t)w->recovery_ms * 1000000u) {
        w->checked_ns = now;
        w->long_since = true;
        *suspect = true;
        if (w->alive != NULL && !w->alive(w->context))
            return CLUMP_PROTOCOL_PEER_DEAD;
    }
    if (w->timeout_ms != 0 && now - w->started_ns >= (uint64_t)w->timeout_ms * 1000000u)
        return CLUMP_PROTOCOL_TIMED_OUT;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_waiter_pause(struct clump_waiter *w)
{
    bool suspect = false;
    uint64_t now = clump_time_ns();
    clump_protocol_status status = check(w, now, &suspect);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    if (w->delay_us == 0)
        w->delay_us = w->first_us;
    else if (w->delay_us < w->limit_us)
        w->delay_us = w->delay_us * 2 + 1 < w->limit_us ? w->delay_us * 2 + 1 : w->limit_us;
    else
        sched_yield();
    uint64_t until = now + (uint64_t)w->delay_us * 1000u;
    do {
        if (w->poll != NULL && w->poll(w->context))
            break;
        clump_relax();
    } while (clump_time_ns() < until);
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_waiter_spin(struct clump_waiter *w, uint32_t *turns, bool *suspect)
{
    *suspect = false;
    clump_relax();
    if ((++*turns & 1023) != 0)
        return CLUMP_PROTOCOL_OK;
    return check(w, clump_time_ns(), suspect);
}

void clump_event_sleep(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
    struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                               .tv_nsec = (long)(timeout_ns % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

void clump_event_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}
