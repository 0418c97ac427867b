/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WATCH_H
#define CLUMP_MODEL_WATCH_H

/*
 * A caller's way to follow and stop long computations, for progress bars, Ctrl-C and limits of
 * time. The engine calls `look` before each prediction and now and then during one; told to stop,
 * it returns CLUMP_STOPPED.
 */

#include "model/status.h"

#include <stddef.h>

typedef struct clump_watch {
    /**
     * @param share  share of the present work that is done, 0 to 1; NAN: not known
     * @return nonzero: stop. May be called from several threads at a time.
     */
    int (*look)(double share, void *context);
    void *context;
} clump_watch;

/** Whether `watch` (or NULL) says stop. */
static inline int clump_watch_stops(const clump_watch *watch, double share)
{
    return watch != NULL && watch->look(share, watch->context);
}

/** As clump_watch_stops, as a status: CLUMP_STOPPED with a message, or CLUMP_OK. */
static inline clump_status clump_watch_ask(const clump_watch *watch, double share,
                                           clump_error *error)
{
    return clump_watch_stops(watch, share) ? clump_fail(error, CLUMP_STOPPED, "interrupted")
                                           : CLUMP_OK;
}

#endif
