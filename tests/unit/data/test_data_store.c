/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store: writing, reading back, and who wins when names meet. */
#include "tests/unit/unit.h"

#include "data/csv.h"
#include "data/number.h"
#include "data/store/repeated.h"
#include "data/store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clump_store *store;

static int open_store(void **state)
{
    (void)state;
    return clump_store_open(NULL, CLUMP_STORE_WRITE, &store) != CLUMP_STORE_OK;
}

static int close_store(void **state)
{
    (void)state;
    clump_store_close(store);
    return 0;
}

static const clump_store_source my_source = {
    .name = "my-log",
    .kind = "log",
    .title = "A log of mine",
    .file = "osu_latency.txt",
    .sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    .tool = "osu_latency",
    .command = "osu_latency -m 1:1024, \"twice\""};

static const clump_store_measurement plain = {
    .value = 1.5, .half_width = NAN, .std_dev = NAN, .size_bytes = -1};

static void ok(clump_store_status status)
{
    if (status != CLUMP_STORE_OK)
        fail_msg("status %d: %s", (int)status, clump_store_message(store));
}

static void fails(clump_store_status status, clump_store_status expected, const char *reason)
{
    assert_int_equal(status, expected);
    if (strstr(clump_store_message(store), reason) == NULL)
        fail_msg("'%s' does not say '%s'", clump_store_message(store), reason);
}

static void add_mine(void)
{
    ok(clump_store_begin(store));
    ok(clump_store_add_source(store, &my_source));
    ok(clump_store_add_platform(store, &(clump_store_platform){.name = "mine",
                                                               .title = "My cluster",
                                                               .nodes = 2,
                                                               .processors = 64,
                                                               .nics = 2,
                                                               .mapping = "pooled",
                                                               .part_of = "e5000-clump",
                                                               .source = "my-log"}));
    ok(clump_store_add_application(store, &(clump_store_application){.name = "my app",
                                                                     .title = "A program",
                                                                     .style = "blocking",
                                                                     .source = "my-log"}));
}

static int64_t add_series(const char *platform, const char *application, const char *quantity)
{
    int64_t id = 0;
    ok(clump_store_add_series(store,
                              &(clump_store_series){.platform = platform,
                                                    .application = application,
                                                    .quantity = quantity,
                                                    .transport = "network",
                                                    .statistic = "single",
                                                    .source = "my-log"},
                              &id));
    return id;
}

static int count_sample(const clump_store_sample *sample, void *context)
{
    (void)sample;
    ++*(size_t *)context;
    return 0;
}

static size_t count(clump_store_filter filter)
{
    size_t n = 0;
    ok(clump_store_each_sample(store, &filter, count_sample, &n));
    return n;
}

static int keep_last(const clump_store_sample *sample, void *context)
{
    clump_store_sample *kept = context;
    *kept = *sample;
    assert_string_equal(sample->platform, "mine");
    assert_string_equal(sample->application, "");
    assert_string_equal(sample->quantity, "round_trip_time");
    assert_string_equal(sample->unit, "us");
    assert_string_equal(sample->transport, "network");
    assert_string_equal(sample->variant, "");
    assert_string_equal(sample->source->tool, "osu_latency");
    assert_string_equal(sample->source->sha256, my_source.sha256);
    assert_null(sample->source->page);
    assert_false(sample->reference);
    return 0;
}

