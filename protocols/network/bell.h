/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Whether something may have arrived at a socket, without asking the system: a load from memory that the system writes when a datagram comes (io_uring, a
 * poll that is armed; Linux 6.1 or later, where neither the administrator nor a container forbids
 * it).
 *
 * Silence is certain, ringing is not. While datagrams come one after the other the bell costs
 * more than it spares, so after each it is not armed again for more looks than an answer over a
 * fast network takes:
 *
 *   if (clump_bell_rings(bell)) { count = receive; clump_bell_answer(bell, count > 0); }
 *
 * It belongs to the thread that opened it; used by another it rings always. So it does when the
 * system takes it away.
 */
#ifndef CLUMP_PROTOCOLS_NETWORK_BELL_H
#define CLUMP_PROTOCOLS_NETWORK_BELL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct clump_bell clump_bell;

/** NULL where the system has none: look always, then. */
clump_bell *clump_bell_open(int socket);
void clump_bell_close(clump_bell *bell);

/** Whether to look. NULL: true. A silent bell costs some loads. */
bool clump_bell_rings(clump_bell *bell);

/** What a look found. At times, a system call. */
void clump_bell_answer(clump_bell *bell, bool something);

/** Whether it can be silent; false for NULL, or when the system has taken it away. */
bool clump_bell_works(const clump_bell *bell);

#endif
