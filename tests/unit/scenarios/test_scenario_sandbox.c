/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios that mean harm, or are careless: all end soon, with a message, and without a crash. */
#include "tests/unit/test_scenario.h"

#include <time.h>

#define ROW "\nreturn scenario { processors = 8, nics = 4, utilization = 0.5 }"

static const clump_scenario_options small = {.seconds_limit = 0.05, .memory_limit = 4 << 20};

static void takes_too_long(const char *text, int line)
{
    outcome o;
    run_text(&o, small, text);
    assert_bad(&o, line, "raise the limit with --max-seconds");
}

/* On a busy machine to fill the memory takes longer than `small` allows. */
static void hits_memory(const char *text, int line)
{
    outcome o;
    run_text(&o, (clump_scenario_options){.memory_limit = 4 << 20}, text);
    assert_bad(&o, line, "raise the limit with --max-memory");
}

TEST(endless_loops_end)
{
    takes_too_long("\nwhile true do end", 2);
    takes_too_long("local function f() return f() end\nf()", 1);
    takes_too_long("repeat local x = 1 until false" ROW, 1);
    takes_too_long("goto a ::a:: goto b ::b:: goto a", 1);
}

TEST(pcall_does_not_survive)
{
    takes_too_long("while true do pcall(function() while true do end end) end", 1);
    takes_too_long("local function f() pcall(f) while true do end end\nf()", 0);
    takes_too_long("pcall(function() while true do end end)" ROW, 1);
    takes_too_long("local ok = pcall(error)\nwhile ok == false do ok = pcall(error) end", 2);
}

TEST(c_functions_are_limited)
{
    bad("return string.rep('', 1 << 50)", 0, "returned \"\"");
    bad("string.rep('x', 1 << 60, 'yy')", 1, "too large");
    bad("table.move({}, 1, 1 << 60, 2)", 1, "at most");
    bad("table.unpack({}, 1, 1 << 60)", 1, "too many results");
    takes_too_long("while true do table.concat({'', '', ''}) end", 1);
    takes_too_long("while true do local s = ('x'):rep(100000) .. 'y' end", 0);
    takes_too_long("while true do platform 'e5000-clump' end", 0);
    takes_too_long(
        "while true do clump.slowdown { processors = 100000, nics = 4, utilization = 0.5 } "
        "end",
        1);
    takes_too_long("local s = string.rep('x', 1000000)\nlocal t = string.rep('x', 1000000)\n"
                   "while s == t do end",
                   0);
}

static double processor_seconds(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Long chains of operators take the compiler quadratic time, which the size of a source limits to seconds. */
TEST(sources_are_limited)
{
    char *large = malloc(256 * 1024 + 2);
    assert_non_null(large);
    outcome o;
    memset(large, ' ', 256 * 1024 + 1);
    run_bytes(&o, (clump_scenario_options){0}, large, 256 * 1024);
    assert_bad(&o, 0, "returned nothing");
    run_bytes(&o, (clump_scenario_options){0}, large, 256 * 1024 + 1);
    assert_bad(&o, 0, "larger than 256 KiB");
    free(large);
}

/* Lua follows __call and __index within an instruction. */
TEST(chains_are_short)
{
    bad("local t = {}\nsetmetatable(t, {__call = t}) t()", 2,
        "setmetatable: __call is a table, expected a function");
    bad("local t = print\nfor i = 1, 1e6 do t = setmetatable({}, {__call = t}) end t()", 2,
        "__call is a table");
    bad("setmetatable({}, {__call = platform 'e5000-clump'})", 1, "__call is a platform");
    outcome o;
    good(&o, "local m = {__call = function(_, x) return x end}\nlocal t = setmetatable({}, m)\n"
             "assert(t(3) == 3) m.__call = t assert(t(4) == 4)\n"
             "assert(not pcall(rawset, getmetatable(t), nil, t))\n"
             "assert(setmetatable({}, {__concat = t, __lt = t}) .. 5 ~= nil)" ROW);
    clump_scenario_results_free(&o.results);
    static const char *const endless[] = {"while true do local x = t.a end",
                                          "while true do local x = u.a end",
                                          "while true do u.a = nil end"};
    for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local t, u = {}, {}\n"
                 "for i = 1, 1990 do t = setmetatable({}, {__index = t})\n"
                 "u = setmetatable({}, {__index = u, __newindex = u}) end\n%s",
                 endless[i]);
        const double begin = processor_seconds();
        takes_too_long(text, 0);
        assert_true(processor_seconds() - begin < 2);
    }
    bad("local t = {} t = setmetatable(t, {})\nfor i = 1, 2001 do\n"
        "t = setmetatable({}, {__index = t}) end local x = t.a",
        3, "possible loop");
}

