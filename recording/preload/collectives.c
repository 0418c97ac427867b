/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives, one-sided calls and communicators: what entry points tell of them. */
#include "recording/preload/actions.h"
#include "recording/preload/members.h"

static uint64_t size_of(MPI_Datatype type)
{
    int size = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    return (uint64_t)size;
}

static uint64_t bytes_of(MPI_Count n, MPI_Datatype type)
{
    return n > 0 ? (uint64_t)n * size_of(type) : 0;
}

static MPI_Count count_at(clump_counts counts, size_t i)
{
    return counts.narrow != NULL ? counts.narrow[i] : counts.wide != NULL ? counts.wide[i] : 0;
}

static uint64_t part(const clump_parts *of, size_t i)
{
    const bool same = of->counts.narrow == NULL && of->counts.wide == NULL;
    return bytes_of(same ? of->n : count_at(of->counts, i),
                    of->types != NULL ? of->types[i] : of->type);
}

/* The size of a type that all have is asked for once. */
static uint64_t sum_of(const clump_parts *of, size_t count)
{
    uint64_t sum = 0;
    if (of->counts.narrow == NULL && of->counts.wide == NULL)
        return part(of, 0) * count;
    for (size_t i = 0; i < count; i++) {
        const MPI_Count n = count_at(of->counts, i);
        sum += of->types != NULL ? bytes_of(n, of->types[i]) : n > 0 ? (uint64_t)n : 0;
    }
    return of->types != NULL ? sum : sum * size_of(of->type);
}

static int own_rank(MPI_Comm comm)
{
    int rank = -1;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

/* Both groups of an intercommunicator: where counts are those of the remote one. */
static size_t partners(MPI_Comm comm)
{
    return clump_members_count(clump_members_of(comm));
}

/* In an intercommunicator the root is MPI_ROOT to itself, and MPI_PROC_NULL to others of its group. */
static bool is_root(int root, MPI_Comm comm)
{
    const clump_members *members = clump_members_of(comm);
    return root == MPI_ROOT ||
           (root >= 0 && (members == NULL || !members->inter) && root == own_rank(comm));
}

void clump_act_collective(clump_entry *entry, MPI_Comm comm, int root)
{
    clump_members *members = clump_members_of(comm);
    entry->call.communicator = clump_members_number(members);
    entry->call.peer = clump_members_rank(members, root);
}

void clump_act_broadcast(clump_entry *entry, MPI_Count n, MPI_Datatype type, int root,
                         MPI_Comm comm)
{
    clump_act_collective(entry, comm, root);
    if (is_root(root, comm))
        entry->call.bytes = bytes_of(n, type);
    else if (root != MPI_PROC_NULL)
        entry->call.bytes_received = bytes_of(n, type);
}

void clump_act_reduced(clump_entry *entry, MPI_Count n, MPI_Datatype type, int root, MPI_Comm comm)
{
    clump_act_collective(entry, comm, root);
    if (root == MPI_PROC_NULL)
        return;
    if (root != MPI_ROOT)
        entry->call.bytes = bytes_of(n, type);
    if (is_root(root, comm))
        entry->call.bytes_received = bytes_of(n, type);
}

void clump_act_vectors(clump_entry *entry, MPI_Count n, MPI_Datatype type, MPI_Comm comm)
{
    clump_act_collective(entry, comm, -1);
    entry->call.bytes = entry->call.bytes_received = bytes_of(n, type);
}

/* What one rank gives or takes alone; in place it is its part of what the others have. */
static uint64_t own_part(const void *buffer, const clump_parts *own, const clump_parts *all,
                         MPI_Comm comm)
{
    return buffer == MPI_IN_PLACE ? part(all, (size_t)own_rank(comm)) : part(own, 0);
}

void clump_act_gathered(clump_entry *entry, const void *sbuf, clump_parts sent,
                        clump_parts received, int root, MPI_Comm comm)
{
    clump_act_collective(entry, comm, root);
    if (root == MPI_PROC_NULL)
        return;
    if (is_root(root, comm))
        entry->call.bytes_received = sum_of(&received, partners(comm));
    if (root != MPI_ROOT)
        entry->call.bytes = own_part(sbuf, &sent, &received, comm);
}

void clump_act_scattered(clump_entry *entry, clump_parts sent, const void *rbuf,
                         clump_parts received, int root, MPI_Comm comm)
{
    clump_act_collective(entry, comm, root);
    if (root == MPI_PROC_NULL)
        return;
    if (is_root(root, comm))
        entry->call.bytes = sum_of(&sent, partners(comm));
    if (root != MPI_ROOT)
        entry->call.bytes_received = own_part(rbuf, &received, &sent, comm);
}

void clump_act_all_gathered(clump_entry *entry, const void *sbuf, clump_parts sent,
                            clump_parts received, MPI_Comm comm)
{
    clump_act_collective(entry, comm, -1);
    entry->call.bytes = own_part(sbuf, &sent, &received, comm);
    entry->call.bytes_received = sum_of(&received, partners(comm));
}

void clump_act_exchanged(clump_entry *entry, const void *sbuf, clump_parts sent,
                         clump_parts received, MPI_Comm comm)
{
    clump_act_collective(entry, comm, -1);
    entry->call.bytes_received = sum_of(&received, partners(comm));
    entry->call.bytes =
        sbuf == MPI_IN_PLACE ? entry->call.bytes_received : sum_of(&sent, partners(comm));
}

/* Counts of what is reduced and scattered are those of the own group. */
void clump_act_reduce_scattered(clump_entry *entry, clump_parts received, MPI_Comm comm)
{
    clump_act_collective(entry, comm, -1);
    const clump_members *members = clump_members_of(comm);
    entry->call.bytes_received = part(&received, (size_t)own_rank(comm));
    entry->call.bytes =
        sum_of(&received, members == NULL ? clump_members_count(NULL) : members->local);
}

/* ---- neighbours */

void clump_neighbour_degrees(MPI_Comm comm, size_t *in, size_t *out)
{
    int kind = MPI_UNDEFINED, n = 0, more = 0, weighted;
    *in = *out = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &n);
        n = more = 2 * n;
    } else if (kind == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, own_rank(comm), &n);
        more = n;
    } else if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &n, &more, &weighted);
    *in = n > 0 ? (size_t)n : 0;
    *out = more > 0 ? (size_t)more : 0;
}

