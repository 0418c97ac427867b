/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocations of SQLite and of the store fail, one in each run: the store says so and leaves nothing half done. */
#include "tests/unit/unit.h"

#include "data/store/store.h"
#include "tests/unit/failing_sqlite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count(const clump_store_sample *sample, void *context)
{
    ++*(size_t *)context;
    return sample->platform == NULL;
}

static FILE *sink;
static char other[] = "/tmp/clump-merged-XXXXXX";

static clump_store_status write_some(clump_store *store)
{
    int64_t id = 0;
    clump_store_status status = clump_store_begin(store);
    if (status == CLUMP_STORE_OK) {
        status = clump_store_add_source(
            store, &(clump_store_source){.name = "me", .kind = "inline", .title = "t"});
    }
    if (status == CLUMP_STORE_OK) {
        status = clump_store_add_series(store,
                                        &(clump_store_series){.platform = "e5000-clump",
                                                              .application = "SAMPLE",
                                                              .quantity = "gap",
                                                              .statistic = "single",
                                                              .source = "me"},
                                        &id);
    }
    if (status == CLUMP_STORE_OK) {
        const clump_store_measurement measured = {
            .value = 1, .half_width = NAN, .std_dev = NAN, .size_bytes = -1, .note = "n"};
        status = clump_store_add_sample(store, id, &measured);
    }
    if (status == CLUMP_STORE_OK)
        status = clump_store_commit(store);
    clump_store_rollback(store);
    return status;
}

static clump_store_status read_some(clump_store *store, size_t *samples)
{
    clump_store_platform *platform = NULL;
    clump_store_measurement measured;
    const clump_store_filter mine = {.platform = "e5000-clump", .application = "SAMPLE"};
    clump_store_status status = clump_store_find_platform(store, "e5000-clump-4x4", &platform);
    clump_store_free(platform);
    if (status == CLUMP_STORE_OK) {
        status = clump_store_value(store,
                                   &(clump_store_filter){.platform = "e5000-clump-4x4",
                                                         .quantity = "gap",
                                                         .transport = "network",
                                                         .variant = "multi-protocol"},
                                   &measured);
    }
    if (status == CLUMP_STORE_OK)
        status = clump_store_export(store, &mine, sink);
    if (status == CLUMP_STORE_OK) {
        *samples = 0;
        status = clump_store_each_sample(store, &mine, count, samples);
    }
    return status;
}

TEST(any_allocation_may_fail)
{
    /* The first ones singly; then steps that no period of the code divides: 250 of 24,000, or 3,500. */
    const long step = getenv("CLUMP_TEST_LONG") != NULL ? 7 : 97;
    for (long i = 0;; i += i < 150 ? 1 : step) {
        clump_store *store = NULL;
        allocation_fails(i);
        clump_store_status status = clump_store_open(NULL, CLUMP_STORE_WRITE, &store);
        const bool opened = status == CLUMP_STORE_OK;
        if (opened)
            status = write_some(store);
        const bool written = status == CLUMP_STORE_OK;
        size_t samples = 0;
        if (written)
            status = read_some(store, &samples);
        const bool done = allocations_succeed() == 0;
        /* SQLite recovers from some failures by itself; what counts is that OK means OK. */
        if (status == CLUMP_STORE_OK) {
            assert_true(samples > 1);
        } else {
            assert_int_equal(status, CLUMP_STORE_FAILED);
            assert_true(strlen(clump_store_message(store)) > 0);
        }
        if (opened) { /* usable again, and the transaction is there whole or not at all */
            size_t after = 0;
            assert_int_equal(read_some(store, &after), CLUMP_STORE_OK);
            clump_store_source *source = NULL;
            const clump_store_status found = clump_store_find_source(store, "me", &source);
            assert_int_equal(found, written ? CLUMP_STORE_OK : CLUMP_STORE_NOT_FOUND);
            clump_store_free(source);
        }
        clump_store_close(store);
        if (done) {
            assert_true(i > 100);
            break;
        }
    }
}

/* All of the other database, or nothing of it. */
TEST(merges_all_or_nothing)
{
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(other, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(write_some(store), CLUMP_STORE_OK);
    clump_store_close(store);
    for (long i = 0;; i += i < 150 ? 1 : 97) {
        clump_store_merged merged = {0};
        size_t samples = 0;
        assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
        allocation_fails(i);
        const clump_store_status status = clump_store_merge(store, other, &merged);
        const bool done = allocations_succeed() == 0;
        if (status == CLUMP_STORE_OK)
            assert_int_equal(merged.samples, 1);
        else
            assert_int_equal(status, CLUMP_STORE_FAILED);
        assert_int_equal(
            clump_store_each_sample(store, &(clump_store_filter){.quantity = "gap", .variant = ""},
                                    count, &samples),
            CLUMP_STORE_OK);
        clump_store_source *source = NULL;
        assert_int_equal(clump_store_find_source(store, "me", &source),
                         status == CLUMP_STORE_OK ? CLUMP_STORE_OK : CLUMP_STORE_NOT_FOUND);
        clump_store_free(source);
        /* And once more, with memory. */
        assert_int_equal(clump_store_merge(store, other, &merged), CLUMP_STORE_OK);
        assert_int_equal(merged.samples, status != CLUMP_STORE_OK);
        clump_store_close(store);
        if (done)
            break;
    }
}

static int set_up(void **state)
{
    const int descriptor = mkstemp(other);
    sink = fopen("/dev/null", "w");
    return descriptor < 0 || close(descriptor) != 0 || unlink(other) != 0 || sink == NULL ||
           make_sqlite_fail(state) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(other) != 0 || fclose(sink) != 0;
}

UNIT_MAIN(set_up, tear_down)
