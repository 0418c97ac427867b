/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleeping on an event (section 3.3.1): a futex on Linux, a short sleep elsewhere; and the socket,
 * where a receiver listens. */
#define _DEFAULT_SOURCE /* syscall */
#include "protocols/endpoint/endpoint_private.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

void clump_event_sleep(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
    struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                               .tv_nsec = (long)(timeout_ns % 1000000000u)};
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
#else
    (void)word, (void)value;
    if (timeout_ns > 1000000u)
        timeout = (struct timespec){.tv_nsec = 1000000};
    nanosleep(&timeout, NULL);
#endif
}

void clump_event_ring(struct clump_endpoint *e, const struct clump_doorbell *doorbell)
{
    /* The receiver's memory: read once, and let the system judge it. Acquire: the address. */
    struct sockaddr_storage to = {0};
    const uint32_t size = atomic_load_explicit(&doorbell->size, memory_order_acquire);
    if (size == 0 || size > sizeof doorbell->address)
        return;
    memcpy(&to, doorbell->address, sizeof doorbell->address);
    if (e->doorbell == 0) {
        const int made = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        e->doorbell = made > 0 ? made : 0;
    }
    if (e->doorbell > 0)
        sendto(e->doorbell, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to, size);
}

void clump_event_wake(_Atomic uint32_t *word)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
#else
    (void)word;
#endif
}
