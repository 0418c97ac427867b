/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write_hostile FOLDER: a small archive FOLDER/trace.otf2 whose world is of 20,000 ranks, which are two processes: a recording of as many
 * ranks would take 1.3 GB.
 */
#include "tests/otf2/archive.h"

enum { RANKS = 2, NAMED = 20000 };

static const char *const regions[] = {"MPI_Init", "MPI_Finalize", "main"};

static void write_rank(unsigned rank)
{
    enter(rank, 0);
    leave(100, 0);
    enter(5000, 1);
    leave(5100, 1);
}

static void write_groups(OTF2_GlobalDefWriter *d)
{
    static uint64_t world[NAMED];
    for (uint64_t i = 0; i < NAMED; i++)
        world[i] = i % RANKS;
    OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, NAMED, world);
}

int main(int count, char **arguments)
{
    const archive a = {.ranks = RANKS,
                       .on_first = 2,
                       .end = 6000,
                       .regions = regions,
                       .region_count = 3,
                       .first_user = 2,
                       .write_rank = write_rank,
                       .write_groups = write_groups};
    return write_all(&a, count, arguments);
}
