/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/refusals.h"

#include <string.h>

void scenario_refusals_open(scenario_refusals *r, clump_arena *arena)
{
    *r = (scenario_refusals){.arena = arena};
    pthread_mutex_init(&r->lock, NULL);
}

void scenario_refusals_close(scenario_refusals *r)
{
    pthread_mutex_destroy(&r->lock);
}

/* With the lock held. The newest first: neighbours mostly say the same. */
static const char *find(scenario_refusals *r, const char *text)
{
    for (size_t i = r->count; i-- > 0;)
        if (strcmp(r->texts[i], text) == 0)
            return r->texts[i];
    const size_t size = strlen(text) + 1;
    char *copy = r->count < SCENARIO_MOST_REFUSALS ? clump_arena_take(r->arena, size) : NULL;
    if (copy == NULL)
        return "refused for one of more reasons than are kept; ask for fewer rows to read it";
    memcpy(copy, text, size);
    return r->texts[r->count++] = copy;
}

const char *scenario_refusals_keep(scenario_refusals *r, const char *text)
{
    pthread_mutex_lock(&r->lock);
    const char *kept = find(r, text);
    pthread_mutex_unlock(&r->lock);
    return kept;
}
