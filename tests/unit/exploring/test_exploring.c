/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "exploring/recommend.h"
#include "exploring/selection.h"
#include "model/random.h"
#include "tests/unit/golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- formulas */

/* x is 2, y does not apply, word is "abc", and one is 1 up to rounding. */
static int find_name(const char *name, const void *context)
{
    const char *const *names = context;
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static const char *similar_name(const char *name, const void *context)
{
    (void)context;
    return strcmp(name, "wrod") == 0 ? "word" : NULL;
}

static clump_formula_value value_of_name(int column, const void *row, const void *context)
{
    static const clump_formula_value values[] = {
        {2, NULL}, {NAN, NULL}, {NAN, "abc"}, {1 + 4e-13, NULL}, {0.30000000000004, NULL}};
    (void)row;
    (void)context;
    return values[column];
}

static double accuracy(const void *row, const void *context)
{
    (void)row;
    (void)context;
    return 5e-13;
}

static const char *const names[] = {"x", "y", "word", "one", "third", NULL};
static const clump_formula_columns columns = {find_name, similar_name, value_of_name, names,
                                              accuracy};

static double evaluate(const char *text, bool rounded)
{
    char message[400] = "";
    clump_formula *f = NULL;
    double value = NAN;
    if (!clump_formula_make(text, 1, &columns, 1, &f, message, sizeof message))
        fail_msg("%s: %s", text, message);
    clump_formula_evaluate(f, NULL, rounded, &value);
    clump_formula_free(f);
    return value;
}

/* What differs from 1 by less than rounding is 1 in conditions, and is not in keys. */
TEST(test_rounding)
{
    static const char *const truths[] = {"one <= 1",   "one = 1",          "not one > 1",
                                         "one != 1.1", "one < 1.00000001", "third = 0.3",
                                         "x = 2",      "one = x - 1"};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        if (evaluate(truths[i], true) < 1)
            fail_msg("%s is false", truths[i]);
    assert_true(evaluate("one", false) > 1);
    assert_true(evaluate("one > 1", false) > 0);
}

TEST(test_meaning)
{
    static const struct {
        const char *text;
        double value; /* NAN: it has none */
    } cases[] = {
        {"1 + 2*3 - 4/2", 5},
        {"5/2 + 1/4", 2.75}, /* not as whole numbers */
        {"-pow(x, 2)", -4},
        {"8 - 4 - 2", 2},
        {"1e2 + .5 + 2.5E-1", 100.75},
        {"x = 2", 1},
        {"x != 2", 0},
        {"x <> 3 && x <= 2 || 0", 1},
        {"(1 < 2) + (3 >= 3)", 2}, /* truth is 1 */
        {"x and 0", 0},            /* and 0 is false */
        {"not 0", 1},
        {"not x < 1", 1}, /* not (x < 1) */
        {"1 or 1 and 0", 1},
        {"y < 1", NAN}, /* what does not apply is nothing */
        {"y != 1", NAN},
        {"not y > 1", NAN},
        {"y < 1 or x = 2", 1},
        {"max(1, x) + abs(-1) + sqrt(9)", 6},
        {"min (x, 3)", 2},
        {"exp(log(7))", 7},
        {"sqrt(-1)", NAN},
        {"word = 'abc'", 1},
        {"'ab' != word", 1},
        {"word == \"ABC\"", 0},
        {"word = 'x'", 0}, /* a text, not the column */
        {"word like 'a%'", 1},
        {"x between 1 and 3", 1},
        {"x in (1, 2)", 1},
        {"word", NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double value = evaluate(cases[i].text, false), expected = cases[i].value;
        if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= 1e-15 * fabs(expected)))
            fail_msg("%s is %g, expected %g", cases[i].text, value, expected);
    }
}

