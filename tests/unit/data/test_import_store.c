/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs into a database: all or nothing, once, with what a fit needs. */
#include "tests/unit/test_import.h"

#include "data/import/import.h"
#include "data/sha256.h"
#include "data/store/frozen.h"
#include "data/store/schema.h"

#include <sqlite3.h>
#include <unistd.h>

/* FIPS 180-2 appendix B, and the empty message (NIST's example). */
TEST(hashes)
{
    char text[CLUMP_SHA256_TEXT];
    clump_sha256("", 0, text);
    assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    clump_sha256("abc", 3, text);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    clump_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, text);
    assert_string_equal(text, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    clump_sha256(million, 1000000, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static const char *log_path(const char *name)
{
    static char path[500];
    const char *directory = getenv("CLUMP_TEST_DIR");
    snprintf(path, sizeof path, "%s/logs/%s", directory != NULL ? directory : "tests", name);
    return path;
}

static const clump_import_options plain = {.platform = "lab",
                                           .transport = "tcp",
                                           .nodes = -1,
                                           .processors = -1,
                                           .nics = -1,
                                           .size_bytes = -1};

static clump_store_status import_log(clump_store *store, const clump_import_options *options,
                                     const char *name, clump_import_result *result,
                                     char message[300])
{
    clump_import *import = clump_import_start(options);
    assert_non_null(import);
    clump_store_status status = clump_import_read(import, log_path(name));
    if (status == CLUMP_STORE_OK)
        status = clump_import_store(import, store, NULL);
    *result = clump_import_result_of(import, 0);
    result->source = NULL;
    result->path = result->notices = result->version = NULL;
    snprintf(message, 300, "%s", clump_import_message(import));
    clump_import_free(import);
    return status;
}

static clump_store *open_memory(void)
{
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    return store;
}

typedef struct seen {
    size_t count;
    double sum;
    int64_t window, processes, iterations, run;
    double delay;
    char benchmark[40], sha256[65], tool[40], file[80], application[40], note[40];
} seen;

static int see(const clump_store_sample *sample, void *context)
{
    seen *s = context;
    s->count++;
    s->sum += sample->measured.value;
    s->window = sample->window;
    s->processes = sample->processes;
    s->iterations = sample->measured.iterations;
    s->run = sample->measured.run;
    s->delay = sample->measured.delay_us;
    snprintf(s->benchmark, sizeof s->benchmark, "%s", sample->benchmark);
    snprintf(s->sha256, sizeof s->sha256, "%s", sample->source->sha256);
    snprintf(s->tool, sizeof s->tool, "%s", sample->source->tool);
    snprintf(s->file, sizeof s->file, "%s", sample->source->file);
    snprintf(s->application, sizeof s->application, "%s", sample->application);
    snprintf(s->note, sizeof s->note, "%s",
             sample->measured.note != NULL ? sample->measured.note : "");
    return 0;
}

static seen look(clump_store *store, const char *quantity, const char *benchmark)
{
    seen s = {.count = 0};
    const clump_store_filter filter = {
        .platform = "lab", .quantity = quantity, .benchmark = benchmark};
    assert_int_equal(clump_store_each_sample(store, &filter, see, &s), CLUMP_STORE_OK);
    return s;
}

TEST(keeps_what_a_fit_needs)
{
    clump_store *store = open_memory();
    clump_import_result result;
    char message[300];
    size_t findings = 1;
    assert_int_equal(import_log(store, &plain, "osu_mbw_mr_4ranks.txt", &result, message),
                     CLUMP_STORE_OK);
    seen s = look(store, "message_rate", "osu_mbw_mr");
    assert_int_equal(s.count, 13);
    assert_int_equal(s.window, 64);
    assert_int_equal(s.processes, 4);
    assert_int_equal(s.run, 1);
    assert_string_equal(s.benchmark, "osu_mbw_mr");
    assert_string_equal(s.tool, "OSU Micro-Benchmarks");
    assert_string_equal(s.file, "osu_mbw_mr_4ranks.txt");
    assert_int_equal(look(store, NULL, "osu_bw").count, 0);

    assert_int_equal(import_log(store, &plain, "loggp_tcp_64k.out", &result, message),
                     CLUMP_STORE_OK);
    s = look(store, "burst_round_trip", NULL);
    assert_int_equal(s.count, 3 * 64);
    assert_int_equal(s.window, 10);
    assert_true(s.delay == 95.550117);

    assert_int_equal(import_log(store, &plain, "fft3d-concise.mpiP", &result, message),
                     CLUMP_STORE_OK);
    s = look(store, "site_calls", NULL);
    assert_int_equal(s.count, 18);
    assert_string_equal(s.application, "fft3d 64 20");
    assert_int_equal(clump_store_check(store, NULL, NULL, &findings), CLUMP_STORE_OK);
    assert_int_equal(findings, 0);
    clump_store_close(store);
}

TEST(imports_once)
{
    clump_store *store = open_memory();
    clump_import_options options = plain;
    clump_import_result result;
    char message[300];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            import_log(store, &options, "osu_latency_v74_tcp_r1.txt", &result, message),
            CLUMP_STORE_OK);
        assert_true(result.repeated == (i > 0));
        assert_int_equal(look(store, "half_round_trip", NULL).count, 21);
    }
    /* of another transport it is another log */
    options.transport = "other";
    assert_int_equal(import_log(store, &options, "osu_latency_v74_tcp_r1.txt", &result, message),
                     CLUMP_STORE_OK);
    assert_false(result.repeated);
    assert_int_equal(look(store, "half_round_trip", NULL).count, 42);
    assert_string_equal(look(store, "half_round_trip", NULL).sha256,
                        "7b01809737a843c0ce93391fd97b56f6c156a6fa1b3aa61e0a6dab73ed9d631d");
    clump_store_close(store);
}

