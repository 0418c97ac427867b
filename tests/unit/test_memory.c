/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory as a second station: nu(k), and nodes whose processors share memory and NICs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "model/memory.h"
#include "model/prediction.h"

static clump_load load_of(const double *utilizations, size_t count)
{
    return (clump_load){
        .utilizations = utilizations, .utilization_count = count, .coupling = CLUMP_COUPLING_NONE};
}

static clump_prediction predict(const clump_node *node, const clump_load *load, double *X)
{
    clump_prediction p;
    clump_error error = {CLUMP_OK, ""};
    const clump_prediction_details details = {X, NULL};
    if (clump_predict(node, load, &p, &details, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return p;
}

/* ---- nu */

static void test_queue(void **state)
{
    (void)state;
    /* 14 digits that another program printed. */
    static const double expected[] = {1,
                                      2,
                                      2.82352941176471,
                                      3.4,
                                      3.73831775700935,
                                      3.90273556231003,
                                      3.96897888840711,
                                      3.99140154772141};
    const clump_memory memory = {.share = 0.5, .feeds = 2};
    double rates[9];
    assert_int_equal(clump_memory_rates(&memory, 0, 8, rates, NULL), CLUMP_OK);
    assert_true(rates[0] == 0);
    for (size_t k = 1; k <= 8; k++) {
        double one;
        assert_close(rates[k], expected[k - 1], 1e-12);
        assert_int_equal(clump_memory_rate(&memory, k, &one, NULL), CLUMP_OK);
        assert_true(one == rates[k]);
    }
}

/* ---- nodes */

static void test_known_values(void **state)
{
    (void)state;
    const double curve[] = {1, 2, 3, 4}, two[] = {1, 2}, equal = 0.48;
    clump_node node = {.processors = 8, .nics = 4};
    const clump_load load = load_of(&equal, 1);
    assert_close(predict(&node, &load, NULL).slowdown, 1.00193123733961, 1e-14);
    node.memory = (clump_memory){.curve = curve, .curve_length = 4, .law = CLUMP_MEMORY_MEASURED};
    assert_close(predict(&node, &load, NULL).slowdown, 1.16489171626604, 1e-14);
    node.memory = (clump_memory){.share = 0.5, .feeds = 2, .law = CLUMP_MEMORY_ROOFLINE};
    assert_close(predict(&node, &load, NULL).slowdown, 1.16489171626604, 1e-14);
    node.memory.law = CLUMP_MEMORY_QUEUE;
    assert_close(predict(&node, &load, NULL).slowdown, 1.18749864230266, 1e-14);
    const double mixed[] = {0.2, 0.5, 0.7};
    const clump_load mix = load_of(mixed, 3);
    double X[3];
    node = (clump_node){.processors = 3, .nics = 2};
    node.memory = (clump_memory){.curve = two, .curve_length = 2, .law = CLUMP_MEMORY_MEASURED};
    predict(&node, &mix, X);
    assert_close(X[0], 1.10869565217391, 1e-14);
    assert_close(X[1], 1.02822580645161, 1e-14);
    assert_close(X[2], 0.910714285714286, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_known_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
