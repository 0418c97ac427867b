/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The MPI calls that communicate, by the names that they have in C and in Fortran.
 */
#ifndef CLUMP_RECORDING_PRELOAD_DILATE_CALLS_H
#define CLUMP_RECORDING_PRELOAD_DILATE_CALLS_H

/* clang-format off */

/** Calls that may wait for somebody. */
#define CLUMP_DILATE_WAITING(EACH) \
    EACH(Accumulate, accumulate) \
    EACH(Allgather, allgather) \
    EACH(Allgatherv, allgatherv) \
    EACH(Allreduce, allreduce) \
    EACH(Alltoall, alltoall) \
    EACH(Alltoallv, alltoallv) \
    EACH(Alltoallw, alltoallw) \
    EACH(Barrier, barrier) \
    EACH(Bcast, bcast) \
    EACH(Bsend, bsend) \
    EACH(Cart_create, cart_create) \
    EACH(Comm_accept, comm_accept) \
    EACH(Comm_connect, comm_connect) \
    EACH(Comm_create, comm_create) \
    EACH(Comm_create_group, comm_create_group) \
    EACH(Comm_disconnect, comm_disconnect) \
    EACH(Comm_dup, comm_dup) \
    EACH(Comm_dup_with_info, comm_dup_with_info) \
    EACH(Comm_free, comm_free) \
    EACH(Comm_spawn, comm_spawn) \
    EACH(Comm_spawn_multiple, comm_spawn_multiple) \
    EACH(Comm_split, comm_split) \
    EACH(Comm_split_type, comm_split_type) \
    EACH(Compare_and_swap, compare_and_swap) \
    EACH(Dist_graph_create, dist_graph_create) \
    EACH(Dist_graph_create_adjacent, dist_graph_create_adjacent) \
    EACH(Exscan, exscan) \
    EACH(Fetch_and_op, fetch_and_op) \
    EACH(Gather, gather) \
    EACH(Gatherv, gatherv) \
    EACH(Get, get) \
    EACH(Graph_create, graph_create) \
    EACH(Intercomm_create, intercomm_create) \
    EACH(Intercomm_merge, intercomm_merge) \
    EACH(Mprobe, mprobe) \
    EACH(Mrecv, mrecv) \
    EACH(Neighbor_allgather, neighbor_allgather) \
    EACH(Neighbor_allgatherv, neighbor_allgatherv) \
    EACH(Neighbor_alltoall, neighbor_alltoall) \
    EACH(Neighbor_alltoallv, neighbor_alltoallv) \
    EACH(Neighbor_alltoallw, neighbor_alltoallw) \
    EACH(Probe, probe) \
    EACH(Put, put) \
    EACH(Recv, recv) \
    EACH(Reduce, reduce) \
    EACH(Reduce_scatter, reduce_scatter) \
    EACH(Reduce_scatter_block, reduce_scatter_block) \
    EACH(Rsend, rsend) \
    EACH(Scan, scan) \
    EACH(Scatter, scatter) \
    EACH(Scatterv, scatterv) \
    EACH(Send, send) \
    EACH(Sendrecv, sendrecv) \
    EACH(Sendrecv_replace, sendrecv_replace) \
    EACH(Ssend, ssend) \
    EACH(Wait, wait) \
    EACH(Waitall, waitall) \
    EACH(Waitany, waitany) \
    EACH(Waitsome, waitsome) \
    EACH(Win_allocate, win_allocate) \
    EACH(Win_allocate_shared, win_allocate_shared) \
    EACH(Win_complete, win_complete) \
    EACH(Win_create, win_create) \
    EACH(Win_create_dynamic, win_create_dynamic) \
    EACH(Win_fence, win_fence) \
    EACH(Win_flush, win_flush) \
    EACH(Win_flush_all, win_flush_all) \
    EACH(Win_flush_local, win_flush_local) \
    EACH(Win_flush_local_all, win_flush_local_all) \
    EACH(Win_free, win_free) \
    EACH(Win_lock, win_lock) \
    EACH(Win_lock_all, win_lock_all) \
    EACH(Win_post, win_post) \
    EACH(Win_start, win_start) \
    EACH(Win_unlock, win_unlock) \
    EACH(Win_unlock_all, win_unlock_all) \
    EACH(Win_wait, win_wait)

/** Calls that start something and come back at once. */
#define CLUMP_DILATE_PASSING(EACH) \
    EACH(Comm_idup, comm_idup) \
    EACH(Iallgather, iallgather) \
    EACH(Iallgatherv, iallgatherv) \
    EACH(Iallreduce, iallreduce) \
    EACH(Ialltoall, ialltoall) \
    EACH(Ialltoallv, ialltoallv) \
    EACH(Ialltoallw, ialltoallw) \
    EACH(Ibarrier, ibarrier) \
    EACH(Ibcast, ibcast) \
    EACH(Ibsend, ibsend) \
    EACH(Iexscan, iexscan) \
    EACH(Igather, igather) \
    EACH(Igatherv, igatherv) \
    EACH(Imrecv, imrecv) \
    EACH(Ineighbor_allgather, ineighbor_allgather) \
    EACH(Ineighbor_allgatherv, ineighbor_allgatherv) \
    EACH(Ineighbor_alltoall, ineighbor_alltoall) \
    EACH(Ineighbor_alltoallv, ineighbor_alltoallv) \
    EACH(Ineighbor_alltoallw, ineighbor_alltoallw) \
    EACH(Irecv, irecv) \
    EACH(Ireduce, ireduce) \
    EACH(Ireduce_scatter, ireduce_scatter) \
    EACH(Ireduce_scatter_block, ireduce_scatter_block) \
    EACH(Irsend, irsend) \
    EACH(Iscan, iscan) \
    EACH(Iscatter, iscatter) \
    EACH(Iscatterv, iscatterv) \
    EACH(Isend, isend) \
    EACH(Issend, issend) \
    EACH(Raccumulate, raccumulate) \
    EACH(Rget, rget) \
    EACH(Rget_accumulate, rget_accumulate) \
    EACH(Rput, rput) \
    EACH(Start, start) \
    EACH(Startall, startall) \
    EACH(Win_sync, win_sync)

/** Calls that look whether something came: programs make them over and over. */
#define CLUMP_DILATE_LOOKING(EACH) \
    EACH(Improbe, improbe) \
    EACH(Iprobe, iprobe) \
    EACH(Test, test) \
    EACH(Testall, testall) \
    EACH(Testany, testany) \
    EACH(Testsome, testsome) \
    EACH(Win_test, win_test)

/* clang-format on */

#endif
