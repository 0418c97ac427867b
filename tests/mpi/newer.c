/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came with MPI 4, a known number of times, on 2 ranks: persistent collectives (Open MPI 4 has them as MPIX_...), wide counts, requests
 * that send and receive, messages in parts. With "sessions": no MPI_Init; "halves": sessions, and no communicator of all. */
#include <mpi.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#if OMPI_MAJOR_VERSION < 5
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#endif
#endif

enum { N = 100, TIMES = 3 };
static double in[4 * N], out[4 * N];

static void exchange(MPI_Comm comm, int rank)
{
    /* what is sent has another tag than what comes */
    MPI_Sendrecv(out, N, MPI_DOUBLE, 1 - rank, 10 + rank, in, N, MPI_DOUBLE, 1 - rank, 11 - rank,
                 comm, MPI_STATUS_IGNORE);
}

static void persistent(MPI_Comm comm)
{
    MPI_Request requests[4];
    int counts[2] = {N, N}, displs[2] = {0, N};
    MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(in, N, MPI_DOUBLE, 1, comm, MPI_INFO_NULL, &requests[1]);
    MPI_Allreduce_init(out, in + N, N, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &requests[2]);
    MPI_Alltoallv_init(out, counts, displs, MPI_DOUBLE, in + 2 * N, counts, displs, MPI_DOUBLE,
                       comm, MPI_INFO_NULL, &requests[3]);
    for (int i = 0; i < TIMES; i++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Startall(3, requests + 1);
        MPI_Waitall(3, requests + 1, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
}

#if MPI_VERSION >= 4
static void wide(MPI_Comm comm, int rank)
{
    MPI_Request request;
    MPI_Count counts[2] = {N, 2 * N};
    MPI_Aint displs[2] = {0, N};
    if (rank == 0)
        MPI_Send_c(out, N, MPI_DOUBLE, 1, 1, comm);
    else
        MPI_Recv_c(in, N, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE);
    MPI_Bcast_c(in, N, MPI_DOUBLE, 0, comm);
    MPI_Allgatherv_c(out, counts[rank], MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, comm);
    MPI_Irecv_c(in, N, MPI_DOUBLE, 1 - rank, 2, comm, &request);
    MPI_Send_c(out, N, MPI_DOUBLE, 1 - rank, 2, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce_init_c(out, in, N, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

static void both(MPI_Comm comm, int rank)
{
    MPI_Request requests[2];
    MPI_Isendrecv(out, N, MPI_DOUBLE, 1 - rank, 20 + rank, in, N, MPI_DOUBLE, 1 - rank, 21 - rank,
                  comm, &requests[0]);
    MPI_Irecv(in + N, N, MPI_DOUBLE, MPI_ANY_SOURCE, 23, comm, &requests[1]);
    MPI_Send(out, N, MPI_DOUBLE, 1 - rank, 23, comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    /* MPICH 4.0.2 crashes where one of them is MPI_PROC_NULL */
    MPI_Isendrecv_replace(out, N, MPI_DOUBLE, 1 - rank, 22, 1 - rank, 22, comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void parts(MPI_Comm comm, int rank)
{
    MPI_Request requests[2];
    MPI_Psend_init(out, 4, N, MPI_DOUBLE, 1 - rank, 30, comm, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 4, N, MPI_DOUBLE, 1 - rank, 30, comm, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < TIMES; i++) {
        int two[2] = {0, 1};
        MPI_Startall(2, requests);
        MPI_Pready_list(2, two, requests[0]);
        MPI_Pready(2, requests[0]);
        MPI_Pready_range(3, 3, requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static int sessions(int halves)
{
    MPI_Session session, other;
    MPI_Group all, used;
    MPI_Comm comm;
    int rank, backwards[2] = {1, 0};
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
    MPI_Session_finalize(&other);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    if (halves)
        MPI_Group_incl(all, 1, &rank, &used);
    else
        MPI_Group_incl(all, 2, backwards, &used); /* rank 0 is not rank 0 */
    MPI_Comm_create_from_group(used, rank == 0 || !halves ? "a" : "b", MPI_INFO_NULL,
                               MPI_ERRORS_ARE_FATAL, &comm);
    if (!halves) {
        for (int i = 0; i < TIMES; i++)
            exchange(comm, 1 - rank);
        if (rank == 0)
            MPI_Send(out, N, MPI_DOUBLE, 0, 1, comm); /* to rank 1 of the world */
        else
            MPI_Recv(in, N, MPI_DOUBLE, 1, 1, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Group_free(&used);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
#endif

int main(int argc, char **argv)
{
    int rank;
#if MPI_VERSION >= 4
    if (argc > 1)
        return sessions(strcmp(argv[1], "halves") == 0);
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(MPI_COMM_WORLD, rank);
    persistent(MPI_COMM_WORLD);
#if MPI_VERSION >= 4
    wide(MPI_COMM_WORLD, rank);
    both(MPI_COMM_WORLD, rank);
    parts(MPI_COMM_WORLD, rank);
#endif
    MPI_Finalize();
    return 0;
}
