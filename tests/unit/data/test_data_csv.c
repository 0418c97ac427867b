/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that comes in: CSV, numbers, units, names. */
#include "tests/unit/unit.h"

#include "data/csv.h"
#include "data/number.h"
#include "data/suggest.h"
#include "data/text.h"
#include "data/units.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clump_csv csv;

static void start(const char *text)
{
    clump_csv_start(&csv, text, strlen(text), true);
}

static void assert_row(size_t line, size_t fields, const char *const *expected)
{
    assert_int_equal(clump_csv_next(&csv), CLUMP_CSV_ROW);
    assert_int_equal(csv.line, line);
    assert_int_equal(csv.fields, fields);
    for (size_t i = 0; i < fields; i++) {
        assert_string_equal(csv.field[i].text, expected[i]);
        assert_int_equal(csv.field[i].size, strlen(expected[i]));
    }
}

TEST(reads_rfc_4180)
{
    start("\xEF\xBB\xBF"
          "a,b\r\n# comment, with \"quotes\n\n\"x \"\"y\"\", z\n2\",\r\n,\"\"\n1,2");
    assert_row(1, 2, (const char *const[]){"a", "b"});
    assert_int_equal(clump_csv_find(&csv, "b"), 1);
    assert_int_equal(clump_csv_find(&csv, "c"), -1);
    assert_row(4, 2, (const char *const[]){"x \"y\", z\n2", ""});
    assert_row(6, 2, (const char *const[]){"", ""});
    assert_row(7, 2, (const char *const[]){"1", "2"});
    assert_int_equal(clump_csv_next(&csv), CLUMP_CSV_END);
    assert_int_equal(clump_csv_next(&csv), CLUMP_CSV_END);
}

static void assert_bad(const char *text, size_t size, size_t line, const char *reason)
{
    clump_csv_start(&csv, text, size, true);
    clump_csv_status status;
    while ((status = clump_csv_next(&csv)) == CLUMP_CSV_ROW) {
    }
    assert_int_equal(status, CLUMP_CSV_BAD);
    assert_int_equal(csv.line, line);
    assert_non_null(strstr(csv.message, reason));
    assert_int_equal(clump_csv_next(&csv), CLUMP_CSV_BAD);
}

