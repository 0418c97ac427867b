/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RANK_FILE_H
#define CLUMP_RECORDING_RANK_FILE_H

/* The file of one rank, as it is read: blocks and what is in them, every number checked. */

#include "recording/account.h"
#include "recording/ending.h"
#include "recording/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct clump_rank_communicator {
    uint32_t number, ordinal;
    uint32_t *ranks;
    size_t count;
} clump_rank_communicator;

typedef struct clump_rank_file {
    char *path;
    clump_rank_header header; /**< its texts belong to the file */
    clump_account account;
    bool has_account;
    uint64_t sequence;
    clump_rank_communicator *communicators;
    size_t communicator_count;
    clump_recording_end end;
    uint64_t cut_at;         /**< bytes that can be used */
    uint64_t traced_entries; /**< calls in whole blocks */
    double last;             /**< s: end of the last traced call */
    uint64_t torn_at;        /**< byte of totals with another checksum; 0: none */
} clump_rank_file;

/** Read all of a file. The message says file and byte. */
clump_recording_status clump_rank_file_read(clump_rank_file *file, const char *path,
                                            char message[CLUMP_RECORDING_TEXT]);
void clump_rank_file_free(clump_rank_file *file);

/** Going through the blocks of a file. */
typedef struct clump_block_reader {
    FILE *stream;
    const char *path;
    uint64_t at, size; /**< of the next block; of the file */
    clump_block_type type;
    unsigned char *bytes; /**< what is in the block */
    size_t length, capacity;
    uint64_t bytes_at; /**< where in the file */
    bool whole;        /**< its checksum is right */
} clump_block_reader;

/** Open a file and check its first bytes. */
clump_recording_status clump_blocks_open(clump_block_reader *reader, const char *path,
                                         char message[CLUMP_RECORDING_TEXT]);
/** The next block: 1; 0 where the file ends, whole or cut off in a block; -1 after damage of its head, or failure (`status`). */
int clump_blocks_next(clump_block_reader *reader, clump_recording_status *status,
                      char message[CLUMP_RECORDING_TEXT]);
void clump_blocks_close(clump_block_reader *reader);

/** Leave a message about a byte of a file. */
clump_recording_status clump_rank_file_damage(char message[CLUMP_RECORDING_TEXT], const char *path,
                                              uint64_t at, const char *found, const char *expected);

#endif
