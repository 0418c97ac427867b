/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COMMAND_MPI_PROGRAM_H
#define CLUMP_RECORDING_COMMAND_MPI_PROGRAM_H

/* Which MPI library a command line runs with, and the library of ours that is preloaded into it. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/** "openmpi", "mpich". */
typedef enum mpi_kind { MPI_KIND_OPENMPI, MPI_KIND_MPICH, MPI_KINDS } mpi_kind;

/** Its name as in --mpi, and as its makers write it. */
const char *mpi_kind_name(mpi_kind kind);
const char *mpi_kind_title(mpi_kind kind);

/**
 * Find out from the words of a command line: a program that is linked to an MPI library, else the launcher (mpirun --version).
 * Complains itself; returns the exit code.
 *
 * @param wanted  of --mpi, or NULL; then it is not looked for
 */
int mpi_program_find(const char *command, const char *wanted, const char *const *words,
                     size_t count, mpi_kind *kind);

/** The library that the program in a file is linked to (ldd); MPI_KINDS: to none, or it is a script. */
mpi_kind mpi_program_kind(const char *path);

/** mpirun of the library, as it is called where both are installed, or alone; false: it is missing. */
bool mpi_launcher_find(mpi_kind kind, char path[PATH_MAX]);

/** The word starts processes of Open MPI (mpirun, mpiexec, orterun), which take "-x NAME". */
bool mpi_is_launcher(const char *word);

/**
 * The library NAME-KIND.so of ours ("libclumprecord", companion_files.h). Complains itself if there is none, with the package that is
 * missing; returns the exit code.
 */
int mpi_library_find(const char *command, const char *name, mpi_kind kind, char path[PATH_MAX]);

#endif
