/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "exploring/sensitivity.h"

#include <math.h>
#include <string.h>

typedef struct told {
    size_t calls, done, total;
} told;

static void note_progress(size_t done, size_t total, void *context)
{
    told *t = context;
    if (t->calls > 0) {
        assert_int_equal(total, t->total);
        assert_true(done >= t->done);
    }
    assert_true(done <= total);
    *t = (told){t->calls + 1, done, total};
}

/* It takes seconds to hours: somebody who waits is told all the time, up to nearly the end. */
TEST(test_progress)
{
    static const char script[] = "return scenario { processors = 8, nics = { 2, 4 }, "
                                 "utilization = 0.5, memory_penalty = 1 }";
    enum { DRAWS = 50 };
    for (int threads = 1; threads <= 2; threads++) {
        clump_store *stores[2] = {NULL, NULL};
        clump_explore_variable uncertain[2] = {{.values = NULL}, {.values = NULL}};
        const char *expected;
        told t = {0, 0, 0};
        for (int i = 0; i < threads; i++)
            assert_int_equal(clump_store_open(NULL, CLUMP_STORE_READ, &stores[i]), CLUMP_STORE_OK);
        assert_true(clump_explore_read_distribution("U=0.4:0.55", &uncertain[0], &expected));
        assert_true(
            clump_explore_read_distribution("memory_penalty=1:1.2", &uncertain[1], &expected));
        const clump_explore_settings settings = {
            .scenario = {.path = "script", .text = script, .text_size = strlen(script)},
            .uncertain = uncertain,
            .uncertain_count = 2,
            .drawn = true,
            .draws = DRAWS,
            .seed = 1,
            .prices = {NAN, NAN, NAN},
            .threads = threads,
            .stores = stores,
            .progress = note_progress,
            .progress_context = &t,
        };
        clump_explorer explorer;
        clump_sensitivity answer;
        assert_int_equal(clump_explorer_open(&settings, &explorer), CLUMP_EXPLORE_OK);
        assert_int_equal(clump_sensitivity_find(&explorer, &answer), CLUMP_EXPLORE_OK);
        assert_int_equal(answer.influence_count, 4);
        /* Every draw of one thread, every point of the 4 derivatives. */
        assert_true(t.calls >= DRAWS / 2);
        assert_true(t.done > t.total / 2 && t.total >= 4 * DRAWS);
        clump_sensitivity_release(&answer);
        clump_explorer_close(&explorer);
        for (int i = 0; i < 2; i++)
            clump_explore_variable_release(&uncertain[i]);
        for (int i = 0; i < threads; i++)
            clump_store_close(stores[i]);
    }
}

UNIT_MAIN(NULL, NULL)
