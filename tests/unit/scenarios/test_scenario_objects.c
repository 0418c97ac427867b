/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Platforms, applications, the store, and how fields are checked. */
#include "tests/unit/test_scenario.h"

#define P8N4 "processors = 8, nics = 4, "
#define LOGGP                                                                                      \
    "network = { L = 12.56, o_s = 3.463, o_r = 8.93, g = 14.51, G = 0.031208 }, "                  \
    "shared_memory = { L = -0.52, o_s = 2.135, o_r = 1.73, g = 3.251, G = 0.0063 } "

static double first(const char *text)
{
    outcome o;
    good(&o, text);
    const double slowdown = o.results.rows[0].slowdown;
    clump_scenario_results_free(&o.results);
    return slowdown;
}

TEST(platforms_are_described_or_stored)
{
    outcome o;
    good(&o,
         "local p = platform { name = 'mine', title = 'My machine', " P8N4
         "mapping = 'static', memory_penalty = 1.1, " LOGGP "}\n"
         "assert(p.processors == 8 and p.nics == 4 and p.mapping == 'static')\n"
         "assert(p.name == 'mine' and p.nodes == 1)\n"
         "local e = platform 'e5000-clump'\n"
         "assert(e.nodes == 4 and e.processors == 8 and e.nics == 4 and e.mapping == 'static')\n"
         "return scenario { utilization = 0.5, platform = { p, e }, demand = 'correlated' }");
    assert_int_equal(o.results.count, 2);
    assert_string_equal(o.results.rows[0].platform, "mine");
    assert_string_equal(o.results.rows[1].platform, "e5000-clump");
    assert_near(o.results.rows[0].memory_penalty, 1.1, 0);
    assert_near(o.results.rows[0].slowdown, 0.5 * 1.1 + 2 * 0.5, 1e-12);
    assert_near(o.results.rows[1].slowdown, 1.5, 1e-12);
    assert_int_equal(o.results.rows[1].mapping, CLUMP_MAPPING_STATIC);
    clump_scenario_results_free(&o.results);
    bad("\nlocal p = platform 'e5000-clumb'", 2, "e5000-clump");
    bad("local p = platform { processors = 8 }", 1,
        "platform: nics is nothing, expected a whole "
        "number, 0 to 100000000");
    bad("platform { procesors = 8, nics = 1 }", 1,
        "there is no field \"procesors\"; did you mean \"processors\"?");
    bad("platform { 8, 4 }", 1, "found the key [1], expected only named fields");
    bad("platform { " P8N4 "network = { L = 1, o_s = 1, o_r = 1, g = 0, G = 1 } }", 1, "g is 0");
    bad("platform { " P8N4 "network = { L = 1, o_s = 1, o_r = 1, g = 1 } }", 1,
        "platform: network: G is nothing");
    bad("platform { " P8N4 "network = { l = 1 } }", 1, "did you mean \"L\"?");
    bad("platform(12)", 1, "found 12, expected a name or a table of fields");
    bad("local x = platform('e5000-clump').cores", 1, "there is no field \"cores\"");
    bad("platform('e5000-clump').nics = 9", 1, "");
}

