/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WATCH_H
#define CLUMP_MODEL_WATCH_H

/*
 * Who watches over what takes long, and may stop it: asked before each prediction and now and then
 * while one goes on. Whoever is told to stop returns CLUMP_STOPPED.
 */

#include "model/status.h"

typedef struct clump_watch {
    /**
     * @param share  of the work in hand that is done, 0 to 1; NAN: that is not known
     * @return nonzero: stop. May be called from several threads at a time.
     */
    int (*look)(double share, void *context);
    void *context;
} clump_watch;

/** CLUMP_STOPPED if whoever watches says so. `watch` may be NULL. */
clump_status clump_watch_ask(const clump_watch *watch, double share, clump_error *error);

#endif
