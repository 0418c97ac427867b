/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each construct of the language, and what is said of its misuse. */
#include "tests/unit/test_scenario.h"

#include <locale.h>

#define P8N4 "processors = 8, nics = 4, "

/* X(8, 4, U) with independent demand, 15 digits from another program. */
static const double x_10 = 0.930580529760505, x_48 = 1.00193123733961, x_90 = 1.80000004357848;

static double first(const char *text)
{
    outcome o;
    good(&o, text);
    const double slowdown = o.results.rows[0].slowdown;
    clump_scenario_results_free(&o.results);
    return slowdown;
}

TEST(range_is_exact)
{
    outcome o;
    good(&o, "local r = range(0, 1, 0.01)\n"
             "assert(#r == 101 and r[1] == 0 and r[101] == 1)\n"
             "for i = 1, 101 do assert(r[i] == (i - 1)/100) end\n"
             "r = range(1, 9) assert(#r == 9 and math.type(r[9]) == 'integer' and r[9] == 9)\n"
             "r = range(0.1, 0.3, 0.1) assert(#r == 3 and r[3] == 0.3)\n"
             "r = range(0, 1, 0.3) assert(#r == 4 and r[4] == 3*0.3)\n"
             "r = range(8, 1, -2) assert(#r == 4 and r[4] == 2)\n"
             "r = range(5, 5) assert(#r == 1 and r[1] == 5)\n"
             "r = range(0, 1, 1e-6) assert(#r == 1000001 and r[700001] == 0.7)\n"
             "return scenario { " P8N4 "utilization = 0.48 }");
    assert_near(o.results.rows[0].slowdown, x_48, 1e-12);
    clump_scenario_results_free(&o.results);
    bad("range(1, 5, 0)", 1, "the step is 0, expected a positive one, as in range(1, 5, 1)");
    bad("range(5, 1, 0)", 1, "the step is 0, expected a negative one, as in range(5, 1, -1)");
    bad("range(1, -5)", 1, "the step is 1, expected a negative one, as in range(1, -5, -1)");
    bad("range(0, 1, -0.1)", 1, "expected a positive one, as in range(0, 1, 0.1)");
    bad("range(1)", 1, "found 1 arguments");
    bad("range(1, 'x')", 1, "range: last is \"x\", expected a number");
    bad("range(0, 0/0)", 1, "expected a number");
    bad("range(1, 2, 1e-300)", 1, "--max-rows");
    bad("range(-1e308, 1e308, 1)", 1, "");
}

TEST(product_has_an_order)
{
    outcome o;
    good(&o,
         "return scenario { processors = { 8, 4 }, nics = { 1, 2, 4 }, utilization = { 0.1, 0.9 "
         "}, demand = { 'correlated', 'gang:2' }, mapping = { 'static', 'pooled' } }");
    assert_int_equal(o.results.count, 48);
    size_t i = 0;
    for (int mapping = 1; mapping >= 0; mapping--)
        for (int demand = 0; demand < 2; demand++)
            for (size_t P = 8; P >= 4; P -= 4)
                for (size_t N = 1; N <= 4; N *= 2)
                    for (int u = 1; u <= 9; u += 8) {
                        const clump_result *row = &o.results.rows[i++];
                        assert_int_equal(row->mapping, mapping);
                        assert_int_equal(row->demand,
                                         demand ? CLUMP_DEMAND_GANG : CLUMP_DEMAND_CORRELATED);
                        assert_int_equal(row->processors, P);
                        assert_int_equal(row->nics, N);
                        assert_near(row->utilization, u / 10.0, 1e-15);
                        assert_int_equal(row->processor, 0);
                        if (!demand) /* (8.9) */
                            assert_near(row->slowdown,
                                        1 + ((double)P - (double)N) / (double)N * u / 10.0, 1e-12);
                    }
    clump_scenario_results_free(&o.results);
}

TEST(lists_of_scenarios_follow_each_other)
{
    outcome o;
    good(&o, "local a = scenario { title = 'A', " P8N4 "utilization = { 0.1, 0.48 } }\n"
             "local b = scenario { " P8N4 "utilization = 0.9 }\nreturn { a, b, a }");
    assert_int_equal(o.results.count, 5);
    assert_string_equal(o.results.title, "A");
    assert_string_equal(o.results.rows[0].scenario, "A");
    assert_string_equal(o.results.rows[2].scenario, strrchr(o.path, '/') + 1);
    assert_near(o.results.rows[0].slowdown, x_10, 1e-12);
    assert_near(o.results.rows[2].slowdown, x_90, 1e-12);
    assert_near(o.results.rows[4].slowdown, x_48, 1e-12);
    assert_null(o.results.rows[0].application);
    assert_null(o.results.rows[0].platform);
    assert_true(isnan(o.results.rows[0].now_time));
    clump_scenario_results_free(&o.results);
}

