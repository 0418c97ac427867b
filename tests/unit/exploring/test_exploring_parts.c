/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a sweep: what is read is what was written, in order, whatever the files went through. */
#include "tests/unit/unit.h"

#include "exploring/part.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char question[] = "clumpmodel test\n--sweep N=1:8\n";

enum { PARTS = 3, CASES = 5, CONFIGURATIONS = 7 };

static char paths[PARTS][40];

static clump_provenance *inputs;

static int begin_inputs(void **state)
{
    (void)state;
    inputs = clump_provenance_new();
    clump_provenance_add(inputs, "program", "1", 1);
    clump_provenance_add(inputs, "file 'node.xml'", "a", 1);
    return inputs != NULL ? 0 : -1;
}

static int end_inputs(void **state)
{
    (void)state;
    clump_provenance_free(inputs);
    return 0;
}

/* A row whose every number says which it is; some texts and numbers stay, some are none. */
static clump_explore_row make_row(size_t case_index, size_t configuration)
{
    const double x = (double)(100 * case_index + configuration);
    static char title[40], refused[60];
    snprintf(title, sizeof title, "case %zu", case_index);
    snprintf(refused, sizeof refused, "refused: %zu, %zu", case_index, configuration);
    clump_explore_row row = {.case_index = case_index, .configuration = configuration};
    row.result.scenario = title;
    row.result.application = configuration == 2 ? NULL : "an application";
    row.result.processors = 8;
    row.result.nics = configuration + 1;
    row.result.demand = (clump_demand)(configuration % 4);
    row.result.mapping = case_index % 2 == 0 ? CLUMP_MAPPING_POOLED : CLUMP_MAPPING_STATIC;
    row.result.slowdown = 1 + x / 3;
    row.result.loss = configuration % 3 == 0 ? NAN : -0.0;
    row.result.measured_time = INFINITY;
    row.result.reached = configuration % 2 == 0;
    row.result.refused = configuration == 4 ? refused : NULL;
    row.least_nics = SIZE_MAX - configuration;
    row.median = NAN;
    return row;
}

static void check_text(const char *found, const char *expected)
{
    if (expected == NULL)
        assert_null(found);
    else
        assert_string_equal(found, expected);
}

static void check_row(const clump_explore_row *found, const clump_explore_row *expected)
{
    const clump_result *f = &found->result, *e = &expected->result;
    assert_int_equal(found->case_index, expected->case_index);
    assert_int_equal(found->configuration, expected->configuration);
    check_text(f->scenario, e->scenario);
    check_text(f->application, e->application);
    check_text(f->refused, e->refused);
    assert_int_equal(f->nics, e->nics);
    assert_int_equal(f->demand, e->demand);
    assert_int_equal(f->mapping, e->mapping);
    assert_int_equal(f->reached, e->reached);
    assert_memory_equal(&f->slowdown, &e->slowdown, sizeof f->slowdown);
    assert_memory_equal(&f->loss, &e->loss, sizeof f->loss); /* -0 and NAN as they were */
    assert_memory_equal(&f->measured_time, &e->measured_time, sizeof f->measured_time);
    assert_int_equal(found->least_nics, expected->least_nics);
}

static clump_explore_part *begin(size_t part)
{
    const clump_explore_share share = {(uint32_t)part + 1, PARTS};
    char message[CLUMP_EXPLORE_MESSAGE];
    clump_explore_part *p = NULL;
    snprintf(paths[part], sizeof paths[part], "/tmp/clump-part-XXXXXX");
    const int descriptor = mkstemp(paths[part]);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(clump_explore_part_begin(paths[part], share, question, inputs, &p, message),
                     CLUMP_EXPLORE_OK);
    return p;
}

/* How many records it has. */
static uint64_t end(clump_explore_part *p)
{
    char message[CLUMP_EXPLORE_MESSAGE];
    uint64_t records;
    assert_int_equal(clump_explore_part_end(p, true, &records, message), CLUMP_EXPLORE_OK);
    return records;
}

/* Rows are dealt out by the sum of case and configuration, of the last case as neighbours. */
static void write_rows(size_t part)
{
    clump_explore_part *p = begin(part);
    uint64_t count = 0;
    for (size_t c = 0; c < CASES; c++)
        for (size_t k = 0; k < CONFIGURATIONS; k++)
            if ((c + 1 == CASES ? k / 3 : c + k) % PARTS == part) {
                const clump_explore_row row = make_row(c, k);
                assert_int_equal(clump_explore_part_row(&row, p), CLUMP_EXPLORE_OK);
                count++;
            }
    assert_int_equal(end(p), count);
}