TEST_WITH(reads_back_what_was_written, open_store, close_store)
{
    add_mine();
    const int64_t id = add_series("mine", NULL, "round_trip_time");
    const clump_store_measurement written = {.value = 0.1,
                                             .half_width = 0.01,
                                             .std_dev = 0,
                                             .size_bytes = INT64_MAX,
                                             .doubtful = true,
                                             .note = "d\xC3\xA9j\xC3\xA0 vu"};
    ok(clump_store_add_sample(store, id, &plain));
    ok(clump_store_add_sample(store, id, &written));
    ok(clump_store_commit(store));

    clump_store_sample last;
    const clump_store_filter filter = {.platform = "mine", .application = "", .variant = ""};
    ok(clump_store_each_sample(store, &filter, keep_last, &last));
    assert_true(last.series == id && last.ordinal == 2);
    assert_true(last.measured.value == 0.1 && last.measured.half_width == 0.01);
    assert_true(last.measured.std_dev == 0 && last.measured.size_bytes == INT64_MAX);
    assert_true(last.measured.doubtful);

    /* The value is the one that is sure; of doubtful ones alone there is none, which is said. */
    clump_store_filter sure = filter;
    sure.quantity = "round_trip_time";
    sure.sure = true;
    clump_store_measurement value;
    ok(clump_store_value(store, &sure, &value));
    assert_true(value.value == plain.value && !value.doubtful);
    ok(clump_store_begin(store));
    ok(clump_store_add_sample(store, add_series("mine", NULL, "gap"), &written));
    ok(clump_store_commit(store));
    sure.quantity = "gap"; /* nor is that of e5000-clump inherited, of which it is part */
    assert_int_equal(clump_store_value(store, &sure, &value), CLUMP_STORE_NOT_FOUND);
    assert_non_null(strstr(clump_store_message(store), "1 doubtful sample is left out"));

    clump_store_platform *platform = NULL;
    ok(clump_store_find_platform(store, "mine", &platform));
    assert_string_equal(platform->title, "My cluster");
    assert_string_equal(platform->part_of, "e5000-clump");
    assert_string_equal(platform->source, "my-log");
    assert_string_equal(platform->mapping, "pooled");
    assert_null(platform->counterpart);
    assert_null(platform->note);
    assert_true(platform->nodes == 2 && platform->processors == 64 && platform->nics == 2);
    assert_false(platform->reference);
    clump_store_free(platform);

    clump_store_application *application = NULL;
    ok(clump_store_find_application(store, "my app", &application));
    assert_string_equal(application->style, "blocking");
    clump_store_free(application);
    ok(clump_store_find_application(store, "CON/comm", &application));
    assert_string_equal(application->source, "thesis-section-7.1.3");
    assert_true(application->reference);
    clump_store_free(application);

    clump_store_quantity *quantity = NULL;
    ok(clump_store_find_quantity(store, "latency", &quantity));
    assert_string_equal(quantity->unit, "us");
    assert_true(quantity->may_be_negative);
    clump_store_free(quantity);

    clump_store_source *source = NULL;
    ok(clump_store_find_source(store, "my-log", &source));
    assert_string_equal(source->command, my_source.command);
    clump_store_free(source);
    size_t findings = 9;
    ok(clump_store_check(store, NULL, NULL, &findings));
    assert_int_equal(findings, 0);
}

TEST_WITH(rollback_leaves_nothing, open_store, close_store)
{
    add_mine();
    ok(clump_store_add_sample(store, add_series("mine", "SAMPLE", "gap"), &plain));
    clump_store_rollback(store);
    clump_store_platform *platform = NULL;
    fails(clump_store_find_platform(store, "mine", &platform), CLUMP_STORE_NOT_FOUND, "'mine'");
    assert_null(platform);
    assert_int_equal(count((clump_store_filter){
                         .application = "SAMPLE", .transport = "network", .statistic = "single"}),
                     0);
    fails(clump_store_commit(store), CLUMP_STORE_BAD_INPUT, "begin");
    fails(clump_store_add_source(store, &my_source), CLUMP_STORE_BAD_INPUT, "begin");
    add_mine(); /* and again from the start */
    fails(clump_store_begin(store), CLUMP_STORE_BAD_INPUT, "already open");
    ok(clump_store_commit(store));
}

