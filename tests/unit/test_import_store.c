/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs into a database: all or nothing, once, with what a fit needs. */
#include "test_import.h"

#include "data/import/import.h"
#include "data/sha256.h"
#include "data/store/schema.h"

#include <sqlite3.h>
#include <unistd.h>

/* FIPS 180-2 appendix B, and the empty message (NIST's example). */
static void hashes(void **state)
{
    char text[CLUMP_SHA256_TEXT];
    (void)state;
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

static void keeps_what_a_fit_needs(void **state)
{
    clump_store *store = open_memory();
    clump_import_result result;
    char message[300];
    size_t findings = 1;
    (void)state;
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

static void imports_once(void **state)
{
    clump_store *store = open_memory();
    clump_import_options options = plain;
    clump_import_result result;
    char message[300];
    (void)state;
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

static void keeps_to_the_platform(void **state)
{
    clump_store *store = open_memory();
    clump_import_options options = plain;
    clump_import_result result;
    clump_store_platform *platform = NULL;
    char message[300];
    (void)state;
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
static void names_the_line(void **state)
{
    char path[] = "/tmp/clump-import-XXXXXX";
    const int descriptor = mkstemp(path);
    const char text[] = "value,unit,quantity\n1,count,clock\n";
    (void)state;
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

/* tests/unit/version-1.sql is what version 1 of the program made, with some rows. */
static void migrates(void **state)
{
    char path[] = "/tmp/clump-import-XXXXXX";
    const int descriptor = mkstemp(path);
    char name[500];
    const char *directory = getenv("CLUMP_TEST_DIR");
    (void)state;
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(name, sizeof name, "%s/unit/version-1.sql", directory != NULL ? directory : "tests");
    char *sql = calloc(1, 1 << 16);
    FILE *file = fopen(name, "rb");
    assert_non_null(sql);
    assert_non_null(file);
    assert_true(fread(sql, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    free(sql);

    clump_store *store = NULL;
    assert_int_equal(clump_store_open(path, CLUMP_STORE_READ, &store), CLUMP_STORE_BAD_INPUT);
    assert_non_null(strstr(clump_store_message(store), "earlier version"));
    clump_store_close(store);
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    seen s = look(store, "gap", NULL);
    assert_int_equal(s.count, 2);
    assert_true(s.sum == 1.5 + 2.25);
    assert_int_equal(s.window + s.processes + s.run + s.iterations, 0);
    assert_string_equal(s.note, "second");
    size_t findings = 1;
    assert_int_equal(clump_store_check(store, NULL, NULL, &findings), CLUMP_STORE_OK);
    assert_int_equal(findings, 0);
    clump_store_close(store);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes),         cmocka_unit_test(keeps_what_a_fit_needs),
        cmocka_unit_test(imports_once),   cmocka_unit_test(keeps_to_the_platform),
        cmocka_unit_test(names_the_line), cmocka_unit_test(migrates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
