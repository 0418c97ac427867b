/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the n-th allocation on all fail, or the n-th alone; for every n with CLUMP_TEST_LONG=1, otherwise for every 29th with sanitizers,
 * which see leaks too, and for every 41st without. */
#include "tests/unit/failing_memory.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test_scenario.h"

#include "scenarios/scenario.h"

/* Which allocation fails next. */
static long after(long n)
{
    return n + (getenv("CLUMP_TEST_LONG") != NULL ? 1 : SANITIZED ? 29 : 41);
}

static bool only_one;

static void refuse(long n)
{
    if (only_one)
        allocation_fails(n);
    else
        allocations_fail_from(n);
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
    "  scenario { platform = p, application = a, protocol = { 'ssam', 'l-hrx' }, loss = 0.01 },\n"
    "  scenario { platform = p, utilization = 0.5, protocol = 'ssam', loss = 0.01 },\n"
    "  scenario { platform = platform { like = p, name = 'new', network = { g = 7 }, memory = { "
    "curve "
    "=\n"
    "      { 1, 1.5 } } }, compare_with = platform { like = p, name = 'old', memory = { feeds = 2 "
    "} },\n"
    "    memory_share = 0.2, demand = 'correlated', application = {\n"
    "      application { times = { old = 3 }, remote_traffic = { short_messages = { 1, 2, 3, 4, 5, "
    "6, 7, "
    "8 } } },\n"
    "      application { times = { old = 3 }, remote_traffic = { short_messages = { 1, 2 } } } } "
    "},\n"
    "}\n";

/* Allocations fail from `n` on; true if that was too late to matter. */
static bool survives(const char *path, long n)
{
    outcome o;
    refuse(n);
    run_file(&o, (clump_scenario_options){.path = path});
    const bool refused = allocations_succeed() > 0;
    if (o.status == CLUMP_SCENARIO_OK) {
        assert_int_equal(o.results.count, 2 + 8 + 1 + 2 + 1 + 2);
        clump_scenario_results_free(&o.results);
        return !refused;
    }
    assert_true(refused);
    assert_int_equal(o.status, CLUMP_SCENARIO_NO_MEMORY);
    assert_has(o.message, "memory");
    return false;
}

TEST(every_allocation_may_fail)
{
    char path[] = "/tmp/scenario-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, script, strlen(script)) == (ssize_t)strlen(script));
    close(file);
    for (int mode = 0; mode < 2; mode++) {
        long n = mode;
        only_one = mode == 1;
        while (!survives(path, n))
            n = after(n);
        assert_true(n > 300); /* the wrapper did take effect */
    }
    unlink(path);
}

/* The same for a script that is run once and computed point by point, with all that explore adds.
 */
static const char prepared[] =
    "local sample = application 'SAMPLE'\n"
    "local clump = platform 'e5000-clump'\n"
    "local G = uncertain { name = 'G', value = 2e-5, half_width = 1e-6 }\n"
    "local p = platform { name = 'mine', processors = 8, nics = 4,\n"
    "  network = { L = 1, o_s = 1, o_r = 1, g = share, G = G },\n"
    "  shared_memory = { L = 1, o_s = 1, o_r = 1, g = 1, G = 1e-5 },\n"
    "  placement = { domains = 2, far = 0.5, ports_per_slot = 2, slot_bandwidth = 1.5 } }\n"
    "local function a(n) return application { name = 'a' .. n, computation = 1,\n"
    "  remote_traffic = { bulk_messages = n, bulk_bytes = 1e9 } } end\n"
    "return scenario { application = { a(1), a(2), a(3) }, weights = { 1, 2, 3 },\n"
    "  platform = p, prices = { node = 1, nic = 2 }, utilization = 0.5 }\n";

static double take_median(const char *name, const clump_uncertain *distribution, void *context)
{
    (void)name;
    (void)context;
    return clump_uncertain_quantile(distribution, 0.5);
}

static bool preparing_survives(long n)
{
    static const char *const counts[] = {"1", "2", "3"};
    static const clump_scenario_override overrides[] = {{"nics", counts, 3}};
    static const clump_scenario_definition definition = {"share", "1.5"};
    bool read = false;
    char message[600] = "";
    refuse(n);
    clump_scenario_cache *cache = clump_scenario_cache_new();
    const clump_scenario_options options = {.path = "prepared.lua",
                                            .text = prepared,
                                            .text_size = sizeof prepared - 1,
                                            .store = test_store,
                                            .cache = cache,
                                            .definitions = &definition,
                                            .definition_count = 1,
                                            .definitions_read = &read,
                                            .overrides = overrides,
                                            .override_count = 1,
                                            .draw = take_median};
    clump_scenario *scenario = NULL;
    clump_scenario_status status =
        clump_scenario_prepare(&options, &scenario, message, sizeof message);
    if (status == CLUMP_SCENARIO_OK) {
        clump_result rows[3];
        assert_true(read);
        assert_int_equal(clump_scenario_configurations(scenario), 3);
        assert_int_equal(clump_scenario_applications(scenario, 1), 3);
        for (size_t c = 0; c < 3 && status == CLUMP_SCENARIO_OK; c++)
            status = clump_scenario_compute(scenario, c, &CLUMP_SCENARIO_UNCHANGED, rows, message,
                                            sizeof message);
    }
    const bool refused = allocations_succeed() > 0;
    clump_scenario_free(scenario);
    clump_scenario_cache_free(cache);
    if (status == CLUMP_SCENARIO_OK)
        return !refused;
    if (!refused)
        fail_msg("%s", message);
    assert_int_equal(status, CLUMP_SCENARIO_NO_MEMORY);
    assert_has(message, "memory");
    return false;
}

TEST(every_allocation_of_preparing_may_fail)
{
    for (int mode = 0; mode < 2; mode++) {
        long n = mode;
        only_one = mode == 1;
        while (!preparing_survives(n))
            n = after(n);
        assert_true(n > 300);
    }
}

UNIT_MAIN(open_store, close_store)
