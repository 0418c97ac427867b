/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_LIBRARY_H
#define CLUMP_RECORDING_PRELOAD_LIBRARY_H

/*
 * <mpi.h> for a library that is there before that of MPI: an interpreter loads MPI with a module, long after it began, and often so that
 * nobody else sees it. Functions are bound when they are first called, and find it then; data would be bound at the start, to nothing, and
 * is looked up here instead. This header takes the place of <mpi.h> in all files of the folder.
 */

#include <mpi.h>

#ifdef OPEN_MPI
/* Handles that never change are addresses in Open MPI. Another one that is used gets its name here, or does not compile. */
#define CLUMP_LIBRARY_HANDLES(X)                                                                   \
    X(ompi_mpi_comm_null)                                                                          \
    X(ompi_mpi_comm_world)                                                                         \
    X(ompi_mpi_datatype_null)                                                                      \
    X(ompi_mpi_byte)                                                                               \
    X(ompi_mpi_int)                                                                                \
    X(ompi_mpi_op_min)                                                                             \
    X(ompi_mpi_op_no_op)                                                                           \
    X(ompi_message_null)                                                                           \
    X(ompi_message_no_proc)                                                                        \
    X(ompi_request_null)                                                                           \
    X(ompi_mpi_win_null)
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)clump_library.global)
#else
#define CLUMP_LIBRARY_HANDLES(X)
#endif

/** Addresses in the library; NULL before it was found. */
struct clump_library {
#define CLUMP_LIBRARY_MEMBER(name) void *name;
    CLUMP_LIBRARY_HANDLES(CLUMP_LIBRARY_MEMBER)
#undef CLUMP_LIBRARY_MEMBER
    /* Of variables that hold what Fortran programs give in place of statuses; NULL: the library has none. */
    void *const *status_ignore, *const *statuses_ignore;
    void *const *f08_status_ignore, *const *f08_statuses_ignore;
};

extern struct clump_library clump_library;

/** Find it, if that has not been done: before anything else of it is used. Where only who loaded it saw it, all do from here on. */
void clump_library_find(void);

#endif