TEST(long_strings_are_compared_for_as_long_as_allowed)
{
    takes_too_long("local s, t = string.rep('x', 1000000), {}\n"
                   "for i = 1, 10000 do t[i] = s end\ntable.sort(t)",
                   3);
    outcome o;
    good(&o, "local t = {}\nfor i = 1, 10000 do t[i] = 'name ' .. (10001 - i) end\n"
             "table.sort(t) assert(t[1] == 'name 1')" ROW);
    clump_scenario_results_free(&o.results);
}

TEST(lengths_that_lie_are_refused)
{
    static const char *const calls[] = {"table.insert(t, 1, 1)",   "table.remove(t, 1)",
                                        "table.sort(t, rawequal)", "table.concat(t)",
                                        "table.unpack(t)",         "table.move(t, 1, 2, 3)"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "local t = setmetatable({}, {__len = function() return 1 << 30 end})\n%s",
                 calls[i]);
        bad(text, 2, "expected a plain list");
    }
}

/* Of a list with holes # is any border: moving what is up to there would take centuries in C. */
TEST(lengths_of_lists_with_holes_are_refused)
{
    static const char *const calls[] = {"table.insert(t, 1, 1)", "table.remove(t, 1)",
                                        "table.sort(t, rawequal)", "table.concat(t)"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "local t = {[math.maxinteger] = 1}\n"
                 "for i = 62, 0, -1 do t[1 << i] = 1 t[(1 << i) + 1] = 1 end\n"
                 "for i = 1, 9 do t[i] = 1 end assert(#t > 1 << 60)\n%s",
                 calls[i]);
        bad(text, 4, "found a list with holes and the length 9223372036854775807");
    }
}

TEST(memory_is_limited)
{
    hits_memory("local t = {}\nfor i = 1, 1e9 do t[i] = i end", 2);
    hits_memory("local s = 'x'\nwhile true do s = s .. s end", 2);
    hits_memory("local s = string.rep(string.rep('x', 10000), 1000)", 1);
    hits_memory("local t = {}\nfor i = 1, 1e9 do t[i] = {i} end", 0);
    hits_memory("local t = {}\nfor i = 1, 1e9 do t[i] = range(1, 1000) end", 2);
    hits_memory("local t = {}\nfor i = 1, 1e9 do t[i] = scenario { processors = 8, nics = 1, "
                "utilization = range(0, 1, 0.001) } end",
                2);
    takes_too_long("while true do pcall(string.rep, 'x', 1 << 40) end", 1);
    takes_too_long(
        "while true do pcall(function() local s = 'x' while true do s = s .. s end end) end", 0);
}

TEST(too_little_memory_is_a_message)
{
    outcome o;
    bool enough = false;
    /* every place where the state is made and the script is read can be the one that fails */
    for (size_t limit = 1; limit < 100000 && !enough; limit += 97) {
        run_text(&o, (clump_scenario_options){.memory_limit = limit}, "local x = {1, 2, 3}" ROW);
        enough = o.status == CLUMP_SCENARIO_OK;
        if (enough)
            clump_scenario_results_free(&o.results);
        else
            assert_bad(&o, 0, "--max-memory");
    }
    assert_true(enough);
}