TEST(refuses_what_is_not_csv)
{
    static const struct {
        const char *text;
        size_t line;
        const char *reason;
    } cases[] = {
        {"a,b\n1\n", 2, "1 fields, expected 2"},  {"a,b\n1,2,3\n", 2, "3 fields"},
        {"a\n\"open\nline 3", 2, "never closed"}, {"a\n\"x\"y\n", 2, "after a closing quote"},
        {"a\nx\"y\n", 2, "quote inside"},         {"a\rb\n", 1, "carriage return"},
        {"a\nb\r", 2, "carriage return"},         {"a\n\xC0\x80\n", 2, "not UTF-8"},
        {"a\n\xED\xA0\x80\n", 2, "not UTF-8"},    {"a\n\xF4\x90\x80\x80\n", 2, "not UTF-8"},
        {"a\n\xE2\x82\n", 2, "not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_bad(cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].reason);
    assert_bad("a\nb\0c\n", 6, 2, "NUL");
    assert_bad("a\n\"b\0c\"\n", 8, 2, "NUL");
    assert_bad("a\n#b\0c\n", 7, 2, "NUL");
}

TEST(refuses_what_is_too_long)
{
    const size_t size = 2 * CLUMP_CSV_RECORD;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'x', size);
    assert_bad(text, size, 1, "longer");
    memset(text, ',', size);
    assert_bad(text, size, 1, "more than 256 fields");
    text[0] = '"';
    assert_bad(text, size, 1, "longer");
    memset(text, 'x', size);
    clump_csv_start(&csv, text, CLUMP_CSV_RECORD - 2, true); /* the longest that fits */
    assert_int_equal(clump_csv_next(&csv), CLUMP_CSV_ROW);
    assert_int_equal(csv.field[0].size, CLUMP_CSV_RECORD - 2);
    free(text);
}

TEST(reads_empty_files)
{
    const char *const texts[] = {"", "\n\n", "# only\n# comments", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < 4; i++) {
        start(texts[i]);
        assert_int_equal(clump_csv_next(&csv), CLUMP_CSV_END);
    }
}

/* Any bytes end in ROW, END or BAD, without reading outside (sanitizers watch). */
TEST(survives_noise)
{
    static const char alphabet[] = "\",\n\r#a1\xC3\xA9\x80 ";
    uint32_t seed = 12345;
    for (int i = 0; i < 20000; i++) {
        char exact[24];
        const size_t size = (size_t)i % sizeof exact;
        for (size_t j = 0; j < size; j++) {
            seed = seed * 1664525u + 1013904223u;
            exact[j] = alphabet[(seed >> 16) % sizeof alphabet];
        }
        char *heap = malloc(size + 1); /* exactly as long, for the address sanitizer */
        assert_non_null(heap);
        memcpy(heap, exact, size);
        clump_csv_start(&csv, heap, size, (i & 1) != 0);
        int rows = 0;
        while (clump_csv_next(&csv) == CLUMP_CSV_ROW)
            rows++;
        assert_true(rows <= 24);
        free(heap);
    }
}

TEST(parses_numbers_as_strtod_does)
{
    static const char *const texts[] = {"0",
                                        "-0.0",
                                        "5.588",
                                        "+1.5",
                                        "1e3",
                                        "1E-3",
                                        ".5",
                                        "5.",
                                        "0.000001",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "1e-22",
                                        "1.7976931348623157e308",
                                        "4.9e-324",
                                        "2.2250738585072011e-308",
                                        "123456789012345678901234",
                                        "0.1e-10",
                                        "0000012.5",
                                        "1e-0",
                                        "0e99999",
                                        "179769313486231570000e288"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = -1;
        assert_int_equal(clump_number_parse(texts[i], strlen(texts[i]), &value), CLUMP_NUMBER_OK);
        const double expected = strtod(texts[i], NULL);
        assert_memory_equal(&value, &expected, sizeof value);
    }
    uint32_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        seed = seed * 1664525u + 1013904223u;
        const int digits = 1 + (int)(seed >> 28);
        const double drawn = ldexp((double)(seed | 1u), (int)(seed >> 8 & 127) - 80);
        snprintf(text, sizeof text, "%.*g", digits, drawn);
        double value = -1;
        assert_int_equal(clump_number_parse(text, strlen(text), &value), CLUMP_NUMBER_OK);
        assert_true(value == strtod(text, NULL));
        const size_t length = clump_number_print(drawn, text);
        assert_int_equal(length, strlen(text));
        assert_true(strtod(text, NULL) == drawn);
    }
}