/* Who they are, in the order of MPI: ranks of the communicator, MPI_PROC_NULL among them. False: it cannot be told. `unused` has room
 * for weights. */
static bool find_neighbours(MPI_Comm comm, size_t in, int *source, size_t out, int *dest,
                            int *unused)
{
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_DIST_GRAPH)
        return PMPI_Dist_graph_neighbors(comm, (int)in, source, unused, (int)out, dest,
                                         unused + in) == MPI_SUCCESS;
    if (kind == MPI_GRAPH) {
        if (PMPI_Graph_neighbors(comm, own_rank(comm), (int)in, source) != MPI_SUCCESS)
            return false;
    } else
        for (size_t i = 0; i + 1 < in; i += 2)
            if (PMPI_Cart_shift(comm, (int)(i / 2), 1, &source[i], &source[i + 1]) != MPI_SUCCESS)
                return false;
    for (size_t i = 0; i < out && i < in; i++)
        dest[i] = source[i];
    return true;
}

static size_t add_parts(clump_neighbour_message *to, const clump_members *members, const int *rank,
                        size_t count, const clump_parts *of, uint64_t *bytes)
{
    size_t added = 0;
    for (size_t i = 0; i < count; i++) {
        const int peer = clump_members_rank(members, rank[i]);
        if (rank[i] == MPI_PROC_NULL || peer < 0)
            continue;
        to[added] = (clump_neighbour_message){peer, part(of, i)};
        *bytes += to[added++].bytes;
    }
    return added;
}

void clump_act_neighbours(clump_entry *entry, clump_parts sent, clump_parts received, MPI_Comm comm)
{
    const clump_members *members = clump_members_of(comm);
    size_t in, out;
    clump_act_collective(entry, comm, -1);
    clump_neighbour_degrees(comm, &in, &out);
    clump_neighbour_message *each =
        clump_entry_scratch(CLUMP_SCRATCH_MESSAGES, in + out + 1, sizeof *each);
    int *rank = clump_entry_scratch(CLUMP_SCRATCH_NEIGHBOURS, 2 * (in + out) + 1, sizeof *rank);
    if (each == NULL || rank == NULL ||
        !find_neighbours(comm, in, rank, out, rank + in, rank + in + out))
        return;
    clump_neighbour_messages *all = &entry->neighbours;
    all->sends = add_parts(each, members, rank + in, out, &sent, &entry->call.bytes);
    all->receives =
        add_parts(each + all->sends, members, rank, in, &received, &entry->call.bytes_received);
    all->each = each;
}

/* ---- one-sided */

void clump_act_put(clump_entry *entry, MPI_Count n, MPI_Datatype type, int target, MPI_Win win)
{
    entry->call.peer = clump_members_rank(clump_members_of_window(win), target);
    entry->call.communicator = CLUMP_COMMUNICATOR_UNKNOWN;
    if (target != MPI_PROC_NULL)
        entry->call.bytes = bytes_of(n, type);
}

void clump_act_updated(clump_entry *entry, MPI_Op op, MPI_Count n, MPI_Datatype type, int target,
                       MPI_Win win)
{
    clump_act_put(entry, op == MPI_NO_OP ? 0 : n, type, target, win);
}

void clump_act_got(clump_entry *entry, MPI_Count n, MPI_Datatype type, int target, MPI_Win win)
{
    entry->call.peer = clump_members_rank(clump_members_of_window(win), target);
    entry->call.communicator = CLUMP_COMMUNICATOR_UNKNOWN;
    if (target != MPI_PROC_NULL)
        entry->call.bytes_received = bytes_of(n, type);
}

void clump_act_locked(clump_entry *entry, int target, MPI_Win win)
{
    entry->call.peer = clump_members_rank(clump_members_of_window(win), target);
}

/* Handles may come again as soon as the call has returned: they are forgotten before it. */
void clump_act_before_window(clump_entry *entry, const MPI_Win *win)
{
    clump_entry_lock(entry);
    clump_members_forget_window(*win);
    clump_entry_unlock(entry);
}

/* ---- communicators */

void clump_act_new_communicator(clump_entry *entry, const MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        entry->call.communicator = clump_members_number(clump_members_of(*comm));
}

void clump_act_before_communicator(clump_entry *entry, const MPI_Comm *comm)
{
    clump_entry_lock(entry);
    if (*comm != MPI_COMM_NULL)
        clump_members_forget(*comm);
    clump_entry_unlock(entry);
}