TEST(recursion_ends)
{
    outcome o;
    run_text(&o, (clump_scenario_options){0}, "local function f() return 1 + f() end\nf()");
    assert_bad(&o, 1, "stack overflow");
    run_text(&o, (clump_scenario_options){0},
             "local t = {}\n"
             "setmetatable(t, {__index = function(_, k) return t[k .. 'x'] end})\nlocal x = t.a");
    assert_bad(&o, 2, "overflow");
    char *deep = malloc(100001);
    assert_non_null(deep);
    memset(deep, '(', 100000);
    deep[100000] = '\0';
    run_text(&o, (clump_scenario_options){0}, deep);
    assert_bad(&o, 0, "overflow");
    free(deep);
}

TEST(finalizers_are_refused)
{
    bad("setmetatable({}, {__gc = function() while true do end end})", 1, "__gc");
    /* added later it has no effect: Lua looks when the metatable is set */
    outcome o;
    good(&o, "local m = {}\nfor i = 1, 1000 do setmetatable({}, m) end\n"
             "m.__gc = function() while true do end end\nlocal t = {}\n"
             "for i = 1, 100000 do t = {t} t = {} end" ROW);
    clump_scenario_results_free(&o.results);
}

/* Each handler would raise again, over what is left of a deep stack: quadratic time. */
TEST(closing_is_refused)
{
    bad("local function f(n)\n"
        "local x <close> = setmetatable({}, {__close = function() end})\n"
        "if n > 0 then return f(n - 1), 1 end while true do end end f(20000)",
        2, "found __close");
    bad("local m = {}\nlocal t = setmetatable({}, m)\nm.__close = function() end\n"
        "local x <close> = t",
        4, "non-closable");
    bad("local t = setmetatable({}, {__index = {__close = print}})\n"
        "for i in next, {}, nil, t do end",
        2, "non-closable");
    bad("local x <close> = platform 'e5000-clump'", 1, "non-closable");
    bad("local x <close> = 'text'", 1, "non-closable");
    bad("getmetatable('text').__close = print", 1, "index a boolean");
    outcome o;
    good(&o, "local x <close> = nil for i in next, {}, nil, nil do end" ROW);
    clump_scenario_results_free(&o.results);
}

/* One instruction can go through all that a script has. */
TEST(dear_instructions_end)
{
    static const char *const loops[] = {
        "local s = big '0' while true do tonumber(s, 10) end",
        "local s = big ' ' while true do tonumber(s) end",
        "local s = big 'x' local t = s .. 'a' s = s .. 'a' while s == t do end",
        "local s, t = big 'x', {} local u = s .. 'a' t[s .. 'a'] = 1 while t[u] do end",
        ("local t = table.pack(big 'x':byte(1, 900000)) for i = 1, #t do t[i] = nil end "
         "while true do next(t) end"),
    };
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        const clump_scenario_options limited = {.seconds_limit = 0.2};
        char text[400];
        outcome o;
        snprintf(text, sizeof text,
                 "local function big(s) while #s < 1e7 do s = s .. s end return s end\n%s",
                 loops[i]);
        const double begin = processor_seconds();
        run_text(&o, limited, text);
        assert_bad(&o, 2, "raise the limit with --max-seconds");
        assert_true(processor_seconds() - begin < 8); /* 100 instructions, each through 10 MB */
    }
}

/* An order that is a function in C runs no instruction, and one that lies can take any number of
 * comparisons. */
TEST(comparisons_of_a_sort_are_watched)
{
    takes_too_long("local t = {} for i = 1, 10000 do t[i] = i end\n"
                   "while true do table.sort(t, math.ult) end",
                   2);
    takes_too_long("local t = {} for i = 1, 10000 do t[i] = i end\n"
                   "while true do pcall(table.sort, t, rawequal) end",
                   2);
    bad("table.sort({1, 2}, {})", 1, "function expected");
    bad("table.sort({1, 'a'})", 1, "attempt to compare");
    outcome o;
    good(&o, "local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end)\n"
             "assert(t[1] == 3 and t[3] == 1) table.sort(t, nil) assert(t[1] == 1)" ROW);
    clump_scenario_results_free(&o.results);
}

