/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Waiting in a full queue: exponential backoff that polls while it waits, then yields (sections
 * 3.3.1 and 6.1); and sleeping on an event, where one is wanted.
 *
 * A waiter is made without reading the clock, so that a send that need not wait does not pay for
 * it.
 */
#ifndef CLUMP_PROTOCOLS_QUEUE_BACKOFF_H
#define CLUMP_PROTOCOLS_QUEUE_BACKOFF_H

#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stdint.h>

struct clump_waiter {
    uint32_t first_us;   /**< first delay, at least 1 */
    uint32_t limit_us;   /**< the delay doubles up to this; from then on the processor is yielded */
    uint32_t timeout_ms; /**< give up after this long; 0: never */
    uint32_t recovery_ms;         /**< how often `alive` is asked */
    bool (*poll)(void *context);  /**< accept messages meanwhile; true: stop waiting; may be NULL */
    bool (*alive)(void *context); /**< whether the receiver still runs; may be NULL */
    void *context;
    /* Private, zero to begin with. */
    uint64_t started_ns, checked_ns;
    uint32_t delay_us;
    bool long_since; /**< has waited for more than recovery_ms */
};

/** Wait once more. OK: try again; TIMED_OUT or PEER_DEAD: give up. Polls at least once. */
clump_protocol_status clump_waiter_pause(struct clump_waiter *waiter);

/**
 * One turn of a spin lock's loop: no delay, no poll (the holder never waits for a message). Only
 * every 1,024 turns the clock is read. `*suspect` is set about every recovery_ms: time to ask
 * whether the holder is dead.
 */
clump_protocol_status clump_waiter_spin(struct clump_waiter *waiter, uint32_t *turns,
                                        bool *suspect);

/** Tells the processor that this is a spin loop. */
static inline void clump_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/** Sleep until `*word` is no longer `value`, at most `timeout_ns`; and wake all sleepers: a futex. */
void clump_event_sleep(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void clump_event_wake(_Atomic uint32_t *word);

#endif
