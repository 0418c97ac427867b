/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block of a part is the memory of some rows, whose texts follow them, compressed. Parts do not outlive the program
 * that wrote them: its version is in the question, its layout in `part`.
 */
#include "exploring/part.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* `records` are those of all blocks; `place` is the first configuration. */
#define PART_TABLE                                                                                 \
    "CREATE TABLE part (number INTEGER, count INTEGER, layout INTEGER, question TEXT, records "    \
    "INTEGER, inputs TEXT, digest TEXT)"
#define BLOCK_TABLE                                                                                \
    "CREATE TABLE block (case_index INTEGER, place INTEGER, records INTEGER, size INTEGER, bytes " \
    "BLOB, PRIMARY KEY (case_index, place))"

/* Of rows with the longest texts. zlib makes at most 1032 bytes of one. */
enum { MOST_BLOCK = 1 << 28, MOST_GROWTH = 1032 };

#define LAYOUT ((int)sizeof(clump_explore_row))

/* Members of rows that do not fill a word: what stands beside them in it is nobody's, and they cannot be anything. */
static const struct {
    size_t offset, size;
    unsigned most;
} small[] = {
    {offsetof(clump_explore_row, result.demand), sizeof(clump_demand), CLUMP_DEMAND_GANG},
    {offsetof(clump_explore_row, result.mapping), sizeof(clump_mapping), CLUMP_MAPPING_STATIC},
    {offsetof(clump_explore_row, result.by_schedule), 1, true},
    {offsetof(clump_explore_row, result.reached), 1, true},
    {offsetof(clump_explore_row, inputs_limited), 1, true},
    {offsetof(clump_explore_row, pareto), 1, true}};

enum { SMALL = sizeof small / sizeof *small, WORD = sizeof(size_t) };

/* A copy of which every byte is known. */
static void copy_row(const clump_explore_row *from, clump_explore_row *to)
{
    unsigned char *bytes = (unsigned char *)to;
    memcpy(bytes, from, sizeof *to);
    for (size_t i = 0; i < SMALL; i++)
        memset(bytes + small[i].offset / WORD * WORD, 0, WORD);
    for (size_t i = 0; i < SMALL; i++)
        memcpy(bytes + small[i].offset, (const char *)from + small[i].offset, small[i].size);
    to->explorer = NULL;
    to->result.network = NULL;
}

/* Whether it may be taken for one. */
static bool is_row(const unsigned char *bytes)
{
    for (size_t i = 0; i < SMALL; i++) {
        unsigned value = bytes[small[i].offset];
        if (small[i].size == sizeof value)
            memcpy(&value, bytes + small[i].offset, sizeof value);
        if (value > small[i].most)
            return false;
    }
    return true;
}

/* ---- writing */

struct clump_explore_part {
    sqlite3 *db;
    sqlite3_stmt *insert;
    clump_provenance *inputs;
    sqlite3_str *rows, *texts; /* of the block in hand */
    clump_explore_row last;    /* of it */
    size_t case_index, place, count;
    uint64_t records;
    int failed; /* of SQLite; SQLITE_OK so far */
};

static clump_explore_status fail_part(int rc, const char *reason, char *message)
{
    snprintf(message, CLUMP_EXPLORE_MESSAGE, "the part cannot be written: %s", reason);
    return rc == SQLITE_NOMEM ? CLUMP_EXPLORE_NO_MEMORY : CLUMP_EXPLORE_FAILED;
}

/* `rows`, and `texts` behind them. */
static void write_block(clump_explore_part *p)
{
    sqlite3_str_append(p->rows, sqlite3_str_value(p->texts), sqlite3_str_length(p->texts));
    const uLong size = (uLong)sqlite3_str_length(p->rows);
    uLongf packed_size = compressBound(size);
    unsigned char *packed = malloc(packed_size);
    sqlite3_stmt *s = p->insert;
    const sqlite3_int64 numbers[] = {(sqlite3_int64)p->case_index, (sqlite3_int64)p->place,
                                     (sqlite3_int64)p->count, (sqlite3_int64)size};
    if (packed == NULL || sqlite3_str_errcode(p->rows) || sqlite3_str_errcode(p->texts) ||
        compress2(packed, &packed_size, (const Bytef *)sqlite3_str_value(p->rows), size,
                  Z_BEST_SPEED) != Z_OK)
        p->failed = SQLITE_NOMEM;
    for (int i = 0; i < 4; i++)
        sqlite3_bind_int64(s, i + 1, numbers[i]);
    sqlite3_bind_blob64(s, 5, packed, packed_size, SQLITE_STATIC);
    if (p->failed == SQLITE_OK && sqlite3_step(s) != SQLITE_DONE)
        p->failed = sqlite3_errcode(p->db);
    sqlite3_reset(s);
    free(packed);
    p->records += p->count;
    p->count = 0;
    sqlite3_str_reset(p->rows);
    sqlite3_str_reset(p->texts);
}

