/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A block of calls; an account at first, of which a program with few peers needs no more. */
enum { CALLS_SIZE = 1 << 16, ACCOUNT_SIZE = 1 << 15 };

static bool write_at(int file, uint64_t at, const unsigned char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = pwrite(file, bytes, length, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            if (written == 0)
                errno = ENOSPC;
            return false;
        }
        bytes += written;
        at += (uint64_t)written;
        length -= (size_t)written;
    }
    return true;
}

static void failed(clump_recording_writer *writer, int reason)
{
    if (writer->account.write_error == 0)
        writer->account.write_error = reason != 0 ? reason : EIO;
    writer->tracing = false;
    writer->used = 0;
    writer->account.traced_entries -= writer->kept_entries;
    writer->account.traced_calls -= writer->kept_calls;
    writer->account.trace_end = writer->written_end;
    writer->kept_entries = writer->kept_calls = 0;
}

/* A block at its place. Of one that was not finished the reader sees that: the file ends in it, or its checksum is another. */
static bool write_block(clump_recording_writer *writer, uint64_t at, clump_block_type type,
                        const unsigned char *bytes, size_t length)
{
    unsigned char head[CLUMP_RECORDING_HEAD];
    clump_block_head(head, type, bytes, length);
    return write_at(writer->file, at, head, sizeof head) &&
           write_at(writer->file, at + sizeof head, bytes, length);
}

/* A block at the end of the file; what was written of one that does not fit is taken away again. */
static bool append_block(clump_recording_writer *writer, clump_block_type type,
                         const unsigned char *bytes, size_t length)
{
    if (!write_block(writer, writer->end, type, bytes, length)) {
        failed(writer, errno);
        const int rest = ftruncate(writer->file, (off_t)writer->end);
        (void)rest; /* if it stays, readers see a block that is cut off */
        return false;
    }
    writer->end += CLUMP_RECORDING_HEAD + length;
    return true;
}

static void write_calls(clump_recording_writer *writer)
{
    if (writer->used == 0)
        return;
    if (append_block(writer, CLUMP_BLOCK_CALLS, writer->buffer, writer->used))
        writer->trace_bytes += writer->used;
    writer->used = 0;
    writer->kept_entries = writer->kept_calls = 0;
    writer->written_end = writer->account.trace_end;
    memset(&writer->state, 0, sizeof writer->state);
    if (writer->trace_bytes >= writer->trace_limit)
        writer->tracing = false;
}

/* The account over the older one of two, if it fits there, else both find a new place at the end. */
static void write_account(clump_recording_writer *writer)
{
    for (int try = 0; try < 2; try++) {
        const size_t length =
            8 + clump_account_pack(&writer->account, writer->scratch + 8, writer->scratch_size - 8);
        if (length > writer->scratch_size) {
            size_t size = writer->scratch_size;
            while (size < length + length / 4)
                size *= 2;
            unsigned char *more = malloc(size);
            if (more == NULL) {
                failed(writer, ENOMEM);
                return;
            }
            free(writer->scratch);
            writer->scratch = more;
            writer->scratch_size = size;
            continue;
        }
        const size_t size = writer->scratch_size;
        const int older = writer->sequence % 2;
        clump_packer number = {.bytes = writer->scratch, .capacity = 8};
        clump_pack_fixed(&number, ++writer->sequence, 8);
        memset(writer->scratch + length, 0, size - length);
        if (writer->slot[older].at != 0 && writer->slot[older].size == size) {
            if (!write_block(writer, writer->slot[older].at, CLUMP_BLOCK_ACCOUNT, writer->scratch,
                             size))
                failed(writer, errno);
            return;
        }
        const uint64_t at = writer->end;
        if (append_block(writer, CLUMP_BLOCK_ACCOUNT, writer->scratch, size)) {
            writer->slot[older].at = at;
            writer->slot[older].size = size;
        }
        return;
    }
}