TEST(mixes_give_a_row_a_processor)
{
    static const double expected[] = {1.00837858245,  1.00920386087,  1.00300651249,
                                      0.989817740062, 0.969215426251, 0.940195974128,
                                      0.900759536284, 0.846658011595};
    static const char *const texts[] = {
        "return scenario { nics = 4, utilizations = range(0.1, 0.8, 0.1) }",
        "return scenario { processors = 8, nics = 4,\n"
        "  application = application { utilization = range(0.1, 0.8, 0.1), now_time = 2 } }"};
    for (size_t k = 0; k < 2; k++) {
        outcome o;
        good(&o, texts[k]);
        assert_int_equal(o.results.count, 8);
        for (size_t i = 0; i < 8; i++) {
            const clump_result *row = &o.results.rows[i];
            assert_int_equal(row->processor, i + 1);
            assert_int_equal(row->processors, 8);
            assert_near(row->utilization, (double)(i + 1) / 10, 1e-15);
            assert_near(row->slowdown, expected[i], 2e-11);
            assert_near(row->slowest_slowdown, expected[1], 2e-11);
            if (k == 1)
                assert_near(row->predicted_time, 2 * expected[i], 1e-10);
        }
        clump_scenario_results_free(&o.results);
    }
    bad("return scenario { processors = 7, nics = 4, utilizations = { 0.1, 0.2 } }", 1,
        "2 values, expected 1 or one for each of the 7 processors");
    bad("return scenario { " P8N4 "utilizations = { 0.1 }, utilization = 0.1 }", 1, "one of them");
}

TEST(node_options_reach_the_model)
{
    assert_near(first("return scenario { " P8N4 "utilization = 0.48, max_nics_per_processor = 1 }"),
                1.10477750516548, 1e-12);
    assert_near(first("return scenario { " P8N4 "utilization = 0.48,\n"
                      "  efficiency = function(q) return 1/(1 + 0.05*(q - 1)) end }"),
                1.15608279086259, 1e-12);
    assert_near(first("local e = {} for q = 1, 8 do e[q] = 1/(1 + 0.05*(q - 1)) end\n"
                      "return scenario { " P8N4 "utilization = 0.48, efficiency = e }"),
                1.15608279086259, 1e-12);
    assert_near(first("return scenario { utilization = 0.48, platform = platform { " P8N4
                      "efficiency = function(q) return 1/(1 + 0.05*(q - 1)) end } }"),
                1.15608279086259, 1e-12);
    assert_near(first("return scenario { " P8N4 "utilization = 0.48, phase_cycles = 1 }"),
                0.89830703, 1e-8);
    /* correlated: all wait for the group of 6 on one NIC, 1 + 5 U */
    assert_near(first("return scenario { processors = 8, nics = 2, utilization = 0.5, mapping = "
                      "'static', group_sizes = { 6, 2 }, demand = 'correlated' }"),
                3.5, 1e-12);
    /* (8.11): k = 1 - U (1-f)(1-V), U_adj = f U/k; f = 0 leaves X = k */
    assert_near(first("return scenario { " P8N4
                      "utilization = 0.5, remote_fraction = 0, cost_ratio = 0.2 }"),
                0.6, 1e-15);
    /* nothing is sent: only memory is slower */
    assert_near(first("return scenario { " P8N4 "utilization = 0, memory_penalty = 1.25 }"), 1.25,
                1e-15);
    assert_near(first("return scenario { processors = 8, nics = 0, utilization = 0.5, "
                      "remote_fraction = 0, cost_ratio = 0.2 }"),
                0.6, 1e-15);
}

TEST(phases_are_weighted)
{
    outcome o;
    good(&o, "local a = application { now_time = 10, phases = {\n"
             "  { time = 3, utilization = 0.48 },\n"
             "  { time = 1, utilization = 0.5, demand = 'correlated' } } }\n"
             "return scenario { application = a, " P8N4 "}");
    const clump_result *row = &o.results.rows[0];
    assert_near(row->slowdown, (3 * x_48 + 1.5) / 4, 1e-12); /* 8.3.4 */
    assert_near(row->utilization, (3 * 0.48 + 0.5) / 4, 1e-15);
    assert_near(row->predicted_time, 10 * (3 * x_48 + 1.5) / 4, 1e-11);
    assert_true(isnan(row->remote_fraction));
    clump_scenario_results_free(&o.results);
    bad("application { phases = { { utilization = 0.5 } } }", 1, "phase: time is nothing");
    bad("application { phases = {} }", 1, "empty list");
    bad("application { phases = 3 }", 1, "phases is 3, expected a list of tables");
    bad("local a = application { phases = { { time = 1, utilization = 0.5 } } }\n"
        "return scenario { application = a, utilization = 0.5, " P8N4 "}",
        2, "found utilization, but each phase");
}

