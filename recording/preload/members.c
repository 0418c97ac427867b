/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/preload/members.h"
#include "recording/call.h"
#include "recording/open_table.h"

#include <stdlib.h>
#include <string.h>

/* Definitions in the recording; those that come later are recorded as unknown ones, with their ranks. */
enum { NUMBERS_MOST = 1 << 16 };

enum { COMMUNICATOR, WINDOW };

static clump_table places; /* of handles, in this: */
static clump_pool kept = {.size = sizeof(clump_members *)};
static clump_table ordinals; /* by a hash of the members, of the last communicator that had them */
static uint32_t numbers;
static int world_size;
static MPI_Group world_group;
static clump_members_told *tell;
static clump_members nobody = {.number = CLUMP_COMMUNICATOR_UNKNOWN, .references = 1u << 30};

void clump_members_start(clump_members_told *told, MPI_Comm all)
{
    tell = told;
    PMPI_Comm_size(all, &world_size);
    PMPI_Comm_group(all, &world_group);
}

static clump_members **members_at(uint32_t place)
{
    return (clump_members **)kept.items + place;
}

static clump_members *find(uintptr_t handle, int of)
{
    const uint32_t place = clump_table_get(&places, handle, (uint64_t)of);
    return place != CLUMP_TABLE_NONE ? *members_at(place) : NULL;
}

/* These, or nobody where there is no memory for them. NULL is allowed. */
static clump_members *keep(uintptr_t handle, int of, clump_members *members)
{
    const uint32_t place = members != NULL ? clump_pool_take(&kept) : CLUMP_TABLE_NONE;
    if (place == CLUMP_TABLE_NONE || !clump_table_put(&places, handle, (uint64_t)of, place)) {
        if (place != CLUMP_TABLE_NONE)
            clump_pool_give(&kept, place);
        clump_members_drop(members);
        return &nobody;
    }
    *members_at(place) = members;
    return members;
}

static void forget(uintptr_t handle, int of)
{
    const uint32_t place = clump_table_get(&places, handle, (uint64_t)of);
    if (place == CLUMP_TABLE_NONE)
        return;
    clump_members_drop(*members_at(place));
    clump_pool_give(&kept, place);
    clump_table_remove(&places, handle, (uint64_t)of);
}

/* Ranks of a group in the world, appended to `rank`. */
static bool translate(MPI_Group group, int **rank, size_t *count)
{
    int size = 0;
    PMPI_Group_size(group, &size);
    int *from = malloc(((size_t)size + 1) * sizeof *from);
    int *more = realloc(*rank, (*count + (size_t)size + 1) * sizeof *more);
    if (more != NULL)
        *rank = more;
    if (from == NULL || more == NULL) {
        free(from);
        return false;
    }
    for (int i = 0; i < size; i++)
        from[i] = i;
    PMPI_Group_translate_ranks(group, size, from, world_group, more + *count);
    for (int i = 0; i < size; i++)
        if (more[*count + (size_t)i] < 0 || more[*count + (size_t)i] >= world_size)
            more[*count + (size_t)i] = -1;
    *count += (size_t)size;
    free(from);
    return true;
}

/* The same number for a communicator on all its ranks, if all make those with the same members in the same order. */
static uint32_t next_ordinal(const uint32_t *ranks, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ranks[i]) * UINT64_C(0x100000001b3) ^ hash >> 32;
    const uint32_t last = clump_table_get(&ordinals, hash, 0);
    const uint32_t next = last != CLUMP_TABLE_NONE ? last + 1 : 0;
    return clump_table_put(&ordinals, hash, 0, next) ? next : UINT32_MAX;
}