/* Samples of reference platforms and applications stand beside the reference ones. */
TEST_WITH(adds_to_reference_rows, open_store, close_store)
{
    const clump_store_filter filter = {
        .platform = "e5000-clump", .application = "SAMPLE", .quantity = "execution_time"};
    assert_int_equal(count(filter), 1);
    add_mine();
    ok(clump_store_add_sample(store, add_series("e5000-clump", "SAMPLE", "execution_time"),
                              &plain));
    ok(clump_store_commit(store));
    assert_int_equal(count(filter), 2);
    clump_store_platform *platform = NULL;
    ok(clump_store_find_platform(store, "e5000-clump", &platform));
    assert_true(platform->reference);
    assert_string_equal(platform->counterpart, "ultra170-now");
    clump_store_free(platform);
    clump_store_measurement measured;
    fails(clump_store_value(store, &filter, &measured), CLUMP_STORE_BAD_INPUT, "several");
    ok(clump_store_begin(store));
    fails(clump_store_add_platform(store, &(clump_store_platform){.name = "e5000-clump",
                                                                  .title = "x",
                                                                  .nodes = 1,
                                                                  .processors = 1,
                                                                  .source = "my-log"}),
          CLUMP_STORE_BAD_INPUT, "already uses the reference platform");
    clump_store_rollback(store);
}

static int names_platform(const void *record, void *context)
{
    const clump_store_platform *platform = record;
    int *seen = context;
    if (strcmp(platform->name, "e5000-clump") == 0) {
        assert_false(platform->reference);
        ++*seen;
    }
    return 0;
}

TEST_WITH(own_names_hide_reference_names, open_store, close_store)
{
    ok(clump_store_begin(store));
    ok(clump_store_add_source(store, &my_source));
    ok(clump_store_add_platform(store, &(clump_store_platform){.name = "e5000-clump",
                                                               .title = "Not that one",
                                                               .nodes = 1,
                                                               .processors = 3,
                                                               .source = "my-log"}));
    ok(clump_store_add_sample(store, add_series("e5000-clump", NULL, "gap"), &plain));
    ok(clump_store_commit(store));
    clump_store_platform *platform = NULL;
    ok(clump_store_find_platform(store, "e5000-clump", &platform));
    assert_true(platform->processors == 3 && !platform->reference);
    clump_store_free(platform);
    int seen = 0;
    ok(clump_store_each_record(store, CLUMP_STORE_PLATFORM, names_platform, &seen));
    assert_int_equal(seen, 1);
    assert_int_equal(count((clump_store_filter){.platform = "e5000-clump"}), 1);
    clump_store_measurement measured;
    ok(clump_store_value(store, &(clump_store_filter){.platform = "e5000-clump", .quantity = "gap"},
                         &measured));
    assert_true(measured.value == 1.5);
}

TEST_WITH(inherits_what_belongs_to_the_machine, open_store, close_store)
{
    add_mine();
    ok(clump_store_commit(store));
    clump_store_filter filter = {
        .platform = "mine", .quantity = "gap", .transport = "network", .variant = "multi-protocol"};
    clump_store_measurement measured;
    ok(clump_store_value(store, &filter, &measured));
    assert_true(measured.value == 14.51);
    assert_int_equal(count(filter), 0); /* only when asked for */
    filter.inherit = true;
    assert_int_equal(count(filter), 1);
    /* A time was measured on that platform and no other. */
    fails(clump_store_value(store,
                            &(clump_store_filter){.platform = "e5000-clump-4x4",
                                                  .application = "EM3D/good",
                                                  .quantity = "execution_time"},
                            &measured),
          CLUMP_STORE_NOT_FOUND, "no sample of 'execution_time'");
    ok(clump_store_begin(store)); /* one of its own goes first */
    ok(clump_store_add_sample(store, add_series("mine", NULL, "gap"), &plain));
    ok(clump_store_commit(store));
    filter.variant = NULL;
    ok(clump_store_value(store, &filter, &measured));
    assert_true(measured.value == 1.5);
}

