/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-th allocation fails, for every n, while
 * runs are read, merged and fitted, and while a stored fit is read back.
 */
#include "tests/unit/unit.h"

#include "tests/unit/failing_memory.h"

#include "data/store/store.h"
#include "fitting/slowdown/slowdown_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static clump_status fit_file(clump_error *error)
{
    static const char text[] = "processors,nics,time,std_dev\n1,1,10,.2\n8,4,10.2,.2\n8,2,16.6,.3\n"
                               "8,2,16.7,.3\n8,1,32.5,.5\n";
    clump_slowdown_runs runs = {.records = NULL};
    clump_slowdown_fit fit;
    clump_status status = clump_slowdown_runs_read(&runs, "runs.csv", text, sizeof text - 1,
                                                   CLUMP_MAPPING_POOLED, error);
    if (status == CLUMP_OK)
        status = clump_slowdown_runs_merge(&runs, error);
    if (status == CLUMP_OK) {
        clump_slowdown_question q = clump_slowdown_question_default();
        q.runs = runs.runs;
        q.run_count = runs.run_count;
        q.base_count = runs.base_count;
        q.free[CLUMP_SLOWDOWN_UTILIZATION] = q.free[CLUMP_SLOWDOWN_GANG] = true;
        status = clump_slowdown_fit_compute(&q, &fit, error);
    }
    if (status == CLUMP_OK) {
        assert_true(fabs(fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].value - 0.4) < 0.02);
        clump_slowdown_fit_free(&fit);
    }
    clump_slowdown_runs_free(&runs);
    return status;
}

TEST(fits_or_says_so)
{
    long n = 0;
    for (;; n += n < 60 ? 1 : 23) {
        clump_error error = {CLUMP_OK, ""};
        allocation_fails(n);
        const clump_status status = fit_file(&error);
        if (allocations_succeed() == 0) {
            assert_int_equal(status, CLUMP_OK);
            break;
        }
        assert_int_equal(status, CLUMP_NO_MEMORY);
        assert_true(strlen(error.message) > 0);
    }
    assert_true(n > 20);
}

static void add_fit(clump_store *store)
{
    static const clump_store_fit_parameter parameters[] = {{"U", 0.4, 0.3, 0.5, true},
                                                           {"penalty", 1, NAN, NAN, false}};
    static const clump_store_fit_run runs[] = {
        {"a", "", "", "pooled", 1, 1, 0, NAN, NAN, NAN, NAN, 10, 10, 0.02, 10},
        {"b", "log", "now", "static", 8, 4, 2, 0.5, 0.7, 0.3, 0.1, 10, 12, NAN, 12.5}};
    const clump_store_fit fit = {.application = "SAMPLE/mine",
                                 .fitted_from = "SAMPLE",
                                 .demand = "gang",
                                 .efficiency = "power",
                                 .confidence = 0.95,
                                 .chi_square = 1,
                                 .freedom = 2,
                                 .rms_error = 0.01,
                                 .parameters = parameters,
                                 .parameter_count = 2,
                                 .runs = runs,
                                 .run_count = 2};
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_fit(store, &fit), CLUMP_STORE_BAD_INPUT);
    assert_non_null(strstr(clump_store_message(store), "no application 'SAMPLE/mine'"));
    assert_int_equal(
        clump_store_add_source(store,
                               &(clump_store_source){.name = "me", .kind = "inline", .title = "t"}),
        CLUMP_STORE_OK);
    assert_int_equal(
        clump_store_add_application(
            store, &(clump_store_application){.name = "SAMPLE/mine", .title = "t", .source = "me"}),
        CLUMP_STORE_OK);
    clump_store_fit bad = fit;
    bad.confidence = 2;
    assert_int_equal(clump_store_add_fit(store, &bad), CLUMP_STORE_BAD_INPUT);
    bad = fit;
    bad.demand = "none";
    assert_int_equal(clump_store_add_fit(store, &bad), CLUMP_STORE_BAD_INPUT);
    assert_int_equal(clump_store_add_fit(store, &fit), CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_fit(store, &fit), CLUMP_STORE_BAD_INPUT); /* once */
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
}

static void check_fit(const clump_store_fit *fit)
{
    assert_string_equal(fit->application, "SAMPLE/mine");
    assert_string_equal(fit->fitted_from, "SAMPLE");
    assert_string_equal(fit->demand, "gang");
    assert_string_equal(fit->efficiency, "power");
    assert_int_equal(fit->parameter_count, 2);
    assert_string_equal(fit->parameters[0].name, "U");
    assert_true(fit->parameters[0].high == 0.5 && fit->parameters[0].free);
    assert_true(isnan(fit->parameters[1].low) && !fit->parameters[1].free);
    assert_int_equal(fit->run_count, 2);
    assert_string_equal(fit->runs[1].platform, "b");
    assert_string_equal(fit->runs[1].source, "log");
    assert_string_equal(fit->runs[1].base, "now");
    assert_string_equal(fit->runs[1].mapping, "static");
    assert_true(fit->runs[1].remote_fraction == 0.7 && fit->runs[1].fitted_s == 12.5);
    assert_true(isnan(fit->runs[0].utilization) && isnan(fit->runs[1].relative_error));
}

TEST(keeps_a_fit)
{
    clump_store *store = NULL;
    clump_store_fit *fit = NULL;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    add_fit(store);
    assert_int_equal(clump_store_find_fit(store, "SAMPLE", &fit), CLUMP_STORE_OK);
    assert_null(fit);
    for (long n = 0;; n++) {
        allocation_fails(n);
        const clump_store_status status = clump_store_find_fit(store, "SAMPLE/mine", &fit);
        allocations_succeed();
        if (status == CLUMP_STORE_OK) {
            assert_true(n > 0);
            break;
        }
        assert_int_equal(status, CLUMP_STORE_FAILED);
        assert_null(fit);
    }
    check_fit(fit);
    clump_store_free_fit(fit);
    size_t findings = 1;
    assert_int_equal(clump_store_check(store, NULL, NULL, &findings), CLUMP_STORE_OK);
    assert_int_equal(findings, 0);
    clump_store_close(store);
}

UNIT_MAIN(NULL, NULL)