/* U, f, V worked out by hand from the counts: 1000 messages of 14.51 us in 0.1 s, 600 leave. */
TEST(traffic_gives_a_profile)
{
    outcome o;
    good(&o,
         "local a = application { name = 'A', now_time = 0.1,\n"
         "  remote_traffic = { short_messages = 600 }, local_traffic = { short_messages = 400 } }"
         "\nreturn scenario { application = a, platform = platform { " P8N4 LOGGP "},\n"
         "  max_nics_per_processor = 'auto' }");
    const clump_result *row = &o.results.rows[0];
    assert_string_equal(row->application, "A");
    assert_near(row->utilization, 1000 * 14.51e-6 / 0.1, 1e-12);
    assert_near(row->remote_fraction, 0.6, 1e-12);
    assert_near(row->cost_ratio, 3.251 / 14.51, 1e-12);
    assert_near(row->waiting_fraction, 0, 0);
    assert_near(row->max_nics_per_processor, 1, 0); /* floor(14.51/12.393) */
    assert_near(row->now_time, 0.1, 1e-15);
    assert_near(row->predicted_time, 0.1 * row->slowdown, 1e-15);
    assert_true(isnan(row->measured_time) && isnan(row->error));
    clump_scenario_results_free(&o.results);
    good(&o, "local a = application { computation = 0.5, style = 'blocking',\n"
             "  remote_traffic = { bulk_messages = 10, bulk_bytes = 20480 } }\n"
             "return scenario { application = a, platform = platform { " P8N4 LOGGP "},\n"
             "  max_nics_per_processor = 'auto' }");
    row = &o.results.rows[0];
    const double occupied = 10 * 14.51e-6 + 20470 * 0.031208e-6;
    assert_near(row->utilization, occupied / (0.5 + occupied), 1e-12);
    assert_near(row->now_time, 0.5 + occupied, 1e-12);
    assert_near(row->max_nics_per_processor, 6, 0); /* floor((14.51 + 63.88)/12.393) */
    clump_scenario_results_free(&o.results);
    bad("local a = application { now_time = 1, remote_traffic = { short_messages = 600 } }\n"
        "return scenario { application = a, platform = platform { " P8N4 "} }",
        2, "found no network");
    bad("local a = application { now_time = 1, remote_traffic = { short_messages = 600 } }\n"
        "return scenario { application = a, " P8N4 " }",
        2, "expected a platform");
    bad("local a = application { now_time = 0.001, remote_traffic = { short_messages = 600 } }\n"
        "return scenario { application = a, platform = platform { " P8N4 LOGGP "} }",
        2, "more than the 0.001 s given");
    bad("application { remote_traffic = { short_messages = 600 } }", 1, "neither time");
    bad("application { remote_traffic = { short_messages = 600 }, computation = 1, "
        "node_computation = "
        "1 }",
        1, "found computation and node_computation, expected one of them");
    /* Seconds in a node are those on the NOW times what memory costs. */
    good(&o,
         "local function a(t) t.remote_traffic = { bulk_messages = 10, bulk_bytes = 20480 }\n"
         "  return application(t) end\n"
         "return scenario { application = { a { now_computation = 0.5 }, a { computation = 0.5 },\n"
         "  a { node_computation = 0.6 } },\n"
         "  platform = platform { " P8N4 LOGGP ", memory_penalty = 1.2 } }");
    for (size_t i = 0; i < 3; i++) {
        assert_near(o.results.rows[i].now_time, 0.5 + occupied, 1e-12);
        assert_near(o.results.rows[i].slowdown, o.results.rows[0].slowdown, 1e-12);
    }
    clump_scenario_results_free(&o.results);
    bad("application { remote_traffic = { short = 600 }, now_time = 1 }", 1,
        "did you mean \"short_messages\"?");
    bad("application { utilization = 0.5, style = 'blocking' }", 1,
        "found utilization and style, expected one description");
    bad("application { name = 'x' }", 1, "found no description");
    bad("application { name = '' , utilization = 1 }", 1, "expected one line of text");
    bad("application { name = 'a\\nb' , utilization = 1 }", 1, "expected one line of text");
    bad("application { utilization = { 0.5, 1.5 } }", 1,
        "utilization is 1.5, expected a number, "
        "0 to 1");
    bad("return scenario { utilization = 0.1, max_nics_per_processor = 'auto', " P8N4 "}", 1,
        "max_nics_per_processor is \"auto\", expected a platform");
}

TEST(stored_runs_carry_what_was_measured)
{
    outcome o;
    good(&o, "return scenario { application = application 'SAMPLE', platform = platform "
             "'e5000-clump', nics = { 4, 5 }, mapping = { 'static', 'pooled' } }");
    assert_int_equal(o.results.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const clump_result *row = &o.results.rows[i];
        assert_near(row->now_time, 2.46, 1e-15);
        assert_near(row->predicted_time, 2.46 * row->slowdown, 1e-12);
        assert_int_equal(isnan(row->measured_slowdown), i != 0);
        assert_int_equal(isnan(row->error), i != 0);
    }
    const clump_result *row = &o.results.rows[0];
    const double X = 3.33 / 2.46;
    assert_near(row->measured_time, 3.33, 1e-15);
    assert_near(row->measured_slowdown, X, 1e-12);
    assert_near(row->measured_half_width, X * sqrt(pow(0.07 / 3.33, 2) + pow(0.02 / 2.46, 2)),
                1e-12);
    assert_near(row->error, row->slowdown / X - 1, 1e-12);
    clump_scenario_results_free(&o.results);
    bad("\nreturn scenario { application = application 'SAMPLE',\n  platform = platform "
        "'e5000-clump', processors = 4 }",
        2, "known for 8 processors only; keep them, or give remote_fraction");
    assert_true(first("return scenario { application = application 'SAMPLE', platform = platform "
                      "'e5000-clump', processors = 4, remote_fraction = 0.9 }") > 0);
    bad("return scenario { application = application 'SAMPLE', " P8N4 "}", 1, "in the store");
    bad("return scenario { application = application 'EM3D/good', platform = platform 'e5000-smp' "
        "}",
        1, "does not have its time on \"ultra170-now-8\", the NOW to compare platform");
    bad("return scenario { application = application 'EM3D', platform = platform 'e5000-clump' }",
        1, "does not have its traffic on platform \"e5000-clump\"");
    bad("return scenario { application = application 'SAMPLE', platform = platform 'ultra170-now' "
        "}",
        1, "names no NOW");
    bad("application 'SAMPEL'", 1, "SAMPLE");
}