TEST_WITH(suggests_names, open_store, close_store)
{
    clump_store_measurement measured = plain;
    clump_store_platform *platform = NULL;
    fails(clump_store_find_platform(store, "e5000-clmup", &platform), CLUMP_STORE_NOT_FOUND,
          "did you mean 'e5000-clump'");
    clump_store_application *application = NULL;
    fails(clump_store_find_application(store, "sampel", &application), CLUMP_STORE_NOT_FOUND,
          "did you mean 'SAMPLE'?");
    fails(clump_store_value(store,
                            &(clump_store_filter){
                                .platform = "e5000-clump", .quantity = "gap", .variant = "multi"},
                            &measured),
          CLUMP_STORE_NOT_FOUND, "variant 'multi-protocol'");
    fails(clump_store_value(store,
                            &(clump_store_filter){.platform = "e5000-clump", .quantity = "gapp"},
                            &measured),
          CLUMP_STORE_NOT_FOUND, "did you mean 'gap'");
    assert_true(measured.value == 1.5); /* outputs only on success */
    fails(clump_store_find_platform(store, "\x1B[2J", &platform), CLUMP_STORE_BAD_INPUT,
          "printable");
    fails(clump_store_find_platform(store, NULL, &platform), CLUMP_STORE_BAD_INPUT, "empty");
}

static int stop_at_once(const clump_store_sample *sample, void *context)
{
    (void)sample;
    ++*(size_t *)context;
    return 1;
}

static int nest(const void *record, void *context)
{
    const clump_store_platform *platform = record;
    clump_store_platform *again = NULL;
    ok(clump_store_find_platform(store, platform->name, &again));
    assert_string_equal(again->name, platform->name);
    clump_store_free(again);
    ++*(size_t *)context;
    return 0;
}

TEST_WITH(callbacks_stop_and_nest, open_store, close_store)
{
    size_t n = 0;
    const clump_store_filter any = {.platform = NULL};
    assert_int_equal(clump_store_each_sample(store, &any, stop_at_once, &n), CLUMP_STORE_STOPPED);
    assert_int_equal(n, 1);
    n = 0;
    ok(clump_store_each_record(store, CLUMP_STORE_PLATFORM, nest, &n));
    assert_int_equal(n, 13); /* the rows of data/reference/platforms.csv */
}

TEST_WITH(refuses_bad_values, open_store, close_store)
{
    add_mine();
    const int64_t id = add_series("mine", NULL, "gap");
    const struct {
        clump_store_measurement measured;
        const char *reason;
    } bad[] = {
        {{NAN, NAN, NAN, -1, 0, 0, 0, false, NULL}, "finite"},
        {{INFINITY, NAN, NAN, -1, 0, 0, 0, false, NULL}, "finite"},
        {{-1, NAN, NAN, -1, 0, 0, 0, false, NULL}, "cannot be negative"},
        {{1, -1, NAN, -1, 0, 0, 0, false, NULL}, "half-width"},
        {{1, 1.0000001e150, NAN, -1, 0, 0, 0, false, NULL}, "half-width"},
        {{1, NAN, INFINITY, -1, 0, 0, 0, false, NULL}, "standard deviation"},
        {{1, NAN, 1e301, -1, 0, 0, 0, false, NULL}, "standard deviation"},
        {{1, NAN, NAN, -2, 0, 0, 0, false, NULL}, "message size"},
        {{1, NAN, NAN, -1, 0, 0, 0, false, "two\nlines"}, "printable"},
        {{1, NAN, NAN, -1, 0, 0, 0, false, ""}, "empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fails(clump_store_add_sample(store, id, &bad[i].measured), CLUMP_STORE_BAD_INPUT,
              bad[i].reason);
    }
    fails(clump_store_add_sample(store, id + 1, &plain), CLUMP_STORE_BAD_INPUT, "no series");
    ok(clump_store_add_sample(store, id, &plain)); /* the transaction goes on */
    clump_store_measurement negative = plain;
    negative.value = -0.5;
    ok(clump_store_add_sample(store, add_series("mine", NULL, "latency"), &negative));
    ok(clump_store_commit(store));
    assert_int_equal(count((clump_store_filter){.platform = "mine"}), 2);
}

/* One number measured several times; expected values by hand, of 1e6 + 1, 2, 6: mean 3, and squares of
 * distances 4 + 1 + 9 = 14 give t sqrt(14/2/3), t = 4.30265 with two degrees of freedom. */
