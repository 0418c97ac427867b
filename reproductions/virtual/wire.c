/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/virtual/wire.h"

#include "reproductions/virtual/splitmix.h"

#include <stdlib.h>
#include <string.h>

/* Packets live in blocks that are never moved: the receiver holds pointers into them. */
enum { BLOCK = 64, BLOCKS_MOST = 1 << 16 };

struct clump_wire {
    clump_wire_faults faults;
    clump_calendar *queue;
    uint32_t kind;
    size_t size_most;
    uint64_t random, sent;
    unsigned char **blocks; /* of BLOCK packets each */
    size_t block_count, under_way;
    uint32_t *sizes, *next; /* by packet: its size, or the next free one */
    uint32_t free;
};

#define NONE UINT32_MAX

clump_wire *clump_wire_open(const clump_wire_faults *faults, clump_calendar *queue, uint32_t kind,
                            size_t size_most)
{
    clump_wire *wire = calloc(1, sizeof *wire);
    if (wire == NULL)
        return NULL;
    wire->faults = *faults;
    wire->queue = queue;
    wire->kind = kind;
    wire->size_most = size_most;
    wire->random = faults->seed;
    wire->free = NONE;
    return wire;
}

void clump_wire_close(clump_wire *wire)
{
    if (wire == NULL)
        return;
    for (size_t i = 0; i < wire->block_count; i++)
        free(wire->blocks[i]);
    free(wire->blocks);
    free(wire->sizes);
    free(wire->next);
    free(wire);
}

static bool grow(clump_wire *wire)
{
    const size_t count = wire->block_count + 1;
    if (count > BLOCKS_MOST)
        return false;
    unsigned char **blocks = realloc(wire->blocks, count * sizeof *blocks);
    if (blocks != NULL)
        wire->blocks = blocks;
    uint32_t *sizes = realloc(wire->sizes, count * BLOCK * sizeof *sizes);
    if (sizes != NULL)
        wire->sizes = sizes;
    uint32_t *next = realloc(wire->next, count * BLOCK * sizeof *next);
    if (next != NULL)
        wire->next = next;
    unsigned char *block = malloc(BLOCK * wire->size_most);
    if (blocks == NULL || sizes == NULL || next == NULL || block == NULL) {
        free(block);
        return false;
    }
    wire->blocks[wire->block_count] = block;
    for (uint32_t i = BLOCK; i-- > 0;) {
        const uint32_t index = (uint32_t)wire->block_count * BLOCK + i;
        wire->next[index] = wire->free;
        wire->free = index;
    }
    wire->block_count = count;
    return true;
}

static unsigned char *bytes_of(const clump_wire *wire, uint32_t index)
{
    return wire->blocks[index / BLOCK] + index % BLOCK * wire->size_most;
}

static bool chance(clump_wire *wire, double probability)
{
    return probability > 0 && clump_splitmix_real(&wire->random) < probability;
}

static bool deliver(clump_wire *wire, uint64_t time_ps, uint32_t from, uint32_t to,
                    const unsigned char *bytes, size_t size)
{
    const clump_wire_faults *f = &wire->faults;
    if (wire->free == NONE && !grow(wire))
        return false;
    const uint32_t index = wire->free;
    wire->free = wire->next[index];
    wire->sizes[index] = (uint32_t)size;
    memcpy(bytes_of(wire, index), bytes, size);
    if (chance(wire, f->damage)) {
        const uint64_t bit = clump_splitmix_next(&wire->random) % (size * 8);
        bytes_of(wire, index)[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    time_ps += f->delay_ps;
    if (chance(wire, f->reordering))
        time_ps += (uint64_t)((double)f->jitter_ps * clump_splitmix_real(&wire->random));
    wire->under_way++;
    return clump_calendar_add(
        wire->queue,
        (clump_event){
            .time_ps = time_ps, .kind = wire->kind, .node = to, .value = index, .other = from});
}

bool clump_wire_send(clump_wire *wire, uint64_t time_ps, uint32_t from, uint32_t to,
                     const unsigned char *bytes, size_t size)
{
    const clump_wire_faults *f = &wire->faults;
    const uint64_t number = wire->sent++;
    if (size > wire->size_most)
        return false;
    if (f->lose != NULL && f->lose(f->context, number, from, to, bytes, size))
        return true;
    if (chance(wire, f->loss))
        return true;
    if (!deliver(wire, time_ps, from, to, bytes, size))
        return false;
    return !chance(wire, f->duplication) || deliver(wire, time_ps, from, to, bytes, size);
}

const unsigned char *clump_wire_packet(const clump_wire *wire, uint32_t value, size_t *size)
{
    *size = wire->sizes[value];
    return bytes_of(wire, value);
}

void clump_wire_release(clump_wire *wire, uint32_t value)
{
    wire->next[value] = wire->free;
    wire->free = value;
    wire->under_way--;
}

uint64_t clump_wire_sent(const clump_wire *wire)
{
    return wire->sent;
}

size_t clump_wire_under_way(const clump_wire *wire)
{
    return wire->under_way;
}
