/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that processors share, in scenarios. Expected slowdowns are those of MODEL.md, section 27, by
 * brute force over all subsets; shares are worked out by hand. */
#include "tests/unit/test_scenario.h"

static const double queue = 1.18749864230266, roofline = 1.16489171626604, none = 1.00193123733961;

#define NODE "processors = 8, nics = 4, "

static const clump_result *one(outcome *o, const char *memory, const char *application,
                               const char *fields)
{
    char text[1500];
    snprintf(text, sizeof text,
             "return scenario { platform = platform { name = 'p', " NODE "memory = %s },\n"
             "application = application { utilization = 0.48%s }%s }",
             memory, application, fields);
    good(o, text);
    assert_int_equal(o->results.count, 1);
    return o->results.rows;
}

TEST(stations)
{
    outcome o;
    const clump_result *r = one(&o, "{ feeds = 2 }", ", memory_share = 0.5", "");
    assert_near(r->slowdown, queue, 1e-13);
    assert_string_equal(r->memory_law, "queue");
    assert_near(r->memory_share, 0.5, 0);
    assert_near(r->memory_feeds, 2, 0);
    /* 8 processors, half of 0.52 of a unit of time each, over X; memory does 2 */
    assert_near(r->memory_utilization, 8 * 0.5 * 0.52 / (queue * 2), 1e-12);
    clump_scenario_results_free(&o.results);
    r = one(&o, "{ feeds = 4, law = 'roofline' }", ", memory_share = 1", "");
    assert_near(r->slowdown, roofline, 1e-13);
    clump_scenario_results_free(&o.results);
    r = one(&o, "{ curve = { 1, 2, 3, 4 }, law = 'measured' }", "", "");
    assert_near(r->slowdown, roofline, 1e-13);
    assert_true(isnan(r->memory_share));
    assert_near(r->memory_utilization, 8 * 0.52 / (roofline * 4), 1e-12);
    clump_scenario_results_free(&o.results);
    /* no share, no station */
    r = one(&o, "{ feeds = 2 }", "", "");
    assert_near(r->slowdown, none, 1e-13);
    assert_null(r->memory_law);
    clump_scenario_results_free(&o.results);
    /* a scenario's own numbers */
    good(&o, "return scenario { " NODE "utilization = 0.48, memory_share = { 0, 0.5 }, "
             "memory_feeds = { 2, 8 } }");
    assert_int_equal(o.results.count, 4);
    assert_near(o.results.rows[0].slowdown, none, 1e-13);
    assert_near(o.results.rows[2].slowdown, queue, 1e-13);
    assert_near(o.results.rows[3].slowdown, none, 1e-6); /* more than it ever takes */
    clump_scenario_results_free(&o.results);
}

TEST(bytes)
{
    outcome o;
    /* 5 GB/s of one process, at most 10 of all: feeds 2; 2.5 GB/s wanted are half */
    const char *platform = "{ bandwidth = { 5e9, 10e9 } }";
    const clump_result *r = one(&o, platform, ", memory_traffic = 2.5e9", "");
    assert_near(r->slowdown, queue, 1e-13);
    assert_near(r->memory_share, 0.5, 1e-15);
    clump_scenario_results_free(&o.results);
    /* 25 million misses of 100 bytes */
    r = one(&o, platform, ", cache_misses = 25e6, cache_line = 100", "");
    assert_near(r->slowdown, queue, 1e-13);
    clump_scenario_results_free(&o.results);
    r = one(&o, platform, ", cache_misses = 25e6", "");
    assert_near(r->memory_share, 25e6 * 64 / 5e9, 1e-15);
    clump_scenario_results_free(&o.results);
    /* one process' bandwidth beside what memory feeds */
    r = one(&o, "{ feeds = 2, bandwidth = 5e9 }", ", memory_traffic = 2.5e9", "");
    assert_near(r->slowdown, queue, 1e-13);
    clump_scenario_results_free(&o.results);
    r = one(&o, platform, ", memory_traffic = 2.5e9", ", memory_share = 0");
    assert_near(r->slowdown, none, 1e-13); /* the scenario's share comes first */
    clump_scenario_results_free(&o.results);
}

/* Compared with a platform that has another memory. */
TEST(compared)
{
    outcome o;
    good(&o, "local a = platform { name = 'a', " NODE "memory = { feeds = 2 } }\n"
             "local b = platform { name = 'b', like = a, memory = { feeds = 8 } }\n"
             "local now = platform { name = 'now', processors = 1, nics = 1 }\n"
             "return scenario { platform = a, compare_with = { a, b, now },\n"
             "application = application { utilization = 0.48, memory_share = 0.5 } }");
    assert_near(o.results.rows[0].ratio, 1, 1e-13);
    assert_near(o.results.rows[1].ratio, queue / none, 1e-6);
    assert_near(o.results.rows[2].ratio, queue, 1e-12); /* one processor has memory to itself */
    clump_scenario_results_free(&o.results);
}

TEST(refused)
{
#define P "return scenario { platform = platform { name = 'p', " NODE
#define A "}, application = application { utilization = 0.5, "
    bad(P A "memory_share = 0.5 } }", 1, "nothing is known of the memory of \"p\"");
    bad(P "memory = { feeds = 2 }" A "memory_traffic = 1e9 } }", 1,
        "what one process draws of the memory of \"p\" is not known");
    bad(P "memory = { feeds = 2, bandwidth = 1e9 }" A "memory_traffic = 2e9 } }", 1,
        "memory_traffic is 2e+09 B/s, more than the 1e+09 B/s");
    bad(P "memory = { feeds = 2, curve = { 1, 2 } }" A "} }", 1, "one of them only");
    bad(P "memory = { }" A "} }", 1, "expected feeds, or curve");
    bad(P "memory = { bandwidth = 5 }" A "} }", 1, "expected feeds, or curve");
    bad(P "memory = { curve = { 2, 3 } }" A "} }", 1, "the curve begins with 2");
    bad(P "memory = { feeds = 2, law = 'measured' }" A "} }", 1, "memory");
    bad(P "memory = { feeds = 2, law = 'queues' }" A "} }", 1, "queue");
    bad(P "memory = { feed = 2 }" A "} }", 1, "did you mean \"feeds\"?");
    bad(P A "memory_share = 0.5, cache_misses = 3 } }", 1,
        "found memory_share and cache_misses, expected one of them");
    bad(P A "cache_line = 64 } }", 1, "expected cache_misses beside it");
    /* a stored platform without such samples */
    bad("return scenario { platform = platform 'e5000-clump', utilization = 0.5, memory_share = "
        "0.5 }",
        1, "nothing is known of the memory of \"e5000-clump\"");
}

/* It would repeat rows. */
TEST(feeds_without_wanting)
{
    outcome o;
    bad("return scenario { processors = 8, nics = 2, utilization = 0.3, memory_feeds = { 1, 2 } }",
        1, "nothing says how much of memory is wanted");
    good(&o, "return scenario { processors = 8, nics = 2, utilization = 0.3, memory_share = 0, "
             "memory_feeds = { 1, 2 } }");
    clump_scenario_results_free(&o.results);
    bad("return scenario { platform = platform 'e5000-smp', application = application { "
        "utilization = 0.3, memory_share = 0.5 } }",
        0, "the database: ");
}

UNIT_MAIN(open_store, close_store)