/* Mistakes, and what a stranger may not do. */
TEST(test_refused)
{
    static const char *const cases[][2] = {
        {"x < ", "incomplete input"},
        {"x < 1 1", "'1' is not expected behind 'x < 1'"},
        {"x  n", "'n' is not expected behind 'x'"},
        {"+ ) n", "')' is not expected behind '+'"},
        {"* n", "is not expected"},
        {"z < 1", "there is no column 'z'"},
        {"1 < wrod", "there is no column 'wrod'; did you mean 'word'?"},
        {"os(1)", "no such function: os"},
        {"x := 1", "unrecognized token"},
        {"1.2.3", "is not expected behind '1.2'"},
        {"'abc", "unrecognized token"},
        {"(1", "incomplete input"},
        {"x ^ 2", "unrecognized token"},
        {"1, 2", "found 2 expressions, expected 1 at most"},
        {"1; drop table x", "found ';'"},
        {"(select 1)", "not authorized"},
        {"1 union select 2", "not authorized"},
        {"(with recursive t(a) as (select 1 union all select a + 1 from t) select sum(a) from t)",
         ""},
        {"1 from sqlite_schema", "not authorized"},
        {"quick_check from pragma_quick_check", ""},
        {"randomblob(1000000000)", "not authorized"},
        {"printf('%1000000d', 1)", "not authorized"},
        {"load_extension('x')", ""},
        {"group_concat(word)", "not authorized"},
    };
    char message[400], deep[400] = "";
    clump_formula *f = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        message[0] = '\0';
        if (clump_formula_make(cases[i][0], 1, &columns, 1, &f, message, sizeof message))
            fail_msg("%s is taken", cases[i][0]);
        if (message[0] == '\0' || strstr(message, cases[i][1]) == NULL)
            fail_msg("%s: %s", cases[i][0], message);
    }
    memset(deep, '(', 299);
    assert_false(clump_formula_make(deep, 1, &columns, 1, &f, message, sizeof message));
}

/* ---- selections */

enum { ROWS = 3000 };

static const char *const fields[] = {"slowdown", "nics", "price", "pace", NULL};

static clump_formula_value value_of_row(int column, const void *row, const void *context)
{
    const clump_explore_row *r = row;
    (void)context;
    return (clump_formula_value){column == 0   ? r->result.slowdown
                                 : column == 1 ? (double)r->result.nics
                                 : column == 2 ? r->price
                                               : clump_result_relative_time(&r->result),
                                 NULL};
}

static void make_rows(clump_explore_row *rows)
{
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = (clump_explore_row){.index = i};
        rows[i].result.slowdown = 1 + floor(200 * clump_random_uniform(3, 0, i)) / 100;
        rows[i].result.nics = 1 + (size_t)(8 * clump_random_uniform(3, 1, i));
        rows[i].price = i % 5 == 0 ? NAN : floor(300 * clump_random_uniform(3, 2, i));
    }
}

/* Rows are looked at so many at a time, as threads do it, before one of them is taken. */
static size_t batch = 1;

static void take_row(const clump_explore_taker *taker, clump_explore_row *row, size_t i)
{
    char title[32]; /* goes with the scenario */
    snprintf(title, sizeof title, "case %zu", i % 7);
    row->result.scenario = title;
    assert_int_equal(taker->take(row, taker->context), CLUMP_EXPLORE_OK);
    row->result.scenario = NULL;
}

static void select_rows(clump_explorer *explorer, clump_selection_settings wanted,
                        const clump_explore_row *rows, clump_selection *selection)
{
    static clump_explore_row copies[ROWS];
    bool found[ROWS];
    const clump_explore_taker taker = clump_selection_taker(selection);
    explorer->settings.threads = 1;
    wanted.columns = (clump_formula_columns){find_name, NULL, value_of_row, fields, accuracy};
    assert_int_equal(clump_selection_open(explorer, &wanted, selection), CLUMP_EXPLORE_OK);
    memcpy(copies, rows, sizeof copies);
    for (size_t first = 0, end; first < ROWS; first = end) {
        end = first + batch > ROWS ? ROWS : first + batch;
        for (size_t i = first; i < end; i++)
            found[i] = taker.glance(&copies[i], taker.tally, taker.context);
        for (size_t i = first; i < end; i++)
            if (found[i])
                take_row(&taker, &copies[i], i);
    }
    taker.tally->all += ROWS;
}

