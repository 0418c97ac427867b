/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_OTF2_OTF2_DEFINITIONS_H
#define CLUMP_RECORDING_OTF2_OTF2_DEFINITIONS_H

/*
 * What an OTF2 archive says before its events: who ran where, which regions are calls of MPI, communicators. All of it is somebody
 * else's: numbers that refer to nothing are found out when they are used.
 */

#include "recording/call.h"
#include "recording/open_table.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct otf2_region {
    clump_call_kind kind;
    bool is_mpi;
} otf2_region;

typedef struct otf2_group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint64_t *members;
    uint32_t count;
} otf2_group;

/** A communicator: ranks of the world. */
typedef struct otf2_communicator {
    uint32_t *ranks;
    uint32_t count;
    uint32_t ordinal; /**< how many with the same members come before it */
    bool self;        /**< of each rank its own */
    bool known;
} otf2_communicator;

typedef struct otf2_location {
    uint64_t reference, events;
    uint32_t rank; /**< UINT32_MAX: it does not take part in MPI */
    uint64_t group;
} otf2_location;

typedef struct otf2_definitions {
    double seconds_per_tick;
    uint64_t first_tick;
    uint64_t start_ns; /**< since 1970; 0: not known */
    uint32_t ranks;
    char **hosts; /**< of each rank */
    clump_table strings, regions, groups, nodes, location_groups, communicator_index, windows;
    clump_pool texts, region_list, group_list, node_list, location_group_list;
    otf2_location *locations;
    size_t location_count, location_room;
    otf2_communicator *communicators; /**< 0: the world */
    size_t communicator_count;
    struct otf2_comm_definition {
        uint32_t reference;
        uint32_t group;
    } * comm_definitions;
    size_t comm_count, comm_room;
    bool no_memory; /**< that is what is wrong */
} otf2_definitions;

/** Reads global definitions of an open reader. NULL, or what is wrong: a constant text. */
const char *otf2_definitions_read(OTF2_Reader *reader, otf2_definitions *definitions);
void otf2_definitions_free(otf2_definitions *definitions);

const otf2_region *otf2_region_of(const otf2_definitions *definitions, OTF2_RegionRef region);

/** The communicator's index; CLUMP_COMMUNICATOR_UNKNOWN. */
uint32_t otf2_communicator_of(const otf2_definitions *definitions, OTF2_CommRef communicator);
/** That of a window, or CLUMP_COMMUNICATOR_UNKNOWN. */
uint32_t otf2_window_of(const otf2_definitions *definitions, OTF2_RmaWinRef window);

/** Rank of the world of a member; -1: there is none. `rank` is who asks. */
int otf2_world_rank(const otf2_definitions *definitions, uint32_t communicator, uint32_t rank,
                    uint64_t member);

#endif
