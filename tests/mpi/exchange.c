/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small MPI programs for tests, all with what they measured on stdout:
 *
 *   exchange ring BYTES COMPUTE_US STEPS   compute, then exchange with both neighbours of a ring
 *   exchange pair BYTES STEPS              rank 0 and the last one send to and fro: us, MB/s
 *   exchange stream BYTES STEPS            rank 0 sends to the last one, 8 under way: MB/s
 *   exchange flood BYTES STEPS             the same, 64 messages or 4 MiB always under way: MB/s, median of 5
 *   exchange sum BYTES COMPUTE_US STEPS    compute, then an allreduce
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks;

static volatile double sink;

static double processor_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void compute(double us)
{
    const double until = processor_us() + us;
    while (processor_us() < until)
        for (int i = 0; i < 100; i++)
            sink = sink * 0.999 + i;
}

static double ring(char *from, char *to, int bytes, double us, int steps)
{
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    const double begin = MPI_Wtime();
    for (int s = 0; s < steps; s++) {
        MPI_Request all[4];
        compute(us);
        MPI_Irecv(to, bytes, MPI_CHAR, last, 0, MPI_COMM_WORLD, &all[0]);
        MPI_Irecv(to + bytes, bytes, MPI_CHAR, next, 1, MPI_COMM_WORLD, &all[1]);
        MPI_Isend(from, bytes, MPI_CHAR, next, 0, MPI_COMM_WORLD, &all[2]);
        MPI_Isend(from + bytes, bytes, MPI_CHAR, last, 1, MPI_COMM_WORLD, &all[3]);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    }
    return MPI_Wtime() - begin;
}

static double pair(char *from, char *to, int bytes, int steps)
{
    const int other = rank == 0 ? ranks - 1 : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int s = 0; s < steps && (rank == 0 || rank == ranks - 1); s++) {
        if (rank == 0)
            MPI_Send(from, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        MPI_Recv(to, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0)
            MPI_Send(from, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - begin;
}

static double stream(char *from, int bytes, int steps)
{
    enum { UNDER_WAY = 8 };
    MPI_Request all[UNDER_WAY];
    char none = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int s = 0; s < steps; s += UNDER_WAY) {
        for (int i = 0; i < UNDER_WAY; i++) {
            all[i] = MPI_REQUEST_NULL;
            if (rank == 0)
                MPI_Isend(from, bytes, MPI_CHAR, ranks - 1, 0, MPI_COMM_WORLD, &all[i]);
            else if (rank == ranks - 1)
                MPI_Irecv(from + (size_t)i * bytes, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &all[i]);
        }
        MPI_Waitall(UNDER_WAY, all, MPI_STATUSES_IGNORE);
    }
    if (rank == 0)
        MPI_Recv(&none, 1, MPI_CHAR, ranks - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == ranks - 1)
        MPI_Send(&none, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The receiver's time, from a quarter of the messages on, when all links are full. */
static double flood(int bytes, int steps)
{
    enum { MOST = 64, ROUNDS = 5 };
    const int under_way = bytes > (4 << 20) / MOST ? (4 << 20) / bytes : MOST, first = steps / 4;
    char *all = calloc(MOST, (size_t)bytes);
    double rates[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[MOST];
        double begin = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        for (int s = 0; s < steps + under_way && (rank == 0 || rank == ranks - 1); s++) {
            const int slot = s % under_way;
            char *message = all + (size_t)slot * bytes;
            if (s >= under_way)
                MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
            if (s == first + under_way)
                begin = MPI_Wtime();
            if (s < steps && rank == 0)
                MPI_Isend(message, bytes, MPI_CHAR, ranks - 1, 0, MPI_COMM_WORLD, &requests[slot]);
            else if (s < steps)
                MPI_Irecv(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[slot]);
        }
        const double seconds = MPI_Wtime() - begin;
        rates[round] = 1e-6 * bytes * (steps - first - 1) / seconds;
    }
    free(all);
    qsort(rates, ROUNDS, sizeof *rates, compare);
    if (rank == ranks - 1)
        printf("flood: %.3f MB/s\n", rates[ROUNDS / 2]);
    return 1;
}

static double sum(char *from, char *to, int bytes, double us, int steps)
{
    const double begin = MPI_Wtime();
    for (int s = 0; s < steps; s++) {
        compute(us);
        MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - begin;
}

int main(int count, char **arguments)
{
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *what = count > 3 ? arguments[1] : "";
    const int bytes = count > 3 ? atoi(arguments[2]) : 0;
    const double us = count > 4 ? atof(arguments[3]) : 0;
    const int steps = count > 3 ? atoi(arguments[count > 4 ? 4 : 3]) : 0;
    char *memory = calloc(2, 8 * (size_t)bytes + 8), *half = memory + 8 * (size_t)bytes + 8;
    double seconds = 0;
    if (strcmp(what, "ring") == 0)
        seconds = ring(memory, half, bytes, us, steps);
    else if (strcmp(what, "pair") == 0)
        seconds = pair(memory, half, bytes, steps);
    else if (strcmp(what, "stream") == 0)
        seconds = stream(memory, bytes, steps);
    else if (strcmp(what, "flood") == 0)
        seconds = flood(bytes, steps);
    else if (strcmp(what, "sum") == 0)
        seconds = sum(memory, half, bytes, us, steps);
    else {
        fprintf(stderr, "no such exchange: '%s'\n", what);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 0 && strcmp(what, "flood") != 0)
        printf("%s: %d ranks, %.6f s, %.3f us a step, %.3f MB/s\n", what, ranks, seconds,
               1e6 * seconds / steps, 1e-6 * bytes * steps / seconds);
    free(memory);
    return MPI_Finalize();
}