TEST(keeps_to_the_platform)
{
    clump_store *store = open_memory();
    clump_import_options options = plain;
    clump_import_result result;
    clump_store_platform *platform = NULL;
    char message[300];
    options.processors = 4;
    assert_int_equal(import_log(store, &options, "osu_bw_W16.txt", &result, message),
                     CLUMP_STORE_OK);
    assert_int_equal(clump_store_find_platform(store, "lab", &platform), CLUMP_STORE_OK);
    assert_int_equal(platform->processors, 4);
    assert_int_equal(platform->nics, 1);
    clump_store_free(platform);
    options.processors = 8;
    assert_int_equal(import_log(store, &options, "osu_alltoall_full.txt", &result, message),
                     CLUMP_STORE_BAD_INPUT);
    assert_non_null(strstr(message, "--processors: found 8, expected 4"));
    assert_int_equal(look(store, NULL, NULL).count, 17);
    clump_store_close(store);
}

/* A value that only the store knows to be wrong is named with its line, and nothing is stored. */
TEST(names_the_line)
{
    char path[] = "/tmp/clump-import-XXXXXX";
    const int descriptor = mkstemp(path);
    const char text[] = "value,unit,quantity\n1,count,clock\n";
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, sizeof text - 1), sizeof text - 1);
    close(descriptor);
    clump_store *store = open_memory();
    clump_import *import = clump_import_start(&plain);
    assert_int_equal(clump_import_read(import, path), CLUMP_STORE_OK);
    assert_int_equal(clump_import_store(import, store, NULL), CLUMP_STORE_BAD_INPUT);
    assert_non_null(strstr(clump_import_message(import), ":2: found unit 'count'"));
    clump_store_platform *platform = NULL;
    assert_int_equal(clump_store_find_platform(store, "lab", &platform), CLUMP_STORE_NOT_FOUND);
    clump_import_free(import);
    clump_store_close(store);
    unlink(path);
}

