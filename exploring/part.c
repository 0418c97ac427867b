/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file is a magic number and blocks: kind, size, checksum, bytes. Rows are written as the fields in
 * which they differ from the row before, so that a million of them are some ten megabytes.
 */
#include "exploring/part.h"

#include "data/hash.h"
#include "model/station.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A new version when blocks or fields change: parts do not outlive the program that wrote them. */
static const char magic[8] = "CLMPART1";

typedef enum block_kind { BLOCK_QUESTION = 1, BLOCK_ROWS, BLOCK_DRAWS, BLOCK_END } block_kind;

typedef struct block_head {
    uint32_t kind, version;
    uint64_t size, checksum;
} block_head;

/* A block of rows is written when it has so many bytes; a row needs fewer. */
enum { BLOCK_BYTES = 1 << 16, MOST_TEXT = 1 << 16 };

/* Draws of one row, at most: those of a sweep with 1e7 draws. */
static const uint64_t most_block = (uint64_t)1 << 28;

static uint64_t checksum(const unsigned char *bytes, size_t size)
{
    return clump_hash_bytes(CLUMP_HASH_START, bytes, size);
}

/* ---- the fields of a row */

typedef enum row_field_type { ROW_REAL, ROW_SIZE, ROW_WORD, ROW_TRUTH, ROW_TEXT } row_field_type;

typedef struct row_field {
    row_field_type type;
    size_t offset;
    uint32_t most; /* of ROW_WORD */
} row_field;

#define PLACE(member) offsetof(clump_explore_row, member)
#define REAL(member)                                                                               \
    {                                                                                              \
        ROW_REAL, PLACE(member), 0                                                                 \
    }
#define SIZE(member)                                                                               \
    {                                                                                              \
        ROW_SIZE, PLACE(member), 0                                                                 \
    }
#define TEXT(member)                                                                               \
    {                                                                                              \
        ROW_TEXT, PLACE(member), 0                                                                 \
    }

/* All that a sweep without draws fills in; `network` goes with the scenario, and nobody asks. */
static const row_field fields[] = {
    SIZE(case_index),
    SIZE(configuration),
    TEXT(result.scenario),
    TEXT(result.application),
    TEXT(result.platform),
    SIZE(result.processors),
    SIZE(result.nics),
    SIZE(result.processor),
    REAL(result.utilization),
    {ROW_WORD, PLACE(result.demand), CLUMP_DEMAND_GANG},
    REAL(result.gang_size),
    {ROW_WORD, PLACE(result.mapping), CLUMP_MAPPING_STATIC},
    REAL(result.max_nics_per_processor),
    REAL(result.remote_fraction),
    REAL(result.cost_ratio),
    REAL(result.memory_penalty),
    REAL(result.waiting_fraction),
    REAL(result.phase_cycles),
    TEXT(result.memory_law),
    REAL(result.memory_share),
    REAL(result.memory_feeds),
    REAL(result.memory_utilization),
    REAL(result.slowdown),
    REAL(result.slowest_slowdown),
    SIZE(result.paced_group),
    REAL(result.adjusted_utilization),
    REAL(result.mean_active),
    REAL(result.nic_utilization),
    REAL(result.half_width),
    REAL(result.slowest_half_width),
    REAL(result.confidence),
    REAL(result.events),
    REAL(result.warm_up),
    SIZE(result.replications),
    {ROW_TRUTH, PLACE(result.reached), 0},
    REAL(result.messages),
    REAL(result.idle_fraction),
    REAL(result.longest_queue),
    TEXT(result.computation_times),
    TEXT(result.communication_times),
    TEXT(result.protocol),
    REAL(result.loss),
    REAL(result.loss_factor),
    REAL(result.now_time),
    REAL(result.predicted_time),
    REAL(result.measured_time),
    REAL(result.measured_slowdown),
    REAL(result.measured_half_width),
    REAL(result.error),
    TEXT(result.compared_with),
    REAL(result.compared_utilization),
    REAL(result.communication_ratio),
    REAL(result.compared_slowdown),
    REAL(result.compared_time),
    REAL(result.ratio),
    REAL(result.measured_ratio),
    REAL(result.input_low),
    REAL(result.input_high),
    SIZE(inputs),
    SIZE(inputs_missing),
    {ROW_TRUTH, PLACE(inputs_limited), 0},
    TEXT(result.refused),
    REAL(worst),
    TEXT(worst_application),
    REAL(price),
    REAL(work_price),
    SIZE(least_nics),
    REAL(least_real),
    REAL(median),
    REAL(low),
    REAL(high),
    REAL(at_percentile),
    SIZE(refused_draws),
};

