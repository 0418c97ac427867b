/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of records: where values come from, when they are none, and which columns are shown. */
#include "tests/unit/unit.h"

#include "cli/output/results.h"

#include <math.h>
#include <string.h>

typedef struct part {
    const char *name;
    double share;
} part;

typedef struct record {
    const char *text;
    char letters[8];
    double real;
    size_t size;
    unsigned count;
    int64_t whole;
    bool truth;
    const part *part;
} record;

static const void *part_of(const void *r)
{
    return ((const record *)r)->part;
}

static bool has_part(const void *r)
{
    return part_of(r) != NULL;
}

static void make_double(const void *r, table_cell *cell)
{
    cell_real(cell, 2 * ((const record *)r)->real);
}

static void make_letter(const table_column *column, const void *r, table_cell *cell)
{
    cell_print(cell, "%c", ((const record *)r)->letters[column->offset]);
}

static void make_share(const void *p, table_cell *cell)
{
    cell_real(cell, ((const part *)p)->share);
}

enum { TEXT, LETTERS, REAL, SIZE, COUNT, WHOLE, TRUTH, PART, SHARE, DOUBLE, LETTER, COLUMN_COUNT };

static const table_column columns[COLUMN_COUNT] = {
    [TEXT] = {"text", "Text", FIELD(record, text), .folding = FOLD_ALWAYS},
    [LETTERS] = {"letters", "Letters", FIELD_ARRAY(record, letters)},
    [REAL] = {"real", "Real", FIELD(record, real), .folding = FOLD_ROWS},
    [SIZE] = {"size", "Size", FIELD(record, size), .positive = true},
    [COUNT] = {"count", NULL, FIELD(record, count)},
    [WHOLE] = {"whole", "Whole", FIELD(record, whole), .layout = COLUMN_DETAIL},
    [TRUTH] = {"truth", "Truth", FIELD(record, truth)},
    [PART] = {"part", "Part", FIELD(part, name), .of = part_of, .wanted = has_part},
    [SHARE] = {"share", "Share", .make = make_share, .of = part_of, .worth = has_part},
    [DOUBLE] = {"double", "Double", .make = make_double},
    [LETTER] = {NULL, "Letter", .offset = 1, .make_with = make_letter},
};

static const part a_part = {"half", 0.5};
static const record both[] = {
    {"same", "abc", 1.5, 7, 3, -4, true, &a_part},
    {"same", "xyz", 1.5, 0, 0, INT64_MIN, false, NULL},
};

static table_cell read(size_t column, size_t row)
{
    const table_rows rows = {COLUMNS(columns), RECORDS(both, 2)};
    table_cell cell;
    cell_read(&rows, row, column, &cell);
    return cell;
}

static void check_text(size_t column, size_t row, const char *text)
{
    const table_rows rows = {COLUMNS(columns), RECORDS(both, 2)};
    table_cell cell; /* a text may be in it */
    cell_read(&rows, row, column, &cell);
    assert_int_equal(cell.kind, CELL_TEXT);
    assert_string_equal(cell.text, text);
}

TEST(each_type_is_read)
{
    check_text(TEXT, 0, "same");
    check_text(LETTERS, 1, "xyz");
    assert_true(read(REAL, 0).real > 1.49 && read(REAL, 0).real < 1.51);
    assert_int_equal(read(SIZE, 0).whole, 7);
    assert_int_equal(read(COUNT, 0).whole, 3);
    assert_int_equal(read(WHOLE, 1).whole, INT64_MIN);
    assert_int_equal(read(TRUTH, 0).kind, CELL_TRUTH);
    assert_int_equal(read(TRUTH, 1).whole, 0);
    check_text(PART, 0, "half");
    assert_true(fabs(read(SHARE, 0).real - 0.5) < 1e-15);
    assert_true(fabs(read(DOUBLE, 0).real - 3) < 1e-15);
    check_text(LETTER, 0, "b");
}

TEST(what_does_not_apply_is_none)
{
    assert_int_equal(read(SIZE, 1).kind, CELL_NONE);   /* not above 0 */
    assert_int_equal(read(COUNT, 1).kind, CELL_WHOLE); /* where 0 is a number */
    assert_int_equal(read(PART, 1).kind, CELL_NONE);   /* no part */
    assert_int_equal(read(SHARE, 1).kind, CELL_NONE);
    static const record odd = {.text = "", .real = NAN};
    table_cell cell;
    column_read(&columns[TEXT], &odd, &cell);
    assert_int_equal(cell.kind, CELL_NONE);
    column_read(&columns[LETTERS], &odd, &cell);
    assert_int_equal(cell.kind, CELL_NONE);
    column_read(&columns[REAL], &odd, &cell);
    assert_int_equal(cell.kind, CELL_NONE);
}

