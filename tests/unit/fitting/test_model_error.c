/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of predictions, and that the table they come from is what validate finds. */
#include "tests/unit/unit.h"

#include "data/import/import.h"
#include "fitting/clusters/clusters.h"
#include "fitting/validation/validation_judge.h"
#include "model/model_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* Student's t of 2 degrees of freedom at 95%: 2.919986 (any table); of 1: tan(0.45 pi). */
TEST(test_interval)
{
    const clump_model_error two = {.datasets = 3, .rows = 9, .scale = 0.1, .freedom = 2};
    const clump_model_error one = {.datasets = 1, .rows = 2, .scale = 0.02, .freedom = 1};
    double low, high;
    assert_int_equal(clump_model_error_interval(&two, 4, NAN, NAN, 0.9, &low, &high, NULL),
                     CLUMP_OK);
    near(low, 4 * exp(-0.2919986), 1e-6);
    near(high, 4 * exp(0.2919986), 1e-6);
    assert_int_equal(clump_model_error_interval(&one, 1, NAN, NAN, 0.9, &low, &high, NULL),
                     CLUMP_OK);
    const double t = tan(0.45 * acos(-1));
    near(low, exp(-0.02 * t), 1e-9);
    near(high, exp(0.02 * t), 1e-9);
    /* Both kinds of doubt: 3 and 4 make 5. */
    const double inner = 0.2919986 * 4 / 3;
    assert_int_equal(clump_model_error_interval(&two, 2, 2 * exp(-inner), 2 * exp(inner), 0.9, &low,
                                                &high, NULL),
                     CLUMP_OK);
    near(high / 2, exp(0.2919986 * 5 / 3), 1e-6);
    near(2 / low, exp(0.2919986 * 5 / 3), 1e-6);
    const clump_model_error none = {.rows = 0};
    assert_int_equal(clump_model_error_interval(&none, 2, NAN, NAN, 0.9, &low, &high, NULL),
                     CLUMP_OK);
    assert_true(isnan(low) && isnan(high));
}

TEST(test_refused)
{
    const clump_model_error m = {.datasets = 3, .rows = 9, .scale = 0.1, .freedom = 2};
    const double bad[][4] = {{0, NAN, NAN, 0.9},        {-1, NAN, NAN, 0.9}, {NAN, NAN, NAN, 0.9},
                             {INFINITY, NAN, NAN, 0.9}, {1, 1.1, 1.2, 0.9},  {1, 0.5, 0.9, 0.9},
                             {1, NAN, 1.2, 0.9},        {1, -1, 2, 0.9},     {1, NAN, NAN, 0},
                             {1, NAN, NAN, 1},          {1, NAN, NAN, NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double low = 7, high = 8;
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(clump_model_error_interval(&m, bad[i][0], bad[i][1], bad[i][2], bad[i][3],
                                                    &low, &high, &error),
                         CLUMP_BAD_ARGUMENT);
        assert_true(error.message[0] != '\0' && low == 7 && high == 8);
    }
}

TEST(test_kinds)
{
    const clump_node pairs = {.processors = 8, .nics = 4}, each = {.processors = 4, .nics = 4};
    assert_int_equal(clump_change_of(&pairs, 0.5), CLUMP_CHANGE_SHARED_NICS);
    assert_int_equal(clump_change_of(&each, 1), CLUMP_CHANGE_NIC_EACH);
    assert_int_equal(clump_change_of(&pairs, 0), CLUMP_CHANGE_ONE_NODE);
    for (int k = 0; k < CLUMP_CHANGE_COUNT; k++)
        assert_true(strlen(clump_change_name((clump_change)k)) > 0 &&
                    strlen(clump_change_words((clump_change)k)) > 0);
}

/* Mean squares of two data sets: (0.0025 + 0.0225)/2 and (0.1225 + 0.0625)/2. */
TEST(test_from_residuals)
{
    const clump_change shared = CLUMP_CHANGE_SHARED_NICS, one = CLUMP_CHANGE_ONE_NODE;
    const validation_residual r[] = {{0.05, 0, shared}, {0.35, 2, shared}, {0.15, 0, shared},
                                     {0.25, 2, shared}, {-1, 5, one},      {0.7, 6, shared}};
    clump_model_error m = validation_model_error(r, 4, shared, SIZE_MAX);
    assert_int_equal(m.datasets, 2);
    assert_int_equal(m.rows, 4);
    assert_int_equal(m.basis, CLUMP_ERROR_OWN);
    near(m.scale * m.scale, (0.0125 + 0.0925) / 2, 1e-12);
    near(m.freedom, 2, 1e-12);
    m = validation_model_error(r, 6, shared, 6);
    near(m.scale * m.scale, (0.0125 + 0.0925) / 2, 1e-12);
    /* One's own kind needs two data sets; then those of clusters; then all. */
    assert_int_equal(validation_model_error(r, 6, CLUMP_CHANGE_NIC_EACH, 6).basis,
                     CLUMP_ERROR_CLUSTERS);
    m = validation_model_error(r, 6, one, SIZE_MAX);
    assert_int_equal(m.basis, CLUMP_ERROR_ALL);
    assert_int_equal(m.datasets, 4);
    near(m.scale * m.scale, (0.0125 + 0.0925 + 1 + 0.49) / 4, 1e-12);
    near(m.freedom, 4, 1e-12);
    m = validation_model_error(r, 6, one, 5); /* other NICs are not clusters against a NOW */
    assert_int_equal(m.datasets, 3);
    assert_int_equal(validation_model_error(r, 0, one, SIZE_MAX).rows, 0);
}

/* A sum of twelve uniform numbers is near to a normal one. */
static double draw(uint64_t *seed)
{
    double sum = -6;
    for (int k = 0; k < 12; k++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*seed >> 11) * 0x1p-53;
    }
    return sum;
}

