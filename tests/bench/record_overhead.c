/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What recording costs a program: blocks of calls that are recorded (MPI_) and of the same calls that are not (PMPI_) in turn, in one
 * run, in processor time. Every rank sends to itself and all do so at the same time, so that they fight for the word that counts them.
 * "paced": 10 us of computation before each call, as a program with 10^5 calls a second has it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 31, MESSAGES = 1000, CALLS = 3 };

static double processor(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile double sink = 0.5;

static void compute(int steps)
{
    double x = sink;
    for (int i = 0; i < steps; i++)
        x = x * 0.999 + 0.001;
    sink = x;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One call, with its time in ns where calls are paced. */
#define TIMED(call)                                                                                \
    do {                                                                                           \
        if (steps > 0) {                                                                           \
            compute(steps);                                                                        \
            const double begin_ns = now();                                                         \
            call;                                                                                  \
            times[n++] = now() - begin_ns;                                                         \
        } else                                                                                     \
            call;                                                                                  \
    } while (0)

#define BLOCK(P)                                                                                   \
    for (int i = 0, n = 0; i < MESSAGES; i++) {                                                    \
        MPI_Request r[2];                                                                          \
        TIMED(P##MPI_Irecv(in, 8, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &r[0]));                    \
        TIMED(P##MPI_Isend(out, 8, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &r[1]));                   \
        TIMED(P##MPI_Waitall(2, r, MPI_STATUSES_IGNORE));                                          \
    }

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Seconds a call in a block: processor time of all of it, or the mean of what was timed without the longest hundredth, which is other
 * programs' time. */
static double per_call(double begin, double end, double *times, int steps)
{
    double sum = 0;
    if (steps == 0)
        return (end - begin) / (MESSAGES * CALLS);
    qsort(times, MESSAGES * CALLS, sizeof *times, compare);
    for (int i = 0; i < MESSAGES * CALLS * 99 / 100; i++)
        sum += times[i];
    return sum * 1e-9 / (MESSAGES * CALLS * 99 / 100);
}

static void measure(const char *name, int rank, int steps)
{
    static double in[8], out[8], times[MESSAGES * CALLS];
    double extra[BLOCKS], plain[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
        double begin = processor();
        BLOCK(P)
        plain[b] = per_call(begin, processor(), times, steps);
        begin = processor();
        BLOCK()
        extra[b] = per_call(begin, processor(), times, steps) - plain[b];
    }
    qsort(extra, BLOCKS, sizeof *extra, compare);
    qsort(plain, BLOCKS, sizeof *plain, compare);
    if (rank == 0)
        printf("  %-8s %6.0f ns a call without, %+6.0f ns recorded (quartiles %+.0f, %+.0f): "
               "%.2f%% of processor time at 10^5 calls/s\n",
               name, plain[BLOCKS / 2] * 1e9, extra[BLOCKS / 2] * 1e9, extra[BLOCKS / 4] * 1e9,
               extra[3 * BLOCKS / 4] * 1e9, extra[BLOCKS / 2] * 1e5 * 100);
}

int main(int argc, char **argv)
{
    int rank, steps = 1000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double began = processor();
    for (int i = 0; i < 100; i++)
        compute(steps);
    steps = (int)(1000 * 10e-6 / ((processor() - began) / 100));
    measure("at once", rank, 0);
    measure("paced", rank, steps);
    MPI_Finalize();
    return 0;
}