TEST_WITH(repeats_are_one_number, open_store, close_store)
{
    clump_store_repeated r = {.count = 0};
    clump_store_measurement m = plain;
    double half_width;
    assert_true(isnan(clump_store_repeated_mean(&r, &half_width)) && isnan(half_width));
    m.value = 1e6 + 1;
    m.half_width = 0.25;
    clump_store_repeated_add(&r, &m);
    assert_true(clump_store_repeated_mean(&r, &half_width) == 1e6 + 1 && half_width == 0.25);
    m.value = 1e6 + 2;
    clump_store_repeated_add(&r, &m);
    m.value = 1e6 + 6;
    clump_store_repeated_add(&r, &m);
    assert_float_equal(clump_store_repeated_mean(&r, &half_width), 1e6 + 3, 1e-9);
    assert_float_equal(half_width, 6.572410608, 1e-8);
    r = (clump_store_repeated){.count = 0};
    clump_store_repeated_add(&r, &plain);
    assert_true(clump_store_repeated_mean(&r, &half_width) == 1.5 && isnan(half_width));
}

TEST_WITH(refuses_bad_rows, open_store, close_store)
{
    add_mine();
    clump_store_source source = my_source;
    fails(clump_store_add_source(store, &source), CLUMP_STORE_BAD_INPUT, "already");
    source.name = "other";
    source.sha256 = "ABC";
    fails(clump_store_add_source(store, &source), CLUMP_STORE_BAD_INPUT, "sha256");
    source.sha256 = NULL;
    fails(clump_store_add_source(store, &source), CLUMP_STORE_BAD_INPUT, "file IS NOT NULL");
    source.kind = "rumour";
    fails(clump_store_add_source(store, &source), CLUMP_STORE_BAD_INPUT, "kind IN");
    source.kind = "inline";
    source.title = "\xFF";
    fails(clump_store_add_source(store, &source), CLUMP_STORE_BAD_INPUT, "printable");
    source.title = "x";
    source.name = " x";
    fails(clump_store_add_source(store, &source), CLUMP_STORE_BAD_INPUT, "space");

    clump_store_platform platform = {
        .name = "p", .title = "t", .nodes = 1, .processors = 1, .source = "my-log"};
    platform.mapping = "both";
    fails(clump_store_add_platform(store, &platform), CLUMP_STORE_BAD_INPUT,
          "mapping IN ('pooled', 'static')");
    platform.mapping = NULL;
    platform.nodes = 0;
    fails(clump_store_add_platform(store, &platform), CLUMP_STORE_BAD_INPUT, "expected 1 to");
    platform.nodes = INT64_MAX;
    fails(clump_store_add_platform(store, &platform), CLUMP_STORE_BAD_INPUT, "expected 1 to");
    platform.nodes = 1;
    platform.part_of = "p";
    fails(clump_store_add_platform(store, &platform), CLUMP_STORE_BAD_INPUT, "itself");
    platform.part_of = "nowhere";
    fails(clump_store_add_platform(store, &platform), CLUMP_STORE_NOT_FOUND, "'nowhere'");
    platform.part_of = NULL;
    platform.source = "hearsay";
    fails(clump_store_add_platform(store, &platform), CLUMP_STORE_NOT_FOUND, "'hearsay'");

    clump_store_quantity quantity = {.name = "q", .unit = "nsec", .meaning = "m"};
    fails(clump_store_add_quantity(store, &quantity), CLUMP_STORE_BAD_INPUT, "cannot be kept");
    quantity.name = "gap";
    quantity.unit = "s";
    fails(clump_store_add_quantity(store, &quantity), CLUMP_STORE_BAD_INPUT, "known in us");

    clump_store_series series = {.quantity = "gap", .statistic = "mean", .source = "my-log"};
    int64_t id = 7;
    fails(clump_store_add_series(store, &series, &id), CLUMP_STORE_BAD_INPUT, "needs a platform");
    series.platform = "mine";
    series.statistic = "mode";
    fails(clump_store_add_series(store, &series, &id), CLUMP_STORE_BAD_INPUT, "statistic IN");
    series.statistic = "mean";
    series.quantity = "weight";
    fails(clump_store_add_series(store, &series, &id), CLUMP_STORE_NOT_FOUND, "'weight'");
    assert_true(id == 7);
    series.quantity = "gap";
    ok(clump_store_add_series(store, &series, &id));
    fails(clump_store_add_series(store, &series, &id), CLUMP_STORE_BAD_INPUT,
          "already is a series");
    clump_store_rollback(store);
}

