/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small MPI programs, each of a kind that a replay may get wrong: kernels NAME [BYTES [STEPS [MICROSECONDS]]]. A rank computes for so much processor
 * time a step, sleeps for none of it, and its neighbours are those of a ring.
 *
 *   startall    MPI_Startall, receives first        neighbours, ineighbours   MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall
 *   late        receives are posted after computing  overlap  both are posted before it
 *   pipeline    a row of ranks hands on what it computed
 *   test        MPI_Test between pieces of it        transpose   MPI_Alltoall, BYTES for each pair
 *   masters     tasks, handed out by rank 0 to who answers first, between two collectives
 *   helper      a thread computes while the main one waits for its end
 */
#pragma GCC diagnostic ignored "-Wstringop-overflow" // MPI_STATUSES_IGNORE of MPICH
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef KERNEL_COMPUTES /* a simulator has its own */
static void compute(double us)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    const double end = (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3 + us;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while ((double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3 < end);
}
#endif

static int rank, ranks, bytes = 100000, steps = 20;
static double work = 4000;
static char *in, *out;

/* Differs by up to a half either way, by rank and step. */
static double uneven(int step)
{
    return work * (0.5 + (double)((rank * 7919 + step * 104729) % 1000) / 999);
}

static void exchange(MPI_Request two[2])
{
    MPI_Irecv(in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &two[0]);
    MPI_Isend(out, bytes, MPI_BYTE, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &two[1]);
}

static void startall(void)
{
    MPI_Request two[2];
    MPI_Recv_init(in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &two[0]);
    MPI_Send_init(out, bytes, MPI_BYTE, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &two[1]);
    for (int i = 0; i < steps; i++) {
        compute(work);
        MPI_Startall(2, two);
        MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    }
}

static MPI_Comm ring(void)
{
    MPI_Comm made;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &made);
    return made;
}

static void neighbours(void)
{
    MPI_Comm of = ring();
    for (int i = 0; i < steps; i++) {
        compute(work);
        MPI_Neighbor_alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, of);
    }
}

static void ineighbours(void)
{
    MPI_Comm of = ring();
    MPI_Request one;
    for (int i = 0; i < steps; i++) {
        compute(work);
        MPI_Ineighbor_alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, of, &one);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
}

static void late(void)
{
    MPI_Request one;
    for (int i = 0; i < steps; i++) {
        MPI_Isend(out, bytes, MPI_BYTE, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &one);
        compute(work);
        MPI_Recv(in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
}

static void overlap(void)
{
    MPI_Request two[2];
    for (int i = 0; i < steps; i++) {
        exchange(two);
        compute(work);
        MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    }
}

static void pipeline(void)
{
    for (int i = 0; i < steps; i++) {
        if (rank > 0)
            MPI_Recv(in, bytes, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(work);
        if (rank + 1 < ranks)
            MPI_Send(out, bytes, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD);
    }
}

static void test(void)
{
    enum { PIECES = 20 };
    for (int i = 0; i < steps; i++) {
        MPI_Request two[2];
        int done[2] = {0, 0};
        exchange(two);
        for (int k = 0; k < PIECES; k++) {
            compute(uneven(i) / PIECES);
            for (int j = 0; j < 2; j++)
                if (!done[j])
                    MPI_Test(&two[j], &done[j], MPI_STATUS_IGNORE);
        }
        MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    }
}

static void transpose(void)
{
    for (int i = 0; i < steps; i++) {
        compute(work);
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
}

static void masters(void)
{
    MPI_Status came;
    int left = steps * (ranks - 1), busy = 0;
    MPI_Bcast(out, 1000, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int r = 1; r < ranks; r++, left--, busy++)
            MPI_Send(out, bytes, MPI_BYTE, r, 1, MPI_COMM_WORLD);
        for (; busy > 0; busy--) {
            MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &came);
            const int more = left-- > 0;
            MPI_Send(out, more ? bytes : 0, MPI_BYTE, came.MPI_SOURCE, more ? 1 : 3,
                     MPI_COMM_WORLD);
            busy += more;
        }
    } else
        for (int i = 0;; i++) {
            MPI_Recv(in, bytes, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &came);
            if (came.MPI_TAG == 3)
                break;
            compute(work);
            MPI_Send(out, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
        }
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

static void *help(void *us)
{
    compute(*(double *)us);
    return NULL;
}

static void helper(void)
{
    for (int i = 0; i < steps; i++) {
        pthread_t thread;
        MPI_Request two[2];
        pthread_create(&thread, NULL, help, &work);
        pthread_join(thread, NULL);
        exchange(two);
        MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"startall", startall}, {"neighbours", neighbours}, {"ineighbours", ineighbours},
               {"late", late},         {"overlap", overlap},       {"pipeline", pipeline},
               {"test", test},         {"transpose", transpose},   {"masters", masters},
               {"helper", helper}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 2)
        bytes = atoi(argv[2]);
    if (argc > 3)
        steps = atoi(argv[3]);
    if (argc > 4)
        work = atof(argv[4]);
    in = calloc((size_t)bytes + 1000, (size_t)ranks);
    out = calloc((size_t)bytes + 1000, (size_t)ranks);
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            all[i].run();
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0)
                printf("%s %d %d %g: %.6f s\n", all[i].name, bytes, steps, work,
                       MPI_Wtime() - begin);
        }
    free(in);
    free(out);
    return MPI_Finalize();
}
