/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of call, a known number of times, on 2 ranks or more. With an argument, how it ends:
 * "leave": soon, also alone, without MPI_Finalize; "fork": a child ends by exit() meanwhile; "threads": MPI_THREAD_MULTIPLE; "kill": by SIGKILL. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 100, THREADS = 4 };
static int rank, size, next, before;
static double in[64 * N], out[64 * N];

static void point_to_point(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int flag = 0, index, done, indices[4];
    /* blocking: rank 0 sends, 1 receives; the rest are idle */
    if (rank == 0) {
        MPI_Send(out, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(out, N, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(in, N, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Probe(0, 2, MPI_COMM_WORLD, statuses);
        MPI_Recv(in, N, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, statuses);
    }
    MPI_Sendrecv(out, N, MPI_DOUBLE, next, 3, in, N, MPI_DOUBLE, before, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, N, MPI_DOUBLE, MPI_PROC_NULL, 3, in, N, MPI_DOUBLE, MPI_PROC_NULL, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* non-blocking, in four ways to wait */
    for (int way = 0; way < 4; way++) {
        MPI_Irecv(in, N, MPI_DOUBLE, before, 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in + N, N, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(out, N, MPI_DOUBLE, next, 4, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(out, N, MPI_DOUBLE, next, 5, MPI_COMM_WORLD, &requests[3]);
        if (way == 0)
            for (int i = 0; i < 4; i++)
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        else if (way == 1)
            MPI_Waitall(4, requests, statuses);
        else if (way == 2)
            for (int i = 0; i < 4; i++)
                MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
        else
            for (int left = 4; left > 0; left -= done)
                MPI_Waitsome(4, requests, &done, indices, MPI_STATUSES_IGNORE);
    }
    /* tests until they succeed */
    MPI_Irecv(in, N, MPI_DOUBLE, before, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, N, MPI_DOUBLE, next, 6, MPI_COMM_WORLD, &requests[1]);
    while (!flag)
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    /* persistent */
    MPI_Send_init(out, N, MPI_DOUBLE, next, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, N, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    /* matched probe */
    MPI_Message message;
    MPI_Isend(out, N, MPI_DOUBLE, next, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Mprobe(before, 8, MPI_COMM_WORLD, &message, statuses);
    MPI_Mrecv(in, N, MPI_DOUBLE, &message, statuses);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void collectives(MPI_Comm comm)
{
    int own, n, counts[64], displs[64];
    MPI_Request request;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &n);
    for (int i = 0; i < n; i++) {
        counts[i] = 2;
        displs[i] = 2 * i;
    }
    MPI_Barrier(comm);
    MPI_Bcast(in, N, MPI_DOUBLE, n - 1, comm);
    MPI_Reduce(out, in, N, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, in, N, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Gather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, comm);
    MPI_Gatherv(out, 2, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, 0, comm);
    MPI_Scatter(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(out, counts, displs, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, comm);
    MPI_Allgather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, comm);
    MPI_Allgatherv(out, 2, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, comm);
    MPI_Alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, comm);
    MPI_Alltoallv(out, counts, displs, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, comm);
    MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Reduce_scatter_block(out, in, 2, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Scan(out, in, N, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Exscan(out, in, N, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Iallreduce(out, in, N, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void communicators(void)
{
    MPI_Comm half, copy, inter, merged, ring, self = MPI_COMM_SELF;
    int dims[1] = {size}, periods[1] = {1};
    double x = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    collectives(half);
    MPI_Bcast(&x, 1, MPI_DOUBLE, 0, self);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, (rank + 1) % 2, 9, &inter);
    MPI_Barrier(inter);
    MPI_Bcast(&x, 1, MPI_DOUBLE, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    MPI_Barrier(merged);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Neighbor_alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, ring);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&ring);
}

static void one_sided(void)
{
    MPI_Win win;
    MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Get(out + N, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(out, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void *thread(void *number)
{
    const int tag = 100 + *(int *)number;
    for (int i = 0; i < 50; i++) {
        MPI_Request request[2];
        double a[N], b[N] = {0};
        MPI_Irecv(a, N, MPI_DOUBLE, before, tag, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(b, N, MPI_DOUBLE, next, tag, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int level;
    if (strcmp(how, "threads") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        if (level != MPI_THREAD_MULTIPLE)
            MPI_Abort(MPI_COMM_WORLD, 77);
    } else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    if (strcmp(how, "threads") == 0) {
        pthread_t threads[THREADS];
        int numbers[THREADS];
        for (int i = 0; i < THREADS; i++) {
            numbers[i] = i;
            pthread_create(&threads[i], NULL, thread, &numbers[i]);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        MPI_Finalize();
        return 0;
    }
    if (strcmp(how, "leave") == 0) {
        for (int i = 0; i < N; i++)
            MPI_Barrier(MPI_COMM_WORLD);
        exit(0);
    }
    MPI_Pcontrol(1);
    point_to_point();
    collectives(MPI_COMM_WORLD);
    MPI_Pcontrol(2);
    communicators();
    one_sided();
    if (strcmp(how, "fork") == 0) {
        const pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, NULL, 0);
    }
    if (strcmp(how, "kill") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(20000);
        MPI_Barrier(MPI_COMM_WORLD); /* flushes */
        MPI_Barrier(MPI_COMM_WORLD); /* all have: launchers kill the others when one has died */
        raise(SIGKILL);
    }
    MPI_Finalize();
    return 0;
}