static int count_up(const clump_store_sample *sample, void *context)
{
    double *sum = context;
    *sum += sample->measured.value;
    return 0;
}

TEST_WITH(exports_csv_that_reads_back, open_store, close_store)
{
    static clump_csv csv;
    add_mine();
    ok(clump_store_add_sample(store, add_series("mine", "SAMPLE", "gap"), &plain));
    ok(clump_store_commit(store));
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    const clump_store_filter filter = {.application = "SAMPLE"};
    assert_non_null(file);
    ok(clump_store_export(store, &filter, file));
    assert_int_equal(fclose(file), 0);
    double sum = 0;
    ok(clump_store_each_sample(store, &filter, count_up, &sum));
    clump_csv_start(&csv, text, strlen(text), false);
    assert_int_equal(clump_csv_next(&csv), CLUMP_CSV_ROW);
    const int value = clump_csv_find(&csv, "value");
    const int command = clump_csv_find(&csv, "source_command");
    assert_true(value >= 0 && command >= 0);
    double exported = 0;
    bool found = false;
    while (clump_csv_next(&csv) == CLUMP_CSV_ROW) {
        double one = 0;
        assert_int_equal(clump_number_parse(csv.field[value].text, csv.field[value].size, &one), 0);
        exported += one;
        found = found || strcmp(csv.field[command].text, my_source.command) == 0;
    }
    assert_string_equal(csv.message, "");
    assert_true(found);
    assert_true(exported == sum);
    free(text);
}

TEST_WITH(export_stops_with_its_file, open_store, close_store)
{
    const clump_store_filter any = {.platform = NULL};
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(clump_store_export(store, &any, full), CLUMP_STORE_STOPPED);
    fclose(full);
}

static int remember(const char *finding, void *context)
{
    snprintf(context, 1000, "%s", finding);
    return 0;
}

TEST_WITH(check_finds_contradictions, open_store, close_store)
{
    static const char *const names[] = {"latency", "send_overhead", "receive_overhead",
                                        "round_trip_time"};
    const double values[] = {10, 1, 2, 26.9}; /* 2 * 13 = 26: 0.9 is more than 1% all around */
    add_mine();
    for (size_t i = 0; i < 4; i++) {
        clump_store_measurement measured = plain;
        measured.value = values[i];
        ok(clump_store_add_sample(store, add_series("mine", NULL, names[i]), &measured));
    }
    ok(clump_store_commit(store));
    char text[1000] = "";
    size_t findings = 0;
    ok(clump_store_check(store, remember, text, &findings));
    assert_int_equal(findings, 1);
    assert_non_null(strstr(text, "round-trip time 26.9 us, but 2(o_s + L + o_r) = 26 us"));
    ok(clump_store_begin(store));
    for (int i = 0; i < 2; i++) {
        int64_t id = 0;
        ok(clump_store_add_series(store,
                                  &(clump_store_series){.platform = "mine",
                                                        .application = "my app",
                                                        .quantity = "short_messages",
                                                        .statistic = i == 0 ? "min" : "max",
                                                        .source = "my-log"},
                                  &id));
        clump_store_measurement measured = plain;
        measured.value = i == 0 ? 5 : 4;
        ok(clump_store_add_sample(store, id, &measured));
    }
    ok(clump_store_commit(store));
    ok(clump_store_check(store, remember, text, &findings));
    assert_int_equal(findings, 2);
}

UNIT_MAIN(NULL, NULL)