TEST(fields_are_checked)
{
    bad("\n\nreturn scenario {\n nics = 4, utilisation = 0.5 }", 3,
        "scenario: there is no field \"utilisation\"; did you mean \"utilization\"?");
    bad("scenario { nics = 4, color = 1 }", 1, "there is no field \"color\"; there is: title, ");
    bad("scenario { max_nics = 4 }", 1, "did you mean \"max_nics_per_processor\"?");
    bad("scenario { " P8N4 "utilization = '0.5' }", 1, "utilization is \"0.5\", expected a number");
    bad("scenario { " P8N4 "utilization = { 0.5, 2 } }", 1, "utilization is 2, expected");
    bad("scenario { " P8N4 "utilization = {} }", 1, "an empty list");
    bad("scenario { " P8N4 "utilization = { 0.1, nil, 0.3 } }", 1, "gaps");
    bad("scenario { " P8N4 "utilization = { x = 0.1 } }", 1, "has the key [\"x\"]");
    bad("scenario { processors = 8.5, nics = 4, utilization = 0 }", 1,
        "processors is 8.5, expected a whole number, 1 to 100000000");
    bad("scenario { processors = 0/0, nics = 4, utilization = 0 }", 1, "processors is");
    bad("scenario { " P8N4 "utilization = 0, demand = 'corelated' }", 1,
        "demand is \"corelated\", expected \"independent\", \"correlated\", \"scheduled\" or "
        "\"gang:S\" with groups of S processors; did you mean \"correlated\"?");
    bad("scenario { " P8N4 "utilization = 0, demand = 'gang:0.5' }", 1, "demand is \"gang:0.5\"");
    bad("scenario { " P8N4 "utilization = 0, demand = 'gang:1e1' }", 1, "demand is \"gang:1e1\"");
    bad("scenario { " P8N4 "utilization = 0, mapping = 'pool' }", 1, "did you mean \"pooled\"?");
    bad("scenario { " P8N4 "utilization = 0, max_nics_per_processor = 'automatic' }", 1,
        "expected \"auto\" or a number, 1 or more");
    bad("scenario { " P8N4 "utilization = 0, platform = 'e5000-clump' }", 1,
        "platform is \"e5000-clump\", expected platform \"NAME\"");
    bad("scenario { " P8N4 "application = { 1 } }", 1, "application is 1, expected");
    bad("scenario { nics = 4, utilization = 0 }", 1, "neither processors nor platform");
    bad("scenario { processors = 4, utilization = 0 }", 1, "neither nics nor platform");
    bad("scenario { " P8N4 "}", 1, "neither application nor utilization");
    bad("scenario 'x'", 1, "scenario: found \"x\", expected a table");
    bad("scenario { title = {}, " P8N4 "utilization = 0 }", 1, "title is a table");
    bad("scenario { " P8N4 "utilization = 0, efficiency = { 0.9, 0.8 } }", 1,
        "efficiency of 1 active processor is 0.9, expected 1");
    bad("scenario { " P8N4 "utilization = 0,\nefficiency = function(q) return 2 - q end }", 1,
        "what the efficiency function returned is 0, expected");
    bad("scenario { " P8N4 "utilization = 0,\nefficiency = function(q) return q.x end }", 2,
        "attempt to index a number value");
    bad("scenario { processors = 2000000, nics = 4, utilization = 0, "
        "efficiency = function() return 1 end }",
        1, "at most 1000000 processors");
    /* what only shows in a row tells the row, where no row can be predicted */
    bad("\nreturn scenario { " P8N4 "utilization = 0.5, demand = { 'gang:9', 'gang:10' } }", 2,
        "row with processors = 8, nics = 4, mapping = pooled, demand = gang:9: gang size: 9");
    bad("return scenario { " P8N4 "utilization = 0.5, group_sizes = { 8 } }", 1,
        "group_sizes has 1 entries, expected one for each of the 4 NICs");
    bad("return scenario { " P8N4 "utilization = 0.5, group_sizes = { 2, 2, 2, 3 }, "
        "mapping = 'static' }",
        1, "more than the 8 processors");
    bad("return scenario { " P8N4 "utilization = 0.5, group_sizes = { 2, 2, 2, 2 } }", 1,
        "only a static mapping has groups");
    bad("return scenario { processors = 8, nics = 0, utilization = 0.5 }", 1, "nics is 0");
}

