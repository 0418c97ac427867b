/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleeping on an event (section 3.3.1): a futex on Linux, a short sleep elsewhere. */
#define _DEFAULT_SOURCE /* syscall */
#include "protocols/endpoint_private.h"

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

void clump_event_wake(_Atomic uint32_t *word)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
#else
    (void)word;
#endif
}
