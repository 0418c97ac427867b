/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is given a text part by part, and keeps it, or refuses it. */
#ifndef CLUMP_TESTS_UNIT_COLLECTED_TEXT_H
#define CLUMP_TESTS_UNIT_COLLECTED_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct text {
    char bytes[1 << 20]; /* ends with a NUL */
    size_t size;
} text;

static inline bool collect(void *context, const char *bytes, size_t size)
{
    text *t = context;
    assert_true(t->size + size < sizeof t->bytes);
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->bytes[t->size] = '\0';
    return true;
}

static inline bool refuse(void *context, const char *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return false;
}

#endif
