/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Master and workers: rank 0 hands out tasks, one at a time to whoever is idle, and adds the results up.
 * A task and its result are messages of the same size. Workers compute at times of their own, and wait
 * if the master is busy with others.
 *
 * Check: task t brings t + 1 to the sum, in each of its numbers. No task may be lost or done twice.
 */
#include "recording/programs/program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASK, RESULT, NO_MORE }; /* tags */

static void fill(double *numbers, int size, double value)
{
    for (int i = 0; i < size; i++)
        numbers[i] = value;
}

/* Sends a worker the next task, or that there are no more; whether it has something to do. */
static bool hand_out(int worker, long *next, long tasks, double *numbers, int size)
{
    if (*next == tasks) {
        MPI_Send(NULL, 0, MPI_DOUBLE, worker, NO_MORE, MPI_COMM_WORLD);
        return false;
    }
    fill(numbers, size, (double)(*next)++);
    MPI_Send(numbers, size, MPI_DOUBLE, worker, TASK, MPI_COMM_WORLD);
    return true;
}

/* Whether all results add up. */
static bool be_master(long tasks, double *numbers, int size, int workers)
{
    long next = 0;
    int busy = 0;
    double sum = 0;
    bool uniform = true;
    for (int worker = 1; worker <= workers; worker++)
        busy += hand_out(worker, &next, tasks, numbers, size);
    while (busy > 0) {
        MPI_Status status;
        MPI_Recv(numbers, size, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        sum += numbers[0];
        for (int i = 1; i < size; i++)
            uniform = uniform && numbers[i] == numbers[0];
        if (!hand_out(status.MPI_SOURCE, &next, tasks, numbers, size))
            busy--;
    }
    return uniform && sum == (double)tasks * (double)(tasks + 1) / 2;
}

static void be_worker(const struct settings *settings, double *numbers, int size)
{
    for (;;) {
        MPI_Status status;
        MPI_Recv(numbers, size, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == NO_MORE)
            return;
        program_compute(settings);
        for (int i = 0; i < size; i++)
            numbers[i] += 1;
        MPI_Send(numbers, size, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    struct settings settings = {.size = 8192, .most = 10000000, .iterations = 20, .compute = 5};
    program_begin(&argc, &argv,
                  "Master and workers. SIZE is the number of doubles in a task and in its result, "
                  "--iterations the number of\n"
                  "tasks for each worker.",
                  &settings);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int size = (int)settings.size;
    double *numbers = malloc((size_t)size * sizeof(double));
    if (!numbers) {
        fprintf(stderr, "workers: no memory for %d doubles\n", size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    double seconds = program_timer_start();
    bool right = true;
    if (rank == 0)
        right =
            be_master(ranks > 1 ? settings.iterations * (ranks - 1) : 0, numbers, size, ranks - 1);
    else
        be_worker(&settings, numbers, size);
    seconds = program_timer_stop(seconds);

    free(numbers);
    return program_end(seconds, program_all(right));
}