TEST(metatables_are_taken_as_they_are)
{
    outcome o;
    bad("setmetatable({}, {__mode = 'k'})", 1, "found __mode");
    bad("setmetatable(setmetatable({}, {}), {})", 1, "protected");
    good(&o, "local Class = {f = function() return 7 end}\nClass.__index = Class\n"
             "local object = setmetatable({}, Class)\n"
             "assert(object.f() == 7 and getmetatable(object) == Class)\n"
             "Class.__mode = 'k' Class.__len = function() return 9 end\nassert(#object == 0)\n"
             "assert(getmetatable(setmetatable({}, {__metatable = 5})) == 5)\n"
             "assert(setmetatable({}, nil))" ROW);
    clump_scenario_results_free(&o.results);
}

TEST(only_text_is_read)
{
    outcome o;
    run_bytes(&o, (clump_scenario_options){0}, "\x1bLuaT\0\x19\x93", 8);
    assert_bad(&o, 1, "compiled Lua");
    run_bytes(&o, (clump_scenario_options){0}, "\n\nx = '\0'", 9);
    assert_bad(&o, 3, "0x00");
    run_text(&o, (clump_scenario_options){0}, "\nx = 'caf\xe9'");
    assert_bad(&o, 2, "0xE9, expected UTF-8");
    run_file(&o, (clump_scenario_options){.path = "/nowhere/at all.lua"});
    assert_int_equal(o.status, CLUMP_SCENARIO_BAD_INPUT);
    assert_has(o.message, "/nowhere/at all.lua: cannot open it");
    run_file(&o, (clump_scenario_options){.path = "/tmp"});
    assert_int_equal(o.status, CLUMP_SCENARIO_BAD_INPUT);
    assert_has(o.message, "directory");
    run_file(&o, (clump_scenario_options){.path = "/dev/zero"});
    assert_int_equal(o.status, CLUMP_SCENARIO_BAD_INPUT);
    assert_has(o.message, "larger than 256 KiB");
    good(&o, "\xef\xbb\xbf#!/usr/bin/env clumpmodel" ROW);
    clump_scenario_results_free(&o.results);
}

TEST(forbidden_is_absent)
{
    static const char *const names[] = {"dofile",
                                        "loadfile",
                                        "load",
                                        "require",
                                        "collectgarbage",
                                        "xpcall",
                                        "warn",
                                        "coroutine",
                                        "io",
                                        "os",
                                        "package",
                                        "debug",
                                        "string.find",
                                        "string.match",
                                        "string.gmatch",
                                        "string.gsub",
                                        "string.dump",
                                        "string.pack",
                                        "string.unpack",
                                        "(''):gsub and 1",
                                        "loadstring"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[200];
        outcome o;
        if (strchr(names[i], ' ') != NULL)
            continue;
        snprintf(text, sizeof text, "assert(%s == nil, '%s')" ROW, names[i], names[i]);
        good(&o, text);
        clump_scenario_results_free(&o.results);
    }
    bad("local x = ('abc'):find('b')", 1, "nil value (method 'find')");
    bad("io.open('/etc/passwd')", 1, "scenarios do not have it");
    bad("getmetatable('').__index.x = 1", 1, "boolean value");
    bad("setmetatable(_G, {})", 1, "protected metatable");
}

TEST(any_error_is_a_message)
{
    bad("\nerror('so what')", 2, "so what");
    bad("\nerror({1, 2})", 2, "raised a table");
    bad("error(nil)", 1, "raised nothing");
    bad("\nerror('no place', 0)", 2, "no place");
    bad("error(12)", 1, "raised 12");
    bad("\nerror('not enough memory')", 2, "not enough memory");
    bad("pcall(error, 'not enough memory')\nerror('out: not enough memory', 0)", 2, "out: not");
    bad("error()", 1, "raised nothing");
    bad("error(setmetatable({}, {__tostring = function() return 'own words' end}))", 1,
        "own words");
    bad("error(setmetatable({}, {__tostring = function() error('again') end}))", 0, "");
    bad("error(setmetatable({}, {__tostring = function() return 1 end}))", 0, "");
    takes_too_long("error(setmetatable({}, {__tostring = function() while true do end end}))", 0);
    bad("x = = 1", 1, "near '='");
    bad("local x = 'abc", 1, "unfinished string");
    bad("platfrom 'x'", 1, "did you mean \"platform\"?");
    bad("\n\nlocal x = nil + 1", 3, "arithmetic");
    bad("error('\x1b[31mred\\27[2J')", 0, "?[31mred?[2J");
}

