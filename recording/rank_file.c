/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/rank_file.h"
#include "recording/call_unpack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

clump_recording_status clump_rank_file_damage(char message[CLUMP_RECORDING_TEXT], const char *path,
                                              uint64_t at, const char *found, const char *expected)
{
    snprintf(message, CLUMP_RECORDING_TEXT, "%.200s: byte %" PRIu64 ": found %s, expected %s", path,
             at, found, expected);
    return CLUMP_RECORDING_INPUT;
}

static clump_recording_status no_memory(char message[CLUMP_RECORDING_TEXT])
{
    snprintf(message, CLUMP_RECORDING_TEXT, "out of memory");
    return CLUMP_RECORDING_NO_MEMORY;
}

static clump_recording_status system_error(char message[CLUMP_RECORDING_TEXT], const char *path,
                                           clump_recording_status status)
{
    snprintf(message, CLUMP_RECORDING_TEXT, "%.200s: %s", path, strerror(errno));
    return status;
}

/* ---- blocks */

clump_recording_status clump_blocks_open(clump_block_reader *reader, const char *path,
                                         char message[CLUMP_RECORDING_TEXT])
{
    unsigned char first[CLUMP_RECORDING_FIRST];
    struct stat found;
    memset(reader, 0, sizeof *reader);
    reader->path = path;
    if (stat(path, &found) != 0)
        return system_error(message, path, CLUMP_RECORDING_INPUT);
    if (!S_ISREG(found.st_mode)) {
        snprintf(message, CLUMP_RECORDING_TEXT,
                 "%.200s: found something else than a file, expected the recording of a rank",
                 path);
        return CLUMP_RECORDING_INPUT;
    }
    reader->stream = fopen(path, "rb");
    if (reader->stream == NULL)
        return system_error(message, path, CLUMP_RECORDING_INPUT);
    reader->size = (uint64_t)found.st_size;
    const size_t got = fread(first, 1, sizeof first, reader->stream);
    clump_recording_status status = CLUMP_RECORDING_OK;
    char text[60];
    clump_unpacker version = {.bytes = first, .length = sizeof first, .at = 8};
    if (ferror(reader->stream))
        status = system_error(message, path, CLUMP_RECORDING_FAILED);
    else if (got < sizeof first || memcmp(first, CLUMP_RECORDING_MAGIC, 8) != 0)
        status = clump_rank_file_damage(
            message, path, 0, got < sizeof first ? "the end of the file" : "something else",
            "'" CLUMP_RECORDING_MAGIC "', the recording of a rank");
    else {
        const uint64_t number = clump_unpack_fixed(&version, 4);
        snprintf(text, sizeof text, "version %u", (unsigned)number);
        if (number < 1 || number > CLUMP_RECORDING_VERSION)
            status = clump_rank_file_damage(message, path, 8, text,
                                            "version 1 or 2: a newer clumpmodel may read it");
    }
    reader->at = sizeof first;
    if (status != CLUMP_RECORDING_OK)
        clump_blocks_close(reader);
    return status;
}

void clump_blocks_close(clump_block_reader *reader)
{
    if (reader->stream != NULL)
        fclose(reader->stream);
    free(reader->bytes);
    reader->stream = NULL;
    reader->bytes = NULL;
}

/* The rest of the file is zeroes: the system went down before it was written. */
static bool only_zeroes(clump_block_reader *reader, const unsigned char *bytes, size_t length)
{
    for (int c;;) {
        for (size_t i = 0; i < length; i++)
            if (bytes[i] != 0)
                return false;
        length = 0;
        while ((c = getc(reader->stream)) != EOF)
            if (c != 0)
                return false;
        return true;
    }
}