TEST(the_model_can_be_called)
{
    outcome o;
    good(&o,
         "local X, d = clump.slowdown { " P8N4 "utilization = 0.48 }\n"
         "assert(math.abs(X - 1.00193123733961) < 1e-12 and d.slowdown == X and d.slowest == X)\n"
         "assert(math.abs(d.mean_active - 8*(1 - 0.52/X)) < 1e-10)\n"
         "assert(math.abs(d.nic_utilization - 8*0.48/X/4) < 1e-12 and d.slowdowns == nil)\n"
         "X, d = clump.slowdown { " P8N4 "utilization = range(0.1, 0.8, 0.1) }\n"
         "assert(#d.slowdowns == 8 and math.abs(d.slowdowns[8] - 0.846658011595) < 1e-11)\n"
         "assert(d.slowest_processor == 2)\n"
         "X, d = clump.slowdown { " P8N4 "utilization = 0.48, phase_cycles = 1 }\n"
         "assert(math.abs(X - 0.89830703) < 1e-8 and d.mean_active == nil)\n"
         "X = clump.slowdown { processors = 8, nics = 2, utilization = 0.5, mapping = 'static',\n"
         "  group_sizes = { 6, 2 }, demand = 'correlated' }\n"
         "assert(math.abs(X - 3.5) < 1e-12)\n"
         "return scenario { " P8N4 "utilization = 0.5 }");
    clump_scenario_results_free(&o.results);
    bad("clump.slowdown { processors = 8, nics = 4 }", 1, "found no utilization");
    bad("clump.slowdown { processors = 8, nics = 0, utilization = 0 }", 1, "nics is 0");
    bad("clump.slowdown { " P8N4 "utilization = { 0.1, 0.2 } }", 1, "2 values, expected 1 or");
    bad("\nclump.slowdown { " P8N4 "utilization = 0.1, demand = 'gang:9' }", 2, "gang size: 9");
    bad("clump.slowdown { " P8N4 "utilization = 0.1, demand = { 'gang:2', 'correlated' } }", 1,
        "demand is a list");
}

static void run_defined(outcome *o, const char *name, const char *value, const char *text)
{
    const clump_scenario_definition definition = {name, value};
    run_text(o, (clump_scenario_options){.definitions = &definition, .definition_count = 1}, text);
}

TEST(definitions_are_globals)
{
    static const char script[] = "processors = processors or 8\n"
                                 "return scenario { processors = processors, nics = 4, "
                                 "utilization = 0.48 }";
    outcome o;
    good(&o, script);
    assert_int_equal(o.results.rows[0].processors, 8);
    clump_scenario_results_free(&o.results);
    run_defined(&o, "processors", "12", script);
    assert_ok(&o);
    assert_int_equal(o.results.rows[0].processors, 12);
    clump_scenario_results_free(&o.results);
    static const struct {
        const char *value, *check;
    } values[] = {{"true", "x == true"}, {"false", "x == false"},     {"1e3", "x == 1000.0"},
                  {"0x10", "x == 16"},   {"SAMPLE", "x == 'SAMPLE'"}, {"", "x == ''"},
                  {"-3", "x == -3"},     {"0.1", "x == 1/10"},        {"1,5", "x == '1,5'"},
                  {"nan", "x == 'nan'"}, {"1; os.exit()", "#x == 12"}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "assert(%s)\nreturn scenario { " P8N4 "utilization = 0.5 }",
                 values[i].check);
        run_defined(&o, "x", values[i].value, text);
        assert_ok(&o);
        clump_scenario_results_free(&o.results);
    }
    run_defined(&o, "procesors", "12", script);
    assert_bad(&o, 0,
               "-D procesors=12: the scenario never reads \"procesors\"; did you mean "
               "\"processors\"?");
    run_defined(&o, "a b", "12", script);
    assert_bad(&o, 0, "expected letters, digits and '_'");
    run_defined(&o, "end", "12", script);
    assert_bad(&o, 0, "expected letters");
    run_defined(&o, "platform", "12", script);
    assert_bad(&o, 0, "belongs to the language");
    run_defined(&o, "math", "12", script);
    assert_bad(&o, 0, "belongs to the language");
}

