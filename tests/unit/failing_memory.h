/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_UNIT_FAILING_MEMORY_H
#define CLUMP_TESTS_UNIT_FAILING_MEMORY_H

/*
 * The n-th allocation fails. For tests that are one file and are linked with --wrap for malloc, calloc,
 * realloc and strdup (Makefile).
 */

#include <stddef.h>

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

static long allowed = -1; /* allocations until the one that fails; negative: none fails */
static long failures;

static int must_fail(void)
{
    if (allowed < 0 || allowed-- > 0)
        return 0;
    failures++;
    return 1;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return must_fail() ? NULL : __real_realloc(block, size);
}

char *__wrap_strdup(const char *text)
{
    return must_fail() ? NULL : __real_strdup(text);
}

#endif
