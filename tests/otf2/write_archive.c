/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * write_archive FOLDER: an OTF2 archive FOLDER/trace.otf2 of three ranks on two nodes, as Score-P writes them, whose numbers are in
 * tests/cli/recording/test_import_otf2.sh. A tick is 1 us.
 */
#include "tests/otf2/archive.h"

enum { RANKS = 3 };

enum { INIT, SEND, RECV, ISEND, IRECV, WAITALL, ALLREDUCE, BCAST, FINALIZE, MAIN, REGIONS };

static const char *const regions[REGIONS] = {
    "MPI_Init",    "MPI_Send",      "MPI_Recv",  "MPI_Isend",    "MPI_Irecv",
    "MPI_Waitall", "MPI_Allreduce", "MPI_Bcast", "MPI_Finalize", "main"};

/* Communicator 0 is the world, 1 has ranks 2 and 0, in this order. */
static void write_rank(unsigned rank)
{
    enter(0, MAIN);
    enter(0, INIT);
    leave(100, INIT);
    if (rank == 0) { /* a message of 1000 bytes in the pair, sent at 1000 */
        enter(1000, SEND);
        OTF2_EvtWriter_MpiSend(events, NULL, at(1000), 0, 1, 7, 1000);
        leave(1100, SEND);
    } else if (rank == 2) { /* who waits for it from 400 on */
        enter(400, RECV);
        OTF2_EvtWriter_MpiRecv(events, NULL, at(1300), 1, 1, 7, 1000);
        leave(1300, RECV);
    }
    if (rank == 1) { /* two to rank 0: its second receive was posted first for the other tag */
        enter(2000, ISEND);
        OTF2_EvtWriter_MpiIsend(events, NULL, at(2000), 0, 0, 1, 64, 11);
        leave(2010, ISEND);
        enter(2500, ISEND);
        OTF2_EvtWriter_MpiIsend(events, NULL, at(2500), 0, 0, 2, 128, 12);
        leave(2510, ISEND);
        enter(2600, WAITALL);
        OTF2_EvtWriter_MpiIsendComplete(events, NULL, at(2650), 11);
        OTF2_EvtWriter_MpiIsendComplete(events, NULL, at(2650), 12);
        leave(2650, WAITALL);
    } else if (rank == 0) {
        enter(1500, IRECV);
        OTF2_EvtWriter_MpiIrecvRequest(events, NULL, at(1500), 21);
        leave(1510, IRECV);
        enter(1520, IRECV);
        OTF2_EvtWriter_MpiIrecvRequest(events, NULL, at(1520), 22);
        leave(1530, IRECV);
        enter(2100, WAITALL);
        OTF2_EvtWriter_MpiIrecv(events, NULL, at(2600), 1, 0, 2, 128, 21);
        OTF2_EvtWriter_MpiIrecv(events, NULL, at(2600), 1, 0, 1, 64, 22);
        leave(2700, WAITALL);
    }
    /* 3 ranks reduce 8 bytes; rank 1 comes last. Score-P counts them for each member. */
    collective(rank == 1 ? 3500 : 3000, 3600, ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
               OTF2_COLLECTIVE_ROOT_NONE, 24, 24);
    collective(4000, 4100, BCAST, OTF2_COLLECTIVE_OP_BCAST, 0, 1, rank == 1 ? 3 * 500 : 0, 500);
    enter(5000, FINALIZE);
    leave(5100, FINALIZE);
    leave(5100, MAIN);
}

static void write_groups(OTF2_GlobalDefWriter *d)
{
    static const uint64_t world[] = {0, 1, 2}, pair[] = {2, 0};
    OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 3, world);
    OTF2_GlobalDefWriter_WriteGroup(d, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 3, world);
    OTF2_GlobalDefWriter_WriteGroup(d, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 2, pair);
    OTF2_GlobalDefWriter_WriteComm(d, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(d, 1, 0, 2, 0, OTF2_COMM_FLAG_NONE);
}

int main(int count, char **arguments)
{
    const archive a = {.ranks = RANKS,
                       .on_first = 2,
                       .end = 6000,
                       .regions = regions,
                       .region_count = REGIONS,
                       .first_user = MAIN,
                       .write_rank = write_rank,
                       .write_groups = write_groups};
    return write_all(&a, count, arguments);
}