static void assert_refused(const clump_result *row, const char *part)
{
    assert_non_null(row->refused);
    assert_has(row->refused, part);
    assert_true(isnan(row->slowdown) && isnan(row->slowest_slowdown) && isnan(row->predicted_time));
    assert_true(isnan(row->mean_active) && isnan(row->nic_utilization) && isnan(row->error));
}

/* What does not fit together is a row that says why; the others are what they are without it. */
TEST(refused_rows_end_nothing)
{
    outcome o;
    good(&o,
         "local function app(name, seconds) return application { name = name, now_time = seconds,\n"
         "  remote_traffic = { short_messages = 600 }, local_traffic = { short_messages = 400 } } "
         "end\n"
         "return scenario { application = { app('A', 0.1), app('B', 0.01) }, nics = { 2, 4 },\n"
         "  platform = platform { " P8N4 LOGGP "} }");
    assert_int_equal(o.results.count, 4);
    const clump_result *rows = o.results.rows;
    for (size_t i = 0; i < 2; i++) {
        assert_null(rows[i].refused);
        assert_near(rows[i].utilization, 1000 * 14.51e-6 / 0.1, 1e-12);
        /* both figures: 1000 messages of 14.51 us, and the time */
        assert_refused(&rows[2 + i], "takes 0.01451 s");
        assert_refused(&rows[2 + i], "the 0.01 s given");
        assert_string_equal(rows[2 + i].application, "B");
        assert_int_equal(rows[2 + i].nics, i == 0 ? 2 : 4);
        assert_near(rows[2 + i].now_time, 0.01, 1e-15);
        assert_true(isnan(rows[2 + i].utilization));
    }
    assert_ptr_equal(rows[2].refused, rows[3].refused); /* millions of rows may say the same */
    clump_scenario_results_free(&o.results);
    /* the store does not know one of them, another is of a single platform's size */
    good(&o, "return scenario { application = { application 'EM3D/good', application 'SAMPLE' },\n"
             "  platform = { platform 'e5000-smp', platform 'e5000-clump' }, processors = { 4, 8 "
             "} }");
    rows = o.results.rows;
    assert_int_equal(o.results.count, 8);
    assert_refused(&rows[0], "does not have its time on \"ultra170-now-8\"");
    assert_refused(&rows[2], "known for 8 processors only");
    assert_true(rows[3].refused == NULL && rows[3].slowdown > 0);
    clump_scenario_results_free(&o.results);
    good(&o, "return scenario { processors = { 4, 16 }, nics = 2, utilizations = { .1, .2, .3, .4 "
             "} }");
    assert_int_equal(o.results.count, 5); /* four processors, and one row of the other node */
    assert_refused(&o.results.rows[4], "4 values, expected 1 or one for each of the 16");
    assert_int_equal(o.results.rows[4].processor, 0);
    clump_scenario_results_free(&o.results);
    /* limits end it all the same */
    run_text(&o, (clump_scenario_options){.seconds_limit = 0.01},
             "return scenario { processors = range(3000000, 3001000), nics = 2, utilization = 0.5, "
             "efficiency = { 1, 0.9 } }");
    assert_bad(&o, 1, "--max-seconds");
}

UNIT_MAIN(open_store, close_store)
