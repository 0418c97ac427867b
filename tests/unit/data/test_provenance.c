/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a result was made from: a set, whatever the order; and what stores answer. */
#include "data/provenance.h"
#include "data/store/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static void digest_of(clump_provenance *p, char text[CLUMP_SHA256_TEXT])
{
    assert_true(clump_provenance_digest(p, text));
}

/* Every order of so many that the list has to grow, each several times. */
TEST(a_set)
{
    enum { INPUTS = 200 };
    char first[CLUMP_SHA256_TEXT] = "", text[CLUMP_SHA256_TEXT], name[20];
    for (unsigned step = 1; step < 12; step += 2) {
        clump_provenance *p = clump_provenance_new();
        for (unsigned i = 0; i < 3 * INPUTS; i++) {
            const unsigned k =
                i * (2 * step + 1) * 3 % INPUTS; /* 3 and INPUTS have no common divisor */
            snprintf(name, sizeof name, "file '%u'", (2 * step + 1) % 5 == 0 ? i % INPUTS : k);
            clump_provenance_add(p, name, name, strlen(name));
        }
        digest_of(p, text);
        if (*first == '\0')
            strcpy(first, text);
        assert_string_equal(text, first);
        assert_null(clump_provenance_conflict(p));
        clump_provenance_free(p);
    }
}

TEST(a_list_goes_out_and_in)
{
    clump_provenance *p = clump_provenance_new(), *q = clump_provenance_new();
    char a[CLUMP_SHA256_TEXT], b[CLUMP_SHA256_TEXT];
    clump_provenance_add(p, "scenario", "x", 1);
    clump_provenance_add(p, "two\nlines", "y", 1);
    char *list = clump_provenance_list(p);
    assert_string_equal(
        list, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881 scenario\n"
              "a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa two?lines\n");
    assert_true(clump_provenance_add_list(q, list));
    digest_of(p, a);
    digest_of(q, b);
    assert_string_equal(a, b);
    const size_t size = strlen(list);
    for (size_t i = 0; i < size; i++) { /* cut anywhere but behind a line */
        char *cut = strndup(list, i);
        if (i > 0 && list[i - 1] != '\n')
            assert_false(clump_provenance_add_list(q, cut));
        free(cut);
    }
    assert_false(clump_provenance_add_list(q, "abc name\n"));
    assert_null(clump_provenance_conflict(q));
    clump_provenance_add(q, "scenario", "other", 5);
    assert_string_equal(clump_provenance_conflict(q), "scenario");
    free(list);
    clump_provenance_free(p);
    clump_provenance_free(q);
}

static int take(const clump_store_sample *sample, void *context)
{
    (void)sample, (void)context;
    return 0;
}

/* A store in memory with two numbers of a platform, and one of another. */
static clump_store *make_store(double value, double other)
{
    clump_store *store;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_source(
                         store, &(clump_store_source){.name = "s", .kind = "inline", .title = "t"}),
                     CLUMP_STORE_OK);
    static const char *const names[] = {"mine", "other"};
    for (size_t i = 0; i < 2; i++) {
        int64_t series;
        assert_int_equal(clump_store_add_platform(store, &(clump_store_platform){.name = names[i],
                                                                                 .title = "t",
                                                                                 .nodes = 1,
                                                                                 .processors = 1,
                                                                                 .source = "s"}),
                         CLUMP_STORE_OK);
        const clump_store_series of = {
            .platform = names[i], .quantity = "gap", .source = "s", .statistic = "single"};
        assert_int_equal(clump_store_add_series(store, &of, &series), CLUMP_STORE_OK);
        const clump_store_measurement m = {
            .value = i == 0 ? value : other, .size_bytes = -1, .half_width = NAN, .std_dev = NAN};
        assert_int_equal(clump_store_add_sample(store, series, &m), CLUMP_STORE_OK);
    }
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    return store;
}

/* Reads twice; the second time nothing is new. */
static void ask(double value, double other, clump_provenance *p)
{
    clump_store *store = make_store(value, other);
    clump_store_trace(store, p);
    const clump_store_filter filter = {.platform = "mine", .quantity = "gap"};
    for (int i = 0; i < 2; i++)
        assert_int_equal(clump_store_each_sample(store, &filter, take, NULL), CLUMP_STORE_OK);
    clump_store_trace(store, NULL);
    clump_store_platform *platform; /* is no input any more */
    assert_int_equal(clump_store_find_platform(store, "other", &platform), CLUMP_STORE_OK);
    clump_store_free(platform);
    clump_store_close(store);
}

TEST(answers_of_stores)
{
    clump_provenance *p = clump_provenance_new();
    char a[CLUMP_SHA256_TEXT], b[CLUMP_SHA256_TEXT];
    ask(1, 2, p);
    digest_of(p, a);
    ask(1, 3, p); /* what was not read may be another */
    digest_of(p, b);
    assert_string_equal(a, b);
    assert_null(clump_provenance_conflict(p));
    ask(1.5, 2, p);
    assert_string_equal(clump_provenance_conflict(p), "rows of the database");
    clump_provenance_free(p);
}

UNIT_MAIN(NULL, NULL)
