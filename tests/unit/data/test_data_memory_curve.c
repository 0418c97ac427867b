/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The curve of a platform's memory: which samples make it, and what is refused. */
#include "tests/unit/unit.h"

#include "data/store/memory_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static clump_store *store;
static clump_store_memory_curve *curve;

static void ok(clump_store_status status)
{
    if (status != CLUMP_STORE_OK)
        fail_msg("status %d: %s", (int)status, clump_store_message(store));
}

/* A writable store with platforms `node`, and `part`, which is part of it. */
static int open_store(void **state)
{
    (void)state;
    curve = NULL;
    ok(clump_store_open(NULL, CLUMP_STORE_WRITE, &store));
    ok(clump_store_begin(store));
    ok(clump_store_add_source(
        store, &(clump_store_source){.name = "who", .kind = "inline", .title = "Me"}));
    const clump_store_platform node = {
        .name = "node", .title = "A node", .nodes = 1, .processors = 8, .source = "who"};
    clump_store_platform part = node;
    part.name = "part";
    part.part_of = "node";
    ok(clump_store_add_platform(store, &node));
    ok(clump_store_add_platform(store, &part));
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    clump_store_free(curve);
    clump_store_close(store);
    return 0;
}

typedef struct point {
    int64_t processes;
    double value;
    bool doubtful;
    double half_width; /* 0: not known */
} point;

/* Stores samples of one source, platform, variant and statistic; consecutive ones of as many
 * processes are runs of one series. The source may be there already. */
static void add(const char *source, const char *platform, const char *variant,
                const char *statistic, const point *points, size_t count)
{
    clump_store_source *found = NULL;
    if (clump_store_find_source(store, source, &found) == CLUMP_STORE_NOT_FOUND)
        ok(clump_store_add_source(
            store, &(clump_store_source){.name = source, .kind = "calibration", .title = "c"}));
    clump_store_free(found);
    int64_t id = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || points[i].processes != points[i - 1].processes)
            ok(clump_store_add_series(store,
                                      &(clump_store_series){.platform = platform,
                                                            .quantity = "memory_bandwidth",
                                                            .variant = variant,
                                                            .statistic = statistic,
                                                            .source = source,
                                                            .processes = points[i].processes},
                                      &id));
        ok(clump_store_add_sample(
            store, id,
            &(clump_store_measurement){.value = points[i].value,
                                       .half_width =
                                           points[i].half_width > 0 ? points[i].half_width : NAN,
                                       .std_dev = NAN,
                                       .size_bytes = -1,
                                       .doubtful = points[i].doubtful}));
    }
}
#define SURE(processes, value)                                                                     \
    {                                                                                              \
        processes, value, false, 0                                                                 \
    }
#define DOUBT(processes, value)                                                                    \
    {                                                                                              \
        processes, value, true, 0                                                                  \
    }
#define ADD(source, variant, ...)                                                                  \
    add(source, "node", variant, "single", (const point[]){__VA_ARGS__},                           \
        sizeof((const point[]){__VA_ARGS__}) / sizeof(point))

static void find(const char *platform, const char *source, const char *variant)
{
    clump_store_free(curve);
    ok(clump_store_find_memory_curve(store, platform, source, variant, &curve));
    assert_non_null(curve);
}

static void refused(clump_store_status expected, const char *variant, const char *reason)
{
    const clump_store_status status =
        clump_store_find_memory_curve(store, "node", NULL, variant, &curve);
    if (status != expected || strstr(clump_store_message(store), reason) == NULL)
        fail_msg("status %d, '%s' does not say '%s'", (int)status, clump_store_message(store),
                 reason);
    assert_null(curve);
}

static void is(size_t processes, const double *bandwidth)
{
    assert_int_equal(curve->processes, processes);
    for (size_t k = 0; k < processes; k++)
        assert_float_equal(curve->points[k].bandwidth, bandwidth[k], 1e-9);
}