/* The same far down in a file, behind what was handed to the database already. */
TEST(names_a_late_line)
{
    char path[] = "/tmp/clump-import-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    enum { ROWS = 3000, WRONG = 2345 };
    assert_non_null(file);
    fprintf(file, "value,unit,quantity\n");
    for (int line = 2; line <= ROWS; line++)
        fprintf(file, "%d,us,gap\n", line == WRONG ? -line : line);
    assert_int_equal(fclose(file), 0);
    clump_store *store = open_memory();
    clump_import *import = clump_import_start(&plain);
    assert_int_equal(clump_import_read(import, path), CLUMP_STORE_OK);
    assert_int_equal(clump_import_store(import, store, NULL), CLUMP_STORE_BAD_INPUT);
    assert_non_null(strstr(clump_import_message(import), ":2345: a sample is -2345"));
    clump_store_platform *platform = NULL;
    assert_int_equal(clump_store_find_platform(store, "lab", &platform), CLUMP_STORE_NOT_FOUND);
    clump_import_free(import);
    clump_store_close(store);
    unlink(path);
}

/* ---- there and back */

static const char *database(int which)
{
    static char path[2][80];
    snprintf(path[which], sizeof path[which], "/tmp/clump-round-trip-%ld-%d", (long)getpid(),
             which);
    return path[which];
}

/* All rows of a query, with what ids stand for. */
static char *dump(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    size_t size = 0;
    char *text = NULL;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            fprintf(to, "%s|", value != NULL ? value : "(null)");
        }
        fputc('\n', to);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    fclose(to);
    return text;
}

