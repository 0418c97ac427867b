/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_UNIT_FAILING_SQLITE_H
#define CLUMP_TESTS_UNIT_FAILING_SQLITE_H

/* Allocations of SQLite fail together with ours. */

#include "tests/unit/failing_memory.h"

#include <sqlite3.h>

static sqlite3_mem_methods sqlite_memory;

static void *sqlite_failing_malloc(int size)
{
    return allocation_is_refused() ? NULL : sqlite_memory.xMalloc(size);
}

static void *sqlite_failing_realloc(void *block, int size)
{
    return allocation_is_refused() ? NULL : sqlite_memory.xRealloc(block, size);
}

/* A setup of cmocka, before any store is opened. */
static int make_sqlite_fail(void **state)
{
    (void)state;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory) != SQLITE_OK)
        return 1;
    sqlite3_mem_methods failing = sqlite_memory;
    failing.xMalloc = sqlite_failing_malloc;
    failing.xRealloc = sqlite_failing_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) != SQLITE_OK ||
           sqlite3_initialize() != SQLITE_OK;
}

#endif
