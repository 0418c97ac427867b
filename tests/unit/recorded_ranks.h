/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of recorded ranks, which a test writes and removes. */
#ifndef CLUMP_TESTS_UNIT_RECORDED_RANKS_H
#define CLUMP_TESTS_UNIT_RECORDED_RANKS_H

#include "recording/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char folder[200];

static inline void rank_path(char path[300], unsigned rank)
{
    snprintf(path, 300, "%s/rank-%06u.clumprec", folder, rank);
}

static inline void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/test_ranks.XXXXXX");
    assert_non_null(mkdtemp(folder));
}

/* With the ranks below that number. */
static inline void remove_folder(unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        char path[300];
        rank_path(path, rank);
        unlink(path);
    }
    rmdir(folder);
}

/* Of a rank that is on the same node as all others. */
static inline clump_rank_header header_of(unsigned rank, unsigned ranks, const char *library)
{
    return (clump_rank_header){.rank = rank,
                               .ranks = ranks,
                               .host = "a",
                               .pid = 100 + rank,
                               .library = library,
                               .program = "p",
                               .command = "p",
                               .start_ns = INT64_C(1700000000000000000),
                               .steady_ns = 1000,
                               .boot = 1,
                               .error_ns = UINT64_MAX,
                               .node_ranks = ranks};
}

static inline void open_rank(clump_recording_writer *writer, const clump_rank_header *header,
                             uint64_t limit)
{
    char path[300];
    rank_path(path, header->rank);
    memset(writer, 0, sizeof *writer);
    assert_int_equal(clump_writer_open(writer, path, header, limit), 0);
}

#endif
