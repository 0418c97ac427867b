/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 16 threads on each of 2 ranks, each with a communicator of its own: 200 messages to the next rank, of 1 to 100 numbers in turn, that are
 * completed in four ways. While one thread has not come to say what it received, another may have a request of the same name. */
#include <mpi.h>
#include <pthread.h>

enum { THREADS = 16, TIMES = 200, MOST = 100 };
static MPI_Comm own[THREADS];
static int next;

static void *work(void *comm)
{
    const int way = (int)((MPI_Comm *)comm - own) % 4;
    double in[MOST], out[MOST] = {0};
    for (int i = 0; i < TIMES; i++) {
        MPI_Request request[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        int n = 0, which[3];
        MPI_Irecv(in, MOST, MPI_DOUBLE, MPI_ANY_SOURCE, i, *(MPI_Comm *)comm, &request[0]);
        MPI_Isend(out, 1 + i % MOST, MPI_DOUBLE, next, i, *(MPI_Comm *)comm, &request[1]);
        if (way == 0)
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        else if (way == 1)
            while (n != MPI_UNDEFINED)
                MPI_Waitsome(3, request, &n, which, MPI_STATUSES_IGNORE);
        else if (way == 2)
            while (!n)
                MPI_Testall(3, request, &n, MPI_STATUSES_IGNORE);
        else
            for (n = 1; n >= 0; n--)
                MPI_Wait(&request[n], MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int level, rank, size;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 77);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &own[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    /* one after the other, more than there are numbers for at once */
    for (int i = 0; i < 100; i++) {
        pthread_create(&threads[0], NULL, work, &own[0]);
        pthread_join(threads[0], NULL);
    }
    MPI_Finalize();
    return 0;
}
