/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WATCH_H
#define CLUMP_MODEL_WATCH_H

/*
 * Who watches over what takes long, and may stop it: asked before each prediction and now and then
 * while one goes on. Whoever is told to stop returns CLUMP_STOPPED.
 */

#include "model/status.h"

#include <stddef.h>

typedef struct clump_watch {
    /**
     * @param share  of the work in hand that is done, 0 to 1; NAN: that is not known
     * @return nonzero: stop. May be called from several threads at a time.
     */
    int (*look)(double share, void *context);
    /**
     * May so much processor time be spent, beyond what could be known before? Asked before it is. NULL:
     * as much as it takes.
     *
     * @return nonzero: yes
     */
    int (*afford)(double nanoseconds, void *context);
    void *context;
} clump_watch;

/** Whether whoever watches says stop. `watch` may be NULL. */
static inline int clump_watch_stops(const clump_watch *watch, double share)
{
    return watch != NULL && watch->look(share, watch->context);
}

/** The same as a status, CLUMP_STOPPED. */
static inline clump_status clump_watch_ask(const clump_watch *watch, double share,
                                           clump_error *error)
{
    return clump_watch_stops(watch, share) ? clump_fail(error, CLUMP_STOPPED, "interrupted")
                                           : CLUMP_OK;
}

/** Whether so much more may be spent. */
static inline int clump_watch_affords(const clump_watch *watch, double nanoseconds)
{
    return watch == NULL || watch->afford == NULL || watch->afford(nanoseconds, watch->context);
}

#endif