TEST_WITH(means_of_runs, open_store, close_store)
{
    ADD("c", "triad", SURE(1, 10), SURE(1, 12), SURE(1, 14), SURE(2, 20), SURE(3, 25), SURE(3, 27));
    find("node", NULL, NULL);
    is(3, (const double[]){12, 20, 26});
    assert_int_equal(curve->points[0].runs, 3);
    /* Student's 97.5% quantile for 2 degrees of freedom is 4.3026527; the standard deviation 2. */
    assert_float_equal(curve->points[0].half_width, 4.3026527 * 2 / sqrt(3), 1e-6);
    assert_true(isnan(curve->points[1].half_width));
    /* ... and 12.7062047 for 1: standard deviation sqrt 2. */
    assert_float_equal(curve->points[2].half_width, 12.7062047, 1e-6);
    assert_int_equal(curve->interpolated, 0);
    assert_string_equal(curve->source, "c");
    assert_string_equal(curve->variant, "triad");
    assert_string_equal(curve->statistic, "single");
    assert_string_equal(curve->platform, "node");
    assert_false(curve->reference);
}

TEST_WITH(gaps, open_store, close_store)
{
    ADD("c", "triad", SURE(8, 40), SURE(1, 10), SURE(4, 32), SURE(2, 18));
    find("node", NULL, NULL);
    is(8, (const double[]){10, 18, 25, 32, 34, 36, 38, 40});
    assert_int_equal(curve->interpolated, 4);
    assert_int_equal(curve->points[2].runs, 0);
    assert_true(isnan(curve->points[2].half_width));
    ADD("d", "triad", SURE(1, 10), SURE(4, 32));
    /* The newest makes no curve: the one before does. */
    find("node", NULL, NULL);
    assert_string_equal(curve->source, "c");
    clump_store_free(curve);
    const clump_store_status status =
        clump_store_find_memory_curve(store, "node", "d", NULL, &curve);
    assert_int_equal(status, CLUMP_STORE_NOT_FOUND);
    assert_non_null(strstr(clump_store_message(store), "between 1 and 4 processes; expected 2"));
}

TEST_WITH(doubtful_samples, open_store, close_store)
{
    ADD("c", "triad", SURE(1, 10), DOUBT(1, 90), DOUBT(2, 15), SURE(3, 30), DOUBT(4, 50));
    refused(CLUMP_STORE_NOT_FOUND, NULL, "between 1 and 3 processes; expected 2");
    ADD("d", "triad", SURE(1, 10), DOUBT(1, 90), SURE(2, 20), DOUBT(3, 15), SURE(4, 30),
        DOUBT(5, 50));
    find("node", NULL, NULL);
    is(4, (const double[]){10, 20, 25, 30});
    assert_int_equal(curve->interpolated, 1);
    assert_int_equal(curve->doubtful, 3);
}

TEST_WITH(only_doubtful, open_store, close_store)
{
    ADD("c", "triad", DOUBT(1, 10), DOUBT(2, 15));
    refused(CLUMP_STORE_NOT_FOUND, NULL, "doubtful");
}

TEST_WITH(the_newest, open_store, close_store)
{
    ADD("old", "triad", SURE(1, 10), SURE(2, 11));
    ADD("new", "triad", SURE(1, 10), SURE(2, 19));
    find("node", NULL, NULL);
    assert_string_equal(curve->source, "new");
    find("node", "old", NULL);
    is(2, (const double[])SURE(10, 11));
    ADD("old", "read", SURE(1, 10), SURE(2, 12)); /* what was added to the old one makes it newer */
    find("node", NULL, NULL);
    assert_string_equal(curve->source, "old");
    is(2, (const double[])SURE(10, 11));
    find("node", NULL, "read");
    is(2, (const double[])SURE(10, 12));
}