/* Write a communicator down. Both groups of an intercommunicator, that with the lower first rank first. */
static uint32_t define(const int *own, size_t own_count, const int *remote, size_t remote_count)
{
    if (numbers + 1 >= NUMBERS_MOST || tell == NULL)
        return CLUMP_COMMUNICATOR_UNKNOWN;
    uint32_t *ranks = malloc((own_count + remote_count + 1) * sizeof *ranks);
    if (ranks == NULL)
        return CLUMP_COMMUNICATOR_UNKNOWN;
    const bool other_first =
        remote_count > 0 && own_count > 0 && (unsigned)remote[0] < (unsigned)own[0];
    size_t count = 0;
    for (int part = 0; part < 2; part++) {
        const bool is_remote = (part == 0) == other_first;
        const int *from = is_remote ? remote : own;
        const size_t n = is_remote ? remote_count : own_count;
        for (size_t i = 0; i < n; i++)
            if (from[i] >= 0)
                ranks[count++] = (uint32_t)from[i];
    }
    tell(++numbers, next_ordinal(ranks, count), ranks, count);
    free(ranks);
    return numbers;
}

static clump_members *make(MPI_Comm comm)
{
    MPI_Group group;
    int inter = 0, *own = NULL, *remote = NULL;
    size_t own_count = 0, remote_count = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return NULL;
    bool good = translate(group, &own, &own_count);
    PMPI_Group_free(&group);
    if (good && inter && PMPI_Comm_remote_group(comm, &group) == MPI_SUCCESS) {
        good = translate(group, &remote, &remote_count);
        PMPI_Group_free(&group);
    }
    clump_members *members = good ? malloc(sizeof *members) : NULL;
    if (members != NULL) {
        *members = (clump_members){.number = define(own, own_count, remote, remote_count),
                                   .references = 1,
                                   .inter = inter != 0,
                                   .count = inter ? remote_count : own_count,
                                   .local = own_count,
                                   .rank = inter ? remote : own};
        free(inter ? own : remote);
        return members;
    }
    free(own);
    free(remote);
    return NULL;
}

clump_members *clump_members_of(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD)
        return NULL;
    if (comm == MPI_COMM_NULL || tell == NULL)
        return &nobody;
    clump_members *members = find((uintptr_t)comm, COMMUNICATOR);
    return members != NULL ? members : keep((uintptr_t)comm, COMMUNICATOR, make(comm));
}

clump_members *clump_members_of_window(MPI_Win win)
{
    MPI_Group group;
    if (win == MPI_WIN_NULL || tell == NULL)
        return &nobody;
    clump_members *members = find((uintptr_t)win, WINDOW);
    if (members != NULL)
        return members;
    members = calloc(1, sizeof *members);
    if (members == NULL)
        return &nobody;
    members->references = 1;
    members->number = CLUMP_COMMUNICATOR_UNKNOWN;
    if (PMPI_Win_get_group(win, &group) == MPI_SUCCESS) {
        translate(group, &members->rank, &members->count);
        PMPI_Group_free(&group);
    }
    members->local = members->count;
    return keep((uintptr_t)win, WINDOW, members);
}

int clump_members_rank(const clump_members *members, int rank)
{
    if (rank < 0)
        return -1; /* MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT */
    if (members == NULL)
        return rank < world_size ? rank : -1;
    return (size_t)rank < members->count ? members->rank[rank] : -1;
}

uint32_t clump_members_number(const clump_members *members)
{
    return members == NULL ? CLUMP_COMMUNICATOR_WORLD : members->number;
}

size_t clump_members_count(const clump_members *members)
{
    return members == NULL ? (size_t)world_size : members->count;
}

clump_members *clump_members_keep(clump_members *members)
{
    if (members != NULL)
        members->references++;
    return members;
}

void clump_members_drop(clump_members *members)
{
    if (members == NULL || --members->references > 0)
        return;
    free(members->rank);
    free(members);
}

void clump_members_forget(MPI_Comm comm)
{
    forget((uintptr_t)comm, COMMUNICATOR);
}

void clump_members_forget_window(MPI_Win win)
{
    forget((uintptr_t)win, WINDOW);
}
