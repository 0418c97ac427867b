/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/watch.h"

#include <stddef.h>

clump_status clump_watch_ask(const clump_watch *watch, double share, clump_error *error)
{
    if (watch == NULL || !watch->look(share, watch->context))
        return CLUMP_OK;
    return clump_fail(error, CLUMP_STOPPED, "interrupted");
}
