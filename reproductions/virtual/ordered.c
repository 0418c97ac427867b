/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/virtual/ordered.h"

#include <stdlib.h>
#include <string.h>

struct clump_ordered {
    uint32_t places, next, next_place;
    size_t size_most;
    size_t *sizes;
    bool *there;
    unsigned char *memory;
};

clump_protocol_status clump_ordered_open(uint32_t places, size_t size_most, uint32_t first,
                                         clump_ordered **ordered)
{
    if (places < 1 || places > 65536 || size_most < 1 || size_most > 1 << 20)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_ordered *o = calloc(1, sizeof *o);
    if (o == NULL)
        return CLUMP_PROTOCOL_FAILED;
    *o = (clump_ordered){.places = places,
                         .next = first,
                         .size_most = size_most,
                         .sizes = calloc(places, sizeof *o->sizes),
                         .there = calloc(places, sizeof *o->there),
                         .memory = malloc(places * size_most)};
    if (o->sizes == NULL || o->there == NULL || o->memory == NULL) {
        clump_ordered_close(o);
        return CLUMP_PROTOCOL_FAILED;
    }
    *ordered = o;
    return CLUMP_PROTOCOL_OK;
}

void clump_ordered_close(clump_ordered *ordered)
{
    if (ordered == NULL)
        return;
    free(ordered->sizes);
    free(ordered->there);
    free(ordered->memory);
    free(ordered);
}

/* Numbers wrap at 2^32, which `places` need not divide: the place of the next one is kept. */
static uint32_t place_of(const clump_ordered *o, uint32_t number)
{
    return (uint32_t)(((uint64_t)o->next_place + (number - o->next)) % o->places);
}

clump_protocol_status clump_ordered_put(clump_ordered *o, uint32_t number, const void *data,
                                        size_t size)
{
    const uint32_t ahead = number - o->next;
    if (size > o->size_most || (size > 0 && data == NULL))
        return CLUMP_PROTOCOL_BAD_INPUT;
    if (ahead >= UINT32_C(0x80000000))
        return CLUMP_PROTOCOL_BAD_PACKET;
    if (ahead >= o->places)
        return CLUMP_PROTOCOL_BLOCKED;
    const uint32_t place = place_of(o, number);
    if (o->there[place])
        return CLUMP_PROTOCOL_BAD_PACKET;
    if (size > 0)
        memcpy(o->memory + place * o->size_most, data, size);
    o->sizes[place] = size;
    o->there[place] = true;
    return CLUMP_PROTOCOL_OK;
}

bool clump_ordered_next(clump_ordered *o, const unsigned char **data, size_t *size)
{
    const uint32_t place = o->next_place;
    if (!o->there[place])
        return false;
    o->there[place] = false;
    *data = o->memory + place * o->size_most;
    *size = o->sizes[place];
    o->next++;
    o->next_place = (place + 1) % o->places;
    return true;
}