TEST(tables_show_what_is_worth_it)
{
    const table_rows two = {COLUMNS(columns), RECORDS(both, 2)};
    const table_rows first = {COLUMNS(columns), RECORDS(both, 1)};
    const table_rows second = {COLUMNS(columns), RECORDS(both + 1, 1)};
    const table_rows nothing = {COLUMNS(columns), RECORDS(both, 0)};
    assert_int_equal(column_decide(&two, TEXT), FATE_FOLDED);
    assert_int_equal(column_decide(&first, TEXT), FATE_FOLDED);
    assert_int_equal(column_decide(&two, REAL), FATE_FOLDED);
    assert_int_equal(column_decide(&first, REAL), FATE_IN_TABLE);
    assert_int_equal(column_decide(&two, LETTERS), FATE_IN_TABLE);
    assert_int_equal(column_decide(&two, COUNT), FATE_DROPPED); /* no heading */
    assert_int_equal(column_decide(&two, WHOLE), FATE_DROPPED); /* a detail */
    assert_int_equal(column_decide(&two, SHARE), FATE_IN_TABLE);
    assert_int_equal(column_decide(&second, SHARE), FATE_DROPPED);
    assert_int_equal(column_decide(&second, SIZE), FATE_DROPPED); /* none everywhere */
    assert_int_equal(column_decide(&nothing, SHARE), FATE_IN_TABLE);
    assert_int_equal(column_decide(&nothing, PART), FATE_DROPPED);
}

TEST(other_formats_leave_out_what_no_row_wants)
{
    const table_rows two = {COLUMNS(columns), RECORDS(both, 2)};
    const table_rows second = {COLUMNS(columns), RECORDS(both + 1, 1)};
    const wanted_columns of_two = columns_wanted(&two), of_second = columns_wanted(&second);
    assert_true(column_has_key(&two, &of_two, PART));
    assert_false(column_has_key(&second, &of_second, PART));
    assert_true(column_has_key(&second, &of_second, SHARE));
    assert_false(column_has_key(&two, &of_two, LETTER)); /* no key */
}

TEST(layouts_follow_types)
{
    assert_int_equal(column_layout_of(&columns[TEXT]), COLUMN_LEFT);
    assert_int_equal(column_layout_of(&columns[TRUTH]), COLUMN_LEFT);
    assert_int_equal(column_layout_of(&columns[SIZE]), COLUMN_RIGHT);
    assert_int_equal(column_layout_of(&columns[DOUBLE]), COLUMN_RIGHT);
    assert_int_equal(column_layout_of(&columns[WHOLE]),
                     COLUMN_RIGHT); /* where details are wanted */
}

TEST(pointers_to_records_are_rows_too)
{
    const record *const list[] = {&both[1], &both[0]};
    const table_rows rows = {COLUMNS(columns), RECORD_POINTERS(list, 2)};
    table_cell cell;
    cell_read(&rows, 1, LETTERS, &cell);
    assert_string_equal(cell.text, "abc");
}

/* The fields of a result: no key or symbol twice, and each is found by its key. */
TEST(zeros_have_no_sign)
{
    static const struct {
        double value;
        number_notation notation;
        const char *shown;
    } cases[] = {
        {-0.0004, NUMBER_SIGNED, "0.0%"},    {0.0004, NUMBER_SIGNED, "0.0%"},
        {-0.0006, NUMBER_SIGNED, "-0.1%"},   {0.0006, NUMBER_SIGNED, "+0.1%"},
        {-0.0004, NUMBER_PERCENT, "0.0%"},   {-0.00004, NUMBER_RATIO, "0.0000"},
        {-0.00006, NUMBER_RATIO, "-0.0001"}, {-1e-30, NUMBER_GENERAL, "-1e-30"},
        {-0.05, NUMBER_GENERAL, "-0.05"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SHOWN_SIZE];
        const table_cell cell = {.kind = CELL_REAL, .real = cases[i].value};
        assert_string_equal(cell_show(&cell, cases[i].notation, text), cases[i].shown);
    }
    table_cell cell;
    cell_print(&cell, "%.2f to %.2f, %.1f%% (%+.1f)", -0.001, -0.005001, -0.01, 0.04);
    assert_string_equal(cell.text, "0.00 to -0.01, 0.0% (0.0)");
    cell_print(&cell, "-0.0x1 a-0.0 -0.01 %s", "2026-00-00");
    assert_string_equal(cell.text, "0.0x1 a-0.0 -0.01 2026-00-00");
}

TEST(results_have_each_key_once)
{
    const table_rows rows = result_rows(NULL, 0);
    for (size_t i = 0; i < rows.column_count; i++) {
        const table_column *c = &rows.columns[i];
        assert_true(c->key != NULL || c->heading != NULL);
        if (c->key != NULL)
            assert_ptr_equal(result_column(c->key), c);
        for (size_t k = 0; k < i && c->symbol != NULL; k++)
            if (rows.columns[k].symbol != NULL)
                assert_string_not_equal(rows.columns[k].symbol, c->symbol);
    }
    assert_null(result_column("no such key"));
}

TEST(scenarios_are_runs_of_one_title)
{
    const clump_result results[] = {{.scenario = "a", .error = 0.1},
                                    {.scenario = "a", .error = -0.3},
                                    {.scenario = "b", .error = (double)NAN},
                                    {.scenario = NULL, .error = (double)NAN}};
    assert_int_equal(result_scenario_length(results, 4), 2);
    assert_int_equal(result_scenario_length(results + 2, 2), 1);
    assert_true(fabs(result_mean_error(results, 4) - 0.2) < 1e-12);
    assert_true(isnan(result_mean_error(results + 2, 2)));
}

UNIT_MAIN(NULL, NULL)