TEST(test_best)
{
    static clump_explore_row rows[ROWS];
    clump_explorer explorer = {.priced = true};
    clump_selection s;
    bool taken[ROWS] = {false};
    make_rows(rows);
    select_rows(
        &explorer,
        (clump_selection_settings){.where = "nics <= 4", .by = "price,-slowdown", .best = 40}, rows,
        &s);
    assert_int_equal(clump_selection_finish(&s), CLUMP_EXPLORE_OK);
    assert_int_equal(s.count, 40);
    for (size_t k = 0; k < s.count; k++) { /* the next best each time, by looking at all */
        size_t best = ROWS, passed = 0;
        for (size_t i = 0; i < ROWS; i++) {
            if (rows[i].result.nics > 4)
                continue;
            passed++;
            if (taken[i] || isnan(rows[i].price))
                continue;
            if (best == ROWS || rows[i].price < rows[best].price ||
                (rows[i].price <= rows[best].price &&
                 rows[i].result.slowdown > rows[best].result.slowdown))
                best = i;
        }
        char title[32];
        taken[best] = true;
        snprintf(title, sizeof title, "case %zu", best % 7);
        assert_int_equal(s.rows[k].index, best);
        assert_string_equal(s.rows[k].result.scenario, title);
        assert_int_equal(s.tally.passed, passed);
    }
    clump_selection_release(&s);
}

static bool beats(const clump_explore_row *a, const clump_explore_row *b)
{
    const double ax = a->result.slowdown, ay = a->price, bx = b->result.slowdown, by = b->price;
    return ax <= bx && ay <= by && (ax < bx || ay < by);
}

TEST(test_pareto)
{
    static clump_explore_row rows[ROWS];
    clump_explorer explorer = {.priced = true};
    clump_selection s;
    size_t expected = 0, marked = 0;
    bool front[ROWS];
    make_rows(rows);
    for (size_t i = 0; i < ROWS; i++) {
        front[i] = !isnan(rows[i].price);
        for (size_t k = 0; k < ROWS && front[i]; k++)
            front[i] = !beats(&rows[k], &rows[i]);
        expected += front[i];
    }
    assert_in_range(expected, 3, ROWS / 10);
    /* Without keys: slowdown and price. All are kept, those of the set are marked. */
    select_rows(&explorer, (clump_selection_settings){.where = NULL}, rows, &s);
    assert_int_equal(clump_selection_finish(&s), CLUMP_EXPLORE_OK);
    assert_int_equal(s.count, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(s.rows[i].index, i);
        assert_int_equal(s.rows[i].pareto, front[i]);
    }
    clump_selection_release(&s);
    select_rows(&explorer, (clump_selection_settings){.pareto = true}, rows, &s);
    assert_int_equal(clump_selection_finish(&s), CLUMP_EXPLORE_OK);
    for (size_t i = 0; i < s.count; i++) {
        marked += front[s.rows[i].index];
        assert_true(i == 0 || s.rows[i - 1].result.slowdown <= s.rows[i].result.slowdown);
    }
    assert_int_equal(s.count, expected);
    assert_int_equal(marked, expected);
    clump_selection_release(&s);
}

TEST(test_keys_refused)
{
    static clump_explore_row rows[ROWS];
    clump_explorer explorer = {.priced = false, .settings.threads = 1};
    clump_selection s;
    clump_selection_settings wanted = {
        .by = "slowdwn", .columns = {find_name, NULL, value_of_row, fields, accuracy}};
    assert_int_equal(clump_selection_open(&explorer, &wanted, &s), CLUMP_EXPLORE_BAD_SETTING);
    assert_string_equal(explorer.message, "--by: 'slowdwn': there is no column 'slowdwn'");
    clump_selection_release(&s);
    wanted.by = "1,2,3,4,5,6,7,8,9";
    assert_int_equal(clump_selection_open(&explorer, &wanted, &s), CLUMP_EXPLORE_BAD_SETTING);
    clump_selection_release(&s);
    make_rows(rows);
    for (size_t i = 0; i < ROWS; i++)
        rows[i].price = NAN;
    select_rows(&explorer, (clump_selection_settings){.by = "min(nics, 1),price"}, rows, &s);
    assert_int_equal(clump_selection_finish(&s), CLUMP_EXPLORE_BAD_SETTING);
    assert_non_null(strstr(explorer.message, "key 2 of which has no number in any row"));
    clump_selection_release(&s);
}

