/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/virtual/calendar.h"

#include <stdlib.h>

enum { CHILDREN = 4 }; /* a flat heap: fewer cache lines on the way down */

void clump_calendar_free(clump_calendar *c)
{
    free(c->heap);
    *c = (clump_calendar){0};
}

static bool before(const clump_event *a, const clump_event *b)
{
    return a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->order < b->order);
}

bool clump_calendar_add(clump_calendar *c, clump_event event)
{
    if (c->count == c->capacity) {
        const size_t capacity = c->capacity > 0 ? 2 * c->capacity : 256;
        clump_event *grown = realloc(c->heap, capacity * sizeof *grown);
        if (grown == NULL) {
            c->failed = true;
            return false;
        }
        c->heap = grown;
        c->capacity = capacity;
    }
    event.order = c->added++;
    if (event.time_ps < c->now_ps)
        event.time_ps = c->now_ps;
    size_t place = c->count++;
    while (place > 0 && before(&event, &c->heap[(place - 1) / CHILDREN])) {
        c->heap[place] = c->heap[(place - 1) / CHILDREN];
        place = (place - 1) / CHILDREN;
    }
    c->heap[place] = event;
    return true;
}

bool clump_calendar_take(clump_calendar *c, clump_event *event)
{
    if (c->count == 0)
        return false;
    *event = c->heap[0];
    c->now_ps = event->time_ps;
    const clump_event last = c->heap[--c->count];
    size_t place = 0;
    for (;;) {
        const size_t first = CHILDREN * place + 1;
        size_t least = first;
        if (first >= c->count)
            break;
        for (size_t i = first + 1; i < first + CHILDREN && i < c->count; i++)
            if (before(&c->heap[i], &c->heap[least]))
                least = i;
        if (!before(&c->heap[least], &last))
            break;
        c->heap[place] = c->heap[least];
        place = least;
    }
    if (c->count > 0)
        c->heap[place] = last;
    return true;
}