clump_explore_status clump_explore_part_begin(const char *path, clump_explore_share share,
                                              const char *question, clump_provenance *inputs,
                                              clump_explore_part **part, char *message)
{
    clump_explore_part *p = *part = calloc(1, sizeof *p);
    if (p == NULL)
        return fail_part(SQLITE_NOMEM, "out of memory", message);
    p->inputs = inputs;
    p->rows = sqlite3_str_new(NULL);
    p->texts = sqlite3_str_new(NULL);
    int rc = sqlite3_open_v2(path, &p->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    char *sql =
        sqlite3_mprintf("PRAGMA journal_mode = off; PRAGMA synchronous = off; BEGIN; "
                        "%s; %s; INSERT INTO part VALUES (%u, %u, %d, %Q, NULL, NULL, NULL)",
                        PART_TABLE, BLOCK_TABLE, share.number, share.count, LAYOUT, question);
    if (rc == SQLITE_OK)
        rc = sql != NULL ? sqlite3_exec(p->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(p->db, "INSERT INTO block VALUES (?, ?, ?, ?, ?)", -1, &p->insert,
                                NULL);
    sqlite3_free(sql);
    return rc == SQLITE_OK ? CLUMP_EXPLORE_OK : fail_part(rc, sqlite3_errmsg(p->db), message);
}

/* Texts of rows in a block are where they stand behind the rows, from 1; 0: none. The same as in the row before is not
 * kept again. */
static void place_text(clump_explore_part *p, clump_explore_row *row, size_t i)
{
    const char **text = clump_explore_text(row, i);
    size_t at = 0;
    if (*text != NULL) {
        if (p->count > 0)
            memcpy(&at, clump_explore_text(&p->last, i), sizeof at);
        if (at == 0 || strcmp(sqlite3_str_value(p->texts) + at - 1, *text) != 0) {
            at = (size_t)sqlite3_str_length(p->texts) + 1;
            sqlite3_str_append(p->texts, *text, (int)strlen(*text) + 1);
        }
    }
    memcpy(text, &at, sizeof at);
}

clump_explore_status clump_explore_part_row(const clump_explore_row *row, void *part)
{
    clump_explore_part *p = part;
    clump_explore_row copy;
    const size_t after = row->configuration - p->last.configuration;
    if (p->count > 0 && (row->case_index != p->case_index || after > 1 ||
                         (after == 1 && p->count >= CLUMP_EXPLORE_TOGETHER)))
        write_block(p);
    if (p->count == 0) {
        p->case_index = row->case_index;
        p->place = row->configuration;
    }
    copy_row(row, &copy);
    for (size_t i = 0; i < CLUMP_EXPLORE_TEXTS && sqlite3_str_errcode(p->texts) == SQLITE_OK; i++)
        place_text(p, &copy, i);
    sqlite3_str_append(p->rows, (const char *)&copy, sizeof copy);
    p->last = copy;
    p->count++;
    return p->failed == SQLITE_OK ? CLUMP_EXPLORE_OK : CLUMP_EXPLORE_STOPPED;
}

/* What it was computed from, and by what damage of that is found. */
static int write_inputs(clump_explore_part *p)
{
    char digest[CLUMP_SHA256_TEXT], *list = clump_provenance_list(p->inputs);
    char *sql = list != NULL && clump_provenance_digest(p->inputs, digest)
                    ? sqlite3_mprintf("UPDATE part SET inputs = %Q, digest = %Q", list, digest)
                    : NULL;
    const int rc = sql != NULL ? sqlite3_exec(p->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    free(list);
    return rc;
}

clump_explore_status clump_explore_part_end(clump_explore_part *p, bool complete, uint64_t *records,
                                            char *message)
{
    clump_explore_status status = CLUMP_EXPLORE_OK;
    if (p == NULL)
        return status;
    if (complete && p->count > 0)
        write_block(p);
    if (complete && p->failed == SQLITE_OK)
        p->failed = write_inputs(p);
    if (complete && p->failed == SQLITE_OK)
        p->failed = sqlite3_exec(
            p->db,
            "UPDATE part SET records = (SELECT coalesce(sum(records), 0) FROM block); COMMIT", NULL,
            NULL, NULL);
    if (p->failed != SQLITE_OK)
        status = fail_part(p->failed, sqlite3_errstr(p->failed), message);
    if (records != NULL)
        *records = p->records;
    sqlite3_finalize(p->insert);
    sqlite3_close(p->db);
    sqlite3_free(sqlite3_str_finish(p->rows));
    sqlite3_free(sqlite3_str_finish(p->texts));
    free(p);
    return status;
}

/* ---- reading */

struct clump_explore_parts {
    sqlite3 *db; /* the merged parts */
    sqlite3_stmt *rows;
    uint32_t count;
    unsigned char *block;       /* in hand */
    size_t size, records, next; /* of it; rows in it, and which of them is the next one */
    size_t case_index, configuration;
};

__attribute__((format(printf, 2, 3))) static clump_explore_status refuse(char *message,
                                                                         const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(message, CLUMP_EXPLORE_MESSAGE, format, values);
    va_end(values);
    return CLUMP_EXPLORE_BAD_INPUT;
}

static clump_explore_status refuse_damaged(const char *path, char *message)
{
    return refuse(message,
                  "%.300s: found no whole part of clumpmodel explore --shard; compute it again",
                  path);
}

/* The block in the last columns of a statement: records, size and bytes. */
static bool unpack(clump_explore_parts *all, sqlite3_stmt *s)
{
    const sqlite3_int64 records = sqlite3_column_int64(s, 2), size = sqlite3_column_int64(s, 3);
    const void *packed = sqlite3_column_blob(s, 4);
    const sqlite3_int64 packed_size = sqlite3_column_bytes(s, 4);
    uLongf unpacked = (uLongf)size;
    free(all->block);
    all->block = NULL;
    if (records < 1 || size < 1 || size > MOST_BLOCK || size / MOST_GROWTH > packed_size ||
        (all->block = malloc((size_t)size)) == NULL)
        return false;
    all->size = (size_t)size;
    all->records = (size_t)records;
    return uncompress(all->block, &unpacked, packed, (uLong)packed_size) == Z_OK &&
           unpacked == (uLongf)size;
}

/* ---- a part joins the others */

/* The first line in which two questions differ, as it stands in `text`. */
static void differing_line(const char *text, const char *other, char line[256])
{
    const char *start = text;
    for (size_t i = 0; text[i] == other[i] && text[i] != '\0'; i++)
        if (text[i] == '\n')
            start = text + i + 1;
    snprintf(line, 256, "%.*s", (int)strcspn(start, "\n"), start);
    for (char *c = line; *c != '\0'; c++) /* a terminal is not to be told what to do */
        if ((unsigned char)*c < ' ')
            *c = '?';
}

static clump_explore_status check_question(const char *path, const char *found,
                                           const char *expected, char *message)
{
    char theirs[256], ours[256];
    differing_line(found, expected, theirs);
    differing_line(expected, found, ours);
    return strcmp(found, expected) == 0
               ? CLUMP_EXPLORE_OK
               : refuse(message, "%.300s: found a part of another sweep: '%s', expected '%s'", path,
                        *theirs != '\0' ? theirs : "nothing more",
                        *ours != '\0' ? ours : "nothing more");
}

/* `number` and `count` in the row of `s`: the part takes its place among those of `paths`. */
static clump_explore_status place_part(clump_explore_parts *all, const char **places,
                                       const char *path, sqlite3_stmt *s, char *message)
{
    const sqlite3_int64 number = sqlite3_column_int64(s, 0), count = sqlite3_column_int64(s, 1);
    if (number < 1 || number > count || count > CLUMP_EXPLORE_MOST_PARTS)
        return refuse_damaged(path, message);
    if (all->count > 0 && count != all->count)
        return refuse(message,
                      "%.300s: found a part of %lld, expected one of %u as those before it", path,
                      (long long)count, all->count);
    if (places[number] != NULL)
        return refuse(message, "%.300s: found part %lld of %lld, which is %.300s, too", path,
                      (long long)number, (long long)count, places[number]);
    places[number] = path;
    all->count = (uint32_t)count;
    return CLUMP_EXPLORE_OK;
}

/* A statement at its first row; NULL: it has none. */
static sqlite3_stmt *ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        return s;
    sqlite3_finalize(s);
    return NULL;
}

static bool is_true(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = ask(db, sql);
    const bool truth = s != NULL && sqlite3_column_int(s, 0) == 1;
    sqlite3_finalize(s);
    return truth;
}

/* The part's inputs join all others. A name that has another content there is what differs. */
static clump_explore_status add_inputs(sqlite3_stmt *s, const char *path, clump_provenance *inputs,
                                       char *message)
{
    const char *list = (const char *)sqlite3_column_text(s, 4),
               *digest = (const char *)sqlite3_column_text(s, 5);
    char found[CLUMP_SHA256_TEXT];
    clump_sha256(list != NULL ? list : "", list != NULL ? strlen(list) : 0, found);
    if (list == NULL || digest == NULL || strcmp(found, digest) != 0 ||
        !clump_provenance_add_list(inputs, list))
        return refuse_damaged(path, message);
    const char *other = clump_provenance_conflict(inputs);
    return other == NULL
               ? CLUMP_EXPLORE_OK
               : refuse(
                     message,
                     "%.300s: found a part that was computed from other inputs than here, or than "
                     "the parts before it: %.300s; compute all parts from the same",
                     path, other);
}

/* The database that is attached as `new`. Its schema comes first: what it would have SQLite do is not looked at. */
static clump_explore_status add_attached(clump_explore_parts *all, const char **places,
                                         const char *path, const char *question,
                                         clump_provenance *inputs, char *message)
{
    if (!is_true(all->db, "SELECT group_concat(coalesce(sql, ''), ';') = '" PART_TABLE
                          ";" BLOCK_TABLE ";' FROM new.sqlite_schema"))
        return refuse_damaged(path, message);
    sqlite3_stmt *s =
        ask(all->db, "SELECT number, count, layout, question, inputs, digest FROM new.part WHERE "
                     "records = (SELECT coalesce(sum(records), 0) FROM new.block)");
    const char *theirs = s != NULL ? (const char *)sqlite3_column_text(s, 3) : NULL;
    clump_explore_status status = theirs != NULL ? check_question(path, theirs, question, message)
                                                 : refuse_damaged(path, message);
    if (status == CLUMP_EXPLORE_OK && sqlite3_column_int(s, 2) != LAYOUT)
        status = refuse(message, "%.300s: found a part that another clumpmodel has written", path);
    if (status == CLUMP_EXPLORE_OK)
        status = place_part(all, places, path, s, message);
    if (status == CLUMP_EXPLORE_OK)
        status = add_inputs(s, path, inputs, message);
    sqlite3_finalize(s);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    const int rc =
        sqlite3_exec(all->db, "INSERT INTO main.block SELECT * FROM new.block", NULL, NULL, NULL);
    if (rc == SQLITE_FULL || rc == SQLITE_NOMEM || rc == SQLITE_IOERR) { /* of the merged ones */
        snprintf(message, CLUMP_EXPLORE_MESSAGE, "%.300s: cannot be merged: %s", path,
                 sqlite3_errmsg(all->db));
        return rc == SQLITE_NOMEM ? CLUMP_EXPLORE_NO_MEMORY : CLUMP_EXPLORE_FAILED;
    }
    return rc == SQLITE_OK ? CLUMP_EXPLORE_OK : refuse_damaged(path, message);
}

/* As it is, whatever stands beside it. */
static char *make_uri(const char *path)
{
    sqlite3_str *uri = sqlite3_str_new(NULL);
    sqlite3_str_appendall(uri, "file:");
    for (; *path != '\0'; path++)
        sqlite3_str_appendf(uri, strchr("%?#", *path) != NULL ? "%%%02X" : "%c", *path);
    sqlite3_str_appendall(uri, "?mode=ro&immutable=1");
    return sqlite3_str_finish(uri);
}

static clump_explore_status add_part(clump_explore_parts *all, const char **places,
                                     const char *path, const char *question,
                                     clump_provenance *inputs, char *message)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return refuse(message, "%.300s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    char *uri = make_uri(path),
         *sql = uri != NULL ? sqlite3_mprintf("ATTACH %Q AS new", uri) : NULL;
    const int rc = sql != NULL ? sqlite3_exec(all->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    sqlite3_free(uri);
    const clump_explore_status status =
        rc == SQLITE_OK ? add_attached(all, places, path, question, inputs, message)
                        : refuse_damaged(path, message);
    sqlite3_exec(all->db, "DETACH new", NULL, NULL, NULL);
    return status;
}

static clump_explore_status check_missing(const clump_explore_parts *all, const char **places,
                                          char *message)
{
    uint32_t missing = 0, first = 0;
    for (uint32_t i = all->count; i > 0; i--)
        if (places[i] == NULL) {
            first = i;
            missing++;
        }
    return missing == 0 ? CLUMP_EXPLORE_OK
                        : refuse(message,
                                 "found %u of %u parts, expected all of them: number %u is the "
                                 "first that is missing",
                                 all->count - missing, all->count, first);
}

clump_explore_status clump_explore_parts_open(const char *const *paths, size_t count,
                                              const char *question, clump_provenance *inputs,
                                              clump_explore_parts **parts, char *message)
{
    const char *places[CLUMP_EXPLORE_MOST_PARTS + 1] = {NULL};
    clump_explore_parts *all = *parts = calloc(1, sizeof *all);
    clump_explore_status status = CLUMP_EXPLORE_OK;
    if (all == NULL ||
        sqlite3_open_v2("", &all->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI,
                        NULL) != SQLITE_OK ||
        sqlite3_db_config(all->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) != SQLITE_OK ||
        sqlite3_exec(all->db, "PRAGMA journal_mode = off;" BLOCK_TABLE, NULL, NULL, NULL) !=
            SQLITE_OK ||
        sqlite3_prepare_v2(all->db,
                           "SELECT case_index, place, records, size, bytes FROM block ORDER BY "
                           "case_index, place",
                           -1, &all->rows, NULL) != SQLITE_OK) {
        snprintf(message, CLUMP_EXPLORE_MESSAGE, "out of memory");
        status = CLUMP_EXPLORE_NO_MEMORY;
    }
    for (size_t i = 0; i < count && status == CLUMP_EXPLORE_OK; i++)
        status = add_part(all, places, paths[i], question, inputs, message);
    if (status == CLUMP_EXPLORE_OK)
        status = check_missing(all, places, message);
    if (status != CLUMP_EXPLORE_OK) {
        clump_explore_parts_close(all);
        *parts = NULL;
    }
    return status;
}

void clump_explore_parts_close(clump_explore_parts *parts)
{
    if (parts == NULL)
        return;
    sqlite3_finalize(parts->rows);
    sqlite3_close(parts->db);
    free(parts->block);
    free(parts);
}

/* ---- rows */

void clump_explore_parts_rewind(clump_explore_parts *parts)
{
    sqlite3_reset(parts->rows);
    parts->next = parts->records = 0;
}

static clump_explore_status refuse_merged(char *message)
{
    return refuse_damaged("--merge", message);
}

/* The next row of the block in hand. */
static bool take_row(clump_explore_parts *all, clump_explore_row *row)
{
    const clump_explorer *explorer = row->explorer;
    const unsigned char *at = all->block + all->next++ * sizeof *row;
    const size_t behind = all->records * sizeof *row, texts = all->size - behind;
    if (!is_row(at))
        return false;
    memcpy(row, at, sizeof *row);
    for (size_t i = 0; i < CLUMP_EXPLORE_TEXTS; i++) {
        const char **text = clump_explore_text(row, i);
        size_t place;
        memcpy(&place, text, sizeof place);
        if (place > texts)
            return false;
        *text = place > 0 ? (const char *)all->block + behind + place - 1 : NULL;
    }
    const bool follows =
        row->case_index == all->case_index &&
        (all->next == 1 ? row->configuration == all->configuration /* where the block begins */
                        : row->configuration >= all->configuration);
    all->configuration = row->configuration;
    row->explorer = explorer;
    row->result.network = NULL;
    return follows;
}

clump_explore_status clump_explore_parts_row(clump_explore_parts *all, clump_explore_row *row,
                                             bool *end, char *message)
{
    *end = false;
    if (all->next == all->records) {
        const int rc = sqlite3_step(all->rows);
        *end = rc == SQLITE_DONE;
        if (*end)
            return CLUMP_EXPLORE_OK;
        if (rc != SQLITE_ROW || !unpack(all, all->rows) || all->records > all->size / sizeof *row ||
            (all->size > all->records * sizeof *row && all->block[all->size - 1] != '\0'))
            return refuse_merged(message);
        all->next = 0;
        all->case_index = (size_t)sqlite3_column_int64(all->rows, 0);
        all->configuration = (size_t)sqlite3_column_int64(all->rows, 1);
    }
    return take_row(all, row) ? CLUMP_EXPLORE_OK : refuse_merged(message);
}