/* "demand\0x" is not "demand". */
TEST(names_are_whole)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"return scenario { " P8N4 "utilization = 0.5, ['demand\\0x'] = 'correlated' }",
         "there is no field \"demand\\0x\""},
        {"return scenario { " P8N4 "utilization = 0.5, demand = 'independent\\0x' }",
         "demand is \"independent\\0x\", expected"},
        {"return scenario { " P8N4 "utilization = 0.5, mapping = 'static\\0' }",
         "mapping is \"static\\0\", expected"},
        {"return scenario { " P8N4 "utilization = 0.5, max_nics_per_processor = 'auto\\0' }",
         "max_nics_per_processor is \"auto\\0\", expected"},
        {"return scenario { " P8N4 "utilization = 0.5, title = 'a\\0b' }",
         "title is \"a\\0b\", expected one line of text"},
        {"application { computation = 1, remote_traffic = { short_messages = 1 },\n"
         "style = 'blocking\\0' }",
         "style is \"blocking\\0\", expected"},
        {"platform 'e5000-clump\\0'", "platform: found \"e5000-clump\\0\", expected a name"},
        {"application 'SAMPLE\\0x'", "application: found \"SAMPLE\\0x\", expected a name"},
        {"local x = platform('e5000-clump')['nics\\0']", "there is no field \"nics\\0\""},
        {"local x = application('SAMPLE')['name\\0']", "there is no field \"name\\0\""},
        {"return scenario { " P8N4 "utilization = 0/0 }", "utilization is nan, expected"},
        {"return scenario { " P8N4 "utilization = -(0/0) }", "utilization is nan, expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        bad(cases[i].text, 1, cases[i].part);
}

TEST(locales_do_not_matter)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", NULL};
    for (size_t i = 0; names[i] != NULL && setlocale(LC_ALL, names[i]) == NULL; i++)
        ;
    outcome o;
    run_defined(&o, "x", "0.25",
                "print(x, 0.5 .. '', tostring(1/8), tonumber('0.5'))\n"
                "assert(tonumber('0,5') == nil)\n"
                "return scenario { " P8N4 "utilization = x }");
    assert_ok(&o);
    assert_string_equal(o.printed, "0.25\t0.5\t0.125\t0.5\n");
    assert_near(o.results.rows[0].utilization, 0.25, 0);
    clump_scenario_results_free(&o.results);
    char name[CLUMP_DEMAND_NAME_SIZE];
    clump_demand_name(CLUMP_DEMAND_GANG, 2.5, name);
    assert_string_equal(name, "gang:2.5");
    setlocale(LC_ALL, "C");
}

TEST(demand_names_go_both_ways)
{
    static const double sizes[] = {1, 2, 2.5, 1.1, 8.0 / 3, 12345.678, 1e5};
    char name[CLUMP_DEMAND_NAME_SIZE];
    clump_demand demand;
    double size;
    for (int d = CLUMP_DEMAND_INDEPENDENT; d <= CLUMP_DEMAND_SCHEDULED; d++) {
        clump_demand_name((clump_demand)d, 3, name);
        assert_int_equal(clump_demand_parse(name, &demand, &size), 1);
        assert_int_equal(demand, d);
        assert_near(size, 1, 0);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        clump_demand_name(CLUMP_DEMAND_GANG, sizes[i], name);
        assert_int_equal(clump_demand_parse(name, &demand, &size), 1);
        assert_int_equal(demand, CLUMP_DEMAND_GANG);
        assert_true(size == sizes[i]);
    }
    static const char *const none[] = {"",        "gang",    "gang:",       "gang:x",
                                       "gang:0",  "gang:2 ", "gang:+2",     "gang:2,5",
                                       "gang:-2", "gang:.",  "Independent", "gang:nan"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(clump_demand_parse(none[i], &demand, &size), 0);
    clump_mapping mapping;
    assert_int_equal(clump_mapping_parse(clump_mapping_name(CLUMP_MAPPING_STATIC), &mapping), 1);
    assert_int_equal(mapping, CLUMP_MAPPING_STATIC);
    assert_int_equal(clump_mapping_parse("", &mapping), 0);
}

static void count_progress(size_t done, size_t total, void *context)
{
    size_t *last = *(size_t **)context;
    assert_true(done > last[0] && done <= total);
    last[0] = done;
    last[1] = total;
    last[2]++;
}

TEST(progress_is_reported)
{
    size_t seen[3] = {0, 0, 0}, *pointer = seen;
    clump_scenario_results results;
    char message[400], path[] = "/tmp/scenario-XXXXXX";
    static const char text[] = "return scenario { " P8N4 "utilization = range(0, 1, 1e-5) }";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    const clump_scenario_options options = {
        .path = path, .progress = count_progress, .context = &pointer};
    assert_int_equal(clump_scenario_run(&options, &results, message, sizeof message),
                     CLUMP_SCENARIO_OK);
    unlink(path);
    assert_int_equal(seen[0], 100001);
    assert_int_equal(seen[1], 100001);
    assert_true(seen[2] > 2 && seen[2] < 1000);
    clump_scenario_results_free(&results);
}

UNIT_MAIN(open_store, close_store)
