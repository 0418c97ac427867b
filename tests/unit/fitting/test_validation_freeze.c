/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions that are kept before the times are measured: all of them or none. */
#include "tests/unit/unit.h"

#include "data/store/frozen.h"
#include "fitting/validation/validation_freeze.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/lab.h"

#include <math.h>
#include <string.h>

/* A NOW with three programs; of these, one has no traffic, and one has more than time for it. */
static int make_lab(void **state)
{
    (void)state;
    static const char *const programs[] = {"solver", "unknown", "heavy"};
    ok(clump_store_open(NULL, CLUMP_STORE_WRITE, &store));
    ok(clump_store_begin(store));
    add_machines();
    for (size_t i = 0; i < 3; i++) {
        add_application(programs[i], "streaming");
        add("lab-now", programs[i], NULL, "execution_time", "mean", 1);
    }
    add("lab", "solver", "network", "short_messages", "mean", 100000);
    add("lab", "heavy", "network", "short_messages", "mean", 1e9);
    ok(clump_store_commit(store));
    return 0;
}

static int close_lab(void **state)
{
    (void)state;
    clump_store_close(store);
    return 0;
}

static const char made[] = "2026-11-22T14:30:00Z";

static size_t kept(void)
{
    clump_arena *arena = clump_arena_new();
    clump_store_frozen *frozen;
    size_t count = 0;
    assert_non_null(arena);
    ok(clump_store_read_frozen(store, arena, &frozen, &count));
    clump_arena_free(arena);
    return count;
}

static const clump_frozen_run *find(const clump_frozen_list *list, const char *application)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->runs[i].kept.application, application) == 0)
            return &list->runs[i];
    fail_msg("no prediction of %s", application);
    return NULL;
}

TEST_WITH(test_before_and_after, make_lab, close_lab)
{
    clump_frozen_list list;
    clump_error error;
    if (clump_validation_freeze(store, "early", made, "1", NULL, &list, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    assert_int_equal(list.count, 3);
    const clump_frozen_run *run = find(&list, "solver");
    assert_null(run->problem);
    /* a fifth of the second communicates, and 16 share 4 NICs all at once */
    assert_true(fabs(run->kept.predicted_s - 1.6) < 1e-9);
    assert_true(run->kept.low_s < 1.6 && run->kept.high_s > 1.6);
    assert_true(fabs(run->kept.low_s * run->kept.high_s - 1.6 * 1.6) < 1e-9);
    assert_string_equal(run->kept.change, "shared-nics");
    assert_int_equal(strlen(run->kept.inputs), 64);
    assert_non_null(strstr(find(&list, "unknown")->problem, "no traffic"));
    assert_non_null(strstr(find(&list, "heavy")->problem, "2000 s"));
    assert_non_null(strstr(find(&list, "heavy")->problem, "more than the 1 s"));
    clump_frozen_list_free(&list);
    assert_int_equal(kept(), 1);

    assert_int_equal(clump_validation_freeze(store, "early", made, "1", NULL, &list, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "already"));
    assert_int_equal(kept(), 1);

    assert_int_equal(clump_validation_judge_frozen(store, "early", NULL, &list, &error), CLUMP_OK);
    assert_int_equal(list.count, 1); /* what was not predicted is not judged */
    assert_non_null(list.runs[0].problem);
    assert_true(isnan(list.runs[0].error));
    clump_frozen_list_free(&list);

    ok(clump_store_begin(store));
    add("lab", "solver", NULL, "execution_time", "mean", 2);
    ok(clump_store_commit(store));
    assert_int_equal(clump_validation_judge_frozen(store, "early", NULL, &list, &error), CLUMP_OK);
    assert_null(list.runs[0].problem);
    assert_true(fabs(list.runs[0].error + 0.2) < 1e-9);
    assert_false(list.runs[0].inputs_changed);
    assert_string_equal(list.head.made, made);
    clump_frozen_list_free(&list);
    assert_int_equal(clump_validation_freeze(store, "late", made, "1", NULL, &list, &error),
                     CLUMP_BAD_ARGUMENT); /* nothing is left that can be */
    assert_int_equal(kept(), 1);
}

TEST_WITH(test_every_allocation_may_fail, make_lab, close_lab)
{
    long failures = 0;
    for (long fail_at = 0;; fail_at = 2 * fail_at + 1) { /* few of the later ones */
        clump_frozen_list list = {.runs = NULL};
        clump_error error = {CLUMP_OK, ""};
        const size_t before = kept();
        allocations_fail_from(fail_at);
        const clump_status status =
            clump_validation_freeze(store, "early", made, "1", NULL, &list, &error);
        const bool reached = allocations_succeed() > 0;
        if (status == CLUMP_OK) {
            clump_frozen_list_free(&list);
            assert_int_equal(kept(), before + 1);
            ok(clump_store_begin(store));
            ok(clump_store_remove_frozen(store, "early"));
            ok(clump_store_commit(store));
        } else {
            assert_true(error.message[0] != '\0');
            assert_int_equal(kept(), before);
        }
        failures += status != CLUMP_OK;
        if (!reached)
            break;
    }
    assert_true(failures > 5);
}

UNIT_MAIN(NULL, NULL)
