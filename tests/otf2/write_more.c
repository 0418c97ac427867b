/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write_more FOLDER: an OTF2 archive FOLDER/trace.otf2 with what write_archive.c has not: one-sided calls, collectives of a part of the
 * ranks and such that do not block, a receive that is cancelled, regions in regions, and two nodes the second of which has a clock that is 500
 * ahead. 4 ranks, two on each node; a tick is 1 us. Its numbers are in tests/cli/test_import_otf2.sh.
 */
#include <otf2/otf2.h>

enum { RANKS = 4, START = 1000, AHEAD = 500, END = 9000 };
enum { WORLD, PAIR, SELF, COMMUNICATORS };

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user, (void)type, (void)location;
    return 0;
}

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

static OTF2_EvtWriter *events;
static uint64_t ahead; /* of the rank in hand */

static uint64_t at(uint64_t time)
{
    return START + ahead + time;
}

static void enter(uint64_t time, uint32_t region)
{
    OTF2_EvtWriter_Enter(events, NULL, at(time), region);
}

static void leave(uint64_t time, uint32_t region)
{
    OTF2_EvtWriter_Leave(events, NULL, at(time), region);
}

static void collective(uint64_t begin, uint64_t end, uint32_t region, OTF2_CollectiveOp operation,
                       OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
    enter(begin, region);
    OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, at(begin));
    OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, at(end), operation, comm, root, sent, received);
    leave(end, region);
}

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

static void write_definitions(OTF2_Archive *archive, const uint64_t *counts)
{
    static const uint64_t world[] = {0, 1, 2, 3}, pair[] = {3, 1}, self[] = {0};
    static const char *const others[] = {"machine", "cluster", "node", "left", "right", "rank"};
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
    uint32_t text = 0;
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000, START, END,
                                              UINT64_C(1700000000000000000));
    OTF2_GlobalDefWriter_WriteString(d, text++, "");
    for (uint32_t i = 0; i < REGIONS; i++) { /* texts 1 to REGIONS */
        OTF2_GlobalDefWriter_WriteString(d, text, regions[i]);
        OTF2_GlobalDefWriter_WriteRegion(d, i, text, text, 0, OTF2_REGION_ROLE_FUNCTION,
                                         i >= MAIN ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
                                         OTF2_REGION_FLAG_NONE, 0, 0, 0);
        text++;
    }
    const uint32_t names = text;
    for (size_t i = 0; i < 6; i++)
        OTF2_GlobalDefWriter_WriteString(d, text++, others[i]);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, names + 1, names,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 1, names + 3, names + 2, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 2, names + 4, names + 2, 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(d, r, names + 5, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                r >= 2 ? 2 : 1, OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(d, r, names + 5, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           counts[r], r);
    }
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
    OTF2_Archive_CloseGlobalDefWriter(archive, d);
}

/* How a clock is to be put right is said at the beginning and at the end. */
static void write_clocks(OTF2_Archive *archive, unsigned rank)
{
    OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(archive, rank);
    const int64_t offset = rank >= 2 ? -AHEAD : 0;
    OTF2_DefWriter_WriteClockOffset(d, START, offset, 0.0);
    OTF2_DefWriter_WriteClockOffset(d, START + END, offset, 0.0);
    OTF2_Archive_CloseDefWriter(archive, d);
}

int main(int count, char **arguments)
{
    static OTF2_FlushCallbacks flush = {before_flush, after_flush};
    uint64_t counts[RANKS];
    if (count != 2)
        return 2;
    OTF2_Archive *archive = OTF2_Archive_Open(arguments[1], "trace", OTF2_FILEMODE_WRITE, 1 << 20,
                                              4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL)
        return 1;
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    for (unsigned r = 0; r < RANKS; r++) {
        events = OTF2_Archive_GetEvtWriter(archive, r);
        write_rank(r);
        OTF2_EvtWriter_GetNumberOfEvents(events, &counts[r]);
        OTF2_Archive_CloseEvtWriter(archive, events);
    }
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_OpenDefFiles(archive);
    for (unsigned r = 0; r < RANKS; r++)
        write_clocks(archive, r);
    OTF2_Archive_CloseDefFiles(archive);
    write_definitions(archive, counts);
    return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}