/* ---- what varies */

TEST(test_values)
{
    static const struct {
        const char *text, *field;
        size_t count, at;
        const char *value;
    } cases[] = {
        {"N=1:8", "nics", 8, 7, "8"},
        {"U=0:1/5", "utilization", 5, 1, "0.25"},
        {"x=0.1:0.5:0.1", NULL, 5, 2, "0.3"},
        {"x=3:-3:-2", NULL, 4, 3, "-3"},
        {"demand=gang:2,independent", "demand", 2, 0, "gang:2"},
        {"most=4,16", NULL, 2, 1, "16"},
    };
    const char *expected;
    clump_explore_variable v;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(clump_explore_read_values(cases[i].text, &v, &expected));
        assert_int_equal(v.count, cases[i].count);
        assert_string_equal(v.values[cases[i].at], cases[i].value);
        assert_true(cases[i].field == NULL ? v.field == NULL
                                           : strcmp(v.field, cases[i].field) == 0);
        clump_explore_variable_release(&v);
    }
    static const char *const bad[] = {"N",         "N=",       "=1",      "1x=1",
                                      "N=1,,2",    "N=8:1",    "N=1:8:0", "N=1:8/1",
                                      "N=1:8:1/2", "N=1:1e99", "N=1:8:x", "N=:8"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(clump_explore_read_values(bad[i], &v, &expected));
        assert_non_null(expected);
        clump_explore_variable_release(&v);
    }
    /* 95% of a normal distribution lie within 1.96 standard deviations; of U none below 0. */
    assert_true(clump_explore_read_distribution("U=0.48+-0.05", &v, &expected));
    assert_int_equal(v.distribution.kind, CLUMP_UNCERTAIN_NORMAL);
    assert_close(v.distribution.b, 0.05 / 1.959963984540054, 1e-12);
    assert_true(v.distribution.least >= 0 && v.distribution.most <= 1);
    assert_true(clump_explore_read_distribution("x=triangular(1,2,4)", &v, &expected));
    assert_close(clump_uncertain_quantile(&v.distribution, 1.0 / 3), 2, 1e-12);
    assert_false(clump_explore_read_distribution("x=normal(1)", &v, &expected));
    assert_false(clump_explore_read_distribution("x=3", &v, &expected));
}

/* ---- recommendations */

/*
 * Where all P processors communicate at once, X = 1 - U + U P/N; the best schedule of a pool has
 * X = max(U P/N, 1 - U + U/N).
 */
