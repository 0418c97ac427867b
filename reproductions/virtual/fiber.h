/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Functions with a stack of their own, of which one runs at a time in one thread: who runs says who
 * goes on. A program in virtual time is written as if it had its processor alone.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_FIBER_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_FIBER_H

#include <stddef.h>

typedef struct clump_fiber clump_fiber;

/**
 * A fiber that calls `run` when it is switched to for the first time. `run` must not return: its
 * last act is to switch to another.
 *
 * @param stack_bytes  at least 16 KiB; memory is taken as it is touched, and the page below is
 *                     guarded
 * @return NULL if the system refuses. Cost: two or three system calls.
 */
clump_fiber *clump_fiber_open(size_t stack_bytes, void (*run)(void *context), void *context);

/** The calling thread as a fiber: from it the first switch is made, and to it the last. NULL: no
 *  memory. */
clump_fiber *clump_fiber_of_thread(void);

/** Its stack goes as it is: what lies there is not released. NULL is allowed; not the one that runs,
 *  unless it is the thread's. */
void clump_fiber_close(clump_fiber *fiber);

/** From the one that runs to another; returns when somebody switches back. */
void clump_fiber_switch(clump_fiber *from, clump_fiber *to);

#endif