TEST(refuses_what_is_no_number)
{
    static const char *const texts[] = {"",      " ",     "nan", "inf", "-Infinity", "0x10", "1e",
                                        "1e+",   ".",     "-",   "+.",  "1 ",        " 1",   "1,5",
                                        "1.2.3", "1e5.0", "--1", "1f",  "1_000"};
    double value = 7;
    int64_t number = 7;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(clump_number_parse(texts[i], strlen(texts[i]), &value),
                         CLUMP_NUMBER_MALFORMED);
        assert_int_equal(clump_number_parse_whole(texts[i], strlen(texts[i]), &number),
                         CLUMP_NUMBER_MALFORMED);
    }
    assert_int_equal(clump_number_parse("1e999", 5, &value), CLUMP_NUMBER_RANGE);
    assert_int_equal(clump_number_parse("-1e309", 6, &value), CLUMP_NUMBER_RANGE);
    assert_int_equal(clump_number_parse("1e-999", 6, &value), CLUMP_NUMBER_TINY);
    assert_int_equal(clump_number_parse("1e99999999999999999999", 22, &value), CLUMP_NUMBER_RANGE);
    assert_true(value == 7);
    assert_int_equal(clump_number_parse_whole("9223372036854775808", 19, &number),
                     CLUMP_NUMBER_RANGE);
    assert_int_equal(clump_number_parse_whole("-9223372036854775809", 20, &number),
                     CLUMP_NUMBER_RANGE);
    assert_true(number == 7);
    assert_int_equal(clump_number_parse_whole("-9223372036854775808", 20, &number), 0);
    assert_true(number == INT64_MIN);
    assert_int_equal(clump_number_parse_whole("9223372036854775807", 19, &number), 0);
    assert_true(number == INT64_MAX);
    uint64_t digits = 7;
    assert_int_equal(clump_number_parse_digits("", 0, &digits), CLUMP_NUMBER_MALFORMED);
    assert_int_equal(clump_number_parse_digits("+1", 2, &digits), CLUMP_NUMBER_MALFORMED);
    assert_int_equal(clump_number_parse_digits("18446744073709551616", 20, &digits),
                     CLUMP_NUMBER_RANGE);
    assert_true(digits == 7);
    assert_int_equal(clump_number_parse_digits("18446744073709551615", 20, &digits), 0);
    assert_true(digits == UINT64_MAX);
}

/* In a locale with a decimal comma, if the system has one; it often has not. */
TEST(ignores_the_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < 4 && set == NULL; i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (set == NULL)
        skip();
    double value = 0;
    char text[CLUMP_NUMBER_TEXT];
    const clump_number_status status = clump_number_parse("1.25e-300", 9, &value);
    clump_number_print(2.5, text);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(status, CLUMP_NUMBER_OK);
    assert_true(value == 1.25e-300);
    assert_string_equal(text, "2.5");
}

TEST(converts_units)
{
    static const struct {
        double value;
        const char *from;
        const char *to;
        double expected;
    } cases[] = {
        {90, "nsec", "us", 0.09},
        {5.991, "nsec/B", "us/B", 0.005991},
        {1.5, "s", "us", 1500000},
        {250, "ms", "s", 0.25},
        {158.0, "MiB/s", "B/us", 165.675008},
        {160, "MB/s", "B/us", 160},
        {8, "Mbit/s", "B/us", 1},
        {2, "KiB", "B", 2048},
        {2, "kB", "B", 2000},
        {77, "%", "ratio", 0.77},
        {1, "GHz", "MHz", 1000},
        {3, "cycles", "cycles", 3},
        {34.158, "ns/day", "ns/day", 34.158},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double result = -1;
        assert_int_equal(clump_unit_convert(cases[i].value, cases[i].from, cases[i].to, &result),
                         CLUMP_UNIT_OK);
        assert_true(fabs(result - cases[i].expected) <= 2.3e-16 * 2 * cases[i].expected);
    }
    double result = 7;
    assert_int_equal(clump_unit_convert(1, "furlong", "us", &result), CLUMP_UNIT_UNKNOWN_FROM);
    assert_int_equal(clump_unit_convert(1, "us", "", &result), CLUMP_UNIT_UNKNOWN_TO);
    assert_int_equal(clump_unit_convert(1, "MB/sec", "B/us", &result), CLUMP_UNIT_UNKNOWN_FROM);
    assert_int_equal(clump_unit_convert(1, "us", "B", &result), CLUMP_UNIT_MISMATCH);
    assert_int_equal(clump_unit_convert(1, "us", "cycles", &result), CLUMP_UNIT_MISMATCH);
    assert_true(result == 7);
    assert_true(clump_unit_is_canonical("us/B"));
    assert_true(clump_unit_is_canonical("ns/day"));
    assert_false(clump_unit_is_canonical("ns"));
    assert_false(clump_unit_is_canonical("parsec"));
}

