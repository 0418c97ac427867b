/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write_more FOLDER: an OTF2 archive FOLDER/trace.otf2 with what write_archive.c has not: one-sided calls, collectives of a part of the
 * ranks and such that do not block, a receive that is cancelled, regions in regions, and two nodes the second of which has a clock that is 500
 * ahead. 4 ranks, two on each node; a tick is 1 us. Its numbers are in tests/cli/recording/test_import_otf2.sh.
 */
#include "tests/otf2/archive.h"

enum { RANKS = 4, AHEAD = 500, END = 9000 };
enum { WORLD, PAIR, SELF, COMMUNICATORS };

enum {
    INIT,
    SEND,
    RECV,
    IRECV,
    CANCEL,
    WAIT,
    WAITALL,
    BARRIER,
    GATHER,
    ALLREDUCE,
    IALLREDUCE,
    IBCAST,
    BCAST,
    PUT,
    GET,
    FETCH_AND_OP,
    WIN_FENCE,
    FINALIZE,
    MAIN,
    SOLVE,
    REGIONS
};

static const char *const regions[REGIONS] = {
    "MPI_Init",         "MPI_Send",      "MPI_Recv",     "MPI_Irecv",  "MPI_Cancel",
    "MPI_Wait",         "MPI_Waitall",   "MPI_Barrier",  "MPI_Gather", "MPI_Allreduce",
    "MPI_Iallreduce",   "MPI_Ibcast",    "MPI_Bcast",    "MPI_Put",    "MPI_Get",
    "MPI_Fetch_and_op", "MPI_Win_fence", "MPI_Finalize", "main",       "solve"};

static void one_sided(unsigned rank)
{
    const uint32_t next = (rank + 1) % RANKS;
    enter(3000, WIN_FENCE);
    leave(3010, WIN_FENCE);
    enter(3100, PUT);
    OTF2_EvtWriter_RmaPut(events, NULL, at(3100), 0, next, 800, 1);
    leave(3110, PUT);
    enter(3200, GET);
    OTF2_EvtWriter_RmaGet(events, NULL, at(3200), 0, next, 400, 2);
    leave(3210, GET);
    enter(3300, FETCH_AND_OP);
    OTF2_EvtWriter_RmaAtomic(events, NULL, at(3300), 0, next, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, 8,
                             8, 3);
    leave(3310, FETCH_AND_OP);
    enter(3400, WIN_FENCE);
    leave(3500, WIN_FENCE);
}

/* Two collectives, a receive that is cancelled: all end in one call. Rank 3 comes 400 later. */
static void not_blocking(unsigned rank)
{
    const uint64_t late = rank == 3 ? 400 : 0;
    enter(4000 + late, IALLREDUCE);
    OTF2_EvtWriter_NonBlockingCollectiveRequest(events, NULL, at(4000 + late), 51);
    leave(4010 + late, IALLREDUCE);
    enter(4020 + late, IRECV);
    OTF2_EvtWriter_MpiIrecvRequest(events, NULL, at(4020 + late), 52);
    leave(4025 + late, IRECV);
    enter(4030 + late, IBCAST);
    OTF2_EvtWriter_NonBlockingCollectiveRequest(events, NULL, at(4030 + late), 53);
    leave(4040 + late, IBCAST);
    enter(4045 + late, CANCEL);
    leave(4050 + late, CANCEL);
    enter(4100 + late, WAITALL);
    OTF2_EvtWriter_NonBlockingCollectiveComplete(
        events, NULL, at(4600), OTF2_COLLECTIVE_OP_ALLREDUCE, WORLD, OTF2_COLLECTIVE_ROOT_NONE,
        RANKS * 40, RANKS * 40, 51);
    OTF2_EvtWriter_MpiRequestCancelled(events, NULL, at(4600), 52);
    OTF2_EvtWriter_NonBlockingCollectiveComplete(events, NULL, at(4600), OTF2_COLLECTIVE_OP_BCAST,
                                                 WORLD, 2, rank == 2 ? RANKS * 70 : 0, 70, 53);
    leave(4600, WAITALL);
}

/* PAIR has ranks 3 and 1, in this order. */
static void write_rank(unsigned rank)
{
    ahead = rank >= 2 ? AHEAD : 0;
    enter(0, MAIN);
    enter(0, INIT);
    enter(10, BARRIER); /* inside of another one: no call of the program */
    leave(20, BARRIER);
    leave(100, INIT);
    enter(200, SOLVE);
    if (rank == 0) { /* to the other node, sent at 1000; there it is waited for from 400 on */
        enter(1000, SEND);
        OTF2_EvtWriter_MpiSend(events, NULL, at(1000), 2, WORLD, 7, 1000);
        leave(1100, SEND);
    } else if (rank == 2) {
        enter(400, RECV);
        OTF2_EvtWriter_MpiRecv(events, NULL, at(1300), 0, WORLD, 7, 1000);
        leave(1300, RECV);
    }
    if (rank % 2 ==
        1) { /* rank 1 gathers 2 x 24 bytes, which rank 3 is late for; twice 16 bytes are reduced */
        collective(rank == 1 ? 2000 : 2300, 2400, GATHER, OTF2_COLLECTIVE_OP_GATHER, PAIR, 1, 24,
                   rank == 1 ? 48 : 0);
        for (uint64_t i = 0; i < 2; i++)
            collective(2500 + 100 * i, 2510 + 100 * i, ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE,
                       PAIR, OTF2_COLLECTIVE_ROOT_NONE, 32, 32);
    }
    leave(2800, SOLVE);
    one_sided(rank);
    not_blocking(rank);
    collective(5000, 5010, BCAST, OTF2_COLLECTIVE_OP_BCAST, SELF, 0, 5, 5);
    collective(rank == 3 ? 5500 : 5100, 5600, BARRIER, OTF2_COLLECTIVE_OP_BARRIER, WORLD,
               OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    enter(6000, FINALIZE);
    leave(6100, FINALIZE);
    leave(6100, MAIN);
}

static void write_groups(OTF2_GlobalDefWriter *d)
{
    static const uint64_t world[] = {0, 1, 2, 3}, pair[] = {3, 1}, self[] = {0};
    OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, RANKS, world);
    OTF2_GlobalDefWriter_WriteGroup(d, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, RANKS, world);
    OTF2_GlobalDefWriter_WriteGroup(d, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, pair);
    OTF2_GlobalDefWriter_WriteGroup(d, 3, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 0, self);
    OTF2_GlobalDefWriter_WriteComm(d, WORLD, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(d, PAIR, 0, 2, WORLD, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(d, SELF, 0, 3, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteRmaWin(d, 0, 0, WORLD, OTF2_RMA_WIN_FLAG_NONE);
}

/* How a clock is to be put right is said at the beginning and at the end. */
static void write_clock(OTF2_DefWriter *d, unsigned rank)
{
    const int64_t offset = rank >= 2 ? -AHEAD : 0;
    OTF2_DefWriter_WriteClockOffset(d, START, offset, 0.0);
    OTF2_DefWriter_WriteClockOffset(d, START + END, offset, 0.0);
}

int main(int count, char **arguments)
{
    const archive a = {.ranks = RANKS,
                       .on_first = 2,
                       .end = END,
                       .regions = regions,
                       .region_count = REGIONS,
                       .first_user = MAIN,
                       .write_rank = write_rank,
                       .write_clock = write_clock,
                       .write_groups = write_groups};
    return write_all(&a, count, arguments);
}