static void remove_parts(void)
{
    for (size_t i = 0; i < PARTS; i++)
        unlink(paths[i]);
}

static clump_explore_status open_parts(const char *asked, clump_explore_parts **parts,
                                       char *message)
{
    const char *const list[PARTS] = {paths[2], paths[0], paths[1]};
    return clump_explore_parts_open(list, PARTS, asked, inputs, parts, message);
}

/* Read to the end; the number of rows, each of which must be the next one. */
static clump_explore_status read_rows(clump_explore_parts *parts, size_t *count, bool compared,
                                      char *message)
{
    clump_explore_status status = CLUMP_EXPLORE_OK;
    *count = 0;
    for (bool end = false; status == CLUMP_EXPLORE_OK;) {
        clump_explore_row row = {.explorer = NULL};
        status = clump_explore_parts_row(parts, &row, &end, message);
        if (status != CLUMP_EXPLORE_OK || end)
            break;
        assert_true(row.result.demand <= CLUMP_DEMAND_GANG);
        assert_true(row.result.mapping <= CLUMP_MAPPING_STATIC);
        if (compared) {
            const clump_explore_row expected =
                make_row(*count / CONFIGURATIONS, *count % CONFIGURATIONS);
            check_row(&row, &expected);
        }
        ++*count;
    }
    return status;
}

TEST(test_order)
{
    char message[CLUMP_EXPLORE_MESSAGE] = "";
    clump_explore_parts *parts = NULL;
    size_t count;
    for (size_t i = 0; i < PARTS; i++)
        write_rows(i);
    assert_int_equal(open_parts(question, &parts, message), CLUMP_EXPLORE_OK);
    for (int round = 0; round < 2; round++) {
        clump_explore_parts_rewind(parts);
        assert_int_equal(read_rows(parts, &count, true, message), CLUMP_EXPLORE_OK);
        assert_int_equal(count, CASES * CONFIGURATIONS);
    }
    clump_explore_parts_close(parts);
    remove_parts();
}

