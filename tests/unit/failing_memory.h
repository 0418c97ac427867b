/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_UNIT_FAILING_MEMORY_H
#define CLUMP_TESTS_UNIT_FAILING_MEMORY_H

/*
 * Allocations of ours that fail, to see that any of them may. For tests that are one file and are linked with
 * --wrap for malloc, calloc, realloc and strdup: `failing_memory_tests` in the Makefile.
 *
 *     allocations_fail_from(n) or allocation_fails(n); what is tried; if (allocations_succeed() == 0) n was too late
 */

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

static long allowed_allocations = -1; /* before one fails; negative: none fails */
static bool later_ones_fail;
static long failed_allocations;

static bool allocation_is_refused(void)
{
    if (allowed_allocations < 0)
        return false;
    if (allowed_allocations > 0) {
        allowed_allocations--;
        return false;
    }
    if (!later_ones_fail)
        allowed_allocations = -1;
    failed_allocations++;
    return true;
}

/* After `n` more that succeed all allocations fail. */
static inline void allocations_fail_from(long n)
{
    allowed_allocations = n;
    later_ones_fail = true;
    failed_allocations = 0;
}

/* After `n` more that succeed one fails, and those after it succeed: who goes on regardless is found out. */
static inline void allocation_fails(long n)
{
    allocations_fail_from(n);
    later_ones_fail = false;
}

/* From now on none fails. How many have failed? */
static inline long allocations_succeed(void)
{
    allowed_allocations = -1;
    return failed_allocations;
}

void *__wrap_malloc(size_t size)
{
    return allocation_is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return allocation_is_refused() ? NULL : __real_realloc(block, size);
}

char *__wrap_strdup(const char *text)
{
    return allocation_is_refused() ? NULL : __real_strdup(text);
}

#endif