TEST(test_recommend)
{
    const size_t nics[] = {1, 2, 4, 6, 8};
    const double P = 8, U = 0.2;
    const clump_recommend_question question = {
        .node = {.processors = 8, .max_nics_per_processor = 1},
        .load = {.utilizations = &U,
                 .utilization_count = 1,
                 .demand = CLUMP_DEMAND_CORRELATED,
                 .coupling = CLUMP_COUPLING_NONE},
        .nics = nics,
        .nic_counts = 5,
        .limit = 1.3,
        .priced = true,
        .node_price = 1000,
        .nic_price = 10,
    };
    clump_recommend_answer a;
    assert_int_equal(clump_recommend(&question, &a, NULL), CLUMP_OK);
    assert_int_equal(a.count, 5 * CLUMP_RECOMMEND_ARRANGEMENTS);
    for (size_t i = 0; i < 5; i++) {
        const clump_recommend_option *o = &a.options[i * CLUMP_RECOMMEND_ARRANGEMENTS];
        const double N = (double)nics[i], X = 1 - U + U * P / N;
        assert_close(o->slowdown, X, 1e-12);
        assert_close(o->correlated, X, 1e-12);
        assert_close(o->scheduled, fmax(U * P / N, 1 - U + U / N), 1e-12);
        assert_true(o->enough == (X <= 1.3));
        assert_close(o->price, 1000 + 10 * N, 1e-12);
        assert_close(o->work_price, (1000 + 10 * N) * X / P, 1e-12);
        if (i > 0) {
            const double before = 1 - U + U * P / (double)nics[i - 1];
            assert_close(o->saved, (before - X) / before / (N - (double)nics[i - 1]), 1e-9);
        }
    }
    /* U (8/N - 1) <= 0.3: 4 of those asked for, 4 of all (3.2 in the real numbers); to U = 0.3. */
    assert_int_equal(a.verdict, CLUMP_RECOMMEND_POOLED);
    assert_int_equal(a.options[a.chosen].nics, 4);
    assert_int_equal(a.enough[CLUMP_RECOMMEND_POOLED], 4);
    assert_int_equal(a.least[CLUMP_RECOMMEND_POOLED].nics, 4);
    assert_int_equal(a.least_correlated, 4);
    assert_close(a.holds_up_to, 0.3, 1e-9);
    const double at = a.options[a.chosen].slowdown;
    assert_close(a.slowdown_more - at, 0.01, 1e-12);
    assert_close(a.slowdown_less - at, -0.01, 1e-12);
    /* (1000 + 10 N)(0.8 + 1.6/N) is least at N = sqrt(200): the most NICs. */
    assert_int_equal(a.options[a.cheapest].nics, 8);
    clump_recommend_answer_release(&a);
    clump_recommend_question few = question;
    few.nic_counts = 2;
    few.limited = true;
    assert_int_equal(clump_recommend(&few, &a, NULL), CLUMP_OK);
    assert_int_equal(a.verdict, CLUMP_RECOMMEND_LIMITED);
    assert_int_equal(a.options[a.chosen].nics, 2); /* none is enough: the best there is */
    assert_false(a.options[a.chosen].enough);
    assert_true(isnan(a.holds_up_to));
    clump_recommend_answer_release(&a);
    /* Nothing listed: all numbers, 4 again; tied as well, where the slowest of three has 1.4, of a pair
       1.2. */
    clump_recommend_question all = question;
    all.nic_counts = 0;
    assert_int_equal(clump_recommend(&all, &a, NULL), CLUMP_OK);
    assert_int_equal(a.nic_counts, 8);
    assert_int_equal(a.options[a.chosen].nics, 4);
    assert_int_equal(a.cautious, 4);
    assert_close(a.cautious_slowdown, 1.2, 1e-12);
    clump_recommend_answer_release(&a);
    all.limit = 1.1;
    all.node.processors = 40;
    assert_int_equal(clump_recommend(&all, &a, NULL), CLUMP_OK);
    assert_int_equal(a.options[a.chosen].nics, 27); /* 40/1.5 */
    assert_int_equal(a.cautious, 40);               /* a pair has 1.2 */
    assert_int_equal(a.options[a.chosen - CLUMP_RECOMMEND_ARRANGEMENTS].nics, 26);
    assert_int_equal(a.nics[a.nic_counts - 1], 40);
    clump_recommend_answer_release(&a);
}

/* Three tied groups of eight share memory: of two sizes, for which gangs and schedules are refused. */
TEST(test_recommend_shared_memory)
{
    const double U = 0.3;
    clump_recommend_question question = {
        .node = {.processors = 8,
                 .max_nics_per_processor = 1,
                 .memory = {.share = 0.5, .feeds = 5}},
        .load = {.utilizations = &U,
                 .utilization_count = 1,
                 .gang_size = 2,
                 .coupling = CLUMP_COUPLING_NONE},
        .limit = 1.3,
    };
    const size_t third = 2 * CLUMP_RECOMMEND_ARRANGEMENTS + CLUMP_RECOMMEND_TIED;
    clump_recommend_answer a;
    assert_int_equal(clump_recommend(&question, &a, NULL), CLUMP_OK);
    assert_int_equal(a.nic_counts, 8);
    assert_string_equal(a.tied_refused.message, "");
    assert_int_equal(a.least[CLUMP_RECOMMEND_TIED].nics, 3);
    assert_true(isfinite(a.options[third].slowdown) && isfinite(a.options[third].correlated));
    assert_true(isnan(a.options[third].scheduled));
    clump_recommend_answer_release(&a);
    question.load.demand = CLUMP_DEMAND_GANG;
    assert_int_equal(clump_recommend(&question, &a, NULL), CLUMP_OK);
    assert_non_null(strstr(a.tied_refused.message, "groups of 3 and of 2"));
    assert_true(isnan(a.options[third].slowdown) && !a.options[third].enough);
    assert_true(isfinite(a.options[third].correlated));
    assert_int_equal(a.least[CLUMP_RECOMMEND_TIED].nics, 0);
    assert_int_equal(a.options[a.chosen].nics, 3);
    assert_false(a.cautious_refused); /* is of correlated demand, which is known */
    clump_recommend_answer_release(&a);
    question.node.memory.feeds = 0.5; /* a mistake, not a gap */
    clump_error error;
    assert_int_equal(clump_recommend(&question, &a, &error), CLUMP_BAD_ARGUMENT);
    clump_recommend_answer_release(&a);
}

