/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the OTF2 archives of tests have in common: FOLDER/trace.otf2, as Score-P writes them, of ranks on two nodes, whose ticks are 1 us and
 * begin at START. For programs that are one file.
 */
#ifndef CLUMP_TESTS_OTF2_ARCHIVE_H
#define CLUMP_TESTS_OTF2_ARCHIVE_H

#include <otf2/otf2.h>
#include <stddef.h>
#include <stdint.h>

enum { START = 1000, MOST_RANKS = 8 };

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

static OTF2_EvtWriter *events; /* of the rank in hand */
static uint64_t ahead;         /* of its clock */

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

typedef struct archive {
    uint32_t ranks, on_first; /* ranks of the first node; the others are on the second one */
    uint64_t end;             /* of the trace, from START on */
    const char *const *regions;
    uint32_t region_count,
        first_user; /* regions from there on are the program's, the others MPI's */
    void (*write_rank)(unsigned rank);                     /* its events */
    void (*write_clock)(OTF2_DefWriter *d, unsigned rank); /* or NULL */
    void (*write_groups)(OTF2_GlobalDefWriter *d);         /* and communicators; text 0 is "" */
} archive;

static void write_definitions(const archive *a, OTF2_Archive *to, const uint64_t *counts)
{
    static const char *const others[] = {"machine", "cluster", "node", "left", "right", "rank"};
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(to);
    uint32_t text = 0;
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000, START, a->end,
                                              UINT64_C(1700000000000000000));
    OTF2_GlobalDefWriter_WriteString(d, text++, "");
    for (uint32_t i = 0; i < a->region_count; i++) { /* their texts follow */
        OTF2_GlobalDefWriter_WriteString(d, text, a->regions[i]);
        OTF2_GlobalDefWriter_WriteRegion(d, i, text, text, 0, OTF2_REGION_ROLE_FUNCTION,
                                         i >= a->first_user ? OTF2_PARADIGM_USER
                                                            : OTF2_PARADIGM_MPI,
                                         OTF2_REGION_FLAG_NONE, 0, 0, 0);
        text++;
    }
    const uint32_t names = text;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        OTF2_GlobalDefWriter_WriteString(d, text++, others[i]);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, names + 1, names,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 1, names + 3, names + 2, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 2, names + 4, names + 2, 0);
    for (uint32_t r = 0; r < a->ranks; r++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(d, r, names + 5, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                r < a->on_first ? 1 : 2,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(d, r, names + 5, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           counts[r], r);
    }
    a->write_groups(d);
    OTF2_Archive_CloseGlobalDefWriter(to, d);
}

/* The exit status of the program, whose arguments are those of main. */
static int write_all(const archive *a, int count, char **arguments)
{
    static OTF2_FlushCallbacks flush = {before_flush, after_flush};
    uint64_t counts[MOST_RANKS];
    if (count != 2 || a->ranks > MOST_RANKS)
        return 2;
    OTF2_Archive *to = OTF2_Archive_Open(arguments[1], "trace", OTF2_FILEMODE_WRITE, 1 << 20,
                                         4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (to == NULL)
        return 1;
    OTF2_Archive_SetFlushCallbacks(to, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(to);
    OTF2_Archive_OpenEvtFiles(to);
    for (unsigned r = 0; r < a->ranks; r++) {
        events = OTF2_Archive_GetEvtWriter(to, r);
        a->write_rank(r);
        OTF2_EvtWriter_GetNumberOfEvents(events, &counts[r]);
        OTF2_Archive_CloseEvtWriter(to, events);
    }
    OTF2_Archive_CloseEvtFiles(to);
    OTF2_Archive_OpenDefFiles(to);
    for (unsigned r = 0; r < a->ranks; r++) {
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(to, r);
        if (a->write_clock != NULL)
            a->write_clock(d, r);
        OTF2_Archive_CloseDefWriter(to, d);
    }
    OTF2_Archive_CloseDefFiles(to);
    write_definitions(a, to, counts);
    return OTF2_Archive_Close(to) == OTF2_SUCCESS ? 0 : 1;
}

#endif
