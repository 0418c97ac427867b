/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that loads MPI while it runs, for itself alone, as interpreters do it: `loaded MODULE`. Compiled with -DMODULE it is what
 * is loaded: 10 exchanges and an allreduce on all ranks. */
#ifdef MODULE
#include <mpi.h>
#include <stddef.h>

int run_module(void)
{
    int rank, size;
    double given = 1, got = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&given, 1, MPI_DOUBLE, (rank + 1) % size, 1, &got, 1, MPI_DOUBLE,
                     MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &given, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (given != size)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return MPI_Finalize();
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (module == NULL) {
        fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "which module?");
        return 2;
    }
    int (*run)(void) = (int (*)(void))dlsym(module, "run_module");
    return run != NULL ? run() : 2;
}
#endif
