/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A watch of an engine for tests: it loses patience after so many looks. */
#ifndef CLUMP_TESTS_UNIT_WATCHER_H
#define CLUMP_TESTS_UNIT_WATCHER_H

#include <math.h>

typedef struct watcher {
    int looks, patience;
} watcher;

static inline int count_looks(double share, void *context)
{
    watcher *w = context;
    assert_true(isnan(share) || (share >= 0 && share <= 1));
    return ++w->looks > w->patience;
}

#endif
