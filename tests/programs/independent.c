/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processors as the model takes them: the first half of the ranks compute for an exponentially
 * distributed time, send a message of an exponentially distributed size to a partner of the second
 * half, wait until all of it has arrived, and begin again, each at times of its own. --size is the
 * mean number of bytes. With two nodes all senders are on the first; how many of them are inside
 * MPI is q of the model.
 */
#include "recording/programs/program.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct settings settings = {.size = 100000, .most = 10000000, .iterations = 100, .compute = 5};
    program_begin(
        &argc, &argv,
        "Half of the ranks send to the other half at random. SIZE is the mean message, bytes.",
        &settings);
    settings.random = true;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int pairs = ranks / 2, largest = 20 * (int)settings.size; /* 20 means: once in 5e8 */
    char *message = calloc((size_t)largest, 1);
    if (!message || ranks % 2) {
        fprintf(stderr, "independent: expected an even number of ranks, and %d bytes of memory\n",
                largest);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    double seconds = program_timer_start();
    for (long i = 0; i < settings.iterations; i++)
        if (rank < pairs) {
            program_compute(&settings);
            const double bytes = -log(1 - drand48()) * (double)settings.size;
            MPI_Send(message, bytes < largest ? (int)bytes : largest, MPI_CHAR, rank + pairs, 0,
                     MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_CHAR, rank + pairs, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(message, largest, MPI_CHAR, rank - pairs, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            MPI_Send(NULL, 0, MPI_CHAR, rank - pairs, 0, MPI_COMM_WORLD);
        }
    seconds = program_timer_stop(seconds);
    free(message);
    return program_end(seconds, true);
}