/* The same with rows that are looked at before they are taken: few come to be taken. */
TEST(test_batches)
{
    static const size_t sizes[] = {16, 1000, ROWS};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        batch = sizes[i];
        test_best(unit_state);
        test_pareto(unit_state);
        test_keys_refused(unit_state);
    }
    batch = 1;
}

/* ---- several programs on one machine */

/* The first waits for its slowest group, the second does not. */
TEST(test_mix)
{
    const double weights[] = {0.25, 0.75, 0};
    clump_result rows[] = {
        {.slowdown = 2,
         .slowest_slowdown = 3,
         .slowest_group = 4,
         .max_nics_per_processor = 1,
         .memory_penalty = 1,
         .ratio = NAN,
         .compared_slowdown = NAN},
        {.slowdown = 1,
         .slowest_slowdown = 5,
         .max_nics_per_processor = 2,
         .memory_penalty = 1,
         .ratio = NAN,
         .compared_slowdown = NAN},
        {.refused = "no weight", .slowdown = NAN, .slowest_slowdown = NAN},
    };
    clump_result m = clump_explore_mix(rows, 3, weights);
    assert_string_equal(m.application, "mix");
    assert_null(m.refused);
    assert_float_equal(m.slowdown, 1.25, 1e-12);
    assert_float_equal(clump_result_relative_time(&m), 0.25 * 3 + 0.75 * 1,
                       1e-12); /* not 0.25*3 + 0.75*5 */
    assert_int_equal(m.slowest_group, 4);
    assert_true(isnan(m.max_nics_per_processor)); /* not that of the first */
    assert_float_equal(m.memory_penalty, 1, 0);
    const clump_result swapped[] = {rows[1], rows[0]};
    const double other[] = {0.75, 0.25};
    m = clump_explore_mix(swapped, 2, other);
    assert_float_equal(clump_result_relative_time(&m), 1.5, 1e-12); /* whichever comes first */
    rows[0].slowest_group = 0;
    m = clump_explore_mix(rows, 3, weights);
    assert_float_equal(clump_result_relative_time(&m), 1.25, 1e-12); /* nobody waits */
    assert_float_equal(m.slowest_slowdown, 0.25 * 3 + 0.75 * 5, 1e-12);

    /* On the platform compared with they take 4 and 1 times the NOW, here half and all of that: (0.25*2 + 0.75*1)/(0.25*4 + 0.75). On
     * NICs of its own the first has a NOW of half the time. */
    rows[0] = (clump_result){.slowdown = 4,
                             .slowest_slowdown = 4,
                             .compared_with = "b",
                             .compared_slowdown = 4,
                             .ratio = 0.5};
    rows[1] = (clump_result){.slowdown = 1,
                             .slowest_slowdown = 1,
                             .compared_with = "b",
                             .compared_slowdown = 1,
                             .ratio = 1};
    m = clump_explore_mix(rows, 2, weights);
    assert_float_equal(clump_result_relative_time(&m), 1.25 / 1.75, 1e-12);
    assert_float_equal(m.compared_slowdown, 1.75, 1e-12);
    assert_float_equal(m.slowdown, (0.125 * 4 + 0.75 * 1) / 0.875, 1e-12);
}

UNIT_MAIN(NULL, NULL)
