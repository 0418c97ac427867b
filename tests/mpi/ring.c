/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a test of recordings needs most: rounds of messages in a ring, an allreduce, and computation between. Prints nothing.
 * Arguments: rounds (10), bytes (1024), microseconds of computation (100). */
#include <mpi.h>
#include <stdlib.h>

static void compute(double seconds)
{
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        ;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int rounds = argc > 1 ? atoi(argv[1]) : 10, bytes = argc > 2 ? atoi(argv[2]) : 1024;
    const double gap = (argc > 3 ? atof(argv[3]) : 100) * 1e-6;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = calloc((size_t)bytes + 1, 1), *in = calloc((size_t)bytes + 1, 1);
    for (int i = 0; i < rounds; i++) {
        MPI_Request request[2];
        double sum = rank, all;
        compute(gap);
        MPI_Irecv(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(out, bytes, MPI_CHAR, (rank + 1) % size, 7, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