static void make_everything(clump_store *store)
{
    const clump_store_source sources[] = {
        {.name = "first", .kind = "inline", .title = "By hand", .note = "typed, \"twice\""},
        {.name = "second",
         .kind = "document",
         .title = "A book",
         .table_label = "3",
         .section = "2.1",
         .page = "17"},
        {.name = "third",
         .kind = "calibration",
         .title = "Measured",
         .tool = "clumpmodel",
         .tool_version = "0",
         .command = "clumpmodel calibrate shm"}};
    const clump_store_platform platforms[] = {{.name = "now",
                                               .title = "Workstations, 8",
                                               .nodes = 8,
                                               .processors = 1,
                                               .nics = 1,
                                               .source = "second"},
                                              {.name = "whole",
                                               .title = "All of it",
                                               .nodes = 2,
                                               .processors = 8,
                                               .nics = 4,
                                               .mapping = "static",
                                               .counterpart = "now",
                                               .source = "second",
                                               .note = "rebuilt"},
                                              {.name = "part",
                                               .title = "A part",
                                               .nodes = 1,
                                               .processors = 4,
                                               .nics = 2,
                                               .mapping = "pooled",
                                               .part_of = "whole",
                                               .source = "third"},
                                              {.name = "lonely",
                                               .title = "Nothing is known of it",
                                               .nodes = 3,
                                               .processors = 2,
                                               .nics = 0,
                                               .part_of = "whole",
                                               .source = "first",
                                               .note = "yet"}};
    const clump_store_application applications[] = {
        {.name = "fft",
         .title = "3-D FFT, 64",
         .style = "streaming",
         .source = "first",
         .note = "of 1998"},
        {.name = "cg", .title = "Conjugate gradients", .style = "blocking", .source = "second"},
        {.name = "plain", .title = "plain", .source = "third"}};
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(clump_store_add_source(store, &sources[i]), CLUMP_STORE_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(clump_store_add_platform(store, &platforms[i]), CLUMP_STORE_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(clump_store_add_application(store, &applications[i]), CLUMP_STORE_OK);
    const clump_store_series series[] = {{.platform = "part",
                                          .quantity = "half_round_trip",
                                          .transport = "net",
                                          .variant = "v",
                                          .statistic = "single",
                                          .source = "third",
                                          .benchmark = "b",
                                          .window = 4,
                                          .processes = 2},
                                         {.platform = "whole",
                                          .application = "fft",
                                          .quantity = "execution_time",
                                          .statistic = "mean",
                                          .source = "first"},
                                         {.application = "plain",
                                          .quantity = "computation_time",
                                          .statistic = "single",
                                          .source = "second"}};
    for (size_t i = 0; i < 3; i++) {
        int64_t id = 0;
        assert_int_equal(clump_store_add_series(store, &series[i], &id), CLUMP_STORE_OK);
        for (int run = 1; run <= 2; run++)
            assert_int_equal(clump_store_add_sample(store, id,
                                                    &(clump_store_measurement){
                                                        .value = 1.0 / 3 * run,
                                                        .half_width = run == 1 ? 0.125 : NAN,
                                                        .std_dev = run == 1 ? NAN : 0.1,
                                                        .size_bytes = i == 0 ? 64 : -1,
                                                        .run = run,
                                                        .iterations = 1000 * run,
                                                        .delay_us = i == 0 ? 2.5 : 0,
                                                        .doubtful = run == 2,
                                                        .note = run == 2 ? "taken away" : NULL}),
                             CLUMP_STORE_OK);
    }
    const clump_store_fit_parameter parameters[] = {
        {.name = "U", .value = 1.0 / 3, .low = 0.25, .high = NAN, .free = true},
        {.name = "V", .value = 2, .low = NAN, .high = NAN}};
    const clump_store_fit_run runs[] = {{.platform = "part",
                                         .source = "third",
                                         .base = "now",
                                         .mapping = "pooled",
                                         .processors = 4,
                                         .nics = 2,
                                         .max_nics = 1.5,
                                         .utilization = 0.1,
                                         .remote_fraction = 0.2,
                                         .cost_ratio = 0.7,
                                         .waiting_fraction = 0,
                                         .base_time_s = 10,
                                         .time_s = 1.0 / 7,
                                         .relative_error = 0.01,
                                         .fitted_s = 0.14},
                                        {.platform = "",
                                         .source = "",
                                         .base = "",
                                         .mapping = "static",
                                         .processors = 1,
                                         .nics = 0,
                                         .utilization = NAN,
                                         .remote_fraction = NAN,
                                         .cost_ratio = NAN,
                                         .waiting_fraction = NAN,
                                         .base_time_s = 10,
                                         .time_s = 11,
                                         .relative_error = NAN,
                                         .fitted_s = 12}};
    const clump_store_fit fits[] = {
        {.application = "cg",
         .fitted_from = "fft",
         .demand = "correlated",
         .efficiency = "power",
         .confidence = 0.95,
         .chi_square = 1e-300,
         .freedom = 3,
         .rms_error = 0.1,
         .parameters = parameters,
         .parameter_count = 2,
         .runs = runs,
         .run_count = 2},
        {.application = "plain", .demand = "gang", .efficiency = "inverse", .confidence = 0.5}};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(clump_store_add_fit(store, &fits[i]), CLUMP_STORE_OK);
    static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const clump_store_prediction predictions[] = {{.platform = "part",
                                                   .application = "cg, of \"ours\"",
                                                   .base = "now",
                                                   .change = "shared-nics",
                                                   .inputs = digest,
                                                   .now_time_s = 1.0 / 3,
                                                   .predicted_s = 1.0 / 7,
                                                   .low_s = 0.1,
                                                   .high_s = 0.2},
                                                  {.platform = "gone",
                                                   .application = "fft",
                                                   .base = "now",
                                                   .change = "nic-each",
                                                   .inputs = digest,
                                                   .now_time_s = 2,
                                                   .predicted_s = 3,
                                                   .low_s = NAN,
                                                   .high_s = NAN}};
    const clump_store_frozen frozen[] = {{.name = "before, \"the\" machine",
                                          .made = "2026-11-22T14:30:00Z",
                                          .program = "0.1.0",
                                          .rules = "1/abc",
                                          .level = 0.9,
                                          .note = "a guess, really"},
                                         {.name = "nothing",
                                          .made = "2026-11-23T14:30:00Z",
                                          .program = "0.1.0",
                                          .rules = "1/abc",
                                          .level = 0.5}};
    assert_int_equal(clump_store_add_frozen(store, &frozen[0], predictions, 2), CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_frozen(store, &frozen[1], NULL, 0), CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_frozen(store, &frozen[1], predictions, 2), CLUMP_STORE_IN_USE);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
}

/* What is exported comes back, whichever table it is in. */
TEST(comes_back)
{
    static const char *const tables[][2] = {
        {"source", "SELECT name, kind, title, table_label, section, page, file, sha256, tool,"
                   " tool_version, command, note, adopted FROM source ORDER BY name"},
        {"platform",
         "SELECT p.name, p.title, p.nodes, p.processors, p.nics, p.mapping, w.name, c.name, s.name,"
         " p.note, p.adopted FROM platform p LEFT JOIN platform w ON w.id = p.part_of_id LEFT JOIN"
         " platform c ON c.id = p.counterpart_id JOIN source s ON s.id = p.source_id"
         " ORDER BY p.name"},
        {"application", "SELECT a.name, a.title, a.style, s.name, a.note, a.adopted FROM"
                        " application a JOIN source s ON s.id = a.source_id ORDER BY a.name"},
        {"quantity",
         "SELECT name, unit, meaning, may_be_negative, adopted FROM quantity ORDER BY name"},
        {"series", "SELECT p.name, a.name, q.name, s.name, transport, variant, statistic,"
                   " benchmark, window, processes FROM series r LEFT JOIN platform p ON p.id ="
                   " r.platform_id LEFT JOIN application a ON a.id = r.application_id JOIN quantity"
                   " q ON q.id = r.quantity_id JOIN source s ON s.id = r.source_id"
                   " ORDER BY 1, 2, 3, 4"},
        {"sample",
         "SELECT q.name, v.ordinal, v.run, v.size_bytes, v.value, v.iterations, v.delay,"
         " v.half_width, v.std_dev, v.doubtful, v.note FROM sample v JOIN series r ON r.id ="
         " v.series_id JOIN quantity q ON q.id = r.quantity_id ORDER BY 1, 2"},
        {"fit", "SELECT a.name, fitted_from, demand, efficiency, confidence, chi_square, freedom,"
                " rms_error FROM fit f JOIN application a ON a.id = f.application_id ORDER BY 1"},
        {"fit_parameter", "SELECT a.name, p.name, value, low, high, free FROM fit_parameter p JOIN"
                          " application a ON a.id = p.application_id ORDER BY 1, 2"},
        {"fit_run",
         "SELECT a.name, ordinal, platform, r.source, base, processors, nics, mapping, max_nics,"
         " utilization, remote_fraction, cost_ratio, waiting_fraction, base_time, time,"
         " relative_error, fitted_time FROM fit_run r JOIN application a ON a.id ="
         " r.application_id ORDER BY 1, 2"},
        {"frozen_prediction",
         "SELECT f.name, ordinal, platform, application, base, change, inputs, now_time, predicted,"
         " low, high FROM frozen_prediction p JOIN frozen f ON f.id = p.frozen_id ORDER BY 1, 2"},
        {"frozen", "SELECT name, made, program, rules, level, note FROM frozen ORDER BY 1"},
    };
    clump_store *store = NULL;
    clump_store_merged added;
    assert_int_equal(clump_store_open(database(0), CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    make_everything(store);
    clump_store_close(store);
    assert_int_equal(clump_store_open(database(1), CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(clump_store_merge(store, database(0), &added), CLUMP_STORE_OK);
        assert_int_equal(added.samples > 0, !again);
        assert_int_equal(added.descriptions > 0, !again);
    }
    clump_store_close(store);

    char *names = dump(database(0), "SELECT name FROM sqlite_schema WHERE type = 'table'");
    for (const char *at = names; *at != '\0'; at += strcspn(at, "\n") + 1) {
        size_t i = 0;
        if (strncmp(at, "recording", strlen("recording")) == 0) /* test_recorded_run does */
            continue;
        while (i < sizeof tables / sizeof *tables &&
               strncmp(at, tables[i][0], strcspn(at, "|")) != 0)
            i++;
        if (i == sizeof tables / sizeof *tables)
            fail_msg("nobody compares the table %.40s", at);
    }
    free(names);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char *before = dump(database(0), tables[i][1]), *after = dump(database(1), tables[i][1]);
        assert_true(*before != '\0');
        assert_string_equal(after, before);
        free(before);
        free(after);
    }
    unlink(database(0));
    unlink(database(1));
}

UNIT_MAIN(NULL, NULL)