/* A log for each number of processes. */
TEST_WITH(several_sources, open_store, close_store)
{
    ADD("one", "triad", SURE(1, 10));
    ADD("two", "triad", SURE(2, 18));
    ADD("two", "copy", SURE(2, 99));
    add("best", "node", "triad", "max", (const point[]){SURE(1, 50)}, 1);
    ADD("four", "triad", SURE(4, 30));
    find("node", NULL, NULL);
    is(4, (const double[]){10, 18, 24, 30});
    assert_string_equal(curve->source, "four");
    clump_store_free(curve);
    assert_int_equal(clump_store_find_memory_curve(store, "node", "two", NULL, &curve),
                     CLUMP_STORE_NOT_FOUND);
    ADD("curve", "triad", SURE(1, 10), SURE(2, 15)); /* what one source says goes first */
    ADD("eight", "triad", SURE(8, 40));
    find("node", NULL, NULL);
    is(2, (const double[]){10, 15});
}

TEST_WITH(which_kernel, open_store, close_store)
{
    ADD("c", "copy", SURE(1, 10), SURE(2, 12));
    find("node", NULL, NULL);
    assert_string_equal(curve->variant, "copy");
    ADD("c", "read", SURE(1, 10), SURE(2, 13));
    clump_store_free(curve);
    refused(CLUMP_STORE_NOT_FOUND, NULL, "say which variant");
    find("node", NULL, "read");
    is(2, (const double[])SURE(10, 13));
    clump_store_free(curve);
    refused(CLUMP_STORE_NOT_FOUND, "scale", "not measured with 'scale'; there is 'copy'");
}

TEST_WITH(which_statistic, open_store, close_store)
{
    add("c", "node", "triad", "max", (const point[]){SURE(1, 20), SURE(2, 40)}, 2);
    add("c", "node", "triad", "min", (const point[]){SURE(1, 5), SURE(2, 6)}, 2);
    find("node", NULL, NULL);
    assert_string_equal(curve->statistic, "max");
    is(2, (const double[])SURE(20, 40));
    add("c", "node", "triad", "mean", (const point[]){{1, 10, false, 0.5}, SURE(2, 11)}, 2);
    find("node", NULL, NULL);
    assert_string_equal(curve->statistic, "mean");
    is(2, (const double[])SURE(10, 11));
    assert_float_equal(curve->points[0].half_width, 0.5, 0);
    assert_true(isnan(curve->points[1].half_width));
}

TEST_WITH(inherited, open_store, close_store)
{
    ADD("c", "triad", SURE(1, 10), SURE(2, 12));
    find("part", NULL, NULL);
    assert_string_equal(curve->platform, "node");
    add("d", "part", "triad", "single", (const point[]){SURE(1, 10), SURE(2, 13)}, 2);
    find("part", NULL, NULL);
    assert_string_equal(curve->platform, "part");
    is(2, (const double[])SURE(10, 13));
}

TEST_WITH(nothing, open_store, close_store)
{
    refused(CLUMP_STORE_NOT_FOUND, NULL, "was not measured");
    clump_store_memory_curve *none = NULL;
    assert_int_equal(clump_store_find_memory_curve(store, "nodes", NULL, NULL, &none),
                     CLUMP_STORE_NOT_FOUND);
    assert_non_null(strstr(clump_store_message(store), "'node'"));
    assert_null(none);
}

TEST_WITH(hostile_values, open_store, close_store)
{
    ADD("a", "triad", SURE(1, 10), SURE(0, 12));
    refused(CLUMP_STORE_BAD_INPUT, NULL, "0 processes; expected 1 to 4096");
    ADD("b", "triad", SURE(1, 10), SURE(INT64_MAX, 12));
    refused(CLUMP_STORE_BAD_INPUT, NULL, "9223372036854775807 processes; expected 1 to 4096");
    ADD("c", "triad", SURE(1, 0), SURE(2, 12));
    refused(CLUMP_STORE_BAD_INPUT, NULL, "1 processes have a bandwidth of 0");
    ADD("d", "triad", SURE(2, 10), SURE(3, 12));
    refused(CLUMP_STORE_NOT_FOUND, NULL, "one process alone was not measured");
    ADD("e", "triad", SURE(1, 10));
    refused(CLUMP_STORE_NOT_FOUND, NULL, "only one process was measured");
}

UNIT_MAIN(NULL, NULL)