TEST(knows_printable_text)
{
    assert_true(clump_text_is_printable("3-D FFT \xC3\xA9 \xE2\x82\xAC", 14));
    static const char *const bad[] = {"a\tb",         "a\nb",         "\x1B[31m",
                                      "\x7F",         "\xC2\x85",     "\xE2\x80\xAE.",
                                      "\xEF\xBB\xBF", "\xE2\x80\x8B", "\xFF"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(clump_text_is_printable(bad[i], strlen(bad[i])));
}

TEST(measures_likeness)
{
    static const struct {
        clump_suggest_kind kind;
        const char *a, *b;
        size_t distance;
    } cases[] = {
        {CLUMP_SUGGEST_RECORD, "", "abc", 3},
        {CLUMP_SUGGEST_RECORD, "kitten", "sitting", 3},
        {CLUMP_SUGGEST_RECORD, "sample", "SAMPLE", 0},
        {CLUMP_SUGGEST_RECORD, "clmup", "clump", 1},
        {CLUMP_SUGGEST_RECORD, "a_b", "a-b", 1},
        {CLUMP_SUGGEST_WORD, "Max_nics", "max-nics", 0},
        {CLUMP_SUGGEST_FIELD, "l", "L", 1},
        {CLUMP_SUGGEST_FIELD, "a_b", "a-b", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(clump_suggest_distance(cases[i].kind, cases[i].a, cases[i].b),
                         cases[i].distance);
        assert_int_equal(clump_suggest_distance(cases[i].kind, cases[i].b, cases[i].a),
                         cases[i].distance);
    }
    char longer[300];
    memset(longer, 'q', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(clump_suggest_distance(CLUMP_SUGGEST_RECORD, longer, longer), 0);
}

/* What one name suggests of a list. */
static void suggests(clump_suggest_kind kind, const char *wanted, const char *const *names,
                     const char *expected)
{
    char text[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(kind, wanted);
    const char *best = clump_suggest_among(kind, wanted, names);
    for (; *names != NULL; names++)
        clump_suggest_offer(&suggestion, *names);
    assert_string_equal(clump_suggest_text(&suggestion, "", text), expected);
    assert_int_equal(best != NULL, suggestion.count > 0);
    if (best != NULL)
        assert_string_equal(suggestion.similar[0].name, best);
}

TEST(suggests_what_was_meant)
{
    static const char *const options[] = {"nics", "max-nics-per-processor", "mapping", "db", NULL};
    static const char *const fields[] = {"nics", "memory_penalty", "max_nics_per_processor", NULL};
    static const char *const records[] = {"gap",   "e5000-now", "e5000-clump", "e5000-smp",
                                          "e5000", "e6000",     NULL};
    suggests(CLUMP_SUGGEST_WORD, "NICS", options, "; did you mean 'nics'?");
    suggests(CLUMP_SUGGEST_WORD, "max", options, "; did you mean 'max-nics-per-processor'?");
    suggests(CLUMP_SUGGEST_WORD, "processor", options, "");
    suggests(CLUMP_SUGGEST_WORD, "dc", options, "");
    suggests(CLUMP_SUGGEST_WORD, "", options, "");
    suggests(CLUMP_SUGGEST_FIELD, "penalty", fields, "; did you mean 'memory_penalty'?");
    suggests(CLUMP_SUGGEST_FIELD, "max", fields, "");
    suggests(CLUMP_SUGGEST_FIELD, "NICS", fields, "");
    suggests(CLUMP_SUGGEST_RECORD, "E5000-CLMP", records,
             "; did you mean 'e5000-clump' or 'e5000-smp' or 'e5000'?");
    suggests(CLUMP_SUGGEST_RECORD, "x", records, "");
    suggests(CLUMP_SUGGEST_RECORD, "", records, "");
}

UNIT_MAIN(NULL, NULL)
