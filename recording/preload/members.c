/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/preload/members.h"
#include "recording/call.h"

#include <stdlib.h>
#include <string.h>

/* Definitions in the recording; those that come later are recorded as unknown ones, with their ranks. */
enum { NUMBERS_MOST = 1 << 16 };

/* By handle. */
typedef struct member_table {
    struct {
        uintptr_t handle;
        clump_members *members;
    } * slot;
    size_t size, count;
} member_table;

/* How many communicators there have been with the same members: by a hash of these, so that memory is bounded. */
typedef struct ordinal_table {
    struct {
        uint64_t hash;
        uint32_t count;
    } slot[4096];
} ordinal_table;

static member_table communicators, windows;
static ordinal_table ordinals;
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

static size_t place(const member_table *table, uintptr_t handle)
{
    return (size_t)((uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table->size - 1);
}

static clump_members *find(const member_table *table, uintptr_t handle)
{
    if (table->count == 0)
        return NULL;
    for (size_t i = place(table, handle); table->slot[i].members != NULL;
         i = (i + 1) & (table->size - 1))
        if (table->slot[i].handle == handle)
            return table->slot[i].members;
    return NULL;
}

static bool put(member_table *table, uintptr_t handle, clump_members *members)
{
    if (2 * (table->count + 1) > table->size) {
        member_table larger = {.size = table->size > 0 ? 2 * table->size : 64};
        larger.slot = calloc(larger.size, sizeof *larger.slot);
        if (larger.slot == NULL)
            return false;
        for (size_t i = 0; i < table->size; i++)
            if (table->slot[i].members != NULL)
                put(&larger, table->slot[i].handle, table->slot[i].members);
        free(table->slot);
        *table = larger;
    }
    size_t i = place(table, handle);
    while (table->slot[i].members != NULL)
        i = (i + 1) & (table->size - 1);
    table->slot[i].handle = handle;
    table->slot[i].members = members;
    table->count++;
    return true;
}

static void forget(member_table *table, uintptr_t handle)
{
    if (table->count == 0)
        return;
    const size_t mask = table->size - 1;
    size_t hole = place(table, handle);
    while (table->slot[hole].members != NULL && table->slot[hole].handle != handle)
        hole = (hole + 1) & mask;
    if (table->slot[hole].members == NULL)
        return;
    clump_members_drop(table->slot[hole].members);
    for (size_t i = (hole + 1) & mask; table->slot[i].members != NULL; i = (i + 1) & mask)
        if (((i - place(table, table->slot[i].handle)) & mask) >= ((i - hole) & mask)) {
            table->slot[hole] = table->slot[i];
            hole = i;
        }
    table->slot[hole].members = NULL;
    table->count--;
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
    const size_t slots = sizeof ordinals.slot / sizeof *ordinals.slot;
    for (size_t k = 0; k < slots; k++) {
        const size_t i = (hash + k) % slots;
        if (ordinals.slot[i].count == 0)
            ordinals.slot[i].hash = hash;
        if (ordinals.slot[i].hash == hash)
            return ordinals.slot[i].count++;
    }
    return UINT32_MAX;
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
    clump_members *members = find(&communicators, (uintptr_t)comm);
    if (members != NULL)
        return members;
    members = make(comm);
    if (members == NULL)
        return &nobody;
    if (!put(&communicators, (uintptr_t)comm, members)) {
        clump_members_drop(members);
        return &nobody;
    }
    return members;
}

clump_members *clump_members_of_window(MPI_Win win)
{
    MPI_Group group;
    if (win == MPI_WIN_NULL || tell == NULL)
        return &nobody;
    clump_members *members = find(&windows, (uintptr_t)win);
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
    if (!put(&windows, (uintptr_t)win, members)) {
        clump_members_drop(members);
        return &nobody;
    }
    return members;
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
    forget(&communicators, (uintptr_t)comm);
}

void clump_members_forget_window(MPI_Win win)
{
    forget(&windows, (uintptr_t)win);
}
