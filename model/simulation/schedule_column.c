/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_column.h"

#include <stdlib.h>

bool schedule_column_make(schedule_column *c, size_t count, uint64_t most)
{
    *c = (schedule_column){.width = schedule_column_width(most)};
    c->values = calloc(count + 1, c->width);
    return c->values != NULL;
}

void schedule_column_release(schedule_column *c)
{
    free(c->values);
    *c = (schedule_column){.values = NULL};
}

bool schedule_column_grow(schedule_column *c, size_t room)
{
    if (c->width == 0)
        return true;
    void *larger = realloc(c->values, room * c->width);
    if (larger == NULL)
        return false;
    c->values = larger;
    return true;
}

/* The first `count` numbers in `width` bytes each. */
static bool widen(schedule_column *c, size_t count, unsigned width, size_t room)
{
    schedule_column wider = {.values = malloc(room * width), .width = width};
    if (wider.values == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        schedule_column_set(&wider, i, schedule_column_get(c, i));
    free(c->values);
    *c = wider;
    return true;
}

bool schedule_column_append(schedule_column *c, size_t i, uint64_t value, size_t room)
{
    if (c->width == 0) {
        if (i == 0)
            c->same = value;
        if (value == c->same)
            return true;
        const unsigned width = schedule_column_width(value > c->same ? value : c->same);
        if (!widen(c, i, width, room))
            return false;
    } else if (schedule_column_width(value) > c->width &&
               !widen(c, i, schedule_column_width(value), room)) {
        return false;
    }
    schedule_column_set(c, i, value);
    return true;
}