TEST(test_refused)
{
    char message[CLUMP_EXPLORE_MESSAGE] = "";
    clump_explore_parts *parts = NULL;
    for (size_t i = 0; i < PARTS; i++)
        write_rows(i);
    assert_int_equal(open_parts("clumpmodel test\n--sweep N=1:9\n", &parts, message),
                     CLUMP_EXPLORE_BAD_INPUT);
    assert_non_null(strstr(message, "'--sweep N=1:8', expected '--sweep N=1:9'"));
    assert_int_equal(open_parts("clumpmodel test\n", &parts, message), CLUMP_EXPLORE_BAD_INPUT);
    assert_non_null(strstr(message, "'--sweep N=1:8', expected 'nothing more'"));
    const char *const twice[] = {paths[0], paths[1], paths[0]};
    assert_int_equal(clump_explore_parts_open(twice, 3, question, inputs, &parts, message),
                     CLUMP_EXPLORE_BAD_INPUT);
    assert_non_null(strstr(message, "found part 1 of 3"));
    assert_int_equal(clump_explore_parts_open(twice, 2, question, inputs, &parts, message),
                     CLUMP_EXPLORE_BAD_INPUT);
    assert_non_null(strstr(message, "number 3 is the first that is missing"));
    const char *const none[] = {"/nonexistent/part"};
    assert_int_equal(clump_explore_parts_open(none, 1, question, inputs, &parts, message),
                     CLUMP_EXPLORE_BAD_INPUT);
    assert_null(parts);
    remove_parts();
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_all(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Opened and read as far as that goes: is something found to be wrong, or all as it was? */
static bool copes(void)
{
    char message[CLUMP_EXPLORE_MESSAGE] = "";
    clump_explore_parts *parts = NULL;
    size_t count = 0;
    clump_explore_status status = open_parts(question, &parts, message);
    if (status == CLUMP_EXPLORE_OK)
        status = read_rows(parts, &count, false, message);
    if (status == CLUMP_EXPLORE_OK) {
        clump_explore_parts_rewind(parts);
        read_rows(parts, &count, true, message);
    }
    clump_explore_parts_close(parts);
    return status != CLUMP_EXPLORE_OK ? *message != '\0' : count == CASES * CONFIGURATIONS;
}

/* Cut off at every page and beside it, every byte changed: it is noticed, or does not matter. */
TEST(test_damage)
{
    for (size_t i = 0; i < PARTS; i++)
        write_rows(i);
    size_t size;
    char *bytes = read_all(paths[1], &size);
    for (size_t cut = 0; cut < size; cut += cut % 512 == 0 ? 1 : 511) {
        write_all(paths[1], bytes, cut);
        if (!copes())
            fail_msg("cut off at byte %zu of %zu: not noticed", cut, size);
    }
    for (size_t at = 0; at < size; at++) {
        if (bytes[at] == 0 && at % 64 != 0) /* most of a page is unused */
            continue;
        bytes[at] ^= (char)(1 << at % 8);
        write_all(paths[1], bytes, size);
        if (!copes())
            fail_msg("byte %zu of %zu changed: not noticed", at, size);
        bytes[at] ^= (char)(1 << at % 8);
    }
    free(bytes);
    remove_parts();
}

/* What a stranger might have SQLite do in place of reading a table. */
TEST(test_hostile_schema)
{
    static const char *const changes[] = {
        "DROP TABLE part; CREATE VIEW part AS SELECT 1 AS number, 3 AS count",
        "CREATE TRIGGER x AFTER INSERT ON block BEGIN DELETE FROM part; END",
        "CREATE TABLE more (a)",
        "DROP TABLE block",
        "DELETE FROM part",
        "DELETE FROM block WHERE case_index = 1",
        "UPDATE block SET case_index = case_index + 1",
        "UPDATE block SET size = size + 1",
        "UPDATE block SET size = 1 << 27",
        "UPDATE block SET records = 1 << 40, bytes = x'00'",
        "UPDATE block SET bytes = 'text'",
        "UPDATE part SET question = NULL",
        "UPDATE part SET inputs = replace(inputs, 'node', 'nude')",
        "UPDATE part SET inputs = NULL",
        "UPDATE part SET digest = x'00'",
        "UPDATE part SET count = 1 << 40"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char message[CLUMP_EXPLORE_MESSAGE] = "";
        clump_explore_parts *parts = NULL;
        size_t count;
        sqlite3 *db;
        for (size_t k = 0; k < PARTS; k++)
            write_rows(k);
        assert_int_equal(sqlite3_open(paths[1], &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, changes[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        clump_explore_status status = open_parts(question, &parts, message);
        if (status == CLUMP_EXPLORE_OK)
            status = read_rows(parts, &count, false, message);
        if (status != CLUMP_EXPLORE_BAD_INPUT || *message == '\0')
            fail_msg("%s: not noticed", changes[i]);
        clump_explore_parts_close(parts);
        remove_parts();
    }
}

/* Parts, and what is here: the same names have the same contents; names that others do not have are no matter. */
TEST(other_inputs)
{
    char message[CLUMP_EXPLORE_MESSAGE] = "", whole[CLUMP_SHA256_TEXT], found[CLUMP_SHA256_TEXT];
    clump_explore_parts *parts = NULL;
    for (size_t other = 0; other < 2; other++) {
        clump_provenance *own = inputs;
        for (size_t k = 0; k < PARTS; k++) {
            begin_inputs(NULL);
            char name[20];
            snprintf(name, sizeof name, "file '%zu'", k);
            clump_provenance_add(inputs, name, name, strlen(name));
            clump_provenance_add(own, name, name, strlen(name));
            if (other > 0 && k == 1)
                clump_provenance_add(inputs, "file 'late'", "b", 1);
            if (other > 0 && k == 2)
                clump_provenance_add(inputs, "file 'late'", "c", 1);
            write_rows(k);
            end_inputs(NULL);
        }
        begin_inputs(NULL);
        const clump_explore_status status = open_parts(question, &parts, message);
        clump_provenance_digest(own, whole);
        clump_provenance_digest(inputs, found);
        assert_int_equal(status, other > 0 ? CLUMP_EXPLORE_BAD_INPUT : CLUMP_EXPLORE_OK);
        if (other == 0)
            assert_string_equal(found, whole);
        else
            assert_non_null(strstr(message, ": file 'late';"));
        clump_explore_parts_close(parts);
        remove_parts();
        clump_provenance_free(own);
    }
}

UNIT_MAIN(begin_inputs, end_inputs)
