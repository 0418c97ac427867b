/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutex: a POSIX mutex shared by processes, the thesis's preemption-safe lock. Robust: the system
 * hands it on when its owner dies.
 *
 * A robust mutex links itself into its owner's list by address; a sender that scribbles over it can
 * harm other senders (not the receiver, which never touches it). Use it among processes that trust
 * each other.
 */
#include "protocols/queue/queue.h"

#include <errno.h>
#include <time.h>

static void initialise(struct clump_queue *q)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&q->tails->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static clump_protocol_status take(struct clump_queue *q, struct clump_sender *sender,
                                  struct clump_waiter *waiter, uint64_t *ticket)
{
    (void)sender;
    uint32_t turns = 1023; /* so that every turn below reads the clock */
    *ticket = 0;
    int error = pthread_mutex_trylock(&q->tails->mutex);
    while (error != 0 && error != EOWNERDEAD) {
        bool suspect;
        clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        if (error != EBUSY && error != ETIMEDOUT)
            return CLUMP_PROTOCOL_FAILED;
        turns = 1023;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        error = pthread_mutex_timedlock(&q->tails->mutex, &until);
    }
    if (error == EOWNERDEAD) /* clump_locking_claim finds a consistent queue whatever happened */
        pthread_mutex_consistent(&q->tails->mutex);
    return CLUMP_PROTOCOL_OK;
}

static void give(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    (void)sender, (void)ticket;
    pthread_mutex_unlock(&q->tails->mutex);
}

static clump_protocol_status claim(struct clump_queue *q, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block)
{
    static const struct clump_lock lock = {take, give};
    return clump_locking_claim(q, sender, waiter, packet, block, &lock);
}

const struct clump_queue_algorithm clump_queue_mutex = {
    .name = "mutex",
    .source = "section 6.3.1",
    .progress = "a sender that sleeps in the lock stops all others, who sleep, too",
    .fifo = true,
    .epochs = true,
    .array = true,
    .lazy = true,
    .initialise = initialise,
    .claim = claim,
    .publish = clump_array_publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = clump_array_recover,
};