int clump_blocks_next(clump_block_reader *reader, clump_recording_status *status,
                      char message[CLUMP_RECORDING_TEXT])
{
    unsigned char head[CLUMP_RECORDING_HEAD];
    *status = CLUMP_RECORDING_OK;
    if (reader->size - reader->at < sizeof head)
        return 0;
    if (fread(head, 1, sizeof head, reader->stream) != sizeof head) {
        if (!ferror(reader->stream))
            return 0; /* it has become shorter meanwhile */
        *status = system_error(message, reader->path, CLUMP_RECORDING_FAILED);
        return -1;
    }
    clump_unpacker u = {.bytes = head, .length = sizeof head, .at = 4};
    const uint64_t type = clump_unpack_fixed(&u, 4), length = clump_unpack_fixed(&u, 8);
    const uint32_t sum = (uint32_t)clump_unpack_fixed(&u, 4);
    if (clump_unpack_fixed(&u, 4) != clump_checksum(0, head, 16) ||
        memcmp(head, CLUMP_RECORDING_BLOCK, 4) != 0 || type < CLUMP_BLOCK_HEADER ||
        type > CLUMP_BLOCK_END || length > CLUMP_RECORDING_BLOCK_MOST) {
        if (only_zeroes(reader, head, sizeof head))
            return 0;
        *status = clump_rank_file_damage(message, reader->path, reader->at, "something else",
                                         "the head of a block: the file is damaged");
        return -1;
    }
    if (length > reader->size - reader->at - sizeof head)
        return 0;
    if (length > reader->capacity) {
        unsigned char *more = realloc(reader->bytes, (size_t)length);
        if (more == NULL) {
            *status = no_memory(message);
            return -1;
        }
        reader->bytes = more;
        reader->capacity = (size_t)length;
    }
    if (fread(reader->bytes, 1, (size_t)length, reader->stream) != length) {
        if (!ferror(reader->stream))
            return 0;
        *status = system_error(message, reader->path, CLUMP_RECORDING_FAILED);
        return -1;
    }
    reader->type = (clump_block_type)type;
    reader->length = (size_t)length;
    reader->bytes_at = reader->at + sizeof head;
    reader->whole = clump_checksum(0, reader->bytes, (size_t)length) == sum;
    reader->at = reader->bytes_at + length;
    return 1;
}

/* ---- what is in them */

/* Taken from a message about a block: where in the file it is. */
static clump_recording_status bad_number(const clump_block_reader *reader, size_t at,
                                         char message[CLUMP_RECORDING_TEXT], const char *of)
{
    char expected[60];
    snprintf(expected, sizeof expected, "one of %s: the file is damaged", of);
    return clump_rank_file_damage(message, reader->path, reader->bytes_at + at,
                                  "a value that cannot be", expected);
}

