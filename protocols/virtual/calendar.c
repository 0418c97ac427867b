/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/virtual/calendar.h"

#include <stdlib.h>

enum { CHILDREN = 4 }; /* a flat heap: fewer cache lines on the way down */

void clump_calendar_free(clump_calendar *queue)
{
    free(queue->heap);
    *queue = (clump_calendar){0};
}

static bool before(const clump_event *a, const clump_event *b)
{
    return a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->order < b->order);
}

bool clump_calendar_add(clump_calendar *q, clump_event event)
{
    if (q->count == q->capacity) {
        const size_t capacity = q->capacity > 0 ? 2 * q->capacity : 256;
        clump_event *grown = realloc(q->heap, capacity * sizeof *grown);
        if (grown == NULL) {
            q->failed = true;
            return false;
        }
        q->heap = grown;
        q->capacity = capacity;
    }
    event.order = q->added++;
    if (event.time_ps < q->now_ps)
        event.time_ps = q->now_ps;
    size_t place = q->count++;
    while (place > 0 && before(&event, &q->heap[(place - 1) / CHILDREN])) {
        q->heap[place] = q->heap[(place - 1) / CHILDREN];
        place = (place - 1) / CHILDREN;
    }
    q->heap[place] = event;
    return true;
}

bool clump_calendar_take(clump_calendar *q, clump_event *event)
{
    if (q->count == 0)
        return false;
    *event = q->heap[0];
    q->now_ps = event->time_ps;
    const clump_event last = q->heap[--q->count];
    size_t place = 0;
    for (;;) {
        const size_t first = CHILDREN * place + 1;
        size_t least = first;
        if (first >= q->count)
            break;
        for (size_t i = first + 1; i < first + CHILDREN && i < q->count; i++)
            if (before(&q->heap[i], &q->heap[least]))
                least = i;
        if (!before(&q->heap[least], &last))
            break;
        q->heap[place] = q->heap[least];
        place = least;
    }
    if (q->count > 0)
        q->heap[place] = last;
    return true;
}
