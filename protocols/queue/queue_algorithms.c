/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of algorithms: above them, as they are above what they share. */
#include "protocols/queue/queue.h"

#include <string.h>

#define ADDRESS(name) &clump_queue_##name,
static const struct clump_queue_algorithm *const algorithms[] = {CLUMP_QUEUE_ALGORITHMS(ADDRESS)};

const struct clump_queue_algorithm *clump_queue_algorithm_at(unsigned index)
{
    return index < sizeof algorithms / sizeof *algorithms ? algorithms[index] : NULL;
}

const struct clump_queue_algorithm *clump_queue_algorithm_named(const char *name)
{
    for (unsigned i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strcmp(name, algorithms[i]->name) == 0)
            return algorithms[i];
    return NULL;
}
