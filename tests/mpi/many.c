/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ten calls of MPI, over and over, on 2 ranks: `many ROUNDS`. Prints by how many KB the memory of rank 0 has grown since a tenth of them was
 * done: what recording keeps must not grow with the calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 200 };

/* Pages in memory, KB. */
static long resident(void)
{
    long pages = 0, in_memory = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &pages, &in_memory) != 2)
        in_memory = -1;
    if (file != NULL)
        fclose(file);
    return in_memory * 4;
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 1000;
    long before = 0;
    int rank;
    static double in[SIZES], out[SIZES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int other = 1 - rank;
    for (long i = 0; i < rounds; i++) {
        MPI_Request request[2];
        const int count = (int)(i % SIZES), tag = (int)(i % 1000);
        MPI_Irecv(in, SIZES, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(out, count, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(out, count, MPI_DOUBLE, other, tag, in, SIZES, MPI_DOUBLE, other, MPI_ANY_TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, in, 1 + count % 10, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Isend(out, count, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, &request[0]);
        MPI_Request_free(&request[0]);
        MPI_Recv(in, SIZES, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(out, count, MPI_DOUBLE, (int)(i % 2), MPI_COMM_WORLD);
        MPI_Pcontrol((int)(i % 3));
        if (i == rounds / 10)
            before = resident();
    }
    if (rank == 0)
        printf("%ld\n", resident() - before);
    MPI_Finalize();
    return 0;
}