TEST(nonsense_is_refused)
{
    bad("", 0, "returned nothing, expected scenario { ... } or a list of them");
    bad("return 1", 0, "returned 1, expected");
    bad("return {}", 0, "a table without scenarios");
    bad("return { title = 'x' }", 0, "a table without scenarios");
    bad("return { 1 }", 0, "returned 1, expected");
    bad("return platform { processors = 1, nics = 1 }", 0, "returned a platform");
    bad("return function() end", 0, "returned a function");
    bad("return scenario", 0, "returned a function");
}

TEST(long_names_stay_whole)
{
    outcome o;
    char directory[] = "/tmp/a-directory-with-a-rather-long-name-XXXXXX", path[200];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/and-a-file-with-a-name-that-is-not-short-either.lua",
             directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("\n\nerror 'here'\n", file);
    fclose(file);
    run_file(&o, (clump_scenario_options){.path = path});
    unlink(path);
    rmdir(directory);
    assert_int_equal(strncmp(o.message, path, strlen(path)), 0);
    assert_has(o.message, ".lua:3: here");
}

TEST(rows_are_limited)
{
    const clump_scenario_options few = {.result_limit = 100};
    outcome o;
    run_text(&o, few,
             "\nreturn scenario { processors = range(1, 50), nics = { 1, 2, 3 }, "
             "utilization = 0.5 }");
    assert_bad(&o, 2,
               "150 rows, more than the 100 allowed; ask for fewer, or raise the limit "
               "with --max-rows");
    run_text(&o, few, "local r = range(1, 1000)");
    assert_bad(&o, 1, "--max-rows");
    run_text(&o, few,
             "local s = scenario { processors = range(1, 50), nics = 1, utilization = 0 }\n"
             "return { s, s, s }");
    assert_bad(&o, 0, "--max-rows");
    run_text(&o, few,
             "return scenario { processors = range(1, 50), nics = range(1, 50), "
             "utilization = range(0, 1, 0.02), remote_fraction = range(0, 1, 0.02), "
             "cost_ratio = range(0, 1, 0.02), memory_penalty = range(1, 2, 0.02) }");
    assert_bad(&o, 1, "--max-rows");
}

TEST(rows_are_limited_by_time_and_memory)
{
    outcome o;
    /* a thousand rows of a tenth of a second; they have memory */
    run_text(
        &o, (clump_scenario_options){.seconds_limit = 0.05},
        "return scenario { processors = range(3000000, 3001000), nics = 4, utilization = 0.5,\n"
        "efficiency = { 1, 0.9 } }");
    assert_bad(&o, 1, "the scenario needs more than the 0.05 s allowed");
    assert_has(o.message, "raise the limit with --max-seconds");
    /* a row for each processor: before they are made */
    run_text(&o, small,
             "local mix = {} for i = 1, 30000 do mix[i] = i/30000 end\n"
             "return scenario { nics = 3, utilizations = mix }");
    assert_bad(&o, 2, "30000 rows take");
    assert_has(o.message, "raise the limit with --max-memory");
    /* one call of the model */
    run_text(&o, (clump_scenario_options){.seconds_limit = 0.05},
             "pcall(clump.slowdown, { processors = 30000, nics = 4, utilization = 0.5,\n"
             "phase_cycles = 0.885 })" ROW);
    assert_bad(&o, 0, "--max-seconds");
}

TEST(printing_is_tame)
{
    outcome o;
    good(&o, "print('a', 1, nil, true)\nprint('two\\nlines')\nprint('\\27[31m', 0.5)\nprint()" ROW);
    assert_string_equal(o.printed, "a\t1\tnil\ttrue\ntwo\nlines\n?[31m\t0.5\n\n");
    clump_scenario_results_free(&o.results);
    takes_too_long("while true do print('x') end", 1);
}

UNIT_MAIN(open_store, close_store)
