/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_MPI_PROGRAM_H
#define CLUMP_CLI_MPI_PROGRAM_H

/*
 * Programs of MPI on this machine: which library they use, what starts them, and where what is preloaded
 * into them lies.
 */

#include <stdbool.h>
#include <stddef.h>

enum { MPI_PATH_SIZE = 512 };

/** The program as PATH finds it, or a path as it is; false: there is none that can be run. */
bool mpi_program_find(const char *name, char path[MPI_PATH_SIZE]);

typedef enum mpi_library {
    MPI_LIBRARY_UNKNOWN = 0,
    MPI_LIBRARY_OPENMPI,
    MPI_LIBRARY_MPICH
} mpi_library;

/** Which library the file asks for; unknown for scripts, and for what is linked statically. */
mpi_library mpi_program_library(const char *path);

/** mpirun of the library, as it is called where both are installed, or alone; false: it is missing. */
bool mpi_launcher_find(mpi_library library, char path[MPI_PATH_SIZE]);

/** Whether somebody gives us "mpirun ./app" where the program alone is wanted. */
bool mpi_is_launcher(const char *name);

/** A library that is preloaded: beside the program when it was built, else where it is installed. */
bool mpi_preload_find(const char *name, char path[MPI_PATH_SIZE]);

#endif
