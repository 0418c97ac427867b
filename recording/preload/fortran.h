/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_FORTRAN_H
#define CLUMP_RECORDING_PRELOAD_FORTRAN_H

/*
 * Entry points of Fortran: what is passed on to the library's own (pmpi_send_ and so on), and seen as C here. Those of MPICH call what C
 * programs call, those of Open MPI do not.
 */

#include "recording/preload/actions.h"

/** INTEGERs of a status. */
#define CLUMP_FORTRAN_STATUS (sizeof(MPI_Status) / sizeof(MPI_Fint))

/** The names that compilers give a subroutine; Open MPI's module mpi_f08 calls a name of its own. */
#ifdef OPEN_MPI
#define CLUMP_FORTRAN_MODULE(mpi, name, parameters)                                                \
    extern CLUMP_ENTRY void o##mpi##_##name##_f parameters                                         \
        __attribute__((alias(#mpi "_" #name "_")));
#else
#define CLUMP_FORTRAN_MODULE(mpi, name, parameters)
#endif
#define CLUMP_FORTRAN_ALL(mpi, name, parameters)                                                   \
    CLUMP_ENTRY void mpi##_##name##_ parameters;                                                   \
    extern CLUMP_ENTRY void mpi##_##name##__ parameters                                            \
        __attribute__((alias(#mpi "_" #name "_")));                                                \
    CLUMP_FORTRAN_MODULE(mpi, name, parameters)                                                    \
    void mpi##_##name##_ parameters
#define CLUMP_FORTRAN_NAMES(name, parameters) CLUMP_FORTRAN_ALL(mpi, name, parameters)
/** Open MPI's extensions: mpix_... */
#define CLUMP_FORTRAN_EXTENSION(name, parameters) CLUMP_FORTRAN_ALL(mpix, name, parameters)

bool clump_fortran_is_ignored(const MPI_Fint *status);
void clump_fortran_status(const MPI_Fint *from, MPI_Status *to);

/** Where statuses go: the program's, or ours if it does not want any. NULL: nowhere. */
MPI_Fint *clump_fortran_statuses(int count, MPI_Fint *statuses);
/** What came there, for actions. */
MPI_Status *clump_fortran_statuses_after(int count, const MPI_Fint *statuses);

MPI_Request *clump_fortran_requests(int count, const MPI_Fint *requests);
/** Of all ranks of a communicator, or of its neighbours. `which`: 0 to send, 1 to receive. */
const MPI_Datatype *clump_fortran_types(int which, bool neighbours, MPI_Comm comm,
                                        const MPI_Fint *types);

/** Indices are counted from 1 in Fortran. */
int clump_fortran_index(MPI_Fint index);
int *clump_fortran_indices(MPI_Fint outcount, const MPI_Fint *indices);

/** MPI_Init was called, and did it. */
bool clump_fortran_is_running(void);

/** MPI_IN_PLACE is an address of its own in Fortran. */
void *clump_fortran_buffer(const void *buffer);

#endif