static char *copy_text(clump_unpacker *u)
{
    size_t length;
    const char *text = clump_unpack_text(u, &length);
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* Ranks of an MPI_COMM_WORLD: more than any machine has. */
#define RANKS_MOST (UINT32_C(1) << 24)

static clump_recording_status read_header(clump_rank_file *file, const clump_block_reader *reader,
                                          char message[CLUMP_RECORDING_TEXT])
{
    clump_unpacker u = {.bytes = reader->bytes, .length = reader->length};
    clump_rank_header *h = &file->header;
    h->rank = (uint32_t)clump_unpack_limited(&u, RANKS_MOST - 1);
    h->ranks = (uint32_t)clump_unpack_limited(&u, RANKS_MOST);
    if (h->rank >= h->ranks && !u.bad) {
        u.bad = true;
        u.bad_at = 0;
    }
    h->pid = clump_unpack_number(&u);
    h->start_ns = clump_unpack_signed(&u);
    h->steady_ns = clump_unpack_signed(&u);
    h->boot = clump_unpack_fixed(&u, 8);
    h->offset_ns = clump_unpack_signed(&u);
    h->error_ns = clump_unpack_number(&u);
    h->thread_level = clump_unpack_int(&u, 0);
    h->node_ranks = (uint32_t)clump_unpack_limited(&u, RANKS_MOST);
    h->host = copy_text(&u);
    h->library = copy_text(&u);
    h->program = copy_text(&u);
    h->command = copy_text(&u);
    if (h->host == NULL || h->library == NULL || h->program == NULL || h->command == NULL)
        return no_memory(message);
    /* Sums of times stay within 64 bits. */
    const int64_t most = INT64_MAX / 4;
    if (!u.bad && (h->start_ns < 0 || h->start_ns > most || h->steady_ns < 0 ||
                   h->steady_ns > most || h->offset_ns < -most || h->offset_ns > most)) {
        u.bad = true;
        u.bad_at = 0;
    }
    return u.bad ? bad_number(reader, u.bad_at, message, "a header") : CLUMP_RECORDING_OK;
}

/* Ranks that an account names are among `ranks`. */
static bool names_ranks(const clump_account *a, uint32_t ranks)
{
    bool good = a->q_count <= (size_t)ranks + 1;
    for (size_t i = 0; i < a->traffic_count && good; i++)
        good = a->traffic[i].peer < 0 || (uint32_t)a->traffic[i].peer < ranks;
    for (size_t i = 0; i < a->collective_count && good; i++)
        good = a->collectives[i].root < 0 || (uint32_t)a->collectives[i].root < ranks;
    return good;
}

static clump_recording_status read_account(clump_rank_file *file, const clump_block_reader *reader,
                                           char message[CLUMP_RECORDING_TEXT])
{
    clump_unpacker u = {.bytes = reader->bytes, .length = reader->length};
    const uint64_t sequence = clump_unpack_fixed(&u, 8);
    if (!reader->whole)
        file->torn_at = reader->bytes_at;
    if (!reader->whole || u.bad || (file->has_account && sequence <= file->sequence))
        return CLUMP_RECORDING_OK;
    clump_account *account = malloc(sizeof *account);
    if (account == NULL)
        return no_memory(message);
    const size_t bad = clump_account_unpack(account, reader->bytes + 8, reader->length - 8);
    clump_recording_status status = CLUMP_RECORDING_OK;
    if (bad == SIZE_MAX)
        status = no_memory(message);
    else if (bad != 0)
        status = bad_number(reader, 8 + bad - 1, message, "an account");
    else if (!names_ranks(account, file->header.ranks)) {
        char found[80];
        snprintf(found, sizeof found, "totals of ranks that are not among its %" PRIu32,
                 file->header.ranks);
        status = clump_rank_file_damage(message, reader->path, reader->bytes_at, found,
                                        "others: the file is damaged");
        clump_account_free(account);
    } else {
        clump_account_free(&file->account);
        file->account = *account;
        file->has_account = true;
        file->sequence = sequence;
    }
    free(account);
    return status;
}

static clump_recording_status read_communicator(clump_rank_file *file,
                                                const clump_block_reader *reader,
                                                char message[CLUMP_RECORDING_TEXT])
{
    clump_unpacker u = {.bytes = reader->bytes, .length = reader->length};
    clump_rank_communicator c = {.number = (uint32_t)clump_unpack_limited(&u, UINT32_MAX - 1)};
    c.ordinal = (uint32_t)clump_unpack_limited(&u, UINT32_MAX);
    c.count = (size_t)clump_unpack_limited(&u, file->header.ranks);
    c.ranks = malloc((c.count + 1) * sizeof *c.ranks);
    if (c.ranks == NULL)
        return no_memory(message);
    for (size_t i = 0; i < c.count && !u.bad;) {
        const size_t at = u.at;
        const uint64_t first = clump_unpack_limited(&u, file->header.ranks - 1);
        const uint64_t n = clump_unpack_limited(&u, c.count - i);
        const int64_t step = clump_unpack_signed(&u);
        const int64_t limit = file->header.ranks;
        bool fits = n == 1 || (n > 0 && step < limit && step > -limit);
        if (fits && n > 1) {
            const int64_t last = (int64_t)first + (int64_t)(n - 1) * step;
            fits = last >= 0 && last < limit;
        }
        if (!fits && !u.bad) {
            u.bad = true;
            u.bad_at = at;
        }
        for (uint64_t k = 0; k < n && !u.bad; k++)
            c.ranks[i++] = (uint32_t)((int64_t)first + (int64_t)k * step);
    }
    clump_rank_communicator *more =
        u.bad ? NULL
              : realloc(file->communicators,
                        (file->communicator_count + 1) * sizeof *file->communicators);
    if (more == NULL) {
        free(c.ranks);
        return u.bad ? bad_number(reader, u.bad_at, message, "a communicator") : no_memory(message);
    }
    file->communicators = more;
    file->communicators[file->communicator_count++] = c;
    return CLUMP_RECORDING_OK;
}

/* Calls are looked at once here, so that nothing is stored of a file that turns out bad later. */
static clump_recording_status read_calls(clump_rank_file *file, const clump_block_reader *reader,
                                         clump_call_room *room, char message[CLUMP_RECORDING_TEXT])
{
    clump_unpacker u = {.bytes = reader->bytes, .length = reader->length};
    clump_call_state state = {0};
    clump_recorded_call call;
    int got;
    while ((got = clump_call_unpack(&u, &state, file->header.ranks, room, &call)) == 1) {
        file->traced_entries++;
        if (call.end > file->last)
            file->last = call.end;
    }
    if (got == -2)
        return no_memory(message);
    return got < 0 ? bad_number(reader, u.bad_at, message, "a call") : CLUMP_RECORDING_OK;
}

static clump_recording_status read_block(clump_rank_file *file, const clump_block_reader *reader,
                                         clump_call_room *room, bool first,
                                         char message[CLUMP_RECORDING_TEXT])
{
    if (first != (reader->type == CLUMP_BLOCK_HEADER))
        return clump_rank_file_damage(
            message, reader->path, reader->bytes_at - CLUMP_RECORDING_HEAD,
            first ? "another block" : "a second header", first ? "the header of a rank" : "one");
    /* An account may be torn where the process was killed while it wrote: there is another one. */
    if (!reader->whole && reader->type != CLUMP_BLOCK_ACCOUNT)
        return clump_rank_file_damage(message, reader->path, reader->bytes_at,
                                      "a block with another checksum",
                                      "what was written: the file is damaged");
    switch (reader->type) {
    case CLUMP_BLOCK_HEADER:
        return read_header(file, reader, message);
    case CLUMP_BLOCK_CALLS:
        return read_calls(file, reader, room, message);
    case CLUMP_BLOCK_COMMUNICATOR:
        return read_communicator(file, reader, message);
    case CLUMP_BLOCK_ACCOUNT:
        return read_account(file, reader, message);
    case CLUMP_BLOCK_END:
        break;
    }
    if (reader->length != 1 || reader->bytes[0] >= CLUMP_RECORDING_CUT)
        return bad_number(reader, 0, message, "how a program ends");
    file->end = (clump_recording_end)reader->bytes[0];
    return CLUMP_RECORDING_OK;
}

clump_recording_status clump_rank_file_read(clump_rank_file *file, const char *path,
                                            char message[CLUMP_RECORDING_TEXT])
{
    clump_block_reader reader;
    clump_call_room room = {0};
    memset(file, 0, sizeof *file);
    file->end = CLUMP_RECORDING_CUT;
    file->path = strdup(path);
    if (file->path == NULL)
        return no_memory(message);
    clump_recording_status status = clump_blocks_open(&reader, path, message);
    if (status != CLUMP_RECORDING_OK)
        return status;
    bool first = true;
    while (status == CLUMP_RECORDING_OK && file->end == CLUMP_RECORDING_CUT &&
           clump_blocks_next(&reader, &status, message) == 1) {
        status = read_block(file, &reader, &room, first, message);
        first = false;
    }
    file->cut_at = reader.at;
    if (status == CLUMP_RECORDING_OK && (first || !file->has_account))
        status = clump_rank_file_damage(
            message, path, reader.at, "the end of the file",
            first ? "the header of a rank: it was cut off before anything was recorded"
                  : "the totals of a rank: it was cut off before anything was recorded");
    /* Who was killed while he wrote his totals did not come to the end, nor could he whose disk was full help it. */
    if (status == CLUMP_RECORDING_OK && file->torn_at != 0 && file->end != CLUMP_RECORDING_CUT &&
        file->account.write_error == 0)
        status =
            clump_rank_file_damage(message, path, file->torn_at, "totals with another checksum",
                                   "what was written: the file is damaged");
    clump_blocks_close(&reader);
    free(room.request);
    return status;
}

void clump_rank_file_free(clump_rank_file *file)
{
    for (size_t i = 0; i < file->communicator_count; i++)
        free(file->communicators[i].ranks);
    free(file->communicators);
    free((char *)file->header.host);
    free((char *)file->header.library);
    free((char *)file->header.program);
    free((char *)file->header.command);
    clump_account_free(&file->account);
    free(file->path);
    memset(file, 0, sizeof *file);
}