/* How often a 90% interval holds a row of a data set that is left out, where data sets differ. */
TEST(test_coverage)
{
    enum { SETS = 6, ROWS = 8, ALL = SETS * ROWS, WORLDS = 500 };
    size_t held = 0;
    uint64_t seed = 1;
    for (size_t world = 0; world < WORLDS; world++) {
        validation_residual r[ALL];
        for (size_t i = 0; i < ALL; i++) {
            static double shared;
            if (i % ROWS == 0)
                shared = 0.08 * draw(&seed);
            r[i] = (validation_residual){shared + 0.06 * draw(&seed), i / ROWS,
                                         CLUMP_CHANGE_SHARED_NICS};
        }
        for (size_t i = 0; i < ALL; i++) {
            const clump_model_error m =
                validation_model_error(r, ALL, CLUMP_CHANGE_SHARED_NICS, i / ROWS);
            double low, high;
            assert_int_equal(clump_model_error_interval(&m, 1, NAN, NAN, 0.9, &low, &high, NULL),
                             CLUMP_OK);
            held += exp(r[i].value) >= low && exp(r[i].value) <= high;
        }
    }
    const double share = (double)held / (ALL * WORLDS);
    if (!(share > 0.88 && share < 0.94))
        fail_msg("a 90%% interval held %.1f%%", 100 * share);
}

/* Programs behind other NICs, as the documents have them. */
static void import_clusters(clump_store *store)
{
    static const char *const files[] = {"alaska-both-ways", "alaska-gromacs", "alaska-cp2k",
                                        "um6p-gromacs", "mlperf-r750xa"};
    const char *tests = getenv("CLUMP_TEST_DIR");
    clump_import *import = clump_import_start(&(clump_import_options){
        .format = "clumpmodel", .nodes = -1, .processors = -1, .nics = -1, .size_bytes = -1});
    assert_non_null(import);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/../docs/clusters/%s.csv", tests != NULL ? tests : "tests",
                 files[i]);
        if (clump_import_read(import, path) != CLUMP_STORE_OK)
            fail_msg("%s", clump_import_message(import));
    }
    if (clump_import_store(import, store, NULL) != CLUMP_STORE_OK)
        fail_msg("%s", clump_import_message(import));
    clump_import_free(import);
}

static void add_other_nics(clump_store *store, clump_validation *v)
{
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_NICS};
    clump_cluster_judgement judgement;
    clump_judged_row rows[100];
    size_t count = 0;
    assert_int_equal(clump_clusters_judge(store, &request, &judgement, NULL), CLUMP_OK);
    assert_true(judgement.count <= 100);
    for (size_t i = 0; i < judgement.count; i++) {
        const clump_cluster_row *row = &judgement.rows[i];
        if (isnan(row->error))
            continue;
        rows[count] = (clump_judged_row){.predicted = row->predicted, .measured = row->measured};
        strcpy(rows[count++].dataset, strncmp(row->set, "OpenFOAM", 8) == 0  ? "OpenFOAM"
                                      : strstr(row->set, "um6p") != NULL     ? "GROMACS on UM6P"
                                      : strncmp(row->set, "GROMACS", 7) == 0 ? "GROMACS on Alaska"
                                      : strncmp(row->set, "CP2K", 4) == 0    ? "CP2K"
                                                                             : "training");
    }
    assert_int_equal(clump_validation_add_judged(v, CLUMP_CHANGE_OTHER_NIC, rows, count, NULL),
                     CLUMP_OK);
    clump_clusters_free(&judgement);
}

/* If this fails: make model-error. */
TEST(test_table_is_what_validate_finds)
{
    clump_store *store = NULL;
    clump_validation v;
    clump_error error;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    import_clusters(store);
    assert_int_equal(clump_validation_make(store, NULL, &v, &error), CLUMP_OK);
    add_other_nics(store, &v);
    for (int k = 0; k < CLUMP_CHANGE_COUNT; k++) {
        const clump_model_error *kept = clump_model_error_of((clump_change)k);
        assert_int_equal(kept->datasets, v.changes[k].datasets);
        assert_int_equal(kept->rows, v.changes[k].rows);
        assert_int_equal(kept->basis, v.changes[k].basis);
        near(kept->freedom, v.changes[k].freedom, 1e-4);
        near(kept->scale, v.changes[k].scale, 1e-4);
    }
    near(clump_model_error_miss_share(), v.constants[CLUMP_RULE_MEMORY], 1e-4);
    /* What is promised of 90% intervals, out of sample. */
    const clump_validation_summary sum = clump_validation_summarize(&v, NULL, 0);
    const double held = (double)sum.held / (double)sum.intervals;
    assert_int_equal(sum.intervals, sum.count);
    if (!(held >= 0.85 && held <= 0.95))
        fail_msg("the intervals held %zu of %zu measured times", sum.held, sum.intervals);
    clump_validation_free(&v);
    clump_store_close(store);
}

UNIT_MAIN(NULL, NULL)
