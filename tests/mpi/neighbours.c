/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives among neighbours, for 4 ranks: blocking, not blocking, persistent; and a receive that is cancelled.
 *
 *   kind                      messages               bytes
 *   5 x to both sides         5 x (3 + 3)            5 x 3 x (80 + 160)
 *   5 x to the next one       5 x 4                  5 x 4 x 24
 *   2 x persistent            2 x (3 + 3)            2 x 6 x 8
 *   together                  62                     4176
 */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif

int main(int argc, char **argv)
{
    int rank, size, periods[1] = {0};
    double out[64] = {0}, in[64];
    MPI_Comm line, ring;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    for (int i = 0; i < 5; i++) {
        const int given[2] = {10, 20}, got[2] = {20, 10}, places[2] = {0, 20};
        MPI_Neighbor_alltoallv(out, given, places, MPI_DOUBLE, in, got, places, MPI_DOUBLE, line);
        MPI_Ineighbor_allgather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, ring, &requests[0]);
        MPI_Irecv(in + 8, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &requests[1]);
        MPI_Cancel(&requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Neighbor_alltoall_init(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, line, MPI_INFO_NULL,
                               &requests[0]);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Finalize();
    return 0;
}