int clump_writer_open(clump_recording_writer *writer, const char *path,
                      const clump_rank_header *header, uint64_t trace_limit)
{
    memset(writer, 0, sizeof *writer);
    clump_account_start(&writer->account, 0);
    const size_t length = clump_header_pack(header, NULL, 0);
    unsigned char *bytes = malloc(length);
    writer->capacity = CALLS_SIZE;
    writer->scratch_size = ACCOUNT_SIZE;
    writer->buffer = malloc(writer->capacity);
    writer->scratch = malloc(writer->scratch_size);
    writer->trace_limit = trace_limit;
    writer->tracing = trace_limit > 0;
    writer->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    int reason = writer->file < 0 ? errno : 0;
    if (reason == 0 && (bytes == NULL || writer->buffer == NULL || writer->scratch == NULL))
        reason = ENOMEM;
    if (reason == 0) {
        unsigned char first[CLUMP_RECORDING_FIRST] = CLUMP_RECORDING_MAGIC;
        first[8] = CLUMP_RECORDING_VERSION;
        clump_header_pack(header, bytes, length);
        writer->end = sizeof first;
        if (!write_at(writer->file, 0, first, sizeof first))
            reason = errno;
        else {
            append_block(writer, CLUMP_BLOCK_HEADER, bytes, length);
            write_account(writer);
            write_account(writer);
            reason = writer->account.write_error;
        }
    }
    free(bytes);
    if (reason != 0) {
        /* A rank without a file is missing; half of a file would be a bad recording of all of them. */
        if (writer->file >= 0)
            unlink(path);
        clump_writer_drop(writer);
    }
    return reason;
}

void clump_writer_add(clump_recording_writer *writer, const clump_recorded_call *call)
{
    clump_account_add(&writer->account, call);
    if (!writer->tracing)
        return;
    if (writer->capacity - writer->used < CLUMP_CALL_MOST(call->requests)) {
        write_calls(writer);
        if (!writer->tracing)
            return;
        if (writer->capacity < CLUMP_CALL_MOST(call->requests)) {
            unsigned char *more = malloc(CLUMP_CALL_MOST(call->requests));
            if (more == NULL) {
                failed(writer, ENOMEM);
                return;
            }
            free(writer->buffer);
            writer->buffer = more;
            writer->capacity = CLUMP_CALL_MOST(call->requests);
        }
    }
    clump_packer packer = {
        .bytes = writer->buffer, .capacity = writer->capacity, .length = writer->used};
    clump_call_pack(&packer, &writer->state, call);
    writer->used = packer.length;
    writer->kept_entries++;
    writer->kept_calls += call->calls;
    writer->account.traced_entries++;
    writer->account.traced_calls += call->calls;
    writer->account.trace_end = call->end;
}

void clump_writer_communicator(clump_recording_writer *writer, uint32_t number, uint32_t ordinal,
                               const uint32_t *ranks, size_t count)
{
    const size_t length = clump_communicator_pack(number, ordinal, ranks, count, NULL, 0);
    unsigned char *bytes = malloc(length);
    if (bytes == NULL) {
        failed(writer, ENOMEM);
        return;
    }
    clump_communicator_pack(number, ordinal, ranks, count, bytes, length);
    append_block(writer, CLUMP_BLOCK_COMMUNICATOR, bytes, length);
    free(bytes);
}

void clump_writer_flush(clump_recording_writer *writer)
{
    if (writer->file < 0)
        return;
    write_calls(writer);
    write_account(writer);
}

void clump_writer_close(clump_recording_writer *writer, int end)
{
    if (writer->file >= 0) {
        clump_writer_flush(writer);
        const unsigned char byte = (unsigned char)end;
        append_block(writer, CLUMP_BLOCK_END, &byte, 1);
    }
    clump_writer_drop(writer);
}

void clump_writer_drop(clump_recording_writer *writer)
{
    if (writer->file >= 0)
        close(writer->file);
    writer->file = -1;
    free(writer->buffer);
    free(writer->scratch);
    writer->buffer = writer->scratch = NULL;
    writer->tracing = false;
    clump_account_free(&writer->account);
}
