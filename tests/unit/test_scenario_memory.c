/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linked with --wrap for malloc, calloc and realloc: from the n-th allocation on all fail, or the
 * n-th alone, for every n. */
#include "test_scenario.h"

/* Weak: without --wrap there is nothing to test, and it is skipped. */
#pragma weak __real_malloc
#pragma weak __real_calloc
#pragma weak __real_realloc
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long countdown = -1; /* allocations until one fails; negative: none fails */
static bool only_one;
static long refused;

static bool refuses(void)
{
    if (countdown < 0)
        return false;
    if (countdown > 0) {
        countdown--;
        return false;
    }
    if (only_one)
        countdown = -1;
    refused++;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuses() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuses() ? NULL : __real_realloc(old, size);
}

static const char script[] =
    "local a = application 'SAMPLE'\n"
    "local p = platform 'e5000-clump'\n"
    "local q = platform { name = 'mine', processors = 8, nics = 4, efficiency = function(q) return "
    "1/q end }\n"
    "local s = {}\n"
    "for i = 1, 20 do s[i] = 'x' .. i end\n"
    "print(table.concat(s, ','))\n"
    "local ok, text = pcall(error, {})\n"
    "clump.slowdown { processors = 8, nics = 4, utilization = range(0.1, 0.8, 0.1) }\n"
    "return {\n"
    "  scenario { application = a, platform = p, demand = { 'correlated', 'gang:2' } },\n"
    "  scenario { platform = q, utilizations = range(0.1, 0.8, 0.1) },\n"
    "  scenario { processors = 8, nics = 4,\n"
    "    application = application { phases = { { time = 1, utilization = 0.5 } } } },\n"
    "}\n";

/* Allocations fail from `n` on; true if that was too late to matter. */
static bool survives(const char *path, long n)
{
    outcome o;
    refused = 0;
    countdown = n;
    run_file(&o, (clump_scenario_options){.path = path});
    countdown = -1;
    if (o.status == CLUMP_SCENARIO_OK) {
        assert_int_equal(o.results.count, 2 + 8 + 1);
        clump_scenario_results_free(&o.results);
        return refused == 0;
    }
    assert_true(refused > 0);
    assert_int_equal(o.status, CLUMP_SCENARIO_FAILED);
    assert_has(o.message, "memory");
    return false;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    if (__real_malloc == NULL)
        skip();
    char path[] = "/tmp/scenario-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, script, strlen(script)) == (ssize_t)strlen(script));
    close(file);
    for (int mode = 0; mode < 2; mode++) {
        long n = 0;
        only_one = mode == 1;
        while (!survives(path, n))
            n++;
        assert_true(n > 300); /* the wrapper did take effect */
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, open_store, close_store);
}
