/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write_archive FOLDER: an OTF2 archive FOLDER/trace.otf2 of three ranks on two nodes, as Score-P writes them, whose numbers are in
 * tests/cli/test_import_otf2.sh. A tick is 1 us.
 */
#include <otf2/otf2.h>
#include <stdlib.h>

enum { RANKS = 3, START = 1000 };

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

enum { INIT, SEND, RECV, ISEND, IRECV, WAITALL, ALLREDUCE, BCAST, FINALIZE, MAIN, REGIONS };

static const char *const regions[REGIONS] = {
    "MPI_Init",    "MPI_Send",      "MPI_Recv",  "MPI_Isend",    "MPI_Irecv",
    "MPI_Waitall", "MPI_Allreduce", "MPI_Bcast", "MPI_Finalize", "main"};

static OTF2_EvtWriter *events;

static void enter(uint64_t time, uint32_t region)
{
    OTF2_EvtWriter_Enter(events, NULL, START + time, region);
}

static void leave(uint64_t time, uint32_t region)
{
    OTF2_EvtWriter_Leave(events, NULL, START + time, region);
}

/* Communicator 0 is the world, 1 has ranks 2 and 0, in this order. */
static void write_rank(unsigned rank)
{
    enter(0, MAIN);
    enter(0, INIT);
    leave(100, INIT);
    if (rank == 0) { /* a message of 1000 bytes in the pair, sent at 1000 */
        enter(1000, SEND);
        OTF2_EvtWriter_MpiSend(events, NULL, START + 1000, 0, 1, 7, 1000);
        leave(1100, SEND);
    } else if (rank == 2) { /* who waits for it from 400 on */
        enter(400, RECV);
        OTF2_EvtWriter_MpiRecv(events, NULL, START + 1300, 1, 1, 7, 1000);
        leave(1300, RECV);
    }
    if (rank == 1) { /* two to rank 0: its second receive was posted first for the other tag */
        enter(2000, ISEND);
        OTF2_EvtWriter_MpiIsend(events, NULL, START + 2000, 0, 0, 1, 64, 11);
        leave(2010, ISEND);
        enter(2500, ISEND);
        OTF2_EvtWriter_MpiIsend(events, NULL, START + 2500, 0, 0, 2, 128, 12);
        leave(2510, ISEND);
        enter(2600, WAITALL);
        OTF2_EvtWriter_MpiIsendComplete(events, NULL, START + 2650, 11);
        OTF2_EvtWriter_MpiIsendComplete(events, NULL, START + 2650, 12);
        leave(2650, WAITALL);
    } else if (rank == 0) {
        enter(1500, IRECV);
        OTF2_EvtWriter_MpiIrecvRequest(events, NULL, START + 1500, 21);
        leave(1510, IRECV);
        enter(1520, IRECV);
        OTF2_EvtWriter_MpiIrecvRequest(events, NULL, START + 1520, 22);
        leave(1530, IRECV);
        enter(2100, WAITALL);
        OTF2_EvtWriter_MpiIrecv(events, NULL, START + 2600, 1, 0, 2, 128, 21);
        OTF2_EvtWriter_MpiIrecv(events, NULL, START + 2600, 1, 0, 1, 64, 22);
        leave(2700, WAITALL);
    }
    /* 3 ranks reduce 8 bytes; rank 1 comes last. Score-P counts them for each member. */
    enter(rank == 1 ? 3500 : 3000, ALLREDUCE);
    OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, START + (rank == 1 ? 3500 : 3000));
    OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, START + 3600, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 24, 24);
    leave(3600, ALLREDUCE);
    enter(4000, BCAST);
    OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, START + 4000);
    OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, START + 4100, OTF2_COLLECTIVE_OP_BCAST, 0, 1,
                                    rank == 1 ? 3 * 500 : 0, 500);
    leave(4100, BCAST);
    enter(5000, FINALIZE);
    leave(5100, FINALIZE);
    leave(5100, MAIN);
}

static void write_definitions(OTF2_Archive *archive, const uint64_t *counts)
{
    static const uint64_t world[] = {0, 1, 2}, pair[] = {2, 0};
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
    uint32_t text = 0;
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000, START, 6000,
                                              UINT64_C(1700000000000000000));
    OTF2_GlobalDefWriter_WriteString(d, text++, "");
    for (uint32_t i = 0; i < REGIONS; i++) { /* texts 1 to REGIONS */
        OTF2_GlobalDefWriter_WriteString(d, text, regions[i]);
        OTF2_GlobalDefWriter_WriteRegion(d, i, text, text, 0, OTF2_REGION_ROLE_FUNCTION,
                                         i == MAIN ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
                                         OTF2_REGION_FLAG_NONE, 0, 0, 0);
        text++;
    }
    const uint32_t names = text;
    static const char *const others[] = {"machine", "cluster", "node", "left", "right", "rank"};
    for (size_t i = 0; i < 6; i++)
        OTF2_GlobalDefWriter_WriteString(d, text++, others[i]);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, names + 1, names,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 1, names + 3, names + 2, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 2, names + 4, names + 2, 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(d, r, names + 5, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                r == 2 ? 2 : 1, OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(d, r, names + 5, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           counts[r], r);
    }
    OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 3, world);
    OTF2_GlobalDefWriter_WriteGroup(d, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 3, world);
    OTF2_GlobalDefWriter_WriteGroup(d, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, pair);
    OTF2_GlobalDefWriter_WriteComm(d, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(d, 1, 0, 2, 0, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive, d);
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
        OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, r));
    OTF2_Archive_CloseDefFiles(archive);
    write_definitions(archive, counts);
    return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}
