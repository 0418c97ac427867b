/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EMULATION_EMULATED_PROGRAM_H
#define CLUMP_CLI_EMULATION_EMULATED_PROGRAM_H

/*
 * Programs of MPI on this machine: which library they use, what starts them, and where what is preloaded
 * into them lies.
 */

#include <stdbool.h>
#include <stddef.h>

enum { EMULATED_PATH_SIZE = 512 };

/** The program as PATH finds it, or a path as it is; false: there is none that can be run. */
bool emulated_program_find(const char *name, char path[EMULATED_PATH_SIZE]);

typedef enum emulated_mpi { EMULATED_UNKNOWN = 0, EMULATED_OPENMPI, EMULATED_MPICH } emulated_mpi;

/** Which library the file asks for; unknown for scripts, and for what is linked statically. */
emulated_mpi emulated_program_library(const char *path);

/** mpirun of the library, as it is called where both are installed, or alone; false: it is missing. */
bool emulated_launcher_find(emulated_mpi library, char path[EMULATED_PATH_SIZE]);

/** Whether somebody gives us "mpirun ./app" where the program alone is wanted. */
bool emulated_is_launcher(const char *name);

/** A library that is preloaded: beside the program when it was built, else where it is installed. */
bool emulated_preload_find(const char *name, char path[EMULATED_PATH_SIZE]);

#endif
