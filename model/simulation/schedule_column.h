/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_COLUMN_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_COLUMN_H

/* Internal to model/simulation. Whole numbers, in as many bytes each as the largest needs. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct schedule_column {
    void *values;   /* NULL: all are `same` */
    unsigned width; /* bytes: 0, 1, 2, 4 or 8 */
    uint64_t same;
} schedule_column;

/** Bytes that a number needs. */
static inline unsigned schedule_column_width(uint64_t most)
{
    return most > UINT32_MAX ? 8 : most > UINT16_MAX ? 4 : most > UINT8_MAX ? 2 : 1;
}

/** `count` numbers that are all 0, and can become `most`; false without memory. */
bool schedule_column_make(schedule_column *c, size_t count, uint64_t most);
void schedule_column_release(schedule_column *c);

/** Room for so many, if it is kept number by number. */
bool schedule_column_grow(schedule_column *c, size_t room);

/**
 * Number i, the next one, is `value`: the column gets wider if it must.
 * @param room  for so many there is room, or is to be
 */
bool schedule_column_append(schedule_column *c, size_t i, uint64_t value, size_t room);

static inline uint64_t schedule_column_get(const schedule_column *c, size_t i)
{
    switch (c->width) {
    case 0:
        return c->same;
    case 1:
        return ((const uint8_t *)c->values)[i];
    case 2:
        return ((const uint16_t *)c->values)[i];
    case 4:
        return ((const uint32_t *)c->values)[i];
    default:
        return ((const uint64_t *)c->values)[i];
    }
}

/** Where it is wide enough. */
static inline void schedule_column_set(schedule_column *c, size_t i, uint64_t value)
{
    switch (c->width) {
    case 0:
        break;
    case 1:
        ((uint8_t *)c->values)[i] = (uint8_t)value;
        break;
    case 2:
        ((uint16_t *)c->values)[i] = (uint16_t)value;
        break;
    case 4:
        ((uint32_t *)c->values)[i] = (uint32_t)value;
        break;
    default:
        ((uint64_t *)c->values)[i] = value;
    }
}

#endif