enum { FIELDS = sizeof fields / sizeof *fields, MASK = (FIELDS + 7) / 8 };

_Static_assert(sizeof(clump_demand) == sizeof(uint32_t) &&
                   sizeof(clump_mapping) == sizeof(uint32_t),
               "enumerations are written as 32 bits");

static size_t width(row_field_type type)
{
    return type == ROW_REAL    ? sizeof(double)
           : type == ROW_SIZE  ? sizeof(size_t)
           : type == ROW_WORD  ? sizeof(uint32_t)
           : type == ROW_TRUTH ? sizeof(bool)
                               : sizeof(const char *);
}

/* ---- writing */

struct clump_explore_part {
    FILE *file;
    clump_explore_share share;
    unsigned char *bytes; /* of the block in hand */
    size_t size, room;
    clump_explore_row last; /* of this block; its texts are copies */
    char *texts[FIELDS];
    uint64_t records;
    bool no_memory;
};

static void put(clump_explore_part *p, const void *bytes, size_t size)
{
    if (size == 0 || p->no_memory)
        return;
    if (p->room - p->size < size) {
        const size_t room = 2 * (p->size + size) + BLOCK_BYTES;
        unsigned char *grown = realloc(p->bytes, room);
        if (grown == NULL) {
            p->no_memory = true;
            return;
        }
        p->bytes = grown;
        p->room = room;
    }
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

/* What differs from the row before begins anew in every block. */
static void forget_row(clump_explore_row *last, char *texts[FIELDS])
{
    *last = (clump_explore_row){.explorer = NULL};
    for (size_t i = 0; i < FIELDS; i++) {
        free(texts[i]);
        texts[i] = NULL;
    }
}

static void write_block(clump_explore_part *p, block_kind kind)
{
    const block_head head = {
        .kind = kind, .version = FIELDS, .size = p->size, .checksum = checksum(p->bytes, p->size)};
    fwrite(&head, sizeof head, 1, p->file);
    if (p->size > 0)
        fwrite(p->bytes, 1, p->size, p->file);
    p->size = 0;
    forget_row(&p->last, p->texts);
}

clump_explore_part *clump_explore_part_begin(FILE *file, clump_explore_share share,
                                             const char *question)
{
    clump_explore_part *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->file = file;
    p->share = share;
    fwrite(magic, sizeof magic, 1, file);
    put(p, &share, sizeof share);
    put(p, question, strlen(question));
    if (p->no_memory) {
        clump_explore_part_abandon(p);
        return NULL;
    }
    write_block(p, BLOCK_QUESTION);
    return p;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void put_text(clump_explore_part *p, size_t field, const char *text)
{
    const uint32_t length = text == NULL ? UINT32_MAX : (uint32_t)strnlen(text, MOST_TEXT - 1);
    free(p->texts[field]);
    p->texts[field] = text != NULL ? strndup(text, length) : NULL;
    p->no_memory |= text != NULL && p->texts[field] == NULL;
    put(p, &length, sizeof length);
    put(p, text, text != NULL ? length : 0);
}

clump_explore_status clump_explore_part_row(const clump_explore_row *row, void *part)
{
    clump_explore_part *p = part;
    unsigned char mask[MASK] = {0};
    const size_t at = p->size;
    put(p, mask, sizeof mask);
    for (size_t i = 0; i < FIELDS; i++) {
        const char *value = (const char *)row + fields[i].offset;
        char *before = (char *)&p->last + fields[i].offset;
        if (fields[i].type == ROW_TEXT) {
            const char *text = *(const char *const *)value;
            if (same_text(text, p->texts[i]))
                continue;
            put_text(p, i, text);
        } else {
            if (memcmp(value, before, width(fields[i].type)) == 0)
                continue;
            memcpy(before, value, width(fields[i].type));
            put(p, value, width(fields[i].type));
        }
        mask[i / 8] |= (unsigned char)(1 << i % 8);
    }
    if (p->no_memory)
        return CLUMP_EXPLORE_STOPPED;
    memcpy(p->bytes + at, mask, sizeof mask);
    p->records++;
    if (p->size >= BLOCK_BYTES)
        write_block(p, BLOCK_ROWS);
    return ferror(p->file) ? CLUMP_EXPLORE_STOPPED : CLUMP_EXPLORE_OK;
}

/* What stands before the numbers of a block of draws: one row of a case. */
typedef struct draws_head {
    uint64_t case_index, row, rows, draws, least; /* least: 0 or 1 */
} draws_head;

clump_explore_status clump_explore_part_draws(const clump_explore_drawn *drawn, void *part)
{
    clump_explore_part *p = part;
    for (size_t r = 0; r < drawn->rows; r++) {
        const draws_head head = {drawn->case_index, r, drawn->rows, drawn->draws,
                                 drawn->least != NULL};
        put(p, &head, sizeof head);
        for (size_t k = p->share.number - 1; k < drawn->draws; k += p->share.count) {
            const size_t at = r * drawn->draws + k;
            put(p, &drawn->slowdowns[at], sizeof *drawn->slowdowns);
            if (drawn->least != NULL)
                put(p, &drawn->least[at], sizeof *drawn->least);
        }
        if (p->no_memory)
            return CLUMP_EXPLORE_STOPPED;
        p->records++;
        write_block(p, BLOCK_DRAWS);
    }
    return ferror(p->file) ? CLUMP_EXPLORE_STOPPED : CLUMP_EXPLORE_OK;
}

void clump_explore_part_abandon(clump_explore_part *p)
{
    if (p == NULL)
        return;
    forget_row(&p->last, p->texts);
    free(p->bytes);
    free(p);
}

uint64_t clump_explore_part_end(clump_explore_part *p)
{
    const uint64_t records = p->records;
    if (p->size > 0)
        write_block(p, BLOCK_ROWS);
    put(p, &records, sizeof records);
    if (!p->no_memory)
        write_block(p, BLOCK_END);
    clump_explore_part_abandon(p);
    return records;
}

/* ---- reading */

/* One file, at its block in hand. */
typedef struct part_file {
    const char *path;
    FILE *file; /* while a block is read */
    clump_explore_share share;
    long next;  /* where the next block begins */
    long first; /* where the blocks after the question begin */
    block_head head;
    unsigned char *bytes;
    size_t at;        /* in the block */
    uint64_t records; /* that were read */
    clump_explore_row row;
    char *texts[FIELDS];
    bool ready, ended; /* `row` is the next one; there is none */
} part_file;

struct clump_explore_parts {
    part_file *files;
    uint32_t count;
    uint32_t read; /* the file whose row was handed out last; count: none */
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static clump_explore_status
refuse(const part_file *f, char *message, const char *format, ...)
{
    char text[CLUMP_EXPLORE_MESSAGE / 2];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    snprintf(message, CLUMP_EXPLORE_MESSAGE, "%.300s: %s", f->path, text);
    return CLUMP_EXPLORE_BAD_INPUT;
}

static clump_explore_status no_memory(char *message)
{
    snprintf(message, CLUMP_EXPLORE_MESSAGE, "out of memory");
    return CLUMP_EXPLORE_NO_MEMORY;
}

static clump_explore_status refuse_damaged(const part_file *f, char *message)
{
    return refuse(f, message,
                  "found damage before byte %ld, expected a whole part of clumpmodel explore "
                  "--shard; compute it again",
                  f->file != NULL ? ftell(f->file) : f->next);
}

/* Hundreds of parts are more files than a process may have open. */
static clump_explore_status open_again(part_file *f, char *message)
{
    f->file = fopen(f->path, "rb");
    return f->file != NULL && fseek(f->file, f->next, SEEK_SET) == 0
               ? CLUMP_EXPLORE_OK
               : refuse(f, message, "cannot be read: %s", strerror(errno));
}

static void close_again(part_file *f)
{
    if (f->file == NULL)
        return;
    f->next = ftell(f->file);
    fclose(f->file);
    f->file = NULL;
}

static clump_explore_status read_open_block(part_file *f, char *message)
{
    block_head *head = &f->head;
    f->at = 0;
    if (fread(head, sizeof *head, 1, f->file) != 1 || head->size > most_block ||
        head->kind < BLOCK_QUESTION || head->kind > BLOCK_END)
        return refuse_damaged(f, message);
    if (head->version != FIELDS)
        return refuse(f, message, "found a part that another version of clumpmodel has written");
    /* In pieces: a size that only says it is large needs no memory. */
    size_t size = 0;
    while (size < head->size) {
        size_t piece = size < BLOCK_BYTES ? BLOCK_BYTES : size;
        if (piece > head->size - size)
            piece = (size_t)head->size - size;
        unsigned char *grown = realloc(f->bytes, size + piece + 1);
        if (grown == NULL)
            return no_memory(message);
        f->bytes = grown;
        if (fread(f->bytes + size, 1, piece, f->file) != piece)
            return refuse_damaged(f, message);
        size += piece;
    }
    if (checksum(f->bytes, size) != head->checksum)
        return refuse_damaged(f, message);
    forget_row(&f->row, f->texts);
    return CLUMP_EXPLORE_OK;
}

static clump_explore_status read_block(part_file *f, char *message)
{
    clump_explore_status status = f->file == NULL ? open_again(f, message) : CLUMP_EXPLORE_OK;
    if (status == CLUMP_EXPLORE_OK)
        status = read_open_block(f, message);
    if (status == CLUMP_EXPLORE_OK && f->head.kind == BLOCK_END && fgetc(f->file) != EOF)
        status = refuse_damaged(f, message);
    close_again(f);
    return status;
}

static bool take(part_file *f, void *into, size_t size)
{
    if (f->head.size - f->at < size)
        return false;
    if (size > 0)
        memcpy(into, f->bytes + f->at, size);
    f->at += size;
    return true;
}

static bool take_text(part_file *f, size_t field)
{
    uint32_t length;
    if (!take(f, &length, sizeof length))
        return false;
    free(f->texts[field]);
    f->texts[field] = NULL;
    if (length == UINT32_MAX)
        return true;
    if (length >= MOST_TEXT || f->head.size - f->at < length)
        return false;
    f->texts[field] = strndup((const char *)f->bytes + f->at, length);
    f->at += length;
    return f->texts[field] != NULL;
}

/* Into f->row. */
static bool take_row(part_file *f)
{
    unsigned char mask[MASK];
    if (!take(f, mask, sizeof mask))
        return false;
    for (size_t i = 0; i < FIELDS; i++) {
        char *place = (char *)&f->row + fields[i].offset;
        uint32_t word;
        unsigned char truth;
        if ((mask[i / 8] >> i % 8 & 1) == 0)
            continue;
        switch (fields[i].type) {
        case ROW_TEXT:
            if (!take_text(f, i))
                return false;
            *(const char **)place = f->texts[i];
            break;
        case ROW_WORD:
            if (!take(f, &word, sizeof word) || word > fields[i].most)
                return false;
            memcpy(place, &word, sizeof word);
            break;
        case ROW_TRUTH:
            if (!take(f, &truth, sizeof truth))
                return false;
            *(bool *)place = truth != 0;
            break;
        case ROW_REAL:
        case ROW_SIZE:
            if (!take(f, place, width(fields[i].type)))
                return false;
        }
    }
    f->records++;
    return true;
}

static clump_explore_status check_end(part_file *f, char *message)
{
    uint64_t records;
    if (!take(f, &records, sizeof records) || records != f->records)
        return refuse_damaged(f, message);
    f->ended = true;
    return CLUMP_EXPLORE_OK;
}

/* Make the next row of the file ready, if there is one. */
static clump_explore_status advance(part_file *f, char *message)
{
    const size_t case_before = f->row.case_index, before = f->row.configuration;
    const bool first = f->records == 0;
    clump_explore_status status = CLUMP_EXPLORE_OK;
    f->ready = false;
    if (f->ended)
        return CLUMP_EXPLORE_OK;
    if (f->at >= f->head.size || f->head.kind != BLOCK_ROWS)
        status = read_block(f, message);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    if (f->head.kind == BLOCK_END)
        return check_end(f, message);
    if (f->head.kind != BLOCK_ROWS || !take_row(f))
        return refuse_damaged(f, message);
    if (!first && (f->row.case_index < case_before ||
                   (f->row.case_index == case_before && f->row.configuration < before)))
        return refuse_damaged(f, message);
    f->ready = true;
    return CLUMP_EXPLORE_OK;
}

/* ---- the question */

/* The first line in which two questions differ, as it stands in `text`. */
static void differing_line(const char *text, const char *other, char line[256])
{
    const char *start = text;
    for (size_t i = 0; text[i] == other[i] && text[i] != '\0'; i++)
        if (text[i] == '\n')
            start = text + i + 1;
    snprintf(line, 256, "%.*s", (int)strcspn(start, "\n"), start);
}

static clump_explore_status check_question(part_file *f, const char *question, char *message)
{
    char found[256], expected[256];
    char *asked = (char *)f->bytes + f->at;
    f->bytes[f->head.size] = '\0';
    if (strlen(asked) != f->head.size - f->at)
        return refuse_damaged(f, message);
    if (strcmp(asked, question) == 0)
        return CLUMP_EXPLORE_OK;
    differing_line(asked, question, found);
    differing_line(question, asked, expected);
    for (char *c = found; *c != '\0'; c++) /* a terminal is not to be told what to do */
        if ((unsigned char)*c < ' ')
            *c = '?';
    return refuse(f, message, "found a part of another sweep: '%s', expected '%s'",
                  *found != '\0' ? found : "nothing more",
                  *expected != '\0' ? expected : "nothing more");
}

static clump_explore_status open_file(part_file *f, const char *question, char *message)
{
    char start[sizeof magic];
    f->file = fopen(f->path, "rb");
    if (f->file == NULL)
        return refuse(f, message, "cannot be read: %s", strerror(errno));
    if (fread(start, sizeof start, 1, f->file) != 1 || memcmp(start, magic, sizeof start) != 0)
        return refuse(f, message, "found no part of clumpmodel explore --shard");
    const clump_explore_status status = read_block(f, message);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    if (f->head.kind != BLOCK_QUESTION || f->head.size > CLUMP_EXPLORE_MOST_QUESTION ||
        !take(f, &f->share, sizeof f->share) || f->share.number < 1 ||
        f->share.number > f->share.count || f->share.count > CLUMP_EXPLORE_MOST_PARTS)
        return refuse_damaged(f, message);
    f->first = f->next;
    return check_question(f, question, message);
}

static void close_file(part_file *f)
{
    if (f->file != NULL)
        fclose(f->file);
    f->file = NULL;
    free(f->bytes);
    f->bytes = NULL;
    forget_row(&f->row, f->texts);
}

/* ---- all parts */

/* Files stand in the order of their numbers; a number without a path is missing. */
static clump_explore_status place_file(clump_explore_parts *all, part_file *f, char *message)
{
    if (f->share.count != all->count)
        return refuse(f, message, "found a part of %u, expected one of %u as those before it",
                      f->share.count, all->count);
    part_file *place = &all->files[f->share.number - 1];
    if (place->path != NULL)
        return refuse(f, message, "found part %u of %u, which is %.300s, too", f->share.number,
                      f->share.count, place->path);
    *place = *f;
    return CLUMP_EXPLORE_OK;
}

static clump_explore_status check_missing(const clump_explore_parts *all, char *message)
{
    uint32_t missing = 0, first = 0;
    for (uint32_t i = all->count; i-- > 0;)
        if (all->files[i].path == NULL) {
            first = i + 1;
            missing++;
        }
    if (missing == 0)
        return CLUMP_EXPLORE_OK;
    snprintf(message, CLUMP_EXPLORE_MESSAGE,
             "found %u of %u parts, expected all of them: number %u is the first that is missing",
             all->count - missing, all->count, first);
    return CLUMP_EXPLORE_BAD_INPUT;
}

clump_explore_status clump_explore_parts_open(const char *const *paths, size_t count,
                                              const char *question, clump_explore_parts **parts,
                                              char *message)
{
    clump_explore_parts *all = calloc(1, sizeof *all);
    clump_explore_status status = CLUMP_EXPLORE_OK;
    *parts = NULL;
    if (all == NULL)
        return no_memory(message);
    for (size_t i = 0; i < count && status == CLUMP_EXPLORE_OK; i++) {
        part_file f = {.path = paths[i]};
        status = open_file(&f, question, message);
        if (status == CLUMP_EXPLORE_OK && all->files == NULL) {
            all->count = all->read = f.share.count;
            all->files = calloc(all->count, sizeof *all->files);
            status = all->files == NULL ? no_memory(message) : CLUMP_EXPLORE_OK;
        }
        if (status == CLUMP_EXPLORE_OK)
            status = place_file(all, &f, message);
        if (status != CLUMP_EXPLORE_OK)
            close_file(&f);
    }
    if (status == CLUMP_EXPLORE_OK)
        status = check_missing(all, message);
    if (status == CLUMP_EXPLORE_OK)
        *parts = all;
    else
        clump_explore_parts_close(all);
    return status;
}

void clump_explore_parts_close(clump_explore_parts *parts)
{
    if (parts == NULL)
        return;
    for (uint32_t i = 0; i < parts->count && parts->files != NULL; i++)
        close_file(&parts->files[i]);
    free(parts->files);
    free(parts);
}

void clump_explore_parts_rewind(clump_explore_parts *parts)
{
    parts->read = parts->count;
    for (uint32_t i = 0; i < parts->count; i++) {
        part_file *f = &parts->files[i];
        f->head = (block_head){.kind = 0};
        f->at = 0;
        f->records = 0;
        f->ready = f->ended = false;
        forget_row(&f->row, f->texts);
        f->next = f->first;
    }
}

static bool is_before(const clump_explore_row *a, const clump_explore_row *b)
{
    return a->case_index != b->case_index ? a->case_index < b->case_index
                                          : a->configuration < b->configuration;
}

clump_explore_status clump_explore_parts_row(clump_explore_parts *parts, clump_explore_row *row,
                                             bool *end, char *message)
{
    const part_file *next = NULL;
    for (uint32_t i = 0; i < parts->count; i++) {
        part_file *f = &parts->files[i];
        if (i == parts->read || parts->read == parts->count) {
            const clump_explore_status status = f->ended ? CLUMP_EXPLORE_OK : advance(f, message);
            if (status != CLUMP_EXPLORE_OK)
                return status;
        }
        if (f->ready && (next == NULL || is_before(&f->row, &next->row)))
            next = f;
    }
    *end = next == NULL;
    if (next == NULL)
        return CLUMP_EXPLORE_OK;
    parts->read = (uint32_t)(next - parts->files);
    const clump_explorer *explorer = row->explorer;
    *row = next->row;
    row->explorer = explorer;
    return CLUMP_EXPLORE_OK;
}

/* As they may come out of a computation; a file may hold anything. */
static bool is_drawn(double slowdown)
{
    return isnan(slowdown) || (isfinite(slowdown) && slowdown > 0);
}

static bool is_least(size_t nics)
{
    return nics == SIZE_MAX || (double)nics <= CLUMP_MOST_NICS;
}

static clump_explore_status take_draws(part_file *f, const clump_explore_drawn *d, size_t row,
                                       char *message)
{
    draws_head head;
    const clump_explore_status status = read_block(f, message);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    if (f->head.kind != BLOCK_DRAWS || !take(f, &head, sizeof head) ||
        head.case_index != d->case_index || head.row != row || head.least != (d->least != NULL))
        return refuse_damaged(f, message);
    if (head.rows != d->rows || head.draws != d->draws)
        return refuse(f, message,
                      "found %llu draws of %llu rows, expected %zu of %zu: was it computed with "
                      "another database?",
                      (unsigned long long)head.draws, (unsigned long long)head.rows, d->draws,
                      d->rows);
    for (size_t k = f->share.number - 1; k < d->draws; k += f->share.count) {
        const size_t at = row * d->draws + k;
        if (!take(f, &d->slowdowns[at], sizeof *d->slowdowns) || !is_drawn(d->slowdowns[at]) ||
            (d->least != NULL &&
             (!take(f, &d->least[at], sizeof *d->least) || !is_least(d->least[at]))))
            return refuse_damaged(f, message);
    }
    f->records++;
    return f->at == f->head.size ? CLUMP_EXPLORE_OK : refuse_damaged(f, message);
}

clump_explore_status clump_explore_parts_draws(clump_explore_parts *parts,
                                               const clump_explore_drawn *drawn, char *message)
{
    clump_explore_status status = CLUMP_EXPLORE_OK;
    for (uint32_t i = 0; i < parts->count; i++)
        for (size_t r = 0; r < drawn->rows && status == CLUMP_EXPLORE_OK; r++)
            status = take_draws(&parts->files[i], drawn, r, message);
    return status;
}
