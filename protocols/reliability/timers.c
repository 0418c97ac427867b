/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/timers.h"

#include <stdlib.h>

static const uint32_t NOWHERE = UINT32_MAX;

bool clump_timers_make(clump_timers *timers, uint32_t owners)
{
    clump_timers made = {.owners = owners};
    made.deadline = malloc(owners * sizeof *made.deadline);
    made.heap = malloc(owners * sizeof *made.heap);
    made.place = malloc(owners * sizeof *made.place);
    if (made.deadline == NULL || made.heap == NULL || made.place == NULL) {
        clump_timers_free(&made);
        return false;
    }
    for (uint32_t i = 0; i < owners; i++) {
        made.deadline[i] = UINT64_MAX;
        made.place[i] = NOWHERE;
    }
    *timers = made;
    return true;
}

void clump_timers_free(clump_timers *timers)
{
    free(timers->deadline);
    free(timers->heap);
    free(timers->place);
    *timers = (clump_timers){0};
}

static bool before(const clump_timers *t, uint32_t a, uint32_t b)
{
    return t->deadline[a] < t->deadline[b] || (t->deadline[a] == t->deadline[b] && a < b);
}

static void put(clump_timers *t, uint32_t place, uint32_t owner)
{
    t->heap[place] = owner;
    t->place[owner] = place;
}

static void rise(clump_timers *t, uint32_t place)
{
    const uint32_t owner = t->heap[place];
    while (place > 0 && before(t, owner, t->heap[(place - 1) / 2])) {
        put(t, place, t->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(t, place, owner);
}

static void sink(clump_timers *t, uint32_t place)
{
    const uint32_t owner = t->heap[place];
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= t->count)
            break;
        if (child + 1 < t->count && before(t, t->heap[child + 1], t->heap[child]))
            child++;
        if (!before(t, t->heap[child], owner))
            break;
        put(t, place, t->heap[child]);
        place = child;
    }
    put(t, place, owner);
}

void clump_timers_set(clump_timers *t, uint32_t owner, uint64_t deadline)
{
    const uint32_t place = t->place[owner];
    if (t->deadline[owner] == deadline)
        return;
    t->deadline[owner] = deadline;
    if (place == NOWHERE) {
        put(t, t->count, owner);
        rise(t, t->count++);
    } else if (deadline == UINT64_MAX) {
        const uint32_t last = t->heap[--t->count];
        t->place[owner] = NOWHERE;
        if (last != owner) {
            put(t, place, last);
            rise(t, place);
            sink(t, t->place[last]);
        }
    } else {
        rise(t, place);
        sink(t, t->place[owner]);
    }
}

uint64_t clump_timers_first(const clump_timers *t, uint32_t *owner)
{
    if (t->count == 0)
        return UINT64_MAX;
    *owner = t->heap[0];
    return t->deadline[t->heap[0]];
}
