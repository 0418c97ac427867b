/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What messages between the first and the last rank take, as samples for LogGP parameters:
 *
 *   mpirun -n 2 messages > messages.csv
 *   clumpmodel import csv messages.csv --platform lab --transport network
 *   clumpmodel fit loggp --platform lab --transport network --name lab/fitted
 *
 * half_round_trip   half of the time until a message is back
 * send_time         until MPI_Send of a short message is done, nothing else being under way
 * receive_time      of MPI_Recv, when the short message has been there for a while
 * message_gap       between messages of a long row, by the receiver's clock
 */
#include "recording/programs/program.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SHORT = 1024, LONG = 65536, RUNS = 3, ROW = 32, LEAST = 3, MOST_ITERATIONS = 10000 };

struct link {
    int rank, other; /* other: -1 for those that only watch */
    char *message;
    int iterations;
    double samples[MOST_ITERATIONS];
};

static void send(struct link *link, int size)
{
    MPI_Send(link->message, size, MPI_CHAR, link->other, 0, MPI_COMM_WORLD);
}

static void receive(struct link *link, int size)
{
    MPI_Recv(link->message, size, MPI_CHAR, link->other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double half_round_trip(struct link *link, int size)
{
    const double start = MPI_Wtime();
    if (link->rank == 0)
        send(link, size);
    receive(link, size);
    if (link->rank != 0)
        send(link, size);
    return (MPI_Wtime() - start) / 2;
}

/* Until a message that comes now is long there, without a look at the network. */
static void pass_time(double seconds)
{
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

static double send_time(struct link *link, int size)
{
    if (link->rank != 0) {
        receive(link, size);
        send(link, 0);
        return 0;
    }
    const double start = MPI_Wtime();
    send(link, size);
    const double seconds = MPI_Wtime() - start;
    receive(link, 0);
    return seconds;
}

static double receive_time(struct link *link, int size)
{
    const double around = 2 * half_round_trip(link, 0);
    if (link->rank != 0) {
        receive(link, 0);
        send(link, size);
        return 0;
    }
    send(link, 0);
    pass_time(10 * around);
    const double start = MPI_Wtime();
    receive(link, size);
    return MPI_Wtime() - start;
}

/* Fewer long messages tell as much as many short ones. */
static int number_for(int size, int wanted)
{
    const int number = size > LONG ? wanted / (size / LONG) : wanted;
    return number < LEAST ? LEAST : number;
}

/* Rank 0 receives: from the first message of a row to the last, by its clock. */
static double message_gap(struct link *link, int size)
{
    const int row = number_for(size, ROW);
    double first = 0, last = 0;
    if (link->rank == 0)
        send(link, 0); /* begin */
    else
        receive(link, 0);
    for (int i = 0; i < row; i++) {
        if (link->rank != 0)
            send(link, size);
        else
            receive(link, size);
        last = MPI_Wtime();
        first = i == 0 ? last : first;
    }
    return (last - first) / (row - 1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(struct link *link, const char *quantity, double (*once)(struct link *, int),
                    int size, int iterations, int run)
{
    iterations = number_for(size, iterations);
    once(link, size); /* to warm up */
    for (int i = 0; i < iterations; i++)
        link->samples[i] = once(link, size);
    qsort(link->samples, (size_t)iterations, sizeof link->samples[0], ascending);
    if (link->rank == 0)
        printf("%s,%d,%.6f,us,median,%d,%d\n", quantity, size, 1e6 * link->samples[iterations / 2],
               run, iterations);
}

int main(int argc, char **argv)
{
    struct settings settings = {.size = 1 << 20, .most = 1 << 30, .iterations = 20};
    program_begin(&argc, &argv,
                  "Times of messages between the first and the last rank, as CSV for 'clumpmodel "
                  "import csv'. SIZE is the\n"
                  "longest message, bytes.",
                  &settings);
    int ranks;
    static struct link link;
    MPI_Comm_rank(MPI_COMM_WORLD, &link.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    link.other = ranks < 2 ? -1 : link.rank == 0 ? ranks - 1 : link.rank == ranks - 1 ? 0 : -1;
    const int longest = (int)settings.size, iterations = settings.iterations < MOST_ITERATIONS
                                                             ? (int)settings.iterations
                                                             : MOST_ITERATIONS;
    link.message = calloc((size_t)longest + 1, 1);
    if (!link.message || ranks < 2) {
        fprintf(stderr, "messages: expected 2 ranks or more, and memory for %d bytes\n", longest);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (link.rank == 0)
        printf("quantity,size_bytes,value,unit,statistic,run,iterations\n");
    if (link.other >= 0)
        for (int run = 1; run <= RUNS; run++)
            for (int size = 1; size <= longest; size *= 2) {
                measure(&link, "half_round_trip", half_round_trip, size, iterations, run);
                if (size <= SHORT)
                    measure(&link, "send_time", send_time, size, iterations, run);
                if (size <= SHORT)
                    measure(&link, "receive_time", receive_time, size, iterations, run);
                measure(&link, "message_gap", message_gap, size, iterations / 5, run);
            }
    MPI_Barrier(MPI_COMM_WORLD);
    free(link.message);
    MPI_Finalize();
    return 0;
}
